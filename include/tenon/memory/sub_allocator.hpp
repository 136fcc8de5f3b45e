// SPDX-License-Identifier: Apache-2.0
#pragma once
// SubAllocator: the source of an allocator that keeps memory, in few and large pieces; and BaseSubAllocator, which
// takes the pieces from any Allocator.

#include <cstddef>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/function.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/memory/allocator.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// externally synchronised: the allocator above calls it under its lock, so it must not call that allocator.
class SubAllocator {
 public:
  // Sees each piece of memory after it came and before it goes, e.g. to register it with a network card. `index`: which
  // one of several equal sources (NUMA node, GPU).
  using Visitor = Function<void(void* ptr, int index, std::size_t bytes)>;

  SubAllocator() = default;
  SubAllocator(SlimVector<Visitor> alloc_visitors, SlimVector<Visitor> free_visitors)
      : alloc_visitors_(std::move(alloc_visitors)), free_visitors_(std::move(free_visitors)) {}
  SubAllocator(const SubAllocator&) = delete;
  SubAllocator& operator=(const SubAllocator&) = delete;
  virtual ~SubAllocator() = default;

  // At least `bytes` bytes, *bytes_received of them may be used; null when there is no memory.
  virtual void* Alloc(std::size_t alignment, std::size_t bytes, std::size_t* bytes_received) = 0;
  // `bytes`: as received.
  virtual void Free(void* ptr, std::size_t bytes) = 0;
  // True if pieces that happen to be neighbours may be used as one, and freed by one call with the sum of their bytes.
  virtual bool SupportsCoalescing() const { return false; }

  virtual AllocatorMemoryType GetMemoryType() const { return AllocatorMemoryType::kUnknown; }
  virtual bool HostAccessible() const { return true; }  // may the processor read and write the memory?

 protected:
  // For Alloc and Free. The visitor that was called first when the memory came is called last before it goes.
  void VisitAlloc(void* ptr, int index, std::size_t bytes) const {
    for (const Visitor& visit : alloc_visitors_) visit(ptr, index, bytes);
  }
  void VisitFree(void* ptr, int index, std::size_t bytes) const {
    for (std::size_t i = free_visitors_.size(); i-- > 0;) free_visitors_[i](ptr, index, bytes);
  }

 private:
  SlimVector<Visitor> alloc_visitors_;
  SlimVector<Visitor> free_visitors_;
};

// Pieces of another allocator, which must outlive it. Its visitors get `index`.
class BaseSubAllocator final : public SubAllocator {
 public:
  static constexpr std::size_t kAlignment = 256;  // alignment of all pieces; null for more

  explicit BaseSubAllocator(Allocator* base, int index = 0, SlimVector<Visitor> alloc_visitors = {},
                            SlimVector<Visitor> free_visitors = {})
      : SubAllocator(std::move(alloc_visitors), std::move(free_visitors)), base_(base), index_(index) {}

  void* Alloc(std::size_t alignment, std::size_t bytes, std::size_t* bytes_received) override {
    AllocationAttributes attributes;
    attributes.retry_on_failure = false;  // the allocator above knows better what to do then
    void* const ptr = alignment > kAlignment ? nullptr : base_->AllocateRaw(kAlignment, bytes, attributes);
    *bytes_received = ptr == nullptr ? 0 : bytes;
    if (ptr != nullptr) VisitAlloc(ptr, index_, bytes);
    return ptr;
  }
  void Free(void* ptr, std::size_t bytes) override {
    if (ptr == nullptr) return;
    VisitFree(ptr, index_, bytes);
    base_->DeallocateRaw(ptr, kAlignment, bytes);
  }
  AllocatorMemoryType GetMemoryType() const override { return base_->GetMemoryType(); }
  bool HostAccessible() const override { return base_->HostAccessible(); }

 private:
  Allocator* const base_;
  const int index_;
};

TENON_DETAIL_NAMESPACE_END
