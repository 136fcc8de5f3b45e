// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/gather.hpp>
#include <tenon/ops/array/scatter.hpp>

#include "ops/support.hpp"

namespace array_gather_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Gather and scatter") {
  const Tensor numbers = MakeTensor<float>({3}, {1, 2, 3});

  TEST_CASE("an index outside is named with its place, however large") {
    const Tensor bad = MakeTensor<std::int64_t>({1, 2}, {0, std::numeric_limits<std::int64_t>::max()});
    CHECK(ErrorOf<ops::Gather>({}, {numbers, bad}) ==
          "INVALID_ARGUMENT: Gather: indices[0,1] = 9223372036854775807 is not in [0, 3)");
  }
  TEST_CASE("nothing is gathered from nothing") {
    const Tensor nothing(DataType::kFloat, TensorShape({0, 4})), none(DataType::kInt32, TensorShape({0}));
    CHECK(Run<ops::Gather>({}, {nothing, none}).shape() == TensorShape({0, 4}));
  }
  TEST_CASE("TensorScatterAdd fed the same tensor twice leaves what it was fed") {
    const Tensor indices = MakeTensor<std::int32_t>({3, 1}, {0, 0, 2});
    const Tensor out = Run<ops::TensorScatterAdd>({}, {numbers, indices, numbers});
    CHECK(Numbered<float>(out) == std::vector<double>{4, 2, 6});
  }
  TEST_CASE("integer sums wrap") {
    const Tensor most = MakeTensor<std::int32_t>({1}, {std::numeric_limits<std::int32_t>::max()});
    const Tensor out = Run<ops::TensorScatterAdd>(
        {}, {most, MakeTensor<std::int32_t>({1, 1}, {0}), MakeTensor<std::int32_t>({1}, {1})});
    CHECK(out.data<std::int32_t>()[0] == std::numeric_limits<std::int32_t>::min());
  }
}
}  // namespace array_gather_test
