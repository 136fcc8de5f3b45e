// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batches of sparse tensors: one taken apart along its first dimension, and many put together under a new one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/layout/sparse_coo.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/ops/sparse/sparse_tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status CheckSparseRanks(std::string_view op, const SparseInput& x) {
  if (x.indices->dims() != 2)
    return errors::InvalidArgument(op, ": Input indices should be a matrix but received shape ", x.indices->shape());
  if (x.values->dims() != 1)
    return errors::InvalidArgument(op, ": Input values should be a vector but received shape ", x.values->shape());
  if (x.shape->dims() != 1)
    return errors::InvalidArgument(op, ": Input shape should be a vector but received shape ", x.shape->shape());
  return OkStatus();
}
// A batch that can be taken apart: two dimensions or more, and indices in order, in range, each once.
inline Status CheckBatch(std::string_view op, const SparseInput& x) {
  TENON_RETURN_IF_ERROR(CheckSparseRanks(op, x));
  TENON_RETURN_IF_ERROR(CheckSparse(op, x));
  if (x.rank() < 2)
    return errors::InvalidArgument(op, ": Rank of input SparseTensor should be > 1, but saw rank: ", x.rank());
  TensorShape shape;
  TENON_RETURN_IF_ERROR(ShapeOfSizes(op, x.sizes(), x.rank(), &shape));
  const SparseRows rows = x.rows();
  if (const Index bad = FirstOutside(rows, x.sizes()); bad >= 0)
    return errors::InvalidArgument(op, ": indices[", bad, "] = ", SizesText(rows.Row(bad), rows.rank),
                                   " is out of bounds: need 0 <= index < ", SizesText(x.sizes(), x.rank()));
  for (Index i = 1; i < rows.n; ++i) {
    const int order = CompareRows(rows.Row(i - 1), rows.Row(i), rows.rank);
    if (order >= 0)
      return errors::InvalidArgument(op, ": indices[", i, "] = ", SizesText(rows.Row(i), rows.rank), " is ",
                                     order == 0 ? "repeated" : "out of order",
                                     ". Many sparse ops require sorted indices.");
  }
  return OkStatus();
}

// A sparse tensor without its shape.
struct SparsePart {
  Tensor indices;  // [n, rank]
  Tensor values;   // [n]
};

// The row of a checked batch that begins at element *at, which moves behind it.
inline Status TakeBatchRow(OpKernelContext& context, const SparseInput& x, Index row, Index* at, SparsePart* part) {
  const SparseRows rows = x.rows();
  const Index first = *at;
  while (*at < rows.n && rows.Row(*at)[0] == row) ++*at;
  const Index n = *at - first, rank = rows.rank - 1;
  TENON_RETURN_IF_ERROR(context.allocate_temp(DataType::kInt64, TensorShape({n, rank}), &part->indices));
  AllocatorAttributes on_host;  // strings live there
  on_host.set_on_host(true);
  TENON_RETURN_IF_ERROR(context.allocate_temp(x.values->dtype(), TensorShape({n}), &part->values, on_host));
  std::int64_t* to = part->indices.data<std::int64_t>();
  for (Index i = first; i < *at; ++i)
    for (Index d = 1; d <= rank; ++d) *to++ = rows.Row(i)[d];
  const ElementMover mover = MoverOf(x.values->dtype());
  if (n > 0) CopyRun(mover, mover.At(x.values->raw_data(), first), part->values.raw_data(), n);
  return OkStatus();
}

// Sparse tensors of one rank, to be put together.
struct SparseBatch {
  SlimVector<SparsePart> parts;
  SlimVector<std::int64_t> sizes;  // the largest in each dimension
  Index total = 0;                 // elements of all parts

  // Takes a part with its shape; the first one sets the rank.
  Status Add(std::string_view op, SparsePart part, const std::int64_t* own_sizes, Index rank) {
    const std::size_t number = parts.size();
    if (number == 0)
      for (Index d = 0; d < rank; ++d) sizes.push_back(own_sizes[d]);
    const auto before = static_cast<Index>(sizes.size());
    if (rank != before)
      return errors::InvalidArgument(op, ": Inconsistent shape across SparseTensors: rank prior to SparseTensor[",
                                     number, "] was: ", before, " but rank of SparseTensor[", number, "] is: ", rank);
    for (std::size_t d = 0; d < sizes.size(); ++d) sizes[d] = std::max(sizes[d], own_sizes[d]);
    total += part.values.NumElements();
    parts.push_back(std::move(part));
    return OkStatus();
  }
};

// Checks one sparse tensor that was stored, number i: its form and the type of its values.
inline Status CheckPart(std::string_view op, Index i, const SparsePart& part, const Tensor& shape, DataType dtype) {
  const Tensor &indices = part.indices, &values = part.values;
  if (indices.dims() != 2 || indices.dtype() != DataType::kInt64)
    return errors::InvalidArgument(op, ": Expected serialized_sparse[", i,
                                   ", 0] to represent an index matrix of int64 but received ", indices.dtype(),
                                   " of shape ", indices.shape());
  if (values.dims() != 1)
    return errors::InvalidArgument(op, ": Expected serialized_sparse[", i,
                                   ", 1] to represent a values vector but received shape ", values.shape());
  if (values.dtype() != dtype)
    return errors::InvalidArgument(op, ": Requested SparseTensor of type ", dtype, " but SparseTensor[", i,
                                   "].values.dtype() == ", values.dtype());
  if (indices.dim_size(0) != values.dim_size(0))
    return errors::InvalidArgument(op, ": Expected row counts of SparseTensor[", i, "].indices and SparseTensor[", i,
                                   "].values to match but they do not: ", indices.dim_size(0), " vs. ",
                                   values.dim_size(0));
  if (shape.dims() != 1 || shape.dtype() != DataType::kInt64)
    return errors::InvalidArgument(op, ": Expected serialized_sparse[", i,
                                   ", 2] to be a shape vector of int64 but it is ", shape.dtype(), " of shape ",
                                   shape.shape());
  if (indices.dim_size(1) != shape.dim_size(0))
    return errors::InvalidArgument(op, ": Expected column counts of SparseTensor[", i,
                                   "].indices to match size of SparseTensor[", i,
                                   "].shape but they do not: ", indices.dim_size(1), " vs. ", shape.dim_size(0));
  return OkStatus();
}

// An element of a batch that has several dimensions keeps its place in the row-major order of all elements. An index
// out of range may wrap around, and the first dimension takes what is left.
inline void SpreadIndex(Index part, const std::int64_t* row, const SlimVector<std::int64_t>& sizes,
                        const TensorShape& lead, std::int64_t* to) {
  auto place = static_cast<std::uint64_t>(part);
  for (std::size_t d = 0; d < sizes.size(); ++d)
    place = place * static_cast<std::uint64_t>(sizes[d]) + static_cast<std::uint64_t>(row[d]);
  auto left = static_cast<std::int64_t>(place);
  const auto count = static_cast<Index>(sizes.size()) + lead.dims();
  for (Index d = count - 1; d >= 0; --d) {
    const std::int64_t size =
        d < lead.dims() ? lead.dim_size(static_cast<int>(d)) : sizes[static_cast<std::size_t>(d - lead.dims())];
    to[d] = d > 0 ? left % size : left;
    left /= size;
  }
}

// Outputs 0 to 2: all parts as one sparse tensor [lead..., sizes...]; part i is number i of the row-major order of
// lead. With `spread`, indices out of range move, as SparseReshape moves them.
inline Status JoinParts(OpKernelContext& context, const SparseBatch& in, const TensorShape& lead, bool spread) {
  const auto rank = static_cast<Index>(in.sizes.size()), out_rank = rank + lead.dims();
  if (spread && in.total > 0)
    for (const std::int64_t size : in.sizes)
      if (size == 0)
        return errors::InvalidArgument(context.op_kernel().type_string(), ": Input tensor has ", in.total,
                                       " non zero elements but input shape ", SizesText(in.sizes.data(), rank),
                                       " is empty");
  Tensor *indices = nullptr, *values = nullptr, *shape = nullptr;
  TENON_RETURN_IF_ERROR(context.allocate_output(0, TensorShape({in.total, out_rank}), &indices));
  TENON_RETURN_IF_ERROR(context.allocate_output(1, TensorShape({in.total}), &values));
  TENON_RETURN_IF_ERROR(context.allocate_output(2, TensorShape({out_rank}), &shape));
  for (Index d = 0; d < out_rank; ++d)
    shape->data<std::int64_t>()[d] =
        d < lead.dims() ? lead.dim_size(static_cast<int>(d)) : in.sizes[static_cast<std::size_t>(d - lead.dims())];
  const ElementMover mover = MoverOf(values->dtype());
  std::int64_t* to = indices->data<std::int64_t>();
  Index at = 0;
  for (std::size_t i = 0; i < in.parts.size(); ++i) {
    const SparsePart& part = in.parts[i];
    const Index n = part.values.NumElements();
    const std::int64_t* row = part.indices.data<std::int64_t>();
    for (Index k = 0; k < n; ++k, row += rank, to += out_rank) {
      if (spread) {
        SpreadIndex(static_cast<Index>(i), row, in.sizes, lead, to);
        continue;
      }
      auto left = static_cast<Index>(i);
      for (int d = lead.dims() - 1; d >= 0; --d) {
        to[d] = left % lead.dim_size(d);
        left /= lead.dim_size(d);
      }
      std::copy(row, row + rank, to + lead.dims());
    }
    if (n > 0) CopyRun(mover, part.values.raw_data(), mover.At(values->raw_data(), at), n);
    at += n;
  }
  return OkStatus();
}

// ---- shape functions
inline Status JoinedSparseShape(InferenceContext* c) {
  c->set_output(0, c->Matrix(c->UnknownDim(), c->UnknownDim()));
  c->set_output(1, c->Vector(c->UnknownDim()));
  c->set_output(2, c->Vector(c->UnknownDim()));
  return OkStatus();
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
