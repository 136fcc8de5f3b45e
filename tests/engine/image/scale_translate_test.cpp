// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/image/scale_translate.hpp>

#include <vector>

#include <doctest/doctest.h>

namespace engine_image_scale_translate_test {
using namespace tenon;

namespace {
// Spans and the memory of their weights.
class Spans {
 public:
  Spans(const SamplingKernel& kernel, Index outputs, Index inputs, float scale, float translation, bool antialias)
      : dimension_(kernel, outputs, inputs, scale, translation, antialias),
        weights_(static_cast<std::size_t>(outputs * dimension_.width())),
        spans_(dimension_.Weigh(weights_.data())) {}
  const SamplingSpans& operator*() const { return spans_; }
  const SamplingSpans* operator->() const { return &spans_; }

 private:
  SamplingDimension dimension_;
  std::vector<float> weights_;
  const SamplingSpans& spans_;
};
}  // namespace

TEST_SUITE("ScaleAndTranslate") {
  TEST_CASE("kernels: 1 or less at 0, 0 beyond the radius") {
    for (const char* name :
         {"lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"}) {
      CAPTURE(name);
      SamplingKernel kernel;
      REQUIRE(FindSamplingKernel(name, &kernel));
      CHECK(kernel(0) > 0.8f);
      CHECK(kernel(0) <= 1);
      CHECK(kernel(kernel.radius + 0.001f) == 0);
    }
    SamplingKernel kernel;
    CHECK_FALSE(FindSamplingKernel("cubic", &kernel));
  }
  TEST_CASE("weights add up to 1, and a pixel outside has none") {
    SamplingKernel kernel;
    REQUIRE(FindSamplingKernel("lanczos3", &kernel));
    const Spans spans(kernel, 5, 9, 0.5f, 1.0f, true);
    REQUIRE(spans->first.size() == 5);
    for (std::size_t x = 0; x < 5; ++x) {
      float sum = 0;
      for (Index k = 0; k < spans->width; ++k)
        sum += spans->weights[x * static_cast<std::size_t>(spans->width) + static_cast<std::size_t>(k)];
      CHECK(sum == doctest::Approx(x == 0 ? 0 : 1));  // the first has its middle at -1
    }
  }
  TEST_CASE("an image of half the size by triangles") {
    SamplingKernel kernel;
    REQUIRE(FindSamplingKernel("triangle", &kernel));
    const Spans one(kernel, 1, 1, 1, 0, true);
    const Spans half(kernel, 2, 4, 0.5f, 0, true);
    const float image[] = {0, 8, 16, 24};
    float out[2];
    Cpu device;
    ScaleAndTranslateImages(device, image, 1, 1, 4, 1, *one, *half, out);
    // Weights 3/8, 3/8, 1/8 of the pixels 0, 1, 2 over their sum, and their mirror image.
    CHECK(out[0] == doctest::Approx(40.0 / 7));
    CHECK(out[1] == doctest::Approx(24 - 40.0 / 7));
  }
  TEST_CASE("the gradient is the adjoint") {  // the dot products <grads, f(image)> and <f'(grads), image> are equal
    SamplingKernel kernel;
    REQUIRE(FindSamplingKernel("keyscubic", &kernel));
    const Spans down(kernel, 3, 5, 0.6f, 0.2f, true);
    const Spans across(kernel, 6, 4, 1.4f, -0.7f, true);
    std::vector<float> image(2 * 5 * 4 * 2), grads(2 * 3 * 6 * 2), out(grads.size()), back(image.size());
    for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i % 7) - 3;
    for (std::size_t i = 0; i < grads.size(); ++i) grads[i] = static_cast<float>(i % 5) - 2;
    Cpu device;
    ScaleAndTranslateImages(device, image.data(), 2, 5, 4, 2, *down, *across, out.data());
    ScaleAndTranslateGradient(device, grads.data(), 2, 5, 4, 2, *down, *across, back.data());
    double there = 0, here = 0;
    for (std::size_t i = 0; i < out.size(); ++i) there += static_cast<double>(out[i] * grads[i]);
    for (std::size_t i = 0; i < back.size(); ++i) here += static_cast<double>(back[i] * image[i]);
    CHECK(here == doctest::Approx(there).epsilon(1e-5));
  }
}
}  // namespace engine_image_scale_translate_test
