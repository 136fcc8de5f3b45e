// SPDX-License-Identifier: Apache-2.0
// Every function at every level that this processor has, as in lane_math_test.cpp. Against MPFR:
// lane_math_mpfr_test.cpp.
#include <tenon/engine/math/vector_inverse_trig.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/lane_math_support.hpp"
#include "sanitizers.hpp"

namespace lane_math_inverse_test {
using namespace tenon;
namespace {

#if TENON_DETAIL_LANES

using namespace lane_math;

struct Atan2 {
  template <class L>
  TENON_HD static L lanes(const L& y, const L& x) {
    return simd::Atan2(y, x);
  }
};
struct Xlogy {
  template <class L>
  TENON_HD static L lanes(const L& x, const L& y) {
    return simd::Xlogy(x, y);
  }
};
struct Xlog1py {
  template <class L>
  TENON_HD static L lanes(const L& x, const L& y) {
    return simd::Xlog1py(x, y);
  }
};

// Pairs of special numbers, of the same size, of sizes that have little to do with each other, and of any bits.
template <class T>
void SomePairs(std::vector<T>* a, std::vector<T>* b) {
  using Limits = std::numeric_limits<T>;
  const T specials[] = {0,
                        T(-0.0),
                        1,
                        -1,
                        2,
                        T(0.5),
                        Limits::infinity(),
                        -Limits::infinity(),
                        Limits::quiet_NaN(),
                        Limits::max(),
                        Limits::lowest(),
                        Limits::max() / 3,
                        Limits::min(),
                        Limits::denorm_min(),
                        -Limits::denorm_min()};
  for (const T one : specials)
    for (const T other : specials) {
      a->push_back(one);
      b->push_back(other);
    }
  std::uint64_t seed = 99;
  const auto bits = [&seed] { return seed = seed * 6364136223846793005u + 1442695040888963407u; };
  const auto number = [&bits] {
    const std::uint64_t random = bits();
    const double fraction = static_cast<double>(random >> 11) / 9007199254740992.0;
    return static_cast<T>(std::ldexp(random % 2 == 0 ? fraction : -fraction, static_cast<int>(random % 21) - 10));
  };
  for (int i = 0; i < 10000; ++i) {
    a->push_back(number());
    b->push_back(number());
    a->push_back(a->back() * static_cast<T>(1 + std::ldexp(1.0, -i % 25)));
    b->push_back(a->back());
    T any[2];
    const std::uint64_t random[2] = {bits(), bits()};
    for (int k = 0; k < 2; ++k) std::memcpy(&any[k], &random[k], sizeof(T));
    a->push_back(any[0]);
    b->push_back(any[1]);
  }
}

template <class Op, class T, class Wanted>
void CheckPairs(double most_ulp, Wanted wanted) {
  using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
  std::vector<T> a, b;
  SomePairs(&a, &b);
  const auto n = static_cast<Index>(a.size());
  std::vector<T> out(a.size()), repeated(37), same(37), first(37);
  for (const Level level : {Level::kUnit, Level::kAvx2, Level::kAvx512}) {
    if (!tenon::testing::RunTwoAt<Op, T>(level, a.data(), 1, b.data(), 1, out.data(), n)) continue;
    Worst worst;
    for (std::size_t i = 0; i < a.size(); ++i)
      worst.See(a[i], out[i], wanted(static_cast<Wide>(a[i]), static_cast<Wide>(b[i])));
    INFO("level ", static_cast<int>(level), ": ", worst.error, " ulp at ", worst.at, ", got ", worst.got);
    CHECK(worst.error <= most_ulp);
    // One element for all, on either side; the output is the other operand.
    for (const std::size_t at : {300u, 301u}) {
      first.assign(37, a[at]);
      tenon::testing::RunTwoAt<Op, T>(level, first.data(), 1, &b[at], 1, same.data(), 37);
      repeated.assign(b.begin() + static_cast<std::ptrdiff_t>(at), b.begin() + static_cast<std::ptrdiff_t>(at) + 37);
      tenon::testing::RunTwoAt<Op, T>(level, &a[at], 0, repeated.data(), 1, repeated.data(), 37);
      CHECK(std::memcmp(repeated.data(), same.data(), 37 * sizeof(T)) == 0);
      tenon::testing::RunTwoAt<Op, T>(level, &b[at], 1, first.data(), 1, same.data(), 37);
      repeated.assign(b.begin() + static_cast<std::ptrdiff_t>(at), b.begin() + static_cast<std::ptrdiff_t>(at) + 37);
      tenon::testing::RunTwoAt<Op, T>(level, repeated.data(), 1, &a[at], 0, repeated.data(), 37);
      CHECK(std::memcmp(repeated.data(), same.data(), 37 * sizeof(T)) == 0);
    }
  }
}

TEST_SUITE("lane_math_inverse") {
  TEST_CASE("float, every pattern of a sample") {
    CHECK(FloatsAreWithin<Atan>(2));
    CHECK(FloatsAreWithin<Acosh>(2));
    CHECK(FloatsAreWithin<RoundToEven>(0));
#if !TENON_TEST_ASAN && !TENON_TEST_TSAN
    CHECK(FloatsAreWithin<Asin>(2));
    CHECK(FloatsAreWithin<Acos>(2));
    CHECK(FloatsAreWithin<Atanh>(2));
    CHECK(FloatsAreWithin<Asinh>(2));
#endif
  }
  TEST_CASE("double, random numbers and the special ones") {
    const std::vector<double> x = DoublesBelowTwo();
    CHECK(DoublesAreWithin<Atan>(2, x));
    CHECK(DoublesAreWithin<Acosh>(2, x));
    CHECK(DoublesAreWithin<RoundToEven>(0, x));
#if !TENON_TEST_ASAN && !TENON_TEST_TSAN
    CHECK(DoublesAreWithin<Asin>(2, x));
    CHECK(DoublesAreWithin<Acos>(2, x));
    CHECK(DoublesAreWithin<Atanh>(2, x));
    CHECK(DoublesAreWithin<Asinh>(2, x));
#endif
  }
  TEST_CASE_TEMPLATE("two operands", T, float, double) {
    using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;
    CheckPairs<Atan2, T>(2, [](Wide y, Wide x) { return std::atan2(y, x); });
#if !TENON_TEST_ASAN && !TENON_TEST_TSAN
    CheckPairs<Xlogy, T>(3, [](Wide x, Wide y) { return x == 0 ? x : x * std::log(y); });
    CheckPairs<Xlog1py, T>(3, [](Wide x, Wide y) { return x == 0 ? x : x * std::log1p(y); });
#endif
  }
}

#endif

}  // namespace
}  // namespace lane_math_inverse_test
