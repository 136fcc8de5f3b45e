// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ops that while loops are made of: values enter a frame, go to its next iteration, leave it. An executor with
// frames hands the values on itself (runtime/control_flow/executor.hpp).

#include <cstdint>
#include <string_view>

#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

// The shape of a loop variable is unknown, except for the values behind a resource. A constant keeps its shape.
constexpr Status EnterShapes(InferenceContext* c) {
  c->set_output(0, c->UnknownShape());
  if (const SlimVector<ShapeAndType>* held = c->input_handle_shapes_and_types(0); held != nullptr) {
    c->set_output_handle_shapes_and_types(0, *held);
    return OkStatus();
  }
  bool is_constant = false;
  TENON_RETURN_IF_ERROR(c->GetAttr("is_constant", &is_constant));
  if (is_constant) c->set_output(0, c->input(0));
  return OkStatus();
}
constexpr Status ScalarShape(InferenceContext* c) { return shape_inference::UnchangedShapeWithRank(c, 0); }

// The output is the input.
class PassOnKernel : public OpKernel {
 public:
  explicit PassOnKernel(OpKernelConstruction* c) : OpKernel(c) {}
  void Compute(OpKernelContext* ctx) override { ctx->set_output(0, ctx->input(0)); }
  bool IsExpensive() const override { return false; }
};
class NextIterationKernel : public PassOnKernel {
 public:
  explicit NextIterationKernel(OpKernelConstruction* c) : PassOnKernel(c) {
    c->SetStatus(ServeOnly(*c, BaseType(c->input_type(0)), kPodAndObjectTypes));
  }
};
class LoopCondKernel : public PassOnKernel {
 public:
  explicit LoopCondKernel(OpKernelConstruction* c) : PassOnKernel(c) {
    set_input_memory_type(0, MemoryType::kHost);
    set_output_memory_type(0, MemoryType::kHost);
  }
};

}  // namespace detail

// `data` in the frame of that name; with `is_constant` in every iteration, else in the first.
struct Enter {
  static constexpr auto signature = Op("Enter")
                                        .Input("data: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("frame_name: string")
                                        .Attr("is_constant: bool = false")
                                        .Attr("parallel_iterations: int = 10")
                                        .SetShapeFn(detail::EnterShapes);
  static constexpr std::string_view unused[] = {"frame_name", "is_constant", "parallel_iterations"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::PassOnKernel {
    using PassOnKernel::PassOnKernel;
  };
};

struct RefEnter {
  static constexpr auto signature = Op("RefEnter")
                                        .Input("data: Ref(T)")
                                        .Output("output: Ref(T)")
                                        .Attr("T: type")
                                        .Attr("frame_name: string")
                                        .Attr("is_constant: bool = false")
                                        .Attr("parallel_iterations: int = 10")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr std::string_view unused[] = {"frame_name", "is_constant", "parallel_iterations"};
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::PassOnKernel {
    using PassOnKernel::PassOnKernel;
  };
};

// `data` in the frame around the loop.
struct Exit {
  static constexpr auto signature =
      Op("Exit").Input("data: T").Output("output: T").Attr("T: type").SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::PassOnKernel {
    using PassOnKernel::PassOnKernel;
  };
};

struct RefExit {
  static constexpr auto signature = Op("RefExit")
                                        .Input("data: Ref(T)")
                                        .Output("output: Ref(T)")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::PassOnKernel {
    using PassOnKernel::PassOnKernel;
  };
};

// `data` in the next iteration.
struct NextIteration {
  static constexpr auto signature = Op("NextIteration")
                                        .Input("data: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::NextIterationKernel {
    using NextIterationKernel::NextIterationKernel;
  };
};

struct RefNextIteration {
  static constexpr auto signature = Op("RefNextIteration")
                                        .Input("data: Ref(T)")
                                        .Output("output: Ref(T)")
                                        .Attr("T: type")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::NextIterationKernel {
    using NextIterationKernel::NextIterationKernel;
  };
};

// Says which of the graph's values decides whether the loop goes on.
struct LoopCond {
  static constexpr auto signature =
      Op("LoopCond").Input("input: bool").Output("output: bool").SetShapeFn(detail::ScalarShape);
  template <class Device>
  struct kernel final : detail::LoopCondKernel {
    using LoopCondKernel::LoopCondKernel;
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
