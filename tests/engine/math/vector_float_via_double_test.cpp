// SPDX-License-Identifier: Apache-2.0
// At every level that this processor has, against the standard library's doubles.
#include <tenon/engine/math/vector_float_via_double.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "engine/lane_math_support.hpp"

namespace lane_wide_test {
namespace {

#if TENON_DETAIL_LANES

namespace detail = tenon::simd::detail;

// 1 + x - 1: 0 for any small x, were it not computed as doubles.
struct SumOf {
  template <class T, class D>
  TENON_HD static D Of(const D& x) {
    return (D(1) + x) - D(1);
  }
};
struct Sum {
  static constexpr const char* name = "1 + x - 1";
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return detail::Evaluate<SumOf>(x);
  }
  template <class W>
  static W Wanted(W x) {
    return static_cast<W>((1.0 + static_cast<double>(x)) - 1.0);
  }
};
// exp(-|x|), as ExpBelow has it for floats: 4e-11 of the result are 2e5 ulp of a double.
struct FloatsExp {
  static constexpr const char* name = "ExpBelow<float>";
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return detail::ExpBelow<float>(-detail::Abs(x));
  }
  template <class W>
  static W Wanted(W x) {
    return std::exp(-std::fabs(x));
  }
};
struct DoublesExp {
  static constexpr const char* name = "ExpBelow<double>";
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return detail::ExpBelow<double>(-detail::Abs(x));
  }
  template <class W>
  static W Wanted(W x) {
    return std::exp(-std::fabs(x));
  }
};
struct ShiftedBy {
  static constexpr const char* name = "Shifted";
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return detail::Shifted(x, 4, 3);
  }
  template <class W>
  static W Wanted(W x) {
    return x * 4 - 3;
  }
};
// |x| with the sign of an odd function.
struct OddOf {
  static constexpr const char* name = "Odd";
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return detail::Odd(detail::Abs(x), x);
  }
  template <class W>
  static W Wanted(W x) {
    return x == 0 ? W(0) : x;
  }
};

TEST_SUITE("lane_wide") {
  TEST_CASE("floats are computed as doubles, whatever the length of a vector") {
    std::vector<float> x, y(67);
    for (int i = 0; i < 67; ++i) x.push_back(std::ldexp(1.0f + 0.01f * static_cast<float>(i), -24 - i % 24));
    for (const auto level : {lane_math::Level::kUnit, lane_math::Level::kAvx2, lane_math::Level::kAvx512}) {
      if (!lane_math::RunAt<Sum, float>(level, x.data(), y.data(), 67)) continue;
      for (std::size_t i = 0; i < 67; ++i) {
        INFO("level ", static_cast<int>(level), ", x ", x[i]);
        CHECK(y[i] == Sum::Wanted(x[i]));
      }
    }
  }
  TEST_CASE("doubles stay doubles") { CHECK(lane_math::DoublesAreWithin<Sum>(0)); }
  TEST_CASE("exp of what is not above 0") {
    std::vector<double> x;  // as far as results are normal floats
    for (int i = 0; i <= 8700; ++i) x.push_back(0.01 * i);
    CHECK(lane_math::DoublesAreWithin<FloatsExp>(4e-11 * 9007199254740992.0, x));
    CHECK(lane_math::DoublesAreWithin<DoublesExp>(2));
  }
  TEST_CASE("scaled and shifted, rounded once") {
    std::vector<double> x;
    for (int i = -100; i <= 100; ++i) x.push_back(0.37 * i);
    CHECK(lane_math::DoublesAreWithin<ShiftedBy>(0.5, x));
  }
  TEST_CASE("an odd function is +0 at -0, and NaN stays") { CHECK(lane_math::DoublesAreWithin<OddOf>(0)); }
}

#endif

}  // namespace
}  // namespace lane_wide_test
