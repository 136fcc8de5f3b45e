// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conv2D on a GPU: a matrix product whose left operand, the windows of all output pixels, is never written out. Each
// block computes a tile of pixels by channels from tiles in shared memory. 1 x 1 filters are a product of cuBLAS.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/conv/conv.cuh> only from files that nvcc compiles."
#endif

#include <cstdint>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/conv/conv.hpp>
#include <tenon/engine/conv/images.cuh>
#include <tenon/engine/core/result_epilogue.cuh>
#include <tenon/engine/gemm/gemm.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// A row of the left operand: a place in the input and where the row's results go to.
struct ConvRow {
  std::int32_t y, x;
  Index from, to;
};

// A product of matrices that a Problem reads and writes element by element:
//   T, Sum                                  type of the elements and of the sums
//   rows, columns, depth, groups            sizes of one group's product
//   left_by_rows, right_by_depth            neighbours in memory lie along the rows or along the depth
//   Locate(row)                             once a row
//   Left(row, p, group), Right(p, j, group) elements; Left of a row that LocateNone() made is 0
//   Result(row, j, group)                   where an element of the product goes to
//   Finish(value, j, group, to)             optional: the element that goes there
//   Change(at)                              optional: changes an element that its thread has written
template <class ProblemType, int kRowsOfTile, int kColumnsOfTile, int kRowsOfThread, int kColumnsOfThread>
struct ConvTiling {
  using Problem = ProblemType;
  using T = typename Problem::T;
  using Sum = typename Problem::Sum;
  static constexpr int kRows = kRowsOfTile, kColumns = kColumnsOfTile;
  static constexpr int kRowsEach = kRowsOfThread, kColumnsEach = kColumnsOfThread;
  static constexpr int kDepth = 16;
  static constexpr int kAcross = kColumns / kColumnsEach;
  static constexpr int kThreads = kRows / kRowsEach * kAcross;
  static constexpr int kLeft = kRows * kDepth / kThreads, kRight = kColumns * kDepth / kThreads;
  static constexpr int kLeftRow = kRows + 4;  // columns of the left tile begin in different banks

  Problem problem;
  Index tiles_across, group_tiles, tiles;

  explicit ConvTiling(const Problem& p)
      : problem(p),
        tiles_across((p.columns + kColumns - 1) / kColumns),
        group_tiles((p.rows + kRows - 1) / kRows * tiles_across),
        tiles(group_tiles * p.groups) {}

  // Thread and number of the load -> element of the tile.
  __device__ __forceinline__ void LeftAt(int i, int* row, int* p) const {
    const int at = static_cast<int>(threadIdx.x) + i * kThreads;
    *row = problem.left_by_rows ? at % kRows : at / kDepth;
    *p = problem.left_by_rows ? at / kRows : at % kDepth;
  }
  __device__ __forceinline__ void RightAt(int i, int* column, int* p) const {
    const int at = static_cast<int>(threadIdx.x) + i * kThreads;
    *column = problem.right_by_depth ? at / kDepth : at % kColumns;
    *p = problem.right_by_depth ? at % kDepth : at / kColumns;
  }
  __device__ __forceinline__ void Load(const ConvRow* rows, std::int32_t first_p, std::int32_t first_column,
                                       std::int32_t group, Sum* left, Sum* right) const {
    int at, p;
#pragma unroll
    for (int i = 0; i < kLeft; ++i) {
      LeftAt(i, &at, &p);
      p += first_p;
      left[i] = p < problem.depth ? problem.Left(rows[at], p, group) : Sum(0);
    }
#pragma unroll
    for (int i = 0; i < kRight; ++i) {
      RightAt(i, &at, &p);
      p += first_p;
      at += first_column;
      right[i] = p < problem.depth && at < problem.columns ? problem.Right(p, at, group) : Sum(0);
    }
  }
};

template <class Tiling>
__global__ void __launch_bounds__(Tiling::kThreads) ConvKernel(const __grid_constant__ Tiling tiling) {
  using Sum = typename Tiling::Sum;
  constexpr int kDepth = Tiling::kDepth, kLeftRow = Tiling::kLeftRow, kColumns = Tiling::kColumns;
  constexpr int kRows = Tiling::kRows, kRowsEach = Tiling::kRowsEach, kColumnsEach = Tiling::kColumnsEach;
  __shared__ Sum left_tile[kDepth * kLeftRow];
  __shared__ Sum right_tile[kDepth * kColumns];
  __shared__ ConvRow rows[kRows];
  const auto& problem = tiling.problem;
  const int down = static_cast<int>(threadIdx.x) / Tiling::kAcross * kRowsEach,
            across = static_cast<int>(threadIdx.x) % Tiling::kAcross * kColumnsEach;
  for (Index tile = blockIdx.x; tile < tiling.tiles; tile += gridDim.x) {
    const auto group = static_cast<std::int32_t>(tile / tiling.group_tiles);
    const Index in_group = tile % tiling.group_tiles, first_row = in_group / tiling.tiles_across * kRows;
    const auto first_column = static_cast<std::int32_t>(in_group % tiling.tiles_across * kColumns);
    for (int i = static_cast<int>(threadIdx.x); i < kRows; i += Tiling::kThreads)
      rows[i] = first_row + i < problem.rows ? problem.Locate(first_row + i) : problem.LocateNone();
    __syncthreads();
    Sum left[Tiling::kLeft], right[Tiling::kRight], sums[kRowsEach][kColumnsEach];
#pragma unroll
    for (int i = 0; i < kRowsEach; ++i)
#pragma unroll
      for (int j = 0; j < kColumnsEach; ++j) sums[i][j] = Sum(0);
    tiling.Load(rows, 0, first_column, group, left, right);
    for (std::int32_t p = 0; p < problem.depth; p += kDepth) {
      int at, in_tile;
#pragma unroll
      for (int i = 0; i < Tiling::kLeft; ++i) {
        tiling.LeftAt(i, &at, &in_tile);
        left_tile[in_tile * kLeftRow + at] = left[i];
      }
#pragma unroll
      for (int i = 0; i < Tiling::kRight; ++i) {
        tiling.RightAt(i, &at, &in_tile);
        right_tile[in_tile * kColumns + at] = right[i];
      }
      __syncthreads();
      if (p + kDepth < problem.depth)  // the loads of the next tile run while this one is multiplied
        tiling.Load(rows, p + kDepth, first_column, group, left, right);
#pragma unroll
      for (int q = 0; q < kDepth; ++q) {
        Sum a[kRowsEach], b[kColumnsEach];
#pragma unroll
        for (int i = 0; i < kRowsEach; ++i) a[i] = left_tile[q * kLeftRow + down + i];
#pragma unroll
        for (int j = 0; j < kColumnsEach; ++j) b[j] = right_tile[q * kColumns + across + j];
#pragma unroll
        for (int i = 0; i < kRowsEach; ++i)
#pragma unroll
          for (int j = 0; j < kColumnsEach; ++j) sums[i][j] += a[i] * b[j];
      }
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < kRowsEach; ++i) {
      if (first_row + down + i >= problem.rows) break;
#pragma unroll
      for (int j = 0; j < kColumnsEach; ++j) {
        const std::int32_t column = first_column + across + j;
        if (column >= problem.columns) continue;
        typename Tiling::T* const to = problem.Result(rows[down + i], column, group);
        const auto value = static_cast<typename Tiling::T>(sums[i][j]);
        if constexpr (requires { problem.Finish(value, column, group, to); })
          *to = problem.Finish(value, column, group, to);
        else
          *to = value;
      }
    }
    if constexpr (requires(typename Tiling::T* at) { problem.Change(at); }) {
#pragma unroll 1
      for (int e = 0; e < kRowsEach * kColumnsEach; ++e) {  // its code is long, and there once
        const int row = down + e / kColumnsEach;
        const std::int32_t column = first_column + across + e % kColumnsEach;
        if (first_row + row < problem.rows && column < problem.columns)
          problem.Change(problem.Result(rows[row], column, group));
      }
    }
    __syncthreads();  // `rows` are read until here
  }
}

template <class Tiling, class Problem>
Status LaunchConvTiles(Cuda& device, const Problem& problem) {
  const Tiling tiling(problem);
  constexpr Index kMostBlocks = 0x7fffffff;
  const Index blocks = tiling.tiles < kMostBlocks ? tiling.tiles : kMostBlocks;
  return LaunchCuda(device, {static_cast<unsigned>(blocks), Tiling::kThreads}, &ConvKernel<Tiling>, tiling);
}

template <class Problem>
using SmallConvTiling = ConvTiling<Problem, 32, 32, 4, 4>;

// Large tiles read less for each product; small ones where large ones would leave multiprocessors without work.
template <class Problem>
Status RunConvProblem(Cuda& device, const Problem& problem) {
  using Large = ConvTiling<Problem, 128, 64, 8, 4>;
  if (problem.columns > 32 && Large(problem).tiles >= 2 * static_cast<Index>(device.multiprocessors))
    return LaunchConvTiles<Large>(device, problem);
  return LaunchConvTiles<SmallConvTiling<Problem>>(device, problem);
}

// Rows: output pixels. Columns: channels of the output. Depth: elements of a window, channels running fastest.
template <class Element>
struct ConvForward {
  using T = Element;
  using Sum = ConvAccumulator<T>;
  const T* input;
  const T* filter;
  T* output;
  EpilogueSteps<T> steps;
  CudaWindow window_rows, window_columns;
  ImageSteps in, out;
  FastDivisor by_depth, by_columns;  // divide positions of a window
  Index rows, out_depth;
  std::int32_t columns, depth, groups;
  bool left_by_rows;
  static constexpr bool right_by_depth = false;

  ConvForward(const Conv2DGeometry& g, const T* x, const T* f, T* y, const EpilogueSteps<T>& epilogue)
      : input(x),
        filter(f),
        output(y),
        steps(epilogue),
        window_rows(g.rows),
        window_columns(g.columns),
        in(g.rows.input, g.columns.input, g.in_depth, g.channels_first),
        out(g.rows.output, g.columns.output, g.out_depth, g.channels_first),
        by_depth(static_cast<std::uint32_t>(g.group_depth() > 0 ? g.group_depth() : 1)),
        by_columns(static_cast<std::uint32_t>(g.columns.size > 0 ? g.columns.size : 1)),
        rows(g.batch * g.rows.output * g.columns.output),
        out_depth(g.out_depth),
        columns(static_cast<std::int32_t>(g.out_depth / g.groups)),
        depth(static_cast<std::int32_t>(g.rows.size * g.columns.size * g.group_depth())),
        groups(static_cast<std::int32_t>(g.groups)),
        left_by_rows(g.channels_first) {}

  __device__ __forceinline__ ConvRow Locate(Index pixel) const {
    const Index x = pixel % window_columns.output, y = pixel / window_columns.output % window_rows.output,
                n = pixel / window_columns.output / window_rows.output;
    return {window_rows.First(static_cast<std::int32_t>(y)), window_columns.First(static_cast<std::int32_t>(x)),
            n * in.image, out.At(n, y, x, 0)};
  }
  __device__ __forceinline__ ConvRow LocateNone() const { return {INT32_MIN, 0, 0, 0}; }
  __device__ __forceinline__ Sum Left(const ConvRow& row, std::int32_t p, std::int32_t group) const {
    const std::uint32_t tap = by_depth.Divide(static_cast<std::uint32_t>(p)), r = by_columns.Divide(tap);
    const std::uint32_t channel = static_cast<std::uint32_t>(p) - tap * by_depth.divisor,
                        c = tap - r * by_columns.divisor;
    const std::int32_t y = row.y + static_cast<std::int32_t>(r) * window_rows.dilation,
                       x = row.x + static_cast<std::int32_t>(c) * window_columns.dilation;
    if (y < 0 || y >= window_rows.input || x < 0 || x >= window_columns.input) return Sum(0);
    const Index in_depth = static_cast<Index>(group) * by_depth.divisor + channel;
    return static_cast<Sum>(input[row.from + in.At(0, y, x, in_depth)]);
  }
  __device__ __forceinline__ Sum Right(std::int32_t p, std::int32_t column, std::int32_t group) const {
    return static_cast<Sum>(filter[p * out_depth + static_cast<Index>(group) * columns + column]);
  }
  __device__ __forceinline__ T* Result(const ConvRow& row, std::int32_t column, std::int32_t group) const {
    return output + row.to + (static_cast<Index>(group) * columns + column) * out.channel;
  }
  __device__ __forceinline__ T Finish(T value, std::int32_t column, std::int32_t group, const T* to) const {
    return steps(value, static_cast<Index>(group) * columns + column, to - output);
  }
};

// Unimplemented: a size of the product of one group is too large for a problem.
inline Status CheckConvProblem(std::string_view who, Index columns, Index depth) {
  constexpr Index kMost = Index{1} << 30;
  if (columns >= 0 && columns <= kMost && depth >= 0 && depth <= kMost) return OkStatus();
  return errors::Unimplemented(who, ": on a GPU, channels and elements of a window must be at most 2^30, got ", columns,
                               " and ", depth);
}

}  // namespace detail

// Overwrites `output`, whose shape is geometry.output_shape(): NHWC, or NCHW where the geometry says so. T is float,
// double, half, bfloat16 (these two are summed as float and rounded once) or an integer type (which wraps). Takes the
// device's epilogue. Returns when it is queued.
template <class T>
Status Conv2D(Cuda& cuda, const Conv2DGeometry& g, const T* input, const T* filter, T* output,
              const PackedWeights* = nullptr) {
  const Index places = g.rows.output * g.columns.output, k = g.in_depth, n = g.out_depth;
  if (g.batch == 0 || places == 0 || n == 0) return OkStatus();
  Cuda device = cuda;
  if (g.channels_first) device.epilogue = nullptr;
  constexpr Index kMostImages = 16;  // as many products are still faster than one kernel of our own
  if constexpr (CublasElement<T>) {
    if (k > 0 && detail::IsMatrixProduct(g) && (!g.channels_first || g.batch <= kMostImages)) {
      const Index filter_dims[] = {k, n};
      if (!g.channels_first) {
        const Index in_dims[] = {g.batch * places, k}, out_dims[] = {g.batch * places, n};
        return Gemm(device, In<T, 2>(input, in_dims), false, In<T, 2>(filter, filter_dims), false,
                    Out<T, 2>(output, out_dims));
      }
      const Index in_dims[] = {k, places}, out_dims[] = {n, places};
      for (Index i = 0; i < g.batch; ++i)
        TENON_RETURN_IF_ERROR(Gemm(device, In<T, 2>(filter, filter_dims), true,
                                   In<T, 2>(input + i * k * places, in_dims), false,
                                   Out<T, 2>(output + i * n * places, out_dims)));
      return OkStatus();
    }
  }
  TENON_RETURN_IF_ERROR(detail::CheckCudaWindow("Conv2D", g.rows));
  TENON_RETURN_IF_ERROR(detail::CheckCudaWindow("Conv2D", g.columns));
  TENON_RETURN_IF_ERROR(detail::CheckConvProblem(
      "Conv2D", n, MultiplyWithoutOverflow(MultiplyWithoutOverflow(g.rows.size, g.columns.size), g.group_depth())));
  return detail::RunConvProblem(device,
                                detail::ConvForward<T>(g, input, filter, output, detail::EpilogueSteps<T>(device)));
}

TENON_DETAIL_NAMESPACE_END
