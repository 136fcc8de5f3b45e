// SPDX-License-Identifier: Apache-2.0
#pragma once
// The large free blocks that a process keeps for itself: what goes back to the system comes again as pages that the
// system clears first, which costs more than most ops do with them.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <tenon/base/config.hpp>
#include <tenon/base/platform.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/memory/block.hpp>
#include <tenon/memory/system_memory.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN
namespace detail {

// thread-safe. Blocks of AllocateAligned, each as long as its size class (memory/block.hpp). When there is no room
// for one more, those go back that lay here longest.
class LargeBlockCache {
 public:
  static constexpr int kMaxBlocks = 64;
  static constexpr std::size_t kMostBytes = std::size_t{128} << 20;

  // `before_first_use`, which may be null, is called before the lock is taken for the first time; perhaps more often.
  constexpr explicit LargeBlockCache(void (*before_first_use)() = nullptr) : before_first_use_(before_first_use) {}
  constexpr ~LargeBlockCache() {
    if (!std::is_constant_evaluated()) Release();
  }
  LargeBlockCache(const LargeBlockCache&) = delete;
  LargeBlockCache& operator=(const LargeBlockCache&) = delete;

  // A block of that class, the one that came last, or null.
  void* Take(std::size_t size_class) {
    if (count_hint_ == 0) return nullptr;
    const SpinLockHolder hold(lock_);
    for (int i = count_; i-- > 0;) {
      if (blocks_[i].size_class != size_class) continue;
      void* const memory = blocks_[i].memory;
      Remove(i);
      return memory;
    }
    return nullptr;
  }

  // The block is kept, or given back to the system.
  void Give(void* memory, std::size_t size_class) {
    const std::size_t bytes = SizeClassBytes(size_class);
    if (!IsUsed()) [[unlikely]]
      FindLimit();
    Block leaving[kMaxBlocks];
    int num_leaving = 0;
    bool is_kept = false;
    {
      const SpinLockHolder hold(lock_);
      // Read under the lock: what is kept by an old limit lies here before SetLimit releases all.
      const std::size_t limit = limit_.load(std::memory_order_relaxed);
      is_kept = bytes <= limit;
      while (is_kept && (count_ == kMaxBlocks || bytes_ + bytes > limit)) {
        leaving[num_leaving++] = blocks_[0];
        Remove(0);
      }
      if (is_kept) {
        blocks_[count_++] = {memory, size_class};
        bytes_ += bytes;
        count_hint_ = count_;
        MarkFree(memory, bytes);
      }
    }
    FreeAll(leaving, num_leaving);
    if (is_kept) return;
    MarkReturned(memory, bytes);
    FreeAligned(memory);
  }

  // All blocks and their pages go back to the system; returns their bytes.
  std::size_t Release() {
    if (!IsUsed()) return 0;
    Block leaving[kMaxBlocks];
    int num_leaving = 0;
    std::size_t bytes = 0;
    {
      const SpinLockHolder hold(lock_);
      bytes = bytes_;
      while (count_ > 0) {
        leaving[num_leaving++] = blocks_[count_ - 1];
        Remove(count_ - 1);
      }
    }
    for (int i = 0; i < num_leaving; ++i) DropPages(leaving[i].memory, SizeClassBytes(leaving[i].size_class));
    FreeAll(leaving, num_leaving);
    return bytes;
  }

  // At most so many bytes are kept from now on, and never more than kMostBytes; 0: none.
  void SetLimit(std::size_t bytes) {
    if (!IsUsed() && before_first_use_ != nullptr) before_first_use_();
    limit_.store(bytes < kMostBytes ? bytes : kMostBytes, std::memory_order_relaxed);
    Release();
  }

  // In the child of a fork(), before it has a second thread. If a thread of the parent was at work here, nobody would
  // ever let the lock go, and the blocks are in no known state: the child forgets them.
  void AfterFork() {
    if (!lock_.try_lock()) {
      count_ = 0;
      bytes_ = 0;
      count_hint_ = 0;
    }
    lock_.unlock();
  }

 private:
  struct Block {
    void* memory;
    std::size_t size_class;
  };

  bool IsUsed() const { return limit_.load(std::memory_order_relaxed) != kUnknown; }
  // Unless somebody said otherwise: a 64th of the machine's memory.
  TENON_DETAIL_COLD void FindLimit() {
    if (before_first_use_ != nullptr) before_first_use_();
    std::size_t limit = kMostBytes;
    const auto share = static_cast<std::size_t>(SystemMemory() / 64);
    if (share != 0 && share < limit) limit = share;
    std::size_t unknown = kUnknown;  // still? SetLimit may have come first
    limit_.compare_exchange_strong(unknown, limit, std::memory_order_relaxed);
  }
  void Remove(int i) {
    bytes_ -= SizeClassBytes(blocks_[i].size_class);
    --count_;
    count_hint_ = count_;
    for (; i < count_; ++i) blocks_[i] = blocks_[i + 1];
  }
  // Gives the whole pages of a block to the system, also where the C library keeps their addresses.
  TENON_DETAIL_COLD static void DropPages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_DONTNEED)
    constexpr std::uintptr_t kPage = std::uintptr_t{64} << 10;  // the largest usual one
    const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(memory);
    const std::uintptr_t first = (start + kPage - 1) & ~(kPage - 1), end = (start + bytes) & ~(kPage - 1);
    if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
#endif
  }
  static void FreeAll(const Block* blocks, int count) {
    for (int i = 0; i < count; ++i) {
      MarkReturned(blocks[i].memory, SizeClassBytes(blocks[i].size_class));
      FreeAligned(blocks[i].memory);
    }
  }

  static constexpr std::size_t kUnknown = ~std::size_t{0};
  void (*const before_first_use_)();
  std::atomic<std::size_t> limit_{kUnknown};
  std::atomic<int> count_hint_{0};  // changes under the lock
  SpinLock lock_;  // guards what follows
  int count_ = 0;
  std::size_t bytes_ = 0;
  Block blocks_[kMaxBlocks] = {};  // those that came first, first
};

}  // namespace detail
TENON_DETAIL_STEP_NAMESPACE_END
