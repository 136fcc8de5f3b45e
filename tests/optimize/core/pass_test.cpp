// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/core/pass.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace pass_test {
using namespace optimize_test;

TEST_SUITE("PassRun") {
  TEST_CASE("it counts, and stops at a limit") {
    GraphBuilder b;
    b.Add("Neg", "y", {b.Placeholder("x", DataType::kFloat, {2})});
    const Graph source = *ImportGraphDef(GraphDef(b.graph_def()), Registry::Global().ops());
    OpInfoCache ops(Registry::Global().ops());
    const GraphEnds ends{{EdgeOf(source, "x")}, {EdgeOf(source, "y")}, {}};
    IndexedGraph graph = *IndexedGraph::Make(source, ends, {}, &ops, nullptr);
    PassReport report;
    PassLimits limits{.most_nodes = 2};
    const OptimizerOptions options{.level = OptimizerLevel::kExact, .choices = {{"a", "direct"}}};
    PassRun run(&graph, options, limits, nullptr, &report);
    CHECK(run.level() == OptimizerLevel::kExact);
    CHECK(run.Choose("a") == "direct");
    CHECK(run.Choose("b") == "size");
    CHECK(run.Choose("b") == "size");
    REQUIRE(report.choices.size() == 2);
    CHECK(report.choices[1].node == "b");
    CHECK(report.choices[1].algorithm == "size");
    CHECK(run.MayGoOn());
    run.Apply("rule");
    run.Refuse("rule", "fed");
    CHECK(run.applied() == 1);
    CHECK(report.applied() == 1);
    CHECK(report.rules.size() == 2);
    limits.most_nodes = 1;
    CHECK_FALSE(run.MayGoOn());
    CHECK(run.stopped() == "the graph grew too large");

    CancellationManager cancellation;
    const PassLimits cancelled{.most_nodes = 9, .cancellation = &cancellation};
    PassRun second(&graph, options, cancelled, nullptr, &report);
    cancellation.StartCancel();
    int steps = 0;
    while (second.MayGoOn() && steps < 10'000) ++steps;
    CHECK(second.stopped() == "cancelled");
    const PassLimits timed{.end_ns = 1, .most_nodes = 9};
    PassRun third(&graph, options, timed, nullptr, &report);
    for (steps = 0; third.MayGoOn() && steps < 10'000;) ++steps;
    CHECK(third.stopped() == "time is over");
    const PassLimits endless{.most_nodes = 9};
    PassRun fourth(&graph, options, endless, nullptr, &report);
    for (steps = 0; fourth.MayGoOn() && steps < 100'000;) ++steps;
    CHECK(fourth.stopped() == "too many steps");
  }
}

}  // namespace pass_test
