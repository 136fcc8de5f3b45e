// SPDX-License-Identifier: Apache-2.0
#pragma once
// VariableValue: the value of a session's variable, by the tensor that is its handle or reference.

#include <string>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/span.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/kernel/resource_mgr.hpp>
#include <tenon/kernel/variable.hpp>
#include <tenon/runtime/api/session.hpp>
#include <tenon/runtime/session/session_impl.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// Shares the variable's memory, or has a copy of what a GPU holds; later changes of the variable do not reach the
// result. FailedPrecondition: the variable has no value. Other errors are the errors of Session::Run.
inline Result<Tensor> VariableValue(const Session& session, const std::string& tensor) {
  TENON_ASSIGN_OR_RETURN(const std::vector<Tensor> fetched, session.Run({}, Span<const std::string>(&tensor, 1)));
  if (fetched[0].dtype() != DataType::kResource) return fetched[0];
  const ResourceHandle& handle = *fetched[0].data<ResourceHandle>();
  auto* const impl = static_cast<SessionImpl*>(SessionAccess::Impl(session));
  Ref<Var> variable;
  const Status found = impl->resources()->Lookup(handle.container, handle.name, &variable);
  if (found.ok()) {
    const MutexLock lock(variable->mutex);
    if (variable->is_initialized && !variable->tensor.HostAccessible()) {
      Tensor copy;
      TENON_RETURN_IF_ERROR(impl->device()->CopyToHost(variable->tensor, impl->host()->allocator(), &copy));
      return copy;
    }
    if (variable->is_initialized) return variable->tensor;
  }
  return errors::FailedPrecondition("Variable '", handle.name, "' of node '", tensor,
                                    "' has no value: nothing restored", " or assigned it", found.ok() ? "" : "; ",
                                    found.ok() ? "" : found.message());
}

}  // namespace detail

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
