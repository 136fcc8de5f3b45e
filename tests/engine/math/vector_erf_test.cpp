// SPDX-License-Identifier: Apache-2.0
// Every function at every level that this processor has, against erf and erfc of double (for floats) and long double,
// of which the quantiles are found by Newton's steps.
#include <tenon/engine/math/vector_erf.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/lane_math_support.hpp"
#include "sanitizers.hpp"

namespace lane_error_functions_test {
namespace {

#if TENON_DETAIL_LANES

using lane_math::FloatsAreWithin;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// x, with Newton's steps on the tail or, in the middle, on the area from there.
long double Quantile(long double q, long double tail, double x) {
  constexpr long double kRootOfHalf = 0.707106781186547524400844362104849039L;
  constexpr long double kRootOfTwoPi = 2.50662827463100050241576528481104525L;
  if (!(tail > 0) || !std::isfinite(x)) return static_cast<long double>(x);
  long double y = static_cast<long double>(std::fabs(x));
  for (int i = 0; i < 3; ++i) {
    const long double over =
        y < 0.7L ? std::fabs(q) - std::erf(y * kRootOfHalf) / 2 : std::erfc(y * kRootOfHalf) / 2 - tail;
    y += over * kRootOfTwoPi * std::exp(y * y / 2);
  }
  return q < 0 ? -y : y;
}

TENON_TEST_LANE_FUNCTION(Erfinv, static_cast<W>(Quantile(x / 2, (1 - std::fabs(static_cast<long double>(x))) / 2,
                                                         tenon::Erfinv(static_cast<double>(x)) * 1.4142135623730951) *
                                                0.707106781186547524400844362104849039L));
TENON_TEST_LANE_FUNCTION(Ndtri, static_cast<W>(Quantile(static_cast<long double>(x) - 0.5L,
                                                        x < W(0.5) ? static_cast<long double>(x)
                                                                   : 1 - static_cast<long double>(x),
                                                        tenon::Ndtri(static_cast<double>(x)))));
struct Erfc {
  static constexpr const char* name = "Erfc";
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return tenon::simd::Erfc(x);
  }
  template <class W>
  static W Wanted(W x) {
    return std::erfc(x);
  }
};
struct ErfOfDoubles {
  static constexpr const char* name = "Erf";
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return tenon::simd::Erf(x);
  }
  template <class W>
  static W Wanted(W x) {
    return std::erf(x);
  }
};

// For quantiles: from 1e-320 to 1 - 2^-53, with the edges.
template <class Op>
void CheckQuantile(double most_ulp, double least) {
  std::vector<double> values;
  const auto add = [&](double x) { values.push_back(x); };
  for (const double x : {0.0, -0.0, 0.5, 1.0, -1.0, 2.0, -2.0, kInfinity, std::nan("")}) add(x);
  std::uint64_t seed = 7;
  for (int i = 0; i < 4000; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const double fraction = static_cast<double>(seed >> 11) / 9007199254740992.0;
    const double small = std::ldexp(fraction, -static_cast<int>((seed >> 3) % 53));
    for (const double x : {fraction, small, 1 - small, 0.5 + small / 2, std::pow(10.0, -320 * fraction)})
      if (x >= least) add(x);
    if (least < 0) add(-fraction);
  }
  CHECK(lane_math::DoublesAreWithin<Op>(most_ulp, values));
}

TEST_SUITE("lane_error_functions") {
  TEST_CASE("float, every pattern of a sample") {
    CHECK(FloatsAreWithin<Erfinv>(0.6, 4));
#if !TENON_TEST_ASAN && !TENON_TEST_TSAN
    CHECK(FloatsAreWithin<Erfc>(0.6, 4));
    CHECK(FloatsAreWithin<Ndtri>(0.6, 4));
#endif
  }
  TEST_CASE("double, erf and erfc") {
    std::vector<double> x = lane_math::DoublesBelowTwo();
    for (int i = -60; i <= 270; ++i) x.push_back(0.1 * i);
    CHECK(lane_math::DoublesAreWithin<ErfOfDoubles>(2, x));
    CHECK(lane_math::DoublesAreWithin<Erfc>(4, x));
  }
  TEST_CASE("double, quantiles") {
    CheckQuantile<Erfinv>(8, -1);
    CheckQuantile<Ndtri>(8, 0);
  }
}

#endif

}  // namespace
}  // namespace lane_error_functions_test
