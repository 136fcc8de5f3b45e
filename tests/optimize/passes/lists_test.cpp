// SPDX-License-Identifier: Apache-2.0
#include <tenon/optimize/passes/lists.hpp>

#include <doctest/doctest.h>

#include "optimize/optimizing.hpp"

namespace lists_test {
using namespace optimize_test;

namespace {

const Names kPass{"movement"};
const Tensor kSix = Floats({1, 2, 3, 4, 5, 6}, {2, 3});
const char* const kNothing = "x = Placeholder(); y = Neg(x)";

// y = Neg(node), x: [2, 3] or as given.
struct Listed {
  explicit Listed(PartialTensorShape shape = {2, 3}) : x(b.Placeholder("x", DataType::kFloat, std::move(shape))) {}
  GraphBuilder b;
  Output x;
  Output Int(const char* name, std::int32_t value) { return b.Const(name, Tensor::Scalar(value)); }
  Output Ints(const char* name, std::int32_t value) { return b.Const(name, Tensor::From<std::int32_t>({value}, {1})); }
  Output Unpack(int num, int axis, const char* name = "u") {
    return b.Add("Unpack", name, {x}, {{"num", num}, {"axis", axis}});
  }
  Output Split(int num, int axis) { return b.Add("Split", "s", {Int("a", axis), x}, {{"num_split", num}}); }
  Output Pack(const SlimVector<Output>& items, int axis) {
    return b.Add("Pack", "p", {GraphBuilder::Input(items)}, {{"axis", axis}});
  }
  Output Concat(const SlimVector<Output>& items, int axis) {
    return b.Add("ConcatV2", "c", {GraphBuilder::Input(items), Int("b", axis)});
  }
  Output Item(Output list, int index, int shrink = 1) {
    return b.Add("StridedSlice", "i", {list, Ints("begin", index), Ints("end", index + 1), Ints("stride", 1)},
                 {{"shrink_axis_mask", shrink}});
  }
  GraphDef def(Output out) {
    b.Add("Neg", "y", {out});
    REQUIRE_MESSAGE(b.status().ok(), b.status().ToString());
    return b.graph_def();
  }
  std::string Exact(Output out) { return Text(CheckExact(def(out), {{"x"}, {"y"}}, {kSix}, kPass).def); }
  std::string Left(Output out) { return After(def(out), {{"x"}, {"y"}}, kPass); }
};
bool Stays(const std::string& text, const char* node) { return text.find(node) != std::string::npos; }

}  // namespace

TEST_SUITE("lists") {
  TEST_CASE("a pack of all that an unpack gives is its input") {
    Listed rows;
    const Output u = rows.Unpack(2, 0);
    CHECK(rows.Exact(rows.Pack({u[0], u[1]}, -2)) == kNothing);
    Listed columns;
    const Output v = columns.Unpack(3, 1);
    CHECK(columns.Exact(columns.Pack({v[0], v[1], v[2]}, -1)) == kNothing);
  }
  TEST_CASE("it stays where the order, the axis, or the number of parts differs, or the size is not known") {
    Listed order;
    const Output u = order.Unpack(2, 0);
    CHECK(Stays(order.Exact(order.Pack({u[1], u[0]}, 0)), "p = Pack(u:1, u)"));
    Listed axis;
    const Output v = axis.Unpack(2, 0);
    CHECK(Stays(axis.Exact(axis.Pack({v[0], v[1]}, 1)), "p = Pack(u, u:1)"));
    Listed part;
    const Output w = part.Unpack(3, 1);
    CHECK(Stays(part.Exact(part.Pack({w[0], w[1]}, 1)), "p = Pack(u, u:1)"));
    Listed unknown(PartialTensorShape{-1, 3});
    const Output z = unknown.Unpack(2, 0);
    CHECK(Stays(unknown.Left(unknown.Pack({z[0], z[1]}, 0)), "p = Pack(u, u:1)"));
  }
  TEST_CASE("a concatenation of all that a split gives is its input") {
    Listed columns;
    const Output s = columns.Split(3, 1);
    CHECK(columns.Exact(columns.Concat({s[0], s[1], s[2]}, -1)) == kNothing);
    Listed axis;
    const Output t = axis.Split(2, 0);
    CHECK(Stays(axis.Exact(axis.Concat({t[0], t[1]}, 1)), "c = ConcatV2(s, s:1, b)"));
    Listed order;
    const Output u = order.Split(2, 0);
    CHECK(Stays(order.Exact(order.Concat({u[1], u[0]}, 0)), "c = ConcatV2(s:1, s, b)"));
  }
  TEST_CASE("an item of a pack is read from where it is") {
    Listed item;
    const Output e = item.b.Add("Exp", "e", {item.x});
    CHECK(item.Exact(item.Item(item.Pack({e, item.x}, 0), -1)) == kNothing);
    Listed range;
    const Output f = range.b.Add("Exp", "e", {range.x});
    CHECK(Stays(range.Exact(range.Item(range.Pack({f, range.x}, 0), 1, 0)), "i = StridedSlice(p, begin, end, stride)"));
    Listed inner;
    const Output g = inner.b.Add("Exp", "e", {inner.x});
    CHECK(Stays(inner.Exact(inner.Item(inner.Pack({g, inner.x}, 1), 1)), "i = StridedSlice(p, begin, end, stride)"));
    Listed unknown(PartialTensorShape{-1, 3});
    const Output k = unknown.b.Add("Exp", "e", {unknown.x});
    CHECK(Stays(unknown.Left(unknown.Item(unknown.Pack({k, unknown.x}, 0), 1)), "i = StridedSlice"));
  }
  TEST_CASE("an item of a pack that a branch may skip stays") {
    Listed m;
    const Output branch = m.b.Add("Switch", "w", {m.x, m.b.Placeholder("taken", DataType::kBool, {})});
    const GraphDef def = m.def(m.Item(m.Pack({branch[0], m.x}, 0), 1));
    CHECK(Stays(After(def, {{"x", "taken"}, {"y"}}, kPass), "i = StridedSlice(p, begin, end, stride)"));
  }
  TEST_CASE("it leaves alone an inner node that ...") {
    const auto pair = [](bool control) {
      Listed m;
      const Output u = m.Unpack(2, 0);
      if (control) m.b.AddControlInput(u, m.b.Add("Exp", "e", {m.x}));
      return m.def(m.Pack({u[0], u[1]}, 0));
    };
    SUBCASE("is fed") { CHECK(Stays(After(pair(false), {{"x", "u:0", "u:1"}, {"y"}}, kPass), "p = Pack(u, u:1)")); }
    SUBCASE("is fetched: it stays") {
      CHECK(After(pair(false), {{"x"}, {"y", "u:1"}}, kPass) == "u = Unpack(x); x = Placeholder(); y = Neg(x)");
    }
    SUBCASE("is a target: it stays") {
      CHECK(After(pair(false), {{"x"}, {"y"}, {"u"}}, kPass) == "u = Unpack(x); x = Placeholder(); y = Neg(x)");
    }
    SUBCASE("waits for a node") { CHECK(Stays(After(pair(true), {{"x"}, {"y"}}, kPass), "p = Pack(u, u:1)")); }
    SUBCASE("is in another frame") {
      Listed m;
      const Output u = m.Unpack(2, 0);
      const Output out = Loop(m.b, u[0], [&](Output v, Output) { return m.b.Add("Identity", "inside", {v}); });
      CHECK(Stays(After(CloseLoop(m.def(m.Pack({out, u[1]}, 0))), {{"x"}, {"y"}}, kPass), "p = Pack(loop/exit, u:1)"));
    }
  }
}

}  // namespace lists_test
