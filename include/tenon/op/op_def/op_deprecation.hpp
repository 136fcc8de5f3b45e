// SPDX-License-Identifier: Apache-2.0
#pragma once
// CheckOpDeprecation: whether a graph of some version may still use an op, and the warning before it no longer may.

#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/has_item.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/status.hpp>
#include <tenon/op/signature/signature.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_COLD_CODE_BEGIN

namespace detail {

// True the first time that it is asked for a name. thread-safe.
inline bool FirstWarningFor(std::string_view op) {
  struct Warned {
    Mutex mutex;
    SlimVector<std::string> ops;
  };
  static Warned* const warned = new Warned();
  const MutexLock lock(warned->mutex);
  if (HasItem(warned->ops, op)) return false;
  warned->ops.push_back(std::string(op));
  return true;
}

// The op is gone from graph version `since` on.
TENON_DETAIL_COLD inline Status CheckDeprecatedOp(std::string_view op, int since, std::string_view explanation,
                                                  int producer) {
  if (producer >= since)
    return errors::Unimplemented("Op ", op, " is not available in GraphDef version ", producer,
                                 ". It has been removed in version ", since, ". ", explanation, ".");
  if (FirstWarningFor(op))
    TENON_LOG(kWarning, "Op ", op, " is deprecated. It will cease to work in GraphDef version ", since, ". ",
              explanation, ".");
  return OkStatus();
}

}  // namespace detail

// Unimplemented when graphs of version `producer` may no longer hold the op; one warning for each op that will go with
// a later version. thread-safe.
inline Status CheckOpDeprecation(const OpView& op, int producer) {
  if (op.deprecated_since == 0) [[likely]]
    return OkStatus();
  return detail::CheckDeprecatedOp(op.name, op.deprecated_since, op.deprecation_text, producer);
}

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
