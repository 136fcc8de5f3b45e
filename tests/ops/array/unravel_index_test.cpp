// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/unravel_index.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "ops/support.hpp"

namespace array_unravel_index_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("UnravelIndex") {
  TEST_CASE("coordinates, the last dimension fastest") {
    const Tensor x = Run<ops::UnravelIndex>({{"Tidx", DataType::kInt32}}, {Ints({0, 5, 11}), Ints({3, 4})});
    CHECK(x.shape() == TensorShape({2, 3}));
    CHECK(Numbered<std::int32_t>(x) == std::vector<double>{0, 1, 2, 0, 1, 3});
    CHECK(InferredShape<ops::UnravelIndex>({{7}, {2}}) == "[2,7]");
    CHECK(InferredShape<ops::UnravelIndex>({{}, {3}}) == "[3]");
  }
  TEST_CASE("refuses indices and sizes outside of their ranges") {
    const AttrArgs attrs{{"Tidx", DataType::kInt32}};
    CHECK(ErrorOf<ops::UnravelIndex>(attrs, {Ints({12}), Ints({3, 4})}).find("index is out of bound as with dims") !=
          std::string::npos);
    CHECK(ErrorOf<ops::UnravelIndex>(attrs, {Ints({1}), Ints({3, 0})}).find("cannot contain a dim of zero") !=
          std::string::npos);
    CHECK(ErrorOf<ops::UnravelIndex>(attrs, {Ints({1}), Ints({1 << 20, 1 << 20})}).find("integer overflow") !=
          std::string::npos);
  }
}
}  // namespace array_unravel_index_test
