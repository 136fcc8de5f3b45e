// SPDX-License-Identifier: Apache-2.0
#pragma once
// QuantizeV2, Dequantize: numbers as evenly spaced steps of a range, and back.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/types/type_list.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/math/quantize_dequantize.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

enum class QuantizeMode : std::uint8_t { kMinCombined, kMinFirst, kScaled };

inline QuantizeMode QuantizeModeOf(std::string_view name) {
  return name == "MIN_FIRST" ? QuantizeMode::kMinFirst
         : name == "SCALED"  ? QuantizeMode::kScaled
                             : QuantizeMode::kMinCombined;
}

inline Status DequantizeShape(InferenceContext* c) {
  ShapeHandle ranges;
  TENON_RETURN_IF_ERROR(QuantizeRangeShape(c, 0, 1, &ranges));
  c->set_output(0, c->input(0));
  return OkStatus();
}

struct QuantizeV2Rule {
  QuantizeMode mode = QuantizeMode::kMinCombined;
  bool to_even = false, narrow = false;
  float least_range = 0.01f;
};

// A rounded step. One beyond int32 becomes the smallest integer, as where TensorFlow runs on x86.
inline std::int64_t StepOf(const QuantizedKind& kind, float step) {
  if (step >= 2147483648.0f) return kind.lowest < -40000 ? kind.lowest : kind.highest;
  return kind.Clamp(ToInt64(static_cast<double>(step)));
}
// x in [low, high].
inline float ClampTo(float x, float low, float high) { return std::max(std::min(x, high), low); }

// One channel: n numbers of [*low, *high], which is widened to hold 0 and to be a range at all.
inline void QuantizeChannel(const QuantizeV2Rule& rule, DataType type, const float* in, Index n, float* low,
                            float* high, void* out, Index at) {
  const QuantizedKind kind = QuantizedKind::Of(type);
  const float largest = std::max(1.0f, std::max(std::fabs(*low), std::fabs(*high)));
  *low = std::min(0.0f, *low);
  *high = std::max(0.0f, std::max(*high, *low + largest * rule.least_range));
  const auto lowest = static_cast<float>(kind.lowest), highest = static_cast<float>(kind.highest);
  if (rule.mode == QuantizeMode::kMinFirst) {
    const FloatToQuantizedScale scale(kind, *low, *high);
    for (Index i = 0; i < n; ++i) StoreQuantized(scale(in[i]), out, type, at + i);
  } else if (rule.mode == QuantizeMode::kScaled) {
    const float first = lowest + (rule.narrow ? 1.0f : 0.0f);
    constexpr float kAny = std::numeric_limits<float>::max();
    const float scale = std::min(first * *low > 0 ? first / *low : kAny, highest * *high > 0 ? highest / *high : kAny);
    *low = first / scale;
    *high = highest / scale;
    for (Index i = 0; i < n; ++i) {
      const float x = ClampTo(in[i], *low, *high) * scale;
      StoreQuantized(StepOf(kind, rule.to_even ? std::nearbyint(x) : std::round(x)), out, type, at + i);
    }
  } else {
    const auto scale = static_cast<float>(kind.steps / static_cast<double>(*high - *low));
    const bool is_signed = kind.lowest < 0;
    const auto half = static_cast<float>((kind.steps + 1) / 2);
    for (Index i = 0; i < n; ++i) {
      const float x = (ClampTo(in[i], *low, *high) - *low) * scale;
      const float step = is_signed ? std::round(x - half) : x + 0.5f;
      StoreQuantized(StepOf(kind, step), out, type, at + i);
    }
  }
}

inline Status RunQuantizeV2(OpKernelContext& context, const QuantizeV2Rule& rule, Index axis) {
  constexpr const char* kOp = "QuantizeV2";
  const Tensor &input = context.input(0), &lows = context.input(1), &highs = context.input(2);
  QuantizedChannels channels;
  if (axis > -1 && axis >= input.dims())
    return errors::InvalidArgument(kOp,
                                   ": Axis is on a zero-based index, so its value must always be less than number of "
                                   "input's dims, but given axis value was ",
                                   axis, " and input's dims was ", input.dims());
  TENON_RETURN_IF_ERROR(QuantizedChannels::Of(kOp, input.shape(), std::max<Index>(axis, -1), &channels));
  for (const Tensor* ends : {&lows, &highs}) {
    const char* const name = ends == &lows ? "min_range" : "max_range";
    if (axis > -1 && (ends->dims() != 1 || ends->dim_size(0) != channels.depth))
      return errors::InvalidArgument(kOp, ": If axis is specified, ", name,
                                     " must be a 1-D tensor whose size matches the axis dimension of the input and "
                                     "output tensors, but its shape is ",
                                     ends->shape(), " and that size is ", channels.depth);
    if (axis <= -1 && ends->NumElements() != 1)
      return errors::InvalidArgument(kOp, ": If axis is not specified, ", name,
                                     " must contain a single float element, but it contains ", ends->NumElements(),
                                     " elements");
  }
  Tensor *out = nullptr, *low = nullptr, *high = nullptr;
  if (axis > -1 && rule.mode == QuantizeMode::kMinFirst)
    return errors::Unimplemented("MIN_FIRST mode is not implemented for Quantize with axis != -1, got ", axis);
  TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &out));
  const TensorShape range = axis > -1 ? lows.shape() : TensorShape();
  TENON_RETURN_IF_ERROR(context.allocate_output(1, range, &low));
  TENON_RETURN_IF_ERROR(context.allocate_output(2, range, &high));
  for (Index c = 0; c < channels.depth; ++c) {
    const float asked_low = lows.data<float>()[c], asked_high = highs.data<float>()[c];
    if (asked_high < asked_low)
      return errors::InvalidArgument(kOp, ": input_max_range must be larger than input_min_range, got ", asked_high,
                                     " and ", asked_low);
    float *const own_low = low->data<float>() + c, *const own_high = high->data<float>() + c;
    for (Index o = 0; o < std::max<Index>(channels.outer, 1); ++o) {
      const Index at = (o * channels.depth + c) * channels.inner;
      *own_low = asked_low;
      *own_high = asked_high;
      QuantizeChannel(rule, out->dtype(), input.data<float>() + at, channels.inner, own_low, own_high, out->raw_data(),
                      at);
    }
  }
  return OkStatus();
}

template <class T>
void DequantizeChannel(QuantizeMode mode, bool narrow, const Tensor& input, Index at, Index n, float low, float high,
                       T* out) {
  const DataType type = input.dtype();
  const QuantizedKind kind = QuantizedKind::Of(type);
  const auto half = static_cast<float>(kind.lowest < 0 ? (kind.steps + 1) / 2 : 0.0);
  const QuantizedToFloatScale first(kind, low, high);
  auto scale = static_cast<float>(static_cast<double>(high - low) / kind.steps);
  if (mode == QuantizeMode::kScaled) {
    const auto highest = static_cast<float>(kind.highest);
    scale = kind.lowest == 0
                ? high / highest
                : std::max(low / (static_cast<float>(kind.lowest) + (narrow ? 1.0f : 0.0f)), high / highest);
  }
  for (Index i = at; i < at + n; ++i) {
    const std::int32_t x = LoadQuantized(input.raw_data(), type, i);
    const float y = mode == QuantizeMode::kMinFirst ? first(x)
                    : mode == QuantizeMode::kScaled ? static_cast<float>(x) * scale
                                                    : (static_cast<float>(x) + half) * scale + low;
    out[i] = T(y);
  }
}

inline Status RunDequantize(OpKernelContext& context, QuantizeMode mode, bool narrow, Index axis) {
  constexpr const char* kOp = "Dequantize";
  const Tensor &input = context.input(0), &lows = context.input(1), &highs = context.input(2);
  QuantizedChannels channels;
  if (axis > -1 && axis >= input.dims())
    return errors::InvalidArgument(kOp, ": Axis must be less than input dimension(", input.dims(), "), got ", axis);
  TENON_RETURN_IF_ERROR(QuantizedChannels::Of(kOp, input.shape(), std::max<Index>(axis, -1), &channels));
  for (const Tensor* ends : {&lows, &highs})
    if (ends->NumElements() != channels.depth)
      return errors::InvalidArgument(kOp, ": input_", ends == &lows ? "min" : "max",
                                     "_tensor must have as many elements as input on the dequantization axis (", axis,
                                     "), got ", ends->NumElements(), ", expected ", channels.depth);
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &out));
  return DispatchType<TypeList<float, bfloat16>>(out->dtype(), [&]<class T>() {
    for (Index o = 0; o < channels.outer; ++o)
      for (Index c = 0; c < channels.depth; ++c)
        DequantizeChannel(mode, narrow, input, (o * channels.depth + c) * channels.inner, channels.inner,
                          lows.data<float>()[c], highs.data<float>()[c], out->data<T>());
  });
}

}  // namespace detail

// input: any shape, min_range and max_range: [] or, with axis, [size]  ->  output, and the range that it uses
struct QuantizeV2 {
  static constexpr auto signature = Op("QuantizeV2")
                                        .Input("input: float")
                                        .Input("min_range: float")
                                        .Input("max_range: float")
                                        .Output("output: T")
                                        .Output("output_min: float")
                                        .Output("output_max: float")
                                        .Attr("T: quantizedtype")
                                        .Attr("mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'")
                                        .Attr(
                                            "round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = "
                                            "'HALF_AWAY_FROM_ZERO'")
                                        .Attr("narrow_range: bool = false")
                                        .Attr("axis: int = -1")
                                        .Attr("ensure_minimum_range: float = 0.01")
                                        .SetShapeFn(shape_inference::QuantizeV2Shape);
  struct Attrs {
    std::string_view mode, round_mode;
    bool narrow_range;
    std::int64_t axis;
    float ensure_minimum_range;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const {
      if (this->round_mode == "HALF_TO_EVEN" && this->mode != "SCALED")
        return errors::InvalidArgument("Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '",
                                       this->mode, "'.");
      return OkStatus();
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&, Tensor&,
                      Tensor&) const {
      return detail::RunQuantizeV2(context.op(),
                                   {detail::QuantizeModeOf(this->mode), this->round_mode == "HALF_TO_EVEN",
                                    this->narrow_range, this->ensure_minimum_range},
                                   this->axis);
    }
  };
};

struct Dequantize {
  static constexpr auto signature = Op("Dequantize")
                                        .Input("input: T")
                                        .Input("min_range: float")
                                        .Input("max_range: float")
                                        .Output("output: dtype")
                                        .Attr("T: quantizedtype")
                                        .Attr("mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'")
                                        .Attr("narrow_range: bool = false")
                                        .Attr("axis: int = -1")
                                        .Attr("dtype: {bfloat16, float} = DT_FLOAT")
                                        .SetShapeFn(detail::DequantizeShape);
  struct Attrs {
    std::string_view mode;
    bool narrow_range;
    std::int64_t axis;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) const {
      if (c.output_type(0) == DataType::kBfloat16 && this->mode != "MIN_COMBINED")
        return errors::InvalidArgument("When output type is bfloat16, Mode string must be 'MIN_COMBINED', is '",
                                       this->mode, "'");
      return OkStatus();
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&) const {
      return detail::RunDequantize(context.op(), detail::QuantizeModeOf(this->mode), this->narrow_range, this->axis);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
