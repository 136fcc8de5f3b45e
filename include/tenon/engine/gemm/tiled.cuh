// SPDX-License-Identifier: Apache-2.0
#pragma once
// TiledGemm: matrix products on a GPU for any element type, without a library. Each block of threads computes square
// tiles of the product from tiles of the operands in shared memory. Simple rather than fast: gemm.cuh uses cuBLAS where
// it can.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/gemm/tiled.cuh> only from files that nvcc compiles."
#endif

#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cuda.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Type of the sums: T if it is a number of C++, else float (half, bfloat16 ...).
template <class T>
using GemmSum = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

inline constexpr int kGemmTile = 16;

template <class T>
__global__ void TiledGemmKernel(In<T, 2> a, bool transpose_a, In<T, 2> b, bool transpose_b, Out<T, 2> product) {
  using Sum = GemmSum<T>;
  __shared__ Sum tile_a[kGemmTile][kGemmTile + 1];  // one more: rows begin in different banks
  __shared__ Sum tile_b[kGemmTile][kGemmTile + 1];
  const Index m = product.dim(0), n = product.dim(1), depth = transpose_a ? a.dim(0) : a.dim(1);
  const Index tiles_across = (n + kGemmTile - 1) / kGemmTile;
  const Index tiles = (m + kGemmTile - 1) / kGemmTile * tiles_across;
  const int row = static_cast<int>(threadIdx.x) / kGemmTile, column = static_cast<int>(threadIdx.x) % kGemmTile;
  for (Index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const Index first_i = tile / tiles_across * kGemmTile, first_j = tile % tiles_across * kGemmTile;
    const Index i = first_i + row, j = first_j + column;
    Sum sum = Sum(0);
    for (Index first_p = 0; first_p < depth; first_p += kGemmTile) {
      // Neighbouring threads read neighbouring elements, whichever way the operand lies.
      const Index ai = first_i + (transpose_a ? column : row), ap = first_p + (transpose_a ? row : column);
      const Index bp = first_p + (transpose_b ? column : row), bj = first_j + (transpose_b ? row : column);
      const Sum from_a = ai < m && ap < depth ? static_cast<Sum>(transpose_a ? a(ap, ai) : a(ai, ap)) : Sum(0);
      const Sum from_b = bp < depth && bj < n ? static_cast<Sum>(transpose_b ? b(bj, bp) : b(bp, bj)) : Sum(0);
      (transpose_a ? tile_a[column][row] : tile_a[row][column]) = from_a;
      (transpose_b ? tile_b[column][row] : tile_b[row][column]) = from_b;
      __syncthreads();
#pragma unroll
      for (int p = 0; p < kGemmTile; ++p) sum = static_cast<Sum>(sum + tile_a[row][p] * tile_b[p][column]);
      __syncthreads();
    }
    if (i < m && j < n) product(i, j) = static_cast<T>(sum);
  }
}

// a: [m, k] or transposed [k, m], b: [k, n] or [n, k] -> product [m, n].
template <class T>
Status CheckGemm(const In<T, 2>& a, bool transpose_a, const In<T, 2>& b, bool transpose_b, const Out<T, 2>& product) {
  const Index m = a.dim(transpose_a ? 1 : 0), inner_a = a.dim(transpose_a ? 0 : 1);
  const Index n = b.dim(transpose_b ? 0 : 1), inner_b = b.dim(transpose_b ? 1 : 0);
  if (inner_a != inner_b)
    return errors::InvalidArgument("Gemm: inner dimensions of 'a' and 'b' must agree, got ", inner_a, " and ", inner_b);
  if (product.dim(0) != m || product.dim(1) != n)
    return errors::InvalidArgument("Gemm: the product of 'a' and 'b' has shape [", m, ",", n, "], not ",
                                   product.shape());
  return OkStatus();
}

}  // namespace detail

// product = a * b, an operand read as its transpose where told so; all row-major. Sums run in T, or in float for types
// that are not numbers of C++. InvalidArgument if the shapes do not fit. Returns when it is queued.
template <class T>
Status TiledGemm(Cuda& device, In<T, 2> a, bool transpose_a, In<T, 2> b, bool transpose_b, Out<T, 2> product) {
  TENON_RETURN_IF_ERROR(detail::CheckGemm(a, transpose_a, b, transpose_b, product));
  if (product.size() == 0) return OkStatus();
  constexpr int kThreads = detail::kGemmTile * detail::kGemmTile;
  const Index rows = (product.dim(0) + detail::kGemmTile - 1) / detail::kGemmTile;
  const Index columns = (product.dim(1) + detail::kGemmTile - 1) / detail::kGemmTile;
  CudaGrid grid = LinearGrid(device, rows * columns * kThreads);
  grid.threads = kThreads;
  return LaunchCuda(device, grid, &detail::TiledGemmKernel<T>, a, transpose_a, b, transpose_b, product);
}

TENON_DETAIL_NAMESPACE_END
