// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/math/scalar_bessel_second.hpp>

#include <cmath>
#include <initializer_list>
#include <limits>

#include <doctest/doctest.h>

namespace scalar_bessel_second_test {
using namespace tenon;

TEST_SUITE("Bessel functions of the first and second kind") {
  constexpr double kPi = 3.14159265358979323846, kInfinity = std::numeric_limits<double>::infinity();

  TEST_CASE("Wronskians on both sides of the intervals' ends") {
    for (const double x : {1e-3, 0.3, 1.0, 1.999, 2.001, 5.0, 7.999, 8.001, 20.0, 300.0}) {
      CAPTURE(x);
      const double first = BesselJ1(x) * BesselY0(x) - BesselJ0(x) * BesselY1(x);
      CHECK(first == doctest::Approx(2 / (kPi * x)).epsilon(1e-13));
      const double modified = detail::ScaledBesselI(x, 0) * BesselK1e(x) + detail::ScaledBesselI(x, 1) * BesselK0e(x);
      CHECK(modified == doctest::Approx(1 / x).epsilon(1e-13));
      if (x < 30) CHECK(BesselK0(x) == doctest::Approx(std::exp(-x) * BesselK0e(x)).epsilon(1e-13));
      if (x < 30) CHECK(BesselK1(x) == doctest::Approx(std::exp(-x) * BesselK1e(x)).epsilon(1e-13));
    }
  }
  TEST_CASE("values of tables") {  // Abramowitz and Stegun, tables 9.1 and 9.8
    CHECK(BesselJ0(1.0) == doctest::Approx(0.7651976865579666).epsilon(1e-14));
    CHECK(BesselJ1(-1.0) == doctest::Approx(-0.4400505857449335).epsilon(1e-14));
    CHECK(BesselY0(1.0) == doctest::Approx(0.08825696421567698).epsilon(1e-13));
    CHECK(BesselK0e(1.0f) == doctest::Approx(1.1444630797f).epsilon(1e-6));
    CHECK(std::fabs(BesselJ0(2.404825557695773)) < 1e-15);
  }
  TEST_CASE("edges") {
    CHECK(std::isnan(BesselJ0(kInfinity)));
    CHECK(std::isnan(BesselY1(kInfinity)));
    CHECK(BesselY0(0.0) == -kInfinity);
    CHECK(BesselY1(-1.0) == -kInfinity);
    CHECK(BesselK1(-kInfinity) == kInfinity);
    CHECK(BesselK0e(kInfinity) == 0);
    CHECK(std::isnan(BesselK0(std::numeric_limits<float>::quiet_NaN())));
  }
}
}  // namespace scalar_bessel_second_test
