// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <initializer_list>
#include <limits>

#include <tenon/engine/math/scalar_bessel_zeta.hpp>

#include <doctest/doctest.h>

namespace higher_functions_test {
using namespace tenon;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
doctest::Approx Near(double x) { return doctest::Approx(x).epsilon(1e-13); }

}  // namespace

// Values to 15 digits from Abramowitz and Stegun's tables and closed forms.
TEST_SUITE("higher functions") {
  TEST_CASE("closed forms") {
    for (const double x : {0.1, 1.0, 3.0, 20.0}) {
      CHECK(Igamma(1.0, x) == Near(-std::expm1(-x)));
      CHECK(Igammac(1.0, x) == Near(std::exp(-x)));
      CHECK(Igamma(0.5, x) == Near(std::erf(std::sqrt(x))));
    }
    for (const double x : {0.0, 0.2, 0.5, 0.9, 1.0}) {
      CHECK(Betainc(1.0, 3.0, x) == Near(1 - std::pow(1 - x, 3)));
      CHECK(Betainc(2.0, 1.0, x) == Near(x * x));
    }
    const double pi = 3.14159265358979323846;
    CHECK(Zeta(2.0, 1.0) == Near(pi * pi / 6));
    CHECK(Zeta(4.0, 1.0) == Near(std::pow(pi, 4) / 90));
    CHECK(Zeta(2.0, 0.5) == Near(pi * pi / 2));
    CHECK(Zeta(2.0, kInfinity) == 0);
    CHECK(Polygamma(1.0, 1.0) == Near(pi * pi / 6));
    CHECK(Polygamma(0.0, 1.0) == Near(-0.57721566490153286061));
    CHECK(Polygamma(2.0, 1.0) == Near(-2.40411380631918857080));
  }
  TEST_CASE("tables") {
    CHECK(BesselI0(1.0) == Near(1.26606587775200834));
    CHECK(BesselI1(1.0) == Near(0.565159103992485027));
    CHECK(BesselI1(-1.0) == Near(-0.565159103992485027));
    CHECK(BesselI0e(10.0) == Near(0.127833337163428607));
    CHECK(BesselI1e(10.0) == Near(0.121262681384455524));
    CHECK(Dawsn(1.0) == Near(0.538079506912768419));
    CHECK(Dawsn(-1.0) == Near(-0.538079506912768419));
    for (const double y : {BesselI1(-0.0), BesselI1e(-0.0), Dawsn(-0.0)}) CHECK_FALSE(std::signbit(y));  // TensorFlow's
    CHECK(Expint(1.0) == Near(1.89511781635593676));
    CHECK(Expint(10.0) == Near(2492.22897624187776));
  }
  TEST_CASE("pieces meet where the method changes") {
    for (const double at : {30.0, 7.0, 40.0}) {
      const double below = std::nextafter(at, 0.0), above = std::nextafter(at, 100.0);
      CHECK(BesselI0e(below) == Near(BesselI0e(above)));
      CHECK(BesselI1e(below) == Near(BesselI1e(above)));
      CHECK(Dawsn(below) == Near(Dawsn(above)));
      CHECK(Expint(below) == Near(Expint(above)));
    }
  }
  TEST_CASE("edges are Eigen's") {
    CHECK(Igamma(-1.0, 0.0) == 0);
    CHECK(std::isnan(Igamma(-1.0, 1.0)));
    CHECK(std::isnan(Igamma(1.0, -1.0)));
    CHECK(Igamma(1.0, kInfinity) == 1);
    CHECK(Igammac(kInfinity, 1.0) == 1);
    CHECK(std::isnan(Igammac(0.0, 0.0)));
    CHECK(Zeta(1.0, 3.0) == kInfinity);
    CHECK(std::isnan(Zeta(0.5, 1.0)));
    CHECK(Zeta(2.0, -1.0) == kInfinity);
    CHECK(std::isnan(Zeta(3.0, -1.0)));
    CHECK(std::isnan(Polygamma(1.5, 1.0)));
    CHECK(std::isnan(Betainc(0.0, 1.0, 0.5)));
    CHECK(std::isnan(Betainc(1.0, 1.0, 1.1)));
    CHECK(Betainc(kNaN, 1.0, 1.0) == 1);
    CHECK(std::isnan(Expint(-1.0)));
    CHECK(Expint(0.0) == -kInfinity);
    CHECK(std::isnan(Expint(kInfinity)));
    CHECK(BesselI0e(kInfinity) == 0);
    CHECK(std::isnan(BesselI0(kInfinity)));
    for (const float x : {BesselI0(90.0f), BesselI1(90.0f), Expint(90.0f)}) CHECK(std::isinf(x));
    CHECK(std::isfinite(BesselI0(90.0)));
    CHECK(Dawsn(kInfinity) == 0);
  }
}
}  // namespace higher_functions_test
