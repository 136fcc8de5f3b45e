// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/reassociation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "optimize/optimizing.hpp"

namespace reassociation_test {
using namespace optimize_test;

namespace {

const Names kPass{"arithmetic"};
const Tensor kSix = Floats({-1.5f, 0.25f, 3, 2, 0.5f, -7}, {2, 3});
const Tensor kWhole = Tensor::From<std::int32_t>({3, -4, 5, 1, 0, 1 << 30}, {2, 3});

struct Net {
  explicit Net(DataType type = DataType::kFloat, PartialTensorShape shape = {2, 3})
      : x(b.Placeholder("x", type, std::move(shape))) {}
  GraphBuilder b;
  Output x;
  Output F(const char* name, float v) { return b.Const(name, Tensor::Scalar(v)); }
  Output I(const char* name, std::int32_t v) { return b.Const(name, Tensor::Scalar(v)); }
  Output Axes(const char* name, std::initializer_list<std::int32_t> values) {
    return b.Const(name, Tensor::From<std::int32_t>(values, {static_cast<Index>(values.size())}));
  }
  const GraphDef& def() {
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    return b.graph_def();
  }
  std::string Exact(const Tensor& value) { return Text(CheckExact(def(), {{"x"}, {"y"}}, {value}, kPass).def); }
  std::string Fast() { return After(def(), {{"x"}, {"y"}}, kPass); }
  // What the passes that fold make of it; the results are near.
  std::string Folded(const Tensor& value) {
    const RunEnds ends{{"x"}, {"y"}};
    const Optimized optimized = Optimize(def(), ends, {"arithmetic", "constant_folding"});
    REQUIRE(optimized.status.ok());
    const auto want = RunGraph(def(), ends, {value}), got = RunGraph(optimized.def, ends, {value});
    REQUIRE_MESSAGE(want.ok(), want.status().ToString());
    REQUIRE_MESSAGE(got.ok(), got.status().ToString());
    REQUIRE((*want)[0].shape() == (*got)[0].shape());
    for (Index i = 0; i < (*want)[0].NumElements(); ++i) {
      const float wanted = (*want)[0].data<float>()[i];
      CHECK(std::fabs(wanted - (*got)[0].data<float>()[i]) <= 1e-5f * std::max(1.0f, std::fabs(wanted)));
    }
    return Text(optimized.def);
  }
};

}  // namespace

TEST_SUITE("reassociation") {
  TEST_CASE("constants of sums and products meet, wherever they stand") {
    for (const char* op : {"AddV2", "Mul"}) {
      for (int order = 0; order < 4; ++order) {
        Net net;
        const Output c = net.F("c", 3), d = net.b.Const("d", Floats({1, 2, 3}, {3}));
        const Output m = order % 2 == 0 ? net.b.Add(op, "m", {net.x, c}) : net.b.Add(op, "m", {c, net.x});
        net.b.Add("Abs", "y", {net.b.Add(op, "n", {order < 2 ? m : d, order < 2 ? d : m})});
        CHECK(net.Folded(kSix) == StrCat("n = ", op, "(x, n/opt_0); x = Placeholder(); y = Abs(n)"));
        CHECK(Count(Optimize(net.def(), {{"x"}, {"y"}}, kPass, OptimizerLevel::kExact).def, op) == 2);
      }
      Net whole(DataType::kInt32);
      whole.b.Add("Abs", "y",
                  {whole.b.Add(op, "n", {whole.b.Add(op, "m", {whole.x, whole.I("c", 3)}), whole.I("d", 1 << 30)})});
      CHECK(whole.Exact(kWhole) ==
            StrCat("n = ", op, "(x, n/opt_0); n/opt_0 = ", op, "(c, d); x = Placeholder(); y = Abs(n)"));
    }
  }

  TEST_CASE("a factor of two terms is multiplied once") {
    for (const char* op : {"AddV2", "Sub"}) {
      for (int order = 0; order < 4; ++order) {
        Net net;
        const Output a = net.b.Add("Exp", "a", {net.x}), z = net.b.Add("Tanh", "z", {net.x});
        const Output m = order % 2 == 0 ? net.b.Add("Mul", "m", {net.x, a}) : net.b.Add("Mul", "m", {a, net.x});
        const Output n = order < 2 ? net.b.Add("Mul", "n", {net.x, z}) : net.b.Add("Mul", "n", {z, net.x});
        net.b.Add(op, "y", {m, n});
        CHECK(net.Folded(kSix) ==
              StrCat("a = Exp(x); x = Placeholder(); y = Mul(x, y/opt_0); y/opt_0 = ", op, "(a, z); z = Tanh(x)"));
      }
    }
    Net open(DataType::kFloat, {-1, 3});
    open.b.Add("AddV2", "y",
               {open.b.Add("Mul", "m", {open.x, open.b.Add("Exp", "a", {open.x})}),
                open.b.Add("Mul", "n", {open.x, open.F("c", 2)})});
    CHECK(Count(Optimize(open.def(), {{"x"}, {"y"}}, kPass).def, "Mul") == 2);
  }

  TEST_CASE("two reductions are one, of all their axes") {
    struct Case {
      std::initializer_list<std::int32_t> first, second;
      bool keeps;
    };
    for (const Case& c : {Case{{0}, {0}, false}, Case{{0}, {-1}, true}, Case{{1, 3}, {1}, false},
                          Case{{-1}, {0, 1, 2}, false}, Case{{0, 1}, {0, 2}, true}, Case{{2}, {}, false}}) {
      for (const char* op : {"Max", "Min", "Sum", "Mean"}) {
        Tensor value(DataType::kFloat, {2, 3, 2, 4});
        for (Index i = 0; i < 48; ++i) value.data<float>()[i] = static_cast<float>((i * 29) % 47) - 20;
        Net net(DataType::kFloat, {2, 3, 2, 4});
        const Output m = net.b.Add(op, "m", {net.x, net.Axes("p", c.first)}, {{"keep_dims", c.keeps}});
        net.b.Add("Neg", "y", {net.b.Add(op, "n", {m, net.Axes("q", c.second)}, {{"keep_dims", c.keeps}})});
        CHECK(net.Folded(value) == StrCat("n = ", op, "(x, n/opt_0); x = Placeholder(); y = Neg(n)"));
        const bool exact = std::string_view(op) == "Max" || std::string_view(op) == "Min";
        CHECK(Count(Optimize(net.def(), {{"x"}, {"y"}}, kPass, OptimizerLevel::kExact).def, op) == (exact ? 1 : 2));
      }
    }
    for (const bool other_op : {false, true}) {
      Net net;
      const Output m = net.b.Add("Max", "m", {net.x, net.Axes("p", {0})}, {{"keep_dims", !other_op}});
      net.b.Add("Neg", "y", {net.b.Add(other_op ? "Min" : "Max", "n", {m, net.Axes("q", {0})})});
      CHECK(Text(Optimize(net.def(), {{"x"}, {"y"}}, kPass).def).find("n = ") != std::string::npos);
      CHECK(Count(Optimize(net.def(), {{"x"}, {"y"}}, kPass).def, "Max") == (other_op ? 1 : 2));
    }
  }

  TEST_CASE("a sum of two is AddV2 where the shapes are known; constants among more become one") {
    Net two;
    two.b.Add("Neg", "y", {two.b.Add("AddN", "n", {{two.x, two.b.Add("Abs", "a", {two.x})}})});
    CHECK(two.Exact(kSix) == "a = Abs(x); n = AddV2(x, a); x = Placeholder(); y = Neg(n)");
    Net open(DataType::kFloat, {-1, 3});
    open.b.Add("Neg", "y", {open.b.Add("AddN", "n", {{open.x, open.b.Add("Abs", "a", {open.x})}})});
    CHECK(Count(Optimize(open.def(), {{"x"}, {"y"}}, kPass).def, "AddN") == 1);
    Net terms;
    terms.b.Add("Neg", "y",
                {terms.b.Add("AddN", "n",
                             {{terms.b.Const("c", kSix), terms.x, terms.b.Const("d", kSix),
                               terms.b.Add("Abs", "a", {terms.x})}})});
    CHECK(terms.Folded(kSix) == "a = Abs(x); n = AddN(x, a, n/opt_0); x = Placeholder(); y = Neg(n)");
    CHECK(Count(Optimize(terms.def(), {{"x"}, {"y"}}, kPass, OptimizerLevel::kExact).def, "AddN") == 1);
  }

  TEST_CASE("constants side by side in a concatenation become one") {
    Net net;
    const Output c = net.b.Const("c", kSix), d = net.b.Const("d", kSix), axis = net.I("axis", 0);
    net.b.Add("Neg", "y", {net.b.Add("ConcatV2", "n", {{c, net.x, c, d, c, net.x}, axis})});
    CHECK(net.Folded(kSix) == "n = ConcatV2(c, x, n/opt_0, x, axis); x = Placeholder(); y = Neg(n)");
    CHECK(Text(CheckExact(net.def(), {{"x"}, {"y"}}, {kSix}, kPass).def) ==
          "n = ConcatV2(c, x, n/opt_0, x, axis); n/opt_0 = ConcatV2(c, d, c, axis); x = Placeholder(); y = Neg(n)");
    Net apart;
    apart.b.Add("Neg", "y",
                {apart.b.Add("ConcatV2", "n",
                             {{apart.b.Const("c", kSix), apart.x, apart.b.Const("d", kSix)}, apart.I("axis", 0)})});
    CHECK(apart.Fast() == "n = ConcatV2(c, x, d, axis); x = Placeholder(); y = Neg(n)");
  }

  TEST_CASE("it leaves alone a node that ...") {
    Net net;
    const Output m = net.b.Add("AddV2", "m", {net.x, net.F("c", 3)}), n = net.b.Add("AddV2", "n", {m, net.F("d", 4)});
    net.b.Add("Abs", "y", {n});
    const char* const kSame = "m = AddV2(x, c); n = AddV2(m, d); x = Placeholder(); y = Abs(n)";
    SUBCASE("is fed") {
      CHECK(After(net.def(), {{"x", "c"}, {"y"}}, kPass) == kSame);
      CHECK(Count(Optimize(net.def(), {{"m"}, {"y"}}, kPass).def, "AddV2") == 2);
    }
    SUBCASE("is fetched") { CHECK(After(net.def(), {{"x"}, {"y", "m"}}, kPass) == kSame); }
    SUBCASE("is a target") { CHECK(After(net.def(), {{"x"}, {"y"}, {"m"}}, kPass) == kSame); }
    SUBCASE("waits for a node") {
      net.b.AddControlInput(m, net.b.Add("Exp", "e", {net.x}));
      CHECK(Count(Optimize(net.def(), {{"x"}, {"y"}}, kPass).def, "AddV2") == 2);
    }
    SUBCASE("is read elsewhere") {
      net.b.Add("Neg", "z", {m});
      CHECK(Count(Optimize(net.def(), {{"x"}, {"y", "z"}}, kPass).def, "AddV2") == 2);
    }
    SUBCASE("is in another frame") {
      Net loop;
      const Output out = Loop(loop.b, loop.x, [&](Output v, Output one) {
        const Output c = loop.F("c", 3), d = loop.F("d", 4);
        loop.b.AddControlInput(c, one);
        loop.b.AddControlInput(d, one);
        return loop.b.Add("AddV2", "n", {loop.b.Add("AddV2", "m", {v, c}), d});
      });
      loop.b.Add("Abs", "y", {out});
      const Optimized optimized = Optimize(CloseLoop(loop.def()), {{"x"}, {"y"}}, kPass);
      CHECK_MESSAGE(optimized.status.ok(), optimized.status.ToString());
      CHECK(Count(optimized.def, "AddV2") == 3);  // the counter of the loop, too
    }
  }
}

}  // namespace reassociation_test
