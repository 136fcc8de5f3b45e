// SPDX-License-Identifier: Apache-2.0
#pragma once
// Blocks of plain elements whose rows become columns: squares of words in vectors, and tiles of rows that lie apart.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

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

// Side of the tiles in which dimensions shorter than a line of words are transposed together with their neighbours.
inline constexpr Index kTileSide = 16;

template <class Unit>
void TurnTile(const Unit* from, Unit* to) {
  for (Index i = 0; i < kTileSide; ++i)
    for (Index j = 0; j < kTileSide; ++j) to[i * kTileSide + j] = from[j * kTileSide + i];
}
#if TENON_DETAIL_LANES
inline void TurnTile(const std::uint32_t* from, std::uint32_t* to) {
  SquaresFor<>::Best()(from, kTileSide, to, kTileSide, kTileSide, kTileSide);
}
#endif

// to[row_at[r] + c] = from[column_at[c] + r]: kTileSide rows and columns at a time, brought together before they turn.
template <class Unit>
void TransposeTiles(const Unit* from, const Index* column_at, Unit* to, const Index* row_at, Index rows,
                    Index columns) {
  Unit near[kTileSide * kTileSide], turned[kTileSide * kTileSide];
  for (Index r = 0; r < rows; r += kTileSide) {
    const Index nr = std::min(kTileSide, rows - r);
    for (Index c = 0; c < columns; c += kTileSide) {
      const Index nc = std::min(kTileSide, columns - c);
      if (nr == kTileSide && nc == kTileSide) {  // sizes that the compiler knows
        for (Index j = 0; j < kTileSide; ++j)
          std::memcpy(near + j * kTileSide, from + column_at[c + j] + r, kTileSide * sizeof(Unit));
        TurnTile(near, turned);
        for (Index i = 0; i < kTileSide; ++i)
          std::memcpy(to + row_at[r + i] + c, turned + i * kTileSide, kTileSide * sizeof(Unit));
      } else {
        for (Index i = 0; i < nr; ++i)
          for (Index j = 0; j < nc; ++j) to[row_at[r + i] + c + j] = from[column_at[c + j] + r + i];
      }
    }
  }
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
