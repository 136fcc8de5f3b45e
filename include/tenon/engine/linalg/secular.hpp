// SPDX-License-Identifier: Apache-2.0
#pragma once
// The secular equation 1 + sum z[i]^2 / (pole[i] - x) = 0: its roots are the eigenvalues of diag(pole) + z z^T, or the
// squares of the singular values of a matrix of a diagonal and a first row. R.-C. Li, "Solving Secular Equations
// Stably and Efficiently" (1993), the middle way; M. Gu and S. Eisenstat, "A Divide-and-Conquer Algorithm for the
// Symmetric Tridiagonal Eigenproblem" (1995), for vectors that are orthogonal.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/isa.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace linalg {

// Sums of z2[i] / gap and of z2[i] / gap^2, gap = poles[i] - x.
struct SecularSums {
  double value = 0, slope = 0;
};

TENON_DETAIL_LOOPS_BEGIN

TENON_DETAIL_LOOP inline SecularSums SumSecular(const double* poles, const double* z2, Index n, double x) {
  constexpr Index kLanes = 8;
  double values[kLanes] = {}, slopes[kLanes] = {};
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (Index l = 0; l < kLanes; ++l) {
      const double inverse = 1 / (poles[i + l] - x), term = z2[i + l] * inverse;
      values[l] += term;
      slopes[l] += term * inverse;
    }
  }
  SecularSums sums;
  for (; i < n; ++i) {
    const double inverse = 1 / (poles[i] - x), term = z2[i] * inverse;
    sums.value += term;
    sums.slope += term * inverse;
  }
  for (Index l = 0; l < kLanes; ++l) {
    sums.value += values[l];
    sums.slope += slopes[l];
  }
  return sums;
}
// product[i] *= gaps[i] / (pole[i] - pole[j]), poles d, or the squares of d.
TENON_DETAIL_LOOP inline void MultiplyRatios(const double* gaps, const double* d, double other, bool squared,
                                             double* product, Index n) {
  if (squared) {
    TENON_DETAIL_INDEPENDENT
    for (Index i = 0; i < n; ++i) product[i] *= gaps[i] / ((d[i] - other) * (d[i] + other));
  } else {
    TENON_DETAIL_INDEPENDENT
    for (Index i = 0; i < n; ++i) product[i] *= gaps[i] / (d[i] - other);
  }
}
// poles[i] - x, the poles seen from `origin`.
TENON_DETAIL_LOOP inline void FillGaps(const double* d, double origin, double x, bool squared, double* gaps, Index n) {
  if (squared) {
    TENON_DETAIL_INDEPENDENT
    for (Index i = 0; i < n; ++i) gaps[i] = (d[i] - origin) * (d[i] + origin) - x;
  } else {
    TENON_DETAIL_INDEPENDENT
    for (Index i = 0; i < n; ++i) gaps[i] = (d[i] - origin) - x;
  }
}
// out[i] = z[i] / gaps[i]; returns the sum of squares.
TENON_DETAIL_LOOP inline double DivideByGaps(const double* z, const double* gaps, double* out, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) out[i] = z[i] / gaps[i];
  constexpr Index kLanes = 4;
  double sums[kLanes] = {};
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (Index l = 0; l < kLanes; ++l) sums[l] += out[i + l] * out[i + l];
  for (; i < n; ++i) sums[0] += out[i] * out[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

TENON_DETAIL_LOOPS_END

// All roots. The poles are d, which ascend strictly, or with `squared` the squares of d >= 0; no z is 0. one thread.
class SecularEquation {
 public:
  SecularEquation(const double* d, const double* z, Index n, bool squared)
      : d_(d),
        n_(n),
        squared_(squared),
        z_(z, z + n),
        z2_(static_cast<std::size_t>(n), 0.0),
        poles_(static_cast<std::size_t>(n), 0.0),
        gaps_(static_cast<std::size_t>(n * n), 0.0) {
    for (Index i = 0; i < n; ++i) total_ += z2_.data()[i] = z[i] * z[i];
  }

  // values: [n], the roots, or their square roots. False: an iteration did not end, which finite poles do not cause.
  bool Solve(double* values) {
    for (Index j = 0; j < n_; ++j) {
      double origin = 0, x = 0;
      if (!FindRoot(j, &origin, &x)) return false;
      values[j] = squared_ ? origin + x / (origin + std::sqrt(origin * origin + x)) : origin + x;
      FillGaps(d_, origin, x, squared_, gaps_.data() + j * n_, n_);
    }
    Refine();
    return true;
  }
  // The vector of root j: [n], z[i] / (pole[i] - root), and its norm squared.
  double Vector(Index j, double* out) const { return DivideByGaps(z_.data(), gaps_.data() + j * n_, out, n_); }

 private:
  static constexpr int kSteps = 100;

  // Root j between poles j and j + 1, or behind the last: *origin is the nearer of the two, *x the distance from it.
  bool FindRoot(Index j, double* origin, double* x) {
    const bool last = j + 1 == n_;
    See(d_[j], j);
    double low = 0, high = last ? total_ : poles_.data()[j + 1] / 2;
    *origin = d_[j];
    if (!last && Value(j, high).sum < 0) {
      *origin = d_[j + 1];
      See(*origin, j + 1);
      low = poles_.data()[j] / 2;
      high = 0;
    }
    double at = last ? high / 2 : *origin == d_[j] ? high : low;
    if (last && n_ == 1) at = total_;
    for (int step = 0; step < kSteps; ++step) {
      const Sums here = Value(j, at);
      constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
      if (!(std::fabs(here.sum) > kEpsilon * here.size) || high - low <= 2 * kEpsilon * std::fabs(at)) {
        *x = at;
        return std::isfinite(here.sum);
      }
      (here.sum < 0 ? low : high) = at;
      const double next = at + Step(j, at, here);
      at = next > low && next < high ? next : low + (high - low) / 2;
    }
    *x = at;
    return std::isfinite(at);
  }
  // The poles from `origin`, which is d[number].
  void See(double origin, Index number) {
    FillGaps(d_, origin, 0, squared_, poles_.data(), n_);
    poles_.data()[number] = 0;
  }

  struct Sums {
    SecularSums before, behind;  // sums over the poles up to j, and over those behind
    double sum, size;  // the function, and a bound of what its rounding errors are parts of
  };
  Sums Value(Index j, double x) const {
    const Index before = j + 1 == n_ ? j : j + 1;
    Sums s{SumSecular(poles_.data(), z2_.data(), before, x),
           SumSecular(poles_.data() + before, z2_.data() + before, n_ - before, x), 0, 0};
    s.sum = 1 + s.before.value + s.behind.value;
    s.size = 8 * (1 + std::fabs(s.before.value) + std::fabs(s.behind.value)) +
             std::fabs(x) * (s.before.slope + s.behind.slope);
    return s;
  }
  // The step to the root of c + a / (left - y) + b / (right - y), whose two parts have the values and slopes of the
  // sums before and behind.
  double Step(Index j, double x, const Sums& s) const {
    const bool last = j + 1 == n_;
    if (n_ == 1) return 0;
    const double left = poles_.data()[last ? j - 1 : j] - x, right = poles_.data()[last ? j : j + 1] - x;
    double c = s.sum - left * s.before.slope - right * s.behind.slope;
    const double a = (left + right) * s.sum - left * right * (s.before.slope + s.behind.slope);
    const double b = left * right * s.sum, root = std::sqrt(std::max(0.0, a * a - 4 * b * c));
    if (last) {
      c = std::fabs(c);
      const double wide = std::sqrt(std::fabs(a * a - 4 * b * c));
      return a >= 0 ? (a + wide) / (2 * c) : 2 * b / (a - wide);
    }
    return a <= 0 ? (a - root) / (2 * c) : 2 * b / (a + root);
  }
  // Makes z the one whose equation has the roots that were found, to the last bits: their vectors are orthogonal.
  void Refine() {
    SlimVector<double> product(static_cast<std::size_t>(n_), 1.0);
    for (Index j = 0; j < n_; ++j) {
      const double* const gaps = gaps_.data() + j * n_;
      MultiplyRatios(gaps, d_, d_[j], squared_, product.data(), j);
      product.data()[j] *= -gaps[j];
      MultiplyRatios(gaps + j + 1, d_ + j + 1, d_[j], squared_, product.data() + j + 1, n_ - j - 1);
    }
    for (Index i = 0; i < n_; ++i) {
      double& z = z_.data()[i];
      z = std::copysign(std::sqrt(std::fabs(product.data()[i])), z);
    }
  }

  const double* const d_;
  const Index n_;
  const bool squared_;
  double total_ = 0;
  SlimVector<double> z_, z2_, poles_;
  SlimVector<double> gaps_;  // row j: the poles less root j
};

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END
