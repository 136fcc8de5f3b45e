// SPDX-License-Identifier: Apache-2.0
#pragma once
// ResourceGather, ResourceGatherNd: parts of a variable's value, without a copy of the whole.

#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/ops/array/gather.hpp>
#include <tenon/ops/variable/variable_shapes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status ResourceGatherShape(InferenceContext* c) {
  ShapeAndType held;
  ShapeHandle unused, batch, rest, part, out;
  std::int64_t batch_dims = 0;
  TENON_RETURN_IF_ERROR(HeldByHandle(c, 0, "dtype", &held));
  TENON_RETURN_IF_ERROR(c->GetAttr("batch_dims", &batch_dims));
  if (batch_dims < 0) return errors::InvalidArgument("batch_dims is negative (", batch_dims, ")");
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), batch_dims, &unused));  // first, for it bounds the next
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(held.shape, batch_dims + 1, &unused));
  TENON_RETURN_IF_ERROR(c->Subshape(held.shape, 0, batch_dims, &batch));
  TENON_RETURN_IF_ERROR(c->Subshape(held.shape, batch_dims + 1, &rest));
  TENON_RETURN_IF_ERROR(c->Subshape(c->input(1), batch_dims, &part));
  TENON_RETURN_IF_ERROR(c->Concatenate(batch, part, &out));
  TENON_RETURN_IF_ERROR(c->Concatenate(out, rest, &out));
  c->set_output(0, out);
  return OkStatus();
}

inline Status ResourceGatherNdShape(InferenceContext* c) {
  ShapeAndType held;
  TENON_RETURN_IF_ERROR(HeldByHandle(c, 0, "dtype", &held));
  return GatherNdShapeOf(c, held.shape);
}

// The value of the variable at this moment, sharing its buffer.
inline Status ValueOf(const OpKernelContext& context, const Tensor& resource, Tensor* value) {
  LockedVar variable;
  TENON_RETURN_IF_ERROR(variable.Open(context, 0, resource, context.expected_output_dtype(0)));
  *value = variable.tensor();
  return OkStatus();
}

}  // namespace detail

// variable: [b, n, a], indices: [b, c]  ->  [b, c, a], for batch_dims = 1
struct ResourceGather {
  static constexpr auto signature = Op("ResourceGather")
                                        .Input("resource: resource")
                                        .Input("indices: Tindices")
                                        .Output("output: dtype")
                                        .Attr("batch_dims: int = 0")
                                        .Attr("validate_indices: bool = true")
                                        .Attr("dtype: type")
                                        .Attr("Tindices: {int32, int64}")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ResourceGatherShape);

  struct Attrs {
    std::int64_t batch_dims;
  };
  static constexpr std::string_view unused[] = {"validate_indices"};
  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed =
      kPodAndObjectTypes | ToSet(DataType::kQint8) | ToSet(DataType::kQuint8) | ToSet(DataType::kQint32);

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeVariable<Device>(c, c.output_type(0), kServed); }
    Status operator()(Context<Device>& context, const Tensor& resource, HostIndices, Tensor& output) const {
      Tensor params;
      TENON_RETURN_IF_ERROR(detail::ValueOf(context.op(), resource, &params));
      return detail::RunGather(context.op(), context.device(), params, context.op().input(1), this->batch_dims,
                               this->batch_dims, &output);
    }
  };
};

// indices: [..., k] name parts of the variable's first k dimensions.
struct ResourceGatherNd {
  static constexpr auto signature = Op("ResourceGatherNd")
                                        .Input("resource: resource")
                                        .Input("indices: Tindices")
                                        .Output("output: dtype")
                                        .Attr("dtype: type")
                                        .Attr("Tindices: {int32, int64}")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::ResourceGatherNdShape);

  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeVariable<Device>(c, c.output_type(0), kPodAndObjectTypes); }
    Status operator()(Context<Device>& context, const Tensor& resource, HostIndices, Tensor& output) const {
      Tensor params;
      TENON_RETURN_IF_ERROR(detail::ValueOf(context.op(), resource, &params));
      return detail::RunGatherNd(context.op(), context.device(), params, context.op().input(1), false, &output);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
