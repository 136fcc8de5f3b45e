// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/trace/allocation_log.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/limited_allocator.hpp>

#include "runtime/graphs.hpp"

namespace allocation_log_test {
using namespace tenon;
using namespace runtime_test;
using Kind = AllocationRecord::Kind;

TEST_SUITE("AllocationLog") {
  TEST_CASE("writes down what is given, taken back and refused") {
    LimitedAllocator limited(CpuAllocator(), 1000, "limited");
    AllocationLog log(&limited);
    CHECK(log.Name() == "limited");
    void* const a = log.AllocateRaw(64, 600);
    void* const b = log.AllocateRaw(64, 600);
    CHECK(a != nullptr);
    CHECK(b == nullptr);
    log.DeallocateRaw(a, 64, 600);
    log.DeallocateRaw(nullptr, 64, 600);
    const auto records = log.Take();
    REQUIRE(records.size() == 3);
    const Kind kinds[] = {Kind::kAllocated, Kind::kRefused, Kind::kFreed};
    const std::int64_t in_use[] = {600, 600, 0};
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(records[i].kind == kinds[i]);
      CHECK(records[i].bytes == 600);
      CHECK(records[i].bytes_in_use == in_use[i]);
      CHECK(records[i].block == (i == 1 ? nullptr : a));
      CHECK(records[i].thread == records[0].thread);
      if (i > 0) CHECK(records[i].at_ns >= records[i - 1].at_ns);
    }
    CHECK(log.Take().empty());
  }
  TEST_CASE("keeps so many records and counts the others") {
    AllocationLog log(CpuAllocator(), 3);
    for (int i = 0; i < 5; ++i) log.DeallocateRaw(log.AllocateRaw(64, 8), 64, 8);
    CHECK(log.Take().size() == 3);
    CHECK(log.num_left_out() == 7);
    log.DeallocateRaw(log.AllocateRaw(64, 8), 64, 8);
    CHECK(log.Take().size() == 2);
  }
  TEST_CASE("a session's allocations lie within its run") {
    AllocationLog log(CpuAllocator());
    {
      const auto session = Session::FromGraph(SmallGraph(), {.allocator = &log});
      const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}});
      (void)log.Take();
      const Tensor x = Tensor::Zeros<float>({1000});
      std::vector<Tensor> out(1);
      RunTrace trace;
      REQUIRE(callable->RunTraced({&x, 1}, out, &trace).ok());
      std::size_t large = 0;
      for (const AllocationRecord& record : log.Take()) {
        if (record.bytes < 4000) continue;
        ++large;
        CHECK(record.kind == Kind::kAllocated);
        CHECK(record.thread == trace.thread);
        CHECK(record.at_ns >= trace.start_ns);
        CHECK(record.at_ns <= trace.start_ns + trace.total_ns);
      }
      CHECK(large == 2);  // y and z
    }
    CHECK(log.Take().back().bytes_in_use == 0);
  }
  TEST_CASE("several threads") {
    AllocationLog log(CpuAllocator());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) log.DeallocateRaw(log.AllocateRaw(64, 64), 64, 64);
      });
    for (std::thread& thread : threads) thread.join();
    const auto records = log.Take();
    CHECK(records.size() == 800);
    CHECK(records.back().bytes_in_use == 0);
  }
}
}  // namespace allocation_log_test
