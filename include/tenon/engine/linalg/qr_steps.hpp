// SPDX-License-Identifier: Apache-2.0
#pragma once
// Implicit QR steps: eigenvalues of symmetric tridiagonal matrices and singular values of bidiagonal ones, by
// rotations. G. H. Golub and C. F. Van Loan, "Matrix Computations" (2013), 8.3 and 8.6.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/linalg/rotations.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace linalg {

inline constexpr Index kQrSteps = 60;  // for each value, at most

// The square root of x^2 + y^2.
template <class R>
R Hypotenuse(R x, R y) {
  const double wide = static_cast<double>(x), other = static_cast<double>(y), sum = wide * wide + other * other;
  const bool fits = sum > 1e-280 && sum < 1e280;  // then no square that counts is 0 or infinite
  return fits ? static_cast<R>(std::sqrt(sum)) : std::hypot(x, y);
}
// Givens: c and s with c x + s y = r, c y - s x = 0.
template <class R>
R MakeRotation(R x, R y, R* c, R* s) {
  const R r = Hypotenuse(x, y);
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
template <class R, class Row>
bool TridiagonalEigenvalues(R* d, R* e, Index n, Rotations<Row>* rotations) {
  Index hi = n - 1, lo = 0;
  for (Index steps = 0; n > 0 && FindBlock(d, e, &lo, &hi); ++steps) {
    if (steps > kQrSteps * n) return false;
    // Wilkinson's shift
    const R half = (d[hi - 1] - d[hi]) / 2, last = e[hi - 1];
    const R root = Hypotenuse(half, last);
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
      rotations->Add(k, k + 1, static_cast<Row>(c), static_cast<Row>(s));
    }
  }
  rotations->Apply();
  return true;
}
// The leaf of DivideTridiagonal.
template <class R>
bool TridiagonalLeaf(double* d, double* e, Index n, R* rows, Index row) {
  const Index small_row = Rotations<R>::RowSize(n);
  SlimVector<R> small(static_cast<std::size_t>(n * small_row), R(0));
  for (Index i = 0; i < n; ++i) small.data()[i * small_row + i] = 1;
  Rotations<R> rotations(small.data(), n);
  if (!TridiagonalEigenvalues(d, e, n, &rotations)) return false;
  for (Index i = 0; i < n; ++i)
    std::copy(small.data() + i * small_row, small.data() + i * small_row + n, rows + i * row);
  return true;
}

// The singular values of the upper bidiagonal matrix of d: [n] and e: [n - 1], in d, positive, unordered. False without
// convergence. `left` and `right` make the rows of two matrices the singular vectors.
template <class R, class Row = R>
class BidiagonalSteps {
 public:
  BidiagonalSteps(R* d, R* e, Index n, Rotations<Row>* left, Rotations<Row>* right)
      : d_(d), e_(e), n_(n), left_(left), right_(right) {}

  // Turns the element e[n - 1], of a column behind the others, into the matrix.
  void TakeColumn() {
    R f = e_[n_ - 1], c, s;
    for (Index k = n_; k-- > 0 && f != 0;) {
      d_[k] = MakeRotation(d_[k], f, &c, &s);
      if (k > 0) {
        f = -s * e_[k - 1];
        e_[k - 1] *= c;
      }
      right_->Add(k, n_, static_cast<Row>(c), static_cast<Row>(s));
    }
  }
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
      left_->Add(k, zero, static_cast<Row>(c), static_cast<Row>(s));
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
      right_->Add(k, hi, static_cast<Row>(c), static_cast<Row>(s));
    }
  }
  void Step(Index lo, Index hi) {
    const R dm = d_[hi - 1], dn = d_[hi], fm = e_[hi - 1], before = hi - 1 > lo ? e_[hi - 2] : R(0);
    const R corner = dn * dn + fm * fm, cross = dm * fm, half = ((dm - dn) * (dm + dn) + before * before - fm * fm) / 2;
    const R root = Hypotenuse(half, cross), below = half + (half < 0 ? -root : root);
    const R shift = below == 0 ? corner : corner - cross / below * cross;
    R y = d_[lo] - shift / d_[lo], z = e_[lo], c, s;
    for (Index k = lo; k < hi; ++k) {
      R r = MakeRotation(y, z, &c, &s);
      if (k > lo) e_[k - 1] = r;
      y = c * d_[k] + s * e_[k];
      e_[k] = c * e_[k] - s * d_[k];
      z = s * d_[k + 1];
      d_[k + 1] *= c;
      right_->Add(k, k + 1, static_cast<Row>(c), static_cast<Row>(s));
      d_[k] = MakeRotation(y, z, &c, &s);
      y = c * e_[k] + s * d_[k + 1];
      d_[k + 1] = c * d_[k + 1] - s * e_[k];
      e_[k] = y;
      if (k + 1 < hi) {
        z = s * e_[k + 1];
        e_[k + 1] *= c;
      }
      left_->Add(k, k + 1, static_cast<Row>(c), static_cast<Row>(s));
    }
  }

  R *d_, *e_;
  Index n_;
  Rotations<Row>*left_, *right_;
};

// The leaf of DivideBidiagonal.
template <class R>
bool BidiagonalLeaf(double* d, double* e, Index n, Index columns, R* lefts, R* rights, Index row) {
  const Index left_row = Rotations<R>::RowSize(n), right_row = Rotations<R>::RowSize(columns);
  SlimVector<R> small(static_cast<std::size_t>(n * left_row + columns * right_row), R(0));
  R *const left_rows = small.data(), *const right_rows = left_rows + n * left_row;
  for (Index i = 0; i < n; ++i) left_rows[i * left_row + i] = 1;
  for (Index i = 0; i < columns; ++i) right_rows[i * right_row + i] = 1;
  Rotations<R> left(left_rows, n), right(right_rows, columns);
  BidiagonalSteps<double, R> steps(d, e, n, &left, &right);
  if (columns > n) steps.TakeColumn();
  if (!steps.Run()) return false;
  for (Index i = 0; i < n; ++i) std::copy(left_rows + i * left_row, left_rows + i * left_row + n, lefts + i * row);
  for (Index i = 0; i < columns; ++i) {
    const R sign = i < n && std::signbit(d[i]) ? R(-1) : R(1);
    for (Index j = 0; j < columns; ++j) rights[i * row + j] = sign * right_rows[i * right_row + j];
    if (i < n) d[i] = std::fabs(d[i]);
  }
  return true;
}

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END
