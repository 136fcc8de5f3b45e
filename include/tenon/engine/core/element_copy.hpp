// SPDX-License-Identifier: Apache-2.0
#pragma once
// Copying elements of any type: plain ones as bytes, the others (strings, handles) by assignment. Runs, runs at regular
// steps, one element many times, and tensors laid side by side.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Copies elements of one dtype. All positions and steps below count elements.
struct ElementMover {
  Index bytes = 0;  // size of one element
  // to[i] = from[i * step], i in [0, n), for elements that are more than their bytes; null for plain ones.
  void (*assign)(const void* from, Index step, void* to, Index n) = nullptr;

  const char* At(const void* data, Index i) const { return static_cast<const char*>(data) + i * bytes; }
  char* At(void* data, Index i) const { return static_cast<char*>(data) + i * bytes; }
  // Cost of one element, for ParallelFor.
  double cost_ns() const { return assign != nullptr ? 20 : 0.06 * static_cast<double>(bytes); }
};

namespace detail {

template <class T>
void AssignObjects(const void* from, Index step, void* to, Index n) {
  const T* in = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  for (Index i = 0; i < n; ++i) out[i] = in[i * step];
}

// n pieces of kBytes bytes; steps in bytes. As one load and one store each.
template <std::size_t kBytes>
void CopySmallPieces(const char* from, Index from_step, char* to, Index to_step, Index n) {
  for (Index i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, kBytes);
}

// A piece of 16 to kMostShortBytes bytes, without the call of memcpy: chunks, the last of which may overlap the one
// before it.
inline constexpr Index kMostShortBytes = 512;
inline void CopyShortPiece(const char* from, char* to, Index bytes) {
  constexpr Index kChunk = 32, kHalf = 16;
  if (bytes < kChunk) {
    std::memcpy(to, from, kHalf);
    std::memcpy(to + bytes - kHalf, from + bytes - kHalf, kHalf);
    return;
  }
  for (Index i = 0; i < bytes - kChunk; i += kChunk) std::memcpy(to + i, from + i, kChunk);
  std::memcpy(to + bytes - kChunk, from + bytes - kChunk, kChunk);
}

inline void CopyBytePieces(Index bytes, const char* from, Index from_step, char* to, Index to_step, Index n) {
  switch (bytes) {
    case 1: return CopySmallPieces<1>(from, from_step, to, to_step, n);
    case 2: return CopySmallPieces<2>(from, from_step, to, to_step, n);
    case 4: return CopySmallPieces<4>(from, from_step, to, to_step, n);
    case 8: return CopySmallPieces<8>(from, from_step, to, to_step, n);
    case 12: return CopySmallPieces<12>(from, from_step, to, to_step, n);
    case 16: return CopySmallPieces<16>(from, from_step, to, to_step, n);
    case 32: return CopySmallPieces<32>(from, from_step, to, to_step, n);
    case 64: return CopySmallPieces<64>(from, from_step, to, to_step, n);
    default: break;
  }
  if (bytes > 16 && bytes <= kMostShortBytes) {
    for (Index i = 0; i < n; ++i) CopyShortPiece(from + i * from_step, to + i * to_step, bytes);
  } else {
    for (Index i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, static_cast<std::size_t>(bytes));
  }
}

}  // namespace detail

// `dtype` must be one that a tensor can hold.
inline ElementMover MoverOf(DataType dtype) {
  ElementMover mover{static_cast<Index>(detail::ElementBytes(dtype))};
  if (dtype == DataType::kString) mover.assign = &detail::AssignObjects<tstring>;
  if (dtype == DataType::kResource) mover.assign = &detail::AssignObjects<ResourceHandle>;
  if (dtype == DataType::kVariant) mover.assign = &detail::AssignObjects<Variant>;
  return mover;
}

// n elements that lie together. Source and target must not overlap.
inline void CopyRun(const ElementMover& mover, const void* from, void* to, Index n) {
  if (mover.assign != nullptr) return mover.assign(from, 1, to, n);
  if (n > 0) std::memcpy(to, from, static_cast<std::size_t>(n * mover.bytes));
}

// n pieces of `run` elements each; a piece begins `step` elements after the one before it (perhaps a negative number).
inline void CopyPieces(const ElementMover& mover, Index run, const void* from, Index from_step, void* to, Index to_step,
                       Index n) {
  if (run <= 0) return;
  if (mover.assign == nullptr) {
    return detail::CopyBytePieces(run * mover.bytes, static_cast<const char*>(from), from_step * mover.bytes,
                                  static_cast<char*>(to), to_step * mover.bytes, n);
  }
  if (run == 1 && to_step == 1) return mover.assign(from, from_step, to, n);
  for (Index i = 0; i < n; ++i) mover.assign(mover.At(from, i * from_step), 1, mover.At(to, i * to_step), run);
}

namespace detail {
TENON_DETAIL_LOOPS_BEGIN
// Copies of one element of the size of Unit.
template <class Unit>
TENON_DETAIL_LOOP void FillUnits(const void* value, void* to, Index n) {
  Unit unit;
  std::memcpy(&unit, value, sizeof unit);
  Unit* const out = static_cast<Unit*>(to);
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) out[i] = unit;
}
TENON_DETAIL_LOOPS_END
}  // namespace detail

// to[i] = *value, i in [0, n).
inline void FillRun(const ElementMover& mover, const void* value, void* to, Index n) {
  if (n <= 0) return;
  if (mover.assign != nullptr) return mover.assign(value, 0, to, n);
  constexpr Index kBlockBytes = 4096;
  if (mover.bytes == 1) {
    std::memset(to, *static_cast<const unsigned char*>(value), static_cast<std::size_t>(n));
    return;
  }
  const Index block = std::max<Index>(1, kBlockBytes / mover.bytes), first = std::min(n, block);
  const bool aligned = reinterpret_cast<std::uintptr_t>(to) % static_cast<std::uintptr_t>(mover.bytes) == 0;
  Index done = first;
  if (aligned && mover.bytes == 2) {
    detail::FillUnits<std::uint16_t>(value, to, first);
  } else if (aligned && mover.bytes == 4) {
    detail::FillUnits<std::uint32_t>(value, to, first);
  } else if (aligned && mover.bytes == 8) {
    detail::FillUnits<std::uint64_t>(value, to, first);
  } else {
    std::memcpy(to, value, static_cast<std::size_t>(mover.bytes));
    done = 1;
  }
  while (done < n) {  // copies what is already there: twice as much each time, then blocks
    const Index some = std::min({done, n - done, block});
    std::memcpy(mover.At(to, done), to, static_cast<std::size_t>(some * mover.bytes));
    done += some;
  }
}

// Sets all n elements to zero; strings and handles keep the empty value that they were made with.
inline void ZeroRun(const ElementMover& mover, void* to, Index n) {
  if (mover.assign == nullptr && n > 0) std::memset(to, 0, static_cast<std::size_t>(n * mover.bytes));
}

// The result of work that cannot fail. On a GPU the same functions return a Status.
struct AlwaysOk {
  operator Status() const { return OkStatus(); }
  static bool ok() { return true; }
};

// FillRun, ZeroRun and CopyRun with all threads of the device.
inline AlwaysOk Fill(Cpu& device, const ElementMover& mover, const void* value, void* to, Index n) {
  ParallelFor(device, n, mover.cost_ns(),
              [&](Index begin, Index end) { FillRun(mover, value, mover.At(to, begin), end - begin); });
  return {};
}
// Fill with a value in host memory.
inline AlwaysOk FillWithConstant(Cpu& device, const ElementMover& mover, const void* value, void* to, Index n) {
  return Fill(device, mover, value, to, n);
}
inline AlwaysOk Zero(Cpu& device, const ElementMover& mover, void* to, Index n) {
  ParallelFor(device, n, mover.cost_ns(),
              [&](Index begin, Index end) { ZeroRun(mover, mover.At(to, begin), end - begin); });
  return {};
}
inline AlwaysOk Copy(Cpu& device, const ElementMover& mover, const void* from, void* to, Index n) {
  ParallelFor(device, n, mover.cost_ns(),
              [&](Index begin, Index end) { CopyRun(mover, mover.At(from, begin), mover.At(to, begin), end - begin); });
  return {};
}

// One of the tensors that Concat lays side by side, as [outer, run] elements. `data` may be null when there are none.
struct ConcatPart {
  const void* data;
  Index run;
};

namespace detail {

// Shared by all threads that work on one Concat.
struct ConcatWork {
  const ElementMover& mover;
  Span<const ConcatPart> parts;
  Index row;  // elements: all runs together
  void* out;

  // Columns [begin, end) of one row.
  void PartOfRow(Index r, Index begin, Index end) const {
    Index column = 0;  // at which the part begins
    for (const ConcatPart& part : parts) {
      const Index from = std::max(begin, column), to = std::min(end, column + part.run);
      if (from < to)
        CopyRun(mover, mover.At(part.data, r * part.run + from - column), mover.At(out, r * row + from), to - from);
      column += part.run;
      if (column >= end) return;
    }
  }
  // Rows [begin, end), a few at a time, so that short runs are copied in one loop and the target stays in cache.
  void Rows(Index begin, Index end) const {
    constexpr Index kTargetBytes = 16384;
    const Index at_once = std::max<Index>(1, kTargetBytes / (row * mover.bytes));
    for (Index r = begin; r < end; r += at_once) {
      const Index n = std::min(at_once, end - r);
      Index column = 0;
      for (const ConcatPart& part : parts) {
        CopyPieces(mover, part.run, mover.At(part.data, r * part.run), part.run, mover.At(out, r * row + column), row,
                   n);
        column += part.run;
      }
    }
  }
  // Elements [begin, end) of the output.
  void Range(Index begin, Index end) const {
    Index r = begin / row;
    if (const Index column = begin % row; column != 0) {
      const Index stop = std::min(row, column + end - begin);
      PartOfRow(r++, column, stop);
      begin += stop - column;
    }
    const Index whole = (end - begin) / row;
    if (whole > 0) Rows(r, r + whole);
    begin += whole * row;
    if (begin < end) PartOfRow(r + whole, 0, end - begin);
  }
};

}  // namespace detail

// out: [outer, sum of the runs] = the parts side by side. Joining along an axis: `outer` is the product of the sizes
// before the axis, a part's `run` that of its sizes from the axis on.
inline AlwaysOk Concat(Cpu& device, const ElementMover& mover, Span<const ConcatPart> parts, Index outer, void* out) {
  if (outer == 0) return {};
  Index row = 0;
  for (const ConcatPart& part : parts) row += part.run;
  if (row == 0) return {};
  const detail::ConcatWork work{mover, parts, row, out};
  ParallelFor(device, outer * row, mover.cost_ns(), [&](Index begin, Index end) { work.Range(begin, end); });
  return {};
}

TENON_DETAIL_NAMESPACE_END
