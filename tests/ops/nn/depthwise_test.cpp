// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/depthwise.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_depthwise_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
using List = std::vector<std::int64_t>;
}  // namespace

TEST_SUITE("DepthwiseConv2dNative") {
  const AttrArgs plain = {{"strides", List{1, 1, 1, 1}}, {"padding", "VALID"}};

  TEST_CASE_TEMPLATE("convolves every channel by itself; its gradients", T, float, double, half, bfloat16) {
    const Tensor x = Make<T>({1, 1, 2, 2}, {1, 2, 3, 4}), f = Make<T>({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                 dy = Make<T>({1, 1, 1, 4}, {1, 10, 100, 1000});
    const Tensor y = Run<ops::DepthwiseConv2dNative>(plain, {x, f});
    CHECK(y.shape() == TensorShape{1, 1, 1, 4});
    CHECK(Numbered<T>(y) == std::vector<double>{16, 20, 34, 40});
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      CHECK(Numbered<T>(Run<ops::DepthwiseConv2dNativeBackpropInput>(
                plain, {Make<std::int32_t>({4}, {1, 1, 2, 2}), f, dy})) == std::vector<double>{21, 4300, 65, 8700});
      CHECK(Numbered<T>(
                Run<ops::DepthwiseConv2dNativeBackpropFilter>(plain, {x, Make<std::int32_t>({4}, {1, 2, 2, 2}), dy})) ==
            std::vector<double>{1, 10, 200, 2000, 3, 30, 400, 4000});
    }
  }
  TEST_CASE("refuses what TensorFlow refuses") {
    const Tensor x = Make<float>({1, 2, 2, 3}, {1}), f = Make<float>({1, 1, 3, 1}, {1});
    CHECK(ErrorOf<ops::DepthwiseConv2dNative>({{"strides", List{1, 1, 2, 1}}, {"padding", "SAME"}}, {x, f})
              .find("only supports equal length strides") != std::string::npos);
    CHECK(ErrorOf<ops::DepthwiseConv2dNative>(
              {{"strides", List{1, 1, 1, 1}}, {"padding", "SAME"}, {"dilations", List{1, 2, 2, 1}}}, {x, f})
              .starts_with("UNIMPLEMENTED"));
    CHECK(ErrorOf<ops::DepthwiseConv2dNative>(plain, {x, Make<float>({1, 1, 2, 1}, {1})}) ==
          "INVALID_ARGUMENT: DepthwiseConv2dNative: input and filter must have the same depth: 3 vs 2");
    CHECK(ErrorOf<ops::DepthwiseConv2dNativeBackpropInput>(
              plain, {Make<std::int32_t>({4}, {1, 2, 2, 3}), f, Make<float>({1, 2, 2, 2}, {1})})
              .find("depth_multiplier * in_depth not equal to out_depth: 3 vs 2") != std::string::npos);
  }
}
}  // namespace nn_depthwise_test
