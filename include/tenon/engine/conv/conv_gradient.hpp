// SPDX-License-Identifier: Apache-2.0
#pragma once
// The gradients of Conv2D (one plane) and Conv3D on the CPU: channels last, no dilation. They are convolutions, or
// matrix products (engine/gemm/gemm.hpp) in which one matrix has a row of window elements for each output position. T
// is float or double, for the gradient of the input also int32.

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/conv.hpp>
#include <tenon/engine/conv/conv3d.hpp>
#include <tenon/engine/conv/filter_gradient.hpp>
#include <tenon/engine/conv/winograd_choice.hpp>
#include <tenon/engine/conv/winograd_gradient.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/core/window_dim.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

TENON_DETAIL_LOOPS_BEGIN

template <class T>
TENON_DETAIL_LOOP void AddWrappingRun(const T* x, T* sum, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) sum[i] = MultiplyAdd(x[i], T(1), sum[i]);
}

TENON_DETAIL_LOOPS_END

// The reverse for one row of an image: row (plane z, row y) = for each element, the sum of its copies in `columns` (of
// the whole image).
template <class T>
void ColumnsToRow(const Conv3DGeometry& g, const T* columns, Index z, Index y, T* row) {
  const Index depth = g.in_depth, window = g.taps() * depth;
  std::fill_n(row, g.columns.input * depth, T(0));
  for (Index p = 0; p < g.planes.size; ++p) {
    const Index above_plane = z + g.planes.pad_before - p, plane = above_plane / g.planes.stride;
    if (above_plane < 0 || above_plane % g.planes.stride != 0 || plane >= g.planes.output) continue;
    for (Index r = 0; r < g.rows.size; ++r) {
      const Index above = y + g.rows.pad_before - r, out_row = above / g.rows.stride;
      if (above < 0 || above % g.rows.stride != 0 || out_row >= g.rows.output) continue;
      const T* from = columns + (plane * g.rows.output + out_row) * g.columns.output * window +
                      (p * g.rows.size + r) * g.columns.size * depth;
      for (Index column = 0; column < g.columns.output; ++column, from += window) {
        for (Index c = 0; c < g.columns.size; ++c) {
          Index x = 0;
          if (TapPosition(g.columns, column, c, &x)) AddWrappingRun(from + c * depth, row + x * depth, depth);
        }
      }
    }
  }
}

inline Status ColumnsTooLarge(const char* who, Index places, Index window) {
  return errors::ResourceExhausted(who, ": OOM when allocating ", places, " windows of ", window, " elements");
}

// Whether the gradient of the input is a convolution of `gradient`: each step goes one on, and images are not so small
// that a product which reads the filter once for many of them is faster.
inline bool IsConvolutionOfGradient(const Conv3DGeometry& g) {
  constexpr Index kFewPixels = 32;
  const auto fits = [](const Window& w) { return w.stride == 1 && w.dilation == 1 && w.pad_before < w.size; };
  return g.taps() > 1 && fits(g.planes) && fits(g.rows) && fits(g.columns) &&
         g.planes.input * g.rows.input * g.columns.input >= kFewPixels;
}
// filter [rows, columns, in_depth, out_depth] with both ends exchanged and in the order [rows, columns, out_depth,
// in_depth].
template <class T>
void TurnFilter(Cpu& device, const Conv3DGeometry& g, const T* filter, T* turned) {
  constexpr Index kSide = 16;
  const Index taps = g.taps(), in = g.in_depth, out = g.out_depth;
  ParallelFor(device, taps, static_cast<double>(in * out), [&](Index begin, Index end) {
    for (Index tap = begin; tap < end; ++tap) {
      const T* const from = filter + (taps - 1 - tap) * in * out;
      T* const to = turned + tap * in * out;
      for (Index i = 0; i < in; i += kSide)
        for (Index o = 0; o < out; o += kSide)
          for (Index y = o; y < std::min(o + kSide, out); ++y)
            for (Index x = i; x < std::min(i + kSide, in); ++x) to[y * in + x] = from[x * out + y];
    }
  });
}

template <class T>
Status ConvolveGradient(Cpu& device, const Conv3DGeometry& g, const T* filter, const T* gradient, T* output) {
  const auto turned_window = [](const Window& w) {
    return Window{.input = w.output, .size = w.size, .pad_before = w.size - 1 - w.pad_before, .output = w.input};
  };
  Scratch scratch(device, ScratchBytes<T>(g.taps() * g.in_depth * g.out_depth));
  TENON_RETURN_IF_ERROR(scratch.status("ConvBackpropInput"));
  TurnFilter(device, g, filter, scratch.As<T>());
  Conv3DGeometry turned;
  turned.batch = g.batch;
  turned.planes = turned_window(g.planes);
  turned.rows = turned_window(g.rows);
  turned.columns = turned_window(g.columns);
  turned.in_depth = g.out_depth;
  turned.out_depth = g.in_depth;
  turned.algorithm = g.algorithm;
  return ConvolvePlanes(device, turned, gradient, scratch.As<T>(), output);
}

#if !defined(__NVCC__)
// The gradient of the filter, a plane of the window after the other: images are the planes that it meets.
template <class T>
Status FilterGradientByPlanes(Cpu& device, const Conv3DGeometry& g, Conv2DGeometry flat, const T* input,
                              const T* gradient, T* output) {
  const Window& planes = g.planes;
  const Index in_plane = g.rows.input * g.columns.input * g.in_depth,
              out_plane = g.rows.output * g.columns.output * g.out_depth,
              block = g.rows.size * g.columns.size * g.in_depth * g.out_depth;
  if (AreApart(planes)) {
    flat.batch = g.batch * planes.output;
    return FilterGradient(device, flat, input, gradient, output);
  }
  for (Index tap = 0; tap < planes.size; ++tap, output += block) {
    const Index shift = tap * planes.dilation - planes.pad_before;  // the tap's plane in the first window
    const Index first = shift >= 0 ? 0 : (planes.stride - 1 - shift) / planes.stride;
    const Index last =
        shift >= planes.input ? 0 : std::min(planes.output, (planes.input - 1 - shift) / planes.stride + 1);
    flat.batch = planes.stride == 1 ? std::max<Index>(last - first, 1) : 1;
    bool add = false;
    for (Index n = 0; n < g.batch; ++n)
      for (Index plane = first; plane < last; plane += flat.batch, add = true)
        TENON_RETURN_IF_ERROR(FilterGradient(device, flat,
                                             input + (n * planes.input + plane * planes.stride + shift) * in_plane,
                                             gradient + (n * planes.output + plane) * out_plane, output, add));
    if (!add) std::fill_n(output, block, T(0));
  }
  return OkStatus();
}
#endif

}  // namespace detail

// The gradient with respect to the input, of one group. `gradient` has the output's shape; overwrites `output`, which
// has the input's.
template <class T>
Status ConvBackpropInput(Cpu& device, const Conv3DGeometry& g, const T* filter, const T* gradient, T* output) {
  if (g.batch == 0 || g.image_elements() == 0) return OkStatus();
  if constexpr (std::is_same_v<T, float>) {
    if (g.out_depth > 0 && g.places() > 0 && detail::IsConvolutionOfGradient(g))
      return detail::ConvolveGradient(device, g, filter, gradient, output);
  }
  const Index places = g.places(), window = g.taps() * g.in_depth, rows = g.planes.input * g.rows.input;
  const Index elements = MultiplyWithoutOverflow(places, window);
  if (elements < 0 || elements > (Index{1} << 58)) return detail::ColumnsTooLarge("ConvBackpropInput", places, window);
  // Images that are small share a product, which then reads the filter once for all of them.
  const Index fit =
      detail::PlacesAtOnce(MultiplySizes(g.batch, places), window, sizeof(T)) / std::max<Index>(places, 1);
  const Index at_once = std::clamp<Index>(fit, 1, g.batch);
  Scratch scratch(device, detail::ScratchBytes<T>(at_once * elements));
  TENON_RETURN_IF_ERROR(scratch.status("ConvBackpropInput"));
  T* const columns = scratch.As<T>();
  for (Index image = 0; image < g.batch; image += at_once) {
    const Index images = std::min(at_once, g.batch - image);
    TENON_RETURN_IF_ERROR(detail::Product(device, gradient + image * places * g.out_depth, false, images * places,
                                          g.out_depth, filter, true, window, g.out_depth, columns));
    T* const out = output + image * g.image_elements();
    const double ns = 0.5 * static_cast<double>(elements) / static_cast<double>(rows) + 50;
    ParallelFor(device, images * rows, ns, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        detail::ColumnsToRow(g, columns + i / rows * elements, i % rows / g.rows.input, i % g.rows.input,
                             out + i * g.columns.input * g.in_depth);
    });
  }
  return OkStatus();
}

// The gradient with respect to the filter, of one group. Overwrites `output`, which has the filter's shape.
template <class T>
Status ConvBackpropFilter(Cpu& device, const Conv3DGeometry& g, const T* input, const T* gradient, T* output) {
  const Index places = g.places(), window = g.taps() * g.in_depth, elements = window * g.out_depth;
  if (g.batch == 0 || places == 0 || elements == 0) {
    std::fill_n(output, elements, T(0));
    return OkStatus();
  }
#if !defined(__NVCC__)
  const Conv2DGeometry flat{.batch = g.batch,
                            .rows = g.rows,
                            .columns = g.columns,
                            .in_depth = g.in_depth,
                            .out_depth = g.out_depth,
                            .groups = g.groups};
  if constexpr (std::is_same_v<T, float>) {
    if (g.planes.input == 1 && g.planes.size == 1 &&
        detail::TakesWinograd(flat, g.algorithm, detail::WinogradFilter::kChanging))
      return detail::RunWinogradGradient(device, flat, input, gradient, output);
  }
  if (detail::FavoursFilterTiles<T>(flat))
    return detail::FilterGradientByPlanes(device, g, flat, input, gradient, output);
#endif
  const Index all = MultiplySizes(g.batch, places);
  const Index step = std::min(all, detail::PlacesAtOnce(all, window, sizeof(T)));
  const std::size_t columns_bytes = detail::ScratchBytes<T>(step * window);
  Scratch scratch(device, columns_bytes + (step < all ? detail::ScratchBytes<T>(elements) : 0));
  TENON_RETURN_IF_ERROR(scratch.status("ConvBackpropFilter"));
  T* const columns = scratch.As<T>();
  T* const product = scratch.As<T>(columns_bytes);
  for (Index first = 0; first < all; first += step) {
    const Index count = std::min(step, all - first);
    ParallelFor(device, count, 0.3 * static_cast<double>(window), [&](Index begin, Index end) {
      detail::ImageToColumns(g, input, Index{0}, g.in_depth, first + begin, end - begin, columns + begin * window);
    });
    TENON_RETURN_IF_ERROR(detail::Product(device, columns, true, count, window, gradient + first * g.out_depth, false,
                                          count, g.out_depth, first == 0 ? output : product));
    if (first == 0) continue;
    ParallelFor(device, elements, 0.3,
                [&](Index begin, Index end) { detail::AddWrappingRun(product + begin, output + begin, end - begin); });
  }
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
