// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/math/scalar_fresnel_spence.hpp>

#include <cmath>
#include <initializer_list>
#include <limits>

#include <doctest/doctest.h>

namespace scalar_fresnel_spence_test {
using namespace tenon;

TEST_SUITE("Fresnel integrals and Spence's function") {
  constexpr double kPi = 3.14159265358979323846, kInfinity = std::numeric_limits<double>::infinity();

  // Simpson's rule with 2000 pieces.
  template <class F>
  double Integral(const F& f, double from, double to) {
    constexpr int kPieces = 2000;
    const double h = (to - from) / kPieces;
    double sum = f(from) + f(to);
    for (int i = 1; i < kPieces; ++i) sum += f(from + i * h) * (i % 2 == 1 ? 4 : 2);
    return sum * h / 3;
  }

  TEST_CASE("are their integrals") {
    for (const double x : {0.1, 1.0, 1.59, 1.61, 2.5, 4.0}) {
      CAPTURE(x);
      CHECK(std::fabs(FresnelSin(x) - Integral([](double t) { return std::sin(kPi / 2 * t * t); }, 0, x)) < 1e-9);
      CHECK(std::fabs(FresnelCos(x) - Integral([](double t) { return std::cos(kPi / 2 * t * t); }, 0, x)) < 1e-9);
      CHECK(FresnelSin(-x) == -FresnelSin(x));
    }
    const auto f = [](double t) { return t == 1 ? 1 : std::log(t) / (t - 1); };
    for (const double x : {0.05, 0.4, 0.5, 0.9, 1.7, 2.0, 2.1, 30.0})
      CHECK(Spence(x) == doctest::Approx(-Integral(f, 1, x)).epsilon(1e-6));
  }
  TEST_CASE("edges") {
    CHECK(Spence(1.0) == 0);
    CHECK(Spence(0.0) == doctest::Approx(kPi * kPi / 6).epsilon(1e-15));
    CHECK(std::isnan(Spence(-1.0f)));
    CHECK(FresnelSin(kInfinity) == 0.5);
    CHECK(FresnelCos(-kInfinity) == -0.5);
    CHECK(std::isnan(FresnelCos(std::numeric_limits<double>::quiet_NaN())));
  }
}
}  // namespace scalar_fresnel_spence_test
