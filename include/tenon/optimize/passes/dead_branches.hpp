// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dead branches: a Switch with a constant predicate hands its value to one branch; the nodes of the other never run.

#include <cstddef>
#include <string_view>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/optimize/core/indexed_graph.hpp>
#include <tenon/optimize/core/pass.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Removes the branches that no run takes. one thread.
class DeadBranches {
 public:
  explicit DeadBranches(PassRun* run) : run_(*run), graph_(run->graph()) {}

  void Remove() {
    const SlimVector<int> order = graph_.Order();
    dead_.assign(ToSize(graph_.num_nodes()), 0);
    dead_output_.assign(ToSize(graph_.num_nodes()), -1);
    for (const int id : order) FindSwitch(id);
    if (switches_.empty()) return;
    for (const int id : order) MarkDead(id);
    for (const int id : order)
      if (const std::string_view why = Refusal(id); !why.empty()) return run_.Refuse("constant predicate", why);
    for (const int id : order)
      if (dead_[ToSize(id)] == 0 && graph_.node(id).node_class == NodeClass::kMerge) JoinOne(id);
    for (const int id : switches_) {
      graph_.Redirect({id, 1 - dead_output_[ToSize(id)]}, graph_.node(id).inputs[0]);
      run_.Apply("constant predicate");
    }
    graph_.SweepUnused();
    for (std::size_t i = order.size(); i-- > 0;)
      if (graph_.is_alive(order[i]) && dead_[ToSize(order[i])] != 0) graph_.RemoveDead(order[i]);
    graph_.SpreadMayBeDead();
  }

 private:
  void FindSwitch(int id) {
    const Node& node = graph_.node(id);
    if (node.op_name() != "Switch" || graph_.frame(id) != 0 || graph_.is_named(id) || node.inputs[0].node < 0) return;
    const Tensor* const value = node.inputs[1].node < 0 ? nullptr : graph_.constant(node.inputs[1]);
    if (value == nullptr || value->dims() != 0 || value->dtype() != DataType::kBool) return;
    if (!node.control_inputs.empty()) return run_.Refuse("constant predicate", "waits for a node");
    if (graph_.num_waiting(id) > 0) return run_.Refuse("constant predicate", "a node waits for it");
    dead_output_[ToSize(id)] = value->data<bool>()[0] ? 0 : 1;
    switches_.push_back(id);
  }
  bool IsDead(InEdge edge) const {
    return edge.node >= 0 && (dead_[ToSize(edge.node)] != 0 || dead_output_[ToSize(edge.node)] == edge.output);
  }
  void MarkDead(int id) {
    const Node& node = graph_.node(id);
    bool dead = false, all = !node.inputs.empty();
    for (const InEdge& edge : node.inputs) {
      // A loop's way back comes later in the order: it is dead if the way in is.
      const bool is_dead = IsDead(edge) || (node.node_class == NodeClass::kMerge && edge.node >= 0 &&
                                            graph_.node(edge.node).node_class == NodeClass::kNextIteration);
      dead = dead || is_dead;
      all = all && is_dead;
    }
    for (const int control : node.control_inputs) dead = dead || dead_[ToSize(control)] != 0;
    if (node.node_class == NodeClass::kMerge) dead = all;  // it runs though a node that it waits for does not
    dead_[ToSize(id)] = dead ? 1 : 0;
  }
  std::string_view Refusal(int id) {
    const Node& node = graph_.node(id);
    if (dead_[ToSize(id)] != 0) return graph_.is_named(id) ? "its name must stay" : "";
    if (node.node_class != NodeClass::kMerge) return {};
    int live = 0;
    for (const InEdge& edge : node.inputs) live += IsDead(edge) ? 0 : 1;
    for (const int control : node.control_inputs)
      if (dead_[ToSize(control)] != 0) return "a Merge waits for the dead branch";
    if (live == static_cast<int>(node.inputs.size())) return {};
    if (graph_.frame(id) != 0) return "in a loop";
    if (live != 1) return "more than two branches";
    if (graph_.is_named(id)) return "its name must stay";
    if (graph_.num_waiting(id) > 0 || !node.control_inputs.empty()) return "a node waits for it";
    bool index_is_read = false;
    graph_.ForEachReader(id, [&](const OutEdge& edge) { index_is_read = index_is_read || edge.output == 1; });
    return index_is_read ? "the number of the branch is read" : "";
  }
  // A Merge with one live input is that input.
  void JoinOne(int id) {
    const Node& node = graph_.node(id);
    if (graph_.frame(id) != 0) return;
    InEdge live;
    int count = 0;
    for (const InEdge& edge : node.inputs) {
      if (IsDead(edge)) continue;
      live = edge;
      ++count;
    }
    if (count == 1 && node.inputs.size() > 1) graph_.Redirect({id, 0}, live);
  }

  PassRun& run_;
  IndexedGraph& graph_;
  SlimVector<char> dead_;  // per node: it never runs
  SlimVector<int> dead_output_;  // per node: of a Switch, the output that is never taken; -1: none
  SlimVector<int> switches_;
};

}  // namespace detail

inline void RemoveDeadBranches(PassRun* run) {
  if (run->graph().has_frames()) detail::DeadBranches(run).Remove();
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
