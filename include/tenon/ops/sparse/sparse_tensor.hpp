// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared code of the sparse ops: a sparse tensor as three inputs (indices: [n, r] int64, values: [n], shape: [r]
// int64), its checks, and outputs picked from rows.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/sparse_coo.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/served_types.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Borrowed from inputs that stay.
struct SparseInput {
  const Tensor* indices;
  const Tensor* values;
  const Tensor* shape;

  SparseRows rows() const { return {indices->data<std::int64_t>(), indices->dim_size(0), indices->dim_size(1)}; }
  Index rank() const { return shape->NumElements(); }
  const std::int64_t* sizes() const { return shape->data<std::int64_t>(); }
};
inline SparseInput SparseInputAt(const OpKernelContext& context, int first) {
  return {&context.input(first), &context.input(first + 1), &context.input(first + 2)};
}

// "[1,2]", as TensorFlow writes shapes that are values.
inline std::string SizesText(const std::int64_t* sizes, Index rank) {
  std::string text = "[";
  for (Index d = 0; d < rank; ++d) StrAppend(&text, d == 0 ? "" : ",", sizes[d]);
  return text + "]";
}

// Ranks and counts of the three inputs.
inline Status CheckSparse(std::string_view op, const SparseInput& x) {
  if (x.indices->dims() != 2)
    return errors::InvalidArgument(op, ": Sparse indices must be rank 2 but is rank ", x.indices->dims());
  if (x.values->dims() != 1)
    return errors::InvalidArgument(op, ": Sparse values must be rank 1 but is rank ", x.values->dims());
  if (x.shape->dims() != 1)
    return errors::InvalidArgument(op, ": Sparse shape must be rank 1 but is rank ", x.shape->dims());
  if (x.indices->dim_size(0) != x.values->dim_size(0))
    return errors::InvalidArgument(op, ": Number of elements in indices (", x.indices->dim_size(0), ") and values (",
                                   x.values->dim_size(0), ") do not match");
  if (x.indices->dim_size(1) != x.shape->dim_size(0))
    return errors::InvalidArgument(op, ": Index rank (", x.indices->dim_size(1), ") and shape rank (",
                                   x.shape->dim_size(0), ") do not match");
  return OkStatus();
}
// The sizes as a shape: none negative, their product within bounds.
inline Status ShapeOfSizes(std::string_view op, const std::int64_t* sizes, Index rank, TensorShape* shape) {
  for (Index d = 0; d < rank; ++d)
    if (sizes[d] < 0)
      return errors::InvalidArgument(op, ": Expected shape dimensions to be non-negative, got ", sizes[d],
                                     " for dimension ", d);
  if (rank > kMaxTensorRank)
    return errors::InvalidArgument(op, ": a shape has at most ", kMaxTensorRank, " dimensions, got ", rank);
  const Status status = TensorShape::Build({sizes, static_cast<std::size_t>(rank)}, shape);
  return status.ok() ? status : Status(status.code(), StrCat(op, ": ", status.message()));
}
// The first index that is outside of `sizes`, or -1.
inline Index FirstOutside(const SparseRows& rows, const std::int64_t* sizes) {
  for (Index i = 0; i < rows.n; ++i)
    for (Index d = 0; d < rows.rank; ++d)
      if (rows.Row(i)[d] < 0 || rows.Row(i)[d] >= sizes[d]) return i;
  return -1;
}

// Outputs `output` and `output` + 1: the rows and values whose numbers are given, in that order.
inline Status TakeRows(OpKernelContext& context, int output, const SparseInput& x,
                       const SlimVector<std::size_t>& chosen) {
  const SparseRows rows = x.rows();
  Tensor *indices = nullptr, *values = nullptr;
  const auto n = static_cast<Index>(chosen.size());
  TENON_RETURN_IF_ERROR(context.allocate_output(output, TensorShape({n, rows.rank}), &indices));
  TENON_RETURN_IF_ERROR(context.allocate_output(output + 1, TensorShape({n}), &values));
  const ElementMover mover = MoverOf(values->dtype());
  std::int64_t* to = indices->data<std::int64_t>();
  for (Index i = 0; i < n; ++i) {
    const auto from = static_cast<Index>(chosen[static_cast<std::size_t>(i)]);
    for (Index d = 0; d < rows.rank; ++d) *to++ = rows.Row(from)[d];
    CopyRun(mover, mover.At(x.values->raw_data(), from), mover.At(values->raw_data(), i), 1);
  }
  return OkStatus();
}
// Output number `output`: a vector of int64.
inline Status SetVector(OpKernelContext& context, int output, const std::int64_t* numbers, Index n) {
  Tensor* out = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(output, TensorShape({n}), &out));
  for (Index i = 0; i < n; ++i) out->data<std::int64_t>()[i] = numbers[i];
  return OkStatus();
}

// Number types of TensorFlow's kernels: all but the quantised ones.
inline constexpr DataTypeSet kSparseNumberTypes{kNumberTypes.mask & ~kQuantizedTypes.mask};
inline constexpr DataTypeSet kSparseRealTypes{kRealNumberTypes.mask & ~kQuantizedTypes.mask};

// ---- shape functions
inline Status SparseRanks(InferenceContext* c, int first) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(first), 2, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(first + 1), 1, &unused));
  return c->WithRank(c->input(first + 2), 1, &unused);
}

}  // namespace detail

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
