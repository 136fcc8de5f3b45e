// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dependencies: control edges that order nothing go, NoOps hand them on, and a node that only orders others becomes a
// NoOp. TensorFlow's DependencyOptimizer.

#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/passes/conditions.hpp>
#include <tenon/optimize/passes/constant_folding.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

inline bool ReadsOutputOf(const Node& node, int id) {
  for (const InEdge& edge : node.inputs)
    if (edge.node == id) return true;
  return false;
}
// A control edge orders nothing if no effect comes before it, and the node would run, and be skipped, alike without it.
inline bool OrdersNothing(const IndexedGraph& graph, Conditions* conditions, int control, int id) {
  if (conditions->has_effects(control) || graph.is_fed(control)) return false;
  const Node& node = graph.node(id);
  const int wanted = conditions->of_node(control);
  if (node.inputs.empty() && graph.frame(id) == 0 && wanted == Conditions::kAlways) return true;
  if (IsControlFlow(node.node_class)) return wanted == Conditions::kAlways;  // it does not run where its inputs do
  for (const InEdge& edge : node.inputs)
    if (edge.node >= 0 && conditions->Implies(conditions->of_value(edge), wanted)) return true;
  if (!node.inputs.empty()) return false;
  for (const int other : node.control_inputs)  // in a loop, one must hold the node there
    if (other != control && conditions->Implies(conditions->of_node(other), wanted)) return true;
  return false;
}
inline void RemoveIdleControls(PassRun* run, Conditions* conditions, int id) {
  IndexedGraph& graph = run->graph();
  const InlinedVector<int, 4> controls = graph.node(id).control_inputs;
  for (const int control : controls) {
    if (OrdersNothing(graph, conditions, control, id)) {
      graph.RemoveControl(control, id);
      run->Apply("control edge that orders nothing");
    } else if (ReadsOutputOf(graph.node(id), control) && !graph.is_fed(control) &&
               graph.node(control).node_class != NodeClass::kSwitch) {
      graph.RemoveControl(control, id);
      run->Apply("control edge beside a read");
    }
  }
}
// Nodes that wait for the NoOp wait for what it waits for, where that makes no more edges.
inline void BypassNoOp(PassRun* run, int id) {
  IndexedGraph& graph = run->graph();
  const auto inputs = graph.node(id).control_inputs;
  const int in = static_cast<int>(inputs.size()), out = graph.num_waiting(id);
  if (in * out > in + out) return run->Refuse("no-op", "more edges");
  SlimVector<int> waiting;
  graph.ForEachReader(id, [&](const OutEdge& edge) { waiting.push_back(edge.node); });
  for (const int to : waiting) {
    for (const int from : inputs)
      if (from != to) graph.AddControl(from, to);
    graph.RemoveControl(id, to);
  }
  graph.RemoveIfUnused(id);
  run->Apply("no-op");
}
inline void MakeNoOp(PassRun* run, int id) {
  IndexedGraph& graph = run->graph();
  SlimVector<int> controls;
  for (const InEdge& edge : graph.node(id).inputs) {
    if (edge.node < 0) return;
    // Such an edge is one of two branches: a control edge would be both.
    if (graph.node(edge.node).node_class == NodeClass::kSwitch || graph.is_fed(edge.node))
      return run->Refuse("only control edges", "reads a branch or a feed");
    controls.push_back(edge.node);
  }
  for (const int from : controls) graph.AddControl(from, id);
  if (!graph.ChangeToNoOp(id).ok()) return;
  run->Apply("only control edges");
}

}  // namespace detail

inline void OptimizeDependencies(PassRun* run) {
  IndexedGraph& graph = run->graph();
  bool any = false;
  for (int id = 0; id < graph.num_nodes() && !any; ++id) any = graph.is_alive(id) && graph.num_waiting(id) > 0;
  if (!any) return;
  Conditions conditions(graph);
  const SlimVector<int> order = graph.Order();
  for (const int id : order) {
    if (!run->MayGoOn()) return;
    if (graph.is_alive(id) && !graph.node(id).control_inputs.empty()) detail::RemoveIdleControls(run, &conditions, id);
  }
  for (const int id : order) {
    if (!run->MayGoOn()) return;
    if (!graph.is_alive(id)) continue;
    if (graph.num_readers(id) > 0 || graph.num_waiting(id) == 0 || graph.is_pinned(id)) continue;
    if (graph.node(id).node_class == NodeClass::kNoOp)
      detail::BypassNoOp(run, id);
    else if (graph.is_pure(id) && !detail::CallsFunctions(graph.node(id)))
      detail::MakeNoOp(run, id);
  }
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
