// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/glimpse.hpp>

#include <initializer_list>
#include <string>
#include <vector>

#include "ops/outputs.hpp"

namespace image_glimpse_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("ExtractGlimpse") {
  const AttrArgs attrs{{"noise", "zero"}, {"uniform_noise", false}};

  TEST_CASE("the middle of an image, and zeros beside it") {
    const Tensor image = Make<float>({1, 1, 5, 1}, {1, 2, 3, 4, 5}), size = Ints({1, 3});
    CHECK(Numbered<float>(Run<ops::ExtractGlimpse>(attrs, {image, size, Make<float>({1, 2}, {0, 0})})) ==
          std::vector<double>{2, 3, 4});
    CHECK(Numbered<float>(Run<ops::ExtractGlimpseV2>(attrs, {image, size, Make<float>({1, 2}, {0, 0.8})})) ==
          std::vector<double>{4, 5, 0});
  }
  TEST_CASE("noise lies between the image's least and greatest numbers") {
    for (const char* noise : {"uniform", "gaussian"}) {
      const Tensor x = Run<ops::ExtractGlimpse>(
          {{"noise", noise}, {"uniform_noise", false}},
          {Make<float>({1, 2, 2, 1}, {3, 4, 5, 6}), Ints({20, 20}), Make<float>({1, 2}, {1, 1})});
      for (const double value : Numbered<float>(x)) CHECK((value >= 3 && value <= 6));
    }
  }
  TEST_CASE("refuses noise that there is none of") {
    CHECK(ErrorOf<ops::ExtractGlimpse>({{"noise", "pink"}, {"uniform_noise", false}},
                                       {Make<float>({1, 1, 1, 1}, {1}), Ints({1, 1}), Make<float>({1, 2}, {0, 0})})
              .find("pink") != std::string::npos);
  }
  TEST_CASE("refuses noise that is said twice, before it runs") {
    constexpr auto refused = [](std::string_view noise) {
      return ShapesOf<ops::ExtractGlimpse>({{1, 2, 2, 1}, {2}, {1, 2}}, {{"noise", noise}});
    };
    CHECK(refused("zero").find("uniform_noise should not be True when noise is not uniform") != std::string::npos);
    CHECK(refused("uniform") == "[1,?,?,1]");
    CHECK(refused("") == "[1,?,?,1]");
  }
}
}  // namespace image_glimpse_test
