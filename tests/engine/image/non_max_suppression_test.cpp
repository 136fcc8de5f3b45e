// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/image/non_max_suppression.hpp>

#include <limits>
#include <vector>

#include <doctest/doctest.h>

namespace suppression_test {
using namespace tenon;

namespace {

struct Answer {
  std::vector<Index> boxes;
  std::vector<float> scores;
};
Answer Suppress(const std::vector<float>& boxes, const std::vector<float>& scores, Index most,
                const SuppressionRule<float>& rule) {
  SlimVector<Index> selected;
  SlimVector<float> selected_scores;
  SuppressBoxes(boxes.data(), scores.data(), static_cast<Index>(scores.size()), most, rule, &selected,
                &selected_scores);
  return {{selected.begin(), selected.end()}, {selected_scores.begin(), selected_scores.end()}};
}

const std::vector<float> kBoxes = {0, 0, 1, 1, 0, 0, 1, 1, 0, 2, 1, 3};

}  // namespace

TEST_SUITE("suppression") {
  TEST_CASE("overlap, whatever the corners' order") {
    const float a[] = {0, 0, 2, 2}, b[] = {3, 3, 1, 1}, flat[] = {0, 0, 0, 2}, far[] = {5, 5, 6, 6};
    CHECK(BoxOverlap(a, b) == doctest::Approx(1.0 / 7));
    CHECK(BoxOverlap(a, a) == 1);
    CHECK(BoxOverlap(a, flat) == 0);
    CHECK(BoxOverlap(a, far) == 0);
  }
  TEST_CASE("keeps the best of overlapping boxes, the first of equal ones") {
    CHECK(Suppress(kBoxes, {0.9f, 0.8f, 0.7f}, 3, {0.5f, 0}).boxes == std::vector<Index>{0, 2});
    CHECK(Suppress(kBoxes, {0.9f, 0.8f, 0.7f}, 3, {1.0f, 0}).boxes == std::vector<Index>{0, 1, 2});
    CHECK(Suppress(kBoxes, {0.9f, 0.8f, 0.7f}, 1, {0.5f, 0}).boxes == std::vector<Index>{0});
    CHECK(Suppress(kBoxes, {0.5f, 0.5f, 0.5f}, 3, {0.5f, 0}).boxes == std::vector<Index>{0, 2});
    CHECK(Suppress(kBoxes, {0.9f, 0.8f, 0.7f}, 3, {0.5f, 0.75f}).boxes == std::vector<Index>{0});
    CHECK(Suppress(kBoxes, {std::numeric_limits<float>::quiet_NaN(), 0.8f, 0.7f}, 3, {0.5f, 0}).boxes ==
          std::vector<Index>{1, 2});
    CHECK(Suppress({}, {}, 3, {0.5f, 0}).boxes.empty());
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> with_nan{0, 0, 1, 1, 0, nan, 1, 1, 0, 5, 1, 6};  // the overlap is NaN: the score is 0 then
    CHECK(Suppress(with_nan, {0.9f, 0.8f, 0.7f}, 3, {0.5f, 0}).boxes == std::vector<Index>{0, 2});
    CHECK(Suppress(with_nan, {0.9f, 0.8f, 0.7f}, 3, {0.5f, -1}).boxes == std::vector<Index>{0, 2, 1});
    CHECK(Suppress(kBoxes, {0.9f, 0.8f, 0.7f}, 0, {0.5f, 0}).boxes.empty());
  }
  TEST_CASE("devalues instead, with a sigma, as TensorFlow does") {
    const Answer soft = Suppress(kBoxes, {0.9f, 0.8f, 0.7f}, 3, {0.5f, 0, 0.5f});
    CHECK(soft.boxes == std::vector<Index>{0, 2, 1});
    CHECK(soft.scores[0] == 0.9f);
    CHECK(soft.scores[1] == 0.7f);
    CHECK(soft.scores[2] == doctest::Approx(0.2943035662174225));
  }
}
}  // namespace suppression_test
