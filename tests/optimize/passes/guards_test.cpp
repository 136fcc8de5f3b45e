// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/guards.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace guards_test {
using namespace optimize_test;

namespace {

constexpr Pattern kProduct = "Mul(x, c:1)";

// What KeepsShape says of x * ones, of these shapes.
std::string Answer(PartialTensorShape x, const TensorShape& c) {
  GraphBuilder b;
  Tensor ones(DataType::kFloat, c);
  for (Index i = 0; i < ones.NumElements(); ++i) ones.data<float>()[i] = 1;
  b.Add("Mul", "y", {b.Placeholder("x", DataType::kFloat, std::move(x)), b.Const("c", ones)});
  Result<Graph> graph = ImportGraphDef(GraphDef(b.graph_def()), Registry::Global().ops());
  REQUIRE(graph.ok());
  OpInfoCache ops(Registry::Global().ops());
  GraphEnds ends{{EdgeOf(*graph, "x")}, {EdgeOf(*graph, "y")}, {}};
  Result<IndexedGraph> indexed = IndexedGraph::Make(*graph, ends, {}, &ops, nullptr);
  REQUIRE(indexed.ok());
  Match match(&*indexed, &kProduct);
  REQUIRE(match.Fits(indexed->ends().fetches[0]));
  return std::string(detail::KeepsShape(match));
}

}  // namespace

TEST_SUITE("guards") {
  TEST_CASE("KeepsShape: the constant has no axis of its own") {
    CHECK(Answer({2, 3}, {}) == "");
    CHECK(Answer({}, {}) == "");
    CHECK(Answer({2, 3}, {3}) == "");
    CHECK(Answer({2, 3}, {1, 1}) == "");
    CHECK(Answer({-1, 3}, {1, 3}) == "");
    CHECK(Answer({2, 1}, {3}) == "the shape may change");
    CHECK(Answer({-1, 3}, {2, 3}) == "the shape may change");
    CHECK(Answer({3}, {1, 3}) == "the shape may change");
    CHECK(Answer(PartialTensorShape(), {3}) == "the shape may change");
  }
}

}  // namespace guards_test
