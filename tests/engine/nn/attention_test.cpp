// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/attention.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace attention_test {
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::size_t At(Index i) { return static_cast<std::size_t>(i); }

// The formula in double, with all scores of a query side by side.
template <class T>
std::vector<double> Expected(const AttentionShape& s, const std::vector<T>& q, const std::vector<T>& k,
                             const std::vector<T>& v, const AttentionOptions<T>& options) {
  const double scale =
      options.scale == 0 ? 1 / std::sqrt(static_cast<double>(s.depth)) : static_cast<double>(options.scale);
  std::vector<double> out(At(s.batch * s.queries * s.value_depth));
  for (Index b = 0; b < s.batch; ++b) {
    for (Index i = 0; i < s.queries; ++i) {
      std::vector<double> scores(At(s.keys));
      double most = -INFINITY, sum = 0;
      for (Index j = 0; j < s.keys; ++j) {
        double score = 0;
        for (Index d = 0; d < s.depth; ++d) {
          score += static_cast<double>(q[At((b * s.queries + i) * s.depth + d)]) *
                   static_cast<double>(k[At((b * s.keys + j) * s.depth + d)]);
        }
        score *= scale;
        if (options.bias != nullptr) {
          const Index item = options.bias_batch == 1 ? 0 : b;
          score += static_cast<double>(options.bias[(item * s.queries + i) * s.keys + j]);
        }
        if (options.causal && j > i + s.keys - s.queries) score = -INFINITY;
        scores[At(j)] = score;
        most = std::fmax(most, score);
      }
      for (double& score : scores) sum += score = std::exp(score - most);
      for (Index d = 0; d < s.value_depth; ++d) {
        double y = 0;
        for (Index j = 0; j < s.keys; ++j)
          y += scores[At(j)] / sum * static_cast<double>(v[At((b * s.keys + j) * s.value_depth + d)]);
        out[At((b * s.queries + i) * s.value_depth + d)] = y;
      }
    }
  }
  return out;
}

template <class T>
struct Operands {
  std::vector<T> q, k, v;
  explicit Operands(const AttentionShape& s)
      : q(RandomVector<T>(s.batch * s.queries * s.depth, 1)),
        k(RandomVector<T>(s.batch * s.keys * s.depth, 2)),
        v(RandomVector<T>(s.batch * s.keys * s.value_depth, 3)) {}
};

template <class T>
bool AttentionIsRight(Cpu device, const AttentionShape& s, const AttentionOptions<T>& options = {}) {
  const Operands<T> x(s);
  std::vector<T> y(At(s.batch * s.queries * s.value_depth), T(77));
  if (!ScaledDotProductAttention<T>(device, s, x.q.data(), x.k.data(), x.v.data(), y.data(), options).ok())
    return false;
  const std::vector<double> want = Expected(s, x.q, x.k, x.v, options);
  // A score's error, of `depth` roundings of numbers up to 9, is one of the weight's exponent.
  const double scale = options.scale == 0 ? 1 : std::abs(static_cast<double>(options.scale));
  const double allowed = testing::RoundingUnit<T>() * (40 + 60 * scale * static_cast<double>(s.depth));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double got = static_cast<double>(y[i]);
    if (std::isnan(want[i]) ? !std::isnan(got) : !(std::abs(got - want[i]) <= allowed)) return false;
  }
  return true;
}

}  // namespace

TEST_SUITE("ScaledDotProductAttention") {
  TEST_CASE_TEMPLATE("agrees with the formula, for any number of queries and keys", T, float, double) {
    for (const Index keys : {1, 2, 7, 16, 17, 63, 255, 256, 257, 600}) {
      for (const Index queries : {1, 3, 64, 65}) {
        CAPTURE(keys);
        CAPTURE(queries);
        CHECK(AttentionIsRight<T>({}, {2, queries, keys, 8, 5}));
        CHECK(AttentionIsRight<T>({}, {1, queries, keys, 3, 16}, {.scale = T(2)}));
        CHECK(AttentionIsRight<T>({}, {1, queries, keys, 3, 4}, {.scale = T(-1), .causal = true}));
        CHECK(AttentionIsRight<T>({}, {1, queries, keys, 4, 4}, {.causal = true}));
      }
    }
  }

  TEST_CASE_TEMPLATE("a bias is added, one for all or one for each", T, float, double) {
    for (const Index keys : {5, 32, 300}) {
      const AttentionShape s{3, 70, keys, 8, 8};
      std::vector<T> bias = RandomVector<T>(3 * 70 * keys, 4);
      for (Index i = 0; i < 3 * 70 * keys; ++i) {
        if (i % 3 == 0 && i % keys != 1) bias[At(i)] = -std::numeric_limits<T>::infinity();  // hides it
      }
      CHECK(AttentionIsRight<T>({}, s, {.bias = bias.data()}));
      CHECK(AttentionIsRight<T>({}, s, {.bias = bias.data(), .bias_batch = 3}));
      CHECK(AttentionIsRight<T>({}, s, {.causal = true, .bias = bias.data(), .bias_batch = 3}));
    }
  }

  TEST_CASE("the bias of a key that a query does not see is not looked at") {
    const AttentionShape s{1, 20, 20, 4, 4};
    std::vector<float> none(400), nan(400);
    for (Index i = 0; i < 400; ++i) nan[At(i)] = i % 20 > i / 20 ? std::numeric_limits<float>::quiet_NaN() : 0.f;
    const Operands<float> x(s);
    std::vector<float> y(80), z(80);
    Cpu device;
    for (const auto& [bias, out] : {std::pair{&none, &y}, std::pair{&nan, &z}}) {
      REQUIRE(ScaledDotProductAttention<float>(device, s, x.q.data(), x.k.data(), x.v.data(), out->data(),
                                               {.causal = true, .bias = bias->data()})
                  .ok());
    }
    CHECK(y == z);
  }

  TEST_CASE("a query that sees no key gives NaN; one that sees none in the first block does not") {
    CHECK(AttentionIsRight<float>({}, {1, 8, 3, 4, 4}, {.causal = true}));  // the first five see nothing
    const AttentionShape s{1, 1, 520, 4, 4};
    std::vector<float> bias(520, -kInfinity);
    CHECK(AttentionIsRight<float>({}, s, {.bias = bias.data()}));
    bias[519] = 1;
    CHECK(AttentionIsRight<float>({}, s, {.bias = bias.data()}));
    CHECK(AttentionIsRight<float>({}, {2, 3, 0, 4, 4}));  // no keys at all
  }

  TEST_CASE("large scores do not overflow, infinite ones and NaN reach their own row alone") {
    const AttentionShape s{1, 3, 300, 1, 1};
    std::vector<float> q{1e10f, 1, 1}, k(300), v(300), y(3);
    for (std::size_t i = 0; i < 300; ++i) {
      k[i] = static_cast<float>(i);
      v[i] = static_cast<float>(i);
    }
    Cpu device;
    std::vector<float> bias(900);
    bias[300] = kInfinity;
    bias[899] = std::numeric_limits<float>::quiet_NaN();
    REQUIRE(ScaledDotProductAttention<float>(device, s, q.data(), k.data(), v.data(), y.data(), {.bias = bias.data()})
                .ok());
    CHECK(y[0] == 299);
    CHECK(std::isnan(y[1]));
    CHECK(std::isnan(y[2]));
  }

  TEST_CASE("several threads give the same") {
    const AttentionShape s{5, 200, 300, 16, 24};
    const Operands<float> x(s);
    ThreadPool pool(3, "test");
    Cpu one, three{.pool = &pool};
    std::vector<float> y(At(5 * 200 * 24)), z(y.size());
    REQUIRE(ScaledDotProductAttention<float>(one, s, x.q.data(), x.k.data(), x.v.data(), y.data()).ok());
    REQUIRE(ScaledDotProductAttention<float>(three, s, x.q.data(), x.k.data(), x.v.data(), z.data()).ok());
    CHECK(y == z);
    CHECK(AttentionIsRight<float>(three, s, {.causal = true}));
  }

  TEST_CASE("refuses a bias that fits neither one nor all, and says when there is no memory") {
    const AttentionShape s{3, 2, 2, 1, 1};
    const Operands<float> x(s);
    std::vector<float> bias(100), y(6);
    Cpu device;
    const auto run = [&](const AttentionOptions<float>& options) {
      return ScaledDotProductAttention<float>(device, s, x.q.data(), x.k.data(), x.v.data(), y.data(), options);
    };
    CHECK(run({.bias = bias.data(), .bias_batch = 2}).code() == Code::kInvalidArgument);
    TrackingAllocator allocator(CpuAllocator());
    device.allocator = &allocator;
    CHECK(run({}).ok());
    CHECK(allocator.bytes_in_use() == 0);
    allocator.FailAllocations(1);
    CHECK(run({}).code() == Code::kResourceExhausted);
  }

  TEST_CASE("nothing in, nothing out") {
    Cpu device;
    CHECK(ScaledDotProductAttention<float>(device, {0, 5, 5, 5, 5}, nullptr, nullptr, nullptr, nullptr).ok());
    CHECK(ScaledDotProductAttention<float>(device, {5, 0, 5, 5, 5}, nullptr, nullptr, nullptr, nullptr).ok());
  }
}
}  // namespace attention_test
