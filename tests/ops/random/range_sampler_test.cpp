// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/range_sampler.hpp>

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/kernel/cancellation.hpp>

namespace random_range_sampler_test {
using namespace tenon;
using namespace tenon::ops::detail;

TEST_SUITE("RangeSampler") {
  TEST_CASE("probabilities add up to 1") {
    for (const SamplerKind kind : {SamplerKind::kUniform, SamplerKind::kLogUniform, SamplerKind::kUnigram}) {
      RangeSampler sampler;
      sampler.Make(kind, 37);
      if (kind == SamplerKind::kUnigram) sampler.growing.Add(5);
      double sum = 0;
      for (Index i = 0; i < 37; ++i) sum += static_cast<double>(sampler.Probability(i));
      CHECK(sum == doctest::Approx(1).epsilon(1e-5));
    }
  }
  TEST_CASE("draws lie in the range, however large it is") {
    for (const Index range : {Index{1}, Index{10}, Index{1} << 40, (Index{1} << 62) + ((Index{1} << 62) - 1)}) {
      RangeSampler sampler;
      sampler.Make(SamplerKind::kLogUniform, range);
      PhiloxWords words(Philox::FromSeeds(1, 2));
      for (int i = 0; i < 100; ++i) {
        const Index drawn = sampler.Draw(&words);
        CHECK(drawn >= 0);
        CHECK(drawn < range);
      }
    }
  }
  TEST_CASE("different ones, and how often each is expected") {
    RangeSampler sampler;
    sampler.Make(SamplerKind::kUniform, 8);
    PhiloxWords words(Philox::FromSeeds(7, 8));
    std::vector<std::int64_t> drawn(8), slots(16, -1);
    const Index tries = DrawDifferent(sampler, &words, 8, drawn.data(), slots.data(), 16);
    CHECK(tries >= 8);
    std::sort(drawn.begin(), drawn.end());
    for (std::int64_t i = 0; i < 8; ++i) CHECK(drawn[static_cast<std::size_t>(i)] == i);
    CancellationManager cancellation;
    cancellation.StartCancel();
    RangeSampler one;
    one.Make(SamplerKind::kUniform, 1);  // a second number is never found
    slots.assign(16, -1);
    CHECK(DrawDifferent(one, &words, 2, drawn.data(), slots.data(), 16, &cancellation) == -1);
    CHECK(ExpectedCount(0.25F, 8, 8) == 2);
    CHECK(ExpectedCount(0.5F, 1, 2) == doctest::Approx(0.75));
  }
}
}  // namespace random_range_sampler_test
