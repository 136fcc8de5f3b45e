// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/steps.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace steps_pass_test {
using namespace optimize_test;

TEST_SUITE("steps of fused nodes") {
  TEST_CASE("element-wise nodes of floats are steps") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2, 3}), i = b.Placeholder("i", DataType::kInt32, {2, 3});
    const Output bias = b.Placeholder("bias", DataType::kFloat, {3}), any = b.Placeholder("any", DataType::kFloat);
    b.Add("Tanh", "tanh", {x});
    b.Add("Sub", "sub", {x, bias});
    b.Add("BiasAdd", "fits", {x, bias});
    b.Add("BiasAdd", "may_not", {x, any});
    b.Add("Mul", "integers", {i, i});
    b.Add("Cast", "cast", {x}, {{"DstT", DataType::kDouble}});
    b.Add("Const", "p", {}, {{"dtype", DataType::kInt32}, {"value", Tensor::From<std::int32_t>({1, 0, -1}, {3})}});
    Result<Graph> graph = ImportGraphDef(GraphDef(b.graph_def()), Registry::Global().ops());
    REQUIRE(graph.ok());
    OpInfoCache ops(Registry::Global().ops());
    const Names all{"tanh", "sub", "fits", "may_not", "integers", "cast", "p"};
    GraphEnds ends;
    for (const std::string& name : all) ends.fetches.push_back(EdgeOf(*graph, name));
    Result<IndexedGraph> indexed = IndexedGraph::Make(*graph, ends, {}, &ops, nullptr);
    REQUIRE(indexed.ok());
    std::string steps;
    for (const InEdge& edge : indexed->ends().fetches)
      if (detail::IsStepNode(*indexed, edge.node)) steps += StrCat(indexed->node(edge.node).name(), " ");
    CHECK(steps == "tanh sub fits ");
    SlimVector<std::int64_t> order;
    const InEdge p = indexed->ends().fetches[6];
    CHECK(detail::ReadOrder(*indexed, p, 3, &order));  // -1 is the last axis
    CHECK(order == SlimVector<std::int64_t>{1, 0, 2});
    CHECK(detail::ReadOrder(*indexed, p, 4, &order) == false);
    CHECK(detail::ReadOrder(*indexed, indexed->ends().fetches[0], 3, &order) == false);
    CHECK(detail::IsListed(detail::kBinarySteps, "Sub"));
    CHECK(!detail::IsListed(detail::kBinarySteps, "Su"));
  }
}

}  // namespace steps_pass_test
