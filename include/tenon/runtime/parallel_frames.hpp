// SPDX-License-Identifier: Apache-2.0
#pragma once
// The engine with frames on a pool of threads: kernels run side by side, also those of several iterations; what hands
// values on and counts runs under one lock.

#include <cstdint>
#include <utility>

#include <tenon/base/mutex.hpp>
#include <tenon/base/notification.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/run_kernel.hpp>
#include <tenon/runtime/executor.hpp>
#include <tenon/runtime/frame_executor.hpp>
#include <tenon/runtime/program.hpp>
#include <tenon/runtime/step.hpp>

TENON_NAMESPACE_BEGIN

namespace detail {

// Kept with its step and used again. externally synchronised.
class ParallelFrameRun : public FrameRun {
 public:
  ParallelFrameRun(const Program& program, Step* step) : FrameRun(program, step, true) {}

  // As FrameRun::Run; the calling thread takes part. The pool may be busy with other runs.
  Status RunOn(ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace) {
    pool_ = pool;
    flush_denormals_ = flush_denormals;
    trace_ = trace;
    Notification done;
    {
      MutexLock lock(mutex_);
      done_ = &done;
      Start();
      workers_ = 1;
      Work(lock);
    }
    done.WaitForNotification();
    MutexLock lock(mutex_);  // whoever notified has let go of it
    queue_.clear();
    states_.EndRoot();
    return std::exchange(status_, OkStatus());
  }

 private:
  static void RunWorker(void* argument) {
    auto* run = static_cast<ParallelFrameRun*>(argument);
    const ScopedFlushDenormals mode(run->flush_denormals_ || FlushesDenormals());
    MutexLock lock(run->mutex_);
    run->Work(lock);
  }
  // Counts another worker where there is work for one; who gets true schedules it, without the lock.
  bool WantsHelper() {
    if (queue_.empty() || !status_.ok() || workers_ >= pool_->NumThreads()) return false;
    ++workers_;
    return true;
  }

  // Runs what is ready until nothing is, or the run has failed. The lock is held but while a kernel runs. The run may
  // be over as soon as the lock is given up for good.
  void Work(MutexLock& lock) {
    OpKernelContext context;
    while (!queue_.empty() && status_.ok()) {
      const FlowQueue::Item item = queue_.Pop();
      const FlowNode& node = NodeIn(item.iteration, item.node);
      const bool copies = node.kind == FlowKind::kCopy;
      if (item.dead || (node.kind != FlowKind::kKernel && !copies)) {
        Status status = item.dead ? PassDead(item.iteration, item.node) : Process(item.iteration, item.node);
        if (status.ok()) status = std::exchange(read_status_, OkStatus());
        Finish(item, status);
        if (!status.ok()) [[unlikely]] {
          lock.unlock();
          StopWaiting(status);
          lock.lock();
        }
        continue;
      }
      PrepareKernel(item.iteration, node);
      ++in_flight_;
      const ProgramNode& kernel = NodeOf(item);
      const OpKernelContext::NodeFrame& frame = item.iteration->frames[At(item.node)];
      const bool help = kernel.async == nullptr && WantsHelper();
      lock.unlock();
      if (help) pool_->Schedule(&RunWorker, this);
      if (kernel.async != nullptr) {
        StartAsync(item, kernel, frame);
        lock.lock();
        continue;
      }
      const std::int64_t begin = trace_ == nullptr ? 0 : trace_->Now();
      const Status status = copies ? CopyValue(program_, kernel, *frame.inputs[0], step_, frame.outputs)
                                   : RunKernelOf(kernel, frame, &context);
      if (trace_ != nullptr) [[unlikely]]
        trace_->AddNode(program_, kernel, 0, begin, trace_->Now());
      StopWaiting(status);
      lock.lock();
      FinishRunning(item, status);
    }
    --workers_;
    NotifyIfDone();
  }

  // An asynchronous kernel has a context of its own and may end on any thread.
  struct AsyncState {
    ParallelFrameRun* run;
    FlowQueue::Item item;
    const OpKernelContext::NodeFrame* frame;
    OpKernelContext context;
    RefReads references;
  };
  void StartAsync(const FlowQueue::Item& item, const ProgramNode& kernel, const OpKernelContext::NodeFrame& frame) {
    auto* state = new AsyncState{this, item, &frame, OpKernelContext(), RefReads()};
    if (!kernel.reads_references) {
      state->context.Enter(&frame);
    } else {
      const Status status = state->references.Read(frame);
      state->context.Enter(&state->references.frame());
      if (!status.ok()) {
        state->context.SetStatus(status);
        return AsyncDone(state);
      }
    }
    StartKernel(kernel.async, &state->context, {&AsyncDone, state});
  }
  static void AsyncDone(void* argument) {
    const Owned<AsyncState> state(static_cast<AsyncState*>(argument));
    ParallelFrameRun* run = state->run;
    Status status = state->context.TakeStatus();
    if (status.ok()) status = CheckOutputs(run->NodeOf(state->item), state->frame->outputs);
    run->StopWaiting(status);
    MutexLock lock(run->mutex_);
    run->FinishRunning(state->item, status);
    const bool help = run->WantsHelper();
    run->NotifyIfDone();
    lock.unlock();
    if (help) run->pool_->Schedule(&RunWorker, run);
  }

  // After an error, without the lock: kernels that wait for something are told to give up.
  void StopWaiting(const Status& status) {
    if (status.ok()) [[likely]]
      return;
    const RunServices* services = step_->services();
    if (services != nullptr && services->cancellation != nullptr) services->cancellation->StartCancel();
  }
  // After a kernel ran outside of the lock, which is held again.
  void FinishRunning(const FlowQueue::Item& item, const Status& status) {
    --in_flight_;
    const FlowNode& node = NodeIn(item.iteration, item.node);
    if (status.ok()) {
      FinishKernel(item.iteration, node);
      ActivateAll(node, *item.iteration->loop->frame, item.iteration, false);
    }
    Finish(item, status);
  }
  void Finish(const FlowQueue::Item& item, const Status& status) {
    if (!status.ok()) [[unlikely]]
      return status_.Update(AtNode(status, program_, NodeOf(item)));
    if (--item.iteration->outstanding == 0) CleanUp(item.iteration);
  }
  void NotifyIfDone() {
    if (workers_ == 0 && in_flight_ == 0) done_->Notify();
  }

  ThreadPoolInterface* pool_ = nullptr;
  TraceCollector* trace_ = nullptr;
  bool flush_denormals_ = false;
  Mutex mutex_;  // of everything below, and of FrameRun's state
  Notification* done_ = nullptr;
  int workers_ = 0;  // threads in Work, or on their way there
  int in_flight_ = 0;  // kernels that run outside of the lock
  Status status_;  // the first error
};

}  // namespace detail

TENON_NAMESPACE_END
