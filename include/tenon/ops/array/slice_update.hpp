// SPDX-License-Identifier: Apache-2.0
#pragma once
// StridedSliceGrad and TensorStridedSliceUpdate: values put into the part of a tensor that a strided slice names.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/transpose.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

struct SliceMasks {
  std::int64_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
};

inline constexpr DataTypeSet kSliceUpdateTypes = kPodAndObjectTypes | ToSet(DataType::kQint8) |
                                                 ToSet(DataType::kQuint8) | ToSet(DataType::kQint32) |
                                                 ToSet(DataType::kFloat8E5M2) | ToSet(DataType::kFloat8E4M3FN);

inline Status StridedSliceGradShape(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  return OkStatus();
}

inline Status PlanSliceUpdate(std::string_view op, const SliceMasks& masks, const TensorShape& shape,
                              const HostIndices& begin, const HostIndices& end, const HostIndices& strides,
                              StridedSlicePlan* plan) {
  if (begin.shape().dims() != 1 || !(begin.shape() == end.shape()) || !(begin.shape() == strides.shape()) ||
      begin.size() >= 32)
    return errors::InvalidArgument(op,
                                   ": Expected begin, end, and strides to be 1D equal size tensors, but got shapes ",
                                   begin.shape(), ", ", end.shape(), ", and ", strides.shape(), " instead.");
  SlimVector<std::int64_t> lists[3];
  const HostIndices* const given[3] = {&begin, &end, &strides};
  for (int k = 0; k < 3; ++k)
    for (Index i = 0; i < begin.size(); ++i) lists[k].push_back((*given[k])[i]);
  const auto mask = [](std::int64_t bits) { return static_cast<std::int32_t>(bits); };
  const Status status =
      PlanStridedSlice(shape.dim_sizes(), &lists[0], &lists[1], lists[2], mask(masks.begin_mask), mask(masks.end_mask),
                       mask(masks.ellipsis_mask), mask(masks.new_axis_mask), mask(masks.shrink_axis_mask), plan);
  return status.ok() ? OkStatus() : Status(status.code(), StrCat(op, ": ", status.message()));
}

// How far apart the value's elements are along each dimension of the slice before new axes are added and shrunk ones
// taken away (0 where the value is repeated). False if the value, broadcast, is not the slice.
inline bool ValueSteps(const StridedSlicePlan& plan, const TensorShape& value, InlinedVector<Index, 8>* steps) {
  const int rank = static_cast<int>(plan.final_shape.size()), extra = value.dims() - rank;
  for (int d = 0; d < extra; ++d)
    if (value.dim_size(d) != 1) return false;
  // Dimensions of size 1 do not count, so that the other dimensions go together in order.
  InlinedVector<Index, 8> sizes, by;  // sizes and steps of the final dimensions that are longer than 1
  Index step = 1;
  for (int d = rank - 1; d >= 0; --d) {
    const Index wanted = plan.final_shape[static_cast<std::size_t>(d)];
    const Index size = d + extra < 0 ? 1 : value.dim_size(d + extra);
    if (size != 1 && size != wanted) return false;
    if (wanted != 1) {
      sizes.push_back(wanted);
      by.push_back(size == 1 ? 0 : step);
    }
    step = MultiplySizes(step, size);
  }
  steps->assign(plan.processing_shape.size(), Index{0});
  std::size_t k = sizes.size();
  for (std::size_t d = 0; d < plan.processing_shape.size(); ++d)
    if (plan.processing_shape[d] != 1) (*steps)[d] = by[--k];
  return true;
}

// Puts the value into the slice of `output`.
template <class Device>
Status PutSlice(Device& device, const ElementMover& mover, const StridedSlicePlan& plan,
                const InlinedVector<Index, 8>& steps, const Tensor& value, Tensor* output) {
  NdCopy copy;
  const InlinedVector<Index, 8> to = StridesOf(output->shape().dim_sizes());
  for (std::size_t d = 0; d < plan.processing_shape.size(); ++d) {
    const Index n = plan.processing_shape[d], stride = plan.strides[d];
    const bool backwards = stride < 0 && n > 1;  // positions are counted upwards
    copy.out_first += (backwards ? plan.begin[d] + (n - 1) * stride : plan.begin[d]) * to[d];
    if (backwards) copy.in_first += (n - 1) * steps[d];
    copy.Add(n, backwards ? -steps[d] : steps[d], (backwards ? -stride : stride) * to[d]);
  }
  return CopyNd(device, mover, copy, value.raw_data(), output->raw_data());
}

inline bool IsEmptySlice(const StridedSlicePlan& plan) {
  for (const Index size : plan.processing_shape)
    if (size == 0) return true;
  return false;
}

// StridedSliceGrad for one set of sizes and indices. immutable once made.
struct SliceGradPlan : RefCounted {
  bool Fits(const HostIndices& shape, const HostIndices& begin, const HostIndices& end,
            const HostIndices& strides) const {
    const HostIndices* const given[4] = {&shape, &begin, &end, &strides};
    const Index* known = values.data();
    for (int k = 0; k < 4; ++k) {
      if (given[k]->shape().dims() != 1 || given[k]->size() != (k == 0 ? target.dims() : indices)) return false;
      for (Index i = 0; i < given[k]->size(); ++i)
        if (*known++ != (*given[k])[i]) return false;
    }
    return true;
  }
  Status Make(const SliceMasks& masks, const HostIndices& shape, const HostIndices& begin, const HostIndices& end,
              const HostIndices& strides) {
    if (shape.shape().dims() != 1)
      return errors::InvalidArgument("StridedSliceGrad: shape must be 1-D, got shape.shape = ", shape.shape());
    const HostIndices* const given[4] = {&shape, &begin, &end, &strides};
    for (const HostIndices* const list : given)
      for (Index i = 0; i < list->size(); ++i) values.push_back((*list)[i]);
    indices = begin.size();
    TENON_RETURN_IF_ERROR(TensorShape::Build({values.data(), static_cast<std::size_t>(shape.size())}, &target));
    TENON_RETURN_IF_ERROR(PlanSliceUpdate("StridedSliceGrad", masks, target, begin, end, strides, &plan));
    return TensorShape::Build(plan.final_shape, &slice);
  }

  InlinedVector<Index, 16> values;  // shape, begin, end, strides
  Index indices = 0;                // length of begin
  TensorShape target, slice;        // shapes of the output and of dy
  StridedSlicePlan plan;
};

template <class Device>
Status RunStridedSliceGrad(OpKernelContext& context, Device& device, const SliceGradPlan& made, const Tensor& dy,
                           Tensor* output) {
  if (!(made.slice == dy.shape()))
    return errors::InvalidArgument("StridedSliceGrad: shape of dy was ", dy.shape(), " instead of ", made.slice);
  TENON_RETURN_IF_ERROR(context.allocate_output(0, made.target, &output));
  const ElementMover mover = MoverOf(dy.dtype());
  TENON_RETURN_IF_ERROR(Zero(device, mover, output->raw_data(), output->NumElements()));
  if (IsEmptySlice(made.plan)) return OkStatus();
  InlinedVector<Index, 8> steps;
  (void)ValueSteps(made.plan, dy.shape(), &steps);
  return PutSlice(device, mover, made.plan, steps, dy, output);
}

template <class Device>
Status RunSliceUpdate(OpKernelContext& context, Device& device, const SliceMasks& masks, const Tensor& input,
                      const HostIndices& begin, const HostIndices& end, const HostIndices& strides, const Tensor& value,
                      Tensor* output) {
  StridedSlicePlan plan;
  TENON_RETURN_IF_ERROR(PlanSliceUpdate("TensorStridedSliceUpdate", masks, input.shape(), begin, end, strides, &plan));
  InlinedVector<Index, 8> steps;
  const bool empty = IsEmptySlice(plan);
  if (!empty && !ValueSteps(plan, value.shape(), &steps)) {
    TensorShape wanted;
    TENON_RETURN_IF_ERROR(TensorShape::Build(plan.final_shape, &wanted));
    return errors::InvalidArgument("TensorStridedSliceUpdate: Cannot broadcast input shape ", value.shape(),
                                   " into final shape ", wanted);
  }
  const void* const before = input.raw_data();
  const TensorShape shape = input.shape();
  const ElementMover mover = MoverOf(input.dtype());
  TENON_RETURN_IF_ERROR(context.forward_input_or_allocate_output({0}, 0, shape, &output));
  if (output->raw_data() != before)
    TENON_RETURN_IF_ERROR(Copy(device, mover, before, output->raw_data(), shape.num_elements()));
  return empty ? OkStatus() : PutSlice(device, mover, plan, steps, value, output);
}

}  // namespace detail

// Zeros of `shape` with dy where StridedSlice would have taken it from.
struct StridedSliceGrad {
  static constexpr auto signature = Op("StridedSliceGrad")
                                        .Input("shape: Index")
                                        .Input("begin: Index")
                                        .Input("end: Index")
                                        .Input("strides: Index")
                                        .Input("dy: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Index: {int32, int64}")
                                        .Attr("begin_mask: int = 0")
                                        .Attr("end_mask: int = 0")
                                        .Attr("ellipsis_mask: int = 0")
                                        .Attr("new_axis_mask: int = 0")
                                        .Attr("shrink_axis_mask: int = 0")
                                        .SetShapeFn(detail::StridedSliceGradShape);

  using Attrs = detail::SliceMasks;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      return ServeOnDevice<Device>(c, c.input_type(4), detail::kSliceUpdateTypes);
    }
    Status operator()(Context<Device>& context, HostIndices shape, HostIndices begin, HostIndices end,
                      HostIndices strides, const Tensor& dy, Tensor& output) const {
      Ref<detail::SliceGradPlan> plan = LastPlan();
      if (!plan || !plan->Fits(shape, begin, end, strides)) [[unlikely]] {
        plan = Ref<detail::SliceGradPlan>::Adopt(new detail::SliceGradPlan);
        TENON_RETURN_IF_ERROR(plan->Make(*this, shape, begin, end, strides));
        Remember(plan);
      }
      return detail::RunStridedSliceGrad(context.op(), context.device(), *plan, dy, &output);
    }

   private:
    Ref<detail::SliceGradPlan> LastPlan() const {
      const SpinLockHolder lock(lock_);
      return plan_;
    }
    void Remember(Ref<detail::SliceGradPlan> plan) const {
      const SpinLockHolder lock(lock_);
      std::swap(plan_, plan);  // the old one is let go after the lock
    }

    mutable SpinLock lock_;
    mutable Ref<detail::SliceGradPlan> plan_;  // plan of the last call: a call with other values makes its own
  };
};

// The input with the value, broadcast, in the slice.
struct TensorStridedSliceUpdate {
  static constexpr auto signature = Op("TensorStridedSliceUpdate")
                                        .Input("input: T")
                                        .Input("begin: Index")
                                        .Input("end: Index")
                                        .Input("strides: Index")
                                        .Input("value: T")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Index: {int32, int64}")
                                        .Attr("begin_mask: int = 0")
                                        .Attr("end_mask: int = 0")
                                        .Attr("ellipsis_mask: int = 0")
                                        .Attr("new_axis_mask: int = 0")
                                        .Attr("shrink_axis_mask: int = 0")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  using Attrs = detail::SliceMasks;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& c) {
      return ServeOnDevice<Device>(c, c.input_type(0), detail::kSliceUpdateTypes);
    }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices begin, HostIndices end,
                      HostIndices strides, const Tensor& value, Tensor& output) const {
      return detail::RunSliceUpdate(context.op(), context.device(), *this, input, begin, end, strides, value, &output);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
