// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pruning: nodes that hand their input on are gone, and so are nodes that nothing needs. TensorFlow's ModelPruner.

#include <cstddef>
#include <string_view>

#include <tenon/base/inlined_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/match.hpp>
#include <tenon/optimize/core/pass.hpp>
#include <tenon/optimize/core/rules.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// An Identity of a Switch output waits for a branch: control edges from it belong to that branch.
inline Refusal ForwardIdentity(const Match& match) {
  IndexedGraph& graph = match.graph();
  const int id = match.root();
  if (graph.node(id).op_name() == "Identity" && (graph.is_pinned(id) || graph.num_waiting(id) > 0) &&
      graph.num_readers(id) == 0)
    return graph.is_pinned(id) && graph.num_waiting(id) == 0 ? kNoMatch : "its name must stay";
  if (!graph.node(id).control_inputs.empty() && graph.node(id).op_name() == "Identity") return "waits for a node";
  if (graph.has_frames() && graph.node(match["x"].node).node_class == NodeClass::kSwitch && graph.num_waiting(id) > 0)
    return "a node waits for its branch";
  const int readers = graph.num_readers(id);
  if (graph.node(id).op_name() == "Identity" && readers == 0) return kNoMatch;
  return graph.Forward(id, match["x"]).ok() ? "" : "no Identity for the type";
}

// Readers of an output read the input; a node whose name must stay keeps its fetches. With loops and branches, the
// node waits for all its inputs, of which a branch may have none.
inline Refusal ForwardEach(const Match& match) {
  IndexedGraph& graph = match.graph();
  const int id = match.root();
  if (graph.num_readers(id) == 0) return kNoMatch;
  if (!graph.node(id).control_inputs.empty()) return "waits for a node";
  if (graph.has_frames()) return "in a graph with branches";
  const InlinedVector<InEdge, 4> inputs = graph.node(id).inputs;
  for (std::size_t i = 0; i < inputs.size() && graph.is_alive(id); ++i)
    graph.Redirect({id, static_cast<int>(i)}, inputs[i]);
  return {};
}

// A pinned Identity takes over the work of the node that only it reads: one node, under the name that must stay.
inline Refusal Absorb(const Match& match) {
  IndexedGraph& graph = match.graph();
  const int id = match.root(), source = match["x"].node;
  const Node& from = graph.node(source);
  if (!graph.is_pinned(id) || graph.is_fed(id)) return kNoMatch;
  if (match["x"].output != 0 || from.num_outputs() != 1 || graph.num_readers(source) != 1 ||
      graph.num_waiting(source) > 0 || graph.is_pinned(source) || !graph.is_pure(source) ||
      graph.frame(source) != graph.frame(id) || from.node_class == NodeClass::kConstant)
    return kNoMatch;
  if (!graph.node(id).control_inputs.empty() || !from.control_inputs.empty()) return "waits for a node";
  SlimVector<IndexedGraph::Attr> attrs;
  const AttrMap copied = from.def.attr;
  for (const auto& [name, value] : copied)
    if (name != "_class") attrs.push_back({name, value});
  const SlimVector<InEdge> inputs(from.inputs.begin(), from.inputs.end());
  const std::string op = from.op_name();
  return graph.Change(id, op, inputs, attrs).ok() ? "" : "no kernel";
}

}  // namespace detail

inline constexpr Rule kPruneRules[] = {
    {"identity", "Identity|Snapshot(x)", {}, nullptr, detail::ForwardIdentity},
    {"stop gradient", "StopGradient|PreventGradient(x)", {}, nullptr, detail::ForwardIdentity},
    {"identity of one", "IdentityN(x)", {}, nullptr, detail::ForwardIdentity},
    {"identities", "IdentityN(x, y, ...)", {}, nullptr, detail::ForwardEach},
    {"absorb", "Identity(x)", {}, nullptr, detail::Absorb},
};

inline void Prune(PassRun* run) {
  ApplyRules(kPruneRules, run);
  const int before = run->graph().num_alive();
  run->graph().SweepUnused();
  if (run->graph().num_alive() != before) run->Apply("unused loop");
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
