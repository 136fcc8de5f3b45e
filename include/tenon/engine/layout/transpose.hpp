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
#include <tenon/engine/simd/vector.hpp>
#include <tenon/engine/core/element_copy.hpp>

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
// Each quarter of `to`, 16 bytes: the four words that are named, 0 to 3 those of that quarter of a, 4 to 7 of b.
// (Vectors are passed by reference, for their passing would depend on compiler flags.)
template <int... words, class Words, std::size_t... places>
TENON_HD void PickWords(const Words& a, const Words& b, Words& to, std::index_sequence<places...>) {
  constexpr int kPicked[] = {words...}, kAll = static_cast<int>(sizeof...(places));
  to = __builtin_shufflevector(
      a, b, (static_cast<int>(places) / 4 * 4 + kPicked[places % 4] % 4 + kPicked[places % 4] / 4 * kAll)...);
}
// In each quarter four rows of four words become columns.
template <class Words>
TENON_HD void TransposeQuarters(Words (&rows)[4]) {
  constexpr std::make_index_sequence<sizeof(Words) / 4> kPlaces{};
  Words low01, high01, low23, high23;
  PickWords<0, 4, 1, 5>(rows[0], rows[1], low01, kPlaces);
  PickWords<2, 6, 3, 7>(rows[0], rows[1], high01, kPlaces);
  PickWords<0, 4, 1, 5>(rows[2], rows[3], low23, kPlaces);
  PickWords<2, 6, 3, 7>(rows[2], rows[3], high23, kPlaces);
  PickWords<0, 1, 4, 5>(low01, low23, rows[0], kPlaces);
  PickWords<2, 3, 6, 7>(low01, low23, rows[1], kPlaces);
  PickWords<0, 1, 4, 5>(high01, high23, rows[2], kPlaces);
  PickWords<2, 3, 6, 7>(high01, high23, rows[3], kPlaces);
}

// Four rows of four words become columns. 16 bytes, so that no function depends on what it is compiled for.
struct FourByFour {
  typedef std::uint32_t Row __attribute__((vector_size(16)));
  Row rows[4];

  TENON_HD void Load(const std::uint32_t* from, Index step) {
#pragma GCC unroll 4
    for (Index i = 0; i < 4; ++i) std::memcpy(&rows[i], from + i * step, sizeof(Row));
  }
  template <Index count = 4>
  TENON_HD void Store(std::uint32_t* to, Index step) const {
#pragma GCC unroll 4
    for (Index i = 0; i < count; ++i) std::memcpy(to + i * step, &rows[i], sizeof(Row));
  }
  TENON_HD void Transpose() { TransposeQuarters(rows); }
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
TENON_HD void AskForLines(const std::uint32_t* rows, Index step) {
  for (Index i = 0; i < 16; ++i) __builtin_prefetch(rows + i * step);
}
TENON_HD void AskForLines(std::uint32_t* rows, Index step) {  // to be written
  for (Index i = 0; i < 16; ++i) __builtin_prefetch(rows + i * step, 1);
}

template <int bytes>
struct WordVector {
  typedef std::uint32_t type __attribute__((vector_size(bytes)));
};

// 16 rows of 16 words become columns: 4 x 4 squares in the quarters of vectors that hold four words from each of
// several rows.
template <int bytes>
struct SixteenBySixteen {
  using Words = typename WordVector<bytes>::type;
  static constexpr Index kQuarters = bytes / 16;

  TENON_HD static void Load(const std::uint32_t* from, Index step, Words& to) {
    FourByFour::Row row[kQuarters];
#pragma GCC unroll 4
    for (Index i = 0; i < kQuarters; ++i) std::memcpy(&row[i], from + 4 * i * step, sizeof row[i]);
    if constexpr (kQuarters == 2) {
      to = __builtin_shufflevector(row[0], row[1], 0, 1, 2, 3, 4, 5, 6, 7);
    } else {
      to = __builtin_shufflevector(__builtin_shufflevector(row[0], row[1], 0, 1, 2, 3, 4, 5, 6, 7),
                                   __builtin_shufflevector(row[2], row[3], 0, 1, 2, 3, 4, 5, 6, 7),  //
                                   0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    }
  }
  // Rows far apart may push each other out of the cache: they are copied first, each as a whole.
  template <bool is_far>
  TENON_HD static void Turn(const std::uint32_t* from, Index from_step, std::uint32_t* to, Index to_step) {
    alignas(64) std::uint32_t near[256];
    if constexpr (is_far) {
      for (Index i = 0; i < 16; ++i) std::memcpy(near + 16 * i, from + i * from_step, 64);
      from = near;
      from_step = 16;
    }
    Words square[4];
    for (Index i = 0; i < 16; i += 4) {
      for (Index j = 0; j < 16; j += 4 * kQuarters) {
#pragma GCC unroll 4
        for (Index k = 0; k < 4; ++k) Load(from + i + (j + k) * from_step, from_step, square[k]);
        TransposeQuarters(square);
#pragma GCC unroll 4
        for (Index k = 0; k < 4; ++k) std::memcpy(to + (i + k) * to_step + j, &square[k], sizeof(Words));
      }
    }
  }
};
// By way of a copy, so that whole lines are written at once.
template <>
struct SixteenBySixteen<16> {
  template <bool>
  TENON_HD static void Turn(const std::uint32_t* from, Index from_step, std::uint32_t* to, Index to_step) {
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
};

// Words in squares of 16, as many as there are: whole cache lines, each of which is read once and written once, since
// lines a power of two apart push each other out. Squares that are written one below the other follow each other only
// where those lines lie farther apart: what the processor foresees may be another thread's.
template <int bytes, bool is_far>
TENON_HD void TransposeSquares(const std::uint32_t* from, Index from_step, std::uint32_t* to, Index to_step, Index rows,
                               Index columns) {
  constexpr Index kSide = 16;
  const bool down = from_step > to_step;
  const Index from_near = kSide * (down ? 1 : from_step), from_next = kSide * (down ? from_step : 1),
              to_near = kSide * (down ? to_step : 1), to_next = kSide * (down ? 1 : to_step);
  const Index inner = (down ? rows : columns) / kSide;
  for (Index left = (down ? columns : rows) / kSide; left > 0; --left, from += from_next, to += to_next) {
    const std::uint32_t* x = from;
    std::uint32_t* y = to;
    for (Index i = 1; i <= inner; ++i, x += from_near, y += to_near) {
      if (is_far && i < inner) {
        if (!down) AskForLines(x + from_near, from_step);
        AskForLines(y + to_near, to_step);
      }
      SixteenBySixteen<bytes>::template Turn<is_far>(x, from_step, y, to_step);
    }
  }
}
struct SquaresBody {
  template <int bytes>
  TENON_HD static void Run(const std::uint32_t* from, Index from_step, std::uint32_t* to, Index to_step, Index rows,
                           Index columns) {
    if (from_step >= 512)  // beyond what the processor foresees by itself
      TransposeSquares<bytes, true>(from, from_step, to, to_step, rows, columns);
    else
      TransposeSquares<bytes, false>(from, from_step, to, to_step, rows, columns);
  }
};
template <class Isa = simd::Compiled>
using SquaresFor =
    simd::detail::ForLevels<SquaresBody, Isa, const std::uint32_t*, Index, std::uint32_t*, Index, Index, Index>;

inline void TransposeUnits(const std::uint32_t* from, Index from_step, std::uint32_t* to, Index to_step, Index rows,
                           Index columns) {
  constexpr Index kSide = 16;
  Index r = 0;
  if (rows >= kSide && columns >= kSide) SquaresFor<>::Best()(from, from_step, to, to_step, rows, columns);
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
    row_blocks = (rows.size + row_block - 1) / row_block;
    column_blocks = (columns.size + column_block - 1) / column_block;
    units = row_blocks * column_blocks;
    for (const NdCopy::Dim& dim : outer) units *= dim.size;
  }
  double unit_ns() const {
    const bool by_squares = way == Way::kTranspose && mover.assign == nullptr && mover.bytes == 4;
    const double each = mover.cost_ns() * (way == Way::kRuns ? 1 : way == Way::kFill ? 0.7 : by_squares ? 1.5 : 4);
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
