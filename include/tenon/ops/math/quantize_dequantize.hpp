// SPDX-License-Identifier: Apache-2.0
#pragma once
// QuantizeAndDequantize: numbers rounded to the steps that an integer of num_bits bits can hold.

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/quantized_shape_fns.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

template <class Device, class T>
concept QuantizesReals = Device::type == "CPU" && (std::is_same_v<T, float> || std::is_same_v<T, double>);

using shape_inference::internal::QuantizeRangeShape;

inline Status QuantizeAndDequantizeShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(QuantizeRangeShape(c, 0, 1, &unused));
  c->set_output(0, c->input(0));
  return OkStatus();
}
inline Status QuantizeAndDequantizeGradShape(InferenceContext* c) {
  ShapeHandle ranges, input;
  TENON_RETURN_IF_ERROR(QuantizeRangeShape(c, 1, 2, &ranges));
  TENON_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &input));
  c->set_output(0, input);
  c->set_output(1, ranges);
  c->set_output(2, ranges);
  return OkStatus();
}

struct QuantizeSettings {
  bool signed_input = true, range_given = false, half_up = false, narrow_range = false;
  Index num_bits = 8, axis = -1;
};

// The input as [outer, depth, inner], the ranges along depth.
struct QuantizedChannels {
  Index outer = 1, depth = 1, inner = 1;

  static Status Of(std::string_view op, const TensorShape& shape, Index axis, QuantizedChannels* out) {
    if (axis < -1) return errors::InvalidArgument(op, ": axis should be at least -1, got ", axis);
    if (axis >= shape.dims())
      return errors::InvalidArgument(op, ": Shape must be at least rank ", axis + 1, " but is rank ", shape.dims());
    *out = {};
    if (shape.num_elements() == 0) {
      out->outer = out->inner = 0;
      if (axis >= 0) out->depth = shape.dim_size(static_cast<int>(axis));
      return OkStatus();
    }
    for (int d = 0; d < shape.dims(); ++d)
      (axis < 0 || d > axis ? out->inner : d == axis ? out->depth : out->outer) *= shape.dim_size(d);
    return OkStatus();
  }
};

// One channel: the factors of a number before and after it is rounded, and the range that is kept.
template <class T>
struct QuantizeScale {
  T scale, inverse, low, high;

  // Turns the range into steps so that neither end exceeds the integers of num_bits, and 0 stays 0.
  QuantizeScale(const QuantizeSettings& s, T min, T max) : low(min), high(max) {
    const auto bits = static_cast<int>(s.num_bits);
    const Index half = s.signed_input ? Index{1} << (bits - 1) : 0;
    const T least = static_cast<T>(s.signed_input ? (s.narrow_range ? 1 - half : -half) : 0);
    const T most = static_cast<T>(s.signed_input ? half - 1 : static_cast<Index>((std::uint64_t{1} << bits) - 1));
    constexpr T kHuge = std::numeric_limits<T>::max();
    const T from_low = least * min > 0 ? least / min : kHuge, from_high = most * max > 0 ? most / max : kHuge;
    if (from_low < from_high) {
      scale = from_low;
      inverse = min / least;
      high = most * inverse;
    } else {
      scale = from_high;
      inverse = max / most;
      low = least * inverse;
    }
  }
};

template <class T>
void QuantizeRun(const QuantizeSettings& s, const QuantizeScale<T>& q, const T* x, T* y, Index n) {
  for (Index i = 0; i < n; ++i) {
    T value = x[i];
    if (s.range_given) {
      value = value > q.high ? q.high : value;
      value = value < q.low ? q.low : value;  // also where low is above high
    }
    value *= q.scale;
    y[i] = (s.half_up ? std::floor(value + static_cast<T>(0.5)) : std::nearbyint(value)) * q.inverse;
  }
}

// `min` and `max`: as many as there are channels, where a range is given.
template <class T>
Status QuantizeChannels(std::string_view op, const QuantizeSettings& s, const QuantizedChannels& layout, const T* x,
                        const T* min, const T* max, T* y) {
  for (Index c = 0; c < layout.depth && (layout.outer > 0 || s.range_given); ++c) {
    T low = s.range_given ? min[c] : std::numeric_limits<T>::infinity(), high = s.range_given ? max[c] : -low;
    if (s.range_given && s.axis < 0 && !(low <= high))  // as TensorFlow, which compares scalars only
      return errors::InvalidArgument(op, ": Invalid range: input_min ", low, " > input_max ", high);
    for (Index o = 0; !s.range_given && o < layout.outer; ++o) {
      const T* run = x + (o * layout.depth + c) * layout.inner;
      for (Index i = 0; i < layout.inner; ++i) {
        low = run[i] < low ? run[i] : low;
        high = run[i] > high ? run[i] : high;
      }
    }
    const QuantizeScale<T> scale(s, low, high);
    for (Index o = 0; o < layout.outer; ++o) {
      const Index at = (o * layout.depth + c) * layout.inner;
      QuantizeRun(s, scale, x + at, y + at, layout.inner);
    }
  }
  return OkStatus();
}

// Ranges that are given must be scalars, or (`vectors`) one for each channel; one number of any shape where there is
// but one channel.
inline Status CheckQuantizeRange(std::string_view op, const QuantizeSettings& s, const QuantizedChannels& layout,
                                 bool vectors, const TensorShape& min, const TensorShape& max) {
  if (s.num_bits <= 0 || s.num_bits >= (s.signed_input ? 62 : 63))
    return errors::InvalidArgument(op, ": num_bits is out of range: ", s.num_bits, " with signed_input_ ",
                                   s.signed_input ? 1 : 0, "; 1 to ", s.signed_input ? 61 : 62, " would be right");
  if (!s.range_given) return OkStatus();
  const bool per_channel = s.axis >= 0;
  if (per_channel && (min.dims() != 1 || max.dims() != 1))
    return errors::InvalidArgument(op, ": Shape must be rank 1 for input_min_tensor when the axis is specified, got ",
                                   min, " and ", max);
  if (!per_channel || !vectors) {
    const auto scalar = [vectors](const TensorShape& x) { return vectors ? x.num_elements() == 1 : x.dims() == 0; };
    if (!scalar(min)) return errors::InvalidArgument(op, ": input_min must be a scalar, got shape ", min);
    if (!scalar(max)) return errors::InvalidArgument(op, ": input_max must be a scalar, got shape ", max);
  } else if (min.dim_size(0) != layout.depth || max.dim_size(0) != layout.depth) {
    return errors::InvalidArgument(op, ": input_min and input_max must have ", layout.depth, " elements, got shapes ",
                                   min, " and ", max);
  }
  return OkStatus();
}

template <class T>
Status RunQuantize(OpKernelContext& context, const QuantizeSettings& s, bool vectors, const In<T>& input,
                   const In<T>& min, const In<T>& max, Tensor* output) {
  const std::string_view op = context.op_kernel().type_string();
  QuantizedChannels layout;
  TENON_RETURN_IF_ERROR(QuantizedChannels::Of(op, input.shape(), s.axis, &layout));
  TENON_RETURN_IF_ERROR(CheckQuantizeRange(op, s, layout, vectors, min.shape(), max.shape()));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &output));
  return QuantizeChannels(op, s, layout, input.data, min.data, max.data, output->data<T>());
}

// The kernel of V2 and V4. As in TensorFlow, given ranges may only be scalars, for any axis.
template <class Attrs, class Device, class T>
struct QuantizeKernel : Attrs {
  Status operator()(Context<Device>& context, In<T> input, In<T> input_min, In<T> input_max, Tensor& output) const {
    QuantizeSettings s{this->signed_input, this->range_given, this->round_mode == "HALF_UP",
                       this->narrow_range, this->num_bits,    this->axis};
    return RunQuantize<T>(context.op(), s, false, input, input_min, input_max, &output);
  }
};

}  // namespace detail

// The range, where it is given, is in the attrs.
struct QuantizeAndDequantize {
  static constexpr auto signature = Op("QuantizeAndDequantize")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("signed_input: bool = true")
                                        .Attr("num_bits: int = 8")
                                        .Attr("range_given: bool = false")
                                        .Attr("input_min: float = 0")
                                        .Attr("input_max: float = 0")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Deprecated(22, "Replaced by QuantizeAndDequantizeV2")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  struct Attrs {
    bool signed_input;
    std::int64_t num_bits;
    bool range_given;
    float input_min, input_max;
  };
  template <class Device, class T>
    requires detail::QuantizesReals<Device, T>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T> input, Tensor& output) const {
      const detail::QuantizeSettings s{this->signed_input, this->range_given, false, false, this->num_bits, -1};
      const TensorShape scalar;
      detail::QuantizedChannels layout;
      TENON_RETURN_IF_ERROR(detail::QuantizedChannels::Of("QuantizeAndDequantize", input.shape(), -1, &layout));
      TENON_RETURN_IF_ERROR(detail::CheckQuantizeRange("QuantizeAndDequantize", s, layout, false, scalar, scalar));
      Tensor* out = &output;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, input.shape(), &out));
      const T min = T(this->input_min), max = T(this->input_max);
      return detail::QuantizeChannels("QuantizeAndDequantize", s, layout, input.data, &min, &max, out->data<T>());
    }
  };
};

// input: any shape; input_min, input_max: its range where that is given. With an axis: per index of it.
struct QuantizeAndDequantizeV2 {
  static constexpr auto signature = Op("QuantizeAndDequantizeV2")
                                        .Input("input: T")
                                        .Input("input_min: T")
                                        .Input("input_max: T")
                                        .Output("output: T")
                                        .Attr("signed_input: bool = true")
                                        .Attr("num_bits: int = 8")
                                        .Attr("range_given: bool = false")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'")
                                        .Attr("narrow_range: bool = false")
                                        .Attr("axis: int = -1")
                                        .SetShapeFn(detail::QuantizeAndDequantizeShape);

  struct Attrs {
    bool signed_input;
    std::int64_t num_bits;
    bool range_given;
    std::string_view round_mode;
    bool narrow_range;
    std::int64_t axis;
  };
  template <class Device, class T>
    requires detail::QuantizesReals<Device, T>
  using kernel = detail::QuantizeKernel<Attrs, Device, T>;
};

// QuantizeAndDequantizeV2 with a gradient that knows the range.
struct QuantizeAndDequantizeV4 {
  static constexpr auto signature = Op("QuantizeAndDequantizeV4")
                                        .Input("input: T")
                                        .Input("input_min: T")
                                        .Input("input_max: T")
                                        .Output("output: T")
                                        .Attr("signed_input: bool = true")
                                        .Attr("num_bits: int = 8")
                                        .Attr("range_given: bool = false")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("round_mode: {'HALF_TO_EVEN', 'HALF_UP'} = 'HALF_TO_EVEN'")
                                        .Attr("narrow_range: bool = false")
                                        .Attr("axis: int = -1")
                                        .SetShapeFn(detail::QuantizeAndDequantizeShape);

  struct Attrs {
    bool signed_input;
    std::int64_t num_bits;
    bool range_given;
    std::string_view round_mode;
    bool narrow_range;
    std::int64_t axis;
  };
  template <class Device, class T>
    requires detail::QuantizesReals<Device, T>
  using kernel = detail::QuantizeKernel<Attrs, Device, T>;
};

// The number of bits is an input.
struct QuantizeAndDequantizeV3 {
  static constexpr auto signature = Op("QuantizeAndDequantizeV3")
                                        .Input("input: T")
                                        .Input("input_min: T")
                                        .Input("input_max: T")
                                        .Input("num_bits: int32")
                                        .Output("output: T")
                                        .Attr("signed_input: bool = true")
                                        .Attr("range_given: bool = true")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("narrow_range: bool = false")
                                        .Attr("axis: int = -1")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle num_bits;
                                          TENON_RETURN_IF_ERROR(detail::QuantizeAndDequantizeShape(c));
                                          return c->WithRank(c->input(3), 0, &num_bits);
                                        });

  struct Attrs {
    bool signed_input, range_given, narrow_range;
    std::int64_t axis;
  };
  template <class Device, class T>
    requires detail::QuantizesReals<Device, T>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T> input, In<T> input_min, In<T> input_max, HostIndices num_bits,
                      Tensor& output) const {
      if (num_bits.shape().dims() != 0)
        return errors::InvalidArgument(
            "QuantizeAndDequantizeV3: Invalid shape. The `num_bits` tensor should be a scalar. Got dimensions: ",
            num_bits.shape().dims());
      if (input.shape().dims() == 0)
        return errors::InvalidArgument(
            "QuantizeAndDequantizeV3: Axis requested is larger than input dimensions. Axis: ", this->axis,
            " Input Dimensions: 0");
      const detail::QuantizeSettings s{this->signed_input, this->range_given, false,
                                       this->narrow_range, num_bits[0],       this->axis};
      return detail::RunQuantize<T>(context.op(), s, true, input, input_min, input_max, &output);
    }
  };
};

// gradients pass where the input is within the range; the range itself has no gradient.
struct QuantizeAndDequantizeV4Grad {
  static constexpr auto signature = Op("QuantizeAndDequantizeV4Grad")
                                        .Input("gradients: T")
                                        .Input("input: T")
                                        .Input("input_min: T")
                                        .Input("input_max: T")
                                        .Output("input_backprop: T")
                                        .Output("input_min_backprop: T")
                                        .Output("input_max_backprop: T")
                                        .Attr("T: {bfloat16, half, float, double}")
                                        .Attr("axis: int = -1")
                                        .SetShapeFn(detail::QuantizeAndDequantizeGradShape);

  struct Attrs {
    std::int64_t axis;
  };
  template <class Device, class T>
    requires detail::QuantizesReals<Device, T>
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, In<T> gradients, In<T> input, In<T> input_min, In<T> input_max,
                      Tensor& backprop, Tensor& min_backprop, Tensor& max_backprop) const {
      constexpr std::string_view kOp = "QuantizeAndDequantizeV4Grad";
      if (!(gradients.shape() == input.shape()))
        return errors::InvalidArgument(kOp, ": gradient and input must be the same size, got ", gradients.shape(),
                                       " and ", input.shape());
      for (const TensorShape& range : {input_min.shape(), input_max.shape()})
        if (this->axis == -1 && range.dims() != 0)
          return errors::InvalidArgument(kOp, ": input_min and input_max must be scalars where axis is -1, got ",
                                         range);
      const detail::QuantizeSettings s{true, true, false, false, 8, this->axis};
      detail::QuantizedChannels layout;
      TENON_RETURN_IF_ERROR(detail::QuantizedChannels::Of(kOp, input.shape(), this->axis, &layout));
      TENON_RETURN_IF_ERROR(detail::CheckQuantizeRange(kOp, s, layout, true, input_min.shape(), input_max.shape()));
      Tensor *out = &backprop, *min_out = &min_backprop, *max_out = &max_backprop;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, input.shape(), &out));
      TENON_RETURN_IF_ERROR(context.op().allocate_output(1, input_min.shape(), &min_out));
      TENON_RETURN_IF_ERROR(context.op().allocate_output(2, input_max.shape(), &max_out));
      for (Index c = 0; c < layout.depth; ++c) {
        min_out->data<T>()[c] = max_out->data<T>()[c] = T(0);
        for (Index o = 0; o < layout.outer; ++o) {
          const Index at = (o * layout.depth + c) * layout.inner;
          for (Index i = at; i < at + layout.inner; ++i)
            out->data<T>()[i] = gradients[i] * T(input[i] >= input_min[c] && input[i] <= input_max[c]);
        }
      }
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
