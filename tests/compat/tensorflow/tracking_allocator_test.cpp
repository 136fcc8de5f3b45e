// SPDX-License-Identifier: Apache-2.0
// Counted allocations, and references to buffers.
#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <tuple>

#include <tenon/compat/tensorflow/tracking_allocator.hpp>

namespace compat_tracking_allocator_test {
using namespace tensorflow;
namespace {
// Gives memory for 64 bytes at most.
struct SmallAllocator : Allocator {
  std::string Name() override { return "small"; }
  void* AllocateRaw(std::size_t, std::size_t num_bytes) override { return num_bytes > sizeof block ? nullptr : block; }
  void DeallocateRaw(void*) override {}
  bool TracksAllocationSizes() const override { return true; }
  std::size_t RequestedSize(const void*) const override { return 48; }
  std::optional<AllocatorStats> GetStats() override {
    AllocatorStats stats;
    stats.num_allocs = 5;
    return stats;
  }
  alignas(64) char block[64];
};
}  // namespace

TEST_SUITE("TensorFlow's TrackingAllocator") {
  TEST_CASE("counted allocations") {
    auto* counted = new TrackingAllocator(cpu_allocator(), false);
    CHECK_FALSE(counted->TracksAllocationSizes());
    void* first = counted->AllocateRaw(4, 4);
    counted->DeallocateRaw(first);
    void* second = counted->AllocateRaw(4, 12);
    CHECK(counted->GetSizes() == std::tuple<std::size_t, std::size_t, std::size_t>(16, 0, 0));
    auto records = counted->GetRecordsAndUnRef();
    counted->DeallocateRaw(second);  // the last block: the allocator goes
    REQUIRE(records.size() == 2);
    CHECK(records[1].alloc_bytes == 12);
    CHECK(records[1].alloc_micros >= records[0].alloc_micros);

    counted = new TrackingAllocator(cpu_allocator(), true);
    first = counted->AllocateRaw(4, 4);
    CHECK(counted->RequestedSize(first) == 4);
    CHECK(counted->AllocatedSize(first) >= 4);
    CHECK(counted->AllocationId(first) == 1);
    counted->DeallocateRaw(first);
    counted->DeallocateRaw(nullptr);
    second = counted->AllocateRaw(4, 12);
    CHECK(counted->AllocationId(second) == 2);
    CHECK(std::get<1>(counted->GetSizes()) >= 12);
    counted->DeallocateRaw(second);
    CHECK(std::get<2>(counted->GetSizes()) == 0);
    CHECK(counted->GetCurrentRecords().size() == 4);
    records = counted->GetRecordsAndUnRef();
    CHECK(records[3].alloc_bytes == -records[2].alloc_bytes);

    SmallAllocator small;
    counted = new TrackingAllocator(&small, true);
    CHECK(counted->AllocateRaw(4, 100) == nullptr);
    CHECK(counted->GetCurrentRecords().empty());
    first = counted->AllocateRaw(4, 40);
    CHECK(counted->GetSizes() == std::tuple<std::size_t, std::size_t, std::size_t>(48, 48, 48));
    CHECK(counted->AllocationId(first) == 0);
    CHECK(counted->GetStats()->num_allocs == 5);
    const tenon::Allocator* const plain = counted;
    CHECK(plain->GetStats()->num_allocs == 5);
    counted->DeallocateRaw(first);
    counted->GetRecordsAndUnRef();
  }
  TEST_CASE("references to buffers") {
    const Tensor a(DT_FLOAT, TensorShape({2})), b(DT_FLOAT, TensorShape({2})), again(a);
    UniqueTensorReferences all;
    all.Add(a);
    all.Add(b);
    all.Add(again);
    all.Add(Tensor(DT_FLOAT, TensorShape({0})));
    TensorReferenceVector found;
    all.FreezeAndReturnReferences(&found);
    REQUIRE(found.size() == 2);
    CHECK(found[0].SharesBufferWith(a));
    CHECK_FALSE(found[0].SharesBufferWith(b));
    for (TensorReference& reference : found) reference.Unref();
  }
}
}  // namespace compat_tracking_allocator_test
