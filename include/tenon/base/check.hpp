// SPDX-License-Identifier: Apache-2.0
#pragma once
// TENON_CHECK: for programming errors, such as a view that is asked for with the wrong type. Data of a user or a
// graph never reaches it.

#include <cstdio>
#include <cstdlib>
#include <string>

#include <tenon/base/str.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {
[[noreturn]] TENON_DETAIL_COLD inline void DieOnFailedCheck(const char* file, int line, const char* condition,
                                                            const std::string& text) {
  std::fprintf(stderr, "%s:%d: check failed: %s%s%s\n", file, line, condition, text.empty() ? "" : ": ", text.c_str());
  std::abort();
}
}  // namespace detail

TENON_DETAIL_NAMESPACE_END

// Ends the process when the condition does not hold, and writes file, line, condition and the further arguments.
// Debug and release builds both check.
#define TENON_CHECK(condition, ...)                                                                    \
  do {                                                                                                 \
    if (!(condition)) [[unlikely]]                                                                     \
      ::tenon::detail::DieOnFailedCheck(__FILE__, __LINE__, #condition, ::tenon::StrCat(__VA_ARGS__)); \
  } while (false)
