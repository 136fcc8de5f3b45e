// SPDX-License-Identifier: Apache-2.0
#include <tenon/kernel/step_container.hpp>

#include <doctest/doctest.h>

#include <string>

namespace step_container_test {
namespace {

using namespace tenon;

struct Box : Resource {
  static constexpr std::string_view kTypeName = "test::Box";
  std::string DebugString() const override { return "a box"; }
};

}  // namespace

TEST_CASE("StepContainer: its resources go with it, those of another run stay") {
  ResourceMgr resources;
  Ref<Box> box;
  {
    StepContainer other(&resources, 8);
    REQUIRE(other.Create("a", Ref<Box>::Adopt(new Box)).ok());
    {
      StepContainer container(&resources, 7);
      CHECK(container.name() == "__per_step_7");
      CHECK(container.Lookup("a", &box).code() == Code::kNotFound);
      REQUIRE(container.Create("a", Ref<Box>::Adopt(new Box)).ok());
      CHECK(container.Lookup("a", &box).ok());
      CHECK(resources.Lookup("__per_step_7", "a", &box).ok());
      CHECK(container.Delete<Box>("a").ok());
      REQUIRE(container
                  .LookupOrCreate("b", &box,
                                  [](Ref<Box>* to) {
                                    *to = Ref<Box>::Adopt(new Box);
                                    return OkStatus();
                                  })
                  .ok());
    }
    CHECK(resources.Lookup("__per_step_7", "b", &box).code() == Code::kNotFound);
    CHECK(other.Lookup("a", &box).ok());
  }
  CHECK(resources.Lookup("__per_step_8", "a", &box).code() == Code::kNotFound);
}

TEST_CASE("StepContainer: what a run wants to keep is kept by one function") {
  ResourceMgr resources;
  StepContainer container(&resources, 9);
  CHECK_FALSE(container.keeps_fetched());
  container.OnSuccess([](StepContainer* c, Span<const std::string_view> fetched) {
    return c->Create(fetched[0], Ref<Box>::Adopt(new Box));
  });
  CHECK(container.keeps_fetched());
  const std::string_view names[] = {"x:0"};
  CHECK(container.KeepFetched(names).ok());
  Ref<Box> box;
  CHECK(container.Lookup("x:0", &box).ok());
}
}  // namespace step_container_test
