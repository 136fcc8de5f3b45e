// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine with frames, for graphs with TensorFlow 1 control flow: dead values, loops, several iterations under way.
// The rules are those of TensorFlow's executor; it runs on the caller's thread, in the order in which nodes become
// ready. Switch, Merge, Enter, Exit, NextIteration, Identity and Const only hand values on: their kernels are not
// called.

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/bring_tensor.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/graph/control_flow.hpp>
#include <tenon/runtime/executor/run_node.hpp>
#include <tenon/runtime/control_flow/readiness.hpp>
#include <tenon/runtime/control_flow/frame_plan.hpp>
#include <tenon/runtime/control_flow/frame_state.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/control_flow/while_pattern.hpp>
#include <tenon/runtime/control_flow/while_pattern_run.hpp>
#include <tenon/runtime/executor/step.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Runs a program with control flow; kept with its step and used again. externally synchronised.
class FrameRun {
 public:
  // With `own_memos` every iteration remembers its shapes itself, so that several may run the same node at once.
  FrameRun(const Program& program, Step* step, bool own_memos = false)
      : program_(program),
        step_(step),
        states_(program, step, own_memos),
        simple_loops_(program, states_.plan(), step),
        one_thread_(!own_memos) {}

  // Fetched values that are dead stay empty slots. Stops at the first error, or when the run is cancelled. `trace` may
  // be null. When it throws (out of memory), this can only be destroyed.
  Status Run(TraceCollector* trace) {
    const CancellationManager* const cancellation = CancellationOf(*step_);
    const OwnsCache owner(step_);
    failed_in_simple_loop_ = false;
    NodeMeter meter(trace, &context_);
    meter_ = &meter;
    runs_simple_loops_ = one_thread_ && trace == nullptr;  // a trace shows every node
    Start();
    Status status;
    while (!queue_.empty()) {
      const FlowQueue::Item item = queue_.Pop();
      if (IsCancelled(cancellation)) [[unlikely]] {
        status = CancelledAt(item);
        break;
      }
      meter.Begin();
      status = item.dead ? PassDead(item.iteration, item.node) : Process(item.iteration, item.node);
      if (!read_status_.ok()) [[unlikely]]
        status.Update(std::exchange(read_status_, OkStatus()));
      if (!status.ok()) [[unlikely]] {
        if (!failed_in_simple_loop_) status = AtNode(status, program_, NodeOf(item));
        break;
      }
      if (!item.dead) meter.End(program_, NodeOf(item));
      if (--item.iteration->outstanding == 0) CleanUp(item.iteration);
    }
    context_.set_memory_record(nullptr);
    queue_.clear();
    states_.EndRoot();
    return status;
  }

 protected:
  void Start() {
    states_.BeginRoot();
    IterationState* root = states_.root();
    for (const int node : root->flow->starts) Ready(root, node, false);
  }

  static const FlowNode& NodeIn(const IterationState* it, int node) { return it->flow->nodes[ToSize(node)]; }
  const ProgramNode& NodeOf(const FlowQueue::Item& item) const {
    return program_.nodes[ToSize(NodeIn(item.iteration, item.node).program_node)];
  }

  TENON_DETAIL_COLD Status CancelledAt(const FlowQueue::Item& item) const {
    return item.iteration->loop->number == 0 ? RunCancelled() : AtNode(LoopCancelled(), program_, NodeOf(item));
  }

  TENON_DETAIL_ALWAYS_INLINE void Ready(IterationState* it, int node, bool dead) {
    ++it->outstanding;
    queue_.Push({it, node, dead});
  }

  // ---- activation
  // Tells the target of an edge, in the iteration that the producer's outputs are values of. `first_output`:
  // the slot of the producer's output 0.
  TENON_DETAIL_ALWAYS_INLINE void Activate(IterationState* it, const FlowEdge& edge, bool dead, int first_output) {
    switch (Arrive(it->counts[ToSize(edge.node)], edge, dead, *it->flow)) {
      case Arrival::kWaits: return;
      case Arrival::kReady: return Ready(it, edge.node, false);
      case Arrival::kReadyDead: return Ready(it, edge.node, true);
      case Arrival::kUnused:
        if (!dead) it->Drop(first_output + edge.output);
        return;
    }
  }
  TENON_DETAIL_ALWAYS_INLINE void ActivateAll(const FlowNode& node, const FlowFrame& of, IterationState* to,
                                              bool dead) {
    const FlowEdge* edge = of.edges.data() + node.first_edge;
    for (const FlowEdge* end = edge + node.num_edges; edge != end; ++edge) Activate(to, *edge, dead, node.first_output);
  }

  // ---- values
  void DropInput(IterationState* it, const FlowNode& node, int i) {
    const FlowInput& input = it->flow->inputs[ToSize(node.first_input + i)];
    if (input.slot >= 0) it->Drop(input.slot);
  }
  void DropInputs(IterationState* it, const FlowNode& node) {
    for (int i = 0; i < node.num_inputs; ++i) DropInput(it, node, i);
  }
  const Tensor& Input(const IterationState* it, const FlowNode& node, int i) const {
    return *it->inputs[ToSize(node.first_input + i)];
  }
  // Hands input i on; the last reader moves it.
  void Take(IterationState* it, const FlowNode& node, int i, Tensor* to) {
    const FlowInput& input = it->flow->inputs[ToSize(node.first_input + i)];
    Tensor& from = *it->inputs[ToSize(node.first_input + i)];
    if (input.slot >= 0 && --it->readers[ToSize(input.slot)] == 0) {
      *to = std::move(from);
      from = *it->empty;
      --it->live;
    } else {
      *to = from;
    }
    if (node.reads_references) [[unlikely]]
      ReadTaken(program_.nodes[ToSize(node.program_node)], to);
  }
  // A node that hands plain values on got a reference: it hands on the value that this refers to now.
  TENON_DETAIL_COLD void ReadTaken(const ProgramNode& item, Tensor* value) {
    if (!IsRefType(value->dtype()) || IsRefType(item.kernel->output_type(0))) return;
    const Tensor reference = *value;
    Status status = ReadReference(reference, item.node->name(), value);
    if (status.ok() && item.kernel->input_memory_type(0) == MemoryType::kDevice)
      status = BringToKernel(step_->environment(item.on_host), value);
    read_status_.Update(status);
  }
  // Input i becomes the value of a slot of `to`, if a node there reads it.
  void Forward(IterationState* it, const FlowNode& node, int i, IterationState* to, int slot) {
    if (to->readers[ToSize(slot)] == 0) return DropInput(it, node, i);
    Take(it, node, i, &to->values[slot]);
    ++to->live;
  }

  // ---- nodes
  Status Process(IterationState* it, int number) {
    const FlowFrame& frame = *it->flow;
    const FlowNode& node = frame.nodes[ToSize(number)];
    switch (node.kind) {
      case FlowKind::kKernel: TENON_RETURN_IF_ERROR(RunKernel(it, number, node)); break;
      case FlowKind::kNothing: break;
      case FlowKind::kForward: Forward(it, node, 0, it, node.first_output); break;
      case FlowKind::kConstant: PutConstant(it, node); break;
      case FlowKind::kCopy: TENON_RETURN_IF_ERROR(RunCopyNode(it, number, node)); break;
      case FlowKind::kMerge: TENON_RETURN_IF_ERROR(RunMerge(it, number, node)); break;
      case FlowKind::kSwitch: return RunSwitch(it, node);
      case FlowKind::kEnter:
      case FlowKind::kEnterConstant: return EnterLoop(it, number, node, false);
      case FlowKind::kExit: LeaveLoop(it, node); return OkStatus();
      case FlowKind::kNextIteration: NextIteration(it, number, node); return OkStatus();
      case FlowKind::kFetch: return TakeFetch(it, node);
      case FlowKind::kTransfer: return RunTransfer(it, number, node, false);
    }
    ActivateAll(node, frame, it, false);
    return OkStatus();
  }

  // A dead node is not run: its outputs are dead.
  Status PassDead(IterationState* it, int number) {
    const FlowNode& node = NodeIn(it, number);
    if (node.kind == FlowKind::kTransfer) [[unlikely]]
      return RunTransfer(it, number, node, true);
    if (node.kind != FlowKind::kMerge) DropInputs(it, node);
    switch (node.kind) {
      case FlowKind::kEnter:
      case FlowKind::kEnterConstant: return EnterLoop(it, number, node, true);
      case FlowKind::kExit:
        if (it == it->loop->newest) it->loop->dead_exits.push_back(number);
        break;
      case FlowKind::kNextIteration: break;
      default: ActivateAll(node, *it->flow, it, true);
    }
    return OkStatus();
  }

  Status RunKernel(IterationState* it, int number, const FlowNode& node) {
    PrepareKernel(it, node);
    const OpKernelContext::NodeFrame& frame = it->frames[ToSize(number)];
    TENON_RETURN_IF_ERROR(RunKernelOf(program_.nodes[ToSize(node.program_node)], frame, &context_));
    meter_->SeeOutputs(frame.outputs, node.num_outputs);
    FinishKernel(it, node);
    return OkStatus();
  }
  void PrepareKernel(IterationState* it, const FlowNode& node) {
    const FlowInput* inputs = it->flow->inputs.data() + node.first_input;
    for (int i = 0; i < node.num_inputs; ++i)
      it->last_use[ToSize(node.first_input + i)] = inputs[i].slot >= 0 && it->readers[ToSize(inputs[i].slot)] == 1;
  }
  void FinishKernel(IterationState* it, const FlowNode& node) {
    it->live += node.num_outputs;
    if (node.drops_outputs) DropUnread(it, node);
    DropInputs(it, node);
  }
  // A send or a receive.
  TENON_DETAIL_COLD Status RunTransfer(IterationState* it, int number, const FlowNode& node, bool dead) {
    PrepareKernel(it, node);
    const OpKernelContext::NodeFrame frame = TransferFrame(it, number, dead);
    context_.Enter(&frame);
    RunToEnd(program_.nodes[ToSize(node.program_node)], &context_);
    TENON_RETURN_IF_ERROR(context_.TakeStatus());
    FinishTransfer(it, node, dead);
    return OkStatus();
  }
  // A send that is dead because of a control edge sends a dead value, whatever its input is.
  OpKernelContext::NodeFrame TransferFrame(IterationState* it, int number, bool dead) {
    OpKernelContext::NodeFrame frame = it->frames[ToSize(number)];
    if (dead) frame.inputs = &dead_input_;
    return frame;
  }
  // An output that was received dead, or not at all, has no value.
  TENON_DETAIL_COLD void FinishTransfer(IterationState* it, const FlowNode& node, bool dead) {
    const bool received = node.num_outputs != 0 && it->values[node.first_output].dtype() != DataType::kInvalid;
    if (received) {
      ++it->live;
      if (node.drops_outputs) DropUnread(it, node);
    }
    DropInputs(it, node);
    const FlowFrame& frame = *it->flow;
    for (int e = node.first_edge; e < node.first_edge + node.num_edges; ++e) {
      const FlowEdge& edge = frame.edges[ToSize(e)];
      Activate(it, edge, edge.output == kControlSlot ? dead : !received, node.first_output);
    }
  }
  void DropUnread(IterationState* it, const FlowNode& node) {
    for (int slot = node.first_output; slot < node.first_output + node.num_outputs; ++slot)
      if (it->readers[ToSize(slot)] == 0) it->Clear(slot);
  }
  Status RunCopyNode(IterationState* it, int number, const FlowNode& node) {
    const OpKernelContext::NodeFrame& frame = it->frames[ToSize(number)];
    TENON_RETURN_IF_ERROR(
        CopyValue(program_, program_.nodes[ToSize(node.program_node)], *frame.inputs[0], step_, frame.outputs));
    meter_->SeeOutputs(frame.outputs, 1);
    ++it->live;
    DropInputs(it, node);
    return OkStatus();
  }

  void PutConstant(IterationState* it, const FlowNode& node) {
    if (it->readers[ToSize(node.first_output)] == 0) return;
    it->values[node.first_output] = *program_.nodes[ToSize(node.program_node)].kernel->const_tensor();
    ++it->live;
  }
  Status RunMerge(IterationState* it, int number, const FlowNode& node) {
    const int input = it->counts[ToSize(number)].dead;
    Forward(it, node, input, it, node.first_output);
    const int index_slot = node.first_output + 1;
    if (node.num_outputs < 2 || it->readers[ToSize(index_slot)] == 0) return OkStatus();
    TENON_ASSIGN_OR_RETURN(it->values[index_slot],
                           Tensor::Make(DataType::kInt32, TensorShape{}, step_->host_allocator()));
    it->values[index_slot].scalar<std::int32_t>()() = input;
    ++it->live;
    return OkStatus();
  }

  Status RunSwitch(IterationState* it, const FlowNode& node) {
    const Tensor& index = Input(it, node, 1);
    if (index.dims() != 0) [[unlikely]]
      return errors::InvalidArgument("The second input must be a scalar, but it has shape ", index.shape());
    int taken;
    if (index.dtype() == DataType::kBool) {
      taken = index.scalar<bool>()() ? 1 : 0;
    } else {  // an index without an output takes the last one
      taken = index.scalar<std::int32_t>()();
      if (taken < 0 || taken >= node.num_outputs) taken = node.num_outputs - 1;
    }
    DropInput(it, node, 1);
    Forward(it, node, 0, it, node.first_output + taken);
    const FlowEdge* edge = it->flow->edges.data() + node.first_edge;
    for (const FlowEdge* end = edge + node.num_edges; edge != end; ++edge)
      Activate(it, *edge, edge->output != taken && edge->output != kControlSlot, node.first_output);
    return OkStatus();
  }

  Status TakeFetch(IterationState* it, const FlowNode& node) {
    const ProgramNode& item = program_.nodes[ToSize(node.program_node)];
    Tensor& to = step_->value(item.first_output);
    if (to.dtype() != DataType::kInvalid) return FetchedTwice(item);
    Take(it, node, 0, &to);
    return OkStatus();
  }

  TENON_DETAIL_COLD Status FetchedTwice(const ProgramNode& item) const {
    std::size_t i = 0;
    while (program_.fetches[i].value != item.first_output) ++i;
    return errors::Internal("Retval[", i, "] has already been set: '", program_.fetches[i].name,
                            "' is in a loop that runs more than once; fetch what leaves the loop instead");
  }

  // ---- loops
  Status EnterLoop(IterationState* it, int number, const FlowNode& node, bool dead) {
    LoopState* loop = it->children[ToSize(node.number)];
    const int frame = program_.value_frames[ToSize(program_.nodes[ToSize(node.program_node)].first_output)];
    if (loop == nullptr) loop = states_.Open(frame, it);
    --loop->pending_enters;
    SimpleLoopRun* const simple = runs_simple_loops_ ? simple_loops_.Find(frame) : nullptr;
    if (simple != nullptr) return EnterSimpleLoop(it, number, node, dead, loop, simple);
    if (loop->newest == nullptr) states_.Begin(loop);
    Tensor value = *it->empty;
    if (!dead) Take(it, node, 0, &value);
    StartWith(it, node, dead, &value, loop);
    if (loop->oldest->outstanding == 0) CleanUp(loop->oldest);
    return OkStatus();
  }
  // The first iteration has begun: it ends after all Enters have come.
  void StartWith(IterationState* it, const FlowNode& node, bool dead, Tensor* value, LoopState* loop) {
    const FlowFrame& from = *it->flow;
    IterationState* const first = loop->oldest;
    if (node.kind == FlowKind::kEnter) {
      if (!dead && first->readers[ToSize(node.first_output)] != 0) {
        first->values[node.first_output] = std::move(*value);
        ++first->live;
      }
      ActivateAll(node, from, first, dead);
    } else {
      if (!dead) loop->invariants[ToSize(node.first_output)] = std::move(*value);
      for (int e = node.first_edge; e < node.first_edge + node.num_edges; ++e)
        AddInvariantEdge(loop, from.edges[ToSize(e)], dead);
    }
  }

  // ---- loops that run as two programs
  // The loop runs when all of its values have come. A dead one is left to the rules of frames.
  Status EnterSimpleLoop(IterationState* it, int number, const FlowNode& node, bool dead, LoopState* loop,
                         SimpleLoopRun* simple) {
    const std::size_t count = ToSize(simple->loop().num_variables());
    while (loop->variables.size() < count) loop->variables.push_back(*it->empty);
    loop->entered.push_back({number, dead});
    if (!dead) Take(it, node, 0, &loop->variables[ToSize(simple->VariableOf(node.program_node))]);
    if (loop->pending_enters != 0) return OkStatus();
    for (const FlowStart& enter : loop->entered)
      if (enter.dead) return EnterAgain(it, loop, *simple);
    const Status status = simple->Run(step_->environment(true), {loop->variables.data(), count});
    if (!status.ok()) [[unlikely]] {
      failed_in_simple_loop_ = true;
      return status;
    }
    for (const SimpleLoop::Exit& exit : simple->loop().exits) {
      const FlowNode& leaves = loop->frame->nodes[ToSize(exit.node)];
      if (it->readers[ToSize(leaves.first_output)] != 0) {
        it->values[leaves.first_output] = loop->variables[ToSize(exit.variable)];
        ++it->live;
      }
      ActivateAll(leaves, *loop->frame, it, false);
    }
    states_.Close(loop);
    return OkStatus();
  }
  TENON_DETAIL_COLD Status EnterAgain(IterationState* it, LoopState* loop, const SimpleLoopRun& simple) {
    states_.Begin(loop);
    for (const FlowStart& enter : loop->entered) {
      const FlowNode& node = it->flow->nodes[ToSize(enter.node)];
      StartWith(it, node, enter.dead, &loop->variables[ToSize(simple.VariableOf(node.program_node))], loop);
    }
    if (loop->oldest->outstanding == 0) CleanUp(loop->oldest);
    return OkStatus();
  }
  // In the iterations that have begun, and in all later ones.
  void AddInvariantEdge(LoopState* loop, const FlowEdge& edge, bool dead) {
    const FlowFrame& frame = *loop->frame;
    const Arrival later = Arrive(loop->counts[ToSize(edge.node)], edge, dead, frame);
    if (later == Arrival::kReady || later == Arrival::kReadyDead)
      loop->starts.push_back({edge.node, later == Arrival::kReadyDead});
    for (IterationState* it = loop->oldest; it != nullptr; it = it->next) {
      const Arrival now = Arrive(it->counts[ToSize(edge.node)], edge, dead, frame);
      if (now == Arrival::kReady || now == Arrival::kReadyDead) Ready(it, edge.node, now == Arrival::kReadyDead);
    }
  }

  // A loop gives its value once: an Exit that is live in several iterations counts in the first.
  void LeaveLoop(IterationState* it, const FlowNode& node) {
    LoopState* loop = it->loop;
    if (std::exchange(loop->exited[ToSize(node.number)], char{1}) != 0) return DropInput(it, node, 0);
    Forward(it, node, 0, loop->parent, node.first_output);
    ActivateAll(node, *loop->frame, loop->parent, false);
  }

  void NextIteration(IterationState* it, int number, const FlowNode& node) {
    LoopState* loop = it->loop;
    if (it->next == nullptr && loop->running >= loop->frame->parallel_iterations) {
      loop->deferred.push_back({number, *it->empty});
      return Take(it, node, 0, &loop->deferred.back().value);
    }
    IterationState* next = it->next != nullptr ? it->next : BeginIteration(loop);
    Forward(it, node, 0, next, node.first_output);
    ActivateAll(node, *loop->frame, next, false);
  }
  IterationState* BeginIteration(LoopState* loop) {
    loop->dead_exits.clear();
    IterationState* it = states_.Begin(loop);
    for (FlowDeferred& value : loop->deferred) {
      const FlowNode& node = loop->frame->nodes[ToSize(value.node)];
      if (it->readers[ToSize(node.first_output)] != 0) {
        it->values[node.first_output] = std::move(value.value);
        ++it->live;
      }
      ActivateAll(node, *loop->frame, it, false);
    }
    loop->deferred.clear();
    for (const FlowStart& start : loop->starts) Ready(it, start.node, start.dead);
    return it;
  }

  // Ends the iterations that are done, in their order, and the loop after the last one. Does so for outer loops, too.
  void CleanUp(IterationState* it) {
    for (;;) {
      LoopState* loop = it->loop;
      if (loop->parent == nullptr || it->outstanding != 0 || it->open_children != 0) return;
      while (loop->pending_enters == 0 && loop->oldest != nullptr && loop->oldest->outstanding == 0 &&
             loop->oldest->open_children == 0) {
        states_.End(loop);
        if (!loop->deferred.empty()) BeginIteration(loop);
      }
      if (loop->pending_enters != 0 || loop->running != 0) return;
      it = EndLoop(loop);
    }
  }
  // Exits that never gave a value give a dead one.
  IterationState* EndLoop(LoopState* loop) {
    IterationState* parent = loop->parent;
    for (const int number : loop->dead_exits) {
      const FlowNode& node = loop->frame->nodes[ToSize(number)];
      if (loop->exited[ToSize(node.number)] == 0) ActivateAll(node, *loop->frame, parent, true);
    }
    states_.Close(loop);
    return parent;
  }

  const Program& program_;
  Step* step_;
  FrameStates states_;
  FlowQueue queue_;
  OpKernelContext context_;
  NodeMeter* meter_ = nullptr;  // meter of the run under way
  Tensor no_value_ = EmptySlot();
  Tensor* dead_input_ = &no_value_;
  SimpleLoopRuns simple_loops_;
  const bool one_thread_;
  bool runs_simple_loops_ = false;  // as two programs, in this run
  bool failed_in_simple_loop_ = false;  // the error names its node
  Status read_status_;  // error of the node being run, from reading a reference as a value
};

// A FrameRun as an Executor.
class FrameExecutor final : public Executor {
 public:
  FrameExecutor(const Program& program, Step* step) : run_(program, step) {}

  Status Run(ThreadPoolInterface*, bool, TraceCollector* trace) override { return run_.Run(trace); }

 private:
  FrameRun run_;
};
inline Owned<Executor> MakeFrameEngine(const Program& program, Step* step) {
  return MakeOwned<FrameExecutor>(program, step);
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
