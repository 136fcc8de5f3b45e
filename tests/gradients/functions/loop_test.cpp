// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/loop.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>
#include <tenon/gradients/functions/binary.hpp>
#include <tenon/gradients/functions/unary.hpp>
#include <tenon/gradients/recompute.hpp>

#include "gradients/central_differences.hpp"

namespace loop_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of While") {
  // while (i < iterations) { i = i + 1; x = x * w + tanh(x); }
  GraphDef Loop(int iterations = 3) {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2}), w = b.Placeholder("w", DataType::kFloat, {2});
    const Output zero = b.Const("zero", Tensor::Scalar(0));
    b.Add("StatelessWhile", "loop", {{zero, x, w}},
          {{"cond", AttrValue(NameAttrList{"less", {}})}, {"body", AttrValue(NameAttrList{"body", {}})}});
    GraphDef graph = b.graph_def();
    const auto function = [&graph](const char* name) -> FunctionDef& {
      FunctionDef& f = graph.library.function.emplace_back();
      f.signature.name = name;
      for (const char* arg : {"i", "x", "w"}) {
        OpDef::ArgDef& in = f.signature.input_arg.emplace_back();
        in.name = arg;
        in.type = *arg == 'i' ? DataType::kInt32 : DataType::kFloat;
      }
      return f;
    };
    const auto result = [](FunctionDef& f, const char* name, DataType type, const char* from) {
      OpDef::ArgDef& out = f.signature.output_arg.emplace_back();
      out.name = name;
      out.type = type;
      f.ret.emplace_back(name, from);
    };
    const auto add = [iterations](FunctionDef& f, const char* name, const char* op, SlimVector<std::string> inputs,
                                  DataType type) {
      NodeDef& def = f.node_def.emplace_back();
      def.name = name;
      def.op = op;
      def.input = inputs;
      if (def.op == "Const") {
        def.attr.Set("dtype", AttrValue(type));
        def.attr.Set("value", AttrValue(Tensor::Scalar(name[0] == 'n' ? iterations : 1)));
      } else {
        def.attr.Set("T", AttrValue(type));
      }
    };
    FunctionDef& cond = function("less");
    add(cond, "n", "Const", {}, DataType::kInt32);
    add(cond, "l", "Less", {"i", "n:output:0"}, DataType::kInt32);
    result(cond, "r", DataType::kBool, "l:z:0");
    FunctionDef& body = function("body");
    add(body, "o", "Const", {}, DataType::kInt32);
    add(body, "next", "AddV2", {"i", "o:output:0"}, DataType::kInt32);
    add(body, "m", "Mul", {"x", "w"}, DataType::kFloat);
    add(body, "t", "Tanh", {"x"}, DataType::kFloat);
    add(body, "s", "AddV2", {"m:z:0", "t:y:0"}, DataType::kFloat);
    result(body, "r0", DataType::kInt32, "next:z:0");
    result(body, "r1", DataType::kFloat, "s:z:0");
    result(body, "r2", DataType::kFloat, "w");
    return graph;
  }

  TEST_CASE("variables and invariants") {
    CHECK(GradientError(Loop(), "loop:1", {{"x", RandomTensor({2})}, {"w", RandomTensor({2}, 0.5, 1, 3)}}) == "");
  }
  TEST_CASE("values of a marked body are computed again") {
    GraphDef plain = Loop(), marked = Loop();
    const std::vector<std::string> ys{"loop:1"}, xs{"x"}, body{"body"};
    REQUIRE(MarkForRecompute(&marked, body).ok());
    CHECK(GradientError(marked, "loop:1", {{"x", RandomTensor({2})}, {"w", RandomTensor({2}, 0.5, 1, 3)}}) == "");
    std::size_t variables[2];
    for (GraphDef* const graph : {&plain, &marked}) {
      REQUIRE(AddGradients(graph, ys, xs).ok());
      for (const NodeDef& node : graph->node)
        if (node.name == "loop") variables[graph == &marked] = node.attr.Find("T")->list().type.size();
    }
    CHECK(variables[1] + 1 == variables[0]);  // without the list of the tanh
  }
  TEST_CASE("a deadline stops a loop whose intermediates never end") {
    GraphDef graph = Loop(2'000'000'000);
    const std::vector<std::string> ys{"loop:1"}, xs{"x"};
    const auto names = AddGradients(&graph, ys, xs);
    REQUIRE_MESSAGE(names.ok(), names.status().ToString());
    const auto session = Session::FromGraphDef(graph, {.intra_op_threads = 1});
    const auto run = session->MakeCallable({.feeds = {"x", "w"}, .fetches = {(*names)[0].tensor}});
    REQUIRE_MESSAGE(run.ok(), run.status().ToString());
    const std::vector<Tensor> feeds{RandomTensor({2}), RandomTensor({2}, 0.5, 1, 3)};
    std::vector<Tensor> fetches(1);
    RunOptions options;
    options.timeout_in_ms = 100;
    CHECK(run->Run(feeds, fetches, options).code() == Code::kDeadlineExceeded);
  }
  TEST_CASE("a variable that no output with a gradient depends on has zeros") {
    GraphDef graph = Loop();
    const std::vector<std::string> ys{"loop:2"}, xs{"x"};
    const auto names = AddGradients(&graph, ys, xs);
    REQUIRE_MESSAGE(names.ok(), names.status().ToString());
    CHECK((*names)[0].connected());
  }
}

}  // namespace loop_gradient_test
