// SPDX-License-Identifier: Apache-2.0
#pragma once
// The frames of a graph with TensorFlow 1 control flow: which loop each node belongs to. A frame is named by its Enter
// nodes; nodes outside of all loops are in the root frame.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/op/graph_def/node_def.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/graph.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// True for ops whose graphs need frames or dead values at run time. A NextIteration alone is an Identity.
constexpr bool NeedsFrames(NodeClass c) {
  return c == NodeClass::kSwitch || c == NodeClass::kMerge || c == NodeClass::kEnter || c == NodeClass::kExit;
}

struct ControlFlowFrames {
  struct Frame {
    std::string name;  // "" for the root
    int parent = -1;
    std::int64_t parallel_iterations = 1;  // that may be under way at once, of the first Enter found
    int num_enters = 0;
    int loop_cond = -1;  // node
  };
  SlimVector<Frame> frames{Frame{}};  // the root first, parents before their children
  SlimVector<int> frame_of;  // per node: -1 where it is not part of the run; an Enter is in the frame it opens

  // The frame in which a node runs, and the one that its outputs are values of.
  int RunsIn(const Node& node) const {
    const int frame = frame_of[static_cast<std::size_t>(node.id)];
    return node.node_class == NodeClass::kEnter ? ParentOf(frame) : frame;
  }
  int OutputsIn(const Node& node) const {
    const int frame = frame_of[static_cast<std::size_t>(node.id)];
    return node.node_class == NodeClass::kExit ? ParentOf(frame) : frame;
  }

 private:
  int ParentOf(int frame) const { return frames[static_cast<std::size_t>(frame)].parent; }
};

// Finds the frames of the nodes in `wanted` (a mask over the ids), where the outputs `fed` come from outside, that is
// from the root frame. Codes and messages are those of TensorFlow's run.
// InvalidArgument: a node with inputs from different frames, an Enter without a frame name, an Exit outside of a loop,
// a loop with two LoopConds. Internal: one frame name below two frames. one thread.
class ControlFlowAnalysis {
 public:
  ControlFlowAnalysis(const Graph& graph, Span<const char> wanted, Span<const InEdge> fed,
                      const CancellationManager* cancellation)
      : graph_(graph), wanted_(wanted), fed_(graph.num_nodes(), fed), cancellation_(cancellation) {}

  Result<ControlFlowFrames> Run() {
    const std::size_t count = static_cast<std::size_t>(graph_.num_nodes());
    out_.frame_of.assign(count, -1);
    visited_from_.assign(count, -1);
    FindStarts();
    if (detail::StopsAt(cancellation_, 0)) return detail::PreparingCancelled();
    for (const int id : starts_) TENON_RETURN_IF_ERROR(Visit(id, 0, id));
    for (std::size_t i = 0; i < queue_.size(); ++i) TENON_RETURN_IF_ERROR(Leave(graph_.node(queue_[i])));
    return std::move(out_);
  }

 private:
  ControlFlowFrames::Frame& frame(int i) { return out_.frames[ToSize(i)]; }

  // Nodes that wait for nothing, or read something that is fed: these begin in the root frame.
  void FindStarts() {
    for (const Node& node : graph_.nodes()) {
      if (detail::StopsAt(cancellation_, node.id)) return;
      if (wanted_[ToSize(node.id)] == 0) continue;
      bool waits = false, reads_feed = false;
      for (const InEdge& edge : node.inputs) (fed_.Has(edge) ? reads_feed : waits) = true;
      for (const int control : node.control_inputs) waits = waits || wanted_[ToSize(control)] != 0;
      if (!waits || reads_feed) starts_.push_back(node.id);
    }
  }

  // The node's outputs and whoever waits for it.
  Status Leave(const Node& node) {
    const int from = out_.OutputsIn(node);
    for (const OutEdge& edge : node.outputs) {
      if (wanted_[ToSize(edge.node)] == 0) continue;
      if (edge.output != kControlSlot && fed_.Has({node.id, edge.output})) continue;
      TENON_RETURN_IF_ERROR(Visit(edge.node, from, node.id));
    }
    return OkStatus();
  }

  // Something of frame `from`, made by node `src`, reaches node `id`.
  Status Visit(int id, int from, int src) {
    const Node& node = graph_.node(id);
    int& at = out_.frame_of[ToSize(id)];
    const bool enters = node.node_class == NodeClass::kEnter;
    if (at >= 0) {
      const int before = enters ? frame(at).parent : at;
      return before == from ? OkStatus() : DifferentFrames(node, src, from, before);
    }
    visited_from_[ToSize(id)] = src;
    if (detail::StopsAt(cancellation_, static_cast<int>(queue_.size()))) return detail::PreparingCancelled();
    queue_.push_back(id);
    if (enters) return EnterFrame(node, from, &at);
    at = from;
    if (node.node_class == NodeClass::kExit && from == 0)
      return errors::InvalidArgument("Invalid Exit op: Cannot find a corresponding Enter op: ",
                                     FormatNodeForError(node.name()), " is in no loop.");
    if (node.node_class == NodeClass::kLoopCond) return AddLoopCond(node, from);
    return OkStatus();
  }

  Status EnterFrame(const Node& node, int from, int* at) {
    std::string name;
    TENON_RETURN_IF_ERROR(GetNodeAttr(node.def, "frame_name", &name));
    if (name.empty())
      return errors::InvalidArgument("The Enter ", FormatNodeForError(node.name()), " must have a frame name.");
    const auto name_of = [this](int f) -> std::string_view { return frame(f).name; };
    int found = by_name_.Find(name, name_of);
    if (found >= 0 && frame(found).parent != from) return MismatchedParents(node, found, from);
    if (found < 0) {
      std::int64_t parallel = 10;
      TENON_RETURN_IF_ERROR(GetNodeAttr(node.def, "parallel_iterations", &parallel));
      if (parallel < 0 || parallel > std::numeric_limits<std::int32_t>::max())
        return errors::InvalidArgument("The Enter ", FormatNodeForError(node.name()),
                                       " has parallel_iterations = ", parallel,
                                       "; it must be positive and fit 32 bits.");
      if (parallel == 0) parallel = 1;  // so that a frame without loop runs, as in TensorFlow
      found = static_cast<int>(out_.frames.size());
      out_.frames.push_back({name, from, parallel, 0, -1});
      by_name_.Insert(name, found, name_of);
    }
    ++frame(found).num_enters;
    *at = found;
    return OkStatus();
  }

  // Two LoopConds in one frame are two loops, but for the counters that gradients of loops have.
  Status AddLoopCond(const Node& node, int at) {
    const auto is_counter = [](const Node& n) { return n.name().find("LoopCounter") != std::string::npos; };
    const int other = std::exchange(frame(at).loop_cond, node.id);
    if (other < 0 || is_counter(node) || is_counter(graph_.node(other))) return OkStatus();
    return errors::InvalidArgument("Invalid loop structure: Loop \"", frame(at).name,
                                   "\" has more than one LoopCond node: ", FormatNodeForError(node.name()), " and ",
                                   FormatNodeForError(graph_.node(other).name()), ".");
  }

  TENON_DETAIL_COLD Status DifferentFrames(const Node& node, int src, int from, int before) {
    const auto input = [&](int id) {
      return id == node.id ? std::string("that is fed") : FormatNodeForError(graph_.node(id).name());
    };
    return errors::InvalidArgument(FormatNodeForError(node.name()), " has inputs from different frames. The input ",
                                   input(src), " is in frame '", frame(from).name, "'. The input ",
                                   input(visited_from_[ToSize(node.id)]), " is in frame '", frame(before).name, "'.");
  }
  TENON_DETAIL_COLD Status MismatchedParents(const Node& node, int found, int from) {
    return errors::Internal("Invalid loop structure: Mismatched parent frames for \"", frame(found).name, "\": \"",
                            frame(from).name, "\" vs \"", frame(frame(found).parent).name,
                            "\". The node giving this error: ", FormatNodeForError(node.name()), ".");
  }

  const Graph& graph_;
  Span<const char> wanted_;
  FedOutputs fed_;
  const CancellationManager* cancellation_;
  ControlFlowFrames out_;
  detail::NameIndex by_name_;  // name -> frame
  SlimVector<int> visited_from_;  // per node: the input it was first reached from, itself for feeds
  SlimVector<int> starts_, queue_;
};

// `cancellation` gives it up: Cancelled; may be null.
inline Result<ControlFlowFrames> FindFrames(const Graph& graph, Span<const char> wanted, Span<const InEdge> fed,
                                            const CancellationManager* cancellation = nullptr) {
  return ControlFlowAnalysis(graph, wanted, fed, cancellation).Run();
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
