// SPDX-License-Identifier: Apache-2.0
#pragma once
// AvgPool3D and MaxPool3D, pools over volumes, and their gradients.

#include <cstdint>
#include <span>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/window.hpp>
#include <tenon/engine/conv/pool3d.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/float_tensors.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/nn/conv3d.hpp>
#include <tenon/ops/nn/pool_average.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr DataTypeSet kPool3DTypes = ToSet(DataType::kBfloat16) | ToSet(DataType::kFloat);

using shape_inference::Pool3DShape;

inline Status CheckPool3DAttrs(std::string_view op, const PoolAttrs& a) {
  if (a.data_format != "NDHWC")
    return errors::InvalidArgument(op, ": Default Pooling3DOp only supports NDHWC on CPU device type, got ",
                                   a.data_format);
  if (a.ksize.size() != 5) return errors::InvalidArgument(op, ": Sliding window ksize field must specify 5 dimensions");
  if (a.strides.size() != 5)
    return errors::InvalidArgument(op, ": Sliding window stride field must specify 5 dimensions");
  for (const std::int64_t k : a.ksize)
    if (k <= 0)
      return errors::InvalidArgument(op, ": Sliding window ksize must be positive. The specified ksize is: ", k);
  if (a.ksize[0] != 1 || a.strides[0] != 1)
    return errors::Unimplemented(op, ": Pooling is not yet supported on the batch dimension.");
  if (a.ksize[4] != 1 || a.strides[4] != 1)
    return errors::Unimplemented(op, ": Pooling is not yet supported on the depth dimension.");
  return OkStatus();
}

// From the input's shape, to which the output's belongs.
inline Status MakePool3DGeometry(std::string_view op, const PoolAttrs& a, const TensorShape& input,
                                 Pool3DGeometry* geometry, TensorShape* output) {
  TENON_RETURN_IF_ERROR(CheckPool3DAttrs(op, a));
  if (input.dims() != 5) return errors::InvalidArgument(op, ": tensor_in must be 5-dimensional, got ", input);
  Padding padding{};
  TENON_RETURN_IF_ERROR(ParsePadding(a.padding, &padding));
  Pool3DGeometry g;
  g.batch = input.dim_size(0);
  g.depth = input.dim_size(4);
  Window* const windows[] = {&g.planes, &g.rows, &g.columns};
  for (int i = 0; i < 3; ++i) {
    const auto at = static_cast<std::size_t>(i + 1);
    *windows[i] = {.input = input.dim_size(i + 1), .size = a.ksize[at], .stride = a.strides[at]};
    TENON_RETURN_IF_ERROR(PlaceWindow(padding, windows[i]));
  }
  *geometry = g;
  const Index sizes[] = {g.batch, g.planes.output, g.rows.output, g.columns.output, g.depth};
  return TensorShape::Build(sizes, output);
}

inline Status RunPool3D(OpKernelContext& context, Cpu& device, std::string_view op, const PoolAttrs& attrs,
                        bool average) {
  const Tensor& input = context.input(0);
  Pool3DGeometry g;
  TensorShape shape;
  TENON_RETURN_IF_ERROR(MakePool3DGeometry(op, attrs, input.shape(), &g, &shape));
  Padding padding{};
  TENON_RETURN_IF_ERROR(ParsePadding(attrs.padding, &padding));
  for (Window* const w : {&g.planes, &g.rows, &g.columns}) CentreWindow(padding, w);
  FloatInput in;
  FloatOutput out;
  TENON_RETURN_IF_ERROR(out.Make(context, 0, shape));
  TENON_RETURN_IF_ERROR(in.Read(context, device, input));
  if (out.size() > 0) Pool3D(device, g, average, in.As<float>(), out.As<float>());
  out.Finish(device);
  return OkStatus();
}

inline Status CheckPool3DGrad(std::string_view op, std::string_view what, const TensorShape& got,
                              const TensorShape& want) {
  if (got == want) return OkStatus();
  return errors::InvalidArgument(op, ": Expected ", what, " shape to be ", want, ", but got ", got);
}

}  // namespace detail

// input: [n, d, h, w, c]  ->  [n, od, oh, ow, c]; padding does not count
struct AvgPool3D {
  static constexpr auto signature = Op("AvgPool3D")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("ksize: list(int) >= 5")
                                        .Attr("strides: list(int) >= 5")
                                        .Attr("padding: {'SAME', 'VALID'}")
                                        .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
                                        .Attr("T: {half, bfloat16, float, double}")
                                        .SetShapeFn(detail::Pool3DShape);
  using Attrs = detail::PoolAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kPool3DTypes); }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&) const {
      return detail::RunPool3D(context.op(), context.device(), "AvgPool3D", *this, true);
    }
  };
};

struct MaxPool3D {
  static constexpr auto signature = Op("MaxPool3D")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("ksize: list(int) >= 5")
                                        .Attr("strides: list(int) >= 5")
                                        .Attr("padding: {'SAME', 'VALID'}")
                                        .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
                                        .Attr("T: {half, bfloat16, float}")
                                        .SetShapeFn(detail::Pool3DShape);
  using Attrs = detail::PoolAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kPool3DTypes); }
    Status operator()(Context<Device>& context, const Tensor&, Tensor&) const {
      return detail::RunPool3D(context.op(), context.device(), "MaxPool3D", *this, false);
    }
  };
};

// orig_input_shape: [n, d, h, w, c] as values
struct AvgPool3DGrad {
  static constexpr auto signature =
      Op("AvgPool3DGrad")
          .Input("orig_input_shape: int32")
          .Input("grad: T")
          .Output("output: T")
          .Attr("ksize: list(int) >= 5")
          .Attr("strides: list(int) >= 5")
          .Attr("padding: {'SAME', 'VALID'}")
          .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
          .Attr("T: {half, bfloat16, float, double}")
          .SetShapeFn([](InferenceContext* c) -> Status { return detail::ShapeFromInput(c, 0, 5); });
  using Attrs = detail::PoolAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), detail::kPool3DTypes); }
    Status operator()(Context<Device>& context, HostIndices orig_input_shape, const Tensor& grad, Tensor&) const {
      TensorShape shape, want;
      Pool3DGeometry g;
      TENON_RETURN_IF_ERROR(detail::CheckPool3DAttrs("AvgPool3DGrad", *this));
      TENON_RETURN_IF_ERROR(detail::ShapeFromValues("AvgPool3DGrad", "orig_input_shape", orig_input_shape, 5, &shape));
      TENON_RETURN_IF_ERROR(detail::MakePool3DGeometry("AvgPool3DGrad", *this, shape, &g, &want));
      if (grad.dims() != 5 || grad.dim_size(0) != g.batch || grad.dim_size(4) != g.depth)
        return detail::CheckPool3DGrad("AvgPool3DGrad", "grad", grad.shape(), want);
      TENON_RETURN_IF_ERROR(detail::PlaceGradient("AvgPool3DGrad", grad.dim_size(1), &g.planes));
      TENON_RETURN_IF_ERROR(detail::PlaceGradient("AvgPool3DGrad", grad.dim_size(2), &g.rows));
      TENON_RETURN_IF_ERROR(detail::PlaceGradient("AvgPool3DGrad", grad.dim_size(3), &g.columns));
      FloatInput dy;
      FloatOutput dx;
      TENON_RETURN_IF_ERROR(dx.Make(context.op(), 0, shape));
      TENON_RETURN_IF_ERROR(dy.Read(context.op(), context.device(), grad));
      tenon::AvgPool3DGrad(context.device(), g, dy.template As<float>(), dx.template As<float>());
      dx.Finish(context.device());
      return OkStatus();
    }
  };
};

// orig_input, orig_output: what MaxPool3D read and made
struct MaxPool3DGrad {
  static constexpr auto signature =
      Op("MaxPool3DGrad")
          .Input("orig_input: TInput")
          .Input("orig_output: TInput")
          .Input("grad: T")
          .Output("output: T")
          .Attr("ksize: list(int) >= 5")
          .Attr("strides: list(int) >= 5")
          .Attr("padding: {'SAME', 'VALID'}")
          .Attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
          .Attr("T: {half, bfloat16, float} = DT_FLOAT")
          .Attr("TInput: {half, bfloat16, float} = DT_FLOAT")
          .SetShapeFn([](InferenceContext* c) -> Status { return shape_inference::UnchangedShapeWithRank(c, 5); });
  using Attrs = detail::PoolAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(0), detail::kPool3DTypes));
      return ServeOnly(c, c.input_type(2), ToSet(c.input_type(0)));
    }
    Status operator()(Context<Device>& context, const Tensor& orig_input, const Tensor& orig_output, const Tensor& grad,
                      Tensor&) const {
      TensorShape want;
      Pool3DGeometry g;
      TENON_RETURN_IF_ERROR(detail::MakePool3DGeometry("MaxPool3DGrad", *this, orig_input.shape(), &g, &want));
      TENON_RETURN_IF_ERROR(detail::CheckPool3DGrad("MaxPool3DGrad", "orig_output", orig_output.shape(), want));
      TENON_RETURN_IF_ERROR(detail::CheckPool3DGrad("MaxPool3DGrad", "grad", grad.shape(), want));
      FloatInput x, y, dy;
      FloatOutput dx;
      TENON_RETURN_IF_ERROR(dx.Make(context.op(), 0, orig_input.shape()));
      TENON_RETURN_IF_ERROR(x.Read(context.op(), context.device(), orig_input));
      TENON_RETURN_IF_ERROR(y.Read(context.op(), context.device(), orig_output));
      TENON_RETURN_IF_ERROR(dy.Read(context.op(), context.device(), grad));
      tenon::MaxPool3DGrad(context.device(), g, x.template As<float>(), y.template As<float>(), dy.template As<float>(),
                           dx.template As<float>());
      dx.Finish(context.device());
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
