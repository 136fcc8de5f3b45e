// SPDX-License-Identifier: Apache-2.0
#pragma once
// PartitionedGraph: a graph that was cut into parts, one a device, with _Send and _Recv at the cuts. Its parts run side
// by side, each as a program of its own, and meet in the run's rendezvous.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/notification.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/op/graph_def.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/device_mgr.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/deferred_ops.hpp>
#include <tenon/kernel/registry.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/step_container.hpp>
#include <tenon/graph/algorithms.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/runtime/bounded_run.hpp>
#include <tenon/runtime/callers_queue.hpp>
#include <tenon/runtime/dataflow_executor.hpp>
#include <tenon/runtime/device_rendezvous.hpp>
#include <tenon/runtime/functions.hpp>
#include <tenon/runtime/parallel_frames.hpp>
#include <tenon/runtime/program.hpp>
#include <tenon/runtime/session_impl.hpp>
#include <tenon/runtime/session_options.hpp>
#include <tenon/runtime/step.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

// A part: all of its nodes run on `device`, or where that has no kernel, on the first CPU.
struct GraphPart {
  std::string device;
  GraphDef graph;
};

struct PartitionedGraphOptions {
  const Registry* registry = nullptr;  // null: everything registered in the process
  ThreadPoolInterface* pool = nullptr;  // with threads of its own; null: one for each graph
  bool constant_folding = true;
  bool flush_denormals = true;
};

class PartitionedGraph;

namespace detail {

// The functions of a graph on its devices, made when a part or a call needs them there; for the graphs of a session one
// after the other. thread-safe.
class PartFunctions final : public RefCounted, public FunctionsOnDevices {
 public:
  // All outlive this. `resources`: null where each device has resources of this object.
  PartFunctions(const Registry* registry, const DeviceMgr* devices, Device* host, const SessionDevices* resources,
                const ProgramOptions& options, GraphPass lower)
      : registry_(registry), devices_(devices), host_(host), resources_(resources), options_(options), lower_(lower) {}

  Result<FunctionRuntime*> On(std::string_view name) override {
    const Result<Device*> device = devices_->LookupDevice(name);
    if (!device.ok()) return NoDevice(name);
    return static_cast<FunctionRuntime*>(OnDevice(*device));
  }
  SessionFunctions* OnDevice(Device* device) {
    const MutexLock lock(mutex_);
    return &Find(device)->functions;
  }
  // Null: nothing has been needed there.
  ResourceMgr* FindResources(const Device* device) {
    const MutexLock lock(mutex_);
    for (const Owned<Entry>& entry : entries_)
      if (entry->device == device) return entry->functions.resources();
    return nullptr;
  }
  // The graph of a device, or, with null, of all.
  void SetGraph(const Device* device, const Graph* graph) {
    const MutexLock lock(mutex_);
    if (device == nullptr) graph_ = graph;
    for (const Owned<Entry>& entry : entries_)
      if (device == nullptr || entry->device == device) entry->functions.SetGraph(graph);
  }

 private:
  struct Entry {
    Entry(const PartFunctions& of, Device* on)
        : device(on), functions(of.graph_, of.registry_, on, of.host_, of.options_, of.lower_) {}
    Device* device;
    ResourceMgr own_resources;
    SessionFunctions functions;
  };
  Entry* Find(Device* device) {
    for (const Owned<Entry>& entry : entries_)
      if (entry->device == device) return entry.get();
    Entry* const entry = entries_.emplace_back(MakeOwned<Entry>(*this, device)).get();
    entry->functions.set_resources(resources_ != nullptr ? resources_->resources(device) : &entry->own_resources);
    entry->functions.set_devices(this);
    return entry;
  }

  const Registry* registry_;
  const DeviceMgr* devices_;
  Device* host_;
  const SessionDevices* resources_;
  ProgramOptions options_;
  GraphPass lower_;
  Mutex mutex_;
  const Graph* graph_ = nullptr;
  SlimVector<Owned<Entry>> entries_;
};

// One part as it stays between signatures: its graph, kernels, functions and resources.
struct LoadedPart {
  Device* device = nullptr;
  Graph graph;
  ResourceMgr* resources = nullptr;
  SessionFunctions* functions = nullptr;
  Owned<KernelCache> kernels;
};

// What a session lends the graphs that it cuts into parts. All of it outlives them.
struct PartsOfSession {
  const DeviceMgr* devices = nullptr;
  const SessionDevices* resources = nullptr;
  const Graph* whole = nullptr;  // that was cut
  const PartitionedGraph* older = nullptr;  // the graph that this one extends: nodes keep their state. May be null
  std::int64_t packed_weights_bytes = kUsualPackedWeightsBytes;  // as in SessionOptions
  GraphPass lower_functions = nullptr;  // may be null
};

// What one run of all parts of a signature needs; used again. One run at a time.
class PartitionedRun {
 public:
  struct Part {
    Part(const Program* p, ResourceMgr* r) : program(p), resources(r), step(*p) {
      if (p->has_control_flow())
        frames = MakeOwned<ParallelFrameRun>(*p, &step);
      else
        dataflow = MakeOwned<DataflowRun>(*p, &step);
    }
    const Program* program;
    ResourceMgr* resources;
    Step step;
    Owned<DataflowRun> dataflow;
    Owned<ParallelFrameRun> frames;
    Owned<StepContainer> container;
    RunServices services;
    Owned<TraceCollector> trace;  // of a run that is traced
  };

  void AddPart(const Program* program, ResourceMgr* resources) {
    parts_.push_back(MakeOwned<Part>(program, resources));
  }
  Step& step(int part) { return parts_[static_cast<std::size_t>(part)]->step; }
  std::size_t num_parts() const { return parts_.size(); }

  // Runs all parts to their end. The first error counts; it stops the others, as `settings.cancellation` does.
  // `fetched`: the names of all fetches. Without a pool the caller's thread runs the parts, whichever has a node ready.
  Status Run(const DeviceMgr* devices, const RunSettings& settings, Span<const std::string> fetched) {
    const auto rendezvous = Ref<DeviceRendezvous>::Adopt(new DeviceRendezvous(devices));
    CancellationManager cancellation(settings.cancellation);
    DeferredOps deferred;
    Notification done;
    CallersQueue queue;
    ThreadPoolInterface* const pool = settings.pool != nullptr ? settings.pool : &queue;
    const std::int64_t step_id = NextStepId().fetch_add(1, std::memory_order_relaxed);
    rendezvous_ = rendezvous.get();
    done_ = &done;
    queue_ = settings.pool == nullptr ? &queue : nullptr;
    left_.store(static_cast<int>(parts_.size()), std::memory_order_release);
    for (const Owned<Part>& part : parts_) {
      part->container = MakeOwned<StepContainer>(part->resources, step_id);
      part->services = {part->resources, part->container.get(), &cancellation, rendezvous_};
      part->services.deferred = &deferred;
      part->services.pool = settings.pool;
      part->services.more = settings.services;
      if (settings.trace != nullptr) [[unlikely]] {
        part->trace = MakeOwned<TraceCollector>(part->program->graph);
        part->services.stats = part->trace.get();
      }
      part->step.set_step_id(step_id);
      part->step.set_services(&part->services);
    }
    const RunEnded ended{&PartEnded, this};
    const RunFailed failed{&PartFailed, this};
    for (const Owned<Part>& part : parts_) {
      if (part->frames != nullptr)
        part->frames->StartOn(pool, settings.flush_denormals, part->trace.get(), ended, failed);
      else
        part->dataflow->Start(pool, settings.flush_denormals, part->trace.get(), ended, failed);
    }
    if (queue_ != nullptr)
      queue.Serve();
    else
      WaitFor(done);
    deferred.Wait();
    if (settings.trace != nullptr) [[unlikely]]
      FinishTrace(settings.trace);
    Status status = End(fetched);
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
  static void PartEnded(void* state) {
    auto* run = static_cast<PartitionedRun*>(state);
    Notification* const done = run->done_;  // the run may be used again once all have ended
    CallersQueue* const queue = run->queue_;
    if (run->left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (queue != nullptr)
      queue->Stop();
    else
      done->Notify();
  }
  TENON_COLD static void PartFailed(void* state, const Status& status) {
    auto* run = static_cast<PartitionedRun*>(state);
    {
      const MutexLock lock(run->mutex_);
      run->first_error_.Update(status);
    }
    run->rendezvous_->StartAbort(status);
  }
  // The parts' own traces as one; what ended first comes first.
  TENON_COLD void FinishTrace(RunTrace* trace) {
    *trace = RunTrace();
    for (const Owned<Part>& part : parts_) {
      RunTrace of_part;
      part->trace->Finish(&of_part);
      part->trace = nullptr;
      if (trace->start_ns == 0) trace->start_ns = of_part.start_ns;  // the first part's is the earliest
      const std::int64_t later = of_part.start_ns - trace->start_ns;
      for (NodeTiming& timing : of_part.nodes) {
        timing.start_ns += later;
        timing.end_ns += later;
        trace->nodes.push_back(timing);
      }
      trace->total_ns = of_part.total_ns + later;
      trace->thread = of_part.thread;
    }
    std::sort(trace->nodes.begin(), trace->nodes.end(), [](const NodeTiming& a, const NodeTiming& b) {
      return a.end_ns != b.end_ns ? a.end_ns < b.end_ns : a.start_ns < b.start_ns;
    });
  }
  TENON_COLD static Status KeepFetched(StepContainer* container, Span<const std::string> fetched) {
    SlimVector<std::string_view> names;
    for (const std::string& name : fetched) names.push_back(name);
    return container->KeepFetched(Span<const std::string_view>(names.data(), names.size()));
  }
  Status End(Span<const std::string> fetched) {
    Status status;
    for (const Owned<Part>& part : parts_) {
      const Program& program = *part->program;
      status.Update(part->frames != nullptr ? part->frames->EndRun() : part->dataflow->TakeStatus());
      if (program.device != program.host) status.Update(program.device->Synchronize());
      if (status.ok() && part->frames != nullptr) status = CheckFetches(program, &part->step, Code::kInvalidArgument);
      if (part->container->keeps_fetched() && status.ok()) [[unlikely]]
        status = KeepFetched(part->container.get(), fetched);
      part->step.set_services(nullptr);
      part->container = nullptr;
    }
    const MutexLock lock(mutex_);
    const Status first = std::exchange(first_error_, Status());
    return first.ok() ? status : first;
  }

  SlimVector<Owned<Part>> parts_;
  std::atomic<int> left_{0};
  Notification* done_ = nullptr;
  CallersQueue* queue_ = nullptr;  // null: the run has a pool
  Rendezvous* rendezvous_ = nullptr;
  Mutex mutex_;
  Status first_error_;
};

// One signature. thread-safe.
class PartitionedCallable : public RefCounted {
 public:
  // Where a feed or fetch is: number `index` of those of running part `part`. `elsewhere`: the device whose memory the
  // caller has the value in, if that is neither the host's nor the part's.
  struct Endpoint {
    int part;
    int index;
    Device* elsewhere = nullptr;
  };
  Status Run(const DeviceMgr* devices, const RunSettings& settings, Span<const Tensor> feeds, Span<Tensor> fetches) {
    TENON_RETURN_IF_ERROR(Check(feeds, fetches));
    return RunChecked(devices, settings, feeds, fetches);
  }
  // The same with feeds and fetches that were checked.
  Status RunChecked(const DeviceMgr* devices, const RunSettings& settings, Span<const Tensor> feeds,
                    Span<Tensor> fetches) {
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
      if (programs_[At(fetches_[i].part)]->has_references)
        status = DetachFromVariables(FetchAt(fetches_[i]).name, &fetches[i]);
      if (fetches_[i].elsewhere != nullptr && status.ok()) status = MoveTo(fetches_[i].elsewhere, &fetches[i]);
    }
    Give(std::move(run));
    return status;
  }
  std::size_t num_feeds() const { return feeds_.size(); }
  std::size_t num_fetches() const { return fetches_.size(); }
  std::size_t num_running_parts() const { return programs_.size(); }

  // The programs of the parts that run, and which of all feeds and fetches are theirs.
  template <class Visit>
  void ForPrograms(const Visit& visit) const {
    for (std::size_t p = 0; p < programs_.size(); ++p) {
      const auto numbers = [&](const SlimVector<Endpoint>& ends) {
        SlimVector<int> of_part;
        for (std::size_t i = 0; i < ends.size(); ++i)
          if (At(ends[i].part) == p) of_part.push_back(static_cast<int>(i));
        return of_part;
      };
      visit(*programs_[p], numbers(feeds_), numbers(fetches_));
    }
  }
  // Puts change(program, feeds, fetches) in the place of each program, before the first run; feeds and fetches are no
  // more.
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
  static std::size_t At(int i) { return static_cast<std::size_t>(i); }
  const Program::Feed& FeedAt(Endpoint e) const { return programs_[At(e.part)]->feeds[At(e.index)]; }
  const Program::Fetch& FetchAt(Endpoint e) const { return programs_[At(e.part)]->fetches[At(e.index)]; }

  TENON_COLD void TellOfError(const RunSettings& settings, PartitionedRun* run, Status* status) const {
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
    if (feeds.size() != feeds_.size())
      return errors::InvalidArgument("Expected ", feeds_.size(), " feed tensors, but got ", feeds.size());
    if (fetches.size() != fetches_.size())
      return errors::InvalidArgument("Expected room for ", fetches_.size(), " fetched tensors, but got ",
                                     fetches.size());
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      const Program::Feed& feed = FeedAt(feeds_[i]);
      if (feeds[i].dtype() != feed.dtype)
        return errors::InvalidArgument("Expects arg[", i, "] to be ", feed.dtype, " but ", feeds[i].dtype(),
                                       " is provided: feed '", feed.name, "'");
      if (!feed.shape.IsCompatibleWith(feeds[i].shape()))
        return errors::InvalidArgument("Cannot feed value of shape ", feeds[i].shape(), " for tensor '", feed.name,
                                       "', which has shape ", feed.shape);
      if (!feeds[i].IsInitialized())
        return errors::InvalidArgument("Feed '", feed.name, "' is a tensor without memory; allocate and fill it first");
      if (!IsAlignedFor(feed.dtype, feeds[i].raw_data()))
        return errors::InvalidArgument("Feed '", feed.name,
                                       "': ", MisalignedText(feeds[i].raw_data(), ViewAlignment(feed.dtype)));
    }
    return OkStatus();
  }
  Owned<PartitionedRun> Take() {
    {
      const MutexLock lock(mutex_);
      if (!idle_.empty()) {
        Owned<PartitionedRun> run = std::move(idle_.back());
        idle_.pop_back();
        return run;
      }
    }
    auto run = MakeOwned<PartitionedRun>();
    for (std::size_t p = 0; p < programs_.size(); ++p) run->AddPart(programs_[p].get(), resources_[p]);
    return run;
  }
  void Give(Owned<PartitionedRun> run) {
    const MutexLock lock(mutex_);
    idle_.push_back(std::move(run));
  }

  SlimVector<Owned<Program>> programs_;  // of the parts that have something to do
  SlimVector<ResourceMgr*> resources_;
  SlimVector<Endpoint> feeds_, fetches_;
  SlimVector<std::string> fetch_names_;
  Mutex mutex_;
  SlimVector<Owned<PartitionedRun>> idle_;
};

}  // namespace detail

// thread-safe after Create. Copies share the graph; a callable keeps it alive.
//
//   TENON_ASSIGN_OR_RETURN(auto graph, PartitionedGraph::Create(std::move(parts), std::move(devices)));
//   TENON_ASSIGN_OR_RETURN(auto callable, graph->MakeCallable({.feeds = {"x"}, .fetches = {"y"}}));
//   TENON_RETURN_IF_ERROR(callable.Run(feeds, fetches));
class PartitionedGraph : public RefCounted {
 public:
  // A signature of a graph. thread-safe.
  class Callable {
   public:
    Callable() = default;
    // The lengths are those of the options it was made with. The first error of all parts; the others are stopped.
    Status Run(Span<const Tensor> feeds, Span<Tensor> fetches) const { return RunUnder(nullptr, feeds, fetches); }
    // The same until a deadline or a CancellationManager gives it up: `options` has timeout_in_ms and cancellation, the
    // rest is for sessions on one device. DeadlineExceeded, Cancelled; InvalidArgument: a negative timeout.
    Status Run(Span<const Tensor> feeds, Span<Tensor> fetches, const RunOptions& options) const {
      return detail::RunBounded(nullptr, options.timeout_in_ms, options.cancellation,
                                [&](CancellationManager* control) { return RunUnder(control, feeds, fetches); });
    }
    // Devices that take part.
    std::size_t num_running_parts() const { return callable_->num_running_parts(); }

   private:
    friend class PartitionedGraph;
    Status RunUnder(CancellationManager* control, Span<const Tensor> feeds, Span<Tensor> fetches) const {
      detail::RunSettings settings;
      settings.pool = graph_->pool_;
      settings.flush_denormals = graph_->options_.flush_denormals;
      settings.cancellation = control;
      return callable_->Run(graph_->devices_, settings, feeds, fetches);
    }
    Ref<PartitionedGraph> graph_;
    Ref<detail::PartitionedCallable> callable_;
  };

  // InvalidArgument: a part's device is none of `devices`, which must have a CPU; otherwise as for any graph.
  static Result<Ref<PartitionedGraph>> Create(SlimVector<GraphPart> parts, Owned<DeviceMgr> devices,
                                              const PartitionedGraphOptions& options = {}) {
    auto graph = Ref<PartitionedGraph>::Adopt(new PartitionedGraph);
    graph->options_ = options;
    graph->own_devices_ = std::move(devices);
    graph->devices_ = graph->own_devices_.get();
    TENON_RETURN_IF_ERROR(graph->Load(std::move(parts), {}));
    if (options.pool == nullptr) {
      graph->own_pool_ = MakeOwned<ThreadPool>(detail::CpuCount() + 1, "tenon-parts");
      graph->pool_ = graph->own_pool_.get();
    }
    graph->own_devices_->set_clear_containers(
        [graph = graph.get()](Device* device, Span<const std::string> containers) {
          return graph->ClearOn(device, containers);
        });
    return graph;
  }
  // A graph of a session, which runs its signatures (Prepare) with a pool of its own.
  static Result<Ref<PartitionedGraph>> CreateFor(const detail::PartsOfSession& session, SlimVector<GraphPart> parts,
                                                 const PartitionedGraphOptions& options) {
    auto graph = Ref<PartitionedGraph>::Adopt(new PartitionedGraph);
    graph->options_ = options;
    graph->devices_ = session.devices;
    TENON_RETURN_IF_ERROR(graph->Load(std::move(parts), session));
    return graph;
  }

  // InvalidArgument: names that are in no part, a _Recv that nothing is sent to.
  Result<Callable> MakeCallable(const CallableOptions& options) {
    if (options.fetches.empty() && options.targets.empty())
      return errors::InvalidArgument("Must specify at least one target to fetch or execute.");
    Callable made;
    made.graph_ = Ref<PartitionedGraph>::Share(this);
    TENON_ASSIGN_OR_RETURN(made.callable_, Prepare(options.feeds, options.fetches, options.targets));
    return made;
  }
  // What MakeCallable makes: it runs with this graph's devices, while the graph lives. `places`: null, all feeds and
  // fetches are in host memory.
  Result<Ref<detail::PartitionedCallable>> Prepare(Span<const std::string> feeds, Span<const std::string> fetches,
                                                   Span<const std::string> targets,
                                                   const detail::EndPlaces* places = nullptr) {
    SlimVector<Wanted> wanted(parts_.size());
    auto callable = Ref<detail::PartitionedCallable>::Adopt(new detail::PartitionedCallable);
    TENON_RETURN_IF_ERROR(FindAll(feeds, fetches, targets, places, &wanted, callable.get()));
    TENON_RETURN_IF_ERROR(FollowReceives(&wanted));
    TENON_RETURN_IF_ERROR(Build(wanted, callable.get()));
    return callable;
  }

  // Whether a _Send and a _Recv are the ends of one edge.
  static bool IsSameEdge(const NodeDef& a, const NodeDef& b) {
    for (const char* name : {"tensor_name", "send_device", "recv_device", "send_device_incarnation"}) {
      const AttrValue *left = a.attr.Find(name), *right = b.attr.Find(name);
      if (left == nullptr || right == nullptr || !(*left == *right)) return false;
    }
    return true;
  }

  // Its devices' resources in these containers go; no names mean the default container.
  Status ClearContainers(Span<const std::string> containers) const { return devices_->ClearContainers(containers); }
  const DeviceMgr& devices() const { return *devices_; }
  // A device's variables, queues and tables; null: no part is there.
  ResourceMgr* resources(std::string_view device) const {
    for (const Owned<detail::LoadedPart>& part : parts_)
      if (part->device->name() == device || part->device->short_name() == device) return part->resources;
    return nullptr;
  }

 private:
  // What a signature needs of a part.
  struct Wanted {
    SlimVector<InEdge> feeds, fetches;
    SlimVector<std::uint8_t> feeds_on_device, fetches_on_device;  // as in ProgramOptions
    SlimVector<int> targets;
    bool IsIdle() const { return fetches.empty() && targets.empty() && feeds.empty(); }
  };
  static std::size_t At(int i) { return static_cast<std::size_t>(i); }

  Status Load(SlimVector<GraphPart> parts, const detail::PartsOfSession& session) {
    registry_ = options_.registry != nullptr ? options_.registry : &Registry::Global();
    TENON_RETURN_IF_ERROR(registry_->status());
    host_ = devices_->HostCPU();
    if (host_ == nullptr) return errors::InvalidArgument("PartitionedGraph: there must be a CPU among the devices");
    pool_ = options_.pool;
    functions_ = session.older != nullptr
                     ? session.older->functions_
                     : Ref<detail::PartFunctions>::Adopt(new detail::PartFunctions(
                           registry_, devices_, host_, session.resources,
                           ProgramOptions{.constant_folding = options_.constant_folding}, session.lower_functions));
    for (GraphPart& from : parts) {
      Owned<detail::LoadedPart>& part = parts_.emplace_back(MakeOwned<detail::LoadedPart>());
      TENON_ASSIGN_OR_RETURN(part->device, FindDevice(from.device));
      ImportOptions as_part;
      as_part.allow_internal_ops = true;
      as_part.ignore_shape_errors = session.devices != nullptr;  // the whole graph's were looked at; here less is known
      TENON_ASSIGN_OR_RETURN(part->graph, ImportGraphDef(std::move(from.graph), registry_->ops(), as_part));
      const detail::LoadedPart* const older =
          session.older == nullptr ? nullptr : session.older->FindPart(part->device);
      part->functions = functions_->OnDevice(part->device);
      part->resources = part->functions->resources();
      part->kernels = MakeOwned<detail::KernelCache>(&part->graph, registry_, part->device, host_, part->functions,
                                                     older == nullptr ? nullptr : older->kernels.get(),
                                                     session.packed_weights_bytes);
    }
    // From here on nothing fails.
    functions_->SetGraph(nullptr, session.whole != nullptr ? session.whole
                                  : parts_.empty()         ? nullptr
                                                           : &parts_.front()->graph);
    for (const Owned<detail::LoadedPart>& part : parts_)
      if (session.whole == nullptr) functions_->SetGraph(part->device, &part->graph);
    return OkStatus();
  }
  const detail::LoadedPart* FindPart(const Device* device) const {
    for (const Owned<detail::LoadedPart>& part : parts_)
      if (part->device == device) return part.get();
    return nullptr;
  }
  Status ClearOn(const Device* device, Span<const std::string> containers) const {
    Status status;
    if (ResourceMgr* const resources = functions_->FindResources(device))
      for (const std::string& container : containers) status.Update(resources->Cleanup(container));
    return status;
  }
  Result<Device*> FindDevice(const std::string& name) const {
    if (Result<Device*> device = devices_->LookupDevice(name); device.ok()) return device;
    return errors::InvalidArgument(
        "Creating a partition for ", name, " which doesn't exist in the list of available devices. Available devices: ",
        StrJoin(devices_->ListDevices(), ",",
                [](std::string* text, const Device* device) { StrAppend(text, device->name()); }));
  }

  // The part that has a node, or -1.
  int Find(std::string_view name, int* id) const {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Node* node = parts_[p]->graph.Find(name);
      if (node == nullptr) continue;
      *id = node->id;
      return static_cast<int>(p);
    }
    return -1;
  }
  std::string DidYouMean(std::string_view name) const {
    detail::NodeNames names;
    for (const Owned<detail::LoadedPart>& part : parts_) part->graph.OfferNames(&names);
    return names.Suggest(name);
  }
  Result<InEdge> FindEndpoint(std::string_view text, std::string_view what, int* part) const {
    const TensorName name = ParseTensorName(text);
    InEdge edge{-1, name.output};
    *part = name.output == kControlSlot ? -1 : Find(name.node, &edge.node);
    if (*part < 0)
      return errors::InvalidArgument("Tensor ", name.node, ":", name.output,
                                     ", specified in either feed_devices or fetch_devices was not found in the Graph: ",
                                     what, " '", text, "'", DidYouMean(name.node));
    const Node& node = parts_[At(*part)]->graph.node(edge.node);
    if (name.output >= node.num_outputs())
      return errors::OutOfRange("Node '", name.node, "' (type: '", node.op_name(),
                                "', num of outputs: ", node.num_outputs(), ") does not have output ", name.output);
    return edge;
  }
  // Notes where an endpoint of the signature is. `place`: as in EndPlaces.
  void AddEnd(int part, const InEdge& edge, Device* place, SlimVector<InEdge>* edges,
              SlimVector<std::uint8_t>* on_device, SlimVector<detail::PartitionedCallable::Endpoint>* ends) const {
    const bool is_here = place != nullptr && place == parts_[At(part)]->device;
    ends->push_back({part, static_cast<int>(edges->size()), is_here ? nullptr : place});
    edges->push_back(edge);
    on_device->push_back(is_here);
  }
  // As in a session, names are compared as they are written.
  Status FindAll(Span<const std::string> feeds, Span<const std::string> fetches, Span<const std::string> targets,
                 const detail::EndPlaces* places, SlimVector<Wanted>* wanted,
                 detail::PartitionedCallable* callable) const {
    int part = 0;
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      TENON_ASSIGN_OR_RETURN(const InEdge edge, FindEndpoint(feeds[i], "feed", &part));
      if (std::find(feeds.begin(), feeds.begin() + i, feeds[i]) != feeds.begin() + i)
        return errors::InvalidArgument("Endpoint \"", feeds[i], "\" fed more than once.");
      Wanted& of_part = (*wanted)[At(part)];
      AddEnd(part, edge, places == nullptr ? nullptr : places->feeds[i], &of_part.feeds, &of_part.feeds_on_device,
             &callable->feeds_);
    }
    for (std::size_t i = 0; i < fetches.size(); ++i) {
      TENON_ASSIGN_OR_RETURN(const InEdge edge, FindEndpoint(fetches[i], "fetch", &part));
      if (std::find(feeds.begin(), feeds.end(), fetches[i]) != feeds.end())
        return errors::InvalidArgument(fetches[i], " is both fed and fetched.");
      Wanted& of_part = (*wanted)[At(part)];
      AddEnd(part, edge, places == nullptr ? nullptr : places->fetches[i], &of_part.fetches, &of_part.fetches_on_device,
             &callable->fetches_);
      callable->fetch_names_.push_back(StrCat(ParseTensorName(fetches[i]).node, ":", edge.output));
    }
    std::string missing, hints;
    for (const std::string& target : targets) {
      int id = 0;
      const std::string_view name = ParseTensorName(target).node;
      part = Find(name, &id);
      if (part < 0)
        detail::NameMissing(name, DidYouMean(name), &missing, &hints);
      else
        (*wanted)[At(part)].targets.push_back(id);
    }
    if (missing.empty()) return OkStatus();
    return errors::NotFound("PruneForTargets: Some target nodes not found: ", missing, hints);
  }

  // What is received must be sent: adds those nodes to what is wanted, until there are no more.
  Status FollowReceives(SlimVector<Wanted>* wanted) const {
    for (bool more = true; more;) {
      more = false;
      for (std::size_t p = 0; p < parts_.size(); ++p) {
        const Graph& graph = parts_[p]->graph;
        SlimVector<int> roots((*wanted)[p].targets);
        const SlimVector<InEdge>& feeds = (*wanted)[p].feeds;
        for (const InEdge& fetch : (*wanted)[p].fetches)
          if (std::find(feeds.begin(), feeds.end(), fetch) == feeds.end()) roots.push_back(fetch.node);
        const SlimVector<char> runs = NodesToRun(graph, roots, feeds);
        for (const Node& node : graph.nodes()) {
          if (runs[At(node.id)] == 0 || node.node_class != NodeClass::kRecv) continue;
          int part = 0, sender = 0;
          TENON_RETURN_IF_ERROR(FindSender(node, &part, &sender));
          SlimVector<int>& targets = (*wanted)[At(part)].targets;
          if (std::find(targets.begin(), targets.end(), sender) != targets.end()) continue;
          targets.push_back(sender);
          more = true;
        }
      }
    }
    return OkStatus();
  }
  Status FindSender(const Node& receiver, int* part, int* sender) const {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      for (const Node& node : parts_[p]->graph.nodes()) {
        if (node.node_class != NodeClass::kSend || !IsSameEdge(node.def, receiver.def)) continue;
        *part = static_cast<int>(p);
        *sender = node.id;
        return OkStatus();
      }
    }
    return errors::InvalidArgument("Node '", receiver.name(), "' (type: '", receiver.op_name(),
                                   "') waits for a tensor that no part of the graph sends");
  }

  // Parts that have nothing to do are left out.
  Status Build(const SlimVector<Wanted>& wanted, detail::PartitionedCallable* callable) {
    const ScopedFlushDenormals mode(options_.flush_denormals || FlushesDenormals());
    ProgramOptions options{.constant_folding = options_.constant_folding, .dead_values = HasControlFlow()};
    SlimVector<int> number(parts_.size(), -1);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (wanted[p].IsIdle()) continue;
      detail::LoadedPart& part = *parts_[p];
      options.feeds_on_device = wanted[p].feeds_on_device;
      options.fetches_on_device = wanted[p].fetches_on_device;
      detail::ProgramBuilder builder(part.graph, part.kernels.get(), part.device, host_, options, part.functions);
      TENON_ASSIGN_OR_RETURN(Owned<Program> program,
                             builder.Build(wanted[p].feeds, wanted[p].fetches, wanted[p].targets));
      TENON_RETURN_IF_ERROR(part.device->Synchronize());  // constants were copied there
      number[p] = static_cast<int>(callable->programs_.size());
      callable->programs_.push_back(std::move(program));
      callable->resources_.push_back(part.resources);
    }
    for (auto* endpoints : {&callable->feeds_, &callable->fetches_})
      for (detail::PartitionedCallable::Endpoint& endpoint : *endpoints) endpoint.part = number[At(endpoint.part)];
    return OkStatus();
  }

  // Then any part may receive dead values.
  bool HasControlFlow() const {
    for (const Owned<detail::LoadedPart>& part : parts_)
      for (const Node& node : part->graph.nodes())
        if (NeedsFrames(node.node_class)) return true;
    return false;
  }

  PartitionedGraphOptions options_;
  const Registry* registry_ = nullptr;
  Owned<DeviceMgr> own_devices_;
  const DeviceMgr* devices_ = nullptr;
  Device* host_ = nullptr;
  Owned<ThreadPool> own_pool_;
  ThreadPoolInterface* pool_ = nullptr;
  Ref<detail::PartFunctions> functions_;
  SlimVector<Owned<detail::LoadedPart>> parts_;
};

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
