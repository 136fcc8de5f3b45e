// SPDX-License-Identifier: Apache-2.0
// RunDescriber by itself; a session's metadata is in run_with_options_test.cpp.
#include <tenon/runtime/session/make_run_metadata.hpp>

#include <doctest/doctest.h>

#include <string>

#include "runtime/flow_program.hpp"

namespace describe_run_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("RunDescriber") {
  TEST_CASE("names nodes, their inputs and their times") {
    FlowGraph g;
    g.Feed("x").Node("y", "AddV2", {"x", "x"}).Node("unused", "Mul", {"y", "y"});
    const auto built = BuildFlow(g, {"x"}, {"y"});
    const tenon::detail::RunDescriber describer(*built->program);
    RunTrace trace;
    NodeTiming timing;
    timing.name = "y";
    timing.op = "AddV2";
    timing.node = built->graph.Find("y");
    timing.device = built->device.name();
    timing.start_ns = 1500;
    timing.end_ns = 4600;
    timing.thread = 2;
    timing.temp_bytes = 96;
    timing.persistent_bytes = 8;
    trace.nodes.push_back(timing);
    const StepStats stats = describer.MakeStepStats(trace, 1'000'000);
    REQUIRE(stats.dev_stats.size() == 1);
    const NodeExecStats& node = stats.dev_stats[0].node_stats[0];
    CHECK(node.all_start_micros == 1'000'001);
    CHECK(node.all_start_nanos == 1'000'001'500);
    CHECK(node.op_end_rel_micros == 4);
    CHECK(node.op_end_rel_nanos == 3100);
    CHECK(node.thread_id == 2);
    CHECK(node.memory_stats == MemoryStats{96, 8});
    CHECK(node.timeline_label == "y = AddV2(_arg_x_0_0, _arg_x_0_0)");
    const CostGraphDef cost = describer.MakeCostGraph(trace);
    REQUIRE(cost.node.size() == 1);
    CHECK(cost.node[0].compute_cost == 3);
    CHECK(cost.node[0].is_final);
    const SlimVector<GraphDef> graphs = describer.MakePartitionGraphs();
    REQUIRE(graphs.size() == 1);
    CHECK(graphs[0].node.size() == 3);
    CHECK(graphs[0].node[2].op == "_Retval");
  }
  TEST_CASE("lists the largest tensors of a step") {
    FlowGraph g;
    g.Feed("x").Node("y", "AddV2", {"x", "x"});
    const auto built = BuildFlow(g, {"x"}, {"y"});
    Step step(*built->program);
    step.value(built->program->feeds[0].value) = Tensor::Zeros<float>({10});
    step.value(built->program->fetches[0].value) = Tensor::Zeros<float>({1000});
    const std::string text = tenon::detail::ListLiveTensors(*built->program, &step);
    CHECK(text.find("4000 bytes from y:0/AddV2 (float[1000])") != std::string::npos);
    CHECK(text.find("Remaining 1 values with 40 bytes") != std::string::npos);
  }
}
}  // namespace describe_run_test
