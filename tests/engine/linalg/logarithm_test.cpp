// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/linalg/logarithm.hpp>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

namespace engine_linalg_logarithm_test {
using namespace tenon;
using C = std::complex<double>;

namespace {

// exp(a) by scaling, Taylor's sum and squaring.
std::vector<C> Exponential(std::vector<C> a, Index n) {
  const auto times = [n](const std::vector<C>& x, const std::vector<C>& y) {
    std::vector<C> out(x.size());
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        for (Index k = 0; k < n; ++k)
          out[static_cast<std::size_t>(i * n + j)] +=
              x[static_cast<std::size_t>(i * n + k)] * y[static_cast<std::size_t>(k * n + j)];
    return out;
  };
  for (C& x : a) x /= 1024.0;
  std::vector<C> sum(a.size()), power(a.size());
  for (Index i = 0; i < n; ++i)
    sum[static_cast<std::size_t>(i * n + i)] = power[static_cast<std::size_t>(i * n + i)] = 1;
  for (int k = 1; k < 20; ++k) {
    power = times(power, a);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += power[i] /= static_cast<double>(k);
  }
  for (int k = 0; k < 10; ++k) sum = times(sum, sum);
  return sum;
}
double FarFrom(const std::vector<C>& a, const std::vector<C>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace

TEST_SUITE("logarithms of matrices") {
  TEST_CASE("the exponential of the logarithm is the matrix") {
    for (const Index n : {1, 2, 3, 5, 12}) {
      std::vector<C> a(static_cast<std::size_t>(n * n)), log(a.size());
      std::uint32_t state = 12345;
      const auto next = [&state] {
        return static_cast<double>((state = state * 1664525 + 1013904223) >> 16) / 65536 - 0.5;
      };
      for (C& x : a) x = C(next(), next());
      for (Index i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] += 1;
      REQUIRE(linalg::Logarithm(a.data(), n, log.data()));
      CHECK(FarFrom(Exponential(log, n), a) < 1e-10);
    }
  }
  TEST_CASE("the principal one") {
    std::vector<C> log(4);
    const std::vector<C> negative{C(-2), C(0.25), C(0.25), C(-1)}, shear{C(1), C(1), C(0), C(1)};
    REQUIRE(linalg::Logarithm(negative.data(), 2, log.data()));
    CHECK(log[0].imag() == doctest::Approx(3.14159265358979));
    CHECK(std::abs(log[1].imag()) < 1e-12);
    REQUIRE(linalg::Logarithm(shear.data(), 2, log.data()));
    CHECK(FarFrom(log, {C(0), C(1), C(0), C(0)}) < 1e-14);
  }
  TEST_CASE("there is none of singular and of infinite matrices") {
    std::vector<C> log(4);
    const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
    for (const C first : {C(0), C(inf), C(nan), C(0, nan)}) {
      const std::vector<C> a{first, C(0), C(0), C(1)};
      CHECK_FALSE(linalg::Logarithm(a.data(), 2, log.data()));
    }
  }
}
}  // namespace engine_linalg_logarithm_test
