// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/linalg/schur.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

namespace linalg_schur_test {
using namespace tenon;
using C = std::complex<double>;

TEST_SUITE("Schur decomposition") {
  std::vector<C> Matrix(Index n, bool real) {
    std::vector<C> out(static_cast<std::size_t>(n * n));
    unsigned seed = static_cast<unsigned>(n) + 1;
    const auto next = [&] {
      seed = seed * 1664525u + 1013904223u;
      return static_cast<double>(seed >> 8) / (1 << 23) - 1;
    };
    for (C& x : out) {
      const double re = next(), im = next();
      x = C(re, real ? 0 : im);
    }
    return out;
  }
  double Most(const std::vector<C>& a, const std::vector<C>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most;
  }
  void Check(const std::vector<C>& a, Index n) {
    CAPTURE(n);
    linalg::Schur schur(n);
    REQUIRE(schur.Run(a.data()));
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) CHECK(schur.t(i, j) == C(0));
    std::vector<C> v(a.size()), left(a.size()), right(a.size()), root(a.size()), square(a.size());
    schur.Eigenvectors(v.data());
    linalg::Multiply(a.data(), v.data(), left.data(), n, n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        right[static_cast<std::size_t>(i * n + j)] = v[static_cast<std::size_t>(i * n + j)] * schur.t(j, j);
    CHECK(Most(left, right) < 1e-12 * static_cast<double>(n));
    schur.SquareRoot(root.data());
    linalg::Multiply(root.data(), root.data(), square.data(), n, n, n);
    CHECK(Most(square, a) < 1e-10 * static_cast<double>(n));
  }
  TEST_CASE("eigenvectors and square roots") {
    for (const Index n : {1, 2, 3, 5, 20, 40})
      for (const bool real : {false, true}) Check(Matrix(n, real), n);
  }
  TEST_CASE("special matrices") {
    Check({C(2), C(0), C(0), C(2)}, 2);
    Check({C(0), C(-1), C(1), C(0)}, 2);                                         // a turn: eigenvalues i and -i
    Check({C(0), C(0), C(1), C(1), C(0), C(0), C(0), C(1), C(0)}, 3);             // a cycle of three
    Check({C(1), C(0), C(0), C(0), C(4), C(0), C(0), C(0), C(9)}, 3);
  }
  TEST_CASE("not finite") {
    const std::vector<double> a = {0, std::numeric_limits<double>::quiet_NaN(), 0, 0};
    CHECK_FALSE(linalg::Schur(2).Run(a.data()));
  }
}
}  // namespace linalg_schur_test
