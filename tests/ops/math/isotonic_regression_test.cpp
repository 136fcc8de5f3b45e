// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/isotonic_regression.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace math_isotonic_regression_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("IsotonicRegression") {
  TEST_CASE("rising runs become their mean") {
    const Result<std::vector<Tensor>> x = Call<ops::IsotonicRegression>(
        {{"T", DataType::kFloat}, {"output_dtype", DataType::kFloat}}, {Make<float>({1, 5}, {9, 1, 2, 6, 5})});
    REQUIRE(x.ok());
    CHECK(Numbered<float>((*x)[0]) == std::vector<double>{9, 3.5, 3.5, 3.5, 3.5});
    CHECK(Numbered<std::int32_t>((*x)[1]) == std::vector<double>{0, 1, 1, 1, 1});
  }
  TEST_CASE("integers become floats wide enough, and no other type") {
    CHECK(Numbered<double>(Run<ops::IsotonicRegression>({{"T", DataType::kInt32}, {"output_dtype", DataType::kDouble}},
                                                        {Ints({1, 2})})) == std::vector<double>{1.5, 1.5});
    CHECK(ErrorOf<ops::IsotonicRegression>({{"T", DataType::kInt32}, {"output_dtype", DataType::kFloat}}, {Ints({1})})
              .find("no kernel") != std::string::npos);
  }
}
}  // namespace math_isotonic_regression_test
