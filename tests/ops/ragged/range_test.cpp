// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/ragged/range.hpp>

#include <cmath>

#include "ops/outputs.hpp"

namespace ragged_range_test {
using namespace tenon;
using namespace tenon::testing;
using ops::RaggedRange;
using ops::detail::RangeLength;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(),
                       kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int32_t kMost32 = std::numeric_limits<std::int32_t>::max(),
                       kLeast32 = std::numeric_limits<std::int32_t>::min();

}  // namespace

TEST_SUITE("RaggedRange") {
  TEST_CASE("how many numbers a row has is what counting them gives") {
    for (std::int32_t start = -4; start <= 4; ++start)
      for (std::int32_t limit = -4; limit <= 4; ++limit)
        for (const std::int32_t delta : {-7, -3, -1, 1, 2, 5}) {
          Index counted = 0;
          for (std::int32_t x = start; delta > 0 ? x < limit : x > limit; x += delta) ++counted;
          CHECK(RangeLength<std::int32_t>(start, limit, delta) == counted);
          CHECK(RangeLength<std::int64_t>(start, limit, delta) == counted);
          CHECK(RangeLength<double>(start, limit, delta) == counted);
        }
  }
  TEST_CASE("at the ends of the type nothing overflows") {
    CHECK(RangeLength<std::int32_t>(kLeast32, kMost32, 1) == (Index{1} << 32) - 1);
    CHECK(RangeLength<std::int32_t>(kMost32, kLeast32, kLeast32) == 2);
    CHECK(RangeLength<std::int64_t>(kLeast, kMost, 1) == -1);  // 2^64 - 1
    CHECK(RangeLength<std::int64_t>(kLeast, kMost, 3) == 6148914691236517205);
    CHECK(RangeLength<std::int64_t>(0, kMost, 1) == kMost);
    CHECK(RangeLength<std::int64_t>(kMost, kLeast, kLeast) == 2);
  }
  TEST_CASE("infinite and undefined numbers of floats are too many") {
    CHECK(RangeLength<double>(0, kInfinity, 1) == -1);
    CHECK(RangeLength<double>(kNaN, 1, 1) == -1);
    CHECK(RangeLength<float>(0, 1, std::numeric_limits<float>::denorm_min()) == -1);
    CHECK(RangeLength<double>(0, 1e18, 1) == 1000000000000000000);
    CHECK(RangeLength<double>(0, 1, kInfinity) == 0);
  }
  TEST_CASE("rows against a plain loop; scalars count for all rows") {
    const std::vector<double> limits{3, 0, 1.5};
    std::string splits = "0", values;
    int total = 0;
    for (const double limit : limits) {
      for (double x = 0; x < limit; x += 0.5, ++total) StrAppend(&values, values.empty() ? "" : " ", x);
      StrAppend(&splits, " ", total);
    }
    CHECK(OutputsOf<RaggedRange>({}, {Tensor::Scalar<float>(0), Make<float>({3}, {3, 0, 1.5}),
                                      Tensor::Scalar<float>(0.5f)}) == StrCat(splits, " | ", values));
    CHECK(OutputsOf<RaggedRange>({}, {Int(2), Int(9), Int(3)}) == "0 3 | 2 5 8");
    CHECK(OutputsOf<RaggedRange>({}, {Ints({}), Int(9), Int(3)}) == "0 | ");
  }
  TEST_CASE("what cannot be is refused with the row") {
    CHECK(OutputsOf<RaggedRange>({}, {Ints({0, 0}), Int(5), Ints({1, 0})}) ==
          "INVALID_ARGUMENT: RaggedRange: Requires delta != 0, row 1");
    CHECK(OutputsOf<RaggedRange>({}, {Tensor::Scalar(kLeast), Tensor::Scalar(kMost), Longs({kMost, 1})}) ==
          StrCat("INVALID_ARGUMENT: RaggedRange: Requires ((limit - start) / delta) <= ", kMost, ", row 1"));
    const AttrArgs narrow{{"Tsplits", DataType::kInt32}};
    CHECK(OutputsOf<RaggedRange>(narrow, {Longs({0, 0}), Longs({1, 3000000000}), Tensor::Scalar<std::int64_t>(1)}) ==
          "INVALID_ARGUMENT: RaggedRange: Requires ((limit - start) / delta) <= 2147483647, row 1");
    CHECK(OutputsOf<RaggedRange>(narrow,
                                 {Longs({0, 0}), Longs({2000000000, 2000000000}), Tensor::Scalar<std::int64_t>(1)}) ==
          "INVALID_ARGUMENT: RaggedRange: the total range length overflowed int32 in row 1");
  }
  TEST_CASE("the shape function knows the splits' length where it knows a vector's") {
    CHECK(ShapesOf<RaggedRange>({{3}, {}, {3}}) == "[4] [?]");
    CHECK(ShapesOf<RaggedRange>({{}, {}, {}}) == "[2] [?]");
    CHECK(ShapesOf<RaggedRange>({StaticShape(), {}, {}}) == "[?] [?]");
    CHECK(ShapesOf<RaggedRange>({{3}, {4}, {}}) == "INVALID_ARGUMENT: Dimensions must be equal, but are 4 and 3");
  }
}
}  // namespace ragged_range_test
