// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/transform.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace image_transform_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("ImageProjectiveTransform") {
  const Tensor x = Make<float>({1, 1, 3, 1}, {1, 2, 3}), size = Make<std::int32_t>({2}, {1, 3}),
               right = Make<float>({1, 8}, {1, 0, -1, 0, 1, 0, 0, 0}), fill = Make<float>({}, {9});

  TEST_CASE("an image moved to the right") {
    CHECK(Numbered<float>(Run<ops::ImageProjectiveTransformV2>({{"interpolation", "NEAREST"}}, {x, right, size})) ==
          std::vector<double>{0, 1, 2});
    CHECK(Numbered<float>(Run<ops::ImageProjectiveTransformV3>(
              {{"interpolation", "BILINEAR"}, {"fill_mode", "CONSTANT"}}, {x, right, size, fill})) ==
          std::vector<double>{9, 1, 2});
  }
  TEST_CASE("refuses what TensorFlow refuses, and names of no interpolation") {
    CHECK(
        ErrorOf<ops::ImageProjectiveTransformV2>({{"interpolation", "NEAREST"}}, {x, Make<float>({2, 1}, {0, 0}), size})
            .find("input transform should be num_images x 8 or 1 x 8, got shape [2,1]") != std::string::npos);
    CHECK(ErrorOf<ops::ImageProjectiveTransformV2>({{"interpolation", "NEAREST"}},
                                                   {x, right, Make<std::int32_t>({2}, {1, 0})})
              .find("output dimensions must be positive, got 1 and 0") != std::string::npos);
    CHECK(ErrorOf<ops::ImageProjectiveTransformV2>({{"interpolation", "CUBIC"}}, {x, right, size})
              .find("Invalid interpolation 'CUBIC'") != std::string::npos);
  }
}
}  // namespace image_transform_test
