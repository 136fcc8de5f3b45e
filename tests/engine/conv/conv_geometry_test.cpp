// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/conv_geometry.hpp>

#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace conv_geometry_test {
using namespace tenon;

namespace {

struct ConvCase {
  std::vector<Index> input, filter;
  std::vector<Index> strides = {1, 1, 1, 1}, dilations = {1, 1, 1, 1};
  Padding padding = Padding::kSame;
  std::vector<Index> paddings = {};
};

Status Geometry(const ConvCase& c, Conv2DGeometry* g) {
  return MakeConv2DGeometry(TensorShape(c.input), TensorShape(c.filter), c.strides, c.dilations, c.padding, c.paddings,
                            g);
}
std::string GeometryError(const ConvCase& c) {
  Conv2DGeometry g;
  return Geometry(c, &g).ToString();
}

}  // namespace

TEST_SUITE("Conv2DGeometry") {
  TEST_CASE("SAME puts the odd padding behind") {
    Conv2DGeometry g;
    REQUIRE(Geometry({{1, 6, 6, 1}, {4, 2, 1, 1}, {1, 1, 2, 1}}, &g).ok());
    CHECK(g.rows.pad_before == 1);
    CHECK(g.rows.pad_after == 2);
    CHECK(g.columns.pad_before == 0);
    CHECK(g.columns.pad_after == 0);
    CHECK(g.columns.output == 3);
  }

  TEST_CASE("refuses what TensorFlow refuses, in its words") {
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 1, 1, 1}, {2, 1, 1, 1}}) ==
          "UNIMPLEMENTED: Current implementation does not yet support strides in the batch and depth dimensions.");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 1, 1, 1}, {1, 0, 1, 1}}) ==
          "INVALID_ARGUMENT: Row and column strides should be larger than 0.");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 2}}) ==
          "UNIMPLEMENTED: Current implementation does not yet support dilations in the batch and depth dimensions.");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 0, 1, 1}}) ==
          "INVALID_ARGUMENT: Dilated rates should be larger than 0.");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 1, 1, 1}, {1, 1}}) ==
          "INVALID_ARGUMENT: Sliding window strides field must specify 4 dimensions");
    CHECK(GeometryError({{4, 4, 1}, {1, 1, 1, 1}}) ==
          "INVALID_ARGUMENT: convolution input must be 4-dimensional: [4,4,1]");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 1, 1}}) ==
          "INVALID_ARGUMENT: convolution filter must be 4-dimensional: [1,1,1]");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 0, 1, 1}}) ==
          "INVALID_ARGUMENT: filter must not have zero elements (i.e. all dimensions must be non-zero)");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 1, 0, 1}}) ==
          "INVALID_ARGUMENT: filter depth must be strictly positive, got 0");
    CHECK(GeometryError({{1, 4, 4, 3}, {1, 1, 2, 2}}) ==
          "INVALID_ARGUMENT: input depth must be evenly divisible by filter depth: 3 vs 2");
    CHECK(GeometryError({{1, 4, 4, 4}, {1, 1, 2, 3}}) ==
          "INVALID_ARGUMENT: output depth must be evenly divisible by number of groups: 3 vs 2");
    CHECK(
        GeometryError({{1, 2, 2, 1}, {5, 5, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, Padding::kValid}) ==
        "INVALID_ARGUMENT: Computed output size would be negative: -2 [input_size: 2, effective_filter_size: 5, stride: 1]");
    CHECK(GeometryError(
              {{1, 4, 4, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, Padding::kSame, {0, 0, 1, 1, 1, 1, 0, 0}}) ==
          "INVALID_ARGUMENT: explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
    CHECK(
        GeometryError(
            {{1, 4, 4, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, Padding::kExplicit, {0, 0, 1, 1, -1, 1, 0, 0}}) ==
        "INVALID_ARGUMENT: All elements of explicit_paddings must be nonnegative");
    CHECK(GeometryError({{1, 4, 4, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, Padding::kExplicit, {0, 0, 1}}) ==
          "INVALID_ARGUMENT: explicit_paddings attribute must contain 8 values, but got: 3");
    CHECK(GeometryError(
              {{1, 4, 4, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}, Padding::kExplicit, {1, 0, 1, 1, 1, 1, 0, 0}}) ==
          "INVALID_ARGUMENT: Nonzero explicit padding in the batch or depth dimensions is not supported");
  }

  TEST_CASE("windows that cover more than int64 holds are refused") {
    constexpr Index kMost = std::numeric_limits<Index>::max();
    CHECK(GeometryError({{1, 5, 5, 1}, {2, 1, 1, 1}, {1, 1, 1, 1}, {1, kMost - 1, 1, 1}}) ==
          "INVALID_ARGUMENT: the convolution's windows of 9223372036854775807 x 1 x 1 elements, 5 x 5 of them, cover "
          "more with their paddings than int64 has bytes for");
  }
}

}  // namespace conv_geometry_test
