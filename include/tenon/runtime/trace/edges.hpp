// SPDX-License-Identifier: Apache-2.0
#pragma once
// FlowsOf: which node of a trace waited for which, from the edges of the graph.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/sorted_order.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

// An edge between two items of RunTrace::nodes.
struct TraceFlow {
  std::size_t from = 0, to = 0;
  bool control = false;  // no value goes along it
  friend bool operator==(const TraceFlow&, const TraceFlow&) = default;
};

namespace detail {

// Finds the flows of one run, whose session lives. one thread.
class FlowFinder {
 public:
  explicit FlowFinder(const RunTrace& trace) : nodes_(trace.nodes) {
    order_ = SortedOrder(nodes_.size(), [&](std::size_t a, std::size_t b) {
      const Key key_a = KeyOf(nodes_[a]), key_b = KeyOf(nodes_[b]);
      return key_a != key_b ? key_a < key_b : nodes_[a].end_ns < nodes_[b].end_ns;
    });
    for (const NodeTotal& total : trace.folded)
      if (NodeOf(total) != nullptr) folded_.push_back({KeyOf(total), total.start_ns});
    std::sort(folded_.begin(), folded_.end());
  }
  void Find(std::size_t to, std::vector<TraceFlow>* flows) {
    first_ = flows->size();
    const NodeTiming& timing = nodes_[to];
    if (NodeOf(timing) == nullptr) return;
    const Node& node = *NodeOf(timing);
    const Graph* const graph = timing.body;
    if (!IsKernel(to)) return Add(LastBefore({graph, node.id}, timing.start_ns, true), to, false, flows);
    if (node.node_class == NodeClass::kMerge) {
      Add(LatestInput(graph, node, timing.start_ns), to, false, flows);
    } else {
      for (const InEdge& edge : node.inputs)
        Add(LastBefore({graph, edge.node}, timing.start_ns, false), to, false, flows);
    }
    for (const int id : node.control_inputs) Add(LastBefore({graph, id}, timing.start_ns, true), to, true, flows);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  // A node of the session's graph, or of a function's.
  struct Key {
    const Graph* body;  // null: the session's
    int id;  // -1: not a node
    friend bool operator==(const Key&, const Key&) = default;
    friend bool operator<(const Key& a, const Key& b) {
      return a.body != b.body ? std::less<const Graph*>()(a.body, b.body) : a.id < b.id;
    }
  };
  struct Folded {
    Key key;
    std::int64_t from_ns;  // when the executions began that are only sums
    friend bool operator<(const Folded& a, const Folded& b) {
      return a.key != b.key ? a.key < b.key : a.from_ns < b.from_ns;
    }
  };
  template <class Timing>
  static const Node* NodeOf(const Timing& timing) {
    return timing.node != nullptr ? timing.node : timing.body_node;
  }
  template <class Timing>
  static Key KeyOf(const Timing& timing) {
    const Node* const node = NodeOf(timing);
    return {timing.body, node == nullptr ? -1 : node->id};
  }
  // Not a copy of its value, nor a fetch.
  bool IsKernel(std::size_t i) const { return nodes_[i].op == NodeOf(nodes_[i])->op_name(); }

  // The last item of a node, or the last copy of its value, that ended before `start_ns`. None where a later execution
  // may have come between, of which the trace has only sums.
  std::size_t LastBefore(const Key& key, std::int64_t start_ns, bool kernels_only) const {
    const auto folded = std::lower_bound(folded_.begin(), folded_.end(), Folded{key, 0});
    if (folded != folded_.end() && folded->key == key && folded->from_ns < start_ns) return kNone;
    std::size_t low = 0, high = order_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2, i = order_[middle];
      const Key at = KeyOf(nodes_[i]);
      if (at < key || (at == key && nodes_[i].end_ns <= start_ns))
        low = middle + 1;
      else
        high = middle;
    }
    for (; low > 0 && KeyOf(nodes_[order_[low - 1]]) == key; --low) {
      const std::size_t i = order_[low - 1];
      if (IsKernel(i) || (!kernels_only && nodes_[i].op != "Fetch")) return i;
    }
    return kNone;
  }
  // A Merge has waited for one of its inputs only: in a loop, for the iteration before.
  std::size_t LatestInput(const Graph* graph, const Node& merge, std::int64_t start_ns) const {
    std::size_t latest = kNone;
    for (const InEdge& edge : merge.inputs) {
      const std::size_t i = LastBefore({graph, edge.node}, start_ns, false);
      if (i != kNone && (latest == kNone || nodes_[i].end_ns > nodes_[latest].end_ns)) latest = i;
    }
    return latest;
  }
  // Each pair once, although a node may read another more than once.
  void Add(std::size_t from, std::size_t to, bool control, std::vector<TraceFlow>* flows) const {
    if (from == kNone) return;
    for (std::size_t i = first_; i < flows->size(); ++i)
      if ((*flows)[i].from == from) return;
    flows->push_back({from, to, control});
  }

  const std::vector<NodeTiming>& nodes_;
  SlimVector<std::size_t> order_;  // indices of nodes_, sorted by node and end
  SlimVector<Folded> folded_;  // sorted
  std::size_t first_ = 0;  // flow of the item under way
};

}  // namespace detail

// The edges of the graph between nodes that ran, by consumer. A producer that ran more than once, in a loop, counts
// with the last execution that ended before the consumer began; so does a node of a function, in whichever call it ran.
// Feeds, constants, arguments and folded nodes do not run, so that no flow comes from them. The trace's session must
// live.
inline std::vector<TraceFlow> FlowsOf(const RunTrace& trace) {
  detail::FlowFinder finder(trace);
  std::vector<TraceFlow> flows;
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) finder.Find(i, &flows);
  return flows;
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
