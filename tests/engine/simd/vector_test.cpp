// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/simd/vector.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "engine/run_at.hpp"

namespace lanes_test {
using namespace tenon;
namespace {

#if TENON_DETAIL_LANES

using simd::Level;
using tenon::testing::RunAt;

// Each operation in a lane of its own kind, stored as numbers.
template <class T>
struct Operations {
  template <class L>
  TENON_HD static L lanes(const L& x) {
    using Int = typename L::Int;
    const L zero(T(0)), two(T(2));
    L y = simd::Select(x < zero, -x * two, x / two);      // -1 -> 2, 4 -> 2
    y = simd::Select(x == two, L(T(-7)), y);              // 2 -> -7
    y = simd::Select(x > L(T(100)), simd::Sqrt(x), y);    // 144 -> 12
    const typename L::Ints sign = L(T(-0.0)).Bits();
    y = L::FromBits(simd::Select(x == L(T(5)), y, -y).Bits() ^ (sign & ~typename L::Ints(Int(0))));  // 5 -> -y
    return y - (y - y);
  }
  static T Wanted(T x) {
    T y = x < 0 ? -x * 2 : x / 2;
    if (x == 2) y = -7;
    if (x > 100) y = std::sqrt(x);
    return x == 5 ? -y : y;
  }
};

// The sums of four vectors, alone and together.
struct FoldBody {
  template <int bytes, class T>
  TENON_HD static void Run(const T* x, T* alone, T* together) {
    using L = simd::Lanes<T, bytes>;
    L four[4];
    for (int i = 0; i < 4; ++i) four[i] = L::Load(x + i * L::size);
    simd::Lanes<T, 16> results[sizeof(T) / 4];
    simd::FoldFour<simd::AddLanes>(four, results);
    for (std::size_t i = 0; i < sizeof(T) / 4; ++i) results[i].Store(together + i * 16 / sizeof(T));
    for (int i = 0; i < 4; ++i) alone[i] = simd::Fold<simd::AddLanes>(four[i]);
  }
};

TEST_SUITE("Lanes") {
  TEST_CASE_TEMPLATE("four vectors fold to what each of them does", T, float, double) {
    std::vector<T> x(64);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = T(1) / static_cast<T>(i + 3);
    T alone[4], together[4];
    simd::detail::ForLevels<FoldBody, simd::Compiled, const T*, T*, T*>::Best()(x.data(), alone, together);
    for (int i = 0; i < 4; ++i) CHECK(alone[i] == together[i]);
    CHECK(alone[0] > alone[1]);
    CHECK(alone[2] > alone[3]);
  }
  TEST_CASE_TEMPLATE("operations are those of numbers, lane by lane", T, float, double) {
    const std::vector<T> x = {-1, 4, 2, 144, 5, 0, -3.5, 1e6, 101, 100, 2.5, -0.25, 7, 8, 9, 10, 11};
    for (const Level level : {Level::kUnit, Level::kAvx2, Level::kAvx512}) {
      std::vector<T> y(x.size());
      if (!RunAt<Operations<T>, T>(level, x.data(), y.data(), static_cast<Index>(x.size()))) continue;
      for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == Operations<T>::Wanted(x[i]));
    }
  }
  TEST_CASE("polynomials, any of a mask, integers") {
    using L = simd::Lanes<float, 16>;
    constexpr float coefficients[] = {1, 2, 3};
    float y[4];
    simd::Polynomial(L(2.f), coefficients).Store(y);
    CHECK(y[3] == 17);
    const float mixed[] = {1, -1, 1, 1};
    CHECK(simd::AnyOf(L::Load(mixed) < L(0.f)));
    CHECK_FALSE(simd::AnyOf(L::Load(mixed) < L(-1.f)));
    using Ints = L::Ints;
    const Ints n =
        ((Ints(12) - Ints(2)) << 1 >> 2) + (Ints(6) & Ints(3)) - (Ints(1) | Ints(2)) + -Ints(4);  // 5 + 2 - 3 - 4
    CHECK_FALSE(simd::AnyOf(n));
    CHECK(simd::AnyOf((Ints(-8) >> 2) ^ Ints(1)));
    CHECK_FALSE(simd::AnyOf(~((Ints(-8) >> 3))));
  }
}

#endif

}  // namespace
}  // namespace lanes_test
