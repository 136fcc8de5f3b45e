// SPDX-License-Identifier: Apache-2.0
#pragma once
// SparseReduceSum, SparseReduceMax, dense or sparse: the stored elements along some axes.

#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/sparse_coo.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Which dimensions stay, in order, and the result's sizes.
struct SparseReduction {
  SlimVector<Index> kept;
  SlimVector<std::int64_t> sizes;  // reduced dimensions are 1 with keep_dims, else not there
  bool keep_dims;
};

inline Status PlanSparseReduction(std::string_view op, const SparseInput& x, const Tensor& axes, bool keep_dims,
                                  SparseReduction* plan) {
  if (x.indices->dims() != 2)
    return errors::InvalidArgument(op, ": Expected input_indices to be a matrix; got shape: ", x.indices->shape());
  if (x.values->dims() != 1)
    return errors::InvalidArgument(op, ": Expected input_values to be a vector; got shape: ", x.values->shape());
  if (x.shape->dims() != 1)
    return errors::InvalidArgument(op, ": Expected input_shape to be a vector; got shape: ", x.shape->shape());
  if (x.indices->dim_size(0) != x.values->dim_size(0))
    return errors::InvalidArgument(op, ": indices and values rows (indexing dimension) must match. (indices = ",
                                   x.indices->dim_size(0), ", values = ", x.values->dim_size(0), ")");
  const Index rank = x.rank();
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ShapeOfSizes(op, x.sizes(), rank, &shape));
  if (x.indices->dim_size(1) != rank)
    return errors::InvalidArgument(op, ": Order length must be SparseTensor rank, got indices of shape ",
                                   x.indices->shape(), " for rank ", rank);
  if (axes.dims() > 1)
    return errors::InvalidArgument(op,
                                   ": Expected reduction_axes to be a scalar or a vector; got shape: ", axes.shape());
  SlimVector<char> reduced(static_cast<std::size_t>(rank), 0);
  for (Index i = 0; i < axes.NumElements(); ++i) {
    const Index axis = axes.data<std::int32_t>()[i];
    if (axis < -rank || axis >= rank)
      return errors::InvalidArgument(op, ": Invalid reduction dimension ", axis, ", for input with ", rank,
                                     " dimensions.");
    reduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = 1;
  }
  plan->keep_dims = keep_dims;
  for (Index d = 0; d < rank; ++d) {
    const bool kept = reduced[static_cast<std::size_t>(d)] == 0;
    if (kept) plan->kept.push_back(d);
    if (kept || keep_dims) plan->sizes.push_back(kept ? x.sizes()[d] : 1);
  }
  return OkStatus();
}

// Groups of elements that become one: numbers of rows, ordered by the kept dimensions; group g is
// order[starts[g]] ... order[starts[g + 1] - 1].
struct SparseGroups {
  SlimVector<std::size_t> order, starts;
  std::size_t size() const { return starts.size() - 1; }
};
inline SparseGroups GroupRows(const SparseRows& rows, const SlimVector<Index>& kept) {
  SparseGroups groups;
  SlimVector<Index> columns = kept;  // inside of a group: row-major order, as TensorFlow adds
  for (Index d = 0; d < rows.rank; ++d) {
    bool is_kept = false;
    for (const Index k : kept) is_kept = is_kept || k == d;
    if (!is_kept) columns.push_back(d);
  }
  groups.order = RowOrder(rows, columns);
  for (std::size_t i = 0; i < groups.order.size(); ++i) {
    bool starts = i == 0;
    for (std::size_t k = 0; k < kept.size() && !starts; ++k)
      starts = rows.Row(static_cast<Index>(groups.order[i]))[kept[k]] !=
               rows.Row(static_cast<Index>(groups.order[i - 1]))[kept[k]];
    if (starts) groups.starts.push_back(i);
  }
  groups.starts.push_back(groups.order.size());
  return groups;
}

using SparseReducer = void (*ElementMath::*)(const void*, const std::size_t*, Index, void*);

// The row of group g.
inline const std::int64_t* GroupRow(const SparseRows& rows, const SparseGroups& groups, std::size_t g) {
  return rows.Row(static_cast<Index>(groups.order[groups.starts[g]]));
}
inline void ReduceGroup(const SparseInput& x, const SparseGroups& groups, std::size_t g, SparseReducer reducer,
                        void* out) {
  const std::size_t first = groups.starts[g], end = groups.starts[g + 1];
  (ElementMathOf(x.values->dtype())->*reducer)(x.values->raw_data(), groups.order.data() + first,
                                               static_cast<Index>(end - first), out);
}

// Dense: 0 where there is no element.
inline Status RunSparseReduce(OpKernelContext& context, Cpu& device, SparseReducer reducer, bool keep_dims,
                              const Tensor& axes, Tensor* output) {
  const std::string_view op = context.op_kernel().def().op;
  const SparseInput x = SparseInputAt(context, 0);
  SparseReduction plan;
  TENON_RETURN_IF_ERROR(PlanSparseReduction(op, x, axes, keep_dims, &plan));
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ShapeOfSizes(op, plan.sizes.data(), static_cast<Index>(plan.sizes.size()), &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &output));
  const ElementMover mover = MoverOf(output->dtype());
  Zero(device, mover, output->raw_data(), output->NumElements());
  const SparseRows rows = x.rows();
  const SparseGroups groups = GroupRows(rows, plan.kept);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Index place = 0;
    for (const Index d : plan.kept) {
      const std::int64_t index = GroupRow(rows, groups, g)[d], size = x.sizes()[d];
      if (index < 0 || index >= size)
        return errors::Internal(op, ": Obtained a write index of ", index, " which is outside of bounds of [0, ", size,
                                ")");
      place = place * size + index;
    }
    ReduceGroup(x, groups, g, reducer, mover.At(output->raw_data(), place));
  }
  return OkStatus();
}

// Sparse: the elements that there are.
inline Status RunSparseReduceSparse(OpKernelContext& context, SparseReducer reducer, bool keep_dims, const Tensor& axes,
                                    Tensor* indices, Tensor* values) {
  const std::string_view op = context.op_kernel().def().op;
  const SparseInput x = SparseInputAt(context, 0);
  SparseReduction plan;
  TENON_RETURN_IF_ERROR(PlanSparseReduction(op, x, axes, keep_dims, &plan));
  const SparseRows rows = x.rows();
  const SparseGroups groups = GroupRows(rows, plan.kept);
  const auto n = static_cast<Index>(groups.size()), rank = static_cast<Index>(plan.sizes.size());
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({n, rank}), &indices));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({n}), &values));
  const ElementMover mover = MoverOf(values->dtype());
  std::int64_t* to = indices->data<std::int64_t>();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::int64_t* const row = GroupRow(rows, groups, g);
    std::size_t k = 0;
    for (Index d = 0; d < rows.rank; ++d) {
      const bool kept = k < plan.kept.size() && plan.kept[k] == d;
      if (kept || plan.keep_dims) *to++ = kept ? row[d] : 0;
      k += kept ? 1 : 0;
    }
    ReduceGroup(x, groups, g, reducer, mover.At(values->raw_data(), static_cast<Index>(g)));
  }
  return SetVector(context, 2, plan.sizes.data(), rank);
}

template <bool kMax>
constexpr DataTypeSet SparseReduceTypes() {
  return kMax ? kSparseRealTypes : kSparseNumberTypes;
}
template <bool kMax>
constexpr SparseReducer ReducerOf() {
  if constexpr (kMax)
    return &ElementMath::largest_of;
  else
    return &ElementMath::sum_of;
}

struct SparseReduceAttrs {
  bool keep_dims;
};
template <class Device, bool kMax>
struct SparseReduceKernel : SparseReduceAttrs {
  Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), SparseReduceTypes<kMax>()); }
  Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor& axes,
                    Tensor& output) const {
    return RunSparseReduce(context.op(), context.device(), ReducerOf<kMax>(), this->keep_dims, axes, &output);
  }
};
template <class Device, bool kMax>
struct SparseReduceSparseKernel : SparseReduceAttrs {
  Status Init(OpKernelConstruction& c) { return ServeOnly(c, c.input_type(1), SparseReduceTypes<kMax>()); }
  Status operator()(Context<Device>& context, const Tensor&, const Tensor&, const Tensor&, const Tensor& axes,
                    Tensor& indices, Tensor& values, Tensor&) const {
    return RunSparseReduceSparse(context.op(), ReducerOf<kMax>(), this->keep_dims, axes, &indices, &values);
  }
};

}  // namespace detail

struct SparseReduceSum {
  static constexpr auto signature =
      Op("SparseReduceSum")
          .Input("input_indices: int64")
          .Input("input_values: T")
          .Input("input_shape: int64")
          .Input("reduction_axes: int32")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .SetShapeFn(shape_inference::SparseReduceShapeFn);

  using Attrs = detail::SparseReduceAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::SparseReduceKernel<Device, false> {};
};

struct SparseReduceMax {
  static constexpr auto signature =
      Op("SparseReduceMax")
          .Input("input_indices: int64")
          .Input("input_values: T")
          .Input("input_shape: int64")
          .Input("reduction_axes: int32")
          .Output("output: T")
          .Attr("keep_dims: bool = false")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .SetShapeFn(shape_inference::SparseReduceShapeFn);

  using Attrs = detail::SparseReduceAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::SparseReduceKernel<Device, true> {};
};

struct SparseReduceSumSparse {
  static constexpr auto signature =
      Op("SparseReduceSumSparse")
          .Input("input_indices: int64")
          .Input("input_values: T")
          .Input("input_shape: int64")
          .Input("reduction_axes: int32")
          .Output("output_indices: int64")
          .Output("output_values: T")
          .Output("output_shape: int64")
          .Attr("keep_dims: bool = false")
          .Attr(
              "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}")
          .SetShapeFn(shape_inference::UnknownShape);

  using Attrs = detail::SparseReduceAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::SparseReduceSparseKernel<Device, false> {};
};

struct SparseReduceMaxSparse {
  static constexpr auto signature =
      Op("SparseReduceMaxSparse")
          .Input("input_indices: int64")
          .Input("input_values: T")
          .Input("input_shape: int64")
          .Input("reduction_axes: int32")
          .Output("output_indices: int64")
          .Output("output_values: T")
          .Output("output_shape: int64")
          .Attr("keep_dims: bool = false")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .SetShapeFn(shape_inference::UnknownShape);

  using Attrs = detail::SparseReduceAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::SparseReduceSparseKernel<Device, true> {};
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
