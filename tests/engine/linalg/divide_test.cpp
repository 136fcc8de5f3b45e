// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/linalg/divide.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <tenon/engine/linalg/qr_steps.hpp>

#include <doctest/doctest.h>

namespace linalg_divide_test {
using namespace tenon;
using namespace tenon::linalg;

namespace {

std::vector<double> Numbers(std::size_t n, unsigned seed) {
  std::vector<double> out(n);
  for (double& x : out) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<double>(seed >> 8) / (1 << 23) - 1;
  }
  return out;
}
// The largest element of q q^T - 1.
template <class R>
double UnitaryError(const std::vector<R>& q, std::size_t n) {
  double most = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double sum = i == j ? -1 : 0;
      for (std::size_t t = 0; t < n; ++t) sum += static_cast<double>(q[i * n + t]) * static_cast<double>(q[j * n + t]);
      most = std::max(most, std::fabs(sum));
    }
  return most;
}

}  // namespace

TEST_SUITE("halves of condensed matrices") {
  TEST_CASE("poles that a merge does not change leave it") {
    double d[] = {3, 1, 1 + 1e-20, 2, 5}, z[] = {1, 3, 4, 1e-20, 2};
    Half half[] = {Half::kFirst, Half::kFirst, Half::kSecond, Half::kSecond, Half::kSecond};
    const Deflation deflation(d, z, half, 5, 1e-15, 1e-15, -1);
    CHECK(deflation.kept == std::vector<Index>{2, 0, 4});
    CHECK(deflation.gone == std::vector<Index>{1, 3});
    REQUIRE(deflation.rotations.size() == 1);
    CHECK(z[2] == 5);
    CHECK(z[1] == 0);
    CHECK(half[1] == Half::kBoth);
    CHECK(half[2] == Half::kBoth);
    CHECK(MergedRows<double>::Places(deflation.kept, half) == std::vector<Index>{1, 0, 2});
  }
  TEST_CASE("a fixed pole stays first") {
    double d[] = {0.5, 0, 0.25}, z[] = {1, 1e-20, 1};
    Half half[] = {Half::kFirst, Half::kFirst, Half::kSecond};
    const Deflation deflation(d, z, half, 3, 1e-15, 1e-15, 1);
    CHECK(deflation.kept == std::vector<Index>{1, 2, 0});
    CHECK(deflation.gone.empty());
  }
  TEST_CASE_TEMPLATE("tridiagonal matrices", R, float, double) {
    Cpu device;
    const double unit = static_cast<double>(std::numeric_limits<R>::epsilon());
    for (const std::size_t n : {33u, 64u, 97u, 130u}) {
      const std::vector<double> d = Numbers(n, 3), e = Numbers(n, 5);
      std::vector<double> values = d, beside = e;
      std::vector<R> rows(n * n);
      const auto leaf = [](auto... all) { return TridiagonalLeaf(all...); };
      REQUIRE(DivideTridiagonal(device, values.data(), beside.data(), static_cast<Index>(n), rows.data(), leaf).Run());
      CHECK(UnitaryError(rows, n) < 50 * unit);
      for (std::size_t j = 0; j < n; ++j)  // each row is a vector of its value
        for (std::size_t i = 0; i < n; ++i) {
          const auto at = [&](std::size_t t) { return static_cast<double>(rows[j * n + t]); };
          const double product = d[i] * at(i) + (i > 0 ? e[i - 1] * at(i - 1) : 0) + (i + 1 < n ? e[i] * at(i + 1) : 0);
          CHECK(std::fabs(product - values[j] * at(i)) < 50 * unit);
        }
    }
  }
  TEST_CASE_TEMPLATE("bidiagonal matrices", R, float, double) {
    Cpu device;
    const double unit = static_cast<double>(std::numeric_limits<R>::epsilon());
    for (const std::size_t n : {33u, 64u, 97u, 130u}) {
      std::vector<double> d = Numbers(n, 7), e = Numbers(n, 9);
      d[n / 3] = 0;
      std::vector<double> values = d, beside = e;
      std::vector<R> lefts(n * n), rights(n * n);
      const auto leaf = [](auto... all) { return BidiagonalLeaf(all...); };
      REQUIRE(DivideBidiagonal(device, values.data(), beside.data(), static_cast<Index>(n), lefts.data(), rights.data(),
                               leaf)
                  .Run());
      CHECK(UnitaryError(lefts, n) < 50 * unit);
      CHECK(UnitaryError(rights, n) < 50 * unit);
      for (std::size_t j = 0; j < n; ++j) {
        CHECK(values[j] >= 0);
        for (std::size_t i = 0; i < n; ++i) {
          const double product = d[i] * static_cast<double>(rights[j * n + i]) +
                                 (i + 1 < n ? e[i] * static_cast<double>(rights[j * n + i + 1]) : 0);
          CHECK(std::fabs(product - values[j] * static_cast<double>(lefts[j * n + i])) < 50 * unit);
        }
      }
    }
  }
  TEST_CASE("zeros, and elements that are not finite") {
    Cpu device;
    const Index n = 70;
    const auto size = static_cast<std::size_t>(n);
    std::vector<double> d(size), e(size), rows(size * size), more(size * size);
    const auto leaf = [](auto... all) { return TridiagonalLeaf(all...); };
    const auto both = [](auto... all) { return BidiagonalLeaf(all...); };
    REQUIRE(DivideTridiagonal(device, d.data(), e.data(), n, rows.data(), leaf).Run());
    CHECK(UnitaryError(rows, size) == 0);
    std::fill(rows.begin(), rows.end(), 0.0);
    REQUIRE(DivideBidiagonal(device, d.data(), e.data(), n, rows.data(), more.data(), both).Run());
    CHECK(UnitaryError(rows, size) == 0);
    CHECK(UnitaryError(more, size) == 0);
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      std::fill(d.begin(), d.end(), 1.0);
      e[40] = bad;
      CHECK_FALSE(DivideTridiagonal(device, d.data(), e.data(), n, rows.data(), leaf).Run());
      CHECK_FALSE(DivideBidiagonal(device, d.data(), e.data(), n, rows.data(), more.data(), both).Run());
    }
  }
}
}  // namespace linalg_divide_test
