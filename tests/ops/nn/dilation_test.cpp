// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/dilation.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_dilation_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
using List = std::vector<std::int64_t>;
}  // namespace

TEST_SUITE("Dilation2D") {
  AttrArgs Attrs(List strides, List rates, const char* padding) {
    return {{"strides", strides}, {"rates", rates}, {"padding", padding}};
  }
  const List ones = {1, 1, 1, 1};

  TEST_CASE_TEMPLATE("the largest sums, and where gradients go", T, float, double, half, bfloat16, std::int8_t,
                     std::uint64_t) {
    const Tensor x = Make<T>({1, 2, 2, 1}, {1, 5, 2, 3}), f = Make<T>({2, 2, 1}, {0, 1, 4, 0}),
                 dy = Make<T>({1, 1, 1, 1}, {7});
    const AttrArgs attrs = Attrs(ones, ones, "VALID");
    CHECK(Numbered<T>(Run<ops::Dilation2D>(attrs, {x, f})) == std::vector<double>{6});
    CHECK(Numbered<T>(Run<ops::Dilation2DBackpropInput>(attrs, {x, f, dy})) == std::vector<double>{0, 7, 0, 0});
    CHECK(Numbered<T>(Run<ops::Dilation2DBackpropFilter>(attrs, {x, f, dy})) == std::vector<double>{0, 7, 0, 0});
  }
  TEST_CASE("rates below one, as TensorFlow has them; refusals") {
    const Tensor x = Make<float>({1, 2, 2, 1}, {0, 1, 2, 3}), f = Make<float>({2, 2, 1}, {0});
    CHECK(Numbered<float>(Run<ops::Dilation2D>(Attrs(ones, {1, 0, 1, 1}, "SAME"), {x, f})) ==
          std::vector<double>{1, 1, 3, 3});
    CHECK(ErrorOf<ops::Dilation2D>(Attrs({2, 1, 1, 1}, ones, "SAME"), {x, f}) ==
          "UNIMPLEMENTED: Dilation2D: Stride is only supported across spatial dimensions.");
    CHECK(ErrorOf<ops::Dilation2D>(Attrs({1, 0, 1, 1}, ones, "SAME"), {x, f}) ==
          "INVALID_ARGUMENT: Stride must be > 0, but got 0");
    CHECK(ErrorOf<ops::Dilation2D>(Attrs(ones, ones, "SAME"), {x, Make<float>({2, 2, 2}, {0})})
              .find("must have the same depth: 1 vs 2") != std::string::npos);
    CHECK(ErrorOf<ops::Dilation2DBackpropInput>(Attrs(ones, ones, "SAME"), {x, f, Make<float>({1, 1, 2, 1}, {0})})
              .find("out_backprop has incompatible size") != std::string::npos);
  }
}
}  // namespace nn_dilation_test
