// SPDX-License-Identifier: Apache-2.0
#pragma once
// Notification: an event that happens once, for threads that wait for it.

#include <atomic>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/check.hpp>
#include <tenon/base/clock.hpp>
#include <tenon/base/mutex.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// thread-safe. A thread that waited sees everything that happened before Notify(). The Notification may be destroyed
// as soon as a wait returned, even while Notify() is still on its way out.
//
//   Notification done;
//   callable.RunAsync(args, [&done](Status) { done.Notify(); });
//   done.WaitForNotification();
class Notification {
 public:
  Notification() = default;
  Notification(const Notification&) = delete;
  Notification& operator=(const Notification&) = delete;
  ~Notification() { MutexLock lock(mutex_); }  // waits for a Notify() that still holds it

  // Once only.
  void Notify() {
    MutexLock lock(mutex_);
    TENON_CHECK(!notified_.load(std::memory_order_relaxed), "Notification::Notify: called twice.");
    notified_.store(true, std::memory_order_release);
    changed_.notify_all();
  }

  bool HasBeenNotified() const { return notified_.load(std::memory_order_acquire); }

  void WaitForNotification() const {
    if (HasBeenNotified()) return;
    MutexLock lock(mutex_);
    while (!notified_.load(std::memory_order_relaxed)) changed_.wait(lock);
  }

  // False if nothing happened within that time.
  bool WaitForNotificationWithTimeout(std::int64_t microseconds) const {
    if (HasBeenNotified()) return true;
    const std::int64_t deadline = DeadlineIn(microseconds, 1'000);
    MutexLock lock(mutex_);
    while (!notified_.load(std::memory_order_relaxed)) {
      if (!changed_.wait_until(lock, deadline)) break;
    }
    return notified_.load(std::memory_order_relaxed);
  }

 private:
  mutable Mutex mutex_;
  mutable ConditionVariable changed_;
  std::atomic<bool> notified_{false};
};

TENON_DETAIL_NAMESPACE_END
