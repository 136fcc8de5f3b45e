// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/control_flow/while_pattern_run.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <tenon/runtime/control_flow/frame_plan.hpp>
#include <tenon/runtime/executor/step.hpp>

#include "runtime/flow_program.hpp"
#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace simple_loop_run_test {
using namespace runtime_test;
using tenon::detail::FramePlan;
using tenon::detail::SimpleLoopRun;
using tenon::detail::SimpleLoopRuns;

TEST_SUITE("SimpleLoopRun") {
  TEST_CASE("runs until the condition no longer holds, as often as it is asked to") {
    FlowGraph g(DataType::kInt32);
    g.Feed("limit").Count("", "limit");
    const auto built = BuildFlow(g, {"limit"}, {"exit"});
    const FramePlan plan = tenon::detail::MakeFramePlan(*built->program);
    Step step(*built->program);
    SimpleLoopRuns runs(*built->program, plan, &step);
    SimpleLoopRun* const run = runs.Find(1);
    REQUIRE(run != nullptr);
    CHECK(runs.Find(1) == run);
    REQUIRE(run->loop().num_variables() == 2);
    std::vector<int> variables;
    for (const auto& enter : run->loop().enters) {
      CHECK(run->VariableOf(enter.program_node) == enter.variable);
      variables.push_back(enter.variable);
    }
    CHECK(variables[0] + variables[1] == 1);  // each has its own

    step.cache()->SetOwnerThread();
    for (const std::int32_t limit : {5, 0, 1000, 5}) {
      std::vector<Tensor> values{Tensor::Scalar(std::int32_t{0}), Tensor::Scalar(limit)};
      const Status status = run->Run(step.environment(true), {values.data(), values.size()});
      REQUIRE_MESSAGE(status.ok(), status.message());
      CHECK(values[0].scalar<std::int32_t>()() == limit);
      CHECK(values[1].scalar<std::int32_t>()() == limit);
    }
    step.cache()->ClearOwnerThread();
  }
  TEST_CASE("a frame that is no simple loop has none, also when it is asked again") {
    FlowGraph g(DataType::kInt32);
    g.Feed("limit").Count("", "limit");
    for (NodeDef& node : g.def.node)
      if (node.name == "add") node.input[1] = "merge:1";
    const auto built = BuildFlow(g, {"limit"}, {"exit"});
    const FramePlan plan = tenon::detail::MakeFramePlan(*built->program);
    Step step(*built->program);
    SimpleLoopRuns runs(*built->program, plan, &step);
    CHECK(runs.Find(1) == nullptr);
    CHECK(runs.Find(1) == nullptr);
  }
}
}  // namespace simple_loop_run_test
