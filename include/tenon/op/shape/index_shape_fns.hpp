// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape functions of ops that pick out or change slices by indices, and of outputs whose shapes attrs or handles say.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/shape/inference_context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace shape_inference {

// Input 1 are the indices.
constexpr Status GatherNdShapeOf(InferenceContext* c, ShapeHandle params) {
  ShapeHandle indices, rows, rest, out;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &indices));
  const DimensionHandle depth = c->Dim(indices, -1);
  if (!c->RankKnown(params) || !c->ValueKnown(depth)) return UnknownShape(c);
  if (c->Value(depth) > c->Rank(params))
    return errors::InvalidArgument("indices.shape[-1] must be <= params.rank, but saw indices shape: ",
                                   c->DebugString(indices), " and params shape: ", c->DebugString(params));
  TENON_RETURN_IF_ERROR(c->Subshape(indices, 0, -1, &rows));
  TENON_RETURN_IF_ERROR(c->Subshape(params, c->Value(depth), &rest));
  TENON_RETURN_IF_ERROR(c->Concatenate(rows, rest, &out));
  c->set_output(0, out);
  return OkStatus();
}

// Sets `held` to the contents behind the handle at input 0: one shape, unknown when nothing is known. InvalidArgument:
// the attr `dtype` is not its type.
inline Status ValidateVariableResourceHandle(InferenceContext* c, SlimVector<ShapeAndType>* held) {
  held->clear();
  const SlimVector<ShapeAndType>* known = c->input_handle_shapes_and_types(0);
  if (known == nullptr || known->empty()) {
    held->push_back({c->UnknownShape(), DataType::kInvalid});
    return OkStatus();
  }
  *held = *known;
  DataType dtype = DataType::kInvalid;
  TENON_RETURN_IF_ERROR(c->GetAttr("dtype", &dtype));
  if ((*held)[0].dtype != dtype)
    return errors::InvalidArgument("Trying to read variable with wrong dtype. Expected ", (*held)[0].dtype, " got ",
                                   dtype);
  return OkStatus();
}
// ValidateVariableResourceHandle into another list, such as a std::vector.
template <class List>
Status ValidateVariableResourceHandle(InferenceContext* c, List* held) {
  SlimVector<ShapeAndType> found;
  TENON_RETURN_IF_ERROR(ValidateVariableResourceHandle(c, &found));
  held->assign(found.begin(), found.end());
  return OkStatus();
}

// Input 0 are the params, or a handle to a variable that holds them.
constexpr Status GatherNdShape(InferenceContext* c) {
  if (c->input_handle_shapes_and_types(0) == nullptr || !c->HasAttr("dtype")) return GatherNdShapeOf(c, c->input(0));
  SlimVector<ShapeAndType> held;
  TENON_RETURN_IF_ERROR(ValidateVariableResourceHandle(c, &held));
  return GatherNdShapeOf(c, held[0].shape);
}

// indices: [n..., depth]  updates: n... + target[depth:]  ->  target
constexpr Status ScatterShape(InferenceContext* c, ShapeHandle target, ShapeHandle indices, ShapeHandle updates) {
  if (c->Value(c->NumElements(target)) == 0 &&
      (c->Value(c->NumElements(indices)) > 0 || c->Value(c->NumElements(updates)) > 0))
    return errors::InvalidArgument("Indices and updates specified for empty input");
  if (c->RankKnown(indices) && c->RankKnown(updates) && c->Rank(updates) != 0 && c->ValueKnown(c->Dim(indices, -1))) {
    const std::int64_t outer = c->Rank(indices) - 1, depth = c->Value(c->Dim(indices, -1));
    ShapeHandle a, b, unused;
    TENON_RETURN_IF_ERROR(c->Subshape(indices, 0, outer, &a));
    TENON_RETURN_IF_ERROR(c->Subshape(updates, 0, outer, &b));
    if (const Status s = c->Merge(a, b, &unused); !s.ok())
      return errors::InvalidArgument("Dimensions [0,", outer, ") of indices[shape=", c->DebugString(indices),
                                     "] = ", c->DebugString(a), " must match dimensions [0,", outer,
                                     ") of updates[shape=", c->DebugString(updates), "] = ", c->DebugString(b), ": ",
                                     s.message());
    TENON_RETURN_IF_ERROR(c->Subshape(target, depth, &a));
    TENON_RETURN_IF_ERROR(c->Subshape(updates, outer, &b));
    if (const Status s = c->Merge(a, b, &unused); !s.ok())
      return errors::InvalidArgument(
          "Dimensions [", depth, ",", c->Rank(target), ") of input[shape=", c->DebugString(target),
          "] = ", c->DebugString(a), " must match dimensions [", outer, ",", c->Rank(updates),
          ") of updates[shape=", c->DebugString(updates), "] = ", c->DebugString(b), ": ", s.message());
  }
  if (c->num_outputs() > 0) c->set_output(0, target);
  return OkStatus();
}
// ScatterShape in the order of TensorFlow.
constexpr Status ScatterNdShapeHelper(InferenceContext* c, ShapeHandle indices, ShapeHandle updates,
                                      ShapeHandle target) {
  return ScatterShape(c, target, indices, updates);
}
constexpr Status ScatterNdShape(InferenceContext* c) {
  ShapeHandle target, indices, updates;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &indices));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &updates));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(2, &target));
  return ScatterShape(c, target, indices, updates);
}
constexpr Status TensorScatterShape(InferenceContext* c) {
  ShapeHandle target, indices;
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &target));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &indices));
  return ScatterShape(c, target, indices, c->input(2));
}

// data, ids (a prefix of data's shape), number of segments  ->  [segments] + data[rank of ids:]
constexpr Status SegmentReductionWithNumSegmentsShapeFn(InferenceContext* c) {
  ShapeHandle data = c->input(0), ids = c->input(1), unused, rest, out;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 0, &unused));
  if (!c->RankKnown(ids)) return UnknownShape(c);
  TENON_RETURN_IF_ERROR(c->MergePrefix(data, ids, &data, &ids));
  DimensionHandle segments;
  TENON_RETURN_IF_ERROR(c->MakeDimForScalarInput(2, &segments));
  TENON_RETURN_IF_ERROR(c->Subshape(data, c->Rank(ids), &rest));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->Vector(segments), rest, &out));
  c->set_output(0, out);
  return OkStatus();
}

// The indices, values and sizes of a sparse tensor, and the axes to reduce.
constexpr Status SparseReduceShapeFn(InferenceContext* c) {
  SlimVector<std::int64_t> sizes, axes;
  bool sizes_known = false, axes_known = false, keep_dims = false;
  TENON_RETURN_IF_ERROR(c->ReadInput(2, &sizes, &sizes_known));
  TENON_RETURN_IF_ERROR(c->ReadInput(3, &axes, &axes_known));
  TENON_RETURN_IF_ERROR(c->GetAttr("keep_dims", &keep_dims));
  if (!sizes_known || !axes_known) return UnknownShape(c);
  const auto rank = static_cast<std::int64_t>(sizes.size());
  if (rank == 0) return errors::InvalidArgument("Number of dims in shape tensor must not be 0");
  SlimVector<char> reduced(sizes.size(), 0);
  for (const std::int64_t axis : axes) {  // the kernel refuses those out of range
    const std::int64_t d = (axis + rank) % rank;
    if (d >= 0) reduced[static_cast<std::size_t>(d)] = 1;
  }
  SlimVector<DimensionHandle> dims;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (reduced[d] == 0)
      dims.push_back(c->MakeDim(sizes[d]));
    else if (keep_dims)
      dims.push_back(c->MakeDim(1));
  }
  c->set_output(0, c->MakeShape(dims));
  return OkStatus();
}

// Inputs: a tensor, the groups [groups, members] and the dimension that the members of a group divide among them.
constexpr Status ReduceScatterShape(InferenceContext* c) {
  const ShapeHandle input = c->input(0);
  ShapeHandle groups;
  if (!c->RankKnown(input)) return UnknownShape(c);
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &groups));
  std::int64_t divided = 0;
  bool known = false;
  TENON_RETURN_IF_ERROR(c->ReadScalarInput(2, &divided, &known));
  if (!known) return UnknownShape(c);
  SlimVector<DimensionHandle> sizes;
  for (std::int32_t d = 0; d < c->Rank(input); ++d) {
    DimensionHandle size = c->Dim(input, d);
    if (d == divided) TENON_RETURN_IF_ERROR(c->Divide(size, c->Dim(groups, 1), true, &size));
    sizes.push_back(size);
  }
  c->set_output(0, c->MakeShape(sizes));
  return OkStatus();
}

// Output i has the shape number i of the attr `shapes`.
constexpr Status ExplicitShapes(InferenceContext* c) {
  SlimVector<ShapeHandle> shapes;
  TENON_RETURN_IF_ERROR(c->GetShapeListAttr("shapes", &shapes));
  if (shapes.empty()) return detail::shapes_attribute_is_empty();
  for (int i = 0; i < c->num_outputs() && static_cast<std::size_t>(i) < shapes.size(); ++i)
    c->set_output(i, shapes[static_cast<std::size_t>(i)]);
  return OkStatus();
}

// A sparse tensor's parts: indices [n, rank], values [n], shape [rank], each known as far as it is.
constexpr Status ValidateSparseTensor(InferenceContext* c, ShapeHandle indices, ShapeHandle values, ShapeHandle shape) {
  TENON_RETURN_IF_ERROR(c->WithRank(indices, 2, &indices));
  TENON_RETURN_IF_ERROR(c->WithRank(values, 1, &values));
  TENON_RETURN_IF_ERROR(c->WithRank(shape, 1, &shape));
  DimensionHandle unused;
  TENON_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &unused));
  return c->Merge(c->Dim(indices, 1), c->Dim(shape, 0), &unused);
}

}  // namespace shape_inference

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
