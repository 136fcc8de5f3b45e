// SPDX-License-Identifier: Apache-2.0
#pragma once
// ReachedNodes: the nodes of a GraphDef that given nodes need. CheckReachedOps: whether the ops of these nodes, and of
// the functions that they come to call, are registered.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/graph/function_index.hpp>
#include <tenon/graph/function_reach.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import_checks.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// externally synchronised. The GraphDef outlives it and stays as it is.
class ReachedNodes {
 public:
  explicit ReachedNodes(const GraphDef& graph) : graph_(graph), reached_(graph.node.size(), 0) {
    index_.Reserve(graph.node.size());
    for (std::size_t i = 0; i < graph.node.size(); ++i)
      index_.Insert(graph.node[i].name, static_cast<int>(i), NameOf{&graph});
  }

  // Reaches the node that a text names ("node", "node:1", "^node") and all that it reads and waits for. False: there is
  // no such node.
  bool Add(std::string_view text) {
    if (!AddNode(text)) return false;
    while (!todo_.empty()) {
      const NodeDef& node = graph_.node[todo_.back()];
      todo_.pop_back();
      for (const std::string& input : node.input) AddNode(input);
    }
    return true;
  }
  bool Has(std::string_view node) const { return index_.Find(node, NameOf{&graph_}) >= 0; }
  bool IsReached(std::string_view text) const {
    const int at = index_.Find(ParseTensorName(text).node, NameOf{&graph_});
    return at >= 0 && reached_[static_cast<std::size_t>(at)] != 0;
  }
  // Copies of the nodes that were reached, in the order of the graph.
  SlimVector<NodeDef> Nodes() const {
    SlimVector<NodeDef> nodes;
    for (std::size_t i = 0; i < reached_.size(); ++i)
      if (reached_[i] != 0) nodes.push_back(graph_.node[i]);
    return nodes;
  }
  const GraphDef& graph() const { return graph_; }

 private:
  struct NameOf {
    const GraphDef* graph;
    std::string_view operator()(int i) const { return graph->node[static_cast<std::size_t>(i)].name; }
  };
  bool AddNode(std::string_view text) {
    const int at = index_.Find(ParseTensorName(text).node, NameOf{&graph_});
    if (at < 0) return false;
    const auto position = static_cast<std::size_t>(at);
    if (std::exchange(reached_[position], char{1}) == 0) todo_.push_back(position);
    return true;
  }

  const GraphDef& graph_;
  detail::NameIndex index_;
  SlimVector<char> reached_;  // per node
  SlimVector<std::size_t> todo_;
};

// Returns whether the graph or a function has an op that is neither registered nor a function.
inline bool HasUnknownOps(const GraphDef& graph, const OpRegistry& ops) {
  const FunctionIndex functions(graph.library);
  const auto has_unknown = [&](Span<const NodeDef> nodes) {
    for (const NodeDef& node : nodes)
      if (ops.Find(node.op) == nullptr && functions.Find(node.op) == nullptr) return true;
    return false;
  };
  if (has_unknown(graph.node)) return true;
  for (const FunctionDef& function : graph.library.function)
    if (has_unknown(function.node_def)) return true;
  return false;
}
// NotFound: the nodes, or functions that they come to call, have ops that are not registered. The message names all of
// them.
inline Status CheckReachedOps(const ReachedNodes& nodes, const OpRegistry& ops) {
  const SlimVector<NodeDef> needed = nodes.Nodes();
  const FunctionDefLibrary reached = ReachableFunctions(nodes.graph().library, needed);
  const FunctionIndex functions(reached);
  detail::UnknownOps unknown;
  const auto add = [&](Span<const NodeDef> list) {
    for (const NodeDef& node : list)
      if (ops.Find(node.op) == nullptr && functions.Find(node.op) == nullptr) unknown.Add(node.op, node.name);
  };
  add(needed);
  for (const FunctionDef& function : reached.function) add(function.node_def);
  return unknown.status(ops);
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
