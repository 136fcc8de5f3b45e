// SPDX-License-Identifier: Apache-2.0
#pragma once
// Asynchronous eager calls: a call gives a Handle of its result at once, and a thread runs the calls in their order.
//
//   eager::Async async;
//   TENON_ASSIGN_OR_RETURN(const eager::Handle product, async.Call<ops::MatMul>({.transpose_b = true}, x, w));
//   TENON_ASSIGN_OR_RETURN(const eager::Handle sum, async.Call<ops::BiasAdd>(product, b));
//   TENON_ASSIGN_OR_RETURN(const Tensor later, sum.Get());

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/eager.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/fork.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/notification.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/runtime/session/eager_call_args.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace eager {

// A tensor that a call gives, or will give; TensorFlow's TensorHandle. Copies are the same tensor. It may outlive the
// Async that made it. thread-safe.
class Handle {
 public:
  Handle() = default;
  Handle(Tensor tensor) : Handle(tensor.dtype(), std::string(Argument::DeviceOf(tensor))) {
    state_->tensor = std::move(tensor);
    state_->done.Notify();
  }

  // Waits for the call. Returns its error, or the error of the call that made one of its inputs, or of an earlier
  // call: see Async. FailedPrecondition: the handle is default-constructed.
  Result<Tensor> Get() const {
    if (!state_) return errors::FailedPrecondition("eager::Handle::Get: the handle is of no call");
    if (!IsReady() && !state_->fork.IsRepaired()) return errors::FailedPrecondition(kLeftBehind);
    state_->done.WaitForNotification();
    TENON_RETURN_IF_ERROR(state_->status);
    return state_->tensor;
  }
  // Returns whether Get() would not wait.
  bool IsReady() const { return !state_ || state_->done.HasBeenNotified(); }
  // Known before the tensor is; kInvalid: the handle is default-constructed.
  DataType dtype() const { return state_ ? state_->dtype : DataType::kInvalid; }

 private:
  friend class Async;
  friend class AsyncArgument;

  static constexpr std::string_view kLeftBehind =
      "eager::Async: the call waited or ran when fork() was called, and only the parent runs it; call again in the child";

  struct State final : RefCounted {
    ForkGuard fork;  // not repaired: the call is the parent's
    Notification done;
    DataType dtype = DataType::kInvalid;
    std::string device;  // device of a resource, where it is known
    Status status;
    Tensor tensor;
  };
  Handle(DataType dtype, std::string device) : state_(Ref<State>::Adopt(new State)) {
    state_->dtype = dtype;
    state_->device = std::move(device);
  }
  // Once.
  void Settle(Status status, Tensor tensor) const {
    state_->status = std::move(status);
    state_->tensor = std::move(tensor);
    state_->done.Notify();
  }

  Ref<State> state_;
};

// The value of one argument of an asynchronous call: a tensor, or the tensors of a list, ready or not yet.
class AsyncArgument {
 public:
  AsyncArgument(Handle handle) : handles_{std::move(handle)} {}
  AsyncArgument(Tensor tensor) : handles_{Handle(std::move(tensor))} {}
  AsyncArgument(std::vector<Handle> list) : handles_(std::move(list)), is_list_(true) {}
  AsyncArgument(const std::vector<Tensor>& list) : handles_(list.begin(), list.end()), is_list_(true) {}
  AsyncArgument(std::initializer_list<Handle> list) : handles_(list), is_list_(true) {}

  const std::vector<Handle>& tensors() const { return handles_; }
  bool is_list() const { return is_list_; }

 private:
  friend class Context;

  static std::string_view DeviceOf(const Handle& handle) {
    return handle.state_ ? std::string_view(handle.state_->device) : std::string_view();
  }

  std::vector<Handle> handles_;
  bool is_list_ = false;
};

// Runs calls of all threads in a context, later: one thread takes them in the order in which they came, so that a
// call reads from a variable what the call before wrote. The call itself returns an error of its op, attrs, types or
// device. Its handles and Sync() return an error of its run. As in TensorFlow's asynchronous mode, waiting calls get
// the first such error, too, and so do new ones until Sync() has returned it. Later uses of a handle of such a call
// get it again. The destructor waits for all calls. thread-safe.
class Async : public Calls<Async, AsyncArgument, Handle> {
 public:
  // The context outlives it.
  explicit Async(Context* context = &Context::Default()) : context_(context) {}
  Async(const Async&) = delete;
  Async& operator=(const Async&) = delete;
  ~Async() {
    NoticeFork();
    {
      const MutexLock lock(mutex_);
      stopping_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.Join();
  }

  // Makes calls on another device of the context, in one order with all other calls.
  CallsOn<Async, AsyncArgument, Handle> On(std::string device) { return {this, std::move(device)}; }

  // Waits until the calls made so far have run. Returns their first error and forgets it: new calls run.
  Status Sync() {
    NoticeFork();
    MutexLock lock(mutex_);
    const std::int64_t all = added_;
    while (done_ < all) changed_.wait(lock);
    return std::exchange(status_, OkStatus());
  }

 private:
  friend class Calls<Async, AsyncArgument, Handle>;
  friend class CallsOn<Async, AsyncArgument, Handle>;

  struct Pending {
    const Context::Kernel* kernel;
    std::vector<Handle> inputs, outputs;
    Owned<Pending> next;
  };

  Result<std::vector<Handle>> CallOn(std::string_view device, std::string_view op,
                                     const std::vector<AsyncArgument>& inputs, const std::vector<Attr>& attrs,
                                     const detail::TypedOp* typed) {
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
    if (!thread_.joinable() && !thread_.Start<&Async::Main>(this))
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

  Context* const context_;
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

}  // namespace eager

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
