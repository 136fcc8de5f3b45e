// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/int8.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/amx_support.hpp"
#include "engine/int8_kernels.hpp"
#include "engine/support.hpp"

namespace gemm_int8_test {
using namespace tenon;

namespace {

struct Sizes {
  Index m, n, k;
};
struct Case {
  bool a_signed = false, b_signed = true, a_transposed = false, b_transposed = false;
  std::int32_t a_zero = 0, b_zero = 0;
  bool extremes = false;  // nothing but the largest and the smallest numbers
};

// Null stands for tiles.
std::vector<const detail::Int8Kernels*> AllKernels() {
  std::vector<const detail::Int8Kernels*> all = testing::AllInt8Kernels();
  if (testing::HasAmxToTest()) all.push_back(nullptr);
  return all;
}
Index ColumnsOf(const detail::Int8Kernels* kernels) { return kernels == nullptr ? 0 : kernels->columns; }
Status Multiply(Cpu& device, const detail::Int8Kernels* kernels, const Sizes& s, const Int8Matrix& a,
                const Int8Matrix& b, std::int32_t* c, Index c_row) {
#if TENON_DETAIL_AMX
  if (kernels == nullptr && s.m > 0 && s.n > 0 && s.k > 0)
    return detail::RunAmxInt8(device, s.m, s.n, s.k, a, b, c, c_row);
#endif
  return detail::RunGemmInt8(device, kernels == nullptr ? detail::Int8Plain::kKernels : *kernels, s.m, s.n, s.k, a, b,
                             c, c_row);
}

std::vector<unsigned char> Bytes(Index n, std::uint64_t seed, bool extremes) {
  testing::Numbers numbers(seed);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(n));
  for (unsigned char& byte : bytes) {
    const auto x = static_cast<unsigned char>(numbers.Below(256));
    byte = !extremes ? x : x % 4 == 0 ? 0 : x % 4 == 1 ? 255 : x % 4 == 2 ? 127 : 128;
  }
  return bytes;
}

// All sums, with rows of c three further apart than they are long, and what is between them left alone.
bool ProductIsRight(Cpu device, const detail::Int8Kernels* kernels, const Sizes& s, const Case& how) {
  const std::vector<unsigned char> a = Bytes(s.m * s.k, 1, how.extremes), b = Bytes(s.k * s.n, 2, how.extremes);
  const Int8Matrix x{a.data(), how.a_signed, how.a_transposed ? 1 : s.k, how.a_transposed ? s.m : 1, how.a_zero};
  const Int8Matrix y{b.data(), how.b_signed, how.b_transposed ? 1 : s.n, how.b_transposed ? s.k : 1, how.b_zero};
  const Index c_row = s.n + 3;
  std::vector<std::int32_t> c(static_cast<std::size_t>(s.m * c_row), 77);
  if (!Multiply(device, kernels, s, x, y, c.data(), c_row).ok()) return false;
  const auto at = [](const std::vector<unsigned char>& of, Index i, bool is_signed) -> std::int64_t {
    const unsigned char byte = of[static_cast<std::size_t>(i)];
    return is_signed ? static_cast<signed char>(byte) : byte;
  };
  for (Index i = 0; i < s.m; ++i) {
    for (Index j = 0; j < c_row; ++j) {
      std::int64_t sum = j < s.n ? 0 : 77;
      for (Index p = 0; j < s.n && p < s.k; ++p) {
        sum += (at(a, i * x.row + p * x.column, how.a_signed) - how.a_zero) *
               (at(b, p * y.row + j * y.column, how.b_signed) - how.b_zero);
      }
      if (c[static_cast<std::size_t>(i * c_row + j)] != static_cast<std::int32_t>(sum)) return false;
    }
  }
  return true;
}

}  // namespace

TEST_SUITE("GemmInt8") {
  TEST_CASE("all remainders of rows, columns and depth") {
    for (const detail::Int8Kernels* kernels : AllKernels()) {
      CAPTURE(ColumnsOf(kernels));
      for (Index i = 0; i <= 70; ++i) {
        CAPTURE(i);
        CHECK(ProductIsRight({}, kernels, {i, 1 + i * 7 % 70, 1 + i * 5 % 13}, {}));
        CHECK(ProductIsRight({}, kernels, {1 + i % 14, i, 9}, {.a_signed = true, .a_zero = 3}));
        CHECK(ProductIsRight({}, kernels, {7, 5, i}, {.b_signed = false, .a_zero = -5, .b_zero = 128}));
      }
    }
  }

  TEST_CASE("all signs, transposed operands and zero points, with the largest numbers") {
    for (const detail::Int8Kernels* kernels : AllKernels()) {
      CAPTURE(ColumnsOf(kernels));
      for (int bits = 0; bits < 64; ++bits) {
        CAPTURE(bits);
        const Case how{.a_signed = (bits & 1) != 0,
                       .b_signed = (bits & 2) != 0,
                       .a_transposed = (bits & 4) != 0,
                       .b_transposed = (bits & 8) != 0,
                       .a_zero = (bits & 16) != 0 ? 128 : 0,
                       .b_zero = (bits & 32) != 0 ? -7 : 0,
                       .extremes = true};
        CHECK(ProductIsRight({}, kernels, {13, 70, 37}, how));
        CHECK(ProductIsRight({}, kernels, {8, 66, 900}, how));  // several blocks of k
        CHECK(ProductIsRight({}, kernels, {35, 47, 2500}, how));
      }
    }
  }

  TEST_CASE("sums wrap around") {
    // 40,000 times 255 * 255 is 2.6e9.
    for (const detail::Int8Kernels* kernels : AllKernels()) {
      const std::vector<unsigned char> ones(40000, 255);
      std::int32_t c = 0;
      Cpu device;
      const Int8Matrix a{ones.data(), false, 40000, 1}, b{ones.data(), false, 1, 1};
      REQUIRE(Multiply(device, kernels, {1, 1, 40000}, a, b, &c, 1).ok());
      CHECK(c == static_cast<std::int32_t>(2601000000u));
      constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
      CHECK(ProductIsRight({}, kernels, {3, 5, 9}, {.a_signed = true, .a_zero = kMost}));
      CHECK(ProductIsRight({}, kernels, {3, 5, 9}, {.b_signed = false, .b_zero = -kMost - 1}));
    }
  }

  TEST_CASE("several threads give the same") {
    ThreadPool pool(3, "test");
    for (const detail::Int8Kernels* kernels : AllKernels()) {
      CHECK(ProductIsRight({.pool = &pool}, kernels, {301, 77, 300}, {.a_signed = true, .a_zero = 1}));
      CHECK(ProductIsRight({.pool = &pool}, kernels, {33, 900, 300}, {.b_signed = false}));
    }
  }

  TEST_CASE("a product that is worth tiles, and one of rows that are copied for their distance") {
    for (const Sizes& s : {Sizes{40, 50, 60}, Sizes{64, 600, 1024}}) {
      const std::vector<unsigned char> a = Bytes(s.m * s.k, 1, false), b = Bytes(s.k * s.n, 2, false);
      const Int8Matrix x{a.data(), true, s.k, 1, 3}, y{b.data(), false, s.n, 1, 100};
      std::vector<std::int32_t> best(static_cast<std::size_t>(s.m * s.n)), plain(best.size());
      Cpu device;
      REQUIRE(GemmInt8(device, s.m, s.n, s.k, x, y, best.data(), s.n).ok());
      REQUIRE(detail::RunGemmInt8(device, detail::Int8Plain::kKernels, s.m, s.n, s.k, x, y, plain.data(), s.n).ok());
      CHECK(best == plain);
    }
  }

  TEST_CASE("the best kernels are taken; says so when there is no memory") {
    const std::vector<unsigned char> a{1, 2, 3, 4}, b{1, 0, 0, 255};
    std::vector<std::int32_t> c(4);
    TrackingAllocator allocator(CpuAllocator());
    Cpu device{.allocator = &allocator};
    const Int8Matrix x{a.data(), false, 2, 1}, y{b.data(), true, 2, 1};
    REQUIRE(GemmInt8(device, 2, 2, 2, x, y, c.data(), 2).ok());
    CHECK(c == std::vector<std::int32_t>{1, -2, 3, -4});
    CHECK(allocator.bytes_in_use() == 0);
    allocator.FailAllocations(1);
    CHECK(GemmInt8(device, 2, 2, 2, x, y, c.data(), 2).code() == Code::kResourceExhausted);
  }
}
}  // namespace gemm_int8_test
