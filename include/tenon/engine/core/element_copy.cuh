// SPDX-License-Identifier: Apache-2.0
#pragma once
// Moving elements on a GPU by their size, 16 bytes at a time where size and alignment allow: fills, copies, tensors
// laid side by side or cut apart.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/core/element_copy.cuh> only from files that nvcc compiles."
#endif

#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/core/fast_divisor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// 16 bytes that one thread loads or stores at once.
struct alignas(16) CudaUnit16 {
  std::uint64_t low, high;
};

// The largest of 16, 8, 4, 2 and 1 that divides all of these numbers of bytes. `all`: their bits, joined by or.
constexpr Index UnitBytes(std::uint64_t all) {
  const std::uint64_t least = (all | 16) & (~(all | 16) + 1);
  return static_cast<Index>(least);
}
inline std::uint64_t AddressBits(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

// Calls run(Unit{}) with the unit of so many bytes.
template <class Run>
Status WithUnit(Index bytes, const Run& run) {
  switch (bytes) {
    case 1: return run(std::uint8_t{});
    case 2: return run(std::uint16_t{});
    case 4: return run(std::uint32_t{});
    case 8: return run(std::uint64_t{});
    default: return run(CudaUnit16{});
  }
}

// Every place that needs 32-bit numbers takes at most so many units at once.
inline constexpr Index kMostCudaUnits = (Index{1} << 31) - 1;

// ---- fills

// An element of 1, 2, 4, 8 or 16 bytes, repeated up to 16.
TENON_HD CudaUnit16 RepeatElement(const void* value, Index bytes) {
  switch (bytes) {
    case 1: {
      const std::uint64_t all = *static_cast<const std::uint8_t*>(value) * std::uint64_t{0x0101010101010101};
      return {all, all};
    }
    case 2: {
      const std::uint64_t all = *static_cast<const std::uint16_t*>(value) * std::uint64_t{0x0001000100010001};
      return {all, all};
    }
    case 4: {
      const std::uint64_t all = *static_cast<const std::uint32_t*>(value) * std::uint64_t{0x0000000100000001};
      return {all, all};
    }
    case 8: return {*static_cast<const std::uint64_t*>(value), *static_cast<const std::uint64_t*>(value)};
    default: return *static_cast<const CudaUnit16*>(value);
  }
}

// A value that travels with the launch, and one that lies in the GPU's memory.
struct CudaConstant {
  CudaUnit16 pattern;
  __device__ CudaUnit16 Pattern() const { return pattern; }
};
struct CudaElement {
  const void* value;
  Index bytes;
  __device__ CudaUnit16 Pattern() const { return RepeatElement(value, bytes); }
};
// `to` begins at a multiple of the element's size, or of 8: then the first whole pack may begin with the second half of
// a 16-byte element. The `head` bytes before it and the bytes after the last whole pack are stored one by one.
template <class Source>
__global__ void FillKernel(const __grid_constant__ Source source, std::uint8_t* to, Index bytes, Index head) {
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  const Index first = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  const Index packs = (bytes - head) / 16, tail = head + packs * 16;
  const CudaUnit16 pattern = source.Pattern();
  const CudaUnit16 turned = (head & 8) != 0 ? CudaUnit16{pattern.high, pattern.low} : pattern;
  CudaUnit16* const whole = reinterpret_cast<CudaUnit16*>(to + head);
  for (Index p = first; p < packs; p += step) whole[p] = turned;
  if (first >= 16) return;
  const int shift = static_cast<int>(first & 7) * 8;
  if (first < head) to[first] = static_cast<std::uint8_t>(((first & 8) != 0 ? pattern.high : pattern.low) >> shift);
  if (tail + first < bytes)
    to[tail + first] = static_cast<std::uint8_t>(((first & 8) != 0 ? turned.high : turned.low) >> shift);
}
template <class Source>
Status LaunchFill(Cuda& device, const Source& source, void* to, Index bytes) {
  if (bytes <= 0) return OkStatus();
  const auto unaligned = static_cast<Index>((16 - AddressBits(to) % 16) % 16);
  return LaunchCuda(device, LinearGrid(device, bytes / 16), &FillKernel<Source>, source, static_cast<std::uint8_t*>(to),
                    bytes, unaligned < bytes ? unaligned : bytes);
}

// ---- tensors side by side

// Parts of rows: part p holds columns [begin[p], begin[p + 1]) of each row.
struct CudaParts {
  static constexpr int kMost = 128;
  int count = 0;
  std::uint32_t begin[kMost + 1] = {};
  void* data[kMost] = {};
  FastDivisor columns;  // columns in all parts here
  Index row = 0, first = 0;  // units of a row of the whole, and before the first of these columns
};

// Part of column c.
TENON_HD int FindPart(const CudaParts& parts, std::uint32_t c) {
  int low = 0, high = parts.count;  // begin[low] <= c < begin[high]
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (parts.begin[middle] <= c)
      low = middle;
    else
      high = middle;
  }
  return low;
}
// The whole is written from its parts (joins), or read into them; parts without data are left out.
template <class Unit, bool joins>
__global__ void MovePartsKernel(const __grid_constant__ CudaParts parts, Unit* whole, std::uint32_t units) {
  const std::uint32_t step = gridDim.x * blockDim.x;
  for (std::uint32_t u = blockIdx.x * blockDim.x + threadIdx.x; u < units; u += step) {
    const std::uint32_t r = parts.columns.Divide(u), c = u - r * parts.columns.divisor;
    const int p = FindPart(parts, c);
    Unit* const data = static_cast<Unit*>(parts.data[p]);
    if (!joins && data == nullptr) continue;
    const std::uint32_t begin = parts.begin[p];
    Unit* const at = data + static_cast<Index>(r) * (parts.begin[p + 1] - begin) + (c - begin);
    Unit* const there = whole + r * parts.row + parts.first + c;
    if constexpr (joins)
      *there = *at;
    else
      *at = *there;
  }
}

template <bool joins>
Status LaunchMoveParts(Cuda& device, Index unit, const CudaParts& parts, Index rows, void* whole) {
  const Index units = rows * static_cast<Index>(parts.begin[parts.count]);
  return WithUnit(unit, [&]<class Unit>(Unit) {
    return LaunchCuda(device, LinearGrid(device, units), &MovePartsKernel<Unit, joins>, parts,
                      static_cast<Unit*>(whole), static_cast<std::uint32_t>(units));
  });
}

Status CopyBytesOnCuda(Cuda& device, const void* from, void* to, Index bytes);

// Moves [outer, run] elements of each part to or from the rows of `whole`, as many parts in one launch as fit.
template <bool joins, class Part>
Status MoveParts(Cuda& device, Index element_bytes, Span<const Part> parts, Index outer, void* whole) {
  std::uint64_t bits = AddressBits(whole);
  Index row = 0;
  for (const Part& part : parts) {
    row += part.run;
    bits |= static_cast<std::uint64_t>(part.run * element_bytes);
    if (part.run > 0) bits |= AddressBits(part.data);
  }
  if (outer == 0 || row == 0) return OkStatus();
  const Index unit = UnitBytes(bits);
  CudaParts some;
  some.row = row * element_bytes / unit;
  Index columns = 0;  // in the parts collected
  const auto flush = [&]() -> Status {
    if (some.count == 0) return OkStatus();
    some.begin[some.count] = static_cast<std::uint32_t>(columns);
    some.columns = FastDivisor(static_cast<std::uint32_t>(columns));
    const Index most = kMostCudaUnits / columns;  // rows of one launch
    for (Index r = 0; r < outer; r += most) {
      const Index rows = outer - r < most ? outer - r : most;
      CudaParts there = some;
      for (int p = 0; p < some.count && r > 0; ++p)
        if (some.data[p] != nullptr)
          there.data[p] = static_cast<char*>(some.data[p]) + r * (some.begin[p + 1] - some.begin[p]) * unit;
      TENON_RETURN_IF_ERROR(
          LaunchMoveParts<joins>(device, unit, there, rows, static_cast<char*>(whole) + r * some.row * unit));
    }
    some.first += columns;
    some.count = 0;
    columns = 0;
    return OkStatus();
  };
  for (const Part& part : parts) {
    const Index run = part.run * element_bytes / unit;
    void* const data = const_cast<void*>(static_cast<const void*>(part.data));
    if (run == 0) continue;
    if (some.count == CudaParts::kMost || run > kMostCudaUnits - columns) TENON_RETURN_IF_ERROR(flush());
    if (run > kMostCudaUnits) {  // a row of one part alone
      const Index bytes = run * unit;
      for (Index r = 0; r < outer && data != nullptr; ++r) {
        char* const there = static_cast<char*>(whole) + (r * some.row + some.first) * unit;
        char* const at = static_cast<char*>(data) + r * bytes;
        TENON_RETURN_IF_ERROR(CopyBytesOnCuda(device, joins ? at : there, joins ? there : at, bytes));
      }
      some.first += run;
      continue;
    }
    some.begin[some.count] = static_cast<std::uint32_t>(columns);
    some.data[some.count++] = data;
    columns += run;
  }
  return flush();
}

inline Status CopyBytesOnCuda(Cuda& device, const void* from, void* to, Index bytes) {
  if (bytes <= 0) return OkStatus();
  const CudaDeviceScope scope(device.ordinal);
  TENON_RETURN_IF_ERROR(CudaStatus(scope.error(), device.ordinal, "cannot use the GPU"));
  return CudaStatus(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice, device.stream),
                    device.ordinal, "cannot start a copy");
}

}  // namespace detail

// As for Cpu (element_copy.hpp), for elements that are plain data. All pointers are to the GPU's memory, but the one of
// FillWithConstant's value. Returns when it is queued.
inline Status Fill(Cuda& device, const ElementMover& mover, const void* value, void* to, Index n) {
  return detail::LaunchFill(device, detail::CudaElement{value, mover.bytes}, to, n * mover.bytes);
}
inline Status FillWithConstant(Cuda& device, const ElementMover& mover, const void* value, void* to, Index n) {
  alignas(16) unsigned char aligned[16] = {};
  std::memcpy(aligned, value, static_cast<std::size_t>(mover.bytes));
  return detail::LaunchFill(device, detail::CudaConstant{detail::RepeatElement(aligned, mover.bytes)}, to,
                            n * mover.bytes);
}
inline Status Zero(Cuda& device, const ElementMover& mover, void* to, Index n) {
  if (n <= 0) return OkStatus();
  const CudaDeviceScope scope(device.ordinal);
  TENON_RETURN_IF_ERROR(CudaStatus(scope.error(), device.ordinal, "cannot use the GPU"));
  return CudaStatus(cudaMemsetAsync(to, 0, static_cast<std::size_t>(n * mover.bytes), device.stream), device.ordinal,
                    "cannot start a fill");
}
inline Status Copy(Cuda& device, const ElementMover& mover, const void* from, void* to, Index n) {
  return detail::CopyBytesOnCuda(device, from, to, n * mover.bytes);
}
inline Status Concat(Cuda& device, const ElementMover& mover, Span<const ConcatPart> parts, Index outer, void* out) {
  return detail::MoveParts<true>(device, mover.bytes, parts, outer, out);
}

TENON_DETAIL_NAMESPACE_END
