// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/global_normalization_gradient.hpp>

#include <string>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_global_normalization_gradient_test {
using namespace tenon;
using namespace tenon::testing;

// Only graphs of version 8 and before have the op: recorded cases test its numbers.
TEST_SUITE("BatchNormWithGlobalNormalizationGrad") {
  using Grad = ops::BatchNormWithGlobalNormalizationGrad;

  TEST_CASE("shapes: the images, and four vectors of their channels") {
    CHECK(InferredShape<Grad>({{2, -1, 3, 4}, {4}, {4}, {4}, {-1, 5, 3, -1}}) == "[2,5,3,4]");
    for (int output = 1; output < 5; ++output)
      CHECK(InferredShape<Grad>({{2, 5, 3, -1}, {-1}, {4}, {-1}, {2, 5, 3, -1}}, {}, output) == "[4]");
    CHECK(InferredShape<Grad>({{2, 5, 3, 4}, {3}, {4}, {4}, {2, 5, 3, 4}}).find("Dimensions must be equal") !=
          std::string::npos);
  }
  TEST_CASE("refuses new graphs") {
    const Tensor x = Make<float>({1, 1, 1, 1}, {1}), v = Make<float>({1}, {1});
    CHECK(ErrorOf<Grad>({{"variance_epsilon", 0.1f}, {"scale_after_normalization", true}}, {x, v, v, v, x})
              .find("is not available in GraphDef version") != std::string::npos);
  }
}
}  // namespace nn_global_normalization_gradient_test
