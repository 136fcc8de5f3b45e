// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/optimizer.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace optimizer_test {
using namespace optimize_test;

namespace {

const Tensor kTwo = Floats({1.5f, -2}, {2});

// How many nodes a run of the optimised graph executes; constants are none.
int Left(GraphBuilder& b, const RunEnds& signature = {{"x"}, {"y"}}, OptimizerLevel level = OptimizerLevel::kFast) {
  REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
  const Optimized optimized = Optimize(b.graph_def(), signature, OptimizerOptions{.level = level});
  REQUIRE(optimized.status.ok());
  int count = 0;
  for (const NodeDef& node : optimized.def.node) count += node.op != "Const" && node.op != "Placeholder" ? 1 : 0;
  const Optimized again = Optimize(optimized.def, signature, OptimizerOptions{.level = level});
  CHECK(Text(again.def) == Text(optimized.def));
  return count;
}

}  // namespace

TEST_SUITE("OptimizeGraph") {
  TEST_CASE("small graphs reach their smallest form") {
    const auto x = [](GraphBuilder& b) { return b.Placeholder("x", DataType::kFloat, {2, 2}); };
    const auto scalar = [](GraphBuilder& b, const char* name, float v) { return b.Const(name, Tensor::Scalar(v)); };
    GraphBuilder equal;
    const Output e = x(equal);
    equal.Add("AddV2", "y", {equal.Add("Exp", "a", {e}), equal.Add("Exp", "b", {e})});
    CHECK(Left(equal) == 1);  // one Exp, and its sum with itself
    GraphBuilder five;
    Output value = x(five);
    for (const char* op : {"Exp", "Square", "Neg", "Tanh", "Relu"})
      value = five.Add(op, *op == 'R' ? "y" : op, {value});
    CHECK(Left(five, {{"x"}, {"y"}}, OptimizerLevel::kExact) == 1);
    GraphBuilder affine;
    affine.Add("AddV2", "y",
               {affine.Add("Mul", "m", {x(affine), scalar(affine, "one", 1)}), scalar(affine, "zero", 0)});
    CHECK(Left(affine) == 1);
    GraphBuilder negations;
    negations.Add("Neg", "y", {negations.Add("Neg", "m", {x(negations)})});
    CHECK(Left(negations) == 1);
    GraphBuilder chain;
    Output at = x(chain);
    for (const char* name : {"a", "b", "c", "y"}) at = chain.Add("Identity", name, {at});
    CHECK(Left(chain) == 1);
    GraphBuilder transposes;
    const Output p = transposes.Const("p", Tensor::From<std::int32_t>({1, 0}, {2}));
    transposes.Add("Transpose", "y", {transposes.Add("Transpose", "m", {x(transposes), p}), p});
    CHECK(Left(transposes) == 1);
    GraphBuilder layer;
    const Output w = layer.Const("w", Floats({1, 2, 3, 4}, {2, 2})), bias = layer.Const("bias", Floats({1, 2}, {2}));
    layer.Add("Relu", "y", {layer.Add("BiasAdd", "s", {layer.Add("MatMul", "m", {x(layer), w}), bias})});
    CHECK(Left(layer, {{"x"}, {"y"}}, OptimizerLevel::kExact) == 1);
    GraphBuilder transposed;
    const Output q = transposed.Const("q", Tensor::From<std::int32_t>({1, 0}, {2}));
    transposed.Add(
        "MatMul", "y",
        {transposed.Add("Transpose", "m", {x(transposed), q}), transposed.Const("w", Floats({1, 2, 3, 4}, {2, 2}))});
    CHECK(Left(transposed) == 1);
    GraphBuilder shape;
    shape.Add("Neg", "y", {shape.Add("Shape", "m", {shape.Add("Exp", "e", {x(shape)})})});
    CHECK(Left(shape) == 1);
  }

  TEST_CASE("names of passes are checked, and switch them") {
    CHECK(CheckOptimizerOptions({.only = {"pruning"}, .disabled = {"remap"}}).ok());
    const Status unknown = CheckOptimizerOptions({.disabled = {"remaps"}});
    CHECK(errors::IsInvalidArgument(unknown));
    CHECK(unknown.message().find("'remaps' is not a pass; the passes are function, pruning, ") !=
          std::string_view::npos);
    CHECK(errors::IsInvalidArgument(CheckOptimizerOptions({.max_iterations = -1})));
    CHECK(errors::IsInvalidArgument(CheckOptimizerOptions({.max_growth = 0.5})));
    CHECK(CheckOptimizerOptions({.choices = {{"m", "winograd"}}}).ok());
    CHECK(CheckOptimizerOptions({.choices = {{"m", "fft"}}}).message() ==
          "OptimizerOptions: the choice of node 'm' is 'fft', not direct, winograd or size");
    const OptimizerOptions options{.level = OptimizerLevel::kExact, .disabled = {"pruning"}};
    for (const Pass& pass : kPasses)
      CHECK(IsPassOn(pass, options) == (pass.name != "pruning" && pass.level == OptimizerLevel::kExact));
  }

  TEST_CASE("rounds end at a limit with a graph that runs, and the report says so") {
    GraphBuilder b;
    Output at = b.Placeholder("x", DataType::kFloat, {2});
    for (int i = 0; i < 6; ++i) at = b.Add("Identity", StrCat("i", i), {b.Add("Neg", StrCat("n", i), {at})});
    b.Add("Abs", "y", {at});
    const Optimized none =
        Optimize(b.graph_def(), {{"x"}, {"y"}}, OptimizerOptions{.level = OptimizerLevel::kExact, .max_iterations = 0});
    CHECK(none.report.stopped == "max_iterations");
    CHECK(none.report.nodes_after == 14);
    const Optimized all = Optimize(b.graph_def(), {{"x"}, {"y"}}, OptimizerOptions{.level = OptimizerLevel::kExact});
    CHECK(all.report.stopped == "");
    CHECK(all.report.nodes_before == 14);
    CHECK(all.report.nodes_after == 2);
    CHECK(all.report.Find("pruning")->applied() >= 6);
  }

  TEST_CASE("nodes in `keep` stay") {
    GraphBuilder b;
    b.Add("Abs", "y", {b.Add("Identity", "k", {b.Add("Neg", "n", {b.Placeholder("x", DataType::kFloat, {2})})})});
    const Optimized kept =
        Optimize(b.graph_def(), {{"x"}, {"y"}}, OptimizerOptions{.level = OptimizerLevel::kExact, .keep = {"k"}});
    CHECK(Text(kept.def).find("k = ") != std::string::npos);
  }

  TEST_CASE("debug info stays with its node") {
    GraphBuilder b;
    b.Add("Mul", "y", {b.Placeholder("x", DataType::kFloat, {2}), b.Const("c", Tensor::Scalar(1.0f))});
    GraphDef def = b.graph_def();
    for (NodeDef& node : def.node) node.debug_info = StrCat("from ", node.name);
    const Optimized optimized = Optimize(def, {{"x"}, {"y"}}, OptimizerOptions{.level = OptimizerLevel::kExact});
    for (const NodeDef& node : optimized.def.node) CHECK(node.debug_info == StrCat("from ", node.name));
  }
}

}  // namespace optimizer_test
