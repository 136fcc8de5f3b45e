// SPDX-License-Identifier: Apache-2.0
#pragma once
// The exponential of a complex matrix, row-major, by scaling, Taylor's sum and squaring: N. J. Higham, "Functions of
// Matrices" (2008), 10.3.

#include <cmath>
#include <complex>
#include <cstddef>

#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/linalg/decompositions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace linalg {

// in, out: [n, n], not the same memory. NaN or infinity where the exponential is too large or an element not finite.
inline void Exponential(const std::complex<double>* in, Index n, std::complex<double>* out) {
  using C = std::complex<double>;
  constexpr int kTerms = 18;  // enough for a norm of 1/2 in double
  const auto size = static_cast<std::size_t>(n * n);
  double norm = 0;  // the largest sum of a column
  for (Index j = 0; j < n; ++j) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) sum += std::abs(in[i * n + j]);
    if (!(sum <= norm)) norm = sum;
  }
  int exponent = 0;
  if (std::isfinite(norm)) (void)std::frexp(norm, &exponent);
  const int squarings = exponent > -1 ? exponent + 1 : 0;
  const double scale = std::ldexp(1.0, -squarings);
  SlimVector<C> scaled(size), power(size), product(size);
  for (Index i = 0; i < n * n; ++i) {
    scaled.data()[i] = power.data()[i] = in[i] * scale;
    out[i] = scaled.data()[i] + (i % (n + 1) == 0 ? C(1) : C(0));
  }
  for (int k = 2; k <= kTerms; ++k) {
    Multiply(power.data(), scaled.data(), product.data(), n, n, n);
    for (Index i = 0; i < n * n; ++i) out[i] += power.data()[i] = product.data()[i] / static_cast<double>(k);
  }
  for (int k = 0; k < squarings; ++k) {
    for (Index i = 0; i < n * n; ++i) power.data()[i] = out[i];
    Multiply(power.data(), power.data(), out, n, n, n);
  }
}

}  // namespace linalg

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
