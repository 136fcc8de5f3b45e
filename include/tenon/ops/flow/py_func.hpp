// SPDX-License-Identifier: Apache-2.0
#pragma once
// PyFunc, PyFuncStateless, EagerPyFunc: calls of functions that the program names by a token. In TensorFlow they are
// Python's; here RegisterPyFunction puts C++ in their place.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Computes the outputs of a node from its inputs. Nodes of several runs call it at the same time.
using PyFunction = Function<Status(Span<const Tensor> inputs, SlimVector<Tensor>* outputs)>;

namespace detail {

// Functions by their tokens. thread-safe.
class PyFunctions {
 public:
  struct Held final : RefCounted {
    explicit Held(PyFunction f) : function(std::move(f)) {}
    PyFunction function;
  };

  constexpr PyFunctions() = default;
  // Returns whether there was a function before. An empty `held` takes the function away.
  bool Set(std::string_view token, Ref<Held> held) {
    Ref<Held> before;  // goes after the lock
    const MutexLock lock(mutex_);
    std::size_t i = 0;
    while (i < entries_.size() && entries_[i].token != token) ++i;
    if (i == entries_.size()) {
      if (held) entries_.push_back({std::string(token), std::move(held)});
      return false;
    }
    before = std::move(entries_[i].held);
    if (held)
      entries_[i].held = std::move(held);
    else
      entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  // Null: there is none.
  Ref<Held> Find(std::string_view token) {
    const MutexLock lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.token == token) return entry.held;
    return {};
  }

 private:
  struct Entry {
    std::string token;
    Ref<Held> held;
  };
  Mutex mutex_;
  SlimVector<Entry> entries_;
};
inline PyFunctions py_functions;

}  // namespace detail

// Lets PyFunc and its kin call `function` for a token, instead of the one before. Returns whether there was one.
// thread-safe. Sessions that run may call the one before for a while.
inline bool RegisterPyFunction(std::string_view token, PyFunction function) {
  return detail::py_functions.Set(
      token, Ref<detail::PyFunctions::Held>::Adopt(new detail::PyFunctions::Held(std::move(function))));
}
// Takes the function of a token away. Returns whether there was one. thread-safe.
inline bool UnregisterPyFunction(std::string_view token) { return detail::py_functions.Set(token, {}); }

namespace ops {

namespace detail {

inline Status CallPyFunction(OpKernelContext& context, std::string_view token, std::span<const Tensor> inputs) {
  const std::string_view op = context.op_kernel().type_string();
  const Ref<tenon::detail::PyFunctions::Held> held = tenon::detail::py_functions.Find(token);
  if (!held)
    return errors::Unimplemented(op, ": token '", token,
                                 "' names a Python function, which this program does not have; give C++ in its place "
                                 "with tenon::RegisterPyFunction of <tenon/ops/flow/py_func.hpp>");
  SlimVector<Tensor> outputs;
  TENON_RETURN_IF_ERROR(held->function({inputs.data(), inputs.size()}, &outputs));
  if (outputs.size() != static_cast<std::size_t>(context.num_outputs()))
    return errors::InvalidArgument(op, ": the function of token '", token, "' gave ", outputs.size(),
                                   " tensors; the node has ", context.num_outputs(), " outputs");
  for (int i = 0; i < context.num_outputs(); ++i) {
    Tensor& output = outputs[static_cast<std::size_t>(i)];
    if (output.dtype() != context.expected_output_dtype(i))
      return errors::InvalidArgument(op, ": ", i, "-th value returned by '", token, "' is ", output.dtype(),
                                     ", but expects ", context.expected_output_dtype(i));
    if (!output.IsInitialized())
      return errors::InvalidArgument(op, ": ", i, "-th value returned by '", token, "' has no memory");
    context.set_output(i, std::move(output));
  }
  return OkStatus();
}

struct PyFuncAttrs {
  std::string_view token;
};

template <class Device>
struct PyFuncKernel : PyFuncAttrs {
  static constexpr bool tensors_on_host = true;  // the function is the host's
  Status operator()(Context<Device>& context, std::span<const Tensor> input, std::span<Tensor>) const {
    return CallPyFunction(context.op(), this->token, input);
  }
};

}  // namespace detail

struct PyFunc {
  static constexpr auto signature = Op("PyFunc")
                                        .Input("input: Tin")
                                        .Output("output: Tout")
                                        .Attr("token: string")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::PyFuncAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::PyFuncKernel<Device> {};
};

// PyFunc of a function whose results depend on its inputs alone.
struct PyFuncStateless {
  static constexpr auto signature = Op("PyFuncStateless")
                                        .Input("input: Tin")
                                        .Output("output: Tout")
                                        .Attr("token: string")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::PyFuncAttrs;
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::PyFuncKernel<Device> {};
};

// PyFunc of a function that TensorFlow runs eagerly.
struct EagerPyFunc {
  static constexpr auto signature = Op("EagerPyFunc")
                                        .Input("input: Tin")
                                        .Output("output: Tout")
                                        .Attr("token: string")
                                        .Attr("is_async: bool = false")
                                        .Attr("Tin: list(type) >= 0")
                                        .Attr("Tout: list(type) >= 0")
                                        .SetIsStateful()
                                        .SetShapeFn(shape_inference::UnknownShape);
  using Attrs = detail::PyFuncAttrs;
  static constexpr std::string_view unused[] = {"is_async"};  // for remote functions
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : detail::PyFuncKernel<Device> {};
};

}  // namespace ops

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
