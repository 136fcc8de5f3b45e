// SPDX-License-Identifier: Apache-2.0
#pragma once
// Assert: the run fails, with the data in the message, unless the condition is true.

#include <cstdint>
#include <string>

#include <tenon/base/errors.hpp>
#include <tenon/base/str.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

class AssertKernel : public OpKernel {
 public:
  explicit AssertKernel(OpKernelConstruction* c) : OpKernel(c) {
    c->SetStatus(c->GetAttr("summarize", &summarize_));
    for (int i = 0; i < num_inputs(); ++i) set_input_memory_type(i, MemoryType::kHost);
  }
  void Compute(OpKernelContext* ctx) override {
    const Tensor& condition = ctx->input(0);
    if (condition.dims() != 0)
      return ctx->SetStatus(errors::InvalidArgument("In[0] should be a scalar: ", condition.shape()));
    if (condition.scalar<bool>()()) return;
    std::string text = "assertion failed: ";
    for (int i = 1; i < ctx->num_inputs(); ++i)
      StrAppend(&text, i > 1 ? " " : "", "[", ctx->input(i).SummarizeValue(summarize_), "]");
    ctx->SetStatus(errors::InvalidArgument(text));
  }
  bool IsExpensive() const override { return false; }

 private:
  std::int32_t summarize_ = 3;  // elements of each tensor that are shown; all when negative
};

}  // namespace detail

struct Assert {
  static constexpr auto signature = Op("Assert")
                                        .Input("condition: bool")
                                        .Input("data: T")
                                        .Attr("T: list(type) >= 1")
                                        .Attr("summarize: int = 3")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::AssertKernel {
    using AssertKernel::AssertKernel;
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
