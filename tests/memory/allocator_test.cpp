// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/allocator.hpp>

#include <doctest/doctest.h>

#include <base/child_process.hpp>

namespace allocator_test {
using tenon::Allocator;
using tenon::AllocatorAttributes;

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
