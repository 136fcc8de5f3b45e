// SPDX-License-Identifier: Apache-2.0
#pragma once
// TransferSlots: hands values from one part of a run to another without a key. The slots of a signature are numbered
// once; a run finds the receiver by the slot's number and the iteration of the loop.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/base/status.hpp>
#include <tenon/base/to_size.hpp>
#include <tenon/tensor/tensor.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Slots of one program's nodes. immutable while the program runs.
struct TransferNodes {
  SlimVector<int> slots;  // per node: the slot of a send or a receive; -1: it has none
  SlimVector<std::uint8_t> may_wait;  // per node: its kernel may wait for other nodes
  int slot(int node) const { return slots[static_cast<std::size_t>(node)]; }
};

// A node that waits for its value. The wait ends by one call, on any thread.
struct TransferReceiver {
  struct Calls {
    // The value has come; a dead one has no dtype. `agenda`: work that the calling thread does later.
    void (*arrive)(const TransferReceiver& receiver, Tensor* value, void* agenda) noexcept;
    // The run has failed.
    void (*end)(const TransferReceiver& receiver, const Status& error) noexcept;
  };
  const Calls* calls = nullptr;  // null: no node waits
  void* run = nullptr;
  void* place = nullptr;
  int node = -1;
  bool dead = false;  // made so by a control edge
};

// The values of one run on their way between its parts. thread-safe, except Reset.
class TransferSlots {
 public:
  // The loop and its iteration; outside of loops both are 0.
  struct Turn {
    std::uint64_t frame_id = 0;
    std::int64_t iteration = 0;
    friend bool operator==(const Turn&, const Turn&) = default;
  };

  explicit TransferSlots(std::size_t count) : slots_(count), count_(count) {}
  TransferSlots(const TransferSlots&) = delete;
  TransferSlots& operator=(const TransferSlots&) = delete;

  std::size_t size() const { return count_; }

  // Takes a value, or returns the node that waits for it: then the caller keeps the value and gives it to the node.
  // The error of Abort, after that.
  Status Send(int number, const Turn& turn, Tensor* value, TransferReceiver* waiting) {
    Slot& slot = slots_[ToSize(number)];
    const SpinLockHolder lock(slot.lock);
    if (aborted_.load(std::memory_order_acquire)) [[unlikely]]
      return status();
    if (slot.Take(turn, value, waiting)) return OkStatus();
    *waiting = {};
    slot.Put(turn, std::move(*value), {});
    return OkStatus();
  }
  // Takes the value that was sent and sets *is_there, or notes that a node waits. The error of Abort, after that.
  Status Receive(int number, const Turn& turn, const TransferReceiver& self, Tensor* value, bool* is_there) {
    Slot& slot = slots_[ToSize(number)];
    const SpinLockHolder lock(slot.lock);
    if (aborted_.load(std::memory_order_acquire)) [[unlikely]]
      return status();
    TransferReceiver sender;
    const bool found = slot.Take(turn, value, &sender);
    if (!found) slot.Put(turn, Tensor(DataType::kInvalid), self);
    *is_there = found;  // unchanged when there was no memory
    return OkStatus();
  }
  // Ends all waits, and all later calls, with this error; the first one counts.
  TENON_DETAIL_COLD void Abort(const Status& error) noexcept {
    {
      const MutexLock lock(mutex_);
      if (aborted_.load(std::memory_order_relaxed)) return;
      error_ = error;
      aborted_.store(true, std::memory_order_release);
    }
    for (std::size_t i = 0; i < count_; ++i) {
      TransferReceiver waiting;
      while (slots_[i].TakeWaiting(&waiting)) waiting.calls->end(waiting, error);
    }
  }
  // After a run, when no thread uses this: drops the values that no node received.
  void Reset() {
    for (std::size_t i = 0; i < count_; ++i) slots_[i].Clear();
    if (aborted_.load(std::memory_order_relaxed)) [[unlikely]] {
      error_ = OkStatus();
      aborted_.store(false, std::memory_order_relaxed);
    }
  }

 private:
  // A value that was sent, or a node that waits. One of each turn at most.
  struct Entry {
    Turn turn;
    int next = -1;  // in its bucket, or of the free ones
    Tensor value;
    TransferReceiver waiting;
  };
  struct Slot {
    static std::size_t HashOf(const Turn& turn) {
      return static_cast<std::size_t>(turn.frame_id) + static_cast<std::size_t>(turn.iteration);
    }
    // Removes the entry of a turn. False: there is none.
    bool Take(const Turn& turn, Tensor* value, TransferReceiver* waiting) {
      if (used == 0) return false;
      int* link = &buckets[HashOf(turn) & (buckets.size() - 1)];
      while (*link >= 0 && !(entries[ToSize(*link)].turn == turn)) link = &entries[ToSize(*link)].next;
      if (*link < 0) return false;
      const int found = *link;
      Entry& entry = entries[ToSize(found)];
      *waiting = entry.waiting;
      if (entry.waiting.calls == nullptr) *value = std::move(entry.value);
      *link = entry.next;
      Free(found);
      return true;
    }
    void Put(const Turn& turn, Tensor value, const TransferReceiver& waiting) {
      if (free < 0) [[unlikely]]
        Grow();
      const int number = free;
      Entry& entry = entries[ToSize(number)];
      free = entry.next;
      entry.turn = turn;
      entry.value = std::move(value);
      entry.waiting = waiting;
      int& bucket = buckets[HashOf(turn) & (buckets.size() - 1)];
      entry.next = std::exchange(bucket, number);
      ++used;
    }
    TENON_DETAIL_COLD bool TakeWaiting(TransferReceiver* waiting) {
      const SpinLockHolder holder(lock);
      for (int& bucket : buckets)
        for (int* link = &bucket; *link >= 0; link = &entries[ToSize(*link)].next) {
          const int found = *link;
          if (entries[ToSize(found)].waiting.calls == nullptr) continue;
          *waiting = entries[ToSize(found)].waiting;
          *link = entries[ToSize(found)].next;
          Free(found);
          return true;
        }
      return false;
    }
    void Clear() {
      if (used == 0) [[likely]]
        return;
      for (int& bucket : buckets)
        while (bucket >= 0) {
          const int found = bucket;
          bucket = entries[ToSize(found)].next;
          Free(found);
        }
    }
    void Free(int number) {
      Entry& entry = entries[ToSize(number)];
      entry.value = Tensor(DataType::kInvalid);
      entry.waiting = {};
      entry.next = std::exchange(free, number);
      --used;
    }
    TENON_DETAIL_COLD void Grow() {
      const std::size_t before = entries.size(), after = before == 0 ? 1 : 2 * before;
      SlimVector<Entry> larger(after);
      SlimVector<int> heads(after, -1);
      for (std::size_t i = 0; i < before; ++i) {  // all of them are in use
        larger[i] = std::move(entries[i]);
        larger[i].next = std::exchange(heads[HashOf(larger[i].turn) & (after - 1)], static_cast<int>(i));
      }
      for (std::size_t i = before; i < after; ++i) larger[i].next = std::exchange(free, static_cast<int>(i));
      entries.swap(larger);
      buckets.swap(heads);
    }

    SpinLock lock;
    int free = -1;
    std::size_t used = 0;
    SlimVector<Entry> entries;
    SlimVector<int> buckets;  // a power of two, as many as entries
  };

  Status status() {
    const MutexLock lock(mutex_);
    return error_;
  }

  Owned<Slot[]> slots_;
  std::size_t count_;
  std::atomic<bool> aborted_{false};
  Mutex mutex_;
  Status error_;
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
