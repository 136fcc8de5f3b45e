// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/shape.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace shape_test {
using namespace optimize_test;

namespace {

const Names kPass{"shape"};

// y = Neg(op(m)) for m = Exp(x), of shape `shape`
GraphDef ShapeOf(const char* op, PartialTensorShape shape, bool control = false) {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, shape), m = b.Add("Exp", "m", {x}), s = b.Add(op, "s", {m});
  if (control) b.AddControlInput(s, b.Add("Abs", "a", {x}));
  b.Add("Neg", "y", {s});
  REQUIRE(b.status().ok());
  return b.graph_def();
}
const Tensor kSix = Floats({1, 2, 3, 4, 5, 6}, {2, 3});

}  // namespace

TEST_SUITE("shape materialisation") {
  TEST_CASE("known shapes, sizes and ranks are constants") {
    for (const char* op : {"Shape", "Size", "Rank"})
      CHECK(Text(CheckExact(ShapeOf(op, {2, 3}), {{"x"}, {"y"}}, {kSix}, kPass).def) ==
            "x = Placeholder(); y = Neg(s)");
    CHECK(Text(CheckExact(ShapeOf("Rank", {-1, 3}), {{"x"}, {"y"}}, {kSix}, kPass).def) ==
          "x = Placeholder(); y = Neg(s)");
    CHECK(After(ShapeOf("Shape", {-1, 3}), {{"x"}, {"y"}}, kPass) ==
          "m = Exp(x); s = Shape(m); x = Placeholder(); y = Neg(s)");
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2, 3}), z = b.Placeholder("z", DataType::kFloat, {-1});
    const Output shapes = b.Add("ShapeN", "s", {GraphBuilder::Input({x, z})});
    b.Add("Neg", "y", {shapes[0]});
    b.Add("Neg", "u", {shapes[1]});
    CHECK(After(b.graph_def(), {{"x", "z"}, {"y", "u"}}, kPass) ==
          "s = ShapeN(x, z); u = Neg(s:1); x = Placeholder(); y = Neg(s/opt_0); z = Placeholder()");
  }

  TEST_CASE("a known size of an unknown shape is a constant") {
    for (const bool known : {false, true}) {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat, {-1, 3});
      const auto at = [&](const char* name, std::int32_t i) {
        return b.Const(name, Tensor::From<std::int32_t>({i}, {1}));
      };
      const Output s = b.Add("StridedSlice", "s",
                             {b.Add("Shape", "shape", {x}), at("b", known ? 1 : 0), at("e", known ? 2 : 1), at("t", 1)},
                             {{"shrink_axis_mask", 1}});
      b.Add("Neg", "y", {s});
      const Optimized optimized = CheckExact(b.graph_def(), {{"x"}, {"y"}}, {kSix}, kPass);
      CHECK(Count(optimized.def, "StridedSlice") == (known ? 0 : 1));
    }
  }

  TEST_CASE("the shape of what depends on a feed is not known") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2, 3}), m = b.Add("Exp", "m", {x}),
                 n = b.Add("Abs", "n", {m});
    b.Add("Neg", "y", {b.Add("Shape", "s", {n})});
    CHECK(After(b.graph_def(), {{"m"}, {"y"}}, kPass) == "m = Exp(); n = Abs(m); s = Shape(n); y = Neg(s)");
    CHECK(After(b.graph_def(), {{"x"}, {"y"}}, kPass) == "x = Placeholder(); y = Neg(s)");
  }

  TEST_CASE("a placeholder that is not fed stays, and so does its error") {
    const GraphDef def = ShapeOf("Shape", {2, 3});
    CHECK(After(def, {{}, {"y"}}, kPass) == "x = Placeholder(); y = Neg(s)");
  }

  TEST_CASE("it leaves alone a node that ...") {
    const GraphDef plain = ShapeOf("Shape", {2, 3});
    const std::string same = "m = Exp(x); s = Shape(m); x = Placeholder(); y = Neg(s)";
    SUBCASE("is fed") { CHECK(After(plain, {{"s"}, {"y"}}, kPass) == "s = Shape(); y = Neg(s)"); }
    SUBCASE("is fetched") { CHECK(After(plain, {{"x"}, {"y", "s"}}, kPass) == same); }
    SUBCASE("is a target") { CHECK(After(plain, {{"x"}, {"y"}, {"s"}}, kPass) == same); }
    SUBCASE("waits for a node") {
      CHECK(After(ShapeOf("Shape", {2, 3}, true), {{"x"}, {"y"}}, kPass) ==
            "a = Abs(x); m = Exp(x); s = Shape(m, ^a); x = Placeholder(); y = Neg(s)");
    }
    SUBCASE("is in another frame") {
      GraphBuilder b;
      const Output out = Loop(b, b.Placeholder("x", DataType::kInt32, {1}),
                              [&](Output v, Output) { return b.Add("Shape", "s", {v}); });
      b.Add("Neg", "y", {out});
      CHECK(After(CloseLoop(b.graph_def()), {{"x"}, {"y"}}, kPass).find("s = Shape(loop/switch:1)") !=
            std::string::npos);
    }
    SUBCASE("a branch may skip") {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kInt32, {1}), c = b.Placeholder("c", DataType::kBool, {});
      const Output s = b.Add("Switch", "s", {x, c});
      b.Add("Merge", "y", {GraphBuilder::Input({b.Add("Shape", "n", {s[1]}), s[0]})});
      REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
      CHECK(After(b.graph_def(), {{"x", "c"}, {"y"}}, kPass).find("n = Shape(s:1)") != std::string::npos);
    }
  }
}

}  // namespace shape_test
