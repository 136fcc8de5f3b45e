// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/linalg/secular.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

namespace linalg_secular_test {
using namespace tenon;
using namespace tenon::linalg;

namespace {

// Roots lie between the poles, and the vectors are orthogonal and give the matrix back: diag(poles) + z z^T.
void Check(const std::vector<double>& d, const std::vector<double>& z, bool squared) {
  const auto n = static_cast<Index>(d.size());
  SecularEquation equation(d.data(), z.data(), n, squared);
  std::vector<double> roots(d.size()), vectors(d.size() * d.size());
  REQUIRE(equation.Solve(roots.data()));
  double largest = 0;
  for (std::size_t j = 0; j < d.size(); ++j) {
    CHECK(roots[j] >= d[j]);
    if (j + 1 < d.size()) CHECK(roots[j] <= d[j + 1]);
    double* const vector = vectors.data() + j * d.size();
    const double scale = 1 / std::sqrt(equation.Vector(static_cast<Index>(j), vector));
    for (std::size_t i = 0; i < d.size(); ++i) vector[i] *= scale;
    largest = std::fmax(largest, squared ? roots[j] * roots[j] : std::fabs(roots[j]));
  }
  for (std::size_t a = 0; a < d.size(); ++a)
    for (std::size_t b = 0; b < d.size(); ++b) {
      double dot = a == b ? -1 : 0, element = a == b ? -(squared ? d[a] * d[a] : d[a]) : 0;
      element -= z[a] * z[b];
      for (std::size_t i = 0; i < d.size(); ++i) {
        dot += vectors[a * d.size() + i] * vectors[b * d.size() + i];
        const double root = squared ? roots[i] * roots[i] : roots[i];
        element += vectors[i * d.size() + a] * root * vectors[i * d.size() + b];
      }
      CHECK(std::fabs(dot) < 2e-15 * static_cast<double>(n));
      CHECK(std::fabs(element) < 2e-15 * static_cast<double>(n) * largest);
    }
}

}  // namespace

TEST_SUITE("secular equation") {
  TEST_CASE("roots and vectors") {
    for (const bool squared : {false, true}) {
      Check({2}, {3}, squared);
      Check({0, 1}, {1e-9, 1}, squared);
      Check({0, 1, 1 + 1e-12, 2}, {1, 0.5, 0.25, 1e-7}, squared);
      Check({0, 1e-14, 1}, {1e-3, 1e-3, -1e-3}, squared);
      std::vector<double> d, z;
      for (int i = 0; i < 45; ++i) {
        d.push_back(i * i * 0.01 + (i % 3) * 1e-5);
        z.push_back(i % 7 == 0 ? 1e-6 : 0.3 - 0.1 * (i % 5));
      }
      z[3] = 0.7;
      for (double& x : z)
        if (x == 0) x = 0.2;
      Check(d, z, squared);
    }
    Check({-5, -1, 0, 4}, {1, -2, 3, -4}, false);
  }
  TEST_CASE("poles that are not finite have no roots") {
    const double d[] = {0, std::nan("")}, z[] = {1, 1};
    double roots[2];
    CHECK_FALSE(SecularEquation(d, z, 2, false).Solve(roots));
  }
}
}  // namespace linalg_secular_test
