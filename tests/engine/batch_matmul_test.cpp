// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <vector>

#include <tenon/device/thread_pool.hpp>
#include <tenon/engine/batch_matmul.hpp>

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
  TEST_CASE("every product is that of its two matrices, alone and with threads") {
    // x: [4, 1, m, k], y: [3, k, n] -> [4, 3, m, n]
    ThreadPool pool(3, "test");
    constexpr Index m = 2, k = 5, n = 3;
    std::vector<float> x, y;
    for (Index i = 0; i < 4 * m * k; ++i) x.push_back(static_cast<float>(i % 7 - 3));
    for (Index i = 0; i < 3 * k * n; ++i) y.push_back(static_cast<float>(i % 5 - 2));
    for (Cpu device : {Cpu{}, Cpu{.pool = &pool}}) {
      for (const bool transposed : {false, true}) {
        BatchMatMulPlan plan;
        plan.m = m;
        plan.k = k;
        plan.n = n;
        plan.transpose_y = transposed;
        REQUIRE((plan.Add(4, 1) && plan.Add(1, 3)));
        std::vector<float> out(4 * 3 * m * n);
        REQUIRE(BatchMatMul(device, DataType::kFloat, plan, x.data(), y.data(), out.data()).ok());
        for (Index a = 0; a < 4; ++a)
          for (Index b = 0; b < 3; ++b)
            for (Index i = 0; i < m; ++i)
              for (Index j = 0; j < n; ++j) {
                float sum = 0;
                for (Index p = 0; p < k; ++p)
                  sum += x[static_cast<std::size_t>((a * m + i) * k + p)] *
                         y[static_cast<std::size_t>(b * k * n + (transposed ? j * k + p : p * n + j))];
                CHECK(out[static_cast<std::size_t>(((a * 3 + b) * m + i) * n + j)] == sum);
              }
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
