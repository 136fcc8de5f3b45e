// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/reduce/loops.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace reduce_loops_test {
using namespace tenon;
using tenon::testing::RandomVector;

namespace {

template <class T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// What rows of a matrix come to, column by column: `acc` with four rows at a time, then with one.
template <class Step, class T>
std::vector<T> FoldedRows(const std::vector<T>& x, Index rows, Index stride, std::vector<T> acc) {
  for (std::size_t j = 0; j + 1 < acc.size(); ++j) {
    const T* at = x.data() + j;
    Index r = 0;
    for (; r + 4 <= rows; r += 4, at += 4 * stride) {
      const T first = Step::Combine(at[0], at[stride]), second = Step::Combine(at[2 * stride], at[3 * stride]);
      acc[j] = Step::Combine(acc[j], Step::Combine(first, second));
    }
    for (; r < rows; ++r, at += stride) acc[j] = Step::Combine(acc[j], at[0]);
  }
  return acc;
}

}  // namespace

TEST_SUITE("reduce_loops") {
  TEST_CASE_TEMPLATE("rows are added up by the same steps in every width", T, float, double) {
    const std::vector<T> x = RandomVector<T>(6000, 1);
    for (Index n = 0; n <= 140; n += n < 20 ? 1 : 9) {
      for (const Index rows : {0, 1, 3, 4, 7, 8, 21}) {
        const Index stride = n + rows % 3;
        const std::vector<T> acc = RandomVector<T>(n + 1, 2);  // the last is no column
        std::vector<T> sums = acc, combined = acc, largest = acc;
        kReduceLoops<SumReducer, T>.rows(x.data(), rows, stride, n, sums.data());
        kReduceLoops<SumReducer, T>.combine(x.data(), rows, stride, n, combined.data());
        kReduceLoops<MaxReducer, T>.rows(x.data(), rows, stride, n, largest.data());
        CHECK(SameBits(sums, FoldedRows<detail::AddStep>(x, rows, stride, acc)));
        CHECK(SameBits(combined, sums));
        CHECK(SameBits(largest, FoldedRows<detail::MaxStep>(x, rows, stride, acc)));
      }
    }
  }

  TEST_CASE("rows that no first cache holds, too") {
    const Index rows = 301;
    const std::vector<float> x = RandomVector<float>(800 * rows, 3);
    for (const Index stride : {70, 127, 128, 137, 512, 767, 768, 800}) {
      for (const Index n : {stride, stride - 7, Index{17}, Index{15}}) {
        for (const Index count : {rows, Index{66}, Index{33}}) {
          const std::vector<float> acc = RandomVector<float>(n + 1, 4);
          std::vector<float> sums = acc;
          kReduceLoops<SumReducer, float>.rows(x.data(), count, stride, n, sums.data());
          CAPTURE(stride);
          CAPTURE(n);
          CHECK(SameBits(sums, FoldedRows<detail::AddStep>(x, count, stride, acc)));
        }
      }
    }
  }

  TEST_CASE("NaN in any row and column stays in its column") {
    const Index n = 67, rows = 9;
    for (Index at = 0; at < n * rows; at += 5) {
      std::vector<float> x = RandomVector<float>(n * rows, 5), acc(static_cast<std::size_t>(n));
      x[static_cast<std::size_t>(at)] = std::numeric_limits<float>::quiet_NaN();
      kReduceLoops<MinReducer, float>.fill(acc.data(), n);
      kReduceLoops<MinReducer, float>.rows(x.data(), rows, n, n, acc.data());
      bool right = true;
      for (Index j = 0; j < n; ++j) right = right && std::isnan(acc[static_cast<std::size_t>(j)]) == (j == at % n);
      CHECK(right);
    }
  }

  TEST_CASE("integers are folded from lanes, and their mean is cut towards zero") {
    std::vector<std::uint32_t> lanes(static_cast<std::size_t>(kReduceLanes), 3);
    std::uint32_t sum = 5;
    kReduceLoops<SumReducer, std::int32_t>.fold(lanes.data(), &sum);
    CHECK(sum == 5 + 3 * static_cast<std::uint32_t>(kReduceLanes));
    const std::int64_t total = -7;
    std::int32_t mean = 0;
    kReduceLoops<MeanReducer, std::int32_t>.finish(&total, 2, &mean, 1);
    CHECK(mean == -3);
    CHECK(kReduceLoops<MeanReducer, std::int8_t>.acc_bytes == 8);
  }
}
}  // namespace reduce_loops_test
