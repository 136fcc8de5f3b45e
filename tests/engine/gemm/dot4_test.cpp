// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/dot4.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

namespace gemm_groups_test {
using namespace tenon;

namespace {

// Groups of one element each: c = a b for 32-bit integers, tiles of 2 x 3.
void Tile(const detail::GroupTile<std::int32_t>& t) {
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 3; ++j) {
      std::int32_t sum = t.add ? t.c[i * t.c_row + j] : 0;
      for (Index g = 0; g < t.groups; ++g)
        sum += detail::LoadGroup(t.a + i * t.a_row + g * 4) * detail::LoadGroup(t.b + (g * 3 + j) * 4);
      t.c[i * t.c_row + j] = sum;
    }
  }
}
constexpr detail::GroupKernels<std::int32_t> kKernels = {2, 3, 1, &Tile};

// Element [i, p] of a is i + p, [p, j] of b is p - j; every sum is doubled in the end if asked for.
class Product : public detail::GroupProduct<Product, std::int32_t> {
 public:
  Product(Index m, Index n, Index k, std::int32_t* c, Index c_row, bool doubles)
      : GroupProduct(kKernels, m, n, k, c, c_row), doubles_(doubles) {}

  void PackRow(Index i, char* to) const {
    for (Index p = 0; p < k_; ++p) Put(to + p * 4, i + p);
  }
  void PackPanel(Index panel) const {
    for (Index p = 0; p < k_; ++p) {
      for (Index j = 0; j < 3; ++j) Put(PackedPanel(panel) + (p * 3 + j) * 4, p - (panel * 3 + j));
    }
  }
  bool Finishes() const { return doubles_; }
  std::int32_t Finish(Index i, Index j, std::int32_t sum) const {
    CHECK(i < m_);
    CHECK(j < n_);
    return 2 * sum;
  }
  static std::int32_t Add(std::int32_t a, std::int32_t b) { return a + b; }

 private:
  static void Put(char* to, Index x) {
    const auto element = static_cast<std::int32_t>(x);
    std::memcpy(to, &element, 4);
  }

  bool doubles_;
};

bool ProductIsRight(Cpu device, Index m, Index n, Index k, bool doubles) {
  const Index c_row = n + 2;
  std::vector<std::int32_t> c(static_cast<std::size_t>(m * c_row), 77);
  Product product(m, n, k, c.data(), c_row, doubles);
  CHECK(product.row_tiles() == (m + 1) / 2);
  CHECK(product.panels() == (n + 2) / 3);
  std::vector<char> a(product.a_bytes()), b(product.b_bytes());
  product.Run(device, a.data(), b.data());
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < c_row; ++j) {
      Index sum = j < n ? 0 : 77;
      for (Index p = 0; j < n && p < k; ++p) sum += (i + p) * (p - j) * (doubles ? 2 : 1);
      if (c[static_cast<std::size_t>(i * c_row + j)] != sum) return false;
    }
  }
  return true;
}

}  // namespace

TEST_SUITE("GroupProduct") {
  TEST_CASE("every element is summed up and finished once, in one block of k or several") {
    for (const bool doubles : {false, true}) {
      for (Index i = 1; i < 9; ++i) {
        CHECK(ProductIsRight({}, i, 1 + i * 5 % 8, i, doubles));
        CHECK(ProductIsRight({}, i, 1 + i * 5 % 8, 90 + i * 3, doubles));
        CHECK(ProductIsRight({}, 1 + i * 3 % 8, i, 300, doubles));
      }
    }
  }

  TEST_CASE("several threads give the same") {
    ThreadPool pool(3, "test");
    CHECK(ProductIsRight({.pool = &pool}, 101, 50, 200, true));
    CHECK(ProductIsRight({.pool = &pool}, 20, 151, 200, false));
  }
}
}  // namespace gemm_groups_test
