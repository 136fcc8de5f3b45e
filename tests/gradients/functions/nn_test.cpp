// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/nn.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>
#include <cstdint>

#include "gradients/central_differences.hpp"

namespace nn_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of neural networks") {
  const AttrValue kOnes = AttrValue(std::vector<std::int64_t>{1, 1, 1, 1});
  const AttrValue kTwos = AttrValue(std::vector<std::int64_t>{1, 2, 2, 1});

  TEST_CASE("convolutions and pools") {
    const Tensor x = RandomTensor({1, 4, 4, 2}), filter = RandomTensor({2, 2, 2, 2}, -1, 1, 2);
    for (const char* padding : {"SAME", "VALID"}) {
      CHECK(OpGradientError("Conv2D", {x, filter}, {{"strides", kOnes}, {"padding", padding}}) == "");
      CHECK(OpGradientError("DepthwiseConv2dNative", {x, filter}, {{"strides", kOnes}, {"padding", padding}}) == "");
      CHECK(OpGradientError("AvgPool", {x}, {{"ksize", kTwos}, {"strides", kTwos}, {"padding", padding}}) == "");
      CHECK(OpGradientError("MaxPool", {x}, {{"ksize", kTwos}, {"strides", kTwos}, {"padding", padding}}) == "");
    }
  }
  TEST_CASE("bias and losses") {
    const Tensor x = RandomTensor({2, 3}), bias = RandomTensor({3}, -1, 1, 2);
    CHECK(OpGradientError("BiasAdd", {x, bias}) == "");
    CHECK(OpGradientError("BiasAddGrad", {x}) == "");
    const Tensor labels = Tensor::From<float>({0.2f, 0.3f, 0.5f, 0, 1, 0}, {2, 3});  // rows with the sum 1
    CHECK(OpGradientError("SoftmaxCrossEntropyWithLogits", {x}, {}, {labels}) == "");
    CHECK(OpGradientError("SparseSoftmaxCrossEntropyWithLogits", {x}, {}, {Tensor::From<std::int32_t>({2, 0}, {2})}) ==
          "");
  }
}

}  // namespace nn_gradient_test
