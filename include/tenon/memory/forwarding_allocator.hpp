// SPDX-License-Identifier: Apache-2.0
#pragma once
// ForwardingAllocator: what an allocator over another one has in common with it. LimitedAllocator counts what it passes
// on, AllocationLog writes it down.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include <tenon/memory/allocator.hpp>
#include <tenon/memory/stats.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Passes everything on to `base`, which must outlive it; a derived class overrides what it wants to see. thread-safe as
// `base` is.
class ForwardingAllocator : public Allocator {
 public:
  explicit ForwardingAllocator(Allocator* base) : base_(base) {}

  std::string_view Name() const override { return base_->Name(); }
  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) override {
    return base_->AllocateRaw(alignment, bytes, attributes);
  }
  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override {
    base_->DeallocateRaw(ptr, alignment, bytes);
  }

  AllocatorMemoryType GetMemoryType() const override { return base_->GetMemoryType(); }
  bool HostAccessible() const override { return base_->HostAccessible(); }
  bool HoldsHeaders() const override { return base_->HoldsHeaders(); }
  bool AllocatesOpaqueHandle() const override { return base_->AllocatesOpaqueHandle(); }
  std::size_t ReleaseUnused() override { return base_->ReleaseUnused(); }
  void SetSafeFrontier(std::uint64_t count) override { base_->SetSafeFrontier(count); }
  void SetStreamAndPreallocateMemory(void* stream) override { base_->SetStreamAndPreallocateMemory(stream); }

  bool TracksAllocationSizes() const override { return base_->TracksAllocationSizes(); }
  std::size_t RequestedSize(const void* ptr) const override { return base_->RequestedSize(ptr); }
  std::size_t AllocatedSize(const void* ptr) const override { return base_->AllocatedSize(ptr); }
  std::size_t AllocatedSizeSlow(const void* ptr) const override { return base_->AllocatedSizeSlow(ptr); }
  std::int64_t AllocationId(const void* ptr) const override { return base_->AllocationId(ptr); }
  std::optional<AllocatorStats> GetStats() const override { return base_->GetStats(); }
  bool ClearStats() override { return base_->ClearStats(); }

 protected:
  Allocator* base() const { return base_; }

 private:
  Allocator* const base_;
};

TENON_DETAIL_NAMESPACE_END
