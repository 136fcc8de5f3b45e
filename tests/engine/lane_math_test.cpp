// SPDX-License-Identifier: Apache-2.0
// Every function at every level that this processor has. Float against the double library: a sample of all bit
// patterns, or all of them (an hour) where TENON_EXHAUSTIVE is set. Double against the long double library.
#include <tenon/engine/lane_math.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "sanitizers.hpp"

namespace lane_math_test {
using namespace tenon;
namespace {

#if TENON_DETAIL_LANES

// Compiled with checks, all the functions take minutes: a few of each kind then.
#define TENON_TEST_ALL_FUNCTIONS (!TENON_TEST_ASAN && !TENON_TEST_TSAN)

using simd::Level;

// The bodies compiled for one level; false: this processor has it not.
template <class Op, class T>
bool RunAt(Level level, const T* x, T* out, Index n) {
  using Map = simd::detail::MapLanesFor<Op, T>;
#if TENON_DETAIL_TARGETS
  if (level > simd::BestLevel()) return false;
  if (level == Level::kAvx512) return Map::Avx512(x, out, n), true;
  if (level == Level::kAvx2) return Map::Avx2(x, out, n), true;
#endif
  if (level != Level::kUnit) return false;
  Map::Unit(x, out, n);
  return true;
}

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
    const double e = Error(y, wanted);
    if (e > error) *this = {e, static_cast<double>(x), static_cast<double>(y)};
  }
};

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

#define TENON_TEST_FUNCTION(function, wanted)                       \
  struct function {                                                 \
    [[maybe_unused]] static constexpr const char* name = #function; \
    template <class L>                                              \
    TENON_HD static L lanes(const L& x) {                           \
      return simd::function(x);                                     \
    }                                                               \
    template <class W>                                              \
    static W Wanted(W x) {                                          \
      return wanted;                                                \
    }                                                               \
  }
TENON_TEST_FUNCTION(Exp, std::exp(x));
TENON_TEST_FUNCTION(Expm1, std::expm1(x));
TENON_TEST_FUNCTION(Log, std::log(x));
TENON_TEST_FUNCTION(Log1p, std::log1p(x));
TENON_TEST_FUNCTION(Tanh, std::tanh(x));
TENON_TEST_FUNCTION(Sigmoid, x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)));
TENON_TEST_FUNCTION(Softplus, x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)));
TENON_TEST_FUNCTION(Erf, std::erf(x));
TENON_TEST_FUNCTION(Sin, std::sin(x));
TENON_TEST_FUNCTION(Cos, std::cos(x));
TENON_TEST_FUNCTION(Sqrt, std::sqrt(x));
TENON_TEST_FUNCTION(Rsqrt, 1 / std::sqrt(x));
#undef TENON_TEST_FUNCTION

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
    CheckFloat<Softplus>(3);
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
    CheckDouble<Softplus>(3);
    CheckDouble<Sin>(2);
    CheckDouble<Cos>(2);
#endif
  }
}

#endif

}  // namespace
}  // namespace lane_math_test
