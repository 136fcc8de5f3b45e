// SPDX-License-Identifier: Apache-2.0
#pragma once
// Descriptions of the few ops that the graph tests need, spelt as in TensorFlow, and short ways to write nodes.

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/op/graph_def/versions.hpp>

namespace tenon::testing {

namespace ops {

namespace si = shape_inference;

inline Status ConstShape(InferenceContext* c) {
  Tensor value;
  TENON_RETURN_IF_ERROR(c->GetAttr("value", &value));
  ShapeHandle shape;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromTensorShape(value.shape(), &shape));
  c->set_output(0, shape);
  return OkStatus();
}
inline Status PlaceholderShape(InferenceContext* c) {
  PartialTensorShape shape;
  TENON_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  ShapeHandle handle;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &handle));
  c->set_output(0, handle);
  return OkStatus();
}
inline Status ShapeShape(InferenceContext* c) {
  for (int i = 0; i < c->num_inputs(); ++i) {
    c->set_output(i, c->Vector(c->RankKnown(c->input(i)) ? c->Rank(c->input(i)) : InferenceContext::kUnknownDim));
  }
  return OkStatus();
}
inline Status FillShape(InferenceContext* c) {
  ShapeHandle shape;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &shape));
  c->set_output(0, shape);
  return OkStatus();
}
inline Status ExpandDimsOfScalar(InferenceContext* c) {
  const Tensor* at = c->input_tensor(1);
  c->set_output(0, at == nullptr ? c->UnknownShape() : c->Vector(1));
  return OkStatus();
}
inline Status UnpackShape(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->Scalar());
  return OkStatus();
}
inline Status HandleShape(InferenceContext* c) {
  PartialTensorShape shape;
  DataType dtype = DataType::kInvalid;
  TENON_RETURN_IF_ERROR(c->GetAttr("shape", &shape));
  TENON_RETURN_IF_ERROR(c->GetAttr("dtype", &dtype));
  ShapeHandle held;
  TENON_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(shape, &held));
  c->set_output(0, c->Scalar());
  c->set_output_handle_shapes_and_types(0, {{held, dtype}});
  return OkStatus();
}
inline Status ReadShape(InferenceContext* c) {
  const auto* held = c->input_handle_shapes_and_types(0);
  c->set_output(0, held == nullptr ? c->UnknownShape() : held->front().shape);
  return OkStatus();
}

#define TENON_TEST_OP(name, ...)                                    \
  inline constexpr auto k##name##Signature = Op(#name) __VA_ARGS__; \
  inline constexpr OpView k##name = k##name##Signature.view()

TENON_TEST_OP(Const, .Output("output: dtype").Attr("value: tensor").Attr("dtype: type").SetShapeFn(ConstShape));
TENON_TEST_OP(Placeholder, .Output("output: dtype")
                               .Attr("dtype: type")
                               .Attr("shape: shape = { unknown_rank: true }")
                               .SetShapeFn(PlaceholderShape));
TENON_TEST_OP(NoOp, .SetShapeFn(si::NoOutputs));
TENON_TEST_OP(Identity, .Input("input: T").Output("output: T").Attr("T: type").SetShapeFn(si::UnchangedShape));
TENON_TEST_OP(Neg, .Input("x: T")
                       .Output("y: T")
                       .Attr("T: {bfloat16, half, float, double, int32, int64}")
                       .SetShapeFn(si::UnchangedShape));
TENON_TEST_OP(Relu,
              .Input("features: T").Output("activations: T").Attr("T: {float, double}").SetShapeFn(si::UnchangedShape));
TENON_TEST_OP(AddV2, .Input("x: T")
                         .Input("y: T")
                         .Output("z: T")
                         .Attr("T: {float, double, int32, int64}")
                         .SetShapeFn(si::BroadcastBinaryOpShapeFn)
                         .SetIsCommutative());
TENON_TEST_OP(Mul, .Input("x: T")
                       .Input("y: T")
                       .Output("z: T")
                       .Attr("T: {float, double, int32, int64}")
                       .SetShapeFn(si::BroadcastBinaryOpShapeFn)
                       .SetIsCommutative());
TENON_TEST_OP(FloorDiv, .Input("x: T")
                            .Input("y: T")
                            .Output("z: T")
                            .Attr("T: {float, int32, int64}")
                            .SetShapeFn(si::BroadcastBinaryOpShapeFn));
TENON_TEST_OP(AddN, .Input("inputs: N * T")
                        .Output("sum: T")
                        .Attr("N: int >= 1")
                        .Attr("T: {float, int32, variant}")
                        .SetShapeFn(si::UnknownShape)
                        .SetIsCommutative()
                        .SetIsAggregate());
TENON_TEST_OP(MatMul, .Input("a: T")
                          .Input("b: T")
                          .Output("product: T")
                          .Attr("transpose_a: bool = false")
                          .Attr("transpose_b: bool = false")
                          .Attr("T: {float, double}")
                          .SetShapeFn(si::MatMulShape));
TENON_TEST_OP(Shape, .Input("input: T")
                         .Output("output: out_type")
                         .Attr("T: type")
                         .Attr("out_type: {int32, int64} = DT_INT32")
                         .SetShapeFn(ShapeShape));
TENON_TEST_OP(Size, .Input("input: T")
                        .Output("output: out_type")
                        .Attr("T: type")
                        .Attr("out_type: {int32, int64} = DT_INT32")
                        .SetShapeFn(si::ScalarShape));
TENON_TEST_OP(Cast, .Input("x: SrcT")
                        .Output("y: DstT")
                        .Attr("SrcT: type")
                        .Attr("DstT: type")
                        .Attr("Truncate: bool = false")
                        .SetShapeFn(si::UnchangedShape));
TENON_TEST_OP(Pack, .Input("values: N * T")
                        .Output("output: T")
                        .Attr("N: int >= 1")
                        .Attr("T: type")
                        .Attr("axis: int = 0")
                        .SetShapeFn(si::PackShape));
TENON_TEST_OP(Unpack, .Input("value: T")
                          .Output("output: num * T")
                          .Attr("num: int >= 0")
                          .Attr("T: type")
                          .Attr("axis: int = 0")
                          .SetShapeFn(UnpackShape));
TENON_TEST_OP(ConcatV2, .Input("values: N * T")
                            .Input("axis: Tidx")
                            .Output("output: T")
                            .Attr("N: int >= 2")
                            .Attr("T: type")
                            .Attr("Tidx: {int32, int64} = DT_INT32")
                            .SetShapeFn(si::ConcatV2Shape));
TENON_TEST_OP(Reshape, .Input("tensor: T")
                           .Input("shape: Tshape")
                           .Output("output: T")
                           .Attr("T: type")
                           .Attr("Tshape: {int32, int64} = DT_INT32")
                           .SetShapeFn(si::ReshapeShape));
TENON_TEST_OP(Fill, .Input("dims: index_type")
                        .Input("value: T")
                        .Output("output: T")
                        .Attr("T: type")
                        .Attr("index_type: {int32, int64} = DT_INT32")
                        .SetShapeFn(FillShape));
TENON_TEST_OP(Slice, .Input("input: T")
                         .Input("begin: Index")
                         .Input("size: Index")
                         .Output("output: T")
                         .Attr("T: type")
                         .Attr("Index: {int32, int64}")
                         .SetShapeFn(si::SliceShape));
TENON_TEST_OP(StridedSlice, .Input("input: T")
                                .Input("begin: Index")
                                .Input("end: Index")
                                .Input("strides: Index")
                                .Output("output: T")
                                .Attr("T: type")
                                .Attr("Index: {int16, int32, int64}")
                                .Attr("begin_mask: int = 0")
                                .Attr("end_mask: int = 0")
                                .Attr("ellipsis_mask: int = 0")
                                .Attr("new_axis_mask: int = 0")
                                .Attr("shrink_axis_mask: int = 0")
                                .SetShapeFn(si::StridedSliceShape));
TENON_TEST_OP(ExpandDims, .Input("input: T")
                              .Input("dim: Tdim")
                              .Output("output: T")
                              .Attr("T: type")
                              .Attr("Tdim: {int32, int64} = DT_INT32")
                              .SetShapeFn(ExpandDimsOfScalar));
TENON_TEST_OP(MaxPool, .Input("input: T")
                           .Output("output: T")
                           .Attr("T: {float, half} = DT_FLOAT")
                           .Attr("ksize: list(int) >= 4")
                           .Attr("strides: list(int) >= 4")
                           .Attr("padding: {'SAME', 'VALID'}")
                           .SetShapeFn(si::UnknownShape));
TENON_TEST_OP(IdentityN,
              .Input("input: T").Output("output: T").Attr("T: list(type) >= 1").SetShapeFn(si::UnknownShape));
TENON_TEST_OP(
    VariableV2,
    .Output("ref: Ref(dtype)").Attr("shape: shape").Attr("dtype: type").SetIsStateful().SetShapeFn(si::UnknownShape));
TENON_TEST_OP(
    Assign,
    .Input("ref: Ref(T)").Input("value: T").Output("output_ref: Ref(T)").Attr("T: type").SetShapeFn(si::UnknownShape));
TENON_TEST_OP(
    VarHandleOp,
    .Output("resource: resource").Attr("dtype: type").Attr("shape: shape").SetIsStateful().SetShapeFn(HandleShape));
TENON_TEST_OP(ReadVariableOp,
              .Input("resource: resource").Output("value: dtype").Attr("dtype: type").SetShapeFn(ReadShape));
TENON_TEST_OP(RandomInt, .Output("output: int32").SetIsStateful().SetShapeFn(si::ScalarShape));
TENON_TEST_OP(Merge, .Input("inputs: N * T")
                         .Output("output: T")
                         .Output("value_index: int32")
                         .Attr("T: type")
                         .Attr("N: int >= 1")
                         .SetShapeFn(si::UnknownShape));
TENON_TEST_OP(NextIteration, .Input("data: T").Output("output: T").Attr("T: type").SetShapeFn(si::UnchangedShape));
TENON_TEST_OP(OldOp, .Deprecated(23, "NewOp behaves the same").SetShapeFn(si::NoOutputs));
TENON_TEST_OP(NoShapes, .Input("x: float").Output("y: float"));
TENON_TEST_OP(Apply, .Attr("f: func").SetShapeFn(si::NoOutputs));

#undef TENON_TEST_OP

}  // namespace ops

inline const OpRegistry& TestOps() {
  static const OpRegistry* registry = [] {
    auto* made = new OpRegistry();
    for (const OpView* op : {&ops::kConst,        &ops::kPlaceholder, &ops::kNoOp,          &ops::kIdentity,
                             &ops::kNeg,          &ops::kRelu,        &ops::kAddV2,         &ops::kMul,
                             &ops::kFloorDiv,     &ops::kAddN,        &ops::kMatMul,        &ops::kShape,
                             &ops::kSize,         &ops::kCast,        &ops::kPack,          &ops::kUnpack,
                             &ops::kConcatV2,     &ops::kReshape,     &ops::kFill,          &ops::kSlice,
                             &ops::kStridedSlice, &ops::kExpandDims,  &ops::kMaxPool,       &ops::kIdentityN,
                             &ops::kVariableV2,   &ops::kAssign,      &ops::kVarHandleOp,   &ops::kReadVariableOp,
                             &ops::kRandomInt,    &ops::kMerge,       &ops::kNextIteration, &ops::kOldOp,
                             &ops::kNoShapes,     &ops::kApply}) {
      (void)made->Register(*op);
    }
    return made;
  }();
  return *registry;
}

using NodeAttrs = std::initializer_list<AttrMap::value_type>;

inline NodeDef MakeNode(std::string_view name, std::string_view op, std::initializer_list<std::string> inputs = {},
                        NodeAttrs attrs = {}) {
  NodeDef node;
  node.name = name;
  node.op = op;
  node.input = inputs;
  node.attr = AttrMap(attrs);
  return node;
}
// A placeholder of floats.
inline NodeDef MakeInput(std::string_view name, PartialTensorShape shape = {}) {
  return MakeNode(name, "Placeholder", {}, {{"dtype", DataType::kFloat}, {"shape", std::move(shape)}});
}
// A node of an op with one type attr T, which is float.
inline NodeDef MakeFloat(std::string_view name, std::string_view op, std::initializer_list<std::string> inputs) {
  return MakeNode(name, op, inputs, {{"T", DataType::kFloat}});
}
inline GraphDef MakeGraph(std::initializer_list<NodeDef> nodes) {
  GraphDef def;
  def.node = nodes;
  def.versions.producer = kGraphDefVersion;
  return def;
}

}  // namespace tenon::testing
