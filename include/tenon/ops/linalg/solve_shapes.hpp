// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape functions of the ops that solve linear systems (solve.hpp).

#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/shape/inference_context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops::detail {

// matrix: [..., m, n]  rhs: [..., m, k]  ->  [..., n, k]
inline Status SolveShape(InferenceContext* c, bool square) {
  ShapeHandle matrix, rhs, batch, rhs_batch, out;
  DimensionHandle m;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &matrix));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &rhs));
  TENON_RETURN_IF_ERROR(c->Subshape(matrix, 0, -2, &batch));
  TENON_RETURN_IF_ERROR(c->Subshape(rhs, 0, -2, &rhs_batch));
  TENON_RETURN_IF_ERROR(c->Merge(batch, rhs_batch, &batch));
  DimensionHandle n = c->Dim(matrix, -1);
  if (square) TENON_RETURN_IF_ERROR(c->Merge(c->Dim(matrix, -2), n, &n));
  TENON_RETURN_IF_ERROR(c->Merge(square ? n : c->Dim(matrix, -2), c->Dim(rhs, -2), &m));
  if (square) n = m;
  TENON_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(n, c->Dim(rhs, -1)), &out));
  c->set_output(0, out);
  return OkStatus();
}
inline Status MatrixSolveShape(InferenceContext* c) { return SolveShape(c, true); }
inline Status MatrixSolveLsShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  return SolveShape(c, false);
}
// SolveShape with leading dimensions that are broadcast.
inline Status BroadcastSolveShape(InferenceContext* c, bool square) {
  ShapeHandle matrix, rhs, batch, rhs_batch, out;
  DimensionHandle m;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &matrix));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &rhs));
  DimensionHandle n = c->Dim(matrix, -1);
  if (square) TENON_RETURN_IF_ERROR(c->Merge(c->Dim(matrix, -2), n, &n));
  TENON_RETURN_IF_ERROR(c->Merge(n, c->Dim(rhs, -2), &m));
  TENON_RETURN_IF_ERROR(c->Subshape(matrix, 0, -2, &batch));
  TENON_RETURN_IF_ERROR(c->Subshape(rhs, 0, -2, &rhs_batch));
  TENON_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpOutputShapeFnHelper(c, batch, rhs_batch, true, &batch));
  TENON_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(m, c->Dim(rhs, -1)), &out));
  c->set_output(0, out);
  return OkStatus();
}
inline Status TriangularSolveShape(InferenceContext* c) { return BroadcastSolveShape(c, true); }
inline Status BandedSolveShape(InferenceContext* c) {
  ShapeHandle matrix;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &matrix));
  const std::int64_t bands = c->Value(c->Dim(matrix, -2)), n = c->Value(c->Dim(matrix, -1));  // -1: not known
  if (bands == 0) return errors::InvalidArgument("Number of bands must be positive, but is ", bands);
  if (n >= 0 && bands > n)
    return errors::InvalidArgument("Number of bands ", bands, " cannot exceed the size of the matrix ", n);
  return BroadcastSolveShape(c, false);
}
// diagonals: [..., 3, m]  rhs: [..., m, k]
inline Status TridiagonalSolveShape(InferenceContext* c) {
  ShapeHandle diagonals, rhs, batch, rhs_batch;
  DimensionHandle three, m;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &diagonals));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &rhs));
  TENON_RETURN_IF_ERROR(c->Subshape(diagonals, 0, -2, &batch));
  TENON_RETURN_IF_ERROR(c->Subshape(rhs, 0, -2, &rhs_batch));
  TENON_RETURN_IF_ERROR(c->Merge(batch, rhs_batch, &batch));
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(diagonals, -1), c->Dim(rhs, -2), &m));
  TENON_RETURN_IF_ERROR(c->WithValue(c->Dim(diagonals, -2), 3, &three));
  c->set_output(0, rhs);
  return OkStatus();
}

}  // namespace ops::detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
