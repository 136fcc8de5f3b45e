// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/crop_resize.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace image_crop_resize_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("CropAndResize") {
  const Tensor x = Make<float>({1, 2, 3, 1}, {1, 2, 4, 8, 16, 32}), box = Make<float>({1, 4}, {0, 0, 1, .5}),
               first = Make<std::int32_t>({1}, {0}), size = Make<std::int32_t>({2}, {1, 1});

  TEST_CASE("crops, TensorFlow's numbers; none") {
    CHECK(Numbered<float>(Run<ops::CropAndResize>({}, {x, box, first, size})) == std::vector<double>{6.75});
    CHECK(Run<ops::CropAndResize>({}, {x, Make<float>({0, 4}, {0}), Make<std::int32_t>({0}, {0}), size}).shape() ==
          TensorShape{0, 1, 1, 1});
  }
  TEST_CASE("refuses what TensorFlow refuses") {
    CHECK(ErrorOf<ops::CropAndResize>({}, {x, box, Make<std::int32_t>({1}, {1}), size}).starts_with("OUT_OF_RANGE"));
    CHECK(ErrorOf<ops::CropAndResize>({}, {x, Make<float>({1, 4}, {kNaN, 0, 1, 1}), first, size}).find("not finite") !=
          std::string::npos);
    CHECK(ErrorOf<ops::CropAndResize>({}, {x, box, first, Make<std::int32_t>({2}, {0, 1})})
              .find("crop dimensions must be positive") != std::string::npos);
  }
}
}  // namespace image_crop_resize_test
