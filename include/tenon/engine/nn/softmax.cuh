// SPDX-License-Identifier: Apache-2.0
#pragma once
// Softmax and its logarithm, of rows, on a GPU. A thread, a warp or a block works on a row: it reads the row once for
// the largest element and the sum together, and once more to write the result.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/nn/softmax.cuh> only from files that nvcc compiles."
#endif

#include <cmath>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/elementwise/elementwise.cuh>
#include <tenon/engine/reduce/fold.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// The largest of some elements, and the sum of exp(element - largest). A largest of -infinity: nothing was added.
template <class A>
struct ExpSum {
  A largest, sum;

  static constexpr A kNothing = -std::numeric_limits<A>::infinity();
  TENON_HD static constexpr ExpSum None() { return {kNothing, A(0)}; }
  TENON_HD void Add(A x) {
    if (x > largest || x != x) {
      sum *= std::exp(largest - x);
      largest = x;
    }
    if (x == kNothing) return;
    sum += std::exp(x - largest);
  }
};
struct JoinExpSums {
  template <class A>
  TENON_HD static ExpSum<A> Combine(const ExpSum<A>& a, const ExpSum<A>& b) {
    const A largest = a.largest > b.largest || a.largest != a.largest ? a.largest : b.largest;
    return {largest, Scaled(a, largest) + Scaled(b, largest)};
  }

 private:
  template <class A>
  TENON_HD static A Scaled(const ExpSum<A>& of, A largest) {
    return of.largest == largest ? of.sum : of.sum * std::exp(of.largest - largest);
  }
};

// The type that half and bfloat16 are computed in.
template <class T>
using RowNumber = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T, bool kLog>
struct SoftmaxRows {
  using A = RowNumber<T>;
  static constexpr int kPack = kPackSize<T, T>;

  const T* x;
  T* out;
  Index rows, columns;
  unsigned group;
  bool packed;  // rows are whole packs

  __device__ static T Result(T value, A shift, A by) {
    const A z = static_cast<A>(value) - shift;
    if constexpr (kLog)
      return static_cast<T>(z - by);
    else
      return static_cast<T>(std::exp(z) * by);
  }
  __device__ void RunRow(const T* from, T* to, unsigned lane, ExpSum<A>* shared) const {
    using P = Pack<T, kPack>;
    const P* const packs = reinterpret_cast<const P*>(from);
    const Index count = packed ? columns / kPack : columns;
    ExpSum<A> row = ExpSum<A>::None();
    for (Index i = lane; i < count; i += group) {
      if (packed) {
        const P pack = packs[i];
#pragma unroll
        for (int k = 0; k < kPack; ++k) row.Add(static_cast<A>(pack.values[k]));
      } else {
        row.Add(static_cast<A>(from[i]));
      }
    }
    row = FoldGroup<JoinExpSums>(row, ExpSum<A>::None(), group, shared);
    const A by = kLog ? std::log(row.sum) : A(1) / row.sum;
    for (Index i = lane; i < count; i += group) {
      if (packed) {
        P pack = packs[i];
#pragma unroll
        for (int k = 0; k < kPack; ++k) pack.values[k] = Result(pack.values[k], row.largest, by);
        reinterpret_cast<P*>(to)[i] = pack;
      } else {
        to[i] = Result(from[i], row.largest, by);
      }
    }
  }
};

template <class T, bool kLog>
__global__ void SoftmaxKernel(const __grid_constant__ SoftmaxRows<T, kLog> work) {
  __shared__ SharedArray<ExpSum<RowNumber<T>>, 32> shared;
  const unsigned per_block = blockDim.x / work.group;
  for (Index r = static_cast<Index>(blockIdx.x) * per_block + threadIdx.x / work.group; r < work.rows;
       r += static_cast<Index>(gridDim.x) * per_block)
    work.RunRow(work.x + r * work.columns, work.out + r * work.columns, threadIdx.x % work.group, shared.data());
}

template <class T, bool kLog>
Status LaunchSoftmax(Cuda& device, const T* x, T* out, Index rows, Index columns) {
  if (rows == 0 || columns == 0) return OkStatus();
  using Work = SoftmaxRows<T, kLog>;
  const bool packed = columns % Work::kPack == 0 && IsPackAligned<Work::kPack>(x) && IsPackAligned<Work::kPack>(out);
  const RowGrid plan(device, rows, packed ? columns / Work::kPack : columns);
  return LaunchCuda(device, plan.grid, &SoftmaxKernel<T, kLog>, Work{x, out, rows, columns, plan.group, packed});
}

}  // namespace detail

// out[r, :] = exp(x[r, :]) / sum(exp(x[r, :])) without overflow; x and out are [rows, columns]. `out` may be `x`.
// Returns when it is queued.
template <class T>
Status Softmax(Cuda& device, const T* x, T* out, Index rows, Index columns) {
  return detail::LaunchSoftmax<T, false>(device, x, out, rows, columns);
}
// out[r, :] = the logarithms of Softmax's out[r, :]. Returns when it is queued.
template <class T>
Status LogSoftmax(Cuda& device, const T* x, T* out, Index rows, Index columns) {
  return detail::LaunchSoftmax<T, true>(device, x, out, rows, columns);
}

TENON_DETAIL_NAMESPACE_END
