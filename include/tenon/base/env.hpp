// SPDX-License-Identifier: Apache-2.0
#pragma once
// Environment variables as numbers and switches. Do not change the environment while another thread reads it.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/str.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {
inline Status BadEnv(const char* name, std::string_view type, std::string_view text, std::string_view used) {
  return Status(Code::kInvalidArgument, StrCat("Failed to parse the env-var ${", name, "} into ", type, ": ", text,
                                               ". Use the default value: ", used));
}
inline bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    if (c != lower[i]) return false;
  }
  return true;
}
}  // namespace detail

// The readers set *value to `default_value` when the variable is not set, and also when its string makes no sense:
// then the Status says so, and the caller may ignore it.

inline void GetEnvString(const char* name, std::string_view default_value, std::string* value) {
  const char* text = std::getenv(name);
  value->assign(text == nullptr ? default_value : std::string_view(text));
}

// "0" and "false" in any case are false, "1" and "true" are true.
inline Status GetEnvBool(const char* name, bool default_value, bool* value) {
  *value = default_value;
  const char* text = std::getenv(name);
  if (text == nullptr) return OkStatus();
  const bool yes = std::string_view(text) == "1" || detail::EqualsIgnoringCase(text, "true");
  const bool no = std::string_view(text) == "0" || detail::EqualsIgnoringCase(text, "false");
  if (!yes && !no) return detail::BadEnv(name, "bool", text, default_value ? "1" : "0");
  *value = yes;
  return OkStatus();
}

inline Status GetEnvInt64(const char* name, std::int64_t default_value, std::int64_t* value) {
  *value = default_value;
  const char* text = std::getenv(name);
  if (text == nullptr || ParseInt64(text, value)) return OkStatus();
  *value = default_value;
  return detail::BadEnv(name, "int64", text, StrCat(default_value));
}

inline Status GetEnvDouble(const char* name, double default_value, double* value) {
  *value = default_value;
  const char* text = std::getenv(name);
  if (text == nullptr || ParseDouble(text, value)) return OkStatus();
  *value = default_value;
  return detail::BadEnv(name, "double", text, StrCat(default_value));
}

TENON_DETAIL_NAMESPACE_END
