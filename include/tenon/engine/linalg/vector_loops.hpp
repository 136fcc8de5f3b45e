// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loops over vectors, and the product of a Hermitian matrix and a vector. T is float, double or a complex number.

#include <cstddef>
#include <type_traits>

#include <tenon/tensor/shape.hpp>
#include <tenon/engine/linalg/blocked.hpp>
#include <tenon/engine/linalg/decompositions.hpp>
#include <tenon/engine/simd/isa.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace linalg {

TENON_DETAIL_LOOPS_BEGIN

// y: [n] -= f x.
template <class T>
TENON_DETAIL_LOOP void SubtractScaled(const T* x, T f, T* y, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) y[i] -= LoopTimes(f, x[i]);
}
// x^H y.
template <class T>
TENON_DETAIL_LOOP T ConjugateDot(const T* x, const T* y, Index n) {
  constexpr Index kLanes = 8;
  T sums[kLanes] = {};
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (Index l = 0; l < kLanes; ++l) sums[l] += LoopTimes(Conj(x[i + l]), y[i + l]);
  for (; i < n; ++i) sums[0] += LoopTimes(Conj(x[i]), y[i]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}
// y: [n] = a x, of a Hermitian matrix's upper triangle, `row` elements from row to row.
template <class T>
TENON_DETAIL_LOOP void HermitianTimesRows(const T* a, Index row, const T* x, T* y, Index n) {
  for (Index i = 0; i < n; ++i) y[i] = T(0);
  for (Index i = 0; i < n; ++i) {
    const T* const line = a + i * row;
    const T by = x[i];
    T sum = T(RealPart(line[i])) * by;
    for (Index j = i + 1; j < n; ++j) sum += LoopTimes(line[j], x[j]);
    TENON_DETAIL_INDEPENDENT
    for (Index j = i + 1; j < n; ++j) y[j] += LoopTimes(Conj(line[j]), by);
    y[i] += sum;
  }
}

TENON_DETAIL_LOOPS_END

#if TENON_DETAIL_TARGETS
// HermitianTimesRows of real numbers: each element of the matrix is read once, for its own row and for its column.
template <class R>
TENON_DETAIL_TARGET_AVX2 void SymmetricTimesAvx2(const R* a, Index row, const R* x, R* y, Index n) {
  using Lanes [[gnu::vector_size(32), gnu::aligned(alignof(R)), gnu::may_alias]] = R;
  constexpr Index kLanes = static_cast<Index>(32 / sizeof(R)), kRows = 4;
  for (Index i = 0; i < n; ++i) y[i] = 0;
  Index i = 0;
  for (; i + kRows <= n; i += kRows) {
    const R* const lines = a + i * row;
    Lanes sums[kRows] = {};
    Index j = i + kRows;
    for (; j + kLanes <= n; j += kLanes) {
      const Lanes by = *reinterpret_cast<const Lanes*>(x + j);
      Lanes to = *reinterpret_cast<const Lanes*>(y + j);
#pragma GCC unroll 4
      for (Index r = 0; r < kRows; ++r) {
        const Lanes line = *reinterpret_cast<const Lanes*>(lines + r * row + j);
        sums[r] += line * by;
        to += line * x[i + r];
      }
      *reinterpret_cast<Lanes*>(y + j) = to;
    }
    for (Index r = 0; r < kRows; ++r) {
      const R* const line = lines + r * row;
      R sum = line[i + r] * x[i + r];
      for (Index l = 0; l < kLanes; ++l) sum += sums[r][l];
      const auto add = [&](Index at) {
        sum += line[at] * x[at];
        y[at] += line[at] * x[i + r];
      };
      for (Index t = i + r + 1; t < i + kRows; ++t) add(t);
      for (Index t = j; t < n; ++t) add(t);
      y[i + r] += sum;
    }
  }
  for (; i < n; ++i) {
    const R* const line = a + i * row;
    R sum = line[i] * x[i];
    for (Index t = i + 1; t < n; ++t) {
      sum += line[t] * x[t];
      y[t] += line[t] * x[i];
    }
    y[i] += sum;
  }
}
#endif
template <class T>
void HermitianTimes(const T* a, Index row, const T* x, T* y, Index n) {
#if TENON_DETAIL_TARGETS
  if constexpr (std::is_floating_point_v<T>)
    if (simd::BestLevel() >= simd::Level::kAvx2) return SymmetricTimesAvx2(a, row, x, y, n);
#endif
  HermitianTimesRows(a, row, x, y, n);
}

}  // namespace linalg

TENON_DETAIL_NAMESPACE_END
