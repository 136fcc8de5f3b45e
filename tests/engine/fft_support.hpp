// SPDX-License-Identifier: Apache-2.0
#pragma once
// What tests of Fourier transforms share: the definition, in long double.

#include <cmath>
#include <complex>
#include <cstddef>
#include <random>
#include <vector>

#include <tenon/tensor/shape.hpp>

namespace tenon::testing {

using LongComplex = std::complex<long double>;

// Where long double is calculated by software, and that perhaps in an emulator, few sizes are tested.
#if defined(__aarch64__)
inline constexpr bool kFewFftSizes = true;
#else
inline constexpr bool kFewFftSizes = false;
#endif

// y[k] = sum of x[j] exp(-2 pi i j k / n); inverse: the other sign, divided by n.
class Dft {
 public:
  Dft(Index n, bool inverse) : n_(n), inverse_(inverse) {
    for (Index i = 0; i < n; ++i) {
      const long double angle =
          2 * 3.14159265358979323846264338327950288L * static_cast<long double>(i) / static_cast<long double>(n);
      roots_.emplace_back(std::cos(angle), inverse ? std::sin(angle) : -std::sin(angle));
    }
  }
  LongComplex operator()(const std::vector<LongComplex>& x, Index k) const {
    LongComplex sum;
    for (Index j = 0; j < n_; ++j) {
      const LongComplex a = x[static_cast<std::size_t>(j)], w = roots_[static_cast<std::size_t>(j * k % n_)];
      sum += LongComplex(a.real() * w.real() - a.imag() * w.imag(), a.real() * w.imag() + a.imag() * w.real());
    }
    return inverse_ ? sum / static_cast<long double>(n_) : sum;
  }

 private:
  Index n_;
  bool inverse_;
  std::vector<LongComplex> roots_;
};

// From [-1, 1].
template <class T>
std::vector<T> FftNumbers(Index n, unsigned seed = 1) {
  std::mt19937 bits(seed);
  std::uniform_real_distribution<double> numbers(-1, 1);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& value : x) value = static_cast<T>(numbers(bits));
  return x;
}
template <class T>
std::vector<LongComplex> LongComplexes(const T* x, Index n, Index step = 1) {
  std::vector<LongComplex> result;
  for (Index i = 0; i < n; ++i) result.emplace_back(x[2 * i * step], x[2 * i * step + 1]);
  return result;
}

// How far results are from what they should be, in units of T's rounding: the root of the mean square of the errors by
// that of the results. Errors of an algorithm that adds up pairs grow like log n (N. J. Higham, "Accuracy and Stability
// of Numerical Algorithms", 24.1); here they are at most AllowedFftError.
template <class T>
class FftError {
 public:
  void Add(LongComplex got, LongComplex want) {
    errors_ += std::norm(got - want);
    sum_ += std::norm(want);
  }
  double value() const {
    constexpr double kUnit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
    return static_cast<double>(std::sqrt(errors_ / (sum_ > 0 ? sum_ : 1))) / kUnit;
  }

 private:
  long double errors_ = 0, sum_ = 0;
};
inline double AllowedFftError(Index n) { return 2 + 0.5 * std::log2(static_cast<double>(n)); }

}  // namespace tenon::testing
