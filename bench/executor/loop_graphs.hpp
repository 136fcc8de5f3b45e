// SPDX-License-Identifier: Apache-2.0
#pragma once
// i = 0; while (i < limit) i = i + 1: as graphs.

#include <cstdint>
#include <string>
#include <utility>

#include "executor/graph_node.hpp"
#include "graph_case.hpp"

namespace tenon::bench::loop_graphs {

inline const AttrValue kInt(DataType::kInt32);

inline NodeDef Const(std::string name, std::int32_t value, SlimVector<std::string> controls = {}) {
  return Node(std::move(name), "Const", std::move(controls),
              {{"dtype", kInt}, {"value", AttrValue(Tensor::Scalar(value))}});
}
inline NodeDef Enter(std::string name, std::string value, bool constant) {
  return Node(std::move(name), "Enter", {std::move(value)},
              {{"T", kInt},
               {"frame_name", AttrValue(std::string("loop"))},
               {"is_constant", AttrValue(constant)},
               {"parallel_iterations", AttrValue(std::int64_t{1})}});
}
inline PeerGraph Finish(GraphDef graph, std::int32_t limit) {
  return {SerializeGraphDef(graph), {}, {{"limit:0", Tensor::Scalar(limit)}}, {"result:0"}, {}};
}
inline GraphDef Begin() {
  GraphDef graph;
  graph.versions.producer = kGraphDefVersion;
  graph.node.push_back(Node("limit", "Placeholder", {}, {{"dtype", kInt}}));
  graph.node.push_back(Const("zero", 0));
  return graph;
}

// The loop as TensorFlow 1 writes it: seven nodes an iteration.
inline PeerGraph FrameLoop(std::int32_t limit) {
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
  return Finish(std::move(graph), limit);
}

// Two arguments, i and limit; results are (name of the output, type, tensor of the body).
inline FunctionDef Function(std::string name, SlimVector<NodeDef> nodes,
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

// The same as a While.
inline PeerGraph WhileLoop(std::int32_t limit) {
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
  return Finish(std::move(graph), limit);
}

// The same with a TensorList beside, as recurrent networks have it: list[i] += i.
inline PeerGraph ListLoop(std::int32_t limit) {
  const AttrValue shape(Tensor::Zeros<std::int32_t>({0}));
  const auto no_sizes = [&](const char* name) { return Node(name, "Const", {}, {{"dtype", kInt}, {"value", shape}}); };
  FunctionDef more =
      Function("more", {Node("less", "Less", {"i", "limit"}, {{"T", kInt}})}, {{"go_on", "less:z:0"}}, DataType::kBool);
  FunctionDef step =
      Function("step",
               {Const("one", 1), no_sizes("sizes"), Node("add", "AddV2", {"i", "one:output:0"}, {{"T", kInt}}),
                Node("get", "TensorListGetItem", {"list", "i", "sizes:output:0"}, {{"element_dtype", kInt}}),
                Node("sum", "AddV2", {"get:item:0", "i"}, {{"T", kInt}}),
                Node("set", "TensorListSetItem", {"list", "i", "sum:z:0"}, {{"element_dtype", kInt}})},
               {{"next", "add:z:0"}, {"same", "limit"}, {"changed", "set:output_handle:0"}}, DataType::kInt32);
  for (FunctionDef* function : {&more, &step}) {
    function->signature.input_arg.emplace_back();
    function->signature.input_arg.back().name = "list";
    function->signature.input_arg.back().type = DataType::kVariant;
  }
  step.signature.output_arg.back().type = DataType::kVariant;
  GraphDef graph = Begin();
  graph.library.function = {std::move(more), std::move(step)};
  AttrValue types;
  types.mutable_list()->type = {DataType::kInt32, DataType::kInt32, DataType::kVariant};
  graph.node.push_back(no_sizes("sizes"));
  graph.node.push_back(
      Node("list", "TensorListReserve", {"sizes", "limit"}, {{"element_dtype", kInt}, {"shape_type", kInt}}));
  graph.node.push_back(Node(
      "loop", "StatelessWhile", {"zero", "limit", "list"},
      {{"T", types}, {"cond", AttrValue(NameAttrList{"more", {}})}, {"body", AttrValue(NameAttrList{"step", {}})}}));
  graph.node.push_back(Node("result", "Identity", {"loop"}, {{"T", kInt}}));
  return Finish(std::move(graph), limit);
}

}  // namespace tenon::bench::loop_graphs
