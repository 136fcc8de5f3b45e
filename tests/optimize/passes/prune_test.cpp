// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/prune.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace prune_test {
using namespace optimize_test;

namespace {

const Names kPass{"pruning"};
const Tensor kTwo = Floats({1.5f, -2}, {2});

// y = Abs(op(Neg(x)))
GraphDef Around(const char* op, bool control = false) {
  GraphBuilder b;
  const Output x = b.Placeholder("x", DataType::kFloat, {2}), m = b.Add("Neg", "m", {x}), n = b.Add(op, "n", {m});
  if (control) b.AddControlInput(n, b.Add("Exp", "c", {x}));
  b.Add("Abs", "y", {n});
  b.Add("Neg", "unused", {n});
  REQUIRE(b.status().ok());
  return b.graph_def();
}

}  // namespace

TEST_SUITE("pruning") {
  TEST_CASE("nodes that hand their input on go, and nodes that nothing reads") {
    for (const char* op : {"Identity", "StopGradient", "PreventGradient", "Snapshot"})
      CHECK(Text(CheckExact(Around(op), {{"x"}, {"y"}}, {kTwo}, kPass).def) ==
            "m = Neg(x); x = Placeholder(); y = Abs(m)");
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2});
    b.Add("Abs", "y", {b.Add("IdentityN", "n", {GraphBuilder::Input({b.Add("Neg", "m", {x})})})});
    CHECK(Text(CheckExact(b.graph_def(), {{"x"}, {"y"}}, {kTwo}, kPass).def) ==
          "m = Neg(x); x = Placeholder(); y = Abs(m)");
  }

  TEST_CASE("readers of an IdentityN read its inputs, other than where ...") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2}), m = b.Add("Neg", "m", {x});
    const Output n = b.Add("IdentityN", "n", {GraphBuilder::Input({m, x, m})});
    b.Add("Mul", "y", {n[0], n[1]});
    b.Add("Abs", "z", {n[2]});
    SUBCASE("nothing forbids it") {
      CHECK(Text(CheckExact(b.graph_def(), {{"x"}, {"y", "z"}}, {kTwo}, kPass).def) ==
            "m = Neg(x); x = Placeholder(); y = Mul(m, x); z = Abs(m)");
    }
    SUBCASE("it is fetched") {
      CHECK(Text(CheckExact(b.graph_def(), {{"x"}, {"y", "n:2"}}, {kTwo}, kPass).def) ==
            "m = Neg(x); n = IdentityN(m, x, m); x = Placeholder(); y = Mul(m, x)");
    }
    SUBCASE("it is fed") {
      CHECK(After(b.graph_def(), {{"x", "n:1"}, {"y"}}, kPass) ==
            "m = Neg(x); n = IdentityN(m, x, m); x = Placeholder(); y = Mul(n, n:1)");
    }
    SUBCASE("it waits for a node") {
      b.AddControlInput(n, b.Add("Exp", "c", {x}));
      CHECK(Count(Optimize(b.graph_def(), {{"x"}, {"y"}}, kPass).def, "IdentityN") == 1);
    }
    SUBCASE("a node waits for it") {
      b.AddControlInput(b.Add("Exp", "c", {x}), n);
      CHECK(After(b.graph_def(), {{"x"}, {"y", "c"}}, kPass) ==
            "c = Exp(x, ^n); m = Neg(x); n = IdentityN(m, x, m); x = Placeholder(); y = Mul(m, x)");
    }
  }

  TEST_CASE("a chain of identities leaves one node under the fetched name") {
    GraphBuilder b;
    Output at = b.Add("Neg", "m", {b.Placeholder("x", DataType::kFloat, {2})});
    for (const char* name : {"a", "b", "y"}) at = b.Add("Identity", name, {at});
    CHECK(Text(CheckExact(b.graph_def(), {{"x"}, {"y"}}, {kTwo}, kPass).def) == "x = Placeholder(); y = Neg(x)");
    CHECK(After(b.graph_def(), {{"x"}, {"y", "m"}}, kPass) == "m = Neg(x); x = Placeholder(); y = Identity(m)");
  }

  TEST_CASE("a node that others wait for stays") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2}), n = b.Add("Identity", "n", {b.Add("Neg", "m", {x})});
    b.AddControlInput(b.Add("Abs", "y", {x}), n);
    CHECK(After(b.graph_def(), {{"x"}, {"y"}}, kPass) ==
          "m = Neg(x); n = Identity(m); x = Placeholder(); y = Abs(x, ^n)");
  }

  TEST_CASE("it leaves alone an identity that ...") {
    const GraphDef plain = Around("Identity");
    SUBCASE("is fed") { CHECK(After(plain, {{"n"}, {"y"}}, kPass) == "n = Identity(); y = Abs(n)"); }
    SUBCASE("is fetched") {
      CHECK(After(plain, {{"x"}, {"y", "n"}}, kPass) == "m = Neg(x); n = Identity(m); x = Placeholder(); y = Abs(m)");
    }
    SUBCASE("is a target") {
      CHECK(After(plain, {{"x"}, {"y"}, {"n"}}, kPass) == "m = Neg(x); n = Identity(m); x = Placeholder(); y = Abs(m)");
    }
    SUBCASE("waits for a node") {
      CHECK(After(Around("Identity", true), {{"x"}, {"y"}}, kPass) ==
            "c = Exp(x); m = Neg(x); n = Identity(m, ^c); x = Placeholder(); y = Abs(n)");
      CHECK(After(Around("StopGradient", true), {{"x"}, {"y"}}, kPass) ==
            "c = Exp(x); m = Neg(x); n = Identity(m, ^c); x = Placeholder(); y = Abs(n)");
    }
    SUBCASE("takes a branch, for a node that waits for it") {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat, {2}), c = b.Placeholder("c", DataType::kBool, {});
      const Output s = b.Add("Switch", "s", {x, c}), n = b.Add("Identity", "n", {s[1]});
      const Output one = b.Const("one", Tensor::Scalar(1.0f));
      b.AddControlInput(one, n);
      b.Add("Merge", "y", {GraphBuilder::Input({one, b.Add("Neg", "other", {s})})});
      REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
      CHECK(After(b.graph_def(), {{"x", "c"}, {"y"}}, kPass).find("n = Identity(s:1)") != std::string::npos);
    }
    SUBCASE("hands a variable on") {
      GraphBuilder read;
      const Output w =
          read.Add("VariableV2", "v", {}, {{"dtype", DataType::kFloat}, {"shape", PartialTensorShape({2})}});
      read.Add("Abs", "y", {read.Add("Identity", "r", {w})});
      REQUIRE_MESSAGE(read.status().ok(), read.status().ToString());
      CHECK(After(read.graph_def(), {{}, {"y"}}, kPass) == "r = Identity(v); v = VariableV2(); y = Abs(r)");
    }
  }
}

}  // namespace prune_test
