// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/pool_second_gradient.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_pool_second_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of MaxPool's gradients") {
  const Tensor x = Make<float>({1, 1, 4, 1}, {1, 3, 2, 2}), y = Make<float>({1, 1, 2, 1}, {3, 2}),
               grad = Make<float>({1, 1, 4, 1}, {5, 6, 7, 8}), size = Make<std::int32_t>({4}, {1, 1, 2, 1});

  TEST_CASE("sizes as attrs and as inputs") {
    const std::vector<double> want{6, 7};
    const std::vector<std::int64_t> sizes{1, 1, 2, 1};
    CHECK(Numbered<float>(Run<ops::MaxPoolGradGrad>({{"ksize", sizes}, {"strides", sizes}, {"padding", "VALID"}},
                                                    {x, y, grad})) == want);
    CHECK(Numbered<float>(Run<ops::MaxPoolGradGradV2>({{"padding", "VALID"}}, {x, y, grad, size, size})) == want);
  }
  TEST_CASE("volumes") {
    const std::vector<std::int64_t> sizes{1, 1, 1, 2, 1};
    const Tensor volume = Make<float>({1, 1, 1, 4, 1}, {1, 3, 2, 2}), out = Make<float>({1, 1, 1, 2, 1}, {3, 2});
    CHECK(Numbered<float>(Run<ops::MaxPool3DGradGrad>({{"ksize", sizes}, {"strides", sizes}, {"padding", "VALID"}},
                                                      {volume, out, volume})) == std::vector<double>{3, 2});
  }
  TEST_CASE("refuses other shapes") {
    CHECK(ErrorOf<ops::MaxPoolGradGradV2>({{"padding", "VALID"}}, {x, y, y, size, size})
              .find("Expected grad shape to be [1,1,4,1]") != std::string::npos);
  }
}
}  // namespace nn_pool_second_gradient_test
