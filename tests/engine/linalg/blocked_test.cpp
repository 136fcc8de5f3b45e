// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/linalg/blocked.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

namespace linalg_blocked_test {
using namespace tenon;
using namespace tenon::linalg;

namespace {

// Numbers around 0 without a pattern.
template <class T>
std::vector<T> Matrix(Index rows, Index columns, unsigned seed) {
  std::vector<T> out(static_cast<std::size_t>(rows * columns));
  const auto next = [&] {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<Real<T>>(seed >> 8) / Real<T>(1 << 23) - 1;
  };
  for (T& x : out) {
    if constexpr (std::is_floating_point_v<T>)
      x = next();
    else
      x = T(next(), next());
  }
  return out;
}
template <class T>
std::vector<T> Product(const std::vector<T>& a, const std::vector<T>& b, Index m, Index k, Index n) {
  std::vector<T> c(static_cast<std::size_t>(m * n));
  linalg::Multiply(a.data(), b.data(), c.data(), m, k, n);
  return c;
}
template <class T>
std::vector<T> Adjoint(const std::vector<T>& a, Index m, Index n) {
  std::vector<T> out(a.size());
  linalg::Adjoint(a.data(), m, n, out.data());
  return out;
}
// The largest difference, in roundings of numbers of this size.
template <class T>
double Error(const std::vector<T>& got, const std::vector<T>& want, Index n) {
  double most = 0;
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) most = std::max(most, static_cast<double>(std::abs(got[i] - want[i])));
  return most / static_cast<double>(n) / static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
}
constexpr double kMost = 20;

}  // namespace

TEST_SUITE("blocked decompositions") {
  TEST_CASE_TEMPLATE("LU: the rows in their order", T, float, double, std::complex<double>) {
    Cpu device;
    for (const Index n : {25, 31, 64, 100, 131}) {
      CAPTURE(n);
      const std::vector<T> a = Matrix<T>(n, n, static_cast<unsigned>(n));
      std::vector<T> lu = a, plain = a, l(a.size()), u(a.size()), rows(a.size());
      std::vector<Index> order(static_cast<std::size_t>(n)), plain_order = order;
      Index swaps = 0, plain_swaps = 0;
      CHECK(Blocked<T>(device).FactorLu(lu.data(), n, order.data(), &swaps));
      CHECK(linalg::FactorLu(plain.data(), n, plain_order.data(), &plain_swaps));
      CHECK(order == plain_order);
      CHECK(swaps == plain_swaps);
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
          const auto at = static_cast<std::size_t>(i * n + j);
          (j < i ? l : u)[at] = lu[at];
          if (i == j) l[at] = T(1);
          rows[at] = a[static_cast<std::size_t>(order[static_cast<std::size_t>(i)] * n + j)];
        }
      CHECK(Error(Product(l, u, n, n, n), rows, n) < kMost);
    }
  }
  TEST_CASE("LU: a singular matrix and NaN") {
    Cpu device;
    const Index n = 60;
    std::vector<double> a = Matrix<double>(n, n, 1);
    for (Index j = 0; j < n; ++j) a[static_cast<std::size_t>(7 * n + j)] = 0;
    std::vector<Index> order(static_cast<std::size_t>(n));
    Index swaps = 0;
    CHECK_FALSE(Blocked<double>(device).FactorLu(a.data(), n, order.data(), &swaps));
    a = Matrix<double>(n, n, 1);
    a[0] = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(Blocked<double>(device).FactorLu(a.data(), n, order.data(), &swaps));
  }
  TEST_CASE_TEMPLATE("Cholesky, and a solution by it", T, float, double, std::complex<float>) {
    Cpu device;
    for (const Index n : {20, 49, 120, 130}) {
      CAPTURE(n);
      const std::vector<T> b = Matrix<T>(n, n, 5);
      std::vector<T> a = Product(b, Adjoint(b, n, n), n, n, n);
      for (Index i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] += T(static_cast<Real<T>>(n));
      std::vector<T> l = a, scratch(a.size());
      Blocked<T> blocked(device);
      REQUIRE(blocked.FactorCholesky(l.data(), n));
      CHECK(l[1] == T(0));
      CHECK(Error(Product(l, Adjoint(l, n, n), n, n, n), a, n * n) < kMost);
      const std::vector<T> x = Matrix<T>(n, 3, 9);
      std::vector<T> side = Product(a, x, n, n, 3);
      blocked.SolveCholesky(l.data(), n, side.data(), 3, scratch.data());
      CHECK(Error(side, x, n) < kMost);
      a[static_cast<std::size_t>((n - 1) * n + n - 1)] = T(-1);
      CHECK_FALSE(blocked.FactorCholesky(a.data(), n));
    }
  }
  TEST_CASE_TEMPLATE("triangular systems", T, float, std::complex<double>) {
    Cpu device;
    const Index n = 70, k = 33;
    std::vector<T> a = Matrix<T>(n, n, 3);
    for (T& element : a) element /= T(static_cast<Real<T>>(n));
    for (Index i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] = T(2);
    const std::vector<T> side = Matrix<T>(n, k, 4);
    for (const bool lower : {false, true})
      for (const bool unit : {false, true}) {
        std::vector<T> x = side, want = side;
        Blocked<T>(device).SolveTriangular(a.data(), n, lower, unit, x.data(), k);
        linalg::SolveTriangular(a.data(), n, lower, unit, want.data(), k);
        CHECK(Error(x, want, 1) < kMost);
      }
  }
  TEST_CASE_TEMPLATE("QR: the factors of the plain method", T, float, double, std::complex<double>) {
    Cpu device;
    const Index sizes[][3] = {{64, 64, 64}, {100, 40, 40}, {100, 40, 100}, {40, 100, 40}, {33, 33, 33}, {90, 65, 70}};
    for (const auto& [m, n, kept] : sizes) {
      CAPTURE(m);
      CAPTURE(n);
      const std::vector<T> a = Matrix<T>(m, n, 8);
      std::vector<T> r = a, q(static_cast<std::size_t>(m * kept)), plain_r = a, plain_q = q;
      Blocked<T>(device).FactorQr(r.data(), m, n, kept, q.data());
      linalg::FactorQr(plain_r.data(), m, n, kept, plain_q.data());
      CHECK(Error(r, plain_r, m) < kMost);
      CHECK(Error(q, plain_q, m) < kMost);
      r.resize(static_cast<std::size_t>(kept * n));
      CHECK(Error(Product(q, r, m, kept, n), a, m) < kMost);
    }
  }
  TEST_CASE("QR of columns that are zero") {
    Cpu device;
    const Index n = 48;
    std::vector<double> a(static_cast<std::size_t>(n * n)), q(a.size());
    Blocked<double>(device).FactorQr(a.data(), n, n, n, q.data());
    CHECK(q[0] == 1);
    CHECK(a == std::vector<double>(a.size()));
  }
}
}  // namespace linalg_blocked_test
