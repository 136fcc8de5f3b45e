// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/random/binomial.hpp>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include <doctest/doctest.h>

namespace binomial_test {
using namespace tenon;

TEST_SUITE("binomial samples") {
  TEST_CASE("mean and variance on both ways to draw, and mirrored") {
    for (const double count : {8.0, 60.0, 4000.0}) {
      for (const double prob : {0.1, 0.5, 0.875}) {
        constexpr int kSamples = 4000;
        double sum = 0, squares = 0;
        for (int n = 0; n < kSamples; ++n) {
          const double x = detail::BinomialSample(count, prob, Philox{5, 0, 6}, static_cast<std::uint64_t>(n));
          REQUIRE((x >= 0 && x <= count && x == std::floor(x)));
          sum += x;
          squares += x * x;
        }
        CAPTURE(count);
        CAPTURE(prob);
        const double mean = sum / kSamples, variance = count * prob * (1 - prob);
        CHECK(std::fabs(mean - count * prob) < 5 * std::sqrt(variance / kSamples));
        CHECK(squares / kSamples - mean * mean == doctest::Approx(variance).epsilon(0.15));
      }
    }
  }
  TEST_CASE("edges") {
    const Philox from{1, 2, 3};
    CHECK(detail::BinomialSample(0.0f, 0.5f, from, 0) == 0);
    CHECK(detail::BinomialSample(7.0, 0.0, from, 0) == 0);
    CHECK(detail::BinomialSample(7.0, 1.5, from, 0) == 7);
    CHECK(std::isnan(detail::BinomialSample(7.0, std::numeric_limits<double>::quiet_NaN(), from, 0)));
  }
  TEST_CASE("numbers that an integer cannot hold become its smallest") {
    std::int32_t small = 0;
    std::int64_t large = 0;
    StoreSample(3e9, &small, DataType::kInt32, 0);
    StoreSample(std::numeric_limits<double>::quiet_NaN(), &large, DataType::kInt64, 0);
    CHECK(small == std::numeric_limits<std::int32_t>::min());
    CHECK(large == std::numeric_limits<std::int64_t>::min());
    StoreSample(12, &small, DataType::kInt32, 0);
    CHECK(small == 12);
  }
}
}  // namespace binomial_test
