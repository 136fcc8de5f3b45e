// SPDX-License-Identifier: Apache-2.0
#include <tenon/memory/allocator_registry.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <base/child_process.hpp>
#include <tenon/memory/tracking_allocator.hpp>

namespace allocator_registry_test {
using tenon::Allocator;
using tenon::AllocatorFactory;
using tenon::AllocatorRegistration;
using tenon::AllocatorRegistry;
using tenon::BaseSubAllocator;
using tenon::CpuAllocator;
using tenon::MakeOwned;
using tenon::Owned;
using tenon::SubAllocator;
using tenon::TrackingAllocator;

namespace {

struct Calls {
  int allocators = 0;
  std::vector<int> nodes;
};

class Factory final : public AllocatorFactory {
 public:
  explicit Factory(Calls* calls = nullptr, bool numa = false)
      : calls_(calls), numa_(numa), allocator_(CpuAllocator()) {}
  bool NumaEnabled() const override { return numa_; }
  Allocator* CreateAllocator() override {
    if (calls_ != nullptr) ++calls_->allocators;
    return &allocator_;
  }
  Owned<SubAllocator> CreateSubAllocator(int node) override {
    if (calls_ != nullptr) calls_->nodes.push_back(node);
    return MakeOwned<BaseSubAllocator>(&allocator_, node);
  }
  Allocator* allocator() { return &allocator_; }

 private:
  Calls* const calls_;
  const bool numa_;
  TrackingAllocator allocator_;
};

Calls static_calls;
const AllocatorRegistration registration("of a static object", 7, MakeOwned<Factory>(&static_calls));

}  // namespace

TEST_SUITE("AllocatorRegistry") {
  TEST_CASE("the processor's memory is there from the beginning") {
    AllocatorRegistry registry;
    CHECK(registry.GetAllocator() == CpuAllocator());
    CHECK(*registry.GetAllocator("DefaultCPUAllocator") == CpuAllocator());
    CHECK(registry.GetSubAllocator(-1) != nullptr);
  }
  TEST_CASE("the highest priority wins, of equal ones the first") {
    Calls low, high, later;
    AllocatorRegistry registry;
    auto owned = MakeOwned<Factory>(&high);
    Allocator* const expected = owned->allocator();
    REQUIRE(registry.Register("low", 99, MakeOwned<Factory>(&low)).ok());
    REQUIRE(registry.Register("high", 200, std::move(owned)).ok());
    REQUIRE(registry.Register("later", 200, MakeOwned<Factory>(&later)).ok());
    CHECK(registry.GetAllocator() == expected);
    CHECK(registry.GetAllocator() == expected);
    CHECK(high.allocators == 1);
    CHECK(low.allocators == 0);
    CHECK(later.allocators == 0);
    CHECK(registry.GetAllocator("low").ok());
    CHECK(low.allocators == 1);
    const tenon::Status s = registry.GetAllocator("none").status();
    CHECK(s.code() == tenon::Code::kNotFound);
    CHECK(s.message() ==
          "AllocatorRegistry: there is no allocator 'none'; there are: DefaultCPUAllocator, low, high, later");
  }
  TEST_CASE("a name may have several priorities, each once") {
    AllocatorRegistry registry;
    CHECK(registry.Register("a", 1, MakeOwned<Factory>()).ok());
    CHECK(registry.Register("a", 2, MakeOwned<Factory>()).ok());
    const tenon::Status s = registry.Register("a", 1, MakeOwned<Factory>());
    CHECK(s.code() == tenon::Code::kAlreadyExists);
    CHECK(s.message() == "AllocatorRegistry: there is an allocator 'a' of priority 1 already");
    CHECK(registry.Register("b", -1, MakeOwned<Factory>()).code() == tenon::Code::kInvalidArgument);
    CHECK(registry.Register("b", 1, nullptr).code() == tenon::Code::kInvalidArgument);
  }
  TEST_CASE("nothing is registered after somebody has asked") {
    AllocatorRegistry registry;
    registry.GetAllocator();
    CHECK(registry.Register("late", 1, MakeOwned<Factory>()).code() == tenon::Code::kFailedPrecondition);
    AllocatorRegistry other;
    other.GetSubAllocator(0);
    CHECK(other.Register("late", 1, MakeOwned<Factory>()).code() == tenon::Code::kFailedPrecondition);
  }
  TEST_CASE("sub-allocators come from who knows of nodes, one for each") {
    Calls best, numa;
    AllocatorRegistry registry;
    REQUIRE(registry.Register("best", 300, MakeOwned<Factory>(&best)).ok());
    REQUIRE(registry.Register("numa", 1, MakeOwned<Factory>(&numa, true)).ok());
    SubAllocator* const second = registry.GetSubAllocator(1);
    CHECK(registry.GetSubAllocator(1) == second);
    CHECK(registry.GetSubAllocator(0) != second);
    CHECK(registry.GetSubAllocator(-1) != second);
    CHECK(numa.nodes == std::vector<int>{1, 0, -1});
    CHECK(best.nodes.empty());
  }
  TEST_CASE("static objects register with the process's") {
    CHECK(AllocatorRegistry::Global().GetAllocator("of a static object").ok());
    CHECK(static_calls.allocators == 1);
    CHECK(AllocatorRegistry::Global().GetAllocator() == CpuAllocator());
    const ChildResult child = RunInChild([] { AllocatorRegistration("late", 1, MakeOwned<Factory>()); });
    CHECK(child.aborted);
    CHECK(Contains(child.errors, "must be registered before the first call of GetAllocator()"));
  }
  TEST_CASE("threads that ask at once get the same one") {
    Calls calls;
    AllocatorRegistry registry;
    REQUIRE(registry.Register("a", 200, MakeOwned<Factory>(&calls)).ok());
    std::vector<Allocator*> got(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < got.size(); ++t) {
      threads.emplace_back([&registry, &got, t] { got[t] = registry.GetAllocator(); });
    }
    for (std::thread& thread : threads) thread.join();
    for (Allocator* a : got) CHECK(a == got[0]);
    CHECK(calls.allocators == 1);
  }
}
}  // namespace allocator_registry_test
