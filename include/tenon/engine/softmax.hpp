// SPDX-License-Identifier: Apache-2.0
#pragma once
// Softmax and its logarithm, of rows: three passes over a row that stays in the first cache (largest, exponentials and
// their sum, scaling).

#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/isa.hpp>
#include <tenon/engine/scratch.hpp>
#include <tenon/engine/simd.hpp>

TENON_NAMESPACE_BEGIN

namespace detail {

// One row of float or double, n >= 1; `out` may be `x`. A row with a NaN, with +infinity, or of nothing but -infinity
// gives NaNs, as the formula says.
template <class T, class Isa = simd::Unit>
void SoftmaxRow(const T* x, T* out, Index n) {
  using B = simd::Batch<T, Isa>;
  constexpr Index kSize = B::size;
  constexpr T kLowest = -std::numeric_limits<T>::infinity();
  if (n < kSize) {
    const B part = B::LoadPart(x, n, kLowest);
    const B y = (part - B(part.Largest())).Exp();
    (y * B(T(1) / y.Sum())).StorePart(out, n);
    return;
  }
  // What does not fill a batch is done with the batch that ends the row; `last` is read before anything is written.
  const Index whole = n / kSize * kSize;
  const B last = B::Load(x + n - kSize);
  B largest = last;
  for (Index i = 0; i < whole; i += kSize) largest = B::Max(largest, B::Load(x + i));
  const B shift(largest.Largest());

  // Two sums, as the additions would wait for each other.
  B sum(T(0)), other_sum(T(0));
  Index i = 0;
  for (; i + 2 * kSize <= whole; i += 2 * kSize) {
    const B first = (B::Load(x + i) - shift).Exp(), second = (B::Load(x + i + kSize) - shift).Exp();
    first.Store(out + i);
    second.Store(out + i + kSize);
    sum = sum + first;
    other_sum = other_sum + second;
  }
  for (; i < whole; i += kSize) {
    const B y = (B::Load(x + i) - shift).Exp();
    y.Store(out + i);
    sum = sum + y;
  }
  if (whole == n) {
    const B scale(T(1) / (sum + other_sum).Sum());
    for (i = 0; i < n; i += kSize) (B::Load(out + i) * scale).Store(out + i);
    return;
  }
  const B y = (last - shift).Exp();
  T lanes[kSize];
  y.Store(lanes);
  T total = (sum + other_sum).Sum();
  for (Index lane = kSize - (n - whole); lane < kSize; ++lane) total += lanes[lane];  // those that were not added yet
  const B scale(T(1) / total);
  for (i = 0; i < whole; i += kSize) (B::Load(out + i) * scale).Store(out + i);
  (y * scale).Store(out + n - kSize);
}

// log(SoftmaxRow), without the detour: x - largest - log(sum of exp(x - largest)).
template <class T, class Isa = simd::Unit>
void LogSoftmaxRow(const T* x, T* out, Index n) {
  using B = simd::Batch<T, Isa>;
  constexpr T kLowest = -std::numeric_limits<T>::infinity();
  B largest(kLowest);
  for (Index i = 0; i < n; i += B::size)
    largest = B::Max(largest, n - i >= B::size ? B::Load(x + i) : B::LoadPart(x + i, n - i, kLowest));
  const T shift = largest.Largest();
  B sum(T(0));
  for (Index i = 0; i < n; i += B::size)
    sum = sum + ((n - i >= B::size ? B::Load(x + i) : B::LoadPart(x + i, n - i, kLowest)) - B(shift)).Exp();
  const T log_of_sum = std::log(sum.Sum());
  for (Index i = 0; i < n; ++i) out[i] = x[i] - shift - log_of_sum;
}

// T is float, double, half or bfloat16; the last two are computed as float and rounded once.
template <class T>
using RowType = std::conditional_t<std::is_same_v<T, double>, double, float>;

// row(x[r, :], out[r, :]) for every row: [rows, columns] -> the same. `out` may be `x`.
template <class T>
Status ForEachRow(Cpu& device, void (*row_function)(const RowType<T>*, RowType<T>*, Index), std::string_view name,
                  const T* x, T* out, Index rows, Index columns) {
  if (rows == 0 || columns == 0) return OkStatus();
  const double ns = static_cast<double>(columns) * (std::is_same_v<T, float> ? 0.7 : 5.0) + 20;
  if constexpr (std::is_floating_point_v<T>) {
    ParallelFor(device, rows, ns, [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) row_function(x + r * columns, out + r * columns, columns);
    });
  } else {
    const Index parts = WorthwhileParts(device, ns * static_cast<double>(rows));
    const std::size_t row_bytes = ScratchBytes<float>(columns);
    Scratch scratch(device, static_cast<std::size_t>(parts) * row_bytes);
    TENON_RETURN_IF_ERROR(scratch.status(name));
    RunParts(device, parts, [&](Index part) {
      float* const row = scratch.As<float>(static_cast<std::size_t>(part) * row_bytes);
      for (Index r = PartBegin(rows, parts, 1, part); r < PartBegin(rows, parts, 1, part + 1); ++r) {
        for (Index i = 0; i < columns; ++i) row[i] = static_cast<float>(x[r * columns + i]);
        row_function(row, row, columns);
        for (Index i = 0; i < columns; ++i) out[r * columns + i] = static_cast<T>(row[i]);
      }
    });
  }
  return OkStatus();
}

}  // namespace detail

// out[r, :] = exp(x[r, :]) / sum(exp(x[r, :])) without overflow: [rows, columns] -> the same. `out` may be `x`.
// T is float, double, half or bfloat16; the last two are computed as float and rounded once.
template <class T>
Status Softmax(Cpu& device, const T* x, T* out, Index rows, Index columns) {
  return detail::ForEachRow<T>(device, &detail::SoftmaxRow<detail::RowType<T>>, "Softmax", x, out, rows, columns);
}
// The logarithms of the same.
template <class T>
Status LogSoftmax(Cpu& device, const T* x, T* out, Index rows, Index columns) {
  return detail::ForEachRow<T>(device, &detail::LogSoftmaxRow<detail::RowType<T>>, "LogSoftmax", x, out, rows, columns);
}

TENON_NAMESPACE_END
