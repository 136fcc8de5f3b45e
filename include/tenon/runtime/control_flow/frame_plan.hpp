// SPDX-License-Identifier: Apache-2.0
#pragma once
// FramePlan: a program with TensorFlow 1 control flow, cut into its frames. Each frame has its own nodes, edges and
// value slots, numbered from 0, so that an iteration of a loop is a few small arrays.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/runtime/program/program.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

enum class FlowKind : std::uint8_t {
  kKernel,
  kNothing,        // NoOp, ControlTrigger
  kForward,        // Identity, LoopCond: the output is the input
  kConstant,       // Const: the output is what the kernel holds
  kCopy,           // between memories
  kSwitch,         // also _SwitchN
  kMerge,
  kEnter,
  kEnterConstant,  // its value is there in every iteration
  kExit,
  kNextIteration,
  kFetch,
  kTransfer,       // a send, which says when its input is dead, or a receive, whose output may be: both always run
};

// From an output (kControlSlot: from the node itself) to an input of node `node`, all numbers of the frame that the
// producer's outputs are values of.
struct FlowEdge {
  enum Target : std::uint8_t { kPlain, kMerge, kTrigger };
  int node;
  int input;
  int output;
  Target target;
  bool from_enter;
};

// Where an input is read: a slot of the iteration, or something that stays (slot -1): an invariant of the loop, or else
// a constant of the program.
struct FlowInput {
  int slot = -1;
  int invariant = -1;
  int constant = -1;
};

struct FlowNode {
  FlowKind kind = FlowKind::kKernel;
  bool drops_outputs = false;  // some output has no reader
  bool reads_references = false;  // some input is a reference and is taken as a value
  int program_node = -1;
  int first_input = 0, num_inputs = 0;
  int first_output = 0, num_outputs = 0;  // slots, of an Enter that is constant: invariants
  int first_edge = 0, num_edges = 0;
  int number = -1;  // Enter: its loop, among the children of the frame; Exit: its number among those of the frame
};

// Counts of one node. Not a Merge: inputs to wait for, and whether a dead one was among them. A Merge: twice the
// control inputs to wait for, and 1 while no live input has come; `dead` counts its dead inputs until then and is the
// number of the live input afterwards.
struct FlowCount {
  int pending = 0;
  int dead = 0;
};

struct FlowFrame {
  int parent = -1;
  int number_in_parent = -1;
  int parallel_iterations = 1;
  int num_enters = 0;
  int num_exits = 0;
  int num_children = 0;
  int num_slots = 0;
  int num_invariants = 0;
  std::uint64_t name_hash = 0;
  bool has_transfers = false;  // some kernel must know the loop and its iteration
  SlimVector<FlowNode> nodes;
  SlimVector<FlowEdge> edges;
  SlimVector<FlowInput> inputs;
  SlimVector<FlowCount> counts;  // per node, at the start of an iteration
  SlimVector<int> readers;  // per slot
  SlimVector<int> starts;  // nodes with nothing to wait for; in the root only
};

struct FramePlan {
  SlimVector<FlowFrame> frames;  // as in the program
};

// Makes a FramePlan; use MakeFramePlan. one thread.
class FramePlanner {
 public:
  explicit FramePlanner(const Program& program) : p_(program) {}

  FramePlan Make() {
    AddFrames();
    NumberValues();
    AddNodes();
    AddEdges();
    FindStarts();
    return std::move(plan_);
  }

 private:
  struct Place {
    int frame = 0;
    int slot = -1;  // slot, or invariant
    bool invariant = false;
    int producer = -1;  // program node
    bool constant = false;
  };
  FlowFrame& frame(int f) { return plan_.frames[ToSize(f)]; }
  FlowNode& node(int program_node) {
    return frame(p_.node_frames[ToSize(program_node)]).nodes[ToSize(local_[ToSize(program_node)])];
  }

  void AddFrames() {
    for (const ProgramFrame& f : p_.frames) {
      FlowFrame& added = plan_.frames.emplace_back();
      added.parent = f.parent;
      added.parallel_iterations = f.parallel_iterations;
      added.num_enters = f.num_enters;
      added.name_hash = f.name_hash;
      if (f.parent >= 0) added.number_in_parent = frame(f.parent).num_children++;
    }
  }

  // The root's slots are the program's values, all of them.
  void NumberValues() {
    places_.resize(ToSize(p_.num_values));
    for (const auto& [value, tensor] : p_.constants) places_[ToSize(value)].constant = true;
    for (std::size_t n = 0; n < p_.nodes.size(); ++n)
      for (int i = 0; i < p_.nodes[n].num_outputs; ++i) {
        Place& place = places_[ToSize(p_.nodes[n].first_output + i)];
        place.producer = static_cast<int>(n);
        place.invariant = KindOf(static_cast<int>(n)) == FlowKind::kEnterConstant;
      }
    for (int v = 0; v < p_.num_values; ++v) {
      Place& place = places_[ToSize(v)];
      place.frame = p_.value_frames[ToSize(v)];
      FlowFrame& f = frame(place.frame);
      if (place.frame == 0)
        place.slot = v;
      else
        place.slot = place.invariant ? f.num_invariants++ : f.num_slots++;
      if (place.frame != 0 && !place.invariant) f.readers.push_back(p_.readers[ToSize(v)]);
    }
    frame(0).num_slots = p_.num_values;
    frame(0).readers.assign(p_.readers.begin(), p_.readers.end());
  }

  FlowKind KindOf(int n) const {
    const ProgramNode& item = p_.nodes[ToSize(n)];
    switch (item.kind) {
      case ProgramNode::Kind::kNothing: return FlowKind::kNothing;
      case ProgramNode::Kind::kToDevice:
      case ProgramNode::Kind::kToHost: return FlowKind::kCopy;
      case ProgramNode::Kind::kFetch: return FlowKind::kFetch;
      case ProgramNode::Kind::kKernel: break;
    }
    switch (item.node->node_class) {
      case NodeClass::kSwitch: return FlowKind::kSwitch;
      case NodeClass::kMerge: return FlowKind::kMerge;
      case NodeClass::kExit: return FlowKind::kExit;
      case NodeClass::kControlTrigger: return FlowKind::kNothing;
      case NodeClass::kLoopCond:
      case NodeClass::kIdentity: return FlowKind::kForward;
      // Outside of a loop a next iteration does not exist.
      case NodeClass::kNextIteration:
        return p_.node_frames[ToSize(n)] == 0 ? FlowKind::kForward : FlowKind::kNextIteration;
      case NodeClass::kEnter: {
        const AttrValue* constant = item.node->def.attr.Find("is_constant");
        return constant != nullptr && constant->b() ? FlowKind::kEnterConstant : FlowKind::kEnter;
      }
      case NodeClass::kSend:
      case NodeClass::kRecv: return FlowKind::kTransfer;
      default: return item.kernel->const_tensor() != nullptr && item.on_host ? FlowKind::kConstant : FlowKind::kKernel;
    }
  }

  void AddNodes() {
    for (std::size_t n = 0; n < p_.nodes.size(); ++n) {
      const ProgramNode& item = p_.nodes[n];
      FlowFrame& f = frame(p_.node_frames[n]);
      local_.push_back(static_cast<int>(f.nodes.size()));
      FlowNode& added = f.nodes.emplace_back();
      added.kind = KindOf(static_cast<int>(n));
      added.program_node = static_cast<int>(n);
      added.reads_references = item.reads_references;
      added.num_outputs = item.num_outputs;
      added.first_output = item.num_outputs == 0 ? 0 : places_[ToSize(item.first_output)].slot;
      for (int i = 0; i < item.num_outputs; ++i)
        added.drops_outputs = added.drops_outputs || p_.readers[ToSize(item.first_output + i)] == 0;
      added.first_input = static_cast<int>(f.inputs.size());
      added.num_inputs = item.num_inputs;
      for (int i = 0; i < item.num_inputs; ++i) {
        const int value = p_.inputs[ToSize(item.first_input + i)];
        const Place& place = places_[ToSize(value)];
        FlowInput& input = f.inputs.emplace_back();
        (place.constant    ? input.constant
         : place.invariant ? input.invariant
                           : input.slot) = place.constant ? value : place.slot;
      }
      f.counts.push_back({added.kind == FlowKind::kMerge ? 1 : 0, 0});
      f.has_transfers = f.has_transfers || added.kind == FlowKind::kTransfer;
      if (added.kind == FlowKind::kExit) added.number = f.num_exits++;
      if (added.kind == FlowKind::kEnter || added.kind == FlowKind::kEnterConstant)
        added.number = frame(p_.value_frames[ToSize(item.first_output)]).number_in_parent;
    }
  }

  // Data edges of every node first, then control edges.
  void AddEdges() {
    struct Link {
      int from, to, input, output;
    };
    SlimVector<Link> links;
    SlimVector<int> begin(p_.nodes.size() + 1, 0);
    for (std::size_t n = 0; n < p_.nodes.size(); ++n)
      for (int i = 0; i < p_.nodes[n].num_inputs; ++i) {
        const int value = p_.inputs[ToSize(p_.nodes[n].first_input + i)];
        const int producer = places_[ToSize(value)].producer;
        if (producer < 0) continue;
        links.push_back({producer, static_cast<int>(n), i, value - p_.nodes[ToSize(producer)].first_output});
      }
    for (const auto& [from, to] : p_.control_edges) links.push_back({from, to, kControlSlot, kControlSlot});
    for (const Link& link : links) ++begin[ToSize(link.from) + 1];
    for (std::size_t n = 0; n < p_.nodes.size(); ++n) begin[n + 1] += begin[n];
    SlimVector<int> sorted(links.size()), next(begin);
    for (std::size_t l = 0; l < links.size(); ++l) sorted[ToSize(next[ToSize(links[l].from)]++)] = static_cast<int>(l);
    for (std::size_t n = 0; n < p_.nodes.size(); ++n) {
      FlowNode& from = node(static_cast<int>(n));
      SlimVector<FlowEdge>& edges = frame(p_.node_frames[n]).edges;
      from.first_edge = static_cast<int>(edges.size());
      from.num_edges = begin[n + 1] - begin[n];
      for (int l = begin[n]; l < begin[n + 1]; ++l) {
        const Link& link = links[ToSize(sorted[ToSize(l)])];
        const bool enters = from.kind == FlowKind::kEnter || from.kind == FlowKind::kEnterConstant;
        edges.push_back({local_[ToSize(link.to)], link.input, link.output, TargetOf(link.to), enters});
        CountIn(link.to, link.input);
      }
    }
  }
  FlowEdge::Target TargetOf(int n) {
    if (node(n).kind == FlowKind::kMerge) return FlowEdge::kMerge;
    const ProgramNode& item = p_.nodes[ToSize(n)];
    const bool trigger = item.kind == ProgramNode::Kind::kKernel && item.node->node_class == NodeClass::kControlTrigger;
    return trigger ? FlowEdge::kTrigger : FlowEdge::kPlain;
  }
  void CountIn(int to, int input) {
    FlowCount& count = frame(p_.node_frames[ToSize(to)]).counts[ToSize(local_[ToSize(to)])];
    if (node(to).kind != FlowKind::kMerge)
      ++count.pending;
    else if (input == kControlSlot)
      count.pending += 2;
  }

  // Feeds and constants are there from the start: a Merge takes the first of them.
  void FindStarts() {
    FlowFrame& root = frame(0);
    for (std::size_t n = 0; n < root.nodes.size(); ++n) {
      FlowNode& item = root.nodes[n];
      FlowCount& count = root.counts[n];
      if (item.kind == FlowKind::kMerge) {
        for (int i = 0; i < item.num_inputs && (count.pending & 1) != 0; ++i) {
          const int value = p_.inputs[ToSize(p_.nodes[ToSize(item.program_node)].first_input + i)];
          if (places_[ToSize(value)].producer >= 0) continue;
          count.pending -= 1;
          count.dead = i;
        }
      }
      if (count.pending == 0) root.starts.push_back(static_cast<int>(n));
    }
  }

  const Program& p_;
  FramePlan plan_;
  SlimVector<Place> places_;  // per value
  SlimVector<int> local_;  // per program node: its number in its frame
};

inline FramePlan MakeFramePlan(const Program& program) { return FramePlanner(program).Make(); }

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
