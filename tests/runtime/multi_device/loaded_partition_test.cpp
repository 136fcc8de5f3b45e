// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/multi_device/loaded_partition.hpp>

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>
#include "runtime/four_devices.hpp"
#include "runtime/split_graph.hpp"

namespace loaded_part_test {
using namespace tenon;
using namespace runtime_test;

namespace {

struct Thing final : Resource {
  static constexpr std::string_view kTypeName = "MdThing";
  std::string DebugString() const override { return "thing"; }
};

}  // namespace

TEST_SUITE("The parts of a PartitionedGraph") {
  TEST_CASE("every device has resources of its own, which can be cleared") {
    const auto graph = *Load(SplitChain());
    CHECK(graph->resources("SIM:7") == nullptr);
    REQUIRE(graph->resources("SIM:0") != nullptr);
    CHECK(graph->resources("SIM:0") != graph->resources("SIM:1"));
    REQUIRE(graph->resources("SIM:0")->Create("localhost", "t", Ref<Thing>::Adopt(new Thing)).ok());
    Ref<Thing> found;
    CHECK(graph->resources("SIM:0")->Lookup<Thing>("localhost", "t", &found).ok());
    CHECK(graph->resources("SIM:1")->Lookup<Thing>("localhost", "t", &found).code() == Code::kNotFound);
    CHECK(graph->ClearContainers({}).ok());
    CHECK(graph->resources("SIM:0")->Lookup<Thing>("localhost", "t", &found).code() == Code::kNotFound);
  }
}
}  // namespace loaded_part_test
