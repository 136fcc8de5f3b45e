// SPDX-License-Identifier: Apache-2.0
#pragma once
// Calls RegisterAllocatorFromEnvironment() before main, for <tenon/env_allocator.hpp>. New programs call it themselves
// (memory/environment_bfc.hpp).

#include <tenon/base/config.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/status.hpp>
#include <tenon/memory/environment_bfc.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {
// Logs errors in the environment; the choice is then as without the variables.
inline bool RegisterAllocatorBeforeMain() {
  const Status status = RegisterAllocatorFromEnvironment();
  if (!status.ok()) TENON_LOG(kError, "env_allocator.hpp: ", status.message());
  return status.ok();
}
inline const bool environment_allocator_registered = RegisterAllocatorBeforeMain();
}  // namespace detail

TENON_DETAIL_NAMESPACE_END
