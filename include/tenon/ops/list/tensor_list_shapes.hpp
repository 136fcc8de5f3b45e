// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape functions of the TensorList ops. A list's handle carries the one shape and dtype of its elements.

#include <cstdint>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops::detail {

inline void SetListHandle(InferenceContext* c, ShapeHandle element_shape, DataType dtype) {
  SlimVector<ShapeAndType> held;
  held.push_back({element_shape, dtype});
  c->set_output_handle_shapes_and_types(0, held);
}
// The known element shape of the list at input i, which must hold `dtype`. `complaint` begins the error; null: the
// error for reading an item.
inline Status ListElementShape(InferenceContext* c, int i, DataType dtype, const char* complaint, ShapeHandle* shape) {
  *shape = c->UnknownShape();
  const auto* held = c->input_handle_shapes_and_types(i);
  if (held == nullptr || held->empty()) return OkStatus();
  if (held->size() > 1) return errors::InvalidArgument("Trying to read from list with invalid variant data.");
  if ((*held)[0].dtype != dtype && complaint == nullptr)
    return errors::InvalidArgument("Expected list with element dtype ", dtype, " but got list with element dtype ",
                                   (*held)[0].dtype);
  if ((*held)[0].dtype != dtype)
    return errors::InvalidArgument(complaint, (*held)[0].dtype, " but expected type ", dtype);
  *shape = (*held)[0].shape;
  return OkStatus();
}
inline constexpr char kReadComplaint[] = "Trying to read from list with wrong element dtype. List has type ";
inline constexpr char kPushComplaint[] = "Trying to push to list with wrong element dtype. List has type ";

// A new list whose element shape is input kShapeInput.
template <int kShapeInput>
Status NewListShape(InferenceContext* c) {
  DataType dtype{};
  ShapeHandle element;
  c->set_output(0, c->Scalar());
  TENON_RETURN_IF_ERROR(c->GetAttr("element_dtype", &dtype));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensorTreatScalarAsUnknownShape(kShapeInput, &element));
  SetListHandle(c, element, dtype);
  return OkStatus();
}
inline Status PushBackShape(InferenceContext* c) {
  DataType dtype{};
  ShapeHandle element;
  c->set_output(0, c->Scalar());
  TENON_RETURN_IF_ERROR(c->GetAttr("element_dtype", &dtype));
  TENON_RETURN_IF_ERROR(ListElementShape(c, 0, dtype, kPushComplaint, &element));
  SetListHandle(c, element, dtype);
  return OkStatus();
}
inline Status PushBackBatchShape(InferenceContext* c) {
  ShapeHandle handles, tensor;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 1, &handles));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &tensor));
  TENON_RETURN_IF_ERROR(c->MergePrefix(tensor, handles, &tensor, &handles));
  TENON_RETURN_IF_ERROR(PushBackShape(c));
  c->set_output(0, handles);
  return OkStatus();
}
inline Status PopBackShape(InferenceContext* c) {
  DataType dtype{};
  ShapeHandle element;
  TENON_RETURN_IF_ERROR(c->GetAttr("element_dtype", &dtype));
  TENON_RETURN_IF_ERROR(ListElementShape(c, 0, dtype, kReadComplaint, &element));
  if (const auto* held = c->input_handle_shapes_and_types(0)) c->set_output_handle_shapes_and_types(0, *held);
  c->set_output(0, c->Scalar());
  c->set_output(1, element);
  return OkStatus();
}
// The element's shape by the list and by input `shape_input`.
inline Status ReadShape(InferenceContext* c, int shape_input, const char* complaint, ShapeHandle* element) {
  DataType dtype{};
  ShapeHandle wanted;
  TENON_RETURN_IF_ERROR(c->GetAttr("element_dtype", &dtype));
  TENON_RETURN_IF_ERROR(ListElementShape(c, 0, dtype, complaint, element));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensorTreatScalarAsUnknownShape(shape_input, &wanted));
  return c->Merge(*element, wanted, element);
}
inline Status StackShape(InferenceContext* c) {
  ShapeHandle element, out;
  std::int64_t count = -1;
  TENON_RETURN_IF_ERROR(ReadShape(c, 1, kReadComplaint, &element));
  TENON_RETURN_IF_ERROR(c->GetAttr("num_elements", &count));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->Vector(count == -1 ? c->UnknownDim() : c->MakeDim(count)), element, &out));
  c->set_output(0, out);
  return OkStatus();
}
inline Status GetItemShape(InferenceContext* c) {
  ShapeHandle element;
  TENON_RETURN_IF_ERROR(ReadShape(c, 2, nullptr, &element));
  c->set_output(0, element);
  return OkStatus();
}
inline Status ListGatherShape(InferenceContext* c) {
  ShapeHandle element, out;
  TENON_RETURN_IF_ERROR(ReadShape(c, 2, nullptr, &element));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->input(1), element, &out));
  c->set_output(0, out);
  return OkStatus();
}
inline Status ListConcatShape(InferenceContext* c, ShapeHandle element) {
  DataType dtype{};
  ShapeHandle of_list;
  TENON_RETURN_IF_ERROR(c->GetAttr("element_dtype", &dtype));
  TENON_RETURN_IF_ERROR(ListElementShape(c, 0, dtype, kReadComplaint, &of_list));
  TENON_RETURN_IF_ERROR(c->Merge(element, of_list, &element));
  ShapeHandle out = c->UnknownShape();
  if (c->RankKnown(element)) {
    TENON_RETURN_IF_ERROR(c->Subshape(element, 1, &out));
    TENON_RETURN_IF_ERROR(c->Concatenate(c->Vector(c->UnknownDim()), out, &out));
  }
  c->set_output(0, out);
  c->set_output(1, c->Vector(c->UnknownDim()));
  return OkStatus();
}
inline Status ConcatByAttrShape(InferenceContext* c) {
  ShapeHandle element;
  TENON_RETURN_IF_ERROR(c->GetShapeAttr("element_shape", &element));
  return ListConcatShape(c, element);
}
inline Status ConcatByInputShape(InferenceContext* c) {
  ShapeHandle element;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensorTreatScalarAsUnknownShape(1, &element));
  return ListConcatShape(c, element);
}
inline Status ListSplitShape(InferenceContext* c) {
  ShapeHandle unused, rest, element;
  DataType dtype{};
  c->set_output(0, c->Scalar());
  TENON_RETURN_IF_ERROR(c->GetAttr("element_dtype", &dtype));
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
  TENON_RETURN_IF_ERROR(c->Subshape(c->input(0), 1, &rest));
  TENON_RETURN_IF_ERROR(c->Concatenate(c->Vector(c->UnknownDim()), rest, &rest));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensorTreatScalarAsUnknownShape(1, &element));
  TENON_RETURN_IF_ERROR(c->Merge(rest, element, &unused));
  SetListHandle(c, element, dtype);
  return OkStatus();
}
inline Status FromTensorShape(InferenceContext* c) {
  ShapeHandle unused, rest, element;
  DataType dtype{};
  c->set_output(0, c->Scalar());
  TENON_RETURN_IF_ERROR(c->GetAttr("element_dtype", &dtype));
  TENON_RETURN_IF_ERROR(c->Subshape(c->input(0), 1, &rest));
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensorTreatScalarAsUnknownShape(1, &element));
  TENON_RETURN_IF_ERROR(c->Merge(rest, element, &unused));
  SetListHandle(c, element, dtype);
  return OkStatus();
}
inline Status ListElementShapeShape(InferenceContext* c) {
  const auto* held = c->input_handle_shapes_and_types(0);
  const bool known = held != nullptr && held->size() == 1 && c->RankKnown((*held)[0].shape);
  c->set_output(0, known ? c->Vector(c->Rank((*held)[0].shape)) : c->UnknownShape());
  return OkStatus();
}
inline Status ListResizeShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(1), 0, &unused));
  c->set_output(0, c->Scalar());
  const auto* held = c->input_handle_shapes_and_types(0);
  if (held != nullptr && held->size() == 1) c->set_output_handle_shapes_and_types(0, *held);
  return OkStatus();
}
inline Status SetItemShape(InferenceContext* c) {
  DataType dtype{};
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->GetAttr("element_dtype", &dtype));
  c->set_output(0, c->Scalar());
  const auto* held = c->input_handle_shapes_and_types(0);
  if (held == nullptr || held->size() != 1) {
    SetListHandle(c, c->UnknownShape(), dtype);
    return OkStatus();
  }
  TENON_RETURN_IF_ERROR(c->Merge(c->input(2), (*held)[0].shape, &unused));
  c->set_output_handle_shapes_and_types(0, *held);
  return OkStatus();
}
inline Status ScatterIntoExistingShape(InferenceContext* c) {
  ShapeHandle unused, element;
  DataType dtype{};
  TENON_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 1, &unused));
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(2), 1, &unused));
  TENON_RETURN_IF_ERROR(c->GetAttr("element_dtype", &dtype));
  TENON_RETURN_IF_ERROR(ListElementShape(c, 0, dtype, nullptr, &element));
  SetListHandle(c, element, dtype);
  c->set_output(0, c->Scalar());
  return OkStatus();
}
inline Status ConcatListsShape(InferenceContext* c) {
  ShapeHandle handles, a, b;
  DataType dtype{};
  TENON_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &handles));
  c->set_output(0, handles);
  TENON_RETURN_IF_ERROR(c->GetAttr("element_dtype", &dtype));
  TENON_RETURN_IF_ERROR(ListElementShape(c, 0, dtype, "input_a.type != element_dtype: ", &a));
  TENON_RETURN_IF_ERROR(ListElementShape(c, 1, dtype, "input_b.type != element_dtype: ", &b));
  TENON_RETURN_IF_ERROR(c->Merge(a, b, &a));
  SetListHandle(c, a, dtype);
  return OkStatus();
}

}  // namespace ops::detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
