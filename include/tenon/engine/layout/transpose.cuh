// SPDX-License-Identifier: Apache-2.0
#pragma once
// CopyNd on a GPU: one kernel for each size of a unit, which is an element or as many of them as both sides keep
// together in up to 16 bytes. Where the two sides' innermost dimensions differ, squares go through shared memory.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/layout/transpose.cuh> only from files that nvcc compiles."
#endif

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/element_copy.cuh>
#include <tenon/engine/core/fast_divisor.hpp>
#include <tenon/engine/layout/strided_slice.hpp>
#include <tenon/engine/layout/transpose.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// The dimensions of an NdCopy as the GPU reads them; steps in units.
struct CudaNdCopy {
  static constexpr int kMaxRank = 20;
  int rank = 0;
  FastDivisor size[kMaxRank];
  Index in[kMaxRank] = {}, out[kMaxRank] = {};

  TENON_HD void Locate(std::uint32_t u, Index* from, Index* to) const {
    Index at_in = 0, at_out = 0;
    for (int d = rank - 1; d > 0; --d) {
      const std::uint32_t outer = size[d].Divide(u), at = u - outer * size[d].divisor;
      at_in += at * in[d];
      at_out += at * out[d];
      u = outer;
    }
    if (rank > 0) {
      at_in += u * in[0];
      at_out += u * out[0];
    }
    *from = at_in;
    *to = at_out;
  }
};

template <class Unit>
__global__ void CopyNdKernel(const __grid_constant__ CudaNdCopy copy, const Unit* in, Unit* out, std::uint32_t units) {
  const std::uint32_t step = gridDim.x * blockDim.x;
  for (std::uint32_t u = blockIdx.x * blockDim.x + threadIdx.x; u < units; u += step) {
    Index from, to;
    copy.Locate(u, &from, &to);
    out[to] = in[from];
  }
}

// The two dimensions that squares are cut from: rows lie side by side in the input, columns in the output.
struct CudaSquares {
  static constexpr std::uint32_t kSide = 32, kRowsAtOnce = 8;
  std::uint32_t rows = 0, columns = 0;
  FastDivisor across, down;  // squares along the columns, along the rows
  Index row_out = 0, column_in = 0;
};
template <class Unit>
__global__ void TransposeKernel(const __grid_constant__ CudaNdCopy outer, const __grid_constant__ CudaSquares squares,
                                const Unit* in, Unit* out, std::uint32_t count) {
  constexpr std::uint32_t kSide = CudaSquares::kSide, kStep = CudaSquares::kRowsAtOnce;
  __shared__ Unit square[kSide][kSide + 1];
  const std::uint32_t x = threadIdx.x % kSide, y = threadIdx.x / kSide;
  for (std::uint32_t s = blockIdx.x; s < count; s += gridDim.x) {
    const std::uint32_t strip = squares.across.Divide(s);
    const std::uint32_t place = squares.down.Divide(strip);
    const std::uint32_t c = (s - strip * squares.across.divisor) * kSide;
    const std::uint32_t r = (strip - place * squares.down.divisor) * kSide;
    Index from, to;
    outer.Locate(place, &from, &to);
    for (std::uint32_t j = y; j < kSide; j += kStep)
      if (r + x < squares.rows && c + j < squares.columns)
        square[j][x] = in[from + (r + x) + (c + j) * squares.column_in];
    __syncthreads();
    for (std::uint32_t i = y; i < kSide; i += kStep)
      if (r + i < squares.rows && c + x < squares.columns) out[to + (r + i) * squares.row_out + (c + x)] = square[x][i];
    __syncthreads();
  }
}

using NdDims = InlinedVector<NdCopy::Dim, 8>;

inline CudaNdCopy CudaNdCopyOf(const NdDims& dims) {
  CudaNdCopy copy;
  for (const NdCopy::Dim& dim : dims) {
    copy.size[copy.rank] = FastDivisor(static_cast<std::uint32_t>(dim.size));
    copy.in[copy.rank] = dim.in;
    copy.out[copy.rank++] = dim.out;
  }
  return copy;
}

// Launches the kernel for fewer than 2^31 units in at most CudaNdCopy::kMaxRank dimensions.
template <class Unit>
Status LaunchCopyNd(Cuda& device, NdDims dims, Index units, const Unit* in, Unit* out) {
  constexpr Index kSide = CudaSquares::kSide, kWorthSquares = 16;
  if (!dims.empty() && dims.back().out == 1 && dims.back().in != 1 && dims.back().size >= kWorthSquares) {
    const NdCopy::Dim columns = dims.back();
    for (std::size_t d = dims.size() - 1; d-- > 0;) {
      const NdCopy::Dim rows = dims[d];
      if (rows.in != 1 || rows.size < kWorthSquares) continue;
      dims.pop_back();
      dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(d));
      CudaSquares squares;
      squares.rows = static_cast<std::uint32_t>(rows.size);
      squares.columns = static_cast<std::uint32_t>(columns.size);
      const Index across = (columns.size + kSide - 1) / kSide, down = (rows.size + kSide - 1) / kSide;
      squares.across = FastDivisor(static_cast<std::uint32_t>(across));
      squares.down = FastDivisor(static_cast<std::uint32_t>(down));
      squares.row_out = rows.out;
      squares.column_in = columns.in;
      const Index count = units / rows.size / columns.size * across * down;
      constexpr Index kThreads = CudaSquares::kSide * CudaSquares::kRowsAtOnce;
      return LaunchCuda(device, LinearGrid(device, count * kThreads), &TransposeKernel<Unit>, CudaNdCopyOf(dims),
                        squares, in, out, static_cast<std::uint32_t>(count));
    }
  }
  return LaunchCuda(device, LinearGrid(device, units), &CopyNdKernel<Unit>, CudaNdCopyOf(dims), in, out,
                    static_cast<std::uint32_t>(units));
}

// Splits a copy that one launch cannot index at its outermost dimension.
template <class Unit>
Status CopyNdUnits(Cuda& device, NdDims dims, const Unit* in, Unit* out) {
  Index units = 1;
  for (const NdCopy::Dim& dim : dims) units *= dim.size;
  const bool is_deep = dims.size() > static_cast<std::size_t>(CudaNdCopy::kMaxRank);
  if (units <= kMostCudaUnits && !is_deep) return LaunchCopyNd(device, std::move(dims), units, in, out);
  const NdCopy::Dim first = dims[0];
  const Index inner = units / first.size;
  const Index some = is_deep || inner > kMostCudaUnits ? 1 : kMostCudaUnits / inner;  // steps at once
  for (Index i = 0; i < first.size; i += some) {
    NdDims part = dims;
    part[0].size = first.size - i < some ? first.size - i : some;
    if (part[0].size == 1) part.erase(part.begin());
    TENON_RETURN_IF_ERROR(CopyNdUnits(device, std::move(part), in + i * first.in, out + i * first.out));
  }
  return OkStatus();
}

}  // namespace detail

// As for Cpu, for elements that are plain data. Returns when it is queued.
inline Status CopyNd(Cuda& device, const ElementMover& mover, const NdCopy& copy, const void* in, void* out) {
  if (copy.elements == 0) return OkStatus();
  detail::NdDims dims(copy.dims);
  const char* const from = mover.At(in, copy.in_first);
  char* const to = mover.At(out, copy.out_first);
  Index unit = mover.bytes;
  const Index aligned =
      detail::UnitBytes(detail::AddressBits(from) | detail::AddressBits(to) | static_cast<std::uint64_t>(unit));
  if (aligned < unit) {  // elements of 16 bytes in memory of another program
    for (NdCopy::Dim& dim : dims) dim.in *= unit / aligned, dim.out *= unit / aligned;
    dims.push_back({unit / aligned, 1, 1});
    unit = aligned;
  }
  if (!dims.empty() && dims.back().in == 1 && dims.back().out == 1) {  // runs, perhaps of longer units
    NdCopy::Dim& run = dims.back();
    std::uint64_t bits =
        detail::AddressBits(from) | detail::AddressBits(to) | static_cast<std::uint64_t>(run.size * unit);
    for (std::size_t d = 0; d + 1 < dims.size(); ++d)
      bits |= static_cast<std::uint64_t>(dims[d].in * unit) | static_cast<std::uint64_t>(dims[d].out * unit);
    const Index joined = detail::UnitBytes(bits) / unit;
    unit *= joined;
    run.size /= joined;
    for (std::size_t d = 0; d + 1 < dims.size(); ++d) {
      dims[d].in /= joined;
      dims[d].out /= joined;
    }
    if (run.size == 1) dims.pop_back();
  }
  return detail::WithUnit(unit, [&]<class Unit>(Unit) {
    return detail::CopyNdUnits(device, std::move(dims), reinterpret_cast<const Unit*>(from),
                               reinterpret_cast<Unit*>(to));
  });
}

inline Status CopyStrided(Cuda& device, const ElementMover& mover, const StridedCopy& copy, const void* in, void* out) {
  NdCopy nd;
  nd.in_first = copy.first;
  Index step = copy.elements;
  if (step == 0) return OkStatus();
  for (const StridedCopy::Dim& dim : copy.dims) {
    step /= dim.size;
    nd.Add(dim.size, dim.step, step);
  }
  return CopyNd(device, mover, nd, in, out);
}

inline Status Split(Cuda& device, const ElementMover& mover, Span<const SplitPart> parts, Index outer, const void* in) {
  return detail::MoveParts<false>(device, mover.bytes, parts, outer, const_cast<void*>(in));
}

TENON_DETAIL_NAMESPACE_END
