// SPDX-License-Identifier: Apache-2.0
#pragma once
// PlaceAllocator: gives kernels that allocate their outputs themselves the places that a plan has for these outputs.

#include <cstddef>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/caching_allocator.hpp>
#include <tenon/tensor/buffer.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// A place in the arena of a plan, with room for the header of a buffer.
struct PlannedPlace {
  char* data;
  std::size_t bytes;
};

// The allocator of a planned step. A request of the size of a place that is open gets this place; the cache serves all
// others, and those of other threads than the cache's owner. The owner opens places. A block may come back on any
// thread; it lives no longer than its place is planned for.
class PlaceAllocator final : public Allocator {
 public:
  explicit PlaceAllocator(CachingAllocator* cache) : cache_(cache) {}
  ~PlaceAllocator() override {
    if (arena_ != nullptr) arena_->Unref();
  }

  // Takes over the arena, in which all places lie. Once.
  void SetArena(Buffer* arena) { arena_ = arena; }
  // The memory of the arena; null: there is none.
  char* arena() const { return arena_ == nullptr ? nullptr : static_cast<char*>(arena_->data()); }
  // The places of the node that runs next, in the order of its outputs; without any after it.
  void Open(const PlannedPlace* first, int count) {
    next_ = first;
    end_ = first + count;
  }

  std::string_view Name() const override { return cache_->Name(); }
  bool HoldsHeaders() const override { return cache_->HoldsHeaders(); }
  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) override {
    if (cache_->IsOwnerThread()) {
      for (const PlannedPlace* place = next_; place != end_; ++place) {
        if (place->bytes != bytes) continue;
        next_ = place + 1;
        return place->data;
      }
    }
    return static_cast<Allocator*>(cache_)->AllocateRaw(alignment, bytes, attributes);
  }
  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override {
    if (arena_ == nullptr || static_cast<std::size_t>(static_cast<char*>(ptr) - arena()) >= arena_->size())
      static_cast<Allocator*>(cache_)->DeallocateRaw(ptr, alignment, bytes);
  }

 private:
  CachingAllocator* const cache_;
  const PlannedPlace *next_ = nullptr, *end_ = nullptr;
  Buffer* arena_ = nullptr;
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
