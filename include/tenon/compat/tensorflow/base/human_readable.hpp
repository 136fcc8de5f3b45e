// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers for readers: 1.50k, 1.5KiB, 2.5 min.

#include <cmath>
#include <cstdint>
#include <string>

#include <tenon/compat/tensorflow/base/strings.hpp>

namespace tensorflow {
namespace strings {

inline std::string HumanReadableNum(int64_t value) {
  const char* const sign = value < 0 ? "-" : "";
  double rest = std::abs(static_cast<double>(value));
  if (rest < 1000) return Printf("%s%d", sign, static_cast<int>(rest));
  if (rest >= 1e15) return Printf("%s%0.3G", sign, rest);
  const char* unit = "kMBT";
  for (rest /= 1000; rest >= 999.995 && unit[1] != '\0'; rest /= 1000) ++unit;
  return Printf("%s%.2f%c", sign, rest, *unit);
}
inline std::string HumanReadableNumBytes(int64_t bytes) {
  const char* const sign = bytes < 0 ? "-" : "";
  const double all = std::abs(static_cast<double>(bytes));
  if (all < 1024) return Printf("%s%dB", sign, static_cast<int>(all));
  const char* unit = "KMGTPE";
  double rest = all / 1024;
  for (; rest >= 1023.995 && unit[1] != '\0'; rest /= 1024) ++unit;
  return Printf(*unit == 'K' ? "%s%.1f%ciB" : "%s%.2f%ciB", sign, rest, *unit);
}
inline std::string HumanReadableElapsedTime(double seconds) {
  const std::string sign = seconds < 0 ? "-" : "";
  seconds = std::abs(seconds);
  if (seconds < 1e-6) return sign + Printf("%0.3G s", seconds);
  if (seconds < 1e-3) return sign + Printf("%0.3G us", seconds * 1e6);
  if (seconds < 1) return sign + Printf("%0.3G ms", seconds * 1e3);
  if (seconds < 60) return sign + Printf("%0.3G s", seconds);
  if (seconds < 3600) return sign + Printf("%0.3G min", seconds / 60);
  if (seconds < 86400) return sign + Printf("%0.3G h", seconds / 3600);
  return sign + Printf("%0.3G days", seconds / 86400);
}

}  // namespace strings
}  // namespace tensorflow
