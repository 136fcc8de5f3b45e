// SPDX-License-Identifier: Apache-2.0
#pragma once
// Discrete Fourier transforms of any length, calculated in double: powers of two by the radix-2 algorithm, other
// lengths as a convolution (L. I. Bluestein, "A linear filtering approach to the computation of discrete Fourier
// transform", 1970). And along any axes of a tensor.

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/tensor/shape.hpp>

TENON_NAMESPACE_BEGIN

// Transforms of one length: forward with exp(-2 pi i j k / n), inverse with the other sign and without a factor.
// immutable once made.
class FftPlan {
 public:
  // n > 0
  explicit FftPlan(Index n) : n_(n) {
    while (padded_ < n) padded_ *= 2;
    if (padded_ != n) padded_ *= padded_ < 2 * n - 1 ? 2 : 1;
    FillRoots();
    if (padded_ != n) FillChirp();
  }
  Index size() const { return n_; }
  Index scratch_size() const { return padded_ == n_ ? 0 : padded_; }

  // x: [n], in place; scratch: [scratch_size()].
  void Run(complex128* x, bool inverse, complex128* scratch) const {
    if (inverse) Conjugate(x, n_);
    if (padded_ == n_)
      Radix2(x);
    else
      Convolve(x, scratch);
    if (inverse) Conjugate(x, n_);
  }

 private:
  static complex128 Times(const complex128& a, const complex128& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
  static void Conjugate(complex128* x, Index n) {
    for (Index i = 0; i < n; ++i) x[i] = {x[i].real(), -x[i].imag()};
  }
  // exp(-2 pi i part / whole)
  static complex128 Root(Index part, Index whole) {
    constexpr double kTwoPi = 6.28318530717958647693;
    const double angle = -kTwoPi * static_cast<double>(part) / static_cast<double>(whole);
    return {std::cos(angle), std::sin(angle)};
  }
  void FillRoots() {
    for (Index k = 0; k < padded_ / 2; ++k) roots_.push_back(Root(k, padded_));
  }
  // exp(-pi i j^2 / n), and the transform of its conjugate laid round.
  void FillChirp() {
    kernel_.assign(static_cast<std::size_t>(padded_), complex128());
    for (Index j = 0; j < n_; ++j) {
      const auto square = static_cast<Index>(static_cast<std::uint64_t>(j) * static_cast<std::uint64_t>(j) %
                                             static_cast<std::uint64_t>(2 * n_));
      const complex128 chirp = Root(square, 2 * n_);
      chirp_.push_back(chirp);
      const complex128 turned(chirp.real(), -chirp.imag());
      kernel_[static_cast<std::size_t>(j)] = turned;
      if (j > 0) kernel_[static_cast<std::size_t>(padded_ - j)] = turned;
    }
    Radix2(kernel_.data());
  }
  // padded_ elements.
  void Radix2(complex128* x) const {
    for (Index i = 1, j = 0; i < padded_; ++i) {  // to bit-reversed places
      Index bit = padded_ / 2;
      for (; (j & bit) != 0; bit /= 2) j ^= bit;
      j ^= bit;
      if (i < j) std::swap(x[i], x[j]);
    }
    for (Index half = 1; half < padded_; half *= 2) {
      const Index step = padded_ / (2 * half);
      for (Index block = 0; block < padded_; block += 2 * half) {
        for (Index k = 0; k < half; ++k) {
          const complex128 odd = Times(roots_[static_cast<std::size_t>(k * step)], x[block + k + half]);
          const complex128 even = x[block + k];
          x[block + k] = even + odd;
          x[block + k + half] = even - odd;
        }
      }
    }
  }
  void Convolve(complex128* x, complex128* y) const {
    for (Index j = 0; j < n_; ++j) y[j] = Times(x[j], chirp_[static_cast<std::size_t>(j)]);
    for (Index j = n_; j < padded_; ++j) y[j] = complex128();
    Radix2(y);
    for (Index j = 0; j < padded_; ++j) {
      y[j] = Times(y[j], kernel_[static_cast<std::size_t>(j)]);
      y[j] = {y[j].real(), -y[j].imag()};
    }
    Radix2(y);  // of the conjugate: the inverse
    const double factor = 1 / static_cast<double>(padded_);
    for (Index j = 0; j < n_; ++j) {
      const complex128 sum(y[j].real() * factor, -y[j].imag() * factor);
      x[j] = Times(sum, chirp_[static_cast<std::size_t>(j)]);
    }
  }

  Index n_, padded_ = 1;  // a power of two, at least 2 n - 1 unless n is one itself
  SlimVector<complex128> roots_, chirp_, kernel_;
};

// x: a block of the given sizes, row-major, transformed in place along axis `axis`. The inverse is divided by the
// length.
inline void FftAlong(complex128* x, Span<const Index> sizes, std::size_t axis, bool inverse) {
  const Index n = sizes[axis];
  Index outer = 1, inner = 1;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (d != axis) (d < axis ? outer : inner) *= sizes[d];
  if (n <= 1 || outer * inner == 0) return;
  const FftPlan plan(n);
  SlimVector<complex128> line(static_cast<std::size_t>(n + plan.scratch_size()), complex128());
  const double factor = inverse ? 1 / static_cast<double>(n) : 1;
  for (Index o = 0; o < outer; ++o) {
    for (Index i = 0; i < inner; ++i) {
      complex128* const first = x + o * n * inner + i;
      for (Index k = 0; k < n; ++k) line[static_cast<std::size_t>(k)] = first[k * inner];
      plan.Run(line.data(), inverse, line.data() + n);
      for (Index k = 0; k < n; ++k) first[k * inner] = line[static_cast<std::size_t>(k)] * factor;
    }
  }
}

TENON_NAMESPACE_END
