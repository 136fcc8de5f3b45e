// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/tracking_allocator.hpp>

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include <tenon/memory/bfc_allocator.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <memory/needed.hpp>

namespace tracking_allocator_test {
using tenon::CpuAllocator;
using tenon::TrackingAllocator;
using tenon::testing::Needed;

TEST_CASE("blocks, bytes, peak and sizes are counted") {
  TrackingAllocator a(CpuAllocator());
  void* const p = Needed(a.AllocateRaw(64, 100));
  void* const q = Needed(a.AllocateRaw(128, 200));
  CHECK(a.blocks_in_use() == 2);
  CHECK(a.bytes_in_use() == 300);
  a.DeallocateRaw(p, 64, 100);
  void* const r = Needed(a.AllocateRaw(64, 50));
  a.DeallocateRaw(q, 128, 200);
  a.DeallocateRaw(r, 64, 50);
  a.DeallocateRaw(nullptr, 64, 50);
  CHECK(a.num_allocations() == 3);
  CHECK(a.num_deallocations() == 3);
  CHECK(a.num_requests() == 3);
  CHECK(a.blocks_in_use() == 0);
  CHECK(a.bytes_in_use() == 0);
  CHECK(a.peak_bytes_in_use() == 300);
  CHECK(a.sizes() == std::vector<std::size_t>{100, 200, 50});
  CHECK(a.num_bad_frees() == 0);
  CHECK(a.GetStats()->largest_alloc_size == 200);
}

TEST_CASE("size and id of a block in use are known") {
  TrackingAllocator a(CpuAllocator());
  void* const p = Needed(a.AllocateRaw(64, 100));
  void* const q = Needed(a.AllocateRaw(64, 0));
  CHECK(a.TracksAllocationSizes());
  CHECK(a.RequestedSize(p) == 100);
  CHECK(a.AllocatedSize(p) == 100);
  CHECK(a.AllocationId(p) == 1);
  CHECK(a.AllocationId(q) == 2);
  CHECK(a.RequestedSize(&a) == 0);
  a.DeallocateRaw(p, 64, 100);
  a.DeallocateRaw(q, 64, 0);
  CHECK(a.AllocationId(q) == 0);
}

TEST_CASE("it speaks for the allocator below") {
  const TrackingAllocator a(CpuAllocator());
  CHECK(a.Name() == "cpu");
  CHECK(a.GetMemoryType() == tenon::AllocatorMemoryType::kHostPageable);
  CHECK(a.HostAccessible());
}

TEST_CASE("sizes of blocks and the limit are those of the allocator below, where it has them") {
  tenon::BFCAllocator bfc(tenon::MakeOwned<tenon::BaseSubAllocator>(CpuAllocator()), std::size_t{1} << 20, "bfc",
                          {.allow_retry_on_failure = false});
  TrackingAllocator a(&bfc);
  void* const p = Needed(a.AllocateRaw(64, 100));
  CHECK(a.RequestedSize(p) == 100);
  CHECK(a.AllocatedSize(p) == 256);
  CHECK(a.GetStats()->bytes_limit == 1 << 20);
  CHECK(a.GetStats()->bytes_in_use == 100);
  const char other = 0;
  CHECK(a.AllocatedSize(&other) == 0);
  a.DeallocateRaw(p, 64, 100);
  CHECK_FALSE(TrackingAllocator(CpuAllocator()).GetStats()->bytes_limit.has_value());
}

TEST_CASE("the k-th allocation from now fails, once") {
  TrackingAllocator a(CpuAllocator());
  a.DeallocateRaw(Needed(a.AllocateRaw(64, 8)), 64, 8);
  a.FailAllocations(2);
  void* const first = Needed(a.AllocateRaw(64, 8));
  CHECK(first != nullptr);
  CHECK(a.AllocateRaw(64, 8) == nullptr);
  void* const third = Needed(a.AllocateRaw(64, 8));
  CHECK(third != nullptr);
  CHECK(a.num_failures() == 1);
  CHECK(a.num_requests() == 4);
  CHECK(a.num_allocations() == 3);
  a.DeallocateRaw(first, 64, 8);
  a.DeallocateRaw(third, 64, 8);
}

TEST_CASE("a run of allocations fails, or all from one on") {
  TrackingAllocator a(CpuAllocator());
  a.FailAllocations(1, 2);
  CHECK(a.AllocateRaw(64, 8) == nullptr);
  CHECK(a.AllocateRaw(64, 8) == nullptr);
  void* const p = Needed(a.AllocateRaw(64, 8));
  CHECK(p != nullptr);
  a.FailAllocations(1, TrackingAllocator::kAll);
  for (int i = 0; i < 5; ++i) CHECK(a.AllocateRaw(64, 8) == nullptr);
  a.FailAllocations(0);
  void* const q = Needed(a.AllocateRaw(64, 8));
  CHECK(q != nullptr);
  a.DeallocateRaw(p, 64, 8);
  a.DeallocateRaw(q, 64, 8);
}

TEST_CASE("an allocation that the allocator below refuses is a failure") {
  TrackingAllocator a(CpuAllocator());
  CHECK(a.AllocateRaw(64, SIZE_MAX) == nullptr);
  CHECK(a.num_failures() == 1);
  CHECK(a.blocks_in_use() == 0);
}

TEST_CASE("frees that do not fit are counted and do no harm") {
  TrackingAllocator a(CpuAllocator());
  void* const p = Needed(a.AllocateRaw(64, 100));
  a.DeallocateRaw(p, 64, 40000);
  CHECK(a.num_bad_frees() == 1);
  CHECK(a.blocks_in_use() == 0);
  a.DeallocateRaw(p, 64, 100);
  CHECK(a.num_bad_frees() == 2);
}

TEST_CASE("ClearStats starts the counters again and keeps what is in use") {
  TrackingAllocator a(CpuAllocator());
  void* const p = Needed(a.AllocateRaw(64, 100));
  a.DeallocateRaw(Needed(a.AllocateRaw(64, 900)), 64, 900);
  CHECK(a.ClearStats());
  CHECK(a.num_allocations() == 0);
  CHECK(a.num_deallocations() == 0);
  CHECK(a.sizes().empty());
  CHECK(a.bytes_in_use() == 100);
  CHECK(a.peak_bytes_in_use() == 100);
  a.DeallocateRaw(p, 64, 100);
}

TEST_CASE("many threads are counted rightly") {
  TrackingAllocator a(CpuAllocator());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&a] {
      for (int i = 0; i < 500; ++i) a.DeallocateRaw(Needed(a.AllocateRaw(64, 128)), 64, 128);
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(a.num_allocations() == 2000);
  CHECK(a.num_deallocations() == 2000);
  CHECK(a.bytes_in_use() == 0);
}
}  // namespace tracking_allocator_test
