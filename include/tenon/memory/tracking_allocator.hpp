// SPDX-License-Identifier: Apache-2.0
#pragma once
// TrackingAllocator: passes everything on to another allocator and writes it down: blocks and bytes in use, their peak,
// every size that was asked for, frees that do not fit. It can also refuse chosen allocations, so that a test can walk
// through every place where memory may run out.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include <tenon/base/config.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/memory/allocator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// thread-safe. Must outlive its blocks, and `base` must outlive it.
//
//   TrackingAllocator memory(CpuAllocator());
//   memory.FailAllocations(3);                       // the third from now on
//   CHECK(!RunTheGraph(&memory).ok());
//   CHECK(memory.blocks_in_use() == 0);
class TrackingAllocator final : public Allocator {
 public:
  static constexpr std::int64_t kAll = -1;

  explicit TrackingAllocator(Allocator* base) : base_(base) {}

  std::string_view Name() const override { return base_->Name(); }
  AllocatorMemoryType GetMemoryType() const override { return base_->GetMemoryType(); }
  bool HostAccessible() const override { return base_->HostAccessible(); }
  bool HoldsHeaders() const override { return base_->HoldsHeaders(); }
  bool AllocatesOpaqueHandle() const override { return base_->AllocatesOpaqueHandle(); }
  void SetSafeFrontier(std::uint64_t count) override { base_->SetSafeFrontier(count); }
  void SetStreamAndPreallocateMemory(void* stream) override { base_->SetStreamAndPreallocateMemory(stream); }

  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) override {
    {
      MutexLock lock(mutex_);
      ++num_requests_;
      if (IsToFail()) {
        ++num_failures_;
        return nullptr;
      }
    }
    void* const ptr = base_->AllocateRaw(alignment, bytes, attributes);
    MutexLock lock(mutex_);
    if (ptr == nullptr) {
      ++num_failures_;
      return nullptr;
    }
    blocks_.insert_or_assign(ptr, Block{alignment, bytes, ++last_id_});
    sizes_.push_back(bytes);
    const auto size = static_cast<std::int64_t>(bytes);
    ++stats_.num_allocs;
    stats_.bytes_in_use += size;
    if (stats_.bytes_in_use > stats_.peak_bytes_in_use) stats_.peak_bytes_in_use = stats_.bytes_in_use;
    if (size > stats_.largest_alloc_size) stats_.largest_alloc_size = size;
    return ptr;
  }

  // A block that is not out is not passed on; one that comes back with the wrong size or alignment is freed as it was
  // allocated. Both count as bad frees.
  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override {
    if (ptr == nullptr) return;
    {
      MutexLock lock(mutex_);
      const auto found = blocks_.find(ptr);
      if (found == blocks_.end()) {
        ++num_bad_frees_;
        return;
      }
      if (found->second.alignment != alignment || found->second.bytes != bytes) ++num_bad_frees_;
      alignment = found->second.alignment;
      bytes = found->second.bytes;
      blocks_.erase(found);
      ++num_deallocations_;
      stats_.bytes_in_use -= static_cast<std::int64_t>(bytes);
    }
    base_->DeallocateRaw(ptr, alignment, bytes);
  }

  // The `first`-th request from now (1 is the next one) returns null without asking `base`, and so do the ones after
  // it, `count` in all; kAll: until FailAllocations is called again. first == 0: none fails.
  // A cache above this allocator may answer a single failure by giving memory back and asking again: use kAll there.
  void FailAllocations(std::int64_t first, std::int64_t count = 1) {
    MutexLock lock(mutex_);
    fail_from_ = first <= 0 ? 0 : num_requests_ + first;
    fail_count_ = count;
  }

  std::int64_t num_requests() const { return Read(num_requests_); }  // asked for, failed ones too
  std::int64_t num_failures() const { return Read(num_failures_); }  // refused here or by `base`
  std::int64_t num_allocations() const { return Read(stats_.num_allocs); }  // that gave a block
  std::int64_t num_deallocations() const { return Read(num_deallocations_); }
  std::int64_t num_bad_frees() const { return Read(num_bad_frees_); }
  std::int64_t bytes_in_use() const { return Read(stats_.bytes_in_use); }  // as asked for
  std::int64_t peak_bytes_in_use() const { return Read(stats_.peak_bytes_in_use); }
  std::int64_t blocks_in_use() const {
    MutexLock lock(mutex_);
    return static_cast<std::int64_t>(blocks_.size());
  }
  // The sizes of all blocks given since the beginning or the last ClearStats, in order.
  SlimVector<std::size_t> sizes() const { return Read(sizes_); }

  bool TracksAllocationSizes() const override { return true; }
  // 0 for a pointer that is not a block in use; the id is that of the allocation, 1 the first.
  std::size_t RequestedSize(const void* ptr) const override { return Find(ptr).bytes; }
  // As `base` says, if it tracks sizes.
  std::size_t AllocatedSize(const void* ptr) const override {
    const Block block = Find(ptr);
    return block.id != 0 && base_->TracksAllocationSizes() ? base_->AllocatedSize(ptr) : block.bytes;
  }
  std::int64_t AllocationId(const void* ptr) const override { return Find(ptr).id; }
  // Its own counters; the limit is that of `base`.
  std::optional<AllocatorStats> GetStats() const override {
    AllocatorStats stats = Read(stats_);
    if (const auto below = base_->GetStats(); below.has_value()) stats.bytes_limit = below->bytes_limit;
    return stats;
  }

  // Counters start again; what is in use stays, and is the new peak.
  bool ClearStats() override {
    MutexLock lock(mutex_);
    num_requests_ = num_failures_ = num_deallocations_ = num_bad_frees_ = 0;
    fail_from_ = 0;
    sizes_.clear();
    stats_.num_allocs = stats_.largest_alloc_size = 0;
    stats_.peak_bytes_in_use = stats_.bytes_in_use;
    return true;
  }

 private:
  struct Block {
    std::size_t alignment = 0;
    std::size_t bytes = 0;
    std::int64_t id = 0;
  };

  bool IsToFail() const {  // for request number num_requests_
    return fail_from_ > 0 && num_requests_ >= fail_from_ &&
           (fail_count_ == kAll || num_requests_ < fail_from_ + fail_count_);
  }
  template <class T>
  T Read(const T& value) const {
    MutexLock lock(mutex_);
    return value;
  }
  Block Find(const void* ptr) const {
    MutexLock lock(mutex_);
    const auto found = blocks_.find(ptr);
    return found == blocks_.end() ? Block{} : found->second;
  }

  Allocator* const base_;
  mutable Mutex mutex_;  // guards all that follows
  std::unordered_map<const void*, Block> blocks_;
  SlimVector<std::size_t> sizes_;
  AllocatorStats stats_;
  std::int64_t num_requests_ = 0;
  std::int64_t num_failures_ = 0;
  std::int64_t num_deallocations_ = 0;
  std::int64_t num_bad_frees_ = 0;
  std::int64_t last_id_ = 0;
  std::int64_t fail_from_ = 0;  // number of the first request to fail; 0: none
  std::int64_t fail_count_ = 0;
};

TENON_DETAIL_NAMESPACE_END
