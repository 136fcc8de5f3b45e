// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/linalg/exponential.hpp>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

namespace engine_linalg_exponential_test {
using namespace tenon;
using C = std::complex<double>;

namespace {

std::vector<C> ExponentialOf(const std::vector<C>& a) {
  std::vector<C> out(a.size());
  linalg::Exponential(a.data(), static_cast<Index>(std::lround(std::sqrt(static_cast<double>(a.size())))), out.data());
  return out;
}

}  // namespace

TEST_SUITE("exponentials of matrices") {
  TEST_CASE("numbers, turns, shears") {
    for (const double x : {-700.0, -3.0, 0.0, 1e-300, 0.5, 1.0, 600.0})
      CHECK(ExponentialOf({C(x)})[0].real() == doctest::Approx(std::exp(x)).epsilon(1e-12));
    CHECK(std::abs(ExponentialOf({C(0, 3.14159265358979)})[0] + 1.0) < 1e-13);
    const std::vector<C> turn = ExponentialOf({C(0), C(-0.7), C(0.7), C(0)});
    CHECK(turn[0].real() == doctest::Approx(std::cos(0.7)));
    CHECK(turn[2].real() == doctest::Approx(std::sin(0.7)));
    const std::vector<C> shear = ExponentialOf({C(1), C(5), C(0), C(1)});
    CHECK(shear[1].real() == doctest::Approx(5 * std::exp(1.0)));
    CHECK(shear[2] == C(0));
  }
  TEST_CASE("too large and not finite") {
    CHECK_FALSE(std::isfinite(ExponentialOf({C(1e300)})[0].real()));
    CHECK_FALSE(std::isfinite(ExponentialOf({C(std::numeric_limits<double>::infinity())})[0].real()));
    CHECK(std::isnan(ExponentialOf({C(std::numeric_limits<double>::quiet_NaN())})[0].real()));
    CHECK(ExponentialOf({}).empty());
  }
}
}  // namespace engine_linalg_exponential_test
