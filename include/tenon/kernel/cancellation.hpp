// SPDX-License-Identifier: Apache-2.0
#pragma once
// CancellationManager: tells waiting code that a run is over, after an error elsewhere or because its caller gave up.

#include <atomic>
#include <cstdint>
#include <new>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/spin_lock.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Tells waiting code that a run is over. A waiter registers a callback under a token and deregisters it after the wait.
// thread-safe.
//
//   const auto token = cancellation->NewToken();
//   if (!cancellation->Register(token, [&] { Wake(); })) return errors::Cancelled("...");
//   ...
//   cancellation->Deregister(token);       // false: the callback ran
class CancellationManager {
 public:
  using Token = std::int64_t;

  CancellationManager() = default;
  // Makes a child, which is cancelled with its parent. The parent outlives it.
  explicit CancellationManager(CancellationManager* parent) : parent_(parent) {}
  CancellationManager(const CancellationManager&) = delete;
  CancellationManager& operator=(const CancellationManager&) = delete;
  // Waits until a StartCancel under way has run its callbacks; not to be destroyed from one of them.
  ~CancellationManager() {
    if (attached_) [[unlikely]]
      (void)parent_->Deregister(parent_token_);
    if (IsActive()) [[likely]]
      return;
    WaitUntilCancelled();
  }

  // Returns a token that no other waiter has.
  Token NewToken() { return next_token_.fetch_add(1, std::memory_order_relaxed); }

  // Cancels: runs every callback, outside of the lock, on this thread; exceptions are logged. A second call does
  // nothing.
  void StartCancel() {
    SlimVector<Entry> callbacks;
    {
      const SpinLockHolder lock(lock_);
      if (!IsActive()) return;
      state_.store(State::kCancelling, std::memory_order_release);
      callbacks = std::move(callbacks_);
    }
    for (Entry& entry : callbacks) detail::CallAndLog("a cancellation callback", entry.callback);
    state_.store(State::kCancelled, std::memory_order_release);
    state_.notify_all();  // reads nothing of the manager, which may be gone
  }
  // Returns true from the beginning of StartCancel on, also of a parent's.
  TENON_DETAIL_ALWAYS_INLINE bool IsCancelled() const {
    for (const CancellationManager* manager = this; manager != nullptr; manager = manager->parent_)
      if (!manager->IsActive()) [[unlikely]]
        return true;
    return false;
  }

  // Returns true while StartCancel runs the callbacks of this manager.
  bool IsCancelling() const { return state_.load(std::memory_order_acquire) == State::kCancelling; }

  // Registers a callback. False: cancelling has begun, and the callback is neither kept nor called.
  [[nodiscard]] bool Register(Token token, Function<void()> callback) {
    const SpinLockHolder lock(lock_);
    if (!IsActive() || !AttachLocked()) return false;
    if (callbacks_.empty()) callbacks_.reserve(1);  // a run that waits has one as a rule, and there may be thousands
    callbacks_.push_back({token, std::move(callback)});
    return true;
  }
  // Removes a callback. True: it will never run. False: cancelling has begun, and all callbacks have run when this
  // returns. Must not be called from a callback, nor under a lock that a callback takes.
  bool Deregister(Token token) {
    if (TryDeregister(token)) return true;
    WaitUntilCancelled();
    return false;
  }
  // As Deregister, without waiting. False: cancelling has begun.
  bool TryDeregister(Token token) {
    const SpinLockHolder lock(lock_);
    if (!IsActive()) return false;
    Remove(token);
    return true;
  }
  // In the child of a fork(), before other threads use this: returns whether a thread of the parent waits or was at
  // work here.
  TENON_DETAIL_COLD bool IsInUse() {
    if (!lock_.try_lock()) return true;
    const bool idle = callbacks_.empty() && !IsCancelling();
    lock_.unlock();
    return !idle;
  }
  // There, too: cancelled without a call of the callbacks, which refer to what only the parent has.
  TENON_DETAIL_COLD void Abandon() {
    new (&lock_) SpinLock();
    new (&callbacks_) SlimVector<Entry>();
    state_.store(State::kCancelled, std::memory_order_release);
  }

 private:
  enum class State : std::uint8_t { kActive, kCancelling, kCancelled };
  struct Entry {
    Token token;
    Function<void()> callback;
  };
  TENON_DETAIL_ALWAYS_INLINE bool IsActive() const { return state_.load(std::memory_order_acquire) == State::kActive; }
  void WaitUntilCancelled() const {
    while (IsCancelling()) state_.wait(State::kCancelling, std::memory_order_acquire);
  }
  // Children's locks are taken before their parents'. False when the parent is being cancelled.
  bool AttachLocked() {
    if (parent_ == nullptr || attached_) return true;
    parent_token_ = parent_->NewToken();
    attached_ = parent_->Register(parent_token_, [this] { StartCancel(); });
    return attached_;
  }
  void Remove(Token token) {
    for (std::size_t i = 0; i < callbacks_.size(); ++i) {
      if (callbacks_[i].token != token) continue;
      if (i + 1 != callbacks_.size()) std::swap(callbacks_[i], callbacks_.back());
      callbacks_.pop_back();
      return;
    }
  }

  CancellationManager* const parent_ = nullptr;
  Token parent_token_ = 0;
  bool attached_ = false;  // the parent knows of this one
  SpinLock lock_;
  std::atomic<State> state_{State::kActive};  // leaves kActive under the lock
  std::atomic<Token> next_token_{0};
  SlimVector<Entry> callbacks_;
};

TENON_DETAIL_NAMESPACE_END
