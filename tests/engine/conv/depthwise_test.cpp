// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/depthwise.hpp>

#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/depthwise_cases.hpp"
#include "engine/support.hpp"

namespace depthwise_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

template <class T>
double Error(Cpu device, const DepthwiseGeometry& g) {
  const std::vector<T> x = RandomVector<T>(g.input_elements(), 1),
                       f = RandomVector<T>(g.rows.size * g.columns.size * g.out_depth(), 2);
  std::vector<double> y_want(static_cast<std::size_t>(g.output_elements()));
  ForEachDepthwiseTerm(
      g, [&](std::size_t i, std::size_t j, std::size_t k) { y_want[k] += ToDouble(x[i]) * ToDouble(f[j]); });
  std::vector<T> y(y_want.size(), T(9));
  if (!DepthwiseConv2D(device, g, x.data(), f.data(), y.data()).ok()) return 1e300;
  return LargestDifference(y, y_want);
}

}  // namespace

TEST_SUITE("depthwise convolutions") {
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
    // Rows of every length modulo the pixels of a block, whose first and last windows miss some columns or none;
    // channels that fill vectors, and one more or less.
    for (const Padding padding : {Padding::kSame, Padding::kValid, Padding::kExplicit})
      for (const Index size : {3, 5})
        for (const Index stride : {1, 2})
          for (Index columns = size; columns <= 22; ++columns) {
            CAPTURE(size);
            CAPTURE(columns);
            const Index depth = Index{15} + columns % 3 + 16 * (columns % 2);
            CHECK(Error<T>({}, DepthwiseCase(padding, 6, columns, size, stride, depth, 1)) <= 500 * RoundingUnit<T>());
          }
    // Windows that see little of the images.
    for (const Index size : {3, 5})
      for (const Index pad : {size - 1, size})
        for (const Index columns : {1, 2, 3, 6}) {
          DepthwiseGeometry g = DepthwiseCase(Padding::kValid, 7, 8, size, 1, 20, 1);
          g.columns.input = columns;
          g.columns.pad_before = g.columns.pad_after = pad;
          g.columns.output = columns + 2 * pad - size + 1;
          CHECK(Error<T>({}, g) <= 500 * RoundingUnit<T>());
        }
    CHECK(Error<T>({}, DepthwiseCase(Padding::kSame, 2, 2, 3, 1, 51, 1)) <= 500 * RoundingUnit<T>());
    CHECK(Error<T>({}, DepthwiseCase(Padding::kSame, 1, 1, 3, 2, 51, 1)) <= 500 * RoundingUnit<T>());
    CHECK(Error<T>({}, DepthwiseCase(Padding::kValid, 7, 9, 2, 3, 5, 3)) <= 500 * RoundingUnit<T>());
    CHECK(Error<T>({}, DepthwiseCase(Padding::kExplicit, 4, 5, 3, 1, 4, 2)) <= 500 * RoundingUnit<T>());
    CHECK(Error<T>({}, DepthwiseCase(Padding::kSame, 2, 2, 5, 1, 8, 1)) <= 500 * RoundingUnit<T>());
  }
  TEST_CASE("a filter without elements gives zeros") {
    Cpu device;
    DepthwiseGeometry g = DepthwiseCase(Padding::kSame, 2, 2, 1, 1, 3, 1);
    g.rows.size = 0;
    std::vector<float> x(24, 1.f), y(24, 9.f);
    REQUIRE(DepthwiseConv2D<float>(device, g, x.data(), nullptr, y.data()).ok());
    CHECK(y == std::vector<float>(24, 0.f));
  }
}
}  // namespace depthwise_test
