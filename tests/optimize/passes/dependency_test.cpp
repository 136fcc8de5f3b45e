// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/dependency.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace dependency_test {
using namespace optimize_test;

namespace {

const Names kPass{"dependency"};
const Tensor kTwo = Floats({1.5f, -2}, {2});

struct Waits {
  GraphBuilder b;
  Output x = b.Placeholder("x", DataType::kFloat, {2}), y = b.Add("Abs", "y", {x});
  GraphDef def() {
    REQUIRE(b.status().ok());
    return b.graph_def();
  }
  std::string Exact() { return Text(CheckExact(def(), {{"x"}, {"y"}}, {kTwo}, kPass).def); }
};

}  // namespace

TEST_SUITE("dependencies") {
  TEST_CASE("control edges from constants and beside a read go") {
    Waits constant;
    constant.b.AddControlInput(constant.y, constant.b.Const("c", Tensor::Scalar(1.0f)));
    CHECK(constant.Exact() == "x = Placeholder(); y = Abs(x)");
    Waits read;
    const Output m = read.b.Add("Neg", "m", {read.x}), z = read.b.Add("Exp", "z", {m});
    read.b.AddControlInput(z, m);
    CHECK(After(read.def(), {{"x"}, {"z"}}, kPass) == "m = Neg(x); x = Placeholder(); z = Exp(m)");
  }

  TEST_CASE("so do edges from nodes without effects, where the node is in their branch anyway") {
    Waits pure;
    pure.b.AddControlInput(pure.y, pure.b.Add("Neg", "n", {pure.x}));
    CHECK(pure.Exact() == "x = Placeholder(); y = Abs(x)");
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2}), c = b.Placeholder("c", DataType::kBool, {});
    const Output s = b.Add("Switch", "s", {x, c}), y = b.Add("Abs", "y", {s[1]});
    b.AddControlInput(y, b.Add("Neg", "n", {s[1]}));
    b.Add("Merge", "m", {GraphBuilder::Input({y, b.Add("Exp", "e", {s})})});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    CHECK(After(b.graph_def(), {{"x", "c"}, {"m"}}, kPass).find("y = Abs(s:1)") != std::string::npos);
  }

  TEST_CASE("a NoOp hands on what it waits for, where that makes no more edges") {
    Waits one;
    const Output p = one.b.Add("Print", "p", {one.x, GraphBuilder::Input(SlimVector<Output>{one.x})}),
                 no = one.b.Add("NoOp", "no");
    one.b.AddControlInput(no, p);
    one.b.AddControlInput(one.y, no);
    CHECK(After(one.def(), {{"x"}, {"y"}}, kPass) == "p = Print(x, x); x = Placeholder(); y = Abs(x, ^p)");
    Waits many;
    const Output hub = many.b.Add("NoOp", "hub");
    for (int i = 0; i < 3; ++i)
      many.b.AddControlInput(
          hub, many.b.Add("Print", StrCat("p", i), {many.x, GraphBuilder::Input(SlimVector<Output>{many.x})}));
    for (int i = 0; i < 3; ++i) many.b.AddControlInput(many.b.Add("Neg", StrCat("z", i), {many.x}), hub);
    CHECK(After(many.def(), {{"x"}, {"z0", "z1", "z2"}}, kPass).find("hub = NoOp(^p0, ^p1, ^p2)") != std::string::npos);
  }

  TEST_CASE("a node that only orders others becomes their edges") {
    Waits pure;
    const Output p = pure.b.Add("Print", "p", {pure.x, GraphBuilder::Input(SlimVector<Output>{pure.x})});
    pure.b.AddControlInput(pure.y, pure.b.Add("Neg", "n", {p}));
    CHECK(After(pure.def(), {{"x"}, {"y"}}, kPass) == "p = Print(x, x); x = Placeholder(); y = Abs(x, ^p)");
  }

  TEST_CASE("it leaves alone a node that ...") {
    Waits waits;
    const Output n = waits.b.Add("Neg", "n", {waits.x});
    waits.b.AddControlInput(waits.y, n);
    const std::string same = "n = Neg(x); x = Placeholder(); y = Abs(x, ^n)";
    SUBCASE("is fed") { CHECK(After(waits.def(), {{"x", "n"}, {"y"}}, kPass) == same); }
    SUBCASE("is fetched: only the edge goes") {
      CHECK(After(waits.def(), {{"x"}, {"y", "n"}}, kPass) == "n = Neg(x); x = Placeholder(); y = Abs(x)");
    }
    SUBCASE("is a target: only the edge goes") {
      CHECK(After(waits.def(), {{"x"}, {"y"}, {"n"}}, kPass) == "n = Neg(x); x = Placeholder(); y = Abs(x)");
    }
    SUBCASE("has an effect before it") {
      Waits prints;
      const Output p = prints.b.Add("Print", "p", {prints.x, GraphBuilder::Input(SlimVector<Output>{prints.x})});
      const Output e = prints.b.Add("Exp", "e", {p});
      prints.b.AddControlInput(prints.y, e);
      CHECK(After(prints.def(), {{"x"}, {"y", "e"}}, kPass) ==
            "e = Exp(p); p = Print(x, x); x = Placeholder(); y = Abs(x, ^e)");
    }
    SUBCASE("is in a branch") {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat, {2}), c = b.Placeholder("c", DataType::kBool, {});
      const Output s = b.Add("Switch", "s", {x, c}), neg = b.Add("Neg", "n", {s[1]}), y = b.Add("Abs", "y", {x});
      b.AddControlInput(y, neg);
      b.Add("Merge", "m", {GraphBuilder::Input({y, b.Add("Exp", "e", {s})})});
      REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
      CHECK(After(b.graph_def(), {{"x", "c"}, {"m"}}, kPass).find("y = Abs(x, ^n)") != std::string::npos);
    }
    SUBCASE("does more than compute") {
      Waits prints;
      prints.b.AddControlInput(
          prints.y, prints.b.Add("Print", "n", {prints.x, GraphBuilder::Input(SlimVector<Output>{prints.x})}));
      CHECK(After(prints.def(), {{"x"}, {"y"}}, kPass) == "n = Print(x, x); x = Placeholder(); y = Abs(x, ^n)");
    }
    SUBCASE("keeps a constant in its frame") {
      GraphBuilder b;
      const Output out = Loop(b, b.Placeholder("x", DataType::kFloat, {2}), [&](Output v, Output one) {
        const Output c = b.Const("c", Tensor::Scalar(3.0f));
        b.AddControlInput(c, one);
        return b.Add("Mul", "m", {v, c});
      });
      b.Add("Neg", "y", {out});
      CHECK(After(CloseLoop(b.graph_def()), {{"x"}, {"y"}}, kPass).find("m = Mul(loop/switch:1, c)") !=
            std::string::npos);
      const Optimized optimized = Optimize(CloseLoop(b.graph_def()), {{"x"}, {"y"}}, kPass);
      for (const NodeDef& node : optimized.def.node)
        if (node.name == "c") CHECK(node.input == SlimVector<std::string>{"^loop/one"});
    }
  }
}

}  // namespace dependency_test
