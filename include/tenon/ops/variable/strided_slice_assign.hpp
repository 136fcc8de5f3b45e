// SPDX-License-Identifier: Apache-2.0
#pragma once
// StridedSliceAssign, ResourceStridedSliceAssign: x[begin:end:stride, ...] = value, for a variable x.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/broadcast.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/strided_slice.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/ops/array/slice.hpp>
#include <tenon/ops/variable/variable_shapes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// value repeated to the elements of `shape`, in out.
inline Status RepeatValue(const ElementMover& mover, const Tensor& value, const TensorShape& shape, Tensor* out) {
  BroadcastPlan plan;
  TENON_RETURN_IF_ERROR(plan.Make(value.shape(), shape, shape));
  const Index rows = shape.num_elements() / plan.inner();
  BroadcastWalk walk(plan, 0);
  for (Index row = 0; row < rows; ++row) {
    void* to = mover.At(out->raw_data(), row * plan.inner());
    if (plan.stride_a[plan.rank - 1] == 0)
      FillRun(mover, mover.At(value.raw_data(), walk.a), to, plan.inner());
    else
      CopyRun(mover, mover.At(value.raw_data(), walk.a), to, plan.inner());
    walk.Advance(1);
  }
  return OkStatus();
}

// The elements of `value`, in order, to the places of `to` that `part` describes.
inline void CopyToPart(const ElementMover& mover, const StridedCopy& part, const void* value, void* to) {
  const int rank = static_cast<int>(part.dims.size());
  const bool runs = rank > 0 && part.dims.back().step == 1;
  const Index run = runs ? part.dims.back().size : 1;
  tenon::detail::StridedWalk walk(part, runs ? rank - 1 : rank, 0);
  for (Index done = 0; done < part.elements; done += run) {
    CopyRun(mover, mover.At(value, done), mover.At(to, walk.at), run);
    walk.Advance(1);
  }
}

inline Status AssignPart(OpKernelContext& context, const StridedSlice::Attrs& attrs, const Tensor& target,
                         const HostIndices& begin, const HostIndices& end, const HostIndices& strides,
                         const Tensor& value) {
  LockedVar variable;
  TENON_RETURN_IF_ERROR(variable.Open(context, 0, target, value.dtype()));
  StridedSlice::Plan plan;
  TENON_RETURN_IF_ERROR(plan.Make(attrs, variable.tensor().shape(), begin, end, strides));
  if (plan.copy.elements == 0) return OkStatus();
  TensorShape joined;
  if (!BroadcastShape(value.shape(), plan.output, &joined).ok() || !(joined == plan.output))
    return errors::InvalidArgument(context.op_kernel().type_string(), ": Cannot broadcast input shape ", value.shape(),
                                   " into final shape ", plan.output);
  const ElementMover mover = MoverOf(value.dtype());
  Tensor repeated;
  const Tensor* from = &value;
  if (value.NumElements() != plan.copy.elements || value.SharesBufferWith(variable.tensor())) {
    TENON_RETURN_IF_ERROR(context.allocate_temp(value.dtype(), plan.output, &repeated));
    TENON_RETURN_IF_ERROR(RepeatValue(mover, value, plan.output, &repeated));
    from = &repeated;
  }
  TENON_RETURN_IF_ERROR(variable.MakeWritable(context));
  CopyToPart(mover, plan.copy, from->raw_data(), variable.tensor().raw_data());
  return OkStatus();
}

inline constexpr DataTypeSet kStridedAssignTypes = kPodAndObjectTypes | ToSet(DataType::kFloat8E4M3FN) |
                                                   ToSet(DataType::kFloat8E5M2) | ToSet(DataType::kQint8) |
                                                   ToSet(DataType::kQuint8) | ToSet(DataType::kQint32);

}  // namespace detail

struct StridedSliceAssign {
  static constexpr auto signature = Op("StridedSliceAssign")
                                        .Input("ref: Ref(T)")
                                        .Input("begin: Index")
                                        .Input("end: Index")
                                        .Input("strides: Index")
                                        .Input("value: T")
                                        .Output("output_ref: Ref(T)")
                                        .Attr("T: type")
                                        .Attr("Index: {int32, int64}")
                                        .Attr("begin_mask: int = 0")
                                        .Attr("end_mask: int = 0")
                                        .Attr("ellipsis_mask: int = 0")
                                        .Attr("new_axis_mask: int = 0")
                                        .Attr("shrink_axis_mask: int = 0")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  using Attrs = StridedSlice::Attrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(4), detail::kStridedAssignTypes); }
    Status operator()(Context<Device>& context, const Tensor& ref, HostIndices begin, HostIndices end,
                      HostIndices strides, const Tensor& value, Tensor& output) const {
      TENON_RETURN_IF_ERROR(detail::AssignPart(context.op(), *this, ref, begin, end, strides, value));
      output = ref;
      return OkStatus();
    }
  };
};

struct ResourceStridedSliceAssign {
  static constexpr auto signature = Op("ResourceStridedSliceAssign")
                                        .Input("ref: resource")
                                        .Input("begin: Index")
                                        .Input("end: Index")
                                        .Input("strides: Index")
                                        .Input("value: T")
                                        .Attr("T: type")
                                        .Attr("Index: {int32, int64}")
                                        .Attr("begin_mask: int = 0")
                                        .Attr("end_mask: int = 0")
                                        .Attr("ellipsis_mask: int = 0")
                                        .Attr("new_axis_mask: int = 0")
                                        .Attr("shrink_axis_mask: int = 0")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::NoOutputs);

  using Attrs = StridedSlice::Attrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(4), detail::kStridedAssignTypes); }
    Status operator()(Context<Device>& context, const Tensor& resource, HostIndices begin, HostIndices end,
                      HostIndices strides, const Tensor& value) const {
      return detail::AssignPart(context.op(), *this, resource, begin, end, strides, value);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
