// SPDX-License-Identifier: Apache-2.0
#pragma once
// IndexedNodes: nodes with their readers, types, shapes, constants and frames, whose edges may change. Nothing is
// looked up by name or imported again after a change. Nodes that nothing needs go at once.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/partial_shape.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Endpoints of a signature in a graph.
struct GraphEnds {
  SlimVector<InEdge> feeds, fetches;
  SlimVector<int> targets;
};

// Nodes and edges of an IndexedGraph; use that. externally synchronised.
class IndexedNodes {
 public:
  // ---- reading
  int num_nodes() const { return graph_.num_nodes(); }  // numbers of nodes, of removed ones too
  int num_alive() const { return num_alive_; }
  const Node& node(int id) const { return graph_.node(id); }
  bool is_alive(int id) const { return facts(id).alive; }
  // The node is fed, fetched, a target, stateful, in `keep` or control flow: it stays, with its name.
  bool is_pinned(int id) const { return facts(id).pinned || facts(id).stateful; }
  // The node is fed, fetched, a target or in `keep`.
  bool is_named(int id) const { return facts(id).pinned; }
  // Some output of the node comes from outside.
  bool is_fed(int id) const { return facts(id).fed; }
  // The node computes its outputs from its inputs and does nothing else.
  bool is_pure(int id) const { return !facts(id).stateful && !facts(id).fed; }
  // Frame of control flow that the node runs in; 0: outside of loops.
  int frame(int id) const { return facts(id).frame; }
  bool has_frames() const { return has_frames_; }
  // The node may be skipped by a Switch.
  bool may_be_dead(int id) const { return facts(id).may_be_dead; }
  int num_readers(int id) const { return facts(id).readers; }  // inputs that read some output
  int num_waiting(int id) const { return facts(id).waiting; }  // control edges from the node
  DataType type(InEdge edge) const { return node(edge.node).output_type(edge.output); }
  PartialTensorShape shape(InEdge edge) const { return node(edge.node).output_shape(edge.output); }
  // The value of a constant that every run has; null: the value is not known.
  const Tensor* constant(InEdge edge) const {
    const Node& from = node(edge.node);
    if (from.node_class != NodeClass::kConstant || facts(edge.node).fed || !from.control_inputs.empty()) return nullptr;
    const AttrValue* const value = from.def.attr.Find("value");
    if (value == nullptr || value->kind() != AttrValue::Kind::kTensor || !value->decode_status().ok()) return nullptr;
    return value->tensor().dtype() == from.output_type(0) ? &value->tensor() : nullptr;
  }
  const GraphEnds& ends() const { return ends_; }

  // Calls visit(edge) for each input that reads an output of the node and for each control edge from it. The visitor
  // may change those inputs.
  template <class Visit>
  void ForEachReader(int id, Visit&& visit) {
    auto& list = graph_.mutable_node(id).outputs;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < list.size(); ++i)  // entries of inputs that changed are dropped on the way
      if (IsCurrent(id, list[i])) list[kept++] = list[i];
    list.resize(kept);
    const InlinedVector<OutEdge, 4> readers = list;
    for (const OutEdge& edge : readers)
      if (IsCurrent(id, edge)) visit(edge);
  }
  // Grows with each change of a node or an edge.
  std::int64_t changes() const { return changes_; }
  // All living nodes, each after those that it reads and waits for; back edges of loops are not counted.
  SlimVector<int> Order() const {
    if (ordered_at_ != changes_) {
      order_ = FindOrder();
      ordered_at_ = changes_;
    }
    return order_;
  }

 private:
  SlimVector<int> FindOrder() const {
    SlimVector<int> order;
    order.reserve(ToSize(num_alive_));
    SlimVector<char> state(ToSize(num_nodes()), 0);
    SlimVector<std::pair<int, int>> path;
    for (int root = 0; root < num_nodes(); ++root) {
      if (!is_alive(root) || state[ToSize(root)] != 0) continue;
      path.push_back({root, 0});
      state[ToSize(root)] = 1;
      while (!path.empty()) {
        const int id = path.back().first;
        const int at = path.back().second++;
        const Node& from = node(id);
        const int data = static_cast<int>(from.inputs.size());
        if (at >= data + static_cast<int>(from.control_inputs.size())) {
          order.push_back(id);
          path.pop_back();
          continue;
        }
        const int next = at < data ? from.inputs[ToSize(at)].node : from.control_inputs[ToSize(at - data)];
        if (next < 0 || state[ToSize(next)] != 0 || IsBackEdge(node(next), from)) continue;
        state[ToSize(next)] = 1;
        path.push_back({next, 0});
      }
    }
    return order;
  }

 public:
  // ---- changing
  // Makes the node read another output there. The types are equal.
  void SetInput(int id, int input, InEdge edge) {
    InEdge& at = graph_.mutable_node(id).inputs[ToSize(input)];
    if (at == edge) return;
    const InEdge before = std::exchange(at, edge);
    Connect(edge, id, input);
    if (before.node >= 0) {
      --facts(before.node).readers;
      RemoveIfUnused(before.node);
    }
  }
  // Makes all inputs that read `from` read `to`, which has that type. Fetches stay with `from`.
  void Redirect(InEdge from, InEdge to) {
    ForEachReader(from.node, [&](const OutEdge& edge) {
      if (edge.output == from.output) SetInput(edge.node, edge.input, to);
    });
    RemoveIfUnused(from.node);
  }
  void AddControl(int from, int to) {
    for (const int before : node(to).control_inputs)
      if (before == from) return;
    graph_.mutable_node(to).control_inputs.push_back(from);
    graph_.mutable_node(from).outputs.push_back({to, kControlSlot, kControlSlot});
    ++facts(from).waiting;
    ++changes_;
  }
  void RemoveControl(int from, int to) {
    auto& list = graph_.mutable_node(to).control_inputs;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (list[i] != from) continue;
      for (std::size_t k = i + 1; k < list.size(); ++k) list[k - 1] = list[k];
      list.pop_back();
      --facts(from).waiting;
      ++changes_;
      RemoveIfUnused(from);
      return;
    }
  }
  // Makes all that waits for `from` wait for `to`.
  void RedirectControl(int from, int to) {
    ForEachReader(from, [&](const OutEdge& edge) {
      if (edge.output != kControlSlot || edge.node == to) return;
      AddControl(to, edge.node);
      RemoveControl(from, edge.node);
    });
  }

  // Removes the node if nothing needs it, and then such nodes before it.
  void RemoveIfUnused(int id) {
    SlimVector<int> todo{id};
    while (!todo.empty()) {
      const int at = todo.back();
      todo.pop_back();
      const Facts& f = facts(at);
      if (!f.alive || f.readers > 0 || f.waiting > 0 || is_pinned(at)) continue;
      const Node& gone = node(at);
      for (const InEdge& edge : gone.inputs)
        if (edge.node >= 0) todo.push_back(edge.node);
      for (const int control : gone.control_inputs) todo.push_back(control);
      Detach(at);
    }
  }
  // Removes a node that never runs, whatever it would do. Nothing that runs needs it.
  void RemoveDead(int id) { Detach(id); }
  // Finds anew which nodes a Switch may skip.
  void SpreadMayBeDead() {
    SlimVector<int> skipped;
    for (int id = 0; id < num_nodes(); ++id) {
      facts(id).may_be_dead = false;
      if (is_alive(id) && (node(id).node_class == NodeClass::kSwitch || node(id).node_class == NodeClass::kRecv))
        skipped.push_back(id);
    }
    while (!skipped.empty()) {
      const int id = skipped.back();
      skipped.pop_back();
      if (std::exchange(facts(id).may_be_dead, true)) continue;
      for (const OutEdge& edge : node(id).outputs)
        if (is_alive(edge.node)) skipped.push_back(edge.node);
    }
  }
  // Removes nodes that no pinned node needs, loops that only feed themselves too.
  void SweepUnused() {
    if (swept_at_ == changes_) return;
    SlimVector<char> needed(ToSize(num_nodes()), 0);
    SlimVector<int> stack;
    const auto want = [&](int id) {
      if (id >= 0 && std::exchange(needed[ToSize(id)], char{1}) == 0) stack.push_back(id);
    };
    for (int id = 0; id < num_nodes(); ++id)
      if (is_alive(id) && (facts(id).pinned || (facts(id).stateful && !facts(id).loops))) want(id);
    while (!stack.empty()) {
      const Node& from = node(stack.back());
      stack.pop_back();
      for (const InEdge& edge : from.inputs) want(edge.node);
      for (const int control : from.control_inputs) want(control);
    }
    for (int id = 0; id < num_nodes(); ++id)
      if (is_alive(id) && needed[ToSize(id)] == 0) Detach(id);
    swept_at_ = changes_;
  }

 protected:
  struct Facts {
    int readers = 0, waiting = 0;
    int frame = 0;
    bool alive = true;
    bool pinned = false;
    bool fed = false;
    bool stateful = false;
    bool loops = false;  // control flow: it stays as long as a pinned node needs it
    bool may_be_dead = false;
  };

  IndexedNodes() = default;

  Facts& facts(int id) { return facts_[ToSize(id)]; }
  const Facts& facts(int id) const { return facts_[ToSize(id)]; }

  // State, references, resources and control flow: the node is more than a function of its inputs.
  bool HasEffects(const Node& node) const {
    if (node.op->flags.is_stateful || IsFrameOp(node)) return true;
    if (node.op_name().starts_with("TensorArray")) return true;  // older ops name their array by strings
    for (const auto* types : {&node.input_types, &node.output_types})
      for (const DataType type : *types)
        if (IsRefType(type) || type == DataType::kResource) return true;
    for (const InEdge& edge : node.inputs)  // the value of a reference is that of the moment
      if (edge.node >= 0 && IsRefType(type(edge))) return true;
    return node.node_class == NodeClass::kArg || node.node_class == NodeClass::kRetval ||
           node.node_class == NodeClass::kPlaceholder;
  }
  static bool IsFrameOp(const Node& node) {
    return IsControlFlow(node.node_class) || node.node_class == NodeClass::kLoopCond ||
           node.node_class == NodeClass::kControlTrigger;
  }

  bool IsCurrent(int id, const OutEdge& edge) const {
    const Node& reader = node(edge.node);
    if (!is_alive(edge.node)) return false;
    if (edge.output == kControlSlot) {
      for (const int control : reader.control_inputs)
        if (control == id) return true;
      return false;
    }
    return ToSize(edge.input) < reader.inputs.size() && reader.inputs[ToSize(edge.input)] == InEdge{id, edge.output};
  }
  void Connect(InEdge from, int id, int input) {
    graph_.mutable_node(from.node).outputs.push_back({id, input, from.output});
    ++facts(from.node).readers;
    ++changes_;
  }
  // Takes the node out; what it read stays.
  void Detach(int id) {
    Node& gone = graph_.mutable_node(id);
    facts(id).alive = false;
    --num_alive_;
    ++changes_;
    for (const InEdge& edge : gone.inputs)
      if (edge.node >= 0) --facts(edge.node).readers;
    for (const int control : gone.control_inputs) --facts(control).waiting;
    gone.inputs.assign(gone.inputs.size(), InEdge{});
    gone.control_inputs.clear();
    gone.outputs.clear();
    gone.def.attr.clear();
  }

  Graph graph_;
  SlimVector<Facts> facts_;  // per node
  GraphEnds ends_;
  int num_alive_ = 0;
  bool has_frames_ = false;
  std::int64_t changes_ = 0;

 private:
  mutable SlimVector<int> order_;  // as of ordered_at_
  mutable std::int64_t ordered_at_ = -1;
  std::int64_t swept_at_ = -1;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
