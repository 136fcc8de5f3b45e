// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/shape_refiner.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/shapes.hpp>

#include "base/sized_thread.hpp"
#include "test_ops.hpp"

namespace shape_refiner_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
Result<Graph> Import(const GraphBuilder& b, ConstantEvaluator* evaluator = nullptr) {
  REQUIRE_MESSAGE(b.status().ok(), b.status().message());
  ImportOptions options;
  options.evaluator = evaluator;
  GraphDef def = b.graph_def();
  return ImportGraphDef(std::move(def), TestOps(), options);
}
// The inferred shape of a node's first output, or the error.
std::string ShapeOf(const GraphBuilder& b, Output output, ConstantEvaluator* evaluator = nullptr) {
  const Result<Graph> graph = Import(b, evaluator);
  if (!graph.ok()) return std::string(graph.status().message());
  const Node* node = graph->Find(ParseTensorName(b.Name(output)).node);
  return node->output_shape(output.index).DebugString();
}
Output Vector(GraphBuilder* b, std::vector<std::int32_t> values) {
  const auto n = static_cast<Index>(values.size());
  return b->Const("", Tensor::From<std::int32_t>(values, TensorShape{n}));
}
Output Scalar(GraphBuilder* b, std::int32_t value) { return b->Const("", Tensor::Scalar(value)); }
// x[begin:end], or x[begin] when shrink is set.
Output Range(GraphBuilder* b, Output x, int begin, int end, bool shrink = false) {
  return b->Add("StridedSlice", "", {x, Vector(b, {begin}), Vector(b, {end}), Vector(b, {1})},
                {{"shrink_axis_mask", shrink ? 1 : 0}});
}
}  // namespace

TEST_SUITE("ShapeRefiner") {
  TEST_CASE("constants are known to shape functions") {
    GraphBuilder b(TestOps());
    const Output x = b.Placeholder("x", DataType::kFloat, {2, 6});
    CHECK(ShapeOf(b, b.Add("Reshape", "", {x, Vector(&b, {-1, 4})})) == "[3,4]");
    CHECK(ShapeOf(b, b.Add("Reshape", "", {x, Vector(&b, {})}))
              .find("Cannot reshape a tensor with 12 elements to shape []") == 0);
  }
  TEST_CASE("an impossible constant is refused with the values in the message") {
    GraphBuilder b(TestOps());
    const Output x = b.Placeholder("x", DataType::kFloat, {2, 3});
    b.Add("Reshape", "op", {x, b.Const("shape", Tensor::From<std::int32_t>({7}, {1}))});
    const Status status = Import(b).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(
        status.message() ==
        "Cannot reshape a tensor with 6 elements to shape [7] (7 elements) for '{{node op}} = Reshape[T=DT_FLOAT, Tshape=DT_INT32](x, shape)' "
        "with input shapes: [2,3], [1] and with input tensors computed as partial shapes: input[1] = [7].");
  }
  TEST_CASE("a negative value among sizes is refused") {
    GraphBuilder b(TestOps());
    b.Add("Fill", "op", {Vector(&b, {2, -3}), b.Const("v", Tensor::Scalar(1.0f))});
    CHECK(Import(b).status().message() == "Invalid value in tensor used for shape: -3");
  }
  TEST_CASE("shapes computed from shapes are followed, known or not") {
    GraphBuilder b(TestOps());
    const Output x = b.Placeholder("x", DataType::kFloat, {-1, 4, 6});
    const Output shape = b.Add("Shape", "shape", {x});
    const Output batch = Range(&b, shape, 0, 1, true), rest = Range(&b, shape, 1, 3);
    const auto reshaped = [&](Output to) { return ShapeOf(b, b.Add("Reshape", "", {x, to})); };
    CHECK(reshaped(b.Add("Pack", "", {batch, Scalar(&b, -1)})) == "[?,?]");
    CHECK(reshaped(b.Add("Pack", "", {batch, Scalar(&b, 24)})) == "[?,24]");
    CHECK(reshaped(shape) == "[?,4,6]");
    CHECK(reshaped(b.Add("ConcatV2", "", {{rest, Vector(&b, {-1})}, Scalar(&b, 0)})) == "[4,6,?]");
    CHECK(reshaped(b.Add("ConcatV2", "", {{Vector(&b, {3}), Range(&b, shape, 0, 1)}, Scalar(&b, 0)})) == "[3,?]");
    const Output wide =
        b.Add("Cast", "", {b.Add("Cast", "", {shape}, {{"DstT", DataType::kInt64}})}, {{"DstT", DataType::kInt32}});
    CHECK(reshaped(wide) == "[?,4,6]");
  }
  TEST_CASE("integer arithmetic on known sizes is done") {
    GraphBuilder b(TestOps());
    const Output x = b.Placeholder("x", DataType::kFloat, {2, 4, 6});
    const Output shape = b.Add("Shape", "shape", {x});
    const Output height = Range(&b, shape, 1, 2, true), width = Range(&b, shape, -1, 0, true);
    const Output area = b.Add("Mul", "", {height, width});
    CHECK(ShapeOf(b, b.Add("Reshape", "", {x, b.Add("Pack", "", {Scalar(&b, -1), area})})) == "[2,24]");
    const Output half =
        b.Add("FloorDiv", "", {b.Add("AddV2", "", {b.Add("Neg", "", {area}), Scalar(&b, 1)}), Scalar(&b, 2)});
    const Output v = b.Const("v", Tensor::Scalar(1.0f));
    CHECK(ShapeOf(b, b.Add("Fill", "", {b.Add("Pack", "", {b.Add("Neg", "", {half})}), v})) ==
          "[12]");  // -floor(-23 / 2)
  }
  TEST_CASE("single sizes of partly known shapes are known") {
    GraphBuilder b(TestOps());
    const Output x = b.Placeholder("x", DataType::kFloat, {-1, 4});
    const Output shape = b.Add("Shape", "shape", {x});
    const Output sizes = b.Add("Unpack", "sizes", {shape}, {{"num", 2}});
    const Output v = b.Const("v", Tensor::Scalar(1.0f));
    CHECK(ShapeOf(b, b.Add("Fill", "", {b.Add("Pack", "", {sizes[1], sizes[0]}), v})) == "[4,?]");
    const Output doubled = b.Add("Mul", "", {sizes[1], Scalar(&b, 2)});
    CHECK(ShapeOf(b, b.Add("Fill", "", {b.Add("Pack", "", {doubled}), v})) == "[8]");
    CHECK(ShapeOf(b, b.Add("Fill", "", {b.Add("Pack", "", {b.Add("Size", "", {x})}), v})) == "[?]");
  }
  TEST_CASE("what may be fed or has state is not computed ahead") {
    GraphBuilder b(TestOps());
    const Output v = b.Const("v", Tensor::Scalar(1.0f));
    CHECK(ShapeOf(b, b.Add("Fill", "", {b.Add("Pack", "", {b.Add("RandomInt", "")}), v})) == "[?]");
    CHECK(ShapeOf(b, b.Add("Fill", "", {b.Placeholder("p", DataType::kInt32, {2}), v})) == "[?,?]");
    CHECK(ShapeOf(b, b.Add("Fill", "", {b.Placeholder("q", DataType::kInt32), v})) == "<unknown>");
    CHECK(ShapeOf(b, b.Add("Fill", "", {b.Placeholder("s", DataType::kInt32, PartialTensorShape(TensorShape{})), v}))
              .find("Shape must be rank 1 but is rank 0") == 0);
  }
  TEST_CASE("shapes held by a resource reach the nodes that read it") {
    GraphBuilder b(TestOps());
    const Output v = b.Add("VarHandleOp", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape{3, -1}}});
    CHECK(ShapeOf(b, b.Add("ReadVariableOp", "", {v}, {{"dtype", DataType::kFloat}})) == "[3,?]");
    CHECK(ShapeOf(b, b.Add("ReadVariableOp", "", {b.Add("Identity", "", {v})}, {{"dtype", DataType::kFloat}})) ==
          "[3,?]");
  }
  TEST_CASE("a node that is added again has what is known now, and nothing of before") {
    GraphBuilder b(TestOps());
    const Output v = b.Add("VarHandleOp", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape{3}}});
    b.Add("ReadVariableOp", "r", {b.Add("Identity", "i", {v})}, {{"dtype", DataType::kFloat}});
    Result<Graph> graph = Import(b);
    REQUIRE(graph.ok());
    ShapeRefiner refiner(&*graph);
    const int handle = graph->Find("v")->id, same = graph->Find("i")->id, read = graph->Find("r")->id;
    CHECK(refiner.Held({handle, 0}) == nullptr);  // not added yet
    CHECK(refiner.Held({-1, 0}) == nullptr);
    for (const std::int64_t size : {3, 4}) {
      graph->mutable_node(handle).def.attr.Set("shape", AttrValue(PartialTensorShape({size})));
      for (const int id : {handle, same, read}) REQUIRE(refiner.AddNode(id).ok());
      CHECK(graph->node(read).output_shape(0) == PartialTensorShape({size}));
      const SlimVector<ShapeRefiner::HeldTensor>* const held = refiner.Held({same, 0});
      REQUIRE(held != nullptr);
      CHECK(held->size() == 1);
      CHECK((*held)[0].shape == PartialTensorShape({size}));
      CHECK((*held)[0].dtype == DataType::kFloat);
    }
    refiner.SetHeld({same, 0}, {{PartialTensorShape({5}), DataType::kInt32}});
    CHECK((*refiner.Held({same, 0}))[0].shape == PartialTensorShape({5}));
    const ShapeRefiner::Handles handles = refiner.TakeHandles();
    CHECK((*ShapeRefiner::FindHeld(handles, {handle, 0}))[0].shape == PartialTensorShape({4}));
    CHECK(ShapeRefiner::FindHeld(handles, {read, 0}) == nullptr);
    CHECK(refiner.Held({same, 0}) == nullptr);
  }
  TEST_CASE("nodes and outputs that are not there are refused") {
    GraphBuilder b(TestOps());
    b.Placeholder("x", DataType::kFloat, {2, -1});
    Result<Graph> graph = Import(b);
    REQUIRE(graph.ok());
    ShapeRefiner refiner(&*graph);
    CHECK(refiner.AddNode(-1).code() == Code::kInvalidArgument);
    CHECK(refiner.AddNode(1).message() == "node 1 is out of range: the graph has 1 nodes");
    const PartialTensorShape shape({2, 5});
    CHECK(refiner.MergeOutputShape(7, 0, shape).message() == "output_port '0' is out of range, there is no node 7");
    CHECK(refiner.MergeOutputShape(0, 1, shape).message() == "output_port '1' is out of range, node 'x' has 1 outputs");
    CHECK(refiner.MergeOutputShape(0, -1, shape).code() == Code::kInvalidArgument);
    graph->mutable_node(0).output_shapes.clear();
    CHECK(refiner.MergeOutputShape(0, 0, shape).code() == Code::kInternal);
    REQUIRE(refiner.AddNode(0).ok());
    CHECK(refiner.MergeOutputShape(0, 0, PartialTensorShape({3, -1})).message() ==
          "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2,?] and [3,?].");
    CHECK(refiner.MergeOutputShape(0, 0, shape).ok());
    CHECK(graph->node(0).output_shape(0) == shape);
  }
  TEST_CASE("ops of well-known names with other arguments do no harm") {
    static constexpr auto kFill =
        Op("Fill").Input("dims: int32").Output("y: float").SetShapeFn(testing::ops::FillShape);
    static constexpr auto kVector = [](InferenceContext* c) -> Status {
      for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->Vector(2));
      return OkStatus();
    };
    static constexpr auto kCast = Op("Cast").Output("y: int32").SetShapeFn(kVector);
    static constexpr auto kShape =
        Op("Shape").Input("x: int32").Output("y: int32").Output("z: int32").SetShapeFn(kVector);
    static constexpr auto kSlice = Op("StridedSlice").Input("x: int32").Output("y: int32").SetShapeFn(kVector);
    static constexpr auto kPack = Op("Pack").Input("x: int32").Output("y: int32").SetShapeFn(kVector);
    static constexpr auto kConcat = Op("ConcatV2").Output("y: int32").SetShapeFn(kVector);
    static constexpr auto kVariable = Op("VariableShape").Output("y: int32").SetShapeFn(kVector);
    static constexpr OpView kViews[] = {kFill.view(), kCast.view(),   kShape.view(),   kSlice.view(),
                                        kPack.view(), kConcat.view(), kVariable.view()};
    OpRegistry registry;
    for (const OpView& view : kViews) REQUIRE(registry.Register(view).ok());
    GraphDef def;
    def.versions.producer = 1500;
    const auto add = [&def](std::string name, std::string op, std::initializer_list<std::string> inputs) {
      NodeDef& node = def.node.emplace_back();
      node.name = std::move(name);
      node.op = std::move(op);
      node.input = inputs;
    };
    add("cast", "Cast", {});
    add("shape", "Shape", {"cast"});
    add("slice", "StridedSlice", {"shape:1"});
    add("pack", "Pack", {"slice"});
    add("concat", "ConcatV2", {});
    add("variable", "VariableShape", {});
    int n = 0;
    for (const std::string of : {"cast", "shape:1", "slice", "concat", "variable"})
      add(StrCat("fill", n++), "Fill", {of});
    const Result<Graph> graph = ImportGraphDef(std::move(def), registry);
    REQUIRE_MESSAGE(graph.ok(), graph.status().message());
    for (int i = 0; i < n; ++i) CHECK(graph->Find(StrCat("fill", i))->output_shape(0).DebugString() == "[?,?]");
  }
  TEST_CASE("the sizes that a slice is known to have are its output's") {
    GraphBuilder b(TestOps());
    const Output x = b.Placeholder("x", DataType::kFloat, {-1, 4, 6});
    const Output batch = Range(&b, b.Add("Shape", "shape", {x}), 0, 1, true);
    const auto sliced = [&](Output size) { return ShapeOf(b, b.Add("Slice", "", {x, Vector(&b, {0, 0, 1}), size})); };
    CHECK(sliced(b.Add("Pack", "", {batch, Scalar(&b, 2), Scalar(&b, -1)})) == "[?,2,?]");
    CHECK(sliced(Vector(&b, {-1, 2, -1})) == "[?,2,5]");
    CHECK(sliced(b.Placeholder("sizes", DataType::kInt32, {3})) == "[?,?,?]");
    CHECK(sliced(b.Placeholder("any", DataType::kInt32, {-1})) == "[?,?,?]");
    CHECK(sliced(b.Add("Pack", "", {batch, Scalar(&b, 2)})).find("must be equal, but are 3 and 2") !=
          std::string::npos);
  }
  TEST_CASE("kernels of the runtime compute what the small evaluator does not") {
    struct Seven final : ConstantEvaluator {
      int calls = 0;
      bool Evaluate(const Node& node, Span<const Tensor> inputs, SlimVector<Tensor>* outputs) override {
        ++calls;
        CHECK(inputs.size() == node.inputs.size());
        outputs->push_back(Tensor::From<std::int32_t>({7, 7}, {2}));
        return node.op_name() == "IdentityN";
      }
    } seven;
    GraphBuilder b(TestOps());
    const Output odd = b.Add("IdentityN", "odd", {Vector(&b, {1})});
    const Output big = b.Add("AddN", "big", {Vector(&b, {1})});
    const Output v = b.Const("v", Tensor::Scalar(1.0f));
    CHECK(ShapeOf(b, b.Add("Fill", "", {odd, v})) == "[1]");  // the small evaluator knows IdentityN
    const Output half = b.Add("Cast", "", {b.Const("h", Tensor::Scalar(1.5))}, {{"DstT", DataType::kInt32}});
    CHECK(ShapeOf(b, b.Add("Fill", "", {b.Add("Pack", "", {half}), v}), &seven) == "[?]");
    CHECK(ShapeOf(b, b.Add("Fill", "", {big, v}), &seven) == "<unknown>");
    CHECK(seven.calls > 0);
  }
  TEST_CASE("a chain of a hundred thousand computed integers is followed without recursion") {
    GraphBuilder b(TestOps());
    Output x = Scalar(&b, 0);
    const Output one = Scalar(&b, 1);
    for (int i = 0; i < 100000; ++i) x = b.Add("AddV2", StrCat("n", i), {x, one});
    const Output filled = b.Add("Fill", "filled", {b.Add("Pack", "pack", {x}), b.Const("v", Tensor::Scalar(1.0f))});
    CHECK(ShapeOf(b, filled) == "[100000]");
  }
  TEST_CASE("a chain of slices is followed as far as the stack allows") {
    GraphBuilder b(TestOps());
    Output s = b.Add("Shape", "shape", {b.Placeholder("x", DataType::kFloat, {7, -1})});
    for (int i = 0; i < 900; ++i) s = Range(&b, s, 0, 1);
    const Output filled = b.Add("Fill", "filled", {s, b.Const("v", Tensor::Scalar(1.0f))});
    std::string small;
    sized_thread::OnStackOf(std::size_t{128} << 10, [&] { small = ShapeOf(b, filled); });
    CHECK(small == "[?]");
    std::string large;
    sized_thread::OnStackOf(std::size_t{16} << 20, [&] { large = ShapeOf(b, filled); });
    CHECK(large == "[7]");
  }
  TEST_CASE("slices of concatenations that double at every step end") {
    GraphBuilder b(TestOps());
    Output s = b.Add("Shape", "shape", {b.Placeholder("x", DataType::kFloat, {-1})});
    const Output zero = Scalar(&b, 0);
    for (int i = 0; i < 60; ++i) s = Range(&b, b.Add("ConcatV2", "", {{s, s}, zero}), 0, 1);
    CHECK(ShapeOf(b, b.Add("Fill", "filled", {s, b.Const("v", Tensor::Scalar(1.0f))})) == "[?]");
  }
}
}  // namespace shape_refiner_test
