// SPDX-License-Identifier: Apache-2.0
#pragma once
// Eager calls: an op runs on tensors at once, without a graph. Declarations; <tenon/runtime.hpp> defines them.
//
//   TENON_REGISTER(tenon::Types<float>, tenon::ops::MatMul);
//   tenon::Result<tenon::Tensor> c = tenon::eager::Call<tenon::ops::MatMul>({.transpose_b = true}, a, b);
//
// The first call of an op with other types or attrs prepares a kernel, which later calls find.

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/runtime/api/eager_calls.hpp>
#include <tenon/runtime/api/session_options.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

class ResourceMgr;
struct FunctionDefLibrary;

namespace eager {

// The value of one argument of an op: a tensor, or the tensors of a list.
class Argument {
 public:
  // A tensor, or the tensors of a list.
  Argument(Tensor tensor) : tensors_{std::move(tensor)} {}
  Argument(std::vector<Tensor> list) : tensors_(std::move(list)), is_list_(true) {}
  Argument(std::initializer_list<Tensor> list) : tensors_(list), is_list_(true) {}

  // Returns the tensors: one, or those of the list. They live as long as the argument.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  // Returns whether the argument is a list.
  bool is_list() const { return is_list_; }

 private:
  std::vector<Tensor> tensors_;
  bool is_list_ = false;
};

namespace detail {

// Entry points of contexts, defined by <tenon/runtime.hpp>.
template <class Unused>
struct undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME {
  static RefCounted* MakeContext(SessionOptions options);
  static Result<std::vector<Tensor>> Call(RefCounted* context, std::string_view device, std::string_view op,
                                          const std::vector<Argument>& inputs, const std::vector<Attr>& attrs,
                                          const TypedOp* typed);
  static Status AddFunctions(RefCounted* context, const FunctionDefLibrary& functions);
  static ResourceMgr* Resources(RefCounted* context);
  static std::size_t NumKernels(RefCounted* context);
};
using EagerRuntime = undefined_symbol_means_include_tenon_runtime_hpp_without_TENON_MINIMAL_RUNTIME<void>;

}  // namespace detail

// The context of eager calls: devices, their threads and resources (variables live here from call to call), and the
// prepared kernels. thread-safe but for AddFunctions.
class Context : public Calls<Context, Argument, Tensor> {
 public:
  // `options` as for a session; executor and inter-op threads matter to calls of functions only. The context has the
  // CPU and `devices`; calls that name no device run on the first of `devices`. `resources` are the CPU's. A device
  // is made when a call first needs it.
  explicit Context(SessionOptions options = {})
      : impl_(Ref<RefCounted>::Adopt(detail::EagerRuntime::MakeContext(std::move(options)))) {}
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // Returns the context of calls that name none. It lives until the process ends.
  static Context& Default() {
    static Context* const context = new Context;
    return *context;
  }

  // Makes calls on another device of the context: "SIM:0", or "/device:SIM:0". As in TensorFlow, an op that gets a
  // resource runs on the resource's device, whatever device is named, and the CPU takes ops that the device has no
  // kernel for. Arguments and results are in host memory. The calls return InvalidArgument, which lists all devices,
  // if there is no such device.
  //
  //   context.On("SIM:0").Call<tenon::ops::MatMul>(a, b)
  CallsOn<Context, Argument, Tensor> On(std::string device) { return {this, std::move(device)}; }

  // Adds functions that may be called by name, and by the attrs of ops (If, While, PartitionedCall...).
  // InvalidArgument: another function of that name is there. Not while another thread calls.
  Status AddFunctions(const FunctionDefLibrary& functions) {
    return detail::EagerRuntime::AddFunctions(impl_.get(), functions);
  }

  // Returns the resources of the CPU, which live as long as the context.
  ResourceMgr* resources() { return detail::EagerRuntime::Resources(impl_.get()); }
  // Returns the number of prepared kernels.
  std::size_t num_kernels() const { return detail::EagerRuntime::NumKernels(impl_.get()); }

 private:
  friend class Async;
  friend class Calls<Context, Argument, Tensor>;
  friend class CallsOn<Context, Argument, Tensor>;

  Result<std::vector<Tensor>> CallOn(std::string_view device, std::string_view op, const std::vector<Argument>& inputs,
                                     const std::vector<Attr>& attrs, const detail::TypedOp* typed) {
    return detail::EagerRuntime::Call(impl_.get(), device, op, inputs, attrs, typed);
  }

  Ref<RefCounted> impl_;  // detail::ContextImpl
};

// Calls in the default context.
inline Result<std::vector<Tensor>> Call(std::string_view op, const std::vector<Argument>& inputs,
                                        const std::vector<Attr>& attrs = {}) {
  return Context::Default().Call(op, inputs, attrs);
}
template <class Op, std::convertible_to<Argument>... Inputs>
ResultOf<Op> Call(const Inputs&... inputs) {
  return Context::Default().Call<Op>(inputs...);
}
template <class Op, std::convertible_to<Argument>... Inputs>
ResultOf<Op> Call(AttrsOf<Op> attrs, const Inputs&... inputs) {
  return Context::Default().Call<Op>(std::move(attrs), inputs...);
}

}  // namespace eager

TENON_DETAIL_NAMESPACE_END
