// SPDX-License-Identifier: Apache-2.0
#pragma once
// LimitedAllocator: another allocator's memory, up to a number of bytes.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/memory/allocator.hpp>
#include <tenon/memory/forwarding_allocator.hpp>
#include <tenon/memory/out_of_memory.hpp>
#include <tenon/memory/stats.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// thread-safe, without a lock of its own. Must outlive its blocks, and `base` must outlive it. The limit is hard: at no
// time is more than that out, counted as it was asked for. Other users' requests to `base` do not count.
//
//   LimitedAllocator budget(CpuAllocator(), std::size_t{1} << 30, "request_17");
//   Result<Tensor> t = Tensor::Make(DataType::kFloat, shape, &budget);   // ResourceExhausted beyond 1 GiB
class LimitedAllocator final : public ForwardingAllocator {
 public:
  LimitedAllocator(Allocator* base, std::size_t limit_bytes, std::string_view name)
      : ForwardingAllocator(base),
        limit_(limit_bytes < kLargestLimit ? static_cast<std::int64_t>(limit_bytes) : kLargestLimit),
        name_(name) {}

  std::string_view Name() const override { return name_; }

  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) override {
    if (!Reserve(bytes)) return nullptr;
    void* const ptr = base()->AllocateRaw(alignment, bytes, attributes);
    if (ptr == nullptr) {
      in_use_.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
      return nullptr;
    }
    num_allocs_.fetch_add(1, std::memory_order_relaxed);
    RaiseTo(largest_, static_cast<std::int64_t>(bytes));
    return ptr;
  }
  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override {
    if (ptr == nullptr) return;
    base()->DeallocateRaw(ptr, alignment, bytes);  // first: else another thread might have more than the limit out
    in_use_.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  }
  // AllocateRaw with a Status: ResourceExhausted with the size, the name and the stats.
  Result<void*> Allocate(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) {
    void* const ptr = AllocateRaw(alignment, bytes, attributes);
    if (ptr == nullptr) return OutOfMemory(bytes);
    return ptr;
  }

  std::int64_t limit_bytes() const { return limit_; }
  std::int64_t bytes_in_use() const { return in_use_.load(std::memory_order_relaxed); }
  std::int64_t num_refused() const { return num_refused_.load(std::memory_order_relaxed); }  // for the limit's sake

  std::optional<AllocatorStats> GetStats() const override {
    AllocatorStats stats;
    stats.num_allocs = num_allocs_.load(std::memory_order_relaxed);
    stats.bytes_in_use = in_use_.load(std::memory_order_relaxed);
    stats.peak_bytes_in_use = peak_.load(std::memory_order_relaxed);
    stats.largest_alloc_size = largest_.load(std::memory_order_relaxed);
    stats.bytes_limit = limit_;
    stats.largest_free_block_bytes = limit_ - stats.bytes_in_use;
    return stats;
  }
  bool ClearStats() override {
    num_allocs_.store(0, std::memory_order_relaxed);
    largest_.store(0, std::memory_order_relaxed);
    peak_.store(in_use_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    return true;
  }

 private:
  static constexpr std::int64_t kLargestLimit = INT64_MAX;

  // Counts the bytes as in use; false if they are too many.
  bool Reserve(std::size_t bytes) {
    std::int64_t before = in_use_.load(std::memory_order_relaxed);
    for (;;) {
      if (bytes > static_cast<std::size_t>(limit_ - before)) [[unlikely]] {
        num_refused_.fetch_add(1, std::memory_order_relaxed);
        return false;
      }
      const std::int64_t after = before + static_cast<std::int64_t>(bytes);
      if (!in_use_.compare_exchange_weak(before, after, std::memory_order_relaxed)) continue;
      RaiseTo(peak_, after);
      return true;
    }
  }
  static void RaiseTo(std::atomic<std::int64_t>& maximum, std::int64_t value) {
    std::int64_t seen = maximum.load(std::memory_order_relaxed);
    while (seen < value && !maximum.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
    }
  }
  TENON_DETAIL_COLD Status OutOfMemory(std::size_t bytes) const {
    return errors::ResourceExhausted("LimitedAllocator: OOM when allocating ", bytes, " bytes by ",
                                     detail::NoMemoryFrom(*this, bytes));
  }

  const std::int64_t limit_;
  const std::string name_;
  std::atomic<std::int64_t> in_use_{0};
  std::atomic<std::int64_t> peak_{0};
  std::atomic<std::int64_t> num_allocs_{0};
  std::atomic<std::int64_t> largest_{0};
  std::atomic<std::int64_t> num_refused_{0};
};

TENON_DETAIL_NAMESPACE_END
