// SPDX-License-Identifier: Apache-2.0
#pragma once
// Merge: the one of its inputs that is not dead. RefSelect: the input of a number.

#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/op_kernel.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/ops/flow/switch.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops {

namespace detail {

// The common shape of all inputs: unknown sizes where sizes differ, unknown rank where ranks differ.
constexpr Status MergeShapes(InferenceContext* c) {
  ShapeHandle out = c->input(0);
  const bool ranked = c->RankKnown(out);
  if (!ranked) out = c->UnknownShape();
  for (int i = 0; ranked && i < c->num_inputs(); ++i) {
    const ShapeHandle input = c->input(i);
    if (!c->RankKnown(input) || c->Rank(input) != c->Rank(c->input(0))) {
      out = c->UnknownShape();
      break;
    }
    for (int d = 0; d < c->Rank(input); ++d)
      if (c->Value(c->Dim(input, d)) != c->Value(c->Dim(out, d)))
        TENON_RETURN_IF_ERROR(c->ReplaceDim(out, d, c->UnknownDim(), &out));
  }
  c->set_output(0, out);
  c->set_output(1, c->Scalar());
  return OkStatus();
}

// An input without a dtype is dead. An executor with frames does all of this itself.
class MergeKernel : public OpKernel {
 public:
  explicit MergeKernel(OpKernelConstruction* c) : OpKernel(c) { set_output_memory_type(1, MemoryType::kHost); }
  void Compute(OpKernelContext* ctx) override {
    int live = -1;
    for (int i = 0; i < ctx->num_inputs(); ++i) {
      if (ctx->input_dtype(i) == DataType::kInvalid) continue;
      if (live >= 0) return ctx->SetStatus(errors::Internal("Merge can not have more than one valid input."));
      live = i;
    }
    if (live < 0) return;
    Tensor* index = nullptr;
    if (const Status status = ctx->allocate_output(1, TensorShape{}, &index); !status.ok())
      return ctx->SetStatus(status);
    index->scalar<std::int32_t>()() = live;
    ctx->set_output(0, ctx->input(live));
  }
  bool IsExpensive() const override { return false; }
};

// The shape of the first input, if all have the same known shape.
constexpr Status RefSelectShapes(InferenceContext* c) {
  ShapeHandle scalar;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &scalar));
  const ShapeHandle first = c->input(1);
  bool same = c->FullyDefined(first);
  for (int i = 2; same && i < c->num_inputs(); ++i) {
    const ShapeHandle input = c->input(i);
    same = c->FullyDefined(input) && c->Rank(input) == c->Rank(first);
    for (int d = 0; same && d < c->Rank(first); ++d) same = c->Value(c->Dim(input, d)) == c->Value(c->Dim(first, d));
  }
  c->set_output(0, same ? first : c->UnknownShape());
  return OkStatus();
}

class RefSelectKernel : public OpKernel {
 public:
  explicit RefSelectKernel(OpKernelConstruction* c) : OpKernel(c) {
    c->SetStatus(ServeOnly(*c, BaseType(c->output_type(0)), kPodAndObjectTypes));
    set_input_memory_type(0, MemoryType::kHost);
  }
  void Compute(OpKernelContext* ctx) override {
    const Tensor& index = ctx->input(0);
    if (index.dims() != 0)
      return ctx->SetStatus(errors::InvalidArgument("Index must be a scalar, but it has shape ", index.shape()));
    const std::int32_t i = index.scalar<std::int32_t>()();
    if (i < 0 || i >= ctx->num_inputs() - 1)
      return ctx->SetStatus(
          errors::InvalidArgument("Index must be in the range [0, ", ctx->num_inputs() - 1, ") but got ", i));
    for (int v = 1; v < ctx->num_inputs(); ++v) {  // every variable has a value, not the chosen one alone
      Tensor value;
      if (ReferredBy(ctx->input(v)) == nullptr) continue;
      if (const Status status = ReadReference(ctx->input(v), def().input[static_cast<std::size_t>(v)], &value);
          !status.ok())
        return ctx->SetStatus(status);
    }
    ctx->set_output(0, ctx->input(i + 1));
  }
};

}  // namespace detail

struct Merge {
  static constexpr auto signature = Op("Merge")
                                        .Input("inputs: N * T")
                                        .Output("output: T")
                                        .Output("value_index: int32")
                                        .Attr("T: type")
                                        .Attr("N: int >= 1")
                                        .SetShapeFn(detail::MergeShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::MergeKernel {
    using MergeKernel::MergeKernel;
  };
};

struct RefMerge {
  static constexpr auto signature = Op("RefMerge")
                                        .Input("inputs: Ref(N * T)")
                                        .Output("output: Ref(T)")
                                        .Output("value_index: int32")
                                        .Attr("T: type")
                                        .Attr("N: int >= 1")
                                        .SetShapeFn(detail::MergeShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::MergeKernel {
    using MergeKernel::MergeKernel;
  };
};

// inputs[index].
struct RefSelect {
  static constexpr auto signature = Op("RefSelect")
                                        .Input("index: int32")
                                        .Input("inputs: Ref(N * T)")
                                        .Output("output: Ref(T)")
                                        .Attr("T: type")
                                        .Attr("N: int >= 1")
                                        .SetShapeFn(detail::RefSelectShapes);
  static constexpr auto kernel_types = TypeAttrs();
  template <class Device>
  struct kernel final : detail::RefSelectKernel {
    using RefSelectKernel::RefSelectKernel;
  };
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
