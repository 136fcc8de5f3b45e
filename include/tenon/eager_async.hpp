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
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/eager.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/notification.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/runtime/eager_calls.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

namespace eager {

// A tensor that a call gives, or will give: what TensorFlow calls a TensorHandle. Copies are the same tensor. Outlives
// whoever made it. thread-safe.
class Handle {
 public:
  Handle() = default;
  Handle(Tensor tensor) : Handle(tensor.dtype(), std::string(Argument::DeviceOf(tensor))) {
    state_->tensor = std::move(tensor);
    state_->done.Notify();
  }

  // Waits for the call. Its error, or that of the call that made one of its inputs, or of an earlier one: see Async.
  // FailedPrecondition: nobody has given this handle a call.
  Result<Tensor> Get() const {
    if (!state_) return errors::FailedPrecondition("eager::Handle::Get: the handle is of no call");
    state_->done.WaitForNotification();
    TENON_RETURN_IF_ERROR(state_->status);
    return state_->tensor;
  }
  // Whether Get() would not wait.
  bool IsReady() const { return !state_ || state_->done.HasBeenNotified(); }
  // Known before the tensor is; kInvalid: of no call.
  DataType dtype() const { return state_ ? state_->dtype : DataType::kInvalid; }

 private:
  friend class Async;
  friend class AsyncArgument;

  struct State final : RefCounted {
    Notification done;
    DataType dtype = DataType::kInvalid;
    std::string device;  // of a resource, where it is known
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

// What one argument of an asynchronous call gets: a tensor, or the tensors of a list, there or not yet.
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

// Runs calls in a context, later: a thread takes them in the order in which they came, whoever made them, so that what
// one writes into a variable the next one reads. What is wrong with an op, its attrs, types or device the call itself
// says; what goes wrong while it runs, its handles and Sync() say. As in TensorFlow's asynchronous mode the first such
// error is everybody's: calls that wait get it, too, and so do new ones until Sync() has told it; who uses a handle of
// such a call after that gets it again. Destroying it waits for all calls. thread-safe.
class Async : public Calls<Async, AsyncArgument, Handle> {
 public:
  // The context outlives it.
  explicit Async(Context* context = &Context::Default()) : context_(context) {}
  Async(const Async&) = delete;
  Async& operator=(const Async&) = delete;
  ~Async() {
    {
      const MutexLock lock(mutex_);
      stopping_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.Join();
  }

  // The same calls, in the same order with the others, on another device of the context.
  CallsOn<Async, AsyncArgument, Handle> On(std::string device) { return {this, std::move(device)}; }

  // Waits until the calls made so far have run. Their first error, which is forgotten with that: new calls run.
  Status Sync() {
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
  Status Add(Owned<Pending> call) {
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
      // Before the handles get it: who sees the error there finds it in the next call, too.
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
  // All calls that wait: they will not run.
  Owned<Pending> Fail(const Status& status) {
    const MutexLock lock(mutex_);
    status_ = status.WithAppended(
        "\n\tEncountered when executing an operation using EagerExecutor. This error cancels all future operations and "
        "poisons their output tensors.");
    last_ = nullptr;
    return std::move(first_);
  }

  Context* const context_;
  Mutex mutex_;
  ConditionVariable changed_;
  Thread thread_;  // started by the first call
  Owned<Pending> first_;  // the calls that wait
  Pending* last_ = nullptr;
  std::int64_t added_ = 0, done_ = 0;  // calls, from the beginning
  bool stopping_ = false;
  Status status_;  // the first error, until somebody asks
};

}  // namespace eager

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
