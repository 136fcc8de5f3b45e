// SPDX-License-Identifier: Apache-2.0
#pragma once
// LayerNorm: every row scaled to mean 0 and variance 1, in three passes over a row that stays in the first cache (sum,
// squares of the differences, result). Ba, Kiros and Hinton 2016, arXiv:1607.06450.

#include <cmath>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>
#include <tenon/engine/core/for_each_row.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// out[i] = (x[i] - mean) / sqrt(variance + epsilon) * scale[i] + shift[i] for one row of n >= 1 elements; `out` may be
// `x`, a null scale is one, a null shift zero.
#if TENON_DETAIL_LANES
template <class T>
struct LayerNormRow {
  template <int bytes>
  TENON_HD static void Run(const T* x, T* out, Index n, const T* scale, const T* shift, T epsilon) {
    using L = simd::Lanes<T, bytes>;
    using Wide = simd::Pair<simd::Pair<L>>;  // sums that wait for each other would take four times as long
    const Index wides = n / Wide::size * Wide::size, whole = n / L::size * L::size;
    const auto left_bytes = static_cast<std::size_t>(n - whole) * sizeof(T);
    T rest[L::size] = {};
    __builtin_memcpy(rest, x + whole, left_bytes);
    Wide sums = Wide::Zero();
    L sum = L::Load(rest);
    for (Index i = 0; i < wides; i += Wide::size) sums = sums + Wide::Load(x + i);
    for (Index i = wides; i < whole; i += L::size) sum = sum + L::Load(x + i);
    const T mean = (simd::Fold<simd::AddLanes>(sums) + simd::Fold<simd::AddLanes>(sum)) / static_cast<T>(n);

    for (Index i = n - whole; i < L::size; ++i) rest[i] = mean;  // no difference
    const L middle = L::Repeat(mean), last = L::Load(rest) - middle;
    const Wide wide_middle = Wide::Repeat(mean);
    Wide squares = Wide::Zero();
    L square = last * last;
    for (Index i = 0; i < wides; i += Wide::size) {
      const Wide difference = Wide::Load(x + i) - wide_middle;
      squares = simd::Fma(difference, difference, squares);
    }
    for (Index i = wides; i < whole; i += L::size) {
      const L difference = L::Load(x + i) - middle;
      square = simd::Fma(difference, difference, square);
    }
    const T variance = (simd::Fold<simd::AddLanes>(squares) + simd::Fold<simd::AddLanes>(square)) / static_cast<T>(n);

    const L factor = L::Repeat(T(1) / std::sqrt(variance + epsilon));
    for (Index i = 0; i < whole; i += L::size) {
      L y = (L::Load(x + i) - middle) * factor;
      if (scale != nullptr) y = y * L::Load(scale + i);
      if (shift != nullptr) y = y + L::Load(shift + i);
      y.Store(out + i);
    }
    (last * factor).Store(rest);
    for (Index i = whole; i < n; ++i) {
      T y = rest[i - whole];
      if (scale != nullptr) y *= scale[i];
      if (shift != nullptr) y += shift[i];
      out[i] = y;
    }
  }
};
template <class T, class Isa>
auto LayerNormFunction() {
  return simd::detail::ForLevels<LayerNormRow<T>, Isa, const T*, T*, Index, const T*, const T*, T>::Best();
}
#else
template <class T, class Isa>
auto LayerNormFunction() {
  return +[](const T* x, T* out, Index n, const T* scale, const T* shift, T epsilon) {
    T mean = 0, variance = 0;
    for (Index i = 0; i < n; ++i) mean += x[i];
    mean /= static_cast<T>(n);
    for (Index i = 0; i < n; ++i) variance += (x[i] - mean) * (x[i] - mean);
    const T factor = T(1) / std::sqrt(variance / static_cast<T>(n) + epsilon);
    for (Index i = 0; i < n; ++i) {
      const T y = (x[i] - mean) * factor;
      out[i] = (scale == nullptr ? y : y * scale[i]) + (shift == nullptr ? T(0) : shift[i]);
    }
  };
}
#endif

}  // namespace detail

// out[r, :] = (x[r, :] - mean) / sqrt(variance + epsilon) * scale + shift with the mean and the variance (that of the
// row itself: divided by `columns`) of x[r, :]: [rows, columns] -> the same. `out` may be `x`. scale and shift have
// `columns` elements; null stands for ones and zeros. T is float, double, half or bfloat16; the last two are computed
// as float and rounded once. A row with NaN or infinity gives NaNs. ResourceExhausted without memory for a row of half
// or bfloat16. The result does not depend on the number of threads.
template <class T, class Isa = simd::Compiled>
Status LayerNorm(Cpu& device, const T* x, const detail::RowType<T>* scale, const detail::RowType<T>* shift,
                 detail::RowType<T> epsilon, T* out, Index rows, Index columns) {
  using R = detail::RowType<T>;
  const auto normalise = detail::LayerNormFunction<R, Isa>();
  return detail::ForEachRow<T>(
      device, [&](const R* from, R* to, Index n) { normalise(from, to, n, scale, shift, epsilon); }, "LayerNorm", x,
      out, rows, columns);
}

TENON_DETAIL_NAMESPACE_END
