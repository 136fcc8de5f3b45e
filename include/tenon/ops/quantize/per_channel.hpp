// SPDX-License-Identifier: Apache-2.0
#pragma once
// RequantizePerChannel, RequantizationRangePerChannel: from 32 bits to 8, with a range for each channel.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/quantize/ranges.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr float kHalfOfInt32 = 2147483648.0f;

// The larger absolute value of two ends.
inline float LargestEnd(float low, float high) { return std::max(std::fabs(low), std::fabs(high)); }

// The only element of input i.
inline Status ReadOnly(const OpKernelContext& context, int i, std::string_view name, float* value) {
  const Tensor& input = context.input(i);
  if (input.NumElements() != 1)
    return errors::InvalidArgument(context.op_kernel().type_string(), ": ", name,
                                   " must be a scalar, but has the shape ", input.shape());
  *value = *input.data<float>();
  return OkStatus();
}

inline Status RunRequantizePerChannel(OpKernelContext& context) {
  constexpr const char* kOp = "RequantizePerChannel";
  const Tensor &input = context.input(0), &lows = context.input(1), &highs = context.input(2);
  float asked_low = 0, asked_high = 0;
  Tensor* out = nullptr;
  const Index n = lows.NumElements();
  if (highs.NumElements() != n)
    return errors::InvalidArgument(kOp, ": input_max has incorrect size, expected ", n, " was ", highs.NumElements());
  TENON_RETURN_IF_ERROR(ReadOnly(context, 3, "requested_output_min", &asked_low));
  TENON_RETURN_IF_ERROR(ReadOnly(context, 4, "requested_output_max", &asked_high));
  if (input.dims() != 4)
    return errors::InvalidArgument(kOp, ": supports 4D tensors only, but input has the shape ", input.shape());
  if (n == 0) return errors::Aborted(kOp, ": input_min has no elements");
  const Index depth = input.dim_size(3);
  if (n != 1 && n != depth)
    return errors::InvalidArgument(kOp, ": input_min has ", n, " elements, but input has ", depth, " channels");
  TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &out));
  const bool is_signed = out->dtype() == DataType::kQint8;
  const float factor = is_signed ? 127.0f : 255.0f, least = is_signed ? -128.0f : 0.0f,
              most = is_signed ? 127.0f : 255.0f, asked = LargestEnd(asked_low, asked_high);
  const auto* const x = static_cast<const std::int32_t*>(input.raw_data());
  for (Index c = 0; c < depth && input.NumElements() > 0; ++c) {
    const Index k = n == 1 ? 0 : c;
    const float scale = factor * (LargestEnd(lows.data<float>()[k], highs.data<float>()[k]) / asked / kHalfOfInt32);
    for (Index i = c; i < input.NumElements(); i += depth) {
      const float y = std::nearbyint(static_cast<float>(x[i]) * scale);
      StoreQuantized(static_cast<std::int64_t>(y > least ? std::min(y, most) : least), out->raw_data(), out->dtype(),
                     i);
    }
  }
  return QuantizedRange{asked_low, asked_high}.Write(context, 1);
}

inline Status RunRequantizationRangePerChannel(OpKernelContext& context, float clip) {
  constexpr const char* kOp = "RequantizationRangePerChannel";
  const Tensor &input = context.input(0), &lows = context.input(1), &highs = context.input(2);
  if (input.dims() != 4)
    return errors::InvalidArgument(kOp, ": input must be in NHWC format, but has the shape ", input.shape());
  if (input.NumElements() == 0) return errors::InvalidArgument(kOp, ": input must not be empty: ", input.shape());
  const Index depth = input.dim_size(3);
  for (const Tensor* ends : {&lows, &highs})
    if (ends->dims() != 1 || ends->dim_size(0) != depth)
      return errors::InvalidArgument(kOp, ": input must have same number of channels as length of ",
                                     ends == &lows ? "input_min: " : "input_max: ", depth, " vs ", ends->shape());
  const auto* const x = static_cast<const std::int32_t*>(input.raw_data());
  float largest = 0;
  bool negative = false;
  for (Index c = 0; c < depth; ++c) {
    std::int32_t least = x[c], most = x[c];
    for (Index i = c; i < input.NumElements(); i += depth) {
      least = std::min(least, x[i]);
      most = std::max(most, x[i]);
    }
    negative = negative || least < 0;
    const float reach = LargestEnd(static_cast<float>(least), static_cast<float>(most));
    const float used = LargestEnd(lows.data<float>()[c], highs.data<float>()[c]) * reach / kHalfOfInt32;
    largest = used > largest ? used : largest;
  }
  const float high = std::min(largest, clip);
  return QuantizedRange{negative ? -high : 0.0f, high}.Write(context, 0);
}

}  // namespace detail

// input: [n, h, w, c], input_min and input_max: [c] or [1]  ->  bytes in the requested range
struct RequantizePerChannel {
  static constexpr auto signature = Op("RequantizePerChannel")
                                        .Input("input: T")
                                        .Input("input_min: float")
                                        .Input("input_max: float")
                                        .Input("requested_output_min: float")
                                        .Input("requested_output_max: float")
                                        .Output("output: out_type")
                                        .Output("output_min: float")
                                        .Output("output_max: float")
                                        .Attr("T: quantizedtype = DT_QINT32")
                                        .Attr("out_type: quantizedtype = DT_QUINT8")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          c->set_output(0, c->input(0));
                                          for (int i = 1; i < 3; ++i)
                                            TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &unused));
                                          return detail::ScalarRanges(c, 3, 4);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) const {
      TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(0), ToSet(DataType::kQint32)));
      return ServeOnly(c, c.output_type(0), ToSet(DataType::kQint8) | ToSet(DataType::kQuint8));
    }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return detail::RunRequantizePerChannel(context.op());
    }
  };
};

// input: [n, h, w, c], input_min and input_max: [c]  ->  a range for all channels
struct RequantizationRangePerChannel {
  static constexpr auto signature = Op("RequantizationRangePerChannel")
                                        .Input("input: T")
                                        .Input("input_min: float")
                                        .Input("input_max: float")
                                        .Output("output_min: float")
                                        .Output("output_max: float")
                                        .Attr("T: quantizedtype = DT_QINT32")
                                        .Attr("clip_value_max: float")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          for (int i = 1; i < 3; ++i)
                                            TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &unused));
                                          c->set_output(0, c->Scalar());
                                          c->set_output(1, c->Scalar());
                                          return OkStatus();
                                        });
  struct Attrs {
    float clip_value_max;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) const { return ServeOnly(c, c.input_type(0), ToSet(DataType::kQint32)); }
    Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&, Tensor&) const {
      return detail::RunRequantizationRangePerChannel(context.op(), this->clip_value_max);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
