// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/top_k.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace math_top_k_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// The places of the k greatest of each row, of equal ones the first first.
std::vector<double> Places(const std::vector<double>& x, std::size_t n, std::size_t k) {
  std::vector<double> out;
  for (std::size_t row = 0; row < x.size(); row += n) {
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return x[row + a] != x[row + b] ? x[row + a] > x[row + b] : a < b; });
    for (std::size_t i = 0; i < k; ++i) out.push_back(static_cast<double>(order[i]));
  }
  return out;
}
std::vector<Tensor> TopK(const Tensor& x, std::int32_t k, const AttrArgs& attrs = {}) {
  const Result<std::vector<Tensor>> out = Call<ops::TopKV2>(attrs, {x, Int(k)});
  REQUIRE_MESSAGE(out.ok(), out.status().message());
  return *out;
}

}  // namespace

TEST_SUITE("TopK, InTopK, NthElement") {
  TEST_CASE_TEMPLATE("the greatest are what sorting finds, of equal ones the first", T, float, half, double,
                     std::int8_t, std::uint32_t, std::int64_t) {
    for (const std::int32_t n : {1, 2, 17, 300, 5000}) {
      const Tensor x = Random<T>({3, n}, 7);
      const std::vector<double> numbers = Numbered<T>(x);
      for (const std::int32_t k : {1, 2, 10, n / 2, n}) {
        if (k > n) continue;
        const std::vector<Tensor> out = TopK(x, k);
        const std::vector<double> want = Places(numbers, static_cast<std::size_t>(n), static_cast<std::size_t>(k));
        CHECK(Numbered<std::int32_t>(out[1]) == want);
        std::vector<double> values;
        for (std::size_t i = 0; i < want.size(); ++i)
          values.push_back(numbers[i / static_cast<std::size_t>(k) * static_cast<std::size_t>(n) +
                                   static_cast<std::size_t>(want[i])]);
        CHECK(Numbered<T>(out[0]) == values);
      }
    }
  }
  TEST_CASE("zeros of two signs are equal; not sorted, the same are there in some order") {
    CHECK(Numbered<std::int32_t>(TopK(Make<float>({3}, {-0.0, 0, -1}), 2)[1]) == std::vector<double>{0, 1});
    std::vector<double> some = Numbered<float>(TopK(Make<float>({5}, {5, 1, 4, 2, 3}), 3, {{"sorted", false}})[0]);
    std::sort(some.begin(), some.end());
    CHECK(some == std::vector<double>{3, 4, 5});
    CHECK(TopK(Make<float>({2, 3}, {1}), 0)[1].shape() == TensorShape({2, 0}));
    CHECK(TopK(Tensor(DataType::kFloat, {0, 3}), 2)[0].shape() == TensorShape({0, 2}));
  }
  TEST_CASE("places have the type asked for, where it holds them") {
    const Tensor x = Make<float>({3}, {1, 3, 2});
    CHECK(Numbered<std::int16_t>(TopK(x, 2, {{"index_type", DataType::kInt16}})[1]) == std::vector<double>{1, 2});
    CHECK(Numbered<std::int64_t>(TopK(x, 2, {{"index_type", DataType::kInt64}})[1]) == std::vector<double>{1, 2});
    CHECK(
        ErrorOf<ops::TopKV2>({{"index_type", DataType::kInt16}}, {Tensor(DataType::kInt8, {1, 32768}), Int(1)}) ==
        "INVALID_ARGUMENT: TopK: the last dimension of the input is too large for indices of type int16: got 32768, at "
        "most 32767 would be right");
  }
  TEST_CASE("a target is among the k best where fewer are beyond it, and all met are finite") {
    const float p[] = {.1f, .4f, .4f, .2f};
    using ops::detail::IsInTopK;
    CHECK(IsInTopK(p, 4, 1, 1));
    CHECK(IsInTopK(p, 4, 2, 1));  // equal to the best
    CHECK_FALSE(IsInTopK(p, 4, 3, 2));
    CHECK(IsInTopK(p, 4, 3, 3));
    CHECK_FALSE(IsInTopK(p, 4, 0, 0));
    CHECK_FALSE(IsInTopK(p, 4, 4, 9));
    CHECK_FALSE(IsInTopK(p, 4, -1, 9));
    const float q[] = {1, static_cast<float>(kInfinity), static_cast<float>(kNaN)};
    CHECK_FALSE(IsInTopK(q, 3, 0, 3));
    CHECK_FALSE(IsInTopK(q, 3, 1, 3));
  }
  TEST_CASE("the n-th element is where sorting puts it, from either end") {
    const Tensor x = Random<float>({4, 31}, 8);
    for (const std::int32_t n : {0, 1, 15, 30}) {
      const std::vector<double> low = Numbered<float>(Run<ops::NthElement>({}, {x, Int(n)}));
      const std::vector<double> high = Numbered<float>(Run<ops::NthElement>({{"reverse", true}}, {x, Int(n)}));
      for (std::size_t row = 0; row < 4; ++row) {
        std::vector<float> sorted(x.data<float>() + row * 31, x.data<float>() + (row + 1) * 31);
        std::sort(sorted.begin(), sorted.end());
        CHECK(low[row] == static_cast<double>(sorted[static_cast<std::size_t>(n)]));
        CHECK(high[row] == static_cast<double>(sorted[static_cast<std::size_t>(30 - n)]));
      }
    }
  }
  TEST_CASE("says how many columns there must be") {
    const Tensor x = Make<float>({2, 3}, {1});
    CHECK(ErrorOf<ops::TopKV2>({}, {x, Int(4)}) ==
          "INVALID_ARGUMENT: TopK: input must have at least k columns. Had 3, needed 4");
    CHECK(ErrorOf<ops::TopKV2>({}, {x, Int(-1)}) == "INVALID_ARGUMENT: TopK: Need k >= 0, got -1");
    CHECK(ErrorOf<ops::TopKV2>({}, {x, Ints({1})}) == "INVALID_ARGUMENT: TopKV2: k must be scalar, got shape [1]");
    CHECK(ErrorOf<ops::NthElement>({}, {x, Int(3)}) ==
          "INVALID_ARGUMENT: NthElement: Input must have last dimension > n = 3, got shape [2,3]");
    CHECK(ErrorOf<ops::NthElement>({}, {x, Int(-1)}) ==
          "INVALID_ARGUMENT: NthElement: n must be non-negative but is -1");
    CHECK(ErrorOf<ops::InTopKV2>({}, {x, Ints({0}), Int(1)}) ==
          "INVALID_ARGUMENT: InTopK: First dimension of predictions 2 must match length of targets 1");
    CHECK(InferredShape<ops::TopKV2>({{2, 3}, StaticInput::Scalar(2)}) == "[2,2]");
    CHECK(InferredShape<ops::TopKV2>({{2, 3}, StaticInput::Scalar(4)}) ==
          "input must have last dimension >= k = 4 but is 3");
    CHECK(InferredShape<ops::NthElement>({{2, 3}, StaticInput::Scalar(3)}) ==
          "Input must have last dimension > n = 3 but is 3");
  }
}
}  // namespace math_top_k_test
