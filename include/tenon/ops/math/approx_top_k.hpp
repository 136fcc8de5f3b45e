// SPDX-License-Identifier: Apache-2.0
#pragma once
// ApproxTopK: the greatest elements of each row. On CPU they are the exact ones, as in TensorFlow.

#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/math/top_k.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status ApproxTopKShape(InferenceContext* c) {
  std::int64_t k = 0, axis = 0;
  bool aggregate = true;
  TENON_RETURN_IF_ERROR(c->GetAttr("k", &k));
  TENON_RETURN_IF_ERROR(c->GetAttr("reduction_dimension", &axis));
  TENON_RETURN_IF_ERROR(c->GetAttr("aggregate_to_topk", &aggregate));
  const ShapeHandle input = c->input(0);
  if (!c->RankKnown(input)) {
    c->set_output(0, c->UnknownShape());
    c->set_output(1, c->UnknownShape());
    return OkStatus();
  }
  const int rank = c->Rank(input);
  if (axis < -rank || axis >= rank)
    return errors::InvalidArgument("Invalid reduction dimension: Must be in [", -rank, ", ", rank, "), got ", axis);
  const DimensionHandle size = c->Dim(input, axis);
  if (c->ValueKnown(size) && c->Value(size) < k)
    return errors::InvalidArgument("input must have last dimension >= k = ", k, " but was ", c->Value(size));
  ShapeHandle out;
  // XLA keeps more than k elements where it does not aggregate; the kernel for CPU gives k.
  const DimensionHandle kept = aggregate ? c->MakeDim(k) : c->UnknownDim();
  TENON_RETURN_IF_ERROR(c->ReplaceDim(input, axis, kept, &out));
  c->set_output(0, out);
  c->set_output(1, out);
  return OkStatus();
}

}  // namespace detail

// input: [..., n]  ->  values, indices: [..., k]
struct ApproxTopK {
  static constexpr auto signature = Op("ApproxTopK")
                                        .Input("input: T")
                                        .Output("values: T")
                                        .Output("indices: int32")
                                        .Attr("k: int >= 0")
                                        .Attr("reduction_dimension: int = -1")
                                        .Attr("recall_target: float = 0.95")
                                        .Attr("is_max_k: bool = true")
                                        .Attr("reduction_input_size_override: int = -1")
                                        .Attr("aggregate_to_topk: bool = true")
                                        .Attr("T: {half, bfloat16, float}")
                                        .SetShapeFn(detail::ApproxTopKShape);
  struct Attrs {
    std::int64_t k, reduction_dimension;
    bool is_max_k;
  };
  static constexpr std::string_view unused[] = {"recall_target", "reduction_input_size_override", "aggregate_to_topk"};
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const {
      if (this->reduction_dimension == -1 && this->is_max_k) return OkStatus();
      return errors::InvalidArgument("no kernel for op 'ApproxTopK' on CPU with reduction_dimension ",
                                     this->reduction_dimension, " and is_max_k ", this->is_max_k,
                                     "; there is one for -1 and true");
    }
    Status operator()(Context<Device>& context, const Tensor& input, Tensor&, Tensor&) const {
      return detail::RunTopK(context.op(), context.device(), input, this->k, true);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
