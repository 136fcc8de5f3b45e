// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/dilation.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace dilation_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("dilation") {
  TEST_CASE_TEMPLATE("agrees with a search, gradients too", T, float, double, std::int32_t, std::uint8_t) {
    Cpu device;
    DilationGeometry g;
    g.batch = 2;
    g.depth = 3;
    g.rows = Placed(Padding::kSame, {.input = 6, .size = 2, .stride = 2, .dilation = 2});
    g.columns = Placed(Padding::kSame, {.input = 5, .size = 3});
    const std::vector<T> x = RandomVector<T>(g.batch * g.image_elements(), 1),
                         f = RandomVector<T>(g.filter_elements(), 2);
    const auto out = static_cast<std::size_t>(g.batch * g.output_elements());
    std::vector<T> y(out), dx(x.size()), df(f.size());
    const std::vector<T> ones(out, T(1));
    CHECK(Dilate(device, g, x.data(), f.data(), y.data()).ok());
    CHECK(DilateGrad(device, g, false, x.data(), f.data(), ones.data(), dx.data()).ok());
    CHECK(DilateGrad(device, g, true, x.data(), f.data(), ones.data(), df.data()).ok());
    struct Best {
      double sum = -1e300;
      std::size_t in = 0, tap = 0;
    };
    std::vector<Best> best(out);
    for (Index n = 0; n < g.batch; ++n) {
      ForEachTap(g.rows, [&](Index r, Index fy, Index row) {
        ForEachTap(g.columns, [&](Index c, Index fx, Index column) {
          for (Index d = 0; d < g.depth; ++d) {
            const auto in = static_cast<std::size_t>(n * g.image_elements() +
                                                     (row * g.columns.input + column) * g.depth + d),
                       tap = static_cast<std::size_t>((fy * g.columns.size + fx) * g.depth + d);
            Best& b = best[static_cast<std::size_t>(((n * g.rows.output + r) * g.columns.output + c) * g.depth + d)];
            const double sum = ToDouble(static_cast<T>(x[in] + f[tap]));
            if (sum > b.sum) b = {sum, in, tap};
          }
        });
      });
    }
    std::vector<double> dx_want(x.size()), df_want(f.size());
    for (std::size_t i = 0; i < out; ++i) {
      CHECK(ToDouble(y[i]) == best[i].sum);
      dx_want[best[i].in] += 1;
      df_want[best[i].tap] += 1;
    }
    CHECK(LargestDifference(dx, dx_want) == 0);
    CHECK(LargestDifference(df, df_want) == 0);
  }
  TEST_CASE("NaN counts for nothing; int8 wraps around, as in TensorFlow") {
    Cpu device;
    DilationGeometry g;
    g.batch = g.depth = 1;
    g.rows = g.columns = Placed(Padding::kSame, {.input = 2, .size = 2});
    const float nan = std::numeric_limits<float>::quiet_NaN(), x[] = {nan, 1, nan, nan}, f[4] = {};
    float y[4];
    CHECK(Dilate(device, g, x, f, y).ok());
    CHECK(y[0] == 1);
    CHECK(y[3] == std::numeric_limits<float>::lowest());
    const std::int8_t small[] = {127, -128, 5, 100}, add[] = {100, 100, 100, 100};
    std::int8_t sums[4];
    CHECK(Dilate(device, g, small, add, sums).ok());
    CHECK(std::vector<int>(sums, sums + 4) == std::vector<int>{105, -28, 105, -56});
  }
}
}  // namespace dilation_test
