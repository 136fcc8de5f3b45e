// SPDX-License-Identifier: Apache-2.0
#pragma once
// The dataflow engine: every node runs as soon as its inputs are there, on a pool of threads. One atomic count a node;
// a thread that has run a node goes on with what that made ready, but hands all but one of the expensive nodes to the
// pool (runtime/node_costs.hpp says which those are).

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/mutex.hpp>
#include <tenon/base/notification.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/runtime/executor.hpp>
#include <tenon/runtime/node_costs.hpp>
#include <tenon/runtime/parts.hpp>
#include <tenon/runtime/program.hpp>
#include <tenon/runtime/step.hpp>

TENON_NAMESPACE_BEGIN

namespace detail {

// The counts of one run; kept with its step and used again.
class DataflowRun final : public StepEngine {
 public:
  DataflowRun(const Program& program, Step* step)
      : program_(program),
        step_(step),
        nodes_(program.nodes.size() + 1),
        after_(program.nodes.size()),
        pending_(program.nodes.size()),
        readers_(static_cast<std::size_t>(program.num_values)),
        tasks_(program.nodes.size()),
        costs_(program) {
    for (std::size_t n = 0; n < program.nodes.size(); ++n) {
      const ProgramNode& node = program.nodes[n];
      nodes_[n].first_consumer = node.first_consumer;
      nodes_[n].pending = static_cast<unsigned>(node.pending) & 0x7FFFFFFFu;
      nodes_[n].does_nothing = node.kind == ProgramNode::Kind::kNothing;
      tasks_[n] = {this, static_cast<int>(n)};
    }
    nodes_.back().first_consumer = static_cast<int>(program.consumers.size());
    if (program.has_async) faults_ = Ref<RunFaults>::Adopt(new RunFaults);
    constants_.assign(static_cast<std::size_t>(program.num_values), 0);
    for (const auto& [value, tensor] : program.constants) constants_[static_cast<std::size_t>(value)] = 1;
    // Without a fixed order only the sole reader of a value may overwrite it.
    for (std::size_t n = 0; n < program.nodes.size(); ++n)
      step->mutable_frame(static_cast<int>(n)).last_use = program.only_use.data() + program.nodes[n].first_input;
  }

  // Runs the program; the calling thread takes part. The pool may be busy with other runs.
  Status Run(ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace) override {
    if (program_.nodes.empty()) return OkStatus();
    Notification done;
    Reset(pool, flush_denormals, trace, {&WakeUp, &done});
    Local mine;
    Begin(&mine);
    Process(&mine);
    done.WaitForNotification();
    return TakeStatus();
  }
  // The same without waiting: calls `ended` once, on some thread, and then TakeStatus says how it went. `failed` is
  // called with the first error before others are told to stop; it may be null.
  void Start(ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace, RunEnded ended, RunFailed failed) {
    if (program_.nodes.empty()) return ended();
    Reset(pool, flush_denormals, trace, ended);
    failed_callback_ = failed;
    Local mine;
    Begin(&mine);
    if (!mine.IsEmpty()) PublishAll(&mine);
  }
  Status TakeStatus() {
    if (faults_) status_.Update(faults_->Take());
    return std::exchange(status_, OkStatus());
  }

 private:
  void Reset(ThreadPoolInterface* pool, bool flush_denormals, TraceCollector* trace, RunEnded ended) {
    pool_ = pool;
    flush_denormals_ = flush_denormals;
    trace_ = trace;
    for (std::size_t n = 0; n < program_.nodes.size(); ++n)
      pending_[n].store(static_cast<int>(nodes_[n].pending), std::memory_order_relaxed);
    for (std::size_t v = 0; v < program_.readers.size(); ++v)
      readers_[v].store(program_.readers[v], std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
    status_ = OkStatus();
    ended_ = ended;
    failed_callback_ = {};
    costs_.BeginRun();
    left_.store(static_cast<int>(program_.nodes.size()), std::memory_order_release);
  }

  struct Task {
    DataflowRun* run;
    int node;
  };
  // What counting down reads of a node: in large graphs the nodes themselves are far apart. The consumers of one node
  // lie before those of the next.
  struct Counts {
    int first_consumer = 0;
    unsigned pending : 31 = 0;
    unsigned does_nothing : 1 = 0;
  };
  // Nodes that one thread has made ready and not given away. Those that do nothing are cheaper to count down here than
  // to hand to another thread, and so are those that cost little to run.
  struct Local {
    int nothing = -1;  // the first of those that do nothing; linked through after_
    int cheap = -1;  // the same of those that cost little
    int expensive = -1;  // for this thread, when nothing cheap is left; -1: none
    int delay = 0;  // cheap nodes that have run while it waits
    bool IsEmpty() const { return cheap < 0 && expensive < 0; }
  };
  static constexpr int kMostDelay = 4;  // then another thread gets it
  void Add(int node, Local* mine) {
    int& after = after_[static_cast<std::size_t>(node)];
    if (nodes_[static_cast<std::size_t>(node)].does_nothing) {
      after = std::exchange(mine->nothing, node);
    } else if (!costs_.IsExpensive(node)) {
      after = std::exchange(mine->cheap, node);
    } else if (mine->expensive < 0) {
      mine->expensive = node;
      mine->delay = 0;
    } else {
      Publish(node);
    }
  }
  // What this thread runs next; *mine is not empty.
  int Next(Local* mine) {
    if (mine->cheap < 0) return std::exchange(mine->expensive, -1);
    if (mine->expensive >= 0 && ++mine->delay > kMostDelay) Publish(std::exchange(mine->expensive, -1));
    return std::exchange(mine->cheap, after_[static_cast<std::size_t>(mine->cheap)]);
  }
  static void RunTask(void* argument) {
    const Task task = *static_cast<const Task*>(argument);
    Local mine;
    if (task.run->costs_.IsExpensive(task.node)) {
      mine.expensive = task.node;
    } else {
      mine.cheap = task.node;  // with those behind it
    }
    if (task.run->flush_denormals_) {
      ScopedFlushDenormals flush;
      task.run->Process(&mine);
    } else {
      task.run->Process(&mine);
    }
  }
  void Publish(int node) { pool_->Schedule(&RunTask, &tasks_[static_cast<std::size_t>(node)]); }
  // *mine is not empty; the last of the two may end the run before this returns.
  void PublishAll(Local* mine) {
    if (mine->expensive >= 0 && mine->cheap >= 0) Publish(mine->expensive);
    Publish(mine->cheap >= 0 ? mine->cheap : mine->expensive);
  }

  // Runs what this thread has, and then whatever that made ready, until nothing is left for it. The run may be over,
  // and this object in use again or gone, as soon as the last node was counted down.
  void Process(Local* mine) {
    OpKernelContext context;
    NodeMeter meter(trace_, &context);
    while (!mine->IsEmpty()) {
      const int number = Next(mine);
      const ProgramNode& node = program_.nodes[static_cast<std::size_t>(number)];
      if (!failed_.load(std::memory_order_acquire) && !StopsHere()) {
        if (node.async != nullptr) {
          StartAsync(number);
          continue;
        }
        meter.Begin();
        const NodeCosts::Measured measured(&costs_, number);
        if (Status status = RunNode(program_, number, step_, &context); !status.ok()) [[unlikely]]
          Fail(status);
        else
          meter.End(program_, node, step_);
      }
      Finish(number, mine);
    }
  }

  // An asynchronous kernel has a context of its own and may end on any thread. Its call is counted as a node is: the
  // thread that made it may still be in it, with what belongs to the session, when the node has ended.
  struct AsyncState {
    DataflowRun* run;
    int node;
    std::int64_t begin;
    OpKernelContext context;
    RefReads references;
  };
  void StartAsync(int number) {
    auto* state = new AsyncState{this, number, trace_ == nullptr ? 0 : trace_->Now(), OpKernelContext(), RefReads()};
    const ProgramNode& node = program_.nodes[static_cast<std::size_t>(number)];
    if (!node.reads_references) {
      state->context.Enter(&step_->frame(number));
    } else {
      const Status status = state->references.Read(step_->frame(number));
      state->context.Enter(&state->references.frame());
      if (!status.ok()) {
        state->context.SetStatus(status);
        return AsyncDone(state);
      }
    }
    left_.fetch_add(1, std::memory_order_relaxed);
    StartKernel(node.async, &state->context, {&AsyncDone, state, faults_.get()});
    CountDown();
  }
  static void AsyncDone(void* argument) {
    const Owned<AsyncState> state(static_cast<AsyncState*>(argument));
    DataflowRun* run = state->run;
    const ProgramNode& node = run->program_.nodes[static_cast<std::size_t>(state->node)];
    Status status = state->context.TakeStatus();
    if (status.ok()) status = CheckOutputs(node, run->step_->frame(state->node));
    if (!status.ok())
      run->Fail(AtNode(status, run->program_, node));
    else if (run->trace_ != nullptr)
      run->trace_->Add(run->program_, node, run->step_, state->begin);
    Local made;
    run->Finish(state->node, &made);
    if (!made.IsEmpty()) run->PublishAll(&made);
  }

  bool StopsHere() {
    if (!IsCancelled(CancellationOf(*step_))) [[likely]]
      return false;
    Fail(RunCancelled());
    return true;
  }

  // The first error counts; kernels that wait for something are told to give up.
  TENON_COLD void Fail(const Status& status) {
    {
      MutexLock lock(mutex_);
      status_.Update(status);
      failed_.store(true, std::memory_order_release);
    }
    failed_callback_(status);
    if (CancellationManager* cancellation = CancellationOf(*step_)) cancellation->StartCancel();
  }

  void Begin(Local* mine) {
    for (const int root : program_.roots) Add(root, mine);
    CountNothings(mine, 0);
  }
  // Drops the values that nobody will read any more and counts the consumers down: those that became ready are in
  // *mine, or published. After an error nodes are only counted down, so that the run comes to its end.
  void Finish(int number, Local* mine) {
    const ProgramNode& node = program_.nodes[static_cast<std::size_t>(number)];
    for (int i = 0; i < node.num_inputs; ++i) Drop(program_.inputs[static_cast<std::size_t>(node.first_input + i)]);
    for (int i = 0; i < node.num_outputs; ++i)
      if (program_.readers[static_cast<std::size_t>(node.first_output + i)] == 0)
        step_->value(node.first_output + i) = EmptySlot();
    CountConsumers(static_cast<std::size_t>(number), mine);
    CountNothings(mine, 1);
  }
  void CountConsumers(std::size_t number, Local* mine) {
    const int end = nodes_[number + 1].first_consumer;
    for (int i = nodes_[number].first_consumer; i < end; ++i) {
      const int node = program_.consumers[static_cast<std::size_t>(i)];
      const auto consumer = static_cast<std::size_t>(node);
      // Who waits for one node only is ready; nobody else counts it.
      if (nodes_[consumer].pending == 1 || pending_[consumer].fetch_sub(1, std::memory_order_acq_rel) == 1)
        Add(node, mine);
    }
  }
  // Nodes that do nothing, with all of that kind behind them. `finished` nodes are to be counted besides.
  void CountNothings(Local* mine, int finished) {
    while (mine->nothing >= 0) {
      const auto number = static_cast<std::size_t>(mine->nothing);
      mine->nothing = after_[number];
      CountConsumers(number, mine);
      ++finished;
    }
    if (finished > 0) CountDown(finished);
  }
  // The run is over, and this object perhaps in use again, when the last of all was counted.
  void CountDown(int count = 1) {
    const RunEnded ended = ended_;
    if (left_.fetch_sub(count, std::memory_order_acq_rel) == count) ended();
  }
  void Drop(int value) {
    const auto v = static_cast<std::size_t>(value);
    if (readers_[v].fetch_sub(1, std::memory_order_acq_rel) == 1 && constants_[v] == 0)
      step_->value(value) = EmptySlot();
  }

  const Program& program_;
  Step* step_;
  SlimVector<Counts> nodes_;  // and one more, behind the last
  SlimVector<int> after_;  // per node: the next in a list of Local, or of what is published as one task
  Owned<std::atomic<int>[]> pending_, readers_;
  Owned<Task[]> tasks_;
  NodeCosts costs_;
  SlimVector<char> constants_;
  std::atomic<int> left_{0};  // nodes, and calls of asynchronous kernels that have not returned
  std::atomic<bool> failed_{false};
  RunEnded ended_;
  RunFailed failed_callback_;
  ThreadPoolInterface* pool_ = nullptr;
  TraceCollector* trace_ = nullptr;
  bool flush_denormals_ = false;
  Mutex mutex_;
  Status status_;
  Ref<RunFaults> faults_;  // of a program with asynchronous kernels
};

inline Owned<StepEngine> MakeDataflowRun(const Program& program, Step* step) {
  return MakeOwned<DataflowRun>(program, step);
}
inline const bool dataflow_linked = LinkPart<MakeStepEngine>(&runtime_parts.dataflow, &MakeDataflowRun);

}  // namespace detail

TENON_NAMESPACE_END
