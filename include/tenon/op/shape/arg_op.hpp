// SPDX-License-Identifier: Apache-2.0
#pragma once
// ArgShape: the shape function of `_Arg`, an argument of a function's body.

#include <cstddef>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/graph_def/node_def.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Two list attrs describe the contents of the caller's resource, one item for each tensor behind the handle.
inline constexpr std::string_view kHandleShapesAttr = "_handle_shapes";
inline constexpr std::string_view kHandleTypesAttr = "_handle_dtypes";

namespace shape_inference {

// Nothing is known of the argument itself; lists of different lengths are as good as none.
inline Status ArgShape(InferenceContext* c) {
  c->set_output(0, c->UnknownShape());
  SlimVector<PartialTensorShape> shapes;
  SlimVector<DataType> types;
  const NodeDef* const node = c->node();
  if (node == nullptr || !TryGetNodeAttr(*node, kHandleShapesAttr, &shapes) ||
      !TryGetNodeAttr(*node, kHandleTypesAttr, &types) || shapes.empty() || shapes.size() != types.size())
    return OkStatus();
  SlimVector<ShapeAndType> held(shapes.size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shapes[i], &held[i].shape));
    held[i].dtype = types[i];
  }
  c->set_output_handle_shapes_and_types(0, held);
  return OkStatus();
}

}  // namespace shape_inference

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
