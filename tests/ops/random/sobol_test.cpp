// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/sobol.hpp>

#include <limits>
#include <vector>

#include "ops/outputs.hpp"

namespace random_sobol_test {
using namespace tenon;
using namespace tenon::testing;
using ops::SobolSample;

TEST_SUITE("SobolSample") {
  TEST_CASE("points of the plane") {
    CHECK(OutputsOf<SobolSample>({}, {Int(2), Int(4), Int(0)}) == "[0.5 0.5][0.75 0.25][0.25 0.75][0.375 0.375]");
    CHECK(OutputsOf<SobolSample>({{"dtype", DataType::kDouble}}, {Int(1), Int(3), Int(1)}) == "[0.75][0.25][0.375]");
  }
  TEST_CASE("skipped points are the same points") {
    const Tensor all = tenon::testing::Run<SobolSample>({}, {Int(7), Int(100), Int(0)});
    const Tensor some = tenon::testing::Run<SobolSample>({}, {Int(7), Int(60), Int(40)});
    int wrong = 0;
    for (Index i = 0; i < 60 * 7; ++i) wrong += some.data<float>()[i] != all.data<float>()[i + 40 * 7] ? 1 : 0;
    CHECK(wrong == 0);
  }
  TEST_CASE("2^k points have one in each interval of 1 / 2^k") {
    const Tensor points = tenon::testing::Run<SobolSample>({}, {Int(50), Int(255), Int(0)});  // without 0
    for (Index d = 0; d < 50; ++d) {
      std::vector<int> seen(256, 0);
      for (Index i = 0; i < 255; ++i) ++seen[static_cast<std::size_t>(points.data<float>()[i * 50 + d] * 256)];
      CHECK(seen[0] == 0);
      CHECK(std::count(seen.begin(), seen.end(), 1) == 255);
    }
  }
  TEST_CASE("refuses sizes outside of their ranges") {
    const std::string where = "INVALID_ARGUMENT: SobolSample: ";
    constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
    CHECK(ErrorOf<SobolSample>({}, {Int(0), Int(1), Int(0)}) == where + "dim must be at least one, got 0");
    CHECK(ErrorOf<SobolSample>({}, {Int(kMost), Int(1), Int(0)}) ==
          where + "dim must be at most 21200, got 2147483647");
    CHECK(ErrorOf<SobolSample>({}, {Int(1112), Int(1), Int(0)}) ==
          "UNIMPLEMENTED: SobolSample: dim is 1112; there are direction numbers for 1111 dimensions");
    CHECK(ErrorOf<SobolSample>({}, {Int(1), Int(kMost), Int(kMost)}) ==
          where + "num_results+skip must be less than 2147483647, got 2147483647 + 2147483647");
    CHECK(ErrorOf<SobolSample>({}, {Ints({1}), Int(1), Int(0)}) == where + "input 0 must be a scalar, got shape [1]");
  }
  TEST_CASE("shapes") {
    CHECK(ShapesOf<SobolSample>({{}, {}, {}}) == "[?,?]");
    CHECK(ShapesOf<SobolSample>({{}, {1}, {}}) == "INVALID_ARGUMENT: Shape must be rank 0 but is rank 1");
  }
}
}  // namespace random_sobol_test
