// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/small.hpp>

#include <doctest/doctest.h>

#include "engine/gemm_support.hpp"
#include "engine/support.hpp"

namespace gemm_small_test {
using namespace tenon;

TEST_SUITE("RunSmallProduct") {
  TEST_CASE_TEMPLATE("all remainders of rows and columns", T, float, double) {
    for (const auto& [name, kernels] : testing::AllGemmKernels<T>()) {
      CAPTURE(name);
      const auto is_right = [&k = *kernels](Index m, Index n, Index depth) {
        return testing::ProductsAreRight<T>(m, n, depth, [&](Cpu&, const detail::GemmArgs<T>& g) {
          const detail::GemmArgs<void> plain{g.m, g.n, g.k, g.a, g.a_row, g.a_col, g.b, g.b_row, g.b_col, g.c, g.c_row};
          CHECK(detail::IsSmallProduct(k, plain));
          detail::RunSmallProduct(k, plain);
          return OkStatus();
        });
      };
      for (Index m = 4; m <= 31; ++m) {
        CAPTURE(m);
        CHECK(is_right(m, kernels->lanes + m * 7 % 50, 5));
      }
      for (Index n = kernels->lanes; n <= 130; n += n < 40 ? 1 : 7) {
        CAPTURE(n);
        CHECK(is_right(4 + n % 13, n, 3));
        CHECK(is_right(17, n, 1));
      }
    }
  }

  TEST_CASE("products with too few rows or columns, or a large operand, are not small") {
    const detail::GemmKernels& kernels = detail::kGemmKernels<float, simd::isa::Avx512>;
    const float data[1] = {};
    float c[1];
    const auto is_small = [&](Index m, Index n, Index k) {
      return detail::IsSmallProduct(kernels, {m, n, k, data, k, 1, data, n, 1, c, n});
    };
    CHECK(is_small(4, 16, 256));
    CHECK(is_small(127, 64, 64));
    CHECK(!is_small(3, 16, 16));
    CHECK(!is_small(4, 15, 16));
    CHECK(!is_small(4, 16, 257));
    CHECK(!is_small(128, 16, 16));
  }
}
}  // namespace gemm_small_test
