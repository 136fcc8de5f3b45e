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
#include <tenon/engine/linalg/decompositions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace linalg {

// a: [n, n] = q t q^H with a unitary q and an upper triangular t.
class Schur {
 public:
  using C = std::complex<double>;

  explicit Schur(Index n) : n_(n), t_(Size(n), C(0)), q_(Size(n), C(0)) {}
  C* t() { return t_.data(); }
  const C* q() const { return q_.data(); }

  // Decomposes the matrix in t(). False: no convergence, which finite matrices have.
  TENON_DETAIL_RARE bool Run() {
    for (Index i = 0; i < n_; ++i) q_.data()[i * n_ + i] = C(1);
    for (const C& x : t_)
      if (!std::isfinite(x.real()) || !std::isfinite(x.imag())) return false;
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

  // v: [n, n]: column k is the eigenvector of t[k, k], of length 1.
  TENON_DETAIL_RARE void Eigenvectors(C* v) const {
    double norm = 0;
    for (const C& x : t_) norm = std::max(norm, std::abs(x));
    SlimVector<C> x(static_cast<std::size_t>(n_), C(0));
    for (Index k = 0; k < n_; ++k) {
      x.data()[k] = C(1);
      for (Index i = k; i-- > 0;) {
        C sum = C(0), gap = T(i, i) - T(k, k);
        for (Index j = i + 1; j <= k; ++j) sum += Times(T(i, j), x.data()[j]);
        if (gap == C(0)) gap = C(std::numeric_limits<double>::epsilon() * norm);
        x.data()[i] = sum == C(0) ? C(0) : -sum / gap;
      }
      double size = 0;
      for (Index i = 0; i < n_; ++i) {
        C sum = C(0);
        for (Index j = 0; j <= k; ++j) sum += Times(q_.data()[i * n_ + j], x.data()[j]);
        v[i * n_ + k] = sum;
        size += Square(sum);
      }
      size = std::sqrt(size);
      for (Index i = 0; i < n_; ++i) v[i * n_ + k] /= size;
    }
  }
  // out: [n, n], out out = q t q^H, with eigenvalues whose real parts are not negative.
  TENON_DETAIL_RARE void SquareRoot(C* out) const {
    SlimVector<C> r(Size(n_), C(0)), turned(Size(n_), C(0)), adjoint(Size(n_), C(0));
    for (Index j = 0; j < n_; ++j) {
      r.data()[j * n_ + j] = std::sqrt(T(j, j));
      for (Index i = j; i-- > 0;) {
        C sum = T(i, j);
        for (Index k = i + 1; k < j; ++k) sum -= Times(r.data()[i * n_ + k], r.data()[k * n_ + j]);
        r.data()[i * n_ + j] = sum == C(0) ? C(0) : sum / (r.data()[i * n_ + i] + r.data()[j * n_ + j]);
      }
    }
    Multiply(q_.data(), r.data(), turned.data(), n_, n_, n_);
    Adjoint(q_.data(), n_, n_, adjoint.data());
    Multiply(turned.data(), adjoint.data(), out, n_, n_, n_);
  }

 private:
  static std::size_t Size(Index n) { return static_cast<std::size_t>(n * n); }
  C& T(Index i, Index j) { return t_.data()[i * n_ + j]; }
  const C& T(Index i, Index j) const { return t_.data()[i * n_ + j]; }

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

  TENON_DETAIL_RARE void Hessenberg() {
    SlimVector<C> v(static_cast<std::size_t>(std::max<Index>(n_, 1)), C(0));
    for (Index k = 0; k + 2 < n_; ++k) {
      double tail = 0;
      for (Index i = k + 2; i < n_; ++i) tail += Square(T(i, k));
      if (tail == 0) continue;
      const C alpha = T(k + 1, k);
      const double norm = std::sqrt(Square(alpha) + tail), beta = alpha.real() >= 0 ? -norm : norm;
      const C tau = (beta - Conj(alpha)) / beta;
      v.data()[k + 1] = C(1);
      for (Index i = k + 2; i < n_; ++i) v.data()[i] = T(i, k) / (alpha - beta);
      for (Index j = k; j < n_; ++j) {  // from the left
        C sum = C(0);
        for (Index i = k + 1; i < n_; ++i) sum += Times(Conj(v.data()[i]), T(i, j));
        sum = Times(tau, sum);
        for (Index i = k + 1; i < n_; ++i) T(i, j) -= Times(sum, v.data()[i]);
      }
      for (C* const rows : {t_.data(), q_.data()})  // the adjoint from the right
        for (Index i = 0; i < n_; ++i) {
          C sum = C(0);
          for (Index j = k + 1; j < n_; ++j) sum += Times(rows[i * n_ + j], v.data()[j]);
          sum = Times(Conj(tau), sum);
          for (Index j = k + 1; j < n_; ++j) rows[i * n_ + j] -= Times(sum, Conj(v.data()[j]));
        }
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
      for (Index j = std::max(lo, k - 1); j < n_; ++j) {
        const C a = T(k, j), b = T(k + 1, j);
        T(k, j) = c * a + Times(s, b);
        T(k + 1, j) = c * b - Times(Conj(s), a);
      }
      if (k > lo) T(k + 1, k - 1) = C(0);
      Turn(t_.data(), std::min(k + 3, hi + 1), k, c, s);
      Turn(q_.data(), n_, k, c, s);
      if (k + 1 < hi) {
        x = T(k + 1, k);
        y = T(k + 2, k);
      }
    }
  }
  // Columns k and k + 1 of the first rows.
  void Turn(C* matrix, Index rows, Index k, double c, const C& s) const {
    for (Index i = 0; i < rows; ++i) {
      C &a = matrix[i * n_ + k], &b = matrix[i * n_ + k + 1];
      const C was = a;
      a = c * was + Times(Conj(s), b);
      b = c * b - Times(s, was);
    }
  }

  Index n_;
  SlimVector<C> t_, q_;
};

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END
