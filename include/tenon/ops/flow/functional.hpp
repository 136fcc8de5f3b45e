// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls of functions, and conditionals and loops made of functions. They run natively: the function's program is called
// in place, on the kernel's thread, and a loop's variables move from one iteration to the next.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/op_def/call_settings.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/condition.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/function_runtime.hpp>
#include <tenon/kernel/op_kernel.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

// The shapes that the node's `output_shapes` gives; unknown without it.
inline Status OutputShapesAttr(InferenceContext* c, bool* given) {
  SlimVector<ShapeHandle> shapes;
  TENON_RETURN_IF_ERROR(c->GetShapeListAttr("output_shapes", &shapes));
  *given = !shapes.empty();
  if (!*given) return OkStatus();
  if (static_cast<int>(shapes.size()) != c->num_outputs())
    return errors::InvalidArgument("`output_shapes` must be the same length as num outputs (", shapes.size(), " vs. ",
                                   c->num_outputs(), ")");
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, shapes[static_cast<std::size_t>(i)]);
  return OkStatus();
}
inline Status BranchShapes(InferenceContext* c) {
  bool given = false;
  TENON_RETURN_IF_ERROR(OutputShapesAttr(c, &given));
  return given ? OkStatus() : shape_inference::UnknownShape(c);
}
inline Status LoopShapes(InferenceContext* c) {
  bool given = false;
  TENON_RETURN_IF_ERROR(OutputShapesAttr(c, &given));
  for (int i = 0; !given && i < c->num_outputs(); ++i) c->set_output(i, c->input(i));
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

TENON_DETAIL_COLD inline Status NoFunctions() {
  return errors::Internal("functions can be called within a session only");
}

// The calls of one function by a kernel; ended with it.
class Calls {
 public:
  Calls() = default;
  ~Calls() {
    if (calls_ != nullptr) calls_->End();
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  Status Begin(OpKernelContext* ctx, FunctionHandle function, int num_args, int num_results) {
    if (ctx->function_library() == nullptr) [[unlikely]]
      return NoFunctions();
    TENON_ASSIGN_OR_RETURN(
        calls_, ctx->function_library()->Begin(function, ctx->environment(), static_cast<std::size_t>(num_args),
                                               static_cast<std::size_t>(num_results)));
    return OkStatus();
  }
  Tensor& arg(int i) const { return calls_->args()[static_cast<std::size_t>(i)]; }
  Tensor& result(int i) const { return calls_->results()[static_cast<std::size_t>(i)]; }
  Status Run() const { return calls_->Run(); }

 private:
  FunctionCalls* calls_ = nullptr;
};

// Base of the kernels below: finds functions and calls them.
class CallingKernel : public OpKernel {
 public:
  explicit CallingKernel(OpKernelConstruction* construction) : OpKernel(construction) {}

 protected:
  static void Find(OpKernelConstruction* c, std::string_view attr, FunctionHandle* handle) {
    NameAttrList call;
    if (const Status status = c->GetAttr(attr, &call); !status.ok()) return c->SetStatus(status);
    Find(c, call, handle);
  }
  static void Find(OpKernelConstruction* c, const NameAttrList& call, FunctionHandle* handle) {
    if (c->function_library() == nullptr)
      return c->SetStatus(errors::Internal("op '", c->def().op, "' calls functions, which only a session has"));
    Result<FunctionHandle> found = c->function_library()->Find(call);
    if (!found.ok()) return c->SetStatus(found.status());
    *handle = *found;
  }
  // TensorFlow lowers nodes with this attr. A Switch or a LoopCond then refuses a value that is not a scalar bool.
  static bool IsLowered(const OpKernelConstruction& c) {
    const AttrValue* const value = c.def().attr.Find("_lower_using_switch_merge");
    return value != nullptr && value->kind() == AttrValue::Kind::kBool && value->b();
  }
  static ReadCondition ReaderFor(const OpKernelConstruction& c) {
    return IsLowered(c) ? &tenon::detail::ToPredicate : &tenon::detail::ToBool;
  }
  // Before every iteration: an endless loop ends when the run is given up, though its functions run no node.
  static Status CheckCancelled(OpKernelContext* ctx) {
    const CancellationManager* cancellation = ctx->cancellation_manager();
    if (cancellation == nullptr || !cancellation->IsCancelled()) [[likely]]
      return OkStatus();
    return errors::Cancelled("Loop execution was cancelled.");
  }
  // An input. A list that nothing reads later is taken away, so that the function changes it in place.
  static Tensor TakeInput(OpKernelContext* ctx, int i) {
    Tensor* const input = ctx->input_array()[i];
    if (input->dtype() == DataType::kVariant && ctx->frame()->last_use[i] != 0 && input->RefCountIsOne())
      return std::exchange(*input, Tensor(DataType::kVariant));
    return *input;
  }
  // Calls the function with the inputs from `first` on; its results are the node's outputs.
  static Status CallForOutputs(OpKernelContext* ctx, FunctionHandle function, int first) {
    Calls calls;
    TENON_RETURN_IF_ERROR(calls.Begin(ctx, function, ctx->num_inputs() - first, ctx->num_outputs()));
    for (int i = first; i < ctx->num_inputs(); ++i) calls.arg(i - first) = ctx->input(i);
    TENON_RETURN_IF_ERROR(calls.Run());
    for (int i = 0; i < ctx->num_outputs(); ++i) *ctx->mutable_output(i) = std::move(calls.result(i));
    return OkStatus();
  }
};

class CallKernel : public CallingKernel {
 public:
  explicit CallKernel(OpKernelConstruction* c) : CallingKernel(c) {
    Find(c, "f", &function_);
    if (c->status().ok()) c->SetStatus(CheckCallSettings(c->def()));
    if (c->status().ok() && !c->HasAttr("_direct_call"))
      c->SetStatus(c->function_library()->CheckSingleTensors(function_));
  }
  void Compute(OpKernelContext* ctx) override { ctx->SetStatus(CallForOutputs(ctx, function_, 0)); }

 private:
  FunctionHandle function_;
};

class IfKernel : public CallingKernel {
 public:
  explicit IfKernel(OpKernelConstruction* c) : CallingKernel(c) {
    Find(c, "then_branch", &then_);
    Find(c, "else_branch", &else_);
    holds_ = ReaderFor(*c);
  }
  void Compute(OpKernelContext* ctx) override {
    bool condition = false;
    if (const Status status = holds_(ctx->input(0), &condition); !status.ok()) return ctx->SetStatus(status);
    ctx->SetStatus(CallForOutputs(ctx, condition ? then_ : else_, 1));
  }

 private:
  FunctionHandle then_, else_;
  ReadCondition holds_ = nullptr;
};

class CaseKernel : public CallingKernel {
 public:
  explicit CaseKernel(OpKernelConstruction* c) : CallingKernel(c) {
    SlimVector<NameAttrList> branches;
    c->SetStatus(c->GetAttr("branches", &branches));
    branches_.resize(branches.size());
    for (std::size_t i = 0; i < branches.size(); ++i) Find(c, branches[i], &branches_[i]);
  }
  // An index that is none runs the last branch.
  void Compute(OpKernelContext* ctx) override {
    const Tensor& index = ctx->input(0);
    if (index.dims() != 0)
      return ctx->SetStatus(errors::InvalidArgument("branch_index must be a scalar, got shape ", index.shape()));
    const std::int32_t i = index.scalar<std::int32_t>()();
    const auto count = static_cast<std::int32_t>(branches_.size());
    const std::int32_t taken = i < 0 || i >= count ? count - 1 : i;
    ctx->SetStatus(CallForOutputs(ctx, branches_[static_cast<std::size_t>(taken)], 1));
  }

 private:
  SlimVector<FunctionHandle> branches_;
};

class WhileKernel : public CallingKernel {
 public:
  explicit WhileKernel(OpKernelConstruction* c) : CallingKernel(c) {
    Find(c, "cond", &cond_);
    Find(c, "body", &body_);
    holds_ = ReaderFor(*c);
    std::int64_t parallel = 10;
    if (IsLowered(*c) && c->HasAttr("parallel_iterations")) c->SetStatus(c->GetAttr("parallel_iterations", &parallel));
    if (parallel <= 0) c->SetStatus(errors::InvalidArgument("parallel_iterations must be > 0, got ", parallel));
  }
  void Compute(OpKernelContext* ctx) override { ctx->SetStatus(Loop(ctx)); }

 private:
  Status Loop(OpKernelContext* ctx) const {
    if (ctx->function_library() == nullptr) [[unlikely]]
      return NoFunctions();
    const int count = ctx->num_outputs();
    for (int i = 0; i < count; ++i) ctx->set_output(i, TakeInput(ctx, i));  // the loop's variables
    const Span<Tensor> variables(count == 0 ? nullptr : ctx->mutable_output(0), static_cast<std::size_t>(count));
    return ctx->function_library()->RunLoop(cond_, body_, ctx->environment(), variables, holds_);
  }

  FunctionHandle cond_, body_;
  ReadCondition holds_ = nullptr;
};

class ForKernel : public CallingKernel {
 public:
  explicit ForKernel(OpKernelConstruction* c) : CallingKernel(c) {
    Find(c, "body", &body_);
    NameAttrList call;
    if (!c->status().ok() || !c->GetAttr("body", &call).ok()) return;
    const Result<FunctionHandle> counting = c->function_library()->FindForBody(call);
    if (counting.ok()) counting_body_ = *counting;
  }
  void Compute(OpKernelContext* ctx) override { ctx->SetStatus(Loop(ctx)); }

 private:
  Status Loop(OpKernelContext* ctx) const {
    constexpr std::string_view kNames[] = {"start", "limit", "delta"};
    std::int64_t numbers[3];
    for (int i = 0; i < 3; ++i) {
      const Tensor& t = ctx->input(i);
      if (t.dims() != 0)
        return errors::InvalidArgument(kNames[i], " must be a scalar, but shape=", t.shape().DebugString());
      numbers[i] = t.scalar<std::int32_t>()();
    }
    const auto [start, limit, delta] = numbers;
    if (!((delta > 0 && start <= limit) || (delta < 0 && start >= limit) || (delta == 0 && start == limit)))
      return errors::InvalidArgument("Invalid start/limit/delta: ", start, " ", limit, " ", delta);
    const int count = ctx->num_inputs() - 3;
    if (counting_body_.number >= 0)
      return RunCounting(ctx, ForRange{start, limit, delta, ctx->environment().host_allocator}, counting_body_);
    Calls body;
    TENON_RETURN_IF_ERROR(body.Begin(ctx, body_, count + 1, count));
    for (int v = 0; v < count; ++v) body.result(v) = ctx->input(v + 3);  // the loop's variables
    for (std::int64_t i = start; delta > 0 ? i < limit : delta < 0 && i > limit; i += delta) {
      TENON_RETURN_IF_ERROR(CheckCancelled(ctx));
      TENON_ASSIGN_OR_RETURN(body.arg(0),
                             Tensor::Make(DataType::kInt32, TensorShape{}, ctx->environment().host_allocator));
      body.arg(0).scalar<std::int32_t>()() = static_cast<std::int32_t>(i);
      for (int v = 0; v < count; ++v) body.arg(v + 1) = std::move(body.result(v));
      TENON_RETURN_IF_ERROR(body.Run());
    }
    for (int v = 0; v < count; ++v) ctx->set_output(v, std::move(body.result(v)));
    return OkStatus();
  }

  static Status RunCounting(OpKernelContext* ctx, const ForRange& range, FunctionHandle body) {
    if (ctx->function_library() == nullptr) [[unlikely]]
      return NoFunctions();
    InlinedVector<Tensor, 8> variables(static_cast<std::size_t>(ctx->num_outputs()) + 1);
    for (int v = 0; v < ctx->num_outputs(); ++v) variables[static_cast<std::size_t>(v) + 1] = ctx->input(v + 3);
    TENON_RETURN_IF_ERROR(ctx->function_library()->RunFor(body, ctx->environment(), range, variables));
    for (int v = 0; v < ctx->num_outputs(); ++v)
      ctx->set_output(v, std::move(variables[static_cast<std::size_t>(v) + 1]));
    return OkStatus();
  }

  FunctionHandle body_;
  FunctionHandle counting_body_;  // the body for RunFor; number -1: its first argument is a list
};

TENON_DETAIL_SETUP_CODE_BEGIN

}  // namespace detail

struct PartitionedCall {
  static constexpr auto signature = Op("PartitionedCall")
                                        .Input("args: Tin")
                                        .Output("output: Tout")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .Attr("f: func")
                                        .Attr("config: string = ''")
                                        .Attr("config_proto: string = ''")
                                        .Attr("executor_type: string = ''")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::CallKernel {
    using CallKernel::CallKernel;
  };
};

struct StatefulPartitionedCall {
  static constexpr auto signature = Op("StatefulPartitionedCall")
                                        .Input("args: Tin")
                                        .Output("output: Tout")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .Attr("f: func")
                                        .Attr("config: string = ''")
                                        .Attr("config_proto: string = ''")
                                        .Attr("executor_type: string = ''")
                                        .SetIsStateful()
                                        .SetIsDistributedCommunication()
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::CallKernel {
    using CallKernel::CallKernel;
  };
};

struct If {
  static constexpr auto signature = Op("If")
                                        .Input("cond: Tcond")
                                        .Input("input: Tin")
                                        .Output("output: Tout")
                                        .Attr("Tcond: type")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .Attr("then_branch: func")
                                        .Attr("else_branch: func")
                                        .Attr("output_shapes: list(shape) = []")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::BranchShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::IfKernel {
    using IfKernel::IfKernel;
  };
};

struct StatelessIf {
  static constexpr auto signature = Op("StatelessIf")
                                        .Input("cond: Tcond")
                                        .Input("input: Tin")
                                        .Output("output: Tout")
                                        .Attr("Tcond: type")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .Attr("then_branch: func")
                                        .Attr("else_branch: func")
                                        .Attr("output_shapes: list(shape) = []")
                                        .SetShapeFn(detail::BranchShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::IfKernel {
    using IfKernel::IfKernel;
  };
};

struct Case {
  static constexpr auto signature = Op("Case")
                                        .Input("branch_index: int32")
                                        .Input("input: Tin")
                                        .Output("output: Tout")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .Attr("branches: list(func) >= 1")
                                        .Attr("output_shapes: list(shape) = []")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::BranchShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::CaseKernel {
    using CaseKernel::CaseKernel;
  };
};

struct StatelessCase {
  static constexpr auto signature = Op("StatelessCase")
                                        .Input("branch_index: int32")
                                        .Input("input: Tin")
                                        .Output("output: Tout")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .Attr("branches: list(func) >= 1")
                                        .Attr("output_shapes: list(shape) = []")
                                        .SetShapeFn(detail::BranchShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::CaseKernel {
    using CaseKernel::CaseKernel;
  };
};

struct While {
  static constexpr auto signature = Op("While")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: list(type) >= 0")
                                        .Attr("cond: func")
                                        .Attr("body: func")
                                        .Attr("output_shapes: list(shape) = []")
                                        .Attr("parallel_iterations: int = 10")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::LoopShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::WhileKernel {
    using WhileKernel::WhileKernel;
  };
};

struct StatelessWhile {
  static constexpr auto signature = Op("StatelessWhile")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: list(type) >= 0")
                                        .Attr("cond: func")
                                        .Attr("body: func")
                                        .Attr("output_shapes: list(shape) = []")
                                        .Attr("parallel_iterations: int = 10")
                                        .SetShapeFn(detail::LoopShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::WhileKernel {
    using WhileKernel::WhileKernel;
  };
};

// body(i, variables) for i from start to limit, limit excluded.
struct For {
  static constexpr auto signature = Op("For")
                                        .Input("start: int32")
                                        .Input("limit: int32")
                                        .Input("delta: int32")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: list(type) >= 0")
                                        .Attr("body: func")
                                        .SetShapeFn(shape_inference::UnknownShape);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
    requires(Device::type == "CPU")
  struct kernel final : detail::ForKernel {
    using ForKernel::ForKernel;
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
