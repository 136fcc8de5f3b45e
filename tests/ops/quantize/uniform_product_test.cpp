// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/uniform_product.hpp>

#include <cmath>
#include <cstdint>

#include "ops/support.hpp"

namespace quantize_uniform_product_test {
using namespace tenon;
using namespace tenon::ops::detail;

TEST_SUITE("ByteScale") {
  TEST_CASE("0 is a byte, and the ends are near the ends") {
    const float x[] = {-1, 0, 3};
    const ByteScale scale = ByteScale::Of(x, 1, 0, 3);
    CHECK(scale(0) == scale.zero);
    CHECK(scale.scale * static_cast<float>(scale(3) - scale.zero) == doctest::Approx(3).epsilon(0.01));
    CHECK(scale.scale * static_cast<float>(scale(-1) - scale.zero) == doctest::Approx(-1).epsilon(0.01));
  }
  TEST_CASE("zeros alone have no scale") {
    const float x[] = {0, 0};
    CHECK(ByteScale::Of(x, 1, 0, 2).scale == 0);
    CHECK(ByteScale::Of(x, 1, 0, 0).scale == 0);
  }
  TEST_CASE("runs apart belong together") {
    const float x[] = {1, 99, 2, 99};
    CHECK(ByteScale::Of(x, 2, 2, 1).scale == doctest::Approx(2.0 / 255));
  }
}
TEST_SUITE("ByteProduct") {
  TEST_CASE("columns have zero points of their own") {
    const std::int8_t a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
    const float scales[] = {1, 1};
    const std::int32_t zeros[] = {1, 2};
    const UniformScale scale{scales, zeros, 1};
    std::int32_t sums[4];
    Cpu device;
    const ByteProduct product{a, 1, {b, true, 2, 1}, &scale, 0, 2, 2, 2};
    REQUIRE(product(device, sums).ok());
    CHECK(sums[0] == 0 * 4 + 1 * 6);
    CHECK(sums[1] == 0 * 4 + 1 * 6);
    CHECK(sums[2] == 2 * 4 + 3 * 6);
    CHECK(sums[3] == 2 * 4 + 3 * 6);
  }
}
}  // namespace quantize_uniform_product_test
