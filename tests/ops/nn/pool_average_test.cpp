// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/pool_average.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_pool_average_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
using List = std::vector<std::int64_t>;
}  // namespace

TEST_SUITE("AvgPool") {
  const AttrArgs two = {{"ksize", List{1, 2, 2, 1}}, {"strides", List{1, 2, 2, 1}}, {"padding", "SAME"}};

  TEST_CASE_TEMPLATE("averages what there is of each window, and shares gradients out", T, float, double, half,
                     bfloat16) {
    const Tensor y = Run<ops::AvgPool>(two, {Make<T>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6})});
    CHECK(y.shape() == TensorShape{1, 1, 2, 1});
    CHECK(Numbered<T>(y) == std::vector<double>{3, 4.5});
    const Tensor dx =
        Run<ops::AvgPoolGrad>(two, {Make<std::int32_t>({4}, {1, 2, 3, 1}), Make<T>({1, 1, 2, 1}, {4, 6})});
    CHECK(Numbered<T>(dx) == std::vector<double>{1, 1, 3, 1, 1, 3});
  }
  TEST_CASE("a gradient of another size is shared out at its own places, as in TensorFlow") {
    const Tensor shape = Make<std::int32_t>({4}, {2, 4, 4, 1});
    const std::vector<double> dx = Numbered<float>(Run<ops::AvgPoolGrad>(two, {shape, Make<float>({1, 1, 3, 1}, {4})}));
    CHECK(dx == std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0,
                                    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
    CHECK(Numbered<float>(Run<ops::AvgPoolGrad>(two, {shape, Tensor(DataType::kFloat, {0, 2, 2, 1})})) ==
          std::vector<double>(32, 0));
  }
  TEST_CASE("refuses what TensorFlow refuses") {
    AttrArgs nchw = two;
    nchw.emplace_back("data_format", "NCHW");
    CHECK(ErrorOf<ops::AvgPool>(nchw, {Make<float>({1, 1, 2, 2}, {1})}) ==
          "INVALID_ARGUMENT: Default AvgPoolingOp only supports NHWC on device type CPU, got NCHW");
    CHECK(ErrorOf<ops::AvgPool>(two, {Make<float>({2, 2, 1}, {1})}) ==
          "INVALID_ARGUMENT: tensor_in_shape must have 2 spatial dimensions. 3 0");
    CHECK(ErrorOf<ops::AvgPoolGrad>(two, {Make<std::int32_t>({4}, {1, 2, 3, 1}), Make<float>({2, 1, 2, 1}, {4})}) ==
          "INVALID_ARGUMENT: AvgPoolGrad: Expected grad shape to be [1,1,2,1], but got [2,1,2,1]");
    CHECK(ErrorOf<ops::AvgPoolGrad>(two, {Make<std::int32_t>({4}, {1, 2, 3, 1}), Make<float>({1, 1, 2, 2}, {4})}) ==
          "INVALID_ARGUMENT: AvgPoolGrad: Expected grad shape to be [1,1,2,1], but got [1,1,2,2]");
    CHECK(ErrorOf<ops::AvgPoolGrad>(two, {Make<std::int32_t>({4}, {1, 2, 3, 1}), Make<float>({1, 3, 2, 1}, {4})})
              .find("index * stride must be less than or equal to input size, got 2 * 2 and 2") != std::string::npos);
    CHECK(ErrorOf<ops::AvgPoolGrad>(two, {Make<std::int32_t>({4}, {1, -2, 3, 1}), Make<float>({1, 2, 2, 1}, {4})}) ==
          "INVALID_ARGUMENT: AvgPoolGrad: Dimension -2 must be >= 0 (orig_input_shape[1])");
  }
  TEST_CASE("gives everything back when memory runs out") {
    CHECK(FailEveryAllocation<ops::AvgPool>(two, {Make<float>({1, 2, 3, 1}, {1})}) == 1);
  }
}
}  // namespace nn_pool_average_test
