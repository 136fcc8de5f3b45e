// SPDX-License-Identifier: Apache-2.0
#pragma once
// Half the sum of a tensor's squares on a GPU, added up in double.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/reduce/sum_of_squares.cuh> only from files that nvcc compiles."
#endif

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/reduce/reduce.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

struct HalfSquares : SumReducer {
  template <class T>
  static constexpr double Accumulator() {
    return 0;
  }
  template <class A, class T>
  TENON_HD static A Term(const T& x) {
    const double wide = static_cast<double>(x);
    return wide * wide;
  }
  template <class T, class A>
  TENON_HD static T Finish(const A& sum) {
    return static_cast<T>(sum / 2);
  }
};

}  // namespace detail

// *out = the sum of x[i]^2, halved and rounded once. Returns when it is queued.
template <class T>
Status HalfSumOfSquares(Cuda& device, const T* x, Index n, T* out) {
  AxisSet axes;
  axes.Add(0);
  return detail::RunCudaReduction<detail::HalfSquares, T, T>(device, detail::ReducePlan(TensorShape{n}, axes), x, out);
}

TENON_DETAIL_NAMESPACE_END
