// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape functions that many ops share: unchanged, given by an attr, broadcast, products of matrices.

#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/shape/inference_context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace shape_inference {

// ------------------------------------------------------------------------------------------------------------- simple
constexpr Status UnchangedShape(InferenceContext* c) {
  c->set_output(0, c->input(0));
  if (const auto* held = c->input_handle_shapes_and_types(0)) c->set_output_handle_shapes_and_types(0, *held);
  return OkStatus();
}
constexpr Status UnchangedShapeWithRank(InferenceContext* c, std::int64_t rank) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status UnchangedShapeWithRankAtLeast(InferenceContext* c, std::int64_t rank) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), rank, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status UnchangedShapeWithRankAtMost(InferenceContext* c, std::int64_t rank) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), rank, &out));
  c->set_output(0, out);
  return OkStatus();
}
constexpr Status ScalarShape(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  return OkStatus();
}
constexpr Status UnknownShape(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->UnknownShape());
  return OkStatus();
}
constexpr Status NoOutputs(InferenceContext*) { return OkStatus(); }
constexpr Status MergeBothInputsShapeFn(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &out));
  c->set_output(0, out);
  return OkStatus();
}
// The attr `shape`.
constexpr Status ExplicitShape(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->GetShapeAttr("shape", &out));
  c->set_output(0, out);
  return OkStatus();
}
// The value of input 0.
constexpr Status RandomShape(InferenceContext* c) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &out));
  c->set_output(0, out);
  return OkStatus();
}

// ------------------------------------------------------------------------------------------------------- broadcasting
// Right-aligned; a size of 1 stretches. With incompatible_shape_error = false shapes that do not fit give a scalar.
constexpr Status BroadcastBinaryOpOutputShapeFnHelper(InferenceContext* c, ShapeHandle x, ShapeHandle y,
                                                      bool incompatible_shape_error, ShapeHandle* out) {
  if (!c->RankKnown(x) || !c->RankKnown(y)) {
    *out = c->UnknownShape();
    return OkStatus();
  }
  const std::int32_t rank_x = c->Rank(x), rank_y = c->Rank(y), rank = rank_x > rank_y ? rank_x : rank_y;
  SlimVector<DimensionHandle> dims;
  dims.reserve(static_cast<std::size_t>(rank));
  for (std::int32_t i = 0; i < rank; ++i) {
    const std::int32_t i_x = i - (rank - rank_x), i_y = i - (rank - rank_y);
    const DimensionHandle a = i_x < 0 ? c->MakeDim(1) : c->Dim(x, i_x), b = i_y < 0 ? c->MakeDim(1) : c->Dim(y, i_y);
    const std::int64_t size_a = c->Value(a), size_b = c->Value(b);
    if (!c->ValueKnown(a) || !c->ValueKnown(b)) {
      if (size_a > 1 || size_b > 1) {  // a correct program stretches the unknown one, or has it equal
        if (!incompatible_shape_error) {
          *out = c->UnknownShape();
          return OkStatus();
        }
        dims.push_back(size_a > 1 ? a : b);
      } else if (size_a == 1) {
        dims.push_back(b);
      } else if (size_b == 1 || a.SameHandle(b)) {
        dims.push_back(a);
      } else if (!c->ValueKnown(a) && !c->ValueKnown(b)) {
        dims.push_back(c->UnknownDim());
      } else {
        if (!incompatible_shape_error) {
          *out = c->UnknownShape();
          return OkStatus();
        }
        dims.push_back(c->UnknownDim());
      }
    } else if (size_a == 1 || size_b == 1) {
      dims.push_back(size_a == 1 && i_y >= 0 ? b : a);
    } else if (size_a != size_b && !incompatible_shape_error) {
      *out = c->Scalar();
      return OkStatus();
    } else {
      DimensionHandle merged;
      TENON_RETURN_IF_ERROR(c->Merge(a, b, &merged));
      dims.push_back(merged);
    }
  }
  *out = c->MakeShape(dims);
  return OkStatus();
}
// Broadcasts inputs 0 and 1, as output `output`.
constexpr Status BroadcastBinaryOpOutputShapeFn(InferenceContext* c, int output) {
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), true, &out));
  c->set_output(output, out);
  return OkStatus();
}
constexpr Status BroadcastBinaryOpShapeFn(InferenceContext* c) { return BroadcastBinaryOpOutputShapeFn(c, 0); }

// ----------------------------------------------------------------------------------------------------- linear algebra
constexpr Status MatMulShape(InferenceContext* c) {
  ShapeHandle a, b;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
  bool transpose_a = false, transpose_b = false;
  TENON_RETURN_IF_ERROR(c->GetAttr("transpose_a", &transpose_a));
  TENON_RETURN_IF_ERROR(c->GetAttr("transpose_b", &transpose_b));
  DimensionHandle inner;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(a, transpose_a ? 0 : 1), c->Dim(b, transpose_b ? 1 : 0), &inner));
  c->set_output(0, c->Matrix(c->Dim(a, transpose_a ? 1 : 0), c->Dim(b, transpose_b ? 0 : 1)));
  return OkStatus();
}
namespace internal {
constexpr Status BatchMatMul(InferenceContext* c, bool broadcast) {
  ShapeHandle a, b, a_batch, b_batch, batch, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &a));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &b));
  bool adj_x = false, adj_y = false;
  TENON_RETURN_IF_ERROR(c->GetAttr("adj_x", &adj_x));
  TENON_RETURN_IF_ERROR(c->GetAttr("adj_y", &adj_y));
  const DimensionHandle rows = c->Dim(a, adj_x ? -1 : -2), columns = c->Dim(b, adj_y ? -2 : -1);
  DimensionHandle inner;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(a, adj_x ? -2 : -1), c->Dim(b, adj_y ? -1 : -2), &inner));
  TENON_RETURN_IF_ERROR(c->Subshape(a, 0, -2, &a_batch));
  TENON_RETURN_IF_ERROR(c->Subshape(b, 0, -2, &b_batch));
  if (broadcast) {
    TENON_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, a_batch, b_batch, true, &batch));
  } else {
    TENON_RETURN_IF_ERROR(c->Merge(a_batch, b_batch, &batch));
  }
  TENON_RETURN_IF_ERROR(c->Concatenate(batch, c->Matrix(rows, columns), &out));
  c->set_output(0, out);
  return OkStatus();
}
}  // namespace internal
constexpr Status BatchMatMulShape(InferenceContext* c) { return internal::BatchMatMul(c, false); }
constexpr Status BatchMatMulV2Shape(InferenceContext* c) { return internal::BatchMatMul(c, true); }

}  // namespace shape_inference

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
