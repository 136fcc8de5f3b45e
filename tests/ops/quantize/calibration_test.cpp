// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/quantize/calibration.hpp>

#include <doctest/doctest.h>

#include "ops/outputs.hpp"

namespace quantize_calibration_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("CustomAggregator") {
  const auto statistics = [](std::initializer_list<double> x, std::int64_t bins, std::int64_t method = 3) {
    return OutputsOf<ops::CustomAggregator>({{"id", "a"}, {"calibration_method", method}, {"num_bins", bins}},
                                            {Make<float>({static_cast<Index>(x.size())}, x)});
  };
  TEST_CASE("bins begin at multiples of a power of two") {
    CHECK(statistics({1, 2, -3.5, 7.25f, 0}, 4) == "1 2 -3.5 7.25 0 | -3.5 | 7.25 | 1 3 1 0");
    CHECK(statistics({2, 2}, 3) == "2 2 | 2 | 2 | 2 0 0");
    CHECK(statistics({kNaN, 1}, 2) == "nan 1 | 1 | 1 | 2 0");
    CHECK(statistics({}, 2) == " | inf | -inf | 0 0");
  }
  TEST_CASE("refused") {
    CHECK(statistics({1}, -4).find("INVALID_ARGUMENT") == 0);
    CHECK(statistics({1}, INT64_MAX).find("RESOURCE_EXHAUSTED") != std::string::npos);
    CHECK(statistics({1}, 1, 0).find("ABORTED") == 0);
    CHECK(ShapesOf<ops::CustomAggregator>({{2, 3}}, {{"num_bins", -4}}) == "[2,3] [] [] [?]");
  }
}
}  // namespace quantize_calibration_test
