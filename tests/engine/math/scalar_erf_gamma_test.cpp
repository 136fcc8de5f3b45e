// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/math/scalar_erf_gamma.hpp>

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

namespace special_functions_test {
using namespace tenon;

namespace {
constexpr double kInf = std::numeric_limits<double>::infinity();
// |got - want| in units of the last place of want, about.
double Error(double got, double want) { return std::abs(got - want) / std::abs(want); }
}  // namespace

TEST_SUITE("Special functions") {
  TEST_CASE("Erfinv undoes erf, in the middle and in the tails") {
    for (double x = -0.999; x < 1; x += 0.037) CHECK(std::erf(Erfinv(x)) == doctest::Approx(x).epsilon(1e-14));
    CHECK(Error(Erfinv(1e-300), 1e-300 * std::sqrt(std::acos(-1.0)) / 2) < 1e-15);
    CHECK(Error(Erfinv(0.5), 0.47693627620446987338) < 4e-16);
    CHECK(Error(Erfinv(0.999999999), 4.3200053849134452862) < 1e-8);  // the argument has 1e-16 / 1e-9
    CHECK(Erfinv(1.0) == kInf);
    CHECK(Erfinv(-1.0f) == -std::numeric_limits<float>::infinity());
    CHECK(std::isnan(Erfinv(1.5)));
    CHECK(std::isnan(Erfinv(std::nan(""))));
  }
  TEST_CASE("Ndtri") {
    CHECK(Ndtri(0.5) == 0);
    CHECK(Error(Ndtri(0.975), 1.959963984540054) < 1e-15);
    CHECK(Error(Ndtri(1e-10), -6.361340902404056) < 1e-14);
    CHECK(Error(Ndtri(1e-100), -21.273453560965326) < 1e-14);
    CHECK(Ndtri(0.0) == -kInf);
    CHECK(Ndtri(1.0) == kInf);
    CHECK(std::isnan(Ndtri(-0.1)));
    CHECK(std::isnan(Ndtri(1.1f)));
  }
  TEST_CASE("Lgamma") {
    CHECK(Lgamma(1.0) == 0);
    CHECK(Error(Lgamma(0.5), 0.57236494292470008707) < 4e-16);
    CHECK(Error(Lgamma(-1.5f), 0.86004701537648101) < 1e-7);
    CHECK(Lgamma(0.0) == kInf);
    CHECK(Lgamma(-3.0) == kInf);
    CHECK(Lgamma(-kInf) == kInf);
  }
  TEST_CASE("Digamma") {
    CHECK(Error(Digamma(1.0), -0.57721566490153286061) < 1e-15);
    CHECK(Error(Digamma(0.5), -1.96351002602142347944) < 1e-15);
    CHECK(Error(Digamma(-0.5), 0.03648997397857652056) < 1e-13);
    CHECK(Error(Digamma(-1e-20), 1e20) < 1e-15);
    CHECK(Error(Digamma(100.0), 4.60016185273808740020) < 1e-15);
    for (double x = 0.1; x < 20; x += 0.3) CHECK(Digamma(x + 1) == doctest::Approx(Digamma(x) + 1 / x).epsilon(1e-13));
    CHECK(std::isnan(Digamma(0.0)));
    CHECK(std::isnan(Digamma(-2.0)));
    CHECK(std::isnan(Digamma(-kInf)));
    CHECK(Digamma(kInf) == kInf);
    CHECK(std::isnan(Digamma(std::nan(""))));
  }
}
}  // namespace special_functions_test
