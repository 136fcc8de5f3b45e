// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/nn/gelu.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace gelu_test {
using namespace tenon;

namespace {

double Wanted(double x, GeluFormula formula) {
  if (formula == GeluFormula::kErf) return x / 2 * std::erfc(-x * std::sqrt(0.5));
  return x / (1 + std::exp(-2 * std::sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
}

template <class T>
bool GeluIsRight(Cpu device, Index n, double range, GeluFormula formula, bool in_place = false) {
  const std::vector<T> x = testing::RandomVector<T>(n, 7, -range, range);
  std::vector<T> y = in_place ? x : std::vector<T>(x.size());
  y.push_back(testing::FromDouble<T>(77));
  if (!Gelu<T>(device, in_place ? y.data() : x.data(), y.data(), n, formula).ok()) return false;
  constexpr double kUnit = std::is_same_v<T, double> ? 0x1p-53 : 0x1p-24;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = testing::ToDouble(x[i]), want = Wanted(at, formula);
    const double allowed = 8 * kUnit * std::fmax(1, std::abs(at)) + 1.001 * testing::RoundingUnit<T>() * std::abs(want);
    const double smallest = std::is_same_v<T, half> ? 0x1p-25 : 0;
    if (!(std::abs(testing::ToDouble(y[i]) - want) <= allowed + smallest)) return false;
  }
  return testing::ToDouble(y.back()) == 77;
}

}  // namespace

TEST_SUITE("Gelu") {
  TEST_CASE_TEMPLATE("agrees with the formulas", T, float, double, half, bfloat16) {
    for (const GeluFormula formula : {GeluFormula::kErf, GeluFormula::kTanh}) {
      for (const Index n : {0, 1, 7, 16, 33, 1000}) {
        CAPTURE(n);
        for (const double range : {0.01, 1.0, 6.0, 60.0, 1000.0}) {
          CAPTURE(range);
          CHECK(GeluIsRight<T>({}, n, range, formula));
        }
        CHECK(GeluIsRight<T>({}, n, 4, formula, true));
      }
    }
  }

  TEST_CASE("several threads give the same") {
    ThreadPool pool(3, "test");
    CHECK(GeluIsRight<float>({.pool = &pool}, 1 << 20, 4, GeluFormula::kErf));
    CHECK(GeluIsRight<half>({.pool = &pool}, 1 << 18, 4, GeluFormula::kTanh));
  }

  TEST_CASE_TEMPLATE("zero, infinity, NaN and the largest numbers", T, float, double) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity(), kMost = std::numeric_limits<T>::max();
    const std::vector<T> x{0, -T(0), kInfinity, std::numeric_limits<T>::quiet_NaN(), kMost, -kMost, -kInfinity};
    for (const GeluFormula formula : {GeluFormula::kErf, GeluFormula::kTanh}) {
      std::vector<T> y(x.size());
      Cpu device;
      REQUIRE(Gelu<T>(device, x.data(), y.data(), static_cast<Index>(x.size()), formula).ok());
      CHECK(y[0] == 0);
      CHECK(y[1] == 0);
      CHECK(y[2] == kInfinity);
      CHECK(std::isnan(y[3]));
      CHECK(y[4] == kMost);
      CHECK(std::abs(y[5]) <= 0);
      CHECK(std::isnan(y[6]));
    }
  }
}
}  // namespace gelu_test
