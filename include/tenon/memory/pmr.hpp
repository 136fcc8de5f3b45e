// SPDX-License-Identifier: Apache-2.0
#pragma once
// Allocators for the standard library's containers, and the standard library's memory resources for tensors. The only
// header that includes <memory_resource>.

#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <new>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/check.hpp>
#include <tenon/memory/allocator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// An Allocator as std::pmr::memory_resource. thread-safe. `allocator`, whose memory the processor can touch, must
// outlive it. Without memory it throws std::bad_alloc, as the standard wants; where there are no exceptions the program
// ends with the message.
//
//   AllocatorResource resource(CpuAllocator());
//   std::pmr::vector<float> v(1000, &resource);
class AllocatorResource final : public std::pmr::memory_resource {
 public:
  explicit AllocatorResource(Allocator* allocator) : allocator_(allocator) {
    TENON_CHECK(allocator->HostAccessible(), "AllocatorResource: the memory of '", allocator->Name(),
                "' is not the host's.");
  }
  Allocator* allocator() const { return allocator_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    void* const ptr = allocator_->AllocateRaw(alignment, bytes);
    if (ptr == nullptr) [[unlikely]]
      Fail(bytes);
    return ptr;
  }
  void do_deallocate(void* ptr, std::size_t bytes, std::size_t alignment) override {
    allocator_->DeallocateRaw(ptr, alignment, bytes);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    if (this == &other) return true;
#if defined(__cpp_rtti)
    const auto* const same_kind = dynamic_cast<const AllocatorResource*>(&other);
    return same_kind != nullptr && same_kind->allocator_ == allocator_;
#else
    return false;
#endif
  }
  [[noreturn]] TENON_DETAIL_COLD void Fail(std::size_t bytes) const {
#if defined(__cpp_exceptions)
    static_cast<void>(bytes);
    throw std::bad_alloc();
#else
    TENON_CHECK(false, "AllocatorResource: allocator '", allocator_->Name(), "' has no ", bytes, " bytes.");
    std::abort();
#endif
  }

  Allocator* const allocator_;
};

// A std::pmr::memory_resource as Allocator; as thread-safe as the resource is (of the standard's,
// new_delete_resource and synchronized_pool_resource are). The resource must outlive it. What the resource throws is no
// memory.
class ResourceAllocator final : public Allocator {
 public:
  explicit ResourceAllocator(std::pmr::memory_resource* resource, std::string_view name = "memory_resource")
      : resource_(resource), name_(name) {}

  std::string_view Name() const override { return name_; }
  AllocatorMemoryType GetMemoryType() const override { return AllocatorMemoryType::kHostPageable; }
  std::pmr::memory_resource* resource() const { return resource_; }

  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& = {}) override {
    if (bytes > kLargest || alignment > kLargest) return nullptr;
#if defined(__cpp_exceptions)
    try {
      return resource_->allocate(AtLeastOne(bytes), Wider(alignment));
    } catch (...) {
      return nullptr;
    }
#else
    return resource_->allocate(AtLeastOne(bytes), Wider(alignment));
#endif
  }
  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override {
    if (ptr != nullptr) resource_->deallocate(ptr, AtLeastOne(bytes), Wider(alignment));
  }

 private:
  static constexpr std::size_t kLargest = std::size_t{1} << 47;
  static constexpr std::size_t AtLeastOne(std::size_t bytes) { return bytes == 0 ? 1 : bytes; }
  static constexpr std::size_t Wider(std::size_t alignment) { return alignment < kAlignment ? kAlignment : alignment; }

  std::pmr::memory_resource* const resource_;
  const std::string name_;
};

TENON_DETAIL_NAMESPACE_END
