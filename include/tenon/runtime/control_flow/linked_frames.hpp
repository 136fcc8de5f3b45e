// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs with frames that hand values to each other through TransferSlots. A thread that sends a value goes on as a
// worker of the other run, when its own run has no node for it.

#include <cstddef>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/runtime/control_flow/frame_state.hpp>
#include <tenon/runtime/control_flow/parallel_executor.hpp>
#include <tenon/runtime/executor/transfer_slots.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Runs that this thread works on later. It is counted as a worker of each. one thread.
class ParallelFrameRun::Agenda {
 public:
  // Works on the runs until none is left.
  void Work() noexcept {
    while (count_ > 0) {
      ParallelFrameRun* const run = runs_[--count_];
      MutexLock lock(run->mutex_);
      run->Work(lock, this);
    }
  }

 private:
  friend class ParallelFrameRun;
  static constexpr std::size_t kMost = 4;
  static constexpr int kMostDelay = 16;  // kernels of the run at work; then other threads get the runs
  // Gives the run to the pool if there is no room.
  void Add(ParallelFrameRun* run) noexcept {
    if (count_ == kMost) return Publish(run);
    if (count_ == 0) delay_ = 0;
    runs_[count_++] = run;
  }
  static void Publish(ParallelFrameRun* run) noexcept {
    if (!CanSchedule(run->pool_, &RunWorker, run)) [[unlikely]]
      run->GiveUp(NotScheduled());
  }
  void PublishAll() noexcept {
    while (count_ > 0) Publish(runs_[--count_]);
  }

  ParallelFrameRun* runs_[kMost] = {};
  std::size_t count_ = 0;
  int delay_ = 0;
};

struct ParallelFrameRun::Linked {
  static void RunWorker(ParallelFrameRun* run) noexcept {
    const ScopedFlushDenormals mode(run->flush_denormals_ || FlushesDenormals());
    Agenda agenda;
    agenda.Add(run);
    agenda.Work();
  }
  // A kernel that takes long does not hold other runs up. Without a lock.
  static void BeforeNode(bool is_long, Agenda* agenda) noexcept {
    if (agenda->count_ == 0) [[likely]]
      return;
    if (is_long || ++agenda->delay_ > Agenda::kMostDelay) agenda->PublishAll();
  }
  // A send or a receive that has its value. Under the lock.
  static Status Finish(ParallelFrameRun* run, const FlowQueue::Item& item) noexcept {
    return run->Finish(item, CatchAll("ParallelFrameRun", [&] {
                         run->FinishTransfer(item.iteration, NodeIn(item.iteration, item.node), item.dead);
                         return OkStatus();
                       }));
  }
  static void Transfer(ParallelFrameRun* run, const FlowQueue::Item& item, Agenda* agenda, MutexLock& lock) noexcept {
    const IterationState& it = *item.iteration;
    const FlowNode& node = NodeIn(&it, item.node);
    const int slot = run->linked_nodes_->slot(node.program_node);
    const TransferSlots::Turn turn{it.loop->id, it.number};
    if (node.num_outputs != 0) return Receive(run, item, slot, turn, lock);
    Tensor value = item.dead ? *it.empty : run->Input(&it, node, 0);
    const ProgramNode& kernel = run->NodeOf(item);
    Status status = Finish(run, item);
    lock.unlock();
    TransferReceiver waiting;
    if (status.ok()) [[likely]] {
      status = CatchAll("ParallelFrameRun", [&] { return run->slots_->Send(slot, turn, &value, &waiting); });
      if (!status.ok()) [[unlikely]]
        status = AtNode(status, run->program_, kernel);
    }
    if (waiting.calls != nullptr) waiting.calls->arrive(waiting, &value, agenda);
    if (!status.ok()) [[unlikely]]
      run->StopWaiting(status);
    lock.lock();
    if (!status.ok()) [[unlikely]]
      run->status_.Update(status);
  }
  static void Receive(ParallelFrameRun* run, const FlowQueue::Item& item, int slot, const TransferSlots::Turn& turn,
                      MutexLock& lock) noexcept {
    IterationState* const it = item.iteration;
    bool is_there = true;
    ++run->in_flight_;  // until the value has come
    const Status status = CatchAll("ParallelFrameRun", [&] {
      return run->slots_->Receive(slot, turn, {&kReceives, run, it, item.node, item.dead},
                                  &it->values[NodeIn(it, item.node).first_output], &is_there);
    });
    if (!is_there) return;
    --run->in_flight_;
    run->StopAfter(status.ok() ? Finish(run, item) : run->Finish(item, status), lock);
  }
  static void Arrive(const TransferReceiver& receiver, Tensor* value, void* agenda) noexcept {
    auto* const run = static_cast<ParallelFrameRun*>(receiver.run);
    auto* const it = static_cast<IterationState*>(receiver.place);
    MutexLock lock(run->mutex_);
    // Until it is counted off, the run is not over.
    ++run->workers_;
    --run->in_flight_;
    it->values[NodeIn(it, receiver.node).first_output] = std::move(*value);
    run->StopAfter(Finish(run, {it, receiver.node, receiver.dead}), lock);
    // No other worker takes the nodes soon.
    if (run->workers_ - run->away_ == 1 && !run->queue_.empty() && run->status_.ok()) {
      lock.unlock();
      return static_cast<Agenda*>(agenda)->Add(run);
    }
    --run->workers_;
    run->NotifyIfDone();
  }
  TENON_DETAIL_COLD static void End(const TransferReceiver& receiver, const Status& error) noexcept {
    auto* const run = static_cast<ParallelFrameRun*>(receiver.run);
    const FlowQueue::Item item{static_cast<IterationState*>(receiver.place), receiver.node, receiver.dead};
    run->Fail(item, error);
    const MutexLock lock(run->mutex_);
    --run->in_flight_;
    (void)run->Finish(item, error);
    run->NotifyIfDone();
  }
  static constexpr TransferReceiver::Calls kReceives{&Arrive, &End};
  static constexpr LinkedCalls kCalls{&RunWorker, &BeforeNode, &Transfer};
};

inline void ParallelFrameRun::BeginOn(ThreadPoolInterface* pool, bool flush_denormals, RunEnded ended, RunFailed failed,
                                      Agenda* agenda) noexcept {
  MutexLock lock(mutex_);
  Reset(pool, flush_denormals, nullptr, ended, failed);
  linked_ = &Linked::kCalls;
  const Status begun = status_;
  lock.unlock();
  if (!begun.ok()) [[unlikely]]
    return GiveUp(begun);
  agenda->Add(this);
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
