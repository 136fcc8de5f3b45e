// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/movement.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace movement_test {
using namespace optimize_test;

namespace {

const Names kPass{"movement"};
const Tensor kSix = Floats({1, 2, 3, 4, 5, 6}, {2, 3});

// y = Neg(node(x)), x: [2, 3] or as given.
struct Moved {
  explicit Moved(PartialTensorShape shape = {2, 3}) : x(b.Placeholder("x", DataType::kFloat, std::move(shape))) {}
  GraphBuilder b;
  Output x;
  Output Ints(const char* name, std::initializer_list<std::int32_t> values) {
    return b.Const(name, Tensor::From<std::int32_t>(values, {static_cast<Index>(values.size())}));
  }
  Output Int(const char* name, std::int32_t value) { return b.Const(name, Tensor::Scalar(value)); }
  GraphDef def(Output out) {
    b.Add("Neg", "y", {out});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    return b.graph_def();
  }
  std::string Exact(Output out) { return Text(CheckExact(def(out), {{"x"}, {"y"}}, {kSix}, kPass).def); }
};
const char* const kNothing = "x = Placeholder(); y = Neg(x)";

}  // namespace

TEST_SUITE("movement") {
  TEST_CASE("transposes that undo each other or move nothing go") {
    Moved pair({2, 3, 4});
    const Output t = pair.b.Add("Transpose", "t", {pair.x, pair.Ints("p", {1, 2, 0})});
    CHECK(After(pair.def(pair.b.Add("Transpose", "u", {t, pair.Ints("q", {2, 0, 1})})), {{"x"}, {"y"}}, kPass) ==
          kNothing);
    Moved other({2, 3, 4});
    const Output v = other.b.Add("Transpose", "t", {other.x, other.Ints("p", {1, 2, 0})});
    CHECK(After(other.def(other.b.Add("Transpose", "u", {v, other.Ints("q", {1, 2, 0})})), {{"x"}, {"y"}}, kPass) ==
          "t = Transpose(x, p); u = Transpose(t, q); x = Placeholder(); y = Neg(u)");
    Moved none;
    CHECK(none.Exact(none.b.Add("Transpose", "t", {none.x, none.Ints("p", {0, 1})})) == kNothing);
    Moved ones({1, 3, 1});
    CHECK(After(ones.def(ones.b.Add("Transpose", "t", {ones.x, ones.Ints("p", {2, 1, 0})})), {{"x"}, {"y"}}, kPass) ==
          kNothing);
    Moved unknown{PartialTensorShape()};
    CHECK(After(unknown.def(unknown.b.Add("Transpose", "t", {unknown.x, unknown.Ints("p", {0, 1})})), {{"x"}, {"y"}},
                kPass) == "t = Transpose(x, p); x = Placeholder(); y = Neg(t)");
  }

  TEST_CASE("a slice of a slice and a pad of a pad are one, where the first is known to fit") {
    Moved slices;
    const Output s = slices.b.Add("Slice", "s", {slices.x, slices.Ints("b", {0, 1}), slices.Ints("n", {2, -1})});
    CHECK(slices.Exact(slices.b.Add("Slice", "t", {s, slices.Ints("c", {1, 1}), slices.Ints("m", {-1, 1})})) ==
          "t = Slice(x, t/opt_0, t/opt_1); x = Placeholder(); y = Neg(t)");
    Moved open({-1, 3});
    const Output o = open.b.Add("Slice", "s", {open.x, open.Ints("b", {0, 1}), open.Ints("n", {2, -1})});
    CHECK(Count(Optimize(open.def(open.b.Add("Slice", "t", {o, open.Ints("c", {1, 1}), open.Ints("m", {-1, 1})})),
                         {{"x"}, {"y"}}, kPass)
                    .def,
                "Slice") == 2);
    Moved beyond;
    const Output w = beyond.b.Add("Slice", "s", {beyond.x, beyond.Ints("b", {0, 0}), beyond.Ints("n", {2, 2})});
    const Output past =
        beyond.b.Add("Slice", "t", {w, beyond.Ints("c", {0, 0}), beyond.b.Placeholder("m", DataType::kInt32, {2})});
    CHECK(Count(Optimize(beyond.def(past), {{"x", "m"}, {"y"}}, kPass).def, "Slice") == 2);
    Moved pads;
    const auto paddings = [&](const char* name, std::initializer_list<std::int32_t> values) {
      return pads.b.Const(name, Tensor::From<std::int32_t>(values, {2, 2}));
    };
    const Output p = pads.b.Add("Pad", "p", {pads.x, paddings("a", {1, 0, 0, 2})});
    CHECK(pads.Exact(pads.b.Add("Pad", "q", {p, paddings("b", {0, 1, 3, 0})})) ==
          "q = Pad(x, q/opt_0); x = Placeholder(); y = Neg(q)");
    Moved read;
    const Output a = read.b.Const("a", Tensor::From<std::int32_t>({1, 0, 0, 2}, {2, 2}));
    const Output first = read.b.Add("Pad", "p", {read.x, a});
    read.b.Add("Neg", "z", {first});
    CHECK(Count(Optimize(read.def(read.b.Add("Pad", "q", {first, a})), {{"x"}, {"y", "z"}}, kPass).def, "Pad") == 2);
  }

  TEST_CASE("reshapes that change nothing go, and the first of two that fits") {
    Moved same;
    CHECK(same.Exact(same.b.Add("Reshape", "r", {same.x, same.Ints("s", {-1, 3})})) == kNothing);
    Moved batch({-1, 3});
    CHECK(batch.Exact(batch.b.Add("Reshape", "r", {batch.x, batch.Ints("s", {-1, 3})})) == kNothing);
    Moved twice({-1, 3});
    const Output r = twice.b.Add("Reshape", "r", {twice.x, twice.Ints("s", {-1, 3, 1})});
    CHECK(twice.Exact(twice.b.Add("Reshape", "q", {r, twice.Ints("u", {3, -1})})) ==
          "q = Reshape(x, u); x = Placeholder(); y = Neg(q)");
    Moved may_fail({-1, 3});
    const Output f = may_fail.b.Add("Reshape", "r", {may_fail.x, may_fail.Ints("s", {-1, 2})});
    CHECK(After(may_fail.def(may_fail.b.Add("Reshape", "q", {f, may_fail.Ints("u", {-1})})), {{"x"}, {"y"}}, kPass) ==
          "q = Reshape(r, u); r = Reshape(x, s); x = Placeholder(); y = Neg(q)");
    Moved squeezed;
    CHECK(squeezed.Exact(squeezed.b.Add("Squeeze", "s",
                                        {squeezed.b.Add("ExpandDims", "e", {squeezed.x, squeezed.Int("a", -1)})},
                                        {{"squeeze_dims", SlimVector<std::int64_t>{2}}})) == kNothing);
    Moved other({2, 1});
    CHECK(After(other.def(other.b.Add("Squeeze", "s", {other.b.Add("ExpandDims", "e", {other.x, other.Int("a", 0)})},
                                      {{"squeeze_dims", SlimVector<std::int64_t>{2}}})),
                {{"x"}, {"y"}}, kPass) == "e = ExpandDims(x, a); s = Squeeze(e); x = Placeholder(); y = Neg(s)");
  }

  TEST_CASE("slices of all, pads by nothing, single tiles and lists of one go") {
    Moved slice;
    CHECK(slice.Exact(slice.b.Add("Slice", "s", {slice.x, slice.Ints("b", {0, 0}), slice.Ints("n", {-1, 3})})) ==
          kNothing);
    Moved part;
    CHECK(part.Exact(part.b.Add("Slice", "s", {part.x, part.Ints("b", {0, 0}), part.Ints("n", {-1, 2})})) ==
          "s = Slice(x, b, n); x = Placeholder(); y = Neg(s)");
    Moved pad;
    const Output zeros = pad.b.Const("p", Tensor::From<std::int32_t>({0, 0, 0, 0}, {2, 2}));
    CHECK(pad.Exact(pad.b.Add("Pad", "n", {pad.x, zeros})) == kNothing);
    Moved tile;
    CHECK(tile.Exact(tile.b.Add("Tile", "t", {tile.x, tile.Ints("m", {1, 1})})) == kNothing);
    Moved wide;
    CHECK(wide.Exact(wide.b.Add("BroadcastTo", "t", {wide.x, wide.Ints("m", {2, 3})})) == kNothing);
    Moved split;
    CHECK(split.Exact(split.b.Add("Split", "s", {split.Int("a", 1), split.x}, {{"num_split", 1}})) == kNothing);
    Moved sum;
    CHECK(sum.Exact(sum.b.Add("AddN", "s", {GraphBuilder::Input(SlimVector<Output>{sum.x})})) == kNothing);
  }

  TEST_CASE("it leaves alone a pair whose inner node ...") {
    const auto pair = [](bool control) {
      Moved m;
      const Output t = m.b.Add("Transpose", "t", {m.x, m.Ints("p", {1, 0})});
      if (control) m.b.AddControlInput(t, m.b.Add("Exp", "e", {m.x}));
      return m.def(m.b.Add("Transpose", "u", {t, m.Ints("q", {1, 0})}));
    };
    SUBCASE("is fed") {
      CHECK(After(pair(false), {{"t"}, {"y"}}, kPass) == "t = Transpose(); u = Transpose(t, q); y = Neg(u)");
      CHECK(After(pair(false), {{"x", "q"}, {"y"}}, kPass).find("u = Transpose(t, q)") != std::string::npos);
    }
    SUBCASE("is fetched: it stays") {
      CHECK(After(pair(false), {{"x"}, {"y", "t"}}, kPass) == "t = Transpose(x, p); x = Placeholder(); y = Neg(x)");
    }
    SUBCASE("is a target: it stays") {
      CHECK(After(pair(false), {{"x"}, {"y"}, {"t"}}, kPass) == "t = Transpose(x, p); x = Placeholder(); y = Neg(x)");
    }
    SUBCASE("waits for a node") {
      CHECK(After(pair(true), {{"x"}, {"y"}}, kPass) ==
            "e = Exp(x); t = Transpose(x, p, ^e); u = Transpose(t, q); x = Placeholder(); y = Neg(u)");
    }
    SUBCASE("is in another frame") {
      Moved m;
      const Output t = m.b.Add("Transpose", "t", {m.x, m.Ints("p", {1, 0})});
      const Output out = Loop(m.b, t, [&](Output v, Output one) {
        const Output q = m.Ints("q", {1, 0});
        m.b.AddControlInput(q, one);
        return m.b.Add("Transpose", "u", {v, q});
      });
      CHECK(After(CloseLoop(m.def(out)), {{"x"}, {"y"}}, kPass).find("u = Transpose(loop/switch:1, q)") !=
            std::string::npos);
    }
  }
}

}  // namespace movement_test
