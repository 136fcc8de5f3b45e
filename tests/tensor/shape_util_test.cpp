// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/shape_util.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <vector>

namespace shape_util_test {
using namespace tenon;

namespace {
using P = PartialTensorShape;
constexpr Index kHuge = Index{1} << 40;
}  // namespace

TEST_SUITE("NumElements") {
  TEST_CASE("multiplies sizes from the left") {
    CHECK(NumElements({}).value() == 1);
    CHECK(NumElements({2, 3, 4}).value() == 24);
    CHECK(NumElements({0, kHuge, kHuge}).value() == 0);
    CHECK(NumElements(std::vector<Index>(1000, 1)).value() == 1);
  }
  TEST_CASE("refuses what has no number of elements") {
    const Status s = NumElements({kHuge, kHuge, 0}).status();
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() ==
          "Can't compute total size of shape [1099511627776,1099511627776,0]; product would overflow int64");
    CHECK(NumElements({2, -1}).status().message() == "NumElements: sizes must be non-negative, got shape [2,-1]");
    CHECK_FALSE(NumElements({std::numeric_limits<Index>::min()}).ok());
  }
}

TEST_SUITE("lists of shapes") {
  TEST_CASE("are compared place by place") {
    const std::vector<P> a = {P{2, -1}, P()}, b = {P{2, 3}, P{1}}, shorter = {P{2, -1}};
    CHECK(AreIdentical(a, a));
    CHECK_FALSE(AreIdentical(a, b));
    CHECK_FALSE(AreIdentical(a, shorter));
    CHECK(AreCompatible(a, b));
    CHECK_FALSE(AreCompatible(a, shorter));
    CHECK_FALSE(AreCompatible(b, std::vector<P>{P{2, 4}, P{1}}));
    CHECK(AreIdentical({}, {}));
    CHECK(ShapeListString(a) == "[[2,?], <unknown>]");
    CHECK(ShapeListString(std::vector<P>{}) == "[]");
  }
}

TEST_SUITE("DimsOf") {
  TEST_CASE("walks over dimensions that say their size") {
    const TensorShape shape{2, 3, 4, 5, 6};
    Index product = 1;
    for (const TensorShapeDim dim : DimsOf(shape)) product *= dim.size;
    CHECK(product == 720);
    CHECK(DimsOf(shape).size() == 5);
    const P partial{7, -1}, unknown;
    std::vector<Index> sizes;
    for (const auto dim : DimsOf(partial)) sizes.push_back(dim.size);
    CHECK(sizes == std::vector<Index>{7, -1});
    CHECK(DimsOf(unknown).begin() == DimsOf(unknown).end());
    const TensorShapeDims dims = DimsOf(shape);
    auto i = dims.begin();
    CHECK((*i++).size == 2);
    CHECK(*i == TensorShapeDim{3});
  }
}

TEST_SUITE("shapes as arrays") {
  TEST_CASE("have the rank that is asked for") {
    CHECK(DimsAsArray<2>(TensorShape{2, 3}).value() == Array<Index, 2>{2, 3});
    const Status s = DimsAsArray<2>(TensorShape{2}).status();
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() == "Asking for tensor of 2 dimensions from a tensor of 1 dimensions");
  }
  TEST_CASE("or are filled up with ones") {
    CHECK(DimsAsPaddedArray<3>(TensorShape{}).value() == Array<Index, 3>{1, 1, 1});
    CHECK(DimsAsPaddedArray<3>(TensorShape{5, 0}).value() == Array<Index, 3>{5, 0, 1});
    CHECK(DimsAsPaddedArray<1>(TensorShape{5, 0}).status().message() ==
          "Asking for tensor of at most 1 dimensions from a tensor of 2 dimensions");
  }
}

TEST_SUITE("ShapeHash") {
  TEST_CASE("is the same for equal shapes, however they were made") {
    TensorShape grown{2};
    for (const Index size : {3, 4, 5, 6}) grown.AddDim(size);
    CHECK(ShapeHash(grown) == ShapeHash(TensorShape{2, 3, 4, 5, 6}));
    grown.RemoveLastDims(3);
    CHECK(ShapeHash(grown) == ShapeHash(TensorShape{2, 3}));
    CHECK(ShapeHash(P{2, 3}) == ShapeHash(TensorShape{2, 3}));
  }
  TEST_CASE("tells ranks, orders and unknown sizes apart") {
    const std::uint64_t hashes[] = {ShapeHash(TensorShape{}),
                                    ShapeHash(TensorShape{1}),
                                    ShapeHash(TensorShape{1, 1}),
                                    ShapeHash(TensorShape{2, 3}),
                                    ShapeHash(TensorShape{3, 2}),
                                    ShapeHash(TensorShape{0}),
                                    ShapeHash(P{-1}),
                                    ShapeHash(P())};
    for (const std::uint64_t& a : hashes) {
      for (const std::uint64_t& b : hashes) CHECK((&a == &b) == (a == b));
    }
  }
}
}  // namespace shape_util_test
