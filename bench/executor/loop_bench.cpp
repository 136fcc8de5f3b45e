// SPDX-License-Identifier: Apache-2.0
// What an iteration costs: i = 0; while (i < limit) i = i + 1, as TensorFlow 1 writes it (seven nodes an iteration:
// Merge, Less, LoopCond, Switch, Identity, AddV2, NextIteration) and as a While whose condition and body are functions.
// Wanted: at most 250 ns and 120 ns an iteration.
#include <cstdint>
#include <string>
#include <utility>

#include <tenon/graph/lower_functional.hpp>

#include "graph_case.hpp"

namespace tenon::bench {
namespace {

constexpr std::int32_t kIterations = 1000;
const AttrValue kInt(DataType::kInt32);

NodeDef Node(std::string name, std::string op, SlimVector<std::string> inputs,
             std::initializer_list<std::pair<const char*, AttrValue>> attrs) {
  NodeDef node;
  node.name = std::move(name);
  node.op = std::move(op);
  node.input = std::move(inputs);
  for (const auto& [key, value] : attrs) node.attr.Set(key, value);
  return node;
}
NodeDef Const(std::string name, std::int32_t value, SlimVector<std::string> controls = {}) {
  return Node(std::move(name), "Const", std::move(controls),
              {{"dtype", kInt}, {"value", AttrValue(Tensor::Scalar(value))}});
}
NodeDef Enter(std::string name, std::string value, bool constant) {
  return Node(std::move(name), "Enter", {std::move(value)},
              {{"T", kInt},
               {"frame_name", AttrValue(std::string("loop"))},
               {"is_constant", AttrValue(constant)},
               {"parallel_iterations", AttrValue(std::int64_t{1})}});
}
PeerGraph Finish(GraphDef graph) {
  return {SerializeGraphDef(graph), {}, {{"limit:0", Tensor::Scalar(kIterations)}}, {"result:0"}, {}};
}
GraphDef Begin() {
  GraphDef graph;
  graph.versions.producer = kGraphDefVersion;
  graph.node.push_back(Node("limit", "Placeholder", {}, {{"dtype", kInt}}));
  graph.node.push_back(Const("zero", 0));
  return graph;
}

PeerGraph FrameLoop() {
  GraphDef graph = Begin();
  for (NodeDef& node : SlimVector<NodeDef>{
           Enter("enter", "zero", false), Enter("invariant", "limit", true),
           Node("merge", "Merge", {"enter", "next"}, {{"T", kInt}, {"N", AttrValue(std::int64_t{2})}}),
           Node("less", "Less", {"merge", "invariant"}, {{"T", kInt}}), Node("more", "LoopCond", {"less"}, {}),
           Node("switch", "Switch", {"merge", "more"}, {{"T", kInt}}),
           Node("in", "Identity", {"switch:1"}, {{"T", kInt}}), Const("one", 1, {"^in"}),
           Node("add", "AddV2", {"in", "one"}, {{"T", kInt}}), Node("next", "NextIteration", {"add"}, {{"T", kInt}}),
           Node("exit", "Exit", {"switch"}, {{"T", kInt}}), Node("result", "Identity", {"exit"}, {{"T", kInt}})})
    graph.node.push_back(std::move(node));
  return Finish(std::move(graph));
}

// Two arguments, i and limit; results are (name of the output, type, tensor of the body).
FunctionDef Function(std::string name, SlimVector<NodeDef> nodes,
                     std::initializer_list<std::pair<const char*, std::string>> results, DataType first) {
  FunctionDef def;
  def.signature.name = std::move(name);
  for (const char* arg : {"i", "limit"}) {
    def.signature.input_arg.emplace_back();
    def.signature.input_arg.back().name = arg;
    def.signature.input_arg.back().type = DataType::kInt32;
  }
  for (const auto& [output, tensor] : results) {
    def.signature.output_arg.emplace_back();
    def.signature.output_arg.back().name = output;
    def.signature.output_arg.back().type = def.ret.empty() ? first : DataType::kInt32;
    def.ret.push_back({output, tensor});
  }
  def.node_def = std::move(nodes);
  return def;
}

PeerGraph WhileLoop() {
  GraphDef graph = Begin();
  graph.library.function.push_back(Function("more", {Node("less", "Less", {"i", "limit"}, {{"T", kInt}})},
                                            {{"go_on", "less:z:0"}}, DataType::kBool));
  graph.library.function.push_back(
      Function("step", {Const("one", 1), Node("add", "AddV2", {"i", "one:output:0"}, {{"T", kInt}})},
               {{"next", "add:z:0"}, {"same", "limit"}}, DataType::kInt32));
  AttrValue types;
  types.mutable_list()->type = {DataType::kInt32, DataType::kInt32};
  graph.node.push_back(Node(
      "loop", "StatelessWhile", {"zero", "limit"},
      {{"T", types}, {"cond", AttrValue(NameAttrList{"more", {}})}, {"body", AttrValue(NameAttrList{"step", {}})}}));
  graph.node.push_back(Node("result", "Identity", {"loop"}, {{"T", kInt}}));
  return Finish(std::move(graph));
}

void TimeLoop(State& state, PeerGraph graph, const SessionOptions& options = {}) {
  state.SetItems(kIterations, "iteration");
  TimeGraph(state, {.graph = std::move(graph), .session = options});
}

}  // namespace

TENON_BENCH(loop_frames) { TimeLoop(state, FrameLoop()); }
TENON_BENCH(loop_while) { TimeLoop(state, WhileLoop()); }
TENON_BENCH(loop_lowered) { TimeLoop(state, WhileLoop(), {.lower_control_flow = LowerAllFunctionalOps}); }

}  // namespace tenon::bench
