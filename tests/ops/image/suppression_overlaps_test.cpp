// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/suppression_overlaps.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace image_suppression_overlaps_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("NonMaxSuppressionWithOverlaps") {
  TEST_CASE("keeps the best of those that overlap") {
    const Tensor overlaps = Make<float>({3, 3}, {1, .9, 0, .9, 1, 0, 0, 0, 1}), scores = Make<float>({3}, {.5, .8, .1}),
                 allowed = Make<float>({}, {.5}), least = Make<float>({}, {0});
    CHECK(Numbered<std::int32_t>(Run<ops::NonMaxSuppressionWithOverlaps>(
              {}, {overlaps, scores, Int(3), allowed, least})) == std::vector<double>{1, 2});
    CHECK(ErrorOf<ops::NonMaxSuppressionWithOverlaps>({}, {overlaps, scores, Int(-1), allowed, least})
              .find("output size must be non-negative") != std::string::npos);
  }
}
}  // namespace image_suppression_overlaps_test
