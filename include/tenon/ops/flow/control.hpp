// SPDX-License-Identifier: Apache-2.0
#pragma once
// Ops that only control: ControlTrigger, Abort; _Arg and _Retval, which belong into functions and fail elsewhere.

#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/arg_op.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/params.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

// Something to wait for that runs even when what it waits for is dead.
struct ControlTrigger {
  static constexpr auto signature = Op("ControlTrigger").SetShapeFn(shape_inference::NoOutputs);
  template <class Device>
  struct kernel {
    Status operator()(Device&) const { return OkStatus(); }
  };
};

// TensorFlow ends the process here, with or without an error; Tenon ends the run with Aborted in both cases.
struct Abort {
  static constexpr auto signature = Op("Abort")
                                        .Attr("error_msg: string = ''")
                                        .Attr("exit_without_error: bool = false")
                                        .SetShapeFn(shape_inference::NoOutputs);
  struct Attrs {
    std::string_view error_msg;
    bool exit_without_error;
  };
  template <class Device>
  struct kernel : Attrs {
    Status operator()(Device&) const {
      return errors::Aborted("Abort: ",
                             this->exit_without_error ? "the graph asks for the end of the process" : this->error_msg);
    }
  };
};

namespace detail {

// A function's arguments come as values of its program and its results leave as such: whoever runs one of these nodes
// is no function.
class CallFrameKernel : public OpKernel {
 public:
  explicit CallFrameKernel(OpKernelConstruction* c) : OpKernel(c) { c->SetStatus(c->GetAttr("index", &index_)); }
  void Compute(OpKernelContext* ctx) override {
    ctx->SetStatus(errors::InvalidArgument(num_outputs() > 0 ? "GetArg " : "SetRetval ", index_,
                                           " is not within [0, 0): op '", type_string(), "' outside of a function"));
  }

 private:
  std::int64_t index_ = 0;
};

}  // namespace detail

// TensorFlow's `_Arg`.
struct Arg {
  static constexpr auto signature = Op("_Arg")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("index: int >= 0")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::ArgShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::CallFrameKernel {
    using CallFrameKernel::CallFrameKernel;
  };
};

// TensorFlow's `_Retval`.
struct Retval {
  static constexpr auto signature = Op("_Retval")
                                        .Input("input: T")
                                        .Attr("T: type")
                                        .Attr("index: int >= 0")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::CallFrameKernel {
    using CallFrameKernel::CallFrameKernel;
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
