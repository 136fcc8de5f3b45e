// SPDX-License-Identifier: Apache-2.0
// Every function at every level that this processor has. Float against the double library: a sample of all bit
// patterns, or all of them (an hour) where TENON_EXHAUSTIVE is set. Double against the long double library. Both
// against MPFR: lane_math_mpfr_test.cpp.
#include <tenon/engine/lane_math.hpp>

#include <doctest/doctest.h>

#include "lane_math_support.hpp"
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
    CheckFloat<Exp>(1.01);
    CheckFloat<Log>(1);
    CheckFloat<Erf>(2);
    CheckFloat<Sin>(2);
    CheckFloat<Sqrt>(0.501);
    CheckFloat<Rsqrt>(2);
#if TENON_TEST_ALL_FUNCTIONS
    CheckFloat<Expm1>(2);
    CheckFloat<Log1p>(2);
    CheckFloat<Tanh>(2);
    CheckFloat<Sigmoid>(2);
    CheckFloat<Softplus>(2);
    CheckFloat<Cos>(2);
#endif
  }
  TEST_CASE("double, random numbers and the special ones") {
    CheckDouble<Exp>(1.01);
    CheckDouble<Log>(1);
    CheckDouble<Sqrt>(0.501);
    CheckDouble<Rsqrt>(2);
#if TENON_TEST_ALL_FUNCTIONS
    CheckDouble<Expm1>(2);
    CheckDouble<Log1p>(2);
    CheckDouble<Tanh>(2);
    CheckDouble<Sigmoid>(2);
    CheckDouble<Softplus>(2);
    CheckDouble<Sin>(2);
    CheckDouble<Cos>(2);
#endif
  }
}

#endif

}  // namespace
}  // namespace lane_math_test
