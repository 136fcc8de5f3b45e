// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/linalg/complex_rows.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace complex_rows_test {
using namespace tenon;
using C = std::complex<double>;

namespace {

std::vector<C> Numbers(Index n, std::uint64_t seed) {
  const std::vector<double> parts = tenon::testing::RandomVector<double>(2 * n, seed);
  std::vector<C> out;
  for (Index i = 0; i < n; ++i)
    out.emplace_back(parts[static_cast<std::size_t>(2 * i)], parts[static_cast<std::size_t>(2 * i + 1)]);
  return out;
}
bool AreNear(const std::vector<C>& a, const std::vector<C>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](const C& x, const C& y) { return std::abs(x - y) <= 1e-14; });
}

constexpr Index kSizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 31};
const C kFactor(0.6, -0.37);
constexpr double kCosine = 0.71;

}  // namespace

TEST_SUITE("rows of complex numbers") {
  const linalg::ComplexRows rows;

  TEST_CASE("rows turn") {
    for (const Index n : kSizes) {
      CAPTURE(n);
      std::vector<C> x = Numbers(n + 1, 1), y = Numbers(n + 1, 2), a = x, b = y;
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        a[i] = kCosine * x[i] + kFactor * y[i];
        b[i] = kCosine * y[i] - std::conj(kFactor) * x[i];
      }
      rows.TurnRows(x.data(), y.data(), n, kCosine, kFactor);
      CHECK(AreNear(x, a));  // with the number behind the last
      CHECK(AreNear(y, b));
    }
  }
  TEST_CASE("columns turn") {
    for (const Index n : kSizes) {
      CAPTURE(n);
      constexpr std::size_t kRow = 5;
      std::vector<C> x = Numbers(n * Index{kRow} + 2, 1), want = x;
      for (std::size_t i = 0; i < static_cast<std::size_t>(n) * kRow; i += kRow) {
        want[i] = kCosine * x[i] + std::conj(kFactor) * x[i + 1];
        want[i + 1] = kCosine * x[i + 1] - kFactor * x[i];
      }
      rows.TurnColumns(x.data(), kRow, n, kCosine, kFactor);
      CHECK(AreNear(x, want));
    }
  }
  TEST_CASE("scaled sums and products") {
    for (const Index n : kSizes) {
      CAPTURE(n);
      const std::vector<C> x = Numbers(n + 1, 1);
      std::vector<C> y = Numbers(n + 1, 2), want = y;
      C sum = 0;
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        sum += x[i] * y[i];
        want[i] += kFactor * x[i];
      }
      CHECK(std::abs(rows.Dot(x.data(), y.data(), n) - sum) <= 1e-14 * static_cast<double>(n + 1));
      rows.AddScaled(x.data(), kFactor, y.data(), n);
      CHECK(AreNear(y, want));
    }
  }
}

}  // namespace complex_rows_test
