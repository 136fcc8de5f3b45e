// SPDX-License-Identifier: Apache-2.0
#pragma once
// Products of matrices of 32-bit integers, tile by tile: pieces of b are packed, tiles of c stay in registers.

#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// c = a b modulo 2^32: [m, k] [k, n]; elements apart by row and column steps, those of c's rows side by side.
struct WordProduct {
  const std::uint32_t* a;
  Index a_row, a_col;
  const std::uint32_t* b;
  Index b_row, b_col;
  std::uint32_t* c;
  Index c_row;
  Index m, n, k;
};

#if TENON_DETAIL_LANES
template <int bytes>
struct WordTiles {
  typedef std::uint32_t V __attribute__((vector_size(bytes)));
  static constexpr Index kLanes = bytes / 4;
  static constexpr int kRows = 4, kVectors = 2;
  static constexpr Index kMost = kVectors * kLanes, kDepth = 128;  // columns and rows of a packed piece

  // b[p, j] for p < depth, j < columns, in rows of `width`, with zeros behind them.
  TENON_HD static void Pack(const WordProduct& g, Index p, Index depth, Index j, Index columns, Index width,
                            std::uint32_t* to) {
    for (Index q = 0; q < depth; ++q, to += width) {
      const std::uint32_t* const from = g.b + (p + q) * g.b_row + j * g.b_col;
      if (g.b_col == 1 && columns == kMost) {
        std::memcpy(to, from, kMost * sizeof *to);
      } else {
        for (Index c = 0; c < columns; ++c) to[c] = from[c * g.b_col];
        for (Index c = columns; c < width; ++c) to[c] = 0;
      }
    }
  }
  // c[i ..., j ...] += a[i ..., p ...] piece; the first piece overwrites.
  template <int rows, int vectors>
  TENON_HD static void Tile(const WordProduct& g, Index i, Index p, Index depth, Index j, Index columns,
                            const std::uint32_t* piece) {
    V sums[rows][vectors];
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) sums[r][v] = V{};
    }
    const std::uint32_t* a = g.a + i * g.a_row + p * g.a_col;
    for (Index q = 0; q < depth; ++q, a += g.a_col, piece += vectors * kLanes) {
      V b[vectors];
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) std::memcpy(&b[v], piece + v * kLanes, bytes);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
        const std::uint32_t factor = a[r * g.a_row];
#pragma GCC unroll 2
        for (int v = 0; v < vectors; ++v) sums[r][v] += b[v] * factor;
      }
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      std::uint32_t* const c = g.c + (i + r) * g.c_row + j;
      std::uint32_t row[vectors * kLanes];
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) std::memcpy(row + v * kLanes, &sums[r][v], bytes);
      if (p == 0) {
        for (Index k = 0; k < columns; ++k) c[k] = row[k];
      } else {
        for (Index k = 0; k < columns; ++k) c[k] += row[k];
      }
    }
  }
  template <int vectors>
  TENON_HD static void Columns(const WordProduct& g, Index p, Index depth, Index j, Index columns,
                               const std::uint32_t* piece) {
    Index i = 0;
    for (; i + kRows <= g.m; i += kRows) Tile<kRows, vectors>(g, i, p, depth, j, columns, piece);
    for (; i < g.m; ++i) Tile<1, vectors>(g, i, p, depth, j, columns, piece);
  }
  TENON_HD static void Run(const WordProduct& g) {
    alignas(64) std::uint32_t piece[kDepth * kMost];
    for (Index j = 0; j < g.n; j += kMost) {
      const Index columns = g.n - j < kMost ? g.n - j : kMost, width = columns <= kLanes ? kLanes : kMost;
      for (Index p = 0; p < g.k; p += kDepth) {
        const Index depth = g.k - p < kDepth ? g.k - p : kDepth;
        Pack(g, p, depth, j, columns, width, piece);
        if (width == kLanes)
          Columns<1>(g, p, depth, j, columns, piece);
        else
          Columns<kVectors>(g, p, depth, j, columns, piece);
      }
    }
  }
};
struct WordProductBody {
  template <int bytes>
  TENON_HD static void Run(const WordProduct& g) {
    WordTiles<bytes>::Run(g);
  }
};
#endif

// k is not 0.
template <class Isa = simd::Compiled>
void MultiplyWords(const WordProduct& g) {
#if TENON_DETAIL_LANES
  simd::detail::ForLevels<WordProductBody, Isa, const WordProduct&>::Best()(g);
#else
  for (Index i = 0; i < g.m; ++i)
    for (Index j = 0; j < g.n; ++j) {
      std::uint32_t sum = 0;
      for (Index p = 0; p < g.k; ++p) sum += g.a[i * g.a_row + p * g.a_col] * g.b[p * g.b_row + j * g.b_col];
      g.c[i * g.c_row + j] = sum;
    }
#endif
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
