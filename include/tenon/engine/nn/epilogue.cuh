// SPDX-License-Identifier: Apache-2.0
#pragma once
// The steps after a fused convolution on a GPU, in place.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/nn/epilogue.cuh> only from files that nvcc compiles."
#endif

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/result_epilogue.cuh>
#include <tenon/engine/nn/epilogue.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

template <class C>
struct NormFactorsBody {
  const C* scale;
  const C* variance;
  C epsilon;
  C* factors;

  __device__ __forceinline__ void operator()(Index c) const {
    factors[c] = scale[c] / std::sqrt(variance[c] + epsilon);
  }
};

template <class C>
struct FinishFusedBody {
  FusedOutput<C> f;
  Index channels;
  C* x;

  __device__ __forceinline__ void operator()(Index i) const {
    const Index c = i % channels;
    const C value = f.mean == nullptr ? x[i] + f.offset[c] : (x[i] - f.mean[c]) * f.factor[c] + f.offset[c];
    x[i] = FusedActivate(f.activation, f.leaky_alpha, value);
  }
};

}  // namespace detail

// Whether kernels can apply these steps to their results themselves; *epilogue says so to them then.
template <class C>
bool IsEpilogue(const FusedOutput<C>& f, CudaEpilogue* epilogue) {
  if (f.mean != nullptr || f.activation > FusedActivation::kRelu6) return false;
  epilogue->offset = f.offset;
  if (f.activation != FusedActivation::kNone) epilogue->low = 0;
  if (f.activation == FusedActivation::kRelu6) epilogue->high = 6;
  return true;
}

// As the CPU's. Both return when they are queued.
template <class C>
Status NormFactors(Cuda& device, const C* scale, const C* variance, C epsilon, Index channels, C* factors) {
  return ForEach(device, channels, detail::NormFactorsBody<C>{scale, variance, epsilon, factors});
}
template <class C>
Status FinishFused(Cuda& device, const FusedOutput<C>& f, Index rows, Index channels, C* x) {
  return ForEach(device, rows * channels, detail::FinishFusedBody<C>{f, channels, x});
}

TENON_DETAIL_NAMESPACE_END
