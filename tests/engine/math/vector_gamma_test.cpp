// SPDX-License-Identifier: Apache-2.0
// Every function at every level that this processor has, against the double functions of higher_functions.hpp, which
// share neither the methods nor their limits.
#include <tenon/engine/math/vector_gamma.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "engine/lane_math_support.hpp"

namespace lane_gamma_test {
namespace {

#if TENON_DETAIL_LANES

using lane_math::Level;
using lane_math::Worst;

#define TENON_TEST_FUNCTION(function)                                          \
  struct function {                                                            \
    template <class L>                                                         \
    TENON_HD static L lanes(const L& a, const L& x) {                          \
      return tenon::simd::function(a, x);                                      \
    }                                                                          \
    static double Wanted(double a, double x) { return tenon::function(a, x); } \
    static float Scalar(float a, float x) { return tenon::function(a, x); }    \
  }
TENON_TEST_FUNCTION(Igamma);
TENON_TEST_FUNCTION(Igammac);
TENON_TEST_FUNCTION(Zeta);
TENON_TEST_FUNCTION(Polygamma);
#undef TENON_TEST_FUNCTION

struct Lgamma {
  static constexpr const char* name = "Lgamma";
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return tenon::simd::Lgamma(x);
  }
  static double Wanted(double x) { return tenon::Lgamma(x); }
};
struct Digamma {
  static constexpr const char* name = "Digamma";
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return tenon::simd::Digamma(x);
  }
  static double Wanted(double x) { return tenon::Digamma(x); }
};

struct Pairs {
  std::vector<float> a, x;
};
// Numbers of the usual sizes, of very different ones, and about where the incomplete gamma functions change methods.
Pairs SomePairs(bool whole) {
  Pairs pairs;
  std::uint64_t seed = 17;
  const auto random = [&seed] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(seed >> 11) / 9007199254740992.0;
  };
  for (int i = 0; i < 6000; ++i) {
    double a = 6 * random(), x = 8 * random();
    if (i % 3 == 1) a = std::exp(30 * random() - 20), x = std::exp(30 * random() - 20);
    if (i % 3 == 2) a = 60 * random(), x = a * (0.5 + random());
    pairs.a.push_back(static_cast<float>(whole ? std::fmod(std::ceil(a), 33.0) : a));
    pairs.x.push_back(static_cast<float>(x));
  }
  return pairs;
}

// Results below `least` are as good as 1 - P(a, x) is.
template <class Op>
void Check(double most_ulp, double least, const Pairs& pairs) {
  const auto n = static_cast<tenon::Index>(pairs.a.size());
  std::vector<float> y(pairs.a.size());
  for (const Level level : {Level::kUnit, Level::kAvx2, Level::kAvx512}) {
    if (!tenon::testing::RunTwoAt<Op, float>(level, pairs.a.data(), 1, pairs.x.data(), 1, y.data(), n)) continue;
    Worst worst;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double wanted = Op::Wanted(static_cast<double>(pairs.a[i]), static_cast<double>(pairs.x[i]));
      if (std::fabs(wanted) < least)
        CHECK(std::fabs(static_cast<double>(y[i]) - wanted) < 3e-14 + 1e-6 * std::fabs(wanted));
      else
        worst.See(pairs.a[i], y[i], wanted);
    }
    INFO("level ", static_cast<int>(level), ": ", worst.error, " ulp at ", worst.at, ", got ", worst.got);
    CHECK(worst.error <= most_ulp);
  }
}

// Out of the usual, the scalar functions of floats answer.
template <class Op>
void CheckEdges() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float numbers[] = {0, -0.0f, -1, -0.5f, 1, kInfinity, -kInfinity, NAN, 1e-40f, 1e30f, 120, 50.5f, 34};
  Pairs pairs;
  for (const float a : numbers)
    for (const float x : numbers) {
      pairs.a.push_back(a);
      pairs.x.push_back(x);
    }
  const auto n = static_cast<tenon::Index>(pairs.a.size());
  std::vector<float> y(pairs.a.size());
  for (const Level level : {Level::kUnit, Level::kAvx2, Level::kAvx512}) {
    if (!tenon::testing::RunTwoAt<Op, float>(level, pairs.a.data(), 1, pairs.x.data(), 1, y.data(), n)) continue;
    for (std::size_t i = 0; i < y.size(); ++i) {
      const float wanted = Op::Scalar(pairs.a[i], pairs.x[i]);
      INFO("level ", static_cast<int>(level), ": ", pairs.a[i], ", ", pairs.x[i], ": ", y[i], ", not ", wanted);
      CHECK(std::isnan(y[i]) == std::isnan(wanted));
      if (!std::isnan(wanted) && y[i] != wanted) CHECK(std::fabs(y[i] - wanted) <= 1e-6f * std::fabs(wanted) + 1e-14f);
    }
  }
}

TEST_SUITE("lane_gamma") {
  TEST_CASE("one number, every pattern of a sample") {
    CHECK(lane_math::FloatsAreWithin<Lgamma>(0.6, 4));
    CHECK(lane_math::FloatsAreWithin<Digamma>(0.6, 4));
  }
  TEST_CASE("usual arguments") {
    Check<Igamma>(0.6, 1e-30, SomePairs(false));
    Check<Igammac>(0.6, 1e-4, SomePairs(false));
    Check<Zeta>(0.6, 0, SomePairs(false));
    Check<Polygamma>(0.6, 0, SomePairs(true));
  }
  TEST_CASE("edges") {
    CheckEdges<Igamma>();
    CheckEdges<Igammac>();
    CheckEdges<Zeta>();
    CheckEdges<Polygamma>();
  }
}

#endif

}  // namespace
}  // namespace lane_gamma_test
