// SPDX-License-Identifier: Apache-2.0
// Every function at every level that this processor has, as in lane_math_test.cpp.
#include <tenon/engine/math/vector_sinh_cosh.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "engine/lane_math_support.hpp"

namespace lane_sinh_test {
namespace {

#if TENON_DETAIL_LANES

TENON_TEST_LANE_FUNCTION(Sinh, std::sinh(x));
TENON_TEST_LANE_FUNCTION(Cosh, std::cosh(x));

TEST_SUITE("lane_sinh") {
  TEST_CASE("float, every pattern of a sample") {
    CHECK(lane_math::FloatsAreWithin<Sinh>(2));
    CHECK(lane_math::FloatsAreWithin<Cosh>(2));
  }
  TEST_CASE("double, random numbers and the special ones") {
    std::vector<double> x = lane_math::DoublesBelowTwo();
    for (const double edge : {709.0, 709.7, 709.79, 710.4, 710.47, 710.48, 711.0, 712.0, 1e300}) {
      x.push_back(edge);
      x.push_back(-edge);
    }
    CHECK(lane_math::DoublesAreWithin<Sinh>(2, x));
    CHECK(lane_math::DoublesAreWithin<Cosh>(2, x));
  }
}

#endif

}  // namespace
}  // namespace lane_sinh_test
