// SPDX-License-Identifier: Apache-2.0
#pragma once
// FlowsOf: which node of a trace waited for which, from the edges of the graph.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
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
      const int id_a = IdOf(a), id_b = IdOf(b);
      return id_a != id_b ? id_a < id_b : nodes_[a].end_ns < nodes_[b].end_ns;
    });
    for (const NodeTotal& total : trace.folded) {
      if (total.node == nullptr) continue;
      const auto id = static_cast<std::size_t>(total.node->id);
      if (folded_from_.size() <= id) folded_from_.resize(id + 1, kNever);
      folded_from_[id] = std::min(folded_from_[id], total.start_ns);
    }
  }
  void Find(std::size_t to, std::vector<TraceFlow>* flows) {
    first_ = flows->size();
    const NodeTiming& timing = nodes_[to];
    if (timing.node == nullptr) return;
    const Node& node = *timing.node;
    if (!IsKernel(to)) return Add(LastBefore(node.id, timing.start_ns, true), to, false, flows);
    if (node.node_class == NodeClass::kMerge) {
      Add(LatestInput(node, timing.start_ns), to, false, flows);
    } else {
      for (const InEdge& edge : node.inputs) Add(LastBefore(edge.node, timing.start_ns, false), to, false, flows);
    }
    for (const int id : node.control_inputs) Add(LastBefore(id, timing.start_ns, true), to, true, flows);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  int IdOf(std::size_t i) const { return nodes_[i].node == nullptr ? -1 : nodes_[i].node->id; }
  // Not a copy of its value, nor a fetch.
  bool IsKernel(std::size_t i) const { return nodes_[i].op == nodes_[i].node->op_name(); }

  // The last item of a node, or the last copy of its value, that ended before `start_ns`. None where a later execution
  // may have come between, of which the trace has only sums.
  std::size_t LastBefore(int id, std::int64_t start_ns, bool kernels_only) const {
    if (static_cast<std::size_t>(id) < folded_from_.size() && folded_from_[static_cast<std::size_t>(id)] < start_ns)
      return kNone;
    std::size_t low = 0, high = order_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2, i = order_[middle];
      if (IdOf(i) < id || (IdOf(i) == id && nodes_[i].end_ns <= start_ns))
        low = middle + 1;
      else
        high = middle;
    }
    for (; low > 0 && IdOf(order_[low - 1]) == id; --low) {
      const std::size_t i = order_[low - 1];
      if (IsKernel(i) || (!kernels_only && nodes_[i].op != "Fetch")) return i;
    }
    return kNone;
  }
  // A Merge has waited for one of its inputs only: in a loop, for the iteration before.
  std::size_t LatestInput(const Node& merge, std::int64_t start_ns) const {
    std::size_t latest = kNone;
    for (const InEdge& edge : merge.inputs) {
      const std::size_t i = LastBefore(edge.node, start_ns, false);
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
  SlimVector<std::size_t> order_;  // indices of nodes_, sorted by id and end
  SlimVector<std::int64_t> folded_from_;  // by id: when the executions began that are only sums
  std::size_t first_ = 0;  // flow of the item under way
};

}  // namespace detail

// The edges of the graph between nodes that ran, by consumer. A producer that ran more than once, in a loop, counts
// with the last execution that ended before the consumer began. Feeds, constants and folded nodes do not run, so that
// no flow comes from them. The trace's session must live.
inline std::vector<TraceFlow> FlowsOf(const RunTrace& trace) {
  detail::FlowFinder finder(trace);
  std::vector<TraceFlow> flows;
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) finder.Find(i, &flows);
  return flows;
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
