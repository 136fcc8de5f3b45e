// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/bias_gradient.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_bias_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("BiasAddV1 and BiasAddGrad") {
  TEST_CASE_TEMPLATE("add and sum up", T, float, double, half, bfloat16, std::int8_t, std::uint32_t,
                     std::complex<double>) {
    const Tensor x = Make<T>({2, 3}, {1, 2, 3, 4, 5, 6});
    CHECK(Numbered<T>(Run<ops::BiasAddV1>({}, {x, Make<T>({3}, {10, 20, 30})})) ==
          std::vector<double>{11, 22, 33, 14, 25, 36});
    CHECK(Numbered<T>(Run<ops::BiasAddGrad>({}, {x})) == std::vector<double>{5, 7, 9});
    CHECK(Numbered<T>(Run<ops::BiasAddGrad>({{"data_format", "NCHW"}}, {Make<T>({1, 2, 3}, {1, 2, 3, 4, 5, 6})})) ==
          std::vector<double>{6, 15});
    CHECK(Numbered<T>(Run<ops::BiasAddGrad>({}, {Make<T>({0, 2}, {1})})) == std::vector<double>{0, 0});
  }
  TEST_CASE("refuses what does not fit") {
    CHECK(ErrorOf<ops::BiasAddV1>({}, {Make<float>({3}, {1}), Make<float>({3}, {1})}) ==
          "INVALID_ARGUMENT: BiasAddV1: Input tensor must be at least 2D: [3]");
    CHECK(ErrorOf<ops::BiasAddV1>({}, {Make<float>({2, 3}, {1}), Make<float>({2}, {1})})
              .find("as many biases as the last dimension") != std::string::npos);
    CHECK(ErrorOf<ops::BiasAddGrad>({}, {Make<float>({3}, {1})}) ==
          "INVALID_ARGUMENT: BiasAddGrad: Input tensor must be at least 2D: [3]");
  }
}
}  // namespace nn_bias_gradient_test
