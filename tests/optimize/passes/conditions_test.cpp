// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/conditions.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace conditions_test {
using namespace optimize_test;

namespace {

struct Fixture {
  Fixture(GraphDef def, const RunEnds& run) {
    source = *ImportGraphDef(std::move(def), Registry::Global().ops());
    GraphEnds ends;
    for (const std::string& name : run.feeds) ends.feeds.push_back(EdgeOf(source, name));
    for (const std::string& name : run.fetches) ends.fetches.push_back(EdgeOf(source, name));
    graph = MakeOwned<IndexedGraph>(*IndexedGraph::Make(source, ends, {}, &ops, nullptr));
    conditions = MakeOwned<Conditions>(*graph);
  }
  int Id(std::string_view name) const {
    for (int id = 0; id < graph->num_nodes(); ++id)
      if (graph->node(id).name() == name) return id;
    return -1;
  }
  int Of(std::string_view name) const { return conditions->of_node(Id(name)); }
  Graph source;
  OpInfoCache ops{Registry::Global().ops()};
  Owned<IndexedGraph> graph;
  Owned<Conditions> conditions;
};

}  // namespace

TEST_SUITE("Conditions") {
  TEST_CASE("nodes of one side of one predicate have one condition, and a Merge ends it") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2}), p = b.Placeholder("p", DataType::kBool, {}),
                 q = b.Placeholder("q", DataType::kBool, {});
    const Output s = b.Add("Switch", "s", {x, p}), t = b.Add("Switch", "t", {b.Add("Neg", "n", {x}), p});
    const Output a = b.Add("Exp", "a", {s[1]}), other = b.Add("Exp", "other", {s});
    const Output both = b.Add("AddV2", "both", {a, b.Add("Sin", "c", {t[1]})});
    const Output inner = b.Add("Switch", "inner", {a, q});
    const Output deep = b.Add("Neg", "deep", {inner[1]});
    const Output joined = b.Add("Merge", "joined", {GraphBuilder::Input({deep, b.Add("Abs", "shallow", {inner})})});
    b.Add("Merge", "m", {GraphBuilder::Input({other, b.Add("AddV2", "z", {both, joined})})});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    Fixture f(b.graph_def(), {{"x", "p", "q"}, {"m"}});
    CHECK(f.Of("n") == Conditions::kAlways);
    CHECK(f.Of("s") == Conditions::kAlways);
    CHECK(f.Of("a") != Conditions::kAlways);
    CHECK(f.Of("a") == f.Of("c"));
    CHECK(f.Of("a") == f.Of("both"));
    CHECK(f.Of("a") != f.Of("other"));
    CHECK(f.Of("joined") == f.Of("a"));
    CHECK(f.Of("m") == Conditions::kAlways);
    CHECK(f.conditions->Implies(f.Of("deep"), f.Of("a")));
    CHECK(f.conditions->Implies(f.Of("deep"), Conditions::kAlways));
    CHECK_FALSE(f.conditions->Implies(f.Of("a"), f.Of("deep")));
    CHECK_FALSE(f.conditions->Implies(f.Of("a"), f.Of("other")));
  }

  TEST_CASE("each branch of a Case has a condition") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2}), i = b.Placeholder("i", DataType::kInt32, {});
    const Output s = b.Add("_SwitchN", "s", {x, i}, {{"num_outs", 3}});
    b.Add("Merge", "m",
          {GraphBuilder::Input({b.Add("Exp", "u", {s}), b.Add("Exp", "v", {s[1]}), b.Add("Exp", "w", {s[2]})})});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    Fixture f(b.graph_def(), {{"x", "i"}, {"m"}});
    CHECK(f.Of("u") != Conditions::kAlways);
    CHECK(f.Of("u") != f.Of("v"));
    CHECK(f.Of("v") != f.Of("w"));
  }

  TEST_CASE("the body of a loop has one condition; what follows the loop another") {
    GraphBuilder b;
    const Output out =
        Loop(b, b.Placeholder("x", DataType::kFloat, {2}), [&](Output v, Output) { return b.Add("Neg", "n", {v}); });
    b.Add("Neg", "y", {out});
    Fixture f(CloseLoop(b.graph_def()), {{"x"}, {"y"}});
    CHECK(f.Of("loop/x") == Conditions::kAlways);
    CHECK(f.Of("n") == f.Of("loop/add"));
    CHECK(f.Of("n") != Conditions::kAlways);
    CHECK(f.Of("y") != Conditions::kAlways);
  }

  TEST_CASE("effects spread to all that follows") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2});
    const Output p = b.Add("Print", "p", {x, GraphBuilder::Input(SlimVector<Output>{x})}), n = b.Add("Neg", "n", {p});
    const Output e = b.Add("Exp", "e", {x}), check = b.Add("CheckNumerics", "check", {x}, {{"message", "no"}});
    b.AddControlInput(e, n);
    b.Add("AddN", "y", {GraphBuilder::Input({e, b.Add("Sin", "s", {x}), check})});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    Fixture f(b.graph_def(), {{"x"}, {"y"}});
    for (const char* name : {"p", "n", "e", "check", "y"}) CHECK(f.conditions->has_effects(f.Id(name)));
    for (const char* name : {"x", "s"}) CHECK_FALSE(f.conditions->has_effects(f.Id(name)));
  }
}

}  // namespace conditions_test
