// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/boxes.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace image_boxes_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// One grey image of that height and width, all 9, with boxes drawn on it.
std::vector<double> Drawn(Index height, Index width, std::initializer_list<float> boxes,
                          std::initializer_list<float> colors) {
  const Tensor image = Make<float>({1, height, width, 1}, {9});
  const auto count = static_cast<Index>(boxes.size()) / 4, greys = static_cast<Index>(colors.size());
  return Numbered<float>(Run<ops::DrawBoundingBoxesV2>(
      {}, {image, MakeTensor<float>({1, count, 4}, boxes), MakeTensor<float>({greys, 1}, colors)}));
}

}  // namespace

TEST_SUITE("DrawBoundingBoxes") {
  TEST_CASE("a place is cut towards 0; what is no place is far outside") {
    using ops::detail::BoxPlace;
    CHECK(BoxPlace(.5f, 5) == 2);
    CHECK(BoxPlace(.99f, 5) == 3);
    CHECK(BoxPlace(-.3f, 5) == -1);
    CHECK(BoxPlace(-.2f, 5) == 0);
    CHECK(BoxPlace(1, 1) == 0);
    CHECK(BoxPlace(1e30f, 5) == static_cast<Index>(1e18f));
    CHECK(BoxPlace(static_cast<float>(-kInfinity), 5) < -1000000000);
    CHECK(BoxPlace(static_cast<float>(kNaN), 5) < -1000000000);
  }
  TEST_CASE("the frame of a box and nothing else") {
    std::vector<double> want;
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < 5; ++c) {
        const bool inside = r >= 1 && r <= 3 && c >= 1 && c <= 4;
        want.push_back(inside && (r == 1 || r == 3 || c == 1 || c == 4) ? 7 : 9);
      }
    CHECK(Drawn(4, 5, {1.f / 3, .25f, 1, 1}, {7}) == want);
  }
  TEST_CASE("edges outside are not drawn, boxes outside or turned round not at all") {
    // Only the left and the right edge of one that is too high, at columns 0 and 2.
    CHECK(Drawn(2, 3, {-2, 0, 4, 1}, {7}) == std::vector<double>{7, 9, 7, 7, 9, 7});
    const std::vector<double> nothing(6, 9);
    CHECK(Drawn(2, 3, {3, 0, 4, 1}, {7}) == nothing);
    CHECK(Drawn(2, 3, {1, 1, 0, 0}, {7}) == nothing);
    CHECK(Drawn(2, 3, {static_cast<float>(kNaN), static_cast<float>(kNaN), -1, -1}, {7}) == nothing);
    CHECK(Drawn(2, 3, {}, {7}) == nothing);
  }
  TEST_CASE("colours are used in turn, the later box over the earlier") {
    CHECK(Drawn(1, 3, {0, 0, 0, 0, 0, .5f, 0, .5f, 0, 1, 0, 1}, {5, 6}) == std::vector<double>{5, 6, 5});
    CHECK(Drawn(1, 3, {0, 0, 0, 1, 0, .5f, 0, .5f}, {5, 6}) == std::vector<double>{5, 6, 5});
    // Without colours the old ten: yellow first; grey images take 1 as its first number.
    CHECK(Drawn(1, 1, {0, 0, 0, 0}, {}) == std::vector<double>{1});
    const Tensor image = Make<float>({1, 1, 1, 4}, {9});
    const Tensor boxes = Make<float>({1, 5, 4}, {0});
    CHECK(Numbered<float>(Run<ops::DrawBoundingBoxes>({}, {image, boxes})) == std::vector<double>{.5, 0, .5, 1});
  }
  TEST_CASE("draws on the image itself where nobody else has it") {
    bool took_over = false;
    const Tensor image = Make<float>({1, 2, 2, 1}, {9}), box = Make<float>({1, 1, 4}, {0});
    const Tensor out = RunOnOwnInputs<ops::DrawBoundingBoxes, float>({}, {image, box}, &took_over);
    CHECK(took_over);
    CHECK(Numbered<float>(out) == std::vector<double>{1, 9, 9, 9});
  }
  TEST_CASE("says which shape is wrong") {
    const auto error = [](const TensorShape& image, const TensorShape& boxes, const TensorShape& colors) {
      const Tensor a(DataType::kFloat, image), b(DataType::kFloat, boxes), c(DataType::kFloat, colors);
      return ErrorOf<ops::DrawBoundingBoxesV2>({}, {a, b, c});
    };
    const std::string start = "INVALID_ARGUMENT: DrawBoundingBoxesV2: ";
    CHECK(error({2, 2, 3}, {1, 1, 4}, {1, 4}) == start + "The rank of the images should be 4, got [2,2,3]");
    CHECK(error({1, 2, 2, 3}, {1, 4}, {1, 4}) == start + "The rank of the boxes tensor should be 3, got [1,4]");
    CHECK(error({1, 2, 2, 3}, {2, 1, 4}, {1, 4}) == start + "The batch sizes should be the same, got 1 and 2");
    CHECK(error({1, 2, 2, 2}, {1, 1, 4}, {1, 4}) ==
          start + "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), got 2");
    CHECK(error({1, 2, 2, 3}, {1, 1, 5}, {1, 4}) ==
          start + "The size of the third dimension of the box must be 4. Received: 5");
    CHECK(error({1, 2, 2, 3}, {1, 1, 4}, {4}) == start + "colors must be a 2-D matrix of RGBA values, got shape [4]");
    CHECK(error({1, 2, 2, 3}, {1, 1, 4}, {9, 2}) ==
          start + "colors must have equal or more channels than the image provided, got 2 vs. 3");
  }
  TEST_CASE("the shape function refuses what it can see") {
    CHECK(InferredShape<ops::DrawBoundingBoxes>({{2, -1, 5, 3}, {2, -1, 4}}) == "[2,?,5,3]");
    CHECK(InferredShape<ops::DrawBoundingBoxes>({{2, -1, 5, 2}, {2, -1, 4}}) ==
          "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), got 2");
    CHECK(InferredShape<ops::DrawBoundingBoxes>({{2, -1, 5, 3}, {2, 1, 5}}) == "Dimension must be 4 but is 5");
  }
}
}  // namespace image_boxes_test
