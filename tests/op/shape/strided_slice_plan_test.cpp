// SPDX-License-Identifier: Apache-2.0
// That the header is enough by itself; shape_fns_test.cpp goes through the masks.
#include <tenon/op/shape/strided_slice_plan.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace strided_slice_plan_test {
namespace {
using namespace tenon;

TEST_SUITE("PlanStridedSlice") {
  TEST_CASE("x[1:3, ::-2] of a [4, 5]") {
    const std::vector<std::int64_t> input{4, 5};
    const SlimVector<std::int64_t> begin{1, 0}, end{3, 0}, strides{1, -2};
    StridedSlicePlan plan;
    REQUIRE(PlanStridedSlice(input, &begin, &end, strides, 2, 2, 0, 0, 0, &plan).ok());
    CHECK(plan.final_shape == SlimVector<std::int64_t>{2, 3});
    CHECK(plan.begin == SlimVector<std::int64_t>{1, 4});
    CHECK_FALSE(plan.is_identity);
    CHECK_FALSE(plan.is_simple_slice);
  }
  TEST_CASE("refuses a stride of zero") {
    const std::vector<std::int64_t> input{4};
    const SlimVector<std::int64_t> begin{0}, end{2}, strides{0};
    StridedSlicePlan plan;
    CHECK(PlanStridedSlice(input, &begin, &end, strides, 0, 0, 0, 0, 0, &plan).message() ==
          "strides[0] must be non-zero");
  }
}
}  // namespace
}  // namespace strided_slice_plan_test
