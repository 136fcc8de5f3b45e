// SPDX-License-Identifier: Apache-2.0
#pragma once
// FusedBatchNorm, V2, V3, their gradients, and BatchNormWithGlobalNormalization.

#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/shape/window.hpp>
#include <tenon/engine/nn/batch_norm.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/float_tensors.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct FusedBatchNormAttrs {
  float epsilon, exponential_avg_factor;
  std::string_view data_format;
  bool is_training;
};
struct FusedBatchNormGradAttrs {
  float epsilon;
  std::string_view data_format;
  bool is_training;
};

// Where the channels of x are.
inline Status NormLayout(std::string_view op, const TensorShape& x, std::string_view data_format, ChannelLayout* l) {
  TensorFormat format{};
  TENON_RETURN_IF_ERROR(ParseTensorFormat(data_format, &format));
  const int rank = x.dims();
  if (rank != 4 && rank != 5) return errors::InvalidArgument(op, ": input must be 4 or 5-dimensional", x);
  const int channel = ChannelIndex(format, rank);
  l->outer = ProductOfSizes(x, 0, channel);
  l->channels = x.dim_size(channel);
  l->inner = ProductOfSizes(x, channel + 1, rank);
  return OkStatus();
}
inline Status CheckNormVector(std::string_view op, std::string_view name, const Tensor& vector) {
  if (vector.dims() == 1) return OkStatus();
  return errors::InvalidArgument(op, ": ", name, " must be 1-dimensional", vector.shape());
}
inline Status CheckNormLength(std::string_view op, std::string_view name, const Tensor& vector, Index channels) {
  if (vector.NumElements() == channels) return OkStatus();
  return errors::InvalidArgument(op, ": ", name, " must have the same number of elements as the channels of x, got ",
                                 vector.NumElements(), " and ", channels);
}

// The inputs in TensorFlow's order of checks.
inline Status CheckFusedBatchNorm(OpKernelContext& context, std::string_view op, bool needs_moments,
                                  std::string_view data_format, ChannelLayout* l) {
  constexpr std::string_view kNames[] = {"x", "scale", "offset", "estimated_mean", "estimated_variance"};
  TENON_RETURN_IF_ERROR(NormLayout(op, context.input(0).shape(), data_format, l));
  for (int i = 1; i < 5; ++i) TENON_RETURN_IF_ERROR(CheckNormVector(op, kNames[i], context.input(i)));
  for (int i = 1; i < 3; ++i) TENON_RETURN_IF_ERROR(CheckNormLength(op, kNames[i], context.input(i), l->channels));
  if (!needs_moments) return OkStatus();
  for (int i = 3; i < 5; ++i) {
    if (context.input(i).NumElements() != l->channels)
      return errors::InvalidArgument(op, ": When is_training=false, ", i == 3 ? "mean" : "variance",
                                     " must have the same number of elements as the channels of x, got ",
                                     context.input(i).NumElements(), " and ", l->channels);
  }
  return OkStatus();
}

struct StoreZero {
  float* to;
  TENON_HD void operator()(Index) const { *to = 0; }
};

// Outputs: y, mean, variance, and the same two for the gradient.
template <class Device>
Status RunFusedBatchNorm(OpKernelContext& context, Device& device, std::string_view op, const FusedBatchNormAttrs& a) {
  BatchNormCall call;
  call.training = a.is_training;
  call.blends = a.is_training && a.exponential_avg_factor != 1.0f;
  call.epsilon = a.epsilon;
  call.factor = a.exponential_avg_factor;
  TENON_RETURN_IF_ERROR(CheckFusedBatchNorm(context, op, !a.is_training || call.blends, a.data_format, &call.layout));
  const Tensor& x = context.input(0);
  call.type = x.dtype();
  call.x = x.raw_data();
  call.scale = context.input(1).data<float>();
  call.offset = context.input(2).data<float>();
  call.mean = context.input(3).data<float>();
  call.variance = context.input(4).data<float>();
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, x.shape(), &out));
  call.y = out->raw_data();
  for (int i = 0; i < 4; ++i) {
    TENON_RETURN_IF_ERROR(context.allocate_output(1 + i, TensorShape{call.layout.channels}, &out));
    call.moments[i] = out->data<float>();
  }
  if (context.num_outputs() > 5) {  // has a meaning for TensorFlow's GPUs only
    TENON_RETURN_IF_ERROR(context.allocate_output(5, TensorShape(), &out));
    TENON_RETURN_IF_ERROR(ForEach(device, 1, StoreZero{out->data<float>()}));
  }
  return NormalizeBatch(device, call);
}

template <class Device>
Status RunFusedBatchNormGrad(OpKernelContext& context, Device& device, std::string_view op,
                             const FusedBatchNormGradAttrs& a) {
  const Tensor &dy = context.input(0), &x = context.input(1);
  if (dy.dims() != 4 && dy.dims() != 5)
    return errors::InvalidArgument(op, ": input must be 4 or 5-dimensional", dy.shape());
  ChannelLayout l;
  TENON_RETURN_IF_ERROR(NormLayout(op, x.shape(), a.data_format, &l));
  constexpr std::string_view kNames[] = {"scale", "saved mean", "saved variance"};
  for (int i = 0; i < 3; ++i) TENON_RETURN_IF_ERROR(CheckNormVector(op, kNames[i], context.input(2 + i)));
  if (!(dy.shape() == x.shape()))
    return errors::InvalidArgument(op, ": x and y_backprop must have same shape, but x has shape ", x.shape(),
                                   " and y_backprop has shape ", dy.shape());
  for (int i = 0; i < 3; ++i) TENON_RETURN_IF_ERROR(CheckNormLength(op, kNames[i], context.input(2 + i), l.channels));
  BatchNormGradCall call;
  call.layout = l;
  call.type = x.dtype();
  call.training = a.is_training;
  call.dy = dy.raw_data();
  call.x = x.raw_data();
  call.scale = context.input(2).data<float>();
  call.mean = context.input(3).data<float>();
  call.variance = context.input(4).data<float>();
  call.epsilon = a.epsilon;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, x.shape(), &out));
  call.dx = out->raw_data();
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape{l.channels}, &out));
  call.dscale = out->data<float>();
  TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape{l.channels}, &out));
  call.doffset = out->data<float>();
  for (int i = 3; i < 5; ++i) TENON_RETURN_IF_ERROR(context.allocate_output(i, TensorShape{0}, &out));
  return NormalizeBatchGrad(device, call);
}

inline Status BatchNormWithGlobalNormalizationShape(InferenceContext* c) {
  ShapeHandle input, vector, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &input));
  DimensionHandle depth = c->Dim(input, 3);
  for (int i = 1; i < 5; ++i) {
    TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
    TENON_RETURN_IF_ERROR(c->Merge(depth, c->Dim(vector, 0), &depth));
  }
  TENON_RETURN_IF_ERROR(c->ReplaceDim(input, 3, depth, &out));
  c->set_output(0, out);
  return OkStatus();
}

// C: what the numbers are computed in.
template <class C>
void GlobalNormalization(Cpu& device, const ChannelLayout& l, const C* x, const C* const (&vectors)[4], C epsilon,
                         bool scales, C* out) {
  const C *mean = vectors[0], *variance = vectors[1], *beta = vectors[2], *gamma = vectors[3];
  ParallelFor(device, l.outer, 4.0 * static_cast<double>(l.channels), [&](Index begin, Index end) {
    for (Index c = 0; c < l.channels; ++c) {
      const C inverse = C(1) / std::sqrt(variance[c] + epsilon), factor = scales ? inverse * gamma[c] : inverse;
      for (Index i = begin * l.channels + c; i < end * l.channels; i += l.channels)
        out[i] = (x[i] - mean[c]) * factor + beta[c];
    }
  });
}

}  // namespace detail

// x: images, scale, offset, mean, variance: one number per channel  ->  y as x, and the moments
struct FusedBatchNorm {
  static constexpr auto signature = Op("FusedBatchNorm")
                                        .Input("x: T")
                                        .Input("scale: T")
                                        .Input("offset: T")
                                        .Input("mean: T")
                                        .Input("variance: T")
                                        .Output("y: T")
                                        .Output("batch_mean: T")
                                        .Output("batch_variance: T")
                                        .Output("reserve_space_1: T")
                                        .Output("reserve_space_2: T")
                                        .Attr("T: {float}")
                                        .Attr("epsilon: float = 0.0001")
                                        .Attr("exponential_avg_factor: float = 1.0")
                                        .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                                        .Attr("is_training: bool = true")
                                        .SetShapeFn(shape_inference::FusedBatchNormShape);
  using Attrs = detail::FusedBatchNormAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&, Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunFusedBatchNorm(context.op(), context.device(), "FusedBatchNorm", *this);
    }
  };
};

// Also of half and bfloat16 images.
struct FusedBatchNormV2 {
  static constexpr auto signature = Op("FusedBatchNormV2")
                                        .Input("x: T")
                                        .Input("scale: U")
                                        .Input("offset: U")
                                        .Input("mean: U")
                                        .Input("variance: U")
                                        .Output("y: T")
                                        .Output("batch_mean: U")
                                        .Output("batch_variance: U")
                                        .Output("reserve_space_1: U")
                                        .Output("reserve_space_2: U")
                                        .Attr("T: {half, bfloat16, float}")
                                        .Attr("U: {float}")
                                        .Attr("epsilon: float = 0.0001")
                                        .Attr("exponential_avg_factor: float = 1.0")
                                        .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                                        .Attr("is_training: bool = true")
                                        .SetShapeFn(shape_inference::FusedBatchNormShape);
  using Attrs = detail::FusedBatchNormAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&, Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunFusedBatchNorm(context.op(), context.device(), "FusedBatchNormV2", *this);
    }
  };
};

// With a third reserve, which means nothing on a CPU.
struct FusedBatchNormV3 {
  static constexpr auto signature = Op("FusedBatchNormV3")
                                        .Input("x: T")
                                        .Input("scale: U")
                                        .Input("offset: U")
                                        .Input("mean: U")
                                        .Input("variance: U")
                                        .Output("y: T")
                                        .Output("batch_mean: U")
                                        .Output("batch_variance: U")
                                        .Output("reserve_space_1: U")
                                        .Output("reserve_space_2: U")
                                        .Output("reserve_space_3: U")
                                        .Attr("T: {half, bfloat16, float}")
                                        .Attr("U: {bfloat16, float}")
                                        .Attr("epsilon: float = 0.0001")
                                        .Attr("exponential_avg_factor: float = 1.0")
                                        .Attr("data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'")
                                        .Attr("is_training: bool = true")
                                        .SetShapeFn(shape_inference::FusedBatchNormV3Shape);
  using Attrs = detail::FusedBatchNormAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), ToSet(DataType::kFloat)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&, Tensor&, Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunFusedBatchNorm(context.op(), context.device(), "FusedBatchNormV3", *this);
    }
  };
};

// reserve_space_1, 2: the moments that FusedBatchNorm used
struct FusedBatchNormGrad {
  static constexpr auto signature = Op("FusedBatchNormGrad")
                                        .Input("y_backprop: T")
                                        .Input("x: T")
                                        .Input("scale: T")
                                        .Input("reserve_space_1: T")
                                        .Input("reserve_space_2: T")
                                        .Output("x_backprop: T")
                                        .Output("scale_backprop: T")
                                        .Output("offset_backprop: T")
                                        .Output("reserve_space_3: T")
                                        .Output("reserve_space_4: T")
                                        .Attr("T: {float}")
                                        .Attr("epsilon: float = 0.0001")
                                        .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                                        .Attr("is_training: bool = true")
                                        .SetShapeFn(shape_inference::FusedBatchNormGradShape);
  using Attrs = detail::FusedBatchNormGradAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&, Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunFusedBatchNormGrad(context.op(), context.device(), "FusedBatchNormGrad", *this);
    }
  };
};

struct FusedBatchNormGradV2 {
  static constexpr auto signature = Op("FusedBatchNormGradV2")
                                        .Input("y_backprop: T")
                                        .Input("x: T")
                                        .Input("scale: float")
                                        .Input("reserve_space_1: U")
                                        .Input("reserve_space_2: U")
                                        .Output("x_backprop: T")
                                        .Output("scale_backprop: U")
                                        .Output("offset_backprop: U")
                                        .Output("reserve_space_3: U")
                                        .Output("reserve_space_4: U")
                                        .Attr("T: {half, bfloat16, float}")
                                        .Attr("U: {float}")
                                        .Attr("epsilon: float = 0.0001")
                                        .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
                                        .Attr("is_training: bool = true")
                                        .SetShapeFn(shape_inference::FusedBatchNormGradShape);
  using Attrs = detail::FusedBatchNormGradAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&, Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunFusedBatchNormGrad(context.op(), context.device(), "FusedBatchNormGradV2", *this);
    }
  };
};

struct FusedBatchNormGradV3 {
  static constexpr auto signature = Op("FusedBatchNormGradV3")
                                        .Input("y_backprop: T")
                                        .Input("x: T")
                                        .Input("scale: float")
                                        .Input("reserve_space_1: U")
                                        .Input("reserve_space_2: U")
                                        .Input("reserve_space_3: U")
                                        .Output("x_backprop: T")
                                        .Output("scale_backprop: U")
                                        .Output("offset_backprop: U")
                                        .Output("reserve_space_4: U")
                                        .Output("reserve_space_5: U")
                                        .Attr("T: {half, bfloat16, float}")
                                        .Attr("U: {float}")
                                        .Attr("epsilon: float = 0.0001")
                                        .Attr("data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'")
                                        .Attr("is_training: bool = true")
                                        .SetShapeFn(shape_inference::FusedBatchNormGradShape);
  using Attrs = detail::FusedBatchNormGradAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, const Tensor&, Tensor&, Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunFusedBatchNormGrad(context.op(), context.device(), "FusedBatchNormGradV3", *this);
    }
  };
};

// t: [n, h, w, c], m, v, beta, gamma: [c]  ->  [n, h, w, c]. Only in graphs of version 8 and before.
struct BatchNormWithGlobalNormalization {
  static constexpr auto signature =
      Op("BatchNormWithGlobalNormalization")
          .Input("t: T")
          .Input("m: T")
          .Input("v: T")
          .Input("beta: T")
          .Input("gamma: T")
          .Output("result: T")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, "
              "complex128, half, uint32, uint64}")
          .Attr("variance_epsilon: float")
          .Attr("scale_after_normalization: bool")
          .Deprecated(9, "Use tf.nn.batch_normalization()")
          .SetShapeFn(detail::BatchNormWithGlobalNormalizationShape);
  struct Attrs {
    float variance_epsilon;
    bool scale_after_normalization;
  };
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = ToSet(DataType::kHalf) | ToSet(DataType::kFloat) | ToSet(DataType::kDouble);

  template <class Device>
    requires(Device::type == "CPU")  // only graphs of version 8 and before have it
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), kServed); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&) const {
      return Run(context.op(), context.device(), *this);
    }
  };

 private:
  static Status Run(OpKernelContext& context, Cpu& device, const Attrs& attrs) {
    constexpr std::string_view kName = "BatchNormWithGlobalNormalization";
    constexpr std::string_view kNames[] = {"input", "mean", "var", "beta", "gamma"};
    const Tensor& x = context.input(0);
    if (x.dims() != 4) return errors::InvalidArgument(kName, ": input must be 4-dimensional", x.shape());
    for (int i = 1; i < 5; ++i) TENON_RETURN_IF_ERROR(detail::CheckNormVector(kName, kNames[i], context.input(i)));
    ChannelLayout l{x.dim_size(0) * x.dim_size(1) * x.dim_size(2), x.dim_size(3)};
    for (int i = 1; i < 5; ++i)
      TENON_RETURN_IF_ERROR(detail::CheckNormLength(kName, kNames[i], context.input(i), l.channels));
    FloatInput in[5];
    FloatOutput out;
    TENON_RETURN_IF_ERROR(out.Make(context, 0, x.shape()));
    for (int i = 0; i < 5; ++i) TENON_RETURN_IF_ERROR(in[i].Read(context, device, context.input(i)));
    if (x.dtype() == DataType::kDouble) {
      const double* const vectors[] = {in[1].As<double>(), in[2].As<double>(), in[3].As<double>(), in[4].As<double>()};
      detail::GlobalNormalization(device, l, in[0].As<double>(), vectors, static_cast<double>(attrs.variance_epsilon),
                                  attrs.scale_after_normalization, out.As<double>());
    } else {
      const float* const vectors[] = {in[1].As<float>(), in[2].As<float>(), in[3].As<float>(), in[4].As<float>()};
      detail::GlobalNormalization(device, l, in[0].As<float>(), vectors, attrs.variance_epsilon,
                                  attrs.scale_after_normalization, out.As<float>());
    }
    out.Finish(device);
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
