// SPDX-License-Identifier: Apache-2.0
#pragma once
// The run of a signature over all partitions of a graph. Each partition is its own program, on its device. They start
// together and meet in the run's rendezvous; the first error stops all.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/notification.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/deferred_ops.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/step_container.hpp>
#include <tenon/runtime/session/cancellable_run.hpp>
#include <tenon/runtime/multi_device/caller_thread_queue.hpp>
#include <tenon/runtime/executor/dataflow.hpp>
#include <tenon/runtime/multi_device/device_rendezvous.hpp>
#include <tenon/runtime/multi_device/step_of_peers.hpp>
#include <tenon/runtime/multi_device/transfer_plan.hpp>
#include <tenon/runtime/control_flow/linked_frames.hpp>
#include <tenon/runtime/control_flow/parallel_executor.hpp>
#include <tenon/runtime/executor/linked_dataflow.hpp>
#include <tenon/runtime/executor/transfer_slots.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/program/endpoints.hpp>
#include <tenon/runtime/session/run_args.hpp>
#include <tenon/runtime/executor/step.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

class PartitionedGraph;

namespace detail {

// State of one run of all partitions of a signature; later runs use it again. One run at a time.
class PartitionedRun {
 public:
  struct Part {
    Part(const Program* p, ResourceMgr* r) : program(p), resources(r), step(*p) {
      if (p->has_control_flow())
        frames = MakeOwned<ParallelFrameRun>(*p, &step);
      else
        dataflow = DataflowRun::Make(*p, &step);
    }
    const Program* program;
    ResourceMgr* resources;
    Step step;
    Owned<DataflowRun> dataflow;
    Owned<ParallelFrameRun> frames;
    std::optional<StepContainer> container;  // in a run
    RunServices services;
    Owned<TraceCollector> trace;  // null: the run is not traced
  };

  // `plan` outlives this and has a part for each AddPart.
  explicit PartitionedRun(const TransferPlan* plan) : plan_(plan), slots_(plan->num_slots()) {}
  void AddPart(const Program* program, ResourceMgr* resources) {
    const TransferNodes& nodes = plan_->part(parts_.size());
    Part& part = *parts_.emplace_back(MakeOwned<Part>(program, resources));
    if (part.frames != nullptr)
      part.frames->Link(&nodes, &slots_);
    else
      part.dataflow->Link(&nodes, &slots_);
  }
  Step& step(int part) { return parts_[static_cast<std::size_t>(part)]->step; }
  std::size_t num_parts() const { return parts_.size(); }

  // Runs all partitions to their end. Returns the first error, which stops the other ones, as `settings.cancellation`
  // does. `fetched`: the names of all fetches. Without a pool, the caller's thread runs whichever partition is ready.
  Status Run(const DeviceMgr* devices, const RunArgs& settings, Span<const std::string> fetched) {
    const StepOfPeers* const peers = settings.peers;
    TakeRendezvous(devices, peers == nullptr ? nullptr : peers->rendezvous);
    CancellationManager cancellation(settings.cancellation);
    DeferredOps deferred;
    Notification done;
    const std::int64_t step_id =
        peers != nullptr && peers->step_id != 0 ? peers->step_id : NextStepId().fetch_add(1, std::memory_order_relaxed);
    done_ = &done;
    uses_queue_ = settings.pool == nullptr;
    pool_ = uses_queue_ ? &queue_ : settings.pool;
    flush_denormals_ = settings.flush_denormals;
    left_.store(static_cast<int>(parts_.size()), std::memory_order_release);
    for (const Owned<Part>& part : parts_) {
      part->container.emplace(part->resources, step_id);
      part->services = {part->resources, &*part->container, &cancellation, rendezvous_.get()};
      part->services.deferred = &deferred;
      part->services.pool = settings.pool;
      part->services.more = settings.services;
      if (settings.trace != nullptr) [[unlikely]] {
        part->trace = MakeOwned<TraceCollector>(
            part->program->graph, TraceEventLimit(settings.max_trace_events) / static_cast<int>(parts_.size()));
        part->services.stats = part->trace.get();
      }
      part->step.set_step_id(step_id);
      part->step.set_services(&part->services);
    }
    const bool is_linked = settings.trace == nullptr;  // a trace shows the transfers as kernels
    WatchesCancellation watch(this, is_linked && slots_.size() != 0 ? settings.cancellation : nullptr);
    if (uses_queue_) queue_.Reserve(parts_.size());
    // From here on nothing may throw before the partitions have ended.
    if (!is_linked) {
      const RunEnded ended{&PartEnded, this};
      const RunFailed failed{&PartFailed, this};
      for (const Owned<Part>& part : parts_) {
        if (part->frames != nullptr)
          part->frames->StartOn(pool_, flush_denormals_, part->trace.get(), ended, failed);
        else
          part->dataflow->Start(pool_, flush_denormals_, part->trace.get(), ended, failed);
      }
    } else if (uses_queue_) {
      queue_.Schedule(&BeginLinked, this);
    } else {
      BeginLinked(this);
    }
    if (uses_queue_)
      queue_.Serve();
    else
      WaitFor(done);
    watch.End();
    deferred.Wait();
    if (settings.trace != nullptr) [[unlikely]]
      FinishTrace(settings.trace);
    Status status = End(fetched);
    if (!rendezvous_->IsUnused(devices, nullptr)) [[unlikely]]
      rendezvous_ = {};
    if (cancellation.IsCancelled()) [[unlikely]]
      status.Update(RunCancelled());
    return status;
  }
  // After a run, when its fetches were taken.
  void Clear() {
    for (const Owned<Part>& part : parts_) {
      part->step.Clear();
      part->step.TrimCaches();
    }
  }

 private:
  // Ends the waits in the slots when the caller cancels the run.
  class WatchesCancellation {
   public:
    // `cancellation` may be null.
    WatchesCancellation(PartitionedRun* run, CancellationManager* cancellation) : cancellation_(cancellation) {
      if (cancellation == nullptr) return;
      token_ = cancellation->NewToken();
      if (!cancellation->Register(token_, [run] { run->slots_.Abort(ReceiveCancelled()); }))
        run->slots_.Abort(ReceiveCancelled());
    }
    WatchesCancellation(const WatchesCancellation&) = delete;
    WatchesCancellation& operator=(const WatchesCancellation&) = delete;
    ~WatchesCancellation() { End(); }
    // Waits for a callback under way.
    void End() {
      if (CancellationManager* const watched = std::exchange(cancellation_, nullptr); watched != nullptr)
        (void)watched->Deregister(token_);
    }

   private:
    CancellationManager* cancellation_;
    CancellationManager::Token token_ = 0;
  };
  TENON_DETAIL_COLD static Status ReceiveCancelled() { return errors::Cancelled("RecvAsync is cancelled."); }

  // A run leaves its rendezvous to the next one, unless values, waits or an error are in it.
  void TakeRendezvous(const DeviceMgr* devices, Rendezvous* peers) {
    if (rendezvous_ && rendezvous_->IsUnused(devices, peers)) [[likely]]
      return;
    rendezvous_ = Ref<DeviceRendezvous>::Adopt(new DeviceRendezvous(devices, peers));
  }
  // Begins all parts on this thread, which goes on with their nodes; other threads get nodes that take long.
  static void BeginLinked(void* state) noexcept {
    auto* const run = static_cast<PartitionedRun*>(state);
    const ScopedFlushDenormals mode(run->flush_denormals_ || FlushesDenormals());
    const RunEnded ended{&PartEnded, run};
    const RunFailed failed{&PartFailed, run};
    DataflowRun::Agenda nodes;
    ParallelFrameRun::Agenda frames;
    const std::size_t count = run->parts_.size();
    for (std::size_t i = 0; i < count; ++i) {
      Part& part = *run->parts_[i];
      if (part.frames != nullptr)
        part.frames->BeginOn(run->pool_, run->flush_denormals_, ended, failed, &frames);
      else
        part.dataflow->Begin(run->pool_, run->flush_denormals_, ended, failed, &nodes);
    }
    nodes.Work();
    frames.Work();
  }
  static void PartEnded(void* state) {
    auto* run = static_cast<PartitionedRun*>(state);
    Notification* const done = run->done_;  // the run may be used again once all have ended
    CallersQueue* const queue = run->uses_queue_ ? &run->queue_ : nullptr;
    if (run->left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (queue != nullptr)
      queue->Stop();
    else
      done->Notify();
  }
  TENON_DETAIL_COLD static void PartFailed(void* state, const Status& status) {
    auto* run = static_cast<PartitionedRun*>(state);
    {
      const MutexLock lock(run->mutex_);
      run->first_error_.Update(status);
    }
    run->slots_.Abort(status);
    run->rendezvous_->StartAbort(status);
  }
  // Merges the traces of the partitions; the node that ended first comes first.
  TENON_DETAIL_COLD void FinishTrace(RunTrace* trace) {
    *trace = RunTrace();
    for (const Owned<Part>& part : parts_) {
      RunTrace of_part;
      part->trace->Finish(&of_part);
      part->trace = nullptr;
      if (trace->start_ns == 0) trace->start_ns = of_part.start_ns;  // the first partition's is the earliest
      const std::int64_t later = of_part.start_ns - trace->start_ns;
      for (NodeTiming& timing : of_part.nodes) {
        timing.start_ns += later;
        timing.end_ns += later;
        if (timing.ready_ns >= 0) timing.ready_ns += later;
        trace->nodes.push_back(timing);
      }
      for (NodeTotal& total : of_part.folded) {
        total.start_ns += later;
        total.end_ns += later;
        trace->folded.push_back(total);
      }
      trace->num_dropped += of_part.num_dropped;
      trace->dropped_ns += of_part.dropped_ns;
      trace->total_ns = of_part.total_ns + later;
      trace->thread = of_part.thread;
    }
    std::sort(trace->nodes.begin(), trace->nodes.end(), [](const NodeTiming& a, const NodeTiming& b) {
      return a.end_ns != b.end_ns ? a.end_ns < b.end_ns : a.start_ns < b.start_ns;
    });
  }
  TENON_DETAIL_COLD static Status KeepFetched(StepContainer* container, Span<const std::string> fetched) {
    SlimVector<std::string_view> names;
    for (const std::string& name : fetched) names.push_back(name);
    return container->KeepFetched(Span<const std::string_view>(names.data(), names.size()));
  }
  Status End(Span<const std::string> fetched) {
    Status status;
    for (const Owned<Part>& part : parts_) {
      const Program& program = *part->program;
      status.Update(part->frames != nullptr ? part->frames->EndRun() : part->dataflow->TakeStatus());
      if (program.device != program.host) program.device->EndRun(&status);
      if (status.ok() && part->frames != nullptr) status = CheckFetches(program, &part->step, Code::kInvalidArgument);
      if (part->container->keeps_fetched() && status.ok()) [[unlikely]]
        status = KeepFetched(&*part->container, fetched);
      part->step.set_services(nullptr);
      part->container.reset();
    }
    slots_.Reset();
    const MutexLock lock(mutex_);
    const Status first = std::exchange(first_error_, Status());
    return first.ok() ? status : first;
  }

  const TransferPlan* plan_;
  TransferSlots slots_;
  SlimVector<Owned<Part>> parts_;
  std::atomic<int> left_{0};
  Notification* done_ = nullptr;
  CallersQueue queue_;  // tasks of a run without a pool
  bool uses_queue_ = false, flush_denormals_ = false;
  ThreadPoolInterface* pool_ = nullptr;
  Ref<DeviceRendezvous> rendezvous_;
  Mutex mutex_;
  Status first_error_;
};

// One signature. thread-safe.
class PartitionedCallable : public RefCounted {
 public:
  // Where a feed or fetch is: number `index` of those of running partition `part`. `elsewhere`: the device whose
  // memory the caller has the value in, if that is neither the host's nor the partition's.
  struct Endpoint {
    int part;
    int index;
    Device* elsewhere = nullptr;
  };
  Status Run(const DeviceMgr* devices, const RunArgs& settings, Span<const Tensor> feeds, Span<Tensor> fetches) {
    TENON_RETURN_IF_ERROR(Check(feeds, fetches));
    return RunChecked(devices, settings, feeds, fetches);
  }
  // Runs the signature with feeds and fetches that the caller has checked.
  Status RunChecked(const DeviceMgr* devices, const RunArgs& settings, Span<const Tensor> feeds, Span<Tensor> fetches) {
    Owned<PartitionedRun> run = Take();
    Status status;
    for (std::size_t i = 0; i < feeds.size() && status.ok(); ++i) {
      const Endpoint& feed = feeds_[i];
      Tensor& value = run->step(feed.part).value(FeedAt(feed).value);
      if (feed.elsewhere == nullptr)
        value = feeds[i];
      else
        status = feed.elsewhere->CopyToHost(feeds[i], devices->HostCPU()->allocator(), &value);
    }
    if (status.ok()) status = run->Run(devices, settings, fetch_names_);
    for (std::size_t i = 0; i < fetches.size() && status.ok(); ++i) {
      const Program::Fetch& fetch = FetchAt(fetches_[i]);
      fetches[i] = run->step(fetches_[i].part).value(fetch.value);
    }
    if (!status.ok()) [[unlikely]]
      TellOfError(settings, run.get(), &status);
    run->Clear();
    for (std::size_t i = 0; i < fetches.size() && status.ok(); ++i) {
      if (programs_[ToSize(fetches_[i].part)]->has_references)
        status = DetachFromVariables(FetchAt(fetches_[i]).name, &fetches[i]);
      if (fetches_[i].elsewhere != nullptr && status.ok()) status = MoveTo(fetches_[i].elsewhere, &fetches[i]);
    }
    Give(std::move(run));
    return status;
  }
  std::size_t num_feeds() const { return feeds_.size(); }
  std::size_t num_fetches() const { return fetches_.size(); }
  std::size_t num_running_parts() const { return programs_.size(); }

  // Calls visit(program, feeds, fetches) for each partition that runs, with the numbers of its feeds and fetches.
  template <class Visit>
  void ForPrograms(const Visit& visit) const {
    for (std::size_t p = 0; p < programs_.size(); ++p) {
      const auto numbers = [&](const SlimVector<Endpoint>& ends) {
        SlimVector<int> of_part;
        for (std::size_t i = 0; i < ends.size(); ++i)
          if (ToSize(ends[i].part) == p) of_part.push_back(static_cast<int>(i));
        return of_part;
      };
      visit(*programs_[p], numbers(feeds_), numbers(fetches_));
    }
  }
  // Replaces each program by change(program, feeds, fetches), before the first run. Afterwards this has no feeds and
  // fetches.
  template <class Change>
  void ChangePrograms(const Change& change) {
    std::size_t p = 0;
    ForPrograms([&](const Program&, SlimVector<int> feeds, SlimVector<int> fetches) {
      programs_[p] = change(std::move(programs_[p]), std::move(feeds), std::move(fetches));
      ++p;
    });
    feeds_.clear();
    fetches_.clear();
    fetch_names_.clear();
    plan_.Make(programs_);
  }
  // In the child of a fork(), before other threads use this: whether a run of the parent was under way.
  TENON_DETAIL_COLD bool IsInUse() {
    if (!mutex_.try_lock()) return true;
    const bool all_idle = idle_.size() == made_;
    mutex_.unlock();
    return !all_idle;
  }
  // The steps that no run uses now.
  template <class Visit>
  void ForIdleSteps(const Visit& visit) {
    const MutexLock lock(mutex_);
    for (const Owned<PartitionedRun>& run : idle_)
      for (std::size_t p = 0; p < run->num_parts(); ++p) visit(&run->step(static_cast<int>(p)));
  }

 private:
  friend class tenon::PartitionedGraph;
  const Program::Feed& FeedAt(Endpoint e) const { return programs_[ToSize(e.part)]->feeds[ToSize(e.index)]; }
  const Program::Fetch& FetchAt(Endpoint e) const { return programs_[ToSize(e.part)]->fetches[ToSize(e.index)]; }

  TENON_DETAIL_COLD void TellOfError(const RunArgs& settings, PartitionedRun* run, Status* status) const {
    if (settings.on_error == nullptr) return AddMemoryHint(status);
    for (std::size_t p = 0; p < programs_.size(); ++p)
      settings.on_error(settings.on_error_state, *programs_[p], &run->step(static_cast<int>(p)), status);
  }
  static Status MoveTo(Device* device, Tensor* value) {
    const Tensor on_host = std::exchange(*value, Tensor());
    TENON_RETURN_IF_ERROR(device->CopyToDevice(on_host, value));
    return device->Synchronize();
  }

  Status Check(Span<const Tensor> feeds, Span<Tensor> fetches) const {
    return CheckFeeds(
        feeds, feeds_.size(), [this](std::size_t i) -> const Program::Feed& { return FeedAt(feeds_[i]); },
        fetches.size(), fetches_.size());
  }
  Owned<PartitionedRun> Take() {
    {
      const MutexLock lock(mutex_);
      if (!idle_.empty()) {
        Owned<PartitionedRun> run = std::move(idle_.back());
        idle_.pop_back();
        return run;
      }
      ++made_;
    }
    auto run = MakeOwned<PartitionedRun>(&plan_);
    for (std::size_t p = 0; p < programs_.size(); ++p) run->AddPart(programs_[p].get(), resources_[p]);
    return run;
  }
  // Keeps the run for later ones; frees it if the list cannot grow.
  void Give(Owned<PartitionedRun> run) noexcept {
    (void)Succeeds([&] {
      const MutexLock lock(mutex_);
      idle_.push_back(std::move(run));
    });
  }

  TransferPlan plan_;
  SlimVector<Owned<Program>> programs_;  // programs of the partitions that have something to do
  SlimVector<ResourceMgr*> resources_;
  SlimVector<Endpoint> feeds_, fetches_;
  SlimVector<std::string> fetch_names_;
  Mutex mutex_;
  SlimVector<Owned<PartitionedRun>> idle_;
  std::size_t made_ = 0;  // runs, idle or not
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
