// SPDX-License-Identifier: Apache-2.0
#pragma once
// NdCopy: any regular block of one tensor to any regular block of another - transposed, reversed, repeated, cut out or
// put into a frame. Dimensions that both sides leave together become one; runs are copied as runs, and where the two
// sides' innermost dimensions differ, in square blocks that stay in the cache.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/transpose_units.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Element [i, j, ...] of the copy goes from in_first + i * dims[0].in + j * dims[1].in + ... to out_first + i *
// dims[0].out + ... Steps and places count elements; `in` steps may be 0 or negative. immutable once made.
struct NdCopy {
  struct Dim {
    Index size, in, out;
  };
  InlinedVector<Dim, 8> dims;  // outermost first, none of size 1
  Index in_first = 0, out_first = 0;
  Index elements = 1;

  // Adds the next dimension, inside of those that there are.
  void Add(Index size, Index in, Index out) {
    elements = MultiplySizes(elements, size);
    if (size == 1 || elements == 0) return;
    if (!dims.empty() && dims.back().in == Times(in, size) && dims.back().out == Times(out, size)) {
      dims.back() = {Times(dims.back().size, size), in, out};
    } else {
      dims.push_back({size, in, out});
    }
  }

 private:
  // Wraps around only where a size of 0 follows, and nothing is copied.
  static Index Times(Index a, Index b) {
    return static_cast<Index>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
};

// Row-major strides of a shape, in elements.
inline InlinedVector<Index, 8> StridesOf(Span<const Index> sizes) {
  InlinedVector<Index, 8> strides(sizes.size(), 1);
  for (std::size_t d = sizes.size(); d-- > 1;) strides[d - 1] = MultiplySizes(strides[d], sizes[d]);
  return strides;
}

namespace detail {

// Elements from the last to the first; `from` is the last.
TENON_DETAIL_LOOPS_BEGIN
template <class Unit>
TENON_DETAIL_LOOP void ReverseUnits(const void* from, void* to, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) static_cast<Unit*>(to)[i] = static_cast<const Unit*>(from)[-i];
}
TENON_DETAIL_LOOPS_END
inline void ReverseRun(const ElementMover& mover, const void* from, void* to, Index n) {
  if (mover.assign == nullptr && mover.bytes == 1) return ReverseUnits<std::uint8_t>(from, to, n);
  if (mover.assign == nullptr && mover.bytes == 4) return ReverseUnits<std::uint32_t>(from, to, n);
  CopyPieces(mover, 1, from, -1, to, 1, n);
}

struct Unit16 {
  std::uint64_t low, high;
};

// run(unit) for the unsigned type of the elements' size; false where they are no plain, aligned memory.
template <class Run>
bool OnUnits(const ElementMover& mover, const void* from, const void* to, const Run& run) {
  if (mover.assign != nullptr) return false;
  switch (mover.bytes) {
    case 1: run(std::uint8_t{}); return true;
    case 2: run(std::uint16_t{}); return true;
    case 4: run(std::uint32_t{}); return true;
    case 8: run(std::uint64_t{}); return true;
    case 16:
      if (((reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to)) & 7) != 0) return false;
      run(Unit16{});
      return true;
  }
  return false;
}

inline void TransposeBlock(const ElementMover& mover, const void* from, Index from_step, void* to, Index to_step,
                           Index rows, Index columns) {
  const auto run = [&]<class Unit>(Unit) {
    TransposeUnits(static_cast<const Unit*>(from), from_step, static_cast<Unit*>(to), to_step, rows, columns);
  };
  if (OnUnits(mover, from, to, run)) return;
  for (Index r = 0; r < rows; ++r)
    CopyPieces(mover, 1, mover.At(from, r), from_step, mover.At(to, r * to_step), 1, columns);
}

// How the innermost part of an NdCopy is done, and how the rest is cut into units of work. immutable once made.
struct NdPlan {
  enum class Way : std::uint8_t { kRuns, kFill, kTranspose, kTiles, kPieces };

  const ElementMover& mover;
  const char* in;
  char* out;
  InlinedVector<NdCopy::Dim, 8> outer;
  NdCopy::Dim rows{1, 0, 0}, columns{1, 0, 0};
  NdCopy::Dim row_groups{1, 0, 0}, column_groups{1, 0, 0};  // kTiles: dimensions around them that become one with them
  Way way = Way::kPieces;
  Index row_block = 1, column_block = 1, row_blocks = 1, column_blocks = 1, units = 1;

  // Squares are cut smaller where there would be too few for `wanted` threads, so that each has whole rows to write.
  NdPlan(const ElementMover& m, const NdCopy& copy, const void* from, void* to, Index wanted)
      : mover(m), in(m.At(from, copy.in_first)), out(m.At(to, copy.out_first)), outer(copy.dims) {
    if (!outer.empty()) columns = Take(outer.size() - 1);
    if (columns.out == 1 || columns.size == 1) {
      if (columns.in == 1 || columns.size == 1) way = Way::kRuns;
      if (columns.in == 0 && columns.size > 1) way = Way::kFill;
    }
    if (way == Way::kPieces && columns.out == 1) {
      for (std::size_t d = outer.size(); d-- > 0;) {
        if (outer[d].in != 1) continue;
        rows = Take(d);
        way = Way::kTranspose;
        break;
      }
      if (way == Way::kTranspose && mover.assign == nullptr) JoinNeighbours();
    } else if (way != Way::kPieces && !outer.empty()) {
      rows = Take(outer.size() - 1);
    }
    constexpr Index kUnitBytes = 32768, kSide = 64;
    const Index some = std::max<Index>(1, kUnitBytes / mover.bytes);
    if (way == Way::kTranspose) {
      row_block = 512;
      column_block = std::max(kSide, 4 * kSide * kSide / std::min(rows.size, kSide) / kSide * kSide);
      // Long blocks read on where they were, where there are enough of them.
      constexpr Index kEnough = 64, kLong = 512;
      while (row_block < kLong && copy.elements / (row_block * std::min(columns.size, column_block)) >= kEnough)
        row_block *= 2;
      while (row_block > kSide && copy.elements / (row_block * columns.size) < wanted) row_block /= 2;
    } else {
      column_block = std::min(columns.size, some);
      row_block = std::max<Index>(1, std::min(rows.size, some / column_block));
    }
    const Index all_rows = rows.size * row_groups.size, all_columns = columns.size * column_groups.size;
    if (way == Way::kTiles) row_block = column_block = kTileBlock;
    row_blocks = (all_rows + row_block - 1) / row_block;
    column_blocks = (all_columns + column_block - 1) / column_block;
    units = row_blocks * column_blocks;
    for (const NdCopy::Dim& dim : outer) units *= dim.size;
  }
  double unit_ns() const {
    const bool by_squares = way == Way::kTranspose && mover.assign == nullptr && mover.bytes == 4;
    const double each = mover.cost_ns() * (way == Way::kRuns ? 1 : way == Way::kFill ? 0.7 : by_squares ? 1.5 : 4);
    const Index all_rows = rows.size * row_groups.size, all_columns = columns.size * column_groups.size;
    return each * static_cast<double>(std::min(row_block, all_rows) * std::min(column_block, all_columns)) + 5;
  }

  void Units(Index begin, Index end) const {
    Index at[kMaxTensorRank * 2 + 2];
    Index place = begin / (row_blocks * column_blocks), from = 0, to = 0;
    Index block = begin % (row_blocks * column_blocks);
    for (std::size_t d = outer.size(); d-- > 0; place /= outer[d].size) {
      at[d] = place % outer[d].size;
      from += at[d] * outer[d].in;
      to += at[d] * outer[d].out;
    }
    for (Index unit = begin; unit < end; ++unit) {
      Block(from, to, block);
      if (++block < row_blocks * column_blocks) continue;
      block = 0;
      for (std::size_t d = outer.size(); d-- > 0;) {
        from += outer[d].in;
        to += outer[d].out;
        if (++at[d] < outer[d].size) break;
        at[d] = 0;
        from -= outer[d].in * outer[d].size;
        to -= outer[d].out * outer[d].size;
      }
    }
  }

 private:
  static constexpr Index kTileBlock = 64;

  // A side shorter than a tile grows by the dimension that lies next to it in its tensor.
  void JoinNeighbours() {
    for (std::size_t d = outer.size(); d-- > 0;) {
      if (rows.size < kTileSide && row_groups.size == 1 && outer[d].in == rows.size)
        row_groups = Take(d);
      else if (columns.size < kTileSide && column_groups.size == 1 && outer[d].out == columns.size)
        column_groups = Take(d);
    }
    if (row_groups.size > 1 || column_groups.size > 1) way = Way::kTiles;
  }
  NdCopy::Dim Take(std::size_t d) {
    const NdCopy::Dim dim = outer[d];
    outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(d));
    return dim;
  }
  void Block(Index from, Index to, Index block) const {
    const Index r = block / column_blocks * row_block, c = block % column_blocks * column_block;
    if (way == Way::kTiles) return Tiles(from, to, r, c);
    const Index nr = std::min(row_block, rows.size - r), nc = std::min(column_block, columns.size - c);
    const char* const source = in + (from + r * rows.in + c * columns.in) * mover.bytes;
    char* const target = out + (to + r * rows.out + c * columns.out) * mover.bytes;
    if (way == Way::kRuns) return CopyPieces(mover, nc, source, rows.in, target, rows.out, nr);
    if (way == Way::kTranspose) return TransposeBlock(mover, source, columns.in, target, rows.out, nr, nc);
    if (way == Way::kPieces && columns.in == -1 && columns.out == 1) return ReverseRun(mover, source, target, nc);
    if (way == Way::kPieces) return CopyPieces(mover, 1, source, columns.in, target, columns.out, nc);
    for (Index i = 0; i < nr; ++i)
      FillRun(mover, source + i * rows.in * mover.bytes, target + i * rows.out * mover.bytes, nc);
  }
  void Tiles(Index from, Index to, Index r, Index c) const {
    Index row_at[kTileBlock], column_at[kTileBlock];
    const Index nr = std::min(kTileBlock, rows.size * row_groups.size - r),
                nc = std::min(kTileBlock, columns.size * column_groups.size - c);
    for (Index i = 0; i < nr; ++i) row_at[i] = (r + i) / rows.size * row_groups.out + (r + i) % rows.size * rows.out;
    for (Index j = 0; j < nc; ++j)
      column_at[j] = (c + j) / columns.size * column_groups.in + (c + j) % columns.size * columns.in;
    const char* const source = in + (from + r) * mover.bytes;
    char* const target = out + (to + c) * mover.bytes;
    const auto run = [&]<class Unit>(Unit) {
      TransposeTiles(reinterpret_cast<const Unit*>(source), column_at, reinterpret_cast<Unit*>(target), row_at, nr, nc);
    };
    if (OnUnits(mover, source, target, run)) return;
    for (Index i = 0; i < nr; ++i)
      for (Index j = 0; j < nc; ++j)
        CopyPieces(mover, 1, mover.At(source, column_at[j] + i), 1, mover.At(target, row_at[i] + j), 1, 1);
  }
};

}  // namespace detail

// Copies what `copy` describes. The places written must not be among those read; each is written once.
inline AlwaysOk CopyNd(Cpu& device, const ElementMover& mover, const NdCopy& copy, const void* in, void* out) {
  if (copy.elements == 0) return {};
  const detail::NdPlan plan(mover, copy, in, out, device.pool == nullptr ? 1 : device.pool->NumThreads());
  ParallelFor(device, plan.units, plan.unit_ns(), [&](Index begin, Index end) { plan.Units(begin, end); });
  return {};
}

// One of the tensors that a tensor is cut into, as [outer, run] elements. `data` is null where it is left out.
struct SplitPart {
  void* data;
  Index run;
};

// in: [outer, sum of the runs]  ->  the parts, which lie side by side in it.
inline AlwaysOk Split(Cpu& device, const ElementMover& mover, Span<const SplitPart> parts, Index outer,
                      const void* in) {
  Index row = 0, column = 0;
  for (const SplitPart& part : parts) row += part.run;
  for (const SplitPart& part : parts) {
    if (part.data != nullptr) {
      NdCopy copy;
      copy.in_first = column;
      copy.Add(outer, row, part.run);
      copy.Add(part.run, 1, 1);
      CopyNd(device, mover, copy, in, part.data);
    }
    column += part.run;
  }
  return {};
}

TENON_DETAIL_NAMESPACE_END
