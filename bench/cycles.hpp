// SPDX-License-Identifier: Apache-2.0
#pragma once
// The processor's own count of the cycles that this thread has spent in user mode: a clock that stands still while
// another program has the core, and that does not care how fast the core runs. On Linux, where the system allows it.

#include <cstdint>

#if defined(__linux__)
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tenon::bench {

namespace detail {
#if defined(__linux__)
inline int OpenCycleCounter() {
  perf_event_attr counter{};
  counter.size = sizeof counter;
  counter.type = PERF_TYPE_HARDWARE;
  counter.config = PERF_COUNT_HW_CPU_CYCLES;
  counter.exclude_kernel = 1;
  counter.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &counter, 0, -1, -1, 0));
}
// Of the thread that asks first.
inline int CycleCounter() {
  static const int file = OpenCycleCounter();
  return file;
}
#else
inline int CycleCounter() { return -1; }
#endif
}  // namespace detail

inline bool CanCountCycles() { return detail::CycleCounter() >= 0; }
inline double NowCycles() {
  std::uint64_t cycles = 0;
#if defined(__linux__)
  if (read(detail::CycleCounter(), &cycles, sizeof cycles) != sizeof cycles) return 0;
#endif
  return static_cast<double>(cycles);
}

}  // namespace tenon::bench
