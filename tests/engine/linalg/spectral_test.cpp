// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/linalg/spectral.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

namespace linalg_spectral_test {
using namespace tenon;
using namespace tenon::linalg;

namespace {

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
// The largest element of u diag(s) v^H - a, or without s of u^H u - 1, in roundings. u: [m, u_row], v: [n, v_row].
template <class T>
double ProductError(const std::vector<T>& u, Index u_row, const std::vector<Real<T>>& s, const std::vector<T>& v,
                    Index v_row, const std::vector<T>& a, Index m, Index n) {
  double most = 0;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      T sum = -a[static_cast<std::size_t>(i * n + j)];
      for (std::size_t p = 0; p < s.size(); ++p)
        sum += u[static_cast<std::size_t>(i * u_row) + p] * s[p] * Conj(v[static_cast<std::size_t>(j * v_row) + p]);
      most = std::max(most, static_cast<double>(std::abs(sum)));
    }
  return most / static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
}
template <class T>
double UnitaryError(const std::vector<T>& u, Index m, Index columns) {
  double most = 0;
  for (Index i = 0; i < columns; ++i)
    for (Index j = 0; j < columns; ++j) {
      T sum = T(i == j ? -1 : 0);
      for (Index r = 0; r < m; ++r)
        sum += Conj(u[static_cast<std::size_t>(r * columns + i)]) * u[static_cast<std::size_t>(r * columns + j)];
      most = std::max(most, static_cast<double>(std::abs(sum)));
    }
  return most / static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
}

// Values with vectors are those without, in roundings of the largest.
template <class R>
void CheckClose(const std::vector<R>& got, const std::vector<R>& want, double size) {
  double most = 0;
  for (std::size_t i = 0; i < got.size(); ++i) most = std::max(most, static_cast<double>(std::fabs(got[i] - want[i])));
  const auto count = static_cast<double>(got.size());
  CHECK(most <= (got.size() <= 40 ? 0 : 2 * count * size * static_cast<double>(std::numeric_limits<R>::epsilon())));
}
template <class T>
void CheckEigen(const std::vector<T>& a, Index n) {
  CAPTURE(n);
  Cpu device;
  std::vector<T> work = a, v(a.size());
  std::vector<Real<T>> e(static_cast<std::size_t>(n)), alone = e;
  REQUIRE(Spectral<T>(device).EigenHermitian(work.data(), n, e.data(), v.data()));
  CHECK(std::is_sorted(e.begin(), e.end()));
  const double size = 1 + static_cast<double>(std::max(std::fabs(e.front()), std::fabs(e.back())));
  CHECK(ProductError(v, n, e, v, n, a, n, n) < 10 * std::sqrt(static_cast<double>(n)) * size);
  CHECK(UnitaryError(v, n, n) < 20 * std::sqrt(static_cast<double>(n)));
  work = a;
  REQUIRE(Spectral<T>(device).EigenHermitian(work.data(), n, alone.data(), nullptr));
  CheckClose(alone, e, size);
}
template <class T>
void CheckSvd(const std::vector<T>& a, Index m, Index n, Index kept) {
  CAPTURE(m);
  CAPTURE(n);
  Cpu device;
  std::vector<T> work = a, u(static_cast<std::size_t>(m * kept)), v(static_cast<std::size_t>(n * n));
  std::vector<Real<T>> s(static_cast<std::size_t>(n)), alone = s;
  REQUIRE(Spectral<T>(device).SvdTall(work.data(), m, n, kept, s.data(), u.data(), v.data()));
  CHECK(std::is_sorted(s.rbegin(), s.rend()));
  CHECK(s.back() >= 0);
  const double size = 1 + static_cast<double>(s.front());
  CHECK(ProductError(u, kept, s, v, n, a, m, n) < 10 * std::sqrt(static_cast<double>(m)) * size);
  CHECK(UnitaryError(u, m, kept) < 20 * std::sqrt(static_cast<double>(m)));
  CHECK(UnitaryError(v, n, n) < 20 * std::sqrt(static_cast<double>(n)));
  work = a;
  REQUIRE(Spectral<T>(device).SvdTall(work.data(), m, n, kept, alone.data(), nullptr, nullptr));
  CheckClose(alone, s, size);
}

}  // namespace

TEST_SUITE("spectral decompositions") {
  TEST_CASE_TEMPLATE("Hermitian matrices", T, float, double, std::complex<float>, std::complex<double>) {
    for (const Index n : {1, 2, 3, 17, 33, 40, 41, 64, 70, 131}) {
      std::vector<T> a = Matrix<T>(n, n, 7);
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j <= i; ++j)
          a[static_cast<std::size_t>(j * n + i)] = i == j ? T(RealPart(a[static_cast<std::size_t>(i * n + i)]))
                                                          : Conj(a[static_cast<std::size_t>(i * n + j)]);
      CheckEigen(a, n);
    }
  }
  TEST_CASE_TEMPLATE("special symmetric matrices", Size, std::integral_constant<Index, 40>,
                     std::integral_constant<Index, 150>) {
    const Index n = Size::value;
    std::vector<double> a(static_cast<std::size_t>(n * n));
    CheckEigen(a, n);  // zeros
    for (Index i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] = 3;
    CheckEigen(a, n);
    for (double& x : a) x = 1;  // rank 1
    CheckEigen(a, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) a[static_cast<std::size_t>(i * n + j)] = std::abs(i - j) == 1 ? 1 : 0;
    CheckEigen(a, n);
    for (Index i = 0; i < n; ++i)  // graded
      for (Index j = 0; j < n; ++j)
        a[static_cast<std::size_t>(i * n + j)] = std::pow(10.0, -0.4 * static_cast<double>(i + j));
    CheckEigen(a, n);
    for (Index i = 0; i < n; ++i)  // Wilkinson's, which are almost equal in pairs, in a chain
      for (Index j = 0; j < n; ++j) {
        const double beside = std::max(i, j) % 21 == 0 ? 1e-4 : 1;
        a[static_cast<std::size_t>(i * n + j)] = i == j                 ? std::abs(static_cast<double>(i % 21 - 10))
                                                 : std::abs(i - j) == 1 ? beside
                                                                        : 0;
      }
    CheckEigen(a, n);
    for (Index i = 0; i < n; ++i)  // values in three clusters
      for (Index j = 0; j < n; ++j)
        a[static_cast<std::size_t>(i * n + j)] = i == j                 ? 1 + 1e-8 * static_cast<double>(i % 3)
                                                 : std::abs(i - j) == 1 ? -1e-7
                                                                        : 0;
    CheckEigen(a, n);
  }
  TEST_CASE_TEMPLATE("singular values", T, float, double, std::complex<float>, std::complex<double>) {
    const Index sizes[][3] = {{1, 1, 1},    {2, 2, 2}, {33, 33, 33}, {70, 70, 70}, {50, 20, 20},
                              {50, 40, 50}, {9, 1, 9}, {99, 98, 98}, {130, 41, 41}};
    for (const auto& [m, n, kept] : sizes) CheckSvd(Matrix<T>(m, n, 21), m, n, kept);
  }
  TEST_CASE_TEMPLATE("special matrices", Size, std::integral_constant<Index, 36>, std::integral_constant<Index, 150>) {
    const Index n = Size::value;
    std::vector<double> a(static_cast<std::size_t>(n * n));
    CheckSvd(a, n, n, n);  // zeros
    for (Index i = 0; i < n; ++i) a[static_cast<std::size_t>(i * n + i)] = -2;
    CheckSvd(a, n, n, n);
    for (double& x : a) x = 1;
    CheckSvd(a, n, n, n);
    a.assign(a.size(), 0);  // nilpotent, with zeros on the diagonal
    for (Index i = 0; i + 1 < n; ++i) a[static_cast<std::size_t>(i * n + i + 1)] = static_cast<double>(i % 5);
    CheckSvd(a, n, n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        a[static_cast<std::size_t>(i * n + j)] = j < i ? 0 : i == j ? (i == 7 || i == n - 1 ? 0.0 : 1.0) : 0.5;
    CheckSvd(a, n, n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        a[static_cast<std::size_t>(i * n + j)] = std::pow(10.0, -0.5 * static_cast<double>(i + j));
    CheckSvd(a, n, n, n);
    for (Index i = 0; i < n; ++i)  // bidiagonal, with small values on the diagonal
      for (Index j = 0; j < n; ++j)
        a[static_cast<std::size_t>(i * n + j)] = i == j ? (i % 4 == 0 ? 1 : 1e-9) : j == i + 1 ? 1 : 0;
    CheckSvd(a, n, n, n);
    for (Index i = 0; i < n; ++i)  // Hilbert's
      for (Index j = 0; j < n; ++j) a[static_cast<std::size_t>(i * n + j)] = 1 / static_cast<double>(i + j + 1);
    CheckSvd(a, n, n, n);
  }
  TEST_CASE("matrices with elements that are not finite have no singular values") {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
      for (std::size_t at = 0; at < 6; ++at) {
        Cpu device;
        std::vector<double> a{1, 2, 3, 4, 5, 6}, s(2);
        a[at] = bad;
        CHECK_FALSE(Spectral<double>(device).SvdTall(a.data(), 3, 2, 2, s.data(), nullptr, nullptr));
      }
  }
  TEST_CASE("numbers whose squares are not floats") {
    for (const float size : {1e30f, 1e-30f}) {
      Cpu device;
      std::vector<float> a{3 * size, 0, 0, 4 * size}, v(4), u(4), s(2);
      std::vector<float> b = a;
      REQUIRE(Spectral<float>(device).EigenHermitian(a.data(), 2, s.data(), v.data()));
      CHECK(s[1] == doctest::Approx(4 * size));
      REQUIRE(Spectral<float>(device).SvdTall(b.data(), 2, 2, 2, s.data(), u.data(), v.data()));
      CHECK(s[0] == doctest::Approx(4 * size));
    }
  }
}
}  // namespace linalg_spectral_test
