// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/filter_gradient.hpp>

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/device/thread_pool.hpp>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace filter_gradient_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Conv2DGeometry Geometry(Index batch, Padding padding, Window rows, Window columns, Index in, Index out) {
  Conv2DGeometry g;
  g.batch = batch;
  g.rows = Placed(padding, rows);
  g.columns = Placed(padding, columns);
  g.in_depth = in;
  g.out_depth = out;
  return g;
}
Conv2DGeometry Square(Index batch, Index size, Index window, Index stride, Index in, Index out,
                      Padding padding = Padding::kSame) {
  const Window w{.input = size, .size = window, .stride = stride};
  return Geometry(batch, padding, w, w, in, out);
}
// Whole vectors and parts of one, one panel and several, tiles of six and rests, images that are copied and others,
// chunks of several images, and of some rows of one.
const std::vector<Conv2DGeometry> kCases = {
    Square(3, 7, 3, 1, 5, 16),
    Square(3, 7, 3, 1, 6, 64),
    Square(2, 9, 3, 2, 4, 19),
    Square(2, 8, 1, 1, 7, 32),
    Square(2, 9, 3, 1, 5, 4),
    Square(2, 9, 3, 1, 5, 3),
    Square(2, 9, 3, 2, 5, 6),
    Square(2, 8, 1, 2, 13, 70),
    Square(2, 8, 2, 1, 3, 130, Padding::kValid),
    Square(40, 6, 3, 1, 8, 9),
    Square(1, 70, 3, 1, 40, 8),
    Square(2, 60, 5, 3, 30, 12, Padding::kValid),
    Geometry(2, Padding::kExplicit, {.input = 6, .size = 3, .pad_before = 2, .pad_after = 1},
             {.input = 9, .size = 4, .stride = 2, .pad_before = 1, .pad_after = 3}, 3, 17),
    Geometry(3, Padding::kSame, {.input = 1, .size = 1}, {.input = 50, .size = 7}, 2, 33),
    Geometry(2, Padding::kValid, {.input = 5, .size = 5}, {.input = 6, .size = 6}, 2, 10),
};

template <class T>
std::vector<T> Gradient(Cpu device, const Conv2DGeometry& g, const std::vector<T>& x, const std::vector<T>& dy) {
  std::vector<T> out(static_cast<std::size_t>(g.rows.size * g.columns.size * g.in_depth * g.out_depth), T(9));
  REQUIRE(detail::FilterGradient(device, g, x.data(), dy.data(), out.data()).ok());
  return out;
}

}  // namespace

TEST_SUITE("gradients of filters in tiles") {
  TEST_CASE_TEMPLATE("agree with float64 sums; the bits are the same for any number of threads", T, float, double) {
    ThreadPool pool(3, "test");
    for (std::size_t number = 0; number < kCases.size(); ++number) {
      CAPTURE(number);
      const Conv2DGeometry& g = kCases[number];
      const Index image = g.rows.input * g.columns.input * g.in_depth, places = g.rows.output * g.columns.output;
      const std::vector<T> x = RandomVector<T>(g.batch * image, 1),
                           dy = RandomVector<T>(g.batch * places * g.out_depth, 2);
      const std::vector<T> got = Gradient<T>({}, g, x, dy);
      std::vector<double> want(got.size());
      ForEachTap(g.rows, [&](Index oy, Index fy, Index y) {
        ForEachTap(g.columns, [&](Index ox, Index fx, Index column) {
          for (Index n = 0; n < g.batch; ++n)
            for (Index c = 0; c < g.in_depth; ++c)
              for (Index k = 0; k < g.out_depth; ++k)
                want[static_cast<std::size_t>(((fy * g.columns.size + fx) * g.in_depth + c) * g.out_depth + k)] +=
                    ToDouble(x[static_cast<std::size_t>(n * image + (y * g.columns.input + column) * g.in_depth + c)]) *
                    ToDouble(dy[static_cast<std::size_t>((n * places + oy * g.columns.output + ox) * g.out_depth + k)]);
        });
      });
      const double allowed = 20 * static_cast<double>(g.batch * places + 2) * RoundingUnit<T>();
      CHECK(LargestDifference(got, want) <= allowed);
      CHECK(Gradient<T>({.pool = &pool}, g, x, dy) == got);
    }
  }
  TEST_CASE("are taken where rows are long and channels fill vectors") {
    CHECK(detail::FavoursFilterTiles<float>(Square(2, 14, 3, 1, 32, 64)));
    CHECK(!detail::FavoursFilterTiles<float>(Square(2, 2, 3, 1, 512, 512)));
    CHECK(!detail::FavoursFilterTiles<float>(Square(2, 14, 3, 1, 32, 1)));
    Conv2DGeometry g = Square(2, 14, 3, 1, 32, 64);
    g.groups = 2;
    CHECK(!detail::FavoursFilterTiles<float>(g));
    g = Geometry(2, Padding::kSame, {.input = 14, .size = 3, .dilation = 2}, {.input = 14, .size = 3}, 32, 64);
    CHECK(!detail::FavoursFilterTiles<float>(g));
    g = Geometry(2, Padding::kExplicit, {.input = 14, .size = 3, .pad_before = 1 << 20}, {.input = 14, .size = 3}, 32,
                 64);
    CHECK(!detail::FavoursFilterTiles<float>(g));
  }
}

}  // namespace filter_gradient_test
