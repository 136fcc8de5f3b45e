// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/limited_allocator.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <string_view>
#include <thread>
#include <vector>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>

#include "memory/needed.hpp"

namespace limited_allocator_test {
using tenon::CpuAllocator;
using tenon::LimitedAllocator;
using tenon::TrackingAllocator;
using tenon::testing::Needed;

TEST_SUITE("LimitedAllocator") {
  TEST_CASE("gives up to its limit and not a byte more") {
    TrackingAllocator base(CpuAllocator());
    LimitedAllocator a(&base, 1000, "budget");
    CHECK(a.Name() == "budget");
    CHECK(a.GetMemoryType() == CpuAllocator()->GetMemoryType());
    CHECK(a.HostAccessible());
    void* const p = Needed(a.AllocateRaw(64, 600));
    CHECK(a.AllocateRaw(64, 401) == nullptr);
    void* const q = Needed(a.AllocateRaw(64, 400));
    CHECK(a.AllocateRaw(64, 1) == nullptr);
    void* const nothing = Needed(a.AllocateRaw(64, 0));
    CHECK(nothing != nullptr);
    CHECK(a.num_refused() == 2);
    CHECK(base.num_requests() == 3);
    a.DeallocateRaw(p, 64, 600);
    a.DeallocateRaw(nullptr, 64, 600);
    CHECK(a.bytes_in_use() == 400);
    CHECK(a.AllocateRaw(64, SIZE_MAX) == nullptr);
    const auto stats = *a.GetStats();
    CHECK(stats.bytes_limit == 1000);
    CHECK(stats.peak_bytes_in_use == 1000);
    CHECK(stats.largest_alloc_size == 600);
    CHECK(stats.num_allocs == 3);
    CHECK(stats.largest_free_block_bytes == 600);
    CHECK(a.ClearStats());
    CHECK(a.GetStats()->peak_bytes_in_use == 400);
    a.DeallocateRaw(q, 64, 400);
    a.DeallocateRaw(nothing, 64, 0);
    CHECK(base.blocks_in_use() == 0);
  }
  TEST_CASE("the error has the size, the name and the stats") {
    LimitedAllocator a(CpuAllocator(), 100, "budget");
    const auto block = a.Allocate(64, 60);
    REQUIRE(block.ok());
    const tenon::Status s = a.Allocate(64, 50).status();
    CHECK(s.code() == tenon::Code::kResourceExhausted);
    CHECK(
        s.message() ==
        "LimitedAllocator: OOM when allocating 50 bytes by allocator budget, which was asked for 50 bytes; in use: 60 "
        "bytes (peak 60, 1 allocations, limit 100)");
    a.DeallocateRaw(*block, 64, 60);
  }
  TEST_CASE("what the base refuses does not count") {
    TrackingAllocator base(CpuAllocator());
    LimitedAllocator a(&base, 1000, "budget");
    base.FailAllocations(1);
    CHECK(a.AllocateRaw(64, 900) == nullptr);
    CHECK(a.bytes_in_use() == 0);
    CHECK(a.num_refused() == 0);
  }
  TEST_CASE("threads never have more than the limit together") {
    TrackingAllocator base(CpuAllocator());
    constexpr std::size_t kLimit = 5000;
    {
      LimitedAllocator a(&base, kLimit, "budget");
      std::vector<std::thread> threads;
      std::atomic<int> given{0};
      for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&a, &given, t] {
          for (int i = 0; i < 5000; ++i) {
            const std::size_t bytes = static_cast<std::size_t>(1 + (i * 37 + t * 101) % 3000);
            void* const p = a.AllocateRaw(64, bytes);
            if (p == nullptr) continue;
            ++given;
            a.DeallocateRaw(p, 64, bytes);
          }
        });
      }
      for (std::thread& thread : threads) thread.join();
      CHECK(given > 0);
      CHECK(a.bytes_in_use() == 0);
      CHECK(base.peak_bytes_in_use() <= static_cast<std::int64_t>(kLimit));
    }
    CHECK(base.blocks_in_use() == 0);
  }
}
}  // namespace limited_allocator_test
