// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/max_pool_second_gradient.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

namespace max_pool_second_gradient_test {
using namespace tenon;

TEST_SUITE("MaxPoolSecondGradient") {
  // One row of five pixels of two channels; windows of three, one pixel of padding before.
  const Pool3DGeometry g{.batch = 1,
                         .planes = {.input = 1, .output = 1},
                         .rows = {.input = 1, .output = 1},
                         .columns = {.input = 5, .size = 3, .stride = 2, .pad_before = 1, .output = 3},
                         .depth = 2};

  TEST_CASE("the first of equal elements") {
    Cpu device;
    const std::vector<float> x{1, 5, 1, 4, 3, 4, 2, 4, 3, 0}, grad{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    const std::vector<float> y{1, 5, 3, 4, 3, 4};
    std::vector<float> out(6);
    MaxPoolSecondGradient(device, g, x.data(), y.data(), grad.data(), out.data());
    CHECK(out == std::vector<float>{0, 1, 4, 3, 8, 7});
  }
  TEST_CASE("zero where the window does not have the output") {
    Cpu device;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> x(10, nan), grad(10, 1.0f), y{nan, 7, nan, 7, nan, 7};
    std::vector<float> out(6, 9.0f);
    MaxPoolSecondGradient(device, g, x.data(), y.data(), grad.data(), out.data());
    CHECK(out == std::vector<float>(6));
  }
}
}  // namespace max_pool_second_gradient_test
