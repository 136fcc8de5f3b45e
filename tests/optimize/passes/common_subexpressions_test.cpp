// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/common_subexpressions.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace common_subexpressions_test {
using namespace optimize_test;

namespace {

const Names kPass{"common_subgraph_elimination"};
const Tensor kTwo = Floats({1.5f, -2}, {2});

// y = Neg(x) + Neg(x)
struct Pair {
  GraphBuilder b;
  Output x = b.Placeholder("x", DataType::kFloat, {2});
  Output m = b.Add("Neg", "m", {x}), n = b.Add("Neg", "n", {x}), y = b.Add("AddV2", "y", {m, n});
};
const char* const kSame = "m = Neg(x); n = Neg(x); x = Placeholder(); y = AddV2(m, n)";

}  // namespace

TEST_SUITE("common subexpressions") {
  TEST_CASE("of equal nodes one stays, and of what follows from them") {
    Pair pair;
    CHECK(Text(CheckExact(pair.b.graph_def(), {{"x"}, {"y"}}, {kTwo}, kPass).def) ==
          "m = Neg(x); x = Placeholder(); y = AddV2(m, m)");
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2});
    const auto chain = [&](const char* c, const char* m) {
      return b.Add("Exp", StrCat(m, "e"), {b.Add("Mul", m, {x, b.Const(c, Floats({3, 4}, {2}))})});
    };
    b.Add("AddV2", "y", {chain("c", "m"), chain("d", "n")});
    const Optimized optimized = CheckExact(b.graph_def(), {{"x"}, {"y"}}, {kTwo}, kPass);
    CHECK(Text(optimized.def) == "m = Mul(x, c); me = Exp(m); x = Placeholder(); y = AddV2(me, me)");
    CHECK(Count(optimized.def, "Const") == 1);
  }

  TEST_CASE("attrs, outputs and constants are compared") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2});
    const Output m = b.Add("LeakyRelu", "m", {x}, {{"alpha", 0.1f}}),
                 n = b.Add("LeakyRelu", "n", {x}, {{"alpha", 0.3f}});
    b.Add("AddV2", "y", {m, n});
    b.Add("Mul", "z", {b.Const("c", Floats({1, 2}, {2})), b.Const("d", Floats({1, 3}, {2}))});
    const Optimized optimized = CheckExact(b.graph_def(), {{"x"}, {"y", "z"}}, {kTwo}, kPass);
    CHECK(Text(optimized.def) ==
          "m = LeakyRelu(x); n = LeakyRelu(x); x = Placeholder(); y = AddV2(m, n); z = Mul(c, d)");
  }

  TEST_CASE("random numbers are drawn twice") {
    GraphBuilder b;
    const Output shape = b.Const("shape", Tensor::From<std::int32_t>({2}, {1}));
    const auto random = [&](const char* name) {
      return b.Add("RandomUniform", name, {shape}, {{"dtype", DataType::kFloat}, {"seed", 7}});
    };
    b.Add("AddV2", "y", {random("m"), random("n")});
    CHECK(After(b.graph_def(), {{}, {"y"}}, kPass) ==
          "m = RandomUniform(shape); n = RandomUniform(shape); y = AddV2(m, n)");
  }

  TEST_CASE("it leaves alone a second node that ...") {
    Pair pair;
    SUBCASE("is fed") {
      CHECK(After(pair.b.graph_def(), {{"x", "n"}, {"y"}}, kPass) ==
            "m = Neg(x); n = Neg(); x = Placeholder(); y = AddV2(m, n)");
    }
    SUBCASE("is fetched") { CHECK(After(pair.b.graph_def(), {{"x"}, {"y", "n"}}, kPass) == kSame); }
    SUBCASE("is a target") { CHECK(After(pair.b.graph_def(), {{"x"}, {"y"}, {"n"}}, kPass) == kSame); }
    SUBCASE("waits for a node") {
      pair.b.AddControlInput(pair.n, pair.b.Add("Exp", "e", {pair.x}));
      CHECK(After(pair.b.graph_def(), {{"x"}, {"y"}}, kPass) ==
            "e = Exp(x); m = Neg(x); n = Neg(x, ^e); x = Placeholder(); y = AddV2(m, n)");
    }
    SUBCASE("is in another frame") {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat, {2}), c = b.Const("c", Tensor::Scalar(3.0f));
      const Output out = Loop(b, b.Add("Mul", "m", {x, c}), [&](Output v, Output one) {
        const Output d = b.Const("d", Tensor::Scalar(3.0f));
        b.AddControlInput(d, one);
        return b.Add("Mul", "n", {v, d});
      });
      b.Add("Neg", "y", {out});
      const Optimized optimized = Optimize(CloseLoop(b.graph_def()), {{"x"}, {"y"}}, kPass);
      CHECK(Text(optimized.def).find("n = Mul(loop/switch:1, d)") != std::string::npos);
    }
  }

  TEST_CASE("the time grows with the number of nodes") {
    GraphBuilder b;
    Output at = b.Placeholder("x", DataType::kFloat, {});
    const Output c = b.Const("c", Tensor::Scalar(1.5f));
    for (int i = 0; i < 3000; ++i) {
      b.Add("Mul", StrCat("unused", i), {at, c});
      at = b.Add("AddV2", StrCat("n", i),
                 {b.Add("Mul", StrCat("a", i), {at, c}), b.Add("Mul", StrCat("b", i), {at, c})});
    }
    const Optimized optimized = Optimize(b.graph_def(), {{"x"}, {"n2999"}}, kPass);
    CHECK(optimized.report.nodes_before == 9002);
    CHECK(optimized.report.nodes_after == 6002);
  }
}

}  // namespace common_subexpressions_test
