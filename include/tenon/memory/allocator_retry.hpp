// SPDX-License-Identifier: Apache-2.0
#pragma once
// AllocatorRetry: waits for other threads to give memory back when an allocation fails.

#include <atomic>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/clock.hpp>
#include <tenon/base/mutex.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// thread-safe. A member of the allocator:
//
//   void* ptr = retry_.AllocateRaw([&](bool is_last) { return Try(bytes, is_last); }, 10000);   // to allocate
//   { MutexLock lock(mutex_); ... }                                                             // to free
//   retry_.NotifyDealloc();
//
// No memory that comes back between a try and the wait is missed, as long as tries and frees hold one lock.
class AllocatorRetry {
 public:
  // Calls attempt(false) now and whenever memory came back, until it gives a pointer or the time is over; then
  // attempt(true), once.
  template <class Attempt>
  void* AllocateRaw(Attempt attempt, std::int64_t max_milliseconds) {
    const Waiter waiter(*this);
    const std::int64_t deadline = DeadlineIn(max_milliseconds, 1'000'000);
    for (;;) {
      const std::uint64_t before = num_returns();
      if (void* const ptr = attempt(false); ptr != nullptr) return ptr;
      if (!WaitForReturn(before, deadline)) return attempt(true);
    }
  }

  // After memory came back. One load when nobody waits.
  void NotifyDealloc() {
    if (num_waiters_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      WakeWaiters();
  }

 private:
  // Announces a waiter. It does so before the waiter's try takes the allocator's lock: a free that comes after the try
  // sees it.
  class Waiter {
   public:
    explicit Waiter(AllocatorRetry& retry) : retry_(retry) {
      retry_.num_waiters_.fetch_add(1, std::memory_order_relaxed);
    }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;
    ~Waiter() { retry_.num_waiters_.fetch_sub(1, std::memory_order_relaxed); }

   private:
    AllocatorRetry& retry_;
  };

  std::uint64_t num_returns() {
    MutexLock lock(mutex_);
    return num_returns_;
  }
  // False when the time is over and nothing came back.
  TENON_DETAIL_COLD bool WaitForReturn(std::uint64_t before, std::int64_t deadline) {
    MutexLock lock(mutex_);
    while (num_returns_ == before) {
      if (!memory_returned_.wait_until(lock, deadline)) break;
    }
    return num_returns_ != before && SteadyNanoseconds() < deadline;
  }
  TENON_DETAIL_COLD void WakeWaiters() {
    MutexLock lock(mutex_);
    ++num_returns_;
    memory_returned_.notify_all();
  }

  std::atomic<int> num_waiters_{0};
  Mutex mutex_;
  ConditionVariable memory_returned_;
  std::uint64_t num_returns_ = 0;  // under the lock
};

TENON_DETAIL_NAMESPACE_END
