// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/random/shuffle.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace engine_random_shuffle_test {
using namespace tenon;

TEST_SUITE("elements in random order") {
  TEST_CASE_TEMPLATE("slot i swaps with one from i on, by one word each", T, std::uint32_t, std::uint64_t) {
    for (const std::size_t n : {0u, 1u, 2u, 3u, 31u, 32u, 33u, 34u, 64u, 65u, 1000u}) {
      std::vector<T> x(n);
      std::iota(x.begin(), x.end(), T{7});
      std::vector<T> want = x;
      PhiloxWords words(Philox{5, 6, 7});
      for (std::size_t i = 0; i + 1 < n; ++i) std::swap(want[i], want[i + words.Next() % (n - i)]);
      ShuffleUnits(Philox{5, 6, 7}, static_cast<Index>(n), x.data());
      CHECK(x == want);
    }
  }
}
}  // namespace engine_random_shuffle_test
