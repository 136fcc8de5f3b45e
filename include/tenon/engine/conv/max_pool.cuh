// SPDX-License-Identifier: Apache-2.0
#pragma once
// MaxPool on a GPU, the places of the largest values, and its gradient: a thread an element, or a pack of channels. The
// gradient gathers: an element of the input adds up the windows that see it, always in one order.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/conv/max_pool.cuh> only from files that nvcc compiles."
#endif

#include <concepts>
#include <cstdint>
#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/conv/images.cuh>
#include <tenon/engine/conv/max_pool.hpp>
#include <tenon/engine/conv/max_pool_argmax.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Input, output and windows of a pool.
struct CudaPool {
  CudaWindow rows, columns;
  ImageSteps in, out;
  ImagePlaces in_places, out_places;  // where packs of `pack` channels lie

  CudaPool(const PoolGeometry& g, int pack)
      : rows(g.rows),
        columns(g.columns),
        in(g.rows.input, g.columns.input, g.depth, g.channels_first),
        out(g.rows.output, g.columns.output, g.depth / g.depth_window, g.channels_first),
        in_places(g.rows.input, g.columns.input, g.depth / pack, g.channels_first),
        out_places(g.rows.output, g.columns.output, g.depth / g.depth_window / pack, g.channels_first) {}
};
inline Status CheckCudaPool(std::string_view who, const PoolGeometry& g) {
  TENON_RETURN_IF_ERROR(CheckCudaWindow(who, g.rows));
  return CheckCudaWindow(who, g.columns);
}

// The channels that a thread takes at once.
template <class T>
inline constexpr int kPoolPack = static_cast<int>(16 / sizeof(T));
template <class T>
bool PoolsByPacks(const PoolGeometry& g, const T* input, const T* output) {
  return !g.channels_first && g.depth_window == 1 && g.depth % kPoolPack<T> == 0 &&
         IsPackAligned<kPoolPack<T>>(input) && IsPackAligned<kPoolPack<T>>(output);
}

// Calls run(first image, elements of the output) -> Status for parts of the batch.
template <class Run>
Status ForPoolParts(std::string_view who, const PoolGeometry& g, const CudaPool& pool, const Run& run) {
  const Index most = pool.in.image > pool.out.image ? pool.in.image : pool.out.image;
  return ForImageParts(who, g.batch, most, run);
}

template <class T, int kPack>
struct MaxPoolBody {
  CudaPool pool;
  T lowest;
  const T* input;
  T* output;

  __device__ __forceinline__ void operator()(Index i) const {
    using Channels = Pack<T, kPack>;
    const ImagePlace at = pool.out_places.At(static_cast<std::uint32_t>(i));
    const std::int32_t top = pool.rows.Begin(at.row), bottom = pool.rows.End(at.row),
                       left = pool.columns.Begin(at.column), right = pool.columns.End(at.column);
    const T* const from = input + pool.in.At(at.image, 0, 0, static_cast<Index>(at.channel) * kPack);
    Channels most;
#pragma unroll
    for (int j = 0; j < kPack; ++j) most.values[j] = lowest;
    for (std::int32_t y = top; y < bottom; ++y) {
      for (std::int32_t x = left; x < right; ++x) {
        const Channels seen = *reinterpret_cast<const Channels*>(from + pool.in.At(0, y, x, 0));
#pragma unroll
        for (int j = 0; j < kPack; ++j) most.values[j] = PoolLarger(most.values[j], seen.values[j]);
      }
    }
    reinterpret_cast<Channels*>(output)[i] = most;
  }
};

template <class T>
struct MaxPoolDepthBody {
  CudaPool pool;
  std::int32_t window;
  const T* input;
  T* output;

  __device__ __forceinline__ void operator()(Index i) const {
    const ImagePlace at = pool.out_places.At(static_cast<std::uint32_t>(i));
    const T* from = input + pool.in.At(at.image, at.row, at.column, static_cast<Index>(at.channel) * window);
    T most = *from;
    for (std::int32_t j = 1; j < window; ++j) most = PoolLarger(most, *(from += pool.in.channel));
    output[i] = most;
  }
};

template <class T>
struct MaxPoolPlacesBody {
  CudaPool pool;
  T lowest;
  const T* input;
  T* most;
  Index* places;

  __device__ __forceinline__ void operator()(Index i) const {
    const ImagePlace at = pool.out_places.At(static_cast<std::uint32_t>(i));
    const std::int32_t bottom = pool.rows.End(at.row), right = pool.columns.End(at.column);
    const T* const image = input + at.image * pool.in.image;
    T largest = lowest;
    Index place = kNoPlace;
    for (std::int32_t y = pool.rows.Begin(at.row); y < bottom; ++y) {
      for (std::int32_t x = pool.columns.Begin(at.column); x < right; ++x) {
        const Index from = pool.in.At(0, y, x, at.channel);
        if (place != kNoPlace && !(largest < image[from])) continue;
        largest = image[from];
        place = from;
      }
    }
    most[i] = largest;
    places[i] = place;
  }
};

template <class T>
struct MaxPoolGradientBody {
  CudaPool pool;
  const T* grad;
  const Index* places;
  T* output;

  __device__ __forceinline__ void operator()(Index i) const {
    const ImagePlace at = pool.in_places.At(static_cast<std::uint32_t>(i));
    const Index place = pool.in.At(0, at.row, at.column, at.channel);
    const std::int32_t last_row = pool.rows.LastPlace(at.row), last_column = pool.columns.LastPlace(at.column);
    T sum = T(0);
    for (std::int32_t y = pool.rows.FirstPlace(at.row); y <= last_row; ++y) {
      for (std::int32_t x = pool.columns.FirstPlace(at.column); x <= last_column; ++x) {
        const Index from = pool.out.At(at.image, y, x, at.channel);
        if (places[from] == place) sum = PoolSum(sum, grad[from]);
      }
    }
    output[i] = sum;
  }
};

template <class To>
struct WritePlacesBody {
  const Index* places;
  Index count, step;  // elements of an image's places; what is added for each image before
  To* out;

  __device__ __forceinline__ void operator()(Index i) const {
    const Index place = places[i];
    out[i] = static_cast<To>(place == kNoPlace || step == 0 ? place : place + i / count * step);
  }
};

template <class T, int kPack>
Status RunMaxPool(Cuda& device, const PoolGeometry& g, const T* input, T* output) {
  const CudaPool pool(g, kPack);
  return ForPoolParts("MaxPool", g, pool, [&](Index first, Index images) {
    return ForEach(device, images * (pool.out.image / kPack),
                   MaxPoolBody<T, kPack>{pool, std::numeric_limits<T>::lowest(), input + first * pool.in.image,
                                         output + first * pool.out.image});
  });
}

}  // namespace detail

// Overwrites `output`, whose shape is geometry.output_shape(), as the CPU's. Returns when it is queued.
template <class T>
Status MaxPool(Cuda& device, const PoolGeometry& g, const T* input, T* output) {
  if (g.output_shape().num_elements() == 0) return OkStatus();
  TENON_RETURN_IF_ERROR(detail::CheckCudaPool("MaxPool", g));
  if (g.depth_window > 1) {
    const detail::CudaPool pool(g, 1);
    return detail::ForPoolParts("MaxPool", g, pool, [&](Index first, Index images) {
      return ForEach(device, images * pool.out.image,
                     detail::MaxPoolDepthBody<T>{pool, static_cast<std::int32_t>(g.depth_window),
                                                 input + first * pool.in.image, output + first * pool.out.image});
    });
  }
  if (detail::PoolsByPacks(g, input, output))
    return detail::RunMaxPool<T, detail::kPoolPack<T>>(device, g, input, output);
  return detail::RunMaxPool<T, 1>(device, g, input, output);
}

// As the CPU's: `most` and `places` have the shape of the output.
template <class T>
Status MaxPoolPlaces(Cuda& device, const PoolGeometry& g, const T* input, T* most, Index* places) {
  TENON_RETURN_IF_ERROR(detail::CheckCudaPool("MaxPool", g));
  const detail::CudaPool pool(g, 1);
  return detail::ForPoolParts("MaxPool", g, pool, [&](Index first, Index images) {
    const Index at = first * pool.out.image;
    return ForEach(device, images * pool.out.image,
                   detail::MaxPoolPlacesBody<T>{pool, std::numeric_limits<T>::lowest(), input + first * pool.in.image,
                                                most + at, places + at});
  });
}

// As the CPU's: `most` and `places` are scratch memory of the shape of grad.
template <class T>
Status MaxPoolGradient(Cuda& device, const PoolGeometry& g, const T* input, const T* grad, T* most, Index* places,
                       T* output) {
  TENON_RETURN_IF_ERROR(MaxPoolPlaces(device, g, input, most, places));
  const detail::CudaPool pool(g, 1);
  return detail::ForPoolParts("MaxPoolGrad", g, pool, [&](Index first, Index images) {
    const Index at = first * pool.out.image;
    return ForEach(device, images * pool.in.image,
                   detail::MaxPoolGradientBody<T>{pool, grad + at, places + at, output + first * pool.in.image});
  });
}

// As the CPU's.
template <std::same_as<Cuda> Device>
Status WritePlaces(Device& device, const Index* places, Index batch, Index count, Index image, bool in_batch,
                   DataType dtype, void* out) {
  const Index step = in_batch ? image : 0;
  if (dtype == DataType::kInt32)
    return ForEach(device, batch * count,
                   detail::WritePlacesBody<std::int32_t>{places, count, step, static_cast<std::int32_t*>(out)});
  return ForEach(device, batch * count,
                 detail::WritePlacesBody<std::int64_t>{places, count, step, static_cast<std::int64_t*>(out)});
}

TENON_DETAIL_NAMESPACE_END
