// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/attention_tiles.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include "engine/support.hpp"

namespace attention_tiles_test {
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

std::size_t At(Index i) { return static_cast<std::size_t>(i); }

struct Sizes {
  Index batch, queries, keys, depth, value_depth;
};
template <class T>
void Check(const Sizes& s, Cpu& device, double tolerance, bool masked = false) {
  const std::vector<T> q = RandomVector<T>(s.batch * s.queries * s.depth, 1),
                       k = RandomVector<T>(s.batch * s.keys * s.depth, 2),
                       v = RandomVector<T>(s.batch * s.keys * s.value_depth, 3);
  std::vector<T> y(At(s.batch * s.queries * s.value_depth), T(7));
  std::vector<char> mask(At(s.keys), 1);
  for (Index j = 0; j < s.keys; j += 3) mask[At(j)] = 0;
  AttentionOperands o;
  REQUIRE(o.q.Make(q.data(), {s.batch, s.queries, s.depth}, {}, 3).ok());
  REQUIRE(o.k.Make(k.data(), {s.batch, s.keys, s.depth}, {}, 3).ok());
  REQUIRE(o.v.Make(v.data(), {s.batch, s.keys, s.value_depth}, {}, 3).ok());
  REQUIRE(o.y.Make(y.data(), {s.batch, s.queries, s.value_depth}, {}, 3).ok());
  if (masked) REQUIRE(o.mask.Make(mask.data(), {s.keys}, {}, 3).ok());
  o.has_mask = masked;
  o.masked = -50;
  REQUIRE(o.Arrange().ok());
  REQUIRE(RunAttention<T>(device, o).ok());
  for (Index b = 0; b < s.batch; ++b)
    for (Index i = 0; i < s.queries; ++i) {
      std::vector<double> scores(At(s.keys));
      double most = -INFINITY, sum = 0;
      for (Index j = 0; j < s.keys; ++j) {
        for (Index d = 0; d < s.depth; ++d)
          scores[At(j)] += static_cast<double>(q[At((b * s.queries + i) * s.depth + d)]) *
                           static_cast<double>(k[At((b * s.keys + j) * s.depth + d)]);
        if (masked && mask[At(j)] == 0) scores[At(j)] = -50;
        most = std::fmax(most, scores[At(j)]);
      }
      for (double& score : scores) sum += score = std::exp(score - most);
      for (Index d = 0; d < s.value_depth; ++d) {
        double want = 0;
        for (Index j = 0; j < s.keys; ++j)
          want += scores[At(j)] / sum * static_cast<double>(v[At((b * s.keys + j) * s.value_depth + d)]);
        CHECK(std::fabs(static_cast<double>(y[At((b * s.queries + i) * s.value_depth + d)]) - want) < tolerance);
      }
    }
}

}  // namespace

TEST_SUITE("attention by tiles") {
  TEST_CASE("it is the formula, for few and many rows") {
    Cpu device;
    for (const Sizes& s : {Sizes{1, 1, 1, 1, 1}, {2, 3, 4, 5, 6}, {3, 70, 33, 8, 4}, {1, 5, 9000, 3, 2}}) {
      Check<float>(s, device, 1e-5);
      Check<double>(s, device, 1e-12);
      Check<float>(s, device, 1e-5, true);
    }
    Check<float>({2, 3, 0, 4, 5}, device, 1e-5);  // zeros
    Check<float>({2, 3, 4, 0, 5}, device, 1e-5);
    Check<float>({0, 3, 4, 2, 5}, device, 1e-5);
  }
  TEST_CASE("several threads compute it") {
    ThreadPool pool(3, "attention");
    Cpu device;
    device.pool = &pool;
    Check<float>({4, 130, 200, 32, 32}, device, 5e-5);
  }
  TEST_CASE("operands must fit") {
    std::vector<float> data(64);
    AttentionView view;
    CHECK(errors::IsInvalidArgument(view.Make(data.data(), {2, 3, 4}, {}, 2)));
    const std::int64_t twice[] = {0, 1, 1}, outside[] = {0, 1, 3}, fits[] = {1, 0, 2};
    CHECK(errors::IsInvalidArgument(view.Make(data.data(), {2, 3, 4}, twice, 3)));
    CHECK(errors::IsInvalidArgument(view.Make(data.data(), {2, 3, 4}, outside, 3)));
    REQUIRE(view.Make(data.data(), {2, 3, 4}, fits, 3).ok());
    CHECK(view.size[0] == 3);
    CHECK(view.stride[0] == 4);
    CHECK(view.stride[1] == 12);
    AttentionOperands o;
    const auto arrange = [&](const TensorShape& q, const TensorShape& k, const TensorShape& v, const TensorShape& y) {
      REQUIRE(o.q.Make(data.data(), q, {}, 3).ok());
      REQUIRE(o.k.Make(data.data(), k, {}, 3).ok());
      REQUIRE(o.v.Make(data.data(), v, {}, 3).ok());
      REQUIRE(o.y.Make(data.data(), y, {}, 3).ok());
      return o.Arrange();
    };
    CHECK(arrange({1, 2, 3}, {2, 4, 3}, {2, 4, 5}, {2, 2, 5}).ok());
    CHECK(errors::IsInvalidArgument(arrange({2, 2, 3}, {2, 4, 2}, {2, 4, 5}, {2, 2, 5})));
    CHECK(errors::IsInvalidArgument(arrange({2, 2, 3}, {2, 4, 3}, {2, 3, 5}, {2, 2, 5})));
    CHECK(errors::IsInvalidArgument(arrange({2, 2, 3}, {3, 4, 3}, {3, 4, 5}, {3, 2, 5})));
    o.broadcast = false;
    CHECK(errors::IsInvalidArgument(arrange({1, 2, 3}, {2, 4, 3}, {2, 4, 5}, {2, 2, 5})));
  }
}

}  // namespace attention_tiles_test
