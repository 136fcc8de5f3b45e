// SPDX-License-Identifier: Apache-2.0
#pragma once
// QuantizedRelu, QuantizedRelu6: rectifiers that keep the range of their input.

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

constexpr auto QuantizedActivationOp(const char* name) {
  return Op(name)
      .Input("features: Tinput")
      .Input("min_features: float")
      .Input("max_features: float")
      .Output("activations: out_type")
      .Output("min_activations: float")
      .Output("max_activations: float")
      .Attr("Tinput: quantizedtype")
      .Attr("out_type: quantizedtype = DT_QUINT8")
      .SetShapeFn([](InferenceContext* c) -> Status {
        c->set_output(0, c->input(0));
        return ScalarRanges(c, 1, 2);
      });
}

// Numbers below 0 become 0; with `most`, numbers above 6 become 6.
inline Status RunQuantizedRelu(OpKernelContext& context, bool most) {
  const Tensor& x = context.input(0);
  QuantizedRange range;
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(range.Read(context, 1, "input"));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, x.shape(), &out));
  const QuantizedKind kind = QuantizedKind::Of(x.dtype());
  const std::int64_t zero = FloatToQuantized(kind, 0.0f, range.low, range.high);
  const std::int64_t six = most ? FloatToQuantized(kind, 6.0f, range.low, range.high) : kind.highest;
  for (Index i = 0; i < x.NumElements(); ++i)
    StoreQuantized(std::min(std::max<std::int64_t>(LoadQuantized(x.raw_data(), x.dtype(), i), zero), six),
                   out->raw_data(), x.dtype(), i);
  return range.Write(context, 1);
}

template <bool most>
struct QuantizedReluKernel {
  Status Init(OpKernelConstruction& c) {
    TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(0), ToSet(DataType::kQint32) | ToSet(DataType::kQuint8)));
    return ServeOnly(c, c.output_type(0), ToSet(c.input_type(0)));
  }
  Status operator()(Context<Cpu>& context, const Tensor&, const Tensor&, const Tensor&, Tensor&, Tensor&,
                    Tensor&) const {
    return RunQuantizedRelu(context.op(), most);
  }
};

}  // namespace detail

struct QuantizedRelu {
  static constexpr auto signature = detail::QuantizedActivationOp("QuantizedRelu");
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::QuantizedReluKernel<false>;
};

struct QuantizedRelu6 {
  static constexpr auto signature = detail::QuantizedActivationOp("QuantizedRelu6");
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  using kernel = detail::QuantizedReluKernel<true>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
