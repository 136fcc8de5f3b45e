// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/scale_translate.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace image_scale_translate_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("ScaleAndTranslate") {
  const Tensor x = Make<float>({1, 1, 2, 1}, {1, 3}), size = Make<std::int32_t>({2}, {1, 4}),
               scale = Make<float>({2}, {1, 2}), none = Make<float>({2}, {0, 0});

  TEST_CASE("twice as wide by triangles") {
    CHECK(Numbered<float>(Run<ops::ScaleAndTranslate>({{"kernel_type", "triangle"}}, {x, size, scale, none})) ==
          std::vector<double>{1, 1.5, 2.5, 3});
  }
  TEST_CASE("refuses what TensorFlow refuses") {
    CHECK(ErrorOf<ops::ScaleAndTranslate>({{"kernel_type", "cubic"}}, {x, size, scale, none})
              .find("Unrecognized kernel type: 'cubic'") != std::string::npos);
    CHECK(ErrorOf<ops::ScaleAndTranslate>({}, {x, size, none, none}).find("scale must be greater than zero") !=
          std::string::npos);
    CHECK(ErrorOf<ops::ScaleAndTranslate>({}, {x, Make<std::int32_t>({2}, {0, 4}), scale, none})
              .find("output dimensions must be positive") != std::string::npos);
  }
}
}  // namespace image_scale_translate_test
