// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <vector>

#include <tenon/engine/linalg/decompositions.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace linalg_test {
using namespace tenon;

namespace {

// m rows, n columns of numbers in [-1, 1) from a fixed sequence.
template <class T>
std::vector<T> Matrix(Index m, Index n, int seed) {
  std::vector<T> a;
  std::uint64_t state = static_cast<std::uint64_t>(seed);
  const auto next = [&state] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 40) / (1 << 23) - 1;
  };
  for (Index i = 0; i < m * n; ++i) {
    const double x = next();
    if constexpr (std::is_floating_point_v<T>)
      a.push_back(static_cast<T>(x));
    else
      a.push_back(T(x, next()));
  }
  return a;
}
// The largest difference between a b, by the definition, and c.
template <class T>
double Residual(const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& c, Index m, Index k, Index n) {
  double worst = 0;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      T sum = T(0);
      for (Index p = 0; p < k; ++p)
        sum += a[static_cast<std::size_t>(i * k + p)] * b[static_cast<std::size_t>(p * n + j)];
      worst = std::max(worst, static_cast<double>(std::abs(sum - c[static_cast<std::size_t>(i * n + j)])));
    }
  return worst;
}
template <class T>
std::vector<T> Turned(const std::vector<T>& a, Index m, Index n) {
  std::vector<T> out(a.size());
  linalg::Adjoint(a.data(), m, n, out.data());
  return out;
}
template <class T>
double FarFromUnitary(const std::vector<T>& q, Index m, Index n) {
  std::vector<T> one(static_cast<std::size_t>(n * n), T(0));
  for (Index i = 0; i < n; ++i) one[static_cast<std::size_t>(i * n + i)] = T(1);
  return Residual(Turned(q, m, n), q, one, n, m, n);
}

}  // namespace

TEST_SUITE("linalg") {
  TEST_CASE_TEMPLATE("LU solves, Cholesky gives back its matrix", T, double, std::complex<double>) {
    for (Index n : {1, 2, 5, 17}) {
      const std::vector<T> a = Matrix<T>(n, n, 1), b = Matrix<T>(n, 3, 2);
      std::vector<T> lu = a, x(b.size());
      std::vector<Index> order(static_cast<std::size_t>(n));
      Index swaps = 0;
      REQUIRE(linalg::FactorLu(lu.data(), n, order.data(), &swaps));
      linalg::SolveLu(lu.data(), order.data(), n, b.data(), x.data(), 3);
      CHECK(Residual(a, x, b, n, n, 3) < 1e-11);

      std::vector<T> gram(a.size());
      linalg::Multiply(a.data(), Turned(a, n, n).data(), gram.data(), n, n, n);
      std::vector<T> l = gram;
      REQUIRE(linalg::FactorCholesky(l.data(), n));
      CHECK(Residual(l, Turned(l, n, n), gram, n, n, n) < 1e-12);
    }
    std::vector<T> singular = {T(1), T(2), T(2), T(4)};
    Index order[2], swaps = 0;
    CHECK_FALSE(linalg::FactorLu(singular.data(), 2, order, &swaps));
    std::vector<T> negative = {T(-1)};
    CHECK_FALSE(linalg::FactorCholesky(negative.data(), 1));
  }

  TEST_CASE_TEMPLATE("least squares by the QR factors of independent columns", T, double, std::complex<double>) {
    const Index k = 2;
    for (Index m : {1, 3, 8}) {
      for (Index n : {1, 2, 3}) {
        if (m < n) continue;
        const auto size = static_cast<std::size_t>(m * n), least = static_cast<std::size_t>(n);
        const std::vector<T> a = Matrix<T>(m, n, 3), adjoint = Turned(a, m, n);
        std::vector<T> columns(size), taus(least), scratch(static_cast<std::size_t>(m));
        std::vector<Index> order(least);
        for (std::size_t i = 0; i < size; ++i) columns[i] = linalg::Conj(adjoint[i]);
        REQUIRE(linalg::FactorPivotedQr(columns.data(), m, n, 1e-8, taus.data(), order.data()));
        // What is left is orthogonal to the columns: a^H a x = a^H b.
        const std::vector<T> b = Matrix<T>(m, k, 4);
        std::vector<T> x(static_cast<std::size_t>(n * k)), ax(static_cast<std::size_t>(m * k)), right(x.size());
        linalg::SolvePivotedQr(columns.data(), m, n, taus.data(), order.data(), false, b.data(), x.data(), k,
                               scratch.data());
        linalg::Multiply(a.data(), x.data(), ax.data(), m, n, k);
        linalg::Multiply(adjoint.data(), b.data(), right.data(), n, m, k);
        CHECK(Residual(adjoint, ax, right, n, m, k) < 1e-13);
        // The shortest solution of a^H x = b is a combination of a's columns: x = a y with a^H a y = b.
        const std::vector<T> side = Matrix<T>(n, k, 5);
        std::vector<T> shortest(ax.size()), y(x.size());
        linalg::SolvePivotedQr(columns.data(), m, n, taus.data(), order.data(), true, side.data(), shortest.data(), k,
                               scratch.data());
        CHECK(Residual(adjoint, shortest, side, n, m, k) < 1e-13);
        linalg::SolvePivotedQr(columns.data(), m, n, taus.data(), order.data(), false, shortest.data(), y.data(), k,
                               scratch.data());
        CHECK(Residual(a, y, shortest, m, n, k) < 1e-13);
      }
    }
    // Dependent columns, none but zeros, NaN.
    std::vector<T> columns = {T(1), T(2), T(2), T(4)}, taus(2);
    Index order[2];
    CHECK_FALSE(linalg::FactorPivotedQr(columns.data(), 2, 2, 1e-8, taus.data(), order));
    columns.assign(4, T(0));
    CHECK_FALSE(linalg::FactorPivotedQr(columns.data(), 2, 2, 1e-8, taus.data(), order));
    columns.assign(4, T(NAN));
    CHECK_FALSE(linalg::FactorPivotedQr(columns.data(), 2, 2, 1e-8, taus.data(), order));
  }

  TEST_CASE_TEMPLATE("QR gives back its matrix", T, double, std::complex<double>) {
    for (Index m : {1, 3, 8}) {
      for (Index n : {1, 3, 6}) {
        const std::vector<T> a = Matrix<T>(m, n, 3);
        std::vector<T> r = a, q(static_cast<std::size_t>(m * m));
        linalg::FactorQr(r.data(), m, n, m, q.data());
        CHECK(Residual(q, r, a, m, m, n) < 1e-13);
        CHECK(FarFromUnitary(q, m, m) < 1e-13);
        const Index kept = std::min(m, n);
        std::vector<T> thin_r = a, thin_q(static_cast<std::size_t>(m * kept));
        linalg::FactorQr(thin_r.data(), m, n, kept, thin_q.data());
        CHECK(thin_r == r);
        for (Index i = 0; i < m * kept; ++i)
          CHECK(thin_q[static_cast<std::size_t>(i)] == q[static_cast<std::size_t>(i / kept * m + i % kept)]);
        for (Index i = 0; i < m; ++i)
          for (Index j = 0; j < std::min(i, n); ++j) CHECK(r[static_cast<std::size_t>(i * n + j)] == T(0));
      }
    }
  }
}
}  // namespace linalg_test
