// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conv2DBackpropInput and Conv2DBackpropFilter: the gradients of Conv2D; the first is also the transposed convolution.

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/window.hpp>
#include <tenon/engine/conv/conv_gradient.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/float_tensors.hpp>
#include <tenon/ops/nn/conv.hpp>
#include <tenon/ops/nn/pool_average.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct ConvGradientAttrs {
  std::span<const std::int64_t> strides, explicit_paddings, dilations;
  std::string_view padding, data_format;
};

using shape_inference::Conv2DBackpropInputShape;

// One dimension of a gradient: the output size that input and filter would give must be the gradient's.
inline Status PlaceGradient(std::string_view op, int dimension, Padding padding, Index got, Window* w) {
  TENON_RETURN_IF_ERROR(PlaceWindow(padding, w));
  if (w->output == got) return OkStatus();
  return errors::InvalidArgument(op, ": Size of out_backprop doesn't match computed: actual = ", got,
                                 ", computed = ", w->output, " spatial_dim: ", dimension, " input: ", w->input,
                                 " filter: ", w->size, " output: ", got, " stride: ", w->stride,
                                 " dilation: ", w->dilation);
}

TENON_DETAIL_COLD_CODE_BEGIN
// Fills in all but the data. The errors are those of TensorFlow, which has another code for strides and dilations of
// batch and depth in either gradient.
template <class Device>
Status ConvGradientGeometry(std::string_view op, Code code, const ConvGradientAttrs& a, const TensorShape& images,
                            const TensorShape& filter, const TensorShape& image_gradient, Conv3DGeometry* geometry) {
  if (!TakesImageFormat<Device>(a.data_format))
    return errors::InvalidArgument(op, "Op only supports NHWC, got ", a.data_format);
  const bool channels_first = a.data_format == "NCHW";
  const TensorShape input = ShapeInOrderOfNhwc(channels_first, images),
                    gradient = ShapeInOrderOfNhwc(channels_first, image_gradient);
  const InOrderOfNhwc ordered_strides(channels_first, a.strides), ordered_dilations(channels_first, a.dilations),
      ordered_paddings(channels_first, a.explicit_paddings, 2);
  const Span<const Index> strides = ordered_strides, dilations = ordered_dilations, paddings = ordered_paddings;
  if (strides.size() != 4)
    return errors::InvalidArgument(op, ": Sliding window strides field must specify 4 dimensions");
  if (strides[0] != 1 || strides[3] != 1)
    return Status(
        code, StrCat(op, ": Current implementation does not yet support strides in the batch and depth dimensions."));
  if (strides[1] <= 0 || strides[2] <= 0)
    return errors::InvalidArgument(op, ": Row and column strides should be larger than 0.");
  if (dilations.size() != 4)
    return errors::InvalidArgument(op, ": Sliding window dilations field must specify 4 dimensions");
  if (dilations[0] != 1 || dilations[3] != 1)
    return Status(
        code, StrCat(op, ": Current implementation does not yet support dilations in the batch and depth dimensions."));
  if (dilations[1] != 1 || dilations[2] != 1)
    return errors::InvalidArgument(op,
                                   ": Current CPU implementations do not yet support dilation rates larger than 1.");
  Padding padding{};
  TENON_RETURN_IF_ERROR(ParsePadding(a.padding, &padding));
  TENON_RETURN_IF_ERROR(CheckValidPadding(padding, paddings, 4, TensorFormat::kNHWC));
  if (input.dims() != 4) return errors::InvalidArgument(op, ": input must be 4-dimensional, got ", input);
  if (filter.dims() != 4) return errors::InvalidArgument(op, ": filter must be 4-dimensional, got ", filter);
  if (gradient.dims() != 4) return errors::InvalidArgument(op, ": out_backprop must be 4-dimensional, got ", gradient);
  if (input.dim_size(0) != gradient.dim_size(0))
    return errors::InvalidArgument(op, ": input and out_backprop must have the same batch size. Input batch: ",
                                   input.dim_size(0), ", outbackprop batch: ", gradient.dim_size(0), ", batch_dim: 0");
  Conv3DGeometry g;
  g.channels_first = channels_first;
  g.batch = input.dim_size(0);
  g.in_depth = input.dim_size(3);
  g.out_depth = gradient.dim_size(3);
  const Index filter_depth = filter.dim_size(2);
  if (filter_depth <= 0) return errors::InvalidArgument(op, ": filter depth must be strictly positive, got ", filter);
  if (g.in_depth % filter_depth != 0)
    return errors::InvalidArgument(op, ": input depth must be evenly divisible by filter depth: ", g.in_depth, " vs ",
                                   filter_depth);
  if (filter.dim_size(3) != g.out_depth)
    return errors::InvalidArgument(op, ": filter and out_backprop must have the same out_depth: ", filter.dim_size(3),
                                   " vs ", g.out_depth);
  Window* const windows[] = {&g.rows, &g.columns};
  for (int i = 0; i < 2; ++i) {
    const auto at = static_cast<std::size_t>(i + 1);
    Window& w = *windows[i];
    w = {.input = input.dim_size(i + 1), .size = filter.dim_size(i), .stride = strides[at]};
    if (padding == Padding::kExplicit) {
      w.pad_before = paddings[2 * at];
      w.pad_after = paddings[2 * at + 1];
    }
    TENON_RETURN_IF_ERROR(PlaceGradient(op, i + 1, padding, gradient.dim_size(i + 1), &w));
  }
  if (g.in_depth != filter_depth)
    return errors::InvalidArgument(op,
                                   ": Gradients for grouped convolutions are not supported on CPU. Computed input "
                                   "depth ",
                                   g.in_depth, " doesn't match filter input depth ", filter_depth);
  *geometry = g;
  return OkStatus();
}
TENON_DETAIL_COLD_CODE_END

// Convolutions and their gradients are worked on as float where the elements are half or bfloat16.
template <class T>
using ConvComputeType = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16>, float, T>;
template <class Device, class T>
using ConvolutionOf = Status (*)(Device& device, const Conv3DGeometry& g, const T* a, const T* b, T* output);

// `run` of the two inputs, whose geometry is checked; `shape` is the output's.
template <class T, class Device>
Status RunConvolution(OpKernelContext& context, Device& device, const Conv3DGeometry& g,
                      std::type_identity_t<ConvolutionOf<Device, T>> run, const Tensor& first, const Tensor& second,
                      const TensorShape& shape) {
  FloatInput a, b;
  FloatOutput out;
  TENON_RETURN_IF_ERROR(out.Make(context, device, 0, shape));
  TENON_RETURN_IF_ERROR(a.Read(context, device, first));
  TENON_RETURN_IF_ERROR(b.Read(context, device, second));
  TENON_RETURN_IF_ERROR(run(device, g, a.As<T>(), b.As<T>(), out.As<T>()));
  out.Finish(device);
  return OkStatus();
}

}  // namespace detail

// input_sizes: [n, h, w, c] or [h, w] as values, filter: [fh, fw, c, k], out_backprop: [n, oh, ow, k]  ->  [n, h, w, c]
struct Conv2DBackpropInput {
  static constexpr auto signature = Op("Conv2DBackpropInput")
                                        .Input("input_sizes: int32")
                                        .Input("filter: T")
                                        .Input("out_backprop: T")
                                        .Output("output: T")
                                        .Attr("T: {half, bfloat16, float, double, int32}")
                                        .Attr("strides: list(int)")
                                        .Attr("use_cudnn_on_gpu: bool = true")
                                        .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
                                        .Attr("explicit_paddings: list(int) = []")
                                        .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                                        .Attr("dilations: list(int) = [1, 1, 1, 1]")
                                        .SetShapeFn(detail::Conv2DBackpropInputShape);
  using Attrs = detail::ConvGradientAttrs;
  static constexpr std::string_view unused[] = {"use_cudnn_on_gpu"};

  template <class Device, class T>
  struct kernel : Attrs, detail::HasAlgorithm<Device> {
    Status operator()(Context<Device>& context, HostIndices input_sizes, const Tensor& filter,
                      const Tensor& out_backprop, Tensor&) const {
      using C = FloatOn<Device, T>;
      TensorShape shape;
      Conv3DGeometry g;
      TENON_RETURN_IF_ERROR(Place<Device>(*this, input_sizes, filter.shape(), out_backprop.shape(), &shape, &g));
      g.algorithm = this->algorithm;
      return detail::RunConvolution<C>(context.op(), context.device(), g, &ConvBackpropInput<C>, filter, out_backprop,
                                       shape);
    }
  };

 private:
  template <class Device>
  static Status Place(const Attrs& attrs, const HostIndices& input_sizes, const TensorShape& filter,
                      const TensorShape& out_backprop, TensorShape* shape, Conv3DGeometry* geometry) {
    constexpr std::string_view kName = "Conv2DCustomBackpropInput";
    if (input_sizes.shape().dims() == 1 && input_sizes.size() == 2 && filter.dims() == 4 && out_backprop.dims() == 4) {
      const Index rows = input_sizes[0], columns = input_sizes[1];
      if (rows < 0 || columns < 0)
        return errors::InvalidArgument(kName, ": Dimension must be >= 0, got ", rows, " and ", columns);
      const Index batch = out_backprop.dim_size(0), depth = filter.dim_size(2);
      const Index last[] = {batch, rows, columns, depth}, first[] = {batch, depth, rows, columns};
      TENON_RETURN_IF_ERROR(TensorShape::Build(attrs.data_format == "NCHW" ? first : last, shape));
    } else {
      TENON_RETURN_IF_ERROR(detail::ShapeFromValues(kName, "input_sizes", input_sizes, 4, shape));
    }
    return detail::ConvGradientGeometry<Device>(kName, Code::kUnimplemented, attrs, *shape, filter, out_backprop,
                                                geometry);
  }
};

// input: [n, h, w, c], filter_sizes: [fh, fw, c, k] as values, out_backprop: [n, oh, ow, k]  ->  [fh, fw, c, k]
struct Conv2DBackpropFilter {
  static constexpr auto signature =
      Op("Conv2DBackpropFilter")
          .Input("input: T")
          .Input("filter_sizes: int32")
          .Input("out_backprop: T")
          .Output("output: T")
          .Attr("T: {half, bfloat16, float, double}")
          .Attr("strides: list(int)")
          .Attr("use_cudnn_on_gpu: bool = true")
          .Attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
          .Attr("explicit_paddings: list(int) = []")
          .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
          .Attr("dilations: list(int) = [1, 1, 1, 1]")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::ShapeFromInput(c, 1, 4); });
  using Attrs = detail::ConvGradientAttrs;
  static constexpr std::string_view unused[] = {"use_cudnn_on_gpu"};

  template <class Device, class T>
  struct kernel : Attrs, detail::HasAlgorithm<Device> {
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices filter_sizes,
                      const Tensor& out_backprop, Tensor&) const {
      using C = FloatOn<Device, T>;
      constexpr std::string_view kName = "Conv2DCustomBackpropFilter";
      TensorShape shape;
      TENON_RETURN_IF_ERROR(detail::ShapeFromValues(kName, "filter_sizes", filter_sizes, 4, &shape));
      Conv3DGeometry g;
      TENON_RETURN_IF_ERROR(detail::ConvGradientGeometry<Device>(kName, Code::kInvalidArgument, *this, input.shape(),
                                                                 shape, out_backprop.shape(), &g));
      g.algorithm = this->algorithm;
      return detail::RunConvolution<C>(context.op(), context.device(), g, &ConvBackpropFilter<C>, input, out_backprop,
                                       shape);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
