// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/planned/recording_plan.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <tenon/graph/builder.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/runtime/program/builder.hpp>
#include <tenon/tensor/tensor_util.hpp>

#include "runtime/graphs.hpp"
#include "runtime/recording_device.hpp"

namespace recording_plan_test {
using namespace tenon;
using namespace runtime_test;
using Plan = tenon::detail::RecordingPlan;

namespace {

struct Built {
  Graph graph;
  CpuDevice host{"/job:localhost/replica:0/task:0/device:CPU:0", CpuAllocator(), nullptr};
  RecordingDevice device;
  Owned<tenon::detail::KernelCache> kernels;
  Owned<Program> program;
  std::unique_ptr<Plan> plan;

  Plan::Kind KindOf(std::string_view name) const {
    for (std::size_t n = 0; n < program->nodes.size(); ++n)
      if (program->nodes[n].kind == ProgramNode::Kind::kKernel && program->nodes[n].node->name() == name)
        return plan->kind(static_cast<int>(n));
    FAIL("no node of this name");
    return Plan::Kind::kEach;
  }
};
std::unique_ptr<Built> Build(const GraphBuilder& b, const char* feed, const char* fetch, const char* target = nullptr) {
  auto built = std::make_unique<Built>();
  built->graph = *ImportGraphDef(GraphDef(b.graph_def()), Registry::Global().ops());
  built->kernels =
      MakeOwned<tenon::detail::KernelCache>(&built->graph, &Registry::Global(), &built->device, &built->host);
  tenon::detail::ProgramBuilder builder(built->graph, built->kernels.get(), &built->device, &built->host,
                                        {.plan_after_runs = 1, .record_steps = true});
  const InEdge in{built->graph.Find(feed)->id, 0}, out{built->graph.Find(fetch)->id, 0};
  const int wanted = target != nullptr ? built->graph.Find(target)->id : 0;
  built->program = *builder.Build({&in, 1}, {&out, 1}, Span<const int>(&wanted, target != nullptr ? 1 : 0));
  CHECK(built->program->records);
  built->plan = std::make_unique<Plan>(*built->program);
  return built;
}

}  // namespace

TEST_SUITE("RecordingPlan") {
  TEST_CASE("kernels of the device form one segment between the copies of the feeds and the fetches") {
    const auto b = Build(SmallGraph(), "x", "z");
    REQUIRE(b->plan->segments().size() == 1);
    CHECK(b->plan->num_recorded() == static_cast<int>(b->plan->segments()[0].nodes.size()));
    CHECK(b->plan->items().size() == 3);
    CHECK(b->plan->items()[0].segment < 0);
    CHECK(b->plan->items()[1].segment == 0);
    CHECK(b->plan->items()[2].segment < 0);
    CHECK(b->plan->segments()[0].expected.size() == 1);  // the feed's copy
  }
  TEST_CASE("a variable may keep what it is given, so nothing records its kernel") {
    GraphBuilder g;
    const Output x = g.Placeholder("x", DataType::kFloat, PartialTensorShape({-1}));
    const Output v = g.Add("VarHandleOp", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({-1})}});
    g.Add("AssignVariableOp", "assign", {v, g.Add("AddV2", "kept", {x, x})}, {{"dtype", DataType::kFloat}});
    g.Add("Square", "other", {x});
    const auto b = Build(g, "x", "other", "assign");
    CHECK(b->KindOf("kept") == Plan::Kind::kEach);
    CHECK(b->KindOf("assign") == Plan::Kind::kEach);
    CHECK(b->KindOf("other") == Plan::Kind::kRecorded);
  }
  TEST_CASE("random numbers differ from step to step") {
    GraphBuilder g;
    const Output x = g.Placeholder("x", DataType::kFloat, PartialTensorShape({3}));
    const Output shape = g.Const("shape", MakeTensor<std::int32_t>({1}, {3}));
    const Output random = g.Add("RandomUniform", "random", {shape}, {{"dtype", DataType::kFloat}});
    g.Add("AddV2", "y", {random, x});
    const auto b = Build(g, "x", "y");
    CHECK(b->KindOf("random") == Plan::Kind::kEach);
    CHECK(b->KindOf("y") == Plan::Kind::kRecorded);
  }
}

}  // namespace recording_plan_test
