// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/inference_context.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <tenon/tensor/tensor.hpp>

namespace inference_context_test {
namespace {
using namespace tenon;

struct Two {
  static constexpr auto signature = Op("Two")
                                        .Input("a: float")
                                        .Input("b: int32")
                                        .Output("x: float")
                                        .Output("many: N * float")
                                        .Output("listed: L")
                                        .Attr("N: int = 2")
                                        .Attr("L: list(type) = [DT_FLOAT, DT_INT32]")
                                        .Attr("axis: int = -1")
                                        .Attr("flag: bool = true")
                                        .Attr("factor: float = 0.125")
                                        .Attr("mode: {'fast', 'slow'} = 'slow'")
                                        .Attr("kind: type = DT_HALF")
                                        .Attr("sizes: list(int) = [1, 2]")
                                        .Attr("shape: shape")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          c->set_output(0, c->input(0));
                                          return OkStatus();
                                        });
};
constexpr OpView kTwo = Two::signature.view();

// A shape attr's default, in a constant expression too.
struct Shaped {
  static constexpr auto signature = Op("Shaped")
                                        .Output("y: float")
                                        .Attr("shape: shape = { dim { size: 2 } dim { size: -1 } }")
                                        .SetShapeFn([](InferenceContext* c) -> Status {
                                          ShapeHandle out;
                                          TENON_RETURN_IF_ERROR(c->GetShapeAttr("shape", &out));
                                          c->set_output(0, out);
                                          return OkStatus();
                                        });
};
static_assert(InferShape<Shaped>({}) == StaticShape{2, -1});
static_assert(InferShape<Shaped>({}, {{"shape", {7}}}) == StaticShape{7});
static_assert(InferShape<Shaped>({}, {{"shape", StaticShape{7, -1}}}) == StaticShape{7, -1});
static_assert(InferShape<Shaped>({}, {{"shape", StaticShape()}}) == StaticShape());

// A context with shapes to play with.
struct Scratch {
  InferenceContext c{kTwo, {StaticShape{2, -1, 4}, StaticShape{}}};
  ShapeHandle partial = c.input(0), unknown = c.input(1);
  ShapeHandle Make(std::initializer_list<std::int64_t> sizes) {
    return c.MakeShape(std::span<const std::int64_t>(sizes.begin(), sizes.size()));
  }
};

std::string Text(const Status& status) { return std::string(status.message()); }

constexpr bool SameUnknownKeepsItsIdentity() {
  InferenceContext c(kTwo, {StaticShape{2, -1, 4}, StaticShape{}});
  const ShapeHandle s = c.input(0);
  ShapeHandle longer;
  if (!c.Concatenate(s, c.Vector(c.Dim(s, 1)), &longer).ok()) return false;
  return c.Rank(longer) == 4 && c.Dim(longer, 1).SameHandle(c.Dim(longer, 3)) &&
         !c.UnknownDim().SameHandle(c.UnknownDim());
}
static_assert(SameUnknownKeepsItsIdentity());

constexpr std::int64_t AttrsInConstantExpressions() {
  InferenceContext c(kTwo, {StaticShape{}, StaticShape{}}, {{"axis", 3}, {"mode", "fast"}, {"sizes", {4, 5, 6}}});
  std::int64_t axis = 0;
  bool flag = false;
  std::string_view mode;
  float factor = 0;
  DataType kind{};
  std::vector<std::int64_t> sizes;
  for (const bool ok :
       {c.GetAttr("axis", &axis).ok(), c.GetAttr("flag", &flag).ok(), c.GetAttr("mode", &mode).ok(),
        c.GetAttr("factor", &factor).ok(), c.GetAttr("kind", &kind).ok(), c.GetAttr("sizes", &sizes).ok()})
    if (!ok) return -1;
  return mode == "fast" && flag && factor == 0.125f && kind == DataType::kHalf && sizes.size() == 3 ? axis : -1;
}
static_assert(AttrsInConstantExpressions() == 3);
static_assert(InferShape<Two>({{2, 3}, {}}) == StaticShape{2, 3});
static_assert(InferShape<Two>({StaticShape(), {}}) == StaticShape());

TEST_SUITE("InferenceContext") {
  TEST_CASE("knows its outputs by number and by name") {
    Scratch s;
    CHECK(s.c.num_inputs() == 2);
    CHECK(s.c.num_outputs() == 5);
    CHECK(s.c.set_output("many", {s.partial, s.c.Scalar()}).ok());
    CHECK(s.c.DebugString(s.c.output(1)) == "[2,?,4]");
    CHECK(s.c.DebugString(s.c.output(2)) == "[]");
    std::vector<ShapeHandle> shapes;
    CHECK(s.c.output("many", &shapes).ok());
    CHECK(shapes.size() == 2);
    CHECK(s.c.input("b", &shapes).ok());
    CHECK(shapes.size() == 1);
    CHECK(Text(s.c.set_output("many", {s.partial})) == "Must have exactly 2 shapes.");
    CHECK(Text(s.c.set_output("few", {})) == "Unknown output name: few");
    CHECK(Text(s.c.input("few", &shapes)) == "Unknown input name: few");
  }
  TEST_CASE("reads a node's attrs, else the op's defaults") {
    NodeDef node;
    node.name = "n";
    node.op = "Two";
    node.attr.Set("axis", AttrValue(5));
    node.attr.Set("N", AttrValue(1));
    node.attr.Set("L", AttrValue(std::vector<DataType>{DataType::kInt32}));
    node.attr.Set("shape", AttrValue(PartialTensorShape({2, -1})));
    const std::vector<PartialTensorShape> inputs{PartialTensorShape({2, 3}), PartialTensorShape()};
    InferenceContext c(21, &node, &kTwo, inputs);
    REQUIRE(c.construction_status().ok());
    CHECK(c.num_outputs() == 3);
    CHECK(c.graph_def_version() == 21);
    std::int32_t axis = 0;
    std::string mode;
    CHECK(c.GetAttr("axis", &axis).ok());
    CHECK(axis == 5);
    CHECK(c.GetAttr("mode", &mode).ok());
    CHECK(mode == "slow");
    CHECK(c.HasAttr("mode"));
    CHECK_FALSE(c.HasAttr("none"));
    ShapeHandle shape;
    CHECK(c.GetShapeAttr("shape", &shape).ok());
    CHECK(c.DebugString(shape) == "[2,?]");
    const Status missing = c.GetAttr("none", &axis);
    CHECK(missing.code() == Code::kNotFound);
    CHECK(missing.message().starts_with("No attr named 'none' in NodeDef:"));
  }
  TEST_CASE("says when inputs or attrs are missing") {
    const std::vector<PartialTensorShape> one{PartialTensorShape()};
    NodeDef node;
    CHECK(Text(InferenceContext(21, &node, &kTwo, one).construction_status()) ==
          "Wrong number of inputs passed: 1 while 2 expected based on NodeDef");
    static constexpr auto no_default = Op("A").Output("x: N * float").Attr("N: int");
    static constexpr OpView view = no_default.view();
    const InferenceContext c(21, &node, &view, {});
    CHECK(c.construction_status().code() == Code::kNotFound);
  }
  TEST_CASE("makes shapes of the values of inputs") {
    NodeDef node;
    const Tensor values = MakeTensor<std::int32_t>({2}, {7, -1});
    const Tensor wide = MakeTensor<std::int64_t>({1}, {5});
    const Tensor scalar = Tensor::Scalar<std::int32_t>(-1), three = Tensor::Scalar<std::int64_t>(3);
    const Tensor floats = MakeTensor<float>({1}, {1.0f});
    InferenceContext c;
    const auto shape_of = [&](const Tensor* t, const TensorShape& shape) {
      c.Reset(21, &node, &kTwo);
      c.AddInput(shape, t);
      ShapeHandle out;
      const Status status = c.MakeShapeFromShapeTensor(0, &out);
      return status.ok() ? c.DebugString(out) : Text(status);
    };
    CHECK(shape_of(&values, {2}) == "[7,?]");
    CHECK(c.requested_input_tensor_as_partial_shape(0));
    CHECK(c.requested_input_tensor_as_partial_shape(0));
    CHECK_FALSE(c.requested_input_tensor(0));
    CHECK(shape_of(&wide, {1}) == "[5]");
    CHECK(shape_of(nullptr, {3}) == "[?,?,?]");
    CHECK(shape_of(nullptr, {}) == "Shape must be rank 1 but is rank 0");
    CHECK(shape_of(nullptr, {Index{1} << 25}) ==
          "Cannot create a tensor with 33554432 dimensions, as these would be more than maximum of 33554432");
    CHECK(shape_of(&floats, {1}) == "Input tensor must be int32 or int64, but was float");
    const Tensor bad = MakeTensor<std::int32_t>({1}, {-2});
    CHECK(shape_of(&bad, {1}) == "Invalid value in tensor used for shape: -2");

    ShapeHandle out;
    c.Reset(21, &node, &kTwo);
    c.AddInput(PartialTensorShape());
    c.AddInput(scalar.shape(), &scalar);
    CHECK(c.MakeShapeFromShapeTensorTreatScalarAsUnknownShape(1, &out).ok());
    CHECK_FALSE(c.RankKnown(out));
    c.set_input_tensor(1, &three);
    CHECK(Text(c.MakeShapeFromShapeTensorTreatScalarAsUnknownShape(1, &out)) ==
          "Input tensor must be rank 1, or if its rank 0 it must have value -1 (representing an unknown shape).  "
          "Saw value: 3");
    const Tensor* const tensors[] = {nullptr, &scalar, &three};
    c.set_input_tensors(tensors);
    CHECK(c.input_tensor(0) == nullptr);
    CHECK(c.input_tensor(1) == &scalar);
    c.set_input_tensor(1, &three);
    const int outputs = c.num_outputs();
    CHECK(c.ExpandOutputs(outputs + 2).ok());
    CHECK(c.num_outputs() == outputs + 2);
    CHECK_FALSE(c.output(outputs + 1).IsSet());
    const Status fewer = c.ExpandOutputs(outputs);
    CHECK(fewer.code() == Code::kInvalidArgument);
    CHECK(fewer.message() == "Trying to reduce number of outputs of op.");
    InferenceContext constants(kTwo, {StaticInput::Scalar(-1), StaticInput::Scalar(3)});
    CHECK(constants.MakeShapeFromShapeTensorTreatScalarAsUnknownShape(0, &out).ok());
    CHECK_FALSE(constants.RankKnown(out));
    CHECK(Text(constants.MakeShapeFromShapeTensorTreatScalarAsUnknownShape(1, &out)) ==
          "Input tensor must be rank 1, or if its rank 0 it must have value -1 (representing an unknown shape).  "
          "Saw value: 3");
    CHECK(c.MakeShapeFromShapeTensor(0, &out).ok());
    CHECK_FALSE(c.RankKnown(out));
    c.set_input_tensor_as_shape(0, PartialTensorShape({-1, 8}));
    CHECK(c.MakeShapeFromShapeTensor(0, &out).ok());
    CHECK(c.DebugString(out) == "[?,8]");
    CHECK(c.MakeShapeFromTensor(&values, c.Vector(2), &out).ok());
    CHECK(c.DebugString(out) == "[7,?]");
    CHECK(c.MakeShapeFromTensor(nullptr, c.Vector(2), &out).ok());
    CHECK(c.DebugString(out) == "[?,?]");
    CHECK(c.MakeShapeFromTensorShape(TensorShape{4, 5}, &out).ok());
    CHECK(c.DebugString(out) == "[4,5]");
  }
  TEST_CASE("reads scalars") {
    const Tensor three = Tensor::Scalar<std::int64_t>(3), minus = Tensor::Scalar<std::int32_t>(-2);
    NodeDef node;
    InferenceContext c;
    c.Reset(21, &node, &kTwo);
    c.AddInput(three.shape(), &three);
    c.AddInput(minus.shape(), &minus);
    DimensionHandle dim;
    CHECK((c.MakeDimForScalarInput(0, &dim).ok() && c.Value(dim) == 3));
    CHECK(c.requested_input_tensor(0));
    CHECK(Text(c.MakeDimForScalarInput(1, &dim)) ==
          "Dimension size, given by scalar input 1, must be non-negative but is -2");
    CHECK((c.MakeDimForScalarInputWithNegativeIndexing(1, 5, &dim).ok() && c.Value(dim) == 3));
    CHECK((c.MakeDimForScalarInputWithNegativeIndexing(1, -1, &dim).ok() && !c.ValueKnown(dim)));
    CHECK(Text(c.MakeDimForScalarInputWithNegativeIndexing(0, 3, &dim)) ==
          "Dimension size, given by scalar input 3 must be in range [-3, 3)");
    c.set_input_tensor(0, nullptr);
    CHECK((c.MakeDimForScalarInput(0, &dim).ok() && !c.ValueKnown(dim)));
  }
  TEST_CASE("an error says for which node, and what was known of its inputs") {
    NodeDef node;
    node.name = "n";
    node.op = "Two";
    node.input = {"p", "q"};
    node.attr.Set("axis", AttrValue(5));
    const Tensor values = MakeTensor<std::int32_t>({2}, {7, -1});
    const std::vector<PartialTensorShape> inputs{PartialTensorShape({2, -1}), PartialTensorShape({2})};
    const std::vector<const Tensor*> tensors{nullptr, &values};
    const auto run = [&](ShapeFn fn) {
      InferenceContext c(21, &node, &kTwo, inputs, tensors);
      return Text(RunShapeFn(&c, fn));
    };
    CHECK(run([](InferenceContext* c) {
            ShapeHandle out;
            return c->WithRank(c->input(0), 3, &out);
          }) ==
          "Shape must be rank 3 but is rank 2 for '{{node n}} = Two[axis=5](p, q)' with input shapes: [2,?], [2].");
    CHECK(run([](InferenceContext* c) {
            (void)c->input_tensor(1);
            return errors::InvalidArgument("Bad");
          }) ==
          "Bad for '{{node n}} = Two[axis=5](p, q)' with input shapes: [2,?], [2] and with "
          "computed input tensors: input[1] = <7 -1>.");
    CHECK(run([](InferenceContext* c) {
            ShapeHandle out;
            TENON_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &out));
            return errors::InvalidArgument("Bad");
          }) ==
          "Bad for '{{node n}} = Two[axis=5](p, q)' with input shapes: [2,?], [2] and with "
          "input tensors computed as partial shapes: input[1] = [7,?].");
  }
  TEST_CASE("remembers what handles hold") {
    Scratch s;
    CHECK(s.c.input_handle_shapes_and_types(0) == nullptr);
    s.c.set_input_handle_shapes_and_types(0, {{s.partial, DataType::kFloat}});
    s.c.set_input_handle_shapes_and_types(0, {{s.unknown, DataType::kInt32}});
    REQUIRE(s.c.input_handle_shapes_and_types(0) != nullptr);
    CHECK(s.c.input_handle_shapes_and_types(0)->front().dtype == DataType::kInt32);
    CHECK(s.c.output_handle_shapes_and_types(0) == nullptr);
  }
  TEST_CASE("is as new after Reset") {
    NodeDef node;
    node.attr.Set("N", AttrValue(3));
    InferenceContext c(kTwo, {StaticShape{1}, StaticShape{2}}, {{"N", 7}});
    CHECK(c.num_outputs() == 10);
    c.Reset(21, &node, &kTwo);
    CHECK(c.num_inputs() == 0);
    CHECK(c.num_outputs() == 6);
    c.AddInput(TensorShape{1, 2});
    CHECK(c.DebugString(c.input(0)) == "[1,2]");
    CHECK(c.input_handle_shapes_and_types(0) == nullptr);
  }
  TEST_CASE("TensorFlow's names mean the same classes") {
    CHECK((std::is_same_v<shape_inference::InferenceContext, InferenceContext>));
    CHECK((std::is_same_v<shape_inference::ShapeHandle, ShapeHandle>));
    CHECK((std::is_same_v<shape_inference::DimensionHandle, DimensionHandle>));
  }
}
}  // namespace
}  // namespace inference_context_test
