// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/uniform.hpp>

#include <cmath>
#include <cstdint>

#include "ops/support.hpp"

namespace quantize_uniform_test {
using namespace tenon;
using namespace tenon::ops::detail;

TEST_SUITE("Uniform") {
  TEST_CASE("factors are fixed-point numbers that saturate") {
    FixedFactor factor;
    REQUIRE(FixedFactor::Of(0.75, &factor).ok());
    CHECK(factor(1000) == 750);
    CHECK(factor(-2) == -1);  // halves round up
    CHECK(factor(2) == 2);
    REQUIRE(FixedFactor::Of(1e30, &factor).ok());
    CHECK(factor(2) == INT32_MAX);
    CHECK(factor(-3) == INT32_MIN);
    REQUIRE(FixedFactor::Of(1e-30, &factor).ok());
    CHECK(factor(INT32_MAX) == 0);
    for (const double wrong : {0.0, -1.0, std::nan(""), HUGE_VAL}) CHECK(!FixedFactor::Of(wrong, &factor).ok());
  }
  TEST_CASE("numbers beyond int32 become the smallest integer; halves round up") {
    CHECK(CutToInt32(-3.7f) == -3);
    CHECK(CutToInt32(3e9f) == INT32_MIN);
    CHECK(CutToInt32(-3e9f) == INT32_MIN);
    CHECK(CutToInt32(std::nanf("")) == INT32_MIN);
    CHECK(RoundToInt32(2.5f) == 3);
    CHECK(RoundToInt32(-2.5f) == -2);
    CHECK(RoundToInt32(-2.6f) == -3);
    CHECK(RoundToInt32(-3e9f) == INT32_MIN);
    CHECK(ThroughFloat(16777217) == 16777216);
    CHECK(ThroughFloat(INT32_MAX) == INT32_MIN);
  }
  TEST_CASE("the lower end wins") {
    const KeptIntegers kept{5, -5};
    CHECK(kept(0) == 5);
  }
}
}  // namespace quantize_uniform_test
