// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/gemm/integers.hpp>

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

namespace gemm_integers_test {
using namespace tenon;

namespace {

std::vector<std::uint32_t> Words(Index n, std::uint32_t seed) {
  std::vector<std::uint32_t> words;
  for (Index i = 0; i < n; ++i) words.push_back(seed = seed * 1664525u + 1013904223u);
  return words;
}

void Check(Index m, Index n, Index k, bool transpose_a, bool transpose_b) {
  const std::vector<std::uint32_t> a = Words(m * k, 1), b = Words(k * n, 2);
  const Index c_row = n + 3;
  std::vector<std::uint32_t> c(static_cast<std::size_t>(m * c_row), 7), want = c;
  const Index a_row = transpose_a ? 1 : k, a_col = transpose_a ? m : 1, b_row = transpose_b ? 1 : n,
              b_col = transpose_b ? k : 1;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j) {
      std::uint32_t sum = 0;
      for (Index p = 0; p < k; ++p)
        sum += a[static_cast<std::size_t>(i * a_row + p * a_col)] * b[static_cast<std::size_t>(p * b_row + j * b_col)];
      want[static_cast<std::size_t>(i * c_row + j)] = sum;
    }
  detail::MultiplyWords({a.data(), a_row, a_col, b.data(), b_row, b_col, c.data(), c_row, m, n, k});
  CHECK(c == want);
}

}  // namespace

TEST_SUITE("products of words") {
  TEST_CASE("sizes that no tile divides, transposed or not, modulo 2^32") {
    for (const Index m : {1, 4, 7})
      for (const Index n : {1, 5, 16, 33, 70})
        for (const Index k : {1, 9, 128, 300}) {
          Check(m, n, k, false, false);
          Check(m, n, k, true, false);
          Check(m, n, k, false, true);
          Check(m, n, k, true, true);
        }
  }
}
}  // namespace gemm_integers_test
