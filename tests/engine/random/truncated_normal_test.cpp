// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/random/truncated_normal.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

namespace bounded_normal_test {
using namespace tenon;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

TEST_SUITE("bounded_normal") {
  TEST_CASE("TensorFlow's samples, by each of the three ways, one after the other in one stream") {
    Philox stream = Philox::FromSeeds(1, 2);
    double got[6];
    CHECK(FillBoundedNormal<double>({0, 1, -2, 2}, &stream, got, 2).ok());         // tries normal numbers
    CHECK(FillBoundedNormal<double>({0, 1, 3, 9}, &stream, got + 2, 2).ok());      // exponential ones
    CHECK(FillBoundedNormal<double>({5, 2, 4.9, 5.1}, &stream, got + 4, 2).ok());  // uniform ones
    const double want[] = {0x1.298089076cdd3p-1, -0x1.8eb3aca515204p+0, 0x1.af05154b51322p+1,
                           0x1.81e08d788901fp+1, 0x1.40990eb83265ep+2,  0x1.416a4efe44b77p+2};
    for (int i = 0; i < 6; ++i) CHECK(std::abs(got[i] - want[i]) <= 1e-13 * std::abs(want[i]));
  }
  TEST_CASE_TEMPLATE("samples lie between the bounds and have the mean that the formula says", T, half, float, double) {
    struct Bounds {
      double mean, deviation, low, high;
    };
    for (const Bounds b : {Bounds{0, 1, -2, 2}, Bounds{0, 1, 1, 3}, Bounds{0, 1, -3, -1}, Bounds{3, 2, 2.5, 3.5}}) {
      Philox stream = Philox::FromSeeds(3, 4);
      std::vector<T> got(20000);
      const BoundedNormal<T> p{T(float(b.mean)), T(float(b.deviation)), T(float(b.low)), T(float(b.high))};
      REQUIRE(FillBoundedNormal<T>(p, &stream, got.data(), 20000).ok());
      double sum = 0;
      for (const T& x : got) {
        CHECK_UNARY((p.low <= x && x <= p.high));
        sum += static_cast<double>(x);
      }
      // mean + deviation (phi(a) - phi(b)) / (Phi(b) - Phi(a)), a and b the bounds in deviations.
      const double lo = (b.low - b.mean) / b.deviation, hi = (b.high - b.mean) / b.deviation;
      const auto density = [](double x) { return std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979); };
      const auto below = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
      const double want = b.mean + b.deviation * (density(lo) - density(hi)) / (below(hi) - below(lo));
      CHECK(std::abs(sum / 20000 - want) < 0.03);
    }
  }
  TEST_CASE("parameters without samples are refused") {
    Philox stream = Philox::FromSeeds(1, 2);
    double one;
    for (const BoundedNormal<double> p :
         {BoundedNormal<double>{0, 0, -1, 1}, BoundedNormal<double>{0, -1, -1, 1}, BoundedNormal<double>{0, 1, 1, 1},
          BoundedNormal<double>{0, 1, 2, 1}, BoundedNormal<double>{0, 1, -kInfinity, kInfinity},
          BoundedNormal<double>{0, 1, std::nan(""), 1}}) {
      const Status status = FillBoundedNormal(p, &stream, &one, 1);
      CHECK(status.code() == Code::kInvalidArgument);
      CHECK(status.message().find("Invalid parameters") != std::string_view::npos);
    }
    CHECK(FillBoundedNormal<double>({std::nan(""), 1, 0, 1}, &stream, &one, 1).code() == Code::kInternal);
  }
}
}  // namespace bounded_normal_test
