// SPDX-License-Identifier: Apache-2.0
#pragma once
// DeadlineTimer: calls functions at points in time, on one thread of the process that starts with the first of them.
// The child of a fork() starts its own; it does not call what its parent's threads wait for.

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <tenon/base/clock.hpp>
#include <tenon/base/fork.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/thread.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// thread-safe. The functions should be short: they keep others from being called in time.
//
//   const auto entry = DeadlineTimer::Global().Add(deadline, [&] { cancellation.StartCancel(); });
//   ...
//   const bool in_time = DeadlineTimer::Global().Remove(entry);
class DeadlineTimer {
 public:
  using Entry = std::int64_t;

  // Never destroyed: its thread waits until the process ends.
  static DeadlineTimer& Global() {
    static DeadlineTimer* const timer = new DeadlineTimer();
    return *timer;
  }

  // `when`: SteadyNanoseconds() of the call.
  Entry Add(std::int64_t when, Function<void()> call) {
    NoticeFork();
    const MutexLock lock(mutex_);
    if (!started_) Start();
    waiting_.push_back({++last_, when, std::move(call)});
    changed_.notify_all();
    return last_;
  }
  // True when the function will never be called. Otherwise waits until it has returned: not to be called from it.
  bool Remove(Entry entry) {
    NoticeFork();
    MutexLock lock(mutex_);
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (waiting_[i].entry != entry) continue;
      if (i + 1 != waiting_.size()) std::swap(waiting_[i], waiting_.back());
      waiting_.pop_back();
      return true;
    }
    while (calling_ == entry) changed_.wait(lock);
    return false;
  }

 private:
  struct Waiting {
    Entry entry;
    std::int64_t when;
    Function<void()> call;
  };

  DeadlineTimer() = default;

  // Another thread of the parent may have held the lock: everything begins anew. What the functions hold is of runs
  // that this process does not have, and is never freed here.
  void NoticeFork() {
    if (fork_.IsRepaired()) [[likely]]
      return;
    fork_.Repair([this] {
      new (&mutex_) Mutex();
      new (&changed_) ConditionVariable();
      new (&waiting_) SlimVector<Waiting>();
      started_ = false;
      calling_ = 0;
    });
  }

  // Where the system has no thread now, the next Add tries again.
  void Start() {
    Thread thread;
    started_ = thread.Start<&DeadlineTimer::Main>(this);
    if (started_) thread.Detach();
  }

  void Main() {
    MutexLock lock(mutex_);
    for (;;) {
      if (waiting_.empty()) {
        changed_.wait(lock);
        continue;
      }
      std::size_t first = 0;
      for (std::size_t i = 1; i < waiting_.size(); ++i)
        if (waiting_[i].when < waiting_[first].when) first = i;
      if (const std::int64_t when = waiting_[first].when; when > SteadyNanoseconds()) {
        (void)changed_.wait_until(lock, when);
        continue;
      }
      Waiting due = std::move(waiting_[first]);
      if (first + 1 != waiting_.size()) std::swap(waiting_[first], waiting_.back());
      waiting_.pop_back();
      calling_ = due.entry;
      lock.unlock();
      due.call();
      due.call = nullptr;
      lock.lock();
      calling_ = 0;
      changed_.notify_all();
    }
  }

  ForkGuard fork_;
  Mutex mutex_;
  ConditionVariable changed_;
  bool started_ = false;
  Entry last_ = 0;
  Entry calling_ = 0;  // being called at the moment; 0: none
  SlimVector<Waiting> waiting_;
};

TENON_DETAIL_NAMESPACE_END
