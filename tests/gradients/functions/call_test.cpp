// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/call.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>
#include <tenon/gradients/functions/binary.hpp>
#include <tenon/gradients/functions/unary.hpp>

#include "gradients/central_differences.hpp"

namespace call_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of calls and branches") {
  // f(x) = x * tanh(x), g(x) = x^2, as functions of a library.
  FunctionDef Function(const std::string& name, bool square) {
    FunctionDef f;
    f.signature.name = name;
    f.signature.input_arg.emplace_back().name = "x";
    f.signature.input_arg[0].type = DataType::kFloat;
    f.signature.output_arg.emplace_back().name = "y";
    f.signature.output_arg[0].type = DataType::kFloat;
    const auto add = [&f](const char* node, const char* op, SlimVector<std::string> inputs) {
      NodeDef& def = f.node_def.emplace_back();
      def.name = node;
      def.op = op;
      def.input = inputs;
      def.attr.Set("T", AttrValue(DataType::kFloat));
    };
    if (square) {
      add("sq", "Square", {"x"});
      f.ret.emplace_back("y", "sq:y:0");
    } else {
      add("t", "Tanh", {"x"});
      add("m", "Mul", {"x", "t:y:0"});
      f.ret.emplace_back("y", "m:z:0");
    }
    return f;
  }

  TEST_CASE("PartitionedCall") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {3});
    const Output y =
        b.Add("PartitionedCall", "y", {x},
              {{"f", AttrValue(NameAttrList{"f", {}})}, {"Tout", AttrValue(std::vector<DataType>{DataType::kFloat})}});
    REQUIRE(b.status().ok());
    GraphDef graph = b.graph_def();
    graph.library.function.push_back(Function("f", false));
    CHECK(GradientError(graph, b.Name(y), {{"x", RandomTensor({3})}}) == "");
  }
  TEST_CASE("only arguments whose gradient is read have one") {
    // y = f(a, b) = a * tanh(b), derived by a alone: the gradient of tanh is not computed.
    FunctionDef f = Function("f", false);
    f.signature.input_arg[0].name = "a";
    f.signature.input_arg.emplace_back(f.signature.input_arg[0]).name = "b";
    f.node_def[0].input = {"b"};
    f.node_def[1].input = {"a", "t:y:0"};
    GraphBuilder b;
    const Output a = b.Placeholder("a", DataType::kFloat, {3}), frozen = b.Placeholder("frozen", DataType::kFloat, {3});
    b.Add("PartitionedCall", "y", {a, frozen},
          {{"f", AttrValue(NameAttrList{"f", {}})}, {"Tout", AttrValue(std::vector<DataType>{DataType::kFloat})}});
    REQUIRE(b.status().ok());
    for (const bool both : {false, true}) {
      GraphDef graph = b.graph_def();
      graph.library.function.push_back(f);
      const std::vector<std::string> ys{"y"}, all{"a", "frozen"}, xs(all.begin(), all.end() - (both ? 0 : 1));
      REQUIRE(AddGradients(&graph, ys, xs).ok());
      const FunctionDef& backward = graph.library.function.back();
      CHECK(backward.signature.name.starts_with("__backward_f"));
      CHECK(backward.signature.output_arg.size() == xs.size());
      bool tanh = false;
      for (const NodeDef& node : backward.node_def) tanh = tanh || node.op == "TanhGrad";
      CHECK(tanh == both);
    }
    GraphDef graph = b.graph_def();
    graph.library.function.push_back(f);
    CHECK(GradientError(graph, "y", {{"a", RandomTensor({3})}}, {{"frozen", RandomTensor({3})}}) == "");
  }
  TEST_CASE("a function whose inner tensors no gradient reads stays as it is") {
    // The gradient of x^2 reads x, that of x * tanh(x) reads the tanh, too.
    for (const bool square : {true, false}) {
      GraphBuilder b;
      b.Add("PartitionedCall", "y", {b.Placeholder("x", DataType::kFloat, {3})},
            {{"f", AttrValue(NameAttrList{"f", {}})}, {"Tout", AttrValue(std::vector<DataType>{DataType::kFloat})}});
      REQUIRE(b.status().ok());
      GraphDef graph = b.graph_def();
      graph.library.function.push_back(Function("f", square));
      const std::vector<std::string> ys{"y"}, xs{"x"};
      REQUIRE(AddGradients(&graph, ys, xs).ok());
      CHECK(graph.library.function.size() == (square ? 2 : 3));
      for (const NodeDef& node : graph.node)
        if (node.name == "y") CHECK((node.attr.Find("f")->func().name == "f") == square);
    }
  }
  TEST_CASE("an argument that nothing flows through is unconnected") {
    FunctionDef f = Function("f", false);
    f.node_def[0].op = "Floor";
    f.node_def[1].input = {"t:y:0", "t:y:0"};
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {3});
    b.Add("PartitionedCall", "y", {x},
          {{"f", AttrValue(NameAttrList{"f", {}})}, {"Tout", AttrValue(std::vector<DataType>{DataType::kFloat})}});
    REQUIRE(b.status().ok());
    GraphDef graph = b.graph_def();
    graph.library.function.push_back(f);
    const std::vector<std::string> ys{"y"}, xs{"x"};
    const auto names = AddGradients(&graph, ys, xs);
    REQUIRE_MESSAGE(names.ok(), names.status().ToString());
    CHECK(!(*names)[0].connected());
  }
  TEST_CASE("If, both ways") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {3}), p = b.Placeholder("p", DataType::kBool, TensorShape());
    const Output y = b.Add("StatelessIf", "y", {p, {x}},
                           {{"then_branch", AttrValue(NameAttrList{"f", {}})},
                            {"else_branch", AttrValue(NameAttrList{"g", {}})},
                            {"Tout", AttrValue(std::vector<DataType>{DataType::kFloat})}});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    GraphDef graph = b.graph_def();
    graph.library.function.push_back(Function("f", false));
    graph.library.function.push_back(Function("g", true));
    for (const bool then : {false, true})
      CHECK(GradientError(graph, b.Name(y), {{"x", RandomTensor({3})}}, {{"p", Tensor::Scalar(then)}}) == "");
  }
  TEST_CASE("a gradient that the library names is called") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {3});
    b.Add("PartitionedCall", "y", {x},
          {{"f", AttrValue(NameAttrList{"f", {}})}, {"Tout", AttrValue(std::vector<DataType>{DataType::kFloat})}});
    GraphDef graph = b.graph_def();
    graph.library.function.push_back(Function("f", false));
    graph.library.gradient.push_back({"f", "given"});
    const std::vector<std::string> ys{"y"}, xs{"x"};
    FunctionDef given = Function("given", true);
    OpDef::ArgDef dy = given.signature.input_arg[0];
    dy.name = "dy";
    given.signature.input_arg.push_back(dy);
    graph.library.function.push_back(given);
    const auto names = AddGradients(&graph, ys, xs);
    REQUIRE_MESSAGE(names.ok(), names.status().ToString());
    const auto session = Session::FromGraphDef(graph);
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    const auto got = session->Run({{"x", Tensor::From<float>({1, 2, 3}, {3})}}, {(*names)[0].tensor + ":0"}, {});
    REQUIRE_MESSAGE(got.ok(), got.status().ToString());
    CHECK((*got)[0].data<float>()[2] == 9);
  }
}

}  // namespace call_gradient_test
