// SPDX-License-Identifier: Apache-2.0
#pragma once
// BFCAllocator: TensorFlow's best-fit allocator with coalescing. It takes large regions from a SubAllocator and gives
// out chunks of them: the smallest free one that fits, split when too large, joined with its free neighbours when
// freed.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/check.hpp>
#include <tenon/base/exceptions.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/spin_lock.hpp>
#include <tenon/base/str.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/allocator_retry.hpp>
#include <tenon/memory/bfc_chunks.hpp>
#include <tenon/memory/bfc_report.hpp>
#include <tenon/memory/block.hpp>
#include <tenon/memory/shared_counter.hpp>
#include <tenon/memory/stats.hpp>
#include <tenon/memory/sub_allocator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct BFCAllocatorOptions {
  bool allow_growth = true;  // regions of 2 MiB, 4 MiB, ...; false: one region of the whole limit at the first request
  bool allow_retry_on_failure = true;  // wait for other threads to free memory
  bool garbage_collection = false;  // give wholly free regions back when that may help a request
  double fragmentation_fraction = 0;  // fraction of the limit: a chunk that is larger by this is split; 0: by 128 MiB
  std::int64_t max_retry_milliseconds = 10000;
};

// thread-safe. Must outlive its blocks.
//
//   BFCAllocator gpu(MakeOwned<BaseSubAllocator>(&cuda_memory), std::size_t{8} << 30, "GPU_0_bfc");
//   void* block = gpu.AllocateRaw(64, 1000);  // 1024 bytes of a region of 2 MiB
//   gpu.DeallocateRaw(block, 64, 1000);
//   TENON_LOG(kInfo, gpu.DumpMemoryLog(0));
//
// Takes the smallest free chunk that fits, of equal ones the first in memory. All state is behind one lock, which
// spins: the work under it is short but for a new region and the reports.
//
// With a timing counter every free is stamped with its count, for memory that another stream may still use. A stamped
// chunk is joined with no neighbour until SetSafeFrontier has passed its count, and a request with freed_by_func gets
// no chunk of a later count than that function returns. A request without one may have any: it runs in stream order.
class BFCAllocator final : public Allocator {
 public:
  using Options = BFCAllocatorOptions;

  static constexpr std::size_t kMinAllocationSize = detail::BFCChunks::kMinAllocationSize;  // 256 bytes
  static constexpr int kNumBins = detail::BFCChunks::kNumBins;

  // At most `memory_limit` bytes are taken from `sub_allocator`, and never more than 128 TiB.
  BFCAllocator(Owned<SubAllocator> sub_allocator, std::size_t memory_limit, std::string_view name,
               const Options& options = {});
  // Virtual functions are `inline` already here: else every file compiles their table, and so the whole class.
  inline ~BFCAllocator() override;

  std::string_view Name() const override { return name_; }
  AllocatorMemoryType GetMemoryType() const override { return sub_allocator_->GetMemoryType(); }
  bool HostAccessible() const override { return host_accessible_; }

  // A request that can never fit into the limit fails at once, also where waiting is allowed. Failures are logged: with
  // the stats and a picture of the memory after waiting in vain, else as one line, ten times at most.
  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) override {
    void* const ptr = TryToAllocate(alignment, bytes, attributes);
    if (ptr != nullptr) [[likely]]
      return ptr;
    return AllocateAfterFailure(alignment, bytes, attributes);
  }
  inline void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override;

  bool TracksAllocationSizes() const override { return true; }
  inline std::size_t RequestedSize(const void* ptr) const override;
  inline std::size_t AllocatedSize(const void* ptr) const override;
  inline std::int64_t AllocationId(const void* ptr) const override;  // the first is 1

  // Bytes are those of chunks: up to twice what was asked for, or 128 MiB more.
  inline std::optional<AllocatorStats> GetStats() const override;
  inline bool ClearStats() override;
  // How much of the free memory is not in the largest free chunk: 0 is one piece, near 1 is dust.
  double GetFragmentation() const;

  // Before the first allocation. `counter` outlives the allocator.
  void SetTimingCounter(SharedCounter* counter);
  // Memory that was freed before `count` is not used any more. Lower counts than before change nothing.
  inline void SetSafeFrontier(std::uint64_t count) override;

  // The bins, every chunk, what is in use by size, and the stats, as a string of many lines. `bytes`: of the request
  // that failed, or 0.
  std::string DumpMemoryLog(std::size_t bytes) const;
  // The regions as one line of 100 characters: '*' in use, 'x' in use but not asked for, '_' free.
  std::string RenderOccupancy() const;
  // For tests: describes a defect of the structure; empty if there is none. Looks at every chunk.
  std::string FindDefect() const;

 private:
  using Chunk = detail::BFCChunk;
  using Region = detail::BFCRegion;
  using Handle = Chunk::Handle;

  static constexpr std::size_t kLargestLimit = std::size_t{1} << 47;
  static constexpr std::size_t kFirstRegionBytes = std::size_t{2} << 20;
  static constexpr int kMaxWarnings = 10;

  // For requests of at most kLargestLimit.
  static constexpr std::size_t RoundedBytes(std::size_t bytes) {
    const std::size_t least = bytes > kMinAllocationSize ? bytes : kMinAllocationSize;
    return (least + kMinAllocationSize - 1) / kMinAllocationSize * kMinAllocationSize;
  }
  // Bytes that a chunk needs to hold the request wherever it begins; SIZE_MAX if no chunk ever will.
  std::size_t NeededBytes(std::size_t alignment, std::size_t bytes) const {
    if (bytes > limit_ || alignment > limit_) return SIZE_MAX;
    const std::size_t needed =
        RoundedBytes(bytes) + (alignment > kMinAllocationSize ? alignment - kMinAllocationSize : 0);
    return needed > limit_ ? SIZE_MAX : needed;
  }

  void* TryToAllocate(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes);
  void* AllocateAfterFailure(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes);
  void LogFailure(std::size_t bytes) const;

  // All functions below run under the lock.
  Chunk& At(Handle h) { return chunks_.At(h); }
  const Chunk& At(Handle h) const { return chunks_.At(h); }
  Handle MakeRoom(std::size_t needed, std::uint64_t freed_before);
  bool Extend(std::size_t needed);
  bool AddRegion(char* ptr, std::size_t received);
  bool GrowRegion(std::size_t index, std::size_t received, Handle* last);
  bool FreeUnusedRegions(std::size_t needed);
  void* Take(Handle h, std::size_t alignment, std::size_t bytes);
  Handle FindUsed(const void* ptr, const char* action) const;
  AllocatorStats Stats() const;

  const Owned<SubAllocator> sub_allocator_;
  const std::string name_;
  const Options options_;
  const std::size_t limit_;
  const std::size_t max_waste_;  // bytes by which a chunk may be larger than the request without being split
  const bool host_accessible_;
  std::atomic<int> num_warnings_{0};
  AllocatorRetry retry_;

  mutable SpinLock lock_;  // guards the members below
  detail::BFCChunks chunks_;
  std::size_t next_region_bytes_;
  std::int64_t last_id_ = 0;
  SharedCounter* timing_counter_ = nullptr;
  std::uint64_t safe_frontier_ = 0;
  AllocatorStats stats_;  // bytes_reserved: of all regions
};

inline BFCAllocator::BFCAllocator(Owned<SubAllocator> sub_allocator, std::size_t memory_limit, std::string_view name,
                                  const Options& options)
    : sub_allocator_(static_cast<Owned<SubAllocator>&&>(sub_allocator)),
      name_(name),
      options_(options),
      limit_(memory_limit < kLargestLimit ? memory_limit : kLargestLimit),
      max_waste_(options.fragmentation_fraction > 0
                     ? static_cast<std::size_t>(options.fragmentation_fraction * static_cast<double>(limit_))
                     : std::size_t{128} << 20),
      host_accessible_(sub_allocator_->HostAccessible()),
      next_region_bytes_(
          RoundedBytes(options.allow_growth && limit_ > kFirstRegionBytes ? kFirstRegionBytes : limit_)) {}

inline BFCAllocator::~BFCAllocator() {
  for (const Region& region : chunks_.regions()) {
    if (host_accessible_) detail::MarkReturned(region.ptr, region.bytes);
    sub_allocator_->Free(region.ptr, region.received_bytes);
    std::free(region.handles);
  }
}

inline void* BFCAllocator::TryToAllocate(std::size_t alignment, std::size_t bytes,
                                         const AllocationAttributes& attributes) {
  const std::size_t needed = NeededBytes(alignment, bytes);
  if (needed == SIZE_MAX) return nullptr;
  const std::uint64_t freed_before = attributes.freed_by_func == nullptr ? 0 : (*attributes.freed_by_func)();
  const SpinLockHolder hold(lock_);
  if (chunks_.HasStamped()) [[unlikely]]
    chunks_.MergeSafe(safe_frontier_);
  Handle h = chunks_.FindFit(needed, freed_before);
  if (h == 0) [[unlikely]] {
    h = MakeRoom(needed, freed_before);
    if (h == 0) return nullptr;
  }
  return Take(h, alignment, bytes);
}

TENON_DETAIL_COLD inline void* BFCAllocator::AllocateAfterFailure(std::size_t alignment, std::size_t bytes,
                                                                  const AllocationAttributes& attributes) {
  const bool may_wait = options_.allow_retry_on_failure && attributes.retry_on_failure;
  if (may_wait && NeededBytes(alignment, bytes) != SIZE_MAX) {
    return retry_.AllocateRaw(
        [&](bool is_last) {
          void* const ptr = TryToAllocate(alignment, bytes, attributes);
          if (ptr == nullptr && is_last) LogFailure(bytes);
          return ptr;
        },
        options_.max_retry_milliseconds);
  }
  if (may_wait) {
    LogFailure(bytes);
  } else if (num_warnings_.fetch_add(1, std::memory_order_relaxed) < kMaxWarnings) {
    TENON_LOG(kWarning, "Allocator (", name_, ") ran out of memory trying to allocate ",
              detail::HumanReadableBytes(bytes),
              " with freed_by_count=", attributes.freed_by_func == nullptr ? 0 : (*attributes.freed_by_func)(),
              attributes.retry_on_failure
                  ? "."
                  : ". The caller indicates that this is not a failure, but this may mean that there could be "
                    "performance gains if more memory were available.");
  }
  return nullptr;
}

TENON_DETAIL_COLD inline void BFCAllocator::LogFailure(std::size_t bytes) const {
  if (!LogEnabled(LogSeverity::kWarning)) return;
  std::string text;
  {
    const SpinLockHolder hold(lock_);
    text = StrCat("Allocator (", name_, ") ran out of memory trying to allocate ", detail::HumanReadableBytes(bytes),
                  " (rounded to ", bytes > limit_ ? bytes : RoundedBytes(bytes), ") with a limit of ", limit_,
                  " bytes; the largest free chunk has ", chunks_.LargestFree(), ".\n", Stats(),
                  detail::BFCReport(chunks_).Occupancy());
  }
  TENON_LOG(kWarning, text);
}

inline void BFCAllocator::DeallocateRaw(void* ptr, std::size_t, std::size_t) {
  if (ptr == nullptr) return;
  {
    const SpinLockHolder hold(lock_);
    const Handle h = FindUsed(ptr, "DeallocateRaw");
    Chunk& chunk = At(h);
    if (host_accessible_) detail::MarkFree(ptr, chunk.bytes);
    stats_.bytes_in_use -= static_cast<std::int64_t>(chunk.bytes);
    chunk.allocation_id = -1;
    if (timing_counter_ == nullptr) [[likely]] {
      chunks_.Insert(chunks_.Coalesce(h));
    } else {
      chunk.freed_at = timing_counter_->next();
      chunks_.Stamp(h, 0);
      chunks_.Insert(h);
    }
  }
  retry_.NotifyDealloc();
}

inline std::size_t BFCAllocator::RequestedSize(const void* ptr) const {
  const SpinLockHolder hold(lock_);
  return At(FindUsed(ptr, "RequestedSize")).requested_bytes;
}
inline std::size_t BFCAllocator::AllocatedSize(const void* ptr) const {
  const SpinLockHolder hold(lock_);
  return At(FindUsed(ptr, "AllocatedSize")).bytes;
}
inline std::int64_t BFCAllocator::AllocationId(const void* ptr) const {
  const SpinLockHolder hold(lock_);
  return At(FindUsed(ptr, "AllocationId")).allocation_id;
}

inline std::optional<AllocatorStats> BFCAllocator::GetStats() const {
  const SpinLockHolder hold(lock_);
  return Stats();
}
inline bool BFCAllocator::ClearStats() {
  const SpinLockHolder hold(lock_);
  stats_.num_allocs = 0;
  stats_.peak_bytes_in_use = stats_.bytes_in_use;
  stats_.largest_alloc_size = 0;
  return true;
}
inline double BFCAllocator::GetFragmentation() const {
  const SpinLockHolder hold(lock_);
  return detail::BFCReport(chunks_).Fragmentation(stats_.bytes_reserved - stats_.bytes_in_use);
}

inline void BFCAllocator::SetTimingCounter(SharedCounter* counter) {
  const SpinLockHolder hold(lock_);
  TENON_CHECK(last_id_ == 0, "BFCAllocator::SetTimingCounter: '", name_, "' has allocated already.");
  timing_counter_ = counter;
}
inline void BFCAllocator::SetSafeFrontier(std::uint64_t count) {
  {
    const SpinLockHolder hold(lock_);
    if (count <= safe_frontier_) return;
    safe_frontier_ = count;
  }
  retry_.NotifyDealloc();
}

// ------------------------------------------------------------------------------------------------- getting memory

// Does everything that may help a request that fits nowhere, the cheapest first. Returns 0 if nothing helped.
TENON_DETAIL_COLD inline BFCAllocator::Handle BFCAllocator::MakeRoom(std::size_t needed, std::uint64_t freed_before) {
  if (Extend(needed)) return chunks_.FindFit(needed, freed_before);
  if (freed_before == 0 && chunks_.MergeUnsafe(needed)) return chunks_.FindFit(needed, 0);
  if (options_.garbage_collection && FreeUnusedRegions(needed) && Extend(needed))
    return chunks_.FindFit(needed, freed_before);
  return 0;
}

// One region more, of at least `needed` bytes.
inline bool BFCAllocator::Extend(std::size_t needed) {
  const auto reserved = static_cast<std::size_t>(stats_.bytes_reserved);
  const std::size_t available = reserved < limit_ ? (limit_ - reserved) / kMinAllocationSize * kMinAllocationSize : 0;
  if (needed > available) return false;
  bool doubled = false;
  for (; next_region_bytes_ < needed; doubled = true) next_region_bytes_ *= 2;
  std::size_t bytes = next_region_bytes_ < available ? next_region_bytes_ : available;
  std::size_t received = 0;
  void* ptr = sub_allocator_->Alloc(kMinAllocationSize, bytes, &received);
  while (ptr == nullptr) {  // perhaps a little less
    bytes = bytes / 10 * 9 / kMinAllocationSize * kMinAllocationSize;
    if (bytes < needed) return false;
    ptr = sub_allocator_->Alloc(kMinAllocationSize, bytes, &received);
  }
  TENON_CHECK(reinterpret_cast<std::uintptr_t>(ptr) % kMinAllocationSize == 0 && received >= bytes,
              "BFCAllocator: the sub-allocator of '", name_, "' gave too little, or not aligned to 256 bytes.");
  if (!AddRegion(static_cast<char*>(ptr), received)) {
    sub_allocator_->Free(ptr, received);
    return false;
  }
  if (!doubled && next_region_bytes_ < kLargestLimit) next_region_bytes_ *= 2;
  return true;
}

// False if there is no memory for its handles.
inline bool BFCAllocator::AddRegion(char* ptr, std::size_t received) {
  const std::size_t bytes = received / kMinAllocationSize * kMinAllocationSize;
  const bool has_room = detail::Succeeds([&] { chunks_.regions().reserve(chunks_.regions().size() + 1); });
  const Handle h = has_room ? chunks_.NewChunk() : 0;
  if (h == 0) return false;
  const auto refuse = [&] {
    chunks_.DeleteChunk(h);
    return false;
  };
  std::size_t index = 0;
  while (index < chunks_.regions().size() && chunks_.regions()[index].ptr < ptr) ++index;
  Handle before = 0;  // the chunk that the new memory continues
  if (index > 0 && sub_allocator_->SupportsCoalescing() && chunks_.regions()[index - 1].end() == ptr &&
      chunks_.regions()[index - 1].bytes == chunks_.regions()[index - 1].received_bytes) {
    --index;
    if (!GrowRegion(index, received, &before)) return refuse();
  } else {
    Region region;
    region.ptr = ptr;
    region.bytes = bytes;
    region.received_bytes = received;
    region.handles = static_cast<Handle*>(std::calloc(bytes / kMinAllocationSize, sizeof(Handle)));
    if (region.handles == nullptr) return refuse();
    chunks_.regions().insert(chunks_.regions().begin() + index, region);
  }
  Chunk& chunk = At(h);
  chunk.ptr = ptr;
  chunk.bytes = bytes;
  chunk.prev = before;
  if (before != 0) At(before).next = h;
  chunks_.regions()[index].HandleAt(ptr) = h;
  if (host_accessible_) detail::MarkFree(ptr, bytes);
  stats_.bytes_reserved += static_cast<std::int64_t>(received);
  if (stats_.bytes_reserved > stats_.peak_bytes_reserved) stats_.peak_bytes_reserved = stats_.bytes_reserved;
  chunks_.Insert(chunks_.Coalesce(h));
  return true;
}

// The region gets the memory behind it; *last: its last chunk so far.
inline bool BFCAllocator::GrowRegion(std::size_t index, std::size_t received, Handle* last) {
  Region& region = chunks_.regions()[index];
  const std::size_t count = region.bytes / kMinAllocationSize;
  const std::size_t added = received / kMinAllocationSize;
  auto* const handles = static_cast<Handle*>(std::realloc(region.handles, (count + added) * sizeof(Handle)));
  if (handles == nullptr) return false;
  std::memset(handles + count, 0, added * sizeof(Handle));
  std::size_t i = count - 1;
  while (handles[i] == 0) --i;
  *last = handles[i];
  region.handles = handles;
  region.bytes += added * kMinAllocationSize;
  region.received_bytes += received;
  return true;
}

// All regions that are one free chunk, if there is room for `needed` bytes then. Regions with stamped chunks stay.
inline bool BFCAllocator::FreeUnusedRegions(std::size_t needed) {
  const auto is_unused = [this](const Region& region) {
    const Chunk& first = At(region.handles[0]);
    return !first.in_use() && first.freed_at == 0 && first.bytes == region.bytes;
  };
  std::size_t unused = 0;
  for (const Region& region : chunks_.regions()) unused += is_unused(region) ? region.received_bytes : 0;
  const std::size_t kept = static_cast<std::size_t>(stats_.bytes_reserved) - unused;
  if (unused == 0 || kept > limit_ || needed > limit_ - kept) return false;
  for (std::size_t i = chunks_.regions().size(); i-- > 0;) {
    const Region region = chunks_.regions()[i];
    if (!is_unused(region)) continue;
    const Handle h = region.handles[0];
    chunks_.Erase(h);
    chunks_.DeleteChunk(h);
    chunks_.regions().erase(chunks_.regions().begin() + i);
    if (host_accessible_) detail::MarkReturned(region.ptr, region.bytes);
    sub_allocator_->Free(region.ptr, region.received_bytes);
    std::free(region.handles);
    stats_.bytes_reserved -= static_cast<std::int64_t>(region.received_bytes);
  }
  return true;
}

// ------------------------------------------------------------------------------------------------- chunks

// Makes the free chunk, or a part of it, that of a request which it is large enough for. Null: there is no memory for
// another chunk.
inline void* BFCAllocator::Take(Handle h, std::size_t alignment, std::size_t bytes) {
  chunks_.Erase(h);
  const std::size_t rounded = RoundedBytes(bytes);
  if (alignment > kMinAllocationSize) [[unlikely]] {
    const std::size_t past = reinterpret_cast<std::uintptr_t>(At(h).ptr) % alignment;
    if (past != 0) {
      if (!chunks_.Split(h, alignment - past)) {
        chunks_.Insert(h);
        return nullptr;
      }
      const Handle front = h;
      h = At(h).next;
      chunks_.Erase(h);
      chunks_.Insert(front);
    }
  }
  if (At(h).bytes >= 2 * rounded || At(h).bytes - rounded >= max_waste_) {
    if (!chunks_.Split(h, rounded)) {
      chunks_.Insert(h);
      return nullptr;
    }
  }
  Chunk& chunk = At(h);
  if (chunk.freed_at != 0) {
    chunks_.Unstamp(h);
    chunk.freed_at = 0;
  }
  chunk.requested_bytes = bytes;
  chunk.allocation_id = ++last_id_;
  const auto size = static_cast<std::int64_t>(chunk.bytes);
  ++stats_.num_allocs;
  stats_.bytes_in_use += size;
  if (stats_.bytes_in_use > stats_.peak_bytes_in_use) stats_.peak_bytes_in_use = stats_.bytes_in_use;
  if (size > stats_.largest_alloc_size) stats_.largest_alloc_size = size;
  if (host_accessible_) detail::MarkInUse(chunk.ptr, bytes, chunk.bytes);
  return chunk.ptr;
}

inline BFCAllocator::Handle BFCAllocator::FindUsed(const void* ptr, const char* action) const {
  const Handle h = chunks_.FindHandle(ptr);
  TENON_CHECK(h != 0 && chunks_.At(h).in_use(), "BFCAllocator::", action, ": '", name_, "' has no block in use at ",
              reinterpret_cast<std::uintptr_t>(ptr), ".");
  return h;
}

// ------------------------------------------------------------------------------------------------- reports

inline AllocatorStats BFCAllocator::Stats() const {
  AllocatorStats stats = stats_;
  stats.bytes_limit = static_cast<std::int64_t>(limit_);
  stats.largest_free_block_bytes = static_cast<std::int64_t>(chunks_.LargestFree());
  stats.pool_bytes = stats.bytes_reserved;
  stats.peak_pool_bytes = stats.peak_bytes_reserved;
  return stats;
}

TENON_DETAIL_COLD inline std::string BFCAllocator::RenderOccupancy() const {
  const SpinLockHolder hold(lock_);
  return detail::BFCReport(chunks_).Occupancy();
}

TENON_DETAIL_COLD inline std::string BFCAllocator::DumpMemoryLog(std::size_t bytes) const {
  const SpinLockHolder hold(lock_);
  std::string text = StrCat("BFCAllocator dump for ", name_, "\n");
  const detail::BFCReport report(chunks_);
  report.DumpBins(&text);
  if (bytes != 0 && bytes <= limit_) {
    const std::size_t rounded = RoundedBytes(bytes);
    StrAppend(&text, "Bin for ", detail::HumanReadableBytes(rounded), " was ",
              detail::HumanReadableBytes(kMinAllocationSize << detail::BFCChunks::BinOf(rounded)), ".\n");
  }
  report.DumpChunks(&text);
  const auto reserved = static_cast<std::size_t>(stats_.bytes_reserved);
  StrAppend(&text, "Total bytes in pool: ", reserved, " memory limit: ", limit_,
            " available bytes: ", reserved < limit_ ? limit_ - reserved : 0, " next region: ", next_region_bytes_,
            "\nStats:\n", Stats());
  return text;
}

TENON_DETAIL_COLD inline std::string BFCAllocator::FindDefect() const {
  const SpinLockHolder hold(lock_);
  return detail::BFCReport(chunks_).FindDefect(stats_);
}

TENON_DETAIL_NAMESPACE_END
