// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/batch_norm.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_batch_norm_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
Tensor Vector(std::initializer_list<double> numbers) {
  return Make<float>({static_cast<Index>(numbers.size())}, numbers);
}
}  // namespace

TEST_SUITE("FusedBatchNorm") {
  TEST_CASE("normalises with given moments or with its own, as TensorFlow does") {
    const Tensor x = Make<float>({1, 3, 1, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), v = Vector({1, 2, 3});
    AttrArgs attrs = {{"data_format", "NCDHW"}, {"is_training", true}};
    const Result<std::vector<Tensor>> y = Call<ops::FusedBatchNormV3>(attrs, {x, v, v, v, v});
    REQUIRE_MESSAGE(y.ok(), y.status().message());
    CHECK((*y)[0].data<float>()[0] == doctest::Approx(-0.3415870666503906));
    CHECK((*y)[0].data<float>()[7] == doctest::Approx(4.683174133300781));
    CHECK(Numbered<float>((*y)[1]) == std::vector<double>{1.5, 5.5, 9.5});
    CHECK((*y)[2].data<float>()[2] == doctest::Approx(1.6666667461395264));
    CHECK(Numbered<float>((*y)[4]) == std::vector<double>{1.25, 1.25, 1.25});
    CHECK((*y)[5].shape() == TensorShape());
  }
  TEST_CASE_TEMPLATE("of small floats", T, half, bfloat16) {
    const Tensor v = Vector({2}), zero = Vector({0}), one = Vector({1});
    const Tensor y = Run<ops::FusedBatchNormV2>({{"is_training", false}, {"epsilon", 3.f}},
                                                {Make<T>({1, 1, 2, 1}, {1, -2}), v, one, zero, one});
    CHECK(Numbered<T>(y) == std::vector<double>{2, -1});
  }
  TEST_CASE("gradients of given moments; empty ones") {
    const Tensor x = Make<float>({1, 1, 2, 1}, {3, 5}), dy = Make<float>({1, 1, 2, 1}, {1, 10}), one = Vector({1}),
                 three = Vector({3});
    const Result<std::vector<Tensor>> g =
        Call<ops::FusedBatchNormGrad>({{"is_training", false}, {"epsilon", 1.f}}, {dy, x, Vector({4}), one, three});
    REQUIRE_MESSAGE(g.ok(), g.status().message());
    CHECK(Numbered<float>((*g)[0]) == std::vector<double>{2, 20});
    CHECK(Numbered<float>((*g)[1]) == std::vector<double>{21});
    CHECK(Numbered<float>((*g)[2]) == std::vector<double>{11});
    CHECK((*g)[3].shape() == TensorShape{0});
    const Tensor none = Make<float>({0, 2, 2, 1}, {0});
    const Result<std::vector<Tensor>> empty = Call<ops::FusedBatchNormGradV3>({}, {none, none, one, one, one, one});
    REQUIRE(empty.ok());
    CHECK(Numbered<float>((*empty)[1]) == std::vector<double>{0});
    const Result<std::vector<Tensor>> forward = Call<ops::FusedBatchNorm>({}, {none, one, one, one, one});
    REQUIRE(forward.ok());
    CHECK(Numbered<float>((*forward)[1])[0] != Numbered<float>((*forward)[1])[0]);  // NaN
  }
  TEST_CASE("refuses what does not fit") {
    const Tensor x = Make<float>({1, 1, 2, 2}, {1}), v = Vector({1, 2});
    CHECK(
        ErrorOf<ops::FusedBatchNorm>({}, {x, Vector({1}), v, v, v}) ==
        "INVALID_ARGUMENT: FusedBatchNorm: scale must have the same number of elements as the channels of x, got 1 and 2");
    CHECK(ErrorOf<ops::FusedBatchNorm>({{"is_training", false}}, {x, v, v, v, Vector({1})})
              .find("When is_training=false, variance") != std::string::npos);
    CHECK(ErrorOf<ops::FusedBatchNorm>({}, {Make<float>({2, 2}, {1}), v, v, v, v}) ==
          "INVALID_ARGUMENT: FusedBatchNorm: input must be 4 or 5-dimensional[2,2]");
  }
}
}  // namespace nn_batch_norm_test
