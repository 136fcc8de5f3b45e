// SPDX-License-Identifier: Apache-2.0
#pragma once
// Stack, StackPush, StackPop, StackClose: the stacks of old graphs, by reference and without a limit.

#include <string>
#include <string_view>
#include <utility>

#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/variable/handle_reference.hpp>
#include <tenon/ops/list/stack.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct Stack {
  static constexpr auto signature = Op("Stack")
                                        .Output("handle: Ref(string)")
                                        .Attr("elem_type: type")
                                        .Attr("stack_name: string = ''")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::TwoElementOutput);
  using Attrs = StackV2::Attrs;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, Tensor& handle) const {
      return detail::MakeStack(context.op(), this->elem_type, this->stack_name, -1, &handle);
    }
  };
};

struct StackPush {
  static constexpr auto signature = Op("StackPush")
                                        .Input("handle: Ref(string)")
                                        .Input("elem: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("swap_memory: bool = false")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          c->set_output(0, c->input(1));
                                          return OkStatus();
                                        });
  static constexpr std::string_view unused[] = {"swap_memory"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = StackPushV2::kernel<Device>;
};

struct StackPop {
  static constexpr auto signature = Op("StackPop")
                                        .Input("handle: Ref(string)")
                                        .Output("elem: elem_type")
                                        .Attr("elem_type: type")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  using kernel = StackPopV2::kernel<Device>;
};

struct StackClose {
  static constexpr auto signature =
      Op("StackClose").Input("handle: Ref(string)").SetShapeFn(detail::TwoElementInputsScalarOutputs);
  template <class Device>
  using kernel = StackCloseV2::kernel<Device>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
