// SPDX-License-Identifier: Apache-2.0
#pragma once
// ForkCount, ForkGuard: how an object notices that its process is the child of a fork(). The child has no thread but
// the one that called fork(), and nobody unlocks a lock that another thread held.

#include <atomic>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/platform.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline constinit std::atomic<std::uint32_t> fork_count{0};

// From now on forks are counted. Thread and ForkGuard call it: a process without them has nothing to repair.
TENON_DETAIL_COLD inline void WatchForks() {
#if TENON_DETAIL_POSIX
  [[maybe_unused]] static const int watched =
      pthread_atfork(nullptr, nullptr, [] { fork_count.fetch_add(1, std::memory_order_relaxed); });
#endif
}

}  // namespace detail

// How many forks are between this process and the one that started; 0 where systems have no fork(). One load.
// vfork(), posix_spawn() and clone() do not count: their children only call exec.
TENON_DETAIL_ALWAYS_INLINE std::uint32_t ForkCount() { return detail::fork_count.load(std::memory_order_relaxed); }

// For an object with threads or locks that is used in the child of a fork() as well. thread-safe.
//
//   void Add(Task task) {
//     if (!fork_.IsRepaired()) fork_.Repair([this] { ForgetThreads(); });
class ForkGuard {
 public:
  ForkGuard() { detail::WatchForks(); }
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;

  // True where the object was made, or repaired, in this process. About a nanosecond.
  TENON_DETAIL_ALWAYS_INLINE bool IsRepaired() const {
    return repaired_.load(std::memory_order_acquire) == ForkCount();
  }
  // Calls repair() once in this process; other threads wait for its end.
  template <class Call>
  TENON_DETAIL_COLD void Repair(const Call& repair) {
    const std::uint32_t now = ForkCount();
    if (std::uint32_t begun = begun_.load(); begun != now && begun_.compare_exchange_strong(begun, now)) {
      repair();
      repaired_.store(now, std::memory_order_release);
    }
    while (!IsRepaired()) detail::YieldThread();
  }

 private:
  std::atomic<std::uint32_t> begun_{ForkCount()};
  std::atomic<std::uint32_t> repaired_{ForkCount()};
};

TENON_DETAIL_NAMESPACE_END
