// SPDX-License-Identifier: Apache-2.0
#pragma once
// QuantizedConv2D, QuantizedMaxPool, QuantizedAvgPool: windows over images of 8-bit numbers.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/max_pool.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/gemm/int8.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/quantize/arithmetic.hpp>
#include <tenon/ops/quantize/ranges.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kConvFilters = ToSet(DataType::kQint8) | ToSet(DataType::kQuint8);

// The elements [begin, end) of the image that window position `at` looks at, and the window's first of them.
struct WindowPart {
  Index begin, end, first;
  WindowPart(const Window& w, Index at) {
    const Index start = at * w.stride - w.pad_before;
    begin = std::max<Index>(start, 0);
    end = std::min(start + w.size, w.input);
    first = begin - start;
  }
};

// One row of outputs: images [n, h, w, in], filter [fh, fw, in, out] of bytes, both less their zeros.
template <class F>
void ConvolveQuantizedRow(const PoolGeometry& g, const std::uint8_t* image, std::int32_t zero, const F* filter,
                          std::int32_t filter_zero, Index out_depth, Index row, std::int32_t* out) {
  const WindowPart rows(g.rows, row);
  for (Index c = 0; c < g.columns.output; ++c, out += out_depth) {
    const WindowPart columns(g.columns, c);
    std::fill_n(out, out_depth, 0);
    for (Index y = rows.begin; y < rows.end; ++y) {
      for (Index x = columns.begin; x < columns.end; ++x) {
        const std::uint8_t* const pixel = image + (y * g.columns.input + x) * g.depth;
        const Index place = (rows.first + y - rows.begin) * g.columns.size + columns.first + x - columns.begin;
        const F* weights = filter + place * g.depth * out_depth;
        for (Index d = 0; d < g.depth; ++d, weights += out_depth) {
          const std::int32_t value = WrapSubtract(pixel[d], zero);
          for (Index o = 0; o < out_depth; ++o)
            out[o] = WrapSubtract(out[o], WrapMultiply(value, WrapSubtract(filter_zero, weights[o])));
        }
      }
    }
  }
}

// The bytes under a window, and `outside` for those that are not in the image: pixel number `pixel` of all outputs.
inline void CopyQuantizedWindow(const PoolGeometry& g, const std::uint8_t* images, int outside, Index pixel,
                                std::uint8_t* to) {
  const Index at_row = pixel / g.columns.output;
  const WindowPart rows(g.rows, at_row % g.rows.output), columns(g.columns, pixel % g.columns.output);
  const std::uint8_t* const image = images + at_row / g.rows.output * g.rows.input * g.columns.input * g.depth;
  const auto put = [&](Index elements) {
    if (elements > 0) std::memset(to, outside, static_cast<std::size_t>(elements));
    to += elements;
  };
  const Index window_row = g.columns.size * g.depth, inside = std::max<Index>(columns.end - columns.begin, 0) * g.depth,
              before = inside > 0 ? columns.first * g.depth : 0;
  put(rows.begin < rows.end ? rows.first * window_row : 0);
  for (Index y = rows.begin; y < rows.end; ++y) {
    put(before);
    if (inside > 0)
      std::memcpy(to, image + (y * g.columns.input + columns.begin) * g.depth, static_cast<std::size_t>(inside));
    to += inside;
    put(window_row - before - inside);
  }
  const Index done = rows.begin < rows.end ? rows.first + rows.end - rows.begin : 0;
  put((g.rows.size - done) * window_row);
}

// As ConvolveQuantizedRow for all rows: windows are copied beside each other and multiplied by the filter. `zero` is a
// byte.
inline Status MultiplyQuantizedWindows(Cpu& device, const PoolGeometry& g, const std::uint8_t* images,
                                       std::int32_t zero, const Int8Matrix& filter, Index out_depth,
                                       std::int32_t* out) {
  constexpr Index kMostBytes = 4 << 20, kFewestPixels = 64;  // limits for a piece
  const Index taps = g.rows.size * g.columns.size * g.depth, pixels = g.batch * g.rows.output * g.columns.output;
  const Index piece = std::min(pixels, std::max(kFewestPixels, kMostBytes / taps));
  const Scratch scratch(device, static_cast<std::size_t>(piece * taps));
  TENON_RETURN_IF_ERROR(scratch.status("QuantizedConv2D"));
  auto* const windows = scratch.As<std::uint8_t>();
  for (Index first = 0; first < pixels; first += piece) {
    const Index count = std::min(piece, pixels - first);
    ParallelFor(device, count, 20 + 0.1 * static_cast<double>(taps), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) CopyQuantizedWindow(g, images, zero, first + i, windows + i * taps);
    });
    TENON_RETURN_IF_ERROR(GemmInt8(device, count, out_depth, taps, {windows, false, taps, 1, zero}, filter,
                                   out + first * out_depth, out_depth));
  }
  return OkStatus();
}

inline Status RunQuantizedConv(OpKernelContext& context, Cpu& device, std::span<const std::int64_t> strides,
                               Padding padding) {
  constexpr const char* kOp = "QuantizedConv2D";
  const Tensor &images = context.input(0), &filter = context.input(1);
  QuantizedRange in, weights;
  PoolGeometry g;
  Tensor* out = nullptr;
  if (images.dims() != 4) return errors::InvalidArgument(kOp, ": input must be rank 4 but is rank ", images.dims());
  if (filter.dims() != 4) return errors::InvalidArgument(kOp, ": filter must be rank 4 but is rank ", filter.dims());
  TENON_RETURN_IF_ERROR(in.Read(context, 2, "input"));
  TENON_RETURN_IF_ERROR(weights.Read(context, 4, "filter"));
  const Index out_depth = filter.dim_size(3);
  if (images.dim_size(3) != filter.dim_size(2))
    return errors::InvalidArgument(kOp, ": input and filter must have the same depth: ", images.dim_size(3), " vs ",
                                   filter.dim_size(2));
  if (images.NumElements() == 0)
    return errors::InvalidArgument(kOp, ": Invalid input: Shapes dimension cannot be 0, got ", images.shape());
  if (filter.NumElements() == 0) return errors::InvalidArgument(kOp, ": filter must not be empty: ", filter.shape());
  const Index ksize[] = {1, filter.dim_size(0), filter.dim_size(1), 1};
  TENON_RETURN_IF_ERROR(MakePoolGeometry(images.shape(), ksize, strides, padding, {}, &g));
  const Index sizes[] = {g.batch, g.rows.output, g.columns.output, out_depth};
  TensorShape shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  const Index rows = g.batch * g.rows.output, row = g.columns.output * out_depth;
  const std::int32_t zero = ZeroOf(images.dtype(), in), filter_zero = ZeroOf(filter.dtype(), weights);
  const Index image = g.rows.input * g.columns.input * g.depth;
  const double cost = static_cast<double>(filter.NumElements() * g.columns.output);
  if (zero >= 0 && zero <= 255) {
    if (shape.num_elements() > 0)
      TENON_RETURN_IF_ERROR(
          MultiplyQuantizedWindows(device, g, static_cast<const std::uint8_t*>(images.raw_data()), zero,
                                   {filter.raw_data(), filter.dtype() == DataType::kQint8, out_depth, 1, filter_zero},
                                   out_depth, static_cast<std::int32_t*>(out->raw_data())));
  } else if (shape.num_elements() > 0) {
    ParallelFor(device, rows, cost, [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) {
        const auto* const from = static_cast<const std::uint8_t*>(images.raw_data()) + r / g.rows.output * image;
        auto* const to = static_cast<std::int32_t*>(out->raw_data()) + r * row;
        if (filter.dtype() == DataType::kQint8)
          ConvolveQuantizedRow(g, from, zero, static_cast<const std::int8_t*>(filter.raw_data()), filter_zero,
                               out_depth, r % g.rows.output, to);
        else
          ConvolveQuantizedRow(g, from, zero, static_cast<const std::uint8_t*>(filter.raw_data()), filter_zero,
                               out_depth, r % g.rows.output, to);
      }
    });
  }
  return RangeOfBytesProduct(images, in, filter, weights).Write(context, 1);
}

struct QuantizedPoolAttrs {
  std::span<const std::int64_t> ksize, strides;
  std::string_view padding;
};

// The largest of each window, or its mean, towards 0.
inline Status RunQuantizedPool(OpKernelContext& context, const QuantizedPoolAttrs& a, bool mean) {
  const Tensor& images = context.input(0);
  QuantizedRange range;
  Padding padding{};
  PoolGeometry g;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(ParsePadding(a.padding, &padding));
  TENON_RETURN_IF_ERROR(range.Read(context, 1, "input"));
  TENON_RETURN_IF_ERROR(MakePoolGeometry(images.shape(), a.ksize, a.strides, padding, {}, &g));
  if (mean && g.depth_window > 1)
    return errors::Unimplemented(
        "Avgpooling supports exactly one of pooling across depth or pooling across "
        "width/height.");
  TENON_RETURN_IF_ERROR(context.allocate_output(0, g.output_shape(), &out));
  const DataType type = images.dtype();
  const Index out_depth = g.depth / g.depth_window;
  for (Index i = 0; i < out->NumElements(); ++i) {
    const Index d = i % out_depth, pixel = i / out_depth, c = pixel % g.columns.output;
    const Index r = pixel / g.columns.output % g.rows.output, n = pixel / g.columns.output / g.rows.output;
    const WindowPart rows(g.rows, r), columns(g.columns, c);
    std::int32_t most = -128, sum = 0, count = 0;
    for (Index y = rows.begin; y < rows.end; ++y)
      for (Index x = columns.begin; x < columns.end; ++x)
        for (Index k = 0; k < g.depth_window; ++k, ++count) {
          const Index at = ((n * g.rows.input + y) * g.columns.input + x) * g.depth + d * g.depth_window + k;
          const std::int32_t value = LoadQuantized(images.raw_data(), type, at);
          most = std::max(most, value);
          sum += value;
        }
    StoreQuantized(!mean ? most : count == 0 ? 0 : sum / count, out->raw_data(), type, i);
  }
  return range.Write(context, 1);
}

template <bool mean>
struct QuantizedPoolKernel : QuantizedPoolAttrs {
  Status Init(OpKernelConstruction& c) const {
    TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(0), ToSet(DataType::kQint8) | ToSet(DataType::kQuint8)));
    return CheckPoolAttrs(this->ksize, this->strides, Padding::kValid, {});
  }
  Status operator()(Context<Cpu>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&, Tensor&,
                    Tensor&) const {
    return RunQuantizedPool(context.op(), *this, mean);
  }
};

}  // namespace detail

// input: [n, h, w, in], filter: [fh, fw, in, out]  ->  [n, oh, ow, out]
struct QuantizedConv2D {
  static constexpr auto signature = Op("QuantizedConv2D")
                                        .Input("input: Tinput")
                                        .Input("filter: Tfilter")
                                        .Input("min_input: float")
                                        .Input("max_input: float")
                                        .Input("min_filter: float")
                                        .Input("max_filter: float")
                                        .Output("output: out_type")
                                        .Output("min_output: float")
                                        .Output("max_output: float")
                                        .Attr("Tinput: quantizedtype")
                                        .Attr("Tfilter: quantizedtype")
                                        .Attr("out_type: quantizedtype = DT_QINT32")
                                        .Attr("strides: list(int)")
                                        .Attr("padding: {'SAME', 'VALID'}")
                                        .Attr("dilations: list(int) = [1, 1, 1, 1]")
                                        .SetShapeFn(shape_inference::QuantizedConv2DShape);
  struct Attrs {
    std::span<const std::int64_t> strides;
    std::string_view padding;
    std::span<const std::int64_t> dilations;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(detail::ServeBytes(c, ToSet(DataType::kQuint8), detail::kConvFilters));
      if (this->strides.size() != 4)
        return errors::InvalidArgument("Sliding window strides field must specify 4 dimensions");
      if (this->strides[1] != this->strides[2])
        return errors::InvalidArgument(
            "Current implementation only supports equal length strides in the row and column dimensions.");
      if (this->strides[0] != 1 || this->strides[3] != 1)
        return errors::InvalidArgument(
            "Current implementation does not yet support strides in the batch and depth dimensions.");
      if (this->dilations.size() != 4) return errors::InvalidArgument("Dilations field must specify 4 dimensions");
      if (this->dilations[1] != 1 || this->dilations[2] != 1)
        return errors::InvalidArgument(
            "Current implementation only supports dilated rate as 1 in the row and column dimensions.");
      if (this->dilations[0] != 1 || this->dilations[3] != 1)
        return errors::InvalidArgument(
            "Current implementation does not yet support dilations in the batch and depth dimensions.");
      return ParsePadding(this->padding, &kind);
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunQuantizedConv(context.op(), context.device(), this->strides, kind);
    }
    Padding kind;
  };
};

struct QuantizedMaxPool {
  static constexpr auto signature = Op("QuantizedMaxPool")
                                        .Input("input: T")
                                        .Input("min_input: float")
                                        .Input("max_input: float")
                                        .Output("output: T")
                                        .Output("min_output: float")
                                        .Output("max_output: float")
                                        .Attr("T: quantizedtype")
                                        .Attr("ksize: list(int)")
                                        .Attr("strides: list(int)")
                                        .Attr("padding: {'SAME', 'VALID'}")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          TENON_RETURN_IF_ERROR(shape_inference::MaxPoolShape(c));
                                          return detail::ScalarRanges(c, 1, 2);
                                        });
  using Attrs = detail::QuantizedPoolAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::QuantizedPoolKernel<false>;
};

struct QuantizedAvgPool {
  static constexpr auto signature = Op("QuantizedAvgPool")
                                        .Input("input: T")
                                        .Input("min_input: float")
                                        .Input("max_input: float")
                                        .Output("output: T")
                                        .Output("min_output: float")
                                        .Output("max_output: float")
                                        .Attr("T: quantizedtype")
                                        .Attr("ksize: list(int)")
                                        .Attr("strides: list(int)")
                                        .Attr("padding: {'SAME', 'VALID'}")
                                        .SetShapeFn(shape_inference::QuantizedAvgPoolShape);
  using Attrs = detail::QuantizedPoolAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::QuantizedPoolKernel<true>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
