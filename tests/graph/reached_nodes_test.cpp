// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/reached_nodes.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "flow_ops.hpp"
#include "function_graphs.hpp"
#include "test_ops.hpp"

namespace reached_nodes_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

FunctionDef FunctionOf(std::string name, std::string op) {
  FunctionDef function;
  function.signature.name = std::move(name);
  function.node_def.push_back(function_test::MakeNode("inner", std::move(op), {}));
  return function;
}
// "good" calls a function of known ops, "bad" one with the op NoSuchOp, through another function.
GraphDef Calls() {
  GraphDef graph;
  graph.node.push_back(function_test::MakeNode("good", "PartitionedCall", {}, {{"f", function_test::Call("fine")}}));
  graph.node.push_back(
      function_test::MakeNode("bad", "PartitionedCall", {"^good"}, {{"f", function_test::Call("outer")}}));
  graph.library.function.push_back(FunctionOf("fine", "NoOp"));
  graph.library.function.push_back(FunctionOf("outer", "broken"));
  graph.library.function.push_back(FunctionOf("broken", "NoSuchOp"));
  return graph;
}

}  // namespace

TEST_SUITE("ReachedNodes") {
  TEST_CASE("follows inputs and control inputs") {
    const GraphDef graph = MakeGraph({MakeInput("x"), MakeFloat("a", "MatMul", {"x", "x:0"}), MakeInput("y"),
                                      MakeFloat("b", "MatMul", {"y", "y", "^a"})});
    ReachedNodes of_a(graph);
    CHECK(of_a.Add("a:0"));
    CHECK(of_a.IsReached("x"));
    CHECK(of_a.IsReached("^a"));
    CHECK_FALSE(of_a.IsReached("y"));
    CHECK_FALSE(of_a.IsReached("none"));
    CHECK(of_a.Nodes().size() == 2);
    ReachedNodes of_b(graph);
    CHECK(of_b.Add("b"));
    CHECK(of_b.Nodes().size() == 4);
    CHECK_FALSE(of_b.Add("none"));
  }
  TEST_CASE("ops that are not registered, in functions that are reached") {
    const GraphDef graph = Calls();
    OpRegistry ops;
    REQUIRE(ops.Register(*TestOps().Find("NoOp")).ok());
    REQUIRE(ops.Register(flow_ops::kPartitionedCall).ok());
    CHECK(HasUnknownOps(graph, ops));
    ReachedNodes good(graph);
    good.Add("good");
    CHECK(CheckReachedOps(good, ops).ok());
    ReachedNodes bad(graph);
    bad.Add("bad");
    const Status status = CheckReachedOps(bad, ops);
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.message().find("Op type not registered 'NoSuchOp'") != std::string_view::npos);
    CHECK(status.message().find("used by node 'inner'") != std::string_view::npos);
  }
}
}  // namespace reached_nodes_test
