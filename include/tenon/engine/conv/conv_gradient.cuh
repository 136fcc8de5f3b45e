// SPDX-License-Identifier: Apache-2.0
#pragma once
// The gradients of Conv2D on a GPU: matrix products of the form of conv.cuh. The gradient of the filter adds up all
// pixels: parts of the sum are made side by side and added in their order.

#if !defined(__CUDACC__)
#error "Include <tenon/engine/conv/conv_gradient.cuh> only from files that nvcc compiles."
#endif

#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/device/cuda.cuh>
#include <tenon/engine/conv/conv.cuh>
#include <tenon/engine/conv/conv_gradient.hpp>
#include <tenon/engine/conv/images.cuh>
#include <tenon/engine/core/scratch.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline constexpr std::int32_t kFarOutside = -(std::int32_t{1} << 30);  // no window reaches an image from there

// Rows: pixels of the input. Columns: its channels. Depth: taps by channels of the output, which run fastest.
template <class Element>
struct ConvInputGradient {
  using T = Element;
  using Sum = ConvAccumulator<T>;
  const T* filter;
  const T* gradient;
  T* output;
  CudaWindow window_rows, window_columns;
  ImageSteps in, out;
  FastDivisor by_depth, by_columns, by_row_stride, by_column_stride;
  Index rows;
  std::int32_t columns, depth, groups = 1;
  bool left_by_rows;
  static constexpr bool right_by_depth = true;

  ConvInputGradient(const Conv3DGeometry& g, const T* f, const T* dy, T* dx)
      : filter(f),
        gradient(dy),
        output(dx),
        window_rows(g.rows),
        window_columns(g.columns),
        in(g.rows.input, g.columns.input, g.in_depth, g.channels_first),
        out(g.rows.output, g.columns.output, g.out_depth, g.channels_first),
        by_depth(static_cast<std::uint32_t>(g.out_depth > 0 ? g.out_depth : 1)),
        by_columns(static_cast<std::uint32_t>(g.columns.size > 0 ? g.columns.size : 1)),
        by_row_stride(static_cast<std::uint32_t>(g.rows.stride)),
        by_column_stride(static_cast<std::uint32_t>(g.columns.stride)),
        rows(g.batch * g.rows.input * g.columns.input),
        columns(static_cast<std::int32_t>(g.in_depth)),
        depth(static_cast<std::int32_t>(g.taps() * g.out_depth)),
        left_by_rows(g.channels_first) {}

  __device__ __forceinline__ ConvRow Locate(Index pixel) const {
    const Index x = pixel % window_columns.input, y = pixel / window_columns.input % window_rows.input,
                n = pixel / window_columns.input / window_rows.input;
    return {static_cast<std::int32_t>(y) + window_rows.pad, static_cast<std::int32_t>(x) + window_columns.pad,
            n * out.image, in.At(n, y, x, 0)};
  }
  __device__ __forceinline__ ConvRow LocateNone() const { return {kFarOutside, 0, 0, 0}; }
  __device__ __forceinline__ Sum Left(const ConvRow& row, std::int32_t p, std::int32_t) const {
    const std::uint32_t tap = by_depth.Divide(static_cast<std::uint32_t>(p)), r = by_columns.Divide(tap);
    const std::uint32_t channel = static_cast<std::uint32_t>(p) - tap * by_depth.divisor,
                        c = tap - r * by_columns.divisor;
    const std::int32_t above = row.y - static_cast<std::int32_t>(r) * window_rows.dilation,
                       before = row.x - static_cast<std::int32_t>(c) * window_columns.dilation;
    if (above < 0 || before < 0) return Sum(0);
    const auto y = static_cast<std::int32_t>(by_row_stride.Divide(static_cast<std::uint32_t>(above))),
               x = static_cast<std::int32_t>(by_column_stride.Divide(static_cast<std::uint32_t>(before)));
    if (y >= window_rows.output || y * window_rows.stride != above || x >= window_columns.output ||
        x * window_columns.stride != before)
      return Sum(0);
    return static_cast<Sum>(gradient[row.from + out.At(0, y, x, channel)]);
  }
  __device__ __forceinline__ Sum Right(std::int32_t p, std::int32_t column, std::int32_t) const {
    const std::uint32_t tap = by_depth.Divide(static_cast<std::uint32_t>(p));
    const std::uint32_t channel = static_cast<std::uint32_t>(p) - tap * by_depth.divisor;
    return static_cast<Sum>(filter[(static_cast<Index>(tap) * columns + column) * by_depth.divisor + channel]);
  }
  __device__ __forceinline__ T* Result(const ConvRow& row, std::int32_t column, std::int32_t) const {
    return output + row.to + column * in.channel;
  }
};

// Rows: taps by channels of the input. Columns: channels of the output. Depth: pixels of the output, of which each
// group adds up a part.
template <class Element, class To>
struct ConvFilterGradient {
  using T = To;
  using Sum = ConvAccumulator<Element>;
  const Element* input;
  const Element* gradient;
  To* output;  // [groups, taps, in_depth, out_depth]
  CudaWindow window_rows, window_columns;
  ImageSteps in, out;
  FastDivisor by_places, by_columns;  // divide pixels of one image's output, and of one of its rows
  Index rows, in_depth;
  std::int32_t columns, depth, pixels, groups;
  bool left_by_rows, right_by_depth;

  ConvFilterGradient(const Conv3DGeometry& g, Index parts, const Element* x, const Element* dy, To* df)
      : input(x),
        gradient(dy),
        output(df),
        window_rows(g.rows),
        window_columns(g.columns),
        in(g.rows.input, g.columns.input, g.in_depth, g.channels_first),
        out(g.rows.output, g.columns.output, g.out_depth, g.channels_first),
        by_places(static_cast<std::uint32_t>(g.places() > 0 ? g.places() : 1)),
        by_columns(static_cast<std::uint32_t>(g.columns.output > 0 ? g.columns.output : 1)),
        rows(g.taps() * g.in_depth),
        in_depth(g.in_depth),
        columns(static_cast<std::int32_t>(g.out_depth)),
        depth(static_cast<std::int32_t>((g.batch * g.places() + parts - 1) / parts)),
        pixels(static_cast<std::int32_t>(g.batch * g.places())),
        groups(static_cast<std::int32_t>(parts)),
        left_by_rows(!g.channels_first),
        right_by_depth(g.channels_first) {}

  __device__ __forceinline__ ConvRow Locate(Index row) const {
    const Index channel = row % in_depth, tap = row / in_depth;
    const auto r = static_cast<std::int32_t>(tap / window_columns.size),
               c = static_cast<std::int32_t>(tap % window_columns.size);
    return {r * window_rows.dilation - window_rows.pad, c * window_columns.dilation - window_columns.pad,
            channel * in.channel, row * columns};
  }
  __device__ __forceinline__ ConvRow LocateNone() const { return {kFarOutside, 0, 0, 0}; }
  // The pixel of a group's p; false after the last.
  __device__ __forceinline__ bool Find(std::int32_t p, std::int32_t group, Index* n, std::int32_t* y,
                                       std::int32_t* x) const {
    const Index pixel = static_cast<Index>(group) * depth + p;
    if (pixel >= pixels) return false;
    const std::uint32_t image = by_places.Divide(static_cast<std::uint32_t>(pixel)),
                        place = static_cast<std::uint32_t>(pixel) - image * by_places.divisor,
                        row = by_columns.Divide(place);
    *n = image;
    *y = static_cast<std::int32_t>(row);
    *x = static_cast<std::int32_t>(place - row * by_columns.divisor);
    return true;
  }
  __device__ __forceinline__ Sum Left(const ConvRow& tap, std::int32_t p, std::int32_t group) const {
    Index n;
    std::int32_t y, x;
    if (!Find(p, group, &n, &y, &x)) return Sum(0);
    y = tap.y + y * window_rows.stride;
    x = tap.x + x * window_columns.stride;
    if (y < 0 || y >= window_rows.input || x < 0 || x >= window_columns.input) return Sum(0);
    return static_cast<Sum>(input[tap.from + in.At(n, y, x, 0)]);
  }
  __device__ __forceinline__ Sum Right(std::int32_t p, std::int32_t column, std::int32_t group) const {
    Index n;
    std::int32_t y, x;
    if (!Find(p, group, &n, &y, &x)) return Sum(0);
    return static_cast<Sum>(gradient[out.At(n, y, x, column)]);
  }
  __device__ __forceinline__ To* Result(const ConvRow& row, std::int32_t column, std::int32_t group) const {
    return output + static_cast<Index>(group) * rows * columns + row.to + column;
  }
};

template <class T, class Sum>
struct AddPartsBody {
  const Sum* sums;  // [parts, elements]
  Index elements, parts;
  T* output;

  __device__ __forceinline__ void operator()(Index i) const {
    Sum sum = sums[i];
    for (Index part = 1; part < parts; ++part) sum += sums[part * elements + i];
    output[i] = static_cast<T>(sum);
  }
};

inline Status CheckConvGradient(std::string_view who, const Conv3DGeometry& g, Index depth) {
  if (g.planes.input != 1 || g.planes.size != 1 || g.planes.output != 1 || g.groups != 1)
    return errors::Unimplemented(who, ": not on a GPU for volumes or groups");
  TENON_RETURN_IF_ERROR(CheckCudaWindow(who, g.rows));
  TENON_RETURN_IF_ERROR(CheckCudaWindow(who, g.columns));
  TENON_RETURN_IF_ERROR(CheckConvProblem(who, g.in_depth, depth));
  return CheckConvProblem(who, g.out_depth, depth);
}

}  // namespace detail

// The gradient with respect to the input, of one plane and one group. `gradient` has the output's shape; overwrites
// `output`, which has the input's. Returns when it is queued.
template <class T>
Status ConvBackpropInput(Cuda& device, const Conv3DGeometry& g, const T* filter, const T* gradient, T* output) {
  if (g.batch == 0 || g.image_elements() == 0) return OkStatus();
  TENON_RETURN_IF_ERROR(
      detail::CheckConvGradient("ConvBackpropInput", g, MultiplyWithoutOverflow(g.taps(), g.out_depth)));
  return detail::RunConvProblem(device, detail::ConvInputGradient<T>(g, filter, gradient, output));
}

// The gradient with respect to the filter, of one plane and one group. Overwrites `output`, which has the filter's
// shape. Returns when it is queued.
template <class T>
Status ConvBackpropFilter(Cuda& device, const Conv3DGeometry& g, const T* input, const T* gradient, T* output) {
  using Sum = detail::ConvAccumulator<T>;
  const Index elements = g.taps() * g.in_depth * g.out_depth;
  if (elements == 0) return OkStatus();
  const Index pixels = MultiplyWithoutOverflow(g.batch, g.places());
  TENON_RETURN_IF_ERROR(detail::CheckConvGradient("ConvBackpropFilter", g, pixels));
  // As many parts as give each multiprocessor two blocks, each with enough to add up.
  constexpr Index kTile = 32, kLeastPixels = 512;
  const Index tiles = ((g.taps() * g.in_depth + kTile - 1) / kTile) * ((g.out_depth + kTile - 1) / kTile);
  const Index wanted = 2 * static_cast<Index>(device.multiprocessors) / tiles, most = pixels / kLeastPixels,
              parts = wanted < most ? wanted : most;
  if (parts < 2) return detail::RunConvProblem(device, detail::ConvFilterGradient<T, T>(g, 1, input, gradient, output));
  Scratch scratch(*device.allocator, detail::ScratchBytes<Sum>(parts * elements));
  TENON_RETURN_IF_ERROR(scratch.status("ConvBackpropFilter"));
  Sum* const sums = scratch.As<Sum>();
  TENON_RETURN_IF_ERROR(
      detail::RunConvProblem(device, detail::ConvFilterGradient<T, Sum>(g, parts, input, gradient, sums)));
  return ForEach(device, elements, detail::AddPartsBody<T, Sum>{sums, elements, parts, output});
}

TENON_DETAIL_NAMESPACE_END
