// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/arg_reduction.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace math_arg_reduction_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// The place of the first of the best numbers along the middle of [outer, n, inner]; NaN is none.
std::vector<double> Places(const std::vector<double>& x, std::size_t outer, std::size_t n, std::size_t inner,
                           bool max) {
  std::vector<double> places;
  for (std::size_t o = 0; o < outer; ++o)
    for (std::size_t i = 0; i < inner; ++i) {
      double best = max ? -kInfinity : kInfinity;
      std::size_t place = 0;
      bool found = false;
      for (std::size_t j = 0; j < n; ++j) {
        const double v = x[(o * n + j) * inner + i];
        if (v == v && (!found || (max ? v > best : v < best))) {
          best = v;
          place = j;
          found = true;
        }
      }
      places.push_back(static_cast<double>(place));
    }
  return places;
}

}  // namespace

TEST_SUITE("ArgMax and ArgMin") {
  TEST_CASE_TEMPLATE("are what a loop finds, the first of equal ones", T, float, double, half, std::int8_t,
                     std::uint64_t, bfloat16) {
    struct Case {
      std::size_t outer, n, inner;
    };
    for (const Case c : {Case{1, 1, 1}, {3, 2, 1}, {1, 1000, 1}, {2, 257, 3}, {1, 65, 200}, {5, 7, 129}}) {
      // Few different numbers, so that many are equal.
      const TensorShape shape{static_cast<Index>(c.outer), static_cast<Index>(c.n), static_cast<Index>(c.inner)};
      Tensor x = Random<T>(shape, 5);
      for (Index i = 0; i < x.NumElements(); ++i)
        x.data<T>()[i] = FromDouble<T>(static_cast<double>(static_cast<int>(ToDouble(x.data<T>()[i]))));
      CAPTURE(shape.DebugString());
      CHECK(Numbered<std::int64_t>(Run<ops::ArgMax>({}, {x, Int(1)})) ==
            Places(Numbered<T>(x), c.outer, c.n, c.inner, true));
      CHECK(Numbered<std::int64_t>(Run<ops::ArgMin>({}, {x, Int(-2)})) ==
            Places(Numbered<T>(x), c.outer, c.n, c.inner, false));
    }
  }
  TEST_CASE("NaN is passed over, and infinities are numbers") {
    const Tensor x = Make<float>({5}, {kNaN, -kInfinity, 3, kNaN, kInfinity});
    CHECK(Numbered<std::int64_t>(Run<ops::ArgMax>({}, {x, Int(0)})) == std::vector<double>{4});
    CHECK(Numbered<std::int64_t>(Run<ops::ArgMin>({}, {x, Int(0)})) == std::vector<double>{1});
    CHECK(Numbered<std::int64_t>(Run<ops::ArgMin>({}, {Make<float>({3}, {kNaN}), Int(0)})) == std::vector<double>{0});
  }
  TEST_CASE("places have the type asked for, and axes any integer type") {
    const Tensor x = Make<float>({2, 3}, {1, 3, 2, 6, 5, 4});
    CHECK(Numbered<std::uint16_t>(Run<ops::ArgMax>({{"output_type", DataType::kUint16}}, {x, Int(1)})) ==
          std::vector<double>{1, 0});
    CHECK(Numbered<std::int16_t>(Run<ops::ArgMax>({{"output_type", DataType::kInt16}},
                                                  {x, Tensor::Scalar<std::int16_t>(-1)})) == std::vector<double>{1, 0});
    CHECK(Numbered<std::int64_t>(Run<ops::ArgMax>({}, {MakeTensor<bool>({3}, {false, true, true}), Int(0)})) ==
          std::vector<double>{1});
  }
  TEST_CASE("an empty axis has no best; empty rows none to find") {
    CHECK(Run<ops::ArgMax>({}, {Tensor(DataType::kFloat, {2, 0, 3}), Int(0)}).shape() == TensorShape({0, 3}));
    CHECK(ErrorOf<ops::ArgMax>({}, {Tensor(DataType::kFloat, {2, 0, 3}), Int(-2)}) ==
          "INVALID_ARGUMENT: ArgMax: Reduction axis 1 is empty in shape [2,0,3]");
  }
  TEST_CASE("says which axis there is") {
    const Tensor x = Make<float>({2, 3}, {1});
    CHECK(ErrorOf<ops::ArgMin>({}, {x, Int(2)}) ==
          "INVALID_ARGUMENT: ArgMin: Expected dimension in the range [-2, 2), but got 2");
    CHECK(ErrorOf<ops::ArgMin>({}, {Tensor::Scalar(1.f), Int(0)}) ==
          "INVALID_ARGUMENT: ArgMin: Expected dimension in the range [0, 0), but got 0");
    CHECK(ErrorOf<ops::ArgMax>({}, {x, Ints({0, 1})}) ==
          "INVALID_ARGUMENT: ArgMax: dim must be a scalar, but received tensor of shape: [2]");
    CHECK(ErrorOf<ops::ArgMax>({}, {Make<float>({1, 1, 1, 1, 1, 1, 1, 2}, {1}), Int(7)}) ==
          "INVALID_ARGUMENT: ArgMax: Argmax and Argmin only support up to 7 input dimensions, but got 8. Inputs shape: "
          "[1,1,1,1,1,1,1,2]");
    CHECK(InferredShape<ops::ArgMax>({{2, 3, 4}, StaticInput::Scalar(-2)}) == "[2,4]");
    CHECK(InferredShape<ops::ArgMax>({{2, 3, 4}, {}}) == "[?,?]");
    CHECK(InferredShape<ops::ArgMax>({{3}, {}}) == "[]");
    CHECK(InferredShape<ops::ArgMax>({{2, 3, 4}, StaticInput::Scalar(3)}) ==
          "Dimension (3) must be in the range [-3, 3), where 3 is the number of dimensions in the input.");
  }
}
}  // namespace math_arg_reduction_test
