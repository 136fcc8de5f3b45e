// SPDX-License-Identifier: Apache-2.0
#pragma once
// LoadAndRemapMatrix: rows and columns of a matrix in a checkpoint, in another order, with new values between them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/slice.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/io/checkpoint.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

TENON_DETAIL_SETUP_CODE_BEGIN

inline Status RemapMatrixShape(InferenceContext* c) {
  ShapeHandle unused;
  std::int64_t rows = 0, columns = 0;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  for (int i = 2; i < 4; ++i) TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 1, &unused));
  TENON_RETURN_IF_ERROR(c->GetAttr("num_rows", &rows));
  TENON_RETURN_IF_ERROR(c->GetAttr("num_cols", &columns));
  c->set_output(0, c->Matrix(rows, columns));
  return OkStatus();
}

// Where an old row or column goes, in the order of the old ones.
struct Moved {
  std::int64_t from, to;
  bool operator<(const Moved& other) const { return from == other.from ? to < other.to : from < other.from; }
};
inline Status SortMoves(const Tensor& remapping, SlimVector<Moved>* moves) {
  for (Index i = 0; i < remapping.NumElements(); ++i)
    if (const std::int64_t from = remapping.data<std::int64_t>()[i]; from >= 0) moves->push_back({from, i});
  std::sort(moves->begin(), moves->end());
  for (std::size_t i = 1; i < moves->size(); ++i)
    if ((*moves)[i].from == (*moves)[i - 1].from)
      return errors::Unimplemented("Old ID ", (*moves)[i].from, " is mapped to both new ID ", (*moves)[i - 1].to,
                                   " and ", (*moves)[i].to, ", which is not supported.");
  return OkStatus();
}

struct RemapMatrixAttrs {
  std::int64_t num_rows, num_cols, max_rows_in_memory;
};

inline Status CheckMatrix(const CheckpointReader& reader, std::string_view name, std::int64_t columns,
                          TensorShape* shape) {
  DataType type = DataType::kInvalid;
  TENON_RETURN_IF_ERROR(reader.Describe(name, &type, shape));
  if (type != DataType::kFloat)
    return errors::InvalidArgument("Tensor ", name, " has invalid type ", type, " instead of expected type float");
  if (shape->dims() != 2)
    return errors::InvalidArgument("Tensor ", name, " has shape ", *shape, " of invalid rank ", shape->dims(),
                                   " instead of expected shape of rank 2.");
  if (columns >= 0 && shape->dim_size(1) != columns)
    return errors::InvalidArgument("Tensor ", name, " has shape ", *shape, ", where the size of its 2nd dimension is ",
                                   shape->dim_size(1), " instead of being equal to num_cols=", columns);
  return OkStatus();
}

// Copies the rows that are kept, piece by piece. Columns that the checkpoint lacks stay as they are.
inline Status CopyMoved(CheckpointReader* reader, std::string_view name, const SlimVector<Moved>& rows,
                        const SlimVector<Moved>& columns, bool moves_columns, std::int64_t most, Tensor* matrix) {
  const Index width = matrix->dim_size(1);
  float* const to = matrix->data<float>();
  std::size_t next = 0;
  while (next < rows.size()) {
    const std::int64_t first = rows[next].from, left = rows.back().from - first;
    const std::int64_t count = most <= 0 || most > left ? left + 1 : most;
    TensorSlice slice;
    slice.Add(first, count);
    slice.Add(0, TensorSlice::kFull);
    TENON_ASSIGN_OR_RETURN(const Tensor piece, reader->ReadSlice(name, slice));
    const Index old_width = piece.dim_size(1);
    for (; next < rows.size() && rows[next].from - first < count; ++next) {
      const float* const from = piece.data<float>() + (rows[next].from - first) * old_width;
      float* const row = to + rows[next].to * width;
      if (!moves_columns && width > 0) std::memcpy(row, from, static_cast<std::size_t>(width) * sizeof(float));
      for (const Moved& column : columns)
        if (column.from < old_width) row[column.to] = from[column.from];
    }
  }
  return OkStatus();
}

inline Status RemapMatrix(OpKernelContext& context, const RemapMatrixAttrs& attrs, const Tensor& path,
                          const Tensor& name, const Tensor& row_remapping, const Tensor& column_remapping,
                          const Tensor& values) {
  SlimVector<Moved> rows, columns;
  const bool moves_columns = column_remapping.NumElements() > 0;
  if (row_remapping.NumElements() != attrs.num_rows)
    return errors::InvalidArgument("Size of row_remapping is ", row_remapping.NumElements(),
                                   " instead of being equal to num_rows=", attrs.num_rows);
  TENON_RETURN_IF_ERROR(SortMoves(row_remapping, &rows));
  if (moves_columns && column_remapping.NumElements() != attrs.num_cols)
    return errors::InvalidArgument("Provided col_remapping, but its size is ", column_remapping.NumElements(),
                                   " instead of being equal to num_cols=", attrs.num_cols);
  TENON_RETURN_IF_ERROR(SortMoves(column_remapping, &columns));
  if (path.NumElements() != 1)
    return errors::InvalidArgument("The `ckpt_path` tensor must have exactly one element, got tensor of shape ",
                                   path.shape());
  if (name.dims() != 0)
    return errors::InvalidArgument("old_tensor_name must be a scalar, got tensor of shape ", name.shape());
  TENON_ASSIGN_OR_RETURN(CheckpointReader reader, CheckpointReader::Open(std::string(path.data<tstring>()->view())));
  const std::string_view old_name = name.data<tstring>()->view();
  TensorShape old_shape, shape;
  TENON_RETURN_IF_ERROR(CheckMatrix(reader, old_name, moves_columns ? -1 : attrs.num_cols, &old_shape));
  if (!rows.empty() && rows.back().from >= old_shape.dim_size(0))
    return errors::Internal("Extent in dimension 0 out of bounds: shape = ", old_shape, ", row = ", rows.back().from);
  const Index sizes[] = {attrs.num_rows, attrs.num_cols};
  Tensor* matrix = nullptr;
  TENON_RETURN_IF_ERROR(TensorShape::Build(sizes, &shape));
  TENON_RETURN_IF_ERROR(context.allocate_output(0, shape, &matrix));
  if (shape.num_elements() > 0) std::memset(matrix->raw_data(), 0, matrix->TotalBytes());
  TENON_RETURN_IF_ERROR(CopyMoved(&reader, old_name, rows, columns, moves_columns, attrs.max_rows_in_memory, matrix));
  const Index count = values.NumElements();
  Index used = 0;
  for (Index i = 0; i < shape.num_elements(); ++i) {
    const Index row = i / attrs.num_cols, column = i % attrs.num_cols;
    if (row_remapping.data<std::int64_t>()[row] >= 0 &&
        (!moves_columns || column_remapping.data<std::int64_t>()[column] >= 0))
      continue;
    if (used == count)
      return errors::InvalidArgument("initializing_values contained ", count,
                                     " elements, but more missing values remain.");
    matrix->data<float>()[i] = values.data<float>()[used++];
  }
  if (used == count) return OkStatus();
  return errors::InvalidArgument("initializing_values contained ", count, " elements, but only ", used,
                                 " elements were used to fill in missing values.");
}

TENON_DETAIL_SETUP_CODE_END

}  // namespace detail

// row_remapping: [num_rows], col_remapping: [num_cols] or empty, the old row or column of each new one, or -1: its
// elements are the next of initializing_values.
struct LoadAndRemapMatrix {
  static constexpr auto signature = Op("LoadAndRemapMatrix")
                                        .Input("ckpt_path: string")
                                        .Input("old_tensor_name: string")
                                        .Input("row_remapping: int64")
                                        .Input("col_remapping: int64")
                                        .Input("initializing_values: float")
                                        .Attr("num_rows: int >= 0")
                                        .Attr("num_cols: int >= 1")
                                        .Attr("max_rows_in_memory: int = -1")
                                        .Output("output_matrix: float")
                                        .SetIsStateful()
                                        .SetShapeFn(detail::RemapMatrixShape);
  using Attrs = detail::RemapMatrixAttrs;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status operator()(Context<Device>& context, const Tensor& path, const Tensor& name, const Tensor& rows,
                      const Tensor& columns, const Tensor& values, Tensor&) const {
      return detail::RemapMatrix(context.op(), *this, path, name, rows, columns, values);
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
