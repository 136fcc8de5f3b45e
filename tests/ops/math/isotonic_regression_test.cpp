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
  TEST_CASE("random rows: pooled as long as two neighbours rise") {
    for (const Index n : {1, 2, 3, 17, 400}) {
      Tensor x(DataType::kDouble, {1, n});
      std::vector<std::vector<double>> pools;
      const auto mean = [](const std::vector<double>& pool) {
        double sum = 0;
        for (const double value : pool) sum += value;
        return sum / static_cast<double>(pool.size());
      };
      for (Index i = 0; i < n; ++i) {
        const double value = static_cast<double>(i * 7919 % 101) - static_cast<double>(i % 37);
        x.data<double>()[i] = value;
        pools.push_back({value});
        while (pools.size() > 1 && mean(pools.back()) > mean(pools[pools.size() - 2])) {
          pools[pools.size() - 2].insert(pools[pools.size() - 2].end(), pools.back().begin(), pools.back().end());
          pools.pop_back();
        }
      }
      const Result<std::vector<Tensor>> out =
          Call<ops::IsotonicRegression>({{"T", DataType::kDouble}, {"output_dtype", DataType::kDouble}}, {x});
      REQUIRE(out.ok());
      Index at = 0;
      for (std::size_t p = 0; p < pools.size(); ++p)
        for (std::size_t k = 0; k < pools[p].size(); ++k, ++at) {
          CHECK((*out)[0].data<double>()[at] == doctest::Approx(mean(pools[p])));
          CHECK((*out)[1].data<std::int32_t>()[at] == static_cast<std::int32_t>(p));
        }
    }
  }
  TEST_CASE("integers become floats wide enough, and no other type") {
    CHECK(Numbered<double>(Run<ops::IsotonicRegression>({{"T", DataType::kInt32}, {"output_dtype", DataType::kDouble}},
                                                        {Ints({1, 2})})) == std::vector<double>{1.5, 1.5});
    CHECK(ErrorOf<ops::IsotonicRegression>({{"T", DataType::kInt32}, {"output_dtype", DataType::kFloat}}, {Ints({1})})
              .find("no kernel") != std::string::npos);
  }
}
}  // namespace math_isotonic_regression_test
