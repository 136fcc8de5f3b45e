// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/color.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "ops/support.hpp"

namespace image_color_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

void CheckNear(const Tensor& got, const std::vector<double>& want, double allowed) {
  const std::vector<double> numbers = Numbered<float>(got);
  REQUIRE(numbers.size() == want.size());
  for (std::size_t i = 0; i < want.size(); ++i)
    CHECK_MESSAGE(std::abs(numbers[i] - want[i]) <= allowed, i, ": ", numbers[i], " instead of ", want[i]);
}
Tensor Scalar(float value) { return Tensor::Scalar(value); }

}  // namespace

TEST_SUITE("RGBToHSV, HSVToRGB") {
  TEST_CASE("colors by name") {
    const Tensor rgb = Make<float>({6, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0.5, 0.5, 0.5, 0, 0, 0});
    CheckNear(Run<ops::RGBToHSV>({}, {rgb}), {0, 1, 1, 1. / 3, 1, 1, 2. / 3, 1, 1, 1. / 6, 1, 1, 0, 0, 0.5, 0, 0, 0},
              1e-6);
  }
  TEST_CASE("there and back, and the formula in double") {
    const Tensor rgb = Random<float>({2, 5, 3}, 1, 0, 1);
    const Tensor hsv = Run<ops::RGBToHSV>({}, {rgb});
    CheckNear(Run<ops::HSVToRGB>({}, {hsv}), Numbered<float>(rgb), 2e-6);
    const std::vector<double> in = Numbered<float>(rgb);
    std::vector<double> want;
    for (std::size_t i = 0; i < in.size(); i += 3) {
      const double r = in[i], g = in[i + 1], b = in[i + 2], v = std::max({r, g, b}), range = v - std::min({r, g, b});
      double h = 0;
      if (range > 0) h = v == r ? (g - b) / range : v == g ? 2 + (b - r) / range : 4 + (r - g) / range;
      want.insert(want.end(), {(h < 0 ? h + 6 : h) / 6, v > 0 ? range / v : 0, v});
    }
    CheckNear(hsv, want, 2e-6);
  }
  TEST_CASE("nothing, eight dimensions") {
    CHECK(Run<ops::RGBToHSV>({}, {Tensor(DataType::kFloat, {0, 3})}).shape() == TensorShape({0, 3}));
    const TensorShape eight({1, 1, 2, 1, 1, 1, 2, 3});
    CHECK(Run<ops::HSVToRGB>({}, {Random<float>(eight, 1, 0, 1)}).shape() == eight);
  }
  TEST_CASE("other than three channels are refused") {
    for (const TensorShape& bad : {TensorShape({2, 4}), TensorShape({2}), TensorShape({3, 0})})
      CHECK(ErrorOf<ops::RGBToHSV>({}, {Tensor::Zeros<float>(bad)}).find("FAILED_PRECONDITION: ") == 0);
    CHECK(ErrorOf<ops::RGBToHSV>({}, {Scalar(1)}).find("INVALID_ARGUMENT: ") == 0);
  }
}

TEST_SUITE("AdjustContrastv2, AdjustSaturation, AdjustHue") {
  TEST_CASE("contrast: each channel around its mean over the image") {
    const Tensor x = Random<float>({2, 3, 4, 3}, 1, 0, 1);
    const std::vector<double> in = Numbered<float>(x);
    std::vector<double> want(in.size());
    for (std::size_t image = 0; image < 2; ++image)
      for (std::size_t c = 0; c < 3; ++c) {
        double mean = 0;
        for (std::size_t p = 0; p < 12; ++p) mean += in[(image * 12 + p) * 3 + c] / 12;
        for (std::size_t p = 0; p < 12; ++p) {
          const std::size_t at = (image * 12 + p) * 3 + c;
          want[at] = (in[at] - mean) * 1.5 + mean;
        }
      }
    CheckNear(Run<ops::AdjustContrastv2>({}, {x, Scalar(1.5f)}), want, 2e-6);
  }
  TEST_CASE("saturation 1 and hue 0 change nothing; saturation 0 is grey; hue by a third turns red to green") {
    const Tensor x = Random<float>({2, 2, 3}, 3, 0, 1);
    CheckNear(Run<ops::AdjustSaturation>({}, {x, Scalar(1)}), Numbered<float>(x), 2e-6);
    CheckNear(Run<ops::AdjustHue>({}, {x, Scalar(0)}), Numbered<float>(x), 2e-6);
    const std::vector<double> grey = Numbered<float>(Run<ops::AdjustSaturation>({}, {x, Scalar(0)}));
    for (std::size_t i = 0; i < grey.size(); i += 3) CHECK((grey[i] == grey[i + 1] && grey[i] == grey[i + 2]));
    CheckNear(Run<ops::AdjustHue>({}, {Make<float>({1, 1, 3}, {1, 0, 0}), Scalar(1.f / 3)}), {0, 1, 0}, 1e-5);
  }
  TEST_CASE("what is refused") {
    CHECK(ErrorOf<ops::AdjustHue>({}, {Make<float>({2, 3}, {1}), Scalar(0)}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ErrorOf<ops::AdjustHue>({}, {Make<float>({1, 1, 4}, {1}), Scalar(0)}).find("INVALID_ARGUMENT: ") == 0);
    CHECK(ErrorOf<ops::AdjustSaturation>({}, {Make<float>({1, 1, 3}, {1}), Make<float>({1}, {1})})
              .find("INVALID_ARGUMENT: ") == 0);
    CHECK(ErrorOf<ops::AdjustContrastv2>({}, {Make<float>({3, 3}, {1}), Scalar(1)}).find("INVALID_ARGUMENT: ") == 0);
  }
}
}  // namespace image_color_test
