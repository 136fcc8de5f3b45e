// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/loop.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <tenon/gradients/functions/array.hpp>
#include <tenon/gradients/functions/binary.hpp>
#include <tenon/gradients/functions/flow.hpp>
#include <tenon/gradients/functions/index.hpp>
#include <tenon/gradients/functions/none.hpp>
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
  // How many variables the loop has after the derivation, and its gradient.
  std::size_t VariablesOf(const GraphDef& graph, std::string_view loop) {
    for (const NodeDef& node : graph.node)
      if (node.name == loop) return node.attr.Find("T")->list().type.size();
    return 0;
  }
  std::string BackwardLoop(const GraphDef& graph) {
    for (const NodeDef& node : graph.node)
      if (node.op == "StatelessWhile" && node.name != "loop") return node.name;
    return "";
  }

  TEST_CASE("a loop of which no gradient reads more than its variables stays as it is") {
    // x = x * w - x, derived by x: the gradient reads w, which does not change.
    GraphDef graph = Loop();
    for (NodeDef& node : graph.library.function[1].node_def)
      if (node.name == "t") node.op = "Neg";
    CHECK(GradientError(graph, "loop:1", {{"x", RandomTensor({2})}}, {{"w", RandomTensor({2}, 0.5, 1, 3)}}) == "");
    const std::vector<std::string> ys{"loop:1"}, xs{"x"};
    REQUIRE(AddGradients(&graph, ys, xs).ok());
    CHECK(VariablesOf(graph, "loop") == 3);
    CHECK(graph.library.function.size() == 4);  // with the condition and the body of the loop backward
    for (const NodeDef& node : graph.node)
      if (node.name == "loop") CHECK(node.attr.Find("body")->func().name == "body");
  }

  // A loop of five iterations whose variable i begins with `first` and grows by `step`.
  GraphDef CountingLoop(int first, int step) {
    GraphDef graph = Loop(first + 5 * step);
    for (NodeDef& node : graph.node)
      if (node.name == "zero") node.attr.Set("value", AttrValue(Tensor::Scalar(first)));
    for (NodeDef& node : graph.library.function[0].node_def)
      if (node.name == "l" && step < 0) node.input = {"n:output:0", "i"};
    for (NodeDef& node : graph.library.function[1].node_def)
      if (node.name == "o") node.attr.Set("value", AttrValue(Tensor::Scalar(step)));
    return graph;
  }
  TEST_CASE("a variable that counts by 1 or -1 is the counter, forward and backward; another one is not") {
    // x * w + tanh(x): the lists of x and of the tanh. Other steps need a counter. Backward: counter, two gradients, w,
    // two lists, and the first value of a variable that counts.
    struct Case {
      int first, step, forward, backward;
    };
    for (const auto& [first, step, forward, backward] :
         {Case{0, 1, 5, 7}, {3, 1, 5, 7}, {7, -1, 5, 7}, {0, 2, 6, 6}, {-4, 0, 6, 6}}) {
      CAPTURE(first);
      CAPTURE(step);
      GraphDef graph = CountingLoop(first, step);
      if (step != 0)
        CHECK(GradientError(graph, "loop:1", {{"x", RandomTensor({2})}, {"w", RandomTensor({2}, 0.5, 1, 3)}}) == "");
      const std::vector<std::string> ys{"loop:1"}, xs{"x", "w"};
      REQUIRE(AddGradients(&graph, ys, xs).ok());
      CHECK(VariablesOf(graph, "loop") == static_cast<std::size_t>(forward));
      CHECK(VariablesOf(graph, BackwardLoop(graph)) == static_cast<std::size_t>(backward));
    }
  }
  TEST_CASE("a feed in place of the first value of the counter gives as many iterations backward as forward") {
    for (const int step : {1, -1, 2})
      for (const int iterations : {0, 1, 3, 9}) {
        CAPTURE(step);
        CAPTURE(iterations);
        CHECK(GradientError(CountingLoop(0, step), "loop:1",
                            {{"x", RandomTensor({2})}, {"w", RandomTensor({2}, 0.5, 1, 3)}},
                            {{"zero", Tensor::Scalar((5 - iterations) * step)}}) == "");
      }
  }
  TEST_CASE("a feed in place of the first value of the counter and the second order") {
    // x becomes w * x, so the gradient by w of the gradient by x is n * w^(n - 1).
    GraphDef graph = CountingLoop(0, 1);
    graph.library.function[1].ret[1].second = "m:z:0";
    const std::vector<std::string> ys{"loop:1"}, x{"x"}, w{"w"};
    const auto first = AddGradients(&graph, ys, x);
    REQUIRE_MESSAGE(first.ok(), first.status().ToString());
    const std::vector<std::string> again{(*first)[0].tensor};
    const auto second = AddGradients(&graph, again, w);
    REQUIRE_MESSAGE(second.ok(), second.status().ToString());
    const auto session = Session::FromGraphDef(graph, {.intra_op_threads = 1});
    REQUIRE_MESSAGE(session.ok(), session.status().ToString());
    const Tensor value = RandomTensor({2}, 0.5, 1, 3);
    for (const int iterations : {1, 3, 5}) {
      const auto got = session->Run({{"x", RandomTensor({2})}, {"w", value}, {"zero", Tensor::Scalar(5 - iterations)}},
                                    {(*second)[0].tensor});
      REQUIRE_MESSAGE(got.ok(), got.status().ToString());
      for (int i = 0; i < 2; ++i)
        CHECK((*got)[0].data<float>()[i] ==
              doctest::Approx(iterations * std::pow(static_cast<double>(value.data<float>()[i]), iterations - 1)));
    }
  }
  TEST_CASE("the number of an iteration, shapes and views are computed again") {
    // x = x * w[i] + float(i + 1) * reshape(tanh(x), shape(x)), where w is a vector of four numbers.
    for (const Index size : {Index{2}, Index{-1}}) {
      GraphDef graph = Loop(4);
      const auto node = [&graph](const char* name, const char* op, SlimVector<std::string> inputs,
                                 SlimVector<std::pair<std::string, AttrValue>> attrs) {
        NodeDef& def = graph.library.function[1].node_def.emplace_back();
        def.name = name;
        def.op = op;
        def.input = std::move(inputs);
        for (auto& [key, value] : attrs) def.attr.Set(key, value);
      };
      const AttrValue floats(DataType::kFloat), ints(DataType::kInt32);
      for (NodeDef& def : graph.node) {
        if (def.name == "x") def.attr.Set("shape", AttrValue(PartialTensorShape({size})));
        if (def.name == "w") def.attr.Set("shape", AttrValue(PartialTensorShape({4})));
      }
      node("axis", "Const", {}, {{"dtype", ints}, {"value", AttrValue(Tensor::Scalar(0))}});
      node("item", "GatherV2", {"w", "i", "axis:output:0"}, {{"Tparams", floats}, {"Tindices", ints}, {"Taxis", ints}});
      node("shape", "Shape", {"x"}, {{"T", floats}, {"out_type", ints}});
      node("view", "Reshape", {"t:y:0", "shape:output:0"}, {{"T", floats}, {"Tshape", ints}});
      node("number", "Cast", {"next:z:0"}, {{"SrcT", ints}, {"DstT", floats}});
      node("scaled", "Mul", {"number:y:0", "view:output:0"}, {{"T", floats}});
      for (NodeDef& def : graph.library.function[1].node_def) {
        if (def.name == "m") def.input[1] = "item:output:0";
        if (def.name == "s") def.input[1] = "scaled:z:0";
      }
      CHECK(GradientError(graph, "loop:1", {{"x", RandomTensor({2})}, {"w", RandomTensor({4}, 0.5, 1, 3)}}) == "");
      const std::vector<std::string> ys{"loop:1"}, xs{"x", "w"};
      const auto names = AddGradients(&graph, ys, xs);
      REQUIRE_MESSAGE(names.ok(), names.status().ToString());
      // i, x, w and the lists of x, w[i] and the tanh. Without known shapes, also what the sum adds.
      CHECK(VariablesOf(graph, "loop") == (size > 0 ? 6 : 8));
    }
  }
  TEST_CASE("values of a marked body are computed again") {
    GraphDef plain = Loop(), marked = Loop();
    const std::vector<std::string> ys{"loop:1"}, xs{"x", "w"}, body{"body"};
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
