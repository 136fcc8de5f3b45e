// SPDX-License-Identifier: Apache-2.0
#pragma once
// Local response normalisation on a GPU, and its gradient, which gathers: a thread an element.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/nn/local_response_norm.cuh> only from files that nvcc compiles."
#endif

#include <cmath>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/nn/local_response_norm.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

template <class T>
__device__ __forceinline__ float CudaLrnNorm(const LrnParameters& p, const T* x, Index depth, Index c) {
  const Index first = c < p.radius ? 0 : c - p.radius, last = p.radius >= depth - c ? depth - 1 : c + p.radius;
  float sum = 0;
  for (Index i = first; i <= last; ++i) sum += static_cast<float>(x[i]) * static_cast<float>(x[i]);
  return p.bias + p.alpha * sum;
}

template <class T>
struct CudaLrnBody {
  LrnParameters p;
  const T* x;
  Index depth;
  T* y;

  __device__ __forceinline__ void operator()(Index i) const {
    const Index c = i % depth;
    y[i] = static_cast<T>(static_cast<float>(x[i]) * powf(CudaLrnNorm(p, x + (i - c), depth, c), -p.beta));
  }
};

template <class T>
struct CudaLrnGradBody {
  LrnParameters p;
  const T* dy;
  const T* x;
  const T* y;
  Index depth;
  T* dx;

  __device__ __forceinline__ void operator()(Index i) const {
    const Index k = i % depth, row = i - k;
    const Index first = k < p.radius ? 0 : k - p.radius, last = p.radius >= depth - k ? depth - 1 : k + p.radius;
    float sum = 0;
    for (Index j = first; j <= last; ++j) {
      const float norm = CudaLrnNorm(p, x + row, depth, j);
      float slope = -2.0f * p.alpha * p.beta * static_cast<float>(x[i]) * static_cast<float>(y[row + j]) / norm;
      if (k == j) slope += powf(norm, -p.beta);
      sum += slope * static_cast<float>(dy[row + j]);
    }
    dx[i] = static_cast<T>(sum);
  }
};

}  // namespace detail

// As the CPU's; half is computed as float. Returns when it is queued.
template <class T>
Status Lrn(Cuda& device, const LrnParameters& p, const T* x, Index rows, Index depth, T* y) {
  return ForEach(device, rows * depth, detail::CudaLrnBody<T>{p, x, depth, y});
}
template <class T>
Status LrnGrad(Cuda& device, const LrnParameters& p, const T* dy, const T* x, const T* y, Index rows, Index depth,
               T* dx) {
  return ForEach(device, rows * depth, detail::CudaLrnGradBody<T>{p, dy, x, y, depth, dx});
}

TENON_DETAIL_NAMESPACE_END
