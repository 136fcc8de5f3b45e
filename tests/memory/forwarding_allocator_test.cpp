// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/forwarding_allocator.hpp>

#include <doctest/doctest.h>

#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>

#include "memory/needed.hpp"

namespace forwarding_allocator_test {
using namespace tenon;
using tenon::testing::Needed;

TEST_SUITE("ForwardingAllocator") {
  TEST_CASE("is as the one below it") {
    TrackingAllocator base(CpuAllocator());
    ForwardingAllocator a(&base);
    CHECK(a.Name() == base.Name());
    CHECK(a.GetMemoryType() == base.GetMemoryType());
    CHECK(a.HostAccessible() == base.HostAccessible());
    CHECK(a.HoldsHeaders() == base.HoldsHeaders());
    CHECK(a.AllocatesOpaqueHandle() == base.AllocatesOpaqueHandle());
    CHECK(a.TracksAllocationSizes());
    void* const block = Needed(a.AllocateRaw(64, 100));
    CHECK(a.RequestedSize(block) == 100);
    CHECK(a.AllocatedSize(block) == base.AllocatedSize(block));
    CHECK(a.AllocatedSizeSlow(block) == base.AllocatedSizeSlow(block));
    CHECK(a.AllocationId(block) == base.AllocationId(block));
    CHECK(a.GetStats()->bytes_in_use == base.GetStats()->bytes_in_use);
    a.DeallocateRaw(block, 64, 100);
    CHECK(base.blocks_in_use() == 0);
    CHECK(a.ReleaseUnused() == base.ReleaseUnused());
    CHECK(a.ClearStats());
    CHECK(base.GetStats()->peak_bytes_in_use == 0);
  }
}
}  // namespace forwarding_allocator_test
