// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/cross_entropy.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_cross_entropy_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("cross entropies") {
  TEST_CASE_TEMPLATE("losses and gradients, TensorFlow's numbers", T, float, double, half, bfloat16) {
    const double near = std::max(4 * RoundingUnit<T>(), 1e-6);  // the numbers were computed as float
    const Result<std::vector<Tensor>> y =
        Call<ops::SoftmaxCrossEntropyWithLogits>({}, {Make<T>({3}, {1, 0, 1}), Make<T>({2, 1}, {1})});
    REQUIRE_MESSAGE(y.ok(), y.status().message());
    CHECK((*y)[1].shape() == TensorShape{2, 3});
    CHECK(Numbered<T>((*y)[0])[1] == doctest::Approx(3.585984230041504).epsilon(near));
    CHECK(Numbered<T>((*y)[1])[4] == doctest::Approx(-0.8446375727653503).epsilon(near));
    const Result<std::vector<Tensor>> s = Call<ops::SparseSoftmaxCrossEntropyWithLogits>(
        {}, {Make<T>({1, 3}, {-kInfinity, 0, 1}), Make<std::int32_t>({1}, {1})});
    REQUIRE_MESSAGE(s.ok(), s.status().message());
    CHECK(Numbered<T>((*s)[0])[0] == doctest::Approx(1.31326162815094).epsilon(near));
    CHECK(Numbered<T>((*s)[1])[1] == doctest::Approx(-0.7310585975646973).epsilon(near));
  }
  TEST_CASE("refuses what does not fit") {
    CHECK(ErrorOf<ops::SoftmaxCrossEntropyWithLogits>({}, {Make<float>({2, 2}, {1}), Make<float>({2, 3}, {1})})
              .find("logits and labels must be broadcastable: logits_size=[2,2] labels_size=[2,3]") !=
          std::string::npos);
    CHECK(ErrorOf<ops::SoftmaxCrossEntropyWithLogits>({}, {Make<float>({1, 2, 2}, {1}), Make<float>({2, 2}, {1})})
              .find("must be either 2-dimensional") != std::string::npos);
    const auto error = [](const TensorShape& logits, std::initializer_list<double> labels) {
      return ErrorOf<ops::SparseSoftmaxCrossEntropyWithLogits>(
          {}, {Make<float>(logits, {1}), Make<std::int64_t>({static_cast<Index>(labels.size())}, labels)});
    };
    CHECK(error({2, 3}, {0, 3}).find("Received a label value of 3 which is outside the valid range of [0, 3)") !=
          std::string::npos);
    CHECK(error({2, 3}, {-1, 0}).find("Received a label value of -1") != std::string::npos);
    CHECK(error({0, 0}, {}).find("Must have at least one class") != std::string::npos);
    CHECK(error({2, 3}, {1}).find("must have the same first dimension") != std::string::npos);
  }
}
}  // namespace nn_cross_entropy_test
