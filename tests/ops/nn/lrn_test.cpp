// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/nn/lrn.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace nn_lrn_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("LRN") {
  TEST_CASE_TEMPLATE("divides by the neighbours' squares, TensorFlow's numbers", T, float, half) {
    const std::vector<double> y =
        Numbered<T>(Run<ops::LRN>({{"depth_radius", std::int64_t{1}}}, {Make<T>({1, 1, 1, 3}, {1, 2, 3})}));
    CHECK(y[0] == doctest::Approx(0.408248276).epsilon(2 * RoundingUnit<T>()));
    CHECK(y[1] == doctest::Approx(0.516397774).epsilon(2 * RoundingUnit<T>()));
    CHECK(y[2] == doctest::Approx(0.801783681).epsilon(2 * RoundingUnit<T>()));
  }
  TEST_CASE("nothing in, nothing out; refusals") {
    CHECK(Run<ops::LRN>({}, {Make<float>({1, 1, 1, 0}, {1})}).shape() == TensorShape{1, 1, 1, 0});
    CHECK(ErrorOf<ops::LRN>({{"depth_radius", std::int64_t{-1}}}, {Make<float>({1, 1, 1, 3}, {1})})
              .find("depth_radius = -1 larger than int max") != std::string::npos);
    const Tensor a = Make<float>({1, 1, 1, 2}, {1}), b = Make<float>({1, 1, 2, 1}, {1});
    CHECK(ErrorOf<ops::LRNGrad>({}, {a, b, a}).find("should have the same shape") != std::string::npos);
    CHECK(ErrorOf<ops::LRN>({}, {Make<bfloat16>({1, 1, 1, 3}, {1})})
              .find("no kernel for op 'LRN' on CPU with types {bfloat16}") != std::string::npos);
  }
}
}  // namespace nn_lrn_test
