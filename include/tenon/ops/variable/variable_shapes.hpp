// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shape functions of the ops on variables: what a handle says of the value behind it.

#include <cstddef>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops::detail {

// Shape and type of the value that handle `input` stands for; unknown where nobody said it. InvalidArgument when
// the op's own type attr says otherwise.
inline Status HeldByHandle(InferenceContext* c, int input, std::string_view type_attr, ShapeAndType* held) {
  const SlimVector<ShapeAndType>* known = c->input_handle_shapes_and_types(input);
  if (known == nullptr || known->empty()) {
    *held = {c->UnknownShape(), DataType::kInvalid};
    return OkStatus();
  }
  *held = (*known)[0];
  if (type_attr.empty()) return OkStatus();
  DataType dtype = DataType::kInvalid;
  TENON_RETURN_IF_ERROR(c->GetAttr(type_attr, &dtype));
  if (held->dtype != dtype)
    return errors::InvalidArgument("Trying to read variable with wrong dtype. Expected ", held->dtype, " got ", dtype);
  return OkStatus();
}

// The value of a variable given by reference or, when input `i` is a resource, by handle.
inline ShapeHandle VariableShapeOf(InferenceContext* c, int i) {
  const SlimVector<ShapeAndType>* known = c->input_handle_shapes_and_types(i);
  if (known != nullptr && !known->empty()) return (*known)[0].shape;
  return c->op().inputs[static_cast<std::size_t>(i)].is_ref ? c->input(i) : c->UnknownShape();
}

inline Status ReadVariableShape(InferenceContext* c) {
  ShapeAndType held;
  TENON_RETURN_IF_ERROR(HeldByHandle(c, 0, "dtype", &held));
  c->set_output(0, held.shape);
  return OkStatus();
}

// The value of input 1 must fit the variable that input 0 names.
inline Status AssignVariableShape(InferenceContext* c) {
  ShapeAndType held;
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(HeldByHandle(c, 0, "dtype", &held));
  return c->Merge(held.shape, c->input(1), &unused);
}

}  // namespace ops::detail

TENON_DETAIL_NAMESPACE_END
