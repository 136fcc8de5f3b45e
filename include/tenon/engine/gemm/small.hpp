// SPDX-License-Identifier: Apache-2.0
#pragma once
// Matrix products whose second operand stays in the first cache, with all of k: tiles over the operands where they lie,
// and nothing to plan, which would take longer than the product. Tiles at the edges overlap those before them: elements
// that are stored twice are equal.

#include <bit>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/gemm/blocking.hpp>
#include <tenon/engine/gemm/microkernel.hpp>

#if !defined(__NVCC__)  // vectors are for the host's compiler

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Bytes of b at most, and rows of a from which a copy of b with a better layout pays off.
inline constexpr Index kSmallProductBytes = 16 * 1024, kSmallProductRows = 128;

// Needs a tile's fewest rows, too.
inline bool IsSmallProduct(const GemmKernels& kernels, const GemmArgs<void>& g) {
  return g.n >= kernels.lanes && g.m >= kGemmFewRows && g.m < kSmallProductRows &&
         g.k * g.n * kernels.size <= kSmallProductBytes;
}

// c = a b, where b's rows lie together.
inline void RunSmallTiles(const GemmKernels& kernels, const GemmArgs<void>& g, const void* b, Index b_row) {
  const Index size = kernels.size, rows = g.m, all_columns = g.n;
  const Index a_row = g.a_row, c_row = g.c_row;
  const int lanes_bits = std::countr_zero(static_cast<std::size_t>(kernels.lanes));
  const auto* const a = static_cast<const char*>(g.a);
  GemmTile t{g.k, nullptr, a_row, g.a_col, b, b_row, nullptr, c_row, false, static_cast<const char*>(g.c), 0, 0};
  for (Index j = 0; j < all_columns;) {
    const Index columns = kernels.ColumnsOfTile(all_columns - j);
    const Index vectors = (columns - 1) >> lanes_bits;  // before the last
    t.b = static_cast<const char*>(b) + j * size;
    t.last = columns - kernels.lanes;
    for (Index i = 0; i < rows;) {
      const bool few = TakesFewRows(rows - i, i == 0);
      const Index end = i + (few ? kGemmFewRows : kGemmRows), first = end > rows ? i + rows - end : i;
      t.a = a + first * a_row * size;
      t.c = static_cast<char*>(g.c) + (first * c_row + j) * size;
      kernels.tile[few][vectors](t);
      i = end;
    }
    j += columns;
  }
}
TENON_DETAIL_NOINLINE inline void RunSmallTurned(const GemmKernels& kernels, const GemmArgs<void>& g) {
  alignas(64) char turned[kSmallProductBytes];
  kernels.transpose(g.b, g.b_col, g.n, g.k, turned, g.n);
  RunSmallTiles(kernels, g, turned, g.n);
}

// c = a b, on this thread. Needs IsSmallProduct.
inline void RunSmallProduct(const GemmKernels& kernels, const GemmArgs<void>& g) {
  if (g.b_col == 1)
    RunSmallTiles(kernels, g, g.b, g.b_row);
  else
    RunSmallTurned(kernels, g);
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

#endif  // !__NVCC__
