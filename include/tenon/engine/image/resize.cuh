// SPDX-License-Identifier: Apache-2.0
#pragma once
// Images made larger or smaller on a GPU: bilinear, nearest neighbour, and their gradients. A thread makes one element.
// The gradients gather: an element of the image adds up the places that it was read for, in the order of the CPU's.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/image/resize.cuh> only from files that nvcc compiles."
#endif

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/conv/images.cuh>
#include <tenon/engine/image/resize.hpp>
#include <tenon/engine/image/resize_gradient.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

struct CudaResize {
  ResizeAxis rows, columns;
  bool align_corners, half_pixel_centers;
  ImageSteps in, out;
  ImagePlaces in_places, out_places;

  CudaResize(const ResizeGeometry& g, Index depth)
      : rows(g.rows),
        columns(g.columns),
        align_corners(g.align_corners),
        half_pixel_centers(g.half_pixel_centers),
        in(g.rows.input, g.columns.input, depth, false),
        out(g.rows.output, g.columns.output, depth, false),
        in_places(g.rows.input, g.columns.input, depth, false),
        out_places(g.rows.output, g.columns.output, depth, false) {}
};
// Calls run(first image, number of images) -> Status for parts of the batch. Unimplemented: too large a dimension.
template <class Run>
Status ForResizeParts(std::string_view who, Index batch, const CudaResize& g, const Run& run) {
  for (const Index size : {g.rows.input, g.rows.output, g.columns.input, g.columns.output})
    if (size > kMostCudaPosition)
      return errors::Unimplemented(who, ": on a GPU, images must have at most ", kMostCudaPosition,
                                   " rows and columns, got ", size);
  return ForImageParts(who, batch, g.in.image > g.out.image ? g.in.image : g.out.image, run);
}

template <class T>
struct ResizeBilinearBody {
  CudaResize g;
  const T* images;
  float* out;

  __device__ __forceinline__ void operator()(Index i) const {
    const ImagePlace at = g.out_places.At(static_cast<std::uint32_t>(i));
    const LinearPlace y = LinearPlaceOf(g.rows, g.half_pixel_centers, at.row),
                      x = LinearPlaceOf(g.columns, g.half_pixel_centers, at.column);
    const T* const from = images + at.image * g.in.image + at.channel;
    const auto top_left = static_cast<float>(from[g.in.At(0, y.lower, x.lower, 0)]),
               top_right = static_cast<float>(from[g.in.At(0, y.lower, x.upper, 0)]),
               bottom_left = static_cast<float>(from[g.in.At(0, y.upper, x.lower, 0)]),
               bottom_right = static_cast<float>(from[g.in.At(0, y.upper, x.upper, 0)]);
    const float above = top_left + (top_right - top_left) * x.lerp,
                below = bottom_left + (bottom_right - bottom_left) * x.lerp;
    out[i] = above + (below - above) * y.lerp;
  }
};

template <class Unit>
struct ResizeNearestBody {
  CudaResize g;
  const Unit* images;
  Unit* out;

  __device__ __forceinline__ void operator()(Index i) const {
    const ImagePlace at = g.out_places.At(static_cast<std::uint32_t>(i));
    const Index y = NearestPlace(g.rows, g.align_corners, g.half_pixel_centers, at.row),
                x = NearestPlace(g.columns, g.align_corners, g.half_pixel_centers, at.column);
    out[i] = images[g.in.At(at.image, y, x, at.channel)];
  }
};

// Where the gradient of element i of one dimension goes to: to one position, or two.
struct CudaGradientPlaces {
  Index at[2];
  float weight[2];
};
template <bool kNearest>
__device__ __forceinline__ CudaGradientPlaces CudaGradientPlacesOf(const CudaResize& g, const ResizeAxis& axis,
                                                                   Index i) {
  if constexpr (kNearest) {
    const Index place = NearestPlace(axis, g.align_corners, g.half_pixel_centers, i);
    return {{place, place}, {1.0f, 0.0f}};
  } else {
    const LinearPlace p = LinearPlaceOf(axis, g.half_pixel_centers, i);
    return {{p.lower, p.upper}, {1.0f - p.lerp, p.lerp}};
  }
}

// The first element whose last position is `at` or behind it: positions do not decrease.
template <bool kNearest>
__device__ __forceinline__ Index FirstReader(const CudaResize& g, const ResizeAxis& axis, Index at) {
  Index first = 0, end = axis.output;
  while (first < end) {
    const Index middle = first + (end - first) / 2;
    if (CudaGradientPlacesOf<kNearest>(g, axis, middle).at[1] < at)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

template <class G, class T, bool kNearest>
struct ResizeGradientBody {
  CudaResize g;
  const G* grad;
  T* out;

  __device__ __forceinline__ void operator()(Index i) const {
    constexpr int kCount = kNearest ? 1 : 2;
    const ImagePlace at = g.in_places.At(static_cast<std::uint32_t>(i));
    const Index first_column = FirstReader<kNearest>(g, g.columns, at.column);
    T sum = T(0);
    for (Index row = FirstReader<kNearest>(g, g.rows, at.row); row < g.rows.output; ++row) {
      const CudaGradientPlaces y = CudaGradientPlacesOf<kNearest>(g, g.rows, row);
      if (y.at[0] > at.row) break;
      for (Index column = first_column; column < g.columns.output; ++column) {
        const CudaGradientPlaces x = CudaGradientPlacesOf<kNearest>(g, g.columns, column);
        if (x.at[0] > at.column) break;
        const G from = grad[g.out.At(at.image, row, column, at.channel)];
        for (int r = 0; r < kCount; ++r) {
          for (int c = 0; c < kCount; ++c) {
            if (y.at[r] != at.row || x.at[c] != at.column) continue;
            if constexpr (std::is_same_v<G, T> && !std::is_same_v<G, float>)
              sum = PoolSum(sum, from);
            else
              sum = static_cast<T>(sum + static_cast<T>(from * y.weight[r] * x.weight[c]));
          }
        }
      }
    }
    out[i] = sum;
  }
};

template <class T>
Status RunResizeBilinear(Cuda& device, const ResizeGeometry& geometry, const void* images, float* out) {
  const CudaResize g(geometry, geometry.depth);
  return ForResizeParts("ResizeBilinear", geometry.batch, g, [&](Index first, Index count) {
    return ForEach(
        device, count * g.out.image,
        ResizeBilinearBody<T>{g, static_cast<const T*>(images) + first * g.in.image, out + first * g.out.image});
  });
}

template <class Unit>
Status RunResizeNearest(Cuda& device, const ResizeGeometry& geometry, Index units, const void* images, void* out) {
  const CudaResize g(geometry, units);
  return ForResizeParts("ResizeNearestNeighbor", geometry.batch, g, [&](Index first, Index count) {
    return ForEach(device, count * g.out.image,
                   ResizeNearestBody<Unit>{g, static_cast<const Unit*>(images) + first * g.in.image,
                                           static_cast<Unit*>(out) + first * g.out.image});
  });
}

template <bool kNearest, class G, class T>
Status RunResizeGradient(Cuda& device, const ResizeGeometry& geometry, const G* grad, T* out) {
  const CudaResize g(geometry, geometry.depth);
  return ForResizeParts("ResizeGradient", geometry.batch, g, [&](Index first, Index count) {
    return ForEach(device, count * g.in.image,
                   ResizeGradientBody<G, T, kNearest>{g, grad + first * g.out.image, out + first * g.in.image});
  });
}

}  // namespace detail

// As the CPU's. Returns when it is queued.
template <std::same_as<Cuda> Device>
Status ResizeBilinear(Device& device, const ResizeGeometry& g, DataType dtype, const void* images, float* out) {
  switch (dtype) {
    case DataType::kHalf: return detail::RunResizeBilinear<half>(device, g, images, out);
    case DataType::kBfloat16: return detail::RunResizeBilinear<bfloat16>(device, g, images, out);
    case DataType::kDouble: return detail::RunResizeBilinear<double>(device, g, images, out);
    case DataType::kInt8: return detail::RunResizeBilinear<std::int8_t>(device, g, images, out);
    case DataType::kInt16: return detail::RunResizeBilinear<std::int16_t>(device, g, images, out);
    case DataType::kInt32: return detail::RunResizeBilinear<std::int32_t>(device, g, images, out);
    case DataType::kInt64: return detail::RunResizeBilinear<std::int64_t>(device, g, images, out);
    case DataType::kUint8: return detail::RunResizeBilinear<std::uint8_t>(device, g, images, out);
    case DataType::kUint16: return detail::RunResizeBilinear<std::uint16_t>(device, g, images, out);
    default: return detail::RunResizeBilinear<float>(device, g, images, out);
  }
}

// Elements of `bytes` bytes, copied; pixels move in units as large as their size and place allow.
template <std::same_as<Cuda> Device>
Status ResizeNearest(Device& device, const ResizeGeometry& g, Index bytes, const void* images, void* out) {
  const Index pixel = g.depth * bytes;
  const auto fits = [&](Index unit) {
    const auto step = static_cast<std::uintptr_t>(unit);
    return pixel % unit == 0 && reinterpret_cast<std::uintptr_t>(images) % step == 0 &&
           reinterpret_cast<std::uintptr_t>(out) % step == 0;
  };
  if (fits(16)) return detail::RunResizeNearest<::uint4>(device, g, pixel / 16, images, out);
  if (fits(8)) return detail::RunResizeNearest<std::uint64_t>(device, g, pixel / 8, images, out);
  if (fits(4)) return detail::RunResizeNearest<std::uint32_t>(device, g, pixel / 4, images, out);
  if (fits(2)) return detail::RunResizeNearest<std::uint16_t>(device, g, pixel / 2, images, out);
  return detail::RunResizeNearest<std::uint8_t>(device, g, pixel, images, out);
}

// As the CPU's, of the nearest neighbour or bilinear.
template <class G, class T>
Status ResizeGradient(Cuda& device, const ResizeGeometry& g, detail::ResizeMethod method, const G* grad, T* out) {
  if (method == detail::ResizeMethod::kNearest) return detail::RunResizeGradient<true>(device, g, grad, out);
  if constexpr (std::is_same_v<G, float>) {
    if (method == detail::ResizeMethod::kBilinear) return detail::RunResizeGradient<false>(device, g, grad, out);
  }
  return errors::Unimplemented("ResizeGradient: not on a GPU for bicubic images");
}

TENON_DETAIL_NAMESPACE_END
