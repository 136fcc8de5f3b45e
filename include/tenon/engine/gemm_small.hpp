// SPDX-License-Identifier: Apache-2.0
#pragma once
// Matrix products whose second operand stays in the first cache, with all of k: tiles over the operands where they lie,
// and nothing to plan, which would take longer than the product. Tiles at the edges overlap those before them: what is
// stored twice is the same.

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/gemm_blocks.hpp>
#include <tenon/engine/gemm_tile.hpp>

#if !defined(__CUDACC__)  // vectors are for the host's compiler

TENON_NAMESPACE_BEGIN

namespace detail {

// Of b, and rows of a, by which many a copy of b that lies better pays off.
inline constexpr Index kSmallProductBytes = 16 * 1024, kSmallProductRows = 128;

// Needs a tile's fewest rows, too.
inline bool IsSmallProduct(const GemmKernels& kernels, const GemmArgs<void>& g) {
  return g.n >= kernels.lanes && g.m >= kGemmFewRows && g.m < kSmallProductRows &&
         g.k * g.n * kernels.size <= kSmallProductBytes;
}

// c = a b, on this thread. Needs IsSmallProduct.
inline void RunSmallProduct(const GemmKernels& kernels, GemmArgs<void> g) {
  alignas(64) char turned[kSmallProductBytes];
  if (g.b_col != 1) {
    kernels.transpose(g.b, g.b_col, g.n, g.k, turned, g.n);
    g.b = turned;
    g.b_row = g.n;
  }
  const auto *const a = static_cast<const char*>(g.a), *const b = static_cast<const char*>(g.b);
  char* const c = static_cast<char*>(g.c);
  for (Index j = 0; j < g.n;) {
    const Index columns = kernels.ColumnsOfTile(g.n - j);
    GemmTile t{g.k,     nullptr, g.a_row, g.a_col, b + j * kernels.size,   g.b_row, nullptr,
               g.c_row, false,   c,       0,       columns - kernels.lanes};
    for (Index i = 0; i < g.m;) {
      const bool few = TakesFewRows(g.m - i, i == 0);
      const Index end = i + (few ? kGemmFewRows : kGemmRows), above = end > g.m ? end - g.m : 0;
      t.a = a + (i - above) * g.a_row * kernels.size;
      t.c = c + ((i - above) * g.c_row + j) * kernels.size;
      kernels.tile[few][(columns - 1) / kernels.lanes](t);
      i = end;
    }
    j += columns;
  }
}

}  // namespace detail

TENON_NAMESPACE_END

#endif  // !__CUDACC__
