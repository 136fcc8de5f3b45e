// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/algorithms.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/str.hpp>
#include <tenon/kernel/cancellation.hpp>
#include <tenon/graph/import.hpp>

#include "import_graph.hpp"
#include "test_ops.hpp"

namespace algorithms_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
std::vector<std::string> Names(const Graph& graph, const SlimVector<char>& mask) {
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) {
    if (mask[static_cast<std::size_t>(node.id)] != 0) names.push_back(node.name());
  }
  return names;
}
struct Wanted {
  Wanted(const Graph& graph, const std::vector<std::string_view>& roots, const std::vector<TensorName>& names) {
    std::vector<int> ids;
    for (const std::string_view name : roots) ids.push_back(graph.Find(name)->id);
    for (const TensorName& name : names) fed.push_back({graph.Find(name.node)->id, name.output});
    run = NodesToRun(graph, ids, fed);
  }
  std::vector<InEdge> fed;
  SlimVector<char> run;
};
std::vector<std::string> Run(const Graph& graph, const std::vector<std::string_view>& roots,
                             const std::vector<TensorName>& fed = {}) {
  return Names(graph, Wanted(graph, roots, fed).run);
}
using Strings = std::vector<std::string>;
// The same in the order in which they may run; empty when there is none.
Strings Ordered(const Graph& graph, const std::vector<std::string_view>& roots,
                const std::vector<TensorName>& fed = {}) {
  const Wanted wanted(graph, roots, fed);
  const auto order = OrderToRun(graph, wanted.run, wanted.fed);
  CHECK((order.ok() || order.status().code() == Code::kInvalidArgument));
  Strings names;
  if (order.ok())
    for (const int id : *order) names.push_back(graph.node(id).name());
  return names;
}

// x -> a -> b;  c waits for x and a;  two outputs of `pair` come from x and a.
Graph Small() {
  return Import(MakeGraph(
      {MakeInput("x"), MakeFloat("a", "Neg", {"x"}), MakeFloat("b", "Neg", {"a"}),
       MakeNode("pair", "IdentityN", {"x", "a"}, {{"T", AttrValue(std::vector{DataType::kFloat, DataType::kFloat})}}),
       MakeFloat("left", "Neg", {"pair:0"}), MakeFloat("right", "Neg", {"pair:1"}),
       MakeNode("c", "NoOp", {"^a", "^x"})}));
}
}  // namespace

TEST_SUITE("graph algorithms") {
  TEST_CASE("a run needs what its roots depend on") {
    const Graph graph = Small();
    CHECK(Run(graph, {"b"}) == Strings{"x", "a", "b"});
    CHECK(Run(graph, {"c"}) == Strings{"x", "a", "c"});
    CHECK(Run(graph, {"left"}) == Strings{"x", "a", "pair", "left"});
    CHECK(Run(graph, {}) == Strings{});
  }
  TEST_CASE("a run that was cancelled is not ordered to its end") {
    const Graph graph = Small();
    const Wanted wanted(graph, {"b"}, {});
    const int b = graph.Find("b")->id;
    CancellationManager cancellation;
    CHECK(NodesToRun(graph, {&b, 1}, {}, &cancellation) == wanted.run);
    CHECK(OrderToRun(graph, wanted.run, {}, &cancellation)->size() == 3);
    cancellation.StartCancel();
    CHECK(NodesToRun(graph, {&b, 1}, {}, &cancellation)[0] != 0);  // it looks at every 1,024th node
    CHECK(OrderToRun(graph, wanted.run, {}, &cancellation)->empty());
    GraphDef def = MakeGraph({MakeInput("n0")});
    for (int i = 1; i <= 2000; ++i) def.node.push_back(MakeFloat(StrCat("n", i), "Neg", {StrCat("n", i - 1)}));
    const Graph chain = Import(def);
    const int last = chain.num_nodes() - 1;
    CHECK(NodesToRun(chain, {&last, 1}, {})[0] == 1);
    CHECK(NodesToRun(chain, {&last, 1}, {}, &cancellation)[0] == 0);
  }
  TEST_CASE("a fed output cuts what is behind it") {
    const Graph graph = Small();
    CHECK(Run(graph, {"b"}, {{"a", 0}}) == Strings{"b"});
    CHECK(Run(graph, {"left"}, {{"pair", 0}}) == Strings{"left"});
    CHECK(Run(graph, {"left", "right"}, {{"pair", 0}}) == Strings{"x", "a", "pair", "left", "right"});
  }
  TEST_CASE("something that waits for a fed node still runs it, unless it is a placeholder") {
    const Graph graph = Small();
    CHECK(Run(graph, {"c"}, {{"a", 0}}) == Strings{"x", "a", "c"});
    CHECK(Run(graph, {"c"}, {{"x", 0}}) == Strings{"a", "c"});
  }
  TEST_CASE("a run finds what it needs in whatever order the nodes lie") {
    // c reads a, which reads d, which reads b and e; e waits for x; d's input b waits for c (a cycle); f is another's.
    Graph graph;
    const std::vector<DataType> none, one{DataType::kFloat}, two{DataType::kFloat, DataType::kFloat};
    for (const char* name : {"a", "b", "c", "d", "e", "f", "x"}) {
      const auto& inputs = *name == 'd' ? two : *name == 'x' ? none : one;
      REQUIRE(graph.AddNode(MakeNode(name, "Neg"), &ops::kNeg, inputs, one).ok());
    }
    REQUIRE(graph.AddEdge(3, 0, 0, 0).ok());
    REQUIRE(graph.AddEdge(0, 0, 2, 0).ok());
    REQUIRE(graph.AddEdge(1, 0, 3, 0).ok());
    REQUIRE(graph.AddEdge(4, 0, 3, 1).ok());
    graph.AddControlEdge(6, 4);
    graph.AddControlEdge(2, 1);
    CHECK(Run(graph, {"c"}) == Strings{"a", "b", "c", "d", "e", "x"});
    CHECK(Run(graph, {"a"}, {{"d", 0}}) == Strings{"a"});
    CHECK(Run(graph, {"a"}, {{"e", 0}}) == Strings{"a", "b", "c", "d"});
    CHECK(Run(graph, {"e", "f"}) == Strings{"e", "f", "x"});
    // In order, where feeds leave no cycle.
    CHECK(Ordered(graph, {"c"}).empty());
    CHECK(Ordered(graph, {"a"}, {{"d", 0}}) == Strings{"a"});
    CHECK(Ordered(graph, {"e", "f"}) == Strings{"f", "x", "e"});
    CHECK(Ordered(graph, {"d"}, {{"a", 0}}) == Strings{"c", "b", "x", "e", "d"});
  }
  TEST_CASE("a value that assignments alone read is told from one that another node reads, too") {
    Graph graph;
    const std::vector<DataType> one{DataType::kFloat};
    for (const char* name : {"a", "b", "assign_b", "c", "d", "assign_c", "e"})
      REQUIRE(
          graph.AddNode(MakeNode(name, *name == 'a' && name[1] != 0 ? "AssignVariableOp" : "Neg"), &ops::kNeg, one, one)
              .ok());
    for (const auto& [src, dst] : {std::pair{0, 1}, {1, 2}, {3, 4}, {3, 5}})
      REQUIRE(graph.AddEdge(src, 0, dst, 0).ok());
    const auto names = [&graph](const std::vector<int>& order) {
      const auto node_of = [&graph](int id) -> const Node& { return graph.node(id); };
      return Names(graph, detail::AssignedOnly(order, graph.num_nodes(), node_of));
    };
    CHECK(names({0, 1, 2, 3, 4, 5, 6}) == Strings{"a", "b"});
    CHECK(names({0, 1, 2, 3, 5}) == Strings{"a", "b", "c"});  // d does not run
    CHECK(names({}) == Strings{});
  }
  TEST_CASE("an order puts inputs first and keeps the order of ids otherwise") {
    const SlimVector<int> order = TopologicalOrder(Small()).value();
    CHECK(order == std::vector<int>{0, 1, 2, 3, 4, 5, 6});
  }
  TEST_CASE("the cycle of an edited graph is reported with its nodes") {
    Graph graph;
    const std::vector<DataType> f{DataType::kFloat};
    for (const char* name : {"a", "b", "c", "d"}) CHECK(graph.AddNode(MakeNode(name, "Neg"), &ops::kNeg, f, f).ok());
    CHECK(graph.AddEdge(0, 0, 1, 0).ok());
    CHECK(graph.AddEdge(1, 0, 2, 0).ok());
    CHECK(graph.AddEdge(2, 0, 3, 0).ok());
    CHECK(FindCycle(graph).empty());
    CHECK(graph.AddEdge(2, 0, 0, 0).ok());
    CHECK(FindCycle(graph) == std::vector<int>{0, 1, 2});
    const Status status = TopologicalOrder(graph).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message() == "Graph is invalid, contains a cycle with 3 nodes, including: 'a' -> 'b' -> 'c' -> 'a'");
  }
  TEST_CASE("long cycles are printed without their middle") {
    std::vector<int> cycle;
    for (int i = 0; i < 30; ++i) cycle.push_back(i);
    CHECK(CycleToString(cycle, [](int i) { return StrCat(i); }) ==
          "'0' -> '1' -> '2' -> '3' -> '4' -> ... (20 more) -> '25' -> '26' -> '27' -> '28' -> '29' -> '0'");
    CHECK(CycleToString({}, [](int i) { return StrCat(i); }) == "");
  }
  TEST_CASE("ties are broken by the smallest number") {
    // 3 -> 0, everything else is free.
    const auto order = OrderByDependencies({1, 0, 0, 0}, [](int n, auto&& visit) {
      if (n == 3) visit(0);
    });
    CHECK(order == std::vector<int>{1, 2, 3, 0});
  }
  TEST_CASE("depth first, inputs are left before their consumers and entered once") {
    const Graph graph = Small();
    Strings entered, left;
    const int roots[] = {graph.Find("right")->id, graph.Find("b")->id};
    ReverseDepthFirst(
        graph, roots, [&](const Node& n) { return entered.push_back(n.name()), true; },
        [&](const Node& n) { left.push_back(n.name()); });
    CHECK(entered == Strings{"right", "pair", "x", "a", "b"});
    CHECK(left == Strings{"x", "a", "pair", "right", "b"});
    entered.clear();
    ReverseDepthFirst(
        graph, roots, [&](const Node& n) { return entered.push_back(n.name()), n.name() != "pair"; },
        [](const Node&) {});
    CHECK(entered == Strings{"right", "pair", "b", "a", "x"});
  }
  TEST_CASE("along the edges a node is left after its readers, and one order has all of them") {
    const Graph graph = Small();
    Strings entered, left;
    const int roots[] = {graph.Find("a")->id};
    DepthFirst(
        graph, roots, [&](const Node& n) { return entered.push_back(n.name()), true; },
        [&](const Node& n) { left.push_back(n.name()); });
    CHECK(entered.front() == "a");
    CHECK(left.back() == "a");
    CHECK(entered.size() == left.size());
    for (const std::string& name : entered) CHECK(Run(graph, {name}).front() == "x");  // all need a, which needs x
    const SlimVector<int> order = PostOrder(graph);
    REQUIRE(static_cast<int>(order.size()) == graph.num_nodes());
    std::vector<std::size_t> at(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) at[static_cast<std::size_t>(order[i])] = i;
    for (const Node& node : graph.nodes())
      for (const OutEdge& edge : node.outputs)
        CHECK(at[static_cast<std::size_t>(edge.node)] < at[static_cast<std::size_t>(node.id)]);
  }
  TEST_CASE("a chain of a hundred thousand nodes needs no deep stack") {
    Graph graph;
    const std::vector<DataType> f{DataType::kFloat};
    const int n = 100000;
    graph.Reserve(n);
    for (int i = 0; i < n; ++i) {
      REQUIRE(graph.AddNode(MakeNode(StrCat("n", i), "Neg"), &ops::kNeg, f, f).ok());
      if (i > 0) REQUIRE(graph.AddEdge(i - 1, 0, i, 0).ok());
    }
    CHECK(FindCycle(graph).empty());
    CHECK(TopologicalOrder(graph).value().back() == n - 1);
    int count = 0;
    const int roots[] = {n - 1};
    ReverseDepthFirst(graph, roots, [&](const Node&) { return ++count, true; }, [](const Node&) {});
    CHECK(count == n);
    CHECK(PostOrder(graph).front() == n - 1);
  }
  TEST_CASE("of the numbers that are ready the smallest comes first") {
    detail::SmallestFirst ready;
    std::vector<int> model;  // sorted, the largest first
    std::uint32_t state = 5;
    for (int step = 0; step < 20000; ++step) {
      state = state * 1664525u + 1013904223u;
      if (model.empty() || (state >> 16) % 5 < 3) {
        const int item = static_cast<int>(state >> 20);
        ready.Push(item);
        model.insert(std::upper_bound(model.begin(), model.end(), item, std::greater<int>()), item);
      } else {
        REQUIRE(ready.Pop() == model.back());
        model.pop_back();
      }
      REQUIRE(ready.empty() == model.empty());
    }
  }
}
}  // namespace algorithms_test
