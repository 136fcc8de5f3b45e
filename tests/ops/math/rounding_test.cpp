// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/rounding.hpp>

#include <cmath>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_rounding_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

template <class Op, class T>
std::vector<double> Of(std::initializer_list<double> x) {
  return Numbered<T>(Run<Op>({}, {Make<T>({static_cast<Index>(x.size())}, x)}));
}
template <class Op>
Tensor Of(const Tensor& x) {
  return Run<Op>({}, {x});
}

}  // namespace

#define TENON_TEST_FLOATS float, double, half, bfloat16

TEST_SUITE("Rounding") {
  TEST_CASE_TEMPLATE("down, up, to the nearest with ties to even", T, TENON_TEST_FLOATS) {
    CHECK(Of<ops::Floor, T>({1.5, -1.5, -0.5, 2, 1000}) == std::vector<double>{1, -2, -1, 2, 1000});
    CHECK(Of<ops::Ceil, T>({1.5, -1.5, 0.5, 2, -7}) == std::vector<double>{2, -1, 1, 2, -7});
    CHECK(Of<ops::Round, T>({0.5, 1.5, 2.5, -0.5, -1.5, 2.75}) == std::vector<double>{0, 2, 2, 0, -2, 3});
  }
  TEST_CASE_TEMPLATE("Floor(x) is -Ceil(-x); what is whole stays; the sign of zero stays", T, TENON_TEST_FLOATS) {
    for (const Index n : {0, 1, 7, 70}) {
      const Tensor x = Random<T>({n}, 3, -40, 40), floor = Of<ops::Floor>(x);
      const Tensor minus = RunAll("Neg", {}, {x}, 1)[0];
      CHECK(Numbered<T>(floor) == Numbered<T>(RunAll("Neg", {}, {Of<ops::Ceil>(minus)}, 1)[0]));
      CHECK(SameTensor(Of<ops::Floor>(floor), floor));
      CHECK(SameTensor(Of<ops::Round>(floor), floor));
    }
    for (const double y : {Of<ops::Floor, T>({-0.0})[0], Of<ops::Ceil, T>({-0.3})[0], Of<ops::Round, T>({-0.5})[0]}) {
      CHECK(y == 0);
      CHECK(std::signbit(y));
    }
    CHECK(Of<ops::Ceil, T>({kInfinity, -kInfinity}) == std::vector<double>{kInfinity, -kInfinity});
    CHECK(std::isnan(Of<ops::Floor, T>({kNaN})[0]));
  }
  TEST_CASE("Rint is Round of floats and doubles; integers are round") {
    const Tensor x = Random<double>({70}, 9, -5, 5), i = Ints({std::numeric_limits<std::int32_t>::min(), -1, 7});
    CHECK(SameTensor(Of<ops::Rint>(x), Of<ops::Round>(x)));
    CHECK(Of<ops::Rint, float>({0x1p23 + 1, -2.5}) == std::vector<double>{0x1p23 + 1, -2});
    CHECK(SameTensor(Of<ops::Round>(i), i));
  }
  TEST_CASE_TEMPLATE("every number is NaN, infinite or finite", T, TENON_TEST_FLOATS) {
    const double most = ToDouble(std::numeric_limits<T>::max());
    const Tensor x = Make<T>({7}, {kNaN, kInfinity, -kInfinity, most, -most, 0, 1.5});
    CHECK(Numbered<bool>(Of<ops::IsNan>(x)) == std::vector<double>{1, 0, 0, 0, 0, 0, 0});
    CHECK(Numbered<bool>(Of<ops::IsInf>(x)) == std::vector<double>{0, 1, 1, 0, 0, 0, 0});
    CHECK(Numbered<bool>(Of<ops::IsFinite>(x)) == std::vector<double>{0, 0, 0, 1, 1, 1, 1});
  }
}

TEST_SUITE("NextAfter") {
  TEST_CASE_TEMPLATE("is one step away, and one step back is where it was", T, float, double) {
    const Tensor x = Make<T>({4}, {1, -1, 3, 0.1}), up = Tensor::Scalar(static_cast<T>(kInfinity));
    const Tensor next = Run<ops::NextAfter>({}, {x, up});
    CHECK(next.data<T>()[0] == T(1 + 2 * RoundingUnit<T>()));
    CHECK(next.data<T>()[1] == T(-1 + RoundingUnit<T>()));
    CHECK(SameTensor(Run<ops::NextAfter>({}, {next, x}), x));
    CHECK(SameTensor(Run<ops::NextAfter>({}, {x, x}), x));
    CHECK(std::isnan(Run<ops::NextAfter>({}, {x, Tensor::Scalar(static_cast<T>(kNaN))}).template data<T>()[0]));
    CHECK(Run<ops::NextAfter>({}, {Make<T>({0, 2}, {1}), up}).shape() == TensorShape({0, 2}));
  }
  TEST_CASE("beyond the largest is infinity") {
    const Tensor most = Tensor::Scalar(std::numeric_limits<float>::max());
    CHECK(Run<ops::NextAfter>({}, {most, Tensor::Scalar<float>(INFINITY)}).scalar<float>()() == INFINITY);
  }
}

#undef TENON_TEST_FLOATS

}  // namespace math_rounding_test
