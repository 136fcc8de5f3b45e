// SPDX-License-Identifier: Apache-2.0
#pragma once
// State behind Session: a validated graph, its kernels, devices and thread pools, and the programs prepared from
// it. Included through <tenon/runtime.hpp>.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/fork.hpp>
#include <tenon/base/has_item.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/device/cpu_device.hpp>
#include <tenon/device/denormals.hpp>
#include <tenon/device/device.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/registry/registry.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/step_services.hpp>
#include <tenon/graph/graph.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/graph/shape_refiner.hpp>
#include <tenon/runtime/extensions.hpp>
#include <tenon/runtime/session/graph_state.hpp>
#include <tenon/runtime/session/local_device.hpp>
#include <tenon/runtime/session/prepared_signature.hpp>
#include <tenon/runtime/program/program.hpp>
#include <tenon/runtime/program/builder.hpp>
#include <tenon/runtime/program/check_kernels.hpp>
#include <tenon/runtime/program/endpoints.hpp>
#include <tenon/runtime/session/run_args.hpp>
#include <tenon/runtime/session/signature_cache.hpp>
#include <tenon/runtime/session/extensions.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// thread-safe after Create.
class SessionImpl : public RefCounted {
 public:
  ~SessionImpl() override {
    (void)IsClosed();  // in the child of a fork() it repairs the locks
    if (functions_ != nullptr) functions_->SetGraph(nullptr, {});  // what it keeps of the graph needs it
  }

  // Without a graph.
  static Result<Ref<SessionImpl>> Create(SessionOptions options) {
    PrepareForNoMemory();
    auto session = Ref<SessionImpl>::Adopt(new SessionImpl);
    session->options_ = std::move(options);
    if (session->options_.resources != nullptr) session->resources_ = session->options_.resources;
    TENON_RETURN_IF_ERROR(session->MakeDevices());
    TENON_RETURN_IF_ERROR(session->MakeExtras());
    TENON_RETURN_IF_ERROR(session->FindWatch());
    TENON_RETURN_IF_ERROR(session->CheckOptionalParts());
    session->registry_ = session->options_.registry != nullptr ? session->options_.registry : &Registry::Global();
    TENON_RETURN_IF_ERROR(session->registry_->status());
    const MakeFunctions make = extensions.functions.load(std::memory_order_acquire);
    if (make != nullptr && session->several_ == nullptr)
      session->functions_ =
          make(session->registry_, session->device_, session->host_, session->resources_, session->options_);
    return session;
  }
  static Result<Ref<SessionImpl>> Create(GraphDef graph_def, SessionOptions options) {
    TENON_ASSIGN_OR_RETURN(Ref<SessionImpl> session, Create(std::move(options)));
    ImportOptions import;
    import.check_devices = true;
    import.leave_out_unknown = !session->options_.check_ops;
    import.limits = session->options_.import_limits;
    TENON_ASSIGN_OR_RETURN(Graph graph, ImportGraphDef(std::move(graph_def), session->registry_->ops(), import));
    TENON_RETURN_IF_ERROR(session->SetGraph(std::move(graph)));
    return session;
  }

  // The graph from now on; it has all nodes of the one before. Not by two threads at once. `refiner`: its shapes, where
  // they are known.
  Status SetGraph(Graph graph, Owned<ShapeRefiner> refiner = nullptr) {
    auto state = Ref<GraphState>::Adopt(new GraphState);
    state->graph = std::move(graph);
    GraphPass lower = options_.lower_control_flow;
    if (lower == nullptr && several_ != nullptr) lower = several_->default_lowering();
    if (lower != nullptr) {
      if (const KeepSource keep = extensions.keep_source.load(std::memory_order_acquire); keep != nullptr)
        state->source = keep(state->graph);
      TENON_RETURN_IF_ERROR(lower(&state->graph, state->graph.library(), registry_->ops()));
    }
    if (options_.check_kernels) TENON_RETURN_IF_ERROR(CheckKernels(state->graph, *registry_, devices()));
    const Ref<GraphUse> use = current();
    const GraphState* const older = use ? use->state.get() : nullptr;
    if (several_ != nullptr) {
      TENON_RETURN_IF_ERROR(several_->Place(&state->graph, older, &state->placed));
    } else {
      if (refiner != nullptr && lower == nullptr) {
        state->refiner = std::move(refiner);
        state->refiner->set_graph(&state->graph);
      }
      if (use) state->older = use->state;
      state->kernels =
          MakeOwned<KernelCache>(&state->graph, registry_, device_, host_, functions_.get(),
                                 older == nullptr ? nullptr : older->kernels.get(), options_.packed_weights_bytes);
      state->functions_wait = HasKernelsThatWait(state->graph.library(), *registry_);
    }
    if (functions_ != nullptr) functions_->SetGraph(&state->graph, state);
    auto next = Ref<GraphUse>::Adopt(new GraphUse(state));
    {
      const MutexLock lock(graph_mutex_);
      std::swap(current_, next);
      if (next && (several_ != nullptr || watch_ != nullptr)) kept_.push_back(next);  // parts and traces point there
    }
    next = {};
    if (older != nullptr) state->DropOlder();
    return OkStatus();
  }
  // Calls extend(state) with the graph of now unless a program uses it, or there is none. False: it was not called.
  template <class Extend>
  bool ExtendInPlace(const Extend& extend) {
    const MutexLock lock(graph_mutex_);
    if (!current_ || !current_->RefCountIsOne()) return false;
    extend(current_->state.get());
    return true;
  }

  Status Run(PreparedSignature* prepared, Span<const Tensor> feeds, Span<Tensor> fetches, const RunArgs& settings) {
    if (IsClosed()) [[unlikely]]
      return Closed();
    return RunWatched(prepared, feeds, fetches, settings);
  }
  // Runs without checking whether the session is closed.
  Status RunWatched(PreparedSignature* prepared, Span<const Tensor> feeds, Span<Tensor> fetches,
                    const RunArgs& settings) {
    if (watch_ != nullptr) [[unlikely]]
      return watch_->run(this, prepared, feeds, fetches, settings);
    if (settings.trace != nullptr) [[unlikely]]
      KeepGraph(prepared->program());
    return prepared->Run(feeds, fetches, settings);
  }
  // Under the session's own options.
  Status Run(PreparedSignature* prepared, Span<const Tensor> feeds, Span<Tensor> fetches, RunTrace* trace,
             std::int64_t since_ns = 0) {
    RunArgs settings = SettingsFor(*prepared);
    settings.trace = trace;
    settings.since_ns = since_ns;
    if (!is_bounded()) return Run(prepared, feeds, fetches, settings);
    return extensions.session_extras.load(std::memory_order_acquire)
        ->run_bounded(this, prepared, feeds, fetches, settings);
  }
  bool is_bounded() const { return options_.operation_timeout_in_ms > 0; }
  // A run is nothing but PreparedSignature::Run.
  bool is_plain() const { return !is_bounded() && watch_ == nullptr; }
  RunArgs SettingsFor(const PreparedSignature& prepared) {
    RunArgs settings;
    settings.pool = inter_op_pool_ == nullptr && prepared.program().has_async ? SharedIntraOpPool() : inter_op_pool_;
    settings.dataflow = prepared.dataflow();
    settings.flush_denormals = options_.flush_denormals;
    settings.resources = resources_;
    settings.cancellation = &cancellation_;
    settings.services = &services_;
    settings.max_trace_events = options_.max_trace_events;
    settings.counts = &counts_;
    return settings;
  }

  // Stops what runs; what comes later fails.
  void Close() {
    if (!IsClosed()) cancellation_.StartCancel();
  }
  // True where calls fail with Closed().
  bool IsClosed() {
    if (!fork_.IsRepaired()) [[unlikely]]
      fork_.Repair([this] { NoticeFork(); });
    return cancellation_.IsCancelled();
  }
  TENON_DETAIL_COLD Status Closed() const {
    return fork_status_.ok() ? errors::Cancelled("Session has been closed.") : fork_status_;
  }
  TENON_DETAIL_COLD static Status NoGraph(std::string_view call) {
    return errors::InvalidArgument("Session was not created with a graph before ", call,
                                   "()! Give it one with Session::FromGraphFile or its sisters, or Extend()");
  }

  // The program of a signature: the one made before, or a new one. `call` is what messages name; `cancellation` gives
  // the making up and may be null.
  Result<Ref<PreparedSignature>> Prepare(Span<const std::string> feeds, Span<const std::string> fetches,
                                         Span<const std::string> targets, std::string_view call = "Run",
                                         const CancellationManager* cancellation = nullptr) {
    if (IsClosed()) return Closed();
    std::string key = SignatureKey(feeds, fetches, targets);
    if (Ref<PreparedSignature> known = signatures_.Find(key)) return known;
    Owned<PlacedProgram> placed;
    TENON_ASSIGN_OR_RETURN(Owned<Program> program, BuildProgram(feeds, fetches, targets, call, cancellation, &placed));
    TENON_ASSIGN_OR_RETURN(Ref<PreparedSignature> made, MakePrepared(std::move(program), std::move(placed)));
    return signatures_.Add(std::move(key), std::move(made), options_.max_cached_signatures);
  }

  // As Prepare, under the session's time limit where it has one, which counts from *since_ns on.
  Result<Ref<PreparedSignature>> PrepareInTime(Span<const std::string> feeds, Span<const std::string> fetches,
                                               Span<const std::string> targets, std::int64_t* since_ns) {
    if (!is_bounded()) return Prepare(feeds, fetches, targets);
    *since_ns = SteadyNanoseconds();
    return extensions.session_extras.load(std::memory_order_acquire)->prepare_bounded(this, feeds, fetches, targets);
  }
  // The program that was made before; null: none is kept.
  Ref<PreparedSignature> FindPrepared(Span<const std::string> feeds, Span<const std::string> fetches,
                                      Span<const std::string> targets) {
    return signatures_.Find(SignatureKey(feeds, fetches, targets));
  }

  // Without the cache. *placed: null on one device.
  Result<Owned<Program>> BuildProgram(Span<const std::string> feeds, Span<const std::string> fetches,
                                      Span<const std::string> targets, std::string_view call,
                                      const CancellationManager* cancellation, Owned<PlacedProgram>* placed) {
    ProgramEnds ends;
    Ref<GraphUse> use;
    TENON_RETURN_IF_ERROR(FindGraph(feeds, fetches, targets, call, &ends, &use, cancellation));
    if (use->state->placed == nullptr) return Build(use, ends, {}, {}, cancellation);
    auto front = MakeOwned<Program>();
    TENON_RETURN_IF_ERROR(
        use->state->placed->Prepare(feeds, fetches, targets, ends, nullptr, cancellation, front.get(), placed));
    return front;
  }
  // `placed`: null on one device.
  Result<Ref<PreparedSignature>> MakePrepared(Owned<Program> program, Owned<PlacedProgram> placed) const {
    const bool dataflow = placed == nullptr ? WantsDataflow(*program) : options_.executor != ExecutorKind::kSequential;
    if (placed == nullptr && (dataflow || program->has_control_flow()))
      TENON_RETURN_IF_ERROR(ExecutorFor(*program, dataflow).status());
    return Ref<PreparedSignature>::Adopt(new PreparedSignature(std::move(program), dataflow, std::move(placed)));
  }
  // Prepares callables with feeds or fetches in the memory of devices.
  TENON_DETAIL_COLD Result<Ref<PreparedSignature>> PrepareWithPlaces(const CallableOptions& options) {
    if (IsClosed()) return Closed();
    const SeveralDevices* const several = extensions.several_devices.load(std::memory_order_acquire);
    if (several != nullptr) return several->prepare(this, options);
    return Needs("CallableOptions: feed_devices and fetch_devices need", "devices.hpp");
  }
  // The graph for a new signature, and what that names there.
  Status FindGraph(Span<const std::string> feeds, Span<const std::string> fetches, Span<const std::string> targets,
                   std::string_view call, ProgramEnds* ends, Ref<GraphUse>* use,
                   const CancellationManager* cancellation = nullptr) const {
    if (finalized_.load(std::memory_order_acquire)) return errors::FailedPrecondition("Session has been finalized.");
    *use = current();
    return !*use ? NoGraph(call) : FindEnds((*use)->state->graph, feeds, fetches, targets, ends, cancellation);
  }
  // On one device. The last two: as in ProgramOptions.
  Result<Owned<Program>> Build(const Ref<GraphUse>& use, const ProgramEnds& ends,
                               Span<const std::uint8_t> feeds_on_device = {},
                               Span<const std::uint8_t> fetches_on_device = {},
                               const CancellationManager* cancellation = nullptr) {
    const ProgramOptions options{.constant_folding = options_.constant_folding,
                                 .plan_after_runs = options_.plan_after_runs,
                                 .record_steps = options_.record_steps,
                                 .cancellation = cancellation,
                                 .feeds_on_device = feeds_on_device,
                                 .fetches_on_device = fetches_on_device,
                                 .ends_with_device = true};
    GraphState* const state = use->state.get();
    ProgramBuilder builder(state->graph, state->kernels.get(), device_, host_, options, functions_.get());
    // Evaluating constants runs kernels: with the same treatment of denormals as every run.
    const ScopedFlushDenormals mode(options_.flush_denormals || FlushesDenormals());
    TENON_ASSIGN_OR_RETURN(Owned<Program> program, builder.Build(ends.feeds, ends.fetches, ends.targets));
    program->graph_owner = use;
    if (options_.optimizer.level != OptimizerLevel::kOff) [[unlikely]] {
      const OptimizedBuild build{state->graph,
                                 state->kernels.get(),
                                 registry_,
                                 device_,
                                 host_,
                                 functions_.get(),
                                 ends.feeds,
                                 ends.fetches,
                                 ends.targets,
                                 options,
                                 options_.optimizer,
                                 options_.packed_weights_bytes};
      TENON_RETURN_IF_ERROR(extensions.optimizer.load(std::memory_order_acquire)->replace(build, &program));
    }
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
  Ref<GraphUse> current() const {
    const MutexLock lock(graph_mutex_);
    return current_;
  }
  const SignatureCache& signatures() const { return signatures_; }
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
  const StepServices* services() const { return &services_; }
  RefCounted* extras() const { return extras_.get(); }
  Mutex* extend_mutex() { return &extend_mutex_; }
  // The partial and the asynchronous runs of the session; the first call makes them with make(this).
  RefCounted* GetOrMakePartialRuns(Ref<RefCounted> (*make)(SessionImpl*)) { return GetOrMake(&partial_runs_, make); }
  RefCounted* GetOrMakeAsyncRuns(Ref<RefCounted> (*make)(SessionImpl*)) { return GetOrMake(&async_runs_, make); }
  Mutex* async_mutex() { return &async_mutex_; }  // guards the asynchronous runs
  PreparedList* callables() { return &callables_; }
  void set_inter_op_pool(ThreadPoolInterface* pool) { inter_op_pool_ = pool; }
  ThreadPoolInterface* inter_op_pool() const { return inter_op_pool_; }
  std::vector<std::string> DeviceNames() const {
    std::vector<std::string> names;
    for (const Device* device : devices()) names.push_back(device->name());
    if (several_ == nullptr) std::reverse(names.begin(), names.end());  // by preference
    return names;
  }

 private:
  RefCounted* GetOrMake(Ref<RefCounted>* made, Ref<RefCounted> (*make)(SessionImpl*)) {
    const MutexLock lock(mutex_);
    return (*made ? *made : *made = make(this)).get();
  }
  // In the child of a fork(). Threads, locks and half of what a run had done stayed in the parent: the session goes on
  // only if no other thread was at work with it.
  TENON_DETAIL_COLD void NoticeFork() {
    bool in_use = signatures_.WasInUseAtFork() || cancellation_.IsInUse() || callables_.IsInUse();
    for (Mutex* mutex : {&mutex_, &extend_mutex_, &graph_mutex_, &async_mutex_}) {
      in_use |= !mutex->try_lock();
      new (mutex) Mutex();
    }
    const char* why = nullptr;
    for (const ThreadPoolInterface* pool : {options_.inter_op_pool, options_.intra_op_pool})
      if (pool != nullptr && !pool->WorksAfterFork())
        why = "has a thread pool of the caller's without WorksAfterFork()";
    if (in_use) why = "was in use by another thread at the time of fork()";
    if (why == nullptr) return;
    fork_status_ = errors::FailedPrecondition("Session: it was made before fork() and ", why,
                                              "; make a new session in the child process");
    cancellation_.Abandon();
  }

  // Keeps a graph that a RunTrace points into as long as the session.
  TENON_DETAIL_COLD void KeepGraph(const Program& program) {
    const MutexLock lock(graph_mutex_);
    if (program.graph_owner &&
        !AnyItem(kept_, [&](const Ref<RefCounted>& kept) { return kept.get() == program.graph_owner.get(); }))
      kept_.push_back(program.graph_owner);
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
    own_host_ = MakeOwned<CpuDevice>(StrCat(kLocalDevicePrefix, "CPU:0"), allocator, intra);
    host_ = own_host_.get();
    if (options_.device == nullptr && !options_.devices.empty()) {
      TENON_ASSIGN_OR_RETURN(other_, MakeLocalDevice(options_.devices.front()));
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
  TENON_DETAIL_COLD static Status Needs(std::string_view what, std::string_view header) {
    return errors::FailedPrecondition(what, " <tenon/", header, "> in one source file of the program");
  }
  TENON_DETAIL_COLD Status MakeSeveralDevices(ThreadPoolInterface* intra_op_pool) {
    const SeveralDevices* const several = extensions.several_devices.load(std::memory_order_acquire);
    if (several == nullptr) return Needs("SessionOptions: several devices need", "devices.hpp");
    return several->create(options_, intra_op_pool, resources_, &several_);
  }

  Status MakeExtras() {
    if (options_.services != nullptr) services_ = *options_.services;
    if (services_.session_handle.empty()) services_.session_handle = "direct";
    const SessionExtras* extras = extensions.session_extras.load(std::memory_order_acquire);
    if (extras != nullptr) return extras->create(this, &extras_);
    if (options_.operation_timeout_in_ms > 0 || !options_.inter_op_pools.empty())
      return Needs("SessionOptions: operation_timeout_in_ms and inter_op_pools need",
                   "runtime/session/run_with_options.hpp");
    return OkStatus();
  }

  Status CheckOptionalParts() const {
    if (options_.record_steps && extensions.recorded_plans.load(std::memory_order_acquire) == nullptr)
      return Needs("SessionOptions: record_steps needs", "runtime/planned/recorded_run.hpp");
    if (options_.optimizer.level == OptimizerLevel::kOff) return OkStatus();
    const SignatureOptimizer* const optimizer = extensions.optimizer.load(std::memory_order_acquire);
    if (optimizer != nullptr) return optimizer->check(options_.optimizer);
    return Needs("SessionOptions: optimizer needs", "optimizer.hpp");
  }

  Status FindWatch() {
    if (options_.max_trace_events < 0)
      return errors::InvalidArgument("SessionOptions: max_trace_events must not be negative, got ",
                                     options_.max_trace_events);
    const SessionWatch* watch = extensions.session_watch.load(std::memory_order_acquire);
    if (watch != nullptr) watched_number_ = watch->number_of(options_);
    if (watched_number_ != 0) watch_ = watch;
    if (watch == nullptr && options_.trace_sink != nullptr)
      return Needs("SessionOptions: trace_sink needs", "runtime/trace/sink.hpp");
    return OkStatus();
  }

  ForkGuard fork_;
  Status fork_status_;  // why the session cannot be used in the child of a fork()
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
  StepServices services_;  // for runs that bring none
  CancellationManager cancellation_;  // cancels all runs
  ResourceMgr own_resources_;  // after the devices, whose memory the resources hold
  ResourceMgr* resources_ = &own_resources_;
  Owned<GraphFunctions> functions_;  // null: compiled without
  mutable Mutex graph_mutex_;
  SlimVector<Ref<RefCounted>> kept_;  // older graphs that traces and partitions point into
  Ref<GraphUse> current_;  // the graph of now; null: there is none
  Mutex extend_mutex_;  // held, long, by calls that change the graph
  std::atomic<bool> finalized_{false};
  std::atomic<std::int64_t> next_number_{0};  // number of a callable or partial run
  SignatureCache signatures_;
  PreparedList callables_;  // one for each Callable
  Mutex mutex_;  // guards which object the next two refer to
  Ref<RefCounted> async_runs_;
  Mutex async_mutex_;  // guards the state of async_runs_
  Ref<RefCounted> partial_runs_;  // last: they stop before anything else goes
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
