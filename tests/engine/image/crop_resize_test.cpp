// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/image/crop_resize.hpp>

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace crop_resize_test {
using namespace tenon;
using namespace tenon::testing;

// The numbers are TensorFlow's.
TEST_SUITE("crops") {
  const std::vector<float> image = {1, 2, 4, 8, 16, 32};
  const float box[] = {0.1f, 0.2f, 0.9f, 1.2f};
  const std::int32_t first[] = {0};
  using List = std::vector<double>;

  TEST_CASE("bilinear, nearest, of one pixel") {
    Cpu device;
    CropGeometry g{1, 2, 3, 1, 2, 3, false};
    std::vector<float> y(6);
    CropAndResize(device, g, image.data(), box, first, -7.f, y.data());
    CHECK(LargestDifference(y, List{2.38000011, 4.76000023, -7, 10.2199993, 20.4399986, -7}) < 1e-5);
    g.nearest = true;
    CropAndResize(device, g, image.data(), box, first, 0.f, y.data());
    CHECK(y == std::vector<float>{1, 2, 0, 8, 16, 0});
    const float middle[] = {0, 0, 1, 0.5f};
    float one = 0;
    CropAndResize(device, CropGeometry{1, 2, 3, 1, 1, 1, false}, image.data(), middle, first, 0.f, &one);
    CHECK(one == 6.75f);
  }
  TEST_CASE("gradients") {
    Cpu device;
    const CropGeometry g{1, 2, 3, 1, 2, 3, false};
    std::vector<float> by_image(6), by_box(4);
    CropAndResizeGradImage(g, image.data(), box, first, 6, by_image.data());
    CHECK(LargestDifference(by_image, List{1.02000022, 2.72000027, 1.36000001, 4.38000011, 11.6800003, 5.8399992}) <
          1e-5);
    CropAndResizeGradBoxes(device, g, image.data(), image.data(), box, first, by_box.data());
    CHECK(LargestDifference(by_box, List{48.9999962, 360.599976, 391.999969, 240.399994}) < 1e-3);
  }
}
}  // namespace crop_resize_test
