// SPDX-License-Identifier: Apache-2.0
#pragma once
// CachingAllocator: the block cache of one step. It keeps every block it ever got from the allocator below, so that a
// graph which runs again asks nobody for memory. While one thread owns it, that thread takes and gives blocks without a
// lock: one class look-up and the head of a list.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/check.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/block.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN
namespace detail {
// Its address names the calling thread.
inline constinit thread_local char this_thread_mark = 0;
}  // namespace detail

// thread-safe. Blocks may come back from any thread and at any time, also after Release(): they keep the object alive.
//
//   CachingAllocator* cache = CachingAllocator::Create(CpuAllocator());
//   cache->SetOwnerThread();       // this thread runs the step
//   ...                            // kernels allocate and free
//   cache->ClearOwnerThread();     // the step goes back to its pool; another thread may run it next
//   cache->Release();              // no step will use it again
//
// Two sets of lists: `own_` is the owner's alone while there is one; `shared_` is everybody else's, behind the lock. An
// owner that finds its list empty takes the shared list of that class as a whole; without an owner, both are behind the
// lock. A request with freed_by_func is never served from a list: when a cached block was freed, nobody wrote down.
// Scratch memory (AllocationAttributes::scratch) of the owner comes from one block, last in, first out. It grows to the
// most that was in use at one time.
// Blocks of memory the processor cannot touch are linked through nodes beside them and always use the lock.
class CachingAllocator final : public Allocator {
 public:
  // With Owned<CachingAllocator, CachingAllocator::Releaser>.
  struct Releaser {
    void operator()(CachingAllocator* allocator) const { allocator->Release(); }
  };

  // `base` must outlive the last block. Never null.
  static CachingAllocator* Create(Allocator* base) { return new CachingAllocator(base); }

  // The creator lets go, with no owner thread set: cached blocks go back to `base`, and the object deletes itself with
  // the last block that is still out. Until then such blocks, and new ones asked of it, go straight to and from `base`.
  void Release();

  // From here on the calling thread needs no lock. There must be no owner; the owner clears itself before it ends.
  // For memory that the processor cannot touch both do nothing.
  void SetOwnerThread();
  void ClearOwnerThread();
  bool IsOwnerThread() const { return owner_.load(std::memory_order_relaxed) == &detail::this_thread_mark; }

  std::string_view Name() const override { return base_->Name(); }
  AllocatorMemoryType GetMemoryType() const override { return base_->GetMemoryType(); }
  bool HostAccessible() const override { return base_->HostAccessible(); }
  bool HoldsHeaders() const override { return linked_inside_; }
  bool AllocatesOpaqueHandle() const override { return base_->AllocatesOpaqueHandle(); }
  std::size_t AllocatedSizeSlow(const void* ptr) const override { return base_->AllocatedSizeSlow(ptr); }
  void SetSafeFrontier(std::uint64_t count) override { base_->SetSafeFrontier(count); }
  void SetStreamAndPreallocateMemory(void* stream) override { base_->SetStreamAndPreallocateMemory(stream); }

  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) override {
    if (IsOwnerThread() && own_ != nullptr && alignment <= kAlignment && attributes.freed_by_func == nullptr)
        [[likely]] {
      const std::size_t c = detail::SizeClass(bytes);
      if (detail::FreeBlock* const block = own_->heads[c]; block != nullptr) [[likely]] {
        own_->heads[c] = block->next;
        detail::MarkInUse(block, bytes, detail::SizeClassBytes(c));
        return block;
      }
    }
    return AllocateSlowly(alignment, bytes, attributes);
  }

  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override {
    if (IsOwnerThread() && own_ != nullptr && alignment <= kAlignment && ptr != nullptr) [[likely]] {
      const std::size_t c = detail::SizeClass(bytes);
      detail::MarkFree(ptr, detail::SizeClassBytes(c));
      own_->heads[c] = ::new (ptr) detail::FreeBlock{own_->heads[c]};
      return;
    }
    if (ptr != nullptr) DeallocateSlowly(ptr, alignment, bytes);
  }

  // Bytes of all blocks that came from `base` and did not go back, cached or out.
  std::int64_t held_bytes() const { return held_bytes_.load(std::memory_order_relaxed); }
  // Gives cached blocks back to `base` and returns their bytes: all of them, or the shared ones only when another
  // thread is the owner.
  std::size_t Trim();
  // True on the owner's thread, but while other scratch memory is in use and too little is left.
  bool KeepsScratch(std::size_t bytes) override;
  // The next block of scratch memory is as large as the requests to come want it. There must be no owner.
  void ForgetScratch() {
    if (scratch_ != nullptr) scratch_->most = 0;
  }

  // Bytes and calls as `base` sees them: cached blocks count as in use. largest_free_block_bytes is the largest cached
  // block that the calling thread could have.
  inline std::optional<AllocatorStats> GetStats() const override;
  inline bool ClearStats() override;

 private:
  struct Lists {
    detail::FreeBlock* heads[detail::kNumSizeClasses] = {};
  };
  struct ScratchBlock {
    char* data = nullptr;
    std::size_t bytes = 0, used = 0;
    std::size_t most = 0;  // most bytes that were wanted at one time
    int live = 0;  // requests that have not come back
  };
  // The link of a block that the processor cannot write to. Spare ones hold no block.
  struct Node : detail::FreeBlock {
    void* memory;
  };

  explicit CachingAllocator(Allocator* base) : base_(base), linked_inside_(base->HoldsHeaders()) {}
  ~CachingAllocator() override = default;

  void* AllocateSlowly(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes);
  void DeallocateSlowly(void* ptr, std::size_t alignment, std::size_t bytes);
  void* AllocateFromBase(std::size_t alignment, std::size_t block_bytes, const AllocationAttributes& attributes);
  void* TakeCached(std::size_t size_class);
  static constexpr std::size_t WholeLines(std::size_t bytes) { return (bytes + kAlignment - 1) & ~(kAlignment - 1); }
  void* TakeScratch(std::size_t bytes);
  void GiveScratch(char* ptr, std::size_t bytes);
  std::size_t TakeIdleScratch();
  void GiveBackScratch(std::size_t bytes);
  void ForgetBlocks(std::int64_t count, std::int64_t bytes);
  // Under the lock: nobody else uses own_ now.
  bool MayUseOwn() const { return owner_.load(std::memory_order_relaxed) == nullptr || IsOwnerThread(); }
  // Where the calling thread puts a block, under the lock. Null: there is no memory for the lists.
  Lists* ListsForBlock() {
    Owned<Lists>& lists = MayUseOwn() ? own_ : shared_;
    if (lists == nullptr) lists.reset(new (std::nothrow) Lists);
    return lists.get();
  }
  std::size_t LargestCached() const;

  std::atomic<const void*> owner_{nullptr};  // changes under the lock
  std::atomic<std::int64_t> held_bytes_{0};  // changes under the lock
  Owned<Lists> own_;  // the owner's; without an owner, behind the lock; null until a block comes back
  Owned<ScratchBlock> scratch_;  // as own_; null until a kernel wants scratch memory
  Allocator* const base_;
  const bool linked_inside_;  // the link is the first word of the block itself

  alignas(64) mutable SpinLock lock_;  // guards what follows; held for few instructions, never over a call of base_;
                                       // twice over the making of lists
  bool released_ = false;
  std::int64_t holds_ = 1;  // the creator's, and one for each block of base_, cached or out; 0: delete this
  Node* spare_nodes_ = nullptr;
  std::int64_t num_allocs_ = 0, peak_bytes_ = 0, largest_bytes_ = 0;
  Owned<Lists> shared_;  // null: no other thread has given a block back while there was an owner
};

inline void CachingAllocator::SetOwnerThread() {
  SpinLockHolder hold(lock_);
  TENON_CHECK(owner_.load(std::memory_order_relaxed) == nullptr, "CachingAllocator::SetOwnerThread: it has an owner.");
  TENON_CHECK(!released_, "CachingAllocator::SetOwnerThread: called after Release().");
  if (linked_inside_) owner_.store(&detail::this_thread_mark, std::memory_order_relaxed);
}

inline void CachingAllocator::ClearOwnerThread() {
  SpinLockHolder hold(lock_);
  TENON_CHECK(IsOwnerThread() || !linked_inside_, "CachingAllocator::ClearOwnerThread: another thread is the owner.");
  owner_.store(nullptr, std::memory_order_relaxed);
}

inline void CachingAllocator::Release() {
  {
    SpinLockHolder hold(lock_);
    TENON_CHECK(!released_, "CachingAllocator::Release: called twice.");
    TENON_CHECK(owner_.load(std::memory_order_relaxed) == nullptr, "CachingAllocator::Release: it still has an owner.");
    released_ = true;  // nothing is put on a list any more
  }
  Trim();
  ForgetBlocks(1, 0);
}

// A cached block of that class or null; under the lock.
inline void* CachingAllocator::TakeCached(std::size_t size_class) {
  Lists* lists = MayUseOwn() ? own_.get() : nullptr;
  if (lists == nullptr || (lists->heads[size_class] == nullptr && shared_ != nullptr)) {
    if (shared_ == nullptr) return nullptr;
    if (lists != nullptr && IsOwnerThread())
      std::swap(lists->heads[size_class], shared_->heads[size_class]);
    else
      lists = shared_.get();
  }
  detail::FreeBlock* const link = lists->heads[size_class];
  if (link == nullptr) return nullptr;
  lists->heads[size_class] = link->next;
  if (linked_inside_) return link;
  Node* const node = static_cast<Node*>(link);
  node->next = spare_nodes_;
  spare_nodes_ = node;
  return node->memory;
}

TENON_DETAIL_COLD inline void* CachingAllocator::AllocateSlowly(std::size_t alignment, std::size_t bytes,
                                                                const AllocationAttributes& attributes) {
  if (bytes > detail::kMaxBlockBytes) return nullptr;
  if (attributes.scratch) return TakeScratch(bytes);
  if (alignment > kAlignment) return AllocateFromBase(alignment, bytes, attributes);
  const std::size_t c = detail::SizeClass(bytes);
  const std::size_t block_bytes = detail::SizeClassBytes(c);
  void* ptr = nullptr;
  if (attributes.freed_by_func == nullptr) [[likely]] {
    SpinLockHolder hold(lock_);
    ptr = TakeCached(c);
  }
  if (ptr == nullptr) ptr = AllocateFromBase(kAlignment, block_bytes, attributes);
  if (ptr != nullptr && linked_inside_) detail::MarkInUse(ptr, bytes, block_bytes);
  return ptr;
}

// When `base_` has nothing left, the blocks cached in other classes are given up before it is asked to wait for memory.
inline void* CachingAllocator::AllocateFromBase(std::size_t alignment, std::size_t block_bytes,
                                                const AllocationAttributes& attributes) {
  Owned<Node> node;
  if (!linked_inside_) {
    node.reset(new (std::nothrow) Node);
    if (node == nullptr) return nullptr;
  }
  AllocationAttributes first_try = attributes;
  if (LargestCached() > 0) first_try.retry_on_failure = false;
  void* ptr = base_->AllocateRaw(alignment, block_bytes, first_try);
  if (ptr == nullptr && (Trim() > 0 || first_try.retry_on_failure != attributes.retry_on_failure)) {
    ptr = base_->AllocateRaw(alignment, block_bytes, attributes);
  }
  if (ptr == nullptr) return nullptr;
  SpinLockHolder hold(lock_);
  ++holds_;
  if (!linked_inside_) {
    node->next = spare_nodes_;
    spare_nodes_ = node.release();
  }
  const auto bytes = static_cast<std::int64_t>(block_bytes);
  ++num_allocs_;
  held_bytes_.store(held_bytes() + bytes, std::memory_order_relaxed);
  if (held_bytes() > peak_bytes_) peak_bytes_ = held_bytes();
  if (bytes > largest_bytes_) largest_bytes_ = bytes;
  return ptr;
}

TENON_DETAIL_COLD inline void CachingAllocator::DeallocateSlowly(void* ptr, std::size_t alignment, std::size_t bytes) {
  const bool is_cacheable = alignment <= kAlignment;
  if (alignment == kScratchAlignment && IsOwnerThread() && scratch_ != nullptr &&
      static_cast<std::size_t>(static_cast<char*>(ptr) - scratch_->data) < scratch_->bytes)
    return GiveScratch(static_cast<char*>(ptr), bytes);
  const std::size_t c = detail::SizeClass(bytes);
  if (is_cacheable) {
    bytes = detail::SizeClassBytes(c);
    alignment = kAlignment;
    if (linked_inside_) detail::MarkFree(ptr, bytes);
  }
  Node* node = nullptr;
  {
    SpinLockHolder hold(lock_);
    if (!linked_inside_) {  // there are as many nodes as blocks
      node = spare_nodes_;
      spare_nodes_ = static_cast<Node*>(node->next);
      node->memory = ptr;
    }
    if (Lists* const lists = is_cacheable && !released_ ? ListsForBlock() : nullptr; lists != nullptr) {
      detail::FreeBlock*& head = lists->heads[c];
      if (node != nullptr) {
        node->next = head;
        head = node;
      } else {
        head = ::new (ptr) detail::FreeBlock{head};
      }
      return;
    }
  }
  delete node;
  if (linked_inside_) detail::MarkReturned(ptr, bytes);
  base_->DeallocateRaw(ptr, alignment, bytes);
  ForgetBlocks(1, static_cast<std::int64_t>(bytes));
}

// A block in use cannot grow, but grows before the next run.
TENON_DETAIL_NOINLINE inline bool CachingAllocator::KeepsScratch(std::size_t bytes) {
  if (!IsOwnerThread() || bytes > detail::kMaxBlockBytes) return false;
  if (scratch_ == nullptr) scratch_.reset(new (std::nothrow) ScratchBlock);
  if (scratch_ == nullptr) return false;
  const std::size_t needed = scratch_->used + WholeLines(bytes);
  if (needed > scratch_->most) scratch_->most = needed;
  return scratch_->live == 0 || needed <= scratch_->bytes;
}
TENON_DETAIL_NOINLINE inline void* CachingAllocator::TakeScratch(std::size_t bytes) {
  if (!KeepsScratch(bytes)) return nullptr;
  ScratchBlock& scratch = *scratch_;
  if (scratch.live == 0 && scratch.bytes < scratch.most) {
    GiveBackScratch(TakeIdleScratch());
    void* const block = AllocateFromBase(kAlignment, scratch.most, AllocationAttributes{});
    if (block == nullptr) return nullptr;
    scratch.data = static_cast<char*>(block);
    scratch.bytes = scratch.most;
  }
  char* const ptr = scratch.data + scratch.used;
  scratch.used += WholeLines(bytes);
  ++scratch.live;
  detail::MarkInUse(ptr, bytes, WholeLines(bytes));
  return ptr;
}
inline void CachingAllocator::GiveScratch(char* ptr, std::size_t bytes) {
  const std::size_t rounded = WholeLines(bytes);
  detail::MarkFree(ptr, rounded);
  if (ptr + rounded == scratch_->data + scratch_->used) scratch_->used -= rounded;
  if (--scratch_->live == 0) scratch_->used = 0;
}
// The bytes of the block where it is not in use, which is then to be given back; 0: there is none.
inline std::size_t CachingAllocator::TakeIdleScratch() {
  return scratch_ == nullptr || scratch_->live != 0 ? 0 : std::exchange(scratch_->bytes, 0);
}
TENON_DETAIL_COLD inline void CachingAllocator::GiveBackScratch(std::size_t bytes) {
  if (bytes == 0) return;
  detail::MarkReturned(scratch_->data, bytes);
  base_->DeallocateRaw(scratch_->data, kAlignment, bytes);
  ForgetBlocks(1, static_cast<std::int64_t>(bytes));
}

// `count` holds end. May delete this.
inline void CachingAllocator::ForgetBlocks(std::int64_t count, std::int64_t bytes) {
  lock_.lock();
  held_bytes_.store(held_bytes() - bytes, std::memory_order_relaxed);
  holds_ -= count;
  const bool is_last = holds_ == 0;
  lock_.unlock();
  if (is_last) delete this;
}

TENON_DETAIL_COLD inline std::size_t CachingAllocator::Trim() {
  Lists taken[2];
  std::size_t scratch = 0;
  {
    SpinLockHolder hold(lock_);
    if (shared_ != nullptr) taken[0] = std::exchange(*shared_, Lists());
    if (MayUseOwn()) {
      if (own_ != nullptr) taken[1] = std::exchange(*own_, Lists());
      scratch = TakeIdleScratch();
    }
  }
  GiveBackScratch(scratch);
  std::int64_t count = 0;
  std::size_t total = 0;
  for (Lists& lists : taken) {
    for (std::size_t c = 0; c < detail::kNumSizeClasses; ++c) {
      const std::size_t bytes = detail::SizeClassBytes(c);
      while (detail::FreeBlock* const link = lists.heads[c]) {
        lists.heads[c] = link->next;
        void* memory = link;
        if (linked_inside_) {
          detail::MarkReturned(memory, bytes);
        } else {
          memory = static_cast<Node*>(link)->memory;
          delete static_cast<Node*>(link);
        }
        base_->DeallocateRaw(memory, kAlignment, bytes);
        ++count;
        total += bytes;
      }
    }
  }
  if (count > 0) ForgetBlocks(count, static_cast<std::int64_t>(total));
  return total + scratch;
}

// Bytes of the largest cached block that the calling thread could have; 0: none.
inline std::size_t CachingAllocator::LargestCached() const {
  SpinLockHolder hold(lock_);
  for (std::size_t c = detail::kNumSizeClasses; c-- > 0;) {
    if ((shared_ != nullptr && shared_->heads[c] != nullptr) ||
        (own_ != nullptr && MayUseOwn() && own_->heads[c] != nullptr))
      return detail::SizeClassBytes(c);
  }
  return 0;
}

inline std::optional<AllocatorStats> CachingAllocator::GetStats() const {
  const auto largest_cached = static_cast<std::int64_t>(LargestCached());
  SpinLockHolder hold(lock_);
  AllocatorStats stats;
  stats.num_allocs = num_allocs_;
  stats.bytes_in_use = stats.bytes_reserved = held_bytes();
  stats.peak_bytes_in_use = stats.peak_bytes_reserved = peak_bytes_;
  stats.largest_alloc_size = largest_bytes_;
  stats.largest_free_block_bytes = largest_cached;
  return stats;
}

inline bool CachingAllocator::ClearStats() {
  SpinLockHolder hold(lock_);
  num_allocs_ = largest_bytes_ = 0;
  peak_bytes_ = held_bytes();
  return true;
}

TENON_DETAIL_STEP_NAMESPACE_END
