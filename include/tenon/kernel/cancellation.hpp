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
#include <tenon/base/owned.hpp>
#include <tenon/base/refcount.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/spin_lock.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

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
  // A waiter that is its own registration: thousands may wait. The manager holds it until it is deregistered.
  class Waiter : public RefCounted {
   private:
    friend class CancellationManager;
    virtual void OnCancel() = 0;  // the callback
    virtual void OnRemove() {}  // it is registered no more: removed, cancelled, or the manager has gone
    Waiter* next_ = nullptr;
  };

  CancellationManager() = default;
  // Makes a child, which is cancelled with its parent. The parent outlives it.
  explicit CancellationManager(CancellationManager* parent) : parent_(parent) {}
  CancellationManager(const CancellationManager&) = delete;
  CancellationManager& operator=(const CancellationManager&) = delete;
  // Waits until a StartCancel under way has run its callbacks; not to be destroyed from one of them.
  ~CancellationManager() {
    if (attached_) [[unlikely]]
      (void)parent_->Deregister(callbacks_->parent_token);
    if (!IsActive()) [[unlikely]]
      WaitUntilCancelled();
    Forget(waiters_);
  }

  // Returns a token that no other waiter has.
  Token NewToken() { return next_token_.fetch_add(1, std::memory_order_relaxed); }

  // Cancels: runs every callback, outside of the lock, on this thread; exceptions are logged. A second call does
  // nothing.
  void StartCancel() {
    SlimVector<Entry> entries;
    Waiter* waiters = nullptr;
    {
      const SpinLockHolder lock(lock_);
      if (!IsActive()) return;
      state_.store(State::kCancelling, std::memory_order_release);
      if (callbacks_ != nullptr) entries = std::move(callbacks_->entries);
      waiters = Reversed(std::exchange(waiters_, nullptr));  // in the order in which they came
    }
    for (Entry& entry : entries) detail::CallAndLog("a cancellation callback", entry.callback);
    for (Waiter* waiter = waiters; waiter != nullptr; waiter = waiter->next_)
      detail::CallAndLog("a cancellation callback", [waiter] { waiter->OnCancel(); });
    Forget(waiters);
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
    SlimVector<Entry>& entries = callbacks().entries;
    if (entries.empty()) entries.reserve(1);  // a run that waits has one as a rule, and there may be thousands
    entries.push_back({token, std::move(callback)});
    return true;
  }
  // Registers a waiter, as Register. It may be registered at one manager at a time.
  [[nodiscard]] bool AddWaiter(Waiter* waiter) {
    const SpinLockHolder lock(lock_);
    if (!IsActive() || !AttachLocked()) return false;
    waiter->AddRef();
    waiter->next_ = std::exchange(waiters_, waiter);
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
  // As TryDeregister.
  bool TryRemoveWaiter(Waiter* waiter) {
    {
      const SpinLockHolder lock(lock_);
      if (!IsActive()) return false;
      Waiter** place = &waiters_;
      while (*place != nullptr && *place != waiter) place = &(*place)->next_;
      if (*place == nullptr) return true;
      *place = std::exchange(waiter->next_, nullptr);
    }
    Forget(waiter);
    return true;
  }
  // In the child of a fork(), before other threads use this: returns whether a thread of the parent waits or was at
  // work here.
  TENON_DETAIL_COLD bool IsInUse() {
    if (!lock_.try_lock()) return true;
    const bool idle = (callbacks_ == nullptr || callbacks_->entries.empty()) && waiters_ == nullptr && !IsCancelling();
    lock_.unlock();
    return !idle;
  }
  // There, too: cancelled without a call of the callbacks, which refer to what only the parent has.
  TENON_DETAIL_COLD void Abandon() {
    new (&lock_) SpinLock();
    if (callbacks_ != nullptr) new (&callbacks_->entries) SlimVector<Entry>();
    waiters_ = nullptr;
    state_.store(State::kCancelled, std::memory_order_release);
  }

 private:
  enum class State : std::uint8_t { kActive, kCancelling, kCancelled };
  struct Entry {
    Token token;
    Function<void()> callback;
  };
  // Members of managers with functions or with a parent that knows of them.
  struct Callbacks {
    SlimVector<Entry> entries;
    Token parent_token = 0;
  };
  Callbacks& callbacks() {
    if (callbacks_ == nullptr) callbacks_ = MakeOwned<Callbacks>();
    return *callbacks_;
  }
  static Waiter* Reversed(Waiter* waiters) {
    Waiter* first = nullptr;
    while (waiters != nullptr) {
      Waiter* const next = std::exchange(waiters->next_, first);
      first = std::exchange(waiters, next);
    }
    return first;
  }
  static void Forget(Waiter* waiters) {
    while (waiters != nullptr) {
      Waiter* const waiter = std::exchange(waiters, waiters->next_);
      waiter->OnRemove();
      (void)waiter->Unref();
    }
  }
  TENON_DETAIL_ALWAYS_INLINE bool IsActive() const { return state_.load(std::memory_order_acquire) == State::kActive; }
  void WaitUntilCancelled() const {
    while (IsCancelling()) state_.wait(State::kCancelling, std::memory_order_acquire);
  }
  // Children's locks are taken before their parents'. False when the parent is being cancelled.
  bool AttachLocked() {
    if (parent_ == nullptr || attached_) return true;
    const Token token = callbacks().parent_token = parent_->NewToken();
    attached_ = parent_->Register(token, [this] { StartCancel(); });
    return attached_;
  }
  void Remove(Token token) {
    if (callbacks_ == nullptr) return;
    SlimVector<Entry>& entries = callbacks_->entries;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].token != token) continue;
      if (i + 1 != entries.size()) std::swap(entries[i], entries.back());
      entries.pop_back();
      return;
    }
  }

  CancellationManager* const parent_ = nullptr;
  bool attached_ = false;  // the parent knows of this one
  SpinLock lock_;
  std::atomic<State> state_{State::kActive};  // leaves kActive under the lock
  std::atomic<Token> next_token_{0};
  Owned<Callbacks> callbacks_;  // null until a function or this manager is registered
  Waiter* waiters_ = nullptr;  // the last one first
};

TENON_DETAIL_STEP_NAMESPACE_END
