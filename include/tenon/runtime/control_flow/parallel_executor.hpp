// SPDX-License-Identifier: Apache-2.0
#pragma once
// The executor with frames on a pool of threads. Kernels run side by side, also those of several iterations; nodes
// that only hand values on, and counting, run under one lock.

#include <cstdint>
#include <utility>

#include <tenon/base/clock.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/notification.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/run_kernel.hpp>
#include <tenon/runtime/executor/run_node.hpp>
#include <tenon/runtime/control_flow/executor.hpp>
#include <tenon/runtime/executor/cost_model.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/executor/step.hpp>
#include <tenon/runtime/executor/transfer_slots.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Kept with its step and used again. externally synchronised.
class ParallelFrameRun : public FrameRun {
 public:
  class Agenda;  // runtime/control_flow/linked_frames.hpp has it, and the functions that take one

  ParallelFrameRun(const Program& program, Step* step)
      : FrameRun(program, step, true), room_of_costs_(program.nodes.size()), costs_(program, &room_of_costs_[0]) {}

  // As FrameRun::Run; the calling thread takes part. The pool may be busy with other runs.
  Status RunOn(ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace) noexcept {
    Notification done;
    {
      MutexLock lock(mutex_);
      Reset(pool, flush_denormals, trace, {&WakeUp, &done}, {});
      Work(lock);
    }
    WaitFor(done);
    return EndRun();
  }
  // Starts a run without waiting. Calls `ended` once, on some thread; the caller must then call EndRun, which returns
  // the status. Calls `failed`, which may be null, with an error before waiting kernels are told to stop.
  void StartOn(ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace, RunEnded ended,
               RunFailed failed) noexcept {
    MutexLock lock(mutex_);
    Reset(pool, flush_denormals, trace, ended, failed);
    const bool begun = status_.ok();
    lock.unlock();
    if (!begun || !CanSchedule(pool, &RunWorker, this)) [[unlikely]]
      GiveUp(NotScheduled());
  }
  // Sends and receives of `nodes` use `slots` in the runs that BeginOn starts. Both outlive this.
  void Link(const TransferNodes* nodes, TransferSlots* slots) {
    linked_nodes_ = nodes;
    slots_ = slots;
  }
  // As StartOn, for a run without a trace. The agenda's thread is its first worker.
  void BeginOn(ThreadPoolInterface* pool, bool flush_denormals, RunEnded ended, RunFailed failed,
               Agenda* agenda) noexcept;
  Status EndRun() {
    MutexLock lock(mutex_);  // the thread that called `ended` has released it
    queue_.clear();
    states_.EndRoot();
    status_.Update(faults_->Take());
    return std::exchange(status_, OkStatus());
  }

 private:
  // Under the lock; for one worker.
  void Reset(ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace, RunEnded ended, RunFailed failed) {
    pool_ = pool;
    flush_denormals_ = flush_denormals;
    trace_ = trace;
    linked_ = nullptr;
    ended_ = ended;
    failed_ = failed;
    costs_.BeginRun();
    workers_ = 1;
    away_ = 0;
    status_ = CatchAll("ParallelFrameRun", [&] {
      Start();
      return OkStatus();
    });
  }
  // The end of a worker that could not begin; without the lock.
  TENON_DETAIL_COLD void GiveUp(const Status& error) {
    MutexLock lock(mutex_);
    status_.Update(error);
    const Status status = status_;
    lock.unlock();
    StopWaiting(status);
    lock.lock();
    --workers_;
    NotifyIfDone();
  }
  static void RunWorker(void* argument) noexcept {
    auto* run = static_cast<ParallelFrameRun*>(argument);
    if (run->linked_ != nullptr) return run->linked_->run_worker(run);
    const ScopedFlushDenormals mode(run->flush_denormals_ || FlushesDenormals());
    MutexLock lock(run->mutex_);
    run->Work(lock);
  }
  // Counts another worker if there is work for one. On true the caller schedules it, without the lock.
  bool WantsHelper() {
    if (queue_.empty() || !status_.ok() || workers_ >= pool_->NumThreads()) return false;
    ++workers_;
    return true;
  }

  // Runs ready nodes until none is left, or the run has failed. The lock is held but while a kernel runs. The run may
  // be over as soon as the lock is given up for good.
  void Work(MutexLock& lock, Agenda* agenda = nullptr) noexcept {
    OpKernelContext context;
    NodeMeter meter(trace_, &context);
    const CancellationManager* const cancellation = CancellationOf(*step_);
    while (!queue_.empty() && status_.ok()) {
      const FlowQueue::Item item = queue_.Pop();
      if (IsCancelled(cancellation)) [[unlikely]] {
        const Status status = CancelledAt(item);
        status_.Update(status);
        lock.unlock();
        StopWaiting(status);
        lock.lock();
        break;
      }
      const FlowNode& node = NodeIn(item.iteration, item.node);
      const bool copies = node.kind == FlowKind::kCopy;
      if (node.kind == FlowKind::kTransfer) [[unlikely]] {
        if (agenda != nullptr && linked_nodes_->slot(node.program_node) >= 0)
          linked_->transfer(this, item, agenda, lock);
        else
          StartTransfer(item, lock);
        continue;
      }
      if (item.dead || (node.kind != FlowKind::kKernel && !copies)) {
        meter.Begin();
        const Status status = CatchAll("ParallelFrameRun", [&]() -> Status {
          TENON_RETURN_IF_ERROR(item.dead ? PassDead(item.iteration, item.node) : Process(item.iteration, item.node));
          TENON_RETURN_IF_ERROR(std::exchange(read_status_, OkStatus()));
          if (!item.dead) meter.End(program_, NodeOf(item));
          return OkStatus();
        });
        StopAfter(Finish(item, status), lock);
        continue;
      }
      PrepareKernel(item.iteration, node);
      ++in_flight_;
      const ProgramNode& kernel = NodeOf(item);
      const OpKernelContext::NodeFrame& frame = item.iteration->frames[ToSize(item.node)];
      const int number = static_cast<int>(&kernel - program_.nodes.data());
      // After a cheap kernel this thread is soon back for the rest.
      const bool help = kernel.async == nullptr && costs_.IsExpensive(number) && WantsHelper();
      const bool measure = kernel.async == nullptr && costs_.Wants(number);
      const bool away = agenda != nullptr && IsLong(number);
      if (away) ++away_;
      lock.unlock();
      if (help && !CanSchedule(pool_, &RunWorker, this)) [[unlikely]]
        ForgetHelper();
      if (agenda != nullptr) linked_->before_node(away, agenda);
      if (kernel.async != nullptr) {
        StartAsync(item, kernel, frame);
        lock.lock();
        if (away) --away_;
        continue;
      }
      meter.Begin();
      const std::int64_t begin = measure ? SteadyNanoseconds() : 0;
      const Status status = CatchAll("ParallelFrameRun", [&]() -> Status {
        TENON_RETURN_IF_ERROR(copies ? CopyValue(program_, kernel, *frame.inputs[0], step_, frame.outputs)
                                     : RunKernelOf(kernel, frame, &context));
        meter.SeeOutputs(frame.outputs, node.num_outputs);
        meter.End(program_, kernel);
        return OkStatus();
      });
      const std::int64_t end = measure ? SteadyNanoseconds() : 0;
      if (!status.ok()) [[unlikely]]
        Fail(item, status);
      lock.lock();
      if (away) --away_;
      if (measure) costs_.Add(number, end - begin);
      const Status finished = FinishRunning(item, status);
      if (status.ok()) StopAfter(finished, lock);
    }
    --workers_;
    NotifyIfDone();
  }
  // The pool had no memory: the threads at work go on without a helper.
  TENON_DETAIL_COLD void ForgetHelper() {
    const MutexLock lock(mutex_);
    --workers_;
  }
  // After an error of the node that this thread has finished, with the lock.
  void StopAfter(const Status& status, MutexLock& lock) {
    if (status.ok()) [[likely]]
      return;
    lock.unlock();
    StopWaiting(status);
    lock.lock();
  }

  // An asynchronous kernel has a context of its own and may end on any thread.
  struct AsyncState {
    ParallelFrameRun* run;
    FlowQueue::Item item;
    const OpKernelContext::NodeFrame* frame;
    OpKernelContext context;
    RefReads references;
    OpKernelContext::NodeFrame transfer{};  // for a send or a receive
    std::int64_t begin = 0;  // in the trace, if there is one
  };
  // A send or a receive, without the lock: the other end may be in this run.
  TENON_DETAIL_COLD void StartTransfer(const FlowQueue::Item& item, MutexLock& lock) {
    PrepareKernel(item.iteration, NodeIn(item.iteration, item.node));
    const ProgramNode& kernel = NodeOf(item);
    AsyncState* state = nullptr;
    const Status made = CatchAll("ParallelFrameRun", [&] {
      state = new AsyncState{
          this, item, nullptr, OpKernelContext(), RefReads(), TransferFrame(item.iteration, item.node, item.dead)};
      return OkStatus();
    });
    if (!made.ok()) return StopAfter(Finish(item, made), lock);
    ++in_flight_;
    if (trace_ != nullptr) state->begin = trace_->Now();
    lock.unlock();
    state->context.Enter(&state->transfer);
    if (kernel.reads_references && !item.dead) {
      const Status status = CatchAll("ParallelFrameRun", [&] { return state->references.Read(state->transfer); });
      state->context.Enter(&state->references.frame());
      if (!status.ok()) {
        state->context.SetStatus(status);
        AsyncDone(state);
        return lock.lock();
      }
    }
    const TracedCall call(trace_, state);
    if (kernel.async != nullptr) {
      StartKernel(kernel.async, &state->context, {&AsyncDone, state, faults_.get()});
    } else {
      tenon::RunKernel(const_cast<OpKernel*>(kernel.kernel), &state->context);
      AsyncDone(state);
    }
    lock.lock();
  }
  void StartAsync(const FlowQueue::Item& item, const ProgramNode& kernel, const OpKernelContext::NodeFrame& frame) {
    AsyncState* state = nullptr;
    const Status made = CatchAll("ParallelFrameRun", [&] {
      state = new AsyncState{this, item, &frame, OpKernelContext(), RefReads(), {}};
      return OkStatus();
    });
    if (!made.ok()) {
      Fail(item, made);
      const MutexLock lock(mutex_);
      (void)FinishRunning(item, made);
      return;
    }
    if (trace_ != nullptr) state->begin = trace_->Now();
    if (!kernel.reads_references) {
      state->context.Enter(&frame);
    } else {
      const Status status = CatchAll("ParallelFrameRun", [&] { return state->references.Read(frame); });
      state->context.Enter(&state->references.frame());
      if (!status.ok()) {
        state->context.SetStatus(status);
        return AsyncDone(state);
      }
    }
    const TracedCall call(trace_, state);
    StartKernel(kernel.async, &state->context, {&AsyncDone, state, faults_.get()});
  }
  static void AsyncDone(void* argument) noexcept {
    const Owned<AsyncState> state(static_cast<AsyncState*>(argument));
    ParallelFrameRun* run = state->run;
    const Status status = CatchAll("ParallelFrameRun", [&]() -> Status {
      TENON_RETURN_IF_ERROR(state->context.TakeStatus());
      if (state->frame != nullptr) TENON_RETURN_IF_ERROR(CheckOutputs(run->NodeOf(state->item), *state->frame));
      if (run->trace_ != nullptr) run->Trace(*state);
      return OkStatus();
    });
    if (!status.ok()) run->Fail(state->item, status);
    MutexLock lock(run->mutex_);
    // Until it is counted off, the run is not over.
    ++run->workers_;
    const Status finished = run->FinishRunning(state->item, status);
    if (status.ok()) run->StopAfter(finished, lock);
    --run->workers_;
    const bool help = run->WantsHelper();
    run->NotifyIfDone();
    lock.unlock();
    if (help && !CanSchedule(run->pool_, &RunWorker, run)) [[unlikely]]
      run->GiveUp(NotScheduled());
  }

  // ---- sends and receives that are linked to another part of the run
  struct LinkedCalls {
    void (*run_worker)(ParallelFrameRun* run) noexcept;
    void (*before_node)(bool is_long, Agenda* agenda) noexcept;
    void (*transfer)(ParallelFrameRun* run, const FlowQueue::Item& item, Agenda* agenda, MutexLock& lock) noexcept;
  };
  struct Linked;
  // The node's kernel takes long, or may wait for another run's nodes.
  bool IsLong(int number) const { return costs_.IsExpensive(number) || linked_nodes_->may_wait[ToSize(number)] != 0; }

  TENON_DETAIL_COLD void Trace(const AsyncState& state) {
    const ProgramNode& node = NodeOf(state.item);
    const Tensor* const outputs = state.frame != nullptr ? state.frame->outputs : state.transfer.outputs;
    TracedOutputs described;
    if (node.num_outputs > 0) described.Describe(outputs, node.num_outputs);
    const std::int64_t end = trace_->Now();
    trace_->AddNode(program_, node, described, state.begin, end, TracedCall::IsCalling(&state) ? 0 : end - state.begin);
  }

  // Without the lock, before the kernel is counted as finished. Stores the error before waiting kernels are told to
  // give up: their errors only follow from it.
  TENON_DETAIL_COLD void Fail(const FlowQueue::Item& item, const Status& status) {
    {
      MutexLock lock(mutex_);
      status_.Update(AtNode(status, program_, NodeOf(item)));
    }
    StopWaiting(status);
  }
  // After an error, without the lock: kernels that wait for something are told to give up.
  TENON_DETAIL_COLD void StopWaiting(const Status& status) {
    failed_(status);
    if (CancellationManager* cancellation = CancellationOf(*step_)) cancellation->StartCancel();
  }
  // After a kernel ran outside of the lock, which is held again. The status of the node, as Finish.
  Status FinishRunning(const FlowQueue::Item& item, const Status& status) noexcept {
    --in_flight_;
    const FlowNode& node = NodeIn(item.iteration, item.node);
    if (!status.ok()) [[unlikely]]
      return Finish(item, status);
    return Finish(item, CatchAll("ParallelFrameRun", [&] {
                    if (node.kind == FlowKind::kTransfer) {
                      FinishTransfer(item.iteration, node, item.dead);
                    } else {
                      FinishKernel(item.iteration, node);
                      ActivateAll(node, *item.iteration->flow, item.iteration, false);
                    }
                    return OkStatus();
                  }));
  }
  // `status`, or why the next iteration did not begin.
  Status Finish(const FlowQueue::Item& item, Status status) noexcept {
    if (status.ok()) [[likely]] {
      status = CatchAll("ParallelFrameRun", [&] {
        if (--item.iteration->outstanding == 0) CleanUp(item.iteration);
        return OkStatus();
      });
    }
    if (!status.ok()) [[unlikely]]
      status_.Update(AtNode(status, program_, NodeOf(item)));
    return status;
  }
  void NotifyIfDone() {
    if (workers_ == 0 && in_flight_ == 0) ended_();
  }

  ThreadPoolInterface* pool_ = nullptr;
  TraceCollector* trace_ = nullptr;
  bool flush_denormals_ = false;
  Mutex mutex_;  // guards the members below and FrameRun's state
  RunEnded ended_;
  RunFailed failed_;
  Owned<std::int32_t[]> room_of_costs_;
  NodeCosts costs_;
  int workers_ = 0;  // threads in Work, or on their way there
  int away_ = 0;  // workers in a kernel that takes long, in a linked run
  int in_flight_ = 0;  // kernels that run outside of the lock
  Status status_;  // the first error
  const Ref<RunFaults> faults_ = Ref<RunFaults>::Adopt(new RunFaults);
  const TransferNodes* linked_nodes_ = nullptr;
  TransferSlots* slots_ = nullptr;
  const LinkedCalls* linked_ = nullptr;  // null: the run does not use the slots
};

// A ParallelFrameRun for a session's run.
class ParallelFrameExecutor final : public Executor {
 public:
  ParallelFrameExecutor(const Program& program, Step* step) : run_(program, step) {}

  Status Run(ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace) override {
    return run_.RunOn(pool, flush_denormals, trace);
  }
  void Start(ThreadPoolInterface* pool, bool flush_denormals, RunEnded ended) noexcept override {
    run_.StartOn(pool, flush_denormals, nullptr, ended, {});
  }
  Status End() override { return run_.EndRun(); }

 private:
  ParallelFrameRun run_;
};
inline Owned<Executor> MakeParallelFrameEngine(const Program& program, Step* step) {
  return MakeOwned<ParallelFrameExecutor>(program, step);
}
inline constexpr ControlFlow kControlFlow{&FindFrames, &MakeFrameEngine, &MakeParallelFrameEngine};
inline const bool fills_control_flow = FillExtension(&extensions.control_flow, &kControlFlow);

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
