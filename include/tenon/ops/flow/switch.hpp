// SPDX-License-Identifier: Apache-2.0
#pragma once
// Switch and its kin: the input becomes one of the outputs, the other outputs are dead. An executor with frames hands
// the value on itself (runtime/control_flow/executor.hpp). The kernels here serve callers without such an executor.

#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

// Types that TensorFlow's control flow on a CPU is built for.
inline constexpr DataTypeSet kSwitchedTypes =
    kPodAndObjectTypes | ToSet(DataType::kQint8) | ToSet(DataType::kQuint8) | ToSet(DataType::kQint32);

// Every output has the shape of input 0 and the shapes behind its handle. Input 1 is a scalar.
constexpr Status SwitchShapes(InferenceContext* c) {
  ShapeHandle scalar;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &scalar));
  const SlimVector<ShapeAndType>* held = c->input_handle_shapes_and_types(0);
  for (int i = 0; i < c->num_outputs(); ++i) {
    c->set_output(i, c->input(0));
    if (held != nullptr) c->set_output_handle_shapes_and_types(i, *held);
  }
  return OkStatus();
}

// Input 1 is a bool or an int32. An int32 that is not the number of an output means the last output.
class SwitchKernel : public OpKernel {
 public:
  explicit SwitchKernel(OpKernelConstruction* c) : OpKernel(c) {
    c->SetStatus(ServeOnly(*c, BaseType(c->input_type(0)), kSwitchedTypes));
    set_input_memory_type(1, MemoryType::kHost);
  }
  void Compute(OpKernelContext* ctx) override {
    const Tensor& index = ctx->input(1);
    if (index.dims() != 0)
      return ctx->SetStatus(
          errors::InvalidArgument("The second input must be a scalar, but it has shape ", index.shape()));
    std::int32_t taken;
    if (index.dtype() == DataType::kBool)
      taken = index.scalar<bool>()() ? 1 : 0;
    else
      taken = index.scalar<std::int32_t>()();
    if (taken < 0 || taken >= ctx->num_outputs()) taken = ctx->num_outputs() - 1;
    ctx->set_output(taken, ctx->input(0));
  }
  bool IsExpensive() const override { return false; }
};

}  // namespace detail

struct Switch {
  static constexpr auto signature = Op("Switch")
                                        .Input("data: T")
                                        .Input("pred: bool")
                                        .Output("output_false: T")
                                        .Output("output_true: T")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::SwitchShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::SwitchKernel {
    using SwitchKernel::SwitchKernel;
  };
};

struct RefSwitch {
  static constexpr auto signature = Op("RefSwitch")
                                        .Input("data: Ref(T)")
                                        .Input("pred: bool")
                                        .Output("output_false: Ref(T)")
                                        .Output("output_true: Ref(T)")
                                        .Attr("T: type")
                                        .SetAllowsUninitializedInput()
                                        .SetShapeFn(detail::SwitchShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::SwitchKernel {
    using SwitchKernel::SwitchKernel;
  };
};

// TensorFlow's `_SwitchN`.
struct SwitchN {
  static constexpr auto signature = Op("_SwitchN")
                                        .Input("data: T")
                                        .Input("output_index: int32")
                                        .Output("outputs: num_outs * T")
                                        .Attr("num_outs: int >= 1")
                                        .Attr("T: type")
                                        .SetShapeFn(detail::SwitchShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::SwitchKernel {
    using SwitchKernel::SwitchKernel;
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
