// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/shape/shape_algebra.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include <tenon/tensor/tensor.hpp>

namespace shape_algebra_test {
namespace {
using namespace tenon;

// Shapes to play with.
struct Shapes : ShapeAlgebra {
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

TEST_SUITE("ShapeAlgebra") {
  TEST_CASE("Subshape in its three forms") {
    Scratch s;
    const ShapeHandle five = s.Make({1, 2, 3, 4, 5});
    ShapeHandle out;
    CHECK(s.c.Subshape(five, 0, &out).ok());
    CHECK(out.SameHandle(five));
    CHECK(s.c.Subshape(five, -2, &out).ok());
    CHECK(s.c.DebugString(out) == "[4,5]");
    CHECK(s.c.Subshape(five, 1, -1, &out).ok());
    CHECK(s.c.DebugString(out) == "[2,3,4]");
    CHECK(s.c.Subshape(five, 1, 100, 2, &out).ok());
    CHECK(s.c.DebugString(out) == "[2,4]");
    CHECK(s.c.Subshape(five, 5, 0, -2, &out).ok());
    CHECK(s.c.DebugString(out) == "[5,3]");
    CHECK(s.c.Subshape(s.unknown, 1, &out).ok());
    CHECK_FALSE(s.c.RankKnown(out));
    CHECK(Text(s.c.Subshape(five, -6, &out)) == "Subshape start out of bounds: -6, for shape with rank 5");
    CHECK(Text(s.c.Subshape(five, 0, -6, &out)) == "Subshape end out of bounds: -6, for shape with rank 5");
    CHECK(Text(s.c.Subshape(five, 3, 1, &out)) ==
          "Subshape must have computed start <= end, but is 3 and 1 (computed from start 3 and end 1 over "
          "shape with rank 5)");
    CHECK(Text(s.c.Subshape(five, 1, 3, -1, &out)) ==
          "Subshape must have computed start >= end since stride is negative, but is 1 and 3 (computed from "
          "start 1 and end 3 over shape with rank 5 and stride-1)");
  }
  TEST_CASE("Concatenate and ReplaceDim") {
    Scratch s;
    ShapeHandle out;
    CHECK(s.c.Concatenate(s.partial, s.Make({7}), &out).ok());
    CHECK(s.c.DebugString(out) == "[2,?,4,7]");
    CHECK(s.c.Concatenate(s.partial, s.unknown, &out).ok());
    CHECK_FALSE(s.c.RankKnown(out));
    CHECK(s.c.ReplaceDim(s.partial, -2, s.c.MakeDim(9), &out).ok());
    CHECK(s.c.DebugString(out) == "[2,9,4]");
    CHECK(Text(s.c.ReplaceDim(s.partial, 3, s.c.MakeDim(9), &out)) ==
          "Out of range dim_index 3 for shape with 3 dimensions");
    CHECK(Text(s.c.ReplaceDim(s.partial, -4, s.c.MakeDim(9), &out)) ==
          "Out of range dim_index -4 for shape with 3 dimensions");
  }
  TEST_CASE("arithmetic of known and unknown dimensions") {
    Scratch s;
    Shapes& c = s.c;
    const DimensionHandle unknown = c.UnknownDim(), zero = c.MakeDim(0), one = c.MakeDim(1), six = c.MakeDim(6);
    const DimensionHandle huge = c.MakeDim(std::numeric_limits<std::int64_t>::max());
    DimensionHandle out;
    CHECK((c.Divide(six, 4, false, &out).ok() && c.Value(out) == 1));
    CHECK((c.Divide(unknown, 1, true, &out).ok() && out.SameHandle(unknown)));
    CHECK((c.Divide(unknown, 2, true, &out).ok() && !c.ValueKnown(out)));
    CHECK(Text(c.Divide(six, 0, false, &out)) == "Divisor must be positive but is 0");
    CHECK(Text(c.Divide(six, 4, true, &out)) == "Dimension size must be evenly divisible by 4 but is 6");
    CHECK((c.Add(zero, unknown, &out).ok() && out.SameHandle(unknown)));
    CHECK((c.Add(unknown, 0, &out).ok() && out.SameHandle(unknown)));
    CHECK((c.Add(six, 4, &out).ok() && c.Value(out) == 10));
    CHECK((c.Add(six, unknown, &out).ok() && !c.ValueKnown(out)));
    CHECK(Text(c.Add(huge, 1, &out)) == "Dimension size overflow from adding 9223372036854775807 and 1");
    CHECK((c.Subtract(six, 6, &out).ok() && c.Value(out) == 0));
    CHECK((c.Subtract(unknown, 0, &out).ok() && out.SameHandle(unknown)));
    CHECK(Text(c.Subtract(six, 7, &out)) == "Negative dimension size caused by subtracting 7 from 6");
    CHECK((c.Multiply(zero, unknown, &out).ok() && c.Value(out) == 0));
    CHECK((c.Multiply(unknown, 0, &out).ok() && c.Value(out) == 0));
    CHECK((c.Multiply(one, unknown, &out).ok() && out.SameHandle(unknown)));
    CHECK((c.Multiply(six, 7, &out).ok() && c.Value(out) == 42));
    CHECK(Text(c.Multiply(huge, 2, &out)) ==
          "Negative dimension size caused by overflow when multiplying 9223372036854775807 and 2");
    CHECK((c.Min(unknown, 0, &out).ok() && c.Value(out) == 0));
    CHECK((c.Min(six, 4, &out).ok() && c.Value(out) == 4));
    CHECK((c.Min(unknown, 4, &out).ok() && !c.ValueKnown(out)));
    CHECK((c.Max(six, 4, &out).ok() && c.Value(out) == 6));
    CHECK((c.Max(unknown, 0, &out).ok() && !c.ValueKnown(out)));
  }
  TEST_CASE("reads scalars") {
    const Tensor three = Tensor::Scalar<std::int64_t>(3), list = MakeTensor<std::int32_t>({2}, {7, 8});
    const Tensor real = Tensor::Scalar<float>(1);
    std::int64_t value = 0;
    CHECK(Shapes::GetScalarFromTensor(&three, &value).ok());
    CHECK(value == 3);
    CHECK(Text(Shapes::GetScalarFromTensor(&list, &value)) == "Input must be scalar but has rank 1");
    CHECK(Text(Shapes::GetScalarFromTensor(&real, &value)) == "Scalar input must be int32 or int64.");
    CHECK(Shapes::GetScalarFromTensor(&list, 1, &value).ok());
    CHECK(value == 8);
    CHECK(Text(Shapes::GetScalarFromTensor(&list, 2, &value)) == "Invalid index 2 for Tensor of size 2");
    CHECK(Text(Shapes::GetScalarFromTensor(&three, 0, &value)) == "Input must be 1D but has rank 0");
  }
}
}  // namespace
}  // namespace shape_algebra_test
