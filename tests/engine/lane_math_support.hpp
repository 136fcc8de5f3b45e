// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of engine/math/vector_exp_log.hpp and its like share: functions by name, each at every level, and how
// far off they are.

#include <tenon/base/str.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/math/vector_inverse_trig.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "run_at.hpp"

#if TENON_DETAIL_LANES

namespace lane_math {
using namespace tenon;

using simd::Level;
using tenon::testing::RunAt;

template <class T>
double Ulp(T y) {
  y = std::fabs(y);
  const T next = std::nextafter(y, std::numeric_limits<T>::infinity());
  return static_cast<double>(next - y);
}

// The error of `got` in units of the last place of the true value, or 1e9 where it is of another kind.
template <class T, class Wide>
double Error(T got, Wide wanted) {
  const T rounded = static_cast<T>(wanted);
  if (std::isnan(rounded) || std::isnan(got)) return std::isnan(rounded) == std::isnan(got) ? 0 : 1e9;
  if (std::signbit(rounded) != std::signbit(got)) return 1e9;
  if (std::isinf(rounded) || std::isinf(got)) return std::isinf(rounded) == std::isinf(got) ? 0 : 1e9;
  if (std::fabs(rounded) < std::numeric_limits<T>::min() && got == T(0)) return 0;  // may be flushed
  return static_cast<double>(std::fabs(static_cast<Wide>(got) - wanted)) / Ulp(rounded);
}

struct Worst {
  double error = 0;
  double at = 0, got = 0;
  template <class T, class Wide>
  void See(T x, T y, Wide wanted) {
    const T rounded = static_cast<T>(wanted);
    if (error > 0.51 && y == rounded && y != T(0)) return;  // half a unit at most
    const double e = Error(y, wanted);
    if (e > error) *this = {e, static_cast<double>(x), static_cast<double>(y)};
  }
  std::string Text(const char* function, Level level) const {
    return StrCat(function, " level ", static_cast<int>(level), ": ", error, " ulp at ", at, ", got ", got);
  }
};

// Numbers of all sizes at which the functions do something, some of any pattern, and the special ones.
inline std::vector<double> SomeDoubles() {
  std::vector<double> x = {0.0,
                           -0.0,
                           1.0,
                           -1.0,
                           INFINITY,
                           -INFINITY,
                           NAN,
                           std::numeric_limits<double>::min(),
                           std::numeric_limits<double>::denorm_min(),
                           std::numeric_limits<double>::max(),
                           std::numeric_limits<double>::lowest(),
                           std::numeric_limits<double>::epsilon(),
                           709.782712893384,
                           -708.5,
                           709.9,
                           -745.2};
  std::uint64_t seed = 12345;
  for (int i = 0; i < 30000; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const double fraction = static_cast<double>(seed >> 11) / 9007199254740992.0;
    const double magnitude = std::ldexp(1.0, static_cast<int>(seed % 23) - 12);
    x.push_back((i % 2 == 0 ? 1 : -1) * fraction * magnitude);
    if (i % 10 == 0) {  // any pattern
      double any;
      std::memcpy(&any, &seed, 8);
      x.push_back(any);
    }
  }
  return x;
}

// Numbers near 1 and 1/2, where inverse functions change what they do.
inline std::vector<double> DoublesBelowTwo() {
  std::vector<double> x = SomeDoubles();
  for (const double special : {0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 4503599627370497.0, 4503599627370495.5})
    x.push_back(special);
  std::uint64_t seed = 54321;
  for (int i = 0; i < 3000; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const double fraction = static_cast<double>(seed >> 11) / 9007199254740992.0;
    const double small = std::ldexp(fraction, -static_cast<int>((seed >> 5) % 50));
    for (const double value : {2 * fraction, -fraction, 1 + small, 1 - small, -1 + small, 0.5 + small})
      x.push_back(value);
  }
  return x;
}

// The function of that name, and an expression of x for what it is to be: for floats of a double, for doubles of a
// long double.
#define TENON_TEST_LANE_FUNCTION(function, wanted)                  \
  struct function {                                                 \
    [[maybe_unused]] static constexpr const char* name = #function; \
    template <class L>                                              \
    TENON_HD static L lanes(const L& x) {                           \
      return tenon::simd::function(x);                              \
    }                                                               \
    template <class W>                                              \
    static W Wanted(W x) {                                          \
      return wanted;                                                \
    }                                                               \
  }
TENON_TEST_LANE_FUNCTION(Exp, std::exp(x));
TENON_TEST_LANE_FUNCTION(Expm1, std::expm1(x));
TENON_TEST_LANE_FUNCTION(Log, std::log(x));
TENON_TEST_LANE_FUNCTION(Log1p, std::log1p(x));
TENON_TEST_LANE_FUNCTION(Tanh, std::tanh(x));
TENON_TEST_LANE_FUNCTION(Sigmoid, x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)));
TENON_TEST_LANE_FUNCTION(Softplus, x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)));
TENON_TEST_LANE_FUNCTION(Erf, std::erf(x));
TENON_TEST_LANE_FUNCTION(Sin, std::sin(x));
TENON_TEST_LANE_FUNCTION(Cos, std::cos(x));
TENON_TEST_LANE_FUNCTION(Sqrt, std::sqrt(x));
TENON_TEST_LANE_FUNCTION(Rsqrt, 1 / std::sqrt(x));
TENON_TEST_LANE_FUNCTION(Atan, std::atan(x));
TENON_TEST_LANE_FUNCTION(Asin, std::asin(x));
TENON_TEST_LANE_FUNCTION(Acos, std::acos(x));
TENON_TEST_LANE_FUNCTION(Atanh, std::atanh(x));
TENON_TEST_LANE_FUNCTION(Asinh, std::asinh(x));
TENON_TEST_LANE_FUNCTION(Acosh, std::acosh(x));
TENON_TEST_LANE_FUNCTION(RoundToEven, std::nearbyint(x));

// Of all floats a sample, of one in so many where the reference is slow; or all of them (minutes, and the largest
// errors are told) where TENON_EXHAUSTIVE is set.
template <class Op>
bool FloatsAreWithin(double most_ulp, unsigned thinned = 1) {
  const bool all = std::getenv("TENON_EXHAUSTIVE") != nullptr;
  constexpr Level kLevels[] = {Level::kUnit, Level::kAvx2, Level::kAvx512};
  using Limits = std::numeric_limits<float>;
  Worst worst[3];
  std::vector<float> x, y;
  std::vector<double> wanted;
  const auto see = [&] {
    y.resize(x.size());
    wanted.clear();
    for (const float value : x) wanted.push_back(Op::Wanted(static_cast<double>(value)));
    for (int l = 0; l < 3; ++l) {
      if (!RunAt<Op, float>(kLevels[l], x.data(), y.data(), static_cast<Index>(x.size()))) continue;
      for (std::size_t i = 0; i < x.size(); ++i) worst[l].See(x[i], y[i], wanted[i]);
    }
  };
  const auto see_range = [&](std::uint64_t begin, std::uint64_t end, std::uint64_t step) {
    for (std::uint64_t bits = begin; bits < end;) {
      for (float& value : x) {
        const auto pattern = static_cast<std::uint32_t>(bits);
        std::memcpy(&value, &pattern, 4);
        bits += step;
      }
      see();
    }
  };
  x = {0.f, -0.f, 1.f, -1.f, INFINITY, -INFINITY, NAN, Limits::max(), Limits::lowest(), 1048576.f};
  see();
  x.resize(1021);
  see_range(0, std::uint64_t{1} << 32, all ? 1 : thinned * 4999);
  for (const std::uint64_t sign : {0u, 0x80000000u})
    see_range(sign + 0x3d000000u, sign + 0x43000000u, thinned * 499);  // 2^-5 to 2^7
  bool are_within = true;
  for (int l = 0; l < 3; ++l) {
    const bool is_within = worst[l].error <= most_ulp;
    if (all || !is_within) MESSAGE(worst[l].Text(Op::name, kLevels[l]));
    are_within = are_within && is_within;
  }
  return are_within;
}

template <class Op>
bool DoublesAreWithin(double most_ulp, const std::vector<double>& x = SomeDoubles()) {
  bool are_within = true;
  for (const Level level : {Level::kUnit, Level::kAvx2, Level::kAvx512}) {
    std::vector<double> y(x.size());
    if (!RunAt<Op, double>(level, x.data(), y.data(), static_cast<Index>(x.size()))) continue;
    Worst worst;
    for (std::size_t i = 0; i < x.size(); ++i) worst.See(x[i], y[i], Op::Wanted(static_cast<long double>(x[i])));
    if (worst.error <= most_ulp) continue;
    MESSAGE(worst.Text(Op::name, level));
    are_within = false;
  }
  return are_within;
}

}  // namespace lane_math

#endif  // TENON_DETAIL_LANES
