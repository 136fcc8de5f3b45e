// SPDX-License-Identifier: Apache-2.0
#pragma once
// NdCopy: any regular block of one tensor to any regular block of another - transposed, reversed, repeated, cut out or
// put into a frame. Dimensions that both sides leave together become one; runs are copied as runs, and where the two
// sides' innermost dimensions differ, in square blocks that stay in the cache.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/isa.hpp>
#include <tenon/engine/lanes.hpp>
#include <tenon/engine/move.hpp>

TENON_NAMESPACE_BEGIN

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
    if (!dims.empty() && dims.back().in == in * size && dims.back().out == out * size) {
      dims.back() = {dims.back().size * size, in, out};
    } else {
      dims.push_back({size, in, out});
    }
  }
};

// Row-major strides of a shape, in elements.
inline InlinedVector<Index, 8> StridesOf(Span<const Index> sizes) {
  InlinedVector<Index, 8> strides(sizes.size(), 1);
  for (std::size_t d = sizes.size(); d-- > 1;) strides[d - 1] = MultiplySizes(strides[d], sizes[d]);
  return strides;
}

namespace detail {

// to[r * to_step + c] = from[r + c * from_step] for r < rows, c < columns; steps in elements.
template <class Unit>
void TransposeUnits(const Unit* from, Index from_step, Unit* to, Index to_step, Index rows, Index columns) {
  constexpr Index kSide = 8;
  Index r = 0;
  for (; r + kSide <= rows; r += kSide) {
    Index c = 0;
    for (; c + kSide <= columns; c += kSide) {
      Unit block[kSide][kSide];
      for (Index j = 0; j < kSide; ++j) std::memcpy(block[j], from + r + (c + j) * from_step, sizeof block[j]);
      for (Index i = 0; i < kSide; ++i)
        for (Index j = 0; j < kSide; ++j) to[(r + i) * to_step + c + j] = block[j][i];
    }
    for (; c < columns; ++c)
      for (Index i = 0; i < kSide; ++i) to[(r + i) * to_step + c] = from[r + i + c * from_step];
  }
  for (; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) to[r * to_step + c] = from[r + c * from_step];
}
#if TENON_DETAIL_LANES
// Four rows of four words become columns. 16 bytes, so that no function depends on what it is compiled for.
struct FourByFour {
  typedef std::uint32_t Row __attribute__((vector_size(16)));
  Row rows[4];

  TENON_HD void Load(const std::uint32_t* from, Index step) {
    for (Index i = 0; i < 4; ++i) std::memcpy(&rows[i], from + i * step, sizeof(Row));
  }
  template <Index count = 4>
  TENON_HD void Store(std::uint32_t* to, Index step) const {
    for (Index i = 0; i < count; ++i) std::memcpy(to + i * step, &rows[i], sizeof(Row));
  }
  TENON_HD void Transpose() {
    const Row a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5),
              b = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7),
              c = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5),
              d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    rows[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    rows[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    rows[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
  }
};

// At most four rows. Squares of which only `count` columns count read on, but not behind the last element of all,
// `last` elements from the first.
template <Index count>
void TransposeFew(const std::uint32_t* from, Index from_step, std::uint32_t* to, Index to_step, Index columns,
                  Index last) {
  FourByFour square;
  Index c = 0;
  for (; c + 4 <= columns && (count == 4 || (from_step > 0 && 3 + (c + 3) * from_step <= last)); c += 4) {
    square.Load(from + c * from_step, from_step);
    square.Transpose();
    square.Store<count>(to + c, to_step);
  }
  for (; c < columns; ++c)
    for (Index i = 0; i < count; ++i) to[i * to_step + c] = from[i + c * from_step];
}

// The first line of each of 16 rows.
inline void AskForLines(const std::uint32_t* rows, Index step) {
  for (Index i = 0; i < 16; ++i) __builtin_prefetch(rows + i * step);
}
inline void AskForLines(std::uint32_t* rows, Index step) {  // to be written
  for (Index i = 0; i < 16; ++i) __builtin_prefetch(rows + i * step, 1);
}

inline void TransposeSquare(const std::uint32_t* from, Index from_step, std::uint32_t* to, Index to_step) {
  constexpr Index kSide = 16;
  FourByFour square;
  alignas(64) std::uint32_t turned[kSide * kSide];
  for (Index j = 0; j < kSide; j += 4) {
    for (Index i = 0; i < kSide; i += 4) {
      square.Load(from + i + j * from_step, from_step);
      square.Transpose();
      square.Store(turned + i * kSide + j, kSide);
    }
  }
  for (Index i = 0; i < kSide; ++i) std::memcpy(to + i * to_step, turned + i * kSide, kSide * sizeof *turned);
}

// Words in squares of 16: whole cache lines, each of which is read once and written once, since lines a power of two
// apart push each other out. One after the other along the side whose lines lie farther apart: the processor foresees
// what follows each of them.
inline void TransposeUnits(const std::uint32_t* from, Index from_step, std::uint32_t* to, Index to_step, Index rows,
                           Index columns) {
  constexpr Index kSide = 16;
  const bool is_far = from_step * 4 >= 2048;  // beyond what the processor foresees by itself
  Index r = 0;
  if (from_step >= to_step) {
    for (Index c = 0; c + kSide <= columns; c += kSide) {
      for (r = 0; r + kSide <= rows; r += kSide) {
        if (is_far && r + 2 * kSide <= rows) AskForLines(to + (r + kSide) * to_step + c, to_step);
        TransposeSquare(from + r + c * from_step, from_step, to + r * to_step + c, to_step);
      }
    }
  } else {
    for (; r + kSide <= rows; r += kSide) {
      for (Index c = 0; c + kSide <= columns; c += kSide) {
        if (is_far && c + 2 * kSide <= columns) {
          AskForLines(from + r + (c + kSide) * from_step, from_step);
          AskForLines(to + r * to_step + c + kSide, to_step);
        }
        TransposeSquare(from + r + c * from_step, from_step, to + r * to_step + c, to_step);
      }
    }
  }
  for (r = 0; r + kSide <= rows; r += kSide) {
    for (Index c = columns / kSide * kSide; c < columns; ++c)
      for (Index i = 0; i < kSide; ++i) to[(r + i) * to_step + c] = from[r + i + c * from_step];
  }
  for (; r < rows; r += 4) {
    const Index last = rows - 1 - r + (columns - 1) * from_step;
    switch (rows - r) {
      case 1: TransposeFew<1>(from + r, from_step, to + r * to_step, to_step, columns, last); break;
      case 2: TransposeFew<2>(from + r, from_step, to + r * to_step, to_step, columns, last); break;
      case 3: TransposeFew<3>(from + r, from_step, to + r * to_step, to_step, columns, last); break;
      default: TransposeFew<4>(from + r, from_step, to + r * to_step, to_step, columns, last);
    }
  }
}
#endif

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

inline void TransposeBlock(const ElementMover& mover, const void* from, Index from_step, void* to, Index to_step,
                           Index rows, Index columns) {
  const auto run = [&]<class Unit>(Unit) {
    TransposeUnits(static_cast<const Unit*>(from), from_step, static_cast<Unit*>(to), to_step, rows, columns);
  };
  const bool aligned =
      mover.bytes != 16 || ((reinterpret_cast<std::uintptr_t>(from) | reinterpret_cast<std::uintptr_t>(to)) & 7) == 0;
  if (mover.assign == nullptr && aligned) {
    switch (mover.bytes) {
      case 1: return run(std::uint8_t{});
      case 2: return run(std::uint16_t{});
      case 4: return run(std::uint32_t{});
      case 8: return run(std::uint64_t{});
      case 16: return run(Unit16{});
    }
  }
  for (Index r = 0; r < rows; ++r)
    CopyPieces(mover, 1, mover.At(from, r), from_step, mover.At(to, r * to_step), 1, columns);
}

// How the innermost part of an NdCopy is done, and how the rest is cut into units of work. immutable once made.
struct NdPlan {
  enum class Way : std::uint8_t { kRuns, kFill, kTranspose, kPieces };

  const ElementMover& mover;
  const char* in;
  char* out;
  InlinedVector<NdCopy::Dim, 8> outer;
  NdCopy::Dim rows{1, 0, 0}, columns{1, 0, 0};
  Way way = Way::kPieces;
  Index row_block = 1, column_block = 1, row_blocks = 1, column_blocks = 1, units = 1;

  NdPlan(const ElementMover& m, const NdCopy& copy, const void* from, void* to)
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
    } else {
      column_block = std::min(columns.size, some);
      row_block = std::max<Index>(1, std::min(rows.size, some / column_block));
    }
    row_blocks = (rows.size + row_block - 1) / row_block;
    column_blocks = (columns.size + column_block - 1) / column_block;
    units = row_blocks * column_blocks;
    for (const NdCopy::Dim& dim : outer) units *= dim.size;
  }
  double unit_ns() const {
    const double each = mover.cost_ns() * (way == Way::kRuns ? 1 : way == Way::kFill ? 0.7 : 4);
    return each * static_cast<double>(std::min(row_block, rows.size) * std::min(column_block, columns.size)) + 5;
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
  NdCopy::Dim Take(std::size_t d) {
    const NdCopy::Dim dim = outer[d];
    outer.erase(outer.begin() + static_cast<std::ptrdiff_t>(d));
    return dim;
  }
  void Block(Index from, Index to, Index block) const {
    const Index r = block / column_blocks * row_block, c = block % column_blocks * column_block;
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
};

}  // namespace detail

// Copies what `copy` describes. The places written must not be among those read; each is written once.
inline void CopyNd(Cpu& device, const ElementMover& mover, const NdCopy& copy, const void* in, void* out) {
  if (copy.elements == 0) return;
  const detail::NdPlan plan(mover, copy, in, out);
  ParallelFor(device, plan.units, plan.unit_ns(), [&](Index begin, Index end) { plan.Units(begin, end); });
}

TENON_NAMESPACE_END
