// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/image/distorted_box.hpp>

#include <cstdint>

#include <doctest/doctest.h>

namespace distorted_box_test {
using namespace tenon;

TEST_SUITE("random crops") {
  TEST_CASE("crops keep their limits") {
    const CropLimits limits{0.2f, 0.5f, 0.5f, 2.0f, 0.25f};
    SlimVector<CropRectangle> boxes;
    boxes.push_back({10, 10, 60, 50});
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      const CropRectangle crop = DrawDistortedBox(100, 80, limits, 100, boxes, Philox{seed, 0, 0});
      REQUIRE((crop.left >= 0 && crop.top >= 0 && crop.right <= 100 && crop.bottom <= 80));
      if (crop.right == 100 && crop.bottom == 80) continue;  // no attempt was good
      CHECK((crop.Area() >= 0.2f * 8000 && crop.Area() <= 0.5f * 8000));
      CHECK(crop.Common(boxes[0]).Area() >= 0.25f * boxes[0].Area());
    }
  }
  TEST_CASE("the whole image where no crop can cover enough") {
    const CropLimits limits{0.1f, 0.2f, 1.0f, 1.0f, 1.0f};
    SlimVector<CropRectangle> boxes;
    boxes.push_back({0, 0, 40, 40});
    const CropRectangle crop = DrawDistortedBox(40, 40, limits, 20, boxes, Philox{1, 2, 3});
    CHECK((crop.left == 0 && crop.top == 0 && crop.right == 40 && crop.bottom == 40));
  }
}
}  // namespace distorted_box_test
