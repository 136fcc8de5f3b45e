// SPDX-License-Identifier: Apache-2.0
#pragma once
// MultiplyWithSteps: a small product on a GPU whose kernel runs element-wise steps on its result, such as GELU, for
// which cuBLASLt has no epilogue.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/nn/product_steps.cuh> only from files that nvcc compiles."
#endif

#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/conv/conv.cuh>
#include <tenon/engine/elementwise/steps.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

// Multiplications up to which a kernel saved is worth more than what cuBLAS is faster.
inline constexpr Index kMostProductWithSteps = Index{1} << 24;

namespace detail {

// A problem of ConvKernel. Value 0 of the steps is the product, which lies where the result will.
template <class Element, class Unary, class Binary>
struct ProductWithSteps {
  using T = Element;
  using Sum = Element;
  const T* left;
  const T* right;
  T* output;
  Index rows, left_row, left_column, right_row, right_column;  // strides in elements
  std::int32_t columns, depth, groups;
  bool left_by_rows, right_by_depth;
  StepsWork<T, Unary, Binary> steps;

  __device__ __forceinline__ ConvRow Locate(Index row) const { return {0, 0, row * left_row, row * columns}; }
  __device__ __forceinline__ ConvRow LocateNone() const { return {-1, 0, 0, 0}; }
  __device__ __forceinline__ T Left(const ConvRow& row, std::int32_t p, std::int32_t) const {
    return row.y < 0 ? T(0) : left[row.from + p * left_column];
  }
  __device__ __forceinline__ T Right(std::int32_t p, std::int32_t column, std::int32_t) const {
    return right[p * right_row + column * right_column];
  }
  __device__ __forceinline__ T* Result(const ConvRow& row, std::int32_t column, std::int32_t) const {
    return output + row.to + column;
  }
  __device__ __forceinline__ void Change(T* at) const {
    __shared__ T results[kMostCudaSteps * kCudaStepThreads];
    steps.Run(at - output, results + threadIdx.x);
  }
};

}  // namespace detail

// out = the last step of a * b and further inputs; an operand is read as its transpose where told so. Input 0 stands
// for the product and has the shape of `out`. Sets *done unless the product is large or its shapes do not fit. Errors
// as of RunSteps. Returns when it is queued.
template <class T, class Unary, class Binary>
Status MultiplyWithSteps(Cuda& device, Unary, Binary, In<T, 2> a, bool transpose_a, In<T, 2> b, bool transpose_b,
                         Span<const ElementwiseStep> steps, Span<StepInput> inputs, T* out, bool* done) {
  using Problem = detail::ProductWithSteps<T, Unary, Binary>;
  using Tiling = detail::SmallConvTiling<Problem>;
  static_assert(Tiling::kThreads == detail::kCudaStepThreads);
  const Index m = a.dim(transpose_a ? 1 : 0), k = a.dim(transpose_a ? 0 : 1), n = b.dim(transpose_b ? 0 : 1);
  const TensorShape& shape = *inputs[0].shape;
  const Index work = MultiplyWithoutOverflow(shape.num_elements(), k > 0 ? k : 1);
  *done = k == b.dim(transpose_b ? 1 : 0) && shape == TensorShape{m, n} && work > 0 && work <= kMostProductWithSteps;
  if (!*done) return OkStatus();
  inputs[0].data = out;
  Problem problem{a.data,
                  b.data,
                  out,
                  m,
                  transpose_a ? 1 : k,
                  transpose_a ? m : 1,
                  transpose_b ? 1 : n,
                  transpose_b ? k : 1,
                  static_cast<std::int32_t>(n),
                  static_cast<std::int32_t>(k),
                  1,
                  transpose_a,
                  transpose_b,
                  {}};
  TENON_RETURN_IF_ERROR(detail::MakeStepsWork(steps, {inputs.data(), inputs.size()}, out, shape, &problem.steps));
  return detail::LaunchConvTiles<Tiling>(device, problem);
}

TENON_DETAIL_NAMESPACE_END
