// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/add_gradients.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <tenon/gradients.hpp>
#include <tenon/graph/builder.hpp>
#include <tenon/graph/import.hpp>
#include <tenon/io/graph_file.hpp>
#include <tenon/runtime/api/session.hpp>

namespace add_gradients_test {
using namespace tenon;

namespace {
// Tensors of float or double: `ys` are those that nothing reads, `xs` are placeholders and constants of more than
// eight elements.
void FindEnds(const GraphDef& def, std::vector<std::string>* ys, std::vector<std::string>* xs) {
  const Result<Graph> graph = ImportGraphDef(GraphDef(def), Registry::Global().ops());
  REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
  for (const Node& node : graph->nodes()) {
    const std::string_view op = node.op_name();
    for (int i = 0; i < node.num_outputs(); ++i) {
      if (node.output_type(i) != DataType::kFloat && node.output_type(i) != DataType::kDouble) continue;
      const std::string name = StrCat(node.name(), ":", i);
      const PartialTensorShape shape = node.output_shape(i);
      if (op == "Placeholder" || (op == "Const" && shape.IsFullyDefined() && shape.num_elements() > 8))
        xs->push_back(name);
      bool read = op == "Placeholder" || op == "Const";
      for (const OutEdge& edge : node.outputs) read = read || edge.output == i;
      if (!read) ys->push_back(name);
    }
  }
}
}  // namespace

TEST_SUITE("AddGradients") {
  TEST_CASE("derived models have at most 1.1 times as many nodes as TensorFlow's, functions included") {
    // tf.gradients of TensorFlow 2.21 by the tensors of FindEnds. It cannot derive the other models after an import.
    constexpr struct {
      const char* model;
      std::size_t nodes;
    } kModels[] = {{"autoencoder", 312},         {"beam_search", 943},
                   {"bert_tiny", 1088},          {"bidirectional_functional", 2346},
                   {"cnn_digits", 130},          {"cond_nested", 263},
                   {"cond_nested_lowered", 337}, {"dcgan_generator", 203},
                   {"dtypes_mixed", 159},        {"gpt_tiny", 1954},
                   {"gpt_tiny_lowered", 1902},   {"gru_functional", 644},
                   {"keyword_spotting", 437},    {"linalg", 837},
                   {"lstm_v2_functional", 568},  {"map_scan", 916},
                   {"mlp_digits", 32},           {"mobilenet_v2", 1879},
                   {"nested_functions", 390},    {"quant_mobile", 129},
                   {"random_dropout", 177},      {"resnet50", 2538},
                   {"sparse_model", 241},        {"text_classifier", 268},
                   {"train_adam", 278},          {"train_momentum", 206},
                   {"train_sgd", 173},           {"train_sgd_ref", 151},
                   {"transformer_einsum", 911},  {"unet_small", 221},
                   {"wavenet_small", 793}};
    for (const auto& [model, nodes] : kModels) {
      CAPTURE(model);
      Result<GraphDef> graph = ReadGraphFile(StrCat(TENON_TEST_DATA "/models/", model, "/graph.pb"));
      REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
      std::vector<std::string> ys, xs;
      FindEnds(*graph, &ys, &xs);
      REQUIRE(!ys.empty());
      const auto names = AddGradients(&*graph, ys, xs);
      REQUIRE_MESSAGE(names.ok(), names.status().ToString());
      std::size_t made = graph->node.size();
      for (const FunctionDef& function : graph->library.function) made += function.node_def.size();
      CHECK_MESSAGE(10 * made <= 11 * nodes, made, " nodes, TensorFlow has ", nodes);
    }
  }
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
