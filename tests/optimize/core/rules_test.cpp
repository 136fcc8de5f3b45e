// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/core/rules.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace rules_test {
using namespace optimize_test;

namespace {

Refusal Never(const Match&) { return "because"; }
Refusal NotThis(const Match&) { return kNoMatch; }

constexpr Rule kRules[] = {
    {"never", "Exp(x)", "x", Never},
    {"not this", "Exp(x)", "x", NotThis},
    {"fast only", "Exp(x)", "Expm1(x)", nullptr, nullptr, OptimizerLevel::kFast},
    {"double", "Neg(Neg(x))", "x"},
    {"nested", "Sin(x)", "Mul(Cos(x), AddV2(x, 0.5))"},
    {"attrs", "Cos(x)", "LeakyRelu(x)"},
    {"no such op", "Tan(x)", "NoSuchOp(Sin(x))"},
};

std::string Apply(GraphBuilder& b, OptimizerLevel level, PassReport* report) {
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  const Graph source = *ImportGraphDef(GraphDef(b.graph_def()), Registry::Global().ops());
  OpInfoCache ops(Registry::Global().ops());
  GraphEnds ends{{EdgeOf(source, "x")}, {EdgeOf(source, "y")}, {}};
  IndexedGraph graph = *IndexedGraph::Make(source, ends, {}, &ops, nullptr);
  const PassLimits limits{.most_nodes = 100};
  const OptimizerOptions options{.level = level};
  PassRun run(&graph, options, limits, nullptr, report);
  ApplyRules(kRules, &run);
  const Result<Graph> out = graph.Finish(&ends);
  return out.ok() ? Text(out->ToGraphDef()) : out.status().ToString();
}

}  // namespace

TEST_SUITE("ApplyRules") {
  TEST_CASE("rules are tried again where one has changed something") {
    GraphBuilder b;
    Output at = b.Placeholder("x", DataType::kFloat, {2});
    for (int i = 0; i < 5; ++i) at = b.Add("Neg", StrCat("n", i), {at});
    b.Add("Abs", "y", {at});
    PassReport report;
    CHECK(Apply(b, OptimizerLevel::kExact, &report) == "n4 = Neg(x); x = Placeholder(); y = Abs(n4)");
    CHECK(report.applied() == 2);
  }

  TEST_CASE("guards refuse, levels keep rules away") {
    for (const OptimizerLevel level : {OptimizerLevel::kExact, OptimizerLevel::kFast}) {
      GraphBuilder b;
      b.Add("Exp", "y", {b.Placeholder("x", DataType::kFloat, {2})});
      PassReport report;
      CHECK(Apply(b, level, &report) ==
            StrCat("x = Placeholder(); y = ", level == OptimizerLevel::kFast ? "Expm1" : "Exp", "(x)"));
      CHECK(report.rules[0].rule == "never");
      CHECK(report.rules[0].refused == "because");
      CHECK(report.rules.size() == (level == OptimizerLevel::kFast ? 2 : 1));
    }
  }

  TEST_CASE("a result may have nodes in nodes, and a number") {
    GraphBuilder b;
    b.Add("Sin", "y", {b.Placeholder("x", DataType::kFloat, {2})});
    PassReport report;
    CHECK(Apply(b, OptimizerLevel::kExact, &report) ==
          "x = Placeholder(); y = Mul(y/opt_0, y/opt_2); y/opt_0 = LeakyRelu(x); y/opt_2 = AddV2(x, y/opt_1)");
  }

  TEST_CASE("a result that cannot be made changes nothing") {
    GraphBuilder b;
    b.Add("Tan", "y", {b.Placeholder("x", DataType::kFloat, {2})});
    PassReport report;
    CHECK(Apply(b, OptimizerLevel::kExact, &report) == "x = Placeholder(); y = Tan(x)");
    CHECK(report.rules[0].refused == "no kernel or other types");
  }
}

}  // namespace rules_test
