// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/fractional_pool_gradient.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_fractional_pool_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of fractional pools") {
  // One row of five: windows of two and three elements.
  const Tensor x = Make<float>({1, 1, 5, 1}, {1, 3, 2, 2, 0}), y = Make<float>({1, 1, 2, 1}, {3, 2}),
               back = Make<float>({1, 1, 2, 1}, {10, 6}), rows = Make<std::int64_t>({2}, {0, 1}),
               columns = Make<std::int64_t>({3}, {0, 2, 5}), shape = Make<std::int64_t>({4}, {1, 1, 5, 1});

  TEST_CASE("the largest: the first of equal elements") {
    CHECK(Numbered<float>(Run<ops::FractionalMaxPoolGrad>({}, {x, y, back, rows, columns})) ==
          std::vector<double>{0, 10, 6, 0, 0});
  }
  TEST_CASE("the mean") {
    CHECK(Numbered<float>(Run<ops::FractionalAvgPoolGrad>({}, {shape, back, rows, columns})) ==
          std::vector<double>{5, 5, 2, 2, 2});
    const std::vector<double> got =
        Numbered<float>(Run<ops::FractionalAvgPoolGrad>({{"overlapping", true}}, {shape, back, rows, columns}));
    CHECK(got[1] == doctest::Approx(10.0 / 3));
    CHECK(got[2] == doctest::Approx(10.0 / 3 + 2));
    CHECK(got[3] == 2);
  }
  TEST_CASE("refuses another output and short sequences") {
    CHECK(ErrorOf<ops::FractionalMaxPoolGrad>({}, {x, back, back, rows, columns})
              .find("tensor_out_dup is not the same as tensor_out") != std::string::npos);
    CHECK(ErrorOf<ops::FractionalAvgPoolGrad>({}, {shape, back, rows, rows}).find("must have at least 3 elements") !=
          std::string::npos);
  }
}
}  // namespace nn_fractional_pool_gradient_test
