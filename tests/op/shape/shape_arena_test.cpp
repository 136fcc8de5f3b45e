// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/shape_arena.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include <tenon/tensor/tensor.hpp>

namespace shape_arena_test {
namespace {
using namespace tenon;

// Shapes to play with.
struct Shapes : ShapeArena {
  constexpr Shapes() {}
};
struct Scratch {
  Shapes c;
  ShapeHandle partial = c.MakeShape({2, -1, 4}), unknown = c.UnknownShape();
  ShapeHandle Make(std::initializer_list<std::int64_t> sizes) {
    return c.MakeShape(std::span<const std::int64_t>(sizes.begin(), sizes.size()));
  }
};

std::string Text(const Status& status) { return std::string(status.message()); }

TEST_SUITE("ShapeArena") {
  TEST_CASE("WithRank, WithRankAtLeast and WithRankAtMost") {
    Scratch s;
    ShapeHandle out;
    CHECK(s.c.WithRank(s.partial, 3, &out).ok());
    CHECK(out.SameHandle(s.partial));
    CHECK(Text(s.c.WithRank(s.partial, 2, &out)) == "Shape must be rank 2 but is rank 3");
    CHECK_FALSE(out.IsSet());
    CHECK(s.c.WithRank(s.unknown, 2, &out).ok());
    CHECK(s.c.DebugString(out) == "[?,?]");
    CHECK(s.c.WithRank(s.unknown, -3, &out).ok());  // a scalar, as TensorFlow has it
    CHECK(s.c.DebugString(out) == "[]");
    CHECK(s.c.WithRank(s.unknown, -1, &out).ok());
    CHECK(s.c.DebugString(out) == "?");
    CHECK(s.c.DebugString(s.c.UnknownShapeOfRank(-3)) == "?");
    CHECK(Text(s.c.WithRank(s.partial, -3, &out)) == "Shape must be rank -3 but is rank 3");
    CHECK(Text(s.c.WithRankAtLeast(s.partial, 4, &out)) == "Shape must be at least rank 4 but is rank 3");
    CHECK(Text(s.c.WithRankAtMost(s.partial, 2, &out)) == "Shape must be at most rank 2 but is rank 3");
    CHECK(s.c.WithRankAtLeast(s.unknown, 4, &out).ok());
    CHECK(out.SameHandle(s.unknown));
    CHECK(s.c.WithRankAtMost(s.partial, 3, &out).ok());
    CHECK(Text(s.c.WithRank(s.partial, std::int64_t{1} << 31, &out)) == "Rank cannot exceed kint32max");
  }
  TEST_CASE("a handle that was never set has an unknown rank") {
    Scratch s;
    static_assert(ShapeArena::Rank(ShapeHandle()) == ShapeArena::kUnknownRank);  // no context is asked
    CHECK(ShapeArena::Rank(s.partial) == 3);
    CHECK_FALSE(ShapeArena::RankKnown(s.unknown));
    CHECK_FALSE(s.c.RankKnown(ShapeHandle()));
    CHECK(s.c.DebugString(ShapeHandle()) == "?");
    CHECK_FALSE(s.c.ValueKnown(s.c.Dim(ShapeHandle(), 2)));
    CHECK_FALSE(s.c.FullyDefined(ShapeHandle()));
  }
  TEST_CASE("dimensions count from both ends") {
    Scratch s;
    CHECK(s.c.Value(s.c.Dim(s.partial, -1)) == 4);
    CHECK(s.c.Dim(s.partial, 1).SameHandle(s.c.DimKnownRank(s.partial, -2)));
    CHECK_FALSE(s.c.Dim(s.unknown, 0).SameHandle(s.c.Dim(s.unknown, 0)));
    CHECK_FALSE(s.c.FullyDefined(s.partial));
    CHECK(s.c.FullyDefined(s.Make({2, 3})));
  }
  TEST_CASE("WithValue and Merge of dimensions") {
    Scratch s;
    const DimensionHandle unknown = s.c.Dim(s.partial, 1), two = s.c.Dim(s.partial, 0);
    DimensionHandle out;
    CHECK(Text(s.c.WithValue(two, 3, &out)) == "Dimension must be 3 but is 2");
    CHECK(s.c.WithValue(unknown, 3, &out).ok());
    CHECK(s.c.Value(out) == 3);
    CHECK(Text(s.c.Merge(two, s.c.MakeDim(3), &out)) == "Dimensions must be equal, but are 2 and 3");
    CHECK_FALSE(out.IsSet());
    CHECK(s.c.Merge(unknown, two, &out).ok());
    CHECK(s.c.Value(out) == 2);
    CHECK(s.c.Merge(unknown, s.c.UnknownDim(), &out).ok());
    CHECK(out.SameHandle(unknown));
  }
  TEST_CASE("Merge of shapes keeps the handle that knows all") {
    Scratch s;
    ShapeHandle out;
    CHECK(s.c.Merge(s.partial, s.unknown, &out).ok());
    CHECK(out.SameHandle(s.partial));
    CHECK(s.c.Merge(s.unknown, s.partial, &out).ok());
    CHECK(out.SameHandle(s.partial));
    const ShapeHandle known = s.Make({2, 3, 4});
    CHECK(s.c.Merge(s.partial, known, &out).ok());
    CHECK(out.SameHandle(known));
    CHECK(s.c.Merge(s.partial, s.Make({-1, 3, -1}), &out).ok());
    CHECK(s.c.DebugString(out) == "[2,3,4]");
    CHECK(Text(s.c.Merge(known, s.Make({2, 3}), &out)) == "Shapes must be equal rank, but are 3 and 2");
    CHECK(Text(s.c.Merge(s.partial, s.Make({2, 7, 5}), &out)) ==
          "Dimension 2 in both shapes must be equal, but are 4 and 5. Shapes are [2,?,4] and [2,7,5].");
  }
  TEST_CASE("MergePrefix") {
    Scratch s;
    ShapeHandle merged, prefix;
    CHECK(s.c.MergePrefix(s.partial, s.Make({-1, 5}), &merged, &prefix).ok());
    CHECK(s.c.DebugString(merged) == "[2,5,4]");
    CHECK(s.c.DebugString(prefix) == "[2,5]");
    CHECK(s.c.MergePrefix(s.unknown, s.partial, &merged, &prefix).ok());
    CHECK(merged.SameHandle(s.unknown));
    CHECK(prefix.SameHandle(s.partial));
    CHECK(Text(s.c.MergePrefix(s.partial, s.Make({1, 2, 3, 4}), &merged, &prefix)) ==
          "Shape must be at least rank 4 but is rank 3");
    CHECK(Text(s.c.MergePrefix(s.partial, s.Make({3}), &merged, &prefix)) ==
          "Dimensions must be equal, but are 2 and 3");
    CHECK_FALSE(merged.IsSet());
  }
  TEST_CASE("remembers what was merged") {
    Scratch s;
    ShapeHandle out;
    CHECK(s.c.WithRank(s.unknown, 2, &out).ok());
    REQUIRE(s.c.MergedShapes().size() == 1);
    CHECK(s.c.MergedShapes()[0].first.SameHandle(s.unknown));
    CHECK(s.c.MergedShapes()[0].second.SameHandle(out));
    CHECK(s.c.MergedDims().empty());

    DimensionHandle dim;
    const DimensionHandle width = s.c.Dim(s.partial, 1);
    CHECK(s.c.WithValue(width, 7, &dim).ok());
    CHECK(s.c.Value(dim) == 7);
    REQUIRE(s.c.MergedDims().size() == 1);
    CHECK(s.c.MergedDims()[0].first.SameHandle(width));
    CHECK(s.c.MergedDims()[0].second.SameHandle(dim));
    CHECK(s.c.Merge(dim, dim, &dim).ok());  // the same handle: nothing new
    CHECK(s.c.MergedDims().size() == 1);
    CHECK_FALSE(s.c.Merge(dim, s.c.MakeDim(8), &dim).ok());
    CHECK(s.c.MergedDims().size() == 1);

    s.c.ForgetMerges();
    const ShapeHandle a = s.Make({2, -1}), b = s.Make({-1, 3});
    CHECK(s.c.Merge(a, b, &out).ok());  // neither knows all: a new shape, equal to both
    CHECK(s.c.DebugString(out) == "[2,3]");
    REQUIRE(s.c.MergedShapes().size() == 2);
    CHECK(s.c.MergedShapes()[0].second.SameHandle(b));
    CHECK(s.c.MergedShapes()[1].first.SameHandle(a));
    CHECK(s.c.MergedShapes()[1].second.SameHandle(out));
    CHECK(s.c.MergedDims().size() == 2);
    s.c.ForgetMerges();
    CHECK(s.c.MergedShapes().empty());
    CHECK(s.c.MergedDims().empty());
  }
  TEST_CASE("new shapes") {
    Scratch s;
    CHECK(s.c.DebugString(s.c.Scalar()) == "[]");
    CHECK(s.c.DebugString(s.c.Vector(3)) == "[3]");
    CHECK(s.c.DebugString(s.c.Matrix(s.c.Dim(s.partial, 0), -1)) == "[2,?]");
    CHECK(s.c.DebugString(s.c.MakeShape({s.c.Dim(s.partial, 0), 5, s.c.UnknownDim()})) == "[2,5,?]");
    CHECK(s.c.DebugString(s.c.UnknownShapeOfRank(2)) == "[?,?]");
    CHECK(s.c.DebugString(s.c.UnknownShape()) == "?");
    CHECK(s.c.DebugString(ShapeAndType{s.partial, DataType::kFloat}) == "[2,?,4]:float");
  }
  TEST_CASE("hands out partial and full shapes") {
    Scratch s;
    PartialTensorShape partial;
    TensorShape full;
    CHECK(s.c.ToPartialTensorShape(s.partial, &partial).ok());
    CHECK(partial.DebugString() == "[2,?,4]");
    CHECK(s.c.ToPartialTensorShape(s.unknown, &partial).ok());
    CHECK(partial.unknown_rank());
    const Status incomplete = s.c.ToTensorShape(s.partial, &full);
    CHECK(incomplete.code() == Code::kInternal);
    CHECK(incomplete.message() == "the shape [2,?,4] is not fully known");
    CHECK(s.c.ToTensorShape(s.Make({4, 5}), &full).ok());
    CHECK(full == TensorShape{4, 5});
    CHECK_FALSE(s.c.ToTensorShape(s.Make({Index{1} << 40, Index{1} << 40}), &full).ok());
    CHECK_FALSE(s.c.ToPartialTensorShape(s.c.UnknownShapeOfRank(300), &partial).ok());
  }
  TEST_CASE("NumElements") {
    Scratch s;
    Shapes& c = s.c;
    CHECK(c.Value(c.NumElements(s.Make({2, 3}))) == 6);
    CHECK(c.Value(c.NumElements(s.Make({-1, 0}))) == 0);
    CHECK_FALSE(c.ValueKnown(c.NumElements(s.partial)));
    CHECK_FALSE(c.ValueKnown(c.NumElements(s.unknown)));
  }
}
}  // namespace
}  // namespace shape_arena_test
