// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/conv3d.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_conv3d_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
using List = std::vector<std::int64_t>;
}  // namespace

TEST_SUITE("Conv3D") {
  const AttrArgs plain = {{"strides", List{1, 1, 1, 1, 1}}, {"padding", "VALID"}};

  TEST_CASE_TEMPLATE("slides over volumes; its gradients", T, float, double, half, bfloat16) {
    const Tensor x = Make<T>({1, 2, 1, 3, 1}, {1, 2, 3, 4, 5, 6}), f = Make<T>({2, 1, 2, 1, 1}, {1, 0, 0, 2}),
                 dy = Make<T>({1, 1, 1, 2, 1}, {1, 10});
    const Tensor y = Run<ops::Conv3D>(plain, {x, f});
    CHECK(y.shape() == TensorShape{1, 1, 1, 2, 1});
    CHECK(Numbered<T>(y) == std::vector<double>{11, 14});
    CHECK(Numbered<T>(Run<ops::Conv3DBackpropInputV2>(plain, {Make<std::int64_t>({5}, {1, 2, 1, 3, 1}), f, dy})) ==
          std::vector<double>{1, 10, 0, 0, 2, 20});
    CHECK(Numbered<T>(Run<ops::Conv3DBackpropFilterV2>(plain, {x, Make<std::int32_t>({5}, {2, 1, 2, 1, 1}), dy})) ==
          std::vector<double>{21, 32, 54, 65});
  }
  TEST_CASE("in groups") {
    CHECK(Numbered<float>(
              Run<ops::Conv3D>(plain, {Make<float>({1, 1, 1, 1, 2}, {3, 5}), Make<float>({1, 1, 1, 1, 2}, {2, 4})})) ==
          std::vector<double>{6, 20});
  }
  TEST_CASE("refuses what TensorFlow refuses") {
    const Tensor x = Make<float>({1, 2, 2, 2, 1}, {1}), f = Make<float>({1, 1, 1, 1, 1}, {1});
    const auto error = [&](List strides, List dilations, const char* format, const Tensor& filter) {
      return ErrorOf<ops::Conv3D>(
          {{"strides", strides}, {"padding", "SAME"}, {"dilations", dilations}, {"data_format", format}}, {x, filter});
    };
    const List ones = {1, 1, 1, 1, 1};
    CHECK(error({2, 1, 1, 1, 1}, ones, "NDHWC", f).find("strides in the batch and depth dimensions") !=
          std::string::npos);
    CHECK(error(ones, {1, 2, 1, 1, 1}, "NDHWC", f).find("only supports dilated rates of 1") != std::string::npos);
    CHECK(error(ones, ones, "NCDHW", f).find("only supports the NDHWC tensor format") != std::string::npos);
    CHECK(error(ones, ones, "NDHWC", Make<float>({1, 1, 1, 1, 0}, {1})).find("filter must not have zero elements") !=
          std::string::npos);
  }
}
}  // namespace nn_conv3d_test
