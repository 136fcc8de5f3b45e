// SPDX-License-Identifier: Apache-2.0
#pragma once
// SymbolicGradient: calls the gradient of a function: the one that the graph's library names, else what a GradientMaker
// makes (graph/gradient_maker.hpp).

#include <cstddef>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/function_runtime.hpp>
#include <tenon/ops/flow/functional.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

// A gradient has the shape of what it is the gradient of; of a variable's handle, that of its value.
inline Status GradientShapes(InferenceContext* c) {
  if (c->num_inputs() < c->num_outputs())
    return errors::InvalidArgument("len(inputs) < len(outputs): ", c->num_inputs(), " < ", c->num_outputs());
  SlimVector<DataType> types;
  TENON_RETURN_IF_ERROR(c->GetAttr("Tin", &types));
  for (int i = 0; i < c->num_outputs(); ++i) {
    if (types[static_cast<std::size_t>(i)] != DataType::kResource) {
      c->set_output(i, c->input(i));
      continue;
    }
    const auto* const handle = c->input_handle_shapes_and_types(i);
    c->set_output(i, handle != nullptr && !handle->empty() ? (*handle)[0].shape : c->UnknownShape());
  }
  return OkStatus();
}

class GradientKernel : public CallingKernel {
 public:
  explicit GradientKernel(OpKernelConstruction* c) : CallingKernel(c) { c->SetStatus(FindGradient(*c)); }
  void Compute(OpKernelContext* ctx) override { ctx->SetStatus(CallForOutputs(ctx, gradient_, 0)); }

 private:
  Status FindGradient(const OpKernelConstruction& c) {
    NameAttrList function;
    TENON_RETURN_IF_ERROR(c.GetAttr("f", &function));
    if (c.function_library() == nullptr) return NoFunctions();
    TENON_ASSIGN_OR_RETURN(gradient_, c.function_library()->FindGradient(function));
    return OkStatus();
  }
  FunctionHandle gradient_;
};

}  // namespace detail

// The inputs of f and the gradients of its outputs give the gradients of its inputs. InvalidArgument: the gradient has
// other arguments or results; NotFound: f has none.
struct SymbolicGradient {
  static constexpr auto signature = Op("SymbolicGradient")
                                        .Input("input: Tin")
                                        .Output("output: Tout")
                                        .Attr("Tin: list(type)")
                                        .Attr("Tout: list(type)")
                                        .Attr("f: func")
                                        .SetShapeFn(detail::GradientShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::GradientKernel {
    using GradientKernel::GradientKernel;
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
