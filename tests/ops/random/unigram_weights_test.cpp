// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/unigram_weights.hpp>

#include <vector>

#include <doctest/doctest.h>

namespace random_unigram_weights_test {
using namespace tenon;
using namespace tenon::ops::detail;

TEST_SUITE("unigram weights") {
  TEST_CASE("whole numbers below a bound, each as often") {
    PhiloxWords words(Philox::FromSeeds(1, 2));
    std::vector<int> seen(6, 0);
    for (int i = 0; i < 6000; ++i) ++seen[BelowOf32(&words, 6)];
    for (const int count : seen) CHECK(count > 850);
    for (int i = 0; i < 100; ++i) CHECK(BelowOf64(&words, (std::uint64_t{1} << 40) + 3) < (std::uint64_t{1} << 40) + 3);
    CHECK(BelowOf32(&words, 1) == 0);
    CHECK(BelowOf64(&words, 0) == 0);
  }
  TEST_CASE("weights that grow, against sums") {
    for (const Index range : {1, 2, 7, 1000, 1024, 5000}) {
      GrowingWeights weights(range);
      std::vector<Index> plain(static_cast<std::size_t>(range), 1);
      PhiloxWords words(Philox::FromSeeds(3, static_cast<std::uint64_t>(range)));
      for (int i = 0; i < 300; ++i) {
        const auto value = static_cast<Index>(BelowOf64(&words, static_cast<std::uint64_t>(range)));
        weights.Add(value);
        ++plain[static_cast<std::size_t>(value)];
      }
      CHECK(weights.total() == range + 300);
      Index place = 0, wrong = 0;
      for (Index value = 0; value < range; ++value) {
        const Index own = plain[static_cast<std::size_t>(value)];
        wrong += weights.Weight(value) != own ? 1 : 0;
        for (Index k = 0; k < own; ++k) wrong += weights.Pick(place++) != value ? 1 : 0;
      }
      CHECK(wrong == 0);
    }
  }
  TEST_CASE("an alias table draws what has a weight") {
    const AliasTable table(SlimVector<float>{0, 1, 0, 3});
    CHECK(table.CountDrawable() == 2);
    PhiloxWords words(Philox::FromSeeds(5, 6));
    std::vector<int> seen(4, 0);
    for (int i = 0; i < 4000; ++i) ++seen[static_cast<std::size_t>(table.Draw(&words))];
    CHECK(seen[0] == 0);
    CHECK(seen[2] == 0);
    CHECK(seen[1] > 850);
    CHECK(seen[3] > 2700);
  }
}
}  // namespace random_unigram_weights_test
