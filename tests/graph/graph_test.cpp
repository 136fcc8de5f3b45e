// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/graph.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <tenon/base/str.hpp>

#include "test_ops.hpp"

namespace graph_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
// x -> neg -> sum(neg, x), and a NoOp that waits for sum.
Graph Small() {
  Graph graph;
  const DataType f = DataType::kFloat;
  CHECK(graph.AddNode(MakeNode("x", "Placeholder"), &ops::kPlaceholder, {}, std::vector{f}).value() == 0);
  CHECK(graph.AddNode(MakeNode("neg", "Neg"), &ops::kNeg, std::vector{f}, std::vector{f}).value() == 1);
  CHECK(graph.AddNode(MakeNode("sum", "AddV2"), &ops::kAddV2, std::vector{f, f}, std::vector{f}).value() == 2);
  CHECK(graph.AddNode(MakeNode("done", "NoOp"), &ops::kNoOp, {}, {}).value() == 3);
  CHECK(graph.AddEdge(0, 0, 1, 0).ok());
  CHECK(graph.AddEdge(1, 0, 2, 0).ok());
  CHECK(graph.AddEdge(0, 0, 2, 1).ok());
  graph.AddControlEdge(2, 3);
  return graph;
}
}  // namespace

TEST_SUITE("Graph") {
  TEST_CASE("parses tensor names as TensorFlow does") {
    CHECK(ParseTensorName("a") == TensorName{"a", 0});
    CHECK(ParseTensorName("a:0") == TensorName{"a", 0});
    CHECK(ParseTensorName("scope/a:12") == TensorName{"scope/a", 12});
    CHECK(ParseTensorName("^a") == TensorName{"a", kControlSlot});
    CHECK(ParseTensorName("^a:1") == TensorName{"^a", 1});
    CHECK(ParseTensorName("a:") == TensorName{"a:", 0});
    CHECK(ParseTensorName(":0") == TensorName{":0", 0});
    CHECK(ParseTensorName("a1") == TensorName{"a1", 0});
    CHECK(ParseTensorName("12") == TensorName{"12", 0});
    CHECK(ParseTensorName("x:a") == TensorName{"x:a", 0});
    CHECK(ParseTensorName("") == TensorName{"", 0});
    CHECK(ParseTensorName("x:99999999999999999999").output == std::numeric_limits<int>::max());
  }

  TEST_CASE("connects nodes in both directions") {
    const Graph graph = Small();
    CHECK(graph.num_nodes() == 4);
    CHECK(graph.Find("sum")->inputs == InlinedVector<InEdge, 4>{{1, 0}, {0, 0}});
    CHECK(graph.Find("x")->outputs == InlinedVector<OutEdge, 4>{{1, 0, 0}, {2, 1, 0}});
    CHECK(graph.Find("sum")->outputs == InlinedVector<OutEdge, 4>{{3, kControlSlot, kControlSlot}});
    CHECK(graph.Find("done")->control_inputs == InlinedVector<int, 4>{2});
    CHECK(graph.Find("nothing") == nullptr);
    CHECK(graph.node(0).node_class == NodeClass::kPlaceholder);
    CHECK(graph.node(0).output_shape(0).unknown_rank());
    CHECK(&graph.node(0).output_shape(0) == &graph.node(1).output_shape(7));  // one object for all that is not known
  }
  TEST_CASE("tells attrs beside those of the op") {
    Graph graph = Small();
    const std::size_t known = graph.node(1).op->attrs.size();
    CHECK_FALSE(graph.node(1).HasOtherAttrs());
    for (std::size_t i = 0; i < known; ++i) graph.mutable_node(1).def.attr.Set(StrCat("attr_", i), AttrValue(1));
    CHECK_FALSE(graph.node(1).HasOtherAttrs());
    graph.mutable_node(1).def.attr.Set("_class", AttrValue(std::vector<std::string>{"loc:@x"}));
    CHECK(graph.node(1).HasOtherAttrs());
  }
  TEST_CASE("takes the class of an op from a caller that knows it") {
    Graph graph;
    CHECK(graph.AddNode(MakeNode("x", "Neg"), &ops::kNeg, NodeClass::kConstant, {}, {}).value() == 0);
    CHECK(graph.node(0).node_class == NodeClass::kConstant);
  }

  TEST_CASE("keeps control inputs sorted by name and each only once") {
    Graph graph = Small();
    const int last = graph.AddNode(MakeNode("last", "NoOp"), &ops::kNoOp, {}, {}).value();
    for (const int src : {0, 3, 1, 0, 3}) graph.AddControlEdge(src, last);
    CHECK(graph.node(last).control_inputs == InlinedVector<int, 4>{3, 1, 0});  // done, neg, x
    CHECK(graph.node(3).outputs.size() == 1);
  }

  TEST_CASE("refuses edges that cannot be") {
    Graph graph = Small();
    const int ints =
        graph.AddNode(MakeNode("ints", "RandomInt"), &ops::kRandomInt, {}, std::vector{DataType::kInt32}).value();
    CHECK(graph.AddEdge(ints, 0, 1, 0).message() ==
          "Input 0 of node neg was passed int32 from ints:0 incompatible with expected float.");
    CHECK(graph.AddEdge(0, 1, 1, 0).message() == "Output 1 of node x does not exist. Node only has 1 outputs.");
    CHECK(graph.AddEdge(0, 0, 1, 1).message() == "Input 1 of node neg does not exist. Node only has 1 inputs.");
    const Status taken = graph.AddNode(MakeNode("neg", "NoOp"), &ops::kNoOp, {}, {}).status();
    CHECK(taken.code() == Code::kInvalidArgument);
    CHECK(taken.message() == "Node 'neg' is not unique");
    CHECK(graph.num_nodes() == 5);
  }

  TEST_CASE("finds every node of many, and survives being moved") {
    Graph graph;
    for (int i = 0; i < 3000; ++i) CHECK(graph.AddNode(MakeNode(StrCat("n", i), "NoOp"), &ops::kNoOp, {}, {}).ok());
    const Graph moved = std::move(graph);
    for (int i = 0; i < 3000; ++i) REQUIRE(moved.Find(StrCat("n", i))->id == i);
    CHECK(moved.Find("n3000") == nullptr);
  }

  TEST_CASE("makes names that no node has") {
    Graph graph = Small();
    const std::string first = graph.NewName("x");
    CHECK(first == "x/_0");
    CHECK(graph.AddNode(MakeNode("x/_1", "NoOp"), &ops::kNoOp, {}, {}).ok());
    CHECK(graph.NewName("x") == "x/_2");
  }

  TEST_CASE("writes data inputs in slot order and control inputs last, sorted") {
    Graph graph = Small();
    graph.AddControlEdge(3, 2);
    graph.AddControlEdge(1, 2);
    graph.mutable_versions().producer = 7;
    const GraphDef def = graph.ToGraphDef();
    CHECK(def.node[2].input == std::vector<std::string>{"neg", "x", "^done", "^neg"});
    CHECK(def.versions.producer == 7);
  }

  TEST_CASE("an assigned device takes the place of the one asked for when the graph is written") {
    Graph graph = Small();
    graph.mutable_node(0).def.device = "/device:GPU:0";
    CHECK(graph.assigned_device_name(0) == "");
    CHECK(graph.AssignDevice(0, "/job:a/replica:0/task:0/device:CPU:0").ok());
    CHECK(graph.AssignDevice(1, "/job:a/replica:0/task:0/device:CPU:0").ok());
    CHECK(graph.node(0).assigned_device == graph.node(1).assigned_device);
    CHECK(graph.ToGraphDef().node[0].device == "/job:a/replica:0/task:0/device:CPU:0");
    CHECK(graph.AssignDevice(0, "").ok());
    CHECK(graph.ToGraphDef().node[0].device == "/device:GPU:0");
  }

  TEST_CASE("suggests the nearest names of nodes") {
    CHECK(Small().DidYouMeanNode("sun") == "; did you mean 'sum'?");
    CHECK(Small().DidYouMeanNode("something/else") == "; the graph's inputs and outputs are 'x', 'done'");
    CHECK(Graph().DidYouMeanNode("x") == "");
    Graph many;
    for (int i = 0; i < 9; ++i) CHECK(many.AddNode(MakeNode(StrCat("n", i), "NoOp"), &ops::kNoOp, {}, {}).ok());
    CHECK(many.DidYouMeanNode("something/else") ==
          "; the graph's inputs and outputs are 'n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7', ...");
    SlimVector<std::string_view> names;
    CHECK(detail::SuggestOrList("x", names) == "; it has none");
    for (const char* name : {"alpha", "beta", "gamma", "delta", "eps", "zeta", "eta", "theta"}) names.push_back(name);
    CHECK(detail::SuggestOrList("alpa", names) == "; did you mean 'alpha'?");
    CHECK(detail::SuggestOrList("something", names) ==
          "; there are 'alpha', 'beta', 'gamma', 'delta', 'eps', 'zeta', 'eta', 'theta'");
    names.push_back("iota");
    CHECK(detail::SuggestOrList("something", names).ends_with("'theta', ..."));
    std::string missing, hints;
    for (const char* name : {"sun", "some", "sun/2"})
      detail::NameMissing(name, Small().DidYouMeanNode(name), &missing, &hints);
    CHECK(missing == "\"sun\" \"some\" \"sun/2\"");
    CHECK(hints == "; did you mean 'sum'?; the graph's inputs and outputs are 'x', 'done'");
  }

  TEST_CASE("knows the ops that the runtime treats specially") {
    CHECK(NodeClassOf("Const") == NodeClass::kConstant);
    CHECK(NodeClassOf("RefNextIteration") == NodeClass::kNextIteration);
    CHECK(NodeClassOf("MatMul") == NodeClass::kOther);
    CHECK(NodeClassOf("NoOp") == NodeClass::kNoOp);
    CHECK(IsControlFlow(NodeClassOf("Switch")));
    CHECK(IsControlFlow(NodeClassOf("NextIteration")));
    CHECK_FALSE(IsControlFlow(NodeClassOf("LoopCond")));
    CHECK_FALSE(IsControlFlow(NodeClassOf("Identity")));
  }
}
}  // namespace graph_test
