// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exceptions end here, where the program has exceptions: those of users' code (kernels, shape functions, callbacks) and
// std::bad_alloc. Tenon's functions throw nothing: CatchAll stands around every call that a program makes, and around
// what runs on a pool's thread. Between them objects clean up after themselves.
//
// Without exceptions (-fno-exceptions) an operator new that has no memory ends the process: NoMemoryEndsProcess says so
// on stderr. Buffers of tensors come from allocators, which return null, and give ResourceExhausted there, too.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <new>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

#if !defined(__cpp_exceptions)
[[noreturn]] TENON_DETAIL_COLD inline void NoMemoryEndsProcess() {
  std::fputs("tenon: operator new has no memory; compiled without exceptions, the process ends\n", stderr);
  std::abort();
}
#endif
// Without exceptions: installs NoMemoryEndsProcess, unless the program has a handler of its own.
inline void PrepareForNoMemory() {
#if !defined(__cpp_exceptions)
  if (std::get_new_handler() == nullptr) std::set_new_handler(&NoMemoryEndsProcess);
#endif
}

#if defined(__cpp_exceptions)
// Inside of a catch (...). "where: what"; Internal, ResourceExhausted for std::bad_alloc.
TENON_DETAIL_COLD inline Status StatusOfException(std::initializer_list<Piece> where) noexcept {
  std::string text;
  try {
    text = CatPieces(where);
    throw;
  } catch (const std::bad_alloc&) {
    return text.empty() ? Status::NoMemory() : errors::ResourceExhausted(text, ": std::bad_alloc: no memory");
  } catch (const std::exception& e) {
    return errors::Internal(text, ": ", e.what());
  } catch (...) {
    return errors::Internal(text, ": something that is no std::exception");
  }
}
TENON_DETAIL_COLD inline Status StatusOfException(std::string_view where) noexcept {
  return StatusOfException(std::initializer_list<Piece>{where});
}
#endif

// Logs an error; nothing without memory.
TENON_DETAIL_COLD inline void LogStatus(const Status& error) noexcept {
#if defined(__cpp_exceptions)
  try {
    TENON_LOG(kError, error.message());
  } catch (const std::bad_alloc&) {
  }
#else
  TENON_LOG(kError, error.message());
#endif
}

// call(), a Status or Result; what it throws becomes one. `where` begins the message: "Session::Run".
template <class Call>
TENON_DETAIL_ALWAYS_INLINE auto CatchAll([[maybe_unused]] std::string_view where, Call&& call) -> decltype(call()) {
#if defined(__cpp_exceptions)
  try {
    return call();
  } catch (...) {
    return StatusOfException(where);
  }
#else
  return call();
#endif
}
// Calls what may do without memory: what it throws is forgotten. False: it threw.
template <class Call>
bool Succeeds(Call&& call) noexcept {
#if defined(__cpp_exceptions)
  try {
    call();
    return true;
  } catch (...) {
    return false;
  }
#else
  call();
  return true;
#endif
}

// Calls what gives no Status: what it throws is logged. `who`: "a cancellation callback".
template <class Callback>
void CallAndLog(std::string_view who, Callback&& callback) {
#if defined(__cpp_exceptions)
  try {
    callback();
  } catch (...) {
    LogStatus(StatusOfException({who, " threw"}));
  }
#else
  (void)who;
  callback();
#endif
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
