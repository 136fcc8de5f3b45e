// SPDX-License-Identifier: Apache-2.0
#pragma once
// The loops of one run: a LoopState for every frame that was entered, an IterationState for each of its iterations that
// is under way. Both are kept when they end and used again, so a steady loop allocates nothing.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tenon/base/hash.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/runtime/control_flow/frame_plan.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/executor/step.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

struct LoopState;

// State of one iteration: values and counts that the nodes of a frame read and write. one thread.
struct IterationState {
  LoopState* loop = nullptr;
  const FlowFrame* flow = nullptr;  // the loop's: every node looks here
  IterationState* next = nullptr;  // the iteration after this one, once it has begun; of a free one: the next free one
  int outstanding = 0;  // nodes that are ready or running
  int open_children = 0;  // loops entered from here that have not ended
  int live = 0;  // slots that hold a value
  std::int64_t number = 0;  // in its loop
  Tensor* values = nullptr;  // per slot
  SlimVector<Tensor> own_values;  // empty for the root, whose values are the step's
  SlimVector<Tensor*> inputs;  // per input
  SlimVector<std::uint8_t> last_use;  // per input, filled in before the node runs
  SlimVector<OpKernelContext::NodeFrame> frames;  // per node
  SlimVector<ShapeMemo> own_memos;  // per node; none where the step's serve
  SlimVector<FlowCount> counts;  // per node
  StepEnvironment environment, host_environment;  // for its nodes, if some must know the loop
  SlimVector<int> readers;  // per slot: the number that have not read yet
  SlimVector<LoopState*> children;

  const Tensor* empty = nullptr;  // to be copied: quicker than making one
  // One reader less; after the last one the value goes. A dead value is not there.
  void Drop(int slot) {
    if (--readers[static_cast<std::size_t>(slot)] == 0) Clear(slot);
  }
  void Clear(int slot) {
    if (values[slot].dtype() == DataType::kInvalid) return;
    values[slot] = *empty;
    --live;
  }
};

// A node that becomes ready, or waits for an iteration to begin with its value.
struct FlowStart {
  int node;
  bool dead;
};
struct FlowDeferred {
  int node;
  Tensor value;
};

// One entered frame. one thread.
struct LoopState {
  const FlowFrame* frame = nullptr;
  int number = 0;  // number of the frame
  IterationState* parent = nullptr;
  IterationState *oldest = nullptr, *newest = nullptr;
  int running = 0;  // iterations under way
  std::int64_t begun = 0;  // iterations
  std::uint64_t id = 0;  // TensorFlow's: made of the frame's name and of where it was entered
  int pending_enters = 0;
  SlimVector<FlowCount> counts;  // at the start of an iteration: the invariants that came are counted
  SlimVector<Tensor> invariants;
  SlimVector<FlowStart> starts;  // nodes that the invariants alone make ready, in every iteration
  SlimVector<FlowDeferred> deferred;  // values for an iteration that cannot begin yet
  SlimVector<int> dead_exits;  // nodes
  SlimVector<char> exited;  // per Exit: it has given its value
  SlimVector<Tensor> variables;  // if it runs as a SimpleLoop: variables that have come
  SlimVector<FlowStart> entered;  // its Enters, nodes of the parent
  SlimVector<Owned<IterationState>> iterations;
  IterationState* free = nullptr;
  LoopState* next_free = nullptr;
};

// Nodes that are ready, first in, first out. one thread.
class FlowQueue {
 public:
  struct Item {
    IterationState* iteration;
    int node;
    bool dead;
  };
  bool empty() const { return head_ == tail_; }
  void clear() { head_ = tail_ = 0; }
  TENON_DETAIL_ALWAYS_INLINE void Push(Item item) {
    if (tail_ - head_ == items_.size()) [[unlikely]]
      Grow();
    items_[tail_++ & (items_.size() - 1)] = item;
  }
  TENON_DETAIL_ALWAYS_INLINE Item Pop() { return items_[head_++ & (items_.size() - 1)]; }

 private:
  TENON_DETAIL_NOINLINE void Grow() {
    SlimVector<Item> larger(items_.empty() ? 64 : 2 * items_.size());
    const std::size_t count = tail_ - head_;
    for (std::size_t i = 0; i < count; ++i) larger[i] = items_[(head_ + i) & (items_.size() - 1)];
    items_.swap(larger);
    head_ = 0;
    tail_ = count;
  }
  SlimVector<Item> items_;  // a power of two of them
  std::size_t head_ = 0, tail_ = 0;
};

// Makes LoopStates and IterationStates, keeps those that ended. one thread.
class FrameStates {
 public:
  FrameStates(const Program& program, Step* step, bool own_memos)
      : program_(program), step_(step), own_memos_(own_memos), plan_(MakeFramePlan(program)) {
    free_.assign(plan_.frames.size(), nullptr);
    LoopState* root = NewLoop(0);
    root->frame = &plan_.frames[0];
    root_ = NewIteration(root);
    root->oldest = root->newest = root_;
  }

  IterationState* root() const { return root_; }
  const FramePlan& plan() const { return plan_; }

  // Begins a loop that is entered from `parent`, without an iteration yet.
  LoopState* Open(int frame, IterationState* parent) {
    LoopState* loop = free_[ToSize(frame)];
    if (loop != nullptr)
      free_[ToSize(frame)] = loop->next_free;
    else
      loop = NewLoop(frame);
    loop->parent = parent;
    loop->begun = 0;
    loop->id =
        HashCombine(parent->loop->id, HashCombine(static_cast<std::uint64_t>(parent->number), loop->frame->name_hash));
    loop->pending_enters = loop->frame->num_enters;
    std::copy(loop->frame->counts.begin(), loop->frame->counts.end(), loop->counts.begin());
    ++parent->open_children;
    parent->children[ToSize(loop->frame->number_in_parent)] = loop;
    return loop;
  }
  void Close(LoopState* loop) {
    loop->parent->children[ToSize(loop->frame->number_in_parent)] = nullptr;
    --loop->parent->open_children;
    Reset(loop);
  }

  // Begins the next iteration of a loop; nothing has been activated in it yet.
  IterationState* Begin(LoopState* loop) {
    IterationState* iteration = loop->free;
    if (iteration != nullptr)
      loop->free = iteration->next;
    else
      iteration = NewIteration(loop);
    iteration->next = nullptr;
    iteration->number = loop->begun++;
    if (loop->frame->has_transfers) [[unlikely]]
      SetEnvironments(iteration);
    std::copy(loop->counts.begin(), loop->counts.end(), iteration->counts.begin());
    std::copy(loop->frame->readers.begin(), loop->frame->readers.end(), iteration->readers.begin());
    (loop->newest == nullptr ? loop->oldest : loop->newest->next) = iteration;
    loop->newest = iteration;
    ++loop->running;
    return iteration;
  }
  // Ends the oldest iteration of a loop.
  void End(LoopState* loop) {
    IterationState* iteration = loop->oldest;
    loop->oldest = iteration->next;
    if (loop->oldest == nullptr) loop->newest = nullptr;
    --loop->running;
    if (iteration->live != 0) Empty(iteration);
    iteration->next = loop->free;
    loop->free = iteration;
  }

  void BeginRoot() {
    const FlowFrame& frame = plan_.frames[0];
    std::copy(frame.counts.begin(), frame.counts.end(), root_->counts.begin());
    std::copy(frame.readers.begin(), frame.readers.end(), root_->readers.begin());
    root_->outstanding = root_->open_children = 0;
  }
  // After a run: frees values that no node read, and loops that did not come to their end.
  void EndRoot() {
    for (const Owned<LoopState>& loop : loops_) {
      if (loop->number == 0 || loop->parent == nullptr) continue;
      while (loop->oldest != nullptr) {
        loop->oldest->outstanding = loop->oldest->open_children = 0;
        for (LoopState*& child : loop->oldest->children) child = nullptr;
        End(loop.get());
      }
      Reset(loop.get());
    }
    for (LoopState*& child : root_->children) child = nullptr;
    for (std::size_t v = 0; v < kept_.size(); ++v)
      if (kept_[v] == 0) root_->values[v] = EmptySlot();
  }

 private:
  TENON_DETAIL_NOINLINE LoopState* NewLoop(int number) {
    Owned<LoopState>& loop = loops_.emplace_back(MakeOwned<LoopState>());
    loop->frame = &plan_.frames[ToSize(number)];
    loop->number = number;
    loop->counts.resize(loop->frame->counts.size());
    loop->exited.assign(ToSize(loop->frame->num_exits), 0);
    for (int i = 0; i < loop->frame->num_invariants; ++i) loop->invariants.push_back(EmptySlot());
    if (number == 0) {  // constants and fetches stay when a run ends
      kept_.assign(ToSize(program_.num_values), 0);
      for (const auto& [value, tensor] : program_.constants) kept_[ToSize(value)] = 1;
      for (const Program::Fetch& fetch : program_.fetches) kept_[ToSize(fetch.value)] = 1;
    }
    return loop.get();
  }

  TENON_DETAIL_NOINLINE IterationState* NewIteration(LoopState* loop) {
    const FlowFrame& frame = *loop->frame;
    IterationState* it = loop->iterations.emplace_back(MakeOwned<IterationState>()).get();
    it->loop = loop;
    it->flow = loop->frame;
    it->empty = &empty_;
    if (loop->number == 0) {
      it->values = step_->values();
    } else {
      it->own_values.reserve(ToSize(frame.num_slots));
      for (int i = 0; i < frame.num_slots; ++i) it->own_values.push_back(EmptySlot());
      it->values = it->own_values.data();
    }
    it->counts.resize(frame.counts.size());
    it->readers.resize(frame.readers.size());
    it->children.assign(ToSize(frame.num_children), nullptr);
    it->last_use.assign(frame.inputs.size() + 1, 0);
    it->inputs.reserve(frame.inputs.size() + 1);
    for (const FlowInput& input : frame.inputs)
      it->inputs.push_back(input.slot >= 0        ? it->values + input.slot
                           : input.invariant >= 0 ? &loop->invariants[ToSize(input.invariant)]
                                                  : &step_->value(input.constant));
    if (own_memos_) it->own_memos = SlimVector<ShapeMemo>(frame.nodes.size());
    it->frames.reserve(frame.nodes.size());
    for (const FlowNode& node : frame.nodes) {
      OpKernelContext::NodeFrame& item = it->frames.emplace_back(step_->frame(node.program_node));
      if (own_memos_) item.memo = &it->own_memos[it->frames.size() - 1];
      item.inputs = it->inputs.data() + node.first_input;
      item.last_use = it->last_use.data() + node.first_input;
      if (node.num_outputs != 0 && OutputsStay(node.kind)) item.outputs = it->values + node.first_output;
    }
    return it;
  }
  // Tells kernels that move values to other devices which iteration of which loop they are in.
  TENON_DETAIL_COLD void SetEnvironments(IterationState* it) {
    const FlowFrame& frame = *it->flow;
    for (const bool on_host : {false, true}) {
      StepEnvironment& env = on_host ? it->host_environment : it->environment;
      env = step_->environment(on_host);
      env.frame_id = it->loop->id;
      env.iteration = it->number;
    }
    for (std::size_t n = 0; n < frame.nodes.size(); ++n) {
      const bool on_host = program_.nodes[ToSize(frame.nodes[n].program_node)].on_host;
      it->frames[n].env = on_host ? &it->host_environment : &it->environment;
    }
  }
  static bool OutputsStay(FlowKind kind) {
    return kind != FlowKind::kEnter && kind != FlowKind::kEnterConstant && kind != FlowKind::kExit &&
           kind != FlowKind::kNextIteration && kind != FlowKind::kFetch;
  }

  static void Empty(IterationState* iteration) {
    for (Tensor& value : iteration->own_values) value = EmptySlot();
    iteration->live = 0;
  }
  void Reset(LoopState* loop) {
    for (Tensor& value : loop->invariants) value = EmptySlot();
    loop->starts.clear();
    loop->deferred.clear();
    loop->dead_exits.clear();
    for (char& flag : loop->exited) flag = 0;
    for (Tensor& value : loop->variables) value = EmptySlot();
    loop->entered.clear();
    loop->parent = nullptr;
    loop->pending_enters = 0;
    loop->next_free = free_[ToSize(loop->number)];
    free_[ToSize(loop->number)] = loop;
  }

  const Program& program_;
  Step* step_;
  bool own_memos_;
  FramePlan plan_;
  const Tensor empty_ = EmptySlot();
  SlimVector<Owned<LoopState>> loops_;
  SlimVector<LoopState*> free_;  // per frame
  SlimVector<char> kept_;  // per value
  IterationState* root_ = nullptr;
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
