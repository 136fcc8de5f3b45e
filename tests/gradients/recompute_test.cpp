// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/recompute.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <utility>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/gradients.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

#include "gradients/central_differences.hpp"

namespace recompute_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// x through layers "layer_I/...", each a product and four functions. *scopes becomes their names.
GraphDef Layers(int count, std::vector<std::string>* scopes) {
  GraphBuilder b;
  Output y = b.Placeholder("x", DataType::kFloat, {64, 64});
  const Output w = b.Placeholder("w", DataType::kFloat, {64, 64});
  for (int i = 0; i < count; ++i) {
    scopes->push_back(StrCat("layer_", i));
    y = b.Add("MatMul", scopes->back() + "/product", {y, w});
    for (const char* part : {"a", "b"})
      y = b.Add("Sin", StrCat(scopes->back(), "/sin_", part),
                {b.Add("Tanh", StrCat(scopes->back(), "/tanh_", part), {y})});
  }
  b.Add("Sum", "loss", {y, b.Const("axes", Tensor::From<int>({0, 1}, {2}))});
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  return b.graph_def();
}
struct Derived {
  GraphDef graph;
  std::vector<Tensor> gradients;
  std::size_t arena = 0;
};
Derived Derive(GraphDef graph, const std::vector<std::string>& marked) {
  Derived out;
  REQUIRE(MarkForRecompute(&graph, marked).ok());
  const std::vector<std::string> ys{"loss"}, xs{"x", "w"};
  const auto names = AddGradients(&graph, ys, xs);
  REQUIRE_MESSAGE(names.ok(), names.status().ToString());
  const auto session = Session::FromGraphDef(graph, {.intra_op_threads = 1, .plan_after_runs = 1});
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  CallableOptions options{.feeds = {"x", "w"}, .fetches = {(*names)[0].tensor, (*names)[1].tensor}};
  const auto run = session->MakeCallable(options);
  REQUIRE_MESSAGE(run.ok(), run.status().ToString());
  const std::vector<Tensor> feeds{RandomTensor({64, 64}, -0.2, 0.2), RandomTensor({64, 64}, -0.2, 0.2, 2)};
  out.gradients.resize(2);
  for (int i = 0; i < 2; ++i) {
    const Status status = run->Run(feeds, out.gradients);
    REQUIRE_MESSAGE(status.ok(), status.ToString());
  }
  PlanReport report;
  REQUIRE(run->GetPlanReport(&report));
  out.arena = report.arena_bytes;
  out.graph = std::move(graph);
  return out;
}
int Count(const GraphDef& graph, std::string_view op) {
  int count = 0;
  for (const NodeDef& node : graph.node) count += node.op == op ? 1 : 0;
  return count;
}

}  // namespace

TEST_SUITE("recomputation") {
  TEST_CASE("has the same gradients, more nodes and less memory") {
    std::vector<std::string> scopes;
    const GraphDef forward = Layers(8, &scopes);
    const Derived plain = Derive(forward, {}), less = Derive(forward, scopes);
    for (std::size_t i = 0; i < 2; ++i)
      CHECK(std::memcmp(plain.gradients[i].raw_data(), less.gradients[i].raw_data(), 64 * 64 * 4) == 0);
    CHECK(Count(less.graph, "MatMul") == Count(plain.graph, "MatMul") + 8);
    CHECK(Count(less.graph, "Sin") == Count(plain.graph, "Sin") + 8);  // what a layer passes on is kept
    CHECK(less.arena < plain.arena / 2);
  }
  TEST_CASE("stateful nodes run once, constants are not copied") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {4});
    const Output noise = b.Add("RandomUniform", "part/noise", {b.Const("part/shape", Tensor::From<int>({4}, {1}))},
                               {{"dtype", DataType::kFloat}, {"seed", 3}});
    b.Add("Square", "y", {b.Add("Mul", "part/product", {x, noise})});
    GraphDef graph = b.graph_def();
    const std::vector<std::string> marked{"part"}, ys{"y"}, xs{"x"};
    REQUIRE(MarkForRecompute(&graph, marked).ok());
    REQUIRE(AddGradients(&graph, ys, xs).ok());
    CHECK(Count(graph, "RandomUniform") == 1);
    bool copied = false;
    for (const NodeDef& node : graph.node) copied = copied || node.name == "gradients/recomputed/part/product";
    CHECK(copied);
  }
  TEST_CASE("names that nothing has") {
    GraphDef graph;
    const std::vector<std::string> names{"nowhere"};
    CHECK(MarkForRecompute(&graph, names).code() == Code::kNotFound);
  }
}

}  // namespace recompute_test
