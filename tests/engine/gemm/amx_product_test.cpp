// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/amx_product.hpp>

#include <cstdint>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/amx_support.hpp"
#include "engine/support.hpp"

namespace gemm_amx_product_test {
using namespace tenon;

#if TENON_DETAIL_AMX
namespace {

struct Unsigned {
  template <int c, int a, int b>
  static TENON_HD void Add() {
    asm volatile("tdpbuud %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(c), "i"(a), "i"(b));
  }
};

// Unsigned bytes; sums are stored here, and each element once.
class Product final : public detail::AmxProduct {
 public:
  Product(const detail::AmxMatrix& a, const detail::AmxMatrix& b, const detail::CacheSizes& caches, std::uint32_t* c)
      : AmxProduct(detail::AmxKernels<Unsigned>::kAll, a.lines, b, caches), a_(a, b.lines), c_(c) {}

 private:
  Rows FindRows(Index i, char* copy) const override { return a_.Find<Rows>(i, copy); }
  void Store(Index i, Index j, Index rows, Index columns, const char* sums, Index sums_row) const override {
    for (Index r = 0; r < rows; ++r) {
      const auto* const from = reinterpret_cast<const std::uint32_t*>(sums + r * sums_row);
      for (Index s = 0; s < columns; ++s) c_[(i + r) * b_.lines + j + s] += from[s];
    }
  }

  const detail::AmxRows a_;
  std::uint32_t* const c_;
};

bool IsRight(Cpu device, Index m, Index n, Index k, const detail::CacheSizes& caches) {
  testing::Numbers numbers(9);
  std::vector<unsigned char> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
  for (unsigned char& x : a) x = static_cast<unsigned char>(numbers.Below(256));
  for (unsigned char& x : b) x = static_cast<unsigned char>(numbers.Below(256));
  std::vector<std::uint32_t> c(static_cast<std::size_t>(m * n), 0);
  Product product({reinterpret_cast<const char*>(a.data()), k, 1, m, k, 1},
                  {reinterpret_cast<const char*>(b.data()), 1, n, n, k, 1}, caches, c.data());
  std::vector<char> packed(product.packed_bytes());
  if (!product.Run(device, product.PackAll(device, packed.data()), "test").ok()) return false;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      std::uint32_t sum = 0;
      for (Index p = 0; p < k; ++p)
        sum +=
            static_cast<std::uint32_t>(a[static_cast<std::size_t>(i * k + p)]) * b[static_cast<std::size_t>(p * n + j)];
      if (c[static_cast<std::size_t>(i * n + j)] != sum) return false;
    }
  }
  return true;
}

}  // namespace

TEST_SUITE("AmxProduct") {
  TEST_CASE("every element is summed up and stored once, whatever the caches and the threads") {
    if (!testing::HasAmxToTest()) return;
    ThreadPool pool(3, "test");
    for (const Index second : {Index{4096}, Index{64} << 10, Index{2} << 20}) {
      const detail::CacheSizes caches{.first = 32 << 10, .second = second, .last = 32 << 20};
      for (Index i = 1; i < 60; i += 7) {
        CHECK(IsRight({}, i, 1 + i * 5 % 61, i, caches));
        CHECK(IsRight({}, i, 1 + i * 5 % 61, 2000 + i, caches));
      }
      CHECK(IsRight({.pool = &pool}, 100, 330, 2100, caches));
      CHECK(IsRight({.pool = &pool}, 16, 500, 700, caches));
      CHECK(IsRight({.pool = &pool}, 700, 17, 300, caches));
    }
  }

  TEST_CASE("few products, shallow and very deep ones are not worth tiles") {
    CHECK_FALSE(detail::FavoursAmx(8, 8, 8, 2));
    CHECK_FALSE(detail::FavoursAmx(1000, 1000, 4, 2));
    CHECK_FALSE(detail::FavoursAmx(1, 1, Index{1} << 22, 1));
    CHECK(detail::FavoursAmx(64, 64, 64, 2) == simd::HasAmx());
  }
}
#endif
}  // namespace gemm_amx_product_test
