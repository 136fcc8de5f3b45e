// SPDX-License-Identifier: Apache-2.0
#pragma once
// LRN (local response normalisation) and LRNGrad.

#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/nn/local_response_norm.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/float_tensors.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct LrnAttrs {
  std::int64_t depth_radius;
  float bias, alpha, beta;
};

inline constexpr DataTypeSet kLrnTypes = ToSet(DataType::kHalf) | ToSet(DataType::kFloat);

inline Status CheckLrn(std::string_view op, const LrnAttrs& a, LrnParameters* parameters) {
  if (a.depth_radius < 0 || a.depth_radius >= std::numeric_limits<std::int32_t>::max())
    return errors::InvalidArgument(op, ": depth_radius = ", a.depth_radius,
                                   " larger than int max, or negative; must be in [0, 2147483647)");
  *parameters = {a.depth_radius, a.bias, a.alpha, a.beta};
  return OkStatus();
}

inline Status LrnGradShape(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &out));
  TENON_RETURN_IF_ERROR(c->Merge(out, c->input(1), &out));
  TENON_RETURN_IF_ERROR(c->Merge(out, c->input(2), &out));
  c->set_output(0, out);
  return OkStatus();
}

}  // namespace detail

// input: [n, h, w, c]  ->  the same, divided by (bias + alpha * the sum of squares of the channels around)^beta
struct LRN {
  static constexpr auto signature =
      Op("LRN")
          .Input("input: T")
          .Output("output: T")
          .Attr("depth_radius: int = 5")
          .Attr("bias: float = 1.0")
          .Attr("alpha: float = 1.0")
          .Attr("beta: float = 0.5")
          .Attr("T: {half, bfloat16, float} = DT_FLOAT")
          .SetShapeFn([](InferenceContext* c) -> Status { return shape_inference::UnchangedShapeWithRank(c, 4); });
  using Attrs = detail::LrnAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kLrnTypes); }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor&) const {
      LrnParameters parameters;
      TENON_RETURN_IF_ERROR(detail::CheckLrn("LRN", *this, &parameters));
      if (input.dims() != 4) return errors::InvalidArgument("LRN: in must be 4-dimensional, got ", input.shape());
      if (input.dtype() == DataType::kHalf) return Run<half>(context, parameters, input);
      return Run<float>(context, parameters, input);
    }
  };

 private:
  template <class T, class Device>
  static Status Run(Context<Device>& context, const LrnParameters& parameters, const Tensor& input) {
    using C = FloatOn<Device, T>;
    FloatInput x;
    FloatOutput y;
    TENON_RETURN_IF_ERROR(y.Make(context.op(), context.device(), 0, input.shape()));
    if (y.size() == 0) return OkStatus();
    TENON_RETURN_IF_ERROR(x.Read(context.op(), context.device(), input));
    const Index depth = input.dim_size(3);
    TENON_RETURN_IF_ERROR(Lrn(context.device(), parameters, x.As<C>(), y.size() / depth, depth, y.As<C>()));
    y.Finish(context.device());
    return OkStatus();
  }
};

// input_image, output_image: what LRN read and made
struct LRNGrad {
  static constexpr auto signature = Op("LRNGrad")
                                        .Input("input_grads: T")
                                        .Input("input_image: T")
                                        .Input("output_image: T")
                                        .Output("output: T")
                                        .Attr("depth_radius: int = 5")
                                        .Attr("bias: float = 1.0")
                                        .Attr("alpha: float = 1.0")
                                        .Attr("beta: float = 0.5")
                                        .Attr("T: {half, bfloat16, float} = DT_FLOAT")
                                        .SetShapeFn(detail::LrnGradShape);
  using Attrs = detail::LrnAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), detail::kLrnTypes); }
    Status operator()(Context<Device>& context, const Tensor& input_grads, const Tensor& input_image,
                      const Tensor& output_image, Tensor&) const {
      LrnParameters parameters;
      TENON_RETURN_IF_ERROR(detail::CheckLrn("LRNGrad", *this, &parameters));
      if (input_grads.dims() != 4 || input_image.dims() != 4)
        return errors::InvalidArgument("LRNGrad: inputs must be 4-dimensional, got ", input_grads.shape(), " and ",
                                       input_image.shape());
      if (!(input_grads.shape() == input_image.shape()) || !(input_grads.shape() == output_image.shape()))
        return errors::InvalidArgument(
            "LRNGrad: input_grads, input_image, and out_image should have the same shape, got ", input_grads.shape(),
            ", ", input_image.shape(), ", ", output_image.shape());
      if (input_grads.dtype() == DataType::kHalf)
        return Run<half>(context, parameters, input_grads, input_image, output_image);
      return Run<float>(context, parameters, input_grads, input_image, output_image);
    }
  };

 private:
  template <class T, class Device>
  static Status Run(Context<Device>& context, const LrnParameters& parameters, const Tensor& input_grads,
                    const Tensor& input_image, const Tensor& output_image) {
    using C = FloatOn<Device, T>;
    FloatInput dy, x, y;
    FloatOutput dx;
    TENON_RETURN_IF_ERROR(dx.Make(context.op(), context.device(), 0, input_grads.shape()));
    if (dx.size() == 0) return OkStatus();
    TENON_RETURN_IF_ERROR(dy.Read(context.op(), context.device(), input_grads));
    TENON_RETURN_IF_ERROR(x.Read(context.op(), context.device(), input_image));
    TENON_RETURN_IF_ERROR(y.Read(context.op(), context.device(), output_image));
    const Index depth = input_grads.dim_size(3);
    TENON_RETURN_IF_ERROR(
        LrnGrad(context.device(), parameters, dy.As<C>(), x.As<C>(), y.As<C>(), dx.size() / depth, depth, dx.As<C>()));
    dx.Finish(context.device());
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
