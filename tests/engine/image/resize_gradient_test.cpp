// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/image/resize_gradient.hpp>

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace resize_gradient_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

ResizeGeometry Geometry(Index rows, Index columns, Index out_rows, Index out_columns, bool align, bool half_pixel) {
  ResizeGeometry g;
  g.batch = g.depth = 1;
  g.rows = ResizeAxis(rows, out_rows, align);
  g.columns = ResizeAxis(columns, out_columns, align);
  g.align_corners = align;
  g.half_pixel_centers = half_pixel;
  return g;
}

using List = std::vector<double>;
const std::vector<float> kImage = {1, 2, 4, 8, 16, 32};  // [2, 3]

double GradientError(tenon::detail::ResizeMethod method, const ResizeGeometry& g, const List& want) {
  Cpu device;
  std::vector<float> y(want.size());
  CHECK(ResizeGradient(device, g, method, kImage.data(), y.data()).ok());
  return LargestDifference(y, want);
}

}  // namespace

// The numbers are TensorFlow's.
TEST_SUITE("gradients of resizing") {
  TEST_CASE("gradients of one channel") {
    using tenon::detail::ResizeMethod;
    const ResizeGeometry plain = Geometry(3, 2, 2, 3, false, false), aligned = Geometry(3, 2, 2, 3, true, false),
                         centred = Geometry(3, 2, 2, 3, false, true);
    CHECK(GradientError(ResizeMethod::kBilinear, plain,
                        {1.66666663, 5.33333349, 6.66666651, 21.333334, 6.66666651, 21.333334}) < 1e-5);
    CHECK(GradientError(ResizeMethod::kBilinear, aligned, {2, 5, 0, 0, 16, 40}) < 1e-5);
    CHECK(GradientError(ResizeMethod::kBilinear, centred, {1.5, 3.75, 4.5, 11.25, 12, 30}) < 1e-5);
    CHECK(GradientError(ResizeMethod::kBicubic, plain,
                        {0.296119928, 1.45387971, 5.62628078, 27.6237202, 4.73792076, 23.2620811}) < 1e-5);
    CHECK(GradientError(ResizeMethod::kBicubic, centred,
                        {1.14454746, 3.30070829, 3.43364263, 9.90212345, 11.6428099, 33.5761642}) < 1e-5);
    CHECK(GradientError(ResizeMethod::kNearest, plain, {3, 4, 24, 32, 0, 0}) == 0);
    CHECK(GradientError(ResizeMethod::kNearest, aligned, {1, 6, 0, 0, 8, 48}) == 0);
    Cpu device;
    const std::int8_t grads[] = {100, 100, 100, 100};
    std::int8_t sum = 0;
    CHECK(ResizeGradient(device, Geometry(1, 1, 2, 2, false, false), ResizeMethod::kNearest, grads, &sum).ok());
    CHECK(sum == -112);
  }
  TEST_CASE("channels do not meet, however many") {
    using tenon::detail::ResizeMethod;
    Cpu device;
    for (const Index depth : {1, 2, 3, 4, 5}) {
      for (const ResizeMethod method : {ResizeMethod::kNearest, ResizeMethod::kBilinear, ResizeMethod::kBicubic}) {
        ResizeGeometry g = Geometry(3, 2, 2, 3, false, true);
        std::vector<float> want(6), grads, y(static_cast<std::size_t>(6 * depth));
        REQUIRE(ResizeGradient(device, g, method, kImage.data(), want.data()).ok());
        for (const float x : kImage)
          for (Index d = 0; d < depth; ++d) grads.push_back(x * static_cast<float>(d + 1));
        g.depth = depth;
        REQUIRE(ResizeGradient(device, g, method, grads.data(), y.data()).ok());
        for (std::size_t i = 0; i < y.size(); ++i) {
          const std::size_t channels = static_cast<std::size_t>(depth);
          CHECK(y[i] == doctest::Approx(want[i / channels] * static_cast<float>(i % channels + 1)));
        }
      }
    }
  }
}
}  // namespace resize_gradient_test
