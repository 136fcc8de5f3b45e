// SPDX-License-Identifier: Apache-2.0
#pragma once
// Defines Session::RunAsync and Callable::RunAsync: runs that their caller does not wait for. A run whose kernels may
// wait is started and holds no thread; any other run is one task of a pool.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/device/thread_pool.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/step_services.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/executor/run_node.hpp>
#include <tenon/runtime/session/callable_impl.hpp>
#include <tenon/runtime/session/deadline_timer.hpp>
#include <tenon/runtime/session/run_with_options.hpp>
#include <tenon/runtime/session/session_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Runs what has no other pool with threads, and the ends of runs that have waited. Never destroyed.
inline ThreadPool* AsyncPool() {
  static ThreadPool* const pool = new ThreadPool(CpuCount() + 1, "tenon-async");
  return pool;
}
// Gives a task to the pool, later where there is no memory now.
inline void ScheduleSurely(ThreadPoolInterface* pool, void (*fn)(void*), void* arg) noexcept {
  while (!CanSchedule(pool, fn, arg)) Thread::YieldNow();
}

class AsyncRuns;

// A place in a list of runs; a list is a ring through a link that is not a run. externally synchronised.
struct AsyncLink {
  bool IsAlone() const { return next == this; }
  void Append(AsyncLink* link) {
    link->next = this;
    link->previous = previous;
    previous->next = link;
    previous = link;
  }
  void Unlink() {
    next->previous = previous;
    previous->next = next;
    next = previous = this;
  }
  // Moves all links of another list here; this one is empty.
  void Take(AsyncLink* list) {
    if (list->IsAlone()) return;
    list->next->previous = list->previous->next = this;
    next = list->next;
    previous = list->previous;
    list->next = list->previous = list;
  }
  AsyncLink *next = this, *previous = this;
};

// One run. Its list holds it until its end, and each of its tasks does.
class AsyncRun final : public RefCounted, public AsyncLink {
 public:
  AsyncRun(SessionImpl* session, PreparedSignature* prepared, Span<const Tensor> feeds, std::int64_t since_ns);
  // From here on `done` is called once, whatever happens.
  void Start(const RunOptions& options, RunCallback done) noexcept {
    done_ = std::move(done);
    Status status = CatchAll("RunAsync", [&] { return TryStart(options); });
    if (!status.ok()) Finish(std::move(status));
  }

 private:
  friend class AsyncRuns;
  enum class State : std::uint8_t { kNew, kStopped, kQueued, kBegun, kEnded };

  Status TryStart(const RunOptions& options);
  void Stop();
  // Tasks; each holds a reference.
  static void RunTask(void* run);
  static void FinishStoppedTask(void* run) {
    const auto self = Ref<AsyncRun>::Adopt(static_cast<AsyncRun*>(run));
    self->Finish(self->GivenUp());
  }
  static void FinishStartedTask(void* run) {
    const auto self = Ref<AsyncRun>::Adopt(static_cast<AsyncRun*>(run));
    std::vector<Tensor> fetches;
    Status room = CatchAll("RunAsync", [&] { return self->MakeRoom(&fetches); });
    Status status = CatchAll("RunAsync", [&] {
      return self->prepared_->Finish(self->under_way_.get(), std::move(room), self->feeds(), fetches, self->Settings());
    });
    (void)self->control_.Deregister(-1);  // waits for callbacks that may use the run
    self->under_way_ = nullptr;
    self->Finish(std::move(status), std::move(fetches));
  }
  void Execute() noexcept {
    std::vector<Tensor> fetches;
    Status status = CatchAll("RunAsync", [&]() -> Status {
      const RunArgs settings = Settings();
      if (session()->watched_number() != 0 || !prepared_->CanStart(settings)) {
        TENON_RETURN_IF_ERROR(MakeRoom(&fetches));
        return session()->Run(prepared_.get(), feeds(), fetches, settings);
      }
      starts_ = true;
      return prepared_->Start(feeds(), settings, {&HasEnded, this}, &under_way_);
    });
    if (!starts_ || !status.ok()) Finish(std::move(status), std::move(fetches));
  }
  // The caller may hold locks, and be a callback that the end of the run waits for.
  static void HasEnded(void* run) {
    static_cast<AsyncRun*>(run)->AddRef();
    ScheduleSurely(AsyncPool(), &FinishStartedTask, run);
  }
  void Finish(Status status, std::vector<Tensor> fetches = {}) noexcept;
  Status GivenUp() const {
    return session()->IsClosed() ? session()->Closed() : errors::Cancelled("Run call was cancelled");
  }
  Span<const Tensor> feeds() const { return {feeds_.data(), feeds_.size()}; }
  std::int64_t CountFeedBytes() const {
    std::int64_t bytes = 0;
    for (const Tensor& feed : feeds_) bytes += static_cast<std::int64_t>(feed.TotalBytes());
    return bytes;
  }
  Status MakeRoom(std::vector<Tensor>* fetches) const {
    fetches->resize(prepared_->program().fetches.size());
    return OkStatus();
  }
  // Deadline, caller's cancellation and own services of a run: most runs have none of these.
  struct Extras {
    CancellationManager* users = nullptr;  // null: Stop is not registered there
    CancellationManager::Token users_token = 0;
    DeadlineTimer::Entry timer = 0;
    std::int64_t timeout_in_ms = 0;
    Owned<StepServices> services;  // null: those that most runs of the session have
  };
  Extras& extras() {
    if (extras_ == nullptr) extras_ = MakeOwned<Extras>();
    return *extras_;
  }
  // Settings as TryStart has chosen them: thousands of runs may wait, and keep no more than they must.
  RunArgs Settings();
  ThreadPoolInterface* pool_of_tasks() const { return needs_pool_ ? AsyncPool() : pool_; }

  // The session, by its runs.
  class Runs {
   public:
    explicit Runs(SessionImpl* session);
    Runs(const Runs&) = delete;
    Runs& operator=(const Runs&) = delete;
    ~Runs();
    AsyncRuns* operator->() const { return runs_; }

   private:
    AsyncRuns* const runs_;
  };
  SessionImpl* session() const;

  const Runs runs_;
  const Ref<PreparedSignature> prepared_;
  const std::int64_t since_ns_;
  SlimVector<Tensor> feeds_;
  RunCallback done_;
  ThreadPoolInterface* pool_ = nullptr;  // runs the nodes
  CancellationManager control_;
  Owned<PreparedSignature::UnderWay> under_way_;
  Owned<Extras> extras_;  // null: the run has none
  std::atomic<bool> timed_out_{false};
  bool needs_pool_ = false;  // for its tasks: pool_ has no threads of its own
  bool dataflow_ = false;
  bool reports_memory_ = false;  // when it runs out
  bool starts_ = false;  // no thread waits for it; only Execute writes it before, and reads it after an error
  // Guarded by the session's async_mutex(), as the links.
  State state_ = State::kNew;
  bool admitted_ = false;  // it counts for max_concurrent_runs
};

// The runs of one session, in the order in which they came. thread-safe.
class AsyncRuns final : public RefCounted {
 public:
  explicit AsyncRuns(SessionImpl* session)
      : session_(session),
        token_(session->cancellation()->NewToken()),
        services_{RunOfOptions::CommonServices(*session->services(), false),
                  RunOfOptions::CommonServices(*session->services(), true)} {
    (void)AsyncPool();  // a run that has waited must find it
  }

  static AsyncRuns* Of(SessionImpl* session) {
    return static_cast<AsyncRuns*>(
        session->GetOrMakeAsyncRuns([](SessionImpl* of) { return Ref<RefCounted>::Adopt(new AsyncRuns(of)); }));
  }

  SessionImpl* session() const { return session_; }
  // Services for runs without a deadline and without services of their own.
  const StepServices& services(bool dataflow) const { return services_[dataflow ? 1 : 0]; }

  struct Counts {
    std::int64_t queued = 0, queued_bytes = 0, begun = 0, refused = 0;
  };
  Counts counts() {
    const MutexLock lock(*session_->async_mutex());
    return {num_queued_, queued_bytes_, num_begun_, num_refused_};
  }

  // Queues a run. After an error the caller ends it.
  Status Add(AsyncRun* run) {
    {
      const MutexLock lock(*session_->async_mutex());
      if (run->state_ == AsyncRun::State::kStopped) return run->GivenUp();
      if (Status room = CheckRoomLocked(*run); !room.ok()) {
        ++num_refused_;
        return room;
      }
      if (!WatchLocked()) return session_->Closed();
      run->state_ = AsyncRun::State::kQueued;
      run->AddRef();
      ++num_queued_;
      queued_bytes_ += run->CountFeedBytes();
      if (!MayAdmitLocked()) {
        waiting_.Append(run);
        return OkStatus();
      }
      AdmitLocked(run);
    }
    if (CanSchedule(run->pool_of_tasks(), &AsyncRun::RunTask, run)) [[likely]]
      return OkStatus();
    const bool ends_here = Begin(run);  // otherwise it was stopped, and ends elsewhere
    (void)run->Unref();
    return ends_here ? NotScheduled() : OkStatus();
  }
  // True: the caller runs it. False: it was stopped while it was queued.
  bool Begin(AsyncRun* run) {
    const MutexLock lock(*session_->async_mutex());
    return LeaveQueueLocked(run, AsyncRun::State::kBegun);
  }
  // Forgets a run that ends, and begins with the next. The caller holds a reference.
  void Remove(AsyncRun* run) {
    AsyncRun* next = nullptr;
    {
      const MutexLock lock(*session_->async_mutex());
      if (run->IsAlone()) return;  // it was refused
      run->Unlink();
      if (run->admitted_) --num_admitted_;
      if (run->state_ == AsyncRun::State::kBegun) --num_begun_;
      if (!waiting_.IsAlone() && MayAdmitLocked()) {
        next = static_cast<AsyncRun*>(waiting_.next);
        next->Unlink();
        AdmitLocked(next);
      }
      if (admitted_.IsAlone() && waiting_.IsAlone() && stopping_.IsAlone()) {
        (void)session_->cancellation()->TryDeregister(token_);
        watches_ = false;
      }
    }
    (void)run->Unref();
    if (next != nullptr) ScheduleSurely(next->pool_of_tasks(), &AsyncRun::RunTask, next);
  }
  // Gives a run up that may be new. True: the caller ends it, and has a reference for that.
  bool Stop(AsyncRun* run) {
    const MutexLock lock(*session_->async_mutex());
    if (run->state_ == AsyncRun::State::kNew) run->state_ = AsyncRun::State::kStopped;
    if (!LeaveQueueLocked(run, AsyncRun::State::kEnded)) return false;
    run->AddRef();
    return true;
  }

 private:
  Status CheckRoomLocked(const AsyncRun& run) const {
    const AsyncLimits& limits = session_->options().async_limits;
    if (limits.max_queued_runs > 0 && num_queued_ >= limits.max_queued_runs)
      return errors::Unavailable("RunAsync: ", num_queued_,
                                 " runs are queued, as many as async_limits.max_queued_runs ",
                                 "allows; try again later");
    if (limits.max_queued_bytes > 0 && run.CountFeedBytes() > limits.max_queued_bytes - queued_bytes_)
      return errors::Unavailable("RunAsync: the feeds have ", run.CountFeedBytes(), " bytes, and the feeds of ",
                                 num_queued_, " queued runs ", queued_bytes_, "; async_limits.max_queued_bytes is ",
                                 limits.max_queued_bytes, "; try again later");
    return OkStatus();
  }
  // False: the session is closed.
  bool WatchLocked() {
    CancellationManager* const cancellation = session_->cancellation();
    if (cancellation->IsCancelled()) return false;
    if (!watches_) watches_ = cancellation->Register(token_, [this] { StopAll(); });
    return watches_;
  }
  bool MayAdmitLocked() const {
    const int most = session_->options().async_limits.max_concurrent_runs;
    return most == 0 || num_admitted_ < most;
  }
  // Its task holds a reference from now on.
  void AdmitLocked(AsyncRun* run) {
    admitted_.Append(run);
    run->admitted_ = true;
    ++num_admitted_;
    run->AddRef();
  }
  bool LeaveQueueLocked(AsyncRun* run, AsyncRun::State next) {
    if (run->state_ != AsyncRun::State::kQueued) return false;
    run->state_ = next;
    if (next == AsyncRun::State::kBegun) ++num_begun_;
    --num_queued_;
    queued_bytes_ -= run->CountFeedBytes();
    return true;
  }
  // When the session is closed.
  void StopAll() {
    {
      const MutexLock lock(*session_->async_mutex());
      stopping_.Take(&admitted_);
      AsyncLink waiting;
      waiting.Take(&waiting_);
      while (!waiting.IsAlone()) {
        AsyncLink* const run = waiting.next;
        run->Unlink();
        stopping_.Append(run);
      }
    }
    for (;;) {
      Ref<AsyncRun> run;
      {
        const MutexLock lock(*session_->async_mutex());
        if (stopping_.IsAlone()) return;
        run = Ref<AsyncRun>::Share(static_cast<AsyncRun*>(stopping_.next));
        run->Unlink();
        admitted_.Append(run.get());
      }
      run->Stop();
    }
  }

  SessionImpl* const session_;  // which holds this
  const CancellationManager::Token token_;
  const StepServices services_[2];  // for runs in order, and for dataflow runs
  // Guarded by the session's async_mutex().
  bool watches_ = false;  // StopAll is registered
  AsyncLink admitted_, waiting_, stopping_;
  int num_admitted_ = 0;
  std::int64_t num_queued_ = 0, queued_bytes_ = 0, num_begun_ = 0, num_refused_ = 0;
};

inline AsyncRun::Runs::Runs(SessionImpl* session) : runs_(AsyncRuns::Of(session)) { session->AddRef(); }
inline AsyncRun::Runs::~Runs() { (void)runs_->session()->Unref(); }
inline SessionImpl* AsyncRun::session() const { return runs_->session(); }
inline AsyncRun::AsyncRun(SessionImpl* session, PreparedSignature* prepared, Span<const Tensor> feeds,
                          std::int64_t since_ns)
    : runs_(session), prepared_(Ref<PreparedSignature>::Share(prepared)), since_ns_(since_ns) {
  feeds_.append(feeds.begin(), feeds.end());
}
inline Status AsyncRun::TryStart(const RunOptions& options) {
  if (session()->IsClosed()) return session()->Closed();
  RunArgs settings;
  StepServices services;
  std::int64_t timeout_in_ms = 0;
  TENON_RETURN_IF_ERROR(RunOfOptions(session(), prepared_.get(), options, nullptr, since_ns_)
                            .MakeSettings(&settings, &services, &timeout_in_ms));
  if (timeout_in_ms > 0) extras().timeout_in_ms = timeout_in_ms;
  if (services != runs_->services(settings.dataflow)) extras().services = MakeOwned<StepServices>(services);
  dataflow_ = settings.dataflow;
  reports_memory_ = settings.on_error != nullptr;
  pool_ = settings.pool;
  const bool is_callers = options.inter_op_pool != nullptr || session()->options().inter_op_pool != nullptr;
  needs_pool_ = pool_ == nullptr || (!is_callers && pool_->NumThreads() <= 1);
  if (options.cancellation != nullptr) {
    extras().users_token = options.cancellation->NewToken();
    if (!options.cancellation->Register(extras_->users_token, [this] { Stop(); }))
      return errors::Cancelled("Run call was cancelled");
    extras_->users = options.cancellation;
  }
  if (timeout_in_ms > 0) {
    const std::int64_t when = since_ns_ + LimitMilliseconds(timeout_in_ms) * 1'000'000;
    extras_->timer = DeadlineTimer::Global().Add(when, [this] {
      timed_out_.store(true);
      Stop();
    });
  }
  return runs_->Add(this);
}
inline RunArgs AsyncRun::Settings() {
  RunArgs settings = session()->SettingsFor(*prepared_);
  settings.pool = pool_;
  settings.since_ns = since_ns_;
  settings.dataflow = dataflow_;
  settings.cancellation = &control_;
  const bool has_own = extras_ != nullptr && extras_->services != nullptr;
  settings.services = has_own ? extras_->services.get() : &runs_->services(dataflow_);
  if (reports_memory_) settings.on_error = &RunOfOptions::ReportMemory;
  return settings;
}
// From a callback of the timer or of a cancellation, which the end of the run waits for.
inline void AsyncRun::Stop() {
  control_.StartCancel();
  if (runs_->Stop(this)) ScheduleSurely(AsyncPool(), &FinishStoppedTask, this);
}
inline void AsyncRun::RunTask(void* run) {
  const auto self = Ref<AsyncRun>::Adopt(static_cast<AsyncRun*>(run));
  if (self->runs_->Begin(self.get())) self->Execute();
}
inline void AsyncRun::Finish(Status status, std::vector<Tensor> fetches) noexcept {
  if (extras_ != nullptr) {
    if (extras_->timer != 0) (void)DeadlineTimer::Global().Remove(extras_->timer);
    if (extras_->users != nullptr) (void)extras_->users->Deregister(extras_->users_token);
    if (timed_out_.load()) status = TimedOut(extras_->timeout_in_ms, status);
  }
  feeds_.clear();
  const auto self = Ref<AsyncRun>::Share(this);
  runs_->Remove(this);
  CallAndLog("the callback of RunAsync", [&] {
    if (status.ok())
      done_(std::move(fetches));
    else
      done_(std::move(status));
  });
  CallAndLog("the destructor of the callback of RunAsync", [&] { done_ = nullptr; });
}

inline void RunAsyncOrRefuse(const RunOptions& options, RunCallback done, const auto& make) noexcept {
  Ref<AsyncRun> run;
  Status status = CatchAll("RunAsync", [&]() -> Status { return make(&run); });
  if (run) return run->Start(options, std::move(done));
  CallAndLog("the callback of RunAsync", [&] { done(std::move(status)); });
}

template <class U>
void undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::RunAsync(
    const Session& session, Span<const NamedTensor> feeds, Span<const std::string> fetches,
    Span<const std::string> targets, const RunOptions& options, RunCallback done) {
  auto* const impl = static_cast<SessionImpl*>(SessionAccess::Impl(session));
  RunAsyncOrRefuse(options, std::move(done), [&](Ref<AsyncRun>* run) -> Status {
    if (impl == nullptr) return NoSession();
    const std::int64_t since_ns = SteadyNanoseconds();
    NamedFeeds in(feeds);
    const std::int64_t timeout =
        options.timeout_in_ms != 0 ? options.timeout_in_ms : impl->options().operation_timeout_in_ms;
    TENON_ASSIGN_OR_RETURN(const Ref<PreparedSignature> prepared,
                           PrepareBounded(impl, in.names, fetches, targets, timeout, options.cancellation, since_ns));
    TENON_RETURN_IF_ERROR(in.ReadHandles(impl->resources()));
    *run = Ref<AsyncRun>::Adopt(new AsyncRun(impl, prepared.get(), in.values, since_ns));
    return OkStatus();
  });
}
template <class U>
void undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::CallAsync(
    const RefCounted* callable, Span<const Tensor> feeds, const RunOptions& options, RunCallback done) {
  RunAsyncOrRefuse(options, std::move(done), [&](Ref<AsyncRun>* run) -> Status {
    if (callable == nullptr) return NoCallable();
    const auto* impl = static_cast<const CallableImpl*>(callable);
    TENON_RETURN_IF_ERROR(impl->CheckNotReleased());
    *run = Ref<AsyncRun>::Adopt(new AsyncRun(impl->session(), impl->prepared(), feeds, SteadyNanoseconds()));
    return OkStatus();
  });
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
