// SPDX-License-Identifier: Apache-2.0
#pragma once
// LayerNorm on a GPU: a thread, a warp or a block works on a row, in three passes over it.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/nn/layer_norm.cuh> only from files that nvcc compiles."
#endif

#include <cmath>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/reduce/fold.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

struct AddTwo {
  template <class A>
  TENON_HD static A Combine(const A& a, const A& b) {
    return a + b;
  }
};

template <class T>
struct LayerNormRows {
  using A = std::conditional_t<std::is_same_v<T, double>, double, float>;

  const T* x;
  const A* scale;
  const A* shift;
  A epsilon;
  T* out;
  Index rows, columns;
  unsigned group;

  __device__ void RunRow(const T* from, T* to, unsigned lane, A* shared) const {
    A sum = 0, squares = 0;
    for (Index i = lane; i < columns; i += group) sum += static_cast<A>(from[i]);
    const A mean = FoldGroup<AddTwo>(sum, A(0), group, shared) / static_cast<A>(columns);
    for (Index i = lane; i < columns; i += group) {
      const A difference = static_cast<A>(from[i]) - mean;
      squares += difference * difference;
    }
    const A variance = FoldGroup<AddTwo>(squares, A(0), group, shared) / static_cast<A>(columns);
    const A factor = A(1) / std::sqrt(variance + epsilon);
    for (Index i = lane; i < columns; i += group) {
      const A y = (static_cast<A>(from[i]) - mean) * factor;
      to[i] = static_cast<T>((scale == nullptr ? y : y * scale[i]) + (shift == nullptr ? A(0) : shift[i]));
    }
  }
};

template <class T>
__global__ void LayerNormKernel(const __grid_constant__ LayerNormRows<T> work) {
  __shared__ typename LayerNormRows<T>::A shared[kWarp];
  const unsigned per_block = blockDim.x / work.group;
  for (Index r = static_cast<Index>(blockIdx.x) * per_block + threadIdx.x / work.group; r < work.rows;
       r += static_cast<Index>(gridDim.x) * per_block)
    work.RunRow(work.x + r * work.columns, work.out + r * work.columns, threadIdx.x % work.group, shared);
}

}  // namespace detail

// As the CPU's. Returns when it is queued.
template <class T>
Status LayerNorm(Cuda& device, const T* x, const typename detail::LayerNormRows<T>::A* scale,
                 const typename detail::LayerNormRows<T>::A* shift, typename detail::LayerNormRows<T>::A epsilon,
                 T* out, Index rows, Index columns) {
  if (rows == 0 || columns == 0) return OkStatus();
  const detail::RowGrid plan(device, rows, columns);
  return LaunchCuda(device, plan.grid, &detail::LayerNormKernel<T>,
                    detail::LayerNormRows<T>{x, scale, shift, epsilon, out, rows, columns, plan.group});
}

TENON_DETAIL_NAMESPACE_END
