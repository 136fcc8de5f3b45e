// SPDX-License-Identifier: Apache-2.0
#pragma once
// The Schur decomposition of a complex matrix, row-major, and from it eigenvalues, eigenvectors and the square root. G.
// H. Golub and C. F. Van Loan, "Matrix Computations" (2013), 7.4 to 7.6; N. J. Higham, "Functions of Matrices"
// (2008), 6.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>

#include <tenon/base/slim_vector.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/linalg/complex_rows.hpp>
#include <tenon/engine/linalg/decompositions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace linalg {

// t: [n, n], upper triangular, becomes its root whose eigenvalues have no negative real parts, row by row.
inline void TakeTriangularRoot(std::complex<double>* t, Index n) {
  using C = std::complex<double>;
  const ComplexRows rows;
  for (Index i = n; i-- > 0;) {
    C* const row = t + i * n;
    row[i] = std::sqrt(row[i]);
    for (Index k = i + 1; k < n; ++k) {
      if (row[k] == C(0)) continue;
      row[k] /= row[i] + t[k * n + k];
      rows.AddScaled(t + k * n + k + 1, -row[k], row + k + 1, n - k - 1);
    }
  }
}

// a: [n, n] = q t q^H with a unitary q and an upper triangular t.
class Schur {
 public:
  using C = std::complex<double>;

  explicit Schur(Index n) : n_(n), row_(RowSize(n)), t_(Size(n * row_), C(0)), q_(Size(n * row_), C(0)) {}
  const C& t(Index i, Index j) const { return T(i, j); }

  // Decomposes a: [n, n]. False: an element is not finite, or no convergence, which finite matrices have.
  template <class T>
  bool Run(const T* a) {
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < n_; ++j) this->T(i, j) = C(a[i * n_ + j]);
    return Run();
  }
  // v: [n, n]: column k is the eigenvector of t[k, k], of length 1.
  void Eigenvectors(C* v) const {
    double norm = 0;
    for (const C& x : t_) norm = std::max(norm, std::abs(x));
    SlimVector<C> x(Size(n_), C(0)), vector(Size(n_));
    for (Index k = 0; k < n_; ++k) {
      x.data()[k] = C(1);
      for (Index i = k; i-- > 0;) {
        const C sum = rows_.Dot(&T(i, i + 1), x.data() + i + 1, k - i);
        C gap = T(i, i) - T(k, k);
        if (gap == C(0)) gap = C(std::numeric_limits<double>::epsilon() * norm);
        x.data()[i] = sum == C(0) ? C(0) : -sum / gap;
      }
      std::fill(vector.begin(), vector.end(), C(0));
      for (Index j = 0; j <= k; ++j) rows_.AddScaled(Column(j), x.data()[j], vector.data(), n_);
      double size = 0;
      for (const C& part : vector) size += Square(part);
      size = std::sqrt(size);
      for (Index i = 0; i < n_; ++i) v[i * n_ + k] = vector.data()[i] / size;
    }
  }
  // t: [n, n], with zeros below its diagonal.
  void CopyTriangle(C* t) const {
    for (Index i = 0; i < n_; ++i) std::copy(&T(i, 0), &T(i, 0) + n_, t + i * n_);
  }
  // out: [n, n] = q f q^H of an upper triangular f, which is not `out`.
  void Restore(const C* f, C* out) const {
    SlimVector<C> turned(Size(n_ * n_), C(0)), column(Size(n_));
    for (Index k = 0; k < n_; ++k)
      for (Index i = 0; i < n_; ++i) rows_.AddScaled(f + k * n_ + k, Column(k)[i], turned.data() + i * n_ + k, n_ - k);
    std::fill(out, out + n_ * n_, C(0));
    for (Index k = 0; k < n_; ++k) {
      for (Index j = 0; j < n_; ++j) column.data()[j] = std::conj(Column(k)[j]);
      for (Index i = 0; i < n_; ++i) rows_.AddScaled(column.data(), turned.data()[i * n_ + k], out + i * n_, n_);
    }
  }
  // out: [n, n], out out = q t q^H, with eigenvalues whose real parts are not negative.
  void SquareRoot(C* out) const {
    SlimVector<C> root(Size(n_ * n_));
    CopyTriangle(root.data());
    TakeTriangularRoot(root.data(), n_);
    Restore(root.data(), out);
  }

 private:
  static std::size_t Size(Index n) { return static_cast<std::size_t>(n); }
  // An odd number of lines of a cache: the elements of a column do not share their places in it.
  static Index RowSize(Index n) {
    constexpr Index kLine = 4;
    const Index lines = (n + kLine - 1) / kLine;
    return n <= kLine ? n : (lines % 2 == 0 ? lines + 1 : lines) * kLine;
  }
  C& T(Index i, Index j) { return t_.data()[i * row_ + j]; }
  const C& T(Index i, Index j) const { return t_.data()[i * row_ + j]; }

  bool Run() {
    for (const C& x : t_)
      if (!std::isfinite(x.real()) || !std::isfinite(x.imag())) return false;
    for (Index i = 0; i < n_; ++i) Column(i)[i] = C(1);
    Hessenberg();
    Index steps = 0;
    for (Index hi = n_ - 1; hi > 0;) {
      Index lo = hi;
      while (lo > 0 && !IsZero(lo)) --lo;
      if (lo == hi) {
        --hi;
        steps = 0;
        continue;
      }
      if (++steps > 60) return false;
      Step(lo, hi, steps % 10 == 0 ? C(std::abs(T(hi, hi - 1))) : Shift(hi));
    }
    return true;
  }

  // Makes the element before [i, i] 0 where it is nothing beside its neighbours.
  bool IsZero(Index i) {
    const double around = std::abs(T(i, i)) + std::abs(T(i - 1, i - 1));
    const double tiny = std::numeric_limits<double>::min() / std::numeric_limits<double>::epsilon();
    if (std::abs(T(i, i - 1)) > std::numeric_limits<double>::epsilon() * around + tiny) return false;
    T(i, i - 1) = C(0);
    return true;
  }
  // The eigenvalue of the last two rows that is nearer to the last element.
  C Shift(Index hi) const {
    const C a = T(hi - 1, hi - 1), d = T(hi, hi), cross = Times(T(hi - 1, hi), T(hi, hi - 1));
    const C half = (a - d) / 2.0, root = std::sqrt(Times(half, half) + cross);
    const C far = std::abs(half + root) > std::abs(half - root) ? half + root : half - root;
    return far == C(0) ? d : d - cross / far;
  }

  void Hessenberg() {
    SlimVector<C> v(Size(n_), C(0)), conjugate(Size(n_), C(0)), sums(Size(n_));
    for (Index k = 0; k + 2 < n_; ++k) {
      double tail = 0;
      for (Index i = k + 2; i < n_; ++i) tail += Square(T(i, k));
      if (tail == 0) continue;
      const C alpha = T(k + 1, k);
      const double norm = std::sqrt(Square(alpha) + tail), beta = alpha.real() >= 0 ? -norm : norm;
      const C tau = (beta - Conj(alpha)) / beta;
      v.data()[k + 1] = C(1);
      for (Index i = k + 2; i < n_; ++i) v.data()[i] = T(i, k) / (alpha - beta);
      for (Index i = k + 1; i < n_; ++i) conjugate.data()[i] = Conj(v.data()[i]);
      // From the left, and the adjoint from the right.
      std::fill(sums.begin() + k, sums.end(), C(0));
      for (Index i = k + 1; i < n_; ++i) rows_.AddScaled(&T(i, k), conjugate.data()[i], sums.data() + k, n_ - k);
      for (Index i = k + 1; i < n_; ++i) rows_.AddScaled(sums.data() + k, -Times(tau, v.data()[i]), &T(i, k), n_ - k);
      for (Index i = 0; i < n_; ++i) {
        const C sum = rows_.Dot(&T(i, k + 1), v.data() + k + 1, n_ - k - 1);
        rows_.AddScaled(conjugate.data() + k + 1, -Times(Conj(tau), sum), &T(i, k + 1), n_ - k - 1);
      }
      std::fill(sums.begin(), sums.end(), C(0));
      for (Index j = k + 1; j < n_; ++j) rows_.AddScaled(Column(j), v.data()[j], sums.data(), n_);
      for (Index j = k + 1; j < n_; ++j)
        rows_.AddScaled(sums.data(), -Times(Conj(tau), conjugate.data()[j]), Column(j), n_);
      for (Index i = k + 2; i < n_; ++i) T(i, k) = C(0);
    }
  }
  // One QR step of rows [lo, hi], by rotations.
  void Step(Index lo, Index hi, const C& shift) {
    C x = T(lo, lo) - shift, y = T(lo + 1, lo);
    for (Index k = lo; k < hi; ++k) {
      const double size = std::abs(x), r = std::hypot(size, std::abs(y));
      const double c = r == 0 ? 1 : size / r;
      const C s = r == 0 ? C(0) : size == 0 ? C(Conj(y) / r) : C(Times(x / size, Conj(y)) / r);
      const Index first = std::max(lo, k - 1);
      rows_.TurnRows(&T(k, first), &T(k + 1, first), n_ - first, c, s);
      if (k > lo) T(k + 1, k - 1) = C(0);
      rows_.TurnColumns(&T(0, k), row_, std::min(k + 3, hi + 1), c, s);
      rows_.TurnRows(Column(k), Column(k + 1), n_, c, Conj(s));
      if (k + 1 < hi) {
        x = T(k + 1, k);
        y = T(k + 2, k);
      }
    }
  }
  // A column of q, whose elements lie side by side.
  C* Column(Index k) { return q_.data() + k * row_; }
  const C* Column(Index k) const { return q_.data() + k * row_; }

  Index n_, row_;  // elements of a row, and from row to row
  SlimVector<C> t_, q_;  // q_: column by column
  const ComplexRows rows_;
};

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END
