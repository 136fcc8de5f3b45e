// SPDX-License-Identifier: Apache-2.0
#pragma once
// DepthwiseConv2dNative and its gradients: every channel is convolved with filters of its own.

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/window.hpp>
#include <tenon/engine/conv/depthwise.hpp>
#include <tenon/engine/conv/depthwise_gradient.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/float_tensors.hpp>
#include <tenon/ops/nn/conv_gradient.hpp>
#include <tenon/ops/nn/pool_average.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_COLD_CODE_BEGIN
// gradient: null for the convolution itself. The errors are those of TensorFlow.
template <class Device>
Status MakeDepthwiseGeometry(std::string_view op, const ConvGradientAttrs& a, const TensorShape& images,
                             const TensorShape& filter, const TensorShape* image_gradient,
                             DepthwiseGeometry* geometry) {
  const bool channels_first = a.data_format == "NCHW";
  const TensorShape input = ShapeInOrderOfNhwc(channels_first, images),
                    ordered_gradient =
                        image_gradient == nullptr ? TensorShape() : ShapeInOrderOfNhwc(channels_first, *image_gradient);
  const TensorShape* const gradient = image_gradient == nullptr ? nullptr : &ordered_gradient;
  const InOrderOfNhwc ordered_strides(channels_first, a.strides),
      ordered_paddings(channels_first, a.explicit_paddings, 2);
  const Span<const Index> strides = ordered_strides, paddings = ordered_paddings;
  if (strides.size() != 4)
    return errors::InvalidArgument(op, ": Sliding window strides field must specify 4 dimensions");
  if (!TakesImageFormat<Device>(a.data_format))
    return errors::Unimplemented(op, ": Depthwise convolution on CPU is only supported for NHWC format, got ",
                                 a.data_format);
  if (strides[1] != strides[2])
    return errors::InvalidArgument(
        op, ": Current implementation only supports equal length strides in the row and column dimensions, got ",
        strides[1], " and ", strides[2]);
  if (strides[0] != 1 || strides[3] != 1)
    return errors::InvalidArgument(
        op, ": Current implementation does not yet support strides in the batch and depth dimensions.");
  // As in TensorFlow, whose gradients do not look at dilations.
  for (const std::int64_t d : a.dilations)
    if (d != 1 && gradient == nullptr)
      return errors::Unimplemented(op, ": Current kernel implementation does not support dilations, received ", d);
  Padding padding{};
  TENON_RETURN_IF_ERROR(ParsePadding(a.padding, &padding));
  TENON_RETURN_IF_ERROR(CheckValidPadding(padding, paddings, 4, TensorFormat::kNHWC));
  if (input.dims() != 4) return errors::InvalidArgument(op, ": input must be 4-dimensional", input);
  if (filter.dims() != 4) return errors::InvalidArgument(op, ": filter must be 4-dimensional: ", filter);
  if (gradient != nullptr && gradient->dims() != 4)
    return errors::InvalidArgument(op, ": out_backprop must be 4-dimensional: ", *gradient);
  DepthwiseGeometry g;
  g.channels_first = channels_first;
  g.batch = input.dim_size(0);
  g.depth = input.dim_size(3);
  g.multiplier = filter.dim_size(3);
  if (filter.dim_size(2) != g.depth)
    return errors::InvalidArgument(op, ": input and filter must have the same depth: ", g.depth, " vs ",
                                   filter.dim_size(2));
  if (MultiplyWithoutOverflow(g.depth, g.multiplier) < 0)
    return errors::InvalidArgument(op, ": the output's depth ", g.depth, " x ", g.multiplier, " overflows");
  if (gradient != nullptr) {
    if (gradient->dim_size(0) != g.batch)
      return errors::InvalidArgument(op, ": input and out_backprop must have the same batch size: ", g.batch, " vs ",
                                     gradient->dim_size(0));
    if (gradient->dim_size(3) != g.out_depth())
      return errors::InvalidArgument(op, ": depth_multiplier * in_depth not equal to out_depth: ", g.out_depth(),
                                     " vs ", gradient->dim_size(3));
  }
  Window* const windows[] = {&g.rows, &g.columns};
  for (int i = 0; i < 2; ++i) {
    const auto at = static_cast<std::size_t>(i + 1);
    *windows[i] = {.input = input.dim_size(i + 1), .size = filter.dim_size(i), .stride = strides[at]};
    if (padding == Padding::kExplicit) {
      windows[i]->pad_before = paddings[2 * at];
      windows[i]->pad_after = paddings[2 * at + 1];
    }
    TENON_RETURN_IF_ERROR(gradient == nullptr
                              ? PlaceWindow(padding, windows[i])
                              : PlaceGradient(op, i + 1, padding, gradient->dim_size(i + 1), windows[i]));
  }
  *geometry = g;
  return OkStatus();
}
TENON_DETAIL_COLD_CODE_END

enum class DepthwiseTask { kForward, kInput, kFilter };

// a, b: input and filter; filter and gradient; or input and gradient. A program has the engines of its own tasks and
// types alone.
template <DepthwiseTask kTask, class T, class Device>
Status RunDepthwise(OpKernelContext& context, Device& device, const DepthwiseGeometry& g, const Tensor& a,
                    const Tensor& b, const TensorShape& shape) {
  using C = FloatOn<Device, T>;
  FloatInput first, second;
  FloatOutput out;
  TENON_RETURN_IF_ERROR(out.Make(context, device, 0, shape));
  TENON_RETURN_IF_ERROR(first.Read(context, device, a));
  TENON_RETURN_IF_ERROR(second.Read(context, device, b));
  if constexpr (kTask == DepthwiseTask::kForward)
    TENON_RETURN_IF_ERROR(DepthwiseConv2D(device, g, first.As<C>(), second.As<C>(), out.As<C>()));
  else if constexpr (kTask == DepthwiseTask::kInput)
    TENON_RETURN_IF_ERROR(DepthwiseConv2DBackpropInput(device, g, first.As<C>(), second.As<C>(), out.As<C>()));
  else
    TENON_RETURN_IF_ERROR(DepthwiseConv2DBackpropFilter(device, g, first.As<C>(), second.As<C>(), out.As<C>()));
  out.Finish(device);
  return OkStatus();
}

}  // namespace detail

// input: [n, h, w, c]  filter: [fh, fw, c, m]  ->  [n, oh, ow, c * m]
struct DepthwiseConv2dNative {
  static constexpr auto signature = Op("DepthwiseConv2dNative")
                                        .Input("input: T")
                                        .Input("filter: T")
                                        .Output("output: T")
                                        .Attr("T: {half, bfloat16, float, double}")
                                        .Attr("strides: list(int)")
                                        .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
                                        .Attr("explicit_paddings: list(int) = []")
                                        .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                                        .Attr("dilations: list(int) = [1, 1, 1, 1]")
                                        .SetShapeFn(shape_inference::DepthwiseConv2DNativeShape);
  using Attrs = detail::ConvGradientAttrs;

  template <class Device, class T>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, const Tensor& filter, Tensor&) const {
      DepthwiseGeometry g;
      TENON_RETURN_IF_ERROR(detail::MakeDepthwiseGeometry<Device>("DepthwiseConv2dNative", *this, input.shape(),
                                                                  filter.shape(), nullptr, &g));
      const Index last[] = {g.batch, g.rows.output, g.columns.output, g.out_depth()},
                  first[] = {g.batch, g.out_depth(), g.rows.output, g.columns.output};
      TensorShape shape;
      TENON_RETURN_IF_ERROR(TensorShape::Build(g.channels_first ? first : last, &shape));
      return detail::RunDepthwise<detail::DepthwiseTask::kForward, T>(context.op(), context.device(), g, input, filter,
                                                                      shape);
    }
  };
};

// input_sizes: [n, h, w, c] as values
struct DepthwiseConv2dNativeBackpropInput {
  static constexpr auto signature =
      Op("DepthwiseConv2dNativeBackpropInput")
          .Input("input_sizes: int32")
          .Input("filter: T")
          .Input("out_backprop: T")
          .Output("output: T")
          .Attr("T: {half, bfloat16, float, double}")
          .Attr("strides: list(int)")
          .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
          .Attr("explicit_paddings: list(int) = []")
          .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
          .Attr("dilations: list(int) = [1, 1, 1, 1]")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::ShapeFromInput(c, 0, 4); });
  using Attrs = detail::ConvGradientAttrs;

  template <class Device, class T>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, HostIndices input_sizes, const Tensor& filter,
                      const Tensor& out_backprop, Tensor&) const {
      constexpr std::string_view kName = "DepthwiseConv2DBackpropInput";
      TensorShape shape;
      TENON_RETURN_IF_ERROR(detail::ShapeFromValues(kName, "input_sizes", input_sizes, 4, &shape));
      DepthwiseGeometry g;
      TENON_RETURN_IF_ERROR(
          detail::MakeDepthwiseGeometry<Device>(kName, *this, shape, filter.shape(), &out_backprop.shape(), &g));
      return detail::RunDepthwise<detail::DepthwiseTask::kInput, T>(context.op(), context.device(), g, filter,
                                                                    out_backprop, shape);
    }
  };
};

// filter_sizes: [fh, fw, c, m] as values
struct DepthwiseConv2dNativeBackpropFilter {
  static constexpr auto signature =
      Op("DepthwiseConv2dNativeBackpropFilter")
          .Input("input: T")
          .Input("filter_sizes: int32")
          .Input("out_backprop: T")
          .Output("output: T")
          .Attr("T: {half, bfloat16, float, double}")
          .Attr("strides: list(int)")
          .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
          .Attr("explicit_paddings: list(int) = []")
          .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
          .Attr("dilations: list(int) = [1, 1, 1, 1]")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::ShapeFromInput(c, 1, 4); });
  using Attrs = detail::ConvGradientAttrs;

  template <class Device, class T>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices filter_sizes,
                      const Tensor& out_backprop, Tensor&) const {
      constexpr std::string_view kName = "DepthwiseConv2DBackpropFilter";
      TensorShape shape;
      TENON_RETURN_IF_ERROR(detail::ShapeFromValues(kName, "filter_sizes", filter_sizes, 4, &shape));
      DepthwiseGeometry g;
      TENON_RETURN_IF_ERROR(
          detail::MakeDepthwiseGeometry<Device>(kName, *this, input.shape(), shape, &out_backprop.shape(), &g));
      return detail::RunDepthwise<detail::DepthwiseTask::kFilter, T>(context.op(), context.device(), g, input,
                                                                     out_backprop, shape);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
