// SPDX-License-Identifier: Apache-2.0
#pragma once
// UniformQuantize, UniformDequantize, UniformRequantize: integers that stand for multiples of a scale.

#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/math/quantize_dequantize.hpp>
#include <tenon/ops/quantize/uniform.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// n numbers of one channel.
template <class T>
void QuantizeUniformly(const float* in, Index n, float inverse, std::int32_t zero, const KeptIntegers& kept, T* out) {
  for (Index i = 0; i < n; ++i) out[i] = static_cast<T>(kept(WrapAdd(RoundToInt32(in[i] * inverse), zero)));
}

inline Status RunUniformQuantize(OpKernelContext& context, const UniformAttrs& attrs) {
  const Tensor& input = context.input(0);
  UniformScale scale;
  QuantizedChannels channels;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(scale.Read(context, 1, input.shape(), attrs.axis));
  TENON_RETURN_IF_ERROR(QuantizedChannels::Of("UniformQuantize", input.shape(), attrs.axis, &channels));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &out));
  Index at = 0;
  for (Index o = 0; o < channels.outer; ++o)
    for (Index c = 0; c < channels.depth; ++c, at += channels.inner) {
      const float inverse = 1.0f / scale.scale(c);
      const float* const from = input.data<float>() + at;
      if (out->dtype() == DataType::kQint32)
        QuantizeUniformly(from, channels.inner, inverse, scale.zero(c), attrs.kept,
                          static_cast<std::int32_t*>(out->raw_data()) + at);
      else  // the low bits alone, so signed and unsigned bytes are alike
        QuantizeUniformly(from, channels.inner, inverse, scale.zero(c), attrs.kept,
                          static_cast<std::uint8_t*>(out->raw_data()) + at);
    }
  return OkStatus();
}

inline Status RunUniformDequantize(OpKernelContext& context, std::int32_t axis) {
  const Tensor& input = context.input(0);
  UniformScale scale;
  QuantizedChannels channels;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(scale.Read(context, 1, input.shape(), axis));
  TENON_RETURN_IF_ERROR(scale.RequirePositive(context, 1, "rhs"));
  TENON_RETURN_IF_ERROR(QuantizedChannels::Of("UniformDequantize", input.shape(), axis, &channels));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &out));
  const DataType type = input.dtype();
  float* to = out->data<float>();
  Index at = 0;
  for (Index o = 0; o < channels.outer; ++o)
    for (Index c = 0; c < channels.depth; ++c)
      for (const Index end = at + channels.inner; at < end; ++at) {
        const std::int32_t x = ThroughFloat(LoadQuantized(input.raw_data(), type, at));
        to[at] = static_cast<float>(WrapSubtract(x, scale.zero(c))) * scale.scale(c);
      }
  return OkStatus();
}

inline Status RunUniformRequantize(OpKernelContext& context, Index axis, const UniformAttrs& attrs) {
  const Tensor& input = context.input(0);
  UniformScale from, to;
  QuantizedChannels channels;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(from.Read(context, 1, input.shape(), axis));
  TENON_RETURN_IF_ERROR(to.Read(context, 3, input.shape(), attrs.axis));
  TENON_RETURN_IF_ERROR(from.RequirePositive(context, 1, "input"));
  TENON_RETURN_IF_ERROR(to.RequirePositive(context, 3, "output"));
  TENON_RETURN_IF_ERROR(
      QuantizedChannels::Of("UniformRequantize", input.shape(), from.per_axis() ? from.axis : to.axis, &channels));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &out));
  const DataType type = input.dtype();
  for (Index c = 0; c < channels.depth; ++c) {
    FixedFactor factor;
    TENON_RETURN_IF_ERROR(
        FixedFactor::Of(static_cast<double>(from.scale(c)) / static_cast<double>(to.scale(c)), &factor));
    for (Index o = 0; o < channels.outer; ++o) {
      const Index start = (o * channels.depth + c) * channels.inner;
      for (Index i = start; i < start + channels.inner; ++i) {
        const std::int32_t x = ThroughFloat(LoadQuantized(input.raw_data(), type, i));
        const std::int32_t y = WrapAdd(factor(WrapSubtract(x, from.zero(c))), to.zero(c));
        static_cast<std::int8_t*>(out->raw_data())[i] = static_cast<std::int8_t>(attrs.kept(y));
      }
    }
  }
  return OkStatus();
}

}  // namespace detail

// input: any shape, scales and zero_points: [] or, with quantization_axis, [size]
struct UniformQuantize {
  static constexpr auto signature = Op("UniformQuantize")
                                        .Input("input: Tin")
                                        .Input("scales: float")
                                        .Input("zero_points: int32")
                                        .Output("output: Tout")
                                        .Attr("Tin: {float}")
                                        .Attr("Tout: {qint8, quint8, qint32}")
                                        .Attr("quantization_axis: int = -1")
                                        .Attr("quantization_min_val: int")
                                        .Attr("quantization_max_val: int")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr const auto& unused = detail::kUniformAttrs;  // Init reads them

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(attrs.Read(c, detail::kUniformAttrs));
      return detail::CheckQuantizationAxis("quantization_axis", attrs.axis);
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunUniformQuantize(context.op(), attrs);
    }
    detail::UniformAttrs attrs;
  };
};

struct UniformDequantize {
  static constexpr auto signature = Op("UniformDequantize")
                                        .Input("input: Tin")
                                        .Input("scales: float")
                                        .Input("zero_points: int32")
                                        .Output("output: Tout")
                                        .Attr("Tin: {qint8, quint8, qint32}")
                                        .Attr("Tout: {float}")
                                        .Attr("quantization_axis: int = -1")
                                        .Attr("quantization_min_val: int")
                                        .Attr("quantization_max_val: int")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr const auto& unused = detail::kUniformAttrs;  // Init reads them

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return c.GetAttr("quantization_axis", &axis); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunUniformDequantize(context.op(), axis);
    }
    std::int32_t axis = -1;
  };
};

// From one scale to another.
struct UniformRequantize {
  static constexpr auto signature = Op("UniformRequantize")
                                        .Input("input: Tin")
                                        .Input("input_scales: float")
                                        .Input("input_zero_points: int32")
                                        .Input("output_scales: float")
                                        .Input("output_zero_points: int32")
                                        .Output("output: Tout")
                                        .Attr("Tin: {qint8, qint32}")
                                        .Attr("Tout: {qint8, qint32}")
                                        .Attr("input_quantization_axis: int = -1")
                                        .Attr("input_quantization_min_val: int")
                                        .Attr("input_quantization_max_val: int")
                                        .Attr("output_quantization_axis: int = -1")
                                        .Attr("output_quantization_min_val: int")
                                        .Attr("output_quantization_max_val: int")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr const auto& unused = detail::kUniformAttrsOfBoth;  // Init reads them

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(ServeOnly(c, c.output_type(0), ToSet(DataType::kQint8)));
      TENON_RETURN_IF_ERROR(in.Read(c, detail::kUniformAttrsOfBoth));
      TENON_RETURN_IF_ERROR(out.Read(c, detail::kUniformAttrsOfBoth + 3));
      TENON_RETURN_IF_ERROR(detail::CheckQuantizationAxis("input_quantization_axis", in.axis));
      TENON_RETURN_IF_ERROR(detail::CheckQuantizationAxis("output_quantization_axis", out.axis));
      if (in.axis < 0 || out.axis < 0 || in.axis == out.axis) return OkStatus();
      return errors::InvalidArgument(
          "If input and output is both per-axis quantized, the quantization axis must be same. Given ", in.axis,
          " and ", out.axis);
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&) const {
      return detail::RunUniformRequantize(context.op(), in.axis, out);
    }
    detail::UniformAttrs in, out;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
