// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/conv3d.hpp>

#include <cstddef>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/conv/conv3d_cases.hpp"

namespace conv3d_test {
using namespace conv3d_cases;

namespace {

template <class T>
double Error(Cpu device, const Conv3DGeometry& g) {
  const std::vector<T> x = RandomVector<T>(g.batch * g.image_elements(), 1),
                       f = RandomVector<T>(g.taps() * g.group_depth() * g.out_depth, 2);
  std::vector<T> y(static_cast<std::size_t>(g.batch * g.places() * g.out_depth), T(9));
  Sums want(y.size());
  ForEachProduct(g, [&](std::size_t i, std::size_t j, std::size_t k) { want.Add(k, ToDouble(x[i]) * ToDouble(f[j])); });
  if (!Conv3D(device, g, x.data(), f.data(), y.data()).ok()) return 1e300;
  return Units(y, want);
}

}  // namespace

TEST_SUITE("convolutions of volumes") {
  TEST_CASE_TEMPLATE("agree with float64 sums, groups too", T, float, double) {
    ThreadPool pool(3, "test");
    for (const Conv3DGeometry& g : kCases) {
      const double alone = Error<T>({}, g), split = Error<T>({.pool = &pool}, g);
      CHECK_MESSAGE(alone <= kUnits, g.in_depth, " to ", g.out_depth, " channels: ", alone);
      CHECK_MESSAGE(split <= kUnits, g.in_depth, " to ", g.out_depth, " channels: ", split);
    }
  }
  TEST_CASE_TEMPLATE("planes that are worked on some rows at a time", T, float, double) {
    ThreadPool pool(3, "test");
    const Conv3DGeometry g =
        Geometry(Padding::kSame, {.input = 2, .size = 2}, {.input = 90, .size = 3}, {.input = 320, .size = 3}, 8, 4);
    CHECK(Error<T>({.pool = &pool}, g) <= kUnits);
  }
  TEST_CASE_TEMPLATE("windows that pass over elements and begin inside", T, float, double) {
    for (const Index groups : {1, 2}) {
      Conv3DGeometry g = Geometry(Padding::kSame, {.input = 7, .size = 1, .stride = 4},
                                  {.input = 9, .size = 2, .stride = 6}, {.input = 8, .size = 1, .stride = 5}, 4, 6);
      g.groups = groups;
      for (Window* const w : {&g.planes, &g.rows, &g.columns}) CentreWindow(Padding::kSame, w);
      CHECK(g.planes.pad_before == -1);
      CHECK(Error<T>({}, g) <= kUnits);
      g.planes = {.input = 3, .output = 3};  // a convolution of planes, each by itself
      CHECK(Error<T>({}, g) <= kUnits);
    }
  }
  TEST_CASE("nothing to add gives zeros, and no image nothing") {
    Cpu device;
    Conv3DGeometry g = kCases[0];
    g.in_depth = 0;
    std::vector<float> y(static_cast<std::size_t>(g.batch * g.places() * g.out_depth), 7);
    CHECK(Conv3D<float>(device, g, nullptr, nullptr, y.data()).ok());
    CHECK(y == std::vector<float>(y.size(), 0.0f));
    g.batch = 0;
    CHECK(Conv3D<float>(device, g, nullptr, nullptr, nullptr).ok());
  }
}
}  // namespace conv3d_test
