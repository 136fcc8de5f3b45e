// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

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
  TEST_CASE("ids that ascend, in long and short segments that blocks cut") {
    for (const Index length : {1, 3, 16, 17, 18, 40, 500}) {
      constexpr Index kRows = 500, kBlock = 37;
      std::vector<double> rows, sums(kRows, -1), means(kRows, -1), want(kRows, -1), most(kRows, -1), counts(kRows, 0);
      std::vector<Index> ids;
      for (Index i = 0; i < kRows; ++i) {
        const Index id = i / length * 2 % kRows;
        rows.push_back(static_cast<double>(i * 7 % 31));
        ids.push_back(length == 1 ? i : id);
        double& to = want[static_cast<std::size_t>(ids.back())];
        to = (counts[static_cast<std::size_t>(ids.back())]++ == 0 ? 0 : to) + rows.back();
      }
      const SegmentLoops sum = ArithmeticSegmentLoops<SegmentSumStep>(DataType::kDouble),
                         mean = MeanSegmentLoops(DataType::kDouble),
                         greatest = OrderSegmentLoops<SegmentMaxStep>(DataType::kDouble);
      OpenSegment open[3];
      for (Index i = 0; i < kRows; i += kBlock) {
        const Index n = std::min(kBlock, kRows - i);
        sum.fold_ascending(rows.data() + i, ids.data() + i, &open[0], sums.data(), n);
        mean.fold_ascending(rows.data() + i, ids.data() + i, &open[1], means.data(), n);
        greatest.fold_ascending(rows.data() + i, ids.data() + i, &open[2], most.data(), n);
      }
      mean.divide(means.data() + open[1].id, open[1].rows, 1);
      CHECK(sums == want);
      for (std::size_t i = 0; i < means.size(); ++i) {
        if (counts[i] == 0) continue;
        CHECK(means[i] == want[i] / counts[i]);
        double greatest_row = 0;
        for (std::size_t k = 0; k < rows.size(); ++k)
          if (ids[k] == static_cast<Index>(i)) greatest_row = std::max(greatest_row, rows[k]);
        CHECK(most[i] == greatest_row);
      }
    }
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
