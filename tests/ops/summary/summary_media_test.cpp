// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/summary/summary_media.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace summary_media_test {
using namespace tenon;
using namespace tenon::testing;
using namespace tenon::ops::detail;

namespace {

template <class T>
std::vector<int> Pixels(std::initializer_list<double> values, int depth = 1) {
  const Tensor tensor = Make<T>({static_cast<Index>(values.size())}, values);
  constexpr std::uint8_t kBad[] = {7, 8, 9, 10};
  std::vector<unsigned char> levels(values.size());
  PixelsOf(tensor.data<T>(), static_cast<Index>(values.size()) / depth, depth, kBad, levels.data());
  return {levels.begin(), levels.end()};
}

}  // namespace

TEST_SUITE("pictures and sound in summaries") {
  TEST_CASE("values become bytes") {
    CHECK(Pixels<float>({0, 1, 2, 4}) == std::vector<int>{0, 63, 127, 255});
    CHECK(Pixels<double>({-1, 0, 1}) == std::vector<int>{1, 128, 255});
    CHECK(Pixels<float>({kNaN, 5, kInfinity}) == std::vector<int>{7, 255, 7});
    CHECK(Pixels<float>({kNaN, 5, 1, 2}, 2) == std::vector<int>{7, 8, 127, 255});
    CHECK(Pixels<float>({1e-7, 0}) == std::vector<int>{0, 0});
    CHECK(Pixels<float>({kNaN}) == std::vector<int>{7});
    CHECK(Pixels<half>({2e-6, 60000}).size() == 2);
    CHECK(Pixels<half>({2e-6}).size() == 1);
    CHECK(Pixels<double>({1e300, -1e300}).size() == 2);
  }
  TEST_CASE("tags") {
    CHECK(MediaTag("a", "image", 3, 2) == "a/image/2");
    CHECK(MediaTag("a", "audio", 1, 0) == "a/audio");
  }
  TEST_CASE("refused tensors") {
    std::string out;
    const Tensor color = Make<std::uint8_t>({4}, {255}), one = Make<std::uint8_t>({1}, {255});
    CHECK(AppendPictures("a", Make<float>({1, 0, 2, 3}, {0}), 3, color, &out).code() == Code::kInvalidArgument);
    CHECK(AppendPictures("a", Make<float>({1, 1, 2, 2}, {0}), 3, color, &out).code() == Code::kInvalidArgument);
    CHECK(AppendPictures("a", Make<float>({1, 1, 2, 3}, {0}), 3, one, &out).code() == Code::kInvalidArgument);
    CHECK(AppendSounds("a", Make<float>({1, 2, 0}, {0}), 3, 8000, &out).code() == Code::kInvalidArgument);
    CHECK(AppendSounds("a", Make<float>({2}, {0}), 3, 8000, &out).code() == Code::kInvalidArgument);
    CHECK(AppendSounds("a", Make<float>({1, 2}, {0}), 3, static_cast<float>(kNaN), &out).code() ==
          Code::kInvalidArgument);
    CHECK(AppendSounds("a", Make<float>({1, 2}, {0}), 3, 1e20f, &out).code() == Code::kInvalidArgument);
    CHECK(out.empty());
    CHECK(AppendSounds("a", Make<float>({1, 0}, {0}), 3, 8000, &out).ok());
    CHECK(out.find("RIFF") != out.npos);
  }
}
}  // namespace summary_media_test
