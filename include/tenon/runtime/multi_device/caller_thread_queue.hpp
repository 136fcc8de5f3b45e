// SPDX-License-Identifier: Apache-2.0
#pragma once
// CallersQueue: a pool for one run, whose thread is the one that waits for the run. So a graph on several devices runs
// node after node on the caller's thread, as far as its devices have no threads of their own.

#include <cstddef>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/thread.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/device/thread_pool.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// thread-safe, but Serve, which is for one thread. One task runs at a time, in the order of Schedule. While a task says
// that it waits (ThreadPool::Waiting), others run on another thread: it may wait for them.
class CallersQueue final : public ThreadPoolInterface, private WaitedThreads {
 public:
  CallersQueue() = default;
  CallersQueue(const CallersQueue&) = delete;
  CallersQueue& operator=(const CallersQueue&) = delete;

  void Schedule(void (*fn)(void*), void* arg) override {
    const MutexLock lock(mutex_);
    tasks_.push_back({fn, arg});
    changed_.notify_all();
  }
  int NumThreads() const override { return 1; }
  void ParallelFor(Index total, Index, void (*fn)(void*, Index, Index), void* arg) override {
    if (total > 0) fn(arg, 0, total);
  }

  // Makes room for `count` tasks.
  void Reserve(std::size_t count) { tasks_.reserve(count); }
  // Runs tasks until Stop was called and none is left. Then the queue can be used again.
  void Serve() {
    ServeTasks();
    for (Thread thread = TakeHelper(); thread.joinable(); thread = TakeHelper()) thread.Join();
    const MutexLock lock(mutex_);  // the thread that called Stop has released it
    stopped_ = false;
    servers_ = 1;
  }
  // From any thread, as the last thing that it does with this.
  void Stop() {
    const MutexLock lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  static constexpr std::size_t kMostTaken = 1024;  // then, once half of all are taken, their places are used again
  struct Task {
    void (*fn)(void*) = nullptr;
    void* arg = nullptr;
  };

  void ServeTasks() {
    const WaitedThreads::OfThisThread mine(this);
    MutexLock lock(mutex_);
    while (true) {
      if (running_ || (next_ == tasks_.size() && !stopped_)) {
        changed_.wait(lock);
        continue;
      }
      if (next_ == tasks_.size()) return;
      const Task task = tasks_[next_++];
      if (next_ == tasks_.size() || (next_ >= kMostTaken && next_ >= tasks_.size() / 2)) DropTaken();
      running_ = true;
      lock.unlock();
      CallAndLog("a task of a run's queue", [task] { task.fn(task.arg); });
      lock.lock();
      running_ = false;
      if (servers_ > 1) changed_.notify_all();
    }
  }
  void DropTaken() {
    const std::size_t left = tasks_.size() - next_;
    for (std::size_t i = 0; i < left; ++i) tasks_[i] = tasks_[next_ + i];
    tasks_.resize(left);
    next_ = 0;
  }
  bool BeginWait() noexcept override {
    const MutexLock lock(mutex_);
    running_ = false;
    changed_.notify_all();
    ++waiting_;
    return ReplaceLocked();
  }
  bool Replace() noexcept override {
    const MutexLock lock(mutex_);
    return ReplaceLocked();
  }
  bool ReplaceLocked() noexcept {
    if (waiting_ < servers_) return true;
    Thread thread;
    const bool has_room = Succeeds([&] { helpers_.reserve(helpers_.size() + 1); });
    if (!has_room || !thread.Start<&CallersQueue::ServeTasks>(this)) return false;
    helpers_.push_back(std::move(thread));
    ++servers_;
    return true;
  }
  void EndWait() noexcept override {
    MutexLock lock(mutex_);
    while (running_) changed_.wait(lock);
    running_ = true;
    --waiting_;
  }
  Thread TakeHelper() {
    const MutexLock lock(mutex_);
    if (helpers_.empty()) return {};
    Thread thread = std::move(helpers_.back());
    helpers_.pop_back();
    return thread;
  }

  Mutex mutex_;
  ConditionVariable changed_;
  SlimVector<Task> tasks_;  // all of these under mutex_
  std::size_t next_ = 0;  // the first that nobody has taken
  bool running_ = false;  // some task is, and does not wait
  bool stopped_ = false;
  std::size_t servers_ = 1, waiting_ = 0;  // threads in Serve, and those of them that wait in a task
  SlimVector<Thread> helpers_;
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
