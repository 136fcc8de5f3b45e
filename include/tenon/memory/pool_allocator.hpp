// SPDX-License-Identifier: Apache-2.0
#pragma once
// PoolAllocator: TensorFlow's pool of freed blocks, found again by their size; when it is full, the block that lay
// there longest goes back. For memory that is slow to get and asked for in few sizes, e.g. page-locked host memory.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/check.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/block.hpp>
#include <tenon/memory/stats.hpp>
#include <tenon/memory/sub_allocator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// thread-safe. Must outlive its blocks.
//
//   PoolAllocator pool(100, true, MakeOwned<BaseSubAllocator>(&pinned), &PoolAllocator::RoundToPowerOfTwo,
//   "pinned_pool");
class PoolAllocator final : public Allocator {
 public:
  using RoundUp = std::size_t (*)(std::size_t bytes);

  // The sizes that blocks may have: blocks are used again for all requests that are rounded to the same size.
  static std::size_t RoundToNothing(std::size_t bytes) { return bytes; }
  static std::size_t RoundToPowerOfTwo(std::size_t bytes) { return std::bit_ceil(bytes); }

  // Keeps at most `size_limit` free blocks; 0: none. With `auto_resize` the limit, which is not 0 then, grows while too
  // many blocks go back that are soon asked for again.
  PoolAllocator(std::size_t size_limit, bool auto_resize, Owned<SubAllocator> sub_allocator, RoundUp round_up,
                std::string_view name)
      : sub_allocator_(static_cast<Owned<SubAllocator>&&>(sub_allocator)),
        round_up_(round_up),
        name_(name),
        auto_resize_(auto_resize),
        host_accessible_(sub_allocator_->HostAccessible()),
        size_limit_(size_limit) {
    TENON_CHECK(!auto_resize || size_limit > 0, "PoolAllocator: '", name_,
                "': the size limit must be > 0 if auto-resize is true.");
    entries_.resize(1);  // none
  }
  ~PoolAllocator() override { Clear(); }

  std::string_view Name() const override { return name_; }
  AllocatorMemoryType GetMemoryType() const override { return sub_allocator_->GetMemoryType(); }
  bool HostAccessible() const override { return host_accessible_; }

  // Alignments above 64 go past the pool. When no memory is left, the pool's blocks are given up for it.
  inline void* AllocateRaw(std::size_t alignment, std::size_t bytes,
                           const AllocationAttributes& attributes = {}) override;
  inline void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override;

  // All free blocks go back.
  void Clear() {
    MutexLock lock(mutex_);
    while (oldest_ != 0) Release(oldest_);
  }

  // Bytes are those of blocks, as rounded; bytes_reserved counts free ones too.
  inline std::optional<AllocatorStats> GetStats() const override;
  inline bool ClearStats() override;

  // Since the beginning, or since the limit last grew: blocks that came from the pool, new ones, blocks that were freed
  // into the pool, and blocks that had to leave it for other ones.
  std::int64_t get_from_pool_count() const { return Read(num_found_); }
  std::int64_t allocated_count() const { return Read(num_allocated_); }
  std::int64_t put_count() const { return Read(num_put_); }
  std::int64_t evicted_count() const { return Read(num_evicted_); }
  std::size_t size_limit() const { return Read(size_limit_); }

 private:
  using Handle = std::uint32_t;  // 0: none
  // A free block. In the list of all by age, and in that of its size.
  struct Entry {
    void* ptr = nullptr;
    std::size_t bytes = 0;
    Handle older = 0, newer = 0;  // `older` of a spare entry: the next spare one
    Handle older_of_size = 0, newer_of_size = 0;
  };

  static constexpr std::int64_t kCheckInterval = 1000;  // evictions
  static constexpr double kTolerableRate = 2e-3;  // rate of evictions among frees, and of new blocks among all
  static constexpr double kIncreaseFactor = 1.1;
  static constexpr std::size_t kMinResizedLimit = 100;

  std::size_t BlockBytes(std::size_t bytes) const {
    const std::size_t rounded = round_up_(bytes == 0 ? 1 : bytes);
    return rounded < bytes ? bytes : rounded;
  }
  template <class T>
  T Read(const T& value) const {
    MutexLock lock(mutex_);
    return value;
  }

  // All functions below run under the lock.
  inline void* AllocateNew(std::size_t alignment, std::size_t bytes);
  inline void FreeBlock(void* ptr, std::size_t bytes);
  inline void* TakeFromPool(std::size_t bytes);
  inline void PutIntoPool(void* ptr, std::size_t bytes);
  inline void Remove(Handle h);
  inline void Release(Handle h);
  inline void EvictOne();

  const Owned<SubAllocator> sub_allocator_;
  const RoundUp round_up_;
  const std::string name_;
  const bool auto_resize_;
  const bool host_accessible_;

  mutable Mutex mutex_;  // guards the members below
  std::size_t size_limit_;
  std::size_t num_entries_ = 0;
  SlimVector<Entry> entries_;
  Handle spare_ = 0;
  Handle oldest_ = 0, newest_ = 0;
  FlatMap<std::size_t, Handle> newest_of_size_;
  FlatMap<const void*, std::size_t> received_bytes_;  // blocks for which more came than was asked for
  std::int64_t num_found_ = 0, num_allocated_ = 0, num_put_ = 0, num_evicted_ = 0;
  AllocatorStats stats_;
};

inline void* PoolAllocator::AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes&) {
  if (bytes > detail::kMaxBlockBytes) return nullptr;
  const std::size_t block_bytes = BlockBytes(bytes);
  MutexLock lock(mutex_);
  const bool may_be_pooled = alignment <= kAlignment;
  void* ptr = may_be_pooled ? TakeFromPool(block_bytes) : nullptr;
  if (ptr == nullptr) ptr = AllocateNew(may_be_pooled ? kAlignment : alignment, block_bytes);
  if (ptr == nullptr) return nullptr;
  const auto size = static_cast<std::int64_t>(block_bytes);
  ++stats_.num_allocs;
  stats_.bytes_in_use += size;
  if (stats_.bytes_in_use > stats_.peak_bytes_in_use) stats_.peak_bytes_in_use = stats_.bytes_in_use;
  if (size > stats_.largest_alloc_size) stats_.largest_alloc_size = size;
  if (host_accessible_) detail::MarkInUse(ptr, bytes, block_bytes);
  return ptr;
}

inline void PoolAllocator::DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) {
  if (ptr == nullptr) return;
  const std::size_t block_bytes = BlockBytes(bytes);
  MutexLock lock(mutex_);
  stats_.bytes_in_use -= static_cast<std::int64_t>(block_bytes);
  if (alignment > kAlignment || size_limit_ == 0) {
    FreeBlock(ptr, block_bytes);
    return;
  }
  ++num_put_;
  while (num_entries_ >= size_limit_) EvictOne();
  PutIntoPool(ptr, block_bytes);
}

inline std::optional<AllocatorStats> PoolAllocator::GetStats() const {
  MutexLock lock(mutex_);
  AllocatorStats stats = stats_;
  stats.pool_bytes = stats.bytes_reserved;
  stats.peak_pool_bytes = stats.peak_bytes_reserved;
  if (!newest_of_size_.empty()) {
    stats.largest_free_block_bytes = static_cast<std::int64_t>((newest_of_size_.end() - 1)->first);
  }
  return stats;
}
inline bool PoolAllocator::ClearStats() {
  MutexLock lock(mutex_);
  stats_.num_allocs = 0;
  stats_.peak_bytes_in_use = stats_.bytes_in_use;
  stats_.largest_alloc_size = 0;
  return true;
}

inline void* PoolAllocator::AllocateNew(std::size_t alignment, std::size_t bytes) {
  std::size_t received = 0;
  void* ptr = sub_allocator_->Alloc(alignment, bytes, &received);
  while (ptr == nullptr && oldest_ != 0) {
    Release(oldest_);
    ptr = sub_allocator_->Alloc(alignment, bytes, &received);
  }
  if (ptr == nullptr) return nullptr;
  ++num_allocated_;
  if (received != bytes) received_bytes_.insert_or_assign(ptr, received);
  stats_.bytes_reserved += static_cast<std::int64_t>(bytes);
  if (stats_.bytes_reserved > stats_.peak_bytes_reserved) stats_.peak_bytes_reserved = stats_.bytes_reserved;
  return ptr;
}

inline void PoolAllocator::FreeBlock(void* ptr, std::size_t bytes) {
  stats_.bytes_reserved -= static_cast<std::int64_t>(bytes);
  if (host_accessible_) detail::MarkReturned(ptr, bytes);
  if (!received_bytes_.empty()) {
    if (const std::size_t* const received = received_bytes_.FindValue(ptr); received != nullptr) {
      bytes = *received;
      received_bytes_.erase(ptr);
    }
  }
  sub_allocator_->Free(ptr, bytes);
}

// The block of that size which was freed last, or null.
inline void* PoolAllocator::TakeFromPool(std::size_t bytes) {
  const Handle* const newest = newest_of_size_.FindValue(bytes);
  if (newest == nullptr) return nullptr;
  const Handle h = *newest;
  Remove(h);
  ++num_found_;
  return entries_[h].ptr;
}

inline void PoolAllocator::PutIntoPool(void* ptr, std::size_t bytes) {
  Handle h = spare_;
  if (h == 0) {
    h = static_cast<Handle>(entries_.size());
    entries_.emplace_back();
  }
  Entry& entry = entries_[h];
  spare_ = entry.older;
  entry.ptr = ptr;
  entry.bytes = bytes;
  entry.older = newest_;
  entry.newer = 0;
  (newest_ != 0 ? entries_[newest_].newer : oldest_) = h;
  newest_ = h;
  Handle& newest_of_size = newest_of_size_[bytes];
  entry.older_of_size = newest_of_size;
  entry.newer_of_size = 0;
  if (newest_of_size != 0) entries_[newest_of_size].newer_of_size = h;
  newest_of_size = h;
  ++num_entries_;
  // No word of the block is used for a list, but its marks are those of the other allocators.
  if (host_accessible_ && bytes >= sizeof(detail::FreeBlock)) detail::MarkFree(ptr, bytes);
}

// Out of the lists. The entry is spare then, and still knows its block.
inline void PoolAllocator::Remove(Handle h) {
  Entry& entry = entries_[h];
  (entry.older != 0 ? entries_[entry.older].newer : oldest_) = entry.newer;
  (entry.newer != 0 ? entries_[entry.newer].older : newest_) = entry.older;
  if (entry.older_of_size != 0) entries_[entry.older_of_size].newer_of_size = entry.newer_of_size;
  if (entry.newer_of_size != 0) {
    entries_[entry.newer_of_size].older_of_size = entry.older_of_size;
  } else if (entry.older_of_size != 0) {
    newest_of_size_[entry.bytes] = entry.older_of_size;
  } else {
    newest_of_size_.erase(entry.bytes);
  }
  entry.older = spare_;
  spare_ = h;
  --num_entries_;
}

inline void PoolAllocator::Release(Handle h) {
  Remove(h);
  FreeBlock(entries_[h].ptr, entries_[h].bytes);
}

// Evicts the block that lay longest. Now and then checks whether the pool is too small.
inline void PoolAllocator::EvictOne() {
  Release(oldest_);
  ++num_evicted_;
  if (!auto_resize_ || num_evicted_ % kCheckInterval != 0) return;
  const double eviction_rate = static_cast<double>(num_evicted_) / static_cast<double>(num_put_);
  const double allocation_rate = static_cast<double>(num_allocated_) / static_cast<double>(num_allocated_ + num_found_);
  if (eviction_rate <= kTolerableRate || allocation_rate <= kTolerableRate) return;
  const std::size_t before = size_limit_;
  size_limit_ = before >= kMinResizedLimit ? static_cast<std::size_t>(kIncreaseFactor * static_cast<double>(before))
                                           : kMinResizedLimit;
  TENON_LOG(kInfo, "PoolAllocator (", name_, "): raising the size limit from ", before, " to ", size_limit_,
            ": of the blocks freed ", eviction_rate, " were evicted, of those asked for ", allocation_rate,
            " were new.");
  num_found_ = num_allocated_ = num_put_ = num_evicted_ = 0;  // the rates of the new size count
}

TENON_DETAIL_NAMESPACE_END
