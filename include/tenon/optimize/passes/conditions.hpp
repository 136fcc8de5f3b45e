// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conditions: which branch a node waits for, and whether something before it has effects. It tells which control edges
// order nothing.

#include <cstddef>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// A snapshot: changes of the graph make it void, other than the removal of edges. one thread.
class Conditions {
 public:
  // The node runs in every iteration of its frame.
  static constexpr int kAlways = 0;

  explicit Conditions(const IndexedGraph& graph) : graph_(graph), of_(ToSize(graph.num_nodes()), kAlways) {
    all_.push_back({});
    first_.assign(of_.size(), -1);
    for (const int id : graph.Order()) of_[ToSize(id)] = Find(id);
    FindEffects();
  }

  // Conditions of a node and of a value have equal numbers if they are one.
  int of_node(int id) const { return of_[ToSize(id)]; }
  int of_value(InEdge edge) {
    const Node& node = graph_.node(edge.node);
    if (node.node_class != NodeClass::kSwitch) return of_node(edge.node);
    return Branch(node.inputs[1], edge.output, of_node(edge.node));
  }
  // Where `inner` holds, `outer` does.
  bool Implies(int inner, int outer) const {
    for (; inner > 0; inner = all_[ToSize(inner)].outer)
      if (inner == outer) return true;
    return outer == kAlways;
  }
  // The node, or one that it waits for, does more than compute.
  bool has_effects(int id) const { return effects_[ToSize(id)] != 0; }

 private:
  struct Condition {
    InEdge predicate;  // input of a Switch; node -1: the condition is like no other
    int side = 0;
    int outer = kAlways;
    int next = -1;  // the one before, with this predicate
  };

  int Unique(int outer) {
    all_.push_back({{}, 0, outer, -1});
    return static_cast<int>(all_.size()) - 1;
  }
  int Branch(InEdge predicate, int side, int outer) {
    int& first = first_[ToSize(predicate.node)];
    for (int at = first; at >= 0; at = all_[ToSize(at)].next) {
      const Condition& known = all_[ToSize(at)];
      if (known.predicate == predicate && known.side == side && known.outer == outer) return at;
    }
    all_.push_back({predicate, side, outer, first});
    return first = static_cast<int>(all_.size()) - 1;
  }
  int Both(int a, int b) {
    if (Implies(a, b)) return a;
    return Implies(b, a) ? b : Unique(kAlways);
  }
  int Find(int id) {
    const Node& node = graph_.node(id);
    if (graph_.is_fed(id) || node.node_class == NodeClass::kEnter) return kAlways;
    if (node.node_class == NodeClass::kMerge) return FindMerge(node);
    if (node.node_class == NodeClass::kRecv) return Unique(kAlways);
    int condition = kAlways;
    for (const InEdge& edge : node.inputs)
      if (edge.node >= 0) condition = Both(condition, of_value(edge));
    for (const int control : node.control_inputs) condition = Both(condition, of_node(control));
    // A loop gives its results if it runs at all, which nobody knows here.
    return node.node_class == NodeClass::kExit ? Unique(kAlways) : condition;
  }
  int FindMerge(const Node& node) {
    for (const InEdge& edge : node.inputs)
      if (edge.node >= 0 && IsBackEdge(graph_.node(edge.node), node)) return kAlways;
    if (node.inputs.size() != 2 || node.inputs[0].node < 0 || node.inputs[1].node < 0) return Unique(kAlways);
    const Condition a = all_[ToSize(of_value(node.inputs[0]))], b = all_[ToSize(of_value(node.inputs[1]))];
    const bool join = a.predicate.node >= 0 && a.predicate == b.predicate && a.side != b.side && a.outer == b.outer;
    return join ? a.outer : Unique(kAlways);
  }

  static bool HasEffects(const IndexedGraph& graph, int id) {
    const Node& node = graph.node(id);
    // These fail by their data: a control edge from them is a check.
    for (const std::string_view check : {"CheckNumerics", "CheckNumericsV2", "EnsureShape", "Assert"})
      if (node.op_name() == check) return true;
    const bool moves = IsControlFlow(node.node_class) || node.node_class == NodeClass::kLoopCond ||
                       node.node_class == NodeClass::kPlaceholder || node.node_class == NodeClass::kArg;
    const bool sends = node.node_class == NodeClass::kSend || node.node_class == NodeClass::kRecv;
    return sends || (!moves && !graph.is_fed(id) && !graph.is_pure(id));
  }
  void FindEffects() {
    effects_.assign(of_.size(), 0);
    SlimVector<int> todo;
    for (int id = 0; id < graph_.num_nodes(); ++id)
      if (graph_.is_alive(id) && HasEffects(graph_, id)) todo.push_back(id);
    while (!todo.empty()) {
      const int id = todo.back();
      todo.pop_back();
      if (std::exchange(effects_[ToSize(id)], char{1}) != 0) continue;
      for (const OutEdge& edge : graph_.node(id).outputs) todo.push_back(edge.node);
    }
  }

  const IndexedGraph& graph_;
  SlimVector<int> of_;  // per node
  SlimVector<Condition> all_;  // kAlways first
  SlimVector<int> first_;  // per node: the newest condition of which it gives the predicate
  SlimVector<char> effects_;  // per node
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
