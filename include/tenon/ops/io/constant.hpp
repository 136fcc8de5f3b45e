// SPDX-License-Identifier: Apache-2.0
#pragma once
// Const: a tensor that is part of the graph. Programs take its value directly; the kernel never runs.

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct Const {
  static constexpr auto signature =
      Op("Const")
          .Output("output: dtype")
          .Attr("value: tensor")
          .Attr("dtype: type")
          .SetShapeFn([](InferenceContext* c) -> Status {
            Tensor value;
            ShapeHandle shape = c->UnknownShape();
            if (Status status = c->GetAttr("value", &value); status.ok())
              TENON_RETURN_IF_ERROR(c->MakeShapeFromTensorShape(value.shape(), &shape));
            else if (status.message().find(": Shape [") != std::string_view::npos)
              return status;  // no shape; contents that do not fit theirs are refused when the node is built
            else if (const AttrValue* held = c->node() == nullptr ? nullptr : c->node()->attr.Find("value"))
              TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(held->undecoded_shape(), &shape));
            c->set_output(0, shape);
            return OkStatus();
          });

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  class kernel final : public OpKernel {
   public:
    explicit kernel(OpKernelConstruction* construction) : OpKernel(construction) {
      construction->SetStatus(construction->GetAttr("value", &value_));
      if (construction->status().ok() && value_.dtype() != construction->output_type(0))
        construction->SetStatus(errors::InvalidArgument("Type mismatch between value (", value_.dtype(),
                                                        ") and dtype (", construction->output_type(0), ")"));
      if (construction->status().ok() && !value_.IsInitialized())
        construction->SetStatus(errors::ResourceExhausted("Const: the value has no memory; type ", value_.dtype(),
                                                          ", shape ", value_.shape()));
    }
    void Compute(OpKernelContext* context) override { context->set_output(0, value_); }
    bool IsExpensive() const override { return false; }
    const Tensor* const_tensor() const override { return &value_; }

   private:
    Tensor value_;
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
