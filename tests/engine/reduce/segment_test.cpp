// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>
#include <limits>

#include <tenon/engine/reduce/segment.hpp>

#include <doctest/doctest.h>

namespace segment_test {
using namespace tenon;

TEST_SUITE("Segment") {
  TEST_CASE("what an operation starts from") {
    float x = 0;
    std::memcpy(&x, OrderSegmentLoops<SegmentMaxStep>(DataType::kFloat).start, sizeof x);
    CHECK(x == std::numeric_limits<float>::lowest());
    std::memcpy(&x, ArithmeticSegmentLoops<SegmentProdStep>(DataType::kFloat).start, sizeof x);
    CHECK(x == 1.0f);
    std::int8_t y = 0;
    std::memcpy(&y, OrderSegmentLoops<SegmentMinStep>(DataType::kInt8).start, sizeof y);
    CHECK(y == 127);
    CHECK((OrderSegmentLoops<SegmentMaxStep>(DataType::kComplex64).fold == nullptr));
  }
  TEST_CASE("integers wrap; the mean is cut towards zero") {  // TensorFlow 2.21's answers
    std::int8_t sum[] = {100, -3};
    const std::int8_t row[] = {100, -4};
    const SegmentLoops loops = MeanSegmentLoops(DataType::kInt8);
    loops.fold(row, sum, 2);
    CHECK(sum[0] == -56);
    loops.divide(sum, 2, 2);
    CHECK(sum[0] == -28);
    CHECK(sum[1] == -3);
  }
  TEST_CASE("the greatest, where NaN comes first and last") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    float out[] = {nan, 2};
    const float row[] = {1, nan};
    OrderSegmentLoops<SegmentMaxStep>(DataType::kFloat).fold(row, out, 2);
    CHECK(out[0] == 1.0f);
    CHECK(out[1] != out[1]);
  }
  TEST_CASE("picked rows of half are added up as float") {
    const PickedSumLoops loops = PickedSumLoopsFor(DataType::kHalf);
    float acc = 0;
    const half first(2048.0f), one(1.0f);
    loops.add(&first, 1, &acc, 1);
    for (int i = 0; i < 8; ++i) loops.add(&one, 1, &acc, 1);
    half out(0.0f);
    loops.finish(&acc, 1, &out, 1);
    CHECK(static_cast<float>(out) == 2056.0f);
    loops.finish(&acc, 4, &out, 1);
    CHECK(static_cast<float>(out) == 514.0f);
  }
}
}  // namespace segment_test
