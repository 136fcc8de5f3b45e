// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/nearest_neighbors.hpp>

#include <doctest/doctest.h>

#include "ops/outputs.hpp"

namespace math_nearest_neighbors_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("NearestNeighbors") {
  TEST_CASE("nearest first, and the first of equal ones") {
    const Tensor points = Make<float>({2, 2}, {0, 0, 5, 5}), centers = Make<float>({3, 2}, {1, 0, 4, 4, 0, 1});
    const auto run = [&](const Tensor& p, const Tensor& c, std::int64_t k) {
      return OutputsOf<ops::NearestNeighbors>({}, {p, c, Tensor::Scalar(k)});
    };
    CHECK(run(points, centers, 2) == "[0 2][1 0] | [1 1][2 41]");
    CHECK(run(points, centers, 0) == " | ");
    CHECK(run(points, centers, -1).find("INVALID_ARGUMENT") == 0);
    CHECK(run(points, Make<float>({1, 3}, {1}), 1).find("INVALID_ARGUMENT") == 0);
    CHECK(run(Tensor(DataType::kFloat, {1, 0}), Tensor(DataType::kFloat, {Index{1} << 50, 0}), 1)
              .find("RESOURCE_EXHAUSTED") == 0);
    CHECK(run(Make<float>({1, 1}, {kNaN}), Make<float>({2, 1}, {1, 2}), 1) == "[0] | [inf]");
  }
}
}  // namespace math_nearest_neighbors_test
