// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/conv_gradient.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_conv_gradient_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
using List = std::vector<std::int64_t>;
}  // namespace

TEST_SUITE("gradients of Conv2D") {
  const AttrArgs plain = {{"strides", List{1, 2, 2, 1}}, {"padding", "VALID"}};
  const Tensor filter = Make<float>({2, 2, 1, 1}, {1, 2, 3, 4}), one = Make<float>({1, 1, 1, 1}, {10});

  TEST_CASE_TEMPLATE("of the input and of the filter", T, float, double, half, bfloat16) {
    const Tensor f = Make<T>({2, 2, 1, 1}, {1, 2, 3, 4}), dy = Make<T>({1, 1, 1, 1}, {10});
    CHECK(Numbered<T>(Run<ops::Conv2DBackpropInput>(plain, {Make<std::int32_t>({4}, {1, 3, 2, 1}), f, dy})) ==
          std::vector<double>{10, 20, 30, 40, 0, 0});
    CHECK(Numbered<T>(Run<ops::Conv2DBackpropInput>(plain, {Make<std::int32_t>({2}, {2, 2}), f, dy})) ==
          std::vector<double>{10, 20, 30, 40});
    CHECK(Numbered<T>(Run<ops::Conv2DBackpropFilter>(
              plain, {Make<T>({1, 3, 2, 1}, {1, 2, 3, 4, 5, 6}), Make<std::int32_t>({4}, {2, 2, 1, 1}), dy})) ==
          std::vector<double>{10, 20, 30, 40});
  }
  TEST_CASE("of int32 the input's") {
    CHECK(Numbered<std::int32_t>(Run<ops::Conv2DBackpropInput>(
              plain, {Make<std::int32_t>({4}, {1, 2, 2, 1}), Make<std::int32_t>({2, 2, 1, 1}, {1, 2, 3, 4}),
                      Make<std::int32_t>({1, 1, 1, 1}, {5})})) == std::vector<double>{5, 10, 15, 20});
  }
  TEST_CASE("refuses what TensorFlow refuses") {
    const auto error = [&](AttrArgs attrs, std::initializer_list<double> sizes) {
      return ErrorOf<ops::Conv2DBackpropInput>(
          attrs, {Make<std::int32_t>({static_cast<Index>(sizes.size())}, sizes), filter, one});
    };
    CHECK(error(plain, {1, 5, 2, 1}).find("Size of out_backprop doesn't match computed: actual = 1, computed = 2") !=
          std::string::npos);
    CHECK(error(plain, {2, 2, 2, 1}).find("must have the same batch size. Input batch: 2, outbackprop batch: 1") !=
          std::string::npos);
    CHECK(error(plain, {1, 2, 2, 2}).find("Gradients for grouped convolutions are not supported on CPU") !=
          std::string::npos);
    CHECK(error(plain, {1, -2, 2, 1}).find("Dimension -2 must be >= 0") != std::string::npos);
    CHECK(
        error({{"strides", List{1, 1, 1, 1}}, {"padding", "VALID"}, {"dilations", List{1, 2, 2, 1}}}, {1, 3, 3, 1}) ==
        "INVALID_ARGUMENT: Conv2DCustomBackpropInput: Current CPU implementations do not yet support dilation rates larger than 1.");
    CHECK(ErrorOf<ops::Conv2DBackpropFilter>(
              plain, {Make<float>({1, 2, 2, 0}, {1}), Make<std::int32_t>({4}, {2, 2, 0, 1}), one})
              .find("filter depth must be strictly positive") != std::string::npos);
  }
}
}  // namespace nn_conv_gradient_test
