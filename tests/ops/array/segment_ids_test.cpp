// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/segment_ids.hpp>

#include <cstdint>

#include <tenon/tensor/tensor.hpp>

#include <doctest/doctest.h>

namespace array_segment_ids_test {
using namespace tenon;

TEST_SUITE("ids of segments") {
  TEST_CASE("ascend below a number, over several blocks") {
    constexpr Index kIds = 1000;
    Tensor tensor(DataType::kInt32, {kIds});
    std::int32_t* const ids = tensor.data<std::int32_t>();
    for (Index i = 0; i < kIds; ++i) ids[i] = static_cast<std::int32_t>(i / 3);
    const HostIndices read(tensor.any_view(), DataType::kInt32);
    CHECK(ops::detail::CheckSegmentIds("Op", read, 334).ok());
    CHECK(ops::detail::CheckSegmentIds("Op", read, 333).message() ==
          "Op: Segment id 333 out of range [0, 333), possibly because 'segment_ids' input is not sorted.");
    for (const Index at : {1, 255, 256, 257, 999}) {
      const std::int32_t kept = ids[at];
      ids[at] = -1;
      CHECK_FALSE(ops::detail::CheckSegmentIds("Op", read, 334).ok());
      ids[at] = kept;
    }
  }
  TEST_CASE("the first block with an id that is too large") {
    constexpr Index kIds = 1000;
    Tensor tensor(DataType::kInt64, {kIds});
    std::int64_t* const ids = tensor.data<std::int64_t>();
    for (Index i = 0; i < kIds; ++i) ids[i] = -i;
    const HostIndices read(tensor.any_view(), DataType::kInt64);
    CHECK(ops::detail::FirstBlockAbove(read, 5) == kIds);
    ids[700] = 5;
    CHECK(ops::detail::FirstBlockAbove(read, 5) == 512);
  }
}
}  // namespace array_segment_ids_test
