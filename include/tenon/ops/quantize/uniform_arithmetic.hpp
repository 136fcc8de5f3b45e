// SPDX-License-Identifier: Apache-2.0
#pragma once
// UniformQuantizedAdd, UniformQuantizedClipByValue: sums and limits of uniformly quantized numbers.

#include <algorithm>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/broadcast.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/math/quantize_dequantize.hpp>
#include <tenon/ops/quantize/uniform.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// An operand in steps of the sum's scale, less zero points. Its dimensions of size 1 take the first scale, as in
// TensorFlow.
inline Status RescaleOperand(OpKernelContext& context, const Tensor& in, const UniformScale& from,
                             const UniformScale& to, int out_rank, Tensor* out) {
  const Index own_axis = to.per_axis() ? to.axis - (out_rank - in.dims()) : -1;
  QuantizedChannels channels;
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt32, in.shape(), out));
  TENON_RETURN_IF_ERROR(QuantizedChannels::Of("UniformQuantizedAdd", in.shape(),
                                              std::max<Index>(from.per_axis() ? from.axis : own_axis, -1), &channels));
  const auto* const x = static_cast<const std::int32_t*>(in.raw_data());
  auto* const y = out->data<std::int32_t>();
  for (Index c = 0; c < channels.depth; ++c) {
    FixedFactor factor;
    TENON_RETURN_IF_ERROR(
        FixedFactor::Of(static_cast<double>(from.scale(c)) / static_cast<double>(to.scale(c)), &factor));
    for (Index o = 0; o < channels.outer; ++o) {
      const Index start = (o * channels.depth + c) * channels.inner;
      for (Index i = start; i < start + channels.inner; ++i)
        y[i] = ThroughFloat(factor(WrapSubtract(ThroughFloat(x[i]), from.zero(c))));
    }
  }
  return OkStatus();
}

// The element of `own` that is broadcast to element i of `shape`.
inline Index BroadcastPlace(const TensorShape& own, const TensorShape& shape, Index i) {
  Index at = 0, step = 1;
  for (int d = shape.dims() - 1, p = own.dims() - 1; p >= 0; --d, --p) {
    if (own.dim_size(p) > 1) at += i % shape.dim_size(d) * step;
    i /= shape.dim_size(d);
    step *= own.dim_size(p);
  }
  return at;
}

inline Status RunUniformAdd(OpKernelContext& context, const UniformAttrs (&attrs)[2], const UniformAttrs& sum) {
  constexpr const char* kOp = "UniformQuantizedAdd";
  const Tensor* const operands[] = {&context.input(0), &context.input(1)};
  Tensor rescaled[2];
  TensorShape shape;
  Tensor* out = nullptr;
  UniformScale from[2], to;
  QuantizedChannels channels;
  if (!BroadcastShape(operands[0]->shape(), operands[1]->shape(), &shape).ok())
    return errors::InvalidArgument(kOp, ": Cannot Add tensors of shapes: ", operands[0]->shape(), " and ",
                                   operands[1]->shape());
  for (int k = 0; k < 2; ++k)
    TENON_RETURN_IF_ERROR(from[k].Read(context, 2 + 2 * k, operands[k]->shape(), attrs[k].axis));
  TENON_RETURN_IF_ERROR(to.Read(context, 6, shape, sum.axis));
  for (int k = 0; k < 2; ++k) {
    TENON_RETURN_IF_ERROR(from[k].RequirePositive(context, 2 + 2 * k, k == 0 ? "lhs" : "rhs"));
    const Index axis = from[k].axis + shape.dims() - operands[k]->dims();
    if (from[k].per_axis() && to.per_axis() && axis != to.axis)
      return errors::InvalidArgument(kOp, ": If ", k == 0 ? "lhs" : "rhs",
                                     " and output is both per-axis quantized, the quantization axis must match, got ",
                                     axis, " and ", to.axis);
  }
  TENON_RETURN_IF_ERROR(to.RequirePositive(context, 6, "output"));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  TENON_RETURN_IF_ERROR(QuantizedChannels::Of(kOp, shape, to.axis, &channels));
  for (int k = 0; k < 2; ++k)
    TENON_RETURN_IF_ERROR(RescaleOperand(context, *operands[k], from[k], to, shape.dims(), &rescaled[k]));
  const auto *const x = rescaled[0].data<std::int32_t>(), *const y = rescaled[1].data<std::int32_t>();
  auto* const sums = static_cast<std::int32_t*>(out->raw_data());
  for (Index i = 0; i < shape.num_elements(); ++i) {
    const Index u = BroadcastPlace(operands[0]->shape(), shape, i), v = BroadcastPlace(operands[1]->shape(), shape, i);
    const std::int32_t zero = to.zero(i / channels.inner % channels.depth);
    sums[i] = sum.kept(WrapAdd(WrapAdd(x[u], y[v]), zero));
  }
  return OkStatus();
}

inline Status RunUniformClip(OpKernelContext& context, std::int32_t axis) {
  constexpr const char* kOp = "UniformQuantizedClipByValue";
  const Tensor &operand = context.input(0), &scales = context.input(3);
  UniformScale scale;
  QuantizedChannels channels;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(scale.Read(context, 3, operand.shape(), axis));
  for (int k = 1; k < 3; ++k)
    if (!(context.input(k).shape() == scales.shape()))
      return errors::InvalidArgument(kOp, ": Input ", k == 1 ? "min" : "max",
                                     " shape must be same as scales/zero_points. Given a shape of ",
                                     context.input(k).shape(), " and scales/zero_points of shape ", scales.shape());
  TENON_RETURN_IF_ERROR(QuantizedChannels::Of(kOp, operand.shape(), axis, &channels));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, operand.shape(), &out));
  const auto* const x = static_cast<const std::int32_t*>(operand.raw_data());
  auto* const y = static_cast<std::int32_t*>(out->raw_data());
  Index at = 0;
  for (Index o = 0; o < channels.outer; ++o)
    for (Index c = 0; c < channels.depth; ++c) {
      const std::int32_t low = static_cast<const std::int32_t*>(context.input(1).raw_data())[c],
                         high = static_cast<const std::int32_t*>(context.input(2).raw_data())[c];
      for (const Index end = at + channels.inner; at < end; ++at) y[at] = std::min(std::max(x[at], low), high);
    }
  return OkStatus();
}

struct UniformAddRule {
  UniformAttrs operands[2], sum;

  Status Init(OpKernelConstruction& c) {
    TENON_RETURN_IF_ERROR(operands[0].Read(c, kUniformAttrsOfThree));
    TENON_RETURN_IF_ERROR(operands[1].Read(c, kUniformAttrsOfThree + 3));
    return sum.Read(c, kUniformAttrsOfThree + 6);
  }
  Status Run(OpKernelContext& context, Cpu&) const { return RunUniformAdd(context, operands, sum); }
};

}  // namespace detail

// lhs + rhs, broadcast, each tensor with its scales and zero points.
struct UniformQuantizedAdd {
  static constexpr auto signature = Op("UniformQuantizedAdd")
                                        .Input("lhs: T")
                                        .Input("rhs: T")
                                        .Input("lhs_scales: float")
                                        .Input("lhs_zero_points: int32")
                                        .Input("rhs_scales: float")
                                        .Input("rhs_zero_points: int32")
                                        .Input("output_scales: float")
                                        .Input("output_zero_points: int32")
                                        .Output("output: T")
                                        .Attr("lhs_quantization_axis: int = -1")
                                        .Attr("lhs_quantization_min_val: int")
                                        .Attr("lhs_quantization_max_val: int")
                                        .Attr("rhs_quantization_axis: int = -1")
                                        .Attr("rhs_quantization_min_val: int")
                                        .Attr("rhs_quantization_max_val: int")
                                        .Attr("output_quantization_axis: int = -1")
                                        .Attr("output_quantization_min_val: int")
                                        .Attr("output_quantization_max_val: int")
                                        .Attr("T: {qint32}")
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr const auto& unused = detail::kUniformAttrsOfThree;  // Init reads them

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::KernelOfMany<detail::UniformAddRule, 8, 1>;
};

// operand: any shape; min, max, scales and zero_points: [] or, with quantization_axis, [size]
struct UniformQuantizedClipByValue {
  static constexpr auto signature = Op("UniformQuantizedClipByValue")
                                        .Input("operand: T")
                                        .Input("min: T")
                                        .Input("max: T")
                                        .Input("scales: float")
                                        .Input("zero_points: int32")
                                        .Output("output: T")
                                        .Attr("T: {qint32}")
                                        .Attr("quantization_axis: int = -1")
                                        .Attr("quantization_min_val: int")
                                        .Attr("quantization_max_val: int")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr const auto& unused = detail::kUniformAttrs;  // Init reads them

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return attrs.Read(c, detail::kUniformAttrs); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&) const {
      return detail::RunUniformClip(context.op(), attrs.axis);
    }
    detail::UniformAttrs attrs;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
