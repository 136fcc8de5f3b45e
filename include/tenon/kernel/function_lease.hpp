// SPDX-License-Identifier: Apache-2.0
#pragma once
// FunctionLease: calls of a session's functions by objects that may outlive the session, as iterators of datasets do.

#include <cstddef>

#include <tenon/base/errors.hpp>
#include <tenon/base/fork.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/status.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/kernel/function_runtime.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// The functions of a session, as long as there are any. thread-safe. A FunctionRuntime has at most one lease.
class FunctionLease final : public RefCounted {
 public:
  explicit FunctionLease(FunctionRuntime* runtime) : runtime_(runtime) {}

  // The functions, which stay until Leave(); null when the session is gone.
  FunctionRuntime* Enter() {
    const MutexLock lock(mutex_);
    if (runtime_ != nullptr) ++inside_;
    return runtime_;
  }
  void Leave() {
    const MutexLock lock(mutex_);
    if (--inside_ == 0) left_.notify_all();
  }
  // Cancels the calls under way and waits for their end. The runtime calls it before it goes. In the child of a fork()
  // the calls are the parent's.
  void Close() {
    if (!fork_.IsRepaired()) [[unlikely]]
      return;
    cancellation_.StartCancel();
    MutexLock lock(mutex_);
    runtime_ = nullptr;
    while (inside_ > 0) left_.wait(lock);
  }
  // Is cancelled with the session's end; the parent for calls outside of runs.
  CancellationManager* cancellation() { return &cancellation_; }

 private:
  const ForkGuard fork_;
  CancellationManager cancellation_;
  Mutex mutex_;
  ConditionVariable left_;
  FunctionRuntime* runtime_;
  std::size_t inside_ = 0;  // Enter() without its Leave()
};

// Enter() and Leave() of a scope. one thread.
class LeasedFunctions {
 public:
  explicit LeasedFunctions(FunctionLease* lease) : lease_(lease), runtime_(lease->Enter()) {}
  LeasedFunctions(const LeasedFunctions&) = delete;
  LeasedFunctions& operator=(const LeasedFunctions&) = delete;
  ~LeasedFunctions() {
    if (runtime_ != nullptr) lease_->Leave();
  }
  FunctionRuntime* get() const { return runtime_; }  // null: the session is gone

 private:
  FunctionLease* const lease_;
  FunctionRuntime* const runtime_;
};

TENON_DETAIL_NAMESPACE_END
