// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/random/index_shuffle.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace random_index_shuffle_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("RandomIndexShuffle") {
  const AttrArgs attrs{{"dtype", DataType::kInt32}, {"Tseed", DataType::kInt32}};

  TEST_CASE("is a permutation, another one for another seed") {
    Tensor all(DataType::kInt32, TensorShape({1000}));
    for (Index i = 0; i < 1000; ++i) all.data<std::int32_t>()[i] = static_cast<std::int32_t>(i);
    const Tensor x = Run<ops::RandomIndexShuffle>(attrs, {all, Ints({1, 2, 3}), Int(999)}),
                 y = Run<ops::RandomIndexShuffle>(attrs, {all, Ints({1, 2, 4}), Int(999)});
    CHECK(Numbered<std::int32_t>(x) != Numbered<std::int32_t>(y));
    std::vector<double> sorted = Numbered<std::int32_t>(x);
    CHECK(sorted != Numbered<std::int32_t>(all));
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == Numbered<std::int32_t>(all));
  }
  TEST_CASE("refuses indices beyond the largest, and rounds that are odd") {
    CHECK(ErrorOf<ops::RandomIndexShuffle>(attrs, {Int(5), Ints({1, 2, 3}), Int(4)}) ==
          "INVALID_ARGUMENT: RandomIndexShuffle: max_index must be >= index, but 4 < 5");
    AttrArgs odd = attrs;
    odd.push_back({"rounds", std::int64_t{5}});
    CHECK(ErrorOf<ops::RandomIndexShuffle>(odd, {Int(1), Ints({1, 2, 3}), Int(4)}).find("rounds must be even") !=
          std::string::npos);
  }
}
}  // namespace random_index_shuffle_test
