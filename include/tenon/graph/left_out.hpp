// SPDX-License-Identifier: Apache-2.0
#pragma once
// LeaveOutUnknown: takes nodes out of a GraphDef that cannot run, because ops that they need are not registered.
// CheckLeftOut: the error of a signature that needs such nodes.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/reached_nodes.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Finds functions and nodes that need ops which are not registered. A function needs the ops of the functions that it
// calls. A node needs the ops of its function and of the nodes that it reads or waits for. one thread.
class UnknownNeeds {
 public:
  UnknownNeeds(const GraphDef& graph, const OpRegistry& ops)
      : graph_(graph),
        ops_(ops),
        functions_(graph.library.function.size()),
        bad_functions_(graph.library.function.size(), 0),
        bad_nodes_(graph.node.size(), 0) {
    for (std::size_t i = 0; i < functions_; ++i)
      names_.Insert(graph.library.function[i].signature.name, static_cast<int>(i), FunctionName{&graph});
    MarkFunctions();
    MarkNodes();
  }

  bool IsBad(std::size_t node) const { return bad_nodes_[node] != 0; }

 private:
  struct FunctionName {
    const GraphDef* graph;
    std::string_view operator()(int i) const {
      return graph->library.function[static_cast<std::size_t>(i)].signature.name;
    }
  };
  struct NodeName {
    const GraphDef* graph;
    std::string_view operator()(int i) const { return graph->node[static_cast<std::size_t>(i)].name; }
  };
  // Edges from a thing to the things that need it, as lists in one array.
  struct Edges {
    SlimVector<int> next, to;  // per edge
    SlimVector<int> first;     // per thing
    explicit Edges(std::size_t things) : first(things, -1) {}
    void Add(int thing, int needed_by) {
      to.push_back(needed_by);
      next.push_back(std::exchange(first[static_cast<std::size_t>(thing)], static_cast<int>(to.size()) - 1));
    }
    // Marks all that needs a marked thing. `todo`: the marked things.
    void Spread(SlimVector<int> todo, SlimVector<char>* marks) const {
      while (!todo.empty()) {
        const int thing = todo.back();
        todo.pop_back();
        for (int edge = first[static_cast<std::size_t>(thing)]; edge >= 0;
             edge = next[static_cast<std::size_t>(edge)]) {
          const int other = to[static_cast<std::size_t>(edge)];
          if (std::exchange((*marks)[static_cast<std::size_t>(other)], char{1}) == 0) todo.push_back(other);
        }
      }
    }
  };

  int FunctionOf(std::string_view name) const { return names_.Find(name, FunctionName{&graph_}); }
  bool IsUnknown(const NodeDef& node) const { return ops_.Find(node.op) == nullptr && FunctionOf(node.op) < 0; }

  template <class Visit>
  void VisitCall(const NameAttrList& call, const Visit& visit) const {
    if (const int function = FunctionOf(call.name); function >= 0) visit(function);
    VisitAttrs(call.attr, visit);
  }
  template <class Visit>
  void VisitAttrs(const AttrMap& attrs, const Visit& visit) const {
    for (const auto& [name, value] : attrs) {
      if (value.kind() == AttrValue::Kind::kFunc) VisitCall(value.func(), visit);
      if (value.kind() == AttrValue::Kind::kList)
        for (const NameAttrList& call : value.list().func) VisitCall(call, visit);
    }
  }
  template <class Visit>
  void VisitCalls(const NodeDef& node, const Visit& visit) const {
    if (const int function = FunctionOf(node.op); function >= 0) visit(function);
    VisitAttrs(node.attr, visit);
  }

  void MarkFunctions() {
    Edges callers(functions_);
    SlimVector<int> todo;
    for (std::size_t i = 0; i < functions_; ++i) {
      const int caller = static_cast<int>(i);
      for (const NodeDef& node : graph_.library.function[i].node_def) {
        if (IsUnknown(node) && std::exchange(bad_functions_[i], char{1}) == 0) todo.push_back(caller);
        VisitCalls(node, [&](int function) { callers.Add(function, caller); });
      }
    }
    callers.Spread(std::move(todo), &bad_functions_);
  }
  void MarkNodes() {
    NameIndex names;
    names.Reserve(graph_.node.size());
    for (std::size_t n = 0; n < graph_.node.size(); ++n)
      names.Insert(graph_.node[n].name, static_cast<int>(n), NodeName{&graph_});
    Edges readers(graph_.node.size());
    SlimVector<int> todo;
    for (std::size_t n = 0; n < graph_.node.size(); ++n) {
      const NodeDef& node = graph_.node[n];
      bool bad = IsUnknown(node);
      VisitCalls(node, [&](int function) { bad = bad || bad_functions_[static_cast<std::size_t>(function)] != 0; });
      if (bad) {
        bad_nodes_[n] = 1;
        todo.push_back(static_cast<int>(n));
      }
      for (const std::string& input : node.input)
        if (const int from = names.Find(ParseTensorName(input).node, NodeName{&graph_}); from >= 0)
          readers.Add(from, static_cast<int>(n));
    }
    readers.Spread(std::move(todo), &bad_nodes_);
  }

  const GraphDef& graph_;
  const OpRegistry& ops_;
  const std::size_t functions_;
  NameIndex names_;  // function names
  SlimVector<char> bad_functions_, bad_nodes_;
};

// Removes "loc:@name" of nodes that `left_out` has.
inline void DropColocation(const ReachedNodes& left_out, NodeDef* node) {
  AttrValue* const groups = node->attr.Find("_class");
  if (groups == nullptr || groups->kind() != AttrValue::Kind::kList) return;
  SlimVector<std::string> kept;
  for (const std::string& group : groups->list().s)
    if (!StartsWith(group, "loc:@") || !left_out.Has(std::string_view(group).substr(5))) kept.push_back(group);
  if (kept.size() != groups->list().s.size()) *groups = AttrValue(std::move(kept));
}

}  // namespace detail

// Takes nodes out of a graph: nodes with an op that is not registered, callers of functions that need such an op, and
// nodes that read or wait for those. Null: there are none.
inline Owned<LeftOutNodes> LeaveOutUnknown(const OpRegistry& ops, GraphDef* graph) {
  if (!HasUnknownOps(*graph, ops)) return nullptr;
  const detail::UnknownNeeds needs(*graph, ops);
  auto left_out = MakeOwned<LeftOutNodes>();
  SlimVector<NodeDef> kept;
  for (std::size_t n = 0; n < graph->node.size(); ++n)
    (needs.IsBad(n) ? left_out->graph.node : kept).push_back(std::move(graph->node[n]));
  graph->node = std::move(kept);
  if (left_out->graph.node.empty()) return nullptr;
  left_out->ops = &ops;
  left_out->graph.library = graph->library;
  const ReachedNodes index(left_out->graph);
  for (NodeDef& node : graph->node) detail::DropColocation(index, &node);
  return left_out;
}

// NotFound: nodes that these names need were left out. The message names all ops that they lack.
inline Status CheckLeftOut(const LeftOutNodes& left_out, Span<const std::string> feeds, Span<const std::string> fetches,
                           Span<const std::string> targets) {
  ReachedNodes reached(left_out.graph);
  for (const Span<const std::string> names : {feeds, fetches, targets})
    for (const std::string& name : names) reached.Add(name);
  return CheckReachedOps(reached, *left_out.ops);
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
