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
TENON_DETAIL_COLD_CODE_BEGIN

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

  // `when`: SteadyNanoseconds() of the call. Adding and removing take time logarithmic in the number of calls.
  Entry Add(std::int64_t when, Function<void()> call) {
    NoticeFork();
    const MutexLock lock(mutex_);
    if (!started_) Start();
    if (first_free_ == slots_.size()) slots_.push_back({.next_free = first_free_ + 1});
    const std::uint32_t number = first_free_;
    heap_.push_back(number);
    Slot& slot = slots_[number];
    first_free_ = slot.next_free;
    slot.entry = ++count_ << kSlotBits | number;
    slot.when = when;
    slot.call = std::move(call);
    const Entry entry = slot.entry;
    MoveUp(heap_.size() - 1);
    if (heap_[0] == number) changed_.notify_all();
    return entry;
  }
  // True when the function will never be called. Otherwise waits until it has returned: not to be called from it.
  bool Remove(Entry entry) {
    NoticeFork();
    MutexLock lock(mutex_);
    const auto number = static_cast<std::size_t>(entry & ((Entry{1} << kSlotBits) - 1));
    if (number < slots_.size() && slots_[number].entry == entry) {
      (void)Take(slots_[number].place);
      return true;
    }
    while (calling_ == entry) changed_.wait(lock);
    return false;
  }

 private:
  static constexpr int kSlotBits = 24;  // low bits of an entry: the number of its slot
  // A call that waits, or room for one.
  struct Slot {
    Function<void()> call = {};
    std::int64_t when = 0;
    std::size_t place = 0;  // in heap_, while it waits
    std::uint32_t next_free = 0;  // while it does not wait
    Entry entry = 0;  // 0: it does not wait
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
      new (&slots_) SlimVector<Slot>();
      new (&heap_) SlimVector<std::uint32_t>();
      first_free_ = 0;
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
      if (heap_.empty()) {
        changed_.wait(lock);
        continue;
      }
      const std::uint32_t first = heap_[0];
      if (const std::int64_t when = slots_[first].when; when > SteadyNanoseconds()) {
        (void)changed_.wait_until(lock, when);
        continue;
      }
      calling_ = slots_[first].entry;
      Function<void()> call = Take(0);
      lock.unlock();
      call();
      call = nullptr;
      lock.lock();
      calling_ = 0;
      changed_.notify_all();
    }
  }

  // Takes a call from the heap and frees its slot.
  Function<void()> Take(std::size_t place) {
    const std::uint32_t number = heap_[place], last = heap_.back();
    heap_.pop_back();
    if (last != number) {
      Put(place, last);
      MoveUp(place);
      MoveDown(slots_[last].place);
    }
    Slot& slot = slots_[number];
    slot.entry = 0;
    slot.next_free = std::exchange(first_free_, number);
    return std::move(slot.call);
  }

  void Put(std::size_t place, std::uint32_t number) {
    heap_[place] = number;
    slots_[number].place = place;
  }
  std::int64_t WhenAt(std::size_t place) const { return slots_[heap_[place]].when; }
  void MoveUp(std::size_t place) {
    const std::uint32_t number = heap_[place];
    for (; place > 0 && WhenAt((place - 1) / 2) > slots_[number].when; place = (place - 1) / 2)
      Put(place, heap_[(place - 1) / 2]);
    Put(place, number);
  }
  void MoveDown(std::size_t place) {
    const std::uint32_t number = heap_[place];
    for (;;) {
      std::size_t child = 2 * place + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && WhenAt(child + 1) < WhenAt(child)) ++child;
      if (WhenAt(child) >= slots_[number].when) break;
      Put(place, heap_[child]);
      place = child;
    }
    Put(place, number);
  }

  ForkGuard fork_;
  Mutex mutex_;
  ConditionVariable changed_;
  bool started_ = false;
  Entry count_ = 0;  // calls so far
  Entry calling_ = 0;  // being called at the moment; 0: none
  SlimVector<Slot> slots_;
  std::uint32_t first_free_ = 0;  // number of a slot without a call, or of the next new one
  SlimVector<std::uint32_t> heap_;  // numbers of slots with a call: a binary heap by time
};

TENON_DETAIL_COLD_CODE_END
TENON_DETAIL_NAMESPACE_END
