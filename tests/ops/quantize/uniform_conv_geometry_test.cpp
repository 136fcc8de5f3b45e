// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/uniform_conv_geometry.hpp>

#include <cstdint>
#include <string_view>

#include <doctest/doctest.h>

namespace quantize_uniform_conv_geometry_test {
using namespace tenon;
using namespace tenon::ops::detail;

UniformConvAttrs Attrs(std::string_view padding) { return {{}, padding, {}, {}, {}, 1, 1, {}}; }

TEST_SUITE("UniformConvGeometry") {
  TEST_CASE("padding, strides and dilations") {
    UniformConvAttrs a = Attrs("SAME");
    const std::int64_t strides[] = {2, 3}, dilation[] = {2, 1};
    a.window_strides = strides;
    a.lhs_dilation = dilation;
    UniformConvGeometry g;
    REQUIRE(g.Make(a, TensorShape({2, 4, 5, 6}), TensorShape({8, 4, 3, 3})).ok());
    CHECK(g.out_sizes[0] == 2);
    CHECK(g.out_sizes[1] == 8);
    CHECK(g.out_sizes[2] == 5);
    CHECK(g.out_sizes[3] == 2);
    CHECK(g.spatial[0].padding_before == 1);
    CHECK(g.spatial[0].Meets(0, 0) == -1);
    CHECK(g.spatial[0].Meets(0, 1) == 0);
    CHECK(g.spatial[0].Meets(0, 2) == -1);
    CHECK(g.spatial[0].Meets(4, 1) == 4);
  }
  TEST_CASE("dimensions in another order") {
    // Batch 0, feature 3, spatial 1 and 2; in 2, out 3, spatial 0 and 1; as the first.
    constexpr char kBytes[] =
        "\x08\x00\x10\x03\x1a\x02\x01\x02\x20\x02\x28\x03\x32\x02\x00\x01\x38\x00\x40\x03\x4a\x02\x01\x02";
    UniformConvAttrs a = Attrs("VALID");
    a.dimension_numbers = std::string_view(kBytes, sizeof kBytes - 1);
    UniformConvGeometry g;
    REQUIRE(g.Make(a, TensorShape({2, 5, 6, 4}), TensorShape({3, 3, 4, 8})).ok());
    CHECK(g.out_sizes[1] == 3);
    CHECK(g.out_sizes[3] == 8);
  }
  TEST_CASE("refuses what has no meaning") {
    UniformConvGeometry g;
    UniformConvAttrs a = Attrs("FULL");
    CHECK(g.Make(a, TensorShape({1, 1, 3}), TensorShape({1, 1, 2})).code() == Code::kInvalidArgument);
    a = Attrs("VALID");
    CHECK(UniformConvGeometry().Make(a, TensorShape({1, 1}), TensorShape({1, 1})).code() == Code::kInvalidArgument);
    CHECK(UniformConvGeometry().Make(a, TensorShape({1, 0, 3}), TensorShape({1, 0, 2})).code() ==
          Code::kInvalidArgument);
    const std::int64_t huge[] = {INT64_MAX};
    a.lhs_dilation = huge;
    CHECK(UniformConvGeometry().Make(a, TensorShape({1, 1, 3}), TensorShape({1, 1, 2})).code() ==
          Code::kInvalidArgument);
    a = Attrs("VALID");
    a.dimension_numbers = "\x1a";
    CHECK(UniformConvGeometry().Make(a, TensorShape({1, 1, 3}), TensorShape({1, 1, 2})).code() ==
          Code::kInvalidArgument);
  }
}
}  // namespace quantize_uniform_conv_geometry_test
