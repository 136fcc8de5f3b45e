// SPDX-License-Identifier: Apache-2.0
#pragma once
// BatchNormWithGlobalNormalizationGrad: the gradient of BatchNormWithGlobalNormalization.

#include <cmath>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/nn/batch_norm.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/float_tensors.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/nn/batch_norm.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status GlobalNormalizationGradShape(InferenceContext* c) {
  ShapeHandle input, back, vector;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(4), 4, &back));
  TENON_RETURN_IF_ERROR(c->Merge(input, back, &input));
  DimensionHandle depth = c->Dim(input, 3);
  for (int i = 1; i < 4; ++i) {
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
    TENON_RETURN_IF_ERROR(c->Merge(depth, c->Dim(vector, 0), &depth));
  }
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->ReplaceDim(input, 3, depth, &out));
  c->set_output(0, out);
  for (int i = 1; i < 5; ++i) c->set_output(i, c->Vector(depth));
  return OkStatus();
}

// in: x, mean, variance, gamma, dy; out: dx, dmean, dvariance, dbeta, dgamma.
template <class C>
void GlobalNormalizationGradient(Cpu& device, const ChannelLayout& l, const FloatInput* in, C epsilon, bool scales,
                                 const FloatOutput* out) {
  const C *x = in[0].As<C>(), *mean = in[1].As<C>(), *variance = in[2].As<C>(), *gamma = in[3].As<C>(),
          *dy = in[4].As<C>();
  C *dx = out[0].As<C>(), *dmean = out[1].As<C>(), *dvariance = out[2].As<C>(), *dbeta = out[3].As<C>(),
    *dgamma = out[4].As<C>();
  ParallelFor(device, l.channels, 8.0 * static_cast<double>(l.outer), [&](Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      const C inverse = C(1) / std::sqrt(variance[c] + epsilon), factor = scales ? inverse * gamma[c] : inverse;
      double sum = 0, moved = 0;
      for (Index i = c; i < l.outer * l.channels; i += l.channels) {
        sum += static_cast<double>(dy[i]);
        moved += static_cast<double>(dy[i]) * static_cast<double>(x[i] - mean[c]);
        dx[i] = dy[i] * factor;
      }
      dbeta[c] = static_cast<C>(sum);
      dmean[c] = -static_cast<C>(sum) * factor;
      dvariance[c] = static_cast<C>(moved) * C(-0.5) * factor * inverse * inverse;
      dgamma[c] = scales ? static_cast<C>(moved) * inverse : C(0);
    }
  });
}

}  // namespace detail

// t, backprop: [n, h, w, c], m, v, gamma: [c]  ->  dx as t, and four of [c]. Only in graphs of version 8 and before.
struct BatchNormWithGlobalNormalizationGrad {
  static constexpr auto signature =
      Op("BatchNormWithGlobalNormalizationGrad")
          .Input("t: T")
          .Input("m: T")
          .Input("v: T")
          .Input("gamma: T")
          .Input("backprop: T")
          .Output("dx: T")
          .Output("dm: T")
          .Output("dv: T")
          .Output("db: T")
          .Output("dg: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("variance_epsilon: float")
          .Attr("scale_after_normalization: bool")
          .Deprecated(9, "Use tf.nn.batch_normalization()")
          .SetShapeFn(detail::GlobalNormalizationGradShape);
  using Attrs = BatchNormWithGlobalNormalization::Attrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      return ServeOnly(c, c.input_type(0), BatchNormWithGlobalNormalization::kServed);
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&, Tensor&, Tensor&, Tensor&, Tensor&) const {
      return Run(context.op(), context.device(), *this);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Attrs& attrs) {
    constexpr std::string_view kName = "BatchNormWithGlobalNormalizationGrad";
    constexpr std::string_view kNames[] = {"input", "mean", "var", "gamma"};
    const Tensor &x = context.input(0), &back = context.input(4);
    if (x.dims() != 4) return errors::InvalidArgument(kName, ": input must be 4-dimensional", x.shape());
    if (back.dims() != 4) return errors::InvalidArgument(kName, ": out_backprop must be 4-dimensional", back.shape());
    for (int i = 1; i < 4; ++i) TENON_RETURN_IF_ERROR(detail::CheckNormVector(kName, kNames[i], context.input(i)));
    if (!(back.shape() == x.shape()))
      return errors::InvalidArgument(kName, ": input and out_backprop must have the same shape, got ", x.shape(),
                                     " and ", back.shape());
    const ChannelLayout l{x.dim_size(0) * x.dim_size(1) * x.dim_size(2), x.dim_size(3)};
    for (int i = 1; i < 4; ++i)
      TENON_RETURN_IF_ERROR(detail::CheckNormLength(kName, kNames[i], context.input(i), l.channels));
    FloatInput in[5];
    FloatOutput out[5];
    for (int i = 0; i < 5; ++i) {
      TENON_RETURN_IF_ERROR(in[i].Read(context, device, context.input(i)));
      TENON_RETURN_IF_ERROR(out[i].Make(context, i, i == 0 ? x.shape() : context.input(1).shape()));
    }
    if (x.dtype() == DataType::kDouble)
      detail::GlobalNormalizationGradient<double>(device, l, in, static_cast<double>(attrs.variance_epsilon),
                                                  attrs.scale_after_normalization, out);
    else
      detail::GlobalNormalizationGradient<float>(device, l, in, attrs.variance_epsilon, attrs.scale_after_normalization,
                                                 out);
    for (FloatOutput& each : out) each.Finish(device);
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
