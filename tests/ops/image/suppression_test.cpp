// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/image/suppression.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace image_suppression_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
template <class T>
std::vector<Tensor> Inputs(double sigma) {
  return {Make<T>({3, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 0, 2, 1, 3}),
          Make<T>({3}, {.875, .75, .5}),
          Make<std::int32_t>({}, {3}),
          Make<T>({}, {.5}),
          Make<T>({}, {0}),
          Make<T>({}, {sigma})};
}
}  // namespace

TEST_SUITE("NonMaxSuppression") {
  TEST_CASE_TEMPLATE("keeps, pads, devalues", T, float, half) {
    const Result<std::vector<Tensor>> y =
        Call<ops::NonMaxSuppressionV5>({{"pad_to_max_output_size", true}}, Inputs<T>(0));
    REQUIRE_MESSAGE(y.ok(), y.status().message());
    CHECK(Numbered<std::int32_t>((*y)[0]) == std::vector<double>{0, 2, 0});
    CHECK(Numbered<T>((*y)[1]) == std::vector<double>{.875, .5, 0});
    CHECK(Numbered<std::int32_t>((*y)[2]) == std::vector<double>{2});
    CHECK(Numbered<std::int32_t>(Run<ops::NonMaxSuppressionV5>({}, Inputs<T>(.5))) == std::vector<double>{0, 2, 1});
  }
  TEST_CASE("refuses what TensorFlow refuses") {
    CHECK(ErrorOf<ops::NonMaxSuppressionV5>({}, Inputs<float>(kNaN)).find("soft_nms_sigma_val must be >= 0") !=
          std::string::npos);
    std::vector<Tensor> inputs = Inputs<float>(0);
    inputs[3] = Make<float>({}, {kNaN});
    CHECK(ErrorOf<ops::NonMaxSuppressionV5>({}, inputs).find("iou_threshold must be in [0, 1]") != std::string::npos);
    inputs = Inputs<float>(0);
    inputs[2] = Make<std::int32_t>({}, {-1});
    CHECK(ErrorOf<ops::NonMaxSuppressionV5>({}, inputs).find("output size must be non-negative") != std::string::npos);
  }
}
}  // namespace image_suppression_test
