// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/depthwise_gradient.hpp>

#include <algorithm>
#include <vector>

#include <tenon/memory/tracking_allocator.hpp>
#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/depthwise_cases.hpp"
#include "engine/support.hpp"

namespace depthwise_gradient_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

template <class T>
double Error(Cpu device, const DepthwiseGeometry& g) {
  const std::vector<T> x = RandomVector<T>(g.input_elements(), 1), dy = RandomVector<T>(g.output_elements(), 3),
                       f = RandomVector<T>(g.rows.size * g.columns.size * g.out_depth(), 2);
  std::vector<double> dx_want(x.size()), df_want(f.size());
  ForEachDepthwiseTerm(g, [&](std::size_t i, std::size_t j, std::size_t k) {
    dx_want[i] += ToDouble(dy[k]) * ToDouble(f[j]);
    df_want[j] += ToDouble(x[i]) * ToDouble(dy[k]);
  });
  std::vector<T> dx(x.size(), T(9)), df(f.size(), T(9));
  if (!DepthwiseConv2DBackpropInput(device, g, f.data(), dy.data(), dx.data()).ok() ||
      !DepthwiseConv2DBackpropFilter(device, g, x.data(), dy.data(), df.data()).ok())
    return 1e300;
  return std::max(LargestDifference(dx, dx_want), LargestDifference(df, df_want) / 10);
}

}  // namespace

TEST_SUITE("gradients of depthwise convolutions") {
  TEST_CASE_TEMPLATE("agree with float64 sums for any number of channels", T, float, double) {
    ThreadPool pool(3, "test");
    for (const Index depth : {1, 2, 3, 4, 7, 8, 9, 16, 24, 33, 70}) {
      CAPTURE(depth);
      CHECK(Error<T>({}, DepthwiseCase(Padding::kSame, 6, 13, 3, 1, depth, 1)) <= 500 * RoundingUnit<T>());
      CHECK(Error<T>({.pool = &pool}, DepthwiseCase(Padding::kSame, 9, 8, 5, 2, depth, 1)) <= 500 * RoundingUnit<T>());
    }
    // More than one strip of pixels and of channels; windows of 3 x 3 at every distance that has code of its own.
    for (const Index stride : {1, 2, 3})
      CHECK(Error<T>({.pool = &pool}, DepthwiseCase(Padding::kSame, 7, 40, 3, stride, 150, 1)) <=
            500 * RoundingUnit<T>());
    // Rows of every length modulo the pixels of a block, whose first and last windows miss a column or none.
    for (const Padding padding : {Padding::kSame, Padding::kValid})
      for (const Index stride : {1, 2})
        for (Index columns = 3; columns <= 14; ++columns) {
          CAPTURE(columns);
          CHECK(Error<T>({}, DepthwiseCase(padding, 5, columns, 3, stride, 51, 1)) <= 500 * RoundingUnit<T>());
        }
    CHECK(Error<T>({}, DepthwiseCase(Padding::kSame, 2, 2, 3, 1, 51, 1)) <= 500 * RoundingUnit<T>());
    CHECK(Error<T>({}, DepthwiseCase(Padding::kSame, 1, 1, 3, 2, 51, 1)) <= 500 * RoundingUnit<T>());
    CHECK(Error<T>({}, DepthwiseCase(Padding::kValid, 7, 9, 2, 3, 5, 3)) <= 500 * RoundingUnit<T>());
    CHECK(Error<T>({}, DepthwiseCase(Padding::kExplicit, 4, 5, 3, 1, 4, 2)) <= 500 * RoundingUnit<T>());
    CHECK(Error<T>({}, DepthwiseCase(Padding::kSame, 2, 2, 5, 1, 8, 1)) <= 500 * RoundingUnit<T>());
  }
  TEST_CASE("says so when there is no memory") {
    TrackingAllocator allocator(CpuAllocator());
    Cpu device{.allocator = &allocator};
    const DepthwiseGeometry g = DepthwiseCase(Padding::kSame, 4, 4, 3, 1, 3, 1);
    const std::vector<float> f(27), dy(96);
    std::vector<float> dx(96);
    allocator.FailAllocations(1);
    CHECK(DepthwiseConv2DBackpropInput(device, g, f.data(), dy.data(), dx.data()).code() == Code::kResourceExhausted);
    CHECK(allocator.bytes_in_use() == 0);
  }
}
}  // namespace depthwise_gradient_test
