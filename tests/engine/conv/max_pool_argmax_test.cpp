// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/max_pool_argmax.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace pool_argmax_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

PoolGeometry Geometry(Padding padding, Index rows, Index columns, Index depth, Index size, Index stride) {
  PoolGeometry g;
  g.batch = 2;
  g.depth = depth;
  g.rows = Placed(padding, {.input = rows, .size = size, .stride = stride});
  g.columns = Placed(padding, {.input = columns, .size = size, .stride = stride});
  return g;
}

}  // namespace

TEST_SUITE("pools with places") {
  TEST_CASE_TEMPLATE("agree with a search through every window", T, float, double, half, bfloat16, std::int8_t,
                     std::uint16_t, std::uint32_t, std::int64_t) {
    Cpu device;
    for (const PoolGeometry& g : {Geometry(Padding::kSame, 7, 5, 3, 3, 2), Geometry(Padding::kValid, 6, 6, 5, 2, 2)}) {
      const Index image = g.rows.input * g.columns.input * g.depth, out = g.output_shape().num_elements();
      const std::vector<T> x = RandomVector<T>(g.batch * image, 3, std::is_unsigned_v<T> ? 0 : -5, 5);
      std::vector<T> most(static_cast<std::size_t>(out));
      std::vector<Index> places(static_cast<std::size_t>(out), -7), want(static_cast<std::size_t>(out), kNoPlace);
      CHECK(MaxPoolPlaces(device, g, x.data(), most.data(), places.data()).ok());
      for (Index n = 0; n < g.batch; ++n) {
        ForEachTap(g.rows, [&](Index r, Index, Index row) {
          ForEachTap(g.columns, [&](Index c, Index, Index column) {
            for (Index d = 0; d < g.depth; ++d) {
              const Index here = (row * g.columns.input + column) * g.depth + d;
              Index& best =
                  want[static_cast<std::size_t>(((n * g.rows.output + r) * g.columns.output + c) * g.depth + d)];
              const auto at = [&](Index i) { return ToDouble(x[static_cast<std::size_t>(n * image + i)]); };
              if (best == kNoPlace || at(here) > at(best)) best = here;
            }
          });
        });
      }
      CHECK(places == want);
      std::vector<T> gradient(most.size(), FromDouble<T>(1)), back(x.size());
      AddAtPlaces(device, g.batch, out / g.batch, image, gradient.data(), places.data(), back.data());
      std::vector<double> counts(x.size()), got;
      for (std::size_t i = 0; i < want.size(); ++i)
        counts[static_cast<std::size_t>(static_cast<Index>(i) / (out / g.batch) * image + want[i])] += 1;
      for (const T& v : back) got.push_back(ToDouble(v));
      CHECK(got == counts);
    }
  }
  TEST_CASE("the gradient of float has the bits that the places give") {
    for (const PoolGeometry& g : {Geometry(Padding::kSame, 7, 5, 19, 3, 2), Geometry(Padding::kValid, 6, 6, 35, 2, 2),
                                  Geometry(Padding::kSame, 4, 5, 3, 3, 1), Geometry(Padding::kSame, 5, 5, 64, 2, 3),
                                  Geometry(Padding::kSame, 7, 6, 20, 2, 2), Geometry(Padding::kValid, 7, 9, 33, 2, 2),
                                  Geometry(Padding::kValid, 9, 8, 17, 2, 3), Geometry(Padding::kSame, 6, 4, 5, 2, 1),
                                  Geometry(Padding::kValid, 6, 9, 40, 3, 3)}) {
      const Index image = g.rows.input * g.columns.input * g.depth, out = g.output_shape().num_elements();
      std::vector<float> x = RandomVector<float>(g.batch * image, 3, -3, 3);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::round(x[i]);  // many are equal
      for (std::size_t i = 0; i < x.size(); i += 11) x[i] = std::numeric_limits<float>::quiet_NaN();
      const std::vector<float> grad = RandomVector<float>(out, 4);
      Cpu device;
      std::vector<float> most(grad.size()), want(x.size(), 7), got(x.size(), 9);
      std::vector<Index> places(grad.size());
      CHECK(MaxPoolPlaces(device, g, x.data(), most.data(), places.data()).ok());
      AddAtPlaces(device, g.batch, out / g.batch, image, grad.data(), places.data(), want.data());
      CHECK(MaxPoolGradient(device, g, x.data(), grad.data(), most.data(), places.data(), got.data()).ok());
      CHECK(got == want);
    }
  }
  TEST_CASE("a NaN stays only where it comes first, as in TensorFlow") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const PoolGeometry g = [] {
      PoolGeometry one = Geometry(Padding::kValid, 2, 4, 1, 2, 2);
      one.batch = 1;
      return one;
    }();
    const float x[] = {nan, 1, 2, 3, 1, nan, 3, 2};
    float most[2];
    Index places[2];
    Cpu device;
    CHECK(MaxPoolPlaces(device, g, x, most, places).ok());
    CHECK(std::isnan(most[0]));
    CHECK(places[0] == 0);
    CHECK(most[1] == 3);
    CHECK(places[1] == 3);
  }
  TEST_CASE("integers wrap around") {
    CHECK(tenon::detail::PoolSum<std::int8_t>(100, 100) == -56);
    CHECK(tenon::detail::PoolSum<std::int32_t>(2147483647, 1) == -2147483647 - 1);
  }
}
}  // namespace pool_argmax_test
