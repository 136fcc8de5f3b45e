// SPDX-License-Identifier: Apache-2.0
#pragma once
// AvgPool and its gradient on a GPU: a thread an element, or a pack of channels. The gradient gathers: an element of
// the input adds up the windows that see it, always in one order.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/conv/avg_pool.cuh> only from files that nvcc compiles."
#endif

#include <cstdint>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/conv/avg_pool.hpp>
#include <tenon/engine/conv/images.cuh>
#include <tenon/engine/conv/max_pool.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

template <class T, int kPack>
struct AvgPoolBody {
  CudaPool pool;
  const T* input;
  T* output;

  __device__ __forceinline__ void operator()(Index i) const {
    using Channels = Pack<T, kPack>;
    const ImagePlace at = pool.out_places.At(static_cast<std::uint32_t>(i));
    const std::int32_t top = pool.rows.Begin(at.row), bottom = pool.rows.End(at.row),
                       left = pool.columns.Begin(at.column), right = pool.columns.End(at.column);
    const T* const from = input + pool.in.At(at.image, 0, 0, static_cast<Index>(at.channel) * kPack);
    Channels sum;
#pragma unroll
    for (int j = 0; j < kPack; ++j) sum.values[j] = T(0);
    for (std::int32_t y = top; y < bottom; ++y) {
      for (std::int32_t x = left; x < right; ++x) {
        const Channels seen = *reinterpret_cast<const Channels*>(from + pool.in.At(0, y, x, 0));
#pragma unroll
        for (int j = 0; j < kPack; ++j) sum.values[j] += seen.values[j];
      }
    }
    const bool none = bottom <= top || right <= left;
    const T count = PoolCount<T>(none ? Index{0} : static_cast<Index>(bottom - top) * (right - left));
#pragma unroll
    for (int j = 0; j < kPack; ++j) sum.values[j] /= count;
    reinterpret_cast<Channels*>(output)[i] = sum;
  }
};

template <class T>
struct AvgPoolGradBody {
  CudaPool pool;
  Index batch;  // images that have a gradient
  const T* grad;
  T* output;

  __device__ __forceinline__ void operator()(Index i) const {
    using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const ImagePlace at = pool.in_places.At(static_cast<std::uint32_t>(i));
    T sum = T(0);
    if (at.image < batch) {
      const std::int32_t last_row = pool.rows.LastPlace(at.row), last_column = pool.columns.LastPlace(at.column);
      for (std::int32_t y = pool.rows.FirstPlace(at.row); y <= last_row; ++y) {
        const std::int32_t height = pool.rows.End(y) - pool.rows.Begin(y);
        for (std::int32_t x = pool.columns.FirstPlace(at.column); x <= last_column; ++x) {
          const std::int32_t width = pool.columns.End(x) - pool.columns.Begin(x);
          const T factor = static_cast<T>(C(1) / static_cast<C>(static_cast<Index>(height) * width));
          sum += grad[pool.out.At(at.image, y, x, at.channel)] * factor;
        }
      }
    }
    output[i] = sum;
  }
};

template <class T, int kPack>
Status RunAvgPool(Cuda& device, const PoolGeometry& g, const T* input, T* output) {
  const CudaPool pool(g, kPack);
  return ForPoolParts("AvgPool", g, pool, [&](Index first, Index images) {
    return ForEach(device, images * (pool.out.image / kPack),
                   AvgPoolBody<T, kPack>{pool, input + first * pool.in.image, output + first * pool.out.image});
  });
}

}  // namespace detail

// Overwrites `output`, whose shape is geometry.output_shape() (the depth window is 1), as the CPU's. Returns when it is
// queued.
template <class T>
Status AvgPool(Cuda& device, const PoolGeometry& g, const T* input, T* output) {
  if (g.output_shape().num_elements() == 0) return OkStatus();
  TENON_RETURN_IF_ERROR(detail::CheckCudaPool("AvgPool", g));
  if (detail::PoolsByPacks(g, input, output))
    return detail::RunAvgPool<T, detail::kPoolPack<T>>(device, g, input, output);
  return detail::RunAvgPool<T, 1>(device, g, input, output);
}

// As the CPU's.
template <class T>
Status AvgPoolGrad(Cuda& device, const PoolGeometry& g, const T* grad, T* output, Index without = 0) {
  TENON_RETURN_IF_ERROR(detail::CheckCudaPool("AvgPoolGrad", g));
  const detail::CudaPool pool(g, 1);
  PoolGeometry all = g;
  all.batch += without;
  return detail::ForPoolParts("AvgPoolGrad", all, pool, [&](Index first, Index images) {
    return ForEach(device, images * pool.in.image,
                   detail::AvgPoolGradBody<T>{pool, g.batch - first, grad + first * pool.out.image,
                                              output + first * pool.in.image});
  });
}

TENON_DETAIL_NAMESPACE_END
