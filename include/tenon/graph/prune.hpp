// SPDX-License-Identifier: Apache-2.0
#pragma once
// Prune: the part of a GraphDef that some tensors or nodes need. Strip: a GraphDef without what no run needs.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/node_def_edit.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/graph/function_reach.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/reached_nodes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Drops colocation with nodes that are not in the graph.
inline void KeepColocationWithin(const ReachedNodes& nodes, NodeDef* node) {
  AttrValue* const groups = node->attr.Find(kColocationAttr);
  if (groups == nullptr || groups->kind() != AttrValue::Kind::kList) return;
  SlimVector<std::string> kept;
  for (const std::string& group : groups->list().s) {
    const std::string_view other = std::string_view(group).starts_with(kColocationPrefix)
                                       ? std::string_view(group).substr(kColocationPrefix.size())
                                       : std::string_view();
    if (other.empty() || nodes.IsReached(other)) kept.push_back(group);
  }
  if (kept.empty())
    node->attr.erase(kColocationAttr);
  else
    groups->mutable_list()->s = std::move(kept);
}

}  // namespace detail

// Returns the nodes that `roots` need ("y:0", "train_op"), in the graph's order, with the functions that they come to
// call. Needs no op to be registered. NotFound: a root that the graph lacks.
//
//   TENON_ASSIGN_OR_RETURN(GraphDef part, Prune(graph, {"probabilities:0"}));
inline Result<GraphDef> Prune(const GraphDef& graph, Span<const std::string> roots) {
  ReachedNodes reached(graph);
  for (const std::string& root : roots) {
    if (reached.Add(root)) continue;
    SlimVector<std::string_view> names;
    for (const NodeDef& node : graph.node) names.push_back(node.name);
    const std::string_view wanted = ParseTensorName(root).node;
    return errors::NotFound("Prune: '", root, "' is not in the graph", detail::SuggestNames(wanted, names));
  }
  GraphDef part;
  part.node = reached.Nodes();
  for (NodeDef& node : part.node) detail::KeepColocationWithin(reached, &node);
  part.library = ReachableFunctions(graph.library, part.node);
  part.versions = graph.versions;
  return part;
}
inline Result<GraphDef> Prune(const GraphDef& graph, std::initializer_list<std::string> roots) {
  return Prune(graph, Span<const std::string>(roots.begin(), roots.size()));
}

// Parts of nodes and functions that Strip removes.
struct StripOptions {
  bool debug_info = true;  // stack traces, and names that users gave
  bool devices = true;  // requests of devices, and colocation
  bool shapes = true;  // _output_shapes
  bool default_attrs = false;  // attrs that have the op's default; readers whose ops have another default differ
  bool checks = false;  // Assert and Print become NoOps, CheckNumerics an Identity: a run no longer fails there
};

namespace detail {

inline void StripChecks(NodeDef* node) {
  const bool prints = node->op == "PrintV2", asserts = node->op == "Assert";
  const bool passes = node->op == "CheckNumerics" || node->op == "CheckNumericsV2" || node->op == "Print";
  if (!prints && !asserts && !passes) return;
  AttrMap attrs;
  if (passes) {
    if (const AttrValue* const type = node->attr.Find("T"); type != nullptr) attrs.Set("T", *type);
  }
  SlimVector<std::string> inputs;
  for (std::size_t i = 0; i < node->input.size(); ++i)
    if (node->input[i].starts_with('^') || (passes && i == 0)) inputs.push_back(node->input[i]);
  node->op = passes ? "Identity" : "NoOp";
  node->input = std::move(inputs);
  node->attr = std::move(attrs);
}
inline void StripNode(const OpRegistry& registry, const StripOptions& options, NodeDef* node) {
  if (options.checks) StripChecks(node);
  if (options.debug_info) {
    node->debug_info.clear();
    node->attr.erase("_user_specified_name");
  }
  if (options.devices) {
    node->device.clear();
    node->attr.erase(kColocationAttr);
  }
  if (options.shapes) node->attr.erase("_output_shapes");
  if (options.default_attrs) StripDefaultAttributes(registry, node);
}

}  // namespace detail

// Removes from the graph and its functions what `options` name. A run gives the results it gave before, but for
// StripOptions::checks. `registry` has the defaults of attrs.
inline void Strip(GraphDef* graph, const OpRegistry& registry, const StripOptions& options = {}) {
  static_cast<void>(detail::ForEachNode(graph, [&](NodeDef* node) {
    detail::StripNode(registry, options, node);
    return OkStatus();
  }));
  for (FunctionDef& function : graph->library.function) {
    for (auto& [arg, attrs] : function.arg_attr) {
      if (options.debug_info) attrs.erase("_user_specified_name");
      if (options.shapes) attrs.erase("_output_shapes");
    }
    if (options.shapes) function.attr.erase("_input_shapes");
  }
  if (options.debug_info) graph->debug_info.clear();
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
