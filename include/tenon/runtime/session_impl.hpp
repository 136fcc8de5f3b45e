// SPDX-License-Identifier: Apache-2.0
#pragma once
// What stands behind Session and Callable: a validated graph, its kernels, devices and thread pools, and the programs
// prepared from it. Included through <tenon/runtime.hpp>.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/session.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/hash.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/op/graph_def.hpp>
#include <tenon/op/graph_proto.hpp>
#include <tenon/device/cpu_device.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/deferred_ops.hpp>
#include <tenon/kernel/registry.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/step_container.hpp>
#include <tenon/io/read_graph.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/runtime/executor.hpp>
#include <tenon/runtime/parts.hpp>
#include <tenon/runtime/program.hpp>
#include <tenon/runtime/sequential_executor.hpp>
#include <tenon/runtime/step.hpp>

TENON_NAMESPACE_BEGIN

namespace detail {

inline int CpuCount() { return Thread::HardwareThreads(); }

// The pool that sessions share unless they ask for another number of threads. Never destroyed.
inline ThreadPool* SharedIntraOpPool() {
  static ThreadPool* pool = new ThreadPool(CpuCount(), "tenon");
  return pool;
}
inline std::atomic<std::int64_t>& NextStepId() {
  static std::atomic<std::int64_t> next{1};
  return next;
}

// How many runs of a session have ended. thread-safe; threads that run at once count in different cache lines.
class RunCounts {
 public:
  void Count(bool planned) {
    Place& mine = Mine();
    (planned ? mine.planned : mine.others).fetch_add(1, std::memory_order_relaxed);
  }
  std::int64_t planned() const { return Sum(&Place::planned); }
  std::int64_t others() const { return Sum(&Place::others); }

 private:
  static constexpr std::size_t kPlaces = 8;
  struct alignas(64) Place {
    std::atomic<std::int64_t> planned{0}, others{0};
  };
  Place& Mine() {
    const std::uint64_t thread = reinterpret_cast<std::uintptr_t>(&this_thread_mark);
    return places_[(thread * 0x9E3779B97F4A7C15u) >> 61];
  }
  std::int64_t Sum(std::atomic<std::int64_t> Place::* count) const {
    std::int64_t sum = 0;
    for (const Place& place : places_) sum += (place.*count).load(std::memory_order_relaxed);
    return sum;
  }
  Place places_[kPlaces];
};

// What one run is given besides its tensors. The pool is for the engines that share work out; null: the caller's thread
// only.
struct RunSettings {
  ThreadPoolInterface* pool = nullptr;
  bool dataflow = false;  // on several devices: the pool runs the parts, not the caller's thread
  bool flush_denormals = true;
  ResourceMgr* resources = nullptr;
  CancellationManager* cancellation = nullptr;  // gives the run up; may be null
  const StepServices* services = nullptr;  // for the kernels that ask for more; may be null
  RunTrace* trace = nullptr;
  RunCounts* counts = nullptr;  // null: nobody counts
  // Sees the values of a run that failed before they go; may be null.
  void (*on_error)(void* state, const Program& program, Step* step, Status* status) = nullptr;
  void* on_error_state = nullptr;
};

// TensorFlow's text, for those who did not ask for the list.
TENON_COLD inline void AddMemoryHint(Status* status) {
  if (status->code() == Code::kResourceExhausted)
    *status = status->WithAppended(
        "\nHint: If you want to see a list of allocated tensors when OOM happens, add "
        "report_tensor_allocations_upon_oom to RunOptions for current allocation info.\n");
}

// The engine of a program that RunSequential does not run: one with control flow, or one that shares its nodes out.
inline Result<MakeStepEngine> EngineFor(const Program& program, bool on_pool) {
  const bool frames = program.has_control_flow();
  const std::atomic<MakeStepEngine>& engine = !frames   ? runtime_parts.dataflow
                                              : on_pool ? runtime_parts.parallel_frames
                                                        : runtime_parts.frames;
  if (const MakeStepEngine make = engine.load(std::memory_order_acquire)) return make;
  if (!on_pool) return PartMissing("The graph has TensorFlow 1 control flow", "runtime/frame_executor.hpp");
  return PartMissing(program.has_async ? "The graph has kernels that may wait, which need the dataflow engine"
                                       : "SessionOptions or RunOptions ask for the dataflow engine",
                     frames ? "runtime/parallel_frames.hpp" : "runtime/dataflow_executor.hpp");
}

// The rendezvous of one run, made when a kernel asks.
class LazyRendezvous final : public RunRendezvous {
 public:
  explicit LazyRendezvous(CancellationManager* cancellation) : cancellation_(cancellation) {}
  Rendezvous* Get() override {
    const MutexLock lock(mutex_);
    const MakeRunRendezvous make = runtime_parts.rendezvous.load(std::memory_order_acquire);
    if (made_ == nullptr && make != nullptr) made_ = make(cancellation_);
    return made_ == nullptr ? nullptr : made_->Get();
  }

 private:
  CancellationManager* const cancellation_;
  Mutex mutex_;
  Owned<RunRendezvous> made_;
};

// One signature of a graph on several devices, of runtime/session_devices.hpp. thread-safe.
class PlacedProgram {
 public:
  virtual ~PlacedProgram() = default;
  // As Prepared::Run, with feeds and fetches that were checked.
  virtual Status Run(Span<const Tensor> feeds, Span<Tensor> fetches, const RunSettings& settings) = 0;
  // Calls visit(state, step) for every step that no run uses now.
  virtual void ForIdleSteps(void (*visit)(const void* state, Step* step), const void* state) = 0;
  // What runs, one graph a device.
  virtual SlimVector<GraphDef> MakePartitionGraphs() const = 0;
  virtual int num_devices() const = 0;  // that take part
};

// The same of a partial run: feeds and fetches are nodes (runtime/partial_program.hpp).
class PlacedPartialProgram : public PlacedProgram {
 public:
  // As PartialProgram::MissingFeed.
  virtual int MissingFeed(std::size_t fetch, Span<const char> fed) const = 0;
};
class PartialEnds;

// One signature with the steps that run it. thread-safe.
class Prepared : public RefCounted {
 public:
  // `placed`: what runs in the program's place, on several devices; then the program only tells what there is of feeds,
  // fetches and nodes. Null: the program runs.
  Prepared(Owned<Program> program, bool dataflow, Owned<PlacedProgram> placed = nullptr)
      : program_(std::move(program)),
        placed_(std::move(placed)),
        dataflow_(dataflow),
        make_plans_(!dataflow && program_->may_plan() ? runtime_parts.plans.load(std::memory_order_acquire) : nullptr),
        steps_(*program_) {}

  const Program& program() const { return *program_; }
  PlacedProgram* placed() const { return placed_.get(); }

  // The engine of a run that asks for none.
  bool dataflow() const { return dataflow_; }

  Status Run(Span<const Tensor> feeds, Span<Tensor> fetches, const RunSettings& settings) {
    TENON_RETURN_IF_ERROR(CheckFeeds(feeds, fetches));
    if (placed_ != nullptr) [[unlikely]]
      return placed_->Run(feeds, fetches, settings);
    Owned<Running> running = steps_.Take();
    RunPlans* const plans = PlansOf(running.get());
    Step* const planned = plans != nullptr && !settings.dataflow ? plans->Find(feeds) : nullptr;
    RunPlans* const plan = planned != nullptr ? plans : nullptr;  // that has one for these feeds
    Step* const step = planned != nullptr ? planned : &running->step;
    const std::int64_t step_id = NextStepId().fetch_add(1, std::memory_order_relaxed);
    StepContainer container(settings.resources, step_id);
    CancellationManager cancellation(settings.cancellation);
    DeferredOps deferred;
    RunServices services{settings.resources, &container, &cancellation};
    services.deferred = &deferred;
    services.pool = settings.pool;
    services.more = settings.services;
    LazyRendezvous rendezvous(&cancellation);
    services.own_rendezvous = &rendezvous;
    step->set_step_id(step_id);
    step->set_services(&services);
    for (std::size_t i = 0; i < feeds.size(); ++i) step->value(program_->feeds[i].value) = feeds[i];
    Status status;
    if (settings.trace == nullptr) [[likely]] {
      status = Execute(running.get(), plan, settings, nullptr);
    } else {
      TraceCollector collector(program_->graph);
      services.stats = &collector;
      status = Execute(running.get(), plan, settings, &collector);
      deferred.Wait();  // it may still tell the collector
      collector.Finish(settings.trace);
    }
    deferred.Wait();
    if (cancellation.IsCancelled()) [[unlikely]]
      status.Update(RunCancelled());
    if (container.keeps_fetched() && status.ok()) [[unlikely]]
      status = KeepFetched(&container);
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
    if (settings.counts != nullptr) settings.counts->Count(plan != nullptr);
    if (plan != nullptr)
      plan->Ran(status);
    else if (plans != nullptr && status.ok() && plans->Count(feeds))
      plans->Make(&running->step);
    steps_.Give(std::move(running));
    return status;
  }
  // Calls add(step, plans) for every step that no run uses now; `plans` may be null.
  template <class Add>
  void ForIdleSteps(const Add& add) {
    if (placed_ != nullptr)
      placed_->ForIdleSteps([](const void* state, Step* step) { (*static_cast<const Add*>(state))(step, nullptr); },
                            &add);
    steps_.ForIdle([&](Running& running) { add(&running.step, running.plans.get()); });
  }
  bool GetPlanReport(PlanReport* report) {
    if (make_plans_ == nullptr) return false;
    Owned<Running> running = steps_.Take();
    const bool planned = running->plans != nullptr && running->plans->GetReport(report);
    steps_.Give(std::move(running));
    return planned;
  }

 private:
  struct Running {
    explicit Running(const Program& program) : step(program) {}
    Step step;
    Owned<StepEngine> alone, on_pool;  // as far as they are needed
    Owned<RunPlans> plans;  // null: never
  };
  RunPlans* PlansOf(Running* running) const {
    if (running->plans == nullptr && make_plans_ != nullptr) running->plans = make_plans_(*program_);
    return running->plans.get();
  }
  TENON_COLD Status KeepFetched(StepContainer* container) const {
    SlimVector<std::string_view> names;
    for (const Program::Fetch& fetch : program_->fetches) names.push_back(fetch.name);
    return container->KeepFetched(Span<const std::string_view>(names.data(), names.size()));
  }
  // `plan`: null where there is none.
  Status Execute(Running* running, RunPlans* plan, const RunSettings& settings, TraceCollector* trace) {
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
      Owned<StepEngine>& engine = on_pool ? running->on_pool : running->alone;
      if (engine == nullptr) status = MakeEngine(on_pool, &running->step, &engine);
      if (engine != nullptr) status = engine->Run(settings.pool, settings.flush_denormals, trace);
      if (status.ok() && program_->has_control_flow())
        status = CheckFetches(*program_, &running->step, Code::kInvalidArgument);
    }
    if (program_->device != program_->host) status.Update(program_->device->Synchronize());
    return status;
  }

  Status MakeEngine(bool on_pool, Step* step, Owned<StepEngine>* engine) const {
    TENON_ASSIGN_OR_RETURN(const MakeStepEngine make, EngineFor(*program_, on_pool));
    *engine = make(*program_, step);
    return OkStatus();
  }

  Status CheckFeeds(Span<const Tensor> feeds, Span<Tensor> fetches) const {
    if (feeds.size() != program_->feeds.size()) [[unlikely]]
      return errors::InvalidArgument("Expected ", program_->feeds.size(), " feed tensors, but got ", feeds.size());
    if (fetches.size() != program_->fetches.size()) [[unlikely]]
      return errors::InvalidArgument("Expected room for ", program_->fetches.size(), " fetched tensors, but got ",
                                     fetches.size());
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      const Program::Feed& feed = program_->feeds[i];
      if (feeds[i].dtype() != feed.dtype) [[unlikely]]
        return errors::InvalidArgument("Expects arg[", i, "] to be ", feed.dtype, " but ", feeds[i].dtype(),
                                       " is provided: feed '", feed.name, "'");
      if (!feed.shape.IsCompatibleWith(feeds[i].shape())) [[unlikely]]
        return errors::InvalidArgument("Cannot feed value of shape ", feeds[i].shape(), " for tensor '", feed.name,
                                       "', which has shape ", feed.shape);
      if (!feeds[i].IsInitialized()) [[unlikely]]
        return errors::InvalidArgument("Feed '", feed.name, "' is a tensor without memory; allocate and fill it first");
      if (!detail::IsAlignedFor(feeds[i].dtype(), feeds[i].raw_data())) [[unlikely]]
        return errors::InvalidArgument(
            "Feed '", feed.name, "': ", detail::MisalignedText(feeds[i].raw_data(), detail::ViewAlignment(feed.dtype)));
    }
    return OkStatus();
  }

  Owned<Program> program_;
  Owned<PlacedProgram> placed_;  // null: on one device
  bool dataflow_;
  MakeRunPlans make_plans_;  // null: never
  ProgramPool<Running> steps_;
};

// What <tenon/runtime/run_with_options.hpp> adds to sessions when a program includes it.
struct SessionExtras {
  // Looks at the options that the plain runtime has no code for.
  Status (*create)(class SessionImpl* session, Ref<RefCounted>* state);
  // A run that may have to be stopped, under SessionOptions::operation_timeout_in_ms.
  Status (*run_bounded)(class SessionImpl* session, Prepared* prepared, Span<const Tensor> feeds, Span<Tensor> fetches,
                        const RunSettings& settings);
};
inline constinit std::atomic<const SessionExtras*> session_extras{nullptr};
// Of <tenon/runtime/trace_sink.hpp>: runs of sessions that somebody watches.
struct SessionWatch {
  // The session's number in the process, from 1; 0: nobody watches it.
  int (*number_of)(const SessionOptions& options);
  Status (*run)(class SessionImpl* session, Prepared* prepared, Span<const Tensor> feeds, Span<Tensor> fetches,
                RunSettings settings);
};
inline constinit std::atomic<const SessionWatch*> session_watch{nullptr};
// Whether <tenon/runtime/session_counters.hpp> is in the program.
inline constinit std::atomic<bool> runs_are_counted{false};
// Graph::ToGraphDef, once <tenon/runtime/session_admin.hpp> is in the program: Extend adds to the graph as it was
// before its control flow was lowered.
using KeepSource = GraphDef (*)(const Graph&);
inline constinit std::atomic<KeepSource> keep_source{nullptr};

// What a signature names, in a graph.
struct ProgramEnds {
  SlimVector<InEdge> feeds, fetches;
  SlimVector<int> targets;
};
// The device whose memory a feed or fetch is in; null: host memory.
struct EndPlaces {
  SlimVector<Device*> feeds, fetches;
};

// A session's graph on its devices. thread-safe.
class PlacedGraph {
 public:
  virtual ~PlacedGraph() = default;
  // Of endpoints and targets that the graph has. `front`, which is empty, becomes the description of what runs.
  // `places`: null, all feeds and fetches are in host memory.
  virtual Status Prepare(Span<const std::string> feeds, Span<const std::string> fetches,
                         Span<const std::string> targets, const ProgramEnds& ends, const EndPlaces* places,
                         Program* front, Owned<PlacedProgram>* program) = 0;
  // The same for one partial run; `partial` outlives the result.
  virtual Result<Owned<PlacedPartialProgram>> PreparePartial(Span<const std::string> feeds,
                                                             Span<const std::string> fetches,
                                                             Span<const std::string> targets, const ProgramEnds& ends,
                                                             PartialEnds* partial, Program* front) = 0;
};
// The devices of a session that has several, with their resources. thread-safe.
class SessionDevices {
 public:
  virtual ~SessionDevices() = default;
  virtual Span<Device* const> list() const = 0;
  virtual Device* host() const = 0;  // the first CPU, whose resources are the session's
  // Null: not a device of the session.
  virtual ResourceMgr* resources(const Device* device) const = 0;
  virtual GraphPass default_lowering() const = 0;
  // Gives every node of `graph`, which outlives the result, a device. `older`, the graph that it extends, stays, and
  // may be null.
  virtual Status Place(Graph* graph, const struct GraphState* older, Owned<PlacedGraph>* placed) = 0;
  virtual std::int64_t num_wakeups() const = 0;  // of threads of its own
};
// What <tenon/devices.hpp> adds to sessions when a program includes it.
struct SeveralDevices {
  // `host_resources`: of the first CPU.
  Status (*create)(const SessionOptions& options, ThreadPoolInterface* intra_op_pool, ResourceMgr* host_resources,
                   Owned<SessionDevices>* devices);
  // As SessionImpl::Prepare, on any session, with feeds and fetches in the memory of devices. Not cached.
  Result<Ref<Prepared>> (*prepare)(class SessionImpl* session, const CallableOptions& options);
};
inline constinit std::atomic<const SeveralDevices*> several_devices{nullptr};

TENON_SETUP_CODE_BEGIN
// A session's graph. Extending makes another one; the graphs before it stay as long as the session, because programs
// and kernels point into them.
struct GraphState {
  Graph graph;
  GraphDef source;  // before control flow was lowered; empty where it is not, or where nothing can be extended
  Owned<KernelCache> kernels;  // on one device
  Owned<PlacedGraph> placed;  // on several; null: on one
  bool functions_wait = false;  // some node of some function may wait for another, and so may who calls it
};

inline bool HasKernelsThatWait(const FunctionDefLibrary& library, const Registry& registry) {
  for (const FunctionDef& function : library.function)
    for (const NodeDef& node : function.node_def)
      for (const KernelRow* row : registry.KernelsOf(node.op))
        if (row->is_async) return true;
  return false;
}

// thread-safe after Create.
class SessionImpl : public RefCounted {
 public:
  static constexpr std::string_view kPrefix = "/job:localhost/replica:0/task:0/device:";

  // "GPU:0" for ".../device:GPU:0", "/device:GPU:0" and "GPU".
  static std::string ShortDeviceName(std::string_view name) {
    if (StartsWith(name, kPrefix)) name.remove_prefix(kPrefix.size());
    if (StartsWith(name, "/device:")) name.remove_prefix(8);
    return StrCat(name, name.find(':') == std::string_view::npos ? ":0" : "");
  }
  // The device of that name; null for the CPU, which every session has.
  static Result<Owned<Device>> MakeDevice(std::string_view given) {
    const std::string name = ShortDeviceName(given);
    const std::size_t colon = name.find(':');
    const std::string_view type = std::string_view(name).substr(0, colon);
    int ordinal = 0;
    if (!ParseInt(std::string_view(name).substr(colon + 1), &ordinal))
      return errors::InvalidArgument("SessionOptions: cannot parse device '", given,
                                     "'; write for example \"GPU:0\" or \"CPU:0\"");
    if (type == Cpu::type && ordinal == 0) return Owned<Device>();
    std::string have = "'CPU:0'";
    for (DeviceFactory* factory = device_factories.load(std::memory_order_acquire); factory != nullptr;
         factory = factory->next) {
      if (factory->type == type) return factory->create(StrCat(kPrefix, type, ":", ordinal), ordinal);
      StrAppend(&have, ", '", factory->type, ":*'");
    }
    return errors::InvalidArgument("SessionOptions: no device '", given, "'; available: ", have);
  }

  // Without a graph.
  static Result<Ref<SessionImpl>> Create(SessionOptions options) {
    auto session = Ref<SessionImpl>::Adopt(new SessionImpl);
    session->options_ = std::move(options);
    if (session->options_.resources != nullptr) session->resources_ = session->options_.resources;
    TENON_RETURN_IF_ERROR(session->MakeDevices());
    TENON_RETURN_IF_ERROR(session->MakeExtras());
    TENON_RETURN_IF_ERROR(session->FindWatch());
    session->registry_ = session->options_.registry != nullptr ? session->options_.registry : &Registry::Global();
    TENON_RETURN_IF_ERROR(session->registry_->status());
    const MakeFunctions make = runtime_parts.functions.load(std::memory_order_acquire);
    if (make != nullptr && session->several_ == nullptr)
      session->functions_ =
          make(session->registry_, session->device_, session->host_, session->resources_, session->options_);
    return session;
  }
  static Result<Ref<SessionImpl>> Create(GraphDef graph_def, SessionOptions options) {
    TENON_ASSIGN_OR_RETURN(Ref<SessionImpl> session, Create(std::move(options)));
    TENON_ASSIGN_OR_RETURN(Graph graph, ImportGraphDef(std::move(graph_def), session->registry_->ops()));
    TENON_RETURN_IF_ERROR(session->SetGraph(std::move(graph)));
    return session;
  }

  // The graph from now on; it has all nodes of the one before. Not by two threads at once.
  Status SetGraph(Graph graph) {
    auto state = MakeOwned<GraphState>();
    state->graph = std::move(graph);
    GraphPass lower = options_.lower_control_flow;
    if (lower == nullptr && several_ != nullptr) lower = several_->default_lowering();
    if (lower != nullptr) {
      if (const KeepSource keep = keep_source.load(std::memory_order_acquire); keep != nullptr)
        state->source = keep(state->graph);
      TENON_RETURN_IF_ERROR(lower(&state->graph, state->graph.library(), registry_->ops()));
    }
    const GraphState* const older = states_.empty() ? nullptr : states_.back().get();
    if (several_ != nullptr) {
      TENON_RETURN_IF_ERROR(several_->Place(&state->graph, older, &state->placed));
    } else {
      state->kernels =
          MakeOwned<KernelCache>(&state->graph, registry_, device_, host_, functions_.get(),
                                 older == nullptr ? nullptr : older->kernels.get(), options_.packed_weights_bytes);
      state->functions_wait = HasKernelsThatWait(state->graph.library(), *registry_);
    }
    if (functions_ != nullptr) functions_->SetGraph(&state->graph);
    MutexLock lock(mutex_);
    states_.push_back(std::move(state));
    return OkStatus();
  }

  Status Run(Prepared* prepared, Span<const Tensor> feeds, Span<Tensor> fetches, const RunSettings& settings) {
    if (cancellation_.IsCancelled()) [[unlikely]]
      return Closed();
    return RunWatched(prepared, feeds, fetches, settings);
  }
  // The same without a look whether the session is closed.
  Status RunWatched(Prepared* prepared, Span<const Tensor> feeds, Span<Tensor> fetches, const RunSettings& settings) {
    if (watch_ != nullptr) [[unlikely]]
      return watch_->run(this, prepared, feeds, fetches, settings);
    return prepared->Run(feeds, fetches, settings);
  }
  // Under the session's own options.
  Status Run(Prepared* prepared, Span<const Tensor> feeds, Span<Tensor> fetches, RunTrace* trace) {
    RunSettings settings = SettingsFor(*prepared);
    settings.trace = trace;
    if (!is_bounded()) return Run(prepared, feeds, fetches, settings);
    return session_extras.load(std::memory_order_acquire)->run_bounded(this, prepared, feeds, fetches, settings);
  }
  bool is_bounded() const { return options_.operation_timeout_in_ms > 0; }
  // A run is nothing but Prepared::Run.
  bool is_plain() const { return !is_bounded() && watch_ == nullptr; }
  RunSettings SettingsFor(const Prepared& prepared) {
    RunSettings settings;
    settings.pool = inter_op_pool_ == nullptr && prepared.program().has_async ? SharedIntraOpPool() : inter_op_pool_;
    settings.dataflow = prepared.dataflow();
    settings.flush_denormals = options_.flush_denormals;
    settings.resources = resources_;
    settings.cancellation = &cancellation_;
    settings.services = services_;
    if (runs_are_counted.load(std::memory_order_relaxed)) settings.counts = &counts_;
    return settings;
  }

  // Stops what runs; what comes later fails.
  void Close() { cancellation_.StartCancel(); }
  TENON_COLD static Status Closed() { return errors::Cancelled("Session has been closed."); }
  TENON_COLD static Status NoGraph(std::string_view call) {
    return errors::InvalidArgument("Session was not created with a graph before ", call,
                                   "()! Give it one with Session::FromGraphFile or its sisters, or Extend()");
  }

  // The program of a signature: the one made before, or a new one. `call` is what messages name.
  Result<Ref<Prepared>> Prepare(Span<const std::string> feeds, Span<const std::string> fetches,
                                Span<const std::string> targets, std::string_view call = "Run") {
    if (cancellation_.IsCancelled()) return Closed();
    std::string key;
    for (const auto& names : {feeds, fetches, targets}) {
      for (const std::string& name : names) key.append(name).push_back('\n');
      key.push_back('\t');
    }
    const std::uint64_t hash = Hash64(key);
    {
      MutexLock lock(mutex_);
      if (Signature* known = FindSignature(hash, key)) return known->prepared;
    }
    Owned<PlacedProgram> placed;
    TENON_ASSIGN_OR_RETURN(Owned<Program> program, BuildProgram(feeds, fetches, targets, call, &placed));
    TENON_ASSIGN_OR_RETURN(Ref<Prepared> made, MakePrepared(std::move(program), std::move(placed)));
    MutexLock lock(mutex_);
    if (Signature* known = FindSignature(hash, key)) return known->prepared;  // another thread was faster
    if (signatures_.size() >= static_cast<std::size_t>(std::max(1, options_.max_cached_signatures))) {
      std::size_t oldest = 0;
      for (std::size_t i = 1; i < signatures_.size(); ++i)
        if (signatures_[i].last_use < signatures_[oldest].last_use) oldest = i;
      signatures_.erase(signatures_.begin() + oldest);
      ++num_evicted_;
    }
    signatures_.push_back({hash, ++uses_, std::move(key), made});
    return made;
  }

  // Without the cache. *placed: null on one device.
  Result<Owned<Program>> BuildProgram(Span<const std::string> feeds, Span<const std::string> fetches,
                                      Span<const std::string> targets, std::string_view call,
                                      Owned<PlacedProgram>* placed) {
    ProgramEnds ends;
    GraphState* state = nullptr;
    TENON_RETURN_IF_ERROR(FindGraph(feeds, fetches, targets, call, &ends, &state));
    if (state->placed == nullptr) return Build(state, ends);
    auto front = MakeOwned<Program>();
    TENON_RETURN_IF_ERROR(state->placed->Prepare(feeds, fetches, targets, ends, nullptr, front.get(), placed));
    return front;
  }
  // `placed`: null on one device.
  Result<Ref<Prepared>> MakePrepared(Owned<Program> program, Owned<PlacedProgram> placed) const {
    const bool dataflow = placed == nullptr ? WantsDataflow(*program) : options_.executor != ExecutorKind::kSequential;
    if (placed == nullptr && (dataflow || program->has_control_flow()))
      TENON_RETURN_IF_ERROR(EngineFor(*program, dataflow).status());
    return Ref<Prepared>::Adopt(new Prepared(std::move(program), dataflow, std::move(placed)));
  }
  // What callables with feeds or fetches in the memory of devices run.
  TENON_COLD Result<Ref<Prepared>> PrepareWithPlaces(const CallableOptions& options) {
    if (cancellation_.IsCancelled()) return Closed();
    const SeveralDevices* const several = several_devices.load(std::memory_order_acquire);
    if (several != nullptr) return several->prepare(this, options);
    return NeedsDevices("CallableOptions: feed_devices and fetch_devices need");
  }
  // The graph for a new signature, and what that names there.
  Status FindGraph(Span<const std::string> feeds, Span<const std::string> fetches, Span<const std::string> targets,
                   std::string_view call, ProgramEnds* ends, GraphState** state) const {
    if (finalized_.load(std::memory_order_acquire)) return errors::FailedPrecondition("Session has been finalized.");
    *state = current();
    return *state == nullptr ? NoGraph(call) : FindEnds((*state)->graph, feeds, fetches, targets, ends);
  }
  // On one device. The last two: as in ProgramOptions.
  Result<Owned<Program>> Build(GraphState* state, const ProgramEnds& ends,
                               Span<const std::uint8_t> feeds_on_device = {},
                               Span<const std::uint8_t> fetches_on_device = {}) {
    const ProgramOptions options{.constant_folding = options_.constant_folding,
                                 .plan_after_runs = options_.plan_after_runs,
                                 .feeds_on_device = feeds_on_device,
                                 .fetches_on_device = fetches_on_device};
    ProgramBuilder builder(state->graph, state->kernels.get(), device_, host_, options, functions_.get());
    // Evaluating constants runs kernels: with the same treatment of denormals as every run.
    const ScopedFlushDenormals mode(options_.flush_denormals || FlushesDenormals());
    TENON_ASSIGN_OR_RETURN(Owned<Program> program, builder.Build(ends.feeds, ends.fetches, ends.targets));
    if (state->functions_wait) program->has_async = true;
    return program;
  }
  bool WantsDataflow(const Program& program) const {
    const bool parallel = program.width > 1 && inter_op_pool_ != nullptr;
    // A kernel that waits must not keep the nodes from running that it waits for.
    return program.has_async || options_.executor == ExecutorKind::kDataflow ||
           (options_.executor == ExecutorKind::kAuto && parallel);
  }

  // The graph of now; null before there is one.
  GraphState* current() const {
    MutexLock lock(mutex_);
    return states_.empty() ? nullptr : states_.back().get();
  }
  const Graph* graph() const {
    const GraphState* state = current();
    return state == nullptr ? nullptr : &state->graph;
  }
  std::size_t num_signatures() const {
    MutexLock lock(mutex_);
    return signatures_.size();
  }
  // Calls visit(prepared) for every signature that is kept; returns how many were dropped before.
  template <class Visit>
  std::int64_t ForSignatures(const Visit& visit) const {
    MutexLock lock(mutex_);
    for (const Signature& signature : signatures_) visit(signature.prepared.get());
    return num_evicted_;
  }
  const RunCounts& counts() const { return counts_; }
  int watched_number() const { return watched_number_; }
  const ThreadPool* own_pool(bool inter_op) const { return inter_op ? own_inter_.get() : own_intra_.get(); }
  void Finalize() { finalized_.store(true, std::memory_order_release); }
  bool is_finalized() const { return finalized_.load(std::memory_order_acquire); }
  std::int64_t NewNumber() { return next_number_.fetch_add(1, std::memory_order_relaxed); }

  const SessionOptions& options() const { return options_; }
  const Registry& registry() const { return *registry_; }
  Device* device() const { return device_; }
  Device* host() const { return host_; }
  const SessionDevices* session_devices() const { return several_.get(); }  // null: it has one
  // The CPU first.
  SlimVector<Device*> devices() const {
    if (several_ != nullptr) return SlimVector<Device*>(several_->list().begin(), several_->list().end());
    SlimVector<Device*> devices{host_};
    if (device_ != host_) devices.push_back(device_);
    return devices;
  }
  ResourceMgr* resources_of(const Device* device) const {
    return several_ != nullptr ? several_->resources(device) : resources_;
  }
  ResourceMgr* resources() { return resources_; }
  CancellationManager* cancellation() { return &cancellation_; }
  RefCounted* extras() const { return extras_.get(); }
  Mutex* extend_mutex() { return &extend_mutex_; }
  // Made by the first who asks, with make(); of runtime/partial_run.hpp.
  RefCounted* GetOrMakePartialRuns(Ref<RefCounted> (*make)()) {
    MutexLock lock(mutex_);
    if (!partial_runs_) partial_runs_ = make();
    return partial_runs_.get();
  }
  void set_inter_op_pool(ThreadPoolInterface* pool) { inter_op_pool_ = pool; }
  // Of runs that bring none; outlives the session.
  void set_services(const StepServices* services) { services_ = services; }
  ThreadPoolInterface* inter_op_pool() const { return inter_op_pool_; }
  std::vector<std::string> DeviceNames() const {
    std::vector<std::string> names;
    if (several_ != nullptr) {
      for (const Device* device : several_->list()) names.push_back(device->name());
      return names;
    }
    if (device_ != host_) names.push_back(device_->name());  // by preference
    names.push_back(host_->name());
    return names;
  }

 private:
  struct Signature {
    std::uint64_t hash, last_use;
    std::string key;
    Ref<Prepared> prepared;
  };
  Signature* FindSignature(std::uint64_t hash, std::string_view key) {
    for (Signature& signature : signatures_) {
      if (signature.hash != hash || signature.key != key) continue;
      signature.last_use = ++uses_;
      return &signature;
    }
    return nullptr;
  }

  Status MakeDevices() {
    if (options_.inter_op_threads < 0 || options_.intra_op_threads < 0)
      return errors::InvalidArgument(
          "SessionOptions: the numbers of threads must not be negative, got inter_op_threads = ",
          options_.inter_op_threads, " and intra_op_threads = ", options_.intra_op_threads);
    ThreadPoolInterface* intra = options_.intra_op_pool;
    if (intra == nullptr && options_.intra_op_threads == 0) {
      if (CpuCount() > 1) intra = SharedIntraOpPool();
    } else if (intra == nullptr && options_.intra_op_threads > 1) {
      own_intra_ = MakeOwned<ThreadPool>(options_.intra_op_threads, "tenon-intra");
      intra = own_intra_.get();
    }
    inter_op_pool_ = options_.inter_op_pool;
    if (inter_op_pool_ == nullptr && (options_.inter_op_threads > 1 || options_.executor == ExecutorKind::kDataflow)) {
      own_inter_ = MakeOwned<ThreadPool>(std::max(options_.inter_op_threads, 1), "tenon-inter");
      inter_op_pool_ = own_inter_.get();
    }
    if (HasSeveralDevices()) {
      TENON_RETURN_IF_ERROR(MakeSeveralDevices(intra));
      device_ = host_ = several_->host();
      return OkStatus();
    }
    Allocator* allocator = options_.allocator != nullptr ? options_.allocator : DefaultAllocator();
    own_host_ = MakeOwned<CpuDevice>(StrCat(kPrefix, "CPU:0"), allocator, intra);
    host_ = own_host_.get();
    if (options_.device == nullptr && !options_.devices.empty()) {
      TENON_ASSIGN_OR_RETURN(other_, MakeDevice(options_.devices.front()));
    }
    // The CPU takes what another device has no kernels for.
    Device* const other = options_.device != nullptr ? options_.device : other_.get();
    device_ = other != nullptr ? other : host_;
    return OkStatus();
  }
  // SessionOptions::devices says when.
  bool HasSeveralDevices() const {
    if (options_.device_mgr != nullptr) return true;
    const std::vector<std::string>& names = options_.devices;
    return names.size() > 2 || (names.size() == 2 && (ShortDeviceName(names[1]) != "CPU:0"));
  }
  TENON_COLD static Status NeedsDevices(std::string_view what) {
    return errors::FailedPrecondition(what, " <tenon/devices.hpp> in one source file of the program");
  }
  TENON_COLD Status MakeSeveralDevices(ThreadPoolInterface* intra_op_pool) {
    const SeveralDevices* const several = several_devices.load(std::memory_order_acquire);
    if (several == nullptr) return NeedsDevices("SessionOptions: several devices need");
    return several->create(options_, intra_op_pool, resources_, &several_);
  }

  Status MakeExtras() {
    services_ = options_.services;
    const SessionExtras* extras = session_extras.load(std::memory_order_acquire);
    if (extras != nullptr) return extras->create(this, &extras_);
    if (options_.operation_timeout_in_ms > 0 || !options_.inter_op_pools.empty())
      return errors::FailedPrecondition(
          "SessionOptions: operation_timeout_in_ms and inter_op_pools need <tenon/runtime/run_with_options.hpp> in one "
          "source file of the program");
    return OkStatus();
  }

  Status FindWatch() {
    const SessionWatch* watch = session_watch.load(std::memory_order_acquire);
    if (watch != nullptr) watched_number_ = watch->number_of(options_);
    if (watched_number_ != 0) watch_ = watch;
    if (watch == nullptr && options_.trace_sink != nullptr)
      return errors::FailedPrecondition(
          "SessionOptions: trace_sink needs <tenon/runtime/trace_sink.hpp> in one source file of the program");
    return OkStatus();
  }

  static Result<InEdge> FindEndpoint(const Graph& graph, std::string_view text, std::string_view what) {
    const TensorName name = ParseTensorName(text);
    const Node* node = name.output == kControlSlot ? nullptr : graph.Find(name.node);
    if (node == nullptr)
      return errors::InvalidArgument("Tensor ", name.node, ":", name.output,
                                     ", specified in either feed_devices or fetch_devices was not found in the Graph: ",
                                     what, " '", text, "'", graph.DidYouMeanNode(name.node));
    if (node->num_outputs() == 0 && what == "fetch")
      return errors::InvalidArgument("Tried to fetch data for '", text,
                                     "', which produces no output.  To run to a node but not fetch any data, pass '",
                                     text,
                                     "' as an argument to the 'target_node_names' argument of the Session::Run API.");
    if (name.output >= node->num_outputs())
      return errors::OutOfRange("Node '", name.node, "' (type: '", node->op_name(),
                                "', num of outputs: ", node->num_outputs(), ") does not have output ", name.output);
    return InEdge{node->id, name.output};
  }

  static Status FindEnds(const Graph& graph, Span<const std::string> feeds, Span<const std::string> fetches,
                         Span<const std::string> targets, ProgramEnds* ends) {
    if (fetches.empty() && targets.empty())
      return errors::InvalidArgument("Must specify at least one target to fetch or execute.");
    // As in TensorFlow, names are compared as they are written: "x" may be fed and "x:0" fetched.
    const auto is_fed = [&](const std::string& name) { return std::count(feeds.begin(), feeds.end(), name); };
    for (const std::string& feed : feeds) {
      TENON_ASSIGN_OR_RETURN(const InEdge edge, FindEndpoint(graph, feed, "feed"));
      if (is_fed(feed) > 1) return errors::InvalidArgument("Endpoint \"", feed, "\" fed more than once.");
      ends->feeds.push_back(edge);
    }
    for (const std::string& fetch : fetches) {
      TENON_ASSIGN_OR_RETURN(const InEdge edge, FindEndpoint(graph, fetch, "fetch"));
      if (is_fed(fetch) > 0) return errors::InvalidArgument(fetch, " is both fed and fetched.");
      ends->fetches.push_back(edge);
    }
    std::string missing, hints;
    for (const std::string& target : targets) {
      const TensorName name = ParseTensorName(target);
      if (const Node* node = graph.Find(name.node); node != nullptr)
        ends->targets.push_back(node->id);
      else
        detail::NameMissing(name.node, graph.DidYouMeanNode(name.node), &missing, &hints);
    }
    if (!missing.empty()) return errors::NotFound("PruneForTargets: Some target nodes not found: ", missing, hints);
    return OkStatus();
  }

  SessionOptions options_;
  Owned<ThreadPool> own_intra_, own_inter_;
  ThreadPoolInterface* inter_op_pool_ = nullptr;
  Owned<CpuDevice> own_host_;
  Owned<Device> other_;
  Owned<SessionDevices> several_;  // null: it has one
  Device *host_ = nullptr, *device_ = nullptr;
  const Registry* registry_ = nullptr;
  Ref<RefCounted> extras_;
  const SessionWatch* watch_ = nullptr;  // null: nobody watches
  int watched_number_ = 0;
  RunCounts counts_;
  const StepServices* services_ = nullptr;
  CancellationManager cancellation_;  // of all runs
  ResourceMgr own_resources_;  // after the devices, whose memory the resources hold
  ResourceMgr* resources_ = &own_resources_;
  Owned<GraphFunctions> functions_;  // null: compiled without
  SlimVector<Owned<GraphState>> states_;  // the last is the graph of now
  Mutex extend_mutex_;  // of those who change the graph, who hold it long
  std::atomic<bool> finalized_{false};
  std::atomic<std::int64_t> next_number_{0};  // of a callable or partial run
  mutable Mutex mutex_;
  SlimVector<Signature> signatures_;
  std::int64_t num_evicted_ = 0;
  std::uint64_t uses_ = 0;  // of signatures, until now
  Ref<RefCounted> partial_runs_;  // last: they stop before anything else goes
};

TENON_SETUP_CODE_END

class CallableImpl : public RefCounted {
 public:
  CallableImpl(Ref<SessionImpl> session, Ref<Prepared> prepared)
      : session_(std::move(session)),
        prepared_(std::move(prepared)),
        settings_(session_->SettingsFor(*prepared_)),
        plain_(session_->is_plain()),
        handle_(session_->NewNumber()) {}
  Status Run(Span<const Tensor> feeds, Span<Tensor> fetches, RunTrace* trace) const {
    if (released_.load(std::memory_order_relaxed)) [[unlikely]]
      return Released();
    if (trace != nullptr || !plain_ || settings_.cancellation->IsCancelled()) [[unlikely]]
      return session_->Run(prepared_.get(), feeds, fetches, trace);
    return prepared_->Run(feeds, fetches, settings_);
  }
  void Release() { released_.store(true, std::memory_order_relaxed); }
  TENON_COLD Status CheckNotReleased() const {
    return released_.load(std::memory_order_relaxed) ? Released() : OkStatus();
  }
  bool GetPlanReport(PlanReport* report) const { return prepared_->GetPlanReport(report); }
  const Program& program() const { return prepared_->program(); }
  SessionImpl* session() const { return session_.get(); }
  Prepared* prepared() const { return prepared_.get(); }

 private:
  TENON_COLD Status Released() const {
    return errors::InvalidArgument("Attempted to run callable after handle was released: ", handle_);
  }
  Ref<SessionImpl> session_;
  Ref<Prepared> prepared_;
  RunSettings settings_;
  bool plain_;
  std::int64_t handle_;
  std::atomic<bool> released_{false};
};

// The feeds of a run by names. A fed session handle stands for the tensor that it names.
struct NamedFeeds {
  explicit NamedFeeds(Span<const NamedTensor> feeds) {
    for (const NamedTensor& feed : feeds) {
      names.push_back(feed.name);
      values.push_back(feed.tensor);
    }
  }
  Status ReadHandles(ResourceMgr* resources) {
    for (Tensor& value : values)
      if (value.dtype() == DataType::kResource) [[unlikely]]
        TENON_RETURN_IF_ERROR(ReadFedHandle(resources, &value));
    return OkStatus();
  }
  SlimVector<std::string> names;
  SlimVector<Tensor> values;

 private:
  TENON_COLD static Status ReadFedHandle(ResourceMgr* resources, Tensor* value) {
    const auto read = read_fed_handle.load(std::memory_order_acquire);
    return read == nullptr ? OkStatus() : read(resources, value);
  }
};

inline Status NoSession() { return SessionImpl::NoGraph("Run"); }
inline Status NoCallable() {
  return errors::InvalidArgument("No such callable handle: this Callable was not made by Session::MakeCallable");
}

}  // namespace detail

TENON_NAMESPACE_END
