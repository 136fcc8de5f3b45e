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
  // For an allocator with timestamps (BFCAllocator::SetTimingCounter): it gives only memory that was freed at or before
  // the count which this returns, asked anew for each try. Null or 0: any free memory.
  const Function<std::uint64_t()>* freed_by_func = nullptr;
};

// thread-safe. Blocks may be freed by another thread than the one that allocated them.
class Allocator {
 public:
  static constexpr std::size_t kAlignment = 64;  // bytes; tensors ask for it, and it is the least that is ever given

  Allocator() = default;
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;
  virtual ~Allocator() = default;

  virtual std::string_view Name() const = 0;

  // A block of at least `bytes` bytes, uninitialised, aligned to `alignment` (a power of two) and to kAlignment at
  // least; null when there is no memory. Zero bytes give a block too (it must be freed like any other).
  virtual void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) = 0;

  // Takes back a block of this allocator; `alignment` and `bytes` as they were asked for. Null is ignored.
  virtual void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) = 0;

  // Only an allocator that tracks sizes may be asked for the sizes of a block.
  virtual bool TracksAllocationSizes() const { return false; }
  virtual std::size_t RequestedSize(const void* /*ptr*/) const {
    TENON_CHECK(false, "Allocator::RequestedSize: '", Name(), "' does not track allocation sizes.");
    return 0;
  }
  virtual std::size_t AllocatedSize(const void* ptr) const { return RequestedSize(ptr); }
  virtual std::int64_t AllocationId(const void* /*ptr*/) const { return 0; }  // 0: not known; ids start at 1

  virtual std::optional<AllocatorStats> GetStats() const { return std::nullopt; }
  virtual bool ClearStats() { return false; }  // true if there were counters to clear; the peak becomes what is in use

  virtual AllocatorMemoryType GetMemoryType() const { return AllocatorMemoryType::kUnknown; }
  virtual bool HostAccessible() const { return true; }  // may the processor read and write the blocks?
  // May a Buffer stand in the same block in front of its data, and ask for 64 bytes more?
  virtual bool HoldsHeaders() const { return HostAccessible() && !AllocatesOpaqueHandle(); }

  // True: a block is not memory but a handle of something else, to be asked for tensors without elements too.
  virtual bool AllocatesOpaqueHandle() const { return false; }
  // AllocatedSize where sizes are tracked, otherwise the size that can be found out, perhaps slowly; 0: not known.
  virtual std::size_t AllocatedSizeSlow(const void* ptr) const {
    return TracksAllocationSizes() ? AllocatedSize(ptr) : 0;
  }
  // Memory that was freed before `count` is not used any more. Allocators without timestamps do nothing.
  virtual void SetSafeFrontier(std::uint64_t /*count*/) {}
  // The stream on which memory will be used, for an allocator that wants to know; it may take its memory now.
  virtual void SetStreamAndPreallocateMemory(void* /*stream*/) {}
};

// Selects one of a device's allocators. Setters only add: `set_x(false)` changes nothing.
struct AllocatorAttributes {
  constexpr void set_on_host(bool v) { value |= static_cast<std::uint32_t>(v); }
  constexpr bool on_host() const { return (value & 1u) != 0; }
  constexpr void set_nic_compatible(bool v) { value |= static_cast<std::uint32_t>(v) << 1; }
  constexpr bool nic_compatible() const { return (value & 2u) != 0; }
  constexpr void set_gpu_compatible(bool v) { value |= static_cast<std::uint32_t>(v) << 2; }
  constexpr bool gpu_compatible() const { return (value & 4u) != 0; }
  constexpr void set_use_pjrt_allocator(bool v) { value |= static_cast<std::uint32_t>(v) << 3; }
  constexpr bool use_pjrt_allocator() const { return (value & 8u) != 0; }

  // Adds the attributes of `other`. At most one of two different scope ids may be set.
  void Merge(const AllocatorAttributes& other) {
    value |= other.value;
    if (scope_id == other.scope_id) return;
    TENON_CHECK(scope_id == 0 || other.scope_id == 0,
                "AllocatorAttributes::Merge: at most one scope_id may be set, got ", scope_id, " and ", other.scope_id,
                ".");
    if (scope_id == 0) scope_id = other.scope_id;
  }
  // True if memory that satisfies `other` satisfies this one too. The scope id does not count.
  constexpr bool IsEqualOrLessRestrictiveThan(const AllocatorAttributes& other) const {
    return (value | other.value) == other.value;
  }
  std::string DebugString() const {
    return StrCat("AllocatorAttributes(on_host=", on_host(), " nic_compatible=", nic_compatible(),
                  " gpu_compatible=", gpu_compatible(), ")");
  }

  std::uint32_t value = 0;
  std::int32_t scope_id = 0;  // scope of a ScopedAllocator; 0: none
};

TENON_DETAIL_NAMESPACE_END
