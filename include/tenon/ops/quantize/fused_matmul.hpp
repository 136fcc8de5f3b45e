// SPDX-License-Identifier: Apache-2.0
#pragma once
// QuantizedMatMulWithBias and its kin: products of 8-bit matrices, then a bias, Relu and a new range. TensorFlow runs
// these ops with oneDNN only.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/gemm/int8.hpp>
#include <tenon/engine/math/quantized_range.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/ops/quantize/fused_scale.hpp>
#include <tenon/ops/quantize/ranges.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// How a fused product ends: with 32-bit sums, with bytes of a given range, or with floats.
struct FusedProductSteps {
  bool relu = false;
  DataType output = DataType::kQint32;
};

class FusedProductKernel : public OpKernel {
 public:
  FusedProductKernel(OpKernelConstruction* c, FusedProductSteps steps) : OpKernel(c), steps_(steps) {
    c->SetStatus(Init(*c));
  }
  void Compute(OpKernelContext* context) override { context->SetStatus(Run(*context, context->device<Cpu>())); }

 private:
  Status Init(const OpKernelConstruction& c) {
    std::string_view mode;
    TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(0), ToSet(DataType::kQuint8)));
    TENON_RETURN_IF_ERROR(ServeOnly(c, c.input_type(1), ToSet(DataType::kQint8)));
    TENON_RETURN_IF_ERROR(ServeOnly(c, c.output_type(0), ToSet(steps_.output)));
    TENON_RETURN_IF_ERROR(c.GetAttr("transpose_a", &transposes_[0]));
    TENON_RETURN_IF_ERROR(c.GetAttr("transpose_b", &transposes_[1]));
    TENON_RETURN_IF_ERROR(c.GetAttr("input_quant_mode", &mode));
    is_scaled_ = mode == "SCALED" && steps_.output == DataType::kFloat;  // TensorFlow's others ignore the mode
    return OkStatus();
  }
  Status Run(OpKernelContext& context, Cpu& device) {
    const Tensor &a = context.input(0), &b = context.input(1);
    QuantizedRange ra, rb, to;
    Tensor* out = nullptr;
    if (a.dims() != 2) return errors::InvalidArgument(type_string(), ": a must be 2-dimensional: ", a.shape());
    if (b.dims() != 2) return errors::InvalidArgument(type_string(), ": b must be 2-dimensional: ", b.shape());
    TENON_RETURN_IF_ERROR(ra.Read(context, 3, "a"));
    TENON_RETURN_IF_ERROR(rb.Read(context, 5, "b"));
    if (steps_.output != DataType::kQint32) TENON_RETURN_IF_ERROR(to.Read(context, 7, "freezed_output"));
    const Index m = a.dim_size(0), k = a.dim_size(1), n = b.dim_size(1);
    if (transposes_[0] || transposes_[1] || (m > 0 && k == 0))
      return errors::Aborted(type_string(), ": matrices must be neither transposed nor without depth, got ", a.shape(),
                             " and ", b.shape());
    if (k != b.dim_size(0))
      return errors::InvalidArgument(type_string(), ": Matrix size-incompatible: In[0]: ", a.shape(),
                                     ", In[1]: ", b.shape());
    TENON_RETURN_IF_ERROR(CheckFusedBias(context, n));
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({m, n}), &out));
    const Scratch scratch(device, static_cast<std::size_t>(m * n) * sizeof(std::int32_t));
    TENON_RETURN_IF_ERROR(scratch.status(type_string()));
    auto* const sums = scratch.As<std::int32_t>();
    TENON_RETURN_IF_ERROR(GemmInt8(device, m, n, k, {a.raw_data(), false, k, 1}, {b.raw_data(), true, n, 1}, sums, n));
    Finish(context, ra, rb, to, sums, out);
    if (steps_.output == DataType::kFloat) return OkStatus();
    return (steps_.output == DataType::kQuint8 ? to : WideRange(ra, rb)).Write(context, 1);
  }
  void Finish(const OpKernelContext& context, const QuantizedRange& ra, const QuantizedRange& rb,
              const QuantizedRange& to, const std::int32_t* sums, Tensor* out) const {
    const Tensor &b = context.input(1), &bias = context.input(2);
    const Index m = out->dim_size(0), n = out->dim_size(1), k = b.dim_size(0);
    const float width = ra.high - ra.low, step = (is_scaled_ ? Reach(ra) : width) / 255.0f * (Reach(rb) / 127.0f);
    const float lowest = 255.0f * ra.low / width;
    const float out_step = steps_.output == DataType::kQuint8 ? Reach(to) / 255.0f : step;
    for (Index j = 0; j < n; ++j) {
      FusedFinish finish{step, BiasOf(bias, j, step), 1.0f / out_step, steps_.relu, steps_.output};
      if (bias.dtype() == DataType::kFloat && !is_scaled_) {  // as TensorFlow 2.21, which leaves out the step
        std::int32_t column = 0;
        for (Index i = 0; i < k; ++i)
          column = static_cast<std::int32_t>(
              static_cast<std::uint32_t>(column) +
              static_cast<std::uint32_t>(LoadQuantized(b.raw_data(), DataType::kQint8, i * n + j)));
        finish.added += static_cast<float>(column) * lowest;
      }
      for (Index at = j; at < m * n; at += n) {
        if (steps_.output == DataType::kFloat)
          out->data<float>()[at] = finish.Real(sums[at], 0);
        else
          finish.Store(sums[at], 0, out->raw_data(), at);
      }
    }
  }
  static QuantizedRange WideRange(const QuantizedRange& a, const QuantizedRange& b) {
    const float step = (a.high - a.low) / 255.0f * ((b.high - b.low) / 254.0f);
    return {step * -2147483648.0f, step * 2147483647.0f};
  }

  FusedProductSteps steps_;
  bool transposes_[2] = {}, is_scaled_ = false;
};

constexpr Status FusedProductShapes(InferenceContext* c, FusedProductSteps steps) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(shape_inference::MatMulShape(c));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
  for (int i = 3; i < c->num_inputs(); ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  if (steps.output == DataType::kFloat) return OkStatus();
  c->set_output(1, c->Scalar());
  c->set_output(2, c->Scalar());
  return OkStatus();
}
template <class Op>
constexpr auto FusedProductRanges(const Op& op) {
  return op.Input("min_a: float").Input("max_a: float").Input("min_b: float").Input("max_b: float");
}
template <FusedProductSteps steps>
constexpr auto FusedProductOutputs(const char* name) {
  const auto op = Op(name).Input("a: T1").Input("b: T2");
  constexpr bool kFloatBias = steps.relu && steps.output == DataType::kQint32;
  const auto ranged = FusedProductRanges(op.Input(kFloatBias ? "bias: float" : "bias: Tbias"));
  const auto typed = [](const auto& with_inputs) {
    const auto types = with_inputs.Attr("T1: quantizedtype").Attr("T2: quantizedtype");
    if constexpr (kFloatBias)
      return types;
    else
      return types.Attr("Tbias: {float, qint32}");
  };
  if constexpr (steps.output == DataType::kQint32)
    return typed(ranged.Output("out: Toutput").Output("min_out: float").Output("max_out: float"))
        .Attr("Toutput: quantizedtype = DT_QINT32");
  else if constexpr (steps.output == DataType::kFloat)
    return typed(ranged.Input("min_freezed_output: float").Input("max_freezed_output: float").Output("out: Toutput"))
        .Attr("Toutput: {float}");
  else
    return typed(ranged.Input("min_freezed_output: float")
                     .Input("max_freezed_output: float")
                     .Output("out: Toutput")
                     .Output("min_out: float")
                     .Output("max_out: float"))
        .Attr("Toutput: quantizedtype = DT_QUINT8");
}
template <FusedProductSteps steps>
constexpr auto FusedProductOp(const char* name) {
  return FusedProductOutputs<steps>(name)
      .Attr("transpose_a: bool = false")
      .Attr("transpose_b: bool = false")
      .Attr("input_quant_mode: {'MIN_FIRST', 'SCALED'} = 'MIN_FIRST'")
      .SetShapeFn([](InferenceContext* c) -> Status { return FusedProductShapes(c, steps); });
}

template <FusedProductSteps kSteps>
struct FusedProduct {
  static constexpr FusedProductSteps steps = kSteps;
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : FusedProductKernel {
    explicit kernel(OpKernelConstruction* c) : FusedProductKernel(c, steps) {}
  };
};

}  // namespace detail

// a: [m, k], b: [k, n], bias: [n]  ->  [m, n]
struct QuantizedMatMulWithBias : detail::FusedProduct<detail::FusedProductSteps{}> {
  static constexpr auto signature = detail::FusedProductOp<steps>("QuantizedMatMulWithBias");
};
struct QuantizedMatMulWithBiasAndRelu : detail::FusedProduct<detail::FusedProductSteps{.relu = true}> {
  static constexpr auto signature = detail::FusedProductOp<steps>("QuantizedMatMulWithBiasAndRelu");
};
struct QuantizedMatMulWithBiasAndRequantize
    : detail::FusedProduct<detail::FusedProductSteps{.output = DataType::kQuint8}> {
  static constexpr auto signature = detail::FusedProductOp<steps>("QuantizedMatMulWithBiasAndRequantize");
};
struct QuantizedMatMulWithBiasAndReluAndRequantize
    : detail::FusedProduct<detail::FusedProductSteps{.relu = true, .output = DataType::kQuint8}> {
  static constexpr auto signature = detail::FusedProductOp<steps>("QuantizedMatMulWithBiasAndReluAndRequantize");
};
struct QuantizedMatMulWithBiasAndDequantize
    : detail::FusedProduct<detail::FusedProductSteps{.output = DataType::kFloat}> {
  static constexpr auto signature = detail::FusedProductOp<steps>("QuantizedMatMulWithBiasAndDequantize");
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
