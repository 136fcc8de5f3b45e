// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/core/half_conversion.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

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
  TEST_CASE("every half, and floats around every half, in runs of any length") {
    Cpu device;
    std::vector<half> all(65536), back(65536);
    std::vector<float> wide(65536);
    for (std::uint32_t bits = 0; bits < 65536; ++bits) all[bits] = half::FromBits(static_cast<std::uint16_t>(bits));
    WidenFloats(device, DataType::kHalf, all.data(), wide.data(), 65536);
    bool right = true;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const float want = float(all[i]);
      right = right && (wide[i] == want || (std::isnan(wide[i]) && std::isnan(want)));
    }
    CHECK(right);
    for (const int step : {-4097, -4096, -4095, -1, 0, 1, 4095, 4096, 4097}) {
      std::vector<float> near(65536);
      for (std::size_t i = 0; i < all.size(); ++i)
        near[i] = detail::BitCast<float>(detail::BitCast<std::uint32_t>(wide[i]) + static_cast<std::uint32_t>(step));
      NarrowFloats(device, near.data(), DataType::kHalf, back.data(), 65536);
      for (std::size_t i = 0; i < all.size(); ++i) right = right && back[i].bits == half(near[i]).bits;
      CHECK(right);
    }
    for (Index n = 0; n <= 20; ++n) {
      std::vector<float> some(static_cast<std::size_t>(n) + 1, 77);
      std::vector<half> narrow(some.size(), half(77.f));
      WidenFloats(device, DataType::kHalf, all.data() + 0x3c00, some.data(), n);
      NarrowFloats(device, some.data(), DataType::kHalf, narrow.data(), n);
      for (Index i = 0; i < n; ++i) CHECK(narrow[static_cast<std::size_t>(i)].bits == 0x3c00 + i);
      CHECK(some.back() == 77);
      CHECK(float(narrow.back()) == 77);
    }
  }
}
}  // namespace small_floats_test
