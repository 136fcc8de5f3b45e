// SPDX-License-Identifier: Apache-2.0
#pragma once
// The allocator interface every device's memory stands behind, and the attributes by which a device chooses one.
// Differs from TensorFlow's in one point: DeallocateRaw is told the alignment and size that were asked for,
// so that no allocator needs a header or a look-up to find them.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/str.hpp>
#include <tenon/base/check.hpp>
#include <tenon/memory/stats.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

template <class Signature>
class Function;

enum class AllocatorMemoryType { kUnknown = 0, kDevice = 1, kHostPageable = 2, kHostPinned = 3 };

// How one allocation is to be tried.
struct AllocationAttributes {
  bool retry_on_failure = true;  // may wait for memory to come back; false: fail at once
  bool allocation_will_be_logged = false;
  // It goes back on this thread before the kernel that asks has ended, after all such memory that was given later.
  // Only for an allocator whose KeepsScratch() is true for these bytes.
  bool scratch = false;
  // For an allocator with timestamps (BFCAllocator::SetTimingCounter): it gives only memory that was freed at or before
  // the count which this returns, asked anew for each try. Null or 0: any free memory.
  const Function<std::uint64_t()>* freed_by_func = nullptr;
};

// Gives out memory. thread-safe: any thread may free a block. An allocator outlives its blocks.
class Allocator {
 public:
  static constexpr std::size_t kAlignment = 64;  // bytes; tensors ask for it, and it is the least that is ever given
  static constexpr std::size_t kScratchAlignment =
      2 * kAlignment;  // bytes; requests with AllocationAttributes::scratch ask for it

  Allocator() = default;
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  virtual ~Allocator() = default;

  virtual std::string_view Name() const = 0;  // for messages and counters

  // Returns a block of at least `bytes` bytes, uninitialised, aligned to `alignment` (a power of two) and at least to
  // kAlignment; null: no memory. Zero bytes give a block, too, which must be freed.
  virtual void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) = 0;

  // Frees a block of this allocator; `alignment` and `bytes` are the arguments of AllocateRaw. Null does nothing.
  virtual void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) = 0;

  // Returns whether RequestedSize and AllocatedSize may be called.
  virtual bool TracksAllocationSizes() const { return false; }
  // Returns the `bytes` of AllocateRaw. Ends the process where sizes are not tracked.
  virtual std::size_t RequestedSize(const void* /*ptr*/) const {
    TENON_CHECK(false, "Allocator::RequestedSize: '", Name(), "' does not track allocation sizes.");
    return 0;
  }
  virtual std::size_t AllocatedSize(const void* ptr) const { return RequestedSize(ptr); }  // bytes that the block has
  virtual std::int64_t AllocationId(const void* /*ptr*/) const { return 0; }  // 0: not known; ids start at 1

  // counters, if the allocator keeps them
  virtual std::optional<AllocatorStats> GetStats() const { return std::nullopt; }
  virtual bool ClearStats() { return false; }  // true if there were counters to clear; the peak becomes what is in use

  virtual AllocatorMemoryType GetMemoryType() const { return AllocatorMemoryType::kUnknown; }  // the kind of memory
  virtual bool HostAccessible() const { return true; }  // may the processor read and write the blocks?
  // Returns whether a request for scratch memory of `bytes` bytes may be made now; see AllocationAttributes::scratch.
  virtual bool KeepsScratch(std::size_t /*bytes*/) { return false; }
  // Returns whether a Buffer may stand in the block in front of its data, and ask for 64 bytes more.
  virtual bool HoldsHeaders() const { return HostAccessible() && !AllocatesOpaqueHandle(); }

  // Returns whether a block is a handle of something else, not memory. Tensors without elements then have one, too.
  virtual bool AllocatesOpaqueHandle() const { return false; }
  // Returns AllocatedSize where sizes are tracked, otherwise the size found in a slower way; 0: not known.
  virtual std::size_t AllocatedSizeSlow(const void* ptr) const {
    return TracksAllocationSizes() ? AllocatedSize(ptr) : 0;
  }
  // Says that memory freed before `count` is not used any more. Allocators without timestamps do nothing.
  virtual void SetSafeFrontier(std::uint64_t /*count*/) {}
  // Gives free blocks that it keeps back to the system, if it keeps any; returns their bytes. thread-safe.
  virtual std::size_t ReleaseUnused() { return 0; }
  // Says on which stream memory will be used; the allocator may take its memory now.
  virtual void SetStreamAndPreallocateMemory(void* /*stream*/) {}
};

// Selects one of a device's allocators. Setters only add: `set_x(false)` changes nothing.
struct AllocatorAttributes {
  // host memory, also for a GPU's kernel
  constexpr void set_on_host(bool v) { value |= static_cast<std::uint32_t>(v); }
  constexpr bool on_host() const { return (value & 1u) != 0; }  // whether set
  // memory for a network card
  constexpr void set_nic_compatible(bool v) { value |= static_cast<std::uint32_t>(v) << 1; }
  constexpr bool nic_compatible() const { return (value & 2u) != 0; }  // whether set
  constexpr void set_gpu_compatible(bool v) { value |= static_cast<std::uint32_t>(v) << 2; }  // pinned host memory
  constexpr bool gpu_compatible() const { return (value & 4u) != 0; }  // whether set
  // TensorFlow's flag; no allocator here reads it
  constexpr void set_use_pjrt_allocator(bool v) { value |= static_cast<std::uint32_t>(v) << 3; }
  constexpr bool use_pjrt_allocator() const { return (value & 8u) != 0; }  // whether set

  // Adds the attributes of `other`. Two different scope ids end the process.
  void Merge(const AllocatorAttributes& other) {
    value |= other.value;
    if (scope_id == other.scope_id) return;
    TENON_CHECK(scope_id == 0 || other.scope_id == 0,
                "AllocatorAttributes::Merge: at most one scope_id may be set, got ", scope_id, " and ", other.scope_id,
                ".");
    if (scope_id == 0) scope_id = other.scope_id;
  }
  // Returns whether memory that satisfies `other` satisfies this, too. The scope id does not count.
  constexpr bool IsEqualOrLessRestrictiveThan(const AllocatorAttributes& other) const {
    return (value | other.value) == other.value;
  }
  std::string DebugString() const {  // for messages
    return StrCat("AllocatorAttributes(on_host=", on_host(), " nic_compatible=", nic_compatible(),
                  " gpu_compatible=", gpu_compatible(), ")");
  }

  std::uint32_t value = 0;
  std::int32_t scope_id = 0;  // scope of a ScopedAllocator; 0: none
};

TENON_DETAIL_NAMESPACE_END
