// SPDX-License-Identifier: Apache-2.0
#pragma once
// Depthwise convolutions on a GPU and their gradients: a thread an element, or a pack of channels; for the gradient of
// the filter, a block for some channels of one tap. No sum depends on the order in which threads run.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/conv/depthwise.cuh> only from files that nvcc compiles."
#endif

#include <cstdint>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/conv/depthwise.hpp>
#include <tenon/engine/conv/images.cuh>
#include <tenon/engine/core/result_epilogue.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

struct CudaDepthwise {
  CudaWindow rows, columns;
  ImageSteps in, out;
  ImagePlaces in_places, out_places;  // where packs of `pack` channels lie
  FastDivisor by_multiplier;
  std::int32_t multiplier;
  Index out_depth, batch;

  CudaDepthwise(const DepthwiseGeometry& g, int pack)
      : rows(g.rows),
        columns(g.columns),
        in(g.rows.input, g.columns.input, g.depth, g.channels_first),
        out(g.rows.output, g.columns.output, g.out_depth(), g.channels_first),
        in_places(g.rows.input, g.columns.input, g.depth / pack, g.channels_first),
        out_places(g.rows.output, g.columns.output, g.out_depth() / pack, g.channels_first),
        by_multiplier(static_cast<std::uint32_t>(g.multiplier > 0 ? g.multiplier : 1)),
        multiplier(static_cast<std::int32_t>(g.multiplier)),
        out_depth(g.out_depth()),
        batch(g.batch) {}
  // The filter's element of a tap and an output channel.
  __device__ __forceinline__ Index Tap(std::int32_t r, std::int32_t c, Index channel) const {
    return (static_cast<Index>(r) * columns.size + c) * out_depth + channel;
  }
};
inline Status CheckCudaDepthwise(std::string_view who, const DepthwiseGeometry& g) {
  TENON_RETURN_IF_ERROR(CheckCudaWindow(who, g.rows));
  TENON_RETURN_IF_ERROR(CheckCudaWindow(who, g.columns));
  if (g.out_depth() < Index{1} << 31) return OkStatus();
  return errors::Unimplemented(who, ": on a GPU, images must have fewer than 2^31 channels, got ", g.out_depth());
}

template <class T>
using DepthwiseSum = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T, int kPack>
struct DepthwiseBody {
  CudaDepthwise g;
  const T* input;
  const T* filter;
  T* output;
  EpilogueSteps<T> steps;

  __device__ __forceinline__ void operator()(Index i) const {
    using C = DepthwiseSum<T>;
    using Channels = Pack<T, kPack>;
    const ImagePlace at = g.out_places.At(static_cast<std::uint32_t>(i));
    const Index channel = static_cast<Index>(at.channel) * kPack;
    const std::int32_t top = g.rows.First(at.row), left = g.columns.First(at.column);
    // A pack has one filter per channel.
    const Index in_channel = kPack > 1 ? channel : g.by_multiplier.Divide(static_cast<std::uint32_t>(channel));
    const T* const from = input + g.in.At(at.image, 0, 0, in_channel);
    C sum[kPack];
#pragma unroll
    for (int j = 0; j < kPack; ++j) sum[j] = C(0);
    for (std::int32_t r = 0; r < g.rows.size; ++r) {
      const std::int32_t y = top + r;
      if (y < 0 || y >= g.rows.input) continue;
      for (std::int32_t c = 0; c < g.columns.size; ++c) {
        const std::int32_t x = left + c;
        if (x < 0 || x >= g.columns.input) continue;
        const Channels seen = *reinterpret_cast<const Channels*>(from + g.in.At(0, y, x, 0)),
                       by = *reinterpret_cast<const Channels*>(filter + g.Tap(r, c, channel));
#pragma unroll
        for (int j = 0; j < kPack; ++j) sum[j] += static_cast<C>(seen.values[j]) * static_cast<C>(by.values[j]);
      }
    }
    Channels result;
#pragma unroll
    for (int j = 0; j < kPack; ++j) result.values[j] = steps(static_cast<T>(sum[j]), channel + j, i * kPack + j);
    reinterpret_cast<Channels*>(output)[i] = result;
  }
};

template <class T>
struct DepthwiseInputBody {
  CudaDepthwise g;
  const T* filter;
  const T* gradient;
  T* output;

  __device__ __forceinline__ void operator()(Index i) const {
    using C = DepthwiseSum<T>;
    const ImagePlace at = g.in_places.At(static_cast<std::uint32_t>(i));
    const std::int32_t multiplier = g.multiplier;
    const Index first = static_cast<Index>(at.channel) * multiplier;
    const std::int32_t last_row = g.rows.LastPlace(at.row), last_column = g.columns.LastPlace(at.column);
    C sum = C(0);
    for (std::int32_t y = g.rows.FirstPlace(at.row); y <= last_row; ++y) {
      const std::int32_t r = at.row - g.rows.First(y);
      for (std::int32_t x = g.columns.FirstPlace(at.column); x <= last_column; ++x) {
        const T* const by = filter + g.Tap(r, at.column - g.columns.First(x), first);
        const T* from = gradient + g.out.At(at.image, y, x, first);
        for (std::int32_t k = 0; k < multiplier; ++k, from += g.out.channel)
          sum += static_cast<C>(*from) * static_cast<C>(by[k]);
      }
    }
    output[i] = static_cast<T>(sum);
  }
};

inline constexpr int kDepthwiseChannels = 32, kDepthwiseParts = 8;

// A block: kDepthwiseChannels output channels of one tap, in as many parts of the pixels as it has warps.
template <class T>
__global__ void __launch_bounds__(kDepthwiseChannels* kDepthwiseParts)
    DepthwiseFilterKernel(const __grid_constant__ CudaDepthwise g, const T* input, const T* gradient, T* output) {
  using C = DepthwiseSum<T>;
  __shared__ C sums[kDepthwiseParts][kDepthwiseChannels];
  const Index groups = (g.out_depth + kDepthwiseChannels - 1) / kDepthwiseChannels;
  const Index blocks = static_cast<Index>(g.rows.size) * g.columns.size * groups;
  const int lane = static_cast<int>(threadIdx.x) % kDepthwiseChannels,
            part = static_cast<int>(threadIdx.x) / kDepthwiseChannels;
  const int parts = static_cast<int>(blockDim.x) / kDepthwiseChannels;
  const Index pixels = g.batch * g.rows.output * g.columns.output;
  for (Index block = blockIdx.x; block < blocks; block += gridDim.x) {
    const Index channel = block % groups * kDepthwiseChannels + lane, tap = block / groups;
    const auto r = static_cast<std::int32_t>(tap / g.columns.size), c = static_cast<std::int32_t>(tap % g.columns.size);
    C sum = C(0);
    if (channel < g.out_depth) {
      const Index in_channel = g.by_multiplier.Divide(static_cast<std::uint32_t>(channel));
      for (Index pixel = part; pixel < pixels; pixel += parts) {
        const Index column = pixel % g.columns.output, row = pixel / g.columns.output % g.rows.output,
                    image = pixel / g.columns.output / g.rows.output;
        const std::int32_t y = g.rows.First(static_cast<std::int32_t>(row)) + r,
                           x = g.columns.First(static_cast<std::int32_t>(column)) + c;
        if (y >= 0 && y < g.rows.input && x >= 0 && x < g.columns.input)
          sum += static_cast<C>(input[g.in.At(image, y, x, in_channel)]) *
                 static_cast<C>(gradient[g.out.At(image, row, column, channel)]);
      }
    }
    sums[part][lane] = sum;
    __syncthreads();
    if (part == 0 && channel < g.out_depth) {
      for (int i = 1; i < parts; ++i) sum += sums[i][lane];
      output[tap * g.out_depth + channel] = static_cast<T>(sum);
    }
    __syncthreads();
  }
}

template <class T, int kPack>
Status RunDepthwise(Cuda& device, const DepthwiseGeometry& g, const T* input, const T* filter, T* output) {
  const CudaDepthwise d(g, kPack);
  EpilogueSteps<T> all;
  if (!g.channels_first) all = EpilogueSteps<T>(device);
  return ForImageParts("DepthwiseConv2dNative", g.batch, d.out.image, [&](Index first, Index images) {
    EpilogueSteps<T> steps = all;
    steps.Skip(first * d.out.image);
    return ForEach(device, images * (d.out.image / kPack),
                   DepthwiseBody<T, kPack>{d, input + first * d.in.image, filter, output + first * d.out.image, steps});
  });
}

}  // namespace detail

// Overwrites `output`. T is float, double, half or bfloat16; the last two are summed as float and rounded once. Takes
// the device's epilogue. Returns when it is queued.
template <class T>
Status DepthwiseConv2D(Cuda& device, const DepthwiseGeometry& g, const T* input, const T* filter, T* output) {
  if (g.output_elements() == 0) return OkStatus();
  TENON_RETURN_IF_ERROR(detail::CheckCudaDepthwise("DepthwiseConv2dNative", g));
  constexpr int kPack = static_cast<int>(16 / sizeof(T));
  const bool packs = !g.channels_first && g.multiplier == 1 && g.depth % kPack == 0 &&
                     detail::IsPackAligned<kPack>(input) && detail::IsPackAligned<kPack>(filter) &&
                     detail::IsPackAligned<kPack>(output);
  if (packs) return detail::RunDepthwise<T, kPack>(device, g, input, filter, output);
  return detail::RunDepthwise<T, 1>(device, g, input, filter, output);
}

// The gradient with respect to the input. Overwrites `output`, which has the input's shape.
template <class T>
Status DepthwiseConv2DBackpropInput(Cuda& device, const DepthwiseGeometry& g, const T* filter, const T* gradient,
                                    T* output) {
  if (g.input_elements() == 0) return OkStatus();
  TENON_RETURN_IF_ERROR(detail::CheckCudaDepthwise("DepthwiseConv2dNativeBackpropInput", g));
  const detail::CudaDepthwise d(g, 1);
  return detail::ForImageParts(
      "DepthwiseConv2dNativeBackpropInput", g.batch, d.in.image, [&](Index first, Index images) {
        return ForEach(
            device, images * d.in.image,
            detail::DepthwiseInputBody<T>{d, filter, gradient + first * d.out.image, output + first * d.in.image});
      });
}

// The gradient with respect to the filter. Overwrites `output`, which has the filter's shape.
template <class T>
Status DepthwiseConv2DBackpropFilter(Cuda& device, const DepthwiseGeometry& g, const T* input, const T* gradient,
                                     T* output) {
  const Index taps = g.rows.size * g.columns.size;
  if (taps == 0 || g.out_depth() == 0) return OkStatus();
  TENON_RETURN_IF_ERROR(detail::CheckCudaDepthwise("DepthwiseConv2dNativeBackpropFilter", g));
  const detail::CudaDepthwise d(g, 1);
  const Index blocks = taps * ((g.out_depth() + detail::kDepthwiseChannels - 1) / detail::kDepthwiseChannels);
  constexpr Index kFewPixels = 64;  // one part has no more to add up
  const Index pixels = g.batch * g.rows.output * g.columns.output;
  const int parts = pixels <= kFewPixels ? 1 : detail::kDepthwiseParts;
  return LaunchCuda(device,
                    {static_cast<unsigned>(blocks < 0x7fffffff ? blocks : 0x7fffffff),
                     static_cast<unsigned>(detail::kDepthwiseChannels * parts)},
                    &detail::DepthwiseFilterKernel<T>, d, input, gradient, output);
}

TENON_DETAIL_NAMESPACE_END
