// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/bfloat16.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace gemm_bfloat16_test {
using namespace tenon;

namespace {

// Against double: one rounding to bfloat16, and k to float.
bool ProductIsRight(Cpu device, Index m, Index n, Index k, bool transpose_a = false, bool transpose_b = false) {
  const detail::Bfloat16Kernels* const kernels = detail::FindBfloat16Kernels();
  if (kernels == nullptr) return true;
  const std::vector<bfloat16> a = testing::RandomVector<bfloat16>(m * k, 1),
                              b = testing::RandomVector<bfloat16>(k * n, 2);
  std::vector<bfloat16> c(static_cast<std::size_t>(m * n + 1), bfloat16(77.f));
  const detail::GemmArgs<bfloat16> g{m,
                                     n,
                                     k,
                                     a.data(),
                                     transpose_a ? 1 : k,
                                     transpose_a ? m : 1,
                                     b.data(),
                                     transpose_b ? 1 : n,
                                     transpose_b ? k : 1,
                                     c.data(),
                                     n};
  if (!detail::RunGemmBfloat16(device, *kernels, g).ok()) return false;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      double sum = 0, largest = 0;
      for (Index p = 0; p < k; ++p) {
        const double product = testing::ToDouble(a[static_cast<std::size_t>(i * g.a_row + p * g.a_col)]) *
                               testing::ToDouble(b[static_cast<std::size_t>(p * g.b_row + j * g.b_col)]);
        sum += product;
        largest += std::abs(product);
      }
      const double allowed = std::abs(sum) * 0x1p-8 + largest * 0x1p-24 * static_cast<double>(k);
      if (!(std::abs(testing::ToDouble(c[static_cast<std::size_t>(i * n + j)]) - sum) <= allowed)) return false;
    }
  }
  return testing::ToDouble(c.back()) == 77;
}

}  // namespace

TEST_SUITE("GemmBfloat16") {
  TEST_CASE("all remainders of rows, columns and depth") {
    for (Index i = 1; i <= 70; ++i) {
      CAPTURE(i);
      CHECK(ProductIsRight({}, i, 1 + i * 7 % 70, 1 + i * 5 % 13));
      CHECK(ProductIsRight({}, 1 + i % 14, i, 9));
      CHECK(ProductIsRight({}, 7, 5, i));
    }
  }

  TEST_CASE("transposed operands, several blocks of k, several threads") {
    ThreadPool pool(3, "test");
    for (const bool transpose_a : {false, true}) {
      for (const bool transpose_b : {false, true}) {
        CHECK(ProductIsRight({}, 20, 70, 400, transpose_a, transpose_b));
        CHECK(ProductIsRight({.pool = &pool}, 301, 77, 300, transpose_a, transpose_b));
        CHECK(ProductIsRight({.pool = &pool}, 33, 700, 300, transpose_a, transpose_b));
      }
    }
  }

  TEST_CASE("infinity and NaN reach their own row and column; what fills a tile reaches nothing") {
    const detail::Bfloat16Kernels* const kernels = detail::FindBfloat16Kernels();
    if (kernels == nullptr) return;
    const std::vector<bfloat16> a(7 * 3, bfloat16(INFINITY)), b(3 * 5, bfloat16(1.f));
    std::vector<bfloat16> c(35);
    Cpu device;
    REQUIRE(detail::RunGemmBfloat16(device, *kernels, {7, 5, 3, a.data(), 3, 1, b.data(), 5, 1, c.data(), 5}).ok());
    for (const bfloat16 x : c) CHECK(testing::ToDouble(x) == INFINITY);
  }

  TEST_CASE("says so when there is no memory") {
    const detail::Bfloat16Kernels* const kernels = detail::FindBfloat16Kernels();
    if (kernels == nullptr) return;
    const std::vector<bfloat16> a(4, bfloat16(1.f));
    std::vector<bfloat16> c(4);
    TrackingAllocator allocator(CpuAllocator());
    Cpu device{.allocator = &allocator};
    allocator.FailAllocations(1);
    const detail::GemmArgs<bfloat16> g{2, 2, 2, a.data(), 2, 1, a.data(), 2, 1, c.data(), 2};
    CHECK(detail::RunGemmBfloat16(device, *kernels, g).code() == Code::kResourceExhausted);
    CHECK(detail::RunGemmBfloat16(device, *kernels, g).ok());
    CHECK(allocator.bytes_in_use() == 0);
  }
}
}  // namespace gemm_bfloat16_test
