// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/binomial.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace random_binomial_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("StatelessRandomBinomial") {
  const AttrArgs attrs{
      {"S", DataType::kInt32}, {"Tseed", DataType::kInt64}, {"T", DataType::kDouble}, {"dtype", DataType::kInt64}};

  TEST_CASE("one seed, one answer; sample s of batch b has a place of its own") {
    const std::vector<Tensor> inputs{Ints({3, 2}), Longs({4, 5}), Make<double>({2}, {40, 0}), Make<double>({}, {0.5})};
    const Tensor x = Run<ops::StatelessRandomBinomial>(attrs, inputs);
    CHECK(SameTensor(x, Run<ops::StatelessRandomBinomial>(attrs, inputs)));
    CHECK(x.shape() == TensorShape({3, 2}));
    for (Index s = 0; s < 3; ++s) {
      CHECK(x.data<std::int64_t>()[2 * s] > 5);
      CHECK(x.data<std::int64_t>()[2 * s + 1] == 0);
    }
  }
  TEST_CASE("refuses shapes that do not end as the parameters do") {
    CHECK(ErrorOf<ops::StatelessRandomBinomial>(
              attrs, {Ints({3}), Longs({4, 5}), Make<double>({2}, {1, 2}), Make<double>({}, {0.5})})
              .find("Shape passed in must end with broadcasted shape") != std::string::npos);
    CHECK(ErrorOf<ops::StatelessRandomBinomial>(
              attrs, {Ints({2}), Longs({4, 5}), Make<double>({2}, {1, 2}), Make<double>({3}, {0.5})})
              .find("compatible batch dimensions: [2] vs. [3]") != std::string::npos);
  }
  TEST_CASE("StatefulRandomBinomial is described, and has a kernel") {
    CHECK(InferredShape<ops::StatefulRandomBinomial>({{}, {}, {2}, {}, {}}) == "[?,?]");
  }
}
}  // namespace random_binomial_test
