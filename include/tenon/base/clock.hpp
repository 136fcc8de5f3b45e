// SPDX-License-Identifier: Apache-2.0
#pragma once
// The two clocks, as nanoseconds in an int64. <chrono> has them, too, but costs a program that runs one graph more
// compile time than the graph's ops do.

#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/platform.hpp>

#if !TENON_DETAIL_PTHREADS
#include <chrono>
#endif

TENON_DETAIL_NAMESPACE_BEGIN

#if TENON_DETAIL_PTHREADS
namespace detail {
inline std::int64_t ReadClock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}
}  // namespace detail

// Never jumps: for spans of time. std::chrono::steady_clock counts from the same moment, which says nothing.
inline std::int64_t SteadyNanoseconds() { return detail::ReadClock(CLOCK_MONOTONIC); }
// Since 1970-01-01 00:00 UTC.
inline std::int64_t SystemNanoseconds() { return detail::ReadClock(CLOCK_REALTIME); }
#else
inline std::int64_t SteadyNanoseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}
inline std::int64_t SystemNanoseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}
#endif

// SteadyNanoseconds() after `count` units of so many nanoseconds; the end of time where that is later.
inline std::int64_t DeadlineIn(std::int64_t count, std::int64_t unit_nanoseconds) {
  const std::int64_t now = SteadyNanoseconds();
  if (count > (INT64_MAX - now) / unit_nanoseconds) return INT64_MAX;
  return count <= 0 ? now : now + count * unit_nanoseconds;
}

TENON_DETAIL_NAMESPACE_END
