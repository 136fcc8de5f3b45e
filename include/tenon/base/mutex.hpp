// SPDX-License-Identifier: Apache-2.0
#pragma once
// Mutex, MutexLock, ConditionVariable: the system's own where it is the GNU C library, std's elsewhere. <mutex> and
// <condition_variable> bring tuples, shared pointers, the clocks and stop tokens into every program that runs a graph.
// base/spin_lock.hpp has a lock for short work.

#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/platform.hpp>

#if !TENON_DETAIL_PTHREAD_LOCKS
#include <chrono>
#include <condition_variable>
#include <mutex>
#endif

TENON_DETAIL_NAMESPACE_BEGIN

#if TENON_DETAIL_PTHREAD_LOCKS
// thread-safe. As std::mutex.
class Mutex {
 public:
  constexpr Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() { pthread_mutex_lock(&mutex_); }
  bool try_lock() { return pthread_mutex_trylock(&mutex_) == 0; }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  friend class ConditionVariable;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};
#else
using Mutex = std::mutex;
#endif

// Holds a mutex while it lives, or until unlock(). externally synchronised.
class [[nodiscard]] MutexLock {
 public:
  MutexLock() = default;  // holds none
  explicit MutexLock(Mutex& mutex) : mutex_(&mutex) { lock(); }
  MutexLock(MutexLock&& other) noexcept : mutex_(other.mutex_), owns_(other.owns_) { other.Forget(); }
  MutexLock& operator=(MutexLock&& other) noexcept {
    if (this == &other) return *this;
    if (owns_) unlock();
    mutex_ = other.mutex_;
    owns_ = other.owns_;
    other.Forget();
    return *this;
  }
  ~MutexLock() {
    if (owns_) mutex_->unlock();
  }

  // The mutex of the constructor, when it was unlocked in between.
  void lock() {
    mutex_->lock();
    owns_ = true;
  }
  void unlock() {
    owns_ = false;
    mutex_->unlock();
  }
  bool owns_lock() const { return owns_; }
  Mutex* mutex() const { return mutex_; }

 private:
  void Forget() {
    mutex_ = nullptr;
    owns_ = false;
  }

  Mutex* mutex_ = nullptr;
  bool owns_ = false;
};

// thread-safe. As std::condition_variable: it may also wake without a reason, so waits stand in a loop.
//
//   MutexLock lock(mutex_);
//   while (!ready_) changed_.wait(lock);
class ConditionVariable {
 public:
#if TENON_DETAIL_PTHREAD_LOCKS
  constexpr ConditionVariable() = default;
#else
  ConditionVariable() = default;  // libstdc++ has no constexpr one
#endif
  ConditionVariable(const ConditionVariable&) = delete;
  ConditionVariable& operator=(const ConditionVariable&) = delete;

#if TENON_DETAIL_PTHREAD_LOCKS
  // May be called as soon as no thread waits any more, also while a notify_all() is on its way out.
  ~ConditionVariable() { pthread_cond_destroy(&condition_); }

  void notify_one() { pthread_cond_signal(&condition_); }
  void notify_all() { pthread_cond_broadcast(&condition_); }
  void wait(MutexLock& lock) { pthread_cond_wait(&condition_, &lock.mutex()->mutex_); }
  // False when SteadyNanoseconds() (base/clock.hpp) has reached `deadline`.
  bool wait_until(MutexLock& lock, std::int64_t deadline) {
    if (deadline < 0) deadline = 0;
    const timespec when{static_cast<time_t>(deadline / 1'000'000'000), static_cast<long>(deadline % 1'000'000'000)};
    return pthread_cond_clockwait(&condition_, &lock.mutex()->mutex_, CLOCK_MONOTONIC, &when) == 0;
  }

 private:
  pthread_cond_t condition_ = PTHREAD_COND_INITIALIZER;
#else
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }
  void wait(MutexLock& lock) {
    std::unique_lock<std::mutex> held(*lock.mutex(), std::adopt_lock);
    condition_.wait(held);
    held.release();
  }
  // False when SteadyNanoseconds() (base/clock.hpp) has reached `deadline`.
  bool wait_until(MutexLock& lock, std::int64_t deadline) {
    using Clock = std::chrono::steady_clock;
    if (deadline < 0) deadline = 0;
    // Waits for a day at most: libstdc++ without pthread_cond_clockwait adds the time left to another clock, and the
    // sum would overflow.
    const Clock::time_point most = Clock::now() + std::chrono::hours(24);
    Clock::time_point when{std::chrono::duration_cast<Clock::duration>(std::chrono::nanoseconds(deadline))};
    const bool is_far = when > most;
    if (is_far) when = most;
    std::unique_lock<std::mutex> held(*lock.mutex(), std::adopt_lock);
    const bool in_time = condition_.wait_until(held, when) == std::cv_status::no_timeout;
    held.release();
    return in_time || is_far;
  }

 private:
  std::condition_variable condition_;
#endif
};

TENON_DETAIL_NAMESPACE_END
