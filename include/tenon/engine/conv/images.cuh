// SPDX-License-Identifier: Apache-2.0
#pragma once
// Images and windows as GPU kernels read them: dimensions as int32, the distances of elements in either data format,
// and the pixel of a thread.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/conv/images.cuh> only from files that nvcc compiles."
#endif

#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/core/window_dim.hpp>
#include <tenon/engine/elementwise/elementwise.cuh>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// A Window whose positions, paddings included, fit an int32.
struct CudaWindow {
  std::int32_t input = 0, size = 1, stride = 1, dilation = 1, pad = 0, output = 0;

  CudaWindow() = default;
  explicit CudaWindow(const Window& w)
      : input(static_cast<std::int32_t>(w.input)),
        size(static_cast<std::int32_t>(w.size)),
        stride(static_cast<std::int32_t>(w.stride)),
        dilation(static_cast<std::int32_t>(w.dilation)),
        pad(static_cast<std::int32_t>(w.pad_before)),
        output(static_cast<std::int32_t>(w.output)) {}

  // First element under the window at `place`, padding included.
  __device__ __forceinline__ std::int32_t First(std::int32_t place) const { return place * stride - pad; }
  // The part of the window that lies in the input, without dilation: [Begin, End), empty if End <= Begin.
  __device__ __forceinline__ std::int32_t Begin(std::int32_t place) const {
    const std::int32_t first = First(place);
    return first > 0 ? first : 0;
  }
  __device__ __forceinline__ std::int32_t End(std::int32_t place) const {
    const std::int32_t last = First(place) + size;
    return last < input ? last : input;
  }
  // The windows, without dilation, that see element `at`: [FirstPlace, LastPlace].
  __device__ __forceinline__ std::int32_t FirstPlace(std::int32_t at) const {
    const std::int32_t above = at + pad - size;
    return above < 0 ? 0 : above / stride + 1;
  }
  __device__ __forceinline__ std::int32_t LastPlace(std::int32_t at) const {
    const std::int32_t last = (at + pad) / stride;
    return last < output - 1 ? last : output - 1;
  }
};

inline constexpr Index kMostCudaPosition = Index{1} << 29;

// Unimplemented: a dimension is too large for CudaWindow.
inline Status CheckCudaWindow(std::string_view who, const Window& w) {
  const Index reach = MultiplyWithoutOverflow(w.output, w.stride),
              extent = MultiplyWithoutOverflow(w.size, w.dilation > 0 ? w.dilation : -w.dilation);
  const auto fits = [](Index n) { return n >= 0 && n <= kMostCudaPosition; };
  if (fits(w.input) && fits(w.size) && fits(w.stride) && fits(w.pad_before) && fits(reach) && fits(extent))
    return OkStatus();
  return errors::Unimplemented(who, ": on a GPU, positions of a window must be at most ", kMostCudaPosition,
                               "; got a window of ", w.size, " with stride ", w.stride, " over ", w.input, " elements");
}

// Elements from one image, row, column or channel to the next.
struct ImageSteps {
  Index image = 0, row = 0, column = 0, channel = 0;

  ImageSteps() = default;
  ImageSteps(Index rows, Index columns, Index depth, bool channels_first)
      : image(rows * columns * depth),
        row(channels_first ? columns : columns * depth),
        column(channels_first ? 1 : depth),
        channel(channels_first ? rows * columns : 1) {}
  TENON_HD Index At(Index n, Index y, Index x, Index c) const { return n * image + y * row + x * column + c * channel; }
};

struct ImagePlace {
  std::int32_t image, row, column, channel;
};

// The place of element i of images, counted in memory order; fewer than 2^31 elements.
struct ImagePlaces {
  FastDivisor rows, columns, depth;
  bool channels_first = false;

  ImagePlaces() = default;
  ImagePlaces(Index r, Index c, Index d, bool first)
      : rows(Divisor(r)), columns(Divisor(c)), depth(Divisor(d)), channels_first(first) {}
  __device__ __forceinline__ ImagePlace At(std::uint32_t i) const {
    std::uint32_t row, column, channel;
    if (channels_first) {
      column = TakeRest(columns, &i);
      row = TakeRest(rows, &i);
      channel = TakeRest(depth, &i);
    } else {
      channel = TakeRest(depth, &i);
      column = TakeRest(columns, &i);
      row = TakeRest(rows, &i);
    }
    return {static_cast<std::int32_t>(i), static_cast<std::int32_t>(row), static_cast<std::int32_t>(column),
            static_cast<std::int32_t>(channel)};
  }

 private:
  static FastDivisor Divisor(Index n) { return FastDivisor(static_cast<std::uint32_t>(n > 0 ? n : 1)); }
  static __device__ __forceinline__ std::uint32_t TakeRest(const FastDivisor& by, std::uint32_t* n) {
    const std::uint32_t quotient = by.Divide(*n), rest = *n - quotient * by.divisor;
    *n = quotient;
    return rest;
  }
};

// Calls run(first image, number of images) -> Status for parts of a batch in which no part has 2^31 elements.
// Unimplemented: one image has as many.
template <class Run>
Status ForImageParts(std::string_view who, Index batch, Index image_elements, const Run& run) {
  constexpr Index kMost = (Index{1} << 31) - 1;
  if (image_elements > kMost)
    return errors::Unimplemented(who, ": on a GPU, an image must have fewer than 2^31 elements, got ", image_elements);
  const Index most = image_elements == 0 ? batch : kMost / image_elements;
  for (Index first = 0; first < batch; first += most)
    TENON_RETURN_IF_ERROR(run(first, batch - first < most ? batch - first : most));
  return OkStatus();
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
