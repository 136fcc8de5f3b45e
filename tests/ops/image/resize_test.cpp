// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/resize.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace image_resize_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("resizing ops") {
  const Tensor size = Make<std::int32_t>({2}, {3, 2});

  TEST_CASE_TEMPLATE("read every type, TensorFlow's numbers", T, float, double, half, bfloat16, std::uint8_t,
                     std::int64_t) {
    const Tensor x = Make<T>({1, 2, 3, 1}, {1, 2, 4, 8, 16, 32});
    const std::vector<double> y = Numbered<float>(Run<ops::ResizeBilinear>({}, {x, size}));
    CHECK(y[2] == doctest::Approx(5.66666698));
    CHECK(y[5] == 24);
    CHECK(Numbered<T>(Run<ops::ResizeNearestNeighbor>({{"align_corners", true}}, {x, size})) ==
          std::vector<double>{1, 4, 8, 32, 8, 32});
    CHECK(Numbered<float>(Run<ops::ResizeArea>({}, {x, size}))[3] == doctest::Approx(15.0000019));
    CHECK(Numbered<float>(Run<ops::ResizeBicubic>({{"half_pixel_centers", true}}, {x, size}))[0] ==
          doctest::Approx(0.617431879));
  }
  TEST_CASE("refuses what TensorFlow refuses") {
    const Tensor x = Make<float>({1, 2, 3, 1}, {1});
    const AttrArgs both = {{"align_corners", true}, {"half_pixel_centers", true}};
    CHECK(ErrorOf<ops::ResizeBilinear>(both, {x, size}) ==
          "INVALID_ARGUMENT: ResizeBilinear: If half_pixel_centers is True, align_corners must be False.");
    CHECK(
        ErrorOf<ops::ResizeArea>({}, {x, Make<std::int32_t>({2}, {0, 2})}).find("output dimensions must be positive") !=
        std::string::npos);
    CHECK(ErrorOf<ops::ResizeBicubic>({}, {Make<float>({1, 2, 3, 0}, {1}), size}).find("at least one channel") !=
          std::string::npos);
    CHECK(ErrorOf<ops::ResizeBilinearGrad>({}, {Make<float>({1, 0, 3, 1}, {1}), x})
              .find("resized dimensions must be positive") != std::string::npos);
    for (const TensorShape& other : {TensorShape{2, 4, 4, 1}, TensorShape{1, 4, 4, 2}}) {
      CHECK(ErrorOf<ops::ResizeBilinearGrad>({}, {Make<float>(other, {1}), x}).find("the batch and the depth") !=
            std::string::npos);
      CHECK(ErrorOf<ops::ResizeBicubicGrad>({}, {Make<float>(other, {1}), x}).find("the batch and the depth") !=
            std::string::npos);
    }
  }
}
}  // namespace image_resize_test
