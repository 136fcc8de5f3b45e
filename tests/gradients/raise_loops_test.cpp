// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/raise_loops.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/gradients.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

#include "gradients/central_differences.hpp"

namespace raise_loops_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
NodeDef Node1(const char* name, const char* op, SlimVector<std::string> inputs, DataType type) {
  NodeDef node;
  node.name = name;
  node.op = op;
  node.input = inputs;
  if (type != DataType::kInvalid) node.attr.Set("T", AttrValue(type));
  if (node.op == "Enter") node.attr.Set("frame_name", AttrValue("loop"));
  return node;
}
// i = 0; while (i < 3) { i = i + 1; x = x * tanh(x) + w; }
GraphDef Loop() {
  GraphBuilder b;
  b.Placeholder("x", DataType::kFloat, {2});
  b.Placeholder("w", DataType::kFloat, {2});
  b.Const("zero", Tensor::Scalar(0));
  b.Const("three", Tensor::Scalar(3));
  b.Const("one", Tensor::Scalar(1));
  GraphDef g = b.graph_def();
  constexpr DataType kInt = DataType::kInt32, kFloat = DataType::kFloat;
  for (const NodeDef& node :
       {Node1("ei", "Enter", {"zero"}, kInt), Node1("ex", "Enter", {"x"}, kFloat), Node1("ew", "Enter", {"w"}, kFloat),
        Node1("e3", "Enter", {"three"}, kInt), Node1("e1", "Enter", {"one"}, kInt),
        Node1("mi", "Merge", {"ei", "ni"}, kInt), Node1("mx", "Merge", {"ex", "nx"}, kFloat),
        Node1("less", "Less", {"mi", "e3"}, kInt), Node1("cond", "LoopCond", {"less"}, DataType::kInvalid),
        Node1("si", "Switch", {"mi", "cond"}, kInt), Node1("sx", "Switch", {"mx", "cond"}, kFloat),
        Node1("ai", "AddV2", {"si:1", "e1"}, kInt), Node1("t", "Tanh", {"sx:1"}, kFloat),
        Node1("m", "Mul", {"sx:1", "t"}, kFloat), Node1("a", "AddV2", {"m", "ew"}, kFloat),
        Node1("ni", "NextIteration", {"ai"}, kInt), Node1("nx", "NextIteration", {"a"}, kFloat),
        Node1("y", "Exit", {"sx"}, kFloat)}) {
    g.node.push_back(node);
    if (node.op == "Enter" && node.name != "ei" && node.name != "ex")
      g.node.back().attr.Set("is_constant", AttrValue(true));
    if (node.op == "Merge") g.node.back().attr.Set("N", AttrValue(2));
  }
  return g;
}
}  // namespace

TEST_SUITE("RaiseLoops") {
  TEST_CASE("a loop of TensorFlow 1 becomes a While with the same result") {
    GraphDef graph = Loop();
    REQUIRE(RaiseLoops(&graph, &graph.library, Registry::Global().ops(), {}).ok());
    CHECK_FALSE(detail::HasLoops(graph));
    CHECK(graph.library.function.size() == 2);
    const std::vector<NamedTensor> feeds{{"x", RandomTensor({2})}, {"w", RandomTensor({2}, -1, 1, 2)}};
    std::vector<Tensor> results;
    for (const GraphDef& g : {Loop(), graph}) {
      const auto session = Session::FromGraphDef(g);
      REQUIRE_MESSAGE(session.ok(), session.status().ToString());
      const std::vector<std::string> fetch{"y"};
      const auto got = session->Run(feeds, fetch, {});
      REQUIRE_MESSAGE(got.ok(), got.status().ToString());
      results.push_back((*got)[0]);
    }
    for (int i = 0; i < 2; ++i) CHECK(results[0].data<float>()[i] == results[1].data<float>()[i]);
  }
  TEST_CASE("an invariant that nothing flows through is unconnected") {
    GraphDef graph = Loop();
    for (NodeDef& node : graph.node)  // x = x * tanh(x) + floor(w)
      if (node.name == "a") node.input[1] = "f";
    graph.node.push_back(Node1("f", "Floor", {"ew"}, DataType::kFloat));
    const std::vector<std::string> ys{"y"}, xs{"x", "w"};
    const auto names = AddGradients(&graph, ys, xs);
    REQUIRE_MESSAGE(names.ok(), names.status().ToString());
    CHECK((*names)[0].connected());
    CHECK(!(*names)[1].connected());
  }
  TEST_CASE("its gradient is that of central differences") {
    CHECK(GradientError(Loop(), "y", {{"x", RandomTensor({2})}, {"w", RandomTensor({2}, -1, 1, 2)}}) == "");
  }
}

}  // namespace raise_loops_test
