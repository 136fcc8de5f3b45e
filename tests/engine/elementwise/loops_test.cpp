// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/elementwise/loops.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "engine/small_ops.hpp"
#include "engine/support.hpp"

namespace elementwise_loops_test {
using namespace small_ops;
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

struct ScaledSumOp {
  struct Attrs {
    float factor;
  };
  template <class T>
  TENON_HD static T map(T x, T y, const Attrs& attrs) {
    return x + y * attrs.factor;
  }
};
struct ToIntOp {
  template <class T>
  TENON_HD static std::int8_t map(T x) {
    return static_cast<std::int8_t>(x);
  }
};

}  // namespace

TEST_SUITE("elementwise_loops") {
  TEST_CASE_TEMPLATE("loops of any length write their run and nothing else", T, float, double, std::int16_t, half) {
    constexpr const BinaryLoops& loops = kBinaryLoops<SubOp, T>;
    const std::vector<T> a = RandomVector<T>(300, 1), b = RandomVector<T>(300, 2);
    for (std::size_t n = 0; n < 280; n = n < 20 ? n + 1 : n + 13) {
      const auto is_right = [&](BinaryLoops::Loop loop, std::size_t step_a, std::size_t step_b) {
        std::vector<T> out(301, T(77));
        loop(nullptr, a.data() + 3, b.data() + 5, out.data() + 1, static_cast<Index>(n));
        bool right = out[0] == T(77) && out[n + 1] == T(77);
        for (std::size_t i = 0; i < n; ++i)
          right = right && out[i + 1] == SubOp::map(a[3 + i * step_a], b[5 + i * step_b]);
        return right;
      };
      CHECK(is_right(loops.vv, 1, 1));
      if (loops.sv != nullptr) CHECK(is_right(loops.sv, 0, 1));
      if (loops.vs != nullptr) CHECK(is_right(loops.vs, 1, 0));
    }
  }

  TEST_CASE("rows in one loop are what they are one by one") {
    constexpr const BinaryLoops& loops = kBinaryLoops<SubOp, float>;
    CHECK_UNARY(kBinaryLoops<SubOp, double>.rows_vv == nullptr);
    CHECK_UNARY(kBinaryLoops<SubOp, std::int32_t>.rows_vs == nullptr);
    const std::vector<float> a = RandomVector<float>(600, 1), b = RandomVector<float>(600, 2);
    constexpr Index kBytes = sizeof(float);
    for (Index n = 0; n < 70; n = n < 20 ? n + 1 : n + 7) {
      const auto is_right = [&](BinaryLoops::Rows loop, Index step_a, Index step_b, Index element_b) {
        const Index rows = n % 4 + 1;
        std::vector<float> out(static_cast<std::size_t>(n * rows) + 1, 77.f);
        loop(nullptr, a.data(), step_a * kBytes, b.data(), step_b * kBytes, out.data(), n, rows);
        bool right = out.back() == 77.f;
        for (Index r = 0; r < rows; ++r)
          for (Index i = 0; i < n; ++i)
            right = right && out[static_cast<std::size_t>(r * n + i)] ==
                                 a[static_cast<std::size_t>(r * step_a + i)] -
                                     b[static_cast<std::size_t>(r * step_b + i * element_b)];
        return right;
      };
      CHECK(is_right(loops.rows_vv, n + 3, 0, 1));
      CHECK(is_right(loops.rows_vv, 0, n + 1, 1));
      CHECK(is_right(loops.rows_vs, n, 1, 0));
    }
  }

  TEST_CASE("elements that cannot be copied as bytes, and float and double, have loops for a repeated operand") {
    CHECK_UNARY(kBinaryLoops<SubOp, float>.sv != nullptr);
    CHECK_UNARY(kBinaryLoops<SubOp, double>.vs != nullptr);
    CHECK_UNARY(kBinaryLoops<SubOp, std::int32_t>.vs == nullptr);
    CHECK_UNARY(kBinaryLoops<SubOp, complex64>.sv == nullptr);
  }

  TEST_CASE("sizes and costs are the types' and the op's") {
    CHECK(kBinaryLoops<LessOp, double>.in_bytes == 8);
    CHECK(kBinaryLoops<LessOp, double>.out_bytes == 1);
    CHECK(kUnaryLoop<ToIntOp, float>.out_bytes == 1);
    CHECK(kUnaryLoop<ExpOp, double>.cost_ns > kUnaryLoop<ToIntOp, double>.cost_ns);
    CHECK(kBinaryLoops<SubOp, double>.cost_ns == 2 * kBinaryLoops<SubOp, float>.cost_ns);
  }

  TEST_CASE("maps may take attrs and may change the type") {
    const std::vector<float> x = {1, -2, 3.5f};
    std::vector<float> out(3);
    const ScaleOp::Attrs attrs{2};
    kUnaryLoop<ScaleOp, float>.v(&attrs, x.data(), out.data(), 3);
    CHECK(out == std::vector<float>{2, -4, 7});
    const ScaledSumOp::Attrs binary_attrs{10};
    kBinaryLoops<ScaledSumOp, float>.vv(&binary_attrs, x.data(), x.data(), out.data(), 3);
    CHECK(out == std::vector<float>{11, -22, 38.5f});
    std::vector<std::int8_t> small(3);
    kUnaryLoop<ToIntOp, float>.v(nullptr, x.data(), small.data(), 3);
    CHECK(small == std::vector<std::int8_t>{1, -2, 3});
  }

  TEST_CASE("an element's value does not depend on its place") {
    for (const std::size_t n : {1u, 5u, 16u, 31u, 77u}) {
      const std::vector<float> x(n, 1.2345678f);
      std::vector<float> out(n);
      kUnaryLoop<ExpOp, float>.v(nullptr, x.data(), out.data(), static_cast<Index>(n));
      for (const float y : out) CHECK(y == out[0]);
    }
  }
}
}  // namespace elementwise_loops_test
