// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/math/scalar_gamma_derivative.hpp>

#include <cmath>
#include <limits>

#include <tenon/engine/math/scalar_bessel_zeta.hpp>

#include <doctest/doctest.h>

namespace scalar_gamma_derivative_test {
using namespace tenon;

TEST_SUITE("derivatives of the incomplete gamma function") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();

  TEST_CASE("central differences") {
    for (const double a : {0.05, 0.5, 1.0, 3.0, 12.0, 80.0}) {
      for (const double ratio : {0.01, 0.3, 1.0, 1.5, 4.0}) {
        const double x = a * ratio, h = 1e-5 * a, e = 1e-5 * x;
        CAPTURE(a);
        CAPTURE(x);
        const double slope = (Igamma(a + h, x) - Igamma(a - h, x)) / (2 * h);
        const double density = (Igamma(a, x + e) - Igamma(a, x - e)) / (2 * e);
        CHECK(std::fabs(IgammaGradA(a, x) - slope) <= 1e-7 * (1 + std::fabs(slope)));
        if (density > 1e-4) CHECK(RandomGammaGrad(a, x) == doctest::Approx(-slope / density).epsilon(1e-5));
      }
    }
  }
  TEST_CASE("edges") {
    CHECK(IgammaGradA(1.0, 0.0) == 0);
    CHECK(IgammaGradA(1.0, kInfinity) == 0);
    CHECK(std::isnan(IgammaGradA(0.0, 1.0)));
    CHECK(std::isnan(IgammaGradA(1.0, -1.0)));
    CHECK(std::isnan(RandomGammaGrad(1.0f, std::numeric_limits<float>::quiet_NaN())));
    CHECK(RandomGammaGrad(1.0f, 100.0f) == 0);  // exp(-100) is less than 1 / FLT_MAX
  }
}
}  // namespace scalar_gamma_derivative_test
