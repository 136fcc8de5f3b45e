// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rarer members of InferenceContext, with TensorFlow's names: shapes as protos, attrs as they are, inputs and
// handles that an analysis of a graph makes better or less well known. Shape functions as a rule need none of them.

#include <cstddef>
#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/wire/tensor_proto.hpp>
#include <tenon/op/graph_def/attr_slice.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_refinement.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Calls a shape function (RunShapeFn): what was merged before is forgotten, an error says for which node.
inline Status InferenceContext::Run(ShapeFn fn) { return RunShapeFn(this, fn); }

// ---- the node

// Those that the node has, without the op's defaults; none where there is no node.
inline AttrSlice InferenceContext::attrs() const { return node_ == nullptr ? AttrSlice() : AttrSlice(*node_); }
// Null when the node has none of that name.
inline const AttrValue* InferenceContext::GetAttr(std::string_view name) const {
  return node_ == nullptr ? nullptr : node_->attr.Find(name);
}
// The types that the node's results have in full: a serialised FullTypeDef, as the graph has it; mostly empty.
inline std::string_view InferenceContext::ret_types() const {
  return node_ == nullptr ? std::string_view() : std::string_view(node_->full_type);
}

// ---- shapes as serialised TensorShapeProtos

// InvalidArgument, and *out unset, when the bytes are no shape.
inline Status InferenceContext::MakeShapeFromShapeProto(Span<const std::byte> proto, ShapeHandle* out) {
  *out = ShapeHandle();
  TENON_ASSIGN_OR_RETURN(const PartialTensorShape shape, PartialShapeFromProto(proto));
  return MakeShapeFromPartialTensorShape(shape, out);
}
inline ShapeHandle InferenceContext::MakeShapeFromShapeTensor(const TensorShape& shape) {
  return MakeShape(shape.dim_sizes());
}
// Replaces *proto. InvalidArgument for more dimensions than a tensor has.
inline Status InferenceContext::ShapeHandleToProto(ShapeHandle shape, std::string* proto) const {
  PartialTensorShape partial;
  TENON_RETURN_IF_ERROR(ToPartialTensorShape(shape, &partial));
  proto->clear();
  ShapeToProto(partial, proto);
  return OkStatus();
}
// Internal unless the shape is fully known.
inline Status InferenceContext::ShapeHandleToTensorShape(ShapeHandle shape, TensorShape* out) const {
  return ToTensorShape(shape, out);
}

// ---- what an analysis of a graph finds out (op/shape/shape_refinement.hpp says what these do)

inline void InferenceContext::SetInput(int i, ShapeHandle shape) { set_input(i, shape); }
inline bool InferenceContext::MergeInput(int i, ShapeHandle shape) { return tenon::MergeInput(this, i, shape); }
inline bool InferenceContext::RelaxInput(int i, ShapeHandle shape) { return tenon::RelaxInput(this, i, shape); }
inline bool InferenceContext::MergeInputHandleShapesAndTypes(int i, const SlimVector<ShapeAndType>& more) {
  return tenon::MergeInputHandleShapesAndTypes(this, i, more);
}
inline bool InferenceContext::MergeOutputHandleShapesAndTypes(int i, const SlimVector<ShapeAndType>& more) {
  return tenon::MergeOutputHandleShapesAndTypes(this, i, more);
}
inline bool InferenceContext::RelaxInputHandleShapesAndMergeTypes(int i, const SlimVector<ShapeAndType>& more) {
  return tenon::RelaxInputHandleShapesAndMergeTypes(this, i, more);
}
inline bool InferenceContext::RelaxOutputHandleShapesAndMergeTypes(int i, const SlimVector<ShapeAndType>& more) {
  return tenon::RelaxOutputHandleShapesAndMergeTypes(this, i, more);
}

// "InferenceContext for node: {{node y}} = Neg[T=DT_FLOAT](x), with 1 input: [2,?], and 1 output: [2,?]".
inline std::string InferenceContext::DebugString() const {
  const auto shapes = [this](std::string_view what, int count, auto shape) {
    std::string text = StrCat(count, " ", what, count == 1 ? ":" : "s:");
    for (int i = 0; i < count; ++i) StrAppend(&text, i == 0 ? " " : ", ", DebugString(shape(i)));
    return text;
  };
  return StrCat("InferenceContext for node: ",
                node_ != nullptr ? SummarizeNodeDef(*node_) : std::string(op_ == nullptr ? "none" : op_->name),
                ", with ", shapes("input", num_inputs(), [this](int i) { return input(i); }), ", and ",
                shapes("output", num_outputs(), [this](int i) { return output(i); }));
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
