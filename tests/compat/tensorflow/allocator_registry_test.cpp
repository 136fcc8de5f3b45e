// SPDX-License-Identifier: Apache-2.0
// A program's own factories of allocators.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include <tenon/compat/tensorflow/allocator_registry.hpp>
#include <tenon/compat/tensorflow/base/pointer_table.hpp>

namespace compat_allocator_registry_test {
using namespace tensorflow;

class Shop : public Allocator {
 public:
  using Allocator::AllocateRaw;
  using Allocator::DeallocateRaw;
  using Allocator::Name;
  std::string Name() override { return "shop"; }
  void* AllocateRaw(std::size_t alignment, std::size_t num_bytes) override {
    return std::aligned_alloc(alignment, (num_bytes + alignment - 1) / alignment * alignment);
  }
  void DeallocateRaw(void* ptr) override { std::free(ptr); }
};
class Pieces : public SubAllocator {
 public:
  Pieces()
      : SubAllocator(
            {[](void*, int, std::size_t bytes) { seen.push_back(bytes); }},
            {[](void*, int, std::size_t) { seen.push_back(1); }, [](void*, int, std::size_t) { seen.push_back(2); }}) {}
  void* Alloc(std::size_t alignment, std::size_t bytes, std::size_t* received) override {
    void* const ptr = std::aligned_alloc(alignment, bytes);
    *received = bytes;
    VisitAlloc(ptr, 0, bytes);
    return ptr;
  }
  void Free(void* ptr, std::size_t bytes) override {
    VisitFree(ptr, 0, bytes);
    std::free(ptr);
  }
  bool SupportsCoalescing() const override { return true; }
  static inline std::vector<std::size_t> seen;
};
class ShopFactory : public AllocatorFactory {
 public:
  Allocator* CreateAllocator() override { return new Shop(); }
  SubAllocator* CreateSubAllocator(int) override { return new Pieces(); }
};
// Below the priority of the default one: the program's memory stays what it is.
REGISTER_MEM_ALLOCATOR("compat_allocator_registry_test", 7, ShopFactory());

TEST_SUITE("allocator_registry") {
  TEST_CASE("a registered factory makes the allocator of its name") {
    auto found = tenon::AllocatorRegistry::Global().GetAllocator("compat_allocator_registry_test");
    REQUIRE(found.ok());
    void* const block = (*found)->AllocateRaw(64, 100);
    REQUIRE(block != nullptr);
    (*found)->DeallocateRaw(block, 64, 100);
    CHECK(dynamic_cast<Shop*>(*found) != nullptr);
  }
  TEST_CASE("the best allocator is the default one") {
    Allocator* const best = AllocatorFactoryRegistry::singleton()->GetAllocator();
    CHECK(best == cpu_allocator());
    // Too late: allocators were asked for. Logged.
    AllocatorFactoryRegistry::singleton()->Register(__FILE__, __LINE__, "late", 1000, new ShopFactory());
    CHECK_FALSE(tenon::AllocatorRegistry::Global().GetAllocator("late").ok());
    CHECK(AllocatorFactoryRegistry::singleton()->GetSubAllocator(-1) != nullptr);
  }
  TEST_CASE("visitors see the pieces of a sub-allocator") {
    ShopFactory factory;
    CHECK_FALSE(factory.NumaEnabled());
    const std::unique_ptr<SubAllocator> pieces(factory.CreateSubAllocator(0));
    std::size_t received = 0;
    void* const piece = pieces->Alloc(64, 128, &received);
    pieces->Free(piece, received);
    CHECK(Pieces::seen == std::vector<std::size_t>{128, 2, 1});
  }
  TEST_CASE("a pointer table makes one object for each key") {
    internal::PointerTable table;
    int a = 0, b = 0, made = 0;
    static int* counter = nullptr;
    counter = &made;
    const auto make = [](void* key) -> void* { return ++*counter, key; };
    CHECK(table.Get(&a, make) == &a);
    CHECK(table.Get(&b, make) == &b);
    CHECK(table.Get(&a, make) == &a);
    CHECK(made == 2);
  }
}
}  // namespace compat_allocator_registry_test
