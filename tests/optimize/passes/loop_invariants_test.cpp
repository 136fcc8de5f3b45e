// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/loop_invariants.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace loop_invariants_test {
using namespace optimize_test;

namespace {

const Names kPass{"loop"};
const Tensor kTwo = Floats({1.5f, -2}, {2});

// x = x + Exp(w), twice; w is the same in both iterations.
struct Summed {
  explicit Summed(PartialTensorShape shape = {2}, bool is_constant = true)
      : w(b.Placeholder("w", DataType::kFloat, std::move(shape))),
        inside(b.Add("Enter", "inside", {w}, {{"frame_name", "loop"}, {"is_constant", is_constant}})) {}
  GraphBuilder b;
  Output x = b.Placeholder("x", DataType::kFloat, {2});
  Output w, inside;
  template <class Body>
  GraphDef def(const Body& body) {
    b.Add("Neg", "y", {Loop(b, x, body)});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    return CloseLoop(b.graph_def());
  }
  GraphDef plain() {
    return def([&](Output v, Output) { return b.Add("AddV2", "sum", {v, b.Add("Exp", "e", {inside})}); });
  }
};
bool Has(const std::string& text, const char* node) { return text.find(node) != std::string::npos; }
// Whether "e" is where it was.
bool Stays(const GraphDef& def, const RunEnds& ends) { return Has(After(def, ends, kPass), "e = Exp(inside)"); }

}  // namespace

TEST_SUITE("loop invariants") {
  TEST_CASE("a node whose inputs enter as constants runs before the loop") {
    Summed s;
    const Optimized out = CheckExact(s.plain(), {{"x", "w"}, {"y"}}, {kTwo, Floats({0.25f, 3}, {2})}, kPass);
    const std::string text = Text(out.def);
    CHECK(Has(text, " = Exp(w)"));
    CHECK(!Has(text, " = Exp(inside)"));
    CHECK(Count(out.def, "Enter") == 3);
  }
  TEST_CASE("a chain of them moves whole") {
    Summed s;
    const GraphDef def = s.def([&](Output v, Output) {
      return s.b.Add("AddV2", "sum", {v, s.b.Add("Neg", "n", {s.b.Add("Exp", "e", {s.inside})})});
    });
    const Optimized out = CheckExact(def, {{"x", "w"}, {"y"}}, {kTwo, Floats({0.25f, 3}, {2})}, kPass);
    CHECK(Count(out.def, "Enter") == 3);
    CHECK(Has(Text(out.def), " = Exp(w)"));
  }
  TEST_CASE("it leaves alone a node ...") {
    const RunEnds ends{{"x", "w"}, {"y"}};
    SUBCASE("whose input changes") {
      Summed s({2}, false);
      CHECK(!Has(After(s.plain(), ends, kPass), " = Exp(w)"));
    }
    SUBCASE("whose shape is not known") { CHECK(Stays(Summed(PartialTensorShape()).plain(), ends)); }
    SUBCASE("that is fed") { CHECK(!Has(After(Summed().plain(), {{"x", "w", "e"}, {"y"}}, kPass), " = Exp(w)")); }
    SUBCASE("whose Enter another node reads: more memory") {
      Summed s;
      CHECK(Stays(s.def([&](Output v, Output) {
        return s.b.Add("AddV2", "sum", {s.b.Add("Mul", "m", {v, s.inside}), s.b.Add("Exp", "e", {s.inside})});
      }),
                  ends));
    }
    SUBCASE("that waits for a node") {
      Summed s;
      const std::string text = After(s.def([&](Output v, Output one) {
        const Output e = s.b.Add("Exp", "e", {s.inside});
        s.b.AddControlInput(e, one);
        return s.b.Add("AddV2", "sum", {v, e});
      }),
                                     ends, kPass);
      CHECK(Has(text, "e = Exp(inside, ^loop/one)"));
    }
    SUBCASE("that a node waits for") {
      Summed s;
      CHECK(Stays(s.def([&](Output v, Output) {
        const Output e = s.b.Add("Exp", "e", {s.inside}), sum = s.b.Add("AddV2", "sum", {v, e});
        s.b.AddControlInput(sum, e);
        return sum;
      }),
                  ends));
    }
    SUBCASE("outside of loops") {
      Summed s;
      const Output e = s.b.Add("Exp", "e", {s.x});
      s.x = e;
      CHECK(Has(After(s.def([&](Output v, Output) { return s.b.Add("AddV2", "sum", {v, s.inside}); }), ends, kPass),
                "e = Exp(x)"));
    }
  }
}

}  // namespace loop_invariants_test
