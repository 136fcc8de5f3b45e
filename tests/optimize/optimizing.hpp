// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs before and after passes, for the tests of the optimizer: their nodes as text, and their results in a session.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cpu_device.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/optimize/core/kernels.hpp>
#include <tenon/optimize/core/options.hpp>
#include <tenon/optimize/core/report.hpp>
#include <tenon/optimize/optimizer.hpp>
#include <tenon/runtime/api/session.hpp>

namespace optimize_test {
using namespace tenon;

using Names = std::vector<std::string>;

struct Optimized {
  Status status;
  GraphDef def;
  OptimizationReport report;
};

inline InEdge EdgeOf(const Graph& graph, const std::string& name) {
  const TensorName parsed = ParseTensorName(name);
  const Node* const node = graph.Find(parsed.node);
  REQUIRE_MESSAGE(node != nullptr, name);
  return {node->id, parsed.output};
}

struct RunEnds {
  Names feeds, fetches, targets = {};
};

inline Optimized Optimize(const GraphDef& def, const RunEnds& signature, OptimizerOptions options) {
  Optimized out;
  const Registry& registry = Registry::Global();
  Result<Graph> graph = ImportGraphDef(GraphDef(def), registry.ops());
  out.status = graph.status();
  if (!graph.ok()) return out;
  GraphEnds ends;
  for (const std::string& name : signature.feeds) ends.feeds.push_back(EdgeOf(*graph, name));
  for (const std::string& name : signature.fetches) ends.fetches.push_back(EdgeOf(*graph, name));
  for (const std::string& name : signature.targets) ends.targets.push_back(graph->Find(name)->id);
  CpuDevice cpu("/job:localhost/replica:0/task:0/device:CPU:0", DefaultAllocator(), nullptr);
  OptimizerKernels kernels(&registry, &cpu, &cpu, graph->versions().producer);
  OpInfoCache ops(registry.ops());
  Result<Graph> optimized = OptimizeGraph(*graph, options, &ops, &kernels, &kernels, nullptr, &ends, &out.report);
  out.status = optimized.status();
  if (!optimized.ok()) return out;
  for (const InEdge& fetch : ends.fetches)
    CHECK(AnyItem(signature.fetches, [&](const std::string& name) { return EdgeOf(*optimized, name) == fetch; }));
  out.def = optimized->ToGraphDef();
  out.def.library = def.library;
  return out;
}
// With these passes alone.
inline Optimized Optimize(const GraphDef& def, const RunEnds& signature, Names passes,
                          OptimizerLevel level = OptimizerLevel::kFast) {
  return Optimize(def, signature, OptimizerOptions{.level = level, .only = std::move(passes)});
}

// "a = Placeholder(), y = Neg(a)": nodes by name, constants left out.
inline std::string Text(const GraphDef& def) {
  std::vector<std::string> lines;
  for (const NodeDef& node : def.node) {
    if (node.op == "Const") continue;
    std::string line = StrCat(node.name, " = ", node.op, "(");
    for (const std::string& input : node.input) StrAppend(&line, line.back() == '(' ? "" : ", ", input);
    lines.push_back(line + ")");
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) StrAppend(&text, text.empty() ? "" : "; ", line);
  return text;
}
inline std::string After(const GraphDef& def, const RunEnds& signature, Names passes,
                         OptimizerLevel level = OptimizerLevel::kFast) {
  const Optimized optimized = Optimize(def, signature, std::move(passes), level);
  return optimized.status.ok() ? Text(optimized.def) : optimized.status.ToString();
}
// The nodes of an op in a graph.
inline int Count(const GraphDef& def, std::string_view op) {
  return static_cast<int>(
      std::count_if(def.node.begin(), def.node.end(), [&](const NodeDef& n) { return n.op == op; }));
}

inline Result<std::vector<Tensor>> RunGraph(const GraphDef& def, const RunEnds& signature,
                                            const std::vector<Tensor>& feeds) {
  TENON_ASSIGN_OR_RETURN(Session session, Session::FromGraphDef(def, SessionOptions{.intra_op_threads = 1}));
  std::vector<NamedTensor> fed;
  for (std::size_t i = 0; i < feeds.size(); ++i) fed.push_back({signature.feeds[i], feeds[i]});
  return session.Run(fed, signature.fetches, signature.targets);
}

// Both graphs give the same bits, and the optimised graph of the optimised graph is itself.
inline Optimized CheckExact(const GraphDef& def, const RunEnds& signature, const std::vector<Tensor>& feeds,
                            Names passes, OptimizerLevel level = OptimizerLevel::kExact) {
  Optimized optimized = Optimize(def, signature, passes, level);
  REQUIRE(optimized.status.ok());
  const auto want = RunGraph(def, signature, feeds), got = RunGraph(optimized.def, signature, feeds);
  REQUIRE_MESSAGE(want.ok(), want.status().ToString());
  REQUIRE_MESSAGE(got.ok(), got.status().ToString());
  for (std::size_t i = 0; i < want->size(); ++i) CHECK((*want)[i].DebugString() == (*got)[i].DebugString());
  for (std::size_t i = 0; i < want->size(); ++i) CHECK(SameTensor((*want)[i], (*got)[i]));
  const Optimized again = Optimize(optimized.def, signature, passes, level);
  CHECK(again.status.ok());
  CHECK(Text(again.def) == Text(optimized.def));
  return optimized;
}

inline Tensor Floats(std::initializer_list<float> values, const TensorShape& shape) {
  return Tensor::From<float>(values, shape);
}

// A graph in a while loop of TensorFlow 1: `body(b, x)` gives the next value of x, which begins as "x", from "loop/x".
template <class Body>
Output Loop(GraphBuilder& b, Output x, const Body& body) {
  Output enter = b.Add("Enter", "loop/enter", {x}, {{"frame_name", "loop"}});
  Output zero =
      b.Add("Enter", "loop/count", {b.Const("loop/zero", Tensor::Scalar<std::int32_t>(0))}, {{"frame_name", "loop"}});
  // The back edges are written by hand: the builder knows no cycles.
  Output merge = b.Add("Merge", "loop/x", {{enter, enter}});
  Output count = b.Add("Merge", "loop/i", {{zero, zero}});
  Output limit = b.Const("loop/limit", Tensor::Scalar<std::int32_t>(2));
  b.AddControlInput(limit, count);
  Output one = b.Const("loop/one", Tensor::Scalar<std::int32_t>(1));
  b.AddControlInput(one, count);
  Output cond = b.Add("LoopCond", "loop/cond", {b.Add("Less", "loop/less", {count, limit})});
  Output s = b.Add("Switch", "loop/switch", {merge, cond});
  Output si = b.Add("Switch", "loop/switch_i", {count, cond});
  b.Add("NextIteration", "loop/next_i", {b.Add("AddV2", "loop/add", {si[1], one})});
  b.Add("NextIteration", "loop/next", {body(s[1], one)});
  return b.Add("Exit", "loop/exit", {s});
}
// Closes the loop that Loop() has written.
inline GraphDef CloseLoop(GraphDef def) {
  for (NodeDef& node : def.node) {
    if (node.name == "loop/x") node.input[1] = "loop/next";
    if (node.name == "loop/i") node.input[1] = "loop/next_i";
  }
  return def;
}

}  // namespace optimize_test
