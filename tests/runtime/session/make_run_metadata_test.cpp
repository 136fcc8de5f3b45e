// SPDX-License-Identifier: Apache-2.0
// RunDescriber by itself; a session's metadata is in run_with_options_test.cpp.
#include <tenon/runtime/session/make_run_metadata.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/runtime/api/session.hpp>

#include "graph/function_graphs.hpp"
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
  TEST_CASE("what a trace has only sums of is one item a node, and counts in the cost") {
    FlowGraph g;
    g.Feed("x").Node("y", "AddV2", {"x", "x"});
    const auto built = BuildFlow(g, {"x"}, {"y"});
    const tenon::detail::RunDescriber describer(*built->program);
    RunTrace trace;
    NodeTotal total;
    total.name = "y";
    total.op = "AddV2";
    total.device = built->device.name();
    total.node = built->graph.Find("y");
    total.count = 5;
    total.total_ns = 7000;
    total.start_ns = 2000;
    total.end_ns = 90'000;
    total.output_bytes = 40;
    trace.folded.push_back(total);
    trace.num_dropped = 3;
    trace.dropped_ns = 500;
    const StepStats stats = describer.MakeStepStats(trace, 1'000'000);
    REQUIRE(stats.dev_stats.size() == 1);
    REQUIRE(stats.dev_stats[0].node_stats.size() == 2);
    const NodeExecStats& node = stats.dev_stats[0].node_stats[0];
    CHECK(node.node_name == "y");
    CHECK(node.all_start_micros == 1'000'002);
    CHECK(node.op_end_rel_nanos == 7000);
    CHECK(node.memory[0].total_bytes == 40);
    CHECK(node.timeline_label == "y = AddV2(_arg_x_0_0, _arg_x_0_0) (folded: 5 executions)");
    const NodeExecStats& dropped = stats.dev_stats[0].node_stats[1];
    CHECK(dropped.node_name == "_DROPPED");
    CHECK(dropped.op_end_rel_nanos == 500);
    CHECK(dropped.timeline_label == "_DROPPED = Dropped() (folded: 3 executions)");
    CHECK(describer.MakeCostGraph(trace).node[0].compute_cost == 7);
  }
  TEST_CASE("tells when a node was ready, the shape of its output and its memory") {
    FlowGraph g;
    g.Feed("x").Node("y", "AddV2", {"x", "x"});
    const auto built = BuildFlow(g, {"x"}, {"y"});
    RunTrace trace;
    NodeTiming timing;
    timing.name = "y";
    timing.op = "AddV2";
    timing.device = built->device.name();
    timing.node = built->graph.Find("y");
    timing.ready_ns = 1000;
    timing.start_ns = 4000;
    timing.end_ns = 9000;
    timing.output_bytes = 24;
    timing.temp_bytes = 8;
    timing.dtype = DataType::kFloat;
    timing.shape = {2, 3};
    trace.nodes.push_back(timing);
    timing.ready_ns = -1;
    trace.nodes.push_back(timing);
    const StepStats stats = tenon::detail::RunDescriber(*built->program, {}).MakeStepStats(trace, 1'000'000);
    const NodeExecStats& node = stats.dev_stats[0].node_stats[0];
    CHECK(node.scheduled_micros == 1'000'001);
    CHECK(node.scheduled_nanos == 1'000'001'000);
    CHECK(node.all_start_micros == 1'000'004);
    REQUIRE(node.output.size() == 1);
    CHECK(node.output[0].slot == 0);
    CHECK(node.output[0].tensor_description.dtype == DataType::kFloat);
    CHECK(StrCat(node.output[0].tensor_description.shape) == "[2,3]");
    CHECK(node.output[0].tensor_description.allocation_description.requested_bytes == 24);
    CHECK(node.memory[0].peak_bytes == 32);
    CHECK(node.memory[0].live_bytes == 24);
    CHECK(stats.dev_stats[0].node_stats[1].scheduled_micros == 1'000'004);
  }
  TEST_CASE("has the graphs of the functions that nodes call, and of those that these call, once each") {
    using function_test::Call;
    const AttrValue floats(SlimVector<DataType>{DataType::kFloat});
    const auto call = [&floats](std::string name, std::string input, std::string function) {
      return function_test::MakeNode(std::move(name), "PartitionedCall", {std::move(input)},
                                     {{"Tin", floats}, {"Tout", floats}, {"f", Call(std::move(function))}});
    };
    GraphDef graph;
    graph.versions.producer = kGraphDefVersion;
    graph.library.function = {
        function_test::Floats("outer", {"x"}, {call("c", "x", "inner")}, "c:output:0"),
        function_test::Floats("inner", {"x"},
                              {function_test::MakeNode("twice", "AddV2", {"x", "x"}, {{"T", DataType::kFloat}})},
                              "twice:z:0"),
        function_test::Floats("unused", {"x"}, {call("c", "x", "inner")}, "c:output:0")};
    graph.node = {function_test::MakeNode("x", "Placeholder", {}, {{"dtype", DataType::kFloat}}),
                  call("a", "x", "outer"), call("b", "a", "outer"), call("c", "x", "unused")};
    const auto session = Session::FromGraphDef(graph, {});
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    RunOptions options;
    options.output_partition_graphs = true;
    RunMetadata metadata;
    const std::vector<NamedTensor> feeds{{"x", Tensor::Scalar(3.0f)}};
    const std::vector<std::string> fetches{"b"};
    const auto out = session->Run(feeds, fetches, {}, options, &metadata);
    REQUIRE_MESSAGE(out.ok(), out.status().ToString());
    CHECK((*out)[0].scalar<float>()() == 12);
    REQUIRE(metadata.function_graphs.size() == 2);
    const auto has = [&metadata](std::size_t i, std::string_view name) {
      for (const NodeDef& node : metadata.function_graphs[i].pre_optimization_graph.node)
        if (node.name == name) return true;
      return false;
    };
    CHECK(has(0, "c"));
    CHECK(has(1, "twice"));
    CHECK(metadata.function_graphs[1].partition_graphs.size() == 1);
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
