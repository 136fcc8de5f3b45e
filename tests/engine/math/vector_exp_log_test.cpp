// SPDX-License-Identifier: Apache-2.0
// Every function at every level that this processor has. Float against the double library: a sample of all bit
// patterns, or all of them (an hour) where TENON_EXHAUSTIVE is set. Double against the long double library. Both
// against MPFR: lane_math_mpfr_test.cpp.
#include <tenon/engine/math/vector_exp_log.hpp>

#include <doctest/doctest.h>

#include "engine/lane_math_support.hpp"
#include "sanitizers.hpp"

namespace lane_math_test {
using namespace tenon;
namespace {

#if TENON_DETAIL_LANES

// Compiled with checks, all the functions take minutes: a few of each kind then.
#define TENON_TEST_ALL_FUNCTIONS (!TENON_TEST_ASAN && !TENON_TEST_TSAN)

using namespace lane_math;

TEST_SUITE("lane_math") {
  TEST_CASE("float, every pattern of a sample") {
    CHECK(FloatsAreWithin<Exp>(1.01));
    CHECK(FloatsAreWithin<Log>(1));
    CHECK(FloatsAreWithin<Erf>(2));
    CHECK(FloatsAreWithin<Sin>(2));
    CHECK(FloatsAreWithin<Sqrt>(0.501));
    CHECK(FloatsAreWithin<Rsqrt>(2));
#if TENON_TEST_ALL_FUNCTIONS
    CHECK(FloatsAreWithin<Expm1>(2));
    CHECK(FloatsAreWithin<Log1p>(2));
    CHECK(FloatsAreWithin<Tanh>(2));
    CHECK(FloatsAreWithin<Sigmoid>(2));
    CHECK(FloatsAreWithin<Softplus>(2));
    CHECK(FloatsAreWithin<Cos>(2));
#endif
  }
  TEST_CASE("double, random numbers and the special ones") {
    CHECK(DoublesAreWithin<Exp>(1.01));
    CHECK(DoublesAreWithin<Log>(1));
    CHECK(DoublesAreWithin<Sqrt>(0.501));
    CHECK(DoublesAreWithin<Rsqrt>(2));
#if TENON_TEST_ALL_FUNCTIONS
    CHECK(DoublesAreWithin<Expm1>(2));
    CHECK(DoublesAreWithin<Log1p>(2));
    CHECK(DoublesAreWithin<Tanh>(2));
    CHECK(DoublesAreWithin<Sigmoid>(2));
    CHECK(DoublesAreWithin<Softplus>(2));
    CHECK(DoublesAreWithin<Sin>(2));
    CHECK(DoublesAreWithin<Cos>(2));
#endif
  }
}

#endif

}  // namespace
}  // namespace lane_math_test
