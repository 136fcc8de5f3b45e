// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs with a While for the tests: variables i, n (int32) and any number of float ones.

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <tenon/base/str.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/tensor/tensor_util.hpp>

#include "graph/function_graphs.hpp"

namespace runtime_test {

using namespace tenon;

inline NodeDef ConstNode(std::string name, const Tensor& value) {
  return function_test::MakeNode(std::move(name), "Const", {},
                                 {{"dtype", AttrValue(value.dtype())}, {"value", AttrValue(value)}});
}

// while (i < n) { i += 1; the others as the body says }. Feeds: n and x0, x1, ...; fetches: "loop:0" (i), "loop:2", ...
struct WhileGraph {
  explicit WhileGraph(int floats) {
    const auto function = [&](const char* name) {
      FunctionDef f;
      f.signature.name = name;
      f.signature.input_arg = {function_test::Arg("i", DataType::kInt32), function_test::Arg("n", DataType::kInt32)};
      for (int v = 0; v < floats; ++v)
        f.signature.input_arg.push_back(function_test::Arg(StrCat("x", v), DataType::kFloat));
      return f;
    };
    cond = function("cond");
    cond.signature.output_arg = {function_test::Arg("go_on", DataType::kBool)};
    cond.node_def = {function_test::MakeNode("less", "Less", {"i", "n"}, {{"T", AttrValue(DataType::kInt32)}})};
    cond.ret = {{"go_on", "less:z:0"}};
    body = function("body");
    for (const OpDef::ArgDef& arg : body.signature.input_arg) {
      body.signature.output_arg.push_back(arg);
      body.signature.output_arg.back().name += "_next";
      body.ret.push_back({arg.name + "_next", arg.name});
      types.push_back(arg.type);
    }
    body.node_def = {
        ConstNode("one", Tensor::Scalar(std::int32_t{1})),
        function_test::MakeNode("add", "AddV2", {"i", "one:output:0"}, {{"T", AttrValue(DataType::kInt32)}})};
    body.ret[0].second = "add:z:0";
  }
  // A node of the body with one output, float unless `attrs` has T.
  WhileGraph& Add(const std::string& name, const std::string& op, std::initializer_list<std::string> inputs,
                  function_test::Attrs attrs = {}) {
    NodeDef node = function_test::MakeNode(name, op, inputs, attrs);
    if (node.attr.Find("T") == nullptr) node.attr.Insert("T", AttrValue(DataType::kFloat));
    body.node_def.push_back(std::move(node));
    return *this;
  }
  // What float variable `v` becomes: an argument or "node:output name:0".
  WhileGraph& Next(int v, const std::string& value) {
    body.ret[static_cast<std::size_t>(v) + 2].second = value;
    return *this;
  }
  GraphDef Graph() const {
    GraphDef graph;
    graph.versions.producer = 1500;
    NodeDef loop = function_test::MakeNode(
        "loop", "While", {"zero", "n"},
        {{"T", AttrValue(types)}, {"cond", function_test::Call("cond")}, {"body", function_test::Call("body")}});
    graph.node.push_back(ConstNode("zero", Tensor::Scalar(std::int32_t{0})));
    graph.node.push_back(function_test::MakeNode("n", "Placeholder", {}, {{"dtype", AttrValue(DataType::kInt32)}}));
    for (std::size_t v = 2; v < types.size(); ++v) {
      const std::string name = StrCat("x", v - 2);
      graph.node.push_back(function_test::MakeNode(name, "Placeholder", {}, {{"dtype", AttrValue(types[v])}}));
      loop.input.push_back(name);
    }
    graph.node.push_back(std::move(loop));
    graph.library.function = {cond, body};
    return graph;
  }

  FunctionDef cond, body;
  SlimVector<DataType> types;
};

// Variables of one shape; their next values are sums, products, each other, themselves, constants, views.
inline WhileGraph RandomWhile(std::mt19937& random, int floats) {
  WhileGraph graph(floats);
  graph.body.node_def.push_back(ConstNode("half", Tensor::Scalar(0.5f)));
  graph.body.node_def.push_back(ConstNode("flat", MakeTensor<std::int32_t>({1}, {-1})));
  graph.body.node_def.push_back(ConstNode("fixed", MakeTensor<float>({4}, {1, -2, 3, -4})));
  std::vector<std::string> values{"fixed:output:0"};
  for (int v = 0; v < floats; ++v) values.push_back(StrCat("x", v));
  const auto pick = [&] { return values[random() % values.size()]; };
  const int nodes = static_cast<int>(random() % 8);
  for (int k = 0; k < nodes; ++k) {
    const std::string name = StrCat("n", k);
    switch (random() % 6) {
      case 0: graph.Add(name, "AddV2", {pick(), pick()}), values.push_back(name + ":z:0"); break;
      case 1: graph.Add(name, "Mul", {pick(), "half:output:0"}), values.push_back(name + ":z:0"); break;
      case 2: graph.Add(name, "Maximum", {pick(), pick()}), values.push_back(name + ":z:0"); break;
      case 3: graph.Add(name, "Identity", {pick()}), values.push_back(name + ":output:0"); break;
      case 4: graph.Add(name, "Reshape", {pick(), "flat:output:0"}), values.push_back(name + ":output:0"); break;
      default: graph.Add(name, "Tanh", {pick()}), values.push_back(name + ":y:0"); break;
    }
  }
  for (int v = 0; v < floats; ++v)
    if (random() % 4 != 0) graph.Next(v, pick());
  return graph;
}

}  // namespace runtime_test
