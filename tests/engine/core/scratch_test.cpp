// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/scratch.hpp>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include <tenon/base/owned.hpp>
#include <tenon/memory/caching_allocator.hpp>
#include <tenon/memory/limited_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

namespace scratch_test {
using namespace tenon;

TEST_SUITE("Scratch") {
  TEST_CASE("is aligned memory of the device's allocator, given back at the end") {
    TrackingAllocator memory(CpuAllocator());
    const Cpu device{.allocator = &memory};
    {
      const Scratch scratch(device, 1000);
      CHECK(scratch.status("Test").ok());
      CHECK(reinterpret_cast<std::uintptr_t>(scratch.As<char>()) % Allocator::kAlignment == 0);
      CHECK(scratch.As<float>(8) == scratch.As<float>() + 2);
      CHECK(memory.blocks_in_use() == 1);
      for (int i = 0; i < 1000; ++i) scratch.As<char>()[i] = 1;
    }
    CHECK(memory.blocks_in_use() == 0);
    CHECK(memory.num_bad_frees() == 0);
  }
  TEST_CASE("kernels of one step take turns with one block") {
    TrackingAllocator memory(CpuAllocator());
    {
      const Owned<CachingAllocator, CachingAllocator::Releaser> cache(CachingAllocator::Create(&memory));
      const Cpu device{.allocator = cache.get()};
      cache->SetOwnerThread();
      for (int run = 0; run < 2; ++run)
        for (const std::size_t bytes : std::initializer_list<std::size_t>{100000, 3000, 70000, 50}) {
          const Scratch scratch(device, bytes);
          CHECK(scratch.status("Test").ok());
        }
      CHECK(cache->held_bytes() == 100032);
      cache->ClearOwnerThread();
      const Scratch without_owner(device, 1000);
      CHECK(without_owner.status("Test").ok());
    }
    CHECK(memory.blocks_in_use() == 0);
    CHECK(memory.num_bad_frees() == 0);
  }
  TEST_CASE("nothing asks for nothing; without an allocator it is the process's") {
    TrackingAllocator memory(CpuAllocator());
    const Scratch none(Cpu{.allocator = &memory}, 0), other(Cpu{}, 64);
    CHECK(none.status("Test").ok());
    CHECK(memory.GetStats()->num_allocs == 0);
    CHECK(other.status("Test").ok());
  }
  TEST_CASE("says who asked for how much when there is no memory") {
    LimitedAllocator memory(CpuAllocator(), 100, "small");
    const Scratch scratch(Cpu{.allocator = &memory}, 101);
    const std::string text = scratch.status("Conv2D").ToString();
    CHECK_MESSAGE(
        text.find("RESOURCE_EXHAUSTED: Conv2D: OOM when allocating 101 bytes of scratch memory by allocator small") ==
            0,
        text);
  }
  TEST_CASE("rounds sizes up so that what follows is aligned") {
    CHECK(detail::ScratchBytes<float>(0) == 0);
    CHECK(detail::ScratchBytes<float>(1) == 64);
    CHECK(detail::ScratchBytes<double>(8) == 64);
    CHECK(detail::ScratchBytes<char>(65) == 128);
  }
}

TEST_SUITE("parts") {
  TEST_CASE("each thread has its own memory, and an error of one item is one of all") {
    ThreadPool pool(4, "test");
    Cpu device{.pool = &pool};
    std::vector<std::int64_t> squares(1000);
    const auto square = [&](Cpu& on, Index i, char* memory) -> Status {
      CHECK((on.pool == nullptr));  // the items are the parallel work
      std::memcpy(memory, &i, sizeof i);
      std::int64_t kept = 0;
      std::memcpy(&kept, memory, sizeof kept);
      squares[static_cast<std::size_t>(i)] = kept * kept;
      return i == 1000 ? errors::Internal("no") : OkStatus();
    };
    CHECK(detail::RunWithScratch(device, 1000, 1e6, 64, "Test", square).ok());
    for (std::size_t i = 0; i < squares.size(); ++i) CHECK(squares[i] == static_cast<std::int64_t>(i * i));
    squares.resize(1001);
    CHECK(detail::RunWithScratch(device, 1001, 1e6, 64, "Test", square).code() == Code::kResourceExhausted);
    CHECK(detail::RunWithScratch(device, 0, 1e6, 64, "Test", square).ok());
    LimitedAllocator memory(CpuAllocator(), 100, "small");
    device.allocator = &memory;
    CHECK(detail::RunWithScratch(device, 1000, 1e6, 64, "Test", square).code() == Code::kResourceExhausted);
  }
  TEST_CASE("as many as there are threads, none below 15 us; 7.5 where a thread is awake") {
    ThreadPool pool(4, "test");
    CHECK(detail::WorthwhileParts(Cpu{}, 1e9) == 1);
    CHECK(detail::WorthwhileParts(Cpu{.pool = &pool}, 14999) == 1);
    const Index parts = detail::WorthwhileParts(Cpu{.pool = &pool}, 29999);
    CHECK((parts == 1 || parts == 3));
    CHECK(detail::WorthwhileParts(Cpu{.pool = &pool}, 45001) == 3);
    CHECK(detail::WorthwhileParts(Cpu{.pool = &pool}, 1e9) == pool.NumThreads());
  }
  TEST_CASE("each part runs once") {
    ThreadPool pool(4, "test");
    Cpu device{.pool = &pool};
    for (const Index parts : {1, 2, 7, 100}) {
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(parts));
      detail::RunParts(device, parts, [&](Index part) { ++runs[static_cast<std::size_t>(part)]; });
      for (const std::atomic<int>& count : runs) CHECK(count == 1);
    }
  }
  TEST_CASE("they follow each other from 0 to the end, in whole steps") {
    for (Index total = 0; total <= 70; ++total)
      for (const Index parts : {1, 2, 3, 8})
        for (const Index step : {1, 4, 16}) {
          CHECK(detail::PartBegin(total, parts, step, 0) == 0);
          CHECK(detail::PartBegin(total, parts, step, parts) == total);
          for (Index part = 0; part < parts; ++part) {
            const Index begin = detail::PartBegin(total, parts, step, part);
            CHECK_UNARY(begin <= detail::PartBegin(total, parts, step, part + 1));
            CHECK_UNARY((begin % step == 0 || begin == total));
          }
        }
  }
}
}  // namespace scratch_test
