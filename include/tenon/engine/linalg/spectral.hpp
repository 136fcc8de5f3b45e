// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eigenvalues of Hermitian matrices and singular values, with their vectors, row-major: reduction to a tridiagonal or
// bidiagonal matrix by blocks of reflectors, then implicit QR steps. G. H. Golub and C. F. Van Loan, "Matrix
// Computations" (2013), 8.3 and 8.6; J. Dongarra, S. Hammarling, D. Sorensen, "Block Reduction of Matrices to Condensed
// Forms for Eigenvalue Computations" (1989).

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/linalg/blocked.hpp>
#include <tenon/engine/linalg/decompositions.hpp>
#include <tenon/engine/linalg/rotations.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace linalg {

inline constexpr Index kQrSteps = 60;  // for each value, at most

// Givens: c and s with c x + s y = r, c y - s x = 0.
template <class R>
R MakeRotation(R x, R y, R* c, R* s) {
  const R r = std::hypot(x, y);
  *c = r == 0 ? R(1) : x / r;
  *s = r == 0 ? R(0) : y / r;
  return r;
}
// Whether an element beside the diagonal is nothing beside its two neighbours on it.
template <class R>
bool IsNegligible(R beside, R a, R b) {
  constexpr R kTiny = std::numeric_limits<R>::min() / std::numeric_limits<R>::epsilon();
  return std::fabs(beside) <= std::numeric_limits<R>::epsilon() * (std::fabs(a) + std::fabs(b)) + kTiny;
}
// The unreduced block [*lo, *hi] that ends last, after elements that are negligible became 0. False: there is none.
template <class R>
bool FindBlock(const R* d, R* e, Index* lo, Index* hi) {
  for (Index k = 0; k < *hi; ++k)
    if (IsNegligible(e[k], d[k], d[k + 1])) e[k] = 0;
  while (*hi > 0 && e[*hi - 1] == 0) --*hi;
  *lo = *hi;
  while (*lo > 0 && e[*lo - 1] != 0) --*lo;
  return *hi > 0;
}

// The eigenvalues of the symmetric tridiagonal matrix of diagonal d: [n] and e: [n - 1] beside it, in d, unordered.
// False without convergence. The rotations make an orthogonal matrix's rows the eigenvectors if it begins as 1.
template <class R>
bool TridiagonalEigenvalues(R* d, R* e, Index n, Rotations<R>* rotations) {
  Index hi = n - 1, lo = 0;
  for (Index steps = 0; n > 0 && FindBlock(d, e, &lo, &hi); ++steps) {
    if (steps > kQrSteps * n) return false;
    // Wilkinson's shift
    const R half = (d[hi - 1] - d[hi]) / 2, last = e[hi - 1];
    const R root = std::hypot(half, last);
    R x = d[lo] - (d[hi] - last / (half + (half < 0 ? -root : root)) * last), y = e[lo], c, s;
    for (Index k = lo; k < hi; ++k) {
      const R r = MakeRotation(x, y, &c, &s);
      if (k > lo) e[k - 1] = r;
      const R a = d[k], b = d[k + 1], cross = e[k];
      const R turned = s * (b - a) + 2 * c * cross;  // d[k] + s turned is the new diagonal
      d[k] = a + s * turned;
      d[k + 1] = b - s * turned;
      e[k] = c * turned - cross;
      if (k + 1 < hi) {
        x = e[k];
        y = s * e[k + 1];
        e[k + 1] *= c;
      }
      rotations->Add(k, k + 1, c, s);
    }
  }
  rotations->Apply();
  return true;
}

// The singular values of the upper bidiagonal matrix of d: [n] and e: [n - 1], in d, positive, unordered. False without
// convergence. `left` and `right` make the rows of two matrices the singular vectors.
template <class R>
class BidiagonalSteps {
 public:
  BidiagonalSteps(R* d, R* e, Index n, Rotations<R>* left, Rotations<R>* right)
      : d_(d), e_(e), n_(n), left_(left), right_(right) {}

  bool Run() {
    Index hi = n_ - 1, lo = 0;
    R norm = 0;
    for (Index k = 0; k < n_; ++k) norm = std::max(norm, std::fabs(d_[k]) + (k + 1 < n_ ? std::fabs(e_[k]) : R(0)));
    const R nothing = norm * std::numeric_limits<R>::epsilon();
    for (Index steps = 0; n_ > 0 && FindBlock(d_, e_, &lo, &hi); ++steps) {
      if (steps > kQrSteps * n_) return false;
      Index zero = lo;
      while (zero <= hi && std::fabs(d_[zero]) > nothing) ++zero;
      if (zero < hi)
        ClearRow(zero, hi);
      else if (zero == hi)
        ClearColumn(lo, hi);
      else
        Step(lo, hi);
    }
    left_->Apply();
    right_->Apply();
    return true;
  }

 private:
  void ClearRow(Index zero, Index hi) {
    R f = e_[zero], c, s;
    d_[zero] = e_[zero] = 0;
    for (Index k = zero + 1; k <= hi && f != 0; ++k) {
      d_[k] = MakeRotation(d_[k], f, &c, &s);
      if (k < hi) {
        f = -s * e_[k];
        e_[k] *= c;
      }
      left_->Add(k, zero, c, s);
    }
  }
  void ClearColumn(Index lo, Index hi) {
    R f = e_[hi - 1], c, s;
    d_[hi] = e_[hi - 1] = 0;
    for (Index k = hi; k-- > lo && f != 0;) {
      d_[k] = MakeRotation(d_[k], f, &c, &s);
      if (k > lo) {
        f = -s * e_[k - 1];
        e_[k - 1] *= c;
      }
      right_->Add(k, hi, c, s);
    }
  }
  void Step(Index lo, Index hi) {
    const R dm = d_[hi - 1], dn = d_[hi], fm = e_[hi - 1], before = hi - 1 > lo ? e_[hi - 2] : R(0);
    const R corner = dn * dn + fm * fm, cross = dm * fm, half = ((dm - dn) * (dm + dn) + before * before - fm * fm) / 2;
    const R root = std::hypot(half, cross), below = half + (half < 0 ? -root : root);
    const R shift = below == 0 ? corner : corner - cross / below * cross;
    R y = d_[lo] - shift / d_[lo], z = e_[lo], c, s;
    for (Index k = lo; k < hi; ++k) {
      R r = MakeRotation(y, z, &c, &s);
      if (k > lo) e_[k - 1] = r;
      y = c * d_[k] + s * e_[k];
      e_[k] = c * e_[k] - s * d_[k];
      z = s * d_[k + 1];
      d_[k + 1] *= c;
      right_->Add(k, k + 1, c, s);
      d_[k] = MakeRotation(y, z, &c, &s);
      y = c * e_[k] + s * d_[k + 1];
      d_[k + 1] = c * d_[k + 1] - s * e_[k];
      e_[k] = y;
      if (k + 1 < hi) {
        z = s * e_[k + 1];
        e_[k + 1] *= c;
      }
      left_->Add(k, k + 1, c, s);
    }
  }

  R *d_, *e_;
  Index n_;
  Rotations<R>*left_, *right_;
};

// The two decompositions of dense matrices. T is float, double or a complex number of these. one thread.
template <class T>
class Spectral {
 public:
  explicit Spectral(Cpu& device) : blocked_(device) {}

  // EigenHermitian; v may be null. False: no convergence, which finite matrices have.
  bool EigenHermitian(T* a, Index n, Real<T>* e, T* v) {
    Real<T> scale = 0;
    for (Index i = 0; i < n; ++i) {
      a[i * n + i] = T(RealPart(a[i * n + i]));
      for (Index j = 0; j < i; ++j) a[j * n + i] = Conj(a[i * n + j]);
    }
    if (n == 1) {
      *e = RealPart(*a);
      if (v != nullptr) *v = T(1);
      return true;
    }
    scale = Scale(a, n * n);
    SlimVector<Real<T>> beside = Zeros<Real<T>>(n);
    SlimVector<T> taus = Zeros<T>(n);
    Tridiagonalize(a, n, e, beside.data(), taus.data());
    SlimVector<Real<T>> rows = v == nullptr ? SlimVector<Real<T>>() : Identity(n);
    Rotations<Real<T>> rotations(v == nullptr ? nullptr : rows.data(), n);
    if (!TridiagonalEigenvalues(e, beside.data(), n, &rotations)) return false;
    const SlimVector<Index> order = Sort(e, n, false);
    if (v != nullptr) {
      Gather(rows.data(), order.data(), n, v, n);
      TurnBack(a + n, n, n, n - 1, taus.data(), false, v, n);
    }
    for (Index i = 0; i < n; ++i) e[i] *= scale;
    return true;
  }

  // a: [m, n], m >= n, is overwritten; s: [n], descending; u: [m, kept], n or m columns; v: [n, n]: a = u s v^H. u and
  // v may be null, both of them. False: an element is not finite, or there is no convergence.
  bool SvdTall(T* a, Index m, Index n, Index kept, Real<T>* s, T* u, T* v) {
    if (!AreFinite(a, m * n)) return false;
    const Real<T> scale = Scale(a, m * n);
    const bool vectors = u != nullptr;
    if (m > n) blocked_.FactorQr(a, m, n, kept, vectors ? u : Keep(m * kept));
    SlimVector<Real<T>> beside = Zeros<Real<T>>(n);
    SlimVector<T> taus = Zeros<T>(2 * n);
    Bidiagonalize(a, n, s, beside.data(), taus.data(), taus.data() + n);
    SlimVector<Real<T>> lefts = vectors ? Identity(n) : SlimVector<Real<T>>(),
                        rights = vectors ? Identity(n) : SlimVector<Real<T>>();
    Rotations<Real<T>> left(vectors ? lefts.data() : nullptr, n), right(vectors ? rights.data() : nullptr, n);
    if (!BidiagonalSteps<Real<T>>(s, beside.data(), n, &left, &right).Run()) return false;
    for (Index i = 0; i < n; ++i) {
      if (!std::signbit(s[i])) continue;
      s[i] = -s[i];
      if (!vectors) continue;
      Real<T>* const line = rights.data() + i * Rotations<Real<T>>::RowSize(n);
      for (Index j = 0; j < n; ++j) line[j] = -line[j];
    }
    const SlimVector<Index> order = Sort(s, n, true);
    if (vectors) {
      Gather(rights.data(), order.data(), n, v, n);
      SlimVector<T> reflectors = Zeros<T>(n * n);  // those of the rows, as columns
      for (Index i = 0; i < n; ++i)
        for (Index j = i + 1; j < n; ++j) reflectors.data()[j * n + i] = a[i * n + j];
      TurnBack(reflectors.data() + n, n, n, n - 1, taus.data() + n, false, v, n);
      SlimVector<T> small = Zeros<T>(n * n);
      Gather(lefts.data(), order.data(), n, small.data(), n);
      TurnBack(a, n, n, n, taus.data(), true, small.data(), n);
      FinishLeft(small.data(), m, n, kept, u);
    }
    for (Index i = 0; i < n; ++i) s[i] *= scale;
    return true;
  }

 private:
  static constexpr Index kPanel = Blocked<T>::kPanel;

  template <class U>
  static SlimVector<U> Zeros(Index n) {
    return SlimVector<U>(static_cast<std::size_t>(std::max<Index>(n, 1)), U(0));
  }
  // A matrix for Rotations.
  static SlimVector<Real<T>> Identity(Index n) {
    const Index row = Rotations<Real<T>>::RowSize(n);
    SlimVector<Real<T>> rows = Zeros<Real<T>>(n * row);
    for (Index i = 0; i < n; ++i) rows.data()[i * row + i] = 1;
    return rows;
  }
  T* Keep(Index n) {
    kept_ = Zeros<T>(n);
    return kept_.data();
  }
  // Divides by the largest element, so that squares neither overflow nor vanish; returns it.
  static bool AreFinite(const T* a, Index n) {
    return std::all_of(a, a + n, [](T x) { return std::isfinite(RealPart(x)) && std::isfinite(std::imag(x)); });
  }
  static Real<T> Scale(T* a, Index n) {
    Real<T> most = 0;
    for (Index i = 0; i < n; ++i)
      most = std::max({most, std::fabs(RealPart(a[i])), static_cast<Real<T>>(std::fabs(std::imag(a[i])))});
    if (most == 0) return 1;
    for (Index i = 0; i < n; ++i) a[i] /= most;
    return most;
  }
  // The order of values in which they rise or fall; the values come into it.
  static SlimVector<Index> Sort(Real<T>* values, Index n, bool fall) {
    SlimVector<Index> order(static_cast<std::size_t>(n), 0);
    for (Index i = 0; i < n; ++i) order.data()[i] = i;
    SlimVector<Real<T>> copy = Zeros<Real<T>>(n);
    std::copy(values, values + n, copy.data());
    std::sort(order.data(), order.data() + n, [&](Index x, Index y) {
      const Real<T> p = copy.data()[x], q = copy.data()[y];
      return p != q ? (fall ? q < p : p < q) : x < y;
    });
    for (Index i = 0; i < n; ++i) values[i] = copy.data()[order.data()[i]];
    return order;
  }
  // Column i of out = row order[i].
  static void Gather(const Real<T>* rows, const Index* order, Index n, T* out, Index out_row) {
    for (Index i = 0; i < n; ++i) {
      const Real<T>* const from = rows + order[i] * Rotations<Real<T>>::RowSize(n);
      for (Index j = 0; j < n; ++j) out[j * out_row + i] = T(from[j]);
    }
  }
  // c = P_0^H P_1^H ... c, c: [n, n]: `count` reflectors P = 1 - tau v v^H below the diagonal of `a`: [rows, count],
  // whose first row is row `!whole` of c.
  void TurnBack(const T* a, Index row, Index n, Index count, const T* taus, bool whole, T* c, Index c_row) {
    if (count <= 0) return;
    const Index skip = whole ? 0 : 1;
    SlimVector<T> v = Zeros<T>(n * kPanel), s = Zeros<T>(kPanel * kPanel);
    for (Index k = (count - 1) / kPanel * kPanel; k >= 0; k -= kPanel) {
      const Index width = std::min(kPanel, count - k), m = n - skip - k;
      Blocked<T>::CopyReflectors(a + k * row + k, row, m, width, v.data());
      blocked_.FactorOf(v.data(), m, width, taus + k, s.data());
      blocked_.Reflect(v.data(), m, width, s.data(), true, c + (k + skip) * c_row, c_row, n);
    }
  }
  // u: [m, kept], whose first n columns are to be multiplied by small: [n, n]; u = small where m = n.
  void FinishLeft(const T* small, Index m, Index n, Index kept, T* u) {
    if (m == n) {
      std::copy(small, small + n * n, u);
      return;
    }
    SlimVector<T> first = Zeros<T>(m * n), product = Zeros<T>(m * n);
    for (Index i = 0; i < m; ++i) std::copy(u + i * kept, u + i * kept + n, first.data() + i * n);
    blocked_.Multiply(first.data(), small, product.data(), m, n, n);
    for (Index i = 0; i < m; ++i) std::copy(product.data() + i * n, product.data() + (i + 1) * n, u + i * kept);
  }

  // x: [m] becomes v, whose first element is 1: (1 - tau v v^H) x = beta and zeros.
  static Real<T> MakeReflector(T* x, Index m, T* tau) {
    Real<T> tail = 0;
    for (Index i = 1; i < m; ++i) tail += Square(x[i]);
    const T alpha = x[0];
    *tau = T(0);
    x[0] = T(1);
    if (tail == 0 && std::imag(alpha) == 0) {
      std::fill(x + 1, x + m, T(0));
      return RealPart(alpha);
    }
    const Real<T> norm = std::sqrt(Square(alpha) + tail), beta = RealPart(alpha) >= 0 ? -norm : norm;
    const T scale = T(1) / (alpha - beta);
    *tau = (beta - Conj(alpha)) / beta;
    for (Index i = 1; i < m; ++i) x[i] = Times(x[i], scale);
    return beta;
  }

  // A matrix [n, kPanel] of a panel's vectors.
  struct Vectors {
    SlimVector<T> data;
    explicit Vectors(Index n) : data(Zeros<T>(n * kPanel)) {}
    T* At(Index i, Index p = 0) { return data.data() + i * kPanel + p; }
  };
  // out: [m] -= x y^H z, the first `count` columns of x: [m, ...] and y: [k, ...]; conj: [k], the conjugates of z.
  void SubtractTwice(const T* x, Index m, const T* y, Index k, Index count, const T* conj, T* out) {
    if (count == 0) return;
    T sums[kPanel] = {};
    const T* const product = blocked_.Product(count, 1, k, y, 1, kPanel, conj, 1, 1);
    for (Index p = 0; p < count; ++p) sums[p] = Conj(product[p]);
    blocked_.SubtractProduct(m, 1, count, x, kPanel, 1, sums, 1, 1, out, 1);
  }
  // Elements i * a_step of a, i in [0, m), -= x conj(y), y one row.
  static void SubtractDots(const T* x, Index m, const T* y, Index count, T* a, Index a_step) {
    for (Index i = 0; i < m; ++i) {
      T sum = T(0);
      for (Index p = 0; p < count; ++p) sum += Times(x[i * kPanel + p], Conj(y[p]));
      a[i * a_step] -= sum;
    }
  }
  // Elements i * a_step of a -= conj(x) y, y one row.
  static void SubtractConjugateDots(const T* x, Index m, const T* y, Index count, T* a, Index a_step) {
    for (Index i = 0; i < m; ++i) {
      T sum = T(0);
      for (Index p = 0; p < count; ++p) sum += Times(Conj(x[i * kPanel + p]), y[p]);
      a[i * a_step] -= sum;
    }
  }
  // c: [m, m] -= x y^H
  void SubtractOuterProducts(const T* x, const T* y, Index m, Index width, T* c, Index c_row) {
    Index y_row = kPanel;
    const T* const conj = blocked_.Conjugates(y, &y_row, m, width);
    blocked_.SubtractProduct(m, m, width, x, kPanel, 1, conj, 1, y_row, c, c_row);
  }

  // Hermitian a: [n, n], both triangles; reflectors below the elements beside the diagonal.
  void Tridiagonalize(T* a, Index n, Real<T>* d, Real<T>* e, T* taus) {
    Vectors v(n), w(n);
    SlimVector<T> x = Zeros<T>(n), conj = Zeros<T>(n), p = Zeros<T>(n);
    for (Index k = 0; k < n - 1; k += kPanel) {
      const Index width = std::min(kPanel, n - 1 - k);
      for (Index i = 0; i < width; ++i) {
        const Index j = k + i, m = n - j - 1;
        T* const column = a + j * n + j;
        SubtractDots(v.At(j), m + 1, w.At(j), i, column, n);
        SubtractDots(w.At(j), m + 1, v.At(j), i, column, n);
        d[j] = RealPart(*column);
        for (Index t = 0; t < m; ++t) x.data()[t] = column[(t + 1) * n];
        T tau;
        e[j] = MakeReflector(x.data(), m, &tau);
        taus[j] = tau;
        for (Index t = 0; t < m; ++t) {
          column[(t + 1) * n] = *v.At(j + 1 + t, i) = x.data()[t];
          conj.data()[t] = Conj(x.data()[t]);
        }
        const T* const product = blocked_.Product(m, 1, m, column + n + 1, n, 1, x.data(), 1, 1);
        std::copy(product, product + m, p.data());
        SubtractTwice(v.At(j + 1), m, w.At(j + 1), m, i, conj.data(), p.data());
        SubtractTwice(w.At(j + 1), m, v.At(j + 1), m, i, conj.data(), p.data());
        Real<T> size = 0;
        for (Index t = 0; t < m; ++t) size += RealPart(Times(conj.data()[t], p.data()[t]));
        const Real<T> half = Square(tau) * size / 2;
        for (Index t = 0; t < m; ++t) *w.At(j + 1 + t, i) = Times(Conj(tau), p.data()[t]) - half * x.data()[t];
      }
      const Index next = k + width, m = n - next;
      SubtractOuterProducts(v.At(next), w.At(next), m, width, a + next * n + next, n);
      SubtractOuterProducts(w.At(next), v.At(next), m, width, a + next * n + next, n);
    }
    if (n > 0) d[n - 1] = RealPart(a[(n - 1) * n + n - 1]);
  }

  // a: [n, n] becomes upper bidiagonal; reflectors below the diagonal, and behind the elements beside it.
  void Bidiagonalize(T* a, Index n, Real<T>* d, Real<T>* e, T* left_taus, T* right_taus) {
    Vectors v(n), y(n), x(n), w(n);  // a - v y^H - x w^H
    SlimVector<T> line = Zeros<T>(n), conj = Zeros<T>(n), sum = Zeros<T>(n);
    for (Index k = 0; k < n; k += kPanel) {
      const Index width = std::min(kPanel, n - k);
      for (Index i = 0; i < width; ++i) {
        const Index j = k + i, rows = n - j, columns = n - j - 1;
        T* const corner = a + j * n + j;
        SubtractDots(v.At(j), rows, y.At(j), i, corner, n);
        SubtractDots(x.At(j), rows, w.At(j), i, corner, n);
        for (Index t = 0; t < rows; ++t) line.data()[t] = corner[t * n];
        d[j] = MakeReflector(line.data(), rows, &left_taus[j]);
        for (Index t = 0; t < rows; ++t) {
          corner[t * n] = *v.At(j + t, i) = line.data()[t];
          conj.data()[t] = Conj(line.data()[t]);
        }
        if (columns == 0) break;
        const T* product = blocked_.Product(columns, 1, rows, corner + 1, 1, n, conj.data(), 1, 1);
        for (Index t = 0; t < columns; ++t) sum.data()[t] = Conj(product[t]);
        SubtractTwice(y.At(j + 1), columns, v.At(j), rows, i, conj.data(), sum.data());
        SubtractTwice(w.At(j + 1), columns, x.At(j), rows, i, conj.data(), sum.data());
        for (Index t = 0; t < columns; ++t) *y.At(j + 1 + t, i) = Times(Conj(left_taus[j]), sum.data()[t]);
        SubtractConjugateDots(y.At(j + 1), columns, v.At(j), i + 1, corner + 1, 1);
        SubtractConjugateDots(w.At(j + 1), columns, x.At(j), i, corner + 1, 1);
        for (Index t = 0; t < columns; ++t) line.data()[t] = Conj(corner[1 + t]);
        e[j] = MakeReflector(line.data(), columns, &right_taus[j]);
        for (Index t = 0; t < columns; ++t) {
          corner[1 + t] = *w.At(j + 1 + t, i) = line.data()[t];
          conj.data()[t] = Conj(line.data()[t]);
        }
        product = blocked_.Product(columns, 1, columns, corner + n + 1, n, 1, line.data(), 1, 1);
        std::copy(product, product + columns, sum.data());
        SubtractTwice(v.At(j + 1), columns, y.At(j + 1), columns, i + 1, conj.data(), sum.data());
        SubtractTwice(x.At(j + 1), columns, w.At(j + 1), columns, i, conj.data(), sum.data());
        for (Index t = 0; t < columns; ++t) *x.At(j + 1 + t, i) = Times(Conj(right_taus[j]), sum.data()[t]);
      }
      const Index next = k + width, m = n - next;
      if (m == 0) break;
      SubtractOuterProducts(v.At(next), y.At(next), m, width, a + next * n + next, n);
      SubtractOuterProducts(x.At(next), w.At(next), m, width, a + next * n + next, n);
    }
  }

  Blocked<T> blocked_;
  SlimVector<T> kept_;
};

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END
