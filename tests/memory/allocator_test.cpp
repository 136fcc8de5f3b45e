// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/allocator.hpp>

#include <doctest/doctest.h>

#include <base/child_process.hpp>
#include <memory/needed.hpp>
#include <tenon/memory/bfc_allocator.hpp>
#include <tenon/memory/caching_allocator.hpp>
#include <tenon/memory/limited_allocator.hpp>
#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/tensor/tensor.hpp>

namespace allocator_test {
using tenon::Allocator;
using tenon::AllocatorAttributes;
using tenon::testing::Needed;

namespace {

// The least an allocator has to say.
class NoMemory final : public Allocator {
 public:
  std::string_view Name() const override { return "none"; }
  void* AllocateRaw(std::size_t, std::size_t, const tenon::AllocationAttributes&) override { return nullptr; }
  void DeallocateRaw(void*, std::size_t, std::size_t) override {}
};

}  // namespace

TEST_CASE("an allocator tracks nothing unless it says so") {
  NoMemory none;
  CHECK_FALSE(none.TracksAllocationSizes());
  CHECK(none.AllocationId(&none) == 0);
  CHECK_FALSE(none.GetStats().has_value());
  CHECK_FALSE(none.ClearStats());
  CHECK(none.GetMemoryType() == tenon::AllocatorMemoryType::kUnknown);
  CHECK(none.HostAccessible());
  CHECK(none.HoldsHeaders());
  CHECK_FALSE(none.AllocatesOpaqueHandle());
  CHECK(none.AllocatedSizeSlow(&none) == 0);
  none.SetSafeFrontier(3);
  none.SetStreamAndPreallocateMemory(nullptr);
}

namespace {
// Sizes and ids of its one block, and handles instead of memory.
class Handles final : public Allocator {
 public:
  std::string_view Name() const override { return "handles"; }
  void* AllocateRaw(std::size_t, std::size_t bytes, const tenon::AllocationAttributes&) override {
    requested = bytes;
    ++requests;
    return &handle;
  }
  void DeallocateRaw(void*, std::size_t, std::size_t) override { ++returns; }
  bool TracksAllocationSizes() const override { return true; }
  std::size_t RequestedSize(const void*) const override { return requested; }
  std::int64_t AllocationId(const void*) const override { return requests; }
  bool AllocatesOpaqueHandle() const override { return true; }
  void SetSafeFrontier(std::uint64_t count) override { frontier = count; }
  void SetStreamAndPreallocateMemory(void* s) override { stream = s; }
  bool HostAccessible() const override { return false; }
  int handle = 0, requests = 0, returns = 0;
  std::size_t requested = 0;
  std::uint64_t frontier = 0;
  void* stream = nullptr;
};
}  // namespace

TEST_CASE("the size found slowly is the tracked one where there is one") {
  Handles handles;
  void* const block = handles.AllocateRaw(64, 100, {});
  CHECK(handles.AllocatedSizeSlow(block) == 100);
  CHECK(handles.AllocatedSize(block) == 100);
  handles.DeallocateRaw(block, 64, 100);
}

TEST_CASE("tensors of no elements get handles from an allocator of handles, and only from one") {
  Handles handles;
  {
    const tenon::Tensor none(&handles, tenon::DataType::kFloat, {0, 3});
    CHECK(handles.requests == 1);
    CHECK(handles.requested == 0);
    CHECK(none.raw_data() == &handles.handle);
    CHECK(none.IsInitialized());
    const tenon::Tensor some(&handles, tenon::DataType::kFloat, {2});
    CHECK(handles.requested == 8);  // the header is elsewhere
  }
  CHECK(handles.returns == 2);
  CHECK(tenon::Tensor(tenon::CpuAllocator(), tenon::DataType::kFloat, {0}).buffer() == nullptr);
}

TEST_CASE("allocators on top of one pass on what it says of blocks, handles and streams") {
  Handles handles;
  tenon::LimitedAllocator limited(&handles, 1000, "limited");
  tenon::TrackingAllocator tracking(&handles);
  const tenon::Owned<tenon::CachingAllocator, tenon::CachingAllocator::Releaser> caching(
      tenon::CachingAllocator::Create(&handles));
  std::uint64_t frontier = 0;
  for (Allocator* const on_top : {static_cast<Allocator*>(&limited), static_cast<Allocator*>(&tracking),
                                  static_cast<Allocator*>(caching.get())}) {
    CHECK(on_top->AllocatesOpaqueHandle());
    CHECK_FALSE(on_top->HoldsHeaders());
    on_top->SetSafeFrontier(++frontier);
    CHECK(handles.frontier == frontier);
    on_top->SetStreamAndPreallocateMemory(&frontier);
    CHECK(handles.stream == &frontier);
    handles.stream = nullptr;
    void* const block = on_top->AllocateRaw(64, 128);
    CHECK(on_top->AllocatedSizeSlow(block) == 128);
    if (on_top->TracksAllocationSizes()) {
      CHECK(on_top->RequestedSize(block) == 128);
      CHECK(on_top->AllocatedSize(block) == 128);
      CHECK(on_top->AllocationId(block) > 0);
    }
    on_top->DeallocateRaw(block, 64, 128);
  }
  CHECK(limited.TracksAllocationSizes());
}

TEST_CASE("a BFCAllocator is told of its frontier through the interface") {
  tenon::SharedCounter counter;
  tenon::TrackingAllocator memory(tenon::CpuAllocator());
  tenon::BFCAllocator bfc(tenon::MakeOwned<tenon::BaseSubAllocator>(&memory), std::size_t{2} << 20, "bfc");
  bfc.SetTimingCounter(&counter);
  Allocator& base = bfc;
  counter.next();
  void* const a = Needed(base.AllocateRaw(64, 256));
  void* const b = Needed(base.AllocateRaw(64, 256));
  Needed(memory.num_failures() == 0 ? &memory : nullptr);  // a smaller region came where a larger one was refused
  base.DeallocateRaw(a, 64, 256);
  base.DeallocateRaw(b, 64, 256);
  CHECK(base.GetStats()->largest_free_block_bytes < std::int64_t{2} << 20);
  base.SetSafeFrontier(counter.next());
  void* const c = Needed(base.AllocateRaw(64, 1));  // joins what is safe first
  CHECK(bfc.FindDefect() == "");
  CHECK(base.GetStats()->largest_free_block_bytes == (std::int64_t{2} << 20) - 256);
  base.DeallocateRaw(c, 64, 1);
}

TEST_CASE("asking an allocator that does not track sizes for one is a mistake of the program") {
  const ChildResult child = RunInChild([] {
    NoMemory none;
    static_cast<void>(none.AllocatedSize(&none));
  });
  CHECK(child.aborted);
  CHECK(Contains(child.errors, "'none' does not track allocation sizes."));
}

TEST_CASE("allocations are retried by default") {
  const tenon::AllocationAttributes attributes;
  CHECK(attributes.retry_on_failure);
  CHECK_FALSE(attributes.allocation_will_be_logged);
}

TEST_CASE("attributes are bits that are only ever added") {
  AllocatorAttributes a;
  a.set_on_host(true);
  a.set_on_host(false);
  CHECK(a.on_host());
  a.set_gpu_compatible(true);
  CHECK(a.value == 5u);
  CHECK_FALSE(a.nic_compatible());
  a.set_nic_compatible(true);
  a.set_use_pjrt_allocator(true);
  CHECK(a.value == 15u);
  CHECK(a.use_pjrt_allocator());
  CHECK(a.DebugString() == "AllocatorAttributes(on_host=1 nic_compatible=1 gpu_compatible=1)");
  CHECK(AllocatorAttributes().DebugString() == "AllocatorAttributes(on_host=0 nic_compatible=0 gpu_compatible=0)");
}

TEST_CASE("fewer demands are less restrictive") {
  AllocatorAttributes a;
  AllocatorAttributes b;
  b.set_on_host(true);
  CHECK(a.IsEqualOrLessRestrictiveThan(b));
  CHECK_FALSE(b.IsEqualOrLessRestrictiveThan(a));
  CHECK(b.IsEqualOrLessRestrictiveThan(b));
  b.scope_id = 9;
  CHECK(a.IsEqualOrLessRestrictiveThan(b));
}

TEST_CASE("Merge takes the demands of both and the scope of either") {
  AllocatorAttributes a;
  a.set_on_host(true);
  AllocatorAttributes b;
  b.set_gpu_compatible(true);
  b.scope_id = 3;
  a.Merge(b);
  CHECK(a.value == 5u);
  CHECK(a.scope_id == 3);
  a.Merge(b);
  a.Merge(AllocatorAttributes());
  CHECK(a.scope_id == 3);
}

TEST_CASE("two different scopes cannot be merged") {
  const ChildResult child = RunInChild([] {
    AllocatorAttributes a;
    AllocatorAttributes b;
    a.scope_id = 1;
    b.scope_id = 2;
    a.Merge(b);
  });
  CHECK(child.aborted);
  CHECK(Contains(child.errors, "at most one scope_id may be set, got 1 and 2."));
}
}  // namespace allocator_test
