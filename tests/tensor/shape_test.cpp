// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/shape.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "base/child_process.hpp"

namespace shape_test {
using namespace tenon;

namespace {
constexpr Index kHuge = Index{1} << 40;
std::vector<Index> Sizes(const TensorShape& shape) { return {shape.begin(), shape.end()}; }
std::string MessageOf(std::initializer_list<Index> dims) {
  return std::string(TensorShape::Make(dims).status().message());
}
}  // namespace

TEST_SUITE("MultiplyWithoutOverflow") {
  TEST_CASE("multiplies what fits and is negative otherwise") {
    constexpr Index kMax = std::numeric_limits<Index>::max();
    CHECK(MultiplyWithoutOverflow(6, 7) == 42);
    CHECK(MultiplyWithoutOverflow(0, kMax) == 0);
    CHECK(MultiplyWithoutOverflow(kMax, 0) == 0);
    CHECK(MultiplyWithoutOverflow(1, kMax) == kMax);
    CHECK(MultiplyWithoutOverflow(kMax, 2) < 0);
    CHECK(MultiplyWithoutOverflow(Index{1} << 32, Index{1} << 31) < 0);
    CHECK(MultiplyWithoutOverflow(Index{1} << 32, Index{1} << 30) == Index{1} << 62);
    CHECK(MultiplyWithoutOverflow(kHuge, kHuge) < 0);
    CHECK(MultiplyWithoutOverflow(3037000500, 3037000500) < 0);
    CHECK(MultiplyWithoutOverflow(3037000499, 3037000499) == 9223372030926249001);
    CHECK(MultiplyWithoutOverflow(-1, 5) == -1);
    CHECK(MultiplyWithoutOverflow(0, -1) == -1);
  }
}

TEST_SUITE("TensorShape") {
  TEST_CASE("is 40 bytes, and a scalar at first") {
    CHECK(sizeof(TensorShape) == 40);
    const TensorShape scalar;
    CHECK(scalar.dims() == 0);
    CHECK(scalar.num_elements() == 1);
    CHECK(scalar.dim_sizes().empty());
    CHECK(scalar.DebugString() == "[]");
  }
  TEST_CASE("knows its sizes and their product") {
    const TensorShape shape{2, 3, 4};
    CHECK(shape.dims() == 3);
    CHECK(shape.dim_size(1) == 3);
    CHECK(shape.num_elements() == 24);
    CHECK(Sizes(shape) == std::vector<Index>{2, 3, 4});
    CHECK(shape.DebugString() == "[2,3,4]");
    CHECK(TensorShape{0, kHuge, kHuge}.num_elements() == 0);
    CHECK(TensorShape{kHuge, 8000000}.num_elements() == kHuge * 8000000);
  }
  TEST_CASE("compares rank and sizes") {
    CHECK(TensorShape{2, 3} == TensorShape{2, 3});
    CHECK(TensorShape{2, 3} != TensorShape{3, 2});
    CHECK(TensorShape{2} != TensorShape{2, 1});
    CHECK(TensorShape{} != TensorShape{1});
    CHECK(TensorShape{1, 2, 3, 4, 5} == TensorShape{1, 2, 3, 4, 5});
    CHECK(TensorShape{1, 2, 3, 4, 5} != TensorShape{1, 2, 3, 4, 6});
    CHECK(TensorShape{1, 2}.IsSameSize(TensorShape{1, 2}));
  }
  TEST_CASE("refuses bad dimensions with TensorFlow's texts") {
    CHECK(MessageOf({2, -1}) == "Expected shape dimensions to be non-negative, got -1");
    CHECK(MessageOf({kHuge, -1}) == "Expected a non-negative size, got -1");
    CHECK(MessageOf({kHuge, kHuge}) ==
          "Encountered overflow when multiplying 1099511627776 with 1099511627776, result: -1");
    CHECK(MessageOf({kHuge, kHuge, 0}) ==
          "Encountered overflow when multiplying 1099511627776 with 1099511627776, result: -1");
    CHECK(MessageOf({}) == "");
    const std::vector<Index> many(255, 1);
    TensorShape shape{7};
    const Status s = TensorShape::Build(many, &shape);
    CHECK(errors::IsInvalidArgument(s));
    CHECK(s.message() == "Too many dimensions in tensor");
    CHECK(shape == TensorShape{7});
    CHECK(TensorShape::Build(std::vector<Index>(254, 1), &shape).ok());
    CHECK(shape.dims() == 254);
    CHECK(shape.AddDimWithStatus(1).message() == "Too many dimensions in tensor");
  }
  TEST_CASE("changes dimension by dimension") {
    TensorShape shape{2, 3};
    shape.AddDim(4);
    shape.InsertDim(0, 5);
    CHECK(shape.DebugString() == "[5,2,3,4]");
    shape.InsertDim(4, 6);  // now on the heap
    shape.InsertDim(2, 1);
    CHECK(shape.DebugString() == "[5,2,1,3,4,6]");
    CHECK(shape.num_elements() == 720);
    shape.set_dim(2, 7);
    CHECK(shape.DebugString() == "[5,2,7,3,4,6]");
    shape.RemoveDim(0);
    shape.RemoveDimRange(1, 3);
    CHECK(shape.DebugString() == "[2,4,6]");
    CHECK(shape.num_elements() == 48);
    shape.RemoveLastDims(2);
    CHECK(shape.DebugString() == "[2]");
    shape.AppendShape(TensorShape{3, 0});
    CHECK(shape.DebugString() == "[2,3,0]");
    shape.AppendShape(shape);
    CHECK(shape.DebugString() == "[2,3,0,2,3,0]");
    shape.RemoveDimRange(-2, -1);  // -1 is one past the end
    CHECK(shape.DebugString() == "[2,3,0,2,3]");
    shape.RemoveDimRange(3, 3);
    CHECK(shape.dims() == 5);
    shape.Clear();
    CHECK(shape == TensorShape{});
    CHECK(shape.num_elements() == 1);
  }
  TEST_CASE("stays as it was when a change fails, and says why") {
    TensorShape shape{2, 3};
    CHECK(shape.AddDimWithStatus(-2).message() == "Expected a non-negative size, got -2");
    CHECK(shape.AddDimWithStatus(std::numeric_limits<Index>::max()).message() ==
          "Encountered overflow when multiplying 6 with 9223372036854775807, result: -1");
    Status s = shape.InsertDimWithStatus(-1, 1);
    CHECK(s.code() == Code::kInternal);
    CHECK(s.message() == "The insertion index must be non-negative, got -1");
    CHECK(shape.InsertDimWithStatus(3, 1).message() == "The insertion index must be at most 2 got 3");
    CHECK(TensorShape(std::span<const Index>(std::vector<Index>(254, 1))).InsertDimWithStatus(0, 1).message() ==
          "Shape has 254 dimensions which is the maximum allowed");
    s = shape.SetDimWithStatus(-1, 1);
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() == "Index must be non-negative, got -1");
    CHECK(shape.SetDimWithStatus(2, 1).message() == "Index must be less than 2, got 2");
    CHECK(shape.SetDimWithStatus(0, Index{1} << 62).message() ==
          "Shape [4611686018427387904,3] results in overflow when computing number of elements");
    s = shape.RemoveDimRangeWithStatus(-4, 2);
    CHECK(s.code() == Code::kInternal);
    CHECK(s.message() == "Start index must be non-negative, got -1");
    CHECK(shape.RemoveDimRangeWithStatus(3, 4).message() == "Start index must be less than 2, got 3");
    CHECK(shape.RemoveDimRangeWithStatus(0, 3).message() == "End index must be less than 2, got 3");
    CHECK(shape.RemoveDimRangeWithStatus(0, -4).message() == "End index must be non-negative, got -1");
    CHECK(shape == TensorShape{2, 3});
    TensorShape zero{0, kHuge, kHuge};  // without its zero it would be too large
    CHECK(zero.RemoveDimWithStatus(0).message() ==
          "Shape [1099511627776,1099511627776] results in overflow when computing number of elements");
    CHECK(zero.dims() == 3);
  }
  TEST_CASE("removes the last dimensions, no more than there are") {
    TensorShape shape{2, 3, 4};
    CHECK(shape.RemoveLastDimsWithStatus(0).ok());
    CHECK(shape.dims() == 3);
    Status s = shape.RemoveLastDimsWithStatus(4);
    CHECK(s.code() == Code::kInternal);
    CHECK(s.message() == "Expected dimension index to be at most 3, got 4");
    CHECK(shape.RemoveLastDimsWithStatus(-1).message() == "Expected dimension index to be non-negative, got -1");
    CHECK(shape == TensorShape{2, 3, 4});
    shape.RemoveLastDims(3);
    CHECK(shape == TensorShape{});
    s = shape.RemoveDimWithStatus(-1);
    CHECK(s.code() == Code::kInternal);
    CHECK(s.message() == "Expected dimension index to be non-negative, got -1");
    CHECK(shape.RemoveDimWithStatus(0).message() == "End index must be less than 0, got 1");
    CHECK_FALSE(shape.RemoveDimRangeWithStatus(std::numeric_limits<int>::min(), 0).ok());
    CHECK_FALSE(shape.RemoveDimRangeWithStatus(0, std::numeric_limits<int>::max()).ok());
  }
  TEST_CASE("keeps 254 dimensions apart from 255 in every way of growing") {
    const std::vector<Index> ones(254, 1);
    TensorShape shape(ones);
    CHECK(shape.num_elements() == 1);
    CHECK(shape.AppendShapeWithStatus(TensorShape{}).ok());
    CHECK(shape.AppendShapeWithStatus(TensorShape{1}).message() == "Too many dimensions in tensor");
    CHECK(shape.AppendShapeWithStatus(shape).message() == "Too many dimensions in tensor");
    CHECK(shape.InsertDimWithStatus(254, 1).message() == "Shape has 254 dimensions which is the maximum allowed");
    CHECK(shape == TensorShape(ones));
    shape.set_dim(253, 9);
    shape.RemoveDimRange(0, 253);
    CHECK(shape == TensorShape{9});
    CHECK(TensorShape{3, kHuge}.AppendShapeWithStatus(TensorShape{kHuge, 1}).message() ==
          "Encountered overflow when multiplying 3298534883328 with 1099511627776, result: -1");
    CHECK(TensorShape{3}.InsertDimWithStatus(0, -1).message() == "Expected a non-negative size, got -1");
    CHECK(TensorShape{3}.SetDimWithStatus(0, -1).message() == "Expected a non-negative size, got -1");
    CHECK_FALSE(TensorShape{std::numeric_limits<Index>::max()}.AddDimWithStatus(2).ok());
    CHECK(TensorShape{std::numeric_limits<Index>::max()}.AddDimWithStatus(0).ok());
  }
  TEST_CASE("copies and moves between inline and heap") {
    const TensorShape small{2, 3}, large{1, 2, 3, 4, 5, 6};
    TensorShape a = large;
    CHECK(a == large);
    a = small;
    CHECK(a == small);
    a = large;
    TensorShape b = std::move(a);
    CHECK(b == large);
    a = std::move(b);
    CHECK(a == large);
    b = small;
    a = std::move(b);
    CHECK(a == small);
    a = *&a;
    CHECK(a == small);
    TensorShape& self = a;
    a = std::move(self);
    CHECK(a == small);
    CHECK(a.num_elements() == 6);
  }
  TEST_CASE("agrees with a plain vector over random changes") {
    std::mt19937 random(1);
    TensorShape shape;
    std::vector<Index> model;
    for (int step = 0; step < 5000; ++step) {
      const auto n = static_cast<unsigned>(model.size());
      const Index size = 1 + static_cast<Index>(random() % 2);
      switch (random() % 5) {
        case 0:
          if (n < 20) shape.AddDim(size), model.push_back(size);
          break;
        case 1:
          if (const auto d = random() % (n + 1); n < 20) {
            shape.InsertDim(static_cast<int>(d), size);
            model.insert(model.begin() + static_cast<std::ptrdiff_t>(d), size);
          }
          break;
        case 2:
          if (const auto d = n == 0 ? 0 : random() % n; n > 0) {
            shape.RemoveDim(static_cast<int>(d));
            model.erase(model.begin() + static_cast<std::ptrdiff_t>(d));
          }
          break;
        case 3:
          if (const auto d = n == 0 ? 0 : random() % n; n > 0) {
            shape.set_dim(static_cast<int>(d), size);
            model[d] = size;
          }
          break;
        default: {
          TensorShape copy = shape;
          shape = TensorShape{9};
          shape = std::move(copy);
        }
      }
      Index product = 1;
      for (const Index m : model) product *= m;
      REQUIRE(Sizes(shape) == model);
      REQUIRE(shape.num_elements() == product);
      REQUIRE(shape == TensorShape(std::span<const Index>(model)));
    }
  }
  TEST_CASE("answers questions about its form") {
    CHECK(IsScalar(TensorShape{}));
    CHECK(IsVector(TensorShape{3}));
    CHECK(IsMatrix(TensorShape{3, 4}));
    CHECK_FALSE(IsSquareMatrix(TensorShape{3, 4}));
    CHECK(IsSquareMatrix(TensorShape{3, 3}));
    CHECK(IsVectorOrHigher(TensorShape{3, 4}));
    CHECK_FALSE(IsMatrixOrHigher(TensorShape{3}));
    CHECK(IsSingleElement(TensorShape{1, 1, 1}));
    CHECK(StartsWith(TensorShape{2, 3, 4}, TensorShape{2, 3}));
    CHECK_FALSE(StartsWith(TensorShape{2}, TensorShape{2, 3}));
    CHECK(EndsWith(TensorShape{2, 3, 4}, TensorShape{3, 4}));
    CHECK_FALSE(EndsWith(TensorShape{2, 3, 4}, TensorShape{2, 4}));
    CHECK(EndsWith(TensorShape{2}, TensorShape{}));
    CHECK(ShapeListString(std::vector<TensorShape>{{2}, {3, 4}}) == "[[2], [3,4]]");
  }
  TEST_CASE("ends the program when the program itself gives bad dimensions") {
    const ChildResult child = RunInChild([] { TensorShape{2, -3}; });
    CHECK(child.aborted);
    CHECK(Contains(child.errors, "TensorShape: Expected shape dimensions to be non-negative, got -3"));
  }
}

TEST_SUITE("MakeShape") {
  TEST_CASE("makes a shape of the numbers that a kernel was given") {
    const std::int32_t dims[] = {2, 0, 5};
    TensorShape shape;
    CHECK(MakeShape(dims, 3, &shape).ok());
    CHECK(shape == TensorShape{2, 0, 5});
    CHECK(MakeShape(dims, 0, &shape).ok());
    CHECK(shape == TensorShape{});
  }
  TEST_CASE("fails with the texts that such ops have in TensorFlow") {
    const std::int64_t dims[] = {2, -1, 5};
    TensorShape shape;
    CHECK(MakeShape(dims, 3, &shape).message() == "Dimension -1 must be >= 0");
    CHECK(MakeShape(dims, -1, &shape).message() == "Negative number of dimensions -1");
    const std::int64_t huge[] = {kHuge, kHuge, 3};
    const Status s = MakeShape(huge, 3, &shape);
    CHECK(errors::IsInvalidArgument(s));
    CHECK(s.message() == "Shape [1099511627776,1099511627776,3] would have more than 2**63 - 1 elements");
    const std::vector<std::int32_t> many(255, 1);
    CHECK(MakeShape(many.data(), 255, &shape).message() == "Too many dimensions");
  }
  TEST_CASE("products of some sizes") {
    CHECK(MultiplySizes(3, 4) == 12);
    CHECK(MultiplySizes(kHuge, kHuge) == 0);
    CHECK(MultiplySizes(0, kHuge) == 0);
    const TensorShape shape({0, kHuge, kHuge, 2});
    CHECK(ProductOfSizes(shape, 0, 4) == 0);
    CHECK(ProductOfSizes(shape, 1, 2) == kHuge);
    CHECK(ProductOfSizes(shape, 1, 3) == 0);
    CHECK(ProductOfSizes(shape, 2, 4) == 2 * kHuge);
    CHECK(ProductOfSizes(shape, 4, 4) == 1);
  }
}
}  // namespace shape_test
