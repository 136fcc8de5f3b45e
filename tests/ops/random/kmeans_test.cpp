// SPDX-License-Identifier: Apache-2.0
// TensorFlow's recorded draws are in tests/golden/ops/debug_and_draws.pb.
#include <tenon/ops/random/kmeans.hpp>

#include <doctest/doctest.h>

#include "ops/outputs.hpp"

namespace random_kmeans_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("centers of clusters") {
  const auto centers = [](const Tensor& points, std::int64_t n, std::int64_t retries) {
    return OutputsOf<ops::KmeansPlusPlusInitialization>(
        {}, {points, Tensor::Scalar(n), Tensor::Scalar(std::int64_t{5}), Tensor::Scalar(retries)});
  };
  TEST_CASE("no point is drawn twice while another has a distance") {
    const Tensor far = Make<float>({4, 1}, {0, 0, 0, 9});
    for (const std::int64_t retries : {0, 1, 3}) CHECK(centers(far, 2, retries).find('9') != std::string::npos);
  }
  TEST_CASE("points without a distance are drawn evenly, and each once") {
    CHECK(centers(Make<float>({3, 1}, {2, 2, 2}), 3, 0) == "[2][2][2]");
    CHECK(centers(Make<float>({2, 1}, {kNaN, kNaN}), 2, 0) == "[nan][nan]");
    CHECK(centers(Make<float>({2, 1}, {kNaN, 1}), 2, 2).find("nan") != std::string::npos);
  }
  TEST_CASE("too many retries are refused") {
    CHECK(centers(Make<float>({2, 1}, {1, 2}), 1, INT64_MAX).find("INVALID_ARGUMENT") == 0);
    CHECK(centers(Tensor(DataType::kFloat, {Index{1} << 50, 0}), 1, 0).find("RESOURCE_EXHAUSTED") == 0);
  }
  TEST_CASE("a chain keeps a distance that others do not reach") {
    const auto chain = [](std::initializer_list<double> distances) {
      return OutputsOf<ops::KMC2ChainInitialization>(
          {}, {Make<float>({static_cast<Index>(distances.size())}, distances), Tensor::Scalar(std::int64_t{3})});
    };
    CHECK(chain({1, 0, 0}) == "0");
    CHECK(chain({0, 2, 9}) == "2");
    CHECK(chain({kNaN, 2, 9}) == "0");
    CHECK(chain({}).find("INVALID_ARGUMENT") == 0);
  }
}
}  // namespace random_kmeans_test
