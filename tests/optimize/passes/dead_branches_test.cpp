// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/dead_branches.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace dead_branches_test {
using namespace optimize_test;

namespace {

const Names kPass{"loop"};
const Tensor kTwo = Floats({1.5f, -2}, {2});

// y = Abs(p ? Exp(x) : Print(x))
struct Choice {
  explicit Choice(bool value) : p(b.Const("p", Tensor::Scalar(value))) { Make(); }
  Choice() : p(b.Placeholder("p", DataType::kBool, {})) { Make(); }
  void Make() {
    s = b.Add("Switch", "s", {x, p});
    yes = b.Add("Exp", "yes", {s[1]});
    no = b.Add("Print", "no", {s[0], GraphBuilder::Input(SlimVector<Output>{s[0]})});
    merge = b.Add("Merge", "merge", {GraphBuilder::Input({no, yes})});
    b.Add("Abs", "y", {merge});
  }
  const GraphDef& def() {
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    return b.graph_def();
  }
  GraphBuilder b;
  Output x = b.Placeholder("x", DataType::kFloat, {2});
  Output p, s, yes, no, merge;
};
const std::string kSame =
    "merge = Merge(no, yes); no = Print(s, s); s = Switch(x, p); x = Placeholder(); y = Abs(merge); yes = Exp(s:1)";

}  // namespace

TEST_SUITE("dead branches") {
  TEST_CASE("a constant predicate leaves one branch; nodes with state in the other go, too") {
    Choice yes(true);
    CHECK(Text(CheckExact(yes.def(), {{"x"}, {"y"}}, {kTwo}, kPass).def) ==
          "x = Placeholder(); y = Abs(yes); yes = Exp(x)");
    Choice no(false);
    CHECK(Text(CheckExact(no.def(), {{"x"}, {"y"}}, {kTwo}, kPass).def) ==
          "no = Print(x, x); x = Placeholder(); y = Abs(no)");
  }

  TEST_CASE("a Merge that waits for both branches runs, and so does what waits for it") {
    Choice choice(true);
    const Output done = choice.b.Add("Merge", "done",
                                     {GraphBuilder::Input({choice.b.Add("Identity", "a", {choice.s}),
                                                           choice.b.Add("Identity", "b", {choice.s[1]})})});
    choice.b.AddControlInput(done, choice.no);
    choice.b.AddControlInput(choice.b.Add("Neg", "z", {choice.x}), done);
    const std::string text = After(choice.def(), {{"x"}, {"y", "z"}}, kPass);
    CHECK(text.find("z = Neg(x, ^done)") != std::string::npos);
    CHECK(text.find("done = Merge(a, b, ^no)") != std::string::npos);
  }

  TEST_CASE("a loop in the dead branch goes") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2});
    const Output s = b.Add("Switch", "s", {x, b.Const("p", Tensor::Scalar(false))});
    const Output out = Loop(b, s[1], [&](Output v, Output) { return b.Add("Neg", "n", {v}); });
    b.Add("Abs", "y", {b.Add("Merge", "m", {GraphBuilder::Input({b.Add("Exp", "e", {s}), out})})});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    // The loop's counter enters from outside: it runs on, and nothing reads it.
    const std::string text = After(CloseLoop(b.graph_def()), {{"x"}, {"y"}}, kPass);
    CHECK(text.find("e = Exp(x)") != std::string::npos);
    CHECK(text.find("y = Abs(e)") != std::string::npos);
    CHECK(text.find("loop/") == std::string::npos);
  }

  TEST_CASE("it leaves alone a choice whose ...") {
    SUBCASE("predicate depends on the run, or is fed") {
      Choice open;
      CHECK(After(open.def(), {{"x", "p"}, {"y"}}, kPass).find("merge = Merge(no, yes)") != std::string::npos);
      Choice fed(true);
      CHECK(After(fed.def(), {{"x", "p"}, {"y"}}, kPass) == kSame);
    }
    SUBCASE("other branch is fetched: the run fails as before") {
      Choice choice(true);
      CHECK(After(choice.def(), {{"x"}, {"y", "no"}}, kPass) == kSame);
      CHECK(After(choice.def(), {{"x"}, {"y", "merge"}}, kPass) == kSame);
    }
    SUBCASE("other branch is a target") { CHECK(After(Choice(true).def(), {{"x"}, {"y"}, {"no"}}, kPass) == kSame); }
    SUBCASE("Switch waits, or is waited for") {
      Choice choice(true);
      choice.b.AddControlInput(choice.s, choice.b.Add("Neg", "n", {choice.x}));
      CHECK(After(choice.def(), {{"x"}, {"y"}}, kPass).find("s = Switch(x, p, ^n)") != std::string::npos);
      Choice waited(true);
      waited.b.AddControlInput(waited.b.Add("Neg", "z", {waited.x}), waited.s);
      CHECK(After(waited.def(), {{"x"}, {"y", "z"}}, kPass).find("s = Switch(x, p)") != std::string::npos);
    }
    SUBCASE("Switch is in another frame") {
      GraphBuilder b;
      const Output out = Loop(b, b.Placeholder("x", DataType::kFloat, {2}), [&](Output v, Output one) {
        const Output p = b.Const("p", Tensor::Scalar(true));
        b.AddControlInput(p, one);
        const Output s = b.Add("Switch", "s", {v, p});
        return b.Add("Merge", "m", {GraphBuilder::Input({b.Add("Neg", "n", {s}), b.Add("Exp", "e", {s[1]})})});
      });
      b.Add("Neg", "y", {out});
      CHECK(After(CloseLoop(b.graph_def()), {{"x"}, {"y"}}, kPass).find("m = Merge(n, e)") != std::string::npos);
    }
  }
}

}  // namespace dead_branches_test
