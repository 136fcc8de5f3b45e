// SPDX-License-Identifier: Apache-2.0
#pragma once
// TENON_CHECK: for mistakes of the program itself (a view asked with the wrong type). Never reached from data of a user
// or a graph.

#include <cstdio>
#include <cstdlib>
#include <string>

#include <tenon/base/str.hpp>

TENON_NAMESPACE_BEGIN

namespace detail {
[[noreturn]] TENON_COLD inline void DieOnFailedCheck(const char* file, int line, const char* condition,
                                                     const std::string& text) {
  std::fprintf(stderr, "%s:%d: check failed: %s%s%s\n", file, line, condition, text.empty() ? "" : ": ", text.c_str());
  std::abort();
}
}  // namespace detail

TENON_NAMESPACE_END

// Ends the program with file, line, condition and the text of the further arguments when the condition does not hold.
// The same in debug and release.
#define TENON_CHECK(condition, ...)                                                                    \
  do {                                                                                                 \
    if (!(condition)) [[unlikely]]                                                                     \
      ::tenon::detail::DieOnFailedCheck(__FILE__, __LINE__, #condition, ::tenon::StrCat(__VA_ARGS__)); \
  } while (false)
