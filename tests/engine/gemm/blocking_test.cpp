// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/blocking.hpp>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/gemm_support.hpp"
#include "engine/support.hpp"

namespace gemm_blocks_test {
using namespace tenon;

namespace {

template <class T>
bool BlocksAreRight(const detail::GemmKernels& kernels, Index m, Index n, Index k) {
  return testing::ProductsAreRight<T>(m, n, k, [&](Cpu& device, const detail::GemmArgs<T>& g) {
    return detail::RunGemmBlocks(device, kernels,
                                 {g.m, g.n, g.k, g.a, g.a_row, g.a_col, g.b, g.b_row, g.b_col, g.c, g.c_row}, 1e9);
  });
}

}  // namespace

TEST_SUITE("GemmBlocks") {
  TEST_CASE_TEMPLATE("all remainders of rows and columns", T, float, double) {
    for (const auto& [name, kernels] : testing::AllGemmKernels<T>()) {
      CAPTURE(name);
      for (Index m = 4; m <= 31; ++m) {
        CAPTURE(m);
        CHECK(BlocksAreRight<T>(*kernels, m, 1 + m * 7 % 70, 5));
      }
      for (Index n = 1; n <= 130; n += n < 40 ? 1 : 7) {
        CAPTURE(n);
        CHECK(BlocksAreRight<T>(*kernels, 4 + n % 13, n, 3));
      }
    }
  }

  TEST_CASE_TEMPLATE("several blocks of k and of rows, copied operands", T, float, double) {
    struct Sizes {
      Index m, n, k;
    };
    for (const auto& [name, kernels] : testing::AllGemmKernels<T>()) {
      CAPTURE(name);
      for (const auto& [m, n, k] : {Sizes{13, 67, 1543}, Sizes{130, 70, 1031}, Sizes{401, 37, 512}, Sizes{5, 300, 800},
                                    Sizes{97, 101, 103}, Sizes{4, 1, 2000}}) {
        CAPTURE(m);
        CHECK(BlocksAreRight<T>(*kernels, m, n, k));
      }
    }
  }

  TEST_CASE_TEMPLATE("panels that are kept for several blocks of rows, in small caches", T, float, double) {
    constexpr detail::CacheSizes kSmall{.first = 4096, .second = 16 * 1024, .last = 128 * 1024};
    for (const auto& [name, kernels] : testing::AllGemmKernels<T>()) {
      CAPTURE(name);
      const detail::GemmKernels& tiles = *kernels;
      for (Index n = 1; n <= 300; n += 13) {
        CAPTURE(n);
        const bool is_right =
            testing::ProductsAreRight<T>(50 + n % 9, n, n % 5 == 0 ? 230 : 40, [&](Cpu&, const detail::GemmArgs<T>& g) {
              const detail::GemmBlocks blocks(
                  tiles, {g.m, g.n, g.k, g.a, g.a_row, g.a_col, g.b, g.b_row, g.b_col, g.c, g.c_row}, kSmall);
              const auto split = blocks.SplitFor(n % 2 + 1);
              std::vector<char> scratch(blocks.scratch_bytes(split) + 64);
              for (Index part = 0; part < split.by_rows * split.by_columns; ++part)
                blocks.RunPart(split, part, scratch.data());
              return OkStatus();
            });
        CHECK(is_right);
      }
    }
  }

  TEST_CASE("rows a page apart are copied") {
    for (const auto& [name, kernels] : testing::AllGemmKernels<float>()) {
      CAPTURE(name);
      CHECK(BlocksAreRight<float>(*kernels, 70, 270, 2048));
    }
  }

  TEST_CASE("what a tile is filled up with does not reach the product") {
    // Infinity by the zeros behind the last column would be NaN.
    constexpr Index kRows = 7, kColumns = 3, kDepth = 9;
    for (const auto& [name, kernels] : testing::AllGemmKernels<float>()) {
      CAPTURE(name);
      const std::vector<float> a(kRows * kDepth, std::numeric_limits<float>::infinity()), b(kDepth * kColumns, 1.f);
      std::vector<float> c(kRows * kColumns);
      Cpu device;
      REQUIRE(detail::RunGemmBlocks(
                  device, *kernels,
                  {kRows, kColumns, kDepth, a.data(), kDepth, 1, b.data(), kColumns, 1, c.data(), kColumns}, 0)
                  .ok());
      CHECK(c == std::vector<float>(c.size(), std::numeric_limits<float>::infinity()));
    }
  }

  TEST_CASE("a split has no more parts than asked for, and no empty ones") {
    const auto& kernels = detail::kGemmKernels<float, simd::isa::Scalar>;
    const float data[1] = {};
    float c[1];
    for (const Index m : {4, 13, 100, 5000}) {
      for (const Index n : {1, 50, 3000}) {
        const detail::GemmBlocks blocks(kernels, {m, n, 64, data, 64, 1, data, n, 1, c, n});
        for (const Index parts : {1, 2, 3, 7, 16, 64}) {
          const auto split = blocks.SplitFor(parts);
          CHECK(split.by_rows * split.by_columns <= parts);
          CHECK((split.by_rows == 1 || m / split.by_rows >= 12));
          CHECK(split.by_columns <= (n + 7) / 8);
        }
      }
    }
  }

  TEST_CASE("PackedPlace finds what PackB packs; Move takes other matrices") {
    for (const auto& [name, kernels] : testing::AllGemmKernels<float>()) {
      CAPTURE(name);
      for (const auto& [n, k] :
           std::vector<std::pair<Index, Index>>{{7, 5}, {64, 64}, {72, 30}, {95, 1500}, {16, 900}}) {
        CAPTURE(n);
        CAPTURE(k);
        std::vector<float> b(static_cast<std::size_t>(k * n)), other(b.size()), a(static_cast<std::size_t>(5 * k)),
            more(a.size());
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i), other[i] = static_cast<float>(i % 9);
        for (std::size_t i = 0; i < a.size(); ++i)
          a[i] = static_cast<float>(i % 5), more[i] = static_cast<float>(i % 3);
        std::vector<float> c(static_cast<std::size_t>(5 * n)), moved(c.size()), want(c.size());
        detail::GemmBlocks blocks(*kernels, {5, n, k, a.data(), k, 1, b.data(), n, 1, c.data(), n});
        const std::size_t floats = blocks.packed_bytes() / sizeof(float) + 16;
        std::vector<float> packed(floats), packed_other(floats);
        blocks.PackB(reinterpret_cast<char*>(packed.data()));
        for (Index j = 0, columns = 0; j < n; j += columns) {
          columns = kernels->ColumnsOfTile(n - j);
          for (Index p = 0; p < k; ++p) {
            const auto at = static_cast<std::size_t>(blocks.PackedPlace(p, j)) / sizeof(float);
            for (Index i = 0; i < columns; ++i)
              if (packed[at + static_cast<std::size_t>(i)] != b[static_cast<std::size_t>(p * n + j + i)]) FAIL(p);
          }
        }
        detail::GemmBlocks plain(*kernels, {5, n, k, more.data(), k, 1, other.data(), n, 1, want.data(), n});
        plain.PackB(reinterpret_cast<char*>(packed_other.data()));
        std::vector<char> scratch(plain.scratch_bytes({}) + 64);
        plain.RunPart({}, 0, scratch.data());
        blocks.Move(more.data(), reinterpret_cast<const char*>(packed_other.data()), moved.data());
        scratch.resize(blocks.scratch_bytes({}) + 64);
        blocks.RunPart({}, 0, scratch.data());
        CHECK(moved == want);
      }
    }
  }

  TEST_CASE("any split gives the same product, of packed columns too") {
    constexpr Index kRows = 26, kDepth = 5;
    for (const auto& [name, kernels] : testing::AllGemmKernels<float>()) {
      CAPTURE(name);
      for (Index n = 1; n <= 200; ++n) {
        CAPTURE(n);
        const detail::GemmKernels& tiles = *kernels;
        std::vector<float> a(kRows * kDepth), b(static_cast<std::size_t>(kDepth * n));
        for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 7) - 3;
        for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 11) - 5;
        const auto product = [&](const detail::GemmBlocks::Split& split, bool packs) {
          std::vector<float> c(static_cast<std::size_t>(kRows * n));
          detail::GemmBlocks blocks(tiles, {kRows, n, kDepth, a.data(), kDepth, 1, b.data(), n, 1, c.data(), n});
          std::vector<char> packed(blocks.packed_bytes() + 64), scratch(blocks.scratch_bytes(split) + 64);
          if (packs) {
            blocks.PackB(packed.data());
            blocks.set_packed_b(packed.data());
          }
          for (Index part = 0; part < split.by_rows * split.by_columns; ++part)
            blocks.RunPart(split, part, scratch.data());
          return c;
        };
        const std::vector<float> whole = product({}, false);
        for (const bool packs : {false, true}) {
          for (const Index columns : {1, 2, 3, 4}) {
            CHECK(product({1, columns}, packs) == whole);
            CHECK(product({2, columns}, packs) == whole);
          }
        }
      }
    }
  }

  TEST_CASE("of two parts neither has more than two thirds of the product") {
    constexpr Index kRows = 48;
    for (const auto& [name, kernels] : testing::AllGemmKernels<float>()) {
      CAPTURE(name);
      for (Index n = 1; n <= 200; ++n) {
        CAPTURE(n);
        const std::vector<float> a(kRows, 1.f), b(static_cast<std::size_t>(n), 1.f);
        std::vector<float> c(static_cast<std::size_t>(kRows * n));
        const detail::GemmBlocks blocks(*kernels, {kRows, n, 1, a.data(), 1, 1, b.data(), n, 1, c.data(), n});
        const auto split = blocks.SplitFor(2);
        std::vector<char> scratch(blocks.scratch_bytes(split) + 64);
        REQUIRE(split.by_rows * split.by_columns == 2);
        blocks.RunPart(split, 0, scratch.data());
        const auto done = std::count(c.begin(), c.end(), 1.f);
        CHECK(done * 3 >= kRows * n);
        CHECK(done * 3 <= kRows * n * 2);
      }
    }
  }

  TEST_CASE("caches have sizes") {
    CHECK(detail::Caches().first >= 4096);
    CHECK(detail::Caches().second > detail::Caches().first);
  }
}
}  // namespace gemm_blocks_test
