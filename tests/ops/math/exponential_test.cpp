// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/exponential.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_exponential_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// Compares with the function of the same numbers as doubles. Allowed are one rounding of the result to T and
// `roundings` of the type that is computed in (float for half and bfloat16); complex numbers have two parts that share
// these. Denormal halves are as far apart as the smallest others.
template <class Op, class T>
std::string Difference(Wide (*function)(Wide), double low, double high, double roundings) {
  const bool small = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
  const double unit = (small ? 0x1p-24 : RoundingUnit<T>()) * roundings + (small ? RoundingUnit<T>() : 0);
  for (const TensorShape& shape : {TensorShape{}, {1}, {7}, {2, 3, 4}, {33, 65}, {0}, {3, 0, 2}}) {
    const Tensor x = Random<T>(shape, 5, low, high), y = Run<Op>({}, {x});
    if (y.dtype() != dtype_of_v<T> || !(y.shape() == shape)) return StrCat(shape, " gives ", y);
    std::vector<Wide> want;
    std::vector<double> allowed;
    for (const Wide number : Widened<T>(x)) {
      want.push_back(function(number));
      allowed.push_back(unit * std::abs(want.back()) + (std::is_same_v<T, half> ? 0x1p-25 : 0));
    }
    if (std::string far = FirstFar(Widened<T>(y), want, allowed); !far.empty()) return StrCat(shape, ": ", far);
  }
  return "";
}

template <class Op, class T>
std::vector<double> Of(std::initializer_list<double> x) {
  return Numbered<T>(Run<Op>({}, {Make<T>({static_cast<Index>(x.size())}, x)}));
}
template <class Op, class T>
T Of(T x) {
  return Run<Op>({}, {Tensor::Scalar<T>(x)}).template scalar<T>()();
}

template <class Op, class T>
void CheckOwnInput() {
  bool took_over = false;
  const Tensor x = Random<T>({4, 6}, 1, 0, 3);
  CHECK(SameTensor(RunOnOwnInputs<Op, T>({}, {x}, &took_over), Run<Op>({}, {x})));
  CHECK(took_over);
}
template <class Op>
std::string ErrorOfBool() {
  return ErrorOf<Op>({}, {Make<bool>({2}, {1})});
}
constexpr const char* kNotAllowed =
    "INVALID_ARGUMENT: Value for attr 'T' of bool is not in the list of allowed values: ";

}  // namespace

#define TENON_TEST_FLOATS float, double, half, bfloat16
#define TENON_TEST_COMPLEX complex64, complex128

TEST_SUITE("Neg") {
  TEST_CASE_TEMPLATE("turns the sign", T, TENON_TEST_FLOATS, TENON_TEST_COMPLEX, std::int8_t, std::int16_t,
                     std::int32_t, std::int64_t) {
    CHECK(Of<ops::Neg, T>({1, -2, 0}) == std::vector<double>{-1, 2, 0});
    CHECK(Difference<ops::Neg, T>([](Wide x) { return -x; }, -3, 3, 0) == "");
  }
  TEST_CASE_TEMPLATE("leaves the smallest integer as it is", T, std::int8_t, std::int16_t, std::int32_t, std::int64_t) {
    CHECK(Of<ops::Neg>(std::numeric_limits<T>::min()) == std::numeric_limits<T>::min());
  }
  TEST_CASE_TEMPLATE("turns the sign of zero, infinity and NaN too", T, TENON_TEST_FLOATS) {
    const std::vector<double> y = Of<ops::Neg, T>({0.0, -0.0, kInfinity, kNaN});
    CHECK(std::signbit(y[0]));
    CHECK_FALSE(std::signbit(y[1]));
    CHECK(y[2] == -kInfinity);
    CHECK(std::isnan(y[3]));
  }
  TEST_CASE_TEMPLATE("takes over the buffer of an input that nobody else reads", T, float, half, std::int64_t,
                     complex64) {
    CheckOwnInput<ops::Neg, T>();
  }
  TEST_CASE("has signed types only") {
    CHECK(ErrorOfBool<ops::Neg>() ==
          StrCat(kNotAllowed, "bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128"));
  }
}

TEST_SUITE("Square") {
  TEST_CASE_TEMPLATE("multiplies by itself", T, TENON_TEST_FLOATS, TENON_TEST_COMPLEX, std::int8_t, std::int16_t,
                     std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
    CHECK(Of<ops::Square, T>({0, 1, 3, 11}) == std::vector<double>{0, 1, 9, 121});
    CHECK(Difference<ops::Square, T>([](Wide x) { return x * x; }, std::is_unsigned_v<T> ? 0 : -3, 3, 3) == "");
  }
  TEST_CASE("wraps integers around") {
    CHECK(Of<ops::Square>(std::uint8_t{200}) == std::uint8_t{64});
    CHECK(Of<ops::Square>(std::int8_t{-128}) == std::int8_t{0});
    CHECK(Of<ops::Square>(std::uint16_t{65535}) == std::uint16_t{1});
    CHECK(Of<ops::Square>(std::int16_t{-32767}) == std::int16_t{1});
    CHECK(Of<ops::Square>(std::int32_t{-65537}) == 131073);
    CHECK(Of<ops::Square>(std::uint64_t{1} << 32) == 0u);
  }
  TEST_CASE("gives infinity for numbers too large, and NaN for NaN") {
    const std::vector<double> y = Of<ops::Square, float>({1e30, -kInfinity, kNaN});
    CHECK(y[0] == kInfinity);
    CHECK(y[1] == kInfinity);
    CHECK(std::isnan(y[2]));
    CHECK(Of<ops::Square, half>({1000})[0] == kInfinity);
  }
  TEST_CASE("squares complex numbers") { CHECK(Of<ops::Square>(complex128(1, 2)) == complex128(-3, 4)); }
  TEST_CASE_TEMPLATE("takes over the buffer of an input that nobody else reads", T, double, bfloat16, std::uint16_t) {
    CheckOwnInput<ops::Square, T>();
  }
  TEST_CASE("has numbers only") {
    CHECK(ErrorOfBool<ops::Square>() ==
          StrCat(kNotAllowed,
                 "bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, "
                 "uint64, complex64, complex128"));
  }
}

TEST_SUITE("Sqrt") {
  TEST_CASE_TEMPLATE("agrees with float64", T, TENON_TEST_FLOATS, TENON_TEST_COMPLEX) {
    CHECK(Of<ops::Sqrt, T>({4, 0, 2.25, 144}) == std::vector<double>{2, 0, 1.5, 12});
    CHECK(Difference<ops::Sqrt, T>([](Wide x) { return std::sqrt(x); }, 0.001, 1000, kIsComplex<T> ? 4 : 1) == "");
  }
  TEST_CASE_TEMPLATE("of a negative number is NaN, of infinity infinity", T, TENON_TEST_FLOATS) {
    const std::vector<double> y = Of<ops::Sqrt, T>({-1, -kInfinity, kNaN, kInfinity, -0.0});
    for (int i = 0; i < 3; ++i) CHECK(std::isnan(y[static_cast<std::size_t>(i)]));
    CHECK(y[3] == kInfinity);
    CHECK(y[4] == 0);
    CHECK(std::signbit(y[4]));
  }
  TEST_CASE("of complex numbers lies in the right half plane") {
    CHECK(Of<ops::Sqrt>(complex64(-4, 0)) == complex64(0, 2));
    CHECK(Of<ops::Sqrt>(complex128(3, -4)) == complex128(2, -1));
    CHECK(Difference<ops::Sqrt, complex64>([](Wide x) { return std::sqrt(x); }, -3, 3, 4) == "");
  }
  TEST_CASE_TEMPLATE("takes over the buffer of an input that nobody else reads", T, float, half) {
    CheckOwnInput<ops::Sqrt, T>();
  }
  TEST_CASE("has no integers") {
    CHECK(
        ErrorOf<ops::Sqrt>({}, {Make<std::int32_t>({2}, {4})}) ==
        "INVALID_ARGUMENT: Value for attr 'T' of int32 is not in the list of allowed values: bfloat16, half, float, double, complex64, complex128");
  }
}

TEST_SUITE("Rsqrt") {
  TEST_CASE_TEMPLATE("agrees with float64", T, TENON_TEST_FLOATS, TENON_TEST_COMPLEX) {
    CHECK(Of<ops::Rsqrt, T>({4, 1, 0.25}) == std::vector<double>{0.5, 1, 2});
    CHECK(Difference<ops::Rsqrt, T>([](Wide x) { return 1.0 / std::sqrt(x); }, 0.001, 1000, kIsComplex<T> ? 6 : 2) ==
          "");
  }
  TEST_CASE_TEMPLATE("of zero is infinity of its sign, of infinity zero, of a negative number NaN", T,
                     TENON_TEST_FLOATS) {
    const std::vector<double> y = Of<ops::Rsqrt, T>({0.0, -0.0, kInfinity, -1, kNaN});
    CHECK(y[0] == kInfinity);
    CHECK(y[1] == -kInfinity);
    CHECK(y[2] == 0);
    CHECK(std::isnan(y[3]));
    CHECK(std::isnan(y[4]));
  }
  TEST_CASE("of a denormal number is infinity, unless denormals are kept") {
    const Tensor x = Tensor::Scalar(1e-40f);
    CHECK(Run<ops::Rsqrt>({}, {x}).scalar<float>()() == INFINITY);
    CHECK(Run<ops::Rsqrt>({}, {x}, {.flush_denormals = false}).scalar<float>()() == doctest::Approx(1e20));
  }
  TEST_CASE_TEMPLATE("takes over the buffer of an input that nobody else reads", T, float, complex128) {
    CheckOwnInput<ops::Rsqrt, T>();
  }
  TEST_CASE("has no integers") {
    CHECK(ErrorOfBool<ops::Rsqrt>() == StrCat(kNotAllowed, "bfloat16, half, float, double, complex64, complex128"));
  }
}

TEST_SUITE("Exp") {
  TEST_CASE_TEMPLATE("agrees with float64", T, TENON_TEST_FLOATS, TENON_TEST_COMPLEX) {
    CHECK(Of<ops::Exp, T>({0})[0] == 1);
    CHECK(Difference<ops::Exp, T>([](Wide x) { return std::exp(x); }, -9, 9, 4) == "");
  }
  TEST_CASE_TEMPLATE("runs out of the range without a fuss", T, TENON_TEST_FLOATS) {
    const std::vector<double> y = Of<ops::Exp, T>({1000, -1000, kInfinity, -kInfinity, kNaN});
    CHECK(y[0] == kInfinity);
    CHECK(y[1] == 0);
    CHECK(y[2] == kInfinity);
    CHECK(y[3] == 0);
    CHECK(std::isnan(y[4]));
  }
  TEST_CASE("of complex numbers turns them") {
    const complex128 y = Of<ops::Exp>(complex128(0, 3.14159265358979323846));
    CHECK(y.real() == doctest::Approx(-1));
    CHECK(std::abs(y.imag()) < 1e-15);
  }
  TEST_CASE_TEMPLATE("takes over the buffer of an input that nobody else reads", T, float, half, complex64) {
    CheckOwnInput<ops::Exp, T>();
  }
  TEST_CASE("large tensors are worked on by several threads") {
    const Tensor x = Random<float>({100, 1000}, 1);
    CHECK(SameTensor(Run<ops::Exp>({}, {x}, {.intra_op_threads = 1}), Run<ops::Exp>({}, {x}, {.intra_op_threads = 4})));
  }
  TEST_CASE("has no integers") {
    CHECK(ErrorOfBool<ops::Exp>() == StrCat(kNotAllowed, "bfloat16, half, float, double, complex64, complex128"));
    CHECK(FailEveryAllocation<ops::Exp>({}, {Make<float>({2}, {1})}) == 1);
  }
}

TEST_SUITE("Log1p") {
  TEST_CASE_TEMPLATE("the sign of a zero imaginary part says the side of the cut", T, TENON_TEST_COMPLEX) {
    for (const double real : {-3.0, -1e10}) {
      using Part = typename T::value_type;
      CHECK(Of<ops::Log1p>(T(static_cast<Part>(real), Part(0))).imag() > 3);
      CHECK(Of<ops::Log1p>(T(static_cast<Part>(real), -Part(0))).imag() < -3);
    }
  }
}

#undef TENON_TEST_FLOATS
#undef TENON_TEST_COMPLEX

}  // namespace math_exponential_test
