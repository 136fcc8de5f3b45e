// SPDX-License-Identifier: Apache-2.0
#pragma once
// The queue and the thread of asynchronous eager calls. Defines eager::Async.

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/fork.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/runtime/api/eager_async.hpp>
#include <tenon/runtime/api/eager_calls.hpp>
#include <tenon/runtime/eager/context_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace eager::detail {

// thread-safe.
class AsyncImpl final : public RefCounted {
 public:
  explicit AsyncImpl(ContextImpl* context) : context_(Ref<ContextImpl>::Share(context)) {}

  // Waits for all calls. No call comes afterwards.
  void Finish() {
    NoticeFork();
    {
      const MutexLock lock(mutex_);
      stopping_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.Join();
  }

  Status Sync() {
    NoticeFork();
    MutexLock lock(mutex_);
    const std::int64_t all = added_;
    while (done_ < all) changed_.wait(lock);
    return std::exchange(status_, OkStatus());
  }

  Result<std::vector<Handle>> Call(std::string_view device, std::string_view op,
                                   const std::vector<AsyncArgument>& inputs, const std::vector<Attr>& attrs,
                                   const TypedOp* typed) {
    return tenon::detail::CatchAll("eager::Async::Call", [&]() -> Result<std::vector<Handle>> {
      auto call = MakeOwned<Pending>();
      TENON_ASSIGN_OR_RETURN(call->kernel, context_->KernelFor(device, op, inputs, attrs, typed, &call->inputs));
      for (const DataType type : call->kernel->outputs)
        call->outputs.push_back(Handle(type, type == DataType::kResource ? call->kernel->place->name : std::string()));
      std::vector<Handle> outputs = call->outputs;
      TENON_RETURN_IF_ERROR(Add(std::move(call)));
      return outputs;
    });
  }

 private:
  struct Pending {
    const ContextImpl::Kernel* kernel;
    std::vector<Handle> inputs, outputs;
    Owned<Pending> next;
  };

  // In the child of a fork() calls that wait or run are the parent's, and so is the thread.
  void NoticeFork() {
    if (fork_.IsRepaired()) [[likely]]
      return;
    fork_.Repair([this] {
      new (&mutex_) Mutex();
      new (&changed_) ConditionVariable();
      new (&first_) Owned<Pending>();
      last_ = nullptr;
      if (added_ != done_) new (&status_) Status(Code::kFailedPrecondition, std::string(Handle::kLeftBehind));
      done_ = added_;
      thread_ = Thread();
    });
  }
  Status Add(Owned<Pending> call) {
    NoticeFork();
    const MutexLock lock(mutex_);
    TENON_RETURN_IF_ERROR(status_);
    if (!thread_.joinable() && !thread_.Start<&AsyncImpl::Main>(this))
      return errors::ResourceExhausted("eager::Async: the system has no thread for the calls");
    Owned<Pending>& end = last_ == nullptr ? first_ : last_->next;
    last_ = call.get();
    end = std::move(call);
    ++added_;
    changed_.notify_all();
    return OkStatus();
  }

  void Main() {
    Thread::NameThis("tenon-eager");
    for (std::int64_t ended = 0;;) {
      Owned<Pending> call = Next(ended);
      if (call == nullptr) return;
      std::vector<Tensor> results;
      const Status status = tenon::detail::CatchAll("eager::Async", [&] { return Run(*call, &results); });
      ended = 1;
      for (std::size_t i = 0; i < results.size() && status.ok(); ++i)
        call->outputs[i].Settle(status, std::move(results[i]));
      if (status.ok()) continue;
      // Before the handles get it: a thread that sees the error there finds it in its next call, too.
      call->next = Fail(status);
      for (ended = 0; call != nullptr; call = std::move(call->next), ++ended)
        for (const Handle& output : call->outputs) output.Settle(status, Tensor());
    }
  }
  // Waits for a call; null: it was the last. `ended` calls have run since the one before.
  Owned<Pending> Next(std::int64_t ended) {
    MutexLock lock(mutex_);
    done_ += ended;
    if (ended > 0) changed_.notify_all();
    while (first_ == nullptr && !stopping_) changed_.wait(lock);
    if (first_ == nullptr) return nullptr;
    Owned<Pending> call = std::move(first_);
    first_ = std::move(call->next);
    if (first_ == nullptr) last_ = nullptr;
    return call;
  }
  static Status Run(const Pending& call, std::vector<Tensor>* results) {
    std::vector<Tensor> feeds;
    for (const Handle& input : call.inputs) {
      TENON_ASSIGN_OR_RETURN(Tensor tensor, input.Get());
      feeds.push_back(std::move(tensor));
    }
    results->resize(call.outputs.size());
    return call.kernel->run.Run(feeds, *results);
  }
  // Keeps the error. Returns all calls that wait: they will not run.
  Owned<Pending> Fail(const Status& status) {
    const MutexLock lock(mutex_);
    status_ = status.WithAppended(
        "\n\tEncountered when executing an operation using EagerExecutor. This error cancels all future operations and "
        "poisons their output tensors.");
    last_ = nullptr;
    return std::move(first_);
  }

  const Ref<ContextImpl> context_;
  ForkGuard fork_;
  Mutex mutex_;
  ConditionVariable changed_;
  Thread thread_;  // started by the first call
  Owned<Pending> first_;  // the calls that wait
  Pending* last_ = nullptr;
  std::int64_t added_ = 0, done_ = 0;  // calls, from the beginning
  bool stopping_ = false;
  Status status_;  // the first error, until Sync() returns it
};

template <class U>
RefCounted* undefined_symbol_means_include_tenon_runtime_hpp_for_asynchronous_calls<U>::Make(RefCounted* context) {
  return new AsyncImpl(static_cast<ContextImpl*>(context));
}
template <class U>
void undefined_symbol_means_include_tenon_runtime_hpp_for_asynchronous_calls<U>::Finish(RefCounted* async) {
  static_cast<AsyncImpl*>(async)->Finish();
}
template <class U>
Result<std::vector<Handle>> undefined_symbol_means_include_tenon_runtime_hpp_for_asynchronous_calls<U>::Call(
    RefCounted* async, std::string_view device, std::string_view op, const std::vector<AsyncArgument>& inputs,
    const std::vector<Attr>& attrs, const TypedOp* typed) {
  return static_cast<AsyncImpl*>(async)->Call(device, op, inputs, attrs, typed);
}
template <class U>
Status undefined_symbol_means_include_tenon_runtime_hpp_for_asynchronous_calls<U>::Sync(RefCounted* async) {
  return static_cast<AsyncImpl*>(async)->Sync();
}

template struct undefined_symbol_means_include_tenon_runtime_hpp_for_asynchronous_calls<void>;

}  // namespace eager::detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
