// SPDX-License-Identifier: Apache-2.0
#pragma once
// SdcaShrinkL1, SdcaFprint: the L1 step of stochastic dual coordinate ascent, and the names of its examples.
// sdca_optimizer.hpp has the other steps.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/text/fingerprint.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/variable.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

class ShrinkKernel : public OpKernel {
 public:
  explicit ShrinkKernel(OpKernelConstruction* c) : OpKernel(c) {
    float l1 = 0, l2 = 0;
    c->SetStatus(c->GetAttr("l1", &l1));
    c->SetStatus(c->GetAttr("l2", &l2));
    shrinkage_ = static_cast<double>(l1) / static_cast<double>(l2);
  }
  void Compute(OpKernelContext* context) override {
    for (int i = 0; i < context->num_inputs() && context->status().ok(); ++i) context->SetStatus(Shrink(*context, i));
  }

 private:
  Status Shrink(OpKernelContext& context, int i) const {
    LockedVar variable;
    TENON_RETURN_IF_ERROR(variable.Open(context, i, context.input(i), DataType::kFloat));
    TENON_RETURN_IF_ERROR(variable.MakeWritable(context));
    Tensor& weights = variable.tensor();
    for (Index k = 0; k < weights.NumElements(); ++k) {
      float& x = weights.data<float>()[k];
      const double shrunk = std::max(std::fabs(static_cast<double>(x)) - shrinkage_, 0.0);
      x = static_cast<float>(std::copysign(1.0, static_cast<double>(x)) * shrunk);
    }
    return OkStatus();
  }
  double shrinkage_ = 0;
};

}  // namespace detail

struct SdcaShrinkL1 {
  static constexpr auto signature = Op("SdcaShrinkL1")
                                        .Input("weights: Ref(num_features * float)")
                                        .Attr("num_features: int >= 0")
                                        .Attr("l1: float")
                                        .Attr("l2: float")
                                        .SetShapeFn([](InferenceContext*) -> Status { return OkStatus(); });
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::ShrinkKernel {
    using ShrinkKernel::ShrinkKernel;
  };
};

// input: [n]  ->  [n, 2]: 128 bits for each text, the low ones first. Never 0 or 1 as the first.
struct SdcaFprint {
  static constexpr auto signature =
      Op("SdcaFprint").Input("input: string").Output("output: int64").SetShapeFn([](InferenceContext* c) -> Status {
        ShapeHandle input;
        TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &input));
        c->set_output(0, c->Matrix(c->Dim(input, 0), c->MakeDim(2)));
        return OkStatus();
      });
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel {
    Status operator()(Context<Device>& context, const Tensor& input, Tensor&) const { return Run(context.op(), input); }
  };

 private:
  TENON_DETAIL_RARE static Status Run(OpKernelContext& context, const Tensor& input) {
    if (input.dims() != 1)
      return errors::InvalidArgument("SdcaFprint: Input must be a vector, got shape ", input.shape());
    Tensor* output = nullptr;
    TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({input.NumElements(), 2}), &output));
    for (Index i = 0; i < input.NumElements(); ++i) {
      const tenon::detail::FarmPair print = Fingerprint128(input.data<tstring>()[i].view());
      std::int64_t* const to = output->data<std::int64_t>() + 2 * i;
      to[0] = static_cast<std::int64_t>(print.first < 2 ? print.first - 2 : print.first);
      to[1] = static_cast<std::int64_t>(print.second);
    }
    return OkStatus();
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
