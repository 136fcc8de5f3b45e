// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/division.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace math_division_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

template <class Op, class T>
std::vector<double> Of(std::initializer_list<double> x, std::initializer_list<double> y) {
  const Index n = static_cast<Index>(x.size());
  return Numbered<T>(Run<Op>({}, {Make<T>({n}, x), Make<T>({n}, y)}));
}
template <class Op, class T>
std::string ByZero() {
  return ErrorOf<Op>({}, {Make<T>({3}, {6}), Make<T>({3}, {1, 0, 2})});
}

}  // namespace

#define TENON_TEST_SIGNED_INTEGERS std::int8_t, std::int16_t, std::int32_t, std::int64_t
#define TENON_TEST_INTEGERS TENON_TEST_SIGNED_INTEGERS, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t
#define TENON_TEST_FLOATS float, double, half, bfloat16

TEST_SUITE("Division") {
  TEST_CASE_TEMPLATE("of integers by zero is refused, wherever the zero is", T, TENON_TEST_INTEGERS) {
    CHECK(ByZero<ops::Div, T>() == "INVALID_ARGUMENT: Integer division by zero");
    CHECK(ByZero<ops::FloorDiv, T>() == "INVALID_ARGUMENT: Integer division by zero");
    CHECK(ByZero<ops::FloorMod, T>() == "INVALID_ARGUMENT: Integer division by zero");
    CHECK(ByZero<ops::TruncateDiv, T>() == "INTERNAL: TruncateDiv: Integer division by zero");
  }
  TEST_CASE("of nothing by zero is no error") {
    const Tensor nothing = Make<std::int32_t>({0}, {1}), zero = Make<std::int32_t>({1}, {0});
    CHECK(Run<ops::Div>({}, {nothing, zero}).NumElements() == 0);
    CHECK(Run<ops::FloorMod>({}, {nothing, zero}).NumElements() == 0);
  }
  TEST_CASE_TEMPLATE("of the smallest integer by -1 wraps", T, TENON_TEST_SIGNED_INTEGERS) {
    const double lowest = static_cast<double>(std::numeric_limits<T>::lowest());
    CHECK(Of<ops::Div, T>({lowest}, {-1}) == std::vector<double>{lowest});
    CHECK(Of<ops::TruncateDiv, T>({lowest}, {-1}) == std::vector<double>{lowest});
    CHECK(Of<ops::FloorDiv, T>({lowest}, {-1}) == std::vector<double>{lowest});
    CHECK(Of<ops::FloorMod, T>({lowest}, {-1}) == std::vector<double>{0});
  }
  TEST_CASE("min % -1 is 0 for Mod and TruncateMod too") {
    CHECK(Of<ops::Mod, std::int32_t>({-2147483648.0}, {-1}) == std::vector<double>{0});
    CHECK(Of<ops::TruncateMod, std::int32_t>({-2147483648.0}, {-1}) == std::vector<double>{0});
  }
  TEST_CASE_TEMPLATE("rounds to zero or down, and the remainder has the sign of x or of y", T,
                     TENON_TEST_SIGNED_INTEGERS, TENON_TEST_FLOATS) {
    const auto truncated = Of<ops::TruncateDiv, T>({7, -7, 7, -7}, {2, 2, -2, -2});
    CHECK(truncated == std::vector<double>{3, -3, -3, 3});
    CHECK(Of<ops::FloorDiv, T>({7, -7, 7, -7}, {2, 2, -2, -2}) == std::vector<double>{3, -4, -4, 3});
    CHECK(Of<ops::FloorMod, T>({7, -7, 7, -7}, {2, 2, -2, -2}) == std::vector<double>{1, 1, -1, -1});
  }
  TEST_CASE("TruncateMod has the sign of x") {
    CHECK(Of<ops::TruncateMod, std::int64_t>({7, -7, 7, -7}, {2, 2, -2, -2}) == std::vector<double>{1, -1, 1, -1});
    CHECK(Of<ops::Mod, float>({7, -7, 7, -7}, {2, 2, -2, -2}) == std::vector<double>{1, -1, 1, -1});
  }
  TEST_CASE("of floats by zero is infinite or NaN") {
    const std::vector<double> z = Of<ops::FloorDiv, float>({1, -1, 0, kInfinity}, {0, 0, 0, 2});
    CHECK(z[0] == kInfinity);
    CHECK(z[1] == -kInfinity);
    CHECK(std::isnan(z[2]));
    CHECK(z[3] == kInfinity);
  }
  TEST_CASE("half quotients are rounded before they are cut") {
    const Tensor x = Random<half>({500}, 1, 0, 300), y = Random<half>({500}, 2, 0.1, 3);
    const Tensor z = Run<ops::FloorDiv>({}, {x, y});
    int differ_from_float = 0;
    for (Index i = 0; i < 500; ++i) {
      const float exact = static_cast<float>(x.data<half>()[i]) / static_cast<float>(y.data<half>()[i]);
      const float got = static_cast<float>(z.data<half>()[i]);
      CHECK(got == std::floor(static_cast<float>(half(exact))));
      differ_from_float += got != std::floor(exact);
    }
    CHECK(differ_from_float > 0);
  }
}

TEST_SUITE("Pow") {
  TEST_CASE_TEMPLATE("of integers wraps", T, TENON_TEST_SIGNED_INTEGERS) {
    CHECK(Of<ops::Pow, T>({2, -3, 5, 0, 0, -1}, {5, 3, 0, 0, 4, 101}) == std::vector<double>{32, -27, 1, 1, 0, -1});
    CHECK(Of<ops::Pow, T>({2}, {std::numeric_limits<T>::digits}) ==
          std::vector<double>{static_cast<double>(std::numeric_limits<T>::lowest())});
    CHECK(Of<ops::Pow, T>({2}, {100}) == std::vector<double>{0});
  }
  TEST_CASE("of integers refuses negative exponents") {
    const Tensor x = Make<std::int32_t>({2}, {2});
    CHECK(ErrorOf<ops::Pow>({}, {x, Make<std::int32_t>({2}, {3, -1})}) ==
          "INVALID_ARGUMENT: Pow: Integers to negative integer powers are not allowed");
    CHECK(Run<ops::Pow>({}, {Make<std::int32_t>({0}, {2}), Make<std::int32_t>({1}, {-1})}).NumElements() == 0);
  }
  TEST_CASE_TEMPLATE("of floats", T, TENON_TEST_FLOATS) {
    CHECK(Of<ops::Pow, T>({2, 4, 9, 0}, {-1, 0.5, 1.5, 0}) == std::vector<double>{0.5, 2, 27, 1});
    CHECK(std::isnan(Of<ops::Pow, T>({-2}, {0.5})[0]));
  }
}

#undef TENON_TEST_SIGNED_INTEGERS
#undef TENON_TEST_INTEGERS
#undef TENON_TEST_FLOATS

}  // namespace math_division_test
