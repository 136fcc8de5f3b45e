// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/arithmetic.hpp>

#include <doctest/doctest.h>

#include <limits>

#include "optimize/optimizing.hpp"

namespace arithmetic_test {
using namespace optimize_test;

namespace {

const Names kPass{"arithmetic"};
constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Unary {
  GraphBuilder b;
  Output x = b.Placeholder("x", DataType::kFloat, {2, 3});
  Tensor value = Floats({-1.5f, 0, -0.0f, 2, 0.5f, kInfinity}, {2, 3});
  Output F(const char* name, float v) { return b.Const(name, Tensor::Scalar(v)); }
  const GraphDef& def() {
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    return b.graph_def();
  }
  std::string Exact() { return Text(CheckExact(def(), {{"x"}, {"y"}}, {value}, kPass).def); }
  std::string Fast() { return After(def(), {{"x"}, {"y"}}, kPass); }
  std::string Untouched() { return After(def(), {{"x"}, {"y"}}, kPass, OptimizerLevel::kExact); }
};

}  // namespace

TEST_SUITE("arithmetic") {
  TEST_CASE("a mask of the own shape chooses nothing") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {-1, 2}),
                 mask = b.Placeholder("mask", DataType::kBool, {1, 2});
    const Output ones = b.Add("Fill", "ones", {b.Add("Shape", "shape", {x}), b.Const("true", Tensor::Scalar(true))});
    const Output both = b.Add("LogicalAnd", "both", {ones, mask});
    b.Add("SelectV2", "y", {both, x, b.Const("c", Tensor::Scalar(-9.0f))});
    const RunEnds ends{{"x", "mask"}, {"y"}};
    const Tensor bits = Tensor::From<bool>({true, false}, {1, 2});
    const Optimized optimized = CheckExact(b.graph_def(), ends, {Floats({1, 2, 3, 4}, {2, 2}), bits}, {"arithmetic"});
    CHECK(Text(optimized.def) == "mask = Placeholder(); x = Placeholder(); y = SelectV2(mask, x, c)");
    CHECK(Count(Optimize(b.graph_def(), {{"x", "mask", "ones"}, {"y"}}, {"arithmetic"}).def, "LogicalAnd") == 1);
  }
  TEST_CASE("nodes that give back their input hand it on") {
    Unary one;
    one.b.Add("Neg", "y", {one.b.Add("Mul", "m", {one.x, one.F("c", 1)})});
    CHECK(one.Exact() == "x = Placeholder(); y = Neg(x)");
    Unary left;
    left.b.Add("Neg", "y", {left.b.Add("Mul", "m", {left.F("c", 1), left.x})});
    CHECK(left.Exact() == "x = Placeholder(); y = Neg(x)");
    Unary divided;
    divided.b.Add("Neg", "y", {divided.b.Add("RealDiv", "m", {divided.x, divided.F("c", 1)})});
    CHECK(divided.Exact() == "x = Placeholder(); y = Neg(x)");
    Unary minus;
    minus.b.Add("Neg", "y", {minus.b.Add("Sub", "m", {minus.x, minus.F("c", 0)})});
    CHECK(minus.Exact() == "x = Placeholder(); y = Neg(x)");
    Unary fetched;
    fetched.b.Add("Mul", "y", {fetched.x, fetched.F("c", 1)});
    CHECK(fetched.Exact() == "x = Placeholder(); y = Identity(x)");
  }

  TEST_CASE("x + 0 is x but for the sign of zero: exact for integers alone") {
    Unary floats;
    floats.b.Add("Neg", "y", {floats.b.Add("AddV2", "m", {floats.x, floats.F("c", 0)})});
    CHECK(floats.Untouched() == "m = AddV2(x, c); x = Placeholder(); y = Neg(m)");
    CHECK(floats.Fast() == "x = Placeholder(); y = Neg(x)");
    Unary signed_zero;
    signed_zero.b.Add("Neg", "y", {signed_zero.b.Add("Sub", "m", {signed_zero.x, signed_zero.F("c", -0.0f)})});
    CHECK(signed_zero.Untouched() == "m = Sub(x, c); x = Placeholder(); y = Neg(m)");
    GraphBuilder b;
    const Output i = b.Placeholder("x", DataType::kInt32, {2});
    b.Add("Neg", "y", {b.Add("AddV2", "m", {b.Const("c", Tensor::Scalar<std::int32_t>(0)), i})});
    CHECK(After(b.graph_def(), {{"x"}, {"y"}}, kPass, OptimizerLevel::kExact) == "x = Placeholder(); y = Neg(x)");
  }

  TEST_CASE("a constant that broadcasts stays") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {3});
    b.Add("Mul", "y", {x, b.Const("c", Floats({1, 1, 1, 1, 1, 1}, {2, 3}))});
    CHECK(After(b.graph_def(), {{"x"}, {"y"}}, kPass) == "x = Placeholder(); y = Mul(x, c)");
  }

  TEST_CASE("pairs that undo each other go") {
    for (const char* op : {"Neg"}) {
      Unary pair;
      pair.b.Add("Abs", "y", {pair.b.Add(op, "n", {pair.b.Add(op, "m", {pair.x})})});
      CHECK(pair.Exact() == "x = Placeholder(); y = Abs(x)");
    }
    Unary fetched;
    fetched.b.Add("Neg", "y", {fetched.b.Add("Neg", "m", {fetched.x})});
    CHECK(fetched.Exact() == "x = Placeholder(); y = Identity(x)");
    Unary reciprocal;
    reciprocal.b.Add("Abs", "y", {reciprocal.b.Add("Reciprocal", "n", {reciprocal.b.Add("Inv", "m", {reciprocal.x})})});
    CHECK(reciprocal.Fast() == "x = Placeholder(); y = Abs(x)");
    CHECK(reciprocal.Untouched() == "m = Inv(x); n = Reciprocal(m); x = Placeholder(); y = Abs(n)");
    for (const char* op : {"Abs", "Ceil", "Floor", "Rint", "Sign", "Relu", "Relu6"}) {
      Unary twice;
      twice.b.Add("Neg", "y", {twice.b.Add(op, "n", {twice.b.Add(op, "m", {twice.x})})});
      CHECK(twice.Exact() == StrCat("m = ", op, "(x); x = Placeholder(); y = Neg(m)"));
    }
    Unary different;
    different.b.Add("Relu", "y", {different.b.Add("Abs", "m", {different.x})});
    CHECK(different.Untouched() == "m = Abs(x); x = Placeholder(); y = Relu(m)");
  }

  TEST_CASE("negations join sums, and a square is one node") {
    Unary sum;
    sum.b.Add("AddV2", "y", {sum.b.Add("Neg", "n", {sum.x}), sum.b.Add("Abs", "a", {sum.x})});
    CHECK(sum.Exact() == "a = Abs(x); x = Placeholder(); y = Sub(a, x)");
    Unary difference;
    difference.b.Add("Sub", "y",
                     {difference.b.Add("Abs", "a", {difference.x}), difference.b.Add("Neg", "n", {difference.x})});
    CHECK(difference.Exact() == "a = Abs(x); x = Placeholder(); y = AddV2(a, x)");
    Unary square;
    square.b.Add("Mul", "y", {square.x, square.x});
    CHECK(square.Exact() == "x = Placeholder(); y = Square(x)");
  }

  TEST_CASE("activations, choices and negations that others make needless go") {
    const auto chain = [](std::initializer_list<const char*> ops) {
      Unary net;
      Output out = net.x;
      int i = 0;
      for (const char* op : ops) out = net.b.Add(op, StrCat("n", i++), {out});
      net.b.Add("Tanh", "y", {out});
      return net.Exact();
    };
    CHECK(chain({"Relu", "Relu6"}) == "n1 = Relu6(x); x = Placeholder(); y = Tanh(n1)");
    CHECK(chain({"Relu6", "Relu"}) == "n0 = Relu6(x); x = Placeholder(); y = Tanh(n0)");
    CHECK(chain({"Neg", "Abs"}) == "n1 = Abs(x); x = Placeholder(); y = Tanh(n1)");
    CHECK(chain({"Neg", "Square"}) == "n1 = Square(x); x = Placeholder(); y = Tanh(n1)");
    CHECK(chain({"Abs", "Square"}) == "n1 = Square(x); x = Placeholder(); y = Tanh(n1)");
    for (const char* op : {"Maximum", "Minimum"}) {
      Unary choice;
      choice.b.Add("Neg", "y", {choice.b.Add(op, "m", {choice.x, choice.x})});
      CHECK(choice.Exact() == "x = Placeholder(); y = Neg(x)");
    }
    for (const char* op : {"Mul", "RealDiv"}) {
      Unary pair;
      const Output e = pair.b.Add("Exp", "e", {pair.x});
      pair.b.Add(op, "y", {pair.b.Add("Neg", "m", {pair.x}), pair.b.Add("Neg", "n", {e})});
      CHECK(pair.Exact() == StrCat("e = Exp(x); x = Placeholder(); y = ", op, "(x, e)"));
    }
    Unary difference;
    difference.b.Add("Neg", "y",
                     {difference.b.Add("Sub", "d", {difference.x, difference.b.Add("Exp", "e", {difference.x})})});
    CHECK(difference.Fast() == "e = Exp(x); x = Placeholder(); y = Sub(e, x)");
    CHECK(difference.Untouched() == "d = Sub(x, e); e = Exp(x); x = Placeholder(); y = Neg(d)");
    for (const bool may_differ : {false, true}) {
      Unary equal;
      const Output e =
          equal.b.Add("Equal", "e", {equal.x, equal.F("c", 2)}, {{"incompatible_shape_error", !may_differ}});
      equal.b.Add("LogicalNot", "y", {e});
      CHECK(equal.Untouched() == (may_differ ? "e = Equal(x, c); x = Placeholder(); y = LogicalNot(e)"
                                             : "x = Placeholder(); y = NotEqual(x, c)"));
    }
  }

  TEST_CASE("x - x is zero for integers of a known shape") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kInt32, {2});
    b.Add("Sign", "y", {b.Add("Sub", "m", {x, x})});
    CHECK(Text(CheckExact(b.graph_def(), {{"x"}, {"y"}}, {Tensor::From<std::int32_t>({3, -4}, {2})}, kPass).def) ==
          "x = Placeholder(); y = Sign(m)");
    Unary floats;
    floats.b.Add("Sign", "y", {floats.b.Add("Sub", "m", {floats.x, floats.x})});
    CHECK(floats.Fast() == "m = Sub(x, x); x = Placeholder(); y = Sign(m)");
  }

  TEST_CASE("powers of constants have nodes of their own") {
    const std::pair<float, const char*> kPowers[] = {{1, "y = Identity(x)"},
                                                     {2, "y = Square(x)"},
                                                     {0.5f, "y = Sqrt(x)"},
                                                     {-0.5f, "y = Rsqrt(x)"},
                                                     {-1, "y = Reciprocal(x)"}};
    for (const auto& [power, want] : kPowers) {
      Unary pow;
      pow.b.Add("Pow", "y", {pow.x, pow.F("c", power)});
      CHECK(pow.Fast() == StrCat("x = Placeholder(); ", want));
      CHECK(pow.Untouched() == "x = Placeholder(); y = Pow(x, c)");
    }
    Unary cube;
    cube.b.Add("Pow", "y", {cube.x, cube.F("c", 3)});
    CHECK(cube.Fast() == "x = Placeholder(); y = Mul(x, y/opt_0); y/opt_0 = Square(x)");
    Unary other;
    other.b.Add("Pow", "y", {other.x, other.F("c", 2.5f)});
    CHECK(other.Fast() == "x = Placeholder(); y = Pow(x, c)");
  }

  TEST_CASE("other forms with other digits") {
    Unary divided;
    divided.b.Add("RealDiv", "y", {divided.x, divided.F("c", 3)});
    CHECK(divided.Fast() == "x = Placeholder(); y = Mul(x, y/opt_0); y/opt_0 = Reciprocal(c)");
    Unary root;
    root.b.Add("RealDiv", "y", {root.b.Add("Abs", "a", {root.x}), root.b.Add("Sqrt", "s", {root.x})});
    CHECK(root.Fast() == "a = Abs(x); x = Placeholder(); y = Mul(a, y/opt_0); y/opt_0 = Rsqrt(x)");
    Unary log;
    log.b.Add("Log", "y", {log.b.Add("Softmax", "s", {log.x})});
    CHECK(log.Fast() == "x = Placeholder(); y = LogSoftmax(x)");
    Unary log1p;
    log1p.b.Add("Log", "y", {log1p.b.Add("AddV2", "s", {log1p.F("c", 1), log1p.x})});
    CHECK(log1p.Fast() == "x = Placeholder(); y = Log1p(x)");
    Unary expm1;
    expm1.b.Add("Sub", "y", {expm1.b.Add("Exp", "s", {expm1.x}), expm1.F("c", 1)});
    CHECK(expm1.Fast() == "x = Placeholder(); y = Expm1(x)");
  }

  TEST_CASE("casts: none to the same type, one for two where the first loses nothing") {
    Unary same;
    same.b.Add("Neg", "y", {same.b.Add("Cast", "m", {same.x}, {{"DstT", DataType::kFloat}})});
    CHECK(same.Exact() == "x = Placeholder(); y = Neg(x)");
    Unary widened;
    widened.b.Add("Cast", "y", {widened.b.Add("Cast", "m", {widened.x}, {{"DstT", DataType::kDouble}})},
                  {{"DstT", DataType::kFloat}});
    CHECK(widened.Exact() == "x = Placeholder(); y = Identity(x)");
    Unary narrowed;
    narrowed.b.Add("Cast", "y", {narrowed.b.Add("Cast", "m", {narrowed.x}, {{"DstT", DataType::kHalf}})},
                   {{"DstT", DataType::kFloat}});
    CHECK(narrowed.Fast() == "m = Cast(x); x = Placeholder(); y = Cast(m)");
  }

  TEST_CASE("it leaves alone a pair whose inner node ...") {
    // Neg(Neg(x)), read by Abs.
    const auto pair = [](auto&& change) {
      Unary u;
      const Output m = u.b.Add("Neg", "m", {u.x}), n = u.b.Add("Neg", "n", {m});
      u.b.Add("Exp", "y", {n});
      change(u, m, n);
      return u.def();
    };
    const GraphDef plain = pair([](Unary&, Output, Output) {});
    SUBCASE("is fed") {
      CHECK(After(plain, {{"x", "m"}, {"y"}}, kPass).find("n = Neg(m); ") != std::string::npos);
      CHECK(After(plain, {{"x", "n"}, {"y"}}, kPass).find("y = Exp(n)") != std::string::npos);
    }
    SUBCASE("is fetched: it stays, though nothing reads it") {
      CHECK(After(plain, {{"x"}, {"y", "m"}}, kPass) == "m = Neg(x); x = Placeholder(); y = Exp(x)");
    }
    SUBCASE("is a target") {
      CHECK(After(plain, {{"x"}, {"y"}, {"m"}}, kPass) == "m = Neg(x); x = Placeholder(); y = Exp(x)");
    }
    SUBCASE("waits for a node") {
      const GraphDef def = pair([](Unary& u, Output m, Output) { u.b.AddControlInput(m, u.b.Add("Abs", "c", {u.x})); });
      CHECK(After(def, {{"x"}, {"y"}}, kPass) ==
            "c = Abs(x); m = Neg(x, ^c); n = Neg(m); x = Placeholder(); y = Exp(n)");
    }
    SUBCASE("is in another frame") {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat, {2});
      const Output out = Loop(b, b.Add("Neg", "m", {x}), [&](Output v, Output) { return b.Add("Neg", "n", {v}); });
      b.Add("Neg", "y", {out});
      const std::string text = After(CloseLoop(b.graph_def()), {{"x"}, {"y"}}, kPass);
      CHECK(text.find("m = Neg(x)") != std::string::npos);
      CHECK(text.find("n = Neg(loop/switch:1)") != std::string::npos);
      CHECK(text.find("y = Neg(loop/exit)") != std::string::npos);
    }
  }
}

}  // namespace arithmetic_test
