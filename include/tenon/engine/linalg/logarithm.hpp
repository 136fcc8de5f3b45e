// SPDX-License-Identifier: Apache-2.0
#pragma once
// The principal logarithm of a complex matrix, row-major, by inverse scaling and squaring of its Schur form: N. J.
// Higham, "Functions of Matrices" (2008), 11.5.

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>

#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/linalg/decompositions.hpp>
#include <tenon/engine/linalg/schur.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace linalg {

// Logarithm of an upper triangular matrix t: [n, n] without zeros on its diagonal. t is overwritten.
class TriangularLogarithm {
 public:
  using C = std::complex<double>;

  TriangularLogarithm(C* t, Index n) : t_(t), n_(n), x_(static_cast<std::size_t>(n * n)), y_(x_.size()) {}

  // out: [n, n]. False: no convergence.
  bool Run(C* out) {
    SlimVector<C> diagonal;
    for (Index i = 0; i < n_; ++i) diagonal.push_back(std::log(t_[i * n_ + i]));
    int roots = 0;
    while (!(Distance() <= kNear)) {
      if (++roots > kMostRoots) return false;
      TakeTriangularRoot(t_, n_);
    }
    Approximate(out);
    const double scale = std::ldexp(1.0, roots);
    for (Index i = 0; i < n_; ++i) {
      for (Index j = i; j < n_; ++j) out[i * n_ + j] *= scale;
      out[i * n_ + i] = diagonal[static_cast<std::size_t>(i)];
    }
    return true;
  }

 private:
  static constexpr double kNear = 0.25;
  static constexpr int kMostRoots = 100, kNodes = 8;

  // The largest sum of a column of t - 1.
  double Distance() const {
    double largest = 0;
    for (Index j = 0; j < n_; ++j) {
      double sum = 0;
      for (Index i = 0; i <= j; ++i) sum += std::abs(t_[i * n_ + j] - (i == j ? C(1) : C(0)));
      if (!(sum <= largest)) largest = sum;
    }
    return largest;
  }
  // out := log(1 + x) of x = t - 1, the integral of x / (1 + s x) over s in [0, 1] by Gauss's rule.
  void Approximate(C* out) {
    constexpr double kPlaces[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
    constexpr double kWeights[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < n_; ++j) {
        x_.data()[i * n_ + j] = j < i ? C(0) : t_[i * n_ + j] - (i == j ? C(1) : C(0));
        out[i * n_ + j] = C(0);
      }
    for (int node = 0; node < kNodes; ++node) {
      const double place = (1 + (node % 2 == 0 ? kPlaces[node / 2] : -kPlaces[node / 2])) / 2;
      Solve(place);
      for (Index i = 0; i < n_; ++i)
        for (Index j = i; j < n_; ++j) out[i * n_ + j] += kWeights[node / 2] / 2 * y_.data()[i * n_ + j];
    }
  }
  // (1 + s x) y = x, row by row.
  void Solve(double s) {
    for (Index i = n_; i-- > 0;) {
      const C *const x = x_.data() + i * n_, divisor = C(1) + s * x[i];
      C* const y = y_.data() + i * n_;
      std::copy(x + i, x + n_, y + i);
      for (Index k = i + 1; k < n_; ++k) rows_.AddScaled(y_.data() + k * n_ + k, -s * x[k], y + k, n_ - k);
      for (Index j = i; j < n_; ++j) y[j] /= divisor;
    }
  }

  C* t_;
  Index n_;
  SlimVector<C> x_, y_;
  const ComplexRows rows_;
};

// out: [n, n], the logarithm whose eigenvalues have imaginary parts in (-pi, pi]. False: there is none, because an
// eigenvalue is 0 or an element is not finite.
inline bool Logarithm(const std::complex<double>* in, Index n, std::complex<double>* out) {
  using C = std::complex<double>;
  const auto size = static_cast<std::size_t>(n * n);
  Schur schur(n);
  bool is_real = true;
  for (Index i = 0; i < n * n; ++i) is_real = is_real && in[i].imag() == 0;
  if (!schur.Run(in)) return false;
  SlimVector<C> triangle(size);
  C* const t = triangle.data();
  schur.CopyTriangle(t);
  double norm = 0;
  for (Index i = 0; i < n; ++i) norm = std::max(norm, std::abs(t[i * n + i]));
  for (Index i = 0; i < n; ++i) {
    C& value = t[i * n + i];
    // Rounding must not choose the side of the cut on which a negative eigenvalue of a real matrix lies.
    if (is_real && std::fabs(value.imag()) <= 64 * std::numeric_limits<double>::epsilon() * norm)
      value = C(value.real());
    if (value == C(0)) return false;
  }
  SlimVector<C> log(size, C(0));
  if (!TriangularLogarithm(t, n).Run(log.data())) return false;
  schur.Restore(log.data(), out);
  return true;
}

}  // namespace linalg

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
