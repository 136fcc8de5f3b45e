// SPDX-License-Identifier: Apache-2.0
// TensorFlow's recorded draws are in tests/golden/ops/debug_and_draws.pb.
#include <tenon/ops/random/stochastic_cast.hpp>

#include <doctest/doctest.h>

#include "ops/outputs.hpp"

namespace random_stochastic_cast_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("StochasticCastToInt") {
  const auto rounded = [](const Tensor& x, DataType to, double key = 1) {
    return Run<ops::StochasticCastToInt>(
        {{"Tin", x.dtype()}, {"Tout", to}},
        {x, Make<std::uint64_t>({1}, {key}), Make<std::uint64_t>({2}, {0, 0}), Tensor::Scalar(std::int32_t{1})});
  };
  TEST_CASE("the mean of many draws is the number") {
    for (const float number : {0.25f, -0.25f, 3.75f, -7.5f}) {
      Tensor x(DataType::kFloat, {4001});
      for (float& one : x.flat<float>()) one = number;
      const Tensor y = rounded(x, DataType::kInt32);
      double sum = 0;
      for (const std::int32_t one : y.flat<std::int32_t>()) {
        CHECK(std::abs(static_cast<float>(one) - number) < 1);
        sum += one;
      }
      CHECK(std::abs(sum / 4001 - static_cast<double>(number)) < 0.03);
    }
  }
  TEST_CASE("whole numbers stay, and the ends are those of the integers") {
    const Tensor x = Make<float>({6}, {2, -3, kNaN, kInfinity, -kInfinity, 127});
    CHECK(rounded(x, DataType::kInt8).SummarizeValue(9) == "2 -3 0 127 -128 127");
    CHECK(rounded(Make<double>({2}, {1e300, -1e300}), DataType::kInt32).SummarizeValue(9) == "2147483647 -2147483648");
  }
  TEST_CASE("another key rounds another way") {
    Tensor x(DataType::kDouble, {64});
    for (double& one : x.flat<double>()) one = 0.5;
    CHECK(!SameTensor(rounded(x, DataType::kInt16, 1), rounded(x, DataType::kInt16, 2)));
  }
}
}  // namespace random_stochastic_cast_test
