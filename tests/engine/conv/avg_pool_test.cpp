// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/avg_pool.hpp>

#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace avg_pool_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

PoolGeometry Geometry(Padding padding, Index rows, Index columns, Index depth, Index size, Index stride) {
  PoolGeometry g;
  g.batch = 2;
  g.depth = depth;
  g.rows = Placed(padding, {.input = rows, .size = size, .stride = stride});
  g.columns = Placed(padding, {.input = columns, .size = size + 1, .stride = stride});
  return g;
}
const std::vector<PoolGeometry> kCases = {
    Geometry(Padding::kSame, 7, 5, 3, 3, 2), Geometry(Padding::kValid, 8, 9, 17, 2, 1),
    Geometry(Padding::kSame, 2, 2, 1, 5, 3), Geometry(Padding::kValid, 4, 5, 0, 2, 2),
    Geometry(Padding::kSame, 30, 33, 8, 3, 1)};

// From float64 sums of the same numbers: the averages, or the gradient of `y` by the input.
template <class T>
std::vector<double> Reference(const PoolGeometry& g, bool gradient, const std::vector<T>& from) {
  const Index image = g.rows.input * g.columns.input * g.depth, out = g.output_shape().num_elements();
  std::vector<double> counts(static_cast<std::size_t>(g.rows.output * g.columns.output));
  std::vector<double> result(static_cast<std::size_t>(gradient ? g.batch * image : out));
  for (const bool counting : {true, false}) {
    ForEachTap(g.rows, [&](Index r, Index, Index y) {
      ForEachTap(g.columns, [&](Index c, Index, Index x) {
        double& count = counts[static_cast<std::size_t>(r * g.columns.output + c)];
        if (counting) {
          count += 1;
          return;
        }
        for (Index n = 0; n < g.batch; ++n) {
          for (Index d = 0; d < g.depth; ++d) {
            const auto in = static_cast<std::size_t>(n * image + (y * g.columns.input + x) * g.depth + d);
            const auto at = static_cast<std::size_t>(((n * g.rows.output + r) * g.columns.output + c) * g.depth + d);
            if (gradient)
              result[in] += ToDouble(from[at]) / count;
            else
              result[at] += ToDouble(from[in]) / count;
          }
        }
      });
    });
  }
  return result;
}

template <class T>
double Error(Cpu device, const PoolGeometry& g, bool gradient) {
  const Index in = g.batch * g.rows.input * g.columns.input * g.depth, out = g.output_shape().num_elements();
  const std::vector<T> from = RandomVector<T>(gradient ? out : in, 5);
  std::vector<T> to(static_cast<std::size_t>(gradient ? in : out), FromDouble<T>(99));
  if (gradient)
    CHECK(AvgPoolGrad(device, g, from.data(), to.data()).ok());
  else
    CHECK(AvgPool(device, g, from.data(), to.data()).ok());
  std::vector<double> got;
  for (const T& x : to) got.push_back(ToDouble(x));
  return LargestDifference(got, Reference(g, gradient, from));
}

}  // namespace

TEST_SUITE("average pools") {
  TEST_CASE_TEMPLATE("agree with float64 sums", T, float, double, half, bfloat16) {
    for (const PoolGeometry& g : kCases) {
      CHECK(Error<T>({}, g, false) <= 40 * RoundingUnit<T>());
      CHECK(Error<T>({}, g, true) <= 60 * RoundingUnit<T>());
    }
    ThreadPool pool(4, "test");
    CHECK(Error<T>({.pool = &pool}, kCases.back(), false) <= 40 * RoundingUnit<T>());
    CHECK(Error<T>({.pool = &pool}, kCases.back(), true) <= 60 * RoundingUnit<T>());
  }
  TEST_CASE("count and sum in the type itself") {
    PoolGeometry g;
    g.batch = g.depth = 1;
    g.rows = Placed(Padding::kValid, {.input = 20, .size = 20, .stride = 1});
    g.columns = g.rows;
    const std::vector<bfloat16> ones(400, bfloat16(1.f));
    bfloat16 y(0.f);
    Cpu device;
    CHECK(AvgPool(device, g, ones.data(), &y).ok());
    CHECK(float(y) == 1.f);  // 256 / 256: neither goes on from there
  }
}
}  // namespace avg_pool_test
