// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/planned/place_allocator.hpp>

#include <doctest/doctest.h>

#include <thread>

#include <tenon/base/owned.hpp>
#include <tenon/memory/cpu_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>

namespace place_allocator_test {
using namespace tenon;
using detail::PlaceAllocator;
using detail::PlannedPlace;

TEST_SUITE("PlaceAllocator") {
  TEST_CASE("requests of the size of an open place get it, in order; the cache serves all others") {
    TrackingAllocator base(CpuAllocator());
    const Owned<CachingAllocator, CachingAllocator::Releaser> cache(CachingAllocator::Create(&base));
    PlaceAllocator places(cache.get());
    CHECK(places.arena() == nullptr);
    places.SetArena(Buffer::Allocate(CpuAllocator(), 1024));
    char* const arena = places.arena();
    REQUIRE(arena != nullptr);
    const PlannedPlace list[] = {{arena, 128}, {arena + 128, 256}, {arena + 384, 128}};
    CHECK(places.Name() == base.Name());
    CHECK(places.HoldsHeaders());

    cache->SetOwnerThread();
    places.Open(list, 3);
    CHECK(places.AllocateRaw(64, 256) == arena + 128);
    void* const other = places.AllocateRaw(64, 256);  // there is one place of this size
    CHECK(base.blocks_in_use() == 1);
    CHECK(places.AllocateRaw(64, 128) == arena + 384);  // places before the last one given are over
    void* const late = places.AllocateRaw(64, 128);
    CHECK(base.blocks_in_use() == 2);
    for (void* const place : {static_cast<void*>(arena + 128), static_cast<void*>(arena + 384)})
      places.DeallocateRaw(place, 64, 128);
    places.DeallocateRaw(other, 64, 256);
    places.DeallocateRaw(late, 64, 128);

    places.Open(nullptr, 0);
    void* const closed = places.AllocateRaw(64, 128);
    CHECK(closed == late);
    places.DeallocateRaw(closed, 64, 128);
    places.DeallocateRaw(nullptr, 64, 128);

    places.Open(list, 3);
    void* elsewhere = nullptr;
    std::thread([&] { elsewhere = places.AllocateRaw(64, 128); }).join();
    CHECK((elsewhere < arena || elsewhere >= arena + 1024));
    places.DeallocateRaw(elsewhere, 64, 128);
    places.Open(nullptr, 0);
    cache->ClearOwnerThread();
    CHECK(base.num_bad_frees() == 0);
  }
}
}  // namespace place_allocator_test
