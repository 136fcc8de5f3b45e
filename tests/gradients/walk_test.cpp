// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/walk.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstddef>
#include <string>
#include <vector>

#include <tenon/gradients.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/runtime/api/session.hpp>

namespace gradient_walk_test {
using namespace tenon;

namespace {
// Gradients of `ys` for `xs`, run with the feeds; empty where not connected.
std::vector<Tensor> Gradients(GraphDef graph, std::vector<std::string> ys, std::vector<std::string> xs,
                              const std::vector<NamedTensor>& feeds, GradientOptions options = {}) {
  options.dense = true;
  const auto names = AddGradients(&graph, ys, xs, options);
  REQUIRE_MESSAGE(names.ok(), names.status().ToString());
  const auto session = Session::FromGraphDef(graph);
  REQUIRE_MESSAGE(session.ok(), session.status().ToString());
  std::vector<Tensor> all;
  for (const GradientNames& name : *names) {
    if (!name.connected()) {
      all.emplace_back();
      continue;
    }
    const std::vector<std::string> fetch{name.tensor.find(':') == std::string::npos ? name.tensor + ":0" : name.tensor};
    const auto got = session->Run(feeds, fetch, {});
    REQUIRE_MESSAGE(got.ok(), got.status().ToString());
    all.push_back((*got)[0]);
  }
  return all;
}
float Number(const Tensor& t) { return t.data<float>()[0]; }
}  // namespace

TEST_SUITE("GradientWalk") {
  TEST_CASE("sums over all ways, counts a y twice, and passes an x in the middle") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, TensorShape());
    const Output square = b.Add("Square", "square", {x});
    b.Add("Mul", "y", {square, x});
    const std::vector<NamedTensor> feeds{{"x", Tensor::Scalar(2.f)}};
    CHECK(Number(Gradients(b.graph_def(), {"y"}, {"x"}, feeds)[0]) == 12);
    CHECK(Number(Gradients(b.graph_def(), {"y", "y"}, {"x"}, feeds)[0]) == 24);
    CHECK(Number(Gradients(b.graph_def(), {"y", "square"}, {"x"}, feeds)[0]) == 16);
    const auto both = Gradients(b.graph_def(), {"y"}, {"square", "x"}, feeds);
    CHECK(Number(both[0]) == 2);
    CHECK(Number(both[1]) == 12);
  }
  TEST_CASE("kTree adds each gradient to the sum of those before") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2});
    Output y = b.Add("Square", {x});
    for (const char* op : {"Exp", "Tanh", "Neg"}) y = b.Add("AddV2", {y, b.Add(op, {x})});
    b.Add("Identity", "y", {y});
    GradientOptions tree;
    tree.aggregation = GradientAggregation::kTree;
    const std::vector<NamedTensor> feeds{{"x", Tensor::From<float>({0.5f, -1}, {2})}};
    const Tensor want = Gradients(b.graph_def(), {"y"}, {"x"}, feeds)[0];
    const Tensor got = Gradients(b.graph_def(), {"y"}, {"x"}, feeds, tree)[0];
    for (int i = 0; i < 2; ++i) CHECK(got.data<float>()[i] == doctest::Approx(want.data<float>()[i]));
    const auto made = [&](const GradientOptions& options, std::string_view op) {
      GraphDef graph = b.graph_def();
      const std::vector<std::string> ys{"y"}, xs{"x"};
      REQUIRE(AddGradients(&graph, ys, xs, options).ok());
      int count = 0;
      for (const NodeDef& node : graph.node) count += node.op == op && StartsWith(node.name, "gradients") ? 1 : 0;
      return count;
    };
    CHECK(made({}, "AddN") == 1);
    CHECK(made({}, "AddV2") == 0);
    CHECK(made(tree, "AddN") == 0);
    CHECK(made(tree, "AddV2") == 3);
  }
  TEST_CASE("two gradients of one known shape are added by AddV2, others by AddN") {
    for (const Index size : {Index{2}, Index{-1}})
      for (const int uses : {2, 3}) {
        GraphBuilder b;
        const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({size}));
        Output y = b.Add("Square", {x});
        for (int i = 1; i < uses; ++i) y = b.Add("AddV2", {y, b.Add("Square", {x})});
        b.Add("Identity", "y", {y});
        GraphDef graph = b.graph_def();
        const std::size_t before = graph.node.size();
        const std::vector<std::string> ys{"y"}, xs{"x"};
        REQUIRE(AddGradients(&graph, ys, xs).ok());
        const bool two = size > 0 && uses == 2;
        int sums = 0, other = 0;
        for (std::size_t n = before; n < graph.node.size(); ++n) {
          sums += graph.node[n].op == (two ? "AddV2" : "AddN");
          other += graph.node[n].op == (two ? "AddN" : "AddV2");
        }
        CHECK(sums == 1);
        CHECK(other == 0);
        const Tensor at = Tensor::From<float>({1, 3}, {2});
        const std::vector<Tensor> got = Gradients(b.graph_def(), {"y"}, {"x"}, {{"x", at}});
        CHECK(got[0].data<float>()[1] == static_cast<float>(6 * uses));
      }
  }
  TEST_CASE("stops where it is told") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, TensorShape());
    const Output square = b.Add("Square", "square", {x});
    b.Add("Mul", "y", {square, x});
    GradientOptions options;
    options.stop_gradients.push_back("square");
    CHECK(Number(Gradients(b.graph_def(), {"y"}, {"x"}, {{"x", Tensor::Scalar(2.f)}}, options)[0]) == 4);
  }
  TEST_CASE("an x after y, and one behind integers, is not connected") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, TensorShape());
    const Output whole = b.Add("Cast", "whole", {x}, {{"DstT", DataType::kInt32}});
    b.Add("Cast", "y", {whole}, {{"DstT", DataType::kFloat}});
    b.Add("Square", "after", {x});
    CHECK_FALSE(Gradients(b.graph_def(), {"y"}, {"x"}, {})[0].NumElements() > 0);
    CHECK_FALSE(Gradients(b.graph_def(), {"x"}, {"after"}, {})[0].NumElements() > 0);
  }
  TEST_CASE("names all missing gradients with their paths") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2});
    const Output one = b.Add("Snapshot", "one", {x}), two = b.Add("Snapshot", "two", {one});
    const Output off = b.Add("Snapshot", "off", {x});
    b.Add("AddV2", "y", {two, x});
    (void)off;
    GraphDef graph = b.graph_def();
    const std::vector<std::string> ys{"y"}, xs{"x"};
    const Status status = AddGradients(&graph, ys, xs).status();
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.message().find("No gradient defined for operation 'two'") != std::string_view::npos);
    CHECK(status.message().find("y <- two <- one <- x") != std::string_view::npos);
    CHECK(status.message().find("off") == std::string_view::npos);
    CHECK(graph == b.graph_def());
  }
  TEST_CASE("_gradient_op_type takes the place of the op's own gradient") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, TensorShape());
    b.Add("Square", "y", {x}, {{"_gradient_op_type", "Neg"}});
    CHECK(Number(Gradients(b.graph_def(), {"y"}, {"x"}, {{"x", Tensor::Scalar(3.f)}})[0]) == -1);
  }
  TEST_CASE("a function that the library registers takes the gradients of the outputs") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, TensorShape());
    b.Add("Square", "y", {x}, {{"_gradient_op_type", "CustomGradient-7"}});
    FunctionDef f;  // dy -> -dy
    f.signature.name = "g";
    f.signature.input_arg.emplace_back().name = "dy";
    f.signature.output_arg.emplace_back().name = "dx";
    f.signature.input_arg[0].type = f.signature.output_arg[0].type = DataType::kFloat;
    NodeDef& minus = f.node_def.emplace_back();
    minus.name = "minus";
    minus.op = "Neg";
    minus.input.push_back("dy");
    minus.attr.Set("T", AttrValue(DataType::kFloat));
    f.ret.emplace_back("dx", "minus:y:0");
    GraphDef graph = b.graph_def();
    graph.library.function.push_back(f);
    graph.library.registered_gradients.push_back({"g", "CustomGradient-7"});
    const std::vector<NamedTensor> feeds{{"x", Tensor::Scalar(2.f)}};
    CHECK(Number(Gradients(graph, {"y"}, {"x"}, feeds)[0]) == -1);

    const std::vector<std::string> ys{"y"}, xs{"x"};
    GraphDef wrong = graph;  // two results for one input
    wrong.library.function[0].signature.output_arg.emplace_back(f.signature.output_arg[0]).name = "more";
    wrong.library.function[0].ret.emplace_back("more", "minus:y:0");
    CHECK(AddGradients(&wrong, ys, xs).status().code() == Code::kInvalidArgument);
    graph.library.function.clear();
    CHECK(AddGradients(&graph, ys, xs).status().code() == Code::kNotFound);
    graph.library.registered_gradients.clear();
    CHECK(AddGradients(&graph, ys, xs).status().code() == Code::kNotFound);
  }
  TEST_CASE("second orders") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, TensorShape());
    b.Add("Mul", "y", {b.Add("Square", "s", {x}), x});
    GraphDef graph = b.graph_def();
    const std::vector<std::string> ys{"y"}, xs{"x"};
    const auto first = AddGradients(&graph, ys, xs);
    REQUIRE(first.ok());
    CHECK(Number(Gradients(graph, {(*first)[0].tensor}, {"x"}, {{"x", Tensor::Scalar(2.f)}})[0]) == 12);
  }
}

}  // namespace gradient_walk_test
