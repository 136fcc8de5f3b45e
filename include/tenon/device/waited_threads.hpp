// SPDX-License-Identifier: Apache-2.0
#pragma once
// WaitedThreads: threads that take tasks and may be replaced while a task of theirs waits.

#include <utility>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {
// Threads that take tasks, and want to hear when one of them waits for what may be queued behind its task.
class WaitedThreads {
 public:
  // The thread begins to wait. Returns what Replace does.
  virtual bool BeginWait() noexcept = 0;
  // While a thread waits: starts another where all wait. False: the system has none, or no memory for it.
  virtual bool Replace() noexcept = 0;
  virtual void EndWait() noexcept = 0;
  // Says whose this thread is, while it lives.
  class OfThisThread {
   public:
    explicit OfThisThread(WaitedThreads* threads) : before_(std::exchange(current, threads)) {}
    OfThisThread(const OfThisThread&) = delete;
    OfThisThread& operator=(const OfThisThread&) = delete;
    ~OfThisThread() { current = before_; }

   private:
    WaitedThreads* before_;
  };
  inline static thread_local WaitedThreads* current = nullptr;

 protected:
  ~WaitedThreads() = default;
};
}  // namespace detail

TENON_DETAIL_NAMESPACE_END
