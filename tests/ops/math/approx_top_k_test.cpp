// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/approx_top_k.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace math_approx_top_k_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("ApproxTopK") {
  TEST_CASE("the exact ones, also where it does not aggregate") {
    for (const bool aggregate : {true, false}) {
      const Result<std::vector<Tensor>> x =
          Call<ops::ApproxTopK>({{"T", DataType::kFloat}, {"k", std::int64_t{2}}, {"aggregate_to_topk", aggregate}},
                                {Make<float>({2, 3}, {1, 3, 2, 6, 5, 4})});
      REQUIRE(x.ok());
      CHECK(Numbered<float>((*x)[0]) == std::vector<double>{3, 2, 6, 5});
      CHECK(Numbered<std::int32_t>((*x)[1]) == std::vector<double>{1, 2, 0, 1});
    }
  }
  TEST_CASE("has no kernel for other axes, as in TensorFlow") {
    CHECK(ErrorOf<ops::ApproxTopK>(
              {{"T", DataType::kFloat}, {"k", std::int64_t{1}}, {"reduction_dimension", std::int64_t{0}}},
              {Make<float>({2, 3}, {1})})
              .find("no kernel") != std::string::npos);
  }
}
}  // namespace math_approx_top_k_test
