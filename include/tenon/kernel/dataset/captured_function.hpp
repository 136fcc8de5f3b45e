// SPDX-License-Identifier: Apache-2.0
#pragma once
// CapturedFunction: a function of the graph's library and the tensors that it has beside an element, as datasets hold
// it. FunctionCaller: the function as an iterator calls it.

#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/attr/attr_value.hpp>
#include <tenon/kernel/dataset/dataset.hpp>
#include <tenon/kernel/function_lease.hpp>
#include <tenon/kernel/function_runtime.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Plain data. A session finds the function by its name when an iterator is made.
struct CapturedFunction {
  NameAttrList call;
  DatasetElement captured;  // its last arguments
};

// Calls a captured function, in whatever run asks. externally synchronised.
class FunctionCaller {
 public:
  explicit FunctionCaller(const CapturedFunction* function) : function_(function) {}

  // InvalidArgument: the library has no such function.
  Status Initialize(IteratorContext& context) { return Find(context); }

  // results = function(args..., more..., captured...). Errors: of the function; InvalidArgument: the arguments do not
  // fit it.
  Status Run(IteratorContext& context, Span<const Tensor> args, DatasetElement* results, Span<const Tensor> more = {}) {
    TENON_RETURN_IF_ERROR(Find(context));
    FunctionRuntime* const runtime = context.functions();
    if (result_count_ < 0) {
      TENON_ASSIGN_OR_RETURN(const std::size_t count, runtime->CountResults(handle_, context.environment()));
      result_count_ = static_cast<std::int64_t>(count);
    }
    DatasetElement all;
    all.reserve(args.size() + more.size() + function_->captured.size());
    for (const Span<const Tensor>& part : {args, more, Span<const Tensor>(function_->captured)})
      for (const Tensor& tensor : part) all.push_back(tensor);
    results->clear();
    results->resize(static_cast<std::size_t>(result_count_), Tensor(DataType::kInvalid));
    Status status =
        runtime->Run(handle_, context.environment(), {all.data(), all.size()}, {results->data(), results->size()});
    if (!status.ok()) results->clear();
    return status;
  }

 private:
  // Sessions may share the iterator: the handle is that of the session that asks.
  Status Find(IteratorContext& context) {
    FunctionRuntime* const runtime = context.functions();
    FunctionLease* const lease = runtime == nullptr ? nullptr : runtime->lease();
    if (runtime == nullptr) [[unlikely]]
      return errors::FailedPrecondition("function '", function_->call.name,
                                        "' of a dataset is called outside of a run");
    if (lease != nullptr && lease == lease_.get()) [[likely]]
      return OkStatus();
    TENON_ASSIGN_OR_RETURN(handle_, runtime->Find(function_->call));
    result_count_ = -1;
    lease_ = Ref<FunctionLease>::Share(lease);
    return OkStatus();
  }

  const CapturedFunction* const function_;
  FunctionHandle handle_;
  std::int64_t result_count_ = -1;  // not known yet
  Ref<FunctionLease> lease_;  // the runtime that gave handle_
};

TENON_DETAIL_NAMESPACE_END
