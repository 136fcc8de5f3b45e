// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/constant_values.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/graph/builder.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/shapes.hpp>

#include "test_ops.hpp"

namespace constant_values_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
// The value of an output as text, "none", or the error.
std::string ValueOf(const GraphBuilder& b, Output output, ConstantEvaluator* evaluator = nullptr) {
  REQUIRE_MESSAGE(b.status().ok(), b.status().message());
  GraphDef def = b.graph_def();
  const Result<Graph> graph = ImportGraphDef(std::move(def), TestOps());
  REQUIRE_MESSAGE(graph.ok(), graph.status().message());
  ConstantValues values(&*graph, evaluator);
  Tensor value;
  bool known = false;
  const InEdge edge{graph->Find(ParseTensorName(b.Name(output)).node)->id, output.index};
  const Status status = values.Find(edge, &value, &known);
  if (!status.ok()) return std::string(status.message());
  return known ? value.SummarizeValue(20) : "none";
}
}  // namespace

TEST_SUITE("ConstantValues") {
  TEST_CASE("finds constants and what is computed from them") {
    GraphBuilder b(TestOps());
    const Output two = b.Const("two", Tensor::Scalar(2)), three = b.Const("three", Tensor::Scalar(3));
    const Output six = b.Add("Mul", "six", {two, three});
    CHECK(ValueOf(b, two) == "2");
    CHECK(ValueOf(b, b.Add("Pack", "", {six, b.Add("Neg", "", {six})})) == "6 -6");
    CHECK(ValueOf(b, b.Const("", Tensor::Scalar(1.5f))) == "1.5");
  }
  TEST_CASE("computes integers alone without an evaluator") {
    GraphBuilder b(TestOps());
    const Output half = b.Const("half", Tensor::Scalar(0.5f));
    const Output one = b.Add("Mul", "one", {half, half});
    CHECK(ValueOf(b, one) == "none");
    CHECK(ValueOf(b, b.Add("Shape", "", {one})) == "");  // a scalar's shape needs no value
  }
  TEST_CASE("finds what shapes alone say") {
    GraphBuilder b(TestOps());
    const Output known = b.Placeholder("known", DataType::kFloat, {2, 5});
    const Output partly = b.Placeholder("partly", DataType::kFloat, {-1, 5});
    CHECK(ValueOf(b, b.Add("Shape", "", {known})) == "2 5");
    CHECK(ValueOf(b, b.Add("Size", "", {known}, {{"out_type", DataType::kInt64}})) == "10");
    const Output shape = b.Add("Shape", "shape", {partly});
    CHECK(ValueOf(b, shape) == "none");
    const Output sizes = b.Add("Unpack", "sizes", {shape}, {{"num", 2}});
    CHECK(ValueOf(b, sizes[0]) == "none");
    CHECK(ValueOf(b, sizes[1]) == "5");
  }
  TEST_CASE("a size that its int32 cannot hold is an error") {
    GraphBuilder b(TestOps());
    const Output big = b.Placeholder("big", DataType::kFloat, {std::int64_t{1} << 40});
    CHECK(ValueOf(b, b.Add("Size", "", {big})) == "Value is out of int32 range: 1099511627776");
    CHECK(ValueOf(b, b.Add("Size", "", {big}, {{"out_type", DataType::kInt64}})) == "1099511627776");
  }
  TEST_CASE("what may be fed, has state or depends on such has no value") {
    GraphBuilder b(TestOps());
    const Output fed = b.Placeholder("fed", DataType::kInt32, PartialTensorShape(TensorShape{}));
    const Output one = b.Const("one", Tensor::Scalar(1));
    CHECK(ValueOf(b, fed) == "none");
    CHECK(ValueOf(b, b.Add("AddV2", "", {one, fed})) == "none");
    CHECK(ValueOf(b, b.Add("AddV2", "", {one, b.Add("RandomInt", "")})) == "none");
  }
  TEST_CASE("asks the evaluator for the rest, with all inputs") {
    struct Half final : ConstantEvaluator {
      int calls = 0;
      bool Evaluate(const Node& node, Span<const Tensor> inputs, SlimVector<Tensor>* outputs) override {
        ++calls;
        if (node.op_name() != "Neg") return false;
        outputs->push_back(Tensor::Scalar(-*inputs[0].data<float>()));
        return true;
      }
    } half;
    GraphBuilder b(TestOps());
    const Output x = b.Const("x", Tensor::Scalar(1.5f));
    const Output twice = b.Add("Neg", "", {b.Add("Neg", "", {x})});
    CHECK(ValueOf(b, twice) == "none");
    CHECK(ValueOf(b, twice, &half) == "1.5");
    CHECK(half.calls == 2);
    CHECK(ValueOf(b, b.Add("AddN", "", {twice}), &half) == "none");
  }
  TEST_CASE("a constant that the file holds badly is an error only where its value is wanted") {
    GraphDef def = MakeGraph({MakeInput("x"), MakeNode("bad", "Placeholder", {}, {{"dtype", DataType::kInt32}})});
    Graph graph = ImportGraphDef(std::move(def), TestOps()).value();
    Node& bad = graph.mutable_node(1);
    bad.node_class = NodeClass::kConstant;
    bad.def.attr.Set("value", AttrValue::UndecodedTensor("", errors::InvalidArgument("too short")));
    ConstantValues values(&graph);
    Tensor value;
    bool known = false;
    CHECK(values.Find({1, 0}, &value, &known).message() == "Unable to evaluate a constant node");
    CHECK(values.Find({0, 0}, &value, &known).ok());
    CHECK_FALSE(known);
  }
}
}  // namespace constant_values_test
