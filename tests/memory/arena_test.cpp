// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/arena.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include <base/child_process.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <memory/needed.hpp>

namespace arena_test {
using tenon::Allocator;
using tenon::Arena;
using tenon::CpuAllocator;
using tenon::TrackingAllocator;
using tenon::testing::Needed;

namespace {
std::uintptr_t Address(const void* ptr) { return reinterpret_cast<std::uintptr_t>(ptr); }
}  // namespace

TEST_SUITE("Arena") {
  TEST_CASE("pieces lie side by side, aligned as asked, in blocks that double") {
    TrackingAllocator base(CpuAllocator());
    {
      Arena arena(&base, 1024);
      CHECK(base.num_requests() == 0);
      auto* const a = static_cast<char*>(Needed(arena.Allocate(10)));
      auto* const b = static_cast<char*>(Needed(arena.Allocate(3, 1)));
      auto* const c = static_cast<char*>(Needed(arena.Allocate(8, 8)));
      auto* const d = static_cast<char*>(Needed(arena.Allocate(1)));
      CHECK(Address(a) % 64 == 0);
      CHECK(b == a + 10);
      CHECK(c == a + 16);
      CHECK(d == a + 64);
      CHECK(Address(Needed(arena.Allocate(1, 256))) % 256 == 0);
      std::memset(a, 1, 10);
      CHECK(Needed(arena.Allocate(900)) != nullptr);    // the second block: 2048
      CHECK(Needed(arena.Allocate(10000)) != nullptr);  // the third: as large as needed
      Needed(base.num_failures() == 0 ? &base : nullptr);  // smaller blocks came where larger ones were refused
      CHECK(base.sizes() == std::vector<std::size_t>{1024, 2048, 16384});
      CHECK(Address(Needed(arena.Allocate(100, 4096))) % 4096 == 0);
      CHECK(arena.AllocateArray<double>(7) != nullptr);
    }
    CHECK(base.blocks_in_use() == 0);
    CHECK(base.num_bad_frees() == 0);
  }
  TEST_CASE("Reset keeps the memory and gives the same places again") {
    TrackingAllocator base(CpuAllocator());
    Arena arena(&base, 1024);
    std::vector<void*> first, second;
    for (int i = 0; i < 20; ++i) first.push_back(arena.Allocate(400));
    const auto requests = base.num_requests();
    for (int round = 0; round < 3; ++round) {
      arena.Reset();
      CHECK(arena.stats().bytes_in_use == 0);
      second.clear();
      for (int i = 0; i < 20; ++i) second.push_back(arena.Allocate(400));
      CHECK(first == second);
    }
    CHECK(base.num_requests() == requests);
    arena.Release();
    CHECK(base.blocks_in_use() == 0);
    CHECK(arena.stats().bytes_reserved == 0);
    CHECK(arena.Allocate(1) != nullptr);
  }
  TEST_CASE("what was allocated after a mark goes, what was before it stays") {
    Arena arena(CpuAllocator(), 512);
    auto* const kept = static_cast<char*>(arena.Allocate(100));
    std::memset(kept, 7, 100);
    const Arena::Mark mark = arena.mark();
    void* const next = arena.Allocate(50);
    {
      const Arena::Scope scope(arena);
      for (int i = 0; i < 30; ++i) std::memset(arena.Allocate(200), 1, 200);
    }
    CHECK(arena.stats().bytes_in_use < 300);
    arena.Rewind(mark);
    CHECK(arena.Allocate(50) == next);
    for (int i = 0; i < 100; ++i) REQUIRE(kept[i] == 7);
  }
  TEST_CASE("a mark of what is gone is a mistake of the program") {
    Arena arena(CpuAllocator());
    static_cast<void>(arena.Allocate(100));
    const ChildResult child = RunInChild([&] {
      const Arena::Mark mark = arena.mark();
      arena.Reset();
      arena.Rewind(mark);
    });
    CHECK(child.aborted);
    CHECK(Contains(child.errors, "Arena::Rewind: the mark is not of what is allocated now"));
  }
  TEST_CASE("a piece too large for the next block passes it over until Reset") {
    TrackingAllocator base(CpuAllocator());
    Arena arena(&base, 256);
    static_cast<void>(Needed(arena.Allocate(200)));
    static_cast<void>(Needed(arena.Allocate(500)));   // 512
    static_cast<void>(Needed(arena.Allocate(1000)));  // 1024
    Needed(base.num_failures() == 0 ? &base : nullptr);
    arena.Reset();
    CHECK(Needed(arena.Allocate(1024)) != nullptr);
    CHECK(base.num_requests() == 3);
    CHECK(arena.stats().bytes_in_use == 256 + 512 + 1024);
    CHECK(Needed(arena.Allocate(1)) != nullptr);
    Needed(base.num_failures() == 0 ? &base : nullptr);  // a smaller block came where a larger one was refused
    CHECK(base.num_requests() == 4);
  }
  TEST_CASE("counts blocks, bytes and peaks") {
    TrackingAllocator base(CpuAllocator());
    Arena arena(&base, 1024);
    static_cast<void>(Needed(arena.Allocate(100)));
    static_cast<void>(Needed(arena.Allocate(100)));
    Needed(base.num_failures() == 0 ? &base : nullptr);
    auto stats = arena.stats();
    CHECK(stats.num_allocs == 2);
    CHECK(stats.bytes_in_use == 228);  // the second begins at 128
    CHECK(stats.largest_alloc_size == 100);
    CHECK(stats.bytes_reserved == 1024);
    CHECK(stats.largest_free_block_bytes == 1024 - 228);
    arena.Reset();
    stats = arena.stats();
    CHECK(stats.bytes_in_use == 0);
    CHECK(stats.peak_bytes_in_use == 228);
    CHECK(stats.bytes_reserved == 1024);
  }
  TEST_CASE("without memory the answer is null, and a smaller block is tried first") {
    TrackingAllocator base(CpuAllocator());
    Arena arena(&base, 1024);
    static_cast<void>(arena.Allocate(1000));
    base.FailAllocations(1);
    CHECK(arena.Allocate(300) != nullptr);
    CHECK(base.sizes() == std::vector<std::size_t>{1024, 300});
    base.FailAllocations(1, TrackingAllocator::kAll);
    const auto before = arena.stats().bytes_in_use;
    CHECK(arena.Allocate(300) == nullptr);
    CHECK(arena.stats().bytes_in_use == before);
    CHECK(arena.Allocate(SIZE_MAX) == nullptr);
    CHECK(arena.AllocateArray<double>(SIZE_MAX / 4) == nullptr);
    base.FailAllocations(0);
    CHECK(arena.Allocate(300) != nullptr);
  }
}
}  // namespace arena_test
