// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dataflow runs that hand values to each other through TransferSlots. A thread that sends a value goes on with the
// nodes that this makes ready in the other run, when it has none left in its own.

#include <cstddef>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/runtime/executor/dataflow.hpp>
#include <tenon/runtime/executor/run_node.hpp>
#include <tenon/runtime/executor/transfer_slots.hpp>
#include <tenon/runtime/program/program.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Ready nodes of several runs that this thread has made ready. Each entry is counted in its run as a thread. one
// thread.
class DataflowRun::Agenda {
 public:
  // Runs the entries, and those that they make, until none is left.
  void Work() noexcept {
    while (count_ > 0) {
      Entry entry = entries_[--count_];
      entry.run->Process(&entry.local, this);
      Leave(entry.run);
    }
  }

 private:
  friend class DataflowRun;
  static constexpr std::size_t kMost = 4;
  static constexpr int kMostDelay = 16;  // nodes of the run at work; then another thread gets the entries
  struct Entry {
    DataflowRun* run = nullptr;
    Local local;
  };
  Local* Find(const DataflowRun* run) {
    for (std::size_t i = 0; i < count_; ++i)
      if (entries_[i].run == run) return &entries_[i].local;
    return nullptr;
  }
  // Takes over one count of the run. Gives the nodes to the pool if there is no room.
  void Add(DataflowRun* run, const Local& local) noexcept {
    Entry entry{run, local};
    if (count_ == kMost) return Publish(&entry);
    if (count_ == 0) delay_ = 0;
    entries_[count_++] = entry;
  }
  static void Publish(Entry* entry) noexcept {
    entry->run->PublishAll(&entry->local);
    Leave(entry->run);
  }
  void PublishAll() noexcept {
    while (count_ > 0) {
      Entry entry = entries_[--count_];
      Publish(&entry);
    }
  }

  Entry entries_[kMost];
  std::size_t count_ = 0;
  int delay_ = 0;
};

struct DataflowRun::Linked {
  static void RunTask(DataflowRun* run, int node) noexcept {
    const ScopedFlushDenormals mode(run->flush_denormals_ || FlushesDenormals());
    Local mine;
    (run->costs_.IsExpensive(node) ? mine.expensive : mine.cheap) = node;
    Agenda agenda;
    agenda.Add(run, mine);
    agenda.Work();
  }
  // A node that takes long, or may wait for another run's nodes, does not hold these up.
  static void BeforeNode(const DataflowRun& run, int number, Agenda* agenda) noexcept {
    if (agenda->count_ == 0) [[likely]]
      return;
    if (run.costs_.IsExpensive(number) || run.rare_->linked_nodes->may_wait[ToSize(number)] != 0 ||
        ++agenda->delay_ > Agenda::kMostDelay)
      agenda->PublishAll();
  }
  static bool Transfer(DataflowRun* run, int number, Agenda* agenda) noexcept {
    const ProgramNode& node = run->program_.nodes[ToSize(number)];
    const int slot = run->rare_->linked_nodes->slot(number);
    if (node.num_outputs != 0) return Receive(run, number, node, slot);
    const int input = run->program_.inputs[ToSize(node.first_input)];
    Tensor value =
        run->first_readers()[ToSize(input)] == 1 ? std::move(run->step_->value(input)) : run->step_->value(input);
    TransferReceiver waiting;
    const Status status = CatchAll("DataflowRun", [&] { return run->rare_->slots->Send(slot, {}, &value, &waiting); });
    if (!status.ok()) [[unlikely]]
      run->Fail(AtNode(status, run->program_, node));
    else if (waiting.calls != nullptr)
      waiting.calls->arrive(waiting, &value, agenda);
    return true;
  }
  static bool Receive(DataflowRun* run, int number, const ProgramNode& node, int slot) noexcept {
    bool is_there = true;
    run->busy_.fetch_add(1, std::memory_order_relaxed);  // until the value has come
    const Status status = CatchAll("DataflowRun", [&] {
      return run->rare_->slots->Receive(slot, {}, {&kReceives, run, nullptr, number},
                                        &run->step_->value(node.first_output), &is_there);
    });
    if (is_there) run->busy_.fetch_sub(1, std::memory_order_relaxed);  // not to 0: this thread is counted
    if (!status.ok()) [[unlikely]]
      run->Fail(AtNode(status, run->program_, node));
    return is_there;
  }
  static void Arrive(const TransferReceiver& receiver, Tensor* value, void* of_thread) noexcept {
    auto* const run = static_cast<DataflowRun*>(receiver.run);
    auto* const agenda = static_cast<Agenda*>(of_thread);
    run->step_->value(run->program_.nodes[ToSize(receiver.node)].first_output) = std::move(*value);
    if (Local* const known = agenda->Find(run)) {
      run->Finish(receiver.node, known);
      run->busy_.fetch_sub(1, std::memory_order_acq_rel);  // not to 0: the agenda's entry is counted
      return;
    }
    Local made;
    run->Finish(receiver.node, &made);
    agenda->Add(run, made);
  }
  TENON_DETAIL_COLD static void End(const TransferReceiver& receiver, const Status& error) noexcept {
    auto* const run = static_cast<DataflowRun*>(receiver.run);
    run->Fail(AtNode(error, run->program_, run->program_.nodes[ToSize(receiver.node)]));
    Local made;
    run->Finish(receiver.node, &made);
    run->PublishAll(&made);
    Leave(run);
  }
  static constexpr TransferReceiver::Calls kReceives{&Arrive, &End};
  static constexpr LinkedCalls kCalls{&RunTask, &BeforeNode, &Transfer};
};

inline void DataflowRun::Begin(ThreadPoolInterface* pool, bool flush_denormals, RunEnded ended, RunFailed failed,
                               Agenda* agenda) noexcept {
  if (program_.nodes.empty()) return ended();
  Reset(pool, flush_denormals, nullptr, ended);
  rare_->linked = &Linked::kCalls;
  rare_->failed = failed;
  Local mine;
  Begin(&mine);
  agenda->Add(this, mine);
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
