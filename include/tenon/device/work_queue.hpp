// SPDX-License-Identifier: Apache-2.0
#pragma once
// WorkQueue: a thread that does what it is given, in order, as a stream of a GPU does; events mark places in it. In the
// child of a fork() it has a new thread, and counts what the parent had queued as done.

#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/fork.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/thread.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// thread-safe. The destructor waits until all is done. Work may add work, but not wait for it.
//
//   WorkQueue queue("SIM:0");
//   queue.Add([&] { Copy(); });
//   WorkQueue::Event copied = queue.Record();
//   copied.Wait();
class WorkQueue {
 public:
  // A place in the queue: all that was added before it. Lives as long as its queue.
  class Event {
   public:
    Event() = default;  // happened already
    bool IsDone() const { return queue_ == nullptr || queue_->Done() >= number_; }
    // Not on the queue's own thread.
    void Wait() const {
      if (queue_ != nullptr) queue_->WaitFor(number_);
    }

   private:
    friend class WorkQueue;
    Event(const WorkQueue* queue, std::uint64_t number) : queue_(queue), number_(number) {}
    const WorkQueue* queue_ = nullptr;
    std::uint64_t number_ = 0;
  };

  // `name` is what a debugger shows (its first 15 characters). Where the system has no thread, Add does the work
  // itself.
  explicit WorkQueue(std::string_view name) : name_(name) { (void)thread_.Start<&WorkQueue::Main>(this); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;
  ~WorkQueue() {
    if (!fork_.IsRepaired()) fork_.Repair([this] { ForgetThread(); });
    {
      const MutexLock lock(mutex_);
      stopping_ = true;
    }
    added_.notify_one();
    if (thread_.joinable()) thread_.Join();
  }

  void Add(Function<void()> work) {
    NoticeFork();
    if (!thread_.joinable()) return RunHere(&work);
    {
      const MutexLock lock(mutex_);
      work_.push_back(std::move(work));
      ++last_;
    }
    added_.notify_one();
  }
  Event Record() const {
    NoticeFork();
    const MutexLock lock(mutex_);
    return Event(this, last_);
  }
  // Makes work that is added from now on wait for the event, which may be of another queue.
  void AddWait(Event event) {
    Add([event] { event.Wait(); });
  }
  void Synchronize() const { Record().Wait(); }
  bool IsThisThread() const { return current_queue == this; }

 private:
  // In the child of a fork() another thread takes the place of the one that the child does not have.
  void NoticeFork() const {
    if (fork_.IsRepaired()) [[likely]]
      return;
    auto* const self = const_cast<WorkQueue*>(this);
    fork_.Repair([self] {
      self->ForgetThread();
      (void)self->thread_.Start<&WorkQueue::Main>(self);
    });
  }
  // Queued work refers to runs of the parent: it is neither done nor freed.
  TENON_DETAIL_COLD void ForgetThread() {
    new (&mutex_) Mutex();
    new (&added_) ConditionVariable();
    new (&finished_) ConditionVariable();
    new (&work_) SlimVector<Function<void()>>();
    done_ = last_;
    thread_ = Thread();
  }
  std::uint64_t Done() const {
    NoticeFork();
    const MutexLock lock(mutex_);
    return done_;
  }
  void WaitFor(std::uint64_t number) const {
    NoticeFork();
    MutexLock lock(mutex_);
    while (done_ < number) finished_.wait(lock);
  }
  TENON_DETAIL_COLD void RunHere(Function<void()>* work) {
    detail::CallAndLog("a piece of work in a device's queue", *work);
    const MutexLock lock(mutex_);
    done_ = ++last_;
  }
  void Main() {
    current_queue = this;
    Thread::NameThis(name_.c_str());
    MutexLock lock(mutex_);
    for (;;) {
      while (work_.empty() && !stopping_) added_.wait(lock);
      if (work_.empty()) return;
      SlimVector<Function<void()>> work;
      work.swap(work_);
      for (Function<void()>& item : work) {
        lock.unlock();
        detail::CallAndLog("a piece of work in a device's queue", item);
        item = nullptr;  // what it held goes before anybody is told that it is done
        lock.lock();
        ++done_;
        finished_.notify_all();
      }
    }
  }

  inline static thread_local const WorkQueue* current_queue = nullptr;  // whose thread this is

  const std::string name_;
  mutable ForkGuard fork_;
  mutable Mutex mutex_;
  ConditionVariable added_;
  mutable ConditionVariable finished_;
  SlimVector<Function<void()>> work_;
  std::uint64_t last_ = 0, done_ = 0;  // pieces of work, since the beginning
  bool stopping_ = false;
  Thread thread_;  // the last member: it uses the others
};

TENON_DETAIL_NAMESPACE_END
