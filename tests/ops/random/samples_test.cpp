// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/bounded_normal.hpp>
#include <tenon/ops/random/multinomial.hpp>
#include <tenon/ops/random/samples.hpp>
#include <tenon/ops/random/shuffle.hpp>

#include "ops/support.hpp"

namespace random_samples_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

const AttrArgs kSeeds{{"seed", std::int64_t{1}}, {"seed2", std::int64_t{2}}};
const Tensor kPair = MakeTensor<std::int64_t>({2}, {1, 2});

Tensor Shape(std::initializer_list<std::int32_t> sizes) {
  return MakeTensor<std::int32_t>({static_cast<Index>(sizes.size())}, sizes);
}
Tensor Logits() { return MakeTensor<float>({2, 4}, {0, 1, 2, 3, 5, 0, 0, 0}); }
using Doubles = std::vector<double>;

}  // namespace

TEST_SUITE("samples") {
  TEST_CASE("classes, orders and counts are TensorFlow's for the same seeds") {
    const Tensor seven = Tensor::Scalar<std::int32_t>(7);
    CHECK(Numbered<std::int64_t>(Run<ops::Multinomial>(kSeeds, {Logits(), seven})) ==
          Doubles{2, 3, 2, 2, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0});
    CHECK(Numbered<std::int64_t>(Run<ops::StatelessMultinomial>({}, {Logits(), seven, kPair})) ==
          Doubles{3, 3, 2, 3, 3, 3, 3, 0, 0, 0, 0, 0, 0, 0});
    const Tensor ten = MakeTensor<std::int64_t>({10}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    CHECK(Numbered<std::int64_t>(Run<ops::RandomShuffle>(kSeeds, {ten})) == Doubles{9, 0, 8, 6, 1, 3, 7, 2, 4, 5});
    const Tensor rates = MakeTensor<float>({3}, {1, 2, 30});
    CHECK(Numbered<std::int32_t>(Run<ops::StatelessRandomPoisson>(
              {{"dtype", DataType::kInt32}}, {Shape({2, 3}), kPair, rates})) == Doubles{3, 3, 25, 3, 3, 35});
  }
  TEST_CASE("many rows on several threads are what one thread draws") {
    const Tensor logits = Random<float>({500, 33}, 5), many = Tensor::Scalar<std::int32_t>(77);
    const Tensor one = Run<ops::Multinomial>(kSeeds, {logits, many}, {.intra_op_threads = 1});
    CHECK_UNARY(SameTensor(one, Run<ops::Multinomial>(kSeeds, {logits, many}, {.intra_op_threads = 4})));
    const Tensor alphas = MakeTensor<double>({3}, {0.5, 1, 3});
    CHECK_UNARY(SameTensor(Run<ops::RandomGamma>(kSeeds, {Shape({1000}), alphas}, {.intra_op_threads = 1}),
                           Run<ops::RandomGamma>(kSeeds, {Shape({1000}), alphas}, {.intra_op_threads = 4})));
  }
  TEST_CASE("texts are shuffled by rows; nothing to shuffle is passed on") {
    const Tensor texts = MakeTensor<tstring>({3, 2}, {tstring("a"), tstring("b"), tstring("c"), tstring("d"),
                                                      tstring("e"), tstring("a text that is too long for inside")});
    const Tensor out = Run<ops::RandomShuffle>(kSeeds, {texts});
    for (Index i = 0; i < 3; ++i) {
      const std::string_view first = out.data<tstring>()[2 * i], second = out.data<tstring>()[2 * i + 1];
      const bool whole_row = (first == "a" && second == "b") || (first == "c" && second == "d") ||
                             (first == "e" && second == "a text that is too long for inside");
      CHECK(whole_row);
    }
    CHECK(Run<ops::RandomShuffle>(kSeeds, {Tensor::Scalar<float>(3)}).data<float>()[0] == 3);
    CHECK(Run<ops::RandomShuffle>(kSeeds, {Tensor(DataType::kFloat, TensorShape({5, 0}))}).shape() ==
          TensorShape({5, 0}));
  }
  TEST_CASE("refusals") {
    const auto samples = [](std::int32_t n) { return Tensor::Scalar(n); };
    CHECK(ErrorOf<ops::Multinomial>({}, {Logits(), samples(-1)}) ==
          "INVALID_ARGUMENT: Multinomial: num_samples should be non-negative, got -1");
    CHECK(ErrorOf<ops::Multinomial>({}, {Tensor(DataType::kFloat, TensorShape({2, 0})), samples(1)}) ==
          "INVALID_ARGUMENT: Multinomial: num_classes should be positive, got 0");
    const Tensor two = MakeTensor<float>({2}, {1, 2});
    CHECK(
        ErrorOf<ops::StatelessRandomGammaV2>({}, {Shape({2, 3}), kPair, two}) ==
        "INVALID_ARGUMENT: StatelessRandomGammaV2: Shape passed in must end with broadcasted shape, got [2,3] and [2]");
    const Tensor zero = Tensor::Scalar<float>(0), one = Tensor::Scalar<float>(1);
    CHECK(ErrorOf<ops::ParameterizedTruncatedNormal>({}, {Shape({2}), zero, zero, zero, one})
              .find("Invalid parameters: stddev 0, bounds 0 and 1") != std::string::npos);
    CHECK(ErrorOf<ops::ParameterizedTruncatedNormal>({}, {Shape({3}), two, one, zero, one})
              .find("Input means should have length 1 or shape[0], got shape: [2]") != std::string::npos);
    CHECK(ErrorOf<ops::RandomPoissonV2>({{"dtype", DataType::kInt32}}, {Shape({1}), Tensor::Scalar<float>(1e20f)})
              .find("has no samples of type int32") != std::string::npos);
  }
}
}  // namespace random_samples_test
