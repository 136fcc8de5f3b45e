// SPDX-License-Identifier: Apache-2.0
#pragma once
// One prepared signature: its program with the steps, executors and plans that run it. On several devices it wraps a
// PlacedProgram instead.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/device/device.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/deferred_ops.hpp>
#include <tenon/kernel/step_container.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/runtime/executor/run_node.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/program/endpoints.hpp>
#include <tenon/runtime/session/run_args.hpp>
#include <tenon/runtime/executor/sequential.hpp>
#include <tenon/runtime/executor/step.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

namespace detail {

// The executor of a program that RunSequential does not run: one with control flow, or one that shares its nodes out.
inline Result<MakeExecutor> ExecutorFor(const Program& program, bool on_pool) {
  if (program.has_control_flow()) {
    const ControlFlow* const control_flow = extensions.control_flow.load(std::memory_order_acquire);
    if (control_flow == nullptr) return NoControlFlow();
    return on_pool ? control_flow->make_on_pool : control_flow->make;
  }
  if (const MakeExecutor make = extensions.dataflow.load(std::memory_order_acquire)) return make;
  return PartMissing(program.has_async ? "The graph has kernels that may wait, which need the dataflow engine"
                                       : "SessionOptions or RunOptions ask for the dataflow engine",
                     "runtime/executor/dataflow.hpp");
}

// One signature of a graph on several devices, of runtime/session_devices.hpp. thread-safe.
class PlacedProgram {
 public:
  virtual ~PlacedProgram() = default;
  // As PreparedSignature::Run, with feeds and fetches that were checked.
  virtual Status Run(Span<const Tensor> feeds, Span<Tensor> fetches, const RunArgs& settings) = 0;
  // Calls visit(state, step) for every step that no run uses now.
  virtual void ForIdleSteps(void (*visit)(const void* state, Step* step), const void* state) = 0;
  // In the child of a fork(), before other threads use this: whether a run of the parent was under way.
  virtual bool IsInUse() = 0;
  // Graphs that run, one per device.
  virtual SlimVector<GraphDef> MakePartitionGraphs() const = 0;
  virtual int num_devices() const = 0;  // that take part
};

// A partial run on several devices: feeds and fetches are nodes (runtime/session/partial_program.hpp).
class PlacedPartialProgram : public PlacedProgram {
 public:
  // As PartialProgram::MissingFeed.
  virtual int MissingFeed(std::size_t fetch, Span<const char> fed) const = 0;
};
class PartialEnds;

// One signature with the steps that run it. thread-safe.
class PreparedSignature : public RefCounted {
  struct Running {
    explicit Running(const Program& program) : step(program) {}
    // Members of steps that are not lean.
    struct Rare {
      Owned<Executor> alone;  // for control flow on one thread; null: not needed yet
      Owned<RunPlans> plans;  // null: never
    };
    RunPlans* plans() const { return rare == nullptr ? nullptr : rare->plans.get(); }
    Rare& MakeRare() {
      if (rare == nullptr) rare = MakeOwned<Rare>();
      return *rare;
    }
    Step step;
    Owned<Executor> on_pool;  // null: not needed yet
    Owned<Rare> rare;  // null: not needed yet
  };

 public:
  // State of one run, from the taking of its step to its end.
  class UnderWay final : RunRendezvous {
   public:
    // `cancellation`: the run's own, where kernels may register.
    UnderWay(PreparedSignature* prepared, Span<const Tensor> feeds, const RunArgs& settings,
             CancellationManager* cancellation)
        : running(prepared->steps_.Take()),
          container(settings.resources, NextStepId().fetch_add(1, std::memory_order_relaxed)),
          services{settings.resources, &container, cancellation} {
      RunPlans* const plans = prepared->PlansOf(running.get());
      Step* const planned = plans != nullptr && !settings.dataflow ? plans->Find(feeds) : nullptr;
      step = planned != nullptr ? planned : &running->step;
      services.deferred = &deferred;
      services.pool = settings.pool;
      services.more = settings.services;
      services.own_rendezvous = this;
      step->set_step_id(container.step_id());
      step->set_services(&services);
      for (std::size_t i = 0; i < feeds.size(); ++i) step->value(prepared->program_->feeds[i].value) = feeds[i];
    }
    UnderWay(const UnderWay&) = delete;
    UnderWay& operator=(const UnderWay&) = delete;
    ~UnderWay() override { delete rendezvous.load(std::memory_order_acquire); }

   private:
    friend class PreparedSignature;
    Rendezvous* Get() override { return MadeRendezvous(services.cancellation, &rendezvous); }
    // The plans that have one for these feeds; null: there is none.
    RunPlans* plan() const { return step == &running->step ? nullptr : running->plans(); }
    Owned<Running> running;
    Step* step;  // the plan's, or that of `running`
    [[no_unique_address]] StepContainer container;  // `deferred` fits behind its last member
    DeferredOps deferred;
    RunServices services;
    std::atomic<RunRendezvous*> rendezvous{nullptr};  // null: no kernel has asked yet
  };

  // `placed`: runs instead of the program, on several devices; then the program only describes the feeds, fetches and
  // nodes. Null: the program runs.
  PreparedSignature(Owned<Program> program, bool dataflow, Owned<PlacedProgram> placed = nullptr)
      : program_(std::move(program)),
        placed_(std::move(placed)),
        dataflow_(dataflow),
        make_plans_(!dataflow && program_->may_plan() ? extensions.plans.load(std::memory_order_acquire) : nullptr),
        steps_(*program_) {
    if (dataflow && program_->has_async && placed_ == nullptr && !program_->has_control_flow() &&
        program_->device == program_->host)
      MakeStepsLean(program_.get(), Ref<RunFaults>::Adopt(new RunFaults));
  }

  const Program& program() const { return *program_; }
  PlacedProgram* placed() const { return placed_.get(); }

  // True: the dataflow executor runs it, unless a run asks for another.
  bool dataflow() const { return dataflow_; }

  Status Run(Span<const Tensor> feeds, Span<Tensor> fetches, const RunArgs& settings) {
    TENON_RETURN_IF_ERROR(CheckFeeds(feeds, fetches.size()));
    if (placed_ != nullptr) [[unlikely]]
      return placed_->Run(feeds, fetches, settings);
    CancellationManager cancellation(settings.cancellation);
    UnderWay run(this, feeds, settings, &cancellation);
    Status status;
    if (settings.trace == nullptr) [[likely]] {
      status = Execute(run.running.get(), run.plan(), settings, nullptr);
    } else {
      TraceCollector collector(program_->graph, TraceEventLimit(settings.max_trace_events));
      run.services.stats = &collector;
      status = Execute(run.running.get(), run.plan(), settings, &collector);
      run.deferred.Wait();  // it may still tell the collector
      collector.Finish(settings.trace);
    }
    return End(&run, std::move(status), feeds, fetches, settings);
  }

  // True: Start can run it. All other runs hold their thread to the end.
  bool CanStart(const RunArgs& settings) const {
    return placed_ == nullptr && program_->has_async && settings.dataflow && settings.pool != nullptr &&
           settings.trace == nullptr;
  }
  // Starts a run that no thread waits for: a kernel may wait. Calls `ended` as Executor::Start does. Then Finish, with
  // these arguments again, ends the run; with an error as `room` as if the run had failed. Nothing was started after an
  // error. *settings.cancellation is the run's own, and it and *run outlive the run.
  Status Start(Span<const Tensor> feeds, const RunArgs& settings, RunEnded ended, Owned<UnderWay>* run) {
    TENON_RETURN_IF_ERROR(CheckFeeds(feeds, program_->fetches.size()));
    *run = MakeOwned<UnderWay>(this, feeds, settings, settings.cancellation);
    Running* const running = (*run)->running.get();
    if (running->on_pool == nullptr) {
      if (Status made = MakeEngine(true, &running->step, &running->on_pool); !made.ok())
        return End(run->get(), std::move(made), feeds, {}, settings);
    }
    running->on_pool->Start(settings.pool, settings.flush_denormals, ended);
    return OkStatus();
  }
  Status Finish(UnderWay* run, Status room, Span<const Tensor> feeds, Span<Tensor> fetches, const RunArgs& settings) {
    Status status = EndExecutor(run->running.get(), run->running->on_pool->End());
    status.Update(room);
    return End(run, std::move(status), feeds, fetches, settings);
  }

  // Calls add(step, plans) for every step that no run uses now; `plans` may be null.
  template <class Add>
  void ForIdleSteps(const Add& add) {
    if (placed_ != nullptr)
      placed_->ForIdleSteps([](const void* state, Step* step) { (*static_cast<const Add*>(state))(step, nullptr); },
                            &add);
    steps_.ForIdle([&](Running& running) { add(&running.step, running.plans()); });
  }
  // As PlacedProgram::IsInUse.
  bool IsInUse() { return steps_.IsInUse() || (placed_ != nullptr && placed_->IsInUse()); }
  bool GetPlanReport(PlanReport* report) {
    if (make_plans_ == nullptr) return false;
    Owned<Running> running = steps_.Take();
    const bool planned = running->plans() != nullptr && running->plans()->GetReport(report);
    steps_.Give(std::move(running));
    return planned;
  }

 private:
  // After the executor's end.
  Status End(UnderWay* run, Status status, Span<const Tensor> feeds, Span<Tensor> fetches, const RunArgs& settings) {
    Step* const step = run->step;
    run->deferred.Wait();
    if (run->services.cancellation->IsCancelled()) [[unlikely]]
      status.Update(RunCancelled());
    if (run->container.keeps_fetched() && status.ok()) [[unlikely]]
      status = KeepFetched(&run->container);
    if (status.ok()) [[likely]] {
      for (std::size_t i = 0; i < fetches.size(); ++i) {
        const Program::Fetch& fetch = program_->fetches[i];
        if (fetch.last)
          fetches[i] = std::exchange(step->value(fetch.value), EmptySlot());
        else
          fetches[i] = step->value(fetch.value);
      }
      for (const Program::Feed& feed : program_->feeds) step->value(feed.value) = EmptySlot();
      if (program_->has_references) [[unlikely]] {
        for (std::size_t i = 0; i < fetches.size(); ++i)
          status.Update(DetachFromVariables(program_->fetches[i].name, &fetches[i]));
      }
    } else {
      if (settings.on_error != nullptr)
        settings.on_error(settings.on_error_state, *program_, step, &status);
      else
        AddMemoryHint(&status);
      step->Clear();
    }
    step->TrimCaches();
    step->set_services(nullptr);
    RunPlans *const plan = run->plan(), *const plans = run->running->plans();
    if (settings.counts != nullptr) settings.counts->Count(plan != nullptr);
    if (plan != nullptr)
      plan->Ran(status);
    else if (plans != nullptr && status.ok() && plans->Count(feeds))
      plans->Make(&run->running->step);
    steps_.Give(std::move(run->running));
    return status;
  }
  RunPlans* PlansOf(Running* running) const {
    if (running->plans() == nullptr && make_plans_ != nullptr) running->MakeRare().plans = make_plans_(*program_);
    return running->plans();
  }
  TENON_DETAIL_COLD Status KeepFetched(StepContainer* container) const {
    SlimVector<std::string_view> names;
    for (const Program::Fetch& fetch : program_->fetches) names.push_back(fetch.name);
    return container->KeepFetched(Span<const std::string_view>(names.data(), names.size()));
  }
  // `plan`: null where there is none.
  Status Execute(Running* running, RunPlans* plan, const RunArgs& settings, TraceCollector* trace) {
    const ScopedFlushDenormals mode(settings.flush_denormals || FlushesDenormals());
    if (plan != nullptr) {
      const OwnsCache owner(&running->step);
      return plan->Run(trace);
    }
    Status status;
    const bool on_pool = settings.dataflow && settings.pool != nullptr;
    if (!on_pool && !program_->has_control_flow()) {
      status = RunSequential(*program_, &running->step, trace);
    } else {
      Owned<Executor>& engine = on_pool ? running->on_pool : running->MakeRare().alone;
      if (engine == nullptr) status = MakeEngine(on_pool, &running->step, &engine);
      if (engine != nullptr) status = engine->Run(settings.pool, settings.flush_denormals, trace);
    }
    return EndExecutor(running, std::move(status));
  }
  Status EndExecutor(Running* running, Status status) const {
    if (status.ok() && program_->has_control_flow())
      status = CheckFetches(*program_, &running->step, Code::kInvalidArgument);
    if (program_->device != program_->host) program_->device->EndRun(&status);
    return status;
  }

  Status MakeEngine(bool on_pool, Step* step, Owned<Executor>* engine) const {
    TENON_ASSIGN_OR_RETURN(const MakeExecutor make, ExecutorFor(*program_, on_pool));
    *engine = make(*program_, step);
    return OkStatus();
  }

  Status CheckFeeds(Span<const Tensor> feeds, std::size_t num_fetches) const {
    return detail::CheckFeeds(
        feeds, program_->feeds.size(), [this](std::size_t i) -> const Program::Feed& { return program_->feeds[i]; },
        num_fetches, program_->fetches.size());
  }

  Owned<Program> program_;
  Owned<PlacedProgram> placed_;  // null: on one device
  bool dataflow_;
  MakeRunPlans make_plans_;  // null: never
  ProgramPool<Running> steps_;
};

// The signatures of a session's callables, one for each. thread-safe.
class PreparedList {
 public:
  void Add(PreparedSignature* prepared) {
    const MutexLock lock(mutex_);
    items_.push_back(prepared);
  }
  void Remove(const PreparedSignature* prepared) {
    const MutexLock lock(mutex_);
    for (PreparedSignature*& item : items_) {
      if (item != prepared) continue;
      item = items_.back();
      return items_.pop_back();
    }
  }
  // As PlacedProgram::IsInUse, of any of them; the lock is free afterwards.
  TENON_DETAIL_COLD bool IsInUse() {
    bool in_use = !mutex_.try_lock();
    for (std::size_t i = 0; !in_use && i < items_.size(); ++i) in_use = items_[i]->IsInUse();
    new (&mutex_) Mutex();
    return in_use;
  }

 private:
  Mutex mutex_;
  SlimVector<PreparedSignature*> items_;
};

}  // namespace detail

TENON_DETAIL_STEP_NAMESPACE_END
