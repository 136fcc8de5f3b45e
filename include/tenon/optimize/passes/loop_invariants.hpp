// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loop-invariant motion: a node in a loop whose inputs are the same in each iteration runs once, before the loop.

#include <string>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/passes/steps.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// The value of an Enter that every iteration reads, as it is outside of the loop.
inline bool IsInvariant(const IndexedGraph& graph, InEdge edge) {
  const Node& enter = graph.node(edge.node);
  bool constant = false;
  return enter.op_name() == "Enter" && TryGetNodeAttr(enter.def, "is_constant", &constant) && constant &&
         !graph.is_fed(enter.id) && !graph.may_be_dead(enter.id) && enter.control_inputs.empty();
}
// Why a node whose inputs are all invariant stays; empty: it moves. A loop may make no iteration, so the node must not
// fail. Peaks of memory stay: its result takes the place of an input.
inline std::string_view StaysInLoop(const IndexedGraph& graph, const Node& node) {
  const PartialTensorShape out = graph.shape({node.id, 0});
  if (!out.IsFullyDefined()) return "the shape is not known";
  bool replaces = false;
  for (const InEdge& edge : node.inputs) {
    const PartialTensorShape in = graph.shape(edge);
    if (!in.IsFullyDefined()) return "the shape is not known";
    if (graph.frame(edge.node) != graph.frame(node.inputs[0].node)) return "inputs of two loops";
    replaces = replaces || (graph.num_readers(edge.node) == 1 && in.num_elements() >= out.num_elements());
  }
  if (graph.is_pinned(node.id)) return "its name must stay";
  if (!node.control_inputs.empty()) return "waits for a node";
  if (graph.num_waiting(node.id) > 0) return "a node waits for it";
  return replaces ? "" : "more memory";
}

inline void MoveInvariant(PassRun* run, int id) {
  constexpr std::string_view kRule = "loop-invariant node";
  IndexedGraph& graph = run->graph();
  if (const std::string_view why = StaysInLoop(graph, graph.node(id)); !why.empty()) return run->Refuse(kRule, why);
  const int like = graph.node(id).inputs[0].node;
  SlimVector<InEdge> outside;
  for (const InEdge& edge : graph.node(id).inputs) outside.push_back(graph.node(edge.node).inputs[0]);
  SlimVector<IndexedGraph::Attr> attrs, enter_attrs;
  const AttrMap copied = graph.node(id).def.attr, of_enter = graph.node(like).def.attr;
  for (const auto& [name, value] : copied) attrs.push_back({name, value});
  for (const auto& [name, value] : of_enter) enter_attrs.push_back({name, value});
  const std::string op(graph.node(id).op_name());
  const Result<int> moved = graph.Add(op, like, outside, attrs);
  if (!moved.ok()) return run->Refuse(kRule, "no kernel");
  const InEdge value{*moved, 0};
  const Result<int> enter = graph.Add("Enter", like, Span<const InEdge>(&value, 1), enter_attrs);
  if (!enter.ok()) {
    graph.RemoveIfUnused(*moved);
    return run->Refuse(kRule, "no Enter for the type");
  }
  graph.Redirect({id, 0}, {*enter, 0});
  run->Apply(kRule);
}

}  // namespace detail

inline void MoveLoopInvariants(PassRun* run) {
  IndexedGraph& graph = run->graph();
  if (!graph.has_frames()) return;
  for (const int id : graph.Order()) {
    if (!run->MayGoOn()) return;
    if (!graph.is_alive(id) || graph.frame(id) == 0 || !detail::IsStepNode(graph, id)) continue;
    bool invariant = true;
    for (const InEdge& edge : graph.node(id).inputs) invariant = invariant && detail::IsInvariant(graph, edge);
    if (invariant) detail::MoveInvariant(run, id);
  }
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
