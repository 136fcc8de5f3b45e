// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/image/transform.hpp>

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

namespace engine_image_transform_test {
using namespace tenon;

TEST_SUITE("ProjectiveTransform") {
  TEST_CASE("places outside of an image") {
    const auto places = [](FillMode mode) {
      std::vector<float> found;
      for (const float place : {-5.0f, -1.0f, -0.25f, 1.5f, 3.0f, 4.0f, 9.0f})
        found.push_back(detail::FilledPlace(mode, place, 4));
      return found;
    };
    CHECK(places(FillMode::kConstant) == std::vector<float>{-5, -1, -0.25f, 1.5f, 3, 4, 9});
    CHECK(places(FillMode::kNearest) == std::vector<float>{0, 0, 0, 1.5f, 3, 3, 3});
    CHECK(places(FillMode::kReflect) == std::vector<float>{3, 0, 0, 1.5f, 3, 3, 1});
    CHECK(places(FillMode::kWrap) == std::vector<float>{3, 3, 3, 1.5f, 3, 0, 0});
    for (const FillMode mode : {FillMode::kReflect, FillMode::kWrap, FillMode::kNearest}) {
      CHECK(detail::FilledPlace(mode, -7, 1) == 0);
      CHECK(detail::FilledPlace(mode, 7, 1) == 0);
    }
  }
  TEST_CASE("an image moved by one and a half pixels") {
    const std::uint8_t image[] = {10, 20, 30, 40};
    const float move[] = {1, 0, 1.5f, 0, 1, 0, 0, 0};
    TransformGeometry g;
    g.batch = g.rows = g.depth = g.out_rows = 1;
    g.columns = g.out_columns = 4;
    g.fill = 100;
    std::uint8_t out[4];
    Cpu device;
    ProjectiveTransform(device, g, image, move, true, out);
    CHECK(std::vector<int>(out, out + 4) == std::vector<int>{25, 35, 70, 100});
    g.nearest = true;
    ProjectiveTransform(device, g, image, move, true, out);
    CHECK(std::vector<int>(out, out + 4) == std::vector<int>{30, 40, 100, 100});
  }
}
}  // namespace engine_image_transform_test
