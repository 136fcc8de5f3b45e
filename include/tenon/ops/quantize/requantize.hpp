// SPDX-License-Identifier: Apache-2.0
#pragma once
// Requantize, RequantizationRange, QuantizeDownAndShrinkRange: from 32 bits to 8 in a range that fits.

#include <algorithm>
#include <cstdint>

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

inline constexpr DataTypeSet kEightBits = ToSet(DataType::kQint8) | ToSet(DataType::kQuint8);

// 32 bits to quint8 with 16 bits behind the point, as TensorFlow has it.
inline void RequantizeToBytes(const std::int32_t* in, Index n, const QuantizedRange& from, const QuantizedRange& to,
                              std::uint8_t* out) {
  constexpr double kOne = 1 << 16;
  const float in_range = from.high - from.low, out_range = to.high - to.low;
  const bool point = out_range == 0;
  const auto inverse = static_cast<float>(point ? 0.0 : 255.0 / static_cast<double>(out_range));
  const auto middle = static_cast<float>(static_cast<double>(from.low + from.high) / 2.0);
  const std::int64_t scale =
      point ? 0 : ToInt64(255.0 * kOne * static_cast<double>(in_range) / static_cast<double>(out_range));
  const std::int64_t in_offset = ToInt64(static_cast<double>(middle * inverse * static_cast<float>(kOne)));
  const std::int64_t out_offset =
      point ? 0 : ToInt64(kOne * (static_cast<double>(to.low) * 255.0) / static_cast<double>(out_range));
  for (Index i = 0; i < n; ++i) {
    const auto product =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(std::int64_t{in[i]}) * static_cast<std::uint64_t>(scale));
    const std::uint64_t moved = static_cast<std::uint64_t>(product >> 32) + static_cast<std::uint64_t>(in_offset) -
                                static_cast<std::uint64_t>(out_offset) + (1u << 15);
    out[i] = static_cast<std::uint8_t>(
        std::min<std::int64_t>(std::max<std::int64_t>(static_cast<std::int64_t>(moved) >> 16, 0), 255));
  }
}
inline void RequantizeInto(const Tensor& in, const QuantizedRange& from, const QuantizedRange& to, Tensor* out) {
  const auto* const x = static_cast<const std::int32_t*>(in.raw_data());
  const Index n = in.NumElements();
  if (out->dtype() == DataType::kQuint8)
    return RequantizeToBytes(x, n, from, to, static_cast<std::uint8_t*>(out->raw_data()));
  const QuantizedKind wide = QuantizedKind::Of(in.dtype()), narrow = QuantizedKind::Of(out->dtype());
  for (Index i = 0; i < n; ++i)
    StoreQuantized(FloatToQuantized(narrow, QuantizedToFloat(wide, x[i], from.low, from.high), to.low, to.high),
                   out->raw_data(), out->dtype(), i);
}

// The range of the numbers that are there, with 0 in it. Of none: from the highest to the lowest.
inline QuantizedRange UsedRange(const Tensor& in, const QuantizedRange& from) {
  const QuantizedKind kind = QuantizedKind::Of(in.dtype());
  std::int64_t least = kind.highest, most = kind.lowest;
  for (Index i = 0; i < in.NumElements(); ++i) {
    const std::int64_t x = LoadQuantized(in.raw_data(), in.dtype(), i);
    least = std::min(least, x);
    most = std::max(most, x);
  }
  return {std::min(0.0f, QuantizedToFloat(kind, least, from.low, from.high)),
          QuantizedToFloat(kind, most, from.low, from.high)};
}

}  // namespace detail

// input, input_min, input_max: []  ->  the range that the input uses
struct RequantizationRange {
  static constexpr auto signature = Op("RequantizationRange")
                                        .Input("input: Tinput")
                                        .Input("input_min: float")
                                        .Input("input_max: float")
                                        .Output("output_min: float")
                                        .Output("output_max: float")
                                        .Attr("Tinput: quantizedtype")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle unused;
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
                                          TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
                                          c->set_output(0, c->Scalar());
                                          c->set_output(1, c->Scalar());
                                          return OkStatus();
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(0), ToSet(DataType::kQint32)); }
    Status operator()(Context<Device>& context, const Tensor& input, const Tensor&, const Tensor&, Tensor&,
                      Tensor&) const {
      detail::QuantizedRange from;
      for (const int i : {1, 2}) {  // as TensorFlow, the first element of any shape
        const Tensor& end = context.op().input(i);
        if (end.NumElements() == 0)
          return errors::InvalidArgument("RequantizationRange: ", i == 1 ? "input_min" : "input_max", " is empty");
        (i == 1 ? from.low : from.high) = *end.data<float>();
      }
      return detail::UsedRange(input, from).Write(context.op(), 0);
    }
  };
};

struct QuantizeDownAndShrinkRange {
  static constexpr auto signature = Op("QuantizeDownAndShrinkRange")
                                        .Input("input: Tinput")
                                        .Input("input_min: float")
                                        .Input("input_max: float")
                                        .Output("output: out_type")
                                        .Output("output_min: float")
                                        .Output("output_max: float")
                                        .Attr("Tinput: quantizedtype")
                                        .Attr("out_type: quantizedtype")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          c->set_output(0, c->input(0));
                                          return detail::ScalarRanges(c, 1, 2);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(0), ToSet(DataType::kQint32)));
      return ServeOnly(c, c.output_type(0), ToSet(DataType::kQuint8));
    }
    Status operator()(Context<Device>& context, const Tensor& input, const Tensor&, const Tensor&, Tensor&, Tensor&,
                      Tensor&) const {
      return Run(context.op(), input);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Tensor& input) {
    detail::QuantizedRange from;
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(from.Read(context, 1, "input"));
    const detail::QuantizedRange to = detail::UsedRange(input, from);
    TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &out));
    detail::RequantizeInto(input, from, to, out);
    return to.Write(context, 1);
  }
};

struct Requantize {
  static constexpr auto signature = Op("Requantize")
                                        .Input("input: Tinput")
                                        .Input("input_min: float")
                                        .Input("input_max: float")
                                        .Input("requested_output_min: float")
                                        .Input("requested_output_max: float")
                                        .Output("output: out_type")
                                        .Output("output_min: float")
                                        .Output("output_max: float")
                                        .Attr("Tinput: quantizedtype")
                                        .Attr("out_type: quantizedtype")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          c->set_output(0, c->input(0));
                                          return detail::ScalarRanges(c, 1, 4);
                                        });
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status Init(OpKernelConstruction& c) {
      TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(0), ToSet(DataType::kQint32)));
      return ServeOnly(c, c.output_type(0), detail::kEightBits);
    }
    Status operator()(Context<Device>& context, const Tensor& input, const Tensor&, const Tensor&, const Tensor&,
                      const Tensor&, Tensor&, Tensor&, Tensor&) const {
      return Run(context.op(), input);
    }
  };

 private:
  static Status Run(OpKernelContext& context, const Tensor& input) {
    detail::QuantizedRange from, to;
    Tensor* out = nullptr;
    TENON_RETURN_IF_ERROR(from.Read(context, 1, "input"));
    TENON_RETURN_IF_ERROR(to.Read(context, 3, "requested_output"));
    if (to.low > 0) return errors::InvalidArgument("Requantize: requested_output_min must be <= 0, but got ", to.low);
    if (to.high < to.low)
      return errors::InvalidArgument("Requantize: requested_output_max must be >= requested_output_min, but got ",
                                     to.high, " and ", to.low);
    TENON_RETURN_IF_ERROR(context.allocate_output(0, input.shape(), &out));
    detail::RequantizeInto(input, from, to, out);
    return to.Write(context, 1);
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
