// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/bounded_normal_stateless.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace random_bounded_normal_stateless_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("StatelessParameterizedTruncatedNormal") {
  const AttrArgs attrs{{"S", DataType::kInt32}, {"Tseed", DataType::kInt64}, {"dtype", DataType::kFloat}};
  std::vector<Tensor> Inputs(const Tensor& low, const Tensor& high) {
    return {Ints({50, 2}), Longs({4, 5}), Make<float>({2}, {0, 10}), Make<float>({}, {2}), low, high};
  }

  TEST_CASE("samples lie between the bounds of their batch") {
    const Tensor x = Run<ops::StatelessParameterizedTruncatedNormal>(
        attrs, Inputs(Make<float>({2}, {-1, 9}), Make<float>({2}, {1, 14})));
    for (Index i = 0; i < 50; ++i) {
      CHECK((x.data<float>()[2 * i] >= -1 && x.data<float>()[2 * i] <= 1));
      CHECK((x.data<float>()[2 * i + 1] >= 9 && x.data<float>()[2 * i + 1] <= 14));
    }
  }
  TEST_CASE("refuses bounds in the wrong order") {
    CHECK(ErrorOf<ops::StatelessParameterizedTruncatedNormal>(attrs, Inputs(Make<float>({}, {1}), Make<float>({}, {1})))
              .find("INVALID_ARGUMENT: Invalid parameters") == 0);
  }
}
}  // namespace random_bounded_normal_stateless_test
