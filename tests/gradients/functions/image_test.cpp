// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/image.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>
#include <cstdint>

#include "gradients/central_differences.hpp"

namespace image_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of image ops") {
  TEST_CASE("are those of central differences") {
    const Tensor x = RandomTensor({1, 3, 3, 2}, 0.2, 0.8), size = Tensor::From<std::int32_t>({5, 2}, {2});
    for (const char* op : {"ResizeBilinear", "ResizeNearestNeighbor"}) {
      CAPTURE(op);
      CHECK(OpGradientError(op, {x}, {{"half_pixel_centers", true}}, {size}) == "");
    }
    const AttrValue sizes = AttrValue(std::vector<std::int64_t>{1, 2, 2, 1});
    const AttrValue ones = AttrValue(std::vector<std::int64_t>{1, 1, 1, 1});
    CHECK(OpGradientError("ExtractImagePatches", {x},
                          {{"ksizes", sizes}, {"strides", ones}, {"rates", ones}, {"padding", "SAME"}}) == "");
    CHECK(OpGradientError("RGBToHSV", {Tensor::From<float>({0.8f, 0.3f, 0.5f, 0.2f, 0.9f, 0.4f}, {2, 3})}) == "");
  }
  TEST_CASE("a moved picture is moved back") {
    const Tensor x = RandomTensor({2, 3, 4, 1}), size = Tensor::From<std::int32_t>({3, 4}, {2});
    const Tensor move = Tensor::From<float>({1, 0, 1, 0, 1, -1, 0, 0}, {1, 8});
    CHECK(OpGradientError("ImageProjectiveTransformV2", {x}, {{"interpolation", "NEAREST"}}, {move, size}) == "");
    CHECK(OpGradientError("ImageProjectiveTransformV3", {x}, {{"interpolation", "BILINEAR"}},
                          {move, size, Tensor::Scalar(0.5f)}) == "");
  }
}

}  // namespace image_gradient_test
