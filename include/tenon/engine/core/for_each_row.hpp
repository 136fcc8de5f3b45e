// SPDX-License-Identifier: Apache-2.0
#pragma once
// ForEachRow runs an operation on each row of a matrix by itself - softmax, layer normalisation - over the device's
// threads. half and bfloat16 rows are computed as float, in a copy that stays in the first cache, and rounded once.

#include <cstddef>
#include <string_view>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/core/half_conversion.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Type that rows of T are computed in: float, but double for double.
template <class T>
using RowType = std::conditional_t<std::is_same_v<T, double>, double, float>;

// row(x[r, :], out[r, :], columns) for every row of x: [rows, columns]. `out` may be `x`. T is float, double, half or
// bfloat16; `row` takes pointers to RowType<T>. A ResourceExhausted for scratch memory names `name`.
template <class T, class Row>
Status ForEachRow(Cpu& device, const Row& row, std::string_view name, const T* x, T* out, Index rows, Index columns) {
  if (rows == 0 || columns == 0) return OkStatus();
  const double ns = static_cast<double>(columns) * (std::is_same_v<T, float> ? 0.7 : 5.0) + 20;
  if constexpr (std::is_floating_point_v<T>) {
    ParallelFor(device, rows, ns, [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) row(x + r * columns, out + r * columns, columns);
    });
  } else {
    const Index parts = WorthwhileParts(device, ns * static_cast<double>(rows));
    const std::size_t row_bytes = ScratchBytes<float>(columns);
    Scratch scratch(device, static_cast<std::size_t>(parts) * row_bytes);
    TENON_RETURN_IF_ERROR(scratch.status(name));
    RunParts(device, parts, [&](Index part) {
      float* const copy = scratch.As<float>(static_cast<std::size_t>(part) * row_bytes);
      for (Index r = PartBegin(rows, parts, 1, part); r < PartBegin(rows, parts, 1, part + 1); ++r) {
        WidenRun(x + r * columns, copy, columns);
        row(copy, copy, columns);
        NarrowRun(copy, out + r * columns, columns);
      }
    });
  }
  return OkStatus();
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
