// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/multinomial.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace random_multinomial_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

const Tensor kPair = Longs({3, 4});

}  // namespace

TEST_SUITE("Multinomial") {
  TEST_CASE("a sample is the first class whose share of the sum lies beyond the uniform number of two words") {
    const Tensor logits = Random<float>({3, 5}, 1);
    const Tensor got = Run<ops::StatelessMultinomial>({}, {logits, Int(7), kPair});
    std::vector<double> want;
    for (Index b = 0; b < 3; ++b) {
      double sum = 0;
      std::vector<double> shares;
      for (Index j = 0; j < 5; ++j)
        shares.push_back(sum += std::exp(static_cast<double>(logits.data<float>()[b * 5 + j])));
      for (Index j = 0; j < 7; ++j) {
        const auto first = static_cast<std::uint64_t>(2 * (b * 7 + j));
        PhiloxWords words(ops::detail::ScrambledSeeds(3, 4).Skipped(first / 4), static_cast<int>(first % 4));
        const std::uint32_t high = words.Next(), low = words.Next();
        const double place = std::ldexp(std::ldexp(high & 0xfffff, 32) + low, -52) * sum;
        std::size_t found = 0;
        while (shares[found] <= place) ++found;
        want.push_back(static_cast<double>(found));
      }
    }
    CHECK(Numbered<std::int64_t>(got) == want);
    CHECK(Numbered<std::int32_t>(
              Run<ops::StatelessMultinomial>({{"output_dtype", DataType::kInt32}}, {logits, Int(7), kPair})) == want);
  }
  TEST_CASE("classes come as often as their weights say, those that are not finite never") {
    const double weights[] = {1, 0, 4, 0, 3};
    Tensor logits(DataType::kDouble, {1, 5});
    for (int j = 0; j < 5; ++j)
      logits.data<double>()[j] = weights[j] > 0 ? 700 + std::log(weights[j]) : j == 1 ? kNaN : kInfinity;
    const std::int32_t n = 80000;
    std::vector<double> counts(5, 0);
    for (const double x : Numbered<std::int64_t>(Run<ops::StatelessMultinomial>({}, {logits, Int(n), kPair})))
      ++counts[static_cast<std::size_t>(x)];
    for (std::size_t j = 0; j < 5; ++j) {
      const double p = weights[j] / 8, deviation = std::sqrt(n * p * (1 - p));
      CHECK(std::abs(counts[j] - n * p) <= 5 * deviation);
    }
  }
  TEST_CASE("half and bfloat16 are the classes of the same numbers in float") {
    const Tensor logits = Make<half>({2, 3}, {0, 1, 2, 2, .5, -1}), wide = Make<float>({2, 3}, {0, 1, 2, 2, .5, -1});
    const Tensor brain = Make<bfloat16>({2, 3}, {0, 1, 2, 2, .5, -1});
    const Tensor want = Run<ops::StatelessMultinomial>({}, {wide, Int(20), kPair});
    CHECK_UNARY(SameTensor(Run<ops::StatelessMultinomial>({}, {logits, Int(20), kPair}), want));
    CHECK_UNARY(SameTensor(Run<ops::StatelessMultinomial>({}, {brain, Int(20), kPair}), want));
  }
  TEST_CASE("no samples, no rows, and no class that has a weight") {
    // Where no class has a weight TensorFlow gives the number of classes.
    const Tensor none = Make<float>({1, 3}, {-kInfinity});
    CHECK(Numbered<std::int64_t>(Run<ops::StatelessMultinomial>({}, {none, Int(2), kPair})) ==
          std::vector<double>{3, 3});
    CHECK(Run<ops::Multinomial>({}, {Make<float>({2, 3}, {1}), Int(0)}).shape() == TensorShape({2, 0}));
    CHECK(Run<ops::Multinomial>({}, {Tensor(DataType::kFloat, {0, 3}), Int(4)}).shape() == TensorShape({0, 4}));
  }
  TEST_CASE("a seeded op goes on behind as many words as it has taken, rounded up per row") {
    GraphBuilder b;
    const Output logits = b.Const("logits", Make<float>({2, 3}, {0}));
    b.Add("Multinomial", "call", {logits, b.Const("n", Int(5))},
          {{"seed", std::int64_t{3}}, {"seed2", std::int64_t{4}}});
    const Result<Session> session = Session::FromGraph(b);
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const std::vector<std::string> fetches{"call:0"};
    const std::vector<NamedTensor> no_feeds;
    REQUIRE(session->Run(no_feeds, fetches).ok());
    const Result<std::vector<Tensor>> second = session->Run(no_feeds, fetches);
    REQUIRE(second.ok());
    // 2 rows of 8 samples of 2 words, of 256 blocks each.
    PhiloxWords words(Philox::FromSeeds(3, 4).Skipped(2 * 8 * 2 * 256));
    for (Index i = 0; i < 10; ++i) {
      const std::uint32_t high = words.Next(), low = words.Next();
      const double place = 3 * std::ldexp(std::ldexp(high & 0xfffff, 32) + low, -52);
      CHECK((*second)[0].data<std::int64_t>()[i] == static_cast<std::int64_t>(place));
    }
  }
  TEST_CASE("says what is no matrix, no number of samples and no seed") {
    const Tensor x = Make<float>({2, 3}, {1});
    CHECK(ErrorOf<ops::Multinomial>({}, {Make<float>({3}, {1}), Int(1)}) ==
          "INVALID_ARGUMENT: Multinomial: logits should be a matrix, got shape [3]");
    CHECK(ErrorOf<ops::Multinomial>({}, {x, Ints({1})}) ==
          "INVALID_ARGUMENT: Multinomial: num_samples should be a scalar, got shape [1]");
    CHECK(ErrorOf<ops::StatelessMultinomial>({}, {x, Int(-2), kPair}) ==
          "INVALID_ARGUMENT: StatelessMultinomial: num_samples should be non-negative, got -2");
    CHECK(ErrorOf<ops::StatelessMultinomial>({}, {x, Int(1), Longs({1})}) ==
          "INVALID_ARGUMENT: StatelessMultinomial: seed must have shape [2], not [1]");
    CHECK(InferredShape<ops::Multinomial>({{-1, 3}, StaticInput::Scalar(4)}) == "[?,4]");
    CHECK(InferredShape<ops::StatelessMultinomial>({{2, 3}, StaticInput::Scalar(4), {3}}) ==
          "Dimension must be 2 but is 3");
  }
}
}  // namespace random_multinomial_test
