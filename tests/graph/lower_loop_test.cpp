// SPDX-License-Identifier: Apache-2.0
// The shape of lowered loops; that they compute the same is what tests/ops/flow/functional_test.cpp and
// tenon_golden --lowered show.
#include <tenon/graph/lower_loop.hpp>

#include <string>
#include <string_view>
#include <utility>

#include <tenon/graph/control_flow.hpp>
#include <tenon/graph/lower_functional.hpp>

#include <doctest/doctest.h>

#include "graph/flow_ops.hpp"
#include "graph/function_graphs.hpp"

namespace lower_loop_test {
using namespace tenon;
using function_test::Call;
using function_test::Floats;
using testing::FlowOps;
using testing::MakeFloat;
using testing::MakeGraph;
using testing::MakeInput;

namespace {

using Types = SlimVector<DataType>;
const AttrValue kFloatType(DataType::kFloat);

NodeDef Body(std::string name, std::string op, std::initializer_list<std::string> inputs) {
  return function_test::MakeNode(std::move(name), std::move(op), inputs, {{"T", kFloatType}});
}
NodeDef MakeWhile(std::initializer_list<std::string> inputs, Types types = {DataType::kFloat}) {
  return testing::MakeNode("loop", "While", inputs,
                           {{"T", AttrValue(std::move(types))},
                            {"cond", Call("cond")},
                            {"body", Call("body")},
                            {"parallel_iterations", AttrValue(std::int64_t{7})},
                            {"_lower_using_switch_merge", AttrValue(true)}});
}
NodeDef MakeFor(std::initializer_list<std::string> inputs, Types types) {
  return testing::MakeNode(
      "loop", "For", inputs,
      {{"T", AttrValue(std::move(types))}, {"body", Call("body")}, {"_lower_using_switch_merge", AttrValue(true)}});
}
NodeDef MakeInt(std::string name) {
  return testing::MakeNode(std::move(name), "Placeholder", {}, {{"dtype", AttrValue(DataType::kInt32)}});
}
NodeDef MakeVariable() {
  return testing::MakeNode("v", "VarHandleOp", {}, {{"dtype", kFloatType}, {"shape", AttrValue(PartialTensorShape())}});
}
FunctionDef Below() {
  return Floats(
      "cond", {"x"},
      {function_test::MakeNode("c", "Const", {}, {{"dtype", kFloatType}, {"value", AttrValue(Tensor::Scalar(9.0f))}}),
       Body("l", "Less", {"x", "c:output:0"})},
      "l:z:0", DataType::kBool);
}
FunctionDef Next() { return Floats("body", {"x"}, {Body("s", "AddV2", {"x", "x"})}, "s:z:0"); }
// body(i, x) of a For.
FunctionDef NextOfFor() {
  FunctionDef f = Next();
  f.signature.input_arg.insert(f.signature.input_arg.begin(), function_test::Arg("i", DataType::kInt32));
  return f;
}
void AddResource(FunctionDef* f, bool result) {
  f->signature.input_arg.push_back(function_test::Arg("v", DataType::kResource));
  if (!result) return;
  f->signature.output_arg.push_back(function_test::Arg("w", DataType::kResource));
  f->ret.push_back({"w", "v"});
}

Graph Lowered(GraphDef def, const OpRegistry& registry = FlowOps()) {
  ImportOptions options;
  options.allow_internal_ops = true;
  Result<Graph> graph = ImportGraphDef(std::move(def), registry, options);
  REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
  const Status status = LowerFunctionalOps(&*graph, graph->library(), registry);
  REQUIRE_MESSAGE(status.ok(), status.ToString());
  return std::move(*graph);
}
const Node& Input(const Graph& graph, const Node& node, int i) { return graph.node(node.input(i).node); }
const Node& Control(const Graph& graph, const Node& node) {
  REQUIRE(node.control_inputs.size() == 1);
  return graph.node(node.control_inputs[0]);
}
// The one node of an op with that in its name.
const Node& Find(const Graph& graph, std::string_view op, std::string_view part) {
  const Node* found = nullptr;
  for (const Node& node : graph.nodes()) {
    if (node.op_name() != op || node.name().find(part) == std::string_view::npos) continue;
    CHECK_MESSAGE(found == nullptr, "several ", part);
    found = &node;
  }
  REQUIRE_MESSAGE(found != nullptr, part);
  return *found;
}
int Count(const Graph& graph, std::string_view op) {
  int count = 0;
  for (const Node& node : graph.nodes()) count += node.op_name() == op ? 1 : 0;
  return count;
}
ControlFlowFrames FramesOf(const Graph& graph) {
  const SlimVector<char> all(static_cast<std::size_t>(graph.num_nodes()), 1);
  Result<ControlFlowFrames> frames = FindFrames(graph, all, {});
  REQUIRE_MESSAGE(frames.ok(), frames.status().ToString());
  return *std::move(frames);
}

}  // namespace

TEST_SUITE("LoopLowering") {
  TEST_CASE("While: a frame of the loop's name, its constants inside") {
    GraphDef def = MakeGraph({MakeInput("a"), MakeInput("b"), MakeWhile({"a", "^b"}), MakeFloat("y", "Neg", {"loop"}),
                              MakeFloat("z", "Neg", {"a", "^loop"})});
    def.library.function = {Below(), Next()};
    const Graph g = Lowered(std::move(def));
    const Node& enter = Find(g, "Enter", "loop/enter");
    CHECK(enter.def.attr.Find("frame_name")->s() == "loop");
    CHECK(enter.def.attr.Find("parallel_iterations")->i() == 7);
    CHECK_FALSE(enter.def.attr.Find("is_constant")->b());
    REQUIRE(enter.control_inputs.size() == 1);
    CHECK(StartsWith(g.node(enter.control_inputs[0]).name(), "loop/LoopControlInputs"));
    const Node& merge = Find(g, "Merge", "loop/merge");
    const Node& next = Find(g, "NextIteration", "loop/next_iteration");
    CHECK(merge.input(0).node == enter.id);
    CHECK(merge.input(1).node == next.id);
    CHECK(next.control_inputs.size() == 1);
    const Node& exit = Find(g, "Exit", "loop/exit");
    CHECK(Input(g, *g.Find("y"), 0).name() == exit.name());
    CHECK(StartsWith(g.node(g.Find("z")->control_inputs[0]).name(), "loop/LoopExecuted"));
    const ControlFlowFrames frames = FramesOf(g);
    REQUIRE(frames.frames.size() == 2);
    CHECK(frames.frames[1].loop_cond == Find(g, "LoopCond", "loop/LoopCond").id);
    CHECK(frames.frame_of[static_cast<std::size_t>(Find(g, "Const", "loop/cond").id)] == 1);
  }

  TEST_CASE("While: a resource enters once and is read from where it came") {
    FunctionDef cond = Below(), body = Next();
    AddResource(&cond, false);
    AddResource(&body, true);
    GraphDef def =
        MakeGraph({MakeInput("a"), MakeVariable(), MakeWhile({"a", "v"}, {DataType::kFloat, DataType::kResource}),
                   testing::MakeNode("read", "ReadVariableOp", {"loop:1"}, {{"dtype", kFloatType}})});
    def.library.function = {cond, body};
    const Graph g = Lowered(std::move(def));
    CHECK(Count(g, "Enter") == 2);
    CHECK(Count(g, "Exit") == 1);
    CHECK(Count(g, "NextIteration") == 1);
    CHECK(Input(g, *g.Find("read"), 0).name() == "v");
    const Node& kept = *g.Find("loop");
    CHECK(kept.op_name() == "IdentityN");
    CHECK(Input(g, kept, 1).name() == "v");
  }

  TEST_CASE("For: a counter of 64 bits goes round before the variables, end and step only enter") {
    GraphDef def = MakeGraph({MakeInt("s"), MakeInt("l"), MakeInt("d"), MakeInput("a"), MakeInput("b"),
                              MakeFor({"s", "l", "d", "a", "^b"}, {DataType::kFloat}), MakeFloat("y", "Neg", {"loop"}),
                              MakeFloat("z", "Neg", {"a", "^loop"})});
    def.library.function = {NextOfFor()};
    const Graph g = Lowered(std::move(def));
    CHECK(Count(g, "For") == 0);
    CHECK(Count(g, "StatefulPartitionedCall") == 0);
    CHECK(Count(g, "Enter") == 4);
    CHECK(Count(g, "Merge") == 2);
    const Node& more = Find(g, "NotEqual", "loop/cond");
    CHECK(Find(g, "LoopCond", "loop/LoopCond").input(0).node == more.id);
    CHECK(more.def.attr.Find("T")->type() == DataType::kInt64);
    CHECK(Input(g, more, 0).op_name() == "Merge");
    CHECK(Input(g, more, 1).def.attr.Find("is_constant")->b());
    const Node& counted = Find(g, "AddV2", "loop/increment");
    CHECK(Input(g, counted, 0).op_name() == "Switch");
    CHECK(Input(g, counted, 1).def.attr.Find("is_constant")->b());
    const ControlFlowFrames frames = FramesOf(g);
    REQUIRE(frames.frames.size() == 2);
    CHECK(frames.frame_of[static_cast<std::size_t>(Find(g, "Cast", "loop/index").id)] == 1);
    // Nothing enters before the check, which waits for what the node waits for.
    const Node& check = Find(g, "Assert", "loop/check");
    CHECK(Control(g, check).name() == "b");
    for (const Node& node : g.nodes()) {
      if (node.op_name() != "Enter") continue;
      CHECK(Control(g, node).op_name() == "NoOp");
      CHECK(Control(g, Control(g, node)).id == check.id);
    }
    CHECK(Input(g, *g.Find("y"), 0).op_name() == "Exit");
    const Node& executed = Control(g, *g.Find("z"));
    CHECK(StartsWith(executed.name(), "loop/LoopExecuted"));
    CHECK(executed.control_inputs.size() == 2);
    CHECK(g.Find("loop")->num_outputs() == 1);
  }

  TEST_CASE("For: without a variable that goes round the counter does; a resource comes out when the loop is over") {
    GraphDef def = MakeGraph({MakeInt("s"), MakeInt("l"), MakeInt("d"), MakeVariable(),
                              MakeFor({"s", "l", "d", "v"}, {DataType::kResource}),
                              testing::MakeNode("read", "ReadVariableOp", {"loop"}, {{"dtype", kFloatType}})});
    FunctionDef body;
    body.signature.name = "body";
    body.signature.input_arg = {function_test::Arg("i", DataType::kInt32)};
    AddResource(&body, true);
    def.library.function = {body};
    const Graph g = Lowered(std::move(def));
    CHECK(Count(g, "Exit") == 1);
    const Node& out = Input(g, *g.Find("read"), 0);
    CHECK(out.op_name() == "Identity");
    CHECK(Input(g, out, 0).name() == "v");
    CHECK(StartsWith(Control(g, out).name(), "loop/LoopExecuted"));
  }

  TEST_CASE("For in a loop: its constants are in the frame around it") {
    FunctionDef outer = Floats(
        "body", {"x"},
        {function_test::MakeNode("n", "Const", {},
                                 {{"dtype", AttrValue(DataType::kInt32)}, {"value", AttrValue(Tensor::Scalar(3))}}),
         function_test::MakeNode("for", "For", {"n:output:0", "n:output:0", "n:output:0", "x"},
                                 {{"T", AttrValue(Types{DataType::kFloat})},
                                  {"body", Call("inner")},
                                  {"_lower_using_switch_merge", AttrValue(true)}})},
        "for:output:0");
    FunctionDef inner = NextOfFor();
    inner.signature.name = "inner";
    GraphDef def = MakeGraph({MakeInput("a"), MakeWhile({"a"}), MakeFloat("y", "Neg", {"loop"})});
    def.library.function = {Below(), outer, inner};
    const Graph g = Lowered(std::move(def));
    CHECK(Count(g, "For") == 0);
    const ControlFlowFrames frames = FramesOf(g);
    REQUIRE(frames.frames.size() == 3);
    const auto frame_of = [&](const Node& node) { return frames.frame_of[static_cast<std::size_t>(node.id)]; };
    CHECK(frame_of(Find(g, "Const", "/for/zero")) == 1);
    CHECK(frame_of(Find(g, "Assert", "/for/check")) == 1);
    CHECK(frame_of(Find(g, "AddV2", "/for/increment")) == 2);
  }

  TEST_CASE("For stays where the registry lacks an op of its counter, or nobody asked") {
    GraphDef def = MakeGraph(
        {MakeInt("s"), MakeInt("l"), MakeInt("d"), MakeInput("a"), MakeFor({"s", "l", "d", "a"}, {DataType::kFloat})});
    def.library.function = {NextOfFor()};
    OpRegistry fewer;
    for (const OpView* op : FlowOps().ops())
      if (op->name != "FloorMod") (void)fewer.Register(*op);
    CHECK(Count(Lowered(def), "For") == 0);
    CHECK(Count(Lowered(def, fewer), "For") == 1);
    def.node[4].attr.Set("_lower_using_switch_merge", AttrValue(false));
    CHECK(Count(Lowered(def), "For") == 1);
  }
}
}  // namespace lower_loop_test
