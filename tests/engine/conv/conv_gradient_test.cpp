// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/conv_gradient.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/conv/conv3d_cases.hpp"

namespace conv_gradient_test {
using namespace conv3d_cases;

namespace {

// Of the gradients; of integers only of that of the input.
template <class T>
double Error(Cpu device, const Conv3DGeometry& g) {
  const Index in = g.batch * g.image_elements(), filters = g.taps() * g.group_depth() * g.out_depth,
              out = g.batch * g.places() * g.out_depth;
  const std::vector<T> x = RandomVector<T>(in, 1), f = RandomVector<T>(filters, 2), dy = RandomVector<T>(out, 3);
  Sums dx_want(x.size()), df_want(f.size());
  ForEachProduct(g, [&](std::size_t i, std::size_t j, std::size_t k) {
    dx_want.Add(i, ToDouble(dy[k]) * ToDouble(f[j]));
    df_want.Add(j, ToDouble(x[i]) * ToDouble(dy[k]));
  });
  std::vector<T> dx(x.size(), T(9)), df(f.size(), T(9));
  double most = 0;
  if constexpr (!std::is_integral_v<T>) {
    if (!ConvBackpropFilter(device, g, x.data(), dy.data(), df.data()).ok()) return 1e300;
    most = Units(df, df_want);
  }
  if (!ConvBackpropInput(device, g, f.data(), dy.data(), dx.data()).ok()) return 1e300;
  return std::max(most, Units(dx, dx_want));
}

}  // namespace

TEST_SUITE("gradients of convolutions") {
  TEST_CASE_TEMPLATE("agree with float64 sums", T, float, double) {
    ThreadPool pool(3, "test");
    for (const Conv3DGeometry& g : kCases) {
      if (g.groups > 1) continue;
      const double alone = Error<T>({}, g), split = Error<T>({.pool = &pool}, g);
      CHECK_MESSAGE(alone <= kUnits, g.in_depth, " to ", g.out_depth, " channels: ", alone);
      CHECK_MESSAGE(split <= kUnits, g.in_depth, " to ", g.out_depth, " channels: ", split);
    }
  }
  TEST_CASE_TEMPLATE("planes that are worked on some rows at a time", T, float, double) {
    ThreadPool pool(3, "test");
    const Conv3DGeometry g =
        Geometry(Padding::kSame, {.input = 2, .size = 2}, {.input = 90, .size = 3}, {.input = 320, .size = 3}, 8, 4);
    CHECK(Error<T>({.pool = &pool}, g) <= kUnits);  // sums of up to 115,200 products
  }
  TEST_CASE("the gradient of the input also of int32") {
    for (std::size_t i = 0; i < 4; ++i) CHECK(Error<std::int32_t>({}, kCases[i]) == 0);
  }
  TEST_CASE("empty ones") {
    Cpu device;
    Conv3DGeometry g = kCases[0];
    g.batch = 0;
    float df[3 * 3 * 3 * 5] = {7};
    CHECK(ConvBackpropInput<float>(device, g, nullptr, nullptr, nullptr).ok());
    CHECK(ConvBackpropFilter<float>(device, g, nullptr, nullptr, df).ok());
    CHECK(df[0] == 0);
  }
}
}  // namespace conv_gradient_test
