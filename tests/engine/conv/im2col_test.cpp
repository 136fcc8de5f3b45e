// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/im2col.hpp>

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace patches_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("patches") {
  TEST_CASE_TEMPLATE("hold what is under the window", T, std::int8_t, half, float, double) {
    Cpu device;
    PatchGeometry g;
    g.batch = 2;
    g.depth = 3;
    g.planes = Placed(Padding::kSame, {.input = 3, .size = 2, .stride = 2});
    g.rows = Placed(Padding::kSame, {.input = 4, .size = 2, .dilation = 2});
    g.columns = Placed(Padding::kValid, {.input = 5, .size = 3, .stride = 2});
    const Index volume = g.planes.input * g.rows.input * g.columns.input * g.depth;
    const std::vector<T> x = RandomVector<T>(g.batch * volume, 1);
    std::vector<T> y(static_cast<std::size_t>(g.batch * g.places() * g.taps() * g.depth), FromDouble<T>(9));
    std::vector<double> want(y.size()), got;
    ExtractPatches(device, g, sizeof(T), x.data(), y.data());
    for (const T& v : y) got.push_back(ToDouble(v));
    for (Index n = 0; n < g.batch; ++n) {
      ForEachTap(g.planes, [&](Index p, Index tp, Index z) {
        ForEachTap(g.rows, [&](Index r, Index tr, Index row) {
          ForEachTap(g.columns, [&](Index c, Index tc, Index column) {
            const Index place = ((n * g.planes.output + p) * g.rows.output + r) * g.columns.output + c;
            const Index tap = (tp * g.rows.size + tr) * g.columns.size + tc;
            for (Index d = 0; d < g.depth; ++d)
              want[static_cast<std::size_t>((place * g.taps() + tap) * g.depth + d)] =
                  ToDouble(x[static_cast<std::size_t>(
                      n * volume + ((z * g.rows.input + row) * g.columns.input + column) * g.depth + d)]);
          });
        });
      });
    }
    CHECK(got == want);
  }
}
}  // namespace patches_test
