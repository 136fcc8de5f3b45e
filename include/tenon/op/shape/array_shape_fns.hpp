// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape functions of ops that move elements: reductions, concatenation, reshape, pack, slices.

#include <cstddef>
#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/strided_slice_plan.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

TENON_DETAIL_COLD inline Status reduction_dimension_is_out_of_range(std::int64_t d, std::int64_t rank) {
  return errors::InvalidArgument("Invalid reduction dimension ", d, " for input with ", rank, " dimensions.");
}
TENON_DETAIL_COLD inline Status scalars_cannot_be_concatenated() {
  return errors::InvalidArgument("Can't concatenate scalars (use tf.stack instead)");
}
TENON_DETAIL_COLD inline Status axis_is_out_of_range(std::int64_t axis, std::int64_t rank) {
  return errors::InvalidArgument("Invalid axis: ", axis, "; must be in [", -rank, ",", rank, ")");
}
TENON_DETAIL_COLD inline Status reshape_must_keep_the_number_of_elements(const InferenceContext* c, DimensionHandle in,
                                                                         ShapeHandle out,
                                                                         DimensionHandle out_elements) {
  return errors::InvalidArgument("Cannot reshape a tensor with ", c->DebugString(in), " elements to shape ",
                                 c->DebugString(out), " (", c->DebugString(out_elements), " elements)");
}
TENON_DETAIL_COLD inline Status slice_size_must_not_be_below_minus_one(std::size_t d, std::int64_t length,
                                                                       std::int64_t size) {
  return errors::InvalidArgument("Out of bounds slicing on dimension ", d, " of length ", length,
                                 ": sizes vector cannot be < -1, but was ", size);
}

}  // namespace detail

namespace shape_inference {

// ------------------------------------------------------------------------------------------------- reductions, arrays
// Input 1 says which dimensions are reduced.
constexpr Status ReductionShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle indices_shape;
  if (c->graph_def_version() >= 21) TENON_RETURN_IF_ERROR(c->WithRankAtMost(c->input(1), 1, &indices_shape));
  bool keep_dims = false;
  TENON_RETURN_IF_ERROR(c->GetAttr("keep_dims", &keep_dims));
  SlimVector<std::int64_t> indices;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &indices, &known));
  if (!known || !c->RankKnown(input)) {
    c->set_output(0, keep_dims && c->RankKnown(input) ? c->UnknownShapeOfRank(c->Rank(input)) : c->UnknownShape());
    return OkStatus();
  }
  const std::int32_t rank = c->Rank(input);
  SlimVector<std::int64_t> reduced(static_cast<std::size_t>(rank), 0);  // flags
  for (const std::int64_t i : indices) {
    if (i < -rank || i >= rank) return detail::reduction_dimension_is_out_of_range(i, rank);
    reduced[static_cast<std::size_t>(i < 0 ? i + rank : i)] = 1;
  }
  SlimVector<DimensionHandle> dims;
  for (std::int32_t i = 0; i < rank; ++i) {
    if (reduced[static_cast<std::size_t>(i)] == 0)
      dims.push_back(c->Dim(input, i));
    else if (keep_dims)
      dims.push_back(c->MakeDim(1));
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// Inputs [first, last) are joined along the axis that input `axis_input` says.
constexpr Status ConcatShapeHelper(InferenceContext* c, int first, int last, int axis_input) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(axis_input), 0, &unused));
  std::int64_t axis = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(axis_input, &axis, &known));
  if (!known) {
    std::int32_t rank = InferenceContext::kUnknownRank;
    for (int i = first; i < last && rank == InferenceContext::kUnknownRank; ++i) rank = c->Rank(c->input(i));
    if (rank == InferenceContext::kUnknownRank) return UnknownShape(c);
    if (rank == 0) return detail::scalars_cannot_be_concatenated();
    for (int i = first; i < last; ++i) TENON_RETURN_IF_ERROR(c->WithRank(c->input(i), rank, &unused));
    c->set_output(0, c->UnknownShapeOfRank(rank));
    return OkStatus();
  }
  ShapeHandle before, after;
  DimensionHandle middle;
  for (int i = last - 1; i >= first; --i) {
    ShapeHandle input, input_before, input_after;
    TENON_RETURN_IF_ERROR(c->WithAxis(c->input(i), axis, &input));
    TENON_RETURN_IF_ERROR(c->Subshape(input, 0, axis, &input_before));
    if (axis == -1)
      input_after = c->Scalar();
    else
      TENON_RETURN_IF_ERROR(c->Subshape(input, axis + 1, &input_after));
    const DimensionHandle size = c->Dim(input, axis);
    if (i == last - 1) {
      before = input_before;
      after = input_after;
      middle = size;
      continue;
    }
    TENON_RETURN_IF_ERROR(c->Merge(input_before, before, &before));
    TENON_RETURN_IF_ERROR(c->Add(middle, size, &middle));
    TENON_RETURN_IF_ERROR(c->Merge(input_after, after, &after));
  }
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->Concatenate(before, c->Vector(middle), &out));
  TENON_RETURN_IF_ERROR(c->Concatenate(out, after, &out));
  c->set_output(0, out);
  return OkStatus();
}
// Input 0 is the axis, inputs [1, 1 + count) are joined.
constexpr Status ConcatShape(InferenceContext* c, int count) { return ConcatShapeHelper(c, 1, 1 + count, 0); }
constexpr Status ConcatShape(InferenceContext* c) { return ConcatShapeHelper(c, 1, c->num_inputs(), 0); }
constexpr Status ConcatV2Shape(InferenceContext* c) {
  return ConcatShapeHelper(c, 0, c->num_inputs() - 1, c->num_inputs() - 1);
}

namespace internal {
// The product of the known sizes, and the position of the unknown one: -1 if there is none, -2 if there are several.
constexpr Status KnownElements(InferenceContext* c, ShapeHandle s, DimensionHandle* elements, std::int32_t* unknown) {
  *unknown = -1;
  *elements = c->NumElements(s);
  if (c->ValueKnown(*elements)) return OkStatus();
  *elements = c->MakeDim(1);
  for (std::int32_t i = 0; i < c->Rank(s); ++i) {
    const DimensionHandle dim = c->Dim(s, i);
    if (c->ValueKnown(dim))
      TENON_RETURN_IF_ERROR(c->Multiply(*elements, dim, elements));
    else if (*unknown == -1)
      *unknown = i;
    else
      *unknown = -2;
  }
  return OkStatus();
}
}  // namespace internal

// Input 1 is the new shape; one -1 in it is worked out.
constexpr Status ReshapeShape(InferenceContext* c) {
  const ShapeHandle in = c->input(0);
  ShapeHandle out;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &out));
  if (c->RankKnown(out) && c->RankKnown(in)) {
    DimensionHandle in_elements, out_elements, inferred;
    std::int32_t in_unknown = -1, out_unknown = -1;
    TENON_RETURN_IF_ERROR(internal::KnownElements(c, out, &out_elements, &out_unknown));
    TENON_RETURN_IF_ERROR(internal::KnownElements(c, in, &in_elements, &in_unknown));
    const std::int64_t in_size = c->Value(in_elements), out_size = c->Value(out_elements);
    if (in_unknown == -1 && out_unknown == -1) {
      if (in_size != out_size)
        return detail::reshape_must_keep_the_number_of_elements(c, in_elements, out, out_elements);
    } else if (in_unknown == -1 && out_unknown >= 0 && out_size > 0) {
      TENON_RETURN_IF_ERROR(c->Divide(in_elements, out_size, true, &inferred));
      TENON_RETURN_IF_ERROR(c->ReplaceDim(out, out_unknown, inferred, &out));
    } else if (in_unknown >= 0 && out_unknown == -1 && in_size != 0) {
      TENON_RETURN_IF_ERROR(c->Divide(out_elements, in_size, true, &inferred));
      TENON_RETURN_IF_ERROR(c->Merge(c->Dim(in, in_unknown), inferred, &inferred));
    } else if (in_unknown >= 0 && out_unknown >= 0 && in_size == out_size) {
      TENON_RETURN_IF_ERROR(c->ReplaceDim(out, out_unknown, c->Dim(in, in_unknown), &out));
    }
  }
  c->set_output(0, out);
  return OkStatus();
}

// Joins all inputs along a new axis.
constexpr Status PackShape(InferenceContext* c) {
  ShapeHandle all = c->input(c->num_inputs() - 1);
  for (int i = c->num_inputs() - 2; i >= 0; --i) {
    const Status merged = c->Merge(c->input(i), all, &all);
    if (!merged.ok()) return merged.WithAppended(StrCat("\n\tFrom merging shape ", i, " with other shapes."));
  }
  if (!c->RankKnown(all)) return UnknownShape(c);
  const std::int32_t rank = c->Rank(all) + 1;
  std::int32_t axis = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("axis", &axis));
  if (axis < -rank || axis >= rank) return detail::axis_is_out_of_range(axis, rank);
  if (axis < 0) axis += rank;
  SlimVector<DimensionHandle> dims;
  for (std::int32_t i = 0; i < rank; ++i)
    dims.push_back(i < axis ? c->Dim(all, i) : i == axis ? c->MakeDim(c->num_inputs()) : c->Dim(all, i - 1));
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// Input 1 is where the slice begins, input 2 its sizes; -1 takes what is left.
constexpr Status SliceShape(InferenceContext* c) {
  ShapeHandle input = c->input(0), begin_shape, sizes_shape, begin;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &begin_shape));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &sizes_shape));
  TENON_RETURN_IF_ERROR(c->Merge(begin_shape, sizes_shape, &begin_shape));
  const DimensionHandle rank = c->Dim(begin_shape, 0);
  if (c->ValueKnown(rank)) TENON_RETURN_IF_ERROR(c->WithRank(input, c->Value(rank), &input));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &begin));  // it may be partly known
  SlimVector<std::int64_t> sizes;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(2, &sizes, &known));
  if (!known) {  // sizes that are known are the output's; what may be -1 is unknown
    ShapeHandle size;
    TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &size));
    if (c->RankKnown(size)) {
      TENON_RETURN_IF_ERROR(c->WithRank(begin, c->Rank(size), &begin));
      TENON_RETURN_IF_ERROR(c->WithRank(input, c->Rank(size), &input));
    }
    if (!c->RankKnown(size) && c->RankKnown(input)) size = c->UnknownShapeOfRank(c->Rank(input));
    c->set_output(0, size);
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(c->WithRank(begin, static_cast<std::int64_t>(sizes.size()), &begin));
  TENON_RETURN_IF_ERROR(c->WithRank(input, static_cast<std::int64_t>(sizes.size()), &input));
  SlimVector<DimensionHandle> dims;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const DimensionHandle length = c->Dim(input, static_cast<std::int64_t>(i));
    if (sizes[i] < -1) return detail::slice_size_must_not_be_below_minus_one(i, c->Value(length), sizes[i]);
    DimensionHandle size = c->MakeDim(sizes[i]);
    if (sizes[i] == -1) TENON_RETURN_IF_ERROR(c->Subtract(length, c->Dim(begin, static_cast<std::int64_t>(i)), &size));
    dims.push_back(size);
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// Inputs: tensor, begin, end, strides.
constexpr Status StridedSliceShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle begin_shape, end_shape, strides_shape;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &begin_shape));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &end_shape));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(3), 1, &strides_shape));
  TENON_RETURN_IF_ERROR(c->Merge(begin_shape, end_shape, &begin_shape));
  TENON_RETURN_IF_ERROR(c->Merge(begin_shape, strides_shape, &begin_shape));
  SlimVector<std::int64_t> begin, end, strides;
  bool begin_known = false, end_known = false, strides_known = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(3, &strides, &strides_known));
  if (!c->RankKnown(input) || !c->ValueKnown(c->Dim(begin_shape, 0)) || !strides_known) return UnknownShape(c);
  TENON_RETURN_IF_ERROR(c->ReadInput(1, &begin, &begin_known));
  TENON_RETURN_IF_ERROR(c->ReadInput(2, &end, &end_known));
  std::int32_t masks[5] = {};
  constexpr std::string_view kMasks[5] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask",
                                          "shrink_axis_mask"};
  for (int i = 0; i < 5; ++i) TENON_RETURN_IF_ERROR(c->GetAttr(kMasks[i], &masks[i]));
  SlimVector<std::int64_t> sizes;
  for (std::int32_t i = 0; i < c->Rank(input); ++i) sizes.push_back(c->Value(c->Dim(input, i)));
  StridedSlicePlan plan;
  TENON_RETURN_IF_ERROR(PlanStridedSlice(sizes, begin_known ? &begin : nullptr, end_known ? &end : nullptr, strides,
                                         masks[0], masks[1], masks[2], masks[3], masks[4], &plan));
  c->set_output(0, c->MakeShape(Span<const std::int64_t>(plan.final_shape)));
  if (const auto* held = c->input_handle_shapes_and_types(0)) c->set_output_handle_shapes_and_types(0, *held);
  return OkStatus();
}

}  // namespace shape_inference

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
