// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/pool3d.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_pool3d_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
using List = std::vector<std::int64_t>;
}  // namespace

TEST_SUITE("pools over volumes") {
  const AttrArgs row = {{"ksize", List{1, 1, 1, 2, 1}}, {"strides", List{1, 1, 1, 2, 1}}, {"padding", "SAME"}};

  TEST_CASE_TEMPLATE("averages, largest, gradients", T, float, bfloat16) {
    const Tensor x = Make<T>({1, 1, 1, 3, 1}, {1, 3, 5}), y = Make<T>({1, 1, 1, 2, 1}, {3, 5}),
                 dy = Make<T>({1, 1, 1, 2, 1}, {2, 4});
    CHECK(Numbered<T>(Run<ops::AvgPool3D>(row, {x})) == std::vector<double>{2, 5});
    CHECK(Numbered<T>(Run<ops::MaxPool3D>(row, {x})) == std::vector<double>{3, 5});
    CHECK(Numbered<T>(Run<ops::AvgPool3DGrad>(row, {Make<std::int32_t>({5}, {1, 1, 1, 3, 1}), dy})) ==
          std::vector<double>{1, 1, 4});
    CHECK(Numbered<T>(Run<ops::MaxPool3DGrad>(row, {x, y, dy})) == std::vector<double>{0, 2, 4});
  }
  TEST_CASE("refuses what TensorFlow refuses") {
    const auto error = [](List ksize, const char* format) {
      return ErrorOf<ops::AvgPool3D>(
          {{"ksize", ksize}, {"strides", List{1, 1, 1, 1, 1}}, {"padding", "SAME"}, {"data_format", format}},
          {Make<float>({1, 1, 1, 4, 1}, {1})});
    };
    CHECK(error({2, 1, 1, 1, 1}, "NDHWC") ==
          "UNIMPLEMENTED: AvgPool3D: Pooling is not yet supported on the batch dimension.");
    CHECK(error({1, 1, 1, 0, 1}, "NDHWC").find("ksize must be positive") != std::string::npos);
    CHECK(error({1, 1, 1, 1, 1}, "NCDHW").find("only supports NDHWC") != std::string::npos);
    CHECK(ErrorOf<ops::MaxPool3D>(row, {Make<half>({1, 1, 1, 4, 1}, {1})}).find("no kernel for op 'MaxPool3D'") !=
          std::string::npos);
    CHECK(ErrorOf<ops::MaxPool3DGrad>(row, {Make<float>({1, 1, 1, 4, 1}, {1}), Make<float>({1, 1, 1, 2, 1}, {1}),
                                            Make<float>({1, 1, 1, 1, 1}, {1})}) ==
          "INVALID_ARGUMENT: MaxPool3DGrad: Expected grad shape to be [1,1,1,2,1], but got [1,1,1,1,1]");
  }
}
}  // namespace nn_pool3d_test
