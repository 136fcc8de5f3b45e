// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/nearest_neighbors.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

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
    CHECK(run(Tensor(DataType::kFloat, {1, 0}), Tensor(DataType::kFloat, {Index{1} << 50, 0}), 2) == "[0 1] | [0 0]");
    CHECK(run(Make<float>({1, 1}, {kNaN}), Make<float>({2, 1}, {1, 2}), 1) == "[0] | [inf]");
  }
  TEST_CASE("as a sort of all distances says") {
    constexpr Index kPoints = 7, kCenters = 150, kSize = 3;
    Tensor points(DataType::kFloat, {kPoints, kSize}), centers(DataType::kFloat, {kCenters, kSize});
    for (Index i = 0; i < points.NumElements(); ++i) points.data<float>()[i] = static_cast<float>(i * 37 % 11);
    for (Index i = 0; i < centers.NumElements(); ++i) centers.data<float>()[i] = static_cast<float>(i * 53 % 13);
    for (const Index k : {1, 5, 64, 150, 200}) {
      const Result<std::vector<Tensor>> out =
          Call<ops::NearestNeighbors>({}, {points, centers, Tensor::Scalar(std::int64_t{k})});
      REQUIRE(out.ok());
      const Index wanted = std::min(k, kCenters);
      bool same = true;
      for (Index p = 0; p < kPoints; ++p) {
        std::vector<std::pair<float, std::int64_t>> all;
        for (Index c = 0; c < kCenters; ++c) {
          float sum = 0;
          for (Index d = 0; d < kSize; ++d) {
            const float step = points.data<float>()[p * kSize + d] - centers.data<float>()[c * kSize + d];
            sum += step * step;
          }
          all.emplace_back(sum, c);
        }
        std::sort(all.begin(), all.end());
        for (Index i = 0; i < wanted; ++i) {
          same = same && (*out)[0].data<std::int64_t>()[p * wanted + i] == all[static_cast<std::size_t>(i)].second;
          same = same && (*out)[1].data<float>()[p * wanted + i] == all[static_cast<std::size_t>(i)].first;
        }
      }
      CHECK(same);
    }
  }
}
}  // namespace math_nearest_neighbors_test
