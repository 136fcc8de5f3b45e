// SPDX-License-Identifier: Apache-2.0
#pragma once
// The dataflow executor: every node runs as soon as its inputs are there, on a pool of threads, with one atomic count
// per node. A thread that has run a node goes on with the nodes that this made ready, but hands all but one of the
// expensive ones to the pool (runtime/executor/cost_model.hpp tells which nodes are expensive).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include <tenon/base/exceptions.hpp>
#include <tenon/base/notification.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/runtime/executor/dataflow_tables.hpp>
#include <tenon/runtime/executor/run_node.hpp>
#include <tenon/runtime/executor/cost_model.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/executor/step.hpp>
#include <tenon/runtime/executor/transfer_slots.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// The counts of one run; kept with its step and used again: a count that comes to 0 gets its start value at once.
class DataflowRun final : public Executor, public DataflowTables<DataflowRun> {
 public:
  class Agenda;  // runtime/executor/linked_dataflow.hpp has it, and the functions that take one

  DataflowRun(const Program& program, Step* step)
      : DataflowTables(program), program_(program), step_(step), costs_(program, FillTables(program)) {
    if (!step->IsLean() && program.has_async) rare().faults = Ref<RunFaults>::Adopt(new RunFaults);
    // Without a fixed order only the sole reader of a value may overwrite it. Frames of lean steps say so.
    for (std::size_t n = 0; n < program.nodes.size() && !step->IsLean(); ++n)
      step->mutable_frame(static_cast<int>(n)).last_use = program.only_use.data() + program.nodes[n].first_input;
  }

  static Owned<DataflowRun> Make(const Program& program, Step* step) {
    return Owned<DataflowRun>(new (program) DataflowRun(program, step));
  }

  // Runs the program; the calling thread takes part. The pool may be busy with other runs.
  Status Run(ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace) override {
    if (program_.nodes.empty()) return OkStatus();
    Notification done;
    Reset(pool, flush_denormals, trace, {&WakeUp, &done});
    Local mine;
    Begin(&mine);
    Process(&mine);
    Leave(this);
    WaitFor(done);
    return TakeStatus();
  }
  // Starts a run without waiting. Calls `ended` once, on some thread; then TakeStatus returns the status. After Link it
  // calls `failed`, which may be null, with an error before waiting kernels are told to stop.
  void Start(ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace, RunEnded ended,
             RunFailed failed) noexcept {
    if (program_.nodes.empty()) return ended();
    Reset(pool, flush_denormals, trace, ended);
    if (rare_ != nullptr) rare_->failed = failed;
    Local mine;
    Begin(&mine);
    PublishAll(&mine);
    Leave(this);
  }
  void Start(ThreadPoolInterface* pool, bool flush_denormals, RunEnded ended) noexcept override {
    Start(pool, flush_denormals, nullptr, ended, {});
  }
  // Sends and receives of `nodes` use `slots` in the runs that Begin starts. Both outlive this.
  void Link(const TransferNodes* nodes, TransferSlots* slots) {
    rare().linked_nodes = nodes;
    rare_->slots = slots;
    for (std::size_t n = 0; n < program_.nodes.size(); ++n)
      if (nodes->slots[n] >= 0) costs_.SetCheap(static_cast<int>(n));
  }
  // As Start, for a program with linked nodes and a run without a trace. Its first nodes go to the agenda.
  void Begin(ThreadPoolInterface* pool, bool flush_denormals, RunEnded ended, RunFailed failed,
             Agenda* agenda) noexcept;
  Status End() override { return TakeStatus(); }
  Status TakeStatus() {
    if (RunFaults* const faults = this->faults()) status_.Update(faults->Take());
    return std::exchange(status_, OkStatus());
  }

 private:
  void Reset(ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace, RunEnded ended) {
    pool_ = pool;
    flush_denormals_ = flush_denormals;
    if (rare_ != nullptr) rare_->trace = nullptr;
    if (trace != nullptr && Succeeds([this] { rare().ready_ns.resize(program_.nodes.size()); })) rare_->trace = trace;
    failed_.store(false, std::memory_order_relaxed);
    status_ = OkStatus();
    ended_ = ended;
    if (rare_ != nullptr) {
      rare_->linked = nullptr;
      rare_->failed = {};
    }
    costs_.BeginRun();
    busy_.store(1, std::memory_order_release);
  }

  struct LinkedCalls;
  // Members of runs that are linked or traced, or have asynchronous kernels and a step that is not lean.
  struct Rare {
    TraceCollector* trace = nullptr;
    Ref<RunFaults> faults;
    RunFailed failed;
    const TransferNodes* linked_nodes = nullptr;
    TransferSlots* slots = nullptr;
    const LinkedCalls* linked = nullptr;  // null: the run does not use the slots
    SlimVector<std::int64_t> ready_ns;  // per node; empty before the first run with a trace
  };
  Rare& rare() {
    if (rare_ == nullptr) rare_ = MakeOwned<Rare>();
    return *rare_;
  }
  TraceCollector* trace() const { return rare_ == nullptr ? nullptr : rare_->trace; }
  // Null: the program has no asynchronous kernels.
  RunFaults* faults() const {
    if (step_->IsLean()) return static_cast<RunFaults*>(program_.lean_steps->faults.get());
    return rare_ == nullptr ? nullptr : rare_->faults.get();
  }
  // Nodes that one thread has made ready and not given away. Those that do nothing are cheaper to count down here than
  // to hand to another thread, and so are those that cost little to run.
  struct Local {
    int nothing = -1;  // the first of those that do nothing; linked through after_
    int cheap = -1;  // the first of those that cost little; linked likewise
    int expensive = -1;  // for this thread, when nothing cheap is left; -1: none
    int delay = 0;  // cheap nodes that have run while it waits
    bool alone = false;  // no other thread works on this run, or will before this one publishes a node
    bool IsEmpty() const { return cheap < 0 && expensive < 0; }
  };
  static constexpr int kMostDelay = 4;  // then another thread gets it
  void Add(int number, Local* mine) {
    Counts& node = CountsOf(number);
    node.pending.store(static_cast<int>(node.waits_for), std::memory_order_relaxed);
    if (trace() != nullptr) [[unlikely]]
      rare_->ready_ns[ToSize(number)] = trace()->Now();
    if (node.does_nothing) {
      After(number) = std::exchange(mine->nothing, number);
    } else if (!costs_.IsExpensive(number)) {
      After(number) = std::exchange(mine->cheap, number);
    } else if (mine->expensive < 0) {
      mine->expensive = number;
      mine->delay = 0;
    } else {
      Publish(number, mine);
    }
  }
  // The node that this thread runs next; *mine is not empty.
  int Next(Local* mine) {
    if (mine->cheap < 0) return std::exchange(mine->expensive, -1);
    if (mine->expensive >= 0 && ++mine->delay > kMostDelay) Publish(std::exchange(mine->expensive, -1), mine);
    return std::exchange(mine->cheap, After(mine->cheap));
  }
  static void RunTask(void* argument) noexcept {
    const auto* const counts = static_cast<const Counts*>(argument);
    DataflowRun* const run = RunOf(counts);
    const int node = counts->number;
    if (run->IsLinked()) return run->rare_->linked->run_task(run, node);
    Local mine;
    if (run->costs_.IsExpensive(node)) {
      mine.expensive = node;
    } else {
      mine.cheap = node;  // with those behind it
    }
    if (run->flush_denormals_) {
      ScopedFlushDenormals flush;
      run->Process(&mine);
    } else {
      run->Process(&mine);
    }
    Leave(run);
  }
  void Publish(int node, Local* mine) {
    if (!TryPublish(node, mine)) [[unlikely]]
      After(node) = std::exchange(mine->cheap, node);
  }
  // False: the pool had no memory, so that the run has failed; this thread counts the node down. Its list of cheap
  // nodes may have expensive ones then, and is not published any more.
  bool TryPublish(int node, Local* mine) {
    mine->alone = false;
    busy_.fetch_add(1, std::memory_order_relaxed);
    if (CanSchedule(pool_, &RunTask, &CountsOf(node))) [[likely]]
      return true;
    busy_.fetch_sub(1, std::memory_order_relaxed);  // does not reach 0: this thread is counted
    Fail(NotScheduled());
    return false;
  }
  void PublishAll(Local* mine) {
    if (!failed_.load(std::memory_order_acquire)) [[likely]] {
      if (mine->expensive >= 0 && TryPublish(mine->expensive, mine)) mine->expensive = -1;
      if (mine->cheap >= 0 && TryPublish(mine->cheap, mine)) mine->cheap = -1;
    }
    if (!mine->IsEmpty()) [[unlikely]]
      Process(mine);  // which only counts down
  }
  // A thread, or something else that is counted in busy_, has ended. With the last of them the run is over, and the
  // object in use again or gone.
  static void Leave(DataflowRun* run) {
    const RunEnded ended = run->ended_;
    if (run->busy_.fetch_sub(1, std::memory_order_acq_rel) == 1) ended();
  }

  // Runs the nodes that this thread has, and then the nodes that they make ready, until none is left for it.
  void Process(Local* mine, Agenda* agenda = nullptr) noexcept {
    OpKernelContext context;
    NodeMeter meter(trace(), &context);
    while (!mine->IsEmpty()) {
      const int number = Next(mine);
      const ProgramNode& node = program_.nodes[static_cast<std::size_t>(number)];
      if (!failed_.load(std::memory_order_acquire) && !StopsHere()) {
        if (agenda != nullptr && IsTransfer(number)) {
          if (!rare_->linked->transfer(this, number, agenda)) continue;
          Finish(number, mine);
          continue;
        }
        if (agenda != nullptr) rare_->linked->before_node(*this, number, agenda);
        if (node.async != nullptr && StartAsync(number)) continue;
        if (node.async == nullptr) {
          meter.Begin(ReadyTime(number));
          const NodeCosts::Measured measured(&costs_, number);
          Status status = CatchAll("DataflowRun", [&]() -> Status {
            TENON_RETURN_IF_ERROR(RunNode(program_, number, step_, &context));
            meter.End(program_, node, step_);
            return OkStatus();
          });
          if (!status.ok()) [[unlikely]]
            Fail(status);
        }
      }
      Finish(number, mine);
    }
  }

  // An asynchronous kernel has a context of its own and may end on any thread. Its call is counted as a node is: when
  // the node has ended, the thread that made the call may still be in it and use objects of the session.
  class AsyncState final : public AsyncOpKernel::Call {
   public:
    // For nodes that need it: those that read references, and those of a run with a trace.
    struct More {
      std::int64_t begin = 0;  // in a trace
      RefReads references;
    };
    AsyncState(const AsyncOpKernel& kernel, AsyncFaults* faults, const Counts* of) : Call(kernel, faults), counts(of) {}
    DataflowRun* run() const { return RunOf(counts); }
    const Counts* const counts;  // the node's
    OpKernelContext context;
    OpKernelContext::NodeFrame room;  // for the frame of a lean step
    Owned<More> more;

   private:
    void End() noexcept override { AsyncDone(this); }
    OpKernelContext* GetContext() override { return &context; }
  };
  // False: there was no memory for it, and the run has failed.
  bool StartAsync(int number) {
    const ProgramNode& node = program_.nodes[ToSize(number)];
    Owned<AsyncState> made;
    const OpKernelContext::NodeFrame* frame = nullptr;
    const Status status = CatchAll("DataflowRun", [&] {
      made = MakeOwned<AsyncState>(*node.async, faults(), &CountsOf(number));
      frame = &step_->FrameFor(number, &made->room);
      if (node.reads_references || trace() != nullptr) made->more = MakeOwned<AsyncState::More>();
      if (trace() != nullptr) made->more->begin = trace()->Now();
      return OkStatus();
    });
    if (!status.ok()) [[unlikely]] {
      Fail(status);
      return false;
    }
    AsyncState* const state = made.release();
    const AsyncOpKernel::DoneCallback done(state);
    busy_.fetch_add(1, std::memory_order_relaxed);
    if (!node.reads_references) {
      state->context.Enter(frame);
    } else {
      const Status read = CatchAll("DataflowRun", [&] { return state->more->references.Read(*frame); });
      state->context.Enter(&state->more->references.frame());
      if (!read.ok()) {
        done.EndWith(read);
        return true;
      }
    }
    busy_.fetch_add(1, std::memory_order_relaxed);
    {
      const TracedCall call(trace(), state);
      StartKernel(node.async, &state->context, done);
    }
    Leave(this);
    return true;
  }
  // The state may outlive its run: copies of the done callback hold it.
  static void AsyncDone(AsyncState* state) noexcept {
    DataflowRun* const run = state->run();
    const int number = state->counts->number;
    const ProgramNode& node = run->program_.nodes[ToSize(number)];
    const Status status = CatchAll("DataflowRun", [&]() -> Status {
      TENON_RETURN_IF_ERROR(state->context.TakeStatus());
      TENON_RETURN_IF_ERROR(CheckOutputs(node, run->step_->FrameFor(number, &state->room)));
      if (TraceCollector* const trace = run->trace()) {
        const std::int64_t wait_ns = TracedCall::IsCalling(state) ? 0 : trace->Now() - state->more->begin;
        trace->Add(run->program_, node, run->step_, state->more->begin, wait_ns, nullptr, run->ReadyTime(number));
      }
      return OkStatus();
    });
    state->more = nullptr;
    if (!status.ok()) run->Fail(AtNode(status, run->program_, node));
    Local made;
    run->Finish(number, &made);
    run->PublishAll(&made);
    Leave(run);
  }

  // ---- sends and receives that are linked to another part of the run
  bool IsLinked() const { return rare_ != nullptr && rare_->linked != nullptr; }
  bool IsTransfer(int number) const { return rare_->linked_nodes->slot(number) >= 0; }
  struct LinkedCalls {
    void (*run_task)(DataflowRun* run, int node) noexcept;
    void (*before_node)(const DataflowRun& run, int number, Agenda* agenda) noexcept;
    // False: the value has not come, and a TransferReceiver finishes the node.
    bool (*transfer)(DataflowRun* run, int number, Agenda* agenda) noexcept;
  };
  struct Linked;

  std::int64_t ReadyTime(int number) const { return trace() == nullptr ? -1 : rare_->ready_ns[ToSize(number)]; }

  bool StopsHere() {
    if (!IsCancelled(CancellationOf(*step_))) [[likely]]
      return false;
    Fail(RunCancelled());
    return true;
  }

  // The first error counts; kernels that wait for something are told to give up.
  TENON_DETAIL_COLD void Fail(const Status& status) {
    {
      const SpinLockHolder lock(lock_);
      status_.Update(status);
      failed_.store(true, std::memory_order_release);
    }
    if (rare_ != nullptr) rare_->failed(status);
    if (CancellationManager* cancellation = CancellationOf(*step_)) cancellation->StartCancel();
  }

  bool IsAlone() const { return busy_.load(std::memory_order_acquire) == 1; }
  void Begin(Local* mine) {
    mine->alone = true;
    for (const int root : program_.roots) Add(root, mine);
    CountNothings(mine);
  }
  // Drops the values that have no more readers and counts the consumers down. Those that became ready are in *mine,
  // or published. After an error nodes are only counted down, so that the run comes to its end.
  void Finish(int number, Local* mine) {
    mine->alone = IsAlone();
    const ProgramNode& node = program_.nodes[ToSize(number)];
    for (int i = 0; i < node.num_inputs; ++i) Drop(program_.inputs[ToSize(node.first_input + i)], mine->alone);
    for (int i = 0; i < node.num_outputs; ++i)
      if (first_readers()[ToSize(node.first_output + i)] == 0) step_->value(node.first_output + i) = EmptySlot();
    CountConsumers(number, mine);
    CountNothings(mine);
  }
  // Counts down; true if that was the last one. A thread that is alone does not need an atomic operation.
  static bool IsLast(std::atomic<int>* count, bool alone) {
    if (!alone) return count->fetch_sub(1, std::memory_order_acq_rel) == 1;
    const int left = count->load(std::memory_order_relaxed) - 1;
    count->store(left, std::memory_order_relaxed);
    return left == 0;
  }
  void CountConsumers(int number, Local* mine) {
    const int end = CountsOf(number + 1).first_consumer;
    for (int edge = CountsOf(number).first_consumer; edge < end; ++edge)
      CountEdge(program_.consumers[ToSize(edge)], mine);
  }
  void CountEdge(int consumer, Local* mine) {
    Counts& node = CountsOf(consumer);
    // A node that waits for one node only is ready; no other thread counts it.
    if (node.waits_for == 1 || IsLast(&node.pending, mine->alone)) Add(consumer, mine);
  }
  // Nodes that do nothing, with all of that kind behind them.
  void CountNothings(Local* mine) {
    while (mine->nothing >= 0) {
      if (mine->alone) {
        CountAlone(mine);
      } else {
        const int number = mine->nothing;
        mine->nothing = After(number);
        CountConsumers(number, mine);
      }
    }
  }
  // Counts nodes that do nothing while this thread is alone. First come, first served, in two passes over some of
  // them: one writes their edges side by side, the other counts these. Neither the number of a node's edges nor which
  // edge makes a node ready is a branch, which the processor would guess wrong in large graphs.
  void CountAlone(Local* mine) {
    constexpr std::size_t kRoom = 256, kLanes = 8;
    int edges[kRoom + kLanes];
    const int* const consumers = program_.consumers.data();
    const std::size_t num_consumers = program_.consumers.size();
    Counts* const nodes = this->nodes();
    int* const queue = this->queue();
    std::size_t begin = 0, end = 0;
    for (; mine->nothing >= 0; mine->nothing = After(mine->nothing)) queue[end++] = mine->nothing;
    while (begin < end && mine->alone) {
      std::size_t room = 0;
      while (begin < end && room < kRoom) {
        const Counts* const node = nodes + queue[begin++];
        const std::size_t first = ToSize(node[0].first_consumer), last = ToSize(node[1].first_consumer);
        if (last - first <= kLanes && first + kLanes <= num_consumers && (begin < end || room > 0)) [[likely]] {
          std::memcpy(edges + room, consumers + first, sizeof(int) * kLanes);  // edges behind the last one, too
          room += last - first;
        } else {
          end = CountAlone(consumers + first, consumers + last, queue, end, mine);
        }
      }
      end = CountAlone(edges, edges + room, queue, end, mine);
    }
    for (; begin < end; ++begin) Add(queue[begin], mine);
  }
  // Nodes of that kind that are ready now go to queue[end]; the new end. Goes on when this thread is not alone any
  // more.
  std::size_t CountAlone(const int* consumer, const int* last, int* queue, std::size_t end, Local* mine) {
    Counts* const nodes = this->nodes();
    for (; consumer < last && mine->alone; ++consumer) {
      const int number = *consumer;
      Counts& node = nodes[number];
      const unsigned left = static_cast<unsigned>(node.pending.load(std::memory_order_relaxed)) - 1;
      const unsigned ready = (left - 1) >> 31;  // left == 0, as no compiler makes it a branch
      node.pending.store(static_cast<int>(left + (node.waits_for & (0 - ready))), std::memory_order_relaxed);
      queue[end] = number;
      end += ready & node.does_nothing;
      if ((ready & ~node.does_nothing & 1u) != 0) [[unlikely]]
        Add(number, mine);
    }
    for (; consumer < last; ++consumer) CountEdge(*consumer, mine);
    return end;
  }
  void Drop(int value, bool alone) {
    const int readers = first_readers()[ToSize(value)];
    if (readers == kStays) return;
    if (readers > 1) {
      if (!IsLast(&Readers(value), alone)) return;
      Readers(value).store(readers, std::memory_order_relaxed);
    }
    step_->value(value) = EmptySlot();
  }

  const Program& program_;
  Step* step_;
  [[no_unique_address]] NodeCosts costs_;  // the small members below fit behind its last
  std::atomic<bool> failed_{false};
  bool flush_denormals_ = false;
  SpinLock lock_;
  // Threads at work, published tasks, asynchronous nodes, and calls of asynchronous kernels that have not returned.
  std::atomic<int> busy_{0};
  RunEnded ended_;
  ThreadPoolInterface* pool_ = nullptr;
  Owned<Rare> rare_;  // null until the first run needs it
};

inline Owned<Executor> MakeDataflowRun(const Program& program, Step* step) { return DataflowRun::Make(program, step); }
inline const bool fills_dataflow = FillExtension(&extensions.dataflow, &MakeDataflowRun);

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
