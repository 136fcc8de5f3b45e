// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eigenvalues of symmetric tridiagonal matrices and singular values of bidiagonal ones, with their vectors, by halves:
// those of a matrix follow from those of its halves by a secular equation, and most of the work are products of
// matrices. J. Cuppen, "A Divide and Conquer Method for the Symmetric Tridiagonal Eigenproblem" (1981); M. Gu and
// S. Eisenstat, "A Divide-and-Conquer Algorithm for the Bidiagonal SVD" (1995).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/linalg/blocked.hpp>
#include <tenon/engine/linalg/secular.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace linalg {

constexpr std::size_t Items(Index n) { return static_cast<std::size_t>(n); }

// Which columns of a row of vectors are not 0: those of the first half, of both, or of the second.
enum class Half : std::uint8_t { kFirst, kBoth, kSecond };

// The poles of one merge, from the least to the largest. Those that the merge does not change leave it: z is nothing
// there, or a rotation of two rows with almost equal poles makes it nothing.
class Deflation {
 public:
  struct Rotation {
    Index first, second;  // row `first` becomes c first + s second, row `second` c second - s first
    double c, s;
  };
  // d: [n], z: [n], half: [n], in any order. `small`: what is nothing as a pole's change; `small_z`: as an element of
  // z. The pole of number `fixed` stays, and is not rotated; -1: there is none.
  Deflation(double* d, double* z, Half* half, Index n, double small, double small_z, Index fixed) {
    SlimVector<Index> order(Items(n), 0);
    for (Index i = 0; i < n; ++i) order.data()[i] = i;
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
      if (a == fixed || b == fixed) return a == fixed && b != fixed;
      return d[a] != d[b] ? d[a] < d[b] : a < b;
    });
    Index before = -1;
    for (const Index i : order) {
      if (i == fixed) {
        kept.push_back(i);
        continue;
      }
      if (std::fabs(z[i]) <= small_z) {
        gone.push_back(i);
        continue;
      }
      if (before >= 0) {
        const double r = std::hypot(z[before], z[i]), c = z[i] / r, s = -z[before] / r, apart = d[i] - d[before];
        if (std::fabs(apart * c * s) <= small) {
          rotations.push_back({before, i, c, s});
          z[i] = r;
          z[before] = 0;
          const double moved = d[before] * c * c + d[i] * s * s;
          d[i] = d[before] * s * s + d[i] * c * c;
          d[before] = moved;
          if (half[i] != half[before]) half[i] = half[before] = Half::kBoth;
          gone.push_back(before);
        } else {
          kept.push_back(before);
        }
      }
      before = i;
    }
    if (before >= 0) kept.push_back(before);
  }

  SlimVector<Index> kept, gone;
  SlimVector<Rotation> rotations;
};

// Rows of vectors, [rows, columns] of a matrix with `row` elements from row to row, that a merge makes anew: the rows
// that are kept become sums of each other. R is float or double. one thread.
template <class R>
class MergedRows {
 public:
  // Columns [0, split) are those of the first half.
  MergedRows(Cpu& device, R* rows, Index row, Index split, Index columns)
      : device_(device), rows_(rows), row_(row), split_(split), columns_(columns) {}

  TENON_DETAIL_RARE void Rotate(const SlimVector<Deflation::Rotation>& rotations) {
    for (const Deflation::Rotation& turn : rotations) {
      R *const x = rows_ + turn.first * row_, *const y = rows_ + turn.second * row_;
      const R c = static_cast<R>(turn.c), s = static_cast<R>(turn.s);
      for (Index j = 0; j < columns_; ++j) {
        const R a = x[j], b = y[j];
        x[j] = c * a + s * b;
        y[j] = c * b - s * a;
      }
    }
  }
  // Where each of the kept rows stands among the factors: those of the first half, then of both, then of the second.
  static SlimVector<Index> Places(const SlimVector<Index>& kept, const Half* half) {
    SlimVector<Index> places(kept.size(), 0);
    Index next = 0;
    for (const Half which : {Half::kFirst, Half::kBoth, Half::kSecond})
      for (std::size_t i = 0; i < kept.size(); ++i)
        if (half[kept.data()[i]] == which) places.data()[i] = next++;
    return places;
  }
  // Row j becomes the sum of factors: [kept, kept], row j, times the kept rows at their places; then come those gone.
  TENON_DETAIL_RARE void Replace(const Deflation& deflation, const SlimVector<Index>& places, const Half* half,
                                 const SlimVector<R>& factors) {
    const auto count = static_cast<Index>(deflation.kept.size()), others = static_cast<Index>(deflation.gone.size());
    Index of_first = 0, before_second = 0;  // rows with something in the first half, and rows without in the second
    for (const Index i : deflation.kept) {
      of_first += half[i] != Half::kSecond ? 1 : 0;
      before_second += half[i] == Half::kFirst ? 1 : 0;
    }
    const Index of_second = count - before_second, second = columns_ - split_;
    SlimVector<R> top(Items(of_first * split_)), bottom(Items(of_second * second)), rest(Items(others * columns_));
    for (Index i = 0; i < count; ++i) {
      const Index at = deflation.kept.data()[i], place = places.data()[i];
      const R* const from = rows_ + at * row_;
      if (half[at] != Half::kSecond) std::copy(from, from + split_, top.data() + place * split_);
      if (half[at] != Half::kFirst)
        std::copy(from + split_, from + columns_, bottom.data() + (place - before_second) * second);
    }
    for (Index i = 0; i < others; ++i) {
      const R* const from = rows_ + deflation.gone.data()[i] * row_;
      std::copy(from, from + columns_, rest.data() + i * columns_);
    }
    Multiply(count, split_, of_first, factors.data(), count, top.data(), rows_);
    Multiply(count, second, of_second, factors.data() + before_second, count, bottom.data(), rows_ + split_);
    for (Index i = 0; i < others; ++i)
      std::copy(rest.data() + i * columns_, rest.data() + (i + 1) * columns_, rows_ + (count + i) * row_);
  }

 private:
  void Multiply(Index m, Index n, Index k, const R* a, Index a_row, const R* b, R* c) {
    if (m == 0 || n == 0) return;
    if (k == 0) {
      for (Index i = 0; i < m; ++i) std::fill(c + i * row_, c + i * row_ + n, R(0));
      return;
    }
    Blocked<R>::RunProduct(device_, {m, n, k, a, a_row, 1, b, n, 1, c, row_});
  }

  Cpu& device_;
  R* const rows_;
  const Index row_, split_, columns_;
};

// The largest of the elements, or NaN.
inline double LargestOf(const double* d, const double* e, Index n) {
  double most = 0;
  for (Index i = 0; i < n; ++i) {
    const double size = std::max(std::fabs(d[i]), i + 1 < n ? std::fabs(e[i]) : 0);
    if (!(size <= most)) most = size;
    if (std::isnan(d[i]) || (i + 1 < n && std::isnan(e[i]))) return std::numeric_limits<double>::quiet_NaN();
  }
  return most;
}

// The eigenvalues of a symmetric tridiagonal matrix, unordered, with an orthogonal matrix whose rows are the vectors.
// `leaf` is bool(double* d, double* e, Index n, R* rows, Index row): such a decomposition of a small matrix. one
// thread.
template <class R, class Leaf>
class DivideTridiagonal {
 public:
  static constexpr Index kLeaf = 32;

  // rows: [n, n], zeros. d: [n] becomes the values; e: [n - 1], beside the diagonal, is used up.
  DivideTridiagonal(Cpu& device, double* d, double* e, Index n, R* rows, const Leaf& leaf)
      : device_(device), d_(d), e_(e), n_(n), rows_(rows), leaf_(leaf) {}
  // False: an element is not finite, or a leaf has no decomposition.
  TENON_DETAIL_RARE bool Run() {
    small_ = 8 * static_cast<double>(std::numeric_limits<R>::epsilon()) * LargestOf(d_, e_, n_);
    return std::isfinite(small_) && Solve(0, n_);
  }

 private:
  TENON_DETAIL_RARE bool Solve(Index at, Index n) {
    R* const corner = rows_ + at * n_ + at;
    if (n <= kLeaf) return leaf_(d_ + at, e_ + at, n, corner, n_);
    const Index half = n / 2;
    const double beside = e_[at + half - 1], rho = std::fabs(beside);
    d_[at + half - 1] -= rho;
    d_[at + half] -= rho;
    return Solve(at, half) && Solve(at + half, n - half) && Merge(d_ + at, n, half, beside, corner);
  }
  // The halves and the matrix |beside| v v^T, v the last row of the first half and the first of the second.
  TENON_DETAIL_RARE bool Merge(double* d, Index n, Index half, double beside, R* rows) {
    const double root = std::sqrt(std::fabs(beside));
    SlimVector<double> z(Items(n), 0);
    SlimVector<Half> halves(Items(n), Half::kFirst);
    for (Index i = 0; i < n; ++i) {
      const bool second = i >= half;
      z.data()[i] = root * static_cast<double>(rows[i * n_ + (second ? half : half - 1)]);
      if (second && beside < 0) z.data()[i] = -z.data()[i];
      if (second) halves.data()[i] = Half::kSecond;
    }
    const double small_z = root > 0 ? small_ / (root * 1.5) : std::numeric_limits<double>::infinity();
    const Deflation deflation(d, z.data(), halves.data(), n, small_, small_z, -1);
    MergedRows<R> merged(device_, rows, n_, half, n);
    merged.Rotate(deflation.rotations);
    const auto count = static_cast<Index>(deflation.kept.size());
    if (count == 0) return true;
    SlimVector<double> poles(Items(n), 0), kept_z(Items(count), 0), values(Items(n), 0), vector(Items(count), 0);
    for (Index i = 0; i < count; ++i) {
      poles.data()[i] = d[deflation.kept.data()[i]];
      kept_z.data()[i] = z.data()[deflation.kept.data()[i]];
    }
    SecularEquation secular(poles.data(), kept_z.data(), count, false);
    if (!secular.Solve(values.data())) return false;
    for (std::size_t i = 0; i < deflation.gone.size(); ++i)
      values.data()[Items(count) + i] = d[deflation.gone.data()[i]];
    const SlimVector<Index> places = MergedRows<R>::Places(deflation.kept, halves.data());
    SlimVector<R> factors(Items(count * count));
    for (Index j = 0; j < count; ++j) {
      const double scale = 1 / std::sqrt(secular.Vector(j, vector.data()));
      R* const line = factors.data() + j * count;
      for (Index i = 0; i < count; ++i) line[places.data()[i]] = static_cast<R>(vector.data()[i] * scale);
    }
    merged.Replace(deflation, places, halves.data(), factors);
    std::copy(values.begin(), values.end(), d);
    return true;
  }

  Cpu& device_;
  double *const d_, *const e_;
  const Index n_;
  R* const rows_;
  const Leaf& leaf_;
  double small_ = 0;  // changes of a value that are nothing
};

// The singular values of an upper bidiagonal matrix, unordered and not negative, with two orthogonal matrices whose
// rows are the vectors. `leaf` is bool(double* d, double* e, Index n, Index columns, R* lefts, R* rights, Index row):
// such a decomposition of a small matrix of n rows and n or n + 1 columns; the last of its rights is then of the value
// 0. one thread.
template <class R, class Leaf>
class DivideBidiagonal {
 public:
  static constexpr Index kLeaf = 32;

  // lefts, rights: [n, n], zeros. d: [n] becomes the values; e: [n - 1], beside the diagonal, is used up.
  DivideBidiagonal(Cpu& device, double* d, double* e, Index n, R* lefts, R* rights, const Leaf& leaf)
      : device_(device), d_(d), e_(e), n_(n), lefts_(lefts), rights_(rights), leaf_(leaf) {}
  // False: an element is not finite, or a leaf has no decomposition.
  TENON_DETAIL_RARE bool Run() {
    small_ = 8 * static_cast<double>(std::numeric_limits<R>::epsilon()) * LargestOf(d_, e_, n_);
    if (small_ > 0) return std::isfinite(small_) && Solve(0, n_, n_);
    for (Index i = 0; i < n_; ++i) lefts_[i * (n_ + 1)] = rights_[i * (n_ + 1)] = R(1);
    return small_ == 0;
  }

 private:
  // Rows [at, at + n), and columns [at, at + columns), one more than rows before another block.
  TENON_DETAIL_RARE bool Solve(Index at, Index n, Index columns) {
    const Index corner = at * n_ + at;
    if (n <= kLeaf) return leaf_(d_ + at, e_ + at, n, columns, lefts_ + corner, rights_ + corner, n_);
    const Index middle = n / 2, begin = at + middle + 1;
    return Solve(at, middle, middle + 1) && Solve(begin, n - middle - 1, columns - middle - 1) &&
           Merge(d_ + at, e_[begin - 1], n, columns, middle, lefts_ + corner, rights_ + corner);
  }
  // Row `middle`, [..., d, beside, ...], stands between the halves. Seen from their vectors it is a row z above a
  // diagonal.
  TENON_DETAIL_RARE bool Merge(double* d, double beside, Index n, Index columns, Index middle, R* lefts, R* rights) {
    SlimVector<double> z(Items(n), 0);
    SlimVector<Half> halves(Items(n), Half::kFirst);
    const double on = d[middle];
    for (Index i = 0; i < n; ++i) {
      const bool second = i > middle;
      z.data()[i] = (second ? beside : on) * static_cast<double>(rights[i * n_ + middle + (second ? 1 : 0)]);
      if (second) halves.data()[i] = Half::kSecond;
    }
    MergedRows<R> left(device_, lefts, n_, middle + 1, n), right(device_, rights, n_, middle + 1, columns);
    if (columns > n) {  // the rights of the value 0 of both halves
      const double other = beside * static_cast<double>(rights[n * n_ + middle + 1]), here = z.data()[middle];
      const double r = std::hypot(here, other);
      if (r > 0) right.Rotate({{middle, n, here / r, other / r}});
      z.data()[middle] = r;
      halves.data()[middle] = Half::kBoth;
    }
    lefts[middle * (n_ + 1)] = R(1);
    d[middle] = 0;
    double& first = z.data()[middle];
    if (std::fabs(first) <= small_) first = std::copysign(small_, first);
    const Deflation deflation(d, z.data(), halves.data(), n, small_, small_, middle);
    left.Rotate(deflation.rotations);
    right.Rotate(deflation.rotations);
    const auto count = static_cast<Index>(deflation.kept.size());
    SlimVector<double> poles(Items(n), 0), kept_z(Items(count), 0), values(Items(n), 0), vector(Items(count), 0);
    for (Index i = 0; i < count; ++i) {
      poles.data()[i] = d[deflation.kept.data()[i]];
      kept_z.data()[i] = z.data()[deflation.kept.data()[i]];
    }
    if (count > 1) poles.data()[1] = std::max(poles.data()[1], small_ / 2);
    SecularEquation secular(poles.data(), kept_z.data(), count, true);
    if (!secular.Solve(values.data())) return false;
    for (std::size_t i = 0; i < deflation.gone.size(); ++i)
      values.data()[Items(count) + i] = d[deflation.gone.data()[i]];
    const SlimVector<Index> places = MergedRows<R>::Places(deflation.kept, halves.data());
    SlimVector<R> of_left(Items(count * count)), of_right(Items(count * count));
    for (Index j = 0; j < count; ++j) {
      const double scale = 1 / std::sqrt(secular.Vector(j, vector.data()));
      double size = 1;
      for (Index i = 1; i < count; ++i)
        size += vector.data()[i] * poles.data()[i] * (vector.data()[i] * poles.data()[i]);
      const double left_scale = 1 / std::sqrt(size);
      R *const to_left = of_left.data() + j * count, *const to_right = of_right.data() + j * count;
      for (Index i = 0; i < count; ++i) {
        const double element = vector.data()[i];
        to_right[places.data()[i]] = static_cast<R>(element * scale);
        to_left[places.data()[i]] = static_cast<R>((i == 0 ? -1 : element * poles.data()[i]) * left_scale);
      }
    }
    left.Replace(deflation, places, halves.data(), of_left);
    right.Replace(deflation, places, halves.data(), of_right);
    std::copy(values.begin(), values.end(), d);
    return true;
  }

  Cpu& device_;
  double *const d_, *const e_;
  const Index n_;
  R *const lefts_, *const rights_;
  const Leaf& leaf_;
  double small_ = 0;  // changes of a value that are nothing
};

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END
