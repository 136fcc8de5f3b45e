// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/partial_shape.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

namespace partial_shape_test {
using namespace tenon;

namespace {
using P = PartialTensorShape;
}

TEST_SUITE("PartialTensorShape") {
  TEST_CASE("is of unknown rank at first") {
    const P shape;
    CHECK(shape.unknown_rank());
    CHECK(shape.dims() == -1);
    CHECK(shape.dim_size(3) == -1);
    CHECK(shape.num_elements() == -1);
    CHECK_FALSE(shape.IsFullyDefined());
    CHECK(shape.DebugString() == "<unknown>");
    CHECK(shape.dim_sizes().empty());
  }
  TEST_CASE("shows unknown sizes") {
    const P shape{2, -1, 3};
    CHECK(shape.dims() == 3);
    CHECK(shape.dim_size(1) == -1);
    CHECK(shape.num_elements() == -1);
    CHECK(shape.DebugString() == "[2,?,3]");
    CHECK(P{}.DebugString() == "<unknown>");
    CHECK(P({}).DebugString() == "[]");  // an empty list of sizes is a scalar
    CHECK(P(TensorShape{}).DebugString() == "[]");
    CHECK(P(TensorShape{}).num_elements() == 1);
  }
  TEST_CASE("becomes a full shape when all is known") {
    TensorShape full{9};
    CHECK_FALSE(P{2, -1}.AsTensorShape(&full));
    CHECK_FALSE(P().AsTensorShape(&full));
    CHECK(full == TensorShape{9});
    CHECK(P{2, 3, 4, 5, 6}.AsTensorShape(&full));
    CHECK(full == TensorShape{2, 3, 4, 5, 6});
    const P back = full;
    CHECK(back == P{2, 3, 4, 5, 6});
    CHECK(back.num_elements() == 720);
    CHECK(P(TensorShape{}).AsTensorShape(&full));
    CHECK(full == TensorShape{});
  }
  TEST_CASE("refuses sizes below -1 and products that are too large") {
    P shape;
    CHECK(P::Build(std::vector<Index>{2, -2}, &shape).message() ==
          "Expected a size of at least -1, where -1 means unknown, got -2");
    const Index huge = Index{1} << 40;
    CHECK(P::Build(std::vector<Index>{huge, huge}, &shape).message() ==
          "Encountered overflow when multiplying 1099511627776 with 1099511627776, result: -1");
    CHECK(P::Build(std::vector<Index>{huge, -1, huge}, &shape).ok());
    CHECK(P::Build(std::vector<Index>(255, 1), &shape).message() == "Too many dimensions in tensor");
    CHECK(P::Make(std::vector<Index>{-1})->DebugString() == "[?]");
  }
  TEST_CASE("changes dimension by dimension, but not while the rank is unknown") {
    P shape{2};
    shape.AddDim(-1);
    shape.set_dim(0, 5);
    CHECK(shape.DebugString() == "[5,?]");
    CHECK(shape.SetDimWithStatus(2, 1).message() == "Index must be less than 2, got 2");
    CHECK(shape.SetDimWithStatus(-1, 1).message() == "Index must be non-negative, got -1");
    P unknown;
    unknown.AddDim(3);
    CHECK(unknown.unknown_rank());
  }
  TEST_CASE("inserts, removes and appends dimensions") {
    P shape{2, -1, 4};
    shape.InsertDim(1, 3);
    shape.InsertDim(4, -1);
    CHECK(shape.DebugString() == "[2,3,?,4,?]");
    shape.RemoveDim(2);
    CHECK(shape.DebugString() == "[2,3,4,?]");
    shape.RemoveLastDims(1);
    CHECK(shape.num_elements() == 24);
    shape.AppendShape(P{-1, 5});
    shape.AppendShape(P());  // has no dimensions to append
    CHECK(shape.DebugString() == "[2,3,4,?,5]");
    shape.RemoveDimRange(1, -1);
    CHECK(shape.DebugString() == "[2]");
    shape.Clear();
    CHECK(shape == P(TensorShape{}));
    P unknown;
    unknown.InsertDim(7, 1);
    unknown.RemoveDim(3);
    unknown.RemoveDimRange(5, -9);
    unknown.RemoveLastDims(2);
    unknown.AppendShape(P{1});
    CHECK(unknown.unknown_rank());
    unknown.Clear();
    CHECK(unknown == P(TensorShape{}));
  }
  TEST_CASE("stays as it was when a change fails, and says why") {
    const Index huge = Index{1} << 40;
    P shape{2, -1};
    Status s = shape.InsertDimWithStatus(3, 1);
    CHECK(s.code() == Code::kInternal);
    CHECK(s.message() == "The insertion index must be at most 2 got 3");
    CHECK(shape.InsertDimWithStatus(-1, 1).message() == "The insertion index must be non-negative, got -1");
    CHECK(shape.InsertDimWithStatus(0, -2).message() ==
          "Expected a size of at least -1, where -1 means unknown, got -2");
    CHECK(shape.SetDimWithStatus(0, -7).message() == "Expected a size of at least -1, where -1 means unknown, got -7");
    CHECK(shape.RemoveDimWithStatus(-1).message() == "Expected dimension index to be non-negative, got -1");
    CHECK(shape.RemoveDimWithStatus(2).message() == "End index must be less than 2, got 3");
    CHECK(shape.RemoveDimRangeWithStatus(-4, 2).message() == "Start index must be non-negative, got -1");
    CHECK(shape.RemoveLastDimsWithStatus(3).message() == "Expected dimension index to be at most 2, got 3");
    CHECK(shape.AppendShapeWithStatus(P(std::vector<Index>(253, -1))).message() == "Too many dimensions in tensor");
    CHECK(shape.DebugString() == "[2,?]");
    P large{huge, -1, huge};  // too large as soon as all is known
    CHECK_FALSE(large.RemoveDimWithStatus(1).ok());
    CHECK_FALSE(large.SetDimWithStatus(1, 1).ok());
    CHECK(large.DebugString() == "[1099511627776,?,1099511627776]");
    CHECK(P(std::vector<Index>(254, -1)).InsertDimWithStatus(0, 1).message() ==
          "Shape has 254 dimensions which is the maximum allowed");
    P unknown;
    CHECK(unknown.SetDimWithStatus(0, 1).message() == "Index must be less than -1, got 0");
  }
  TEST_CASE("is compatible with what could be the same tensor") {
    CHECK(P().IsCompatibleWith(P{1, 2}));
    CHECK(P{1, 2}.IsCompatibleWith(P()));
    CHECK(P{-1, 2}.IsCompatibleWith(P{1, -1}));
    CHECK_FALSE(P{1, 2}.IsCompatibleWith(P{1, 3}));
    CHECK_FALSE(P{1}.IsCompatibleWith(P{1, -1}));
    CHECK(P{2, -1}.IsCompatibleWith(TensorShape{2, 7}));
  }
  TEST_CASE("is equal only to the same knowledge") {
    CHECK(P() == P());
    CHECK(P() != P(TensorShape{}));
    CHECK(P{-1} == P{-1});
    CHECK(P{-1} != P{1});
    CHECK(P{1, 2}.IsIdenticalTo(TensorShape{1, 2}));
  }
  TEST_CASE("merges what two shapes know") {
    P merged;
    CHECK(P{-1, 2, -1}.MergeWith(P{3, -1, -1}, &merged).ok());
    CHECK(merged.DebugString() == "[3,2,?]");
    CHECK(P().MergeWith(P{3, -1}, &merged).ok());
    CHECK(merged.DebugString() == "[3,?]");
    CHECK(P{4}.MergeWith(P(), &merged).ok());
    CHECK(merged.DebugString() == "[4]");
    CHECK(P(TensorShape{}).MergeWith(P(TensorShape{}), &merged).ok());
    CHECK(merged.DebugString() == "[]");
    CHECK(P{1, 2}.MergeWith(P{1}, &merged).message() == "PartialTensorShape: Incompatible ranks during merge: 2 vs. 1");
    const Status s = P{1, 2}.MergeWith(P{-1, 3}, &merged);
    CHECK(errors::IsInvalidArgument(s));
    CHECK(s.message() == "PartialTensorShape: Incompatible shapes during merge: [1,2] vs. [?,3]");
    CHECK(merged.MergeWith(P(), &merged).message() == "PartialTensorShape::MergeWith: Cannot output result to itself");
    CHECK(merged.DebugString() == "[]");
  }
  TEST_CASE("concatenates shapes and sizes") {
    CHECK(P{1, -1}.Concatenate(P{2, 3, 4}).DebugString() == "[1,?,2,3,4]");
    CHECK(P{1}.Concatenate(P()).unknown_rank());
    CHECK(P().Concatenate(P{1}).unknown_rank());
    CHECK(P{1}.Concatenate(-1).DebugString() == "[1,?]");
    CHECK(P().Concatenate(Index{2}).unknown_rank());
    P out;
    CHECK_FALSE(P{Index{1} << 40}.Concatenate(P{Index{1} << 40}, &out).ok());
    CHECK(P{1}.Concatenate(Index{-2}, &out).code() == Code::kInvalidArgument);
    CHECK(out.unknown_rank());
    CHECK(P{1}.Concatenate(Index{3}, &out).ok());
    CHECK(out.DebugString() == "[1,3]");
  }
  TEST_CASE("is made of numbers that a user gave") {
    const std::int32_t dims[] = {2, -1, 5};
    P shape;
    CHECK(MakeShape(dims, 3, &shape).ok());
    CHECK(shape.DebugString() == "[2,?,5]");
    const std::int64_t bad[] = {2, -2};
    CHECK(MakeShape(bad, 2, &shape).message() == "Dimension -2 must be >= -1");
    const std::int64_t huge[] = {Index{1} << 62, 4};
    CHECK(MakeShape(huge, 2, &shape).message() ==
          "Shape [4611686018427387904,4] would have more than 2**63 - 1 elements");
    CHECK(MakeShape(huge, -3, &shape).message() == "Negative number of dimensions -3");
  }
  TEST_CASE("one object stands for every unknown rank") {
    CHECK(detail::UnknownShape().unknown_rank());
    CHECK(&detail::UnknownShape() == &detail::UnknownShape());
  }
}
}  // namespace partial_shape_test
