// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/add_gradients.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/gradients.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace add_gradients_test {
using namespace tenon;

TEST_SUITE("AddGradients") {
  TEST_CASE("refuses names, types and numbers that do not fit, and changes nothing then") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2});
    const Output z = b.Add("Complex", "z", {x, x});
    b.Add("Square", "zz", {z});
    GraphDef graph = b.graph_def();
    const std::vector<std::string> xs{"x"}, y{"x"}, missing{"nowhere"}, complex{"zz"};
    CHECK(AddGradients(&graph, missing, xs).status().code() == Code::kNotFound);
    const Status status = AddGradients(&graph, complex, xs).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("must set grad_ys") != std::string_view::npos);
    GradientOptions options;
    options.grad_ys = {"x", "x"};
    CHECK(AddGradients(&graph, y, xs, options).status().code() == Code::kInvalidArgument);
    options.grad_ys = {"z"};
    CHECK(AddGradients(&graph, y, xs, options).status().code() == Code::kInvalidArgument);
    CHECK(graph == b.graph_def());
  }
  TEST_CASE("a grad_y of another shape than its y is refused") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2, 3}), w = b.Placeholder("w", DataType::kFloat, {3, 4});
    b.Add("MatMul", "y", {x, w});
    b.Add("Identity", "same", {x});
    b.Placeholder("gy", DataType::kFloat, {2, 5});
    const std::vector<std::string> xs{"x"};
    GradientOptions options;
    options.grad_ys = {"gy"};
    for (const char* y : {"y", "same"}) {
      GraphDef graph = b.graph_def();
      const std::vector<std::string> ys{y};
      const Status status = AddGradients(&graph, ys, xs, options).status();
      CHECK_MESSAGE(status.code() == Code::kInvalidArgument, status.ToString());
      CHECK(graph == b.graph_def());
    }
  }
  TEST_CASE("adds no node that no gradient needs") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2, 2}), w = b.Placeholder("w", DataType::kFloat, {2, 2});
    b.Add("MatMul", "y", {x, w});
    GraphDef one = b.graph_def(), both = b.graph_def();
    const std::vector<std::string> ys{"y"}, xs{"x"}, all{"x", "w"};
    REQUIRE(AddGradients(&one, ys, xs).ok());
    REQUIRE(AddGradients(&both, ys, all).ok());
    CHECK(one.node.size() < both.node.size());
  }
  TEST_CASE("the time grows with the graph") {
    for (const int length : {100, 4000}) {
      GraphBuilder b;
      Output y = b.Placeholder("x", DataType::kFloat, {4});
      for (int i = 0; i < length; ++i) y = b.Add(i % 2 == 0 ? "Tanh" : "Exp", {y});
      REQUIRE(b.status().ok());
      GraphDef graph = b.graph_def();
      const std::vector<std::string> ys{b.Name(y)}, xs{"x"};
      REQUIRE(AddGradients(&graph, ys, xs).ok());
      CHECK(graph.node.size() < 3 * b.graph_def().node.size() + 10);
    }
  }
}

}  // namespace add_gradients_test
