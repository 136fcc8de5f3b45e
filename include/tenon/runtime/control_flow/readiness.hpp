// SPDX-License-Identifier: Apache-2.0
#pragma once
// When a node of a graph with TensorFlow 1 control flow may run: what a value, dead or not, that arrives at one of its
// inputs makes of its FlowCount.

#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/control_flow/frame_plan.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

enum class Arrival : std::uint8_t {
  kWaits,
  kReady,
  kReadyDead,  // to be passed without being run
  kUnused,  // the target, a Merge, has its value already
};

// A Merge takes the first input that is not dead, and then waits for its control inputs alone. It is dead when all its
// inputs are; that of a loop, when what enters is.
inline Arrival ArriveAtMerge(FlowCount& count, const FlowEdge& edge, bool dead, int inputs) {
  const auto dies = [&count] {
    count.pending = 0;
    return Arrival::kReadyDead;
  };
  if (edge.input == kControlSlot) {
    count.pending -= 2;
    if (count.pending == 0) return Arrival::kReady;
    return count.pending == 1 && count.dead == inputs ? dies() : Arrival::kWaits;
  }
  if ((count.pending & 1) == 0) return Arrival::kUnused;
  if (dead) {
    ++count.dead;
    return count.pending == 1 && (count.dead == inputs || edge.from_enter) ? dies() : Arrival::kWaits;
  }
  count.pending -= 1;
  count.dead = edge.input;
  return count.pending == 0 ? Arrival::kReady : Arrival::kWaits;
}

// `count`: of the edge's target, which is a node of `frame`. Every other node waits for all of its inputs and is dead
// if one of them is, unless it is a ControlTrigger.
TENON_DETAIL_ALWAYS_INLINE Arrival Arrive(FlowCount& count, const FlowEdge& edge, bool dead, const FlowFrame& frame) {
  if (edge.target == FlowEdge::kMerge)
    return ArriveAtMerge(count, edge, dead, frame.nodes[static_cast<std::size_t>(edge.node)].num_inputs);
  if (dead) count.dead = 1;
  if (--count.pending != 0) return Arrival::kWaits;
  return count.dead != 0 && edge.target == FlowEdge::kPlain ? Arrival::kReadyDead : Arrival::kReady;
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
