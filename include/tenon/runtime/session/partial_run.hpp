// SPDX-License-Identifier: Apache-2.0
#pragma once
// Defines Session::PRunSetup and PRun: a run whose feeds and fetches come bit by bit.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/runtime/api/session.hpp>
#include <tenon/base/clock.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/fork.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/step_services.hpp>
#include <tenon/runtime/session/cancellable_run.hpp>
#include <tenon/runtime/executor/dataflow.hpp>
#include <tenon/runtime/control_flow/parallel_executor.hpp>
#include <tenon/runtime/session/partial_program.hpp>
#include <tenon/runtime/session/session_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// One partial run, from its setup on. It has a thread of its own, which starts the nodes and waits for the end; no
// thread waits for a feed. thread-safe.
class PartialRunState final : public RefCounted, public PartialEnds {
 public:
  PartialRunState(std::string handle, Span<const std::string> feeds, Span<const std::string> fetches,
                  CancellationManager* session, const RunOptions& options)
      : handle_(std::move(handle)),
        timeout_in_ms_(options.timeout_in_ms),
        users_(options.cancellation),
        cancellation_(session),
        feeds_(feeds.size()),
        fetches_(fetches.size()) {
    for (std::size_t i = 0; i < feeds.size(); ++i) feeds_[i].name = feeds[i];
    for (std::size_t i = 0; i < fetches.size(); ++i) fetches_[i].name = fetches[i];
  }
  // One of the two comes before Start.
  void SetProgram(Owned<Program> program) {
    Declare(*program);
    partial_ = MakeOwned<PartialProgram>(std::move(program), this);
    prepared_ = Ref<PreparedSignature>::Adopt(new PreparedSignature(partial_->TakeProgram(), true));
  }
  // On several devices.
  Status SetPlaced(PlacedGraph* graph, Span<const std::string> feeds, Span<const std::string> fetches,
                   Span<const std::string> targets, const ProgramEnds& ends) {
    auto front = MakeOwned<Program>();
    TENON_ASSIGN_OR_RETURN(Owned<PlacedPartialProgram> placed,
                           graph->PreparePartial(feeds, fetches, targets, ends, this, front.get()));
    Declare(*front);
    front->feeds.clear();
    front->fetches.clear();
    placed_ = placed.get();
    prepared_ = Ref<PreparedSignature>::Adopt(
        new PreparedSignature(std::move(front), true, Owned<PlacedProgram>(placed.release())));
    return OkStatus();
  }

  const std::string& handle() const { return handle_; }

  // The session outlives the run: see Stop.
  Status Start(SessionImpl* session) {
    session_ = session;
    settings_ = session->SettingsFor(*prepared_);
    if (timeout_in_ms_ > 0) {
      if (settings_.services != nullptr) services_ = *settings_.services;
      services_.deadline_us = SystemNanoseconds() / 1000 + LimitMilliseconds(timeout_in_ms_) * 1000;
      settings_.services = &services_;
    }
    call_timeout_in_ms_ = LimitMilliseconds(session->options().operation_timeout_in_ms);
    if (!thread_.Start<&PartialRunState::Main>(this))
      return errors::ResourceExhausted("PRunSetup: the system has no thread for the run");
    return OkStatus();
  }
  // Gives the run up and waits for its end.
  void Stop() {
    if (!fork_.IsRepaired()) return;  // its thread is the parent's
    cancellation_.StartCancel();
    (void)Join();
  }

  // Takes feeds and gives fetches. *over: the run is to be forgotten.
  Status Run(Span<const NamedTensor> feeds, Span<const std::string> names, std::vector<Tensor>* outputs, bool* over) {
    *over = !fork_.IsRepaired();
    if (*over)
      return errors::FailedPrecondition("PRun: the thread of run '", handle_,
                                        "' stayed in the parent of this process; call PRunSetup after fork()");
    const std::int64_t until =
        call_timeout_in_ms_ > 0 ? SteadyNanoseconds() + call_timeout_in_ms_ * 1'000'000 : kNoDeadline;
    SlimVector<std::size_t> fed, wanted;
    {
      const MutexLock lock(mutex_);
      *over = ended_ && !status_.ok();
    }
    if (*over) return Join();
    {
      const MutexLock lock(mutex_);
      TENON_RETURN_IF_ERROR(CheckLocked(feeds, names, &fed, &wanted));
      for (const std::size_t i : fed) feeds_[i].given = true;
      for (const std::size_t i : wanted) fetches_[i].taken = true;
    }
    for (std::size_t i = 0; i < fed.size(); ++i) Give(fed[i], feeds[i].tensor);
    Status status = Take(wanted, until, outputs);
    *over = !status.ok() || IsComplete();
    if (*over && status.ok()) status = WaitForEnd(until);
    if (!status.ok()) cancellation_.StartCancel();
    if (*over) status.Update(Join());
    return status;
  }

  // -- of the nodes
  void AskFor(std::size_t i, OpKernelContext* context, AsyncOpKernel::DoneCallback done) override {
    Feed& feed = feeds_[i];
    {
      const MutexLock lock(mutex_);
      if (!feed.here) {
        CancellationManager* cancellation = context->cancellation_manager();
        feed.token = cancellation->NewToken();
        if (cancellation->Register(feed.token, [this, i] { GiveUp(i); })) {
          feed.context = context;
          feed.done = done;
          return;
        }
        context->SetStatus(NotComing());
      } else {
        context->set_output(0, std::move(feed.value));
      }
    }
    done();
  }
  void Deliver(std::size_t i, const Tensor& value) override {
    Tensor copy = value;
    const Status status = DetachFromVariables(fetches_[i].name, &copy, prepared_->program().has_references);
    const MutexLock lock(mutex_);
    fetches_[i].value = std::move(copy);
    fetches_[i].status = status;
    fetches_[i].valid = true;
  }
  void Settle(std::size_t i) override {
    const MutexLock lock(mutex_);
    fetches_[i].settled = true;
    changed_.notify_all();
  }

 private:
  struct Feed {
    std::string name;
    Program::Feed declared;
    bool given = false;  // by the caller
    bool here = false;  // the value is
    Tensor value;
    OpKernelContext* context = nullptr;  // the node's, while it waits
    std::optional<AsyncOpKernel::DoneCallback> done;  // the node's, while it waits
    CancellationManager::Token token = 0;
  };
  struct Fetch {
    std::string name;
    bool taken = false;  // by the caller
    bool settled = false;
    bool valid = false;
    Tensor value;
    Status status;
  };

  static constexpr std::int64_t kNoDeadline = 0;

  void Declare(const Program& program) {
    for (std::size_t i = 0; i < feeds_.size(); ++i) feeds_[i].declared = program.feeds[i];
  }
  int MissingFeed(std::size_t fetch, Span<const char> fed) const {
    return placed_ != nullptr ? placed_->MissingFeed(fetch, fed) : partial_->MissingFeed(fetch, fed);
  }

  void Main() {
    const Status status = RunBounded(&cancellation_, timeout_in_ms_, users_, [this](CancellationManager* control) {
      settings_.cancellation = control;
      return session_->RunWatched(prepared_.get(), {}, {}, settings_);
    });
    const MutexLock lock(mutex_);
    ended_ = true;
    status_ = status;
    changed_.notify_all();
  }

  static Status NotComing() { return errors::Cancelled("RecvAsync is cancelled."); }
  static Status DetachFromVariables(const std::string& name, Tensor* value, bool references) {
    return references ? tenon::detail::DetachFromVariables(name, value) : OkStatus();
  }

  Status CheckLocked(Span<const NamedTensor> feeds, Span<const std::string> names, SlimVector<std::size_t>* fed,
                     SlimVector<std::size_t>* wanted) const {
    SlimVector<char> there;
    for (const Feed& feed : feeds_) there.push_back(feed.given ? 1 : 0);
    for (const NamedTensor& feed : feeds) {
      const std::size_t i = Find(feeds_, feed.name);
      if (i == feeds_.size())
        return errors::InvalidArgument("The feed ", feed.name, " was not specified in partial_run_setup.");
      if (there[i] != 0) return errors::InvalidArgument("The feed ", feed.name, " has already been fed.");
      TENON_RETURN_IF_ERROR(CheckFeed(feeds_[i].declared, feed.tensor));
      there[i] = 1;
      fed->push_back(i);
    }
    for (const std::string& name : names) {
      const std::size_t i = Find(fetches_, name);
      if (i == fetches_.size())
        return errors::InvalidArgument("The fetch ", name, " was not specified in partial_run_setup.");
      if (fetches_[i].taken) return errors::InvalidArgument("The fetch ", name, " has already been fetched.");
      wanted->push_back(i);
    }
    for (const std::size_t i : *wanted) {
      const int missing = MissingFeed(i, Span<const char>(there.data(), there.size()));
      if (missing >= 0)
        return errors::InvalidArgument("Fetch ", feeds_[static_cast<std::size_t>(missing)].declared.name,
                                       " can't be computed from the feeds that have been fed so far.");
    }
    return OkStatus();
  }
  template <class List>
  static std::size_t Find(const List& list, std::string_view name) {
    std::size_t i = 0;
    while (i < list.size() && list[i].name != name) ++i;
    return i;
  }
  static Status CheckFeed(const Program::Feed& feed, const Tensor& value) {
    if (value.dtype() != feed.dtype)
      return errors::InvalidArgument("Feed '", feed.name, "' must be ", feed.dtype, ", but ", value.dtype(),
                                     " is provided");
    if (!feed.shape.IsCompatibleWith(value.shape()))
      return errors::InvalidArgument("Cannot feed value of shape ", value.shape(), " for tensor '", feed.name,
                                     "', which has shape ", feed.shape);
    if (!value.IsInitialized())
      return errors::InvalidArgument("Feed '", feed.name, "' is a tensor without memory; allocate and fill it first");
    if (!detail::IsAlignedFor(value.dtype(), value.raw_data()))
      return errors::InvalidArgument(
          "Feed '", feed.name, "': ", detail::MisalignedText(value.raw_data(), detail::ViewAlignment(value.dtype())));
    return OkStatus();
  }

  // The node's call, if it waits, and nobody else's from then on. Under mutex_.
  static OpKernelContext* TakeCall(Feed* feed, std::optional<AsyncOpKernel::DoneCallback>* done) {
    std::swap(feed->done, *done);
    return std::exchange(feed->context, nullptr);
  }
  void Give(std::size_t i, const Tensor& value) {
    Feed& feed = feeds_[i];
    OpKernelContext* context;
    std::optional<AsyncOpKernel::DoneCallback> done;
    {
      const MutexLock lock(mutex_);
      feed.here = true;
      context = TakeCall(&feed, &done);
      if (context == nullptr) feed.value = value;
    }
    if (context == nullptr) return;
    (void)context->cancellation_manager()->TryDeregister(feed.token);
    context->set_output(0, value);
    (*done)();
  }
  void GiveUp(std::size_t i) {
    OpKernelContext* context;
    std::optional<AsyncOpKernel::DoneCallback> done;
    {
      const MutexLock lock(mutex_);
      context = TakeCall(&feeds_[i], &done);
    }
    if (context == nullptr) return;
    context->SetStatus(NotComing());
    (*done)();
  }

  // Until something has changed. False: `until` (SteadyNanoseconds(), or kNoDeadline) is over.
  bool WaitLocked(MutexLock& lock, std::int64_t until) {
    if (until != kNoDeadline) return changed_.wait_until(lock, until);
    changed_.wait(lock);
    return true;
  }
  Status CallTimedOut() const {
    return errors::DeadlineExceeded("Timed out waiting for notification: PRun did not end within ", call_timeout_in_ms_,
                                    " ms");
  }
  Status WaitForEnd(std::int64_t until) {
    MutexLock lock(mutex_);
    while (!ended_)
      if (!WaitLocked(lock, until)) return CallTimedOut();
    return OkStatus();
  }
  Status Take(const SlimVector<std::size_t>& wanted, std::int64_t until, std::vector<Tensor>* outputs) {
    outputs->clear();
    MutexLock lock(mutex_);
    for (const std::size_t i : wanted) {
      Fetch& fetch = fetches_[i];
      while (!fetch.settled && !ended_)
        if (!WaitLocked(lock, until)) return CallTimedOut();
      if (!fetch.settled) return status_.ok() ? errors::Internal("the run ended without '", fetch.name, "'") : status_;
      if (!fetch.valid) return errors::InvalidArgument("The tensor returned for ", fetch.name, " was not valid.");
      TENON_RETURN_IF_ERROR(fetch.status);
      outputs->push_back(fetch.value);
    }
    for (const std::size_t i : wanted) fetches_[i].value = Tensor();
    return OkStatus();
  }
  bool IsComplete() const {
    const MutexLock lock(mutex_);
    for (const Feed& feed : feeds_)
      if (!feed.given) return false;
    for (const Fetch& fetch : fetches_)
      if (!fetch.taken) return false;
    return true;
  }
  // The status of the whole run.
  Status Join() {
    {
      const MutexLock lock(join_mutex_);
      if (thread_.joinable()) thread_.Join();
    }
    const MutexLock lock(mutex_);
    return status_;
  }

  const ForkGuard fork_;
  const std::string handle_;
  const std::int64_t timeout_in_ms_;  // limit of the whole run; 0: none
  CancellationManager* const users_;  // may be null
  CancellationManager cancellation_;  // a child of the session's
  std::int64_t call_timeout_in_ms_ = 0;  // limit of each PRun; 0: none
  StepServices services_;
  Owned<PartialProgram> partial_;  // the kernels of the program's ends; null: on several devices
  const PlacedPartialProgram* placed_ = nullptr;  // the program there; prepared_ owns it
  Ref<PreparedSignature> prepared_;
  SessionImpl* session_ = nullptr;
  RunArgs settings_;
  Mutex join_mutex_;
  Thread thread_;
  mutable Mutex mutex_;
  ConditionVariable changed_;
  SlimVector<Feed> feeds_;
  SlimVector<Fetch> fetches_;
  bool ended_ = false;
  Status status_;
};

// A session's partial runs, by handle; goes before everything else of the session. thread-safe.
class PartialRuns final : public RefCounted {
 public:
  ~PartialRuns() override {
    for (const Ref<PartialRunState>& run : runs_) run->Stop();
  }
  void Add(Ref<PartialRunState> run) {
    const MutexLock lock(mutex_);
    runs_.push_back(std::move(run));
  }
  Ref<PartialRunState> Find(std::string_view handle) const {
    const MutexLock lock(mutex_);
    for (const Ref<PartialRunState>& run : runs_)
      if (run->handle() == handle) return run;
    return {};
  }
  void Remove(const PartialRunState* run) {
    Ref<PartialRunState> dropped;  // goes after the lock
    const MutexLock lock(mutex_);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (runs_[i].get() != run) continue;
      dropped = std::move(runs_[i]);
      runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
  }

 private:
  mutable Mutex mutex_;
  SlimVector<Ref<PartialRunState>> runs_;
};

inline PartialRuns* PartialRunsOf(SessionImpl* session) {
  return static_cast<PartialRuns*>(
      session->GetOrMakePartialRuns([](SessionImpl*) { return Ref<RefCounted>::Adopt(new PartialRuns); }));
}

// TensorFlow's: "x:0->y:0,z:0//1/;3".
inline std::string PartialRunHandle(Span<const std::string> feeds, Span<const std::string> fetches,
                                    Span<const std::string> targets, std::int64_t number) {
  const auto append = [](std::string* to, Span<const std::string> names) {
    for (std::size_t i = 0; i < names.size(); ++i) StrAppend(to, i == 0 ? "" : ",", names[i]);
  };
  std::string handle;
  append(&handle, feeds);
  handle += "->";
  append(&handle, fetches);
  handle += '/';
  append(&handle, targets);
  return StrCat(handle, "/1/;", number);
}

inline Status CheckPartialRunOptions(const RunOptions& options) {
  if (options.timeout_in_ms < 0)
    return errors::InvalidArgument("RunOptions: timeout_in_ms must not be negative, got ", options.timeout_in_ms);
  const char* other = nullptr;
  if (options.trace_level != TraceLevel::kNone) other = "trace_level";
  if (options.inter_op_thread_pool != 0) other = "inter_op_thread_pool";
  if (options.inter_op_pool != nullptr) other = "inter_op_pool";
  if (options.executor != ExecutorKind::kAuto) other = "executor";
  if (options.services != nullptr) other = "services";
  if (options.output_partition_graphs) other = "output_partition_graphs";
  if (options.report_tensor_allocations_upon_oom) other = "report_tensor_allocations_upon_oom";
  if (other == nullptr) return OkStatus();
  return errors::Unimplemented("PRunSetup: of RunOptions only timeout_in_ms and cancellation apply to a partial run; '",
                               other, "' was given");
}

template <class U>
Result<std::string> undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::SetUpPartialRun(
    const Session& session, Span<const std::string> feeds, Span<const std::string> fetches,
    Span<const std::string> targets, const RunOptions& options) {
  auto* impl = static_cast<SessionImpl*>(SessionAccess::Impl(session));
  if (impl == nullptr) return SessionImpl::NoGraph("PRunSetup");
  if (impl->IsClosed()) return impl->Closed();
  return CatchAll("PRunSetup", [&]() -> Result<std::string> {
    TENON_RETURN_IF_ERROR(CheckPartialRunOptions(options));
    ProgramEnds ends;
    Ref<GraphUse> use;
    TENON_RETURN_IF_ERROR(impl->FindGraph(feeds, fetches, targets, "PRunSetup", &ends, &use));
    std::string handle = PartialRunHandle(feeds, fetches, targets, impl->NewNumber());
    auto run = Ref<PartialRunState>::Adopt(new PartialRunState(handle, feeds, fetches, impl->cancellation(), options));
    if (use->state->placed != nullptr) {
      TENON_RETURN_IF_ERROR(run->SetPlaced(use->state->placed.get(), feeds, fetches, targets, ends));
    } else {
      TENON_ASSIGN_OR_RETURN(Owned<Program> program, impl->Build(use, ends));
      TENON_RETURN_IF_ERROR(CheckLeavesLoops(*program));
      run->SetProgram(std::move(program));
    }
    TENON_RETURN_IF_ERROR(run->Start(impl));
    PartialRunsOf(impl)->Add(std::move(run));
    return handle;
  });
}
template <class U>
Result<std::vector<Tensor>>
undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<U>::ContinuePartialRun(
    const Session& session, const std::string& handle, Span<const NamedTensor> feeds, Span<const std::string> fetches) {
  auto* impl = static_cast<SessionImpl*>(SessionAccess::Impl(session));
  if (impl == nullptr) return SessionImpl::NoGraph("PRun");
  if (impl->IsClosed()) return impl->Closed();
  return CatchAll("PRun", [&]() -> Result<std::vector<Tensor>> {
    PartialRuns* runs = PartialRunsOf(impl);
    const Ref<PartialRunState> run = runs->Find(handle);
    if (!run)
      return errors::InvalidArgument("Must run 'setup' before performing partial runs!: there is no run '", handle,
                                     "'");
    std::vector<Tensor> outputs;
    bool over = false;
    const Status status = run->Run(feeds, fetches, &outputs, &over);
    if (over) runs->Remove(run.get());
    TENON_RETURN_IF_ERROR(status);
    return outputs;
  });
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
