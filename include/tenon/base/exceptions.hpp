// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exceptions of users' code (kernels, shape functions, callbacks) end here, where the program has exceptions: Tenon
// itself throws nothing, and lets nothing through.

#include <exception>
#include <new>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/status.hpp>

TENON_NAMESPACE_BEGIN

namespace detail {

#if defined(__cpp_exceptions)
// Inside of a catch (...). "where: what"; Internal, ResourceExhausted for std::bad_alloc.
TENON_COLD inline Status StatusOfException(std::string_view where) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return errors::ResourceExhausted(where, ": std::bad_alloc: no memory");
  } catch (const std::exception& e) {
    return errors::Internal(where, ": ", e.what());
  } catch (...) {
    return errors::Internal(where, ": something that is no std::exception");
  }
}
#endif

// Calls what gives no Status: what it throws is logged. `who`: "a cancellation callback".
template <class Callback>
void CallAndLog(std::string_view who, Callback&& callback) {
#if defined(__cpp_exceptions)
  try {
    callback();
  } catch (...) {
    TENON_LOG(kError, StatusOfException(StrCat(who, " threw")).message());
  }
#else
  (void)who;
  callback();
#endif
}

}  // namespace detail

TENON_NAMESPACE_END
