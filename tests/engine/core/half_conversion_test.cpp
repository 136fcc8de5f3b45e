// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/half_conversion.hpp>

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

namespace small_floats_test {
using namespace tenon;

TEST_SUITE("half and bfloat16 as float") {
  TEST_CASE("knows which they are") {
    CHECK(IsSmallFloat(DataType::kHalf));
    CHECK(IsSmallFloat(DataType::kBfloat16));
    CHECK_FALSE(IsSmallFloat(DataType::kFloat));
    CHECK_FALSE(IsSmallFloat(DataType::kDouble));
  }
  TEST_CASE("widens exactly, rounds to the nearest even") {
    Cpu device;
    const half h[] = {half(1.5f), half(-65504.f), half(6e-8f), half(std::numeric_limits<float>::infinity())};
    float wide[4];
    WidenFloats(device, DataType::kHalf, h, wide, 4);
    CHECK(wide[0] == 1.5f);
    CHECK(wide[1] == -65504.f);
    CHECK(wide[2] == 0x1p-24f);
    CHECK(std::isinf(wide[3]));
    const float x[] = {1 + 0x1p-11f, 1 + 0x3p-11f, 1e6f};
    half narrow[3];
    NarrowFloats(device, x, DataType::kHalf, narrow, 3);
    CHECK(float(narrow[0]) == 1.f);
    CHECK(float(narrow[1]) == 1 + 0x1p-9f);
    CHECK(std::isinf(float(narrow[2])));
    bfloat16 b[2];
    const float y[] = {1 + 0x1p-8f, 3.140625f};
    NarrowFloats(device, y, DataType::kBfloat16, b, 2);
    CHECK(float(b[0]) == 1.f);
    CHECK(float(b[1]) == 3.140625f);
    WidenFloats(device, DataType::kBfloat16, b, wide, 2);
    CHECK(wide[1] == 3.140625f);
  }
}
}  // namespace small_floats_test
