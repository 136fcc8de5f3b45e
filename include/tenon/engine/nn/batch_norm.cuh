// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batch normalisation on a GPU, of half, bfloat16 and float images: the moments of a batch in one pass over it, and the
// images normalised in packs.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/nn/batch_norm.cuh> only from files that nvcc compiles."
#endif

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/elementwise/elementwise.cuh>
#include <tenon/engine/nn/batch_norm.hpp>
#include <tenon/engine/reduce/reduce.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// How many numbers, their mean, and the sum of their squared distances from it.
struct alignas(16) NormMoments {
  float count, mean, squares;
};
struct NormMomentsStep {
  template <class A>
  TENON_HD static A Identity() {
    return {0, 0, 0};
  }
  TENON_HD static NormMoments Combine(const NormMoments& a, const NormMoments& b) {
    const float count = a.count + b.count;
    if (b.count == 0) return a;
    if (a.count == 0) return b;
    const float distance = b.mean - a.mean, share = b.count / count;
    return {count, a.mean + distance * share, a.squares + b.squares + distance * distance * a.count * share};
  }
};
struct NormMomentsReducer {
  using Step = NormMomentsStep;
  static constexpr bool is_mean = false;
  template <class T>
  static constexpr NormMoments Accumulator() {
    return {};
  }
  template <class A, class T>
  TENON_HD static A Term(const T& x) {
    return {1, static_cast<float>(x), 0};
  }
  template <class T, class A>
  TENON_HD static T Finish(const A& sum) {
    return sum;
  }
};

// The four moments that a normalisation gives, of one channel.
struct NormFinishBody {
  const NormMoments* batch;  // null: the moments are given
  const float* mean;
  const float* variance;
  float* out[4];
  float correction, factor;
  bool blends;

  TENON_HD void operator()(Index c) const {
    if (batch == nullptr) {
      out[0][c] = out[2][c] = mean[c];
      out[1][c] = out[3][c] = variance[c];
      return;
    }
    const float own_mean = batch[c].mean, own_variance = batch[c].squares / batch[c].count;
    const float corrected = own_variance * correction, kept = 1.0f - factor;
    out[0][c] = blends ? kept * mean[c] + factor * own_mean : own_mean;
    out[1][c] = blends ? kept * variance[c] + factor * corrected : corrected;
    out[2][c] = own_mean;
    out[3][c] = own_variance;
  }
};
struct NormFillBody {
  float* out[4];
  float value;

  TENON_HD void operator()(Index c) const {
    for (float* to : out) to[c] = value;
  }
};

template <class T>
struct NormApplyWork {
  static constexpr int kPack = kPackSize<T, T>;
  const T* x;
  T* y;
  const float* scale;
  const float* offset;
  const float* mean;
  const float* variance;
  float epsilon;
  Index n, channels, inner;
  bool packed;

  __device__ Index ChannelOf(Index i) const {
    const Index run = inner == 1 ? i : i / inner;
    return run - run / channels * channels;
  }
  __device__ float Factor(Index c) const { return 1.0f / sqrtf(variance[c] + epsilon) * scale[c]; }
};

template <class T>
__global__ void NormApplyKernel(const __grid_constant__ NormApplyWork<T> work) {
  using Work = NormApplyWork<T>;
  using P = Pack<T, Work::kPack>;
  const Index step = static_cast<Index>(gridDim.x) * blockDim.x;
  const Index first = static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (!work.packed) {
    for (Index i = first; i < work.n; i += step) {
      const Index c = work.ChannelOf(i);
      work.y[i] = static_cast<T>((static_cast<float>(work.x[i]) - work.mean[c]) * work.Factor(c) + work.offset[c]);
    }
    return;
  }
  for (Index p = first; p < work.n / Work::kPack; p += step) {
    P pack = reinterpret_cast<const P*>(work.x)[p];
    const Index c = work.ChannelOf(p * Work::kPack);  // the whole pack's, or its first element's
    const bool one = work.inner > 1;
    const float factor = work.Factor(c), mean = work.mean[c], offset = work.offset[c];
#pragma unroll
    for (int k = 0; k < Work::kPack; ++k) {
      const float x = static_cast<float>(pack.values[k]);
      pack.values[k] = static_cast<T>(one ? (x - mean) * factor + offset
                                          : (x - work.mean[c + k]) * work.Factor(c + k) + work.offset[c + k]);
    }
    reinterpret_cast<P*>(work.y)[p] = pack;
  }
}

template <class T>
Status RunBatchNorm(Cuda& device, const BatchNormCall& call) {
  const ChannelLayout& l = call.layout;
  if (l.channels == 0) return OkStatus();
  if (l.elements() == 0) {
    NormFillBody fill{{}, std::numeric_limits<float>::quiet_NaN()};
    for (int i = 0; i < 4; ++i) fill.out[i] = call.moments[i];
    return ForEach(device, l.channels, fill);
  }
  NormFinishBody finish{nullptr, call.mean, call.variance, {}, 1, call.factor, call.blends};
  for (int i = 0; i < 4; ++i) finish.out[i] = call.moments[i];
  const Scratch batch(*device.allocator, call.training ? ScratchBytes<NormMoments>(l.channels) : 0);
  TENON_RETURN_IF_ERROR(batch.status("FusedBatchNorm"));
  if (call.training) {
    AxisSet axes;
    axes.Add(0);
    axes.Add(2);
    const ReducePlan plan(TensorShape{l.outer, l.channels, l.inner}, axes);
    TENON_RETURN_IF_ERROR(
        (RunCudaReduction<NormMomentsReducer, T, NormMoments>(device, plan, call.x, batch.As<NormMoments>())));
    const float count = static_cast<float>(l.per_channel());
    finish.batch = batch.As<NormMoments>();
    finish.correction = count > 1 ? count / (count - 1) : 1;
  }
  TENON_RETURN_IF_ERROR(ForEach(device, l.channels, finish));
  using Work = NormApplyWork<T>;
  Work work{static_cast<const T*>(call.x),
            static_cast<T*>(call.y),
            call.scale,
            call.offset,
            call.training ? call.moments[2] : call.mean,
            call.training ? call.moments[3] : call.variance,
            call.epsilon,
            l.elements(),
            l.channels,
            l.inner,
            false};
  work.packed = (l.inner == 1 ? l.channels : l.inner) % Work::kPack == 0 && IsPackAligned<Work::kPack>(work.x) &&
                IsPackAligned<Work::kPack>(work.y);
  return LaunchCuda(device, LinearGrid(device, work.packed ? work.n / Work::kPack : work.n), &NormApplyKernel<T>, work);
}

// Sums of the gradient of a channel, alone and times the distance of x from the mean.
struct NormGradSums {
  float dy, product;
};
struct NormGradStep {
  template <class A>
  TENON_HD static A Identity() {
    return {0, 0};
  }
  TENON_HD static NormGradSums Combine(const NormGradSums& a, const NormGradSums& b) {
    return {a.dy + b.dy, a.product + b.product};
  }
};
struct NormGradReducer {
  using Step = NormGradStep;
  static constexpr bool takes_pairs = true;
  static constexpr bool is_mean = false;
  template <class T>
  static constexpr NormGradSums Accumulator() {
    return {};
  }
  template <class A, class T>
  TENON_HD static A PairTerm(const T& dy, const T& x, float mean) {
    const float gradient = static_cast<float>(dy);
    return {gradient, gradient * (static_cast<float>(x) - mean)};
  }
  template <class T, class A>
  TENON_HD static T Finish(const A& sum) {
    return sum;
  }
};

// dscale and doffset of a channel, and the three numbers that its dx is made of, in place of the sums.
struct NormSlopes {
  float factor, shift, slope, mean;
};
struct NormGradFinishBody {
  const NormGradSums* sums;
  NormSlopes* slopes;
  const float* scale;
  const float* mean;
  const float* variance;
  float* dscale;
  float* doffset;
  float epsilon, count;
  bool training;

  TENON_HD void operator()(Index c) const {
    const float inverse = 1.0f / std::sqrt(variance[c] + epsilon);
    doffset[c] = sums[c].dy;
    dscale[c] = sums[c].product * inverse;
    slopes[c] = {scale[c] * inverse, training ? sums[c].dy / count : 0.0f,
                 training ? sums[c].product / count * inverse * inverse : 0.0f, mean[c]};
  }
};
template <class T>
struct NormGradApplyBody {
  const T* dy;
  const T* x;
  T* dx;
  const NormSlopes* slopes;
  Index channels, inner;

  TENON_HD void operator()(Index i) const {
    const Index run = inner == 1 ? i : i / inner;
    const NormSlopes s = slopes[run - run / channels * channels];
    const float distance = s.slope == 0 ? 0 : (static_cast<float>(x[i]) - s.mean) * s.slope;
    dx[i] = static_cast<T>(s.factor * (static_cast<float>(dy[i]) - s.shift - distance));
  }
};
struct NormClearBody {
  float* dscale;
  float* doffset;
  TENON_HD void operator()(Index c) const { dscale[c] = doffset[c] = 0; }
};

template <class T>
Status RunBatchNormGrad(Cuda& device, const BatchNormGradCall& call) {
  const ChannelLayout& l = call.layout;
  if (l.elements() == 0) return ForEach(device, l.channels, NormClearBody{call.dscale, call.doffset});
  const T* const dy = static_cast<const T*>(call.dy);
  const T* const x = static_cast<const T*>(call.x);
  const std::size_t sum_bytes = ScratchBytes<NormGradSums>(l.channels);
  const Scratch scratch(*device.allocator, sum_bytes + ScratchBytes<NormSlopes>(l.channels));
  TENON_RETURN_IF_ERROR(scratch.status("FusedBatchNormGrad"));
  NormGradSums* const sums = scratch.As<NormGradSums>();
  NormSlopes* const slopes = scratch.As<NormSlopes>(sum_bytes);
  AxisSet axes;
  axes.Add(0);
  axes.Add(2);
  const ReducePlan plan(TensorShape{l.outer, l.channels, l.inner}, axes);
  TENON_RETURN_IF_ERROR((RunCudaReduction<NormGradReducer, T, NormGradSums>(device, plan, dy, sums, x, call.mean)));
  TENON_RETURN_IF_ERROR(
      ForEach(device, l.channels,
              NormGradFinishBody{sums, slopes, call.scale, call.mean, call.variance, call.dscale, call.doffset,
                                 call.epsilon, static_cast<float>(l.per_channel()), call.training}));
  return ForEach(device, l.elements(),
                 NormGradApplyBody<T>{dy, x, static_cast<T*>(call.dx), slopes, l.channels, l.inner});
}

}  // namespace detail

// A whole FusedBatchNorm on a GPU. Returns when it is queued.
template <std::same_as<Cuda> Device>
Status NormalizeBatch(Device& device, const BatchNormCall& call) {
  switch (call.type) {
    case DataType::kHalf: return detail::RunBatchNorm<half>(device, call);
    case DataType::kBfloat16: return detail::RunBatchNorm<bfloat16>(device, call);
    default: return detail::RunBatchNorm<float>(device, call);
  }
}

// Its gradient on a GPU. Returns when it is queued.
template <std::same_as<Cuda> Device>
Status NormalizeBatchGrad(Device& device, const BatchNormGradCall& call) {
  switch (call.type) {
    case DataType::kHalf: return detail::RunBatchNormGrad<half>(device, call);
    case DataType::kBfloat16: return detail::RunBatchNormGrad<bfloat16>(device, call);
    default: return detail::RunBatchNormGrad<float>(device, call);
  }
}

TENON_DETAIL_NAMESPACE_END
