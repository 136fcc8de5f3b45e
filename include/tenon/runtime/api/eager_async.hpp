// SPDX-License-Identifier: Apache-2.0
#pragma once
// Asynchronous eager calls, declared: a call gives a Handle of its result at once, and a thread runs the calls in their
// order.
//
//   eager::Async async;
//   TENON_ASSIGN_OR_RETURN(const eager::Handle product, async.Call<ops::MatMul>({.transpose_b = true}, x, w));
//   TENON_ASSIGN_OR_RETURN(const eager::Handle sum, async.Call<ops::BiasAdd>(product, b));
//   TENON_ASSIGN_OR_RETURN(const Tensor later, sum.Get());

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/errors.hpp>
#include <tenon/base/fork.hpp>
#include <tenon/base/notification.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/runtime/api/eager.hpp>
#include <tenon/runtime/api/eager_calls.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace eager {

namespace detail {
class AsyncImpl;
}  // namespace detail

// A tensor that a call gives, or will give; TensorFlow's TensorHandle. Copies are the same tensor. It may outlive the
// Async that made it. thread-safe.
class Handle {
 public:
  // A handle without a call, or the handle of a tensor that is there.
  Handle() = default;
  Handle(Tensor tensor) : Handle(tensor.dtype(), ResourceDevice(tensor)) {
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
  friend class detail::AsyncImpl;
  friend class AsyncArgument;

  static constexpr std::string_view kLeftBehind =
      "eager::Async: the call waited or ran when fork() was called, and only the parent runs it; call again in the child";

  // Returns the device of a resource, "" for other tensors.
  friend std::string_view DeviceOf(const Handle& handle) {
    return handle.state_ ? std::string_view(handle.state_->device) : std::string_view();
  }

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
  static std::string ResourceDevice(const Tensor& tensor) {
    const bool is_one = tensor.dtype() == DataType::kResource && tensor.IsInitialized() && tensor.NumElements() > 0;
    return is_one ? tensor.flat<ResourceHandle>()(0).device : std::string();
  }
  // Called once.
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
  std::vector<Handle> handles_;
  bool is_list_ = false;
};

namespace detail {

// Entry points of Async, defined by <tenon/runtime.hpp>.
template <class Unused>
struct undefined_symbol_means_include_tenon_runtime_hpp_for_asynchronous_calls {
  static RefCounted* Make(RefCounted* context);
  static void Finish(RefCounted* async);
  static Result<std::vector<Handle>> Call(RefCounted* async, std::string_view device, std::string_view op,
                                          const std::vector<AsyncArgument>& inputs, const std::vector<Attr>& attrs,
                                          const TypedOp* typed);
  static Status Sync(RefCounted* async);
};
using AsyncRuntime = undefined_symbol_means_include_tenon_runtime_hpp_for_asynchronous_calls<void>;

}  // namespace detail

// Runs calls of all threads in a context, later: one thread takes them in the order in which they came, so that a
// call reads from a variable what the call before wrote. The call itself returns an error of its op, attrs, types or
// device. Its handles and Sync() return an error of its run. As in TensorFlow's asynchronous mode, waiting calls get
// the first such error, too, and so do new ones until Sync() has returned it. Later uses of a handle of such a call
// get it again. The destructor waits for all calls. thread-safe.
class Async : public Calls<Async, AsyncArgument, Handle> {
 public:
  // The context outlives it.
  explicit Async(Context* context = &Context::Default())
      : impl_(Ref<RefCounted>::Adopt(detail::AsyncRuntime::Make(context->impl_.get()))) {}
  Async(const Async&) = delete;
  Async& operator=(const Async&) = delete;
  ~Async() { detail::AsyncRuntime::Finish(impl_.get()); }

  // Makes calls on another device of the context, in one order with all other calls.
  CallsOn<Async, AsyncArgument, Handle> On(std::string device) { return {this, std::move(device)}; }

  // Waits until the calls made so far have run. Returns their first error and forgets it: new calls run.
  Status Sync() { return detail::AsyncRuntime::Sync(impl_.get()); }

 private:
  friend class Calls<Async, AsyncArgument, Handle>;
  friend class CallsOn<Async, AsyncArgument, Handle>;

  Result<std::vector<Handle>> CallOn(std::string_view device, std::string_view op,
                                     const std::vector<AsyncArgument>& inputs, const std::vector<Attr>& attrs,
                                     const detail::TypedOp* typed) {
    return detail::AsyncRuntime::Call(impl_.get(), device, op, inputs, attrs, typed);
  }

  Ref<RefCounted> impl_;  // detail::AsyncImpl
};

}  // namespace eager

TENON_DETAIL_NAMESPACE_END
