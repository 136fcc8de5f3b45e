// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape functions of the ops of diagonals: which diagonals there are, and whether a matrix has them.

#include <algorithm>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/shape/inference_context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace shape_inference {

namespace internal {
// The diagonals that input i names, one or two numbers; *known is false when it is not known.
constexpr Status ReadDiagonals(InferenceContext* c, int i, std::int64_t* lower, std::int64_t* upper, bool* known) {
  ShapeHandle index;
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(i), 1, &index));
  SlimVector<std::int64_t> values;
  TENON_RETURN_IF_ERROR(c->ReadInput(i, &values, known));
  *known = *known && c->FullyDefined(index);
  if (!*known) return OkStatus();
  if (values.empty() || values.size() > 2)
    return errors::InvalidArgument("diag_index must be a vector with one or two elements. It has ", values.size(),
                                   " elements.");
  *lower = values.front();
  *upper = values.back();
  if (*lower > *upper)
    return errors::InvalidArgument("lower_diag_index is greater than upper_diag_index: ", *lower, " > ", *upper);
  return OkStatus();
}
constexpr Status CheckDiagonalsInside(std::int64_t lower, std::int64_t upper, std::int64_t rows, std::int64_t columns) {
  if (lower != 0 && (lower <= -rows || lower >= columns))
    return errors::InvalidArgument("lower_diag_index is out of bound: ", lower, ". It must be between ", -rows, " and ",
                                   columns);
  if (upper != 0 && (upper <= -rows || upper >= columns))
    return errors::InvalidArgument("upper_diag_index is out of bound: ", upper, ". It must be between ", -rows, " and ",
                                   columns);
  return OkStatus();
}
// Merges the leading dimensions of the diagonals into the known shape of the matrices.
constexpr Status MergeBatch(InferenceContext* c, ShapeHandle input, ShapeHandle diagonal, std::int64_t own_dims) {
  ShapeHandle out = input;
  if (c->RankKnown(diagonal) && !c->FullyDefined(input)) {
    ShapeHandle batch;
    TENON_RETURN_IF_ERROR(c->Subshape(diagonal, 0, -own_dims, &batch));
    TENON_RETURN_IF_ERROR(c->Concatenate(batch, c->UnknownShapeOfRank(2), &batch));
    TENON_RETURN_IF_ERROR(c->Merge(input, batch, &out));
  }
  c->set_output(0, out);
  return OkStatus();
}
// The sizes of matrices with these diagonals, the longest of `length` elements; -1 stands for "as small as possible".
constexpr Status MatrixSizes(std::int64_t lower, std::int64_t upper, std::int64_t length, std::int64_t* rows,
                             std::int64_t* columns) {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 62;  // the diagonals' numbers are of 32 bits
  if (length > kMostElements)
    return errors::InvalidArgument("diagonals of ", length, " elements are those of no matrix");
  const std::int64_t min_rows = length - std::min<std::int64_t>(upper, 0);
  const std::int64_t min_columns = length + std::max<std::int64_t>(lower, 0);
  if (*rows == -1 && *columns == -1) *rows = *columns = std::max(min_rows, min_columns);
  if (*rows == -1) *rows = min_rows;
  if (*columns == -1) *columns = min_columns;
  if (*rows < min_rows) return errors::InvalidArgument("num_rows is too small: ", *rows, ", at least ", min_rows);
  if (*columns < min_columns)
    return errors::InvalidArgument("num_cols is too small: ", *columns, ", at least ", min_columns);
  if (*rows != min_rows && *columns != min_columns)
    return errors::InvalidArgument(
        "num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, and the length of the given "
        "diagonals: ",
        *rows, " != ", min_rows, " and ", *columns, " != ", min_columns);
  return OkStatus();
}
}  // namespace internal

constexpr Status MatrixDiagShape(InferenceContext* c) {
  ShapeHandle in, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &in));
  if (!c->RankKnown(in)) return UnknownShape(c);
  TENON_RETURN_IF_ERROR(c->Concatenate(in, c->Vector(c->Dim(in, -1)), &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status MatrixDiagPartShape(InferenceContext* c) {
  ShapeHandle in, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &in));
  if (!c->RankKnown(in)) return UnknownShape(c);
  DimensionHandle length;
  TENON_RETURN_IF_ERROR(c->Min(c->Dim(in, -2), c->Dim(in, -1), &length));
  TENON_RETURN_IF_ERROR(c->Subshape(in, 0, -2, &out));
  TENON_RETURN_IF_ERROR(c->Concatenate(out, c->Vector(length), &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status MatrixSetDiagShape(InferenceContext* c) {
  ShapeHandle input, diagonal;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &input));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &diagonal));
  if (c->RankKnown(input)) TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), c->Rank(input) - 1, &diagonal));
  DimensionHandle length;
  TENON_RETURN_IF_ERROR(c->Min(c->Dim(input, -2), c->Dim(input, -1), &length));
  TENON_RETURN_IF_ERROR(c->Merge(length, c->Dim(diagonal, -1), &length));
  return internal::MergeBatch(c, input, diagonal, 1);
}

constexpr Status MatrixDiagV2Shape(InferenceContext* c) {
  ShapeHandle in, unused, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &in));
  std::int64_t lower = 0, upper = 0, rows = -1, columns = -1;
  bool known = false, size_known = false;
  TENON_RETURN_IF_ERROR(internal::ReadDiagonals(c, 1, &lower, &upper, &known));
  for (int i = 2; i < 5; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &unused));
  if (!c->RankKnown(in) || !known) return UnknownShape(c);
  const std::int32_t rank = c->Rank(in);
  if (lower < upper) {
    TENON_RETURN_IF_ERROR(c->WithRankAtLeast(in, 2, &in));
    if (c->Value(c->Dim(in, rank - 2)) != upper - lower + 1)
      return errors::InvalidArgument(
          "The number of rows of `diagonal` doesn't match the number of diagonals implied "
          "from `d_lower` and `d_upper`: ",
          c->DebugString(c->Dim(in, rank - 2)), " instead of ", upper - lower + 1);
  }
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(2, &rows, &size_known));
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(3, &columns, &size_known));
  TENON_RETURN_IF_ERROR(internal::MatrixSizes(lower, upper, c->Value(c->Dim(in, rank - 1)), &rows, &columns));
  TENON_RETURN_IF_ERROR(c->Subshape(in, 0, lower == upper ? rank - 1 : rank - 2, &out));
  TENON_RETURN_IF_ERROR(c->Concatenate(out, c->Matrix(c->MakeDim(rows), c->MakeDim(columns)), &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status MatrixDiagPartV2Shape(InferenceContext* c) {
  ShapeHandle in, unused, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &in));
  std::int64_t lower = 0, upper = 0, length = -1;
  bool known = false;
  TENON_RETURN_IF_ERROR(internal::ReadDiagonals(c, 1, &lower, &upper, &known));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  if (!c->RankKnown(in) || !known) return UnknownShape(c);
  const std::int64_t rows = c->Value(c->Dim(in, -2)), columns = c->Value(c->Dim(in, -1));
  if (rows >= 0 && columns >= 0) {
    TENON_RETURN_IF_ERROR(internal::CheckDiagonalsInside(lower, upper, rows, columns));
    length = std::min(rows + std::min<std::int64_t>(upper, 0), columns - std::max<std::int64_t>(lower, 0));
  }
  TENON_RETURN_IF_ERROR(c->Subshape(in, 0, -2, &out));
  if (lower < upper) TENON_RETURN_IF_ERROR(c->Concatenate(out, c->Vector(upper - lower + 1), &out));
  TENON_RETURN_IF_ERROR(c->Concatenate(out, c->Vector(c->MakeDim(length)), &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status MatrixSetDiagV2Shape(InferenceContext* c) {
  ShapeHandle input, diagonal;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &input));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &diagonal));
  std::int64_t lower = 0, upper = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(internal::ReadDiagonals(c, 2, &lower, &upper, &known));
  if (c->RankKnown(input)) {
    const std::int32_t rank = c->Rank(input);
    if (known) {
      TENON_RETURN_IF_ERROR(c->WithRank(diagonal, lower == upper ? rank - 1 : rank, &diagonal));
    } else {
      TENON_RETURN_IF_ERROR(c->WithRankAtLeast(diagonal, rank - 1, &diagonal));
      TENON_RETURN_IF_ERROR(c->WithRankAtMost(diagonal, rank, &diagonal));
    }
    const std::int64_t rows = c->Value(c->Dim(input, -2)), columns = c->Value(c->Dim(input, -1));
    if (rows >= 0 && columns >= 0) TENON_RETURN_IF_ERROR(internal::CheckDiagonalsInside(lower, upper, rows, columns));
  }
  return internal::MergeBatch(c, input, diagonal, lower == upper ? 1 : 2);
}

constexpr Status DiagShape(InferenceContext* c) {
  ShapeHandle in, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &in));
  TENON_RETURN_IF_ERROR(c->Concatenate(in, in, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status DiagPartShape(InferenceContext* c) {
  const ShapeHandle in = c->input(0);
  if (!c->RankKnown(in)) return UnknownShape(c);
  const std::int32_t rank = c->Rank(in);
  if (rank % 2 != 0 || rank <= 0)
    return errors::InvalidArgument("Input must have even and non-zero rank, input rank is ", rank);
  SlimVector<DimensionHandle> dims(static_cast<std::size_t>(rank / 2));
  for (std::int32_t d = 0; d < rank / 2; ++d)
    TENON_RETURN_IF_ERROR(c->Merge(c->Dim(in, d), c->Dim(in, d + rank / 2), &dims[static_cast<std::size_t>(d)]));
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

}  // namespace shape_inference

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
