// SPDX-License-Identifier: Apache-2.0
#pragma once
// The processor's memory: aligned_alloc behind bounded thread-local lists of small free blocks (a hit costs a few
// nanoseconds, aligned_alloc 40-70) and a bounded list of large ones, huge pages for those, statistics on demand.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/huge_pages.hpp>
#include <tenon/base/log.hpp>
#include <tenon/base/platform.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/block.hpp>
#include <tenon/memory/large_block_cache.hpp>
#include <tenon/memory/system_memory.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN
namespace detail {

// The free blocks that one thread keeps: at most 32 KiB or two blocks of each size class, 1 MiB in all. one thread;
// given back when the thread ends.
struct CpuBlockCache {
  static constexpr std::size_t kLargestBlock = std::size_t{32} << 10;
  static constexpr std::size_t kNumClasses = SizeClass(kLargestBlock) + 1;
  static constexpr std::size_t kBytesPerClass = std::size_t{32} << 10;
  enum class State : unsigned char { kUnused, kOpen, kClosed };

  static constexpr std::uint32_t MaxBlocks(std::size_t size_class) {
    const std::size_t count = kBytesPerClass / SizeClassBytes(size_class);
    return static_cast<std::uint32_t>(count < 2 ? 2 : count > 64 ? 64 : count);
  }

  void FreeAll() {
    for (std::size_t c = 0; c < kNumClasses; ++c) {
      while (FreeBlock* block = lists[c]) {
        lists[c] = block->next;
        MarkReturned(block, SizeClassBytes(c));
        FreeAligned(block);
      }
      counts[c] = 0;
    }
  }

  FreeBlock* lists[kNumClasses];
  std::uint32_t counts[kNumClasses];
  State state;  // kClosed: the thread is ending, its blocks go straight back
};

static_assert([] {
  std::size_t bytes = 0;
  for (std::size_t c = 0; c < CpuBlockCache::kNumClasses; ++c) bytes += CpuBlockCache::MaxBlocks(c) * SizeClassBytes(c);
  return bytes;
}() <= std::size_t{1} << 20);

// Constant-initialised and trivially destroyed, so that an access is one instruction; CpuBlockCacheCloser ends it.
inline constinit thread_local CpuBlockCache cpu_block_cache{};

struct CpuBlockCacheCloser {
  CpuBlockCacheCloser() { cpu_block_cache.state = CpuBlockCache::State::kOpen; }
  ~CpuBlockCacheCloser() {
    cpu_block_cache.FreeAll();
    cpu_block_cache.state = CpuBlockCache::State::kClosed;
  }
  CpuBlockCacheCloser(const CpuBlockCacheCloser&) = delete;
  CpuBlockCacheCloser& operator=(const CpuBlockCacheCloser&) = delete;
};

// True if this thread may keep blocks. Arranges at the first call that they are freed when the thread ends.
TENON_DETAIL_COLD inline bool OpenCpuBlockCache() {
  if (cpu_block_cache.state == CpuBlockCache::State::kClosed) return false;
  static thread_local CpuBlockCacheCloser closer;
  return cpu_block_cache.state == CpuBlockCache::State::kOpen;
}

union HostAllocatorStorage;

}  // namespace detail

// Sees the requests to the process's allocator, and may refuse them: for recorders, and for tests of running out of
// memory. thread-safe. It must not allocate from that allocator itself.
class AllocationObserver {
 public:
  virtual ~AllocationObserver() = default;
  virtual bool MayAllocate(std::size_t /*alignment*/, std::size_t /*bytes*/) { return true; }  // false: no memory
  virtual void Allocated(void* /*ptr*/, std::size_t /*alignment*/, std::size_t /*bytes*/) {}
  virtual void Deallocated(void* /*ptr*/, std::size_t /*alignment*/, std::size_t /*bytes*/) {}  // before it happens
  // Called with each message that an allocator, any one, has no memory: with its name, the size and its statistics.
  virtual void MissingMemory(std::string_view /*message*/) {}
};

// The class of CpuAllocator(), of which there is one in the process. thread-safe. A child of fork() may go on using
// that one, whatever other threads of its parent were doing.
class HostAllocator final : public Allocator {
 public:
  static constexpr std::size_t kHugePageThreshold = detail::kHugePageThreshold;
  static constexpr std::size_t kHugePage = detail::kHugePageBytes;
  static constexpr std::size_t kPage = 4096;
  static constexpr int kMaxSingleAllocationWarnings = 5;

  constexpr HostAllocator() = default;

  std::string_view Name() const override { return "cpu"; }
  AllocatorMemoryType GetMemoryType() const override { return AllocatorMemoryType::kHostPageable; }
  bool HoldsHeaders() const override { return true; }

  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& = {}) override {
    if (watched_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      return AllocateWatched(alignment, bytes);
    return AllocateUnwatched(alignment, bytes);
  }

  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override {
    if (ptr == nullptr) return;
    if (watched_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      SeeDeallocation(ptr, alignment, bytes);
    if (bytes <= detail::CpuBlockCache::kLargestBlock && alignment <= kAlignment) [[likely]] {
      DeallocateSmall(ptr, bytes);
    } else {
      DeallocateLarge(ptr, alignment, bytes);
    }
  }

  // Counts from now on. A block that was allocated before and is freed after counts as a negative number of bytes.
  void EnableStats(bool enabled) { Watch(kStats, enabled); }

  // From now on `observer` is asked and told; null: no observer. It must stay until no thread allocates or frees any
  // more after it was taken away. Returns the one before.
  AllocationObserver* SetObserver(AllocationObserver* observer) {
    AllocationObserver* const before = observer_.exchange(observer, std::memory_order_acq_rel);
    Watch(kObserver, observer != nullptr);
    return before;
  }

  // To the observer, if there is one.
  void TellOfMissingMemory(std::string_view message) {
    AllocationObserver* const observer = observer_.load(std::memory_order_acquire);
    if (observer != nullptr) observer->MissingMemory(message);
  }

  // Nothing unless EnableStats was called. Bytes are those of the blocks: a little more than was asked for.
  std::optional<AllocatorStats> GetStats() const override {
    if ((watched_.load(std::memory_order_relaxed) & kStats) == 0) return std::nullopt;
    AllocatorStats stats;
    stats.num_allocs = num_allocs_.load(std::memory_order_relaxed);
    stats.bytes_in_use = bytes_in_use_.load(std::memory_order_relaxed);
    stats.peak_bytes_in_use = peak_bytes_in_use_.load(std::memory_order_relaxed);
    stats.largest_alloc_size = largest_alloc_size_.load(std::memory_order_relaxed);
    return stats;
  }

  bool ClearStats() override {
    if ((watched_.load(std::memory_order_relaxed) & kStats) == 0) return false;
    num_allocs_.store(0, std::memory_order_relaxed);
    peak_bytes_in_use_.store(bytes_in_use_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    largest_alloc_size_.store(0, std::memory_order_relaxed);
    return true;
  }

  // Gives the free blocks of the calling thread back to the system.
  void ReleaseThreadCache() { detail::cpu_block_cache.FreeAll(); }
  // Gives the large free blocks (above 32 KiB), which all threads share, back to the system; returns their bytes.
  std::size_t ReleaseLargeBlocks() { return large_blocks_.Release(); }
  std::size_t ReleaseUnused() override { return ReleaseLargeBlocks(); }
  // At most so many bytes of large free blocks are kept, but never more than 128 MiB; 0: none. A 64th of the machine's
  // memory unless this is called.
  void SetMostLargeBlockBytes(std::size_t bytes) { large_blocks_.SetLimit(bytes); }

 private:
  friend union detail::HostAllocatorStorage;
  static constexpr unsigned kStats = 1, kObserver = 2;

  // The process's own.
  constexpr explicit HostAllocator(void (*before_first_large_block)()) : large_blocks_(before_first_large_block) {}

  void Watch(unsigned what, bool enabled) {
    if (enabled) {
      watched_.fetch_or(what, std::memory_order_release);
    } else {
      watched_.fetch_and(~what, std::memory_order_release);
    }
  }
  void* AllocateUnwatched(std::size_t alignment, std::size_t bytes) {
    if (bytes <= detail::CpuBlockCache::kLargestBlock && alignment <= kAlignment) [[likely]]
      return AllocateSmall(bytes);
    return AllocateLarge(alignment, bytes);
  }
  TENON_DETAIL_COLD void* AllocateWatched(std::size_t alignment, std::size_t bytes) {
    AllocationObserver* const observer = observer_.load(std::memory_order_acquire);
    if (observer != nullptr && !observer->MayAllocate(alignment, bytes)) return nullptr;
    void* const ptr = AllocateUnwatched(alignment, bytes);
    if (ptr == nullptr) return nullptr;
    if (observer != nullptr) observer->Allocated(ptr, alignment, bytes);
    if ((watched_.load(std::memory_order_relaxed) & kStats) != 0) CountAllocation(BlockBytes(alignment, bytes));
    return ptr;
  }
  TENON_DETAIL_COLD void SeeDeallocation(void* ptr, std::size_t alignment, std::size_t bytes) {
    AllocationObserver* const observer = observer_.load(std::memory_order_acquire);
    if (observer != nullptr) observer->Deallocated(ptr, alignment, bytes);
    if ((watched_.load(std::memory_order_relaxed) & kStats) == 0) return;
    bytes_in_use_.fetch_sub(BlockBytes(alignment, bytes), std::memory_order_relaxed);
  }

  void* AllocateSmall(std::size_t bytes) {
    detail::CpuBlockCache& cache = detail::cpu_block_cache;
    const std::size_t c = detail::SizeClass(bytes);
    if (detail::FreeBlock* block = cache.lists[c]; block != nullptr) [[likely]] {
      cache.lists[c] = block->next;
      --cache.counts[c];
      detail::MarkInUse(block, bytes, detail::SizeClassBytes(c));
      return block;
    }
    void* fresh = detail::AllocateAligned(kAlignment, detail::SizeClassBytes(c));
    if (fresh == nullptr) [[unlikely]]
      fresh = AllocateAfterRelease(kAlignment, detail::SizeClassBytes(c));
    if (fresh != nullptr) detail::MarkInUse(fresh, bytes, detail::SizeClassBytes(c));
    return fresh;
  }

  static void DeallocateSmall(void* ptr, std::size_t bytes) {
    detail::CpuBlockCache& cache = detail::cpu_block_cache;
    const std::size_t c = detail::SizeClass(bytes);
    const bool open = cache.state == detail::CpuBlockCache::State::kOpen || detail::OpenCpuBlockCache();
    if (!open || cache.counts[c] >= detail::CpuBlockCache::MaxBlocks(c)) [[unlikely]] {
      detail::MarkReturned(ptr, detail::SizeClassBytes(c));
      detail::FreeAligned(ptr);
      return;
    }
    detail::MarkFree(ptr, detail::SizeClassBytes(c));
    cache.lists[c] = ::new (ptr) detail::FreeBlock{cache.lists[c]};
    ++cache.counts[c];
  }

  static bool IsCacheable(std::size_t alignment, std::size_t bytes) {
    return alignment <= kAlignment && bytes <= detail::LargeBlockCache::kMostBytes;
  }

  TENON_DETAIL_COLD void* AllocateLarge(std::size_t alignment, std::size_t bytes) {
    if (bytes > detail::kMaxBlockBytes || alignment > detail::kMaxBlockBytes) return nullptr;
    WarnIfMuch(bytes);
    const std::size_t c = detail::SizeClass(bytes);
    const bool is_cacheable = IsCacheable(alignment, bytes);
    const std::size_t block_bytes = is_cacheable ? detail::SizeClassBytes(c) : bytes;
    void* ptr = is_cacheable ? large_blocks_.Take(c) : nullptr;
    if (ptr == nullptr) {
      ptr = AllocateFromSystem(alignment, block_bytes);
      if (ptr == nullptr) ptr = AllocateAfterRelease(alignment, block_bytes);
      // Not for the bytes that the class has beyond the request: they take no memory before a larger request comes.
      if (ptr != nullptr && bytes >= kHugePageThreshold) detail::AskForHugePages(ptr, bytes);
    }
    if (ptr != nullptr && is_cacheable) detail::MarkInUse(ptr, bytes, block_bytes);
    return ptr;
  }
  TENON_DETAIL_COLD void DeallocateLarge(void* ptr, std::size_t alignment, std::size_t bytes) {
    if (IsCacheable(alignment, bytes)) {
      large_blocks_.Give(ptr, detail::SizeClass(bytes));
    } else {
      detail::FreeAligned(ptr);
    }
  }
  // Repeats a request that the system refused, after this thread's free blocks and the large ones went back to it.
  TENON_DETAIL_COLD void* AllocateAfterRelease(std::size_t alignment, std::size_t bytes) {
    ReleaseThreadCache();
    ReleaseLargeBlocks();
    return AllocateFromSystem(alignment, bytes);
  }
  // Large blocks begin with a page. One behind the other they would lie 64 or 128 bytes off a multiple of pages. At
  // that distance, a processor takes the next read of a loop for its last store, and waits.
  static void* AllocateFromSystem(std::size_t alignment, std::size_t bytes) {
    if (alignment < kAlignment) alignment = kAlignment;
    if (bytes > detail::CpuBlockCache::kLargestBlock && alignment < kPage) alignment = kPage;
    if (bytes >= kHugePageThreshold && alignment < kHugePage) alignment = kHugePage;
    return detail::AllocateAligned(alignment, RoundUp(bytes, alignment));
  }

  // Bytes of a block for the given request.
  static std::int64_t BlockBytes(std::size_t alignment, std::size_t bytes) {
    if (bytes <= detail::CpuBlockCache::kLargestBlock && alignment <= kAlignment) {
      return static_cast<std::int64_t>(detail::SizeClassBytes(detail::SizeClass(bytes)));
    }
    return static_cast<std::int64_t>(RoundUp(bytes, kAlignment));
  }
  static constexpr std::size_t RoundUp(std::size_t n, std::size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
  }

  TENON_DETAIL_COLD void CountAllocation(std::int64_t bytes) {
    num_allocs_.fetch_add(1, std::memory_order_relaxed);
    const std::int64_t in_use = bytes_in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    RaiseTo(peak_bytes_in_use_, in_use);
    RaiseTo(largest_alloc_size_, bytes);
    static const std::int64_t half_of_free_memory = detail::FreeSystemMemory() / 2;
    if (half_of_free_memory > 0 && in_use > half_of_free_memory && !warned_of_total_.exchange(true)) {
      TENON_LOG(kWarning, "Total allocated memory ", in_use, " exceeds 50% of free system memory.");
    }
  }
  static void RaiseTo(std::atomic<std::int64_t>& maximum, std::int64_t value) {
    std::int64_t seen = maximum.load(std::memory_order_relaxed);
    while (seen < value && !maximum.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }
  void WarnIfMuch(std::size_t bytes) {
    static const std::int64_t tenth_of_free_memory = detail::FreeSystemMemory() / 10;  // as it was at the first call
    if (tenth_of_free_memory <= 0 || static_cast<std::int64_t>(bytes) <= tenth_of_free_memory) return;
    if (single_allocation_warnings_.load(std::memory_order_relaxed) >= kMaxSingleAllocationWarnings) return;
    single_allocation_warnings_.fetch_add(1, std::memory_order_relaxed);
    TENON_LOG(kWarning, "Allocation of ", bytes, " exceeds 10% of free system memory.");
  }

  detail::LargeBlockCache large_blocks_;
  std::atomic<unsigned> watched_{0};  // kStats, kObserver
  std::atomic<AllocationObserver*> observer_{nullptr};
  std::atomic<bool> warned_of_total_{false};
  std::atomic<int> single_allocation_warnings_{0};
  std::atomic<std::int64_t> num_allocs_{0};
  std::atomic<std::int64_t> bytes_in_use_{0};
  std::atomic<std::int64_t> peak_bytes_in_use_{0};
  std::atomic<std::int64_t> largest_alloc_size_{0};
};

namespace detail {
// Never destroyed: tensors in static objects may be freed after the end of main. A constexpr object, so that neither a
// constructor nor a destructor is registered at start-up; members that change are mutable.
union HostAllocatorStorage {
  constexpr HostAllocatorStorage() : allocator(&WatchForks) {}
  constexpr ~HostAllocatorStorage() {}
  TENON_DETAIL_COLD static void WatchForks() {
#if TENON_DETAIL_POSIX
    pthread_atfork(nullptr, nullptr, &AfterFork);
#endif
  }
  static void AfterFork();
  mutable HostAllocator allocator;
};
inline TENON_DETAIL_CONSTEXPR_OBJECT HostAllocatorStorage host_allocator{};

inline void HostAllocatorStorage::AfterFork() { host_allocator.allocator.large_blocks_.AfterFork(); }
}  // namespace detail

// The process-wide allocator of ordinary memory. thread-safe; lives as long as the process.
inline HostAllocator* CpuAllocator() { return &detail::host_allocator.allocator; }

// Off at first: the counters cost a few nanoseconds an allocation and are shared by all threads.
inline void EnableCpuAllocatorStats(bool enabled = true) { CpuAllocator()->EnableStats(enabled); }

TENON_DETAIL_STEP_NAMESPACE_END
