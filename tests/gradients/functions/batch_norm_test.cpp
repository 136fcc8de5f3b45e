// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/batch_norm.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gradients/central_differences.hpp"

namespace batch_norm_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of batch normalisation") {
  TEST_CASE("in training and in inference") {
    for (const bool training : {false, true}) {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat, {2, 2, 2, 2}),
                   scale = b.Placeholder("s", DataType::kFloat, {2});
      const Output offset = b.Placeholder("o", DataType::kFloat, {2});
      const Output mean = b.Const("mean", training ? Tensor::Zeros<float>({0}) : RandomTensor({2}));
      const Output variance = b.Const("variance", training ? Tensor::Zeros<float>({0}) : RandomTensor({2}, 1, 2));
      const Output y = b.Add("FusedBatchNormV3", "y", {x, scale, offset, mean, variance}, {{"is_training", training}});
      CHECK(GradientError(
                b, y, {{"x", RandomTensor({2, 2, 2, 2})}, {"s", RandomTensor({2}, 1, 2)}, {"o", RandomTensor({2})}}) ==
            "");
    }
  }
}

}  // namespace batch_norm_gradient_test
