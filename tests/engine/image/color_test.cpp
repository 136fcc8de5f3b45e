// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/image/color.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace color_test {
using namespace tenon;
using namespace tenon::testing;

// The numbers are TensorFlow's.
TEST_SUITE("colours") {
  const std::vector<float> pixels = {.2f, .5f, .9f, 1, 0, 0, .3f, .3f, .3f, .9f, .8f, .1f};
  using List = std::vector<double>;

  TEST_CASE("RGB and HSV") {
    Cpu device;
    std::vector<float> y(12);
    RgbToHsv(device, pixels.data(), 4, y.data());
    CHECK(LargestDifference(y, List{0.59523809, 0.777777791, 0.899999976, 0, 1, 1, 0, 0, 0.300000012, 0.145833343,
                                    0.888888836, 0.899999976}) < 1e-6);
    std::vector<float> back(12);
    HsvToRgb(device, y.data(), 4, back.data());
    CHECK(LargestDifference(back, pixels) < 1e-6);
    HsvToRgb(device, pixels.data(), 4, y.data());
    CHECK(LargestDifference(y, List{0.809999943, 0.899999976, 0.449999988, 0, 0, 0, 0.228, 0.300000012, 0.210000008,
                                    0.100000001, 0.0199999996, 0.0680000335}) < 1e-6);
    const double wide[] = {1.5, .5, .5};
    double rgb[3];
    HsvToRgb(device, wide, 1, rgb);
    CHECK(std::vector<double>(rgb, rgb + 3) == std::vector<double>{.5, .25, .25});
  }
  TEST_CASE("NaN is passed over when the next number is compared") {
    Cpu device;
    const float nan = std::numeric_limits<float>::quiet_NaN(), x[] = {nan, .5f, .5f, .5f, nan, .2f};
    std::vector<float> y(6);
    RgbToHsv(device, x, 2, y.data());
    CHECK(y == std::vector<float>{0, 0, .5f, 0, 0, .2f});
  }
  TEST_CASE("hue, saturation, contrast") {
    Cpu device;
    std::vector<float> y(12);
    AdjustHue(device, pixels.data(), 4, .3f, y.data());
    CHECK(LargestDifference(y, List{0.899999976, 0.200000003, 0.640000045, 0.199999809, 1, 0, 0.300000012, 0.300000012,
                                    0.300000012, 0.100000001, 0.899999976, 0.640000165}) < 2e-6);
    AdjustSaturation(device, pixels.data(), 4, .5f, y.data());
    CHECK(LargestDifference(y, List{0.549999952, 0.699999928, 0.899999976, 1, 0.5, 0.5, 0.300000012, 0.300000012,
                                    0.300000012, 0.899999976, 0.850000024, 0.5}) < 2e-6);
    AdjustContrast(device, pixels.data(), 1, 4, 3, 2.f, y.data());
    CHECK(LargestDifference(y, List{-0.200000048, 0.600000024, 1.4749999, 1.39999998, -0.400000006, -0.325000018, 0,
                                    0.200000018, 0.275000006, 1.19999993, 1.20000005, -0.12500003}) < 2e-6);
    AdjustHue(device, pixels.data(), 4, 1e30f, y.data());  // ends
    AdjustHue(device, pixels.data(), 4, std::numeric_limits<float>::quiet_NaN(), y.data());
    CHECK(y[6] == .3f);
  }
  TEST_CASE("hue and saturation of all orders of the channels, as branches say") {
    Cpu device;
    const float steps[] = {0, .1f, .1f, .25f, .5f, .75f, 1};
    std::vector<float> x;
    for (const float r : steps)
      for (const float g : steps)
        for (const float b : steps) x.insert(x.end(), {r, g, b});
    std::vector<float> y(x.size());
    for (const float delta : {0.f, .05f, .3f, .5f, -.4f, .99f, -1.f, 1.f, -2.7f, 31.f}) {
      std::vector<double> want;
      for (std::size_t i = 0; i < x.size(); i += 3) {
        const double r = x[i], g = x[i + 1], b = x[i + 2], most = std::max({r, g, b}), least = std::min({r, g, b});
        const double range = most - least;
        double hue = 0;  // in sixths of the circle, whose middle channel rises and falls
        if (range > 0) hue = r == most ? (g - b) / range : g == most ? 2 + (b - r) / range : 4 + (r - g) / range;
        hue = std::fmod(std::fmod(hue + static_cast<double>(delta) * 6, 6.0) + 6, 6.0);
        for (const double centre : {0.0, 2.0, 4.0}) {
          const double away = std::min(std::abs(hue - centre), 6 - std::abs(hue - centre));
          want.push_back(least + range * std::clamp(2 - away, 0.0, 1.0));
        }
      }
      AdjustHue(device, x.data(), static_cast<Index>(x.size() / 3), delta, y.data());
      CHECK(LargestDifference(y, want) < 3e-5);
    }
    for (const float scale : {0.f, .5f, 1.f, 3.f}) {
      std::vector<double> want;
      for (std::size_t i = 0; i < x.size(); i += 3) {
        const double most = static_cast<double>(std::max({x[i], x[i + 1], x[i + 2]})),
                     least = static_cast<double>(std::min({x[i], x[i + 1], x[i + 2]}));
        const double old = most > 0 ? (most - least) / most : 0, now = std::min(1.0, old * static_cast<double>(scale));
        for (std::size_t c = 0; c < 3; ++c)
          want.push_back(old > 0 ? most - (most - static_cast<double>(x[i + c])) * now / old : most);
      }
      AdjustSaturation(device, x.data(), static_cast<Index>(x.size() / 3), scale, y.data());
      CHECK(LargestDifference(y, want) < 3e-6);
    }
  }
  TEST_CASE("contrast of images of any size and number of channels, in place, too") {
    Cpu device;
    for (const Index channels : {1, 2, 3, 4, 5}) {
      for (const Index count : {1, 15, 16, 50, 333}) {
        const std::size_t n = static_cast<std::size_t>(channels), image = static_cast<std::size_t>(count) * n;
        const std::vector<float> x = RandomVector<float>(2 * static_cast<Index>(image), 1, 0, 255);
        std::vector<float> y(x.size()), same = x;
        std::vector<double> want;
        for (std::size_t i = 0; i < x.size(); ++i) {
          double mean = 0;
          for (std::size_t k = i / image * image + i % n; k < (i / image + 1) * image; k += n)
            mean += static_cast<double>(x[k]) / static_cast<double>(count);
          want.push_back((static_cast<double>(x[i]) - mean) * 1.5 + mean);
        }
        AdjustContrast(device, x.data(), 2, count, channels, 1.5f, y.data());
        AdjustContrast(device, same.data(), 2, count, channels, 1.5f, same.data());
        CHECK(LargestDifference(y, want) < 1e-3);
        CHECK(same == y);
      }
    }
  }
}
}  // namespace color_test
