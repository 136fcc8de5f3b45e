// SPDX-License-Identifier: Apache-2.0
#pragma once
// Decompositions of one small dense matrix, row-major, in place: LU, Cholesky, triangular systems, Householder's QR. T
// is float, double or a complex number of these. G. H. Golub and C. F. Van Loan, "Matrix Computations"
// (2013): 3.4, 4.2, 5.2, 5.5.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace linalg {

template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class T>
using Real = typename RealOf<T>::type;

inline float Conj(float x) { return x; }
inline double Conj(double x) { return x; }
template <class R>
std::complex<R> Conj(const std::complex<R>& x) {
  return {x.real(), -x.imag()};
}
template <class T>
Real<T> RealPart(const T& x) {
  return std::real(x);
}
// |x|^2
template <class T>
Real<T> Square(const T& x) {
  return std::real(x) * std::real(x) + std::imag(x) * std::imag(x);
}
// The product without the test for NaN that std::complex makes.
template <class R>
R Times(R a, R b) {
  return a * b;
}
template <class R>
std::complex<R> Times(const std::complex<R>& a, const std::complex<R>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
// y[j] -= f x[j]
template <class T>
void Subtract(const T& f, const T* x, T* y, Index n) {
  for (Index j = 0; j < n; ++j) y[j] -= Times(f, x[j]);
}

// a: [m, n]  ->  out: [n, m], conjugated.
template <class T>
void Adjoint(const T* a, Index m, Index n, T* out) {
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) out[j * m + i] = Conj(a[i * n + j]);
}
// a: [m, k]  b: [k, n]  ->  c: [m, n]
template <class T>
void Multiply(const T* a, const T* b, T* c, Index m, Index k, Index n) {
  std::fill(c, c + m * n, T(0));
  for (Index i = 0; i < m; ++i)
    for (Index p = 0; p < k; ++p) Subtract(T(-a[i * k + p]), b + p * n, c + i * n, n);
}

// a: [n, n] becomes L (below the diagonal, which is 1) and U, of the rows that `order` lists. False if a pivot is 0, or
// the first one NaN. *swaps: how many rows were exchanged.
template <class T>
bool FactorLu(T* a, Index n, Index* order, Index* swaps) {
  Real<T> smallest = 1;
  *swaps = 0;
  for (Index i = 0; i < n; ++i) order[i] = i;
  for (Index k = 0; k < n; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::abs(a[i * n + k]) > std::abs(a[pivot * n + k])) pivot = i;
    if (pivot != k) {
      std::swap_ranges(a + k * n, a + (k + 1) * n, a + pivot * n);
      std::swap(order[k], order[pivot]);
      ++*swaps;
    }
    const T top = a[k * n + k];
    if (k == 0 || std::abs(top) < smallest) smallest = std::abs(top);
    if (top == T(0)) continue;
    for (Index i = k + 1; i < n; ++i) {
      T& factor = a[i * n + k];
      factor /= top;
      Subtract(factor, a + k * n + k + 1, a + i * n + k + 1, n - k - 1);
    }
  }
  return smallest > 0;
}

// b: [n, k] becomes the solution of a x = b, where a: [n, n] is triangular; only its triangle is read.
template <class T>
void SolveTriangular(const T* a, Index n, bool lower, bool unit_diagonal, T* b, Index k) {
  for (Index step = 0; step < n; ++step) {
    const Index i = lower ? step : n - 1 - step;
    const Index begin = lower ? 0 : i + 1, end = lower ? i : n;
    for (Index j = begin; j < end; ++j) Subtract(a[i * n + j], b + j * k, b + i * k, k);
    if (unit_diagonal) continue;
    const T diagonal = a[i * n + i];
    for (Index j = 0; j < k; ++j) b[i * k + j] /= diagonal;
  }
}
// x: [n, k] = the solution for b, given the factors of FactorLu.
template <class T>
void SolveLu(const T* lu, const Index* order, Index n, const T* b, T* x, Index k) {
  for (Index i = 0; i < n; ++i) std::copy(b + order[i] * k, b + (order[i] + 1) * k, x + i * k);
  SolveTriangular(lu, n, true, true, x, k);
  SolveTriangular(lu, n, false, false, x, k);
}

// The lower triangle of a: [n, n] becomes its Cholesky factor, the upper one zero. False if a is not positive definite;
// NaN is taken for positive, as in TensorFlow.
template <class T>
bool FactorCholesky(T* a, Index n) {
  for (Index j = 0; j < n; ++j) {
    Real<T> diagonal = RealPart(a[j * n + j]);
    for (Index p = 0; p < j; ++p) diagonal -= Square(a[j * n + p]);
    if (diagonal <= 0) return false;
    diagonal = std::sqrt(diagonal);
    a[j * n + j] = T(diagonal);
    for (Index i = j + 1; i < n; ++i) {
      T sum = a[i * n + j];
      for (Index p = 0; p < j; ++p) sum -= Times(a[i * n + p], Conj(a[j * n + p]));
      a[i * n + j] = sum / diagonal;
      a[j * n + i] = T(0);
    }
  }
  return true;
}
// b becomes the solution of (l l^H) x = b. `scratch`: [n, n].
template <class T>
void SolveCholesky(const T* l, Index n, T* b, Index k, T* scratch) {
  SolveTriangular(l, n, true, false, b, k);
  Adjoint(l, n, n, scratch);
  SolveTriangular(scratch, n, false, false, b, k);
}

// a: [m, n] becomes R (upper triangle, zeros below), q: [m, kept] the first columns of the unitary factor, at least
// min(m, n) of them: a = q R. The diagonal of R has the sign that LAPACK gives it.
template <class T>
void FactorQr(T* a, Index m, Index n, Index kept, T* q) {
  const Index steps = std::min(m, n);
  SlimVector<T> taus(static_cast<std::size_t>(steps), T(0)), sums(static_cast<std::size_t>(std::max(n, kept)), T(0));
  // Step k multiplies by 1 - tau v v^H, where v is 0 up to k, 1 at k, and then what lies below k in column k of a.
  const auto v = [&](Index i, Index k) { return i == k ? T(1) : a[i * n + k]; };
  const auto multiply = [&](Index k, T tau, T* x, Index columns, Index from) {
    std::fill(sums.data() + from, sums.data() + columns, T(0));
    for (Index i = k; i < m; ++i)
      for (Index j = from; j < columns; ++j) sums.data()[j] += Times(Conj(v(i, k)), x[i * columns + j]);
    for (Index i = k; i < m; ++i)
      for (Index j = from; j < columns; ++j) x[i * columns + j] -= Times(Times(tau, sums.data()[j]), v(i, k));
  };
  for (Index k = 0; k < steps; ++k) {
    Real<T> tail = 0;
    for (Index i = k + 1; i < m; ++i) tail += Square(a[i * n + k]);
    const T alpha = a[k * n + k];
    if (tail == 0 && std::imag(alpha) == 0) continue;
    const Real<T> norm = std::sqrt(Square(alpha) + tail);
    const Real<T> beta = RealPart(alpha) >= 0 ? -norm : norm;
    const T tau = (beta - Conj(alpha)) / beta, scale = alpha - beta;  // which maps the column to beta
    for (Index i = k + 1; i < m; ++i) a[i * n + k] /= scale;
    multiply(k, tau, a, n, k + 1);
    a[k * n + k] = beta;
    taus.data()[k] = tau;
  }
  std::fill(q, q + m * kept, T(0));
  for (Index i = 0; i < std::min(m, kept); ++i) q[i * kept + i] = T(1);
  for (Index k = steps; k-- > 0;) {
    multiply(k, Conj(taus.data()[k]), q, kept, k);
    for (Index i = k + 1; i < m; ++i) a[i * n + k] = T(0);
  }
}

// x = (1 - tau v v^H) x, where v is 0 before element k, and 1 there whatever it holds.
template <class T>
void Reflect(const T* v, const T& tau, Index k, T* x, Index m) {
  T sum = x[k];
  for (Index i = k + 1; i < m; ++i) sum += Times(Conj(v[i]), x[i]);
  sum = Times(tau, sum);
  x[k] -= sum;
  Subtract(sum, v + k + 1, x + k + 1, m - k - 1);
}
// a P = q R by Householder's reflections, the longest column first (P. Businger and G. H. Golub, "Linear least squares
// solutions by Householder transformations", 1965). columns: the n columns of a, one behind the other, of m >= n
// elements; column k gets R's, and below them the reflection's vector, whose first element, 1, is left out. order[k]:
// which column it was. False, with columns half done, unless every diagonal element of R is larger than `ratio` of the
// first.
template <class T>
bool FactorPivotedQr(T* columns, Index m, Index n, Real<T> ratio, T* taus, Index* order) {
  Real<T> least = 0;
  for (Index k = 0; k < n; ++k) order[k] = k;
  for (Index k = 0; k < n; ++k) {
    Index longest = k;
    Real<T> most = -1;
    for (Index j = k; j < n; ++j) {
      Real<T> sum = 0;
      for (Index i = k; i < m; ++i) sum += Square(columns[j * m + i]);
      if (sum > most) most = sum, longest = j;
    }
    if (k == 0) least = most * ratio * ratio;
    if (!(most > least)) return false;
    if (longest != k) {
      std::swap_ranges(columns + k * m, columns + (k + 1) * m, columns + longest * m);
      std::swap(order[k], order[longest]);
    }
    T* const v = columns + k * m;
    const T alpha = v[k];
    const Real<T> norm = std::sqrt(most), beta = RealPart(alpha) >= 0 ? -norm : norm;
    const T scale = alpha - beta;
    taus[k] = (beta - Conj(alpha)) / beta;
    for (Index i = k + 1; i < m; ++i) v[i] /= scale;
    v[k] = beta;
    for (Index j = k + 1; j < n; ++j) Reflect(v, taus[k], k, columns + j * m, m);
  }
  return true;
}
// The x with which |a x - b| is least, from the factors of a: [m, n]; or where `wide`, the shortest x: [m, k] with
// a x = b, from those of a^H: [m, n]. scratch: [m].
template <class T>
void SolvePivotedQr(const T* columns, Index m, Index n, const T* taus, const Index* order, bool wide, const T* b, T* x,
                    Index k, T* scratch) {
  for (Index side = 0; side < k; ++side) {
    if (wide) {  // x = q R^-H P^T b
      for (Index j = 0; j < n; ++j) {
        T sum = b[order[j] * k + side];
        for (Index i = 0; i < j; ++i) sum -= Times(Conj(columns[j * m + i]), scratch[i]);
        scratch[j] = sum / RealPart(columns[j * m + j]);
      }
      std::fill(scratch + n, scratch + m, T(0));
      for (Index j = n; j-- > 0;) Reflect(columns + j * m, Conj(taus[j]), j, scratch, m);
      for (Index i = 0; i < m; ++i) x[i * k + side] = scratch[i];
    } else {  // x = P R^-1 q^H b
      for (Index i = 0; i < m; ++i) scratch[i] = b[i * k + side];
      for (Index j = 0; j < n; ++j) Reflect(columns + j * m, taus[j], j, scratch, m);
      for (Index j = n; j-- > 0;) {
        scratch[j] /= RealPart(columns[j * m + j]);
        Subtract(scratch[j], columns + j * m, scratch, j);
        x[order[j] * k + side] = scratch[j];
      }
    }
  }
}

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END
