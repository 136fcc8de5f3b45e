// SPDX-License-Identifier: Apache-2.0
#pragma once
// Decompositions of one dense matrix, row-major, in place: LU, Cholesky, triangular systems, Householder's QR, Jacobi's
// methods for eigenvalues and singular values. T is float, double or a complex number of these. G. H. Golub and C. F.
// Van Loan, "Matrix Computations" (2013): 3.4, 4.2, 5.2, 8.5, 8.6.

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

// The rotation that makes the Hermitian [[p, x], [conj(x), q]] diagonal: columns (c, -s conj(phase)) and (s phase, c).
template <class T>
struct Rotation {
  Real<T> c, s;
  T phase;

  Rotation(Real<T> p, Real<T> q, const T& x) {
    const Real<T> size = std::abs(x);
    phase = x / size;
    const Real<T> tau = (q - p) / (2 * size);
    const Real<T> t = (tau >= 0 ? 1 : -1) / (std::fabs(tau) + std::sqrt(1 + tau * tau));
    c = 1 / std::sqrt(1 + t * t);
    s = t * c;
  }
  // (x, y) = (x, y) times the rotation.
  void Columns(T* x, T* y) const {
    const T a = *x, b = *y;
    *x = c * a - s * Times(Conj(phase), b);
    *y = s * Times(phase, a) + c * b;
  }
};

inline constexpr int kJacobiSweeps = 60;

// Only the lower triangle of a: [n, n] is read; a is overwritten. e: eigenvalues, ascending; v: [n, n], their vectors
// as columns. Jacobi's method.
template <class T>
void EigenHermitian(T* a, Index n, Real<T>* e, T* v) {
  for (Index i = 0; i < n; ++i) {
    a[i * n + i] = T(RealPart(a[i * n + i]));
    for (Index j = 0; j < i; ++j) a[j * n + i] = Conj(a[i * n + j]);
  }
  std::fill(v, v + n * n, T(0));
  for (Index i = 0; i < n; ++i) v[i * n + i] = T(1);
  bool rotated = true;
  for (int sweep = 0; sweep < kJacobiSweeps && rotated; ++sweep) {
    rotated = false;
    for (Index p = 0; p < n; ++p) {
      for (Index q = p + 1; q < n; ++q) {
        const T x = a[p * n + q];
        const Real<T> size = std::abs(x),
                      around = std::fabs(RealPart(a[p * n + p])) + std::fabs(RealPart(a[q * n + q]));
        if (!(size > around * std::numeric_limits<Real<T>>::epsilon() * Real<T>(0.01)) || size == 0) continue;
        rotated = true;
        const Rotation<T> turn(RealPart(a[p * n + p]), RealPart(a[q * n + q]), x);
        for (Index i = 0; i < n; ++i) turn.Columns(&a[i * n + p], &a[i * n + q]);
        for (Index i = 0; i < n; ++i) {  // rows: the adjoint
          T r = Conj(a[p * n + i]), t = Conj(a[q * n + i]);
          turn.Columns(&r, &t);
          a[p * n + i] = Conj(r);
          a[q * n + i] = Conj(t);
        }
        a[p * n + q] = a[q * n + p] = T(0);
        for (Index i = 0; i < n; ++i) turn.Columns(&v[i * n + p], &v[i * n + q]);
      }
    }
  }
  for (Index i = 0; i < n; ++i) e[i] = RealPart(a[i * n + i]);
  for (Index i = 0; i < n; ++i) {  // ascending
    const Index least = std::min_element(e + i, e + n) - e;
    if (least == i) continue;
    std::swap(e[i], e[least]);
    for (Index r = 0; r < n; ++r) std::swap(v[r * n + i], v[r * n + least]);
  }
}

// Columns [from, n) of u: [m, n] (n <= m) become unit vectors orthogonal to those before them.
template <class T>
void CompleteBasis(T* u, Index m, Index n, Index from) {
  for (Index j = from; j < n; ++j) {
    Index farthest = 0;  // the axis that the columns so far have least of
    Real<T> least = std::numeric_limits<Real<T>>::infinity();
    for (Index i = 0; i < m; ++i) {
      Real<T> share = 0;
      for (Index p = 0; p < j; ++p) share += Square(u[i * n + p]);
      if (share < least) {
        least = share;
        farthest = i;
      }
    }
    for (Index i = 0; i < m; ++i) u[i * n + j] = T(i == farthest ? 1 : 0);
    for (int pass = 0; pass < 2; ++pass) {  // Gram and Schmidt, twice
      for (Index p = 0; p < j; ++p) {
        T dot = T(0);
        for (Index i = 0; i < m; ++i) dot += Times(Conj(u[i * n + p]), u[i * n + j]);
        for (Index i = 0; i < m; ++i) u[i * n + j] -= Times(dot, u[i * n + p]);
      }
      Real<T> norm = 0;
      for (Index i = 0; i < m; ++i) norm += Square(u[i * n + j]);
      norm = std::sqrt(norm);
      for (Index i = 0; i < m; ++i) u[i * n + j] /= norm;
    }
  }
}

// a: [m, n], m >= n, becomes its left singular vectors [m, n]; s: [n], descending; v: [n, n]: a = u s v^H. One-sided
// Jacobi.
template <class T>
void SvdTall(T* a, Index m, Index n, Real<T>* s, T* v) {
  std::fill(v, v + n * n, T(0));
  for (Index i = 0; i < n; ++i) v[i * n + i] = T(1);
  bool rotated = true;
  for (int sweep = 0; sweep < kJacobiSweeps && rotated; ++sweep) {
    rotated = false;
    for (Index p = 0; p < n; ++p) {
      for (Index q = p + 1; q < n; ++q) {
        Real<T> pp = 0, qq = 0;
        T pq = T(0);
        for (Index i = 0; i < m; ++i) {
          pp += Square(a[i * n + p]);
          qq += Square(a[i * n + q]);
          pq += Times(Conj(a[i * n + p]), a[i * n + q]);
        }
        const Real<T> size = std::abs(pq);
        if (!(size > std::sqrt(pp) * std::sqrt(qq) * std::numeric_limits<Real<T>>::epsilon()) || size == 0) continue;
        rotated = true;
        const Rotation<T> turn(pp, qq, pq);
        for (Index i = 0; i < m; ++i) turn.Columns(&a[i * n + p], &a[i * n + q]);
        for (Index i = 0; i < n; ++i) turn.Columns(&v[i * n + p], &v[i * n + q]);
      }
    }
  }
  for (Index j = 0; j < n; ++j) {
    Real<T> norm = 0;
    for (Index i = 0; i < m; ++i) norm += Square(a[i * n + j]);
    s[j] = std::sqrt(norm);
  }
  for (Index j = 0; j < n; ++j) {  // descending
    const Index most = std::max_element(s + j, s + n) - s;
    if (most == j) continue;
    std::swap(s[j], s[most]);
    for (Index i = 0; i < m; ++i) std::swap(a[i * n + j], a[i * n + most]);
    for (Index i = 0; i < n; ++i) std::swap(v[i * n + j], v[i * n + most]);
  }
  Index rank = 0;
  const Real<T> tiny = n > 0 ? s[0] * std::numeric_limits<Real<T>>::epsilon() * Real<T>(0.01) : 0;
  for (; rank < n && s[rank] > tiny; ++rank)
    for (Index i = 0; i < m; ++i) a[i * n + rank] /= s[rank];
  if (n > 0 && !(s[0] == s[0])) return;  // NaN
  CompleteBasis(a, m, n, rank);
}

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END
