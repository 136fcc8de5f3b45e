// SPDX-License-Identifier: Apache-2.0
#pragma once
// StridedSlice: a regular part of a tensor, as Python's x[begin:end:stride, ..., newaxis] describes it. Slice: a block.

#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/strided_slice.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct StridedSlice {
  static constexpr auto signature = Op("StridedSlice")
                                        .Input("input: T")
                                        .Input("begin: Index")
                                        .Input("end: Index")
                                        .Input("strides: Index")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Index: {int16, int32, int64}")
                                        .Attr("begin_mask: int = 0")
                                        .Attr("end_mask: int = 0")
                                        .Attr("ellipsis_mask: int = 0")
                                        .Attr("new_axis_mask: int = 0")
                                        .Attr("shrink_axis_mask: int = 0")
                                        .SetShapeFn(shape_inference::StridedSliceShape);

  struct Attrs {
    std::int64_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
  };
  static constexpr auto kernel_types = TypeAttrs();

  // The part for one input shape and one set of indices. immutable once made.
  struct Plan : RefCounted {
    enum class Way : std::uint8_t { kShare, kShareRows, kCopy };

    bool Fits(const TensorShape& shape, const HostIndices& begin, const HostIndices& end,
              const HostIndices& strides) const {
      const Index n = begin.size();
      if (static_cast<Index>(indices.size()) != 3 * n || end.size() != n || strides.size() != n || !(input == shape))
        return false;
      const Index* known = indices.data();
      for (Index i = 0; i < n; ++i)
        if (known[i] != begin[i] || known[n + i] != end[i] || known[2 * n + i] != strides[i]) return false;
      return true;
    }
    Status Make(const Attrs& attrs, const TensorShape& shape, const HostIndices& begin, const HostIndices& end,
                const HostIndices& strides);

    TensorShape input, output;
    InlinedVector<Index, 12> indices;  // begin, end, strides
    Way way = Way::kCopy;
    Index first_row = 0, last_row = 0;  // kShareRows
    StridedCopy copy;  // kCopy
  };

  template <class Device>
  struct kernel : Attrs {
    Status Init(OpKernelConstruction& construction) {
      const DataType type = construction.input_type(0);  // TensorFlow has no kernels for these two
      if (type != DataType::kQint16 && type != DataType::kQuint16)
        return ServeOnDevice<Device>(construction, type, kAllTypes);
      return errors::InvalidArgument("no kernel for op 'StridedSlice' on CPU with types {", type,
                                     "}; all types but qint16 and quint16 have one");
    }

    Status operator()(Context<Device>& context, const Tensor& input, HostIndices begin, HostIndices end,
                      HostIndices strides, Tensor& output) const {
      Ref<Plan> plan = LastPlan();
      if (!plan || !plan->Fits(input.shape(), begin, end, strides)) [[unlikely]] {
        plan = Ref<Plan>::Adopt(new Plan);
        TENON_RETURN_IF_ERROR(plan->Make(*this, input.shape(), begin, end, strides));
        Remember(plan);
      }
      return Run(context.op(), context.device(), *plan, input, &output);
    }

   private:
    Ref<Plan> LastPlan() const {
      const SpinLockHolder lock(lock_);
      return plan_;
    }
    void Remember(Ref<Plan> plan) const {
      const SpinLockHolder lock(lock_);
      std::swap(plan_, plan);  // the old one is let go after the lock
    }

    mutable SpinLock lock_;
    mutable Ref<Plan> plan_;  // plan of the last call: a call with other shapes or indices makes its own
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Plan& plan, const Tensor& input, Tensor* output);
};

inline Status StridedSlice::Plan::Make(const Attrs& attrs, const TensorShape& shape, const HostIndices& begin,
                                       const HostIndices& end, const HostIndices& strides) {
  if (begin.shape().dims() != 1 || !(begin.shape() == end.shape()) || !(begin.shape() == strides.shape()) ||
      begin.size() >= 32)
    return errors::InvalidArgument(
        "StridedSlice: Expected begin, end, and strides to be 1D equal size tensors, but got shapes ", begin.shape(),
        ", ", end.shape(), ", and ", strides.shape(), " instead.");
  SlimVector<std::int64_t> lists[3];
  const HostIndices* const given[3] = {&begin, &end, &strides};
  for (int k = 0; k < 3; ++k)
    for (Index i = 0; i < begin.size(); ++i) lists[k].push_back((*given[k])[i]), indices.push_back((*given[k])[i]);
  input = shape;
  StridedSlicePlan plan;
  const auto mask = [](std::int64_t bits) { return static_cast<std::int32_t>(bits); };
  if (const Status status = PlanStridedSlice(shape.dim_sizes(), &lists[0], &lists[1], lists[2], mask(attrs.begin_mask),
                                             mask(attrs.end_mask), mask(attrs.ellipsis_mask), mask(attrs.new_axis_mask),
                                             mask(attrs.shrink_axis_mask), &plan);
      !status.ok())
    return Status(status.code(), StrCat("StridedSlice: ", status.message()));
  TENON_RETURN_IF_ERROR(TensorShape::Build(plan.final_shape, &output));
  if (plan.is_identity) {
    way = Way::kShare;
  } else if (plan.slice_dim0 && plan.processing_shape[0] > 0) {
    way = Way::kShareRows;
    first_row = plan.begin[0];
    last_row = plan.end[0];
  }
  copy.Make(shape.dim_sizes(), plan.begin, plan.strides, plan.processing_shape);
  return OkStatus();
}

template <class Device>
Status StridedSlice::Run(OpKernelContext& context, Device& device, const Plan& plan, const Tensor& input,
                         Tensor* output) {
  // Sharing a part takes a small block of the heap, keeps the whole alive and may be less aligned: for large parts
  // only.
  constexpr Index kWorthSharingBytes = 32768;
  const ElementMover mover = MoverOf(input.dtype());
  if (plan.way == Plan::Way::kShare) {
    (void)output->CopyFrom(input, plan.output);  // the element counts agree
    return OkStatus();
  }
  if (plan.way == Plan::Way::kShareRows && plan.output.num_elements() * mover.bytes >= kWorthSharingBytes) {
    (void)output->CopyFrom(input.Slice(plan.first_row, plan.last_row), plan.output);
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(context.allocate_output(0, plan.output, &output));
  return CopyStrided(device, mover, plan.copy, input.raw_data(), output->raw_data());
}

// input: [a, b], begin = [i, j], size = [m, -1]  ->  [m, b - j]
struct Slice {
  static constexpr auto signature = Op("Slice")
                                        .Input("input: T")
                                        .Input("begin: Index")
                                        .Input("size: Index")
                                        .Output("output: T")
                                        .Attr("T: type")
                                        .Attr("Index: {int32, int64}")
                                        .SetShapeFn(shape_inference::SliceShape);

  static constexpr auto kernel_types = TypeAttrs();
  static constexpr DataTypeSet kServed = kPodAndStringTypes | ToSet(DataType::kQint8) | ToSet(DataType::kQuint8) |
                                         ToSet(DataType::kQint32) | ToSet(DataType::kFloat8E5M2) |
                                         ToSet(DataType::kFloat8E4M3FN);

  template <class Device>
  struct kernel {
    Status Init(OpKernelConstruction& c) { return ServeOnDevice<Device>(c, c.input_type(0), kServed); }
    Status operator()(Context<Device>& context, const Tensor& input, HostIndices begin, HostIndices size,
                      Tensor& output) const {
      return Run(context.op(), context.device(), input, begin, size, &output);
    }
  };

 private:
  template <class Device>
  static Status Run(OpKernelContext& context, Device& device, const Tensor& input, const HostIndices& begin,
                    const HostIndices& size, Tensor* output) {
    constexpr Index kWorthSharingBytes = 32768;  // as for StridedSlice
    const int rank = input.dims();
    if (begin.shape().dims() != 1 || size.shape().dims() != 1 || begin.size() != rank || size.size() != rank)
      return errors::InvalidArgument("Slice: Expected begin and size arguments to be 1-D tensors of size ", rank,
                                     ", but got shapes ", begin.shape(), " and ", size.shape(), " instead.");
    InlinedVector<Index, 8> first, counts, ones(static_cast<std::size_t>(rank), 1);
    bool rows = rank > 0;  // only dimension 0 is cut
    for (int d = 0; d < rank; ++d) {
      const Index whole = input.dim_size(d), b = begin[d];
      if (b < 0 || b > whole)
        return errors::InvalidArgument("Slice: Expected begin[", d, "] in [0, ", whole, "], but got ", b);
      const Index count = size[d] == -1 ? whole - b : size[d];
      if (count < 0 || count > whole - b)
        return errors::InvalidArgument("Slice: Expected size[", d, "] in [0, ", whole - b, "], but got ", size[d]);
      rows = rows && (d == 0 || count == whole);
      first.push_back(b);
      counts.push_back(count);
    }
    TensorShape shape;
    TENON_RETURN_IF_ERROR(TensorShape::Build({counts.data(), counts.size()}, &shape));
    if (shape == input.shape()) {
      *output = input;
      return OkStatus();
    }
    const ElementMover mover = MoverOf(input.dtype());
    if (rows && shape.num_elements() * mover.bytes >= kWorthSharingBytes) {
      *output = input.Slice(first[0], first[0] + counts[0]);
      return OkStatus();
    }
    TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
    if (shape.num_elements() == 0) return OkStatus();
    StridedCopy copy;
    copy.Make(input.shape().dim_sizes(), {first.data(), first.size()}, {ones.data(), ones.size()},
              {counts.data(), counts.size()});
    return CopyStrided(device, mover, copy, input.raw_data(), output->raw_data());
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
