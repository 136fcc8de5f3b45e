// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conv3D and its gradients.

#include <cstdint>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/window.hpp>
#include <tenon/engine/conv/conv3d.hpp>
#include <tenon/engine/conv/conv_gradient.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/float_tensors.hpp>
#include <tenon/ops/nn/conv_gradient.hpp>
#include <tenon/ops/nn/pool_average.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct Conv3DAttrs {
  std::span<const std::int64_t> strides, dilations;
  std::string_view padding, data_format;
};

using shape_inference::Conv3DShape;

// The attrs, as TensorFlow's kernels check them.
inline Status CheckConv3DAttrs(std::string_view op, const Conv3DAttrs& a) {
  if (a.strides.size() != 5)
    return errors::InvalidArgument(op, ": Sliding window strides field must specify 5 dimensions");
  if (a.strides[0] != 1 || a.strides[4] != 1)
    return errors::InvalidArgument(
        op, ": Current implementation does not yet support strides in the batch and depth dimensions.");
  if (a.strides[1] <= 0 || a.strides[2] <= 0 || a.strides[3] <= 0)
    return errors::InvalidArgument(op, ": Spatial strides should be larger than 0.");
  if (a.dilations.size() != 5) return errors::InvalidArgument(op, ": Dilation rates field must specify 5 dimensions");
  if (a.data_format != "NDHWC")
    return errors::InvalidArgument(
        op, ": CPU implementation of Conv3D currently only supports the NDHWC tensor format, got ", a.data_format);
  for (const std::int64_t d : a.dilations)
    if (d != 1)
      return errors::InvalidArgument(
          op, ": CPU implementation of Conv3D currently only supports dilated rates of 1, got ", d);
  return OkStatus();
}

// gradient: null for the convolution itself.
inline Status MakeConv3DGeometry(std::string_view op, const Conv3DAttrs& a, const TensorShape& input,
                                 const TensorShape& filter, const TensorShape* gradient, Conv3DGeometry* geometry) {
  TENON_RETURN_IF_ERROR(CheckConv3DAttrs(op, a));
  Padding padding{};
  TENON_RETURN_IF_ERROR(ParsePadding(a.padding, &padding));
  if (input.dims() != 5) return errors::InvalidArgument(op, ": input must be 5-dimensional, got ", input);
  if (filter.dims() != 5) return errors::InvalidArgument(op, ": filter must be 5-dimensional, got ", filter);
  if (gradient != nullptr && gradient->dims() != 5)
    return errors::InvalidArgument(op, ": out_backprop must be 5-dimensional, got ", *gradient);
  Conv3DGeometry g;
  g.batch = input.dim_size(0);
  g.in_depth = input.dim_size(4);
  g.out_depth = filter.dim_size(4);
  const Index filter_depth = filter.dim_size(3);
  if (filter_depth <= 0) return errors::InvalidArgument(op, ": filter depth must be strictly positive, got ", filter);
  if (g.in_depth == 0 && gradient == nullptr)
    return errors::InvalidArgument(op, ": Number of channels in filter (", filter_depth,
                                   ") must match last dimension of input (0)");
  if (g.in_depth % filter_depth != 0)
    return errors::InvalidArgument(op, ": Input depth must be evenly divisible by filter depth: ", g.in_depth, " vs ",
                                   filter_depth);
  for (const int i : {0, 1, 2, 4})
    if (filter.dim_size(i) <= 0 && gradient == nullptr)
      return errors::InvalidArgument(op, ": filter must not have zero elements (i.e. all dimensions must be non-zero)");
  g.groups = g.in_depth == 0 ? 1 : g.in_depth / filter_depth;
  if (g.out_depth % g.groups != 0)
    return errors::InvalidArgument(op, ": output depth must be evenly divisible by number of groups: ", g.out_depth,
                                   " vs ", g.groups);
  if (gradient != nullptr) {
    if (g.in_depth != filter_depth)
      return errors::InvalidArgument(op, ": Gradients for grouped convolutions are not supported on CPU. Input depth ",
                                     g.in_depth, " doesn't match filter input depth ", filter_depth);
    if (gradient->dim_size(0) != g.batch)
      return errors::InvalidArgument(op,
                                     ": input and out_backprop must have the same batch size. Input batch: ", g.batch,
                                     ", outbackprop batch: ", gradient->dim_size(0), ", batch_dim: 0");
    if (gradient->dim_size(4) != g.out_depth)
      return errors::InvalidArgument(op, ": filter and out_backprop must have the same out_depth: ", g.out_depth,
                                     " vs ", gradient->dim_size(4));
  }
  Window* const windows[] = {&g.planes, &g.rows, &g.columns};
  for (int i = 0; i < 3; ++i) {
    *windows[i] = {.input = input.dim_size(i + 1),
                   .size = filter.dim_size(i),
                   .stride = a.strides[static_cast<std::size_t>(i + 1)]};
    TENON_RETURN_IF_ERROR(gradient == nullptr
                              ? PlaceWindow(padding, windows[i])
                              : PlaceGradient(op, i + 1, padding, gradient->dim_size(i + 1), windows[i]));
    if (gradient == nullptr) CentreWindow(padding, windows[i]);
  }
  *geometry = g;
  return OkStatus();
}

// The gradient with respect to the input of this shape, or to the filter.
template <class T>
Status RunConv3DInputGradient(OpKernelContext& context, Cpu& device, const Conv3DAttrs& attrs, const TensorShape& shape,
                              const Tensor& filter, const Tensor& out_backprop) {
  Conv3DGeometry g;
  TENON_RETURN_IF_ERROR(
      MakeConv3DGeometry("Conv3DBackpropInputOp", attrs, shape, filter.shape(), &out_backprop.shape(), &g));
  using C = ConvComputeType<T>;
  return RunConvolution<C>(context, device, g, &ConvBackpropInput<C>, filter, out_backprop, shape);
}
template <class T>
Status RunConv3DFilterGradient(OpKernelContext& context, Cpu& device, const Conv3DAttrs& attrs, const Tensor& input,
                               const TensorShape& shape, const Tensor& out_backprop) {
  Conv3DGeometry g;
  TENON_RETURN_IF_ERROR(
      MakeConv3DGeometry("Conv3DBackpropFilterOp", attrs, input.shape(), shape, &out_backprop.shape(), &g));
  using C = ConvComputeType<T>;
  return RunConvolution<C>(context, device, g, &ConvBackpropFilter<C>, input, out_backprop, shape);
}

// Attrs of the gradients in graphs of version 9 and before.
struct Conv3DV1Attrs {
  std::span<const std::int64_t> strides, dilations;
  std::string_view padding;
  Conv3DAttrs Now() const {
    return {.strides = strides, .dilations = dilations, .padding = padding, .data_format = "NDHWC"};
  }
};

}  // namespace detail

// input: [n, d, h, w, c]  filter: [fd, fh, fw, c / groups, k]  ->  [n, od, oh, ow, k]
struct Conv3D {
  static constexpr auto signature = Op("Conv3D")
                                        .Input("input: T")
                                        .Input("filter: T")
                                        .Output("output: T")
                                        .Attr("T: {half, bfloat16, float, double}")
                                        .Attr("strides: list(int) >= 5")
                                        .Attr("padding: {'SAME', 'VALID'}")
                                        .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
                                        .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
                                        .SetShapeFn(detail::Conv3DShape);
  using Attrs = detail::Conv3DAttrs;

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, const Tensor& filter, Tensor&) const {
      Conv3DGeometry g;
      TENON_RETURN_IF_ERROR(detail::MakeConv3DGeometry("Conv3D", *this, input.shape(), filter.shape(), nullptr, &g));
      const Index sizes[] = {g.batch, g.planes.output, g.rows.output, g.columns.output, g.out_depth};
      TensorShape shape;
      TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
      using C = detail::ConvComputeType<T>;
      return detail::RunConvolution<C>(context.op(), context.device(), g, &tenon::Conv3D<C>, input, filter, shape);
    }
  };
};

// input_sizes: [n, d, h, w, c] as values
struct Conv3DBackpropInputV2 {
  static constexpr auto signature =
      Op("Conv3DBackpropInputV2")
          .Input("input_sizes: Tshape")
          .Input("filter: T")
          .Input("out_backprop: T")
          .Output("output: T")
          .Attr("T: {half, bfloat16, float, double}")
          .Attr("strides: list(int) >= 5")
          .Attr("padding: {'SAME', 'VALID'}")
          .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
          .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
          .Attr("Tshape: {int32, int64} = DT_INT32")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::ShapeFromInput(c, 0, 5); });
  using Attrs = detail::Conv3DAttrs;
  static constexpr auto kernel_types = TypeAttrs("T");

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, HostIndices input_sizes, const Tensor& filter,
                      const Tensor& out_backprop, Tensor&) const {
      TensorShape shape;
      TENON_RETURN_IF_ERROR(detail::ShapeFromValues("Conv3DBackpropInputOp", "input_sizes", input_sizes, 5, &shape));
      return detail::RunConv3DInputGradient<T>(context.op(), context.device(), *this, shape, filter, out_backprop);
    }
  };
};

// filter_sizes: [fd, fh, fw, c, k] as values
struct Conv3DBackpropFilterV2 {
  static constexpr auto signature =
      Op("Conv3DBackpropFilterV2")
          .Input("input: T")
          .Input("filter_sizes: int32")
          .Input("out_backprop: T")
          .Output("output: T")
          .Attr("T: {half, bfloat16, float, double}")
          .Attr("strides: list(int) >= 5")
          .Attr("padding: {'SAME', 'VALID'}")
          .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
          .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::ShapeFromInput(c, 1, 5); });
  using Attrs = detail::Conv3DAttrs;

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices filter_sizes,
                      const Tensor& out_backprop, Tensor&) const {
      TensorShape shape;
      TENON_RETURN_IF_ERROR(detail::ShapeFromValues("Conv3DBackpropFilterOp", "filter_sizes", filter_sizes, 5, &shape));
      return detail::RunConv3DFilterGradient<T>(context.op(), context.device(), *this, input, shape, out_backprop);
    }
  };
};

// The gradients of graphs of version 9 and before. Of `input` or `filter` only the shape counts.
struct Conv3DBackpropInput {
  static constexpr auto signature =
      Op("Conv3DBackpropInput")
          .Input("input: T")
          .Input("filter: T")
          .Input("out_backprop: T")
          .Output("output: T")
          .Attr("T: {half, float, double}")
          .Attr("strides: list(int) >= 5")
          .Attr("padding: {'SAME', 'VALID'}")
          .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
          .Deprecated(10, "Use Conv3DBackpropInputV2")
          .SetShapeFn([](InferenceContext* c) -> Status { return shape_inference::UnchangedShapeWithRank(c, 5); });
  using Attrs = detail::Conv3DV1Attrs;

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, const Tensor& filter, const Tensor& out_backprop,
                      Tensor&) const {
      const TensorShape shape = input.shape();
      return detail::RunConv3DInputGradient<T>(context.op(), context.device(), this->Now(), shape, filter,
                                               out_backprop);
    }
  };
};
struct Conv3DBackpropFilter {
  static constexpr auto signature = Op("Conv3DBackpropFilter")
                                        .Input("input: T")
                                        .Input("filter: T")
                                        .Input("out_backprop: T")
                                        .Output("output: T")
                                        .Attr("T: {half, float, double}")
                                        .Attr("strides: list(int) >= 5")
                                        .Attr("padding: {'SAME', 'VALID'}")
                                        .Attr("dilations: list(int) = [1, 1, 1, 1, 1]")
                                        .Deprecated(10, "Use Conv3DBackpropFilterV2")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle out;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 5, &out));
                                          c->set_output(0, out);
                                          return OkStatus();
                                        });
  using Attrs = detail::Conv3DV1Attrs;

  template <class Device, class T>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& input, const Tensor& filter, const Tensor& out_backprop,
                      Tensor&) const {
      const TensorShape shape = filter.shape();
      return detail::RunConv3DFilterGradient<T>(context.op(), context.device(), this->Now(), input, shape,
                                                out_backprop);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
