// SPDX-License-Identifier: Apache-2.0
#pragma once
// mutex, mutex_lock, condition_variable, Notification and BlockingCounter.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include <tenon/base/mutex.hpp>
#include <tenon/compat/tensorflow/base/macros.hpp>
#include <tenon/compat/tensorflow/base/names.hpp>

namespace tensorflow {

enum LinkerInitialized { LINKER_INITIALIZED };

// A function of one argument, or a flag, that mutex::Await asks.
class Condition {
 public:
  template <class T>
  Condition(bool (*call)(T*), T* argument) : ask_([call, argument] { return call(argument); }) {}
  template <class T>
  Condition(T* object, bool (T::*method)()) : ask_([object, method] { return (object->*method)(); }) {}
  template <class T>
  Condition(const T* object, bool (T::*method)() const) : ask_([object, method] { return (object->*method)(); }) {}
  explicit Condition(const bool* flag) : ask_([flag] { return *flag; }) {}
  bool Eval() const { return ask_(); }

 private:
  std::function<bool()> ask_;
};

// thread-safe. Shared locks exclude each other, too: the object is Tenon's, so that variables lend theirs.
class mutex : public tenon::Mutex {
 public:
  mutex() = default;
  explicit mutex(LinkerInitialized) {}
  void lock_shared() { lock(); }
  bool try_lock_shared() { return try_lock(); }
  void unlock_shared() { unlock(); }
  // Waits, with the lock held, until the condition is true; other holders may run meanwhile.
  void Await(const Condition& condition);
  bool AwaitWithDeadline(const Condition& condition, std::uint64_t abs_deadline_ns);
  void assert_held() const {}
  void assert_held_shared() const {}
};
static_assert(sizeof(mutex) == sizeof(tenon::Mutex));
inline void mutex::Await(const Condition& condition) { (void)AwaitWithDeadline(condition, ~std::uint64_t{0}); }
// The end is a time of the clock since 1970. False: it passed first.
inline bool mutex::AwaitWithDeadline(const Condition& condition, std::uint64_t abs_deadline_ns) {
  while (!condition.Eval()) {
    const auto now =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch());
    if (static_cast<std::uint64_t>(now.count()) >= abs_deadline_ns) return false;
    unlock();
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    lock();
  }
  return true;
}

class mutex_lock {
 public:
  typedef ::tensorflow::mutex mutex_type;
  explicit mutex_lock(mutex_type& mutex) : mutex_(&mutex) { mutex.lock(); }
  mutex_lock(mutex_type& mutex, std::try_to_lock_t) : mutex_(mutex.try_lock() ? &mutex : nullptr) {}
  mutex_lock(mutex_lock&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
  ~mutex_lock() {
    if (mutex_ != nullptr) mutex_->unlock();
  }
  mutex_type* mutex() { return mutex_; }
  explicit operator bool() const { return mutex_ != nullptr; }
  void unlock() { std::exchange(mutex_, nullptr)->unlock(); }
  // For condition variables.
  void lock_again() { mutex_->lock(); }
  void unlock_for_now() { mutex_->unlock(); }

 private:
  mutex_type* mutex_;
};
class tf_shared_lock : public mutex_lock {
 public:
  using mutex_lock::mutex_lock;
};

enum ConditionResult { kCond_Timeout, kCond_MaybeNotified };

class condition_variable {
 public:
  void wait(mutex_lock& lock) {
    Waiter waiter{&lock};
    condition_.wait(waiter);
  }
  template <class Predicate>
  void wait(mutex_lock& lock, Predicate is_done) {
    while (!is_done()) wait(lock);
  }
  template <class Rep, class Period>
  std::cv_status wait_for(mutex_lock& lock, std::chrono::duration<Rep, Period> time) {
    Waiter waiter{&lock};
    return condition_.wait_for(waiter, time);
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  struct Waiter {
    mutex_lock* held;
    void lock() { held->lock_again(); }
    void unlock() { held->unlock_for_now(); }
  };
  std::condition_variable_any condition_;
};
inline ConditionResult WaitForMilliseconds(mutex_lock* lock, condition_variable* condition, std::int64_t ms) {
  return condition->wait_for(*lock, std::chrono::milliseconds(ms)) == std::cv_status::timeout ? kCond_Timeout
                                                                                              : kCond_MaybeNotified;
}

class Notification {
 public:
  void Notify() {
    mutex_lock lock(mutex_);
    notified_ = true;
    changed_.notify_all();
  }
  bool HasBeenNotified() const {
    mutex_lock lock(mutex_);
    return notified_;
  }
  void WaitForNotification() {
    mutex_lock lock(mutex_);
    while (!notified_) changed_.wait(lock);
  }
  // False: the time has passed.
  friend bool WaitForNotificationWithTimeout(Notification* notification, std::int64_t microseconds) {
    mutex_lock lock(notification->mutex_);
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
    for (auto left = end - std::chrono::steady_clock::now(); !notification->notified_ && left.count() > 0;
         left = end - std::chrono::steady_clock::now())
      notification->changed_.wait_for(lock, left);
    return notification->notified_;
  }

 private:
  mutable mutex mutex_;
  condition_variable changed_;
  bool notified_ = false;
};

// Waits until it was counted down to zero. The counter may go as soon as a wait returned.
class BlockingCounter {
 public:
  explicit BlockingCounter(int count) : count_(count) {}
  // True: the count is zero now.
  bool DecrementCount() {
    mutex_lock lock(mutex_);
    const bool zero = --count_ == 0;
    if (zero) zero_.notify_all();
    return zero;
  }
  void Wait() {
    mutex_lock lock(mutex_);
    while (count_ > 0) zero_.wait(lock);
  }
  bool WaitFor(std::chrono::milliseconds time) {
    mutex_lock lock(mutex_);
    const auto end = std::chrono::steady_clock::now() + time;
    while (count_ > 0 && std::chrono::steady_clock::now() < end)
      zero_.wait_for(lock, end - std::chrono::steady_clock::now());
    return count_ <= 0;
  }

 private:
  mutex mutex_;
  condition_variable zero_;
  int count_;
};

}  // namespace tensorflow
