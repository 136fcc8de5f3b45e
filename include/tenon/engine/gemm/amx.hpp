// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products by tiles of AMX (engine/simd/amx.hpp). A tile holds 16 lines - rows of a, or columns of b - of 64 bytes of
// k, which is one step; two tiles of a and two of b make four of c. Tiles of a are read where the matrix lies, if its
// rows are stored by k, or from copies. b is copied: the tile wants groups of four bytes of k in rows. amx_product.hpp
// has the loops, bfloat16.hpp and int8.hpp have the types.

#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/gemm/microkernel.hpp>
#include <tenon/engine/simd/amx.hpp>
#include <tenon/engine/simd/isa.hpp>

#if TENON_DETAIL_AMX

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline constexpr Index kAmxLines = 16, kAmxStep = 64, kAmxTile = kAmxLines * kAmxStep;  // lines, bytes, bytes

// A matrix as lines of k numbers of 1 or 2 bytes. Distances are in bytes.
struct AmxMatrix {
  const char* data;
  Index line, along;  // from a line to the next, and from a number to the next of its line
  Index lines, k;
  Index size;  // bytes that a number has

  const char* At(Index i, Index p) const { return data + i * line + p * along; }
  Index steps() const { return (k * size + kAmxStep - 1) / kAmxStep; }
  Index in_step() const { return kAmxStep / size; }
};

// Sums of up to 2 x 2 tiles of c over steps of k. Tile `i` of a has `steps` steps at a[i], and one more at tail[i] if
// that is not null; b has as many, one tile behind the other. c[i, j] lies at c + 16 i c_row + 64 j.
struct AmxBlock {
  Index steps;
  const char* a[2];
  Index a_line[2], a_step[2];  // bytes from line to line, and from step to step
  const char* tail[2];  // a whole tile
  const char* b[2];
  char* c;
  Index c_row;  // in bytes
  bool add;  // adds to the content of c
};
using AmxKernel = void (*)(const AmxBlock&);
// Dot::Add<c, a, b>(): tile c += tile a times tile b.
template <class Dot>
struct AmxKernels {
  template <int rows, int columns>
  static TENON_HD void Step(const AmxBlock& t, const char* const* a, const Index* a_line, Index step) {
    simd::AmxLoad<6>(t.b[0] + step * kAmxTile, kAmxStep);
    simd::AmxLoad<4>(a[0], a_line[0]);
    Dot::template Add<0, 4, 6>();
    if constexpr (columns == 2) {
      simd::AmxLoad<7>(t.b[1] + step * kAmxTile, kAmxStep);
      Dot::template Add<1, 4, 7>();
    }
    if constexpr (rows == 2) {
      simd::AmxLoad<5>(a[1], a_line[1]);
      Dot::template Add<2, 5, 6>();
      if constexpr (columns == 2) Dot::template Add<3, 5, 7>();
    }
  }
  template <int rows, int columns>
  static void Multiply(const AmxBlock& t) {
    char* const c1 = t.c + kAmxLines * t.c_row;
    if (t.add) {
      simd::AmxLoad<0>(t.c, t.c_row);
      if constexpr (columns == 2) simd::AmxLoad<1>(t.c + kAmxStep, t.c_row);
      if constexpr (rows == 2) simd::AmxLoad<2>(c1, t.c_row);
      if constexpr (rows == 2 && columns == 2) simd::AmxLoad<3>(c1 + kAmxStep, t.c_row);
    } else {
      simd::AmxZero<0>();
      if constexpr (columns == 2) simd::AmxZero<1>();
      if constexpr (rows == 2) simd::AmxZero<2>();
      if constexpr (rows == 2 && columns == 2) simd::AmxZero<3>();
    }
    const char* a[2] = {t.a[0], t.a[1]};
    for (Index step = 0; step < t.steps; ++step) {
      Step<rows, columns>(t, a, t.a_line, step);
      a[0] += t.a_step[0];
      if constexpr (rows == 2) a[1] += t.a_step[1];
    }
    if (t.tail[0] != nullptr) {
      constexpr Index kLine[2] = {kAmxStep, kAmxStep};
      Step<rows, columns>(t, t.tail, kLine, t.steps);
    }
    simd::AmxStore<0>(t.c, t.c_row);
    if constexpr (columns == 2) simd::AmxStore<1>(t.c + kAmxStep, t.c_row);
    if constexpr (rows == 2) simd::AmxStore<2>(c1, t.c_row);
    if constexpr (rows == 2 && columns == 2) simd::AmxStore<3>(c1 + kAmxStep, t.c_row);
  }
  static constexpr AmxKernel kAll[2][2] = {{&Multiply<1, 1>, &Multiply<1, 2>}, {&Multiply<2, 1>, &Multiply<2, 2>}};
};

// Copies of one step of 16 lines, from line `i` and number `p` on; zeros behind the last of either. Lines lie one
// behind the other, in 64 bytes. Groups take four bytes from each line, and then the next four.
class AmxCopies {
  using Group = GnuVector<std::uint32_t, 64>;
  using Bytes = GnuVector<unsigned char, 64>;  // anywhere

 public:
  static void Lines(const AmxMatrix& x, Index i, Index p, char* to) {
    if (x.along != x.size && x.line == x.size) {
      alignas(64) char groups[kAmxTile];
      Weave(x, i, p, 1, groups, 0);
      Turn(groups, to);
      return;
    }
    const Index lines = x.lines - i < kAmxLines ? x.lines - i : kAmxLines,
                numbers = x.k - p < x.in_step() ? x.k - p : x.in_step();
    if (lines < kAmxLines || numbers < x.in_step()) std::memset(to, 0, kAmxTile);
    const char* from = x.At(i, p);
    if (x.along == x.size && numbers == x.in_step()) return CopyWhole(from, x.line, lines, to);
    for (Index l = 0; l < lines; ++l, from += x.line, to += kAmxStep) {
      if (x.along != x.size)
        CopyApart(from, x.along, x.size, numbers, to);
      else
        std::memcpy(to, from, static_cast<std::size_t>(numbers * x.size));
    }
  }

  // 64 bytes of each of so many steps, into one line of their tiles.
  TENON_DETAIL_TARGET_AVX512 static void Steps(const char* from, Index steps, char* to) {
    for (; steps > 0; --steps, from += kAmxStep, to += kAmxTile)
      *reinterpret_cast<Bytes::in_memory*>(to) = *reinterpret_cast<const Bytes::in_memory*>(from);
  }

  // Panels of b beside each other whose groups are made together: their numbers fill a line of the cache.
  static Index PanelsTogether(const AmxMatrix& x) { return x.line == x.size ? kAmxStep / kAmxLines / x.size : 1; }
  // `panels` times 16 lines; their tiles are `to_panel` bytes apart.
  static void Groups(const AmxMatrix& x, Index i, Index p, Index panels, char* to, Index to_panel) {
    if (x.line == x.size) return Weave(x, i, p, panels, to, to_panel);
    alignas(64) char lines[kAmxTile];
    for (Index v = 0; v < panels; ++v) {
      Lines(x, i + v * kAmxLines, p, lines);
      Turn(lines, to + v * to_panel);
    }
  }

 private:
  static void CopyApart(const char* from, Index along, Index size, Index numbers, char* to) {
    for (Index p = 0; p < numbers; ++p) std::memcpy(to + p * size, from + p * along, static_cast<std::size_t>(size));
  }
  TENON_DETAIL_TARGET_AVX512 static void CopyWhole(const char* from, Index line, Index lines, char* to) {
    for (; lines > 0; --lines, from += line, to += kAmxStep)
      *reinterpret_cast<Bytes::in_memory*>(to) = *reinterpret_cast<const Bytes::in_memory*>(from);
  }
  // Lines as groups, or groups as lines: a square of 16 x 16 groups on its side. Rows 0 and 8, 1 and 9, ... are mixed
  // element by element, four times.
  TENON_DETAIL_TARGET_AVX512 static void Turn(const char* from, char* to) {
    Group::type rows[kAmxLines], mixed[kAmxLines];
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) rows[i] = *reinterpret_cast<const Group::in_memory*>(from + i * kAmxStep);
#pragma GCC unroll 2
    for (int twice = 0; twice < 2; ++twice) {
      Mix(rows, mixed);
      Mix(mixed, rows);
    }
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) *reinterpret_cast<Group::in_memory*>(to + i * kAmxStep) = rows[i];
  }
  TENON_DETAIL_TARGET_AVX512 static TENON_HD void Mix(const Group::type (&from)[kAmxLines],
                                                      Group::type (&to)[kAmxLines]) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      to[2 * i] = __builtin_shufflevector(from[i], from[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
      to[2 * i + 1] =
          __builtin_shufflevector(from[i], from[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    }
  }

  // Groups of lines that lie beside each other.
  static void Weave(const AmxMatrix& x, Index i, Index p, Index panels, char* to, Index to_panel) {
    const Index lines = x.lines - i < panels * kAmxLines ? x.lines - i : panels * kAmxLines,
                numbers = x.k - p < x.in_step() ? x.k - p : x.in_step();
    const char* rows = x.At(i, p);
    Index row = x.along;
    alignas(64) char copies[kAmxStep * kAmxStep];
    if (lines < panels * kAmxLines || numbers < x.in_step()) {
      row = panels * kAmxLines * x.size;
      std::memset(copies, 0, static_cast<std::size_t>(x.in_step() * row));
      for (Index q = 0; q < numbers; ++q)
        std::memcpy(copies + q * row, rows + q * x.along, static_cast<std::size_t>(lines * x.size));
      rows = copies;
    }
    if (x.size == 2)
      WeavePairs(rows, row, panels, to, to_panel);
    else
      WeaveFours(rows, row, panels, to, to_panel);
  }
  // 16 numbers in four bytes each. (g++ 12 makes two halves of such a conversion.)
  TENON_DETAIL_TARGET_AVX512 static TENON_HD Group::type WidenPairs(const char* from) {
    Group::type wide;
    asm("vpmovzxwd %1, %0" : "=v"(wide) : "m"(*reinterpret_cast<const char(*)[2 * kAmxLines]>(from)));
    return wide;
  }
  TENON_DETAIL_TARGET_AVX512 static TENON_HD Group::type WidenBytes(const char* from) {
    Group::type wide;
    asm("vpmovzxbd %1, %0" : "=v"(wide) : "m"(*reinterpret_cast<const char(*)[kAmxLines]>(from)));
    return wide;
  }
  TENON_DETAIL_TARGET_AVX512 static void WeavePairs(const char* rows, Index row, Index panels, char* to,
                                                    Index to_panel) {
    for (Index g = 0; g < kAmxLines; ++g, rows += 2 * row, to += kAmxStep) {
      for (Index v = 0; v < panels; ++v) {
        const char* const from = rows + v * kAmxLines * 2;
        *reinterpret_cast<Group::in_memory*>(to + v * to_panel) = WidenPairs(from) | WidenPairs(from + row) << 16;
      }
    }
  }
  TENON_DETAIL_TARGET_AVX512 static void WeaveFours(const char* rows, Index row, Index panels, char* to,
                                                    Index to_panel) {
    for (Index g = 0; g < kAmxLines; ++g, rows += 4 * row, to += kAmxStep) {
      for (Index v = 0; v < panels; ++v) {
        const char* const from = rows + v * kAmxLines;
        *reinterpret_cast<Group::in_memory*>(to + v * to_panel) =
            (WidenBytes(from) | WidenBytes(from + row) << 8) |
            (WidenBytes(from + 2 * row) << 16 | WidenBytes(from + 3 * row) << 24);
      }
    }
  }
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

#endif  // TENON_DETAIL_AMX
