// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/inference_context_extended.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <span>
#include <string>

namespace inference_access_test {
using namespace tenon;

namespace {
constexpr auto kOp = Op("IaOp")
                         .Input("x: resource")
                         .Input("y: float")
                         .Output("z: resource")
                         .Attr("axis: int = 3")
                         .Attr("mode: string = 'x'")
                         .SetShapeFn([](InferenceContext* c) -> Status {
                           ShapeHandle merged;
                           TENON_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &merged));
                           c->set_output(0, merged);
                           return OkStatus();
                         });
constexpr OpView kView = kOp.view();

struct Two {
  explicit Two(const PartialTensorShape& x, const PartialTensorShape& y = PartialTensorShape()) : shapes{x, y} {
    node.name = "n";
    node.op = "IaOp";
    node.attr.Set("axis", AttrValue(5));
  }
  NodeDef node;
  PartialTensorShape shapes[2];
  InferenceContext c{1, &node, &kView, shapes};
};
std::span<const std::byte> Bytes(const std::string& text) { return std::as_bytes(std::span(text.data(), text.size())); }
}  // namespace

TEST_SUITE("InferenceContext: TensorFlow's rarer members") {
  TEST_CASE("shapes go to protos and back") {
    Two two(PartialTensorShape({2, -1}));
    for (const PartialTensorShape& shape :
         {PartialTensorShape({2, -1, 0}), PartialTensorShape(), PartialTensorShape(TensorShape{})}) {
      ShapeHandle handle, back;
      std::string proto = "left over";
      REQUIRE(two.c.MakeShapeFromPartialTensorShape(shape, &handle).ok());
      REQUIRE(two.c.ShapeHandleToProto(handle, &proto).ok());
      REQUIRE(two.c.MakeShapeFromShapeProto(Bytes(proto), &back).ok());
      CHECK(two.c.DebugString(back) == two.c.DebugString(handle));
    }
    std::string unset = "x";
    CHECK(two.c.ShapeHandleToProto(ShapeHandle(), &unset).ok());
    CHECK(unset == std::string("\x18\x01"));  // unknown_rank: true
  }
  TEST_CASE("a proto that is no shape is refused") {
    Two two(PartialTensorShape({2, -1}));
    ShapeHandle handle = two.c.input(0);
    const std::string negative("\x12\x0b\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13);  // dim { size: -2 }
    CHECK(two.c.MakeShapeFromShapeProto(Bytes(negative), &handle).code() == Code::kInvalidArgument);
    CHECK_FALSE(handle.IsSet());
    CHECK_FALSE(two.c.MakeShapeFromShapeProto(Bytes("\x12\x7f"), &handle).ok());
    std::string proto;
    CHECK(two.c.ShapeHandleToProto(two.c.UnknownShapeOfRank(255), &proto).code() == Code::kInvalidArgument);
  }
  TEST_CASE("a known shape becomes a TensorShape, another does not") {
    Two two(PartialTensorShape({2, -1}));
    TensorShape shape;
    CHECK(two.c.ShapeHandleToTensorShape(two.c.MakeShapeFromShapeTensor(TensorShape{4, 0}), &shape).ok());
    CHECK(shape == TensorShape{4, 0});
    CHECK(two.c.ShapeHandleToTensorShape(two.c.input(0), &shape).message() == "the shape [2,?] is not fully known");
  }
  TEST_CASE("attrs are the node's") {
    Two two{PartialTensorShape()};
    std::int64_t axis = 0;
    CHECK(two.c.attrs().Get("axis", &axis).ok());
    CHECK(axis == 5);
    CHECK(two.c.GetAttr("axis")->i() == 5);
    CHECK(two.c.GetAttr("mode") == nullptr);
    CHECK(two.c.attrs().size() == 1);
    CHECK(two.c.ret_types().empty());
    two.node.full_type = "bytes";
    CHECK(two.c.ret_types() == "bytes");
    InferenceContext none(kView, {StaticShape{2}, StaticShape{2}});
    CHECK(none.attrs().size() == 0);
    CHECK(none.GetAttr("axis") == nullptr);
    CHECK(none.ret_types().empty());
  }
  TEST_CASE("Run forgets what was merged before, and names the node in an error") {
    Two two(PartialTensorShape({2, -1}), PartialTensorShape({-1, 3}));
    REQUIRE(two.c.Run(kOp.shape_fn).ok());
    CHECK(two.c.DebugString(two.c.output(0)) == "[2,3]");
    const std::size_t merged = two.c.MergedShapes().size();
    CHECK(merged > 0);
    REQUIRE(two.c.Run(kOp.shape_fn).ok());
    CHECK(two.c.MergedShapes().size() == merged);
    CHECK(two.c.DebugString() ==
          "InferenceContext for node: {{node n}} = IaOp[axis=5](), with 2 inputs: [2,?], [?,3], and 1 output: [2,3]");
    two.c.SetInput(1, two.c.Vector(3));
    const Status status = two.c.Run(kOp.shape_fn);
    CHECK(
        status.message() ==
        "Shapes must be equal rank, but are 2 and 1 for '{{node n}} = IaOp[axis=5]()' with input shapes: [2,?], [3].");
    CHECK(two.c.MergedShapes().empty());
  }
  TEST_CASE("what was wanted is known") {
    Two two{PartialTensorShape()};
    CHECK_FALSE(two.c.requested_input_tensor(0));
    two.c.request_input_tensor(0);
    two.c.request_input_tensor_as_partial_shape(1);
    CHECK(two.c.requested_input_tensor(0));
    CHECK_FALSE(two.c.requested_input_tensor_as_partial_shape(0));
    CHECK(two.c.requested_input_tensor_as_partial_shape(1));
    const ShapeHandle shapes[] = {two.c.Vector(4), ShapeHandle(), two.c.Vector(5)};
    two.c.set_input_tensors_as_shapes(shapes);
    CHECK(two.c.DebugString(two.c.input_tensor_as_shape(0)) == "[4]");
    CHECK_FALSE(two.c.input_tensor_as_shape(1).IsSet());
  }
  TEST_CASE("inputs and handles become better or less well known") {
    Two two(PartialTensorShape({-1, 3}));
    InferenceContext& c = two.c;
    CHECK(c.MergeInput(0, c.MakeShape({2, 3})));
    CHECK_FALSE(c.MergeInput(0, c.MakeShape({4, 3})));
    CHECK(c.RelaxInput(0, c.MakeShape({4, 3})));
    CHECK(c.DebugString(c.input(0)) == "[?,3]");
    c.set_input_handle_shapes_and_types(0, {{c.Vector(c.UnknownDim()), DataType::kInvalid}});
    CHECK(c.MergeInputHandleShapesAndTypes(0, {{c.Vector(2), DataType::kFloat}}));
    CHECK(c.RelaxInputHandleShapesAndMergeTypes(0, {{c.Vector(3), DataType::kFloat}}));
    CHECK(c.DebugString(*c.input_handle_shapes_and_types(0)) == "[[?]:float]");
    c.set_output_handle_shapes_and_types(0, {{c.UnknownShape(), DataType::kFloat}});
    CHECK(c.MergeOutputHandleShapesAndTypes(0, {{c.Vector(5), DataType::kFloat}}));
    CHECK(c.RelaxOutputHandleShapesAndMergeTypes(0, {{c.Scalar(), DataType::kFloat}}));
    CHECK(c.DebugString(*c.output_handle_shapes_and_types(0)) == "[?:float]");
  }
}
}  // namespace inference_access_test
