// SPDX-License-Identifier: Apache-2.0
#pragma once
// SharedCounter: the clock by which an allocator and a device order the freeing and the reuse of memory.

#include <atomic>
#include <cstdint>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A clock that ticks with every event which a device is given. thread-safe.
class SharedCounter {
 public:
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }
  std::uint64_t next() { return value_.fetch_add(1, std::memory_order_relaxed) + 1; }

 private:
  std::atomic<std::uint64_t> value_{0};
};

TENON_DETAIL_NAMESPACE_END
