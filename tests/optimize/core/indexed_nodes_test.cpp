// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/core/indexed_nodes.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace indexed_nodes_test {
using namespace optimize_test;

namespace {

// a -> b -> c, a -> d, fetched: c; d waits for b.
struct Fixture {
  Fixture() {
    GraphBuilder builder;
    const Output x = builder.Placeholder("x", DataType::kFloat, {2}), a_ = builder.Add("Neg", "a", {x});
    const Output b_ = builder.Add("Neg", "b", {a_}), d_ = builder.Add("Exp", "d", {a_});
    builder.AddControlInput(d_, b_);
    builder.Add("AddV2", "c", {b_, d_});
    source = *ImportGraphDef(GraphDef(builder.graph_def()), Registry::Global().ops());
    const GraphEnds ends{{EdgeOf(source, "x")}, {EdgeOf(source, "c")}, {}};
    graph = MakeOwned<IndexedGraph>(*IndexedGraph::Make(source, ends, {}, &ops, nullptr));
    for (int id = 0; id < graph->num_nodes(); ++id)
      for (int* at : {&a, &b, &c, &d})
        if (graph->node(id).name() == (at == &a ? "a" : at == &b ? "b" : at == &c ? "c" : "d")) *at = id;
  }
  int Readers(int id) {
    int count = 0;
    graph->ForEachReader(id, [&](const OutEdge&) { ++count; });
    return count;
  }
  Graph source;
  OpInfoCache ops{Registry::Global().ops()};
  Owned<IndexedGraph> graph;
  int a = -1, b = -1, c = -1, d = -1;
};

}  // namespace

TEST_SUITE("IndexedNodes") {
  TEST_CASE("readers and waiting nodes are counted") {
    Fixture f;
    CHECK(f.graph->num_alive() == 5);
    CHECK(f.graph->num_readers(f.a) == 2);
    CHECK(f.graph->num_readers(f.b) == 1);
    CHECK(f.graph->num_waiting(f.b) == 1);
    CHECK(f.Readers(f.b) == 2);
    CHECK(f.graph->is_named(f.c));
    CHECK_FALSE(f.graph->is_pinned(f.a));
    CHECK(f.graph->type({f.a, 0}) == DataType::kFloat);
    CHECK(f.graph->shape({f.a, 0}).DebugString() == "[2]");
  }

  TEST_CASE("inputs move, and what nothing needs goes at once") {
    Fixture f;
    f.graph->SetInput(f.c, 0, {f.a, 0});
    CHECK(f.graph->num_readers(f.b) == 0);
    CHECK(f.graph->is_alive(f.b));  // d waits for it
    f.graph->RemoveControl(f.b, f.d);
    CHECK_FALSE(f.graph->is_alive(f.b));
    CHECK(f.graph->num_readers(f.a) == 2);
    CHECK(f.Readers(f.a) == 2);
    f.graph->Redirect({f.d, 0}, {f.a, 0});
    CHECK_FALSE(f.graph->is_alive(f.d));
    CHECK(f.graph->node(f.c).inputs[1] == InEdge{f.a, 0});
    CHECK(f.graph->num_alive() == 3);
  }

  TEST_CASE("control edges are each once, and move together") {
    Fixture f;
    f.graph->AddControl(f.b, f.d);
    CHECK(f.graph->num_waiting(f.b) == 1);
    f.graph->RedirectControl(f.b, f.a);
    CHECK(f.graph->num_waiting(f.b) == 0);
    CHECK(f.graph->num_waiting(f.a) == 1);
    CHECK(f.graph->node(f.d).control_inputs[0] == f.a);
  }

  TEST_CASE("Order: every node after those that it needs") {
    Fixture f;
    SlimVector<int> place(static_cast<std::size_t>(f.graph->num_nodes()), -1);
    const SlimVector<int> order = f.graph->Order();
    CHECK(order.size() == 5);
    for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = static_cast<int>(i);
    const auto at = [&](int id) { return place[static_cast<std::size_t>(id)]; };
    CHECK(at(f.a) < at(f.b));
    CHECK(at(f.b) < at(f.d));
    CHECK(at(f.d) < at(f.c));
  }

  TEST_CASE("a node that never runs is removed whatever it does") {
    Fixture f;
    f.graph->RemoveDead(f.c);
    f.graph->SweepUnused();
    CHECK(f.graph->num_alive() == 1);  // the fed placeholder
  }
}

}  // namespace indexed_nodes_test
