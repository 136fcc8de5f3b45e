// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/constant_folding.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace constant_folding_test {
using namespace optimize_test;

namespace {

const Names kPass{"constant_folding"};
const Tensor kTwo = Floats({1.5f, -2}, {2});

// y = x * Neg(c), and z = 3 * Neg(c)
GraphDef Folds(bool control = false) {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, {2}), c = b.Const("c", Floats({3, 4}, {2}));
  const Output n = b.Add("Neg", "n", {c});
  if (control) b.AddControlInput(n, b.Add("Exp", "e", {x}));
  b.Add("Mul", "y", {x, n});
  REQUIRE(b.status().ok());
  return b.graph_def();
}

}  // namespace

TEST_SUITE("constant folding") {
  TEST_CASE("nodes that depend on constants become constants") {
    const Optimized one = CheckExact(Folds(), {{"x"}, {"y"}}, {kTwo}, kPass);
    CHECK(Text(one.def) == "x = Placeholder(); y = Mul(x, n)");
    CHECK(Count(one.def, "Const") == 1);
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2});
    const Output parts =
        b.Add("Split", "s", {b.Const("axis", Tensor::Scalar<std::int32_t>(0)), b.Const("c", Floats({3, 4}, {2}))},
              {{"num_split", 2}});
    b.Add("Mul", "y", {b.Add("Mul", "m", {x, parts[0]}), parts[1]});
    CHECK(Text(CheckExact(b.graph_def(), {{"x"}, {"y"}}, {kTwo}, kPass).def) ==
          "m = Mul(x, s/opt_0); x = Placeholder(); y = Mul(m, s/opt_1)");
  }

  TEST_CASE("a node that fails stays, and so does the error") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kInt32, {2});
    const Output bad =
        b.Add("FloorDiv", "bad",
              {b.Const("c", Tensor::Scalar<std::int32_t>(1)), b.Const("d", Tensor::Scalar<std::int32_t>(0))});
    b.Add("Mul", "y", {x, bad});
    CHECK(After(b.graph_def(), {{"x"}, {"y"}}, kPass) == "bad = FloorDiv(c, d); x = Placeholder(); y = Mul(x, bad)");
  }

  TEST_CASE("results of more than 10 MiB, and nodes with state, stay") {
    GraphBuilder b;
    const Output fill =
        b.Add("Fill", "fill",
              {b.Const("dims", Tensor::From<std::int32_t>({1 << 22}, {1})), b.Const("v", Tensor::Scalar(1.0f))});
    const Output random = b.Add("RandomUniform", "random", {b.Const("shape", Tensor::From<std::int32_t>({2}, {1}))},
                                {{"dtype", DataType::kFloat}});
    b.Add("Neg", "y", {fill});
    b.Add("Neg", "z", {random});
    CHECK(After(b.graph_def(), {{}, {"y", "z"}}, kPass) ==
          "fill = Fill(dims, v); random = RandomUniform(shape); y = Neg(fill); z = Neg(random)");
  }

  TEST_CASE("it leaves alone a node that ...") {
    SUBCASE("gives a variable its value, and nothing else reads it") {
      GraphBuilder b;
      const Output c = b.Const("c", Floats({3, 4}, {2}));
      const Output m = b.Add("Neg", "m", {b.Add("Neg", "n", {c})});
      b.Add("AssignVariableOp", "v",
            {b.Add("VarHandleOp", "h", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}}), m});
      b.Add("Identity", "y", {b.Add("Neg", "k", {m})});
      CHECK(After(b.graph_def(), {{}, {}, {"v"}}, kPass) ==
            "h = VarHandleOp(); m = Neg(n); n = Neg(c); v = AssignVariableOp(h, m)");
      CHECK(After(b.graph_def(), {{}, {"y"}, {"v"}}, kPass) ==
            "h = VarHandleOp(); v = AssignVariableOp(h, m); y = Identity(k)");
    }
    SUBCASE("is fed, or reads what is fed") {
      CHECK(After(Folds(), {{"x", "n"}, {"y"}}, kPass) == "n = Neg(); x = Placeholder(); y = Mul(x, n)");
      CHECK(After(Folds(), {{"x", "c"}, {"y"}}, kPass) == "n = Neg(c); x = Placeholder(); y = Mul(x, n)");
    }
    SUBCASE("is fetched") {
      CHECK(After(Folds(), {{"x"}, {"y", "n"}}, kPass) == "n = Neg(c); x = Placeholder(); y = Mul(x, n)");
    }
    SUBCASE("is a target") {
      CHECK(After(Folds(), {{"x"}, {"y"}, {"n"}}, kPass) == "n = Neg(c); x = Placeholder(); y = Mul(x, n)");
    }
    SUBCASE("waits for a node") {
      CHECK(After(Folds(true), {{"x"}, {"y"}}, kPass) ==
            "e = Exp(x); n = Neg(c, ^e); x = Placeholder(); y = Mul(x, n)");
    }
    SUBCASE("is in another frame") {
      GraphBuilder b;
      const Output out = Loop(b, b.Placeholder("x", DataType::kFloat, {2}), [&](Output v, Output one) {
        const Output c = b.Const("c", Tensor::Scalar(3.0f));
        b.AddControlInput(c, one);
        return b.Add("Mul", "m", {v, b.Add("Neg", "n", {c})});
      });
      b.Add("Neg", "y", {out});
      CHECK(After(CloseLoop(b.graph_def()), {{"x"}, {"y"}}, kPass).find("n = Neg(c)") != std::string::npos);
    }
  }
}

}  // namespace constant_folding_test
