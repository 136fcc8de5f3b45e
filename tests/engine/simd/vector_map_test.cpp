// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/simd/vector_map.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "engine/run_at.hpp"

namespace lane_maps_test {
using namespace tenon;
namespace {

#if TENON_DETAIL_LANES

using simd::Level;
using tenon::testing::RunAt;
using tenon::testing::RunTwoAt;

struct HalveAndAddOne {
  template <class L>
  TENON_HD static L lanes(const L& x) {
    using T = typename L::value_type;
    return simd::Fma(x, L(T(0.5)), L(T(1)));
  }
};

struct TwiceTheFirstLessTheSecond {
  template <class L>
  TENON_HD static L lanes(const L& a, const L& b) {
    return a + a - b;
  }
};

TEST_SUITE("lane maps") {
  TEST_CASE_TEMPLATE("a loop writes n elements and no other, wherever they lie, in place too", T, float, double) {
    for (const Level level : {Level::kUnit, Level::kAvx2, Level::kAvx512}) {
      for (Index n = 0; n <= 70; ++n) {
        for (const std::size_t offset : {std::size_t{0}, std::size_t{1}, std::size_t{3}}) {
          std::vector<T> x(offset + static_cast<std::size_t>(n) + 40), out(x.size(), T(-77));
          for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i) * T(0.25);
          if (!RunAt<HalveAndAddOne, T>(level, x.data() + offset, out.data() + offset, n)) continue;
          bool right = true;
          for (std::size_t i = 0; i < x.size(); ++i) {
            const bool inside = i >= offset && i < offset + static_cast<std::size_t>(n);
            right = right && out[i] == (inside ? x[i] / 2 + 1 : T(-77));
          }
          CHECK(right);
          std::vector<T> in_place = x;
          RunAt<HalveAndAddOne, T>(level, in_place.data() + offset, in_place.data() + offset, n);
          for (std::size_t i = 0; i < x.size(); ++i) {
            const bool inside = i >= offset && i < offset + static_cast<std::size_t>(n);
            right = right && in_place[i] == (inside ? x[i] / 2 + 1 : x[i]);
          }
          CHECK(right);
        }
      }
    }
  }
  TEST_CASE_TEMPLATE("of two operands, either may be one element for all, and either the output", T, float, double) {
    for (const Level level : {Level::kUnit, Level::kAvx2, Level::kAvx512}) {
      for (Index n = 0; n <= 70; ++n) {
        for (const Index step_a : {Index{0}, Index{1}}) {
          for (const Index step_b : {Index{0}, Index{1}}) {
            std::vector<T> a(static_cast<std::size_t>(n) + 1), b(a.size()), out(a.size() + 40, T(-77));
            for (std::size_t i = 0; i < a.size(); ++i) {
              a[i] = static_cast<T>(i + 3);
              b[i] = static_cast<T>(i) * T(0.25);
            }
            const auto wanted = [&](Index i) { return 2 * T(3 + step_a * i) - T(0.25) * static_cast<T>(step_b * i); };
            if (!RunTwoAt<TwiceTheFirstLessTheSecond, T>(level, a.data(), step_a, b.data(), step_b, out.data(), n))
              continue;
            bool right = true;
            for (std::size_t i = 0; i < out.size(); ++i) {
              const auto place = static_cast<Index>(i);
              right = right && out[i] == (place < n ? wanted(place) : T(-77));
            }
            if (step_a == 1) {
              RunTwoAt<TwiceTheFirstLessTheSecond, T>(level, a.data(), 1, b.data(), step_b, a.data(), n);
              for (Index i = 0; i < n; ++i) right = right && a[static_cast<std::size_t>(i)] == wanted(i);
            }
            CHECK(right);
          }
        }
      }
    }
  }
  TEST_CASE("the best level is one of those") {
    const std::vector<float> x = {1, 2, 3};
    std::vector<float> y(3);
    simd::RunLanes<HalveAndAddOne>(x.data(), y.data(), 3);
    CHECK(y == std::vector<float>{1.5f, 2, 2.5f});
  }
  TEST_CASE("of two operands too") {
    const float a[] = {1, 2, 3}, b = 1;
    float y[3];
    simd::RunLanes<TwiceTheFirstLessTheSecond>(a, 1, &b, 0, y, 3);
    CHECK(y[0] == 1);
    CHECK(y[1] == 3);
    CHECK(y[2] == 5);
  }
}

#endif

}  // namespace
}  // namespace lane_maps_test
