// SPDX-License-Identifier: Apache-2.0
#pragma once
// RemoteCall: calls a function on a device that the graph chooses while it runs, one of the session's.

#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/function_runtime.hpp>
#include <tenon/kernel/op_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

// Raw form: it calls a function.
class RemoteCallKernel : public OpKernel {
 public:
  explicit RemoteCallKernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(c->GetAttr("f", &function_)); }
  void Compute(OpKernelContext* ctx) override { ctx->SetStatus(Call(ctx)); }

 private:
  Status Call(OpKernelContext* ctx) const {
    const Tensor& target = ctx->input(0);
    if (target.NumElements() != 1)
      return errors::InvalidArgument("target must be the name of one device, got shape ", target.shape());
    if (ctx->function_library() == nullptr) return errors::Internal("functions can be called within a session only");
    const std::string_view device = target.flat<tstring>()(0);
    TENON_ASSIGN_OR_RETURN(FunctionRuntime* const there, ctx->function_library()->On(device));
    const Result<FunctionHandle> function = there->Find(function_);
    if (!function.ok())
      return errors::NotFound("Function ", function_.name, " is not defined. (", function.status().message(), ")");
    StepEnvironment caller = ctx->environment();
    RunServices services;
    if (there != ctx->function_library() && caller.services != nullptr) {  // each device has resources of its own
      services = *caller.services;
      services.resources = there->resources();
      caller.services = &services;
    }
    SlimVector<Tensor> args;
    for (int i = 1; i < ctx->num_inputs(); ++i) args.push_back(ctx->input(i));
    const auto results = static_cast<std::size_t>(ctx->num_outputs());
    return there->Run(*function, caller, {args.data(), args.size()}, {ctx->mutable_output(0), results});
  }

  NameAttrList function_;
};

}  // namespace detail

// `target` names a device in full or in part ("/device:CPU:1", "CPU:1"); what it leaves out is that of the node's own.
// Arguments and results are in host memory. InvalidArgument: no device name, or other arguments or results than the
// function's; Internal: no such device in the session; NotFound: no such function.
struct RemoteCall {
  static constexpr auto signature = Op("RemoteCall")
                                        .Input("target: string")
                                        .Input("args: Tin")
                                        .Output("output: Tout")
                                        .Attr("Tin: list(type)")
                                        .Attr("Tout: list(type)")
                                        .Attr("f: func")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::RemoteCallKernel {
    using RemoteCallKernel::RemoteCallKernel;
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
