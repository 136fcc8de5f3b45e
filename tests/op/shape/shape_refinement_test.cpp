// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/shape_refinement.hpp>

#include <doctest/doctest.h>

namespace shape_refinement_test {
using namespace tenon;

namespace {
constexpr auto kOp = Op("SrOp").Input("x: resource").Output("y: resource");
constexpr OpView kView = kOp.view();
}  // namespace

TEST_SUITE("Relax") {
  TEST_CASE("keeps what is equal") {
    InferenceContext c;
    const DimensionHandle unknown = c.UnknownDim();
    const ShapeHandle a = c.MakeShape({2, 3, unknown}), b = c.MakeShape({2, 4, unknown});
    CHECK(c.DebugString(Relax(&c, a, b)) == "[2,?,?]");
    CHECK(c.Dim(Relax(&c, a, b), 2).SameHandle(unknown));
    CHECK(Relax(&c, a, c.MakeShape({2, 3, unknown})).SameHandle(a));
    CHECK(!c.RankKnown(Relax(&c, a, c.Vector(2))));
    CHECK(!c.RankKnown(Relax(&c, a, c.UnknownShape())));
    CHECK(!Relax(&c, c.UnknownDim(), c.UnknownDim()).SameHandle(unknown));
    CHECK(Relax(PartialTensorShape({2, 3}), PartialTensorShape({4, 3})).DebugString() == "[?,3]");
  }
  TEST_CASE("returns the newer one where that knows less, so that the loss reaches its readers") {
    InferenceContext c;
    const DimensionHandle two = c.MakeDim(2), unknown = c.UnknownDim(), other = c.UnknownDim();
    CHECK(Relax(&c, two, unknown).SameHandle(unknown));
    CHECK(Relax(&c, unknown, other).SameHandle(other));
    CHECK(!Relax(&c, unknown, two).SameHandle(unknown));
    const ShapeHandle known = c.MakeShape({1, 3}), half = c.MakeShape({unknown, c.MakeDim(2)});
    const ShapeHandle end = c.MakeShape({c.MakeDim(1), other}), nothing = c.UnknownShape();
    CHECK(Relax(&c, half, nothing).SameHandle(nothing));
    CHECK(!Relax(&c, nothing, half).SameHandle(nothing));
    CHECK(c.Dim(Relax(&c, half, end), 1).SameHandle(other));
    CHECK(!c.Dim(Relax(&c, half, end), 0).SameHandle(unknown));
    CHECK(c.Dim(Relax(&c, known, half), 0).SameHandle(unknown));
    CHECK(c.DebugString(Relax(&c, known, half)) == "[?,?]");
    const ShapeHandle whole = c.MakeShape({unknown, other});
    CHECK(Relax(&c, known, whole).SameHandle(whole));
  }
  TEST_CASE("inputs become better or less well known") {
    const PartialTensorShape shape({-1, 3});
    InferenceContext c(1, nullptr, &kView, {&shape, 1});
    CHECK(MergeInput(&c, 0, c.MakeShape({2, 3})));
    CHECK(c.DebugString(c.input(0)) == "[2,3]");
    CHECK(!MergeInput(&c, 0, c.MakeShape({-1, 3})));  // nothing new
    CHECK(!MergeInput(&c, 0, c.MakeShape({4, 3})));   // contradicts
    CHECK(!RelaxInput(&c, 0, c.MakeShape({2, 3})));
    CHECK(RelaxInput(&c, 0, c.MakeShape({4, 3})));
    CHECK(c.DebugString(c.input(0)) == "[?,3]");
  }
  TEST_CASE("what handles hold") {
    const PartialTensorShape shape({});
    InferenceContext c(1, nullptr, &kView, {&shape, 1});
    CHECK(MergeOutputHandleShapesAndTypes(&c, 0, {{c.Vector(2), DataType::kFloat}}));  // nothing was known
    CHECK(c.DebugString(*c.output_handle_shapes_and_types(0)) == "[[2]:float]");
    CHECK(!MergeOutputHandleShapesAndTypes(&c, 0, {{c.Vector(2), DataType::kFloat}, {c.Vector(2), DataType::kFloat}}));
    CHECK(RelaxInputHandleShapesAndMergeTypes(&c, 0, {{c.Vector(2), DataType::kFloat}}));
    CHECK(c.DebugString(*c.input_handle_shapes_and_types(0)) == "[?:float]");
    c.set_input_handle_shapes_and_types(0, {{c.Vector(c.UnknownDim()), DataType::kInvalid}});
    CHECK(MergeInputHandleShapesAndTypes(&c, 0, {{c.Vector(2), DataType::kFloat}}));
    CHECK(c.DebugString((*c.input_handle_shapes_and_types(0))[0]) == "[2]:float");
    CHECK(!MergeInputHandleShapesAndTypes(&c, 0, {{c.Vector(2), DataType::kInt32}}));
    CHECK(RelaxInputHandleShapesAndMergeTypes(&c, 0, {{c.Vector(3), DataType::kFloat}}));
    CHECK(c.DebugString((*c.input_handle_shapes_and_types(0))[0]) == "[?]:float");
    c.set_output_handle_shapes_and_types(0, {{c.Vector(4), DataType::kFloat}});
    CHECK(!MergeOutputHandleShapesAndTypes(&c, 0, {{c.Vector(5), DataType::kFloat}}));
    CHECK(RelaxOutputHandleShapesAndMergeTypes(&c, 0, {{c.Vector(5), DataType::kFloat}}));
    CHECK(c.DebugString((*c.output_handle_shapes_and_types(0))[0]) == "[?]:float");
  }
}
}  // namespace shape_refinement_test
