// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/trigonometric.hpp>

#include <cmath>
#include <string_view>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_trigonometric_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// The widest numbers' function, and where to try it.
struct Case {
  const char* op;
  Wide (*function)(Wide);
  double low, high;
  const char* inverse;  // on [low, high]; or null
};
constexpr Case kFunctions[] = {
    {"Sin", [](Wide x) { return std::sin(x); }, -1.5, 1.5, "Asin"},
    {"Cos", [](Wide x) { return std::cos(x); }, 0.1, 3, "Acos"},
    {"Tan", [](Wide x) { return std::tan(x); }, -1.5, 1.5, "Atan"},
    {"Sinh", [](Wide x) { return std::sinh(x); }, -3, 3, "Asinh"},
    {"Cosh", [](Wide x) { return std::cosh(x); }, 0.1, 3, "Acosh"},
    {"Tanh", [](Wide x) { return std::tanh(x); }, -2, 2, "Atanh"},
    {"Asin", [](Wide x) { return std::asin(x); }, -0.9, 0.9, "Sin"},
    {"Acos", [](Wide x) { return std::acos(x); }, -0.9, 0.9, "Cos"},
    {"Atan", [](Wide x) { return std::atan(x); }, -9, 9, nullptr},
    {"Asinh", [](Wide x) { return std::asinh(x); }, -9, 9, nullptr},
    {"Acosh", [](Wide x) { return std::acosh(x); }, 1.5, 9, nullptr},
    {"Atanh", [](Wide x) { return std::atanh(x); }, -0.9, 0.9, "Tanh"},
};

Tensor Of(const char* op, const Tensor& x) { return RunAll(op, {}, {x}, 1)[0]; }
template <class T>
std::vector<double> Of(const char* op, std::initializer_list<double> x) {
  return Numbered<T>(Of(op, Make<T>({static_cast<Index>(x.size())}, x)));
}

}  // namespace

TEST_SUITE("Trigonometric") {
  TEST_CASE_TEMPLATE("agree with float64, and their inverses undo them", T, float, double, half, bfloat16, complex64,
                     complex128) {
    for (const Case& f : kFunctions) {
      CAPTURE(std::string_view(f.op));
      for (const TensorShape& shape : {TensorShape{}, {70}, {2, 0}, {3, 5}}) {
        const Tensor x = Random<T>(shape, 5, f.low, f.high), y = Of(f.op, x);
        REQUIRE(y.shape() == shape);
        std::vector<Wide> want;
        std::vector<double> allowed, near;
        for (const Wide number : Widened<T>(x)) {
          want.push_back(f.function(number));
          allowed.push_back((kIsComplex<T> ? 16 : 6) * RoundingUnit<T>() * (std::abs(want.back()) + 0.1));
          near.push_back(400 * RoundingUnit<T>());
        }
        CHECK(FirstFar(Widened<T>(y), want, allowed) == "");
        if (!kIsComplex<T> && f.inverse != nullptr)
          CHECK(FirstFar(Widened<T>(Of(f.inverse, y)), Widened<T>(x), near) == "");
      }
    }
  }
  TEST_CASE_TEMPLATE("outside of where they are defined they are NaN, at the ends infinite", T, float, double, half,
                     bfloat16) {
    for (const char* op : {"Asin", "Acos", "Atanh"})
      for (const double y : Of<T>(op, {1.5, -2, kNaN})) CHECK(std::isnan(y));
    for (const char* op : {"Sin", "Cos", "Tan"})
      for (const double y : Of<T>(op, {kInfinity, -kInfinity, kNaN})) CHECK(std::isnan(y));
    CHECK(std::isnan(Of<T>("Acosh", {0.5})[0]));
    CHECK(Of<T>("Atanh", {1, -1}) == std::vector<double>{kInfinity, -kInfinity});
    CHECK(Of<T>("Tanh", {kInfinity, -kInfinity, 30}) == std::vector<double>{1, -1, 1});
    CHECK(Of<T>("Cosh", {kInfinity, 1000}) == std::vector<double>{kInfinity, kInfinity});
    for (const char* op : {"Sin", "Tan", "Asin", "Atan", "Sinh", "Tanh", "Asinh", "Atanh"})
      CHECK_MESSAGE(std::signbit(Of<T>(op, {-0.0})[0]), op);
  }
  TEST_CASE("large angles are turned round exactly") {
    CHECK(Of<double>("Sin", {1e22})[0] == doctest::Approx(-0.85220084976718880).epsilon(1e-14));
    CHECK(Of<float>("Cos", {33554432})[0] == doctest::Approx(std::cos(33554432.0)).epsilon(1e-6));
  }
}

TEST_SUITE("Atan2") {
  TEST_CASE_TEMPLATE("knows all quadrants and the signs of zeros", T, float, double, half, bfloat16) {
    const Tensor y = Make<T>({8}, {1, 1, -1, -1, 0.0, -0.0, 0.0, -0.0}), x = Make<T>({8}, {1, -1, -1, 1, -1, -1, 1, 1});
    const std::vector<double> angles = Numbered<T>(Run<ops::Atan2>({}, {y, x}));
    constexpr double kPi = 3.14159265358979324;
    const double want[] = {kPi / 4, 3 * kPi / 4, -3 * kPi / 4, -kPi / 4, kPi, -kPi, 0, 0};
    for (std::size_t i = 0; i < 8; ++i) CHECK(angles[i] == doctest::Approx(want[i]).epsilon(2 * RoundingUnit<T>()));
    CHECK_FALSE(std::signbit(angles[6]));
    CHECK(std::signbit(angles[7]));
    CHECK(Run<ops::Atan2>({}, {Make<T>({2, 1}, {1}), Make<T>({1, 3}, {1})}).shape() == TensorShape({2, 3}));
  }
}
}  // namespace math_trigonometric_test
