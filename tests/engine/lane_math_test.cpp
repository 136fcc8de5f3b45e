// SPDX-License-Identifier: Apache-2.0
// Every function at every level that this processor has. Float against the double library: a sample of all bit
// patterns, or all of them (an hour) where TENON_EXHAUSTIVE is set. Double against the long double library. Both
// against MPFR: lane_math_mpfr_test.cpp.
#include <tenon/engine/lane_math.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "lane_math_support.hpp"
#include "sanitizers.hpp"

namespace lane_math_test {
using namespace tenon;
namespace {

#if TENON_DETAIL_LANES

// Compiled with checks, all the functions take minutes: a few of each kind then.
#define TENON_TEST_ALL_FUNCTIONS (!TENON_TEST_ASAN && !TENON_TEST_TSAN)

using namespace lane_math;

template <class Op>
void CheckFloat(double most_ulp) {
  const std::uint64_t stride = std::getenv("TENON_EXHAUSTIVE") != nullptr ? 1 : 4999;
  for (const Level level : {Level::kUnit, Level::kAvx2, Level::kAvx512}) {
    using Limits = std::numeric_limits<float>;
    std::vector<float> x = {0.f, -0.f, 1.f, -1.f, INFINITY, -INFINITY, NAN, Limits::max(), Limits::lowest(), 1048576.f};
    std::vector<float> y(x.size());
    Worst worst;
    bool has_level = RunAt<Op, float>(level, x.data(), y.data(), static_cast<Index>(x.size()));
    for (std::size_t i = 0; i < x.size() && has_level; ++i)
      worst.See(x[i], y[i], Op::Wanted(static_cast<double>(x[i])));
    x.resize(1021);
    y.resize(x.size());
    const auto see = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t step) {
      for (std::uint64_t bits = begin; bits < end && has_level;) {
        for (float& value : x) {
          const auto pattern = static_cast<std::uint32_t>(bits);
          std::memcpy(&value, &pattern, 4);
          bits += step;
        }
        has_level = RunAt<Op, float>(level, x.data(), y.data(), static_cast<Index>(x.size()));
        for (std::size_t i = 0; i < x.size() && has_level; ++i)
          worst.See(x[i], y[i], Op::Wanted(static_cast<double>(x[i])));
      }
    };
    see(0, std::uint64_t{1} << 32, stride);
    for (const std::uint64_t sign : {0u, 0x80000000u}) see(sign + 0x3d000000u, sign + 0x43000000u, 499);  // 2^-5 to 2^7
    INFO(std::string(Op::name), " level ", static_cast<int>(level), ": ", worst.error, " ulp at ", worst.at, ", got ",
         worst.got);
    CHECK(worst.error <= most_ulp);
  }
}

template <class Op>
void CheckDouble(double most_ulp) {
  const std::vector<double> x = SomeDoubles();
  for (const Level level : {Level::kUnit, Level::kAvx2, Level::kAvx512}) {
    std::vector<double> y(x.size());
    if (!RunAt<Op, double>(level, x.data(), y.data(), static_cast<Index>(x.size()))) continue;
    Worst worst;
    for (std::size_t i = 0; i < x.size(); ++i) worst.See(x[i], y[i], Op::Wanted(static_cast<long double>(x[i])));
    INFO(std::string(Op::name), " level ", static_cast<int>(level), ": ", worst.error, " ulp at ", worst.at, ", got ",
         worst.got);
    CHECK(worst.error <= most_ulp);
  }
}

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
