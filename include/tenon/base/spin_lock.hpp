// SPDX-License-Identifier: Apache-2.0
#pragma once
// SpinLock, which a header that session.hpp reaches may hold: it needs nothing of <mutex>.

#include <atomic>

#include <tenon/base/config.hpp>
#include <tenon/base/platform.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// For short work under the lock; rare long work makes waiting threads nap. About 5 ns when no other thread holds it.
// unlock() is one store and touches nothing after it, so that the next holder may destroy the lock.
class SpinLock {
 public:
  constexpr SpinLock() = default;
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

  void lock() {
    while (locked_.exchange(true, std::memory_order_acquire)) [[unlikely]]
      WaitUntilFree();
  }
  bool try_lock() {
    return !locked_.load(std::memory_order_relaxed) && !locked_.exchange(true, std::memory_order_acquire);
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  // Reads until the lock looks free: first without a pause, as it is held for a few instructions as a rule; then lets
  // other threads run, for the holder may have lost its core; then sleeps, for the holder may be in a system call.
  TENON_DETAIL_COLD void WaitUntilFree() const {
    for (int round = 0; locked_.load(std::memory_order_relaxed); ++round) {
      if (round >= kRoundsUntilNap)
        detail::NapThread(kNapNanoseconds);
      else if (round >= kRoundsUntilYield)
        detail::YieldThread();
    }
  }

  static constexpr int kRoundsUntilYield = 100;
  static constexpr int kRoundsUntilNap = 400;
  static constexpr long kNapNanoseconds = 50000;

  std::atomic<bool> locked_{false};
};

// Holds the lock while it lives.
class [[nodiscard]] SpinLockHolder {
 public:
  explicit SpinLockHolder(SpinLock& lock) : lock_(lock) { lock.lock(); }
  ~SpinLockHolder() { lock_.unlock(); }
  SpinLockHolder(const SpinLockHolder&) = delete;
  SpinLockHolder& operator=(const SpinLockHolder&) = delete;

 private:
  SpinLock& lock_;
};

TENON_DETAIL_NAMESPACE_END
