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
      TakeRoot();
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
  // t := its principal root, column by column.
  void TakeRoot() {
    for (Index j = 0; j < n_; ++j) {
      t_[j * n_ + j] = std::sqrt(t_[j * n_ + j]);
      for (Index i = j; i-- > 0;) {
        C sum = t_[i * n_ + j];
        for (Index k = i + 1; k < j; ++k) sum -= Times(t_[i * n_ + k], t_[k * n_ + j]);
        t_[i * n_ + j] = sum == C(0) ? C(0) : sum / (t_[i * n_ + i] + t_[j * n_ + j]);
      }
    }
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
  // (1 + s x) y = x
  void Solve(double s) {
    for (Index j = 0; j < n_; ++j)
      for (Index i = j + 1; i-- > 0;) {
        C sum = x_.data()[i * n_ + j];
        for (Index k = i + 1; k <= j; ++k) sum -= s * Times(x_.data()[i * n_ + k], y_.data()[k * n_ + j]);
        y_.data()[i * n_ + j] = sum / (C(1) + s * x_.data()[i * n_ + i]);
      }
  }

  C* t_;
  Index n_;
  SlimVector<C> x_, y_;
};

// out: [n, n], the logarithm whose eigenvalues have imaginary parts in (-pi, pi]. False: there is none, because an
// eigenvalue is 0 or an element is not finite.
inline bool Logarithm(const std::complex<double>* in, Index n, std::complex<double>* out) {
  using C = std::complex<double>;
  const auto size = static_cast<std::size_t>(n * n);
  Schur schur(n);
  bool is_real = true;
  for (Index i = 0; i < n * n; ++i) {
    schur.t()[i] = in[i];
    is_real = is_real && in[i].imag() == 0;
  }
  if (!schur.Run()) return false;
  C* const t = schur.t();
  double norm = 0;
  for (Index i = 0; i < n; ++i) norm = std::max(norm, std::abs(t[i * n + i]));
  for (Index i = 0; i < n; ++i) {
    C& value = t[i * n + i];
    // Rounding must not choose the side of the cut on which a negative eigenvalue of a real matrix lies.
    if (is_real && std::fabs(value.imag()) <= 64 * std::numeric_limits<double>::epsilon() * norm)
      value = C(value.real());
    if (value == C(0)) return false;
  }
  SlimVector<C> log(size, C(0)), turned(size, C(0)), adjoint(size, C(0));
  if (!TriangularLogarithm(t, n).Run(log.data())) return false;
  Multiply(schur.q(), log.data(), turned.data(), n, n, n);
  Adjoint(schur.q(), n, n, adjoint.data());
  Multiply(turned.data(), adjoint.data(), out, n, n, n);
  return true;
}

}  // namespace linalg

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
