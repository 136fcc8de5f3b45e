// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/pmr.hpp>

#include <doctest/doctest.h>

#include <map>
#include <memory_resource>
#include <new>
#include <string>
#include <vector>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/limited_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/tensor/tensor.hpp>
#include <memory/needed.hpp>

namespace pmr_test {
using tenon::AllocatorResource;
using tenon::CpuAllocator;
using tenon::ResourceAllocator;
using tenon::TrackingAllocator;
using tenon::testing::Needed;

TEST_SUITE("AllocatorResource") {
  TEST_CASE("the standard's containers use the allocator, and give all back") {
    TrackingAllocator memory(CpuAllocator());
    {
      AllocatorResource resource(&memory);
      std::pmr::vector<std::pmr::string> texts(&resource);
      for (int i = 0; i < 100; ++i) texts.emplace_back("a text that is too long to lie inside of its string");
      std::pmr::map<int, double> map(&resource);
      for (int i = 0; i < 100; ++i) map[i] = i;
      CHECK(memory.blocks_in_use() > 200);
      CHECK(resource.allocator() == &memory);
      void* const p = resource.allocate(100, 4096);
      CHECK(reinterpret_cast<std::uintptr_t>(p) % 4096 == 0);
      resource.deallocate(p, 100, 4096);
    }
    CHECK(memory.blocks_in_use() == 0);
    CHECK(memory.num_bad_frees() == 0);
  }
  TEST_CASE("resources of one allocator are equal") {
    TrackingAllocator memory(CpuAllocator());
    const AllocatorResource a(CpuAllocator()), b(CpuAllocator()), c(&memory);
    CHECK(a == a);
    CHECK(a == b);
    CHECK(a != c);
    CHECK(a != *std::pmr::new_delete_resource());
  }
  TEST_CASE("no memory is std::bad_alloc") {
    tenon::LimitedAllocator limited(CpuAllocator(), 1000, "limited");
    AllocatorResource resource(&limited);
    std::pmr::vector<char> v(&resource);
    CHECK_THROWS_AS(v.resize(2000), std::bad_alloc);
    CHECK(limited.bytes_in_use() == 0);
  }
}

TEST_SUITE("ResourceAllocator") {
  TEST_CASE("tensors live in a memory resource") {
    std::pmr::monotonic_buffer_resource arena;
    ResourceAllocator a(&arena, "arena");
    CHECK(a.Name() == "arena");
    CHECK(a.resource() == &arena);
    const auto t = tenon::Tensor::Make(tenon::DataType::kFloat, {100, 10}, &a);
    REQUIRE(t.ok());
    CHECK(t->IsAligned());
  }
  TEST_CASE("it keeps alignments, and zero bytes are a block") {
    ResourceAllocator a(std::pmr::new_delete_resource());
    for (const std::size_t alignment : {std::size_t{1}, std::size_t{64}, std::size_t{1024}}) {
      void* const p = a.AllocateRaw(alignment, 0);
      void* const q = a.AllocateRaw(alignment, 100);
      CHECK(p != nullptr);
      CHECK(reinterpret_cast<std::uintptr_t>(q) % (alignment < 64 ? 64 : alignment) == 0);
      a.DeallocateRaw(p, alignment, 0);
      a.DeallocateRaw(q, alignment, 100);
    }
    a.DeallocateRaw(nullptr, 64, 1);
  }
  TEST_CASE("what the resource throws is no memory") {
    ResourceAllocator a(std::pmr::null_memory_resource());
    CHECK(a.AllocateRaw(64, 10) == nullptr);
    CHECK(a.AllocateRaw(64, SIZE_MAX) == nullptr);
    CHECK(tenon::errors::IsResourceExhausted(tenon::Tensor::Make(tenon::DataType::kFloat, {2}, &a).status()));
  }
  TEST_CASE("there and back again is the same memory") {
    TrackingAllocator memory(CpuAllocator());
    AllocatorResource resource(&memory);
    ResourceAllocator a(&resource);
    void* const p = Needed(a.AllocateRaw(64, 10));
    CHECK(memory.blocks_in_use() == 1);
    a.DeallocateRaw(p, 64, 10);
    CHECK(memory.blocks_in_use() == 0);
    CHECK(memory.num_bad_frees() == 0);
  }
}
}  // namespace pmr_test
