// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <vector>

#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/gemm/batched.hpp>

#include <doctest/doctest.h>

namespace batch_matmul_test {
using namespace tenon;

TEST_SUITE("BatchMatMul") {
  TEST_CASE("sizes that do not fit are refused") {
    BatchMatMulPlan plan;
    CHECK(plan.Add(2, 2));
    CHECK(plan.Add(1, 3));
    CHECK_FALSE(plan.Add(2, 3));
    CHECK(plan.batches == 6);
    CHECK(plan.x_batches == 2);
    CHECK(plan.y_batches == 6);
  }
  TEST_CASE_TEMPLATE("every product is that of its two matrices, alone and with threads", T, float, double,
                     std::int32_t) {
    // x: [4, 1, m, k], y: [3, k, n] -> [4, 3, m, n]. Of few columns, of small tiles, thin, and larger.
    struct Sizes {
      Index m, k, n;
    };
    ThreadPool pool(3, "test");
    for (const auto [m, k, n] : {Sizes{2, 5, 3},
                                 {1, 1, 1},
                                 {4, 4, 4},
                                 {3, 3, 2},
                                 {60, 4, 1},
                                 {8, 8, 8},
                                 {10, 10, 10},
                                 {13, 9, 17},
                                 {24, 24, 24},
                                 {2, 40, 9},
                                 {40, 70, 66}}) {
      std::vector<T> x, y;
      for (Index i = 0; i < 4 * m * k; ++i) x.push_back(static_cast<T>(i % 7 - 3));
      for (Index i = 0; i < 3 * k * n; ++i) y.push_back(static_cast<T>(i % 5 - 2));
      for (const int way : {0, 1, 2, 3, 4, 5, 6, 7}) {
        Cpu device{.pool = (way & 4) != 0 ? &pool : nullptr};
        BatchMatMulPlan plan;
        plan.m = m;
        plan.k = k;
        plan.n = n;
        plan.transpose_x = (way & 1) != 0;
        plan.transpose_y = (way & 2) != 0;
        REQUIRE((plan.Add(4, 1) && plan.Add(1, 3)));
        std::vector<T> out(static_cast<std::size_t>(4 * 3 * m * n), T(77));
        REQUIRE(BatchMatMul(device, dtype_of_v<T>, plan, x.data(), y.data(), out.data()).ok());
        Index wrong = 0;
        for (Index a = 0; a < 4; ++a)
          for (Index b = 0; b < 3; ++b)
            for (Index i = 0; i < m; ++i)
              for (Index j = 0; j < n; ++j) {
                T sum = 0;
                for (Index p = 0; p < k; ++p)
                  sum += x[static_cast<std::size_t>(a * m * k + (plan.transpose_x ? p * m + i : i * k + p))] *
                         y[static_cast<std::size_t>(b * k * n + (plan.transpose_y ? j * k + p : p * n + j))];
                wrong += out[static_cast<std::size_t>(((a * 3 + b) * m + i) * n + j)] != sum;
              }
        CAPTURE(m);
        CAPTURE(way);
        CHECK(wrong == 0);
      }
    }
  }
  TEST_CASE("adjoint operands are conjugated; other types are refused") {
    Cpu device;
    const complex64 x(1, 2), y(3, -1);
    complex64 out;
    BatchMatMulPlan plan;
    plan.transpose_x = plan.conjugate_x = true;
    REQUIRE(BatchMatMul(device, DataType::kComplex64, plan, &x, &y, &out).ok());
    CHECK(out == std::conj(x) * y);
    CHECK(BatchMatMul(device, DataType::kString, plan, &x, &y, &out).code() == Code::kInternal);
  }
}
}  // namespace batch_matmul_test
