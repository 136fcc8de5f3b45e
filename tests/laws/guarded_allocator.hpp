// SPDX-License-Identifier: Apache-2.0
#pragma once
// GuardedAllocator: host memory between sentinels, filled with a byte of choice: who writes past a block is found when
// the block is freed, who reads what nobody wrote gets other values with another byte.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <thread>

#include <tenon/memory/allocator.hpp>
#include <tenon/memory/cpu_allocator.hpp>

namespace tenon::testing {

// thread-safe.
class GuardedAllocator final : public Allocator {
 public:
  explicit GuardedAllocator(unsigned char fill) : fill_(fill) {}

  std::string_view Name() const override { return "guarded"; }
  void* AllocateRaw(std::size_t alignment, std::size_t bytes, const AllocationAttributes& attributes = {}) override {
    const std::size_t front = alignment < kAlignment ? kAlignment : alignment;
    void* const block = CpuAllocator()->AllocateRaw(alignment, front + bytes + kAlignment, attributes);
    if (block == nullptr) return nullptr;
    auto* const data = static_cast<unsigned char*>(block) + front;
    std::memset(block, kSentinel, front);
    std::memset(data, fill_, bytes);
    std::memset(data + bytes, kSentinel, kAlignment);
    ++blocks_;
    return data;
  }
  void DeallocateRaw(void* ptr, std::size_t alignment, std::size_t bytes) override {
    if (ptr == nullptr) return;
    const std::size_t front = alignment < kAlignment ? kAlignment : alignment;
    auto* const data = static_cast<unsigned char*>(ptr);
    if (!IsSentinel(data - front, front) || !IsSentinel(data + bytes, kAlignment)) ++overruns_;
    --blocks_;
    CpuAllocator()->DeallocateRaw(data - front, alignment, front + bytes + kAlignment);
  }
  int overruns() const { return overruns_; }  // freed blocks with something written in front of or behind them
  // False when a block is still out after two seconds. A pool's thread that ran the last node of a step may hold what
  // the node used for a moment longer than the session lives.
  bool WaitUntilAllAreBack() const {
    for (int i = 0; i < 2000 && blocks_ != 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return blocks_ == 0;
  }

 private:
  static constexpr unsigned char kSentinel = 0xc3;
  static bool IsSentinel(const unsigned char* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      if (bytes[i] != kSentinel) return false;
    return true;
  }

  unsigned char fill_;
  std::atomic<int> overruns_{0}, blocks_{0};
};

}  // namespace tenon::testing
