// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/sub_allocator.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <tenon/base/str.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <memory/needed.hpp>

namespace sub_allocator_test {
using tenon::BaseSubAllocator;
using tenon::CpuAllocator;
using tenon::SlimVector;
using tenon::StrAppend;
using tenon::SubAllocator;
using tenon::TrackingAllocator;
using tenon::testing::Needed;

TEST_CASE("pieces come from the allocator below, with its properties") {
  TrackingAllocator base(CpuAllocator());
  BaseSubAllocator pieces(&base);
  std::size_t received = 0;
  void* const ptr = Needed(pieces.Alloc(256, 5000, &received));
  REQUIRE(ptr != nullptr);
  CHECK(received == 5000);
  CHECK(reinterpret_cast<std::uintptr_t>(ptr) % 256 == 0);
  CHECK(base.bytes_in_use() == 5000);
  pieces.Free(ptr, received);
  pieces.Free(nullptr, 0);
  CHECK(base.blocks_in_use() == 0);
  CHECK(base.num_bad_frees() == 0);
  CHECK(pieces.GetMemoryType() == base.GetMemoryType());
  CHECK(pieces.HostAccessible());
  CHECK_FALSE(pieces.SupportsCoalescing());
}

TEST_CASE("no memory below is no piece, and nobody is told of it") {
  TrackingAllocator base(CpuAllocator());
  int visits = 0;
  SlimVector<SubAllocator::Visitor> visitors;
  visitors.push_back([&visits](void*, int, std::size_t) { ++visits; });
  BaseSubAllocator pieces(&base, 0, std::move(visitors));
  base.FailAllocations(1, TrackingAllocator::kAll);
  std::size_t received = 7;
  CHECK(pieces.Alloc(64, 100, &received) == nullptr);
  CHECK(received == 0);
  base.FailAllocations(0);
  CHECK(pieces.Alloc(4096, 100, &received) == nullptr);
  CHECK(visits == 0);
}

TEST_CASE("visitors see each piece: in their order when it comes, backwards before it goes") {
  std::string seen;
  const auto visitor = [&seen](char name) {
    return [&seen, name](void* ptr, int index, std::size_t bytes) {
      StrAppend(&seen, name, ptr != nullptr ? "" : "?", index, ":", bytes, " ");
    };
  };
  SlimVector<SubAllocator::Visitor> at_alloc, at_free;
  at_alloc.push_back(visitor('a'));
  at_alloc.push_back(visitor('b'));
  at_free.push_back(visitor('c'));
  at_free.push_back(visitor('d'));
  BaseSubAllocator pieces(CpuAllocator(), 3, std::move(at_alloc), std::move(at_free));
  std::size_t received = 0;
  void* const ptr = Needed(pieces.Alloc(64, 100, &received));
  CHECK(seen == "a3:100 b3:100 ");
  pieces.Free(ptr, received);
  CHECK(seen == "a3:100 b3:100 d3:100 c3:100 ");
}
}  // namespace sub_allocator_test
