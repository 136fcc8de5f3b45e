// SPDX-License-Identifier: Apache-2.0
#pragma once
// Arena: memory for the parts of a step that end together. A block is cut by moving a pointer; all of it is free again
// at once, by Reset() or by going back to a mark.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/check.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/block.hpp>
#include <tenon/memory/stats.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// externally synchronised. `base`, whose memory the processor can touch, must outlive it.
//
//   Arena arena(CpuAllocator());
//   float* sums = static_cast<float*>(arena.Allocate(n * sizeof(float)));
//   { const Arena::Scope scope(arena);  ... }            // what is allocated in here ends here
//   arena.Reset();                                       // the next step uses the same memory
class Arena {
 public:
  static constexpr std::size_t kFirstBlockBytes = std::size_t{64} << 10;

  // A place in the order of allocations.
  struct Mark {
    std::size_t block = 0;
    std::size_t used = 0;  // bytes of that block
    std::int64_t bytes_in_use = 0;
  };
  // Goes back to where it was made when it ends.
  class Scope {
   public:
    explicit Scope(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { arena_.Rewind(mark_); }

   private:
    Arena& arena_;
    const Mark mark_;
  };

  // Takes nothing yet. Each block taken from `base` is twice as large as the one before.
  explicit Arena(Allocator* base, std::size_t first_block_bytes = kFirstBlockBytes)
      : base_(base), first_block_bytes_(first_block_bytes < kLeastBlock ? kLeastBlock : first_block_bytes) {
    TENON_CHECK(base->HostAccessible(), "Arena: the memory of '", base->Name(), "' is not the host's.");
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena() { Release(); }

  Allocator* base() const { return base_; }

  // Uninitialised bytes, aligned to a power of two; null when `base` has no memory, and then nothing has changed. Zero
  // bytes give a pointer that may be another block's too.
  void* Allocate(std::size_t bytes, std::size_t alignment = Allocator::kAlignment) {
    if (current_ < blocks_.size()) [[likely]] {
      const Block& block = blocks_[current_];
      const std::size_t begin = FirstAligned(block, used_, alignment);
      if (begin <= block.bytes && bytes <= block.bytes - begin) [[likely]]
        return Take(block, begin, bytes);
    }
    return AllocateInNextBlock(bytes, alignment);
  }
  // Room for `count` objects, which are not constructed.
  template <class T>
  T* AllocateArray(std::size_t count) {
    if (count > detail::kMaxBlockBytes / sizeof(T)) return nullptr;
    return static_cast<T*>(Allocate(count * sizeof(T), alignof(T)));
  }

  Mark mark() const { return {current_, used_, stats_.bytes_in_use}; }
  // Whatever was allocated after the mark is free. Marks end when one before them is gone back to, by Reset, and by
  // Release.
  void Rewind(const Mark& mark) {
    TENON_CHECK(mark.block < current_ || (mark.block == current_ && mark.used <= used_),
                "Arena::Rewind: the mark is not of what is allocated now.");
    for (std::size_t i = mark.block; i < blocks_.size() && i <= current_; ++i) {
      const std::size_t from = i == mark.block ? mark.used : 0;
      detail::MarkInUse(blocks_[i].ptr + from, 0, blocks_[i].bytes - from);
    }
    current_ = mark.block;
    used_ = mark.used;
    stats_.bytes_in_use = mark.bytes_in_use;
  }
  // All of it is free; the memory stays.
  void Reset() { Rewind(Mark()); }
  // The memory goes back to `base` too.
  void Release() {
    for (const Block& block : blocks_) {
      detail::MarkReturned(block.ptr, block.bytes);
      base_->DeallocateRaw(block.ptr, Allocator::kAlignment, block.bytes);
    }
    blocks_.clear();
    current_ = used_ = 0;
    stats_.bytes_in_use = stats_.bytes_reserved = 0;
  }

  // bytes_in_use counts what alignment and the ends of blocks cost; bytes_reserved is what `base` gave.
  AllocatorStats stats() const {
    AllocatorStats stats = stats_;
    if (current_ < blocks_.size()) {
      stats.largest_free_block_bytes = static_cast<std::int64_t>(blocks_[current_].bytes - used_);
    }
    for (std::size_t i = current_ + 1; i < blocks_.size(); ++i) {
      const auto bytes = static_cast<std::int64_t>(blocks_[i].bytes);
      if (bytes > stats.largest_free_block_bytes) stats.largest_free_block_bytes = bytes;
    }
    return stats;
  }

 private:
  static constexpr std::size_t kLeastBlock = 256;
  struct Block {
    char* ptr;
    std::size_t bytes;
  };

  // Where in the block an aligned piece may begin, from `used` on; perhaps behind its end.
  static std::size_t FirstAligned(const Block& block, std::size_t used, std::size_t alignment) {
    const auto address = reinterpret_cast<std::uintptr_t>(block.ptr) + used;
    return used + static_cast<std::size_t>(-address & (alignment - 1));
  }
  void* Take(const Block& block, std::size_t begin, std::size_t bytes) {
    char* const ptr = block.ptr + begin;
    detail::MarkInUse(ptr, bytes, bytes);
    stats_.bytes_in_use += static_cast<std::int64_t>(begin + bytes - used_);
    used_ = begin + bytes;
    ++stats_.num_allocs;
    if (stats_.bytes_in_use > stats_.peak_bytes_in_use) stats_.peak_bytes_in_use = stats_.bytes_in_use;
    if (static_cast<std::int64_t>(bytes) > stats_.largest_alloc_size) {
      stats_.largest_alloc_size = static_cast<std::int64_t>(bytes);
    }
    return ptr;
  }

  // In the first kept block behind the current one that is large enough, or a new one there.
  TENON_DETAIL_COLD void* AllocateInNextBlock(std::size_t bytes, std::size_t alignment) {
    if (bytes > detail::kMaxBlockBytes || alignment > detail::kMaxBlockBytes) return nullptr;
    const std::size_t needed = bytes + (alignment > Allocator::kAlignment ? alignment : 0);
    std::size_t next = blocks_.empty() ? 0 : current_ + 1;
    while (next < blocks_.size() && blocks_[next].bytes < needed) ++next;
    if (next == blocks_.size() && !AddBlock(needed)) return nullptr;
    if (!blocks_.empty() && next > current_) {  // what is passed over counts as used
      stats_.bytes_in_use += static_cast<std::int64_t>(blocks_[current_].bytes - used_);
      for (std::size_t i = current_ + 1; i < next; ++i)
        stats_.bytes_in_use += static_cast<std::int64_t>(blocks_[i].bytes);
    }
    current_ = next;
    used_ = 0;
    return Take(blocks_[next], FirstAligned(blocks_[next], 0, alignment), bytes);
  }
  bool AddBlock(std::size_t needed) {
    std::size_t bytes = blocks_.empty() ? first_block_bytes_ : 2 * blocks_[blocks_.size() - 1].bytes;
    while (bytes < needed) bytes *= 2;
    AllocationAttributes may_fail;
    may_fail.retry_on_failure = false;
    void* ptr = base_->AllocateRaw(Allocator::kAlignment, bytes, may_fail);
    if (ptr == nullptr)
      ptr = base_->AllocateRaw(Allocator::kAlignment, bytes = needed < kLeastBlock ? kLeastBlock : needed);
    if (ptr == nullptr) return false;
    blocks_.push_back({static_cast<char*>(ptr), bytes});
    detail::MarkInUse(ptr, 0, bytes);
    stats_.bytes_reserved += static_cast<std::int64_t>(bytes);
    if (stats_.bytes_reserved > stats_.peak_bytes_reserved) stats_.peak_bytes_reserved = stats_.bytes_reserved;
    return true;
  }

  Allocator* const base_;
  const std::size_t first_block_bytes_;
  SlimVector<Block> blocks_;
  std::size_t current_ = 0;  // the block that pieces are cut from
  std::size_t used_ = 0;  // bytes of it
  AllocatorStats stats_;
};

TENON_DETAIL_NAMESPACE_END
