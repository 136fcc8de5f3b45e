// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/bfloat16.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/amx_support.hpp"
#include "engine/support.hpp"

namespace gemm_bfloat16_test {
using namespace tenon;

namespace {

enum class Way { kVectors, kTiles };

std::vector<Way> AllWays() {
  std::vector<Way> ways;
  if (detail::FindBfloat16Kernels() != nullptr) ways.push_back(Way::kVectors);
  if (testing::HasAmxToTest()) ways.push_back(Way::kTiles);
  return ways;
}
Status Multiply(Cpu& device, Way way, const detail::GemmArgs<bfloat16>& g,
                [[maybe_unused]] PackedWeights* weights = nullptr) {
#if TENON_DETAIL_AMX
  if (way == Way::kTiles) return detail::RunAmxBfloat16(device, g, weights);
#endif
  static_cast<void>(way);
  return detail::RunGemmBfloat16(device, *detail::FindBfloat16Kernels(), g);
}

// Against double: one rounding to bfloat16, and k to float.
bool ProductIsRight(Cpu device, Way way, Index m, Index n, Index k, bool transpose_a = false,
                    bool transpose_b = false) {
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
  if (!Multiply(device, way, g).ok()) return false;
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
    for (const Way way : AllWays()) {
      for (Index i = 1; i <= 70; ++i) {
        CAPTURE(i);
        CHECK(ProductIsRight({}, way, i, 1 + i * 7 % 70, 1 + i * 5 % 13));
        CHECK(ProductIsRight({}, way, 1 + i % 14, i, 9));
        CHECK(ProductIsRight({}, way, 7, 5, i));
        CHECK(ProductIsRight({}, way, 33, 17, i));
      }
    }
  }

  TEST_CASE("transposed operands, several blocks of k, several threads") {
    ThreadPool pool(3, "test");
    for (const Way way : AllWays()) {
      for (const bool transpose_a : {false, true}) {
        for (const bool transpose_b : {false, true}) {
          CHECK(ProductIsRight({}, way, 20, 70, 400, transpose_a, transpose_b));
          CHECK(ProductIsRight({}, way, 50, 300, 2100, transpose_a, transpose_b));
          CHECK(ProductIsRight({}, way, 1, 40, 3333, transpose_a, transpose_b));
          CHECK(ProductIsRight({.pool = &pool}, way, 301, 77, 300, transpose_a, transpose_b));
          CHECK(ProductIsRight({.pool = &pool}, way, 33, 700, 300, transpose_a, transpose_b));
          CHECK(ProductIsRight({.pool = &pool}, way, 70, 300, 1100, transpose_a, transpose_b));
        }
      }
      CHECK(ProductIsRight({}, way, 64, 600, 512));  // rows that are copied for their distance
      CHECK(ProductIsRight({}, way, 300, 40, 4096));  // few rows fit the cache
    }
  }

  TEST_CASE("the bits do not depend on the number of threads") {
    ThreadPool pool(3, "test");
    const std::vector<bfloat16> a = testing::RandomVector<bfloat16>(100 * 1500, 1),
                                b = testing::RandomVector<bfloat16>(1500 * 130, 2);
    for (const Way way : AllWays()) {
      std::vector<bfloat16> one(100 * 130), many(one.size());
      Cpu alone, device{.pool = &pool};
      REQUIRE(Multiply(alone, way, {100, 130, 1500, a.data(), 1500, 1, b.data(), 130, 1, one.data(), 130}).ok());
      REQUIRE(Multiply(device, way, {100, 130, 1500, a.data(), 1500, 1, b.data(), 130, 1, many.data(), 130}).ok());
      bool same = true;
      for (std::size_t i = 0; i < one.size(); ++i) same = same && one[i].bits == many[i].bits;
      CHECK(same);
    }
  }

  TEST_CASE("infinity and NaN reach their own row and column; what fills a tile reaches nothing") {
    for (const Way way : AllWays()) {
      std::vector<bfloat16> a(7 * 3, bfloat16(INFINITY)), b(3 * 5, bfloat16(1.f));
      std::vector<bfloat16> c(35);
      Cpu device;
      const detail::GemmArgs<bfloat16> g{7, 5, 3, a.data(), 3, 1, b.data(), 5, 1, c.data(), 5};
      REQUIRE(Multiply(device, way, g).ok());
      for (const bfloat16 x : c) CHECK(testing::ToDouble(x) == INFINITY);
      a.assign(a.size(), bfloat16(1.f));
      a[4] = bfloat16(NAN);
      b[2] = bfloat16(-INFINITY);
      REQUIRE(Multiply(device, way, g).ok());
      for (std::size_t i = 0; i < c.size(); ++i) {
        if (i / 5 == 1)
          CHECK(std::isnan(testing::ToDouble(c[i])));
        else
          CHECK(testing::ToDouble(c[i]) == (i % 5 == 2 ? -INFINITY : 3));
      }
    }
  }

  TEST_CASE("sums are rounded once, to the nearest and to even, and may become infinite") {
    for (const Way way : AllWays()) {
      // 1 + x is halfway to the next number, or beyond that by y.
      const std::vector<bfloat16> a(3, bfloat16(1.f));
      std::vector<bfloat16> b(3 * 4, bfloat16(0.f)), c(4);
      const float columns[4][3] = {
          {1, 0x1p-8f, 0}, {1, 0x1p-8f, 0x1p-20f}, {1 + 0x1p-7f, 0x1p-8f, 0}, {3e38f, 3e38f, 0}};
      for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t p = 0; p < 3; ++p) b[p * 4 + j] = bfloat16(columns[j][p]);
      Cpu device;
      REQUIRE(Multiply(device, way, {1, 4, 3, a.data(), 3, 1, b.data(), 4, 1, c.data(), 4}).ok());
      CHECK(testing::ToDouble(c[0]) == 1);
      CHECK(testing::ToDouble(c[1]) == 1 + 0x1p-7);
      CHECK(testing::ToDouble(c[2]) == 1 + 0x1p-6);
      CHECK(testing::ToDouble(c[3]) == INFINITY);
    }
  }

  TEST_CASE("says so when there is no memory") {
    for (const Way way : AllWays()) {
      const std::vector<bfloat16> a(4, bfloat16(1.f));
      std::vector<bfloat16> c(4);
      TrackingAllocator allocator(CpuAllocator());
      Cpu device{.allocator = &allocator};
      const detail::GemmArgs<bfloat16> g{2, 2, 2, a.data(), 2, 1, a.data(), 2, 1, c.data(), 2};
      allocator.FailAllocations(1);
      CHECK(Multiply(device, way, g).code() == Code::kResourceExhausted);
      if (way == Way::kTiles) {
        allocator.FailAllocations(2);  // the copies of a thread
        CHECK(Multiply(device, way, g).code() == Code::kResourceExhausted);
      }
      CHECK(Multiply(device, way, g).ok());
      CHECK(allocator.bytes_in_use() == 0);
    }
  }

  TEST_CASE("weights are packed by tiles once, and give the same bits") {
    if (!testing::HasAmxToTest()) return;
    const std::vector<bfloat16> a = testing::RandomVector<bfloat16>(20 * 90, 1);
    Tensor b(CpuAllocator(), DataType::kBfloat16, {90, 50});
    testing::Numbers numbers(4);
    for (bfloat16& x : b.flat<bfloat16>()) x = bfloat16(numbers.Real(-1, 1));
    std::vector<bfloat16> plain(20 * 50), packed(plain.size());
    const auto* const data = static_cast<const bfloat16*>(b.raw_data());
    Cpu device;
    PackedWeights weights;
    weights.Offer(b, CpuAllocator());
    REQUIRE(Multiply(device, Way::kTiles, {20, 50, 90, a.data(), 90, 1, data, 50, 1, plain.data(), 50}).ok());
    CHECK(weights.bytes() == 0);
    for (int run = 0; run < 2; ++run) {
      REQUIRE(
          Multiply(device, Way::kTiles, {20, 50, 90, a.data(), 90, 1, data, 50, 1, packed.data(), 50}, &weights).ok());
      CHECK(weights.bytes() > 0);
      for (std::size_t i = 0; i < plain.size(); ++i) CHECK(plain[i].bits == packed[i].bits);
    }
  }
}
}  // namespace gemm_bfloat16_test
