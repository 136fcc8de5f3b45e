// SPDX-License-Identifier: Apache-2.0
#pragma once
// BFCAllocator: TensorFlow's best-fit allocator with coalescing. It takes large regions from a SubAllocator and gives
// out chunks of them: the smallest free one that fits, split when too large, joined with its free neighbours when
// freed.

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/check.hpp>
#include <tenon/base/flat_map.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/base/str.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/allocator_retry.hpp>
#include <tenon/memory/block.hpp>
#include <tenon/memory/stats.hpp>
#include <tenon/memory/sub_allocator.hpp>

TENON_NAMESPACE_BEGIN

// A clock that ticks with every event which a device is given. thread-safe.
class SharedCounter {
 public:
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }
  std::uint64_t next() { return value_.fetch_add(1, std::memory_order_relaxed) + 1; }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct BFCAllocatorOptions {
  bool allow_growth = true;  // regions of 2 MiB, 4 MiB, ...; false: one region of the whole limit at the first request
  bool allow_retry_on_failure = true;  // wait for other threads to free memory
  bool garbage_collection = false;  // give wholly free regions back when that may help a request
  double fragmentation_fraction = 0;  // of the limit: a chunk that is larger by this is split; 0: by 128 MiB
  std::int64_t max_retry_milliseconds = 10000;
};

namespace detail {

// One piece of a region. Chunk number 0 stands for none.
struct BFCChunk {
  using Handle = std::uint32_t;

  bool in_use() const { return allocation_id >= 0; }

  char* ptr = nullptr;
  std::size_t bytes = 0;  // a multiple of 256
  std::size_t requested_bytes = 0;
  std::int64_t allocation_id = -1;  // -1: free
  std::uint64_t freed_at = 0;  // free, and joined with nothing until that count is safe; 0: no such count
  Handle prev = 0, next = 0;  // neighbours in memory; `next` of a spare chunk: the next spare one
  Handle left = 0, right = 0;  // of a free chunk: its children in the tree of its bin
  Handle earlier = 0, later = 0;  // of a free chunk with freed_at: the list of these in the order of freed_at
};

struct BFCRegion {
  char* end() const { return ptr + bytes; }
  BFCChunk::Handle& HandleAt(const void* p) const {
    return handles[static_cast<std::size_t>(static_cast<const char*>(p) - ptr) / 256];
  }

  char* ptr = nullptr;
  std::size_t bytes = 0;  // that chunks are made of: a multiple of 256
  std::size_t received_bytes = 0;  // as the sub-allocator counts them
  BFCChunk::Handle* handles = nullptr;  // one for each 256 bytes; 0 where no chunk begins. From calloc: most of a large
                                        // region's pages are never touched
};

// "1.50GiB"
inline std::string HumanReadableBytes(std::size_t bytes) {
  if (bytes < 1024) return StrCat(bytes, "B");
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit < 6; ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.2f%ciB", value, " KMGTPE"[unit]);
  return text;
}

}  // namespace detail

// thread-safe. Must outlive its blocks.
//
//   BFCAllocator gpu(MakeOwned<BaseSubAllocator>(&cuda_memory), std::size_t{8} << 30, "GPU_0_bfc");
//   void* block = gpu.AllocateRaw(64, 1000);  // 1024 bytes of a region of 2 MiB
//   gpu.DeallocateRaw(block, 64, 1000);
//   TENON_LOG(kInfo, gpu.DumpMemoryLog(0));
//
// Free chunks are in 21 bins: bin b has those of 256 << b bytes and more, but less than twice that; the last has no
// upper end. Each bin is a tree (a treap) in the order of size, then address. All state is behind one lock.
//
// With a timing counter every free is stamped with its count, for memory that another stream may still use. A stamped
// chunk is joined with no neighbour until SetSafeFrontier has passed its count, and a request with freed_by_func gets
// no chunk of a later count than that function returns. A request without one may have any: it runs in stream order.
class BFCAllocator final : public Allocator {
 public:
  using Options = BFCAllocatorOptions;

  static constexpr std::size_t kMinAllocationSize = 256;  // bytes; chunks are multiples of it and aligned to it
  static constexpr int kNumBins = 21;

  // At most `memory_limit` bytes are taken from `sub_allocator`, and never more than 128 TiB.
  BFCAllocator(Owned<SubAllocator> sub_allocator, std::size_t memory_limit, std::string_view name,
               const Options& options = {});
  // Virtual functions are `inline` already here: else every file compiles their table, and so the whole class.
  inline ~BFCAllocator() override;

  std::string_view Name() const override { return name_; }
  AllocatorMemoryType GetMemoryType() const override { return sub_allocator_->GetMemoryType(); }
  bool HostAccessible() const override { return host_accessible_; }

  // What can never fit into the limit fails at once, also where waiting is allowed. Failures are logged: with the stats
  // and a picture of the memory after waiting in vain, else as one line, ten times at most.
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
  // What was freed before `count` is not used any more. Lower counts than before change nothing.
  void SetSafeFrontier(std::uint64_t count);

  // The bins, every chunk, what is in use by size, and the stats, as a text of many lines. `bytes`: of the request that
  // failed, or 0.
  std::string DumpMemoryLog(std::size_t bytes) const;
  // The regions as one line of 100 characters: '*' in use, 'x' in use but not asked for, '_' free.
  std::string RenderOccupancy() const;
  // For tests: what is wrong with the structure; empty if nothing is. Looks at every chunk.
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
  static constexpr int BinOf(std::size_t bytes) {
    const int bin = static_cast<int>(std::bit_width(bytes / kMinAllocationSize)) - 1;
    return bin < kNumBins ? bin : kNumBins - 1;
  }
  // What a chunk must have to hold the request wherever it begins; SIZE_MAX if no chunk ever will.
  std::size_t NeededBytes(std::size_t alignment, std::size_t bytes) const {
    if (bytes > limit_ || alignment > limit_) return SIZE_MAX;
    const std::size_t needed =
        RoundedBytes(bytes) + (alignment > kMinAllocationSize ? alignment - kMinAllocationSize : 0);
    return needed > limit_ ? SIZE_MAX : needed;
  }

  void* TryToAllocate(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes);
  void* AllocateAfterFailure(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes);
  void LogFailure(std::size_t bytes) const;

  // All that follow: under the lock.
  Chunk& At(Handle h) { return chunks_[h]; }
  const Chunk& At(Handle h) const { return chunks_[h]; }
  Handle MakeRoom(std::size_t needed, std::uint64_t freed_before);
  bool Extend(std::size_t needed);
  void* AllocRegion(std::size_t bytes, std::size_t* received);
  bool AddRegion(char* ptr, std::size_t received);
  bool GrowRegion(std::size_t index, std::size_t received, Handle* last);
  bool FreeUnusedRegions(std::size_t needed);
  void* Take(Handle h, std::size_t alignment, std::size_t bytes);
  void Split(Handle h, std::size_t bytes);
  Handle Coalesce(Handle h);
  void Merge(Handle h, Handle next);
  void MergeSafeChunks();
  bool MergeUnsafeChunks(std::size_t needed);

  Handle NewChunk();
  void DeleteChunk(Handle h);
  const Region* FindRegion(const void* ptr) const;
  Handle FindHandle(const void* ptr) const;
  Handle FindUsed(const void* ptr, const char* action) const;

  bool Precedes(const Chunk& a, const Chunk& b) const { return a.bytes != b.bytes ? a.bytes < b.bytes : a.ptr < b.ptr; }
  static std::uint32_t Priority(Handle h) { return h * 0x9e3779b9u; }  // no two handles have the same
  void Insert(Handle h);
  void Erase(Handle h);
  Handle FindInBin(int bin, std::size_t bytes, const char* after) const;
  Handle FindFit(std::size_t bytes, std::uint64_t freed_before) const;
  void Stamp(Handle h, Handle before);
  void Unstamp(Handle h);

  std::size_t LargestFree() const;
  AllocatorStats Stats() const;
  std::string Occupancy() const;
  void DumpBins(std::string* text, std::size_t bytes) const;
  void DumpChunks(std::string* text) const;
  std::string FindDefectInRegion(const Region& region, std::int64_t* in_use, std::size_t* num_free,
                                 std::size_t* num_stamped) const;
  std::string FindDefectInTree(int bin, Handle root, std::size_t* num_free) const;

  const Owned<SubAllocator> sub_allocator_;
  const std::string name_;
  const Options options_;
  const std::size_t limit_;
  const std::size_t max_waste_;  // bytes by which a chunk may be larger than the request without being split
  const bool host_accessible_;
  std::atomic<int> num_warnings_{0};
  AllocatorRetry retry_;

  mutable Mutex mutex_;  // guards what follows
  SlimVector<Chunk> chunks_;
  Handle spare_ = 0;  // a list of chunks that stand for nothing
  std::uint32_t used_bins_ = 0;  // bit b: bin b has a chunk
  Handle bins_[kNumBins] = {};
  SlimVector<Region> regions_;  // by address
  std::size_t next_region_bytes_;
  std::int64_t last_id_ = 0;
  SharedCounter* timing_counter_ = nullptr;
  std::uint64_t safe_frontier_ = 0;
  Handle earliest_ = 0, latest_ = 0;  // of the stamped chunks
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
          RoundedBytes(options.allow_growth && limit_ > kFirstRegionBytes ? kFirstRegionBytes : limit_)) {
  chunks_.resize(1);  // none
}

inline BFCAllocator::~BFCAllocator() {
  for (const Region& region : regions_) {
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
  MutexLock lock(mutex_);
  if (earliest_ != 0) MergeSafeChunks();
  Handle h = FindFit(needed, freed_before);
  if (h == 0) [[unlikely]] {
    h = MakeRoom(needed, freed_before);
    if (h == 0) return nullptr;
  }
  return Take(h, alignment, bytes);
}

TENON_COLD inline void* BFCAllocator::AllocateAfterFailure(std::size_t alignment, std::size_t bytes,
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

TENON_COLD inline void BFCAllocator::LogFailure(std::size_t bytes) const {
  if (!LogEnabled(LogSeverity::kWarning)) return;
  MutexLock lock(mutex_);
  const std::string text =
      StrCat("Allocator (", name_, ") ran out of memory trying to allocate ", detail::HumanReadableBytes(bytes),
             " (rounded to ", bytes > limit_ ? bytes : RoundedBytes(bytes), ") with a limit of ", limit_,
             " bytes; the largest free chunk has ", LargestFree(), ".\n", Stats(), Occupancy());
  lock.unlock();
  TENON_LOG(kWarning, text);
}

inline void BFCAllocator::DeallocateRaw(void* ptr, std::size_t, std::size_t) {
  if (ptr == nullptr) return;
  {
    MutexLock lock(mutex_);
    const Handle h = FindUsed(ptr, "DeallocateRaw");
    Chunk& chunk = At(h);
    if (host_accessible_) detail::MarkFree(ptr, chunk.bytes);
    stats_.bytes_in_use -= static_cast<std::int64_t>(chunk.bytes);
    chunk.allocation_id = -1;
    if (timing_counter_ == nullptr) [[likely]] {
      Insert(Coalesce(h));
    } else {
      chunk.freed_at = timing_counter_->next();
      Stamp(h, 0);
      Insert(h);
    }
  }
  retry_.NotifyDealloc();
}

inline std::size_t BFCAllocator::RequestedSize(const void* ptr) const {
  MutexLock lock(mutex_);
  return At(FindUsed(ptr, "RequestedSize")).requested_bytes;
}
inline std::size_t BFCAllocator::AllocatedSize(const void* ptr) const {
  MutexLock lock(mutex_);
  return At(FindUsed(ptr, "AllocatedSize")).bytes;
}
inline std::int64_t BFCAllocator::AllocationId(const void* ptr) const {
  MutexLock lock(mutex_);
  return At(FindUsed(ptr, "AllocationId")).allocation_id;
}

inline std::optional<AllocatorStats> BFCAllocator::GetStats() const {
  MutexLock lock(mutex_);
  return Stats();
}
inline bool BFCAllocator::ClearStats() {
  MutexLock lock(mutex_);
  stats_.num_allocs = 0;
  stats_.peak_bytes_in_use = stats_.bytes_in_use;
  stats_.largest_alloc_size = 0;
  return true;
}
inline double BFCAllocator::GetFragmentation() const {
  MutexLock lock(mutex_);
  const auto free_bytes = static_cast<double>(stats_.bytes_reserved - stats_.bytes_in_use);
  return free_bytes > 0 ? (free_bytes - static_cast<double>(LargestFree())) / free_bytes : 0;
}

inline void BFCAllocator::SetTimingCounter(SharedCounter* counter) {
  MutexLock lock(mutex_);
  TENON_CHECK(last_id_ == 0, "BFCAllocator::SetTimingCounter: '", name_, "' has allocated already.");
  timing_counter_ = counter;
}
inline void BFCAllocator::SetSafeFrontier(std::uint64_t count) {
  {
    MutexLock lock(mutex_);
    if (count <= safe_frontier_) return;
    safe_frontier_ = count;
  }
  retry_.NotifyDealloc();
}

// ------------------------------------------------------------------------------------------------- getting memory

// The request fits nowhere: everything that may help, the cheapest first. 0 if nothing did.
TENON_COLD inline BFCAllocator::Handle BFCAllocator::MakeRoom(std::size_t needed, std::uint64_t freed_before) {
  if (Extend(needed)) return FindFit(needed, freed_before);
  if (freed_before == 0 && MergeUnsafeChunks(needed)) return FindFit(needed, 0);
  if (options_.garbage_collection && FreeUnusedRegions(needed) && Extend(needed)) return FindFit(needed, freed_before);
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
  std::size_t index = 0;
  while (index < regions_.size() && regions_[index].ptr < ptr) ++index;
  Handle before = 0;  // the chunk that the new memory continues
  if (index > 0 && sub_allocator_->SupportsCoalescing() && regions_[index - 1].end() == ptr &&
      regions_[index - 1].bytes == regions_[index - 1].received_bytes) {
    --index;
    if (!GrowRegion(index, received, &before)) return false;
  } else {
    Region region;
    region.ptr = ptr;
    region.bytes = bytes;
    region.received_bytes = received;
    region.handles = static_cast<Handle*>(std::calloc(bytes / kMinAllocationSize, sizeof(Handle)));
    if (region.handles == nullptr) return false;
    regions_.insert(regions_.begin() + index, region);
  }
  const Handle h = NewChunk();
  Chunk& chunk = At(h);
  chunk.ptr = ptr;
  chunk.bytes = bytes;
  chunk.prev = before;
  if (before != 0) At(before).next = h;
  regions_[index].HandleAt(ptr) = h;
  if (host_accessible_) detail::MarkFree(ptr, bytes);
  stats_.bytes_reserved += static_cast<std::int64_t>(received);
  if (stats_.bytes_reserved > stats_.peak_bytes_reserved) stats_.peak_bytes_reserved = stats_.bytes_reserved;
  Insert(Coalesce(h));
  return true;
}

// The region gets what lies behind it; *last: its last chunk so far.
inline bool BFCAllocator::GrowRegion(std::size_t index, std::size_t received, Handle* last) {
  Region& region = regions_[index];
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
  for (const Region& region : regions_) unused += is_unused(region) ? region.received_bytes : 0;
  const std::size_t kept = static_cast<std::size_t>(stats_.bytes_reserved) - unused;
  if (unused == 0 || kept > limit_ || needed > limit_ - kept) return false;
  for (std::size_t i = regions_.size(); i-- > 0;) {
    const Region region = regions_[i];
    if (!is_unused(region)) continue;
    const Handle h = region.handles[0];
    Erase(h);
    DeleteChunk(h);
    regions_.erase(regions_.begin() + i);
    if (host_accessible_) detail::MarkReturned(region.ptr, region.bytes);
    sub_allocator_->Free(region.ptr, region.received_bytes);
    std::free(region.handles);
    stats_.bytes_reserved -= static_cast<std::int64_t>(region.received_bytes);
  }
  return true;
}

// ------------------------------------------------------------------------------------------------- chunks

// Makes the free chunk, or a part of it, that of a request which it is large enough for.
inline void* BFCAllocator::Take(Handle h, std::size_t alignment, std::size_t bytes) {
  Erase(h);
  const std::size_t rounded = RoundedBytes(bytes);
  if (alignment > kMinAllocationSize) [[unlikely]] {
    const std::size_t past = reinterpret_cast<std::uintptr_t>(At(h).ptr) % alignment;
    if (past != 0) {
      Split(h, alignment - past);
      const Handle front = h;
      h = At(h).next;
      Erase(h);
      Insert(front);
    }
  }
  if (At(h).bytes >= 2 * rounded || At(h).bytes - rounded >= max_waste_) Split(h, rounded);
  Chunk& chunk = At(h);
  if (chunk.freed_at != 0) {
    Unstamp(h);
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

// The chunk, which is in no bin, keeps its first `bytes` bytes; what remains is a chunk after it, in its bin.
inline void BFCAllocator::Split(Handle h, std::size_t bytes) {
  const Handle rest_handle = NewChunk();
  Chunk& chunk = At(h);
  Chunk& rest = At(rest_handle);
  rest.ptr = chunk.ptr + bytes;
  rest.bytes = chunk.bytes - bytes;
  rest.prev = h;
  rest.next = chunk.next;
  chunk.bytes = bytes;
  chunk.next = rest_handle;
  if (rest.next != 0) At(rest.next).prev = rest_handle;
  FindRegion(rest.ptr)->HandleAt(rest.ptr) = rest_handle;
  if (chunk.freed_at != 0) {
    rest.freed_at = chunk.freed_at;
    Stamp(rest_handle, h);
  }
  Insert(rest_handle);
}

// Joins a free chunk without a stamp, which is in no bin, with its free neighbours that have none either.
inline BFCAllocator::Handle BFCAllocator::Coalesce(Handle h) {
  const auto may_join = [this](Handle other) { return other != 0 && !At(other).in_use() && At(other).freed_at == 0; };
  if (const Handle next = At(h).next; may_join(next)) {
    Erase(next);
    Merge(h, next);
  }
  if (const Handle prev = At(h).prev; may_join(prev)) {
    Erase(prev);
    Merge(prev, h);
    return prev;
  }
  return h;
}

// Both are free and in no bin; `next` ends, and `h` has the later stamp of the two.
inline void BFCAllocator::Merge(Handle h, Handle next) {
  Chunk& chunk = At(h);
  const Chunk& other = At(next);
  if (other.freed_at > chunk.freed_at) {
    if (chunk.freed_at != 0) Unstamp(h);
    chunk.freed_at = other.freed_at;
    Stamp(h, next);
  }
  if (other.freed_at != 0) Unstamp(next);
  chunk.bytes += other.bytes;
  chunk.next = other.next;
  if (chunk.next != 0) At(chunk.next).prev = h;
  FindRegion(other.ptr)->HandleAt(other.ptr) = 0;
  DeleteChunk(next);
}

// Chunks behind the safe frontier lose their stamps.
inline void BFCAllocator::MergeSafeChunks() {
  while (earliest_ != 0 && At(earliest_).freed_at < safe_frontier_) {
    const Handle h = earliest_;
    Erase(h);
    Unstamp(h);
    At(h).freed_at = 0;
    Insert(Coalesce(h));
  }
}

// Joins free neighbours whatever their stamps until there is a chunk of `needed` bytes.
TENON_COLD inline bool BFCAllocator::MergeUnsafeChunks(std::size_t needed) {
  if (earliest_ == 0) return false;
  for (const Region& region : regions_) {
    for (Handle h = region.handles[0]; h != 0; h = At(h).next) {
      const auto next_is_free = [this, h] { return At(h).next != 0 && !At(At(h).next).in_use(); };
      if (At(h).in_use() || !next_is_free()) continue;
      Erase(h);
      while (next_is_free()) {
        Erase(At(h).next);
        Merge(h, At(h).next);
      }
      Insert(h);
      if (At(h).bytes >= needed) return true;
    }
  }
  return false;
}

inline BFCAllocator::Handle BFCAllocator::NewChunk() {
  if (spare_ == 0) {
    chunks_.emplace_back();
    return static_cast<Handle>(chunks_.size() - 1);
  }
  const Handle h = spare_;
  spare_ = At(h).next;
  At(h) = Chunk();
  return h;
}
inline void BFCAllocator::DeleteChunk(Handle h) {
  At(h).ptr = nullptr;
  At(h).next = spare_;
  spare_ = h;
}

// Null if the pointer is none of this allocator's.
inline const BFCAllocator::Region* BFCAllocator::FindRegion(const void* ptr) const {
  const auto* const p = static_cast<const char*>(ptr);
  std::size_t first = 0;
  for (std::size_t count = regions_.size(); count > 0;) {  // the first one that ends after p
    const std::size_t half = count / 2;
    if (regions_[first + half].end() <= p) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first < regions_.size() && regions_[first].ptr <= p ? &regions_[first] : nullptr;
}
// Of the chunk that begins there, or 0.
inline BFCAllocator::Handle BFCAllocator::FindHandle(const void* ptr) const {
  const Region* const region = FindRegion(ptr);
  if (region == nullptr || reinterpret_cast<std::uintptr_t>(ptr) % kMinAllocationSize != 0) return 0;
  return region->HandleAt(ptr);
}
inline BFCAllocator::Handle BFCAllocator::FindUsed(const void* ptr, const char* action) const {
  const Handle h = FindHandle(ptr);
  TENON_CHECK(h != 0 && At(h).in_use(), "BFCAllocator::", action, ": '", name_, "' has no block in use at ",
              reinterpret_cast<std::uintptr_t>(ptr), ".");
  return h;
}

// ------------------------------------------------------------------------------------------------- bins and stamps

// Trees are treaps: by size and address from left to right, by priority from the root down.
inline void BFCAllocator::Insert(Handle h) {
  Chunk& chunk = At(h);
  const int bin = BinOf(chunk.bytes);
  const std::uint32_t priority = Priority(h);
  Handle* link = &bins_[bin];
  while (*link != 0 && Priority(*link) > priority) {
    Chunk& other = At(*link);
    link = Precedes(chunk, other) ? &other.left : &other.right;
  }
  Handle below = *link;
  *link = h;
  Handle* smaller = &chunk.left;  // where the next chunk of `below` that is smaller, or larger, goes
  Handle* larger = &chunk.right;
  while (below != 0) {
    Chunk& other = At(below);
    if (Precedes(other, chunk)) {
      *smaller = below;
      smaller = &other.right;
      below = other.right;
    } else {
      *larger = below;
      larger = &other.left;
      below = other.left;
    }
  }
  *smaller = *larger = 0;
  used_bins_ |= 1u << bin;
}

inline void BFCAllocator::Erase(Handle h) {
  const Chunk& chunk = At(h);
  const int bin = BinOf(chunk.bytes);
  Handle* link = &bins_[bin];
  while (*link != h) {
    Chunk& other = At(*link);
    link = Precedes(chunk, other) ? &other.left : &other.right;
  }
  Handle a = chunk.left;
  Handle b = chunk.right;
  while (a != 0 && b != 0) {
    if (Priority(a) > Priority(b)) {
      *link = a;
      link = &At(a).right;
      a = *link;
    } else {
      *link = b;
      link = &At(b).left;
      b = *link;
    }
  }
  *link = a != 0 ? a : b;
  if (bins_[bin] == 0) used_bins_ &= ~(1u << bin);
}

// The first chunk of the bin with `bytes` bytes and an address after `after`, or with more bytes.
inline BFCAllocator::Handle BFCAllocator::FindInBin(int bin, std::size_t bytes, const char* after) const {
  Handle best = 0;
  for (Handle h = bins_[bin]; h != 0;) {
    const Chunk& chunk = At(h);
    if (chunk.bytes > bytes || (chunk.bytes == bytes && chunk.ptr > after)) {
      best = h;
      h = chunk.left;
    } else {
      h = chunk.right;
    }
  }
  return best;
}

inline BFCAllocator::Handle BFCAllocator::FindFit(std::size_t bytes, std::uint64_t freed_before) const {
  std::uint32_t bins = used_bins_ & (~0u << BinOf(bytes));
  for (; bins != 0; bins &= bins - 1) {
    const int bin = std::countr_zero(bins);
    Handle h = FindInBin(bin, bytes, nullptr);
    if (freed_before != 0) [[unlikely]] {
      while (h != 0 && At(h).freed_at > freed_before) h = FindInBin(bin, At(h).bytes, At(h).ptr);
    }
    if (h != 0) return h;
  }
  return 0;
}

// Puts the chunk into the list of stamped ones: before `before`, or at the end.
inline void BFCAllocator::Stamp(Handle h, Handle before) {
  Chunk& chunk = At(h);
  chunk.later = before;
  chunk.earlier = before != 0 ? At(before).earlier : latest_;
  (chunk.earlier != 0 ? At(chunk.earlier).later : earliest_) = h;
  (before != 0 ? At(before).earlier : latest_) = h;
}
inline void BFCAllocator::Unstamp(Handle h) {
  const Chunk& chunk = At(h);
  (chunk.earlier != 0 ? At(chunk.earlier).later : earliest_) = chunk.later;
  (chunk.later != 0 ? At(chunk.later).earlier : latest_) = chunk.earlier;
}

// ------------------------------------------------------------------------------------------------- reports

inline std::size_t BFCAllocator::LargestFree() const {
  std::size_t largest = 0;
  for (Handle h = used_bins_ == 0 ? 0 : bins_[std::bit_width(used_bins_) - 1]; h != 0; h = At(h).right) {
    largest = At(h).bytes;
  }
  return largest;
}

inline AllocatorStats BFCAllocator::Stats() const {
  AllocatorStats stats = stats_;
  stats.bytes_limit = static_cast<std::int64_t>(limit_);
  stats.largest_free_block_bytes = static_cast<std::int64_t>(LargestFree());
  stats.pool_bytes = stats.bytes_reserved;
  stats.peak_pool_bytes = stats.peak_bytes_reserved;
  return stats;
}

TENON_COLD inline std::string BFCAllocator::RenderOccupancy() const {
  MutexLock lock(mutex_);
  return Occupancy();
}

TENON_COLD inline std::string BFCAllocator::Occupancy() const {
  constexpr std::size_t kColumns = 100;
  std::size_t total = 0;
  for (const Region& region : regions_) total += region.bytes;
  std::string line(kColumns, '_');
  // Used chunks are drawn as a whole first, then what was asked for over them.
  const auto draw = [&](std::size_t begin, std::size_t bytes, char mark) {
    const auto column = [&](std::size_t at) {
      return static_cast<std::size_t>(static_cast<double>(at) * kColumns / static_cast<double>(total));
    };
    for (std::size_t i = column(begin); i < kColumns && (i == column(begin) || i < column(begin + bytes)); ++i) {
      line[i] = mark;
    }
  };
  for (const char mark : {'x', '*'}) {
    std::size_t region_begin = 0;
    for (const Region& region : regions_) {
      for (Handle h = region.handles[0]; h != 0; h = At(h).next) {
        const Chunk& chunk = At(h);
        if (!chunk.in_use()) continue;
        draw(region_begin + static_cast<std::size_t>(chunk.ptr - region.ptr),
             mark == 'x' ? chunk.bytes : chunk.requested_bytes, mark);
      }
      region_begin += region.bytes;
    }
  }
  return line;
}

TENON_COLD inline std::string BFCAllocator::DumpMemoryLog(std::size_t bytes) const {
  MutexLock lock(mutex_);
  std::string text = StrCat("BFCAllocator dump for ", name_, "\n");
  DumpBins(&text, bytes);
  DumpChunks(&text);
  const auto reserved = static_cast<std::size_t>(stats_.bytes_reserved);
  StrAppend(&text, "Total bytes in pool: ", reserved, " memory limit: ", limit_,
            " available bytes: ", reserved < limit_ ? limit_ - reserved : 0, " next region: ", next_region_bytes_,
            "\nStats:\n", Stats());
  return text;
}

TENON_COLD inline void BFCAllocator::DumpBins(std::string* text, std::size_t bytes) const {
  struct Sum {
    std::size_t chunks, chunks_in_use, bytes, bytes_in_use, requested_bytes;
  };
  Sum sums[kNumBins] = {};
  for (const Region& region : regions_) {
    for (Handle h = region.handles[0]; h != 0; h = At(h).next) {
      const Chunk& chunk = At(h);
      Sum& sum = sums[BinOf(chunk.bytes)];
      ++sum.chunks;
      sum.bytes += chunk.bytes;
      if (!chunk.in_use()) continue;
      ++sum.chunks_in_use;
      sum.bytes_in_use += chunk.bytes;
      sum.requested_bytes += chunk.requested_bytes;
    }
  }
  for (int bin = 0; bin < kNumBins; ++bin) {
    const Sum& sum = sums[bin];
    StrAppend(text, "Bin (", kMinAllocationSize << bin, "): Total Chunks: ", sum.chunks,
              ", Chunks in use: ", sum.chunks_in_use, ". ", detail::HumanReadableBytes(sum.bytes),
              " allocated for chunks. ", detail::HumanReadableBytes(sum.bytes_in_use), " in use in bin. ",
              detail::HumanReadableBytes(sum.requested_bytes), " client-requested in use in bin.\n");
  }
  if (bytes == 0 || bytes > limit_) return;
  const std::size_t rounded = RoundedBytes(bytes);
  StrAppend(text, "Bin for ", detail::HumanReadableBytes(rounded), " was ",
            detail::HumanReadableBytes(kMinAllocationSize << BinOf(rounded)), ".\n");
}

TENON_COLD inline void BFCAllocator::DumpChunks(std::string* text) const {
  FlatMap<std::size_t, std::size_t> counts;  // size -> chunks in use
  for (const Region& region : regions_) {
    StrAppend(text, "Next region of size ", region.bytes, "\n");
    for (Handle h = region.handles[0]; h != 0; h = At(h).next) {
      const Chunk& chunk = At(h);
      char address[24];
      std::snprintf(address, sizeof address, "%p", static_cast<const void*>(chunk.ptr));
      StrAppend(text, chunk.in_use() ? "InUse at " : "Free  at ", address, " of size ", chunk.bytes);
      if (chunk.in_use()) {
        StrAppend(text, " requested ", chunk.requested_bytes, " id ", chunk.allocation_id);
        ++counts[chunk.bytes];
      } else if (chunk.freed_at != 0) {
        StrAppend(text, " freed_at_count ", chunk.freed_at);
      }
      text->push_back('\n');
    }
  }
  text->append("     Summary of in-use Chunks by size:\n");
  std::size_t total = 0;
  for (const auto& [size, count] : counts) {
    StrAppend(text, count, " Chunks of size ", size, " totalling ", detail::HumanReadableBytes(size * count), "\n");
    total += size * count;
  }
  StrAppend(text, "Sum Total of in-use chunks: ", detail::HumanReadableBytes(total), "\n");
}

// ------------------------------------------------------------------------------------------------- self-examination

TENON_COLD inline std::string BFCAllocator::FindDefect() const {
  MutexLock lock(mutex_);
  std::size_t num_free = 0, num_stamped = 0, received = 0;
  const char* end = nullptr;
  std::int64_t in_use = 0;
  for (const Region& region : regions_) {
    if (region.ptr < end) return "regions overlap or are not in order";
    end = region.ptr + region.received_bytes;
    received += region.received_bytes;
    if (std::string text = FindDefectInRegion(region, &in_use, &num_free, &num_stamped); !text.empty()) return text;
  }
  if (static_cast<std::int64_t>(received) != stats_.bytes_reserved)
    return "bytes_reserved is not the sum of the regions";
  if (in_use != stats_.bytes_in_use) return "bytes_in_use is not the sum of the chunks in use";
  std::size_t num_binned = 0;
  for (int bin = 0; bin < kNumBins; ++bin) {
    if ((bins_[bin] != 0) != ((used_bins_ >> bin & 1) != 0)) return StrCat("bin ", bin, " is not marked as it is");
    if (std::string text = FindDefectInTree(bin, bins_[bin], &num_binned); !text.empty()) return text;
  }
  if (num_binned != num_free) return StrCat(num_free, " free chunks, but ", num_binned, " in the bins");
  std::uint64_t count = 0;
  for (Handle h = earliest_; h != 0; h = At(h).later, --num_stamped) {
    if (At(h).in_use() || At(h).freed_at < count || num_stamped == 0) return "the list of stamped chunks is wrong";
    count = At(h).freed_at;
  }
  return num_stamped == 0 ? "" : "a stamped chunk is not in the list";
}

TENON_COLD inline std::string BFCAllocator::FindDefectInRegion(const Region& region, std::int64_t* in_use,
                                                               std::size_t* num_free, std::size_t* num_stamped) const {
  const char* end = region.ptr;
  std::size_t num_chunks = 0;
  Handle before = 0;
  for (Handle h = region.handles[0]; h != 0; before = h, h = At(h).next, ++num_chunks) {
    const Chunk& chunk = At(h);
    if (chunk.ptr != end || chunk.bytes == 0 || chunk.bytes % kMinAllocationSize != 0) return "chunks leave gaps";
    end += chunk.bytes;
    if (end > region.end() || region.HandleAt(chunk.ptr) != h || chunk.prev != before) return "a chunk is linked wrong";
    if (chunk.in_use()) {
      if (chunk.requested_bytes > chunk.bytes || chunk.freed_at != 0) return "a chunk in use is too small or stamped";
      *in_use += static_cast<std::int64_t>(chunk.bytes);
      continue;
    }
    ++*num_free;
    if (chunk.freed_at != 0) {
      ++*num_stamped;
    } else if (before != 0 && !At(before).in_use() && At(before).freed_at == 0) {
      return "two free neighbours are not joined";
    }
  }
  if (end != region.end()) return "the chunks of a region do not fill it";
  for (std::size_t i = 0; i < region.bytes / kMinAllocationSize; ++i) num_chunks -= region.handles[i] != 0 ? 1 : 0;
  return num_chunks == 0 ? "" : "a handle stands where no chunk begins";
}

// The treap of a bin; its depth is that of the recursion.
TENON_COLD inline std::string BFCAllocator::FindDefectInTree(int bin, Handle root, std::size_t* num_free) const {
  if (root == 0) return "";
  const Chunk& chunk = At(root);
  ++*num_free;
  if (chunk.in_use() || BinOf(chunk.bytes) != bin) return StrCat("bin ", bin, " has a chunk that is not for it");
  if (FindInBin(bin, chunk.bytes, chunk.ptr - 1) != root) return StrCat("bin ", bin, " does not find its chunk");
  for (const Handle child : {chunk.left, chunk.right}) {
    if (child != 0 && Priority(child) >= Priority(root)) return StrCat("bin ", bin, " is no heap");
    if (std::string text = FindDefectInTree(bin, child, num_free); !text.empty()) return text;
  }
  return "";
}

TENON_NAMESPACE_END
