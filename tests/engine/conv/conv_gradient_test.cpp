// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/conv/conv_gradient.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace conv_gradient_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

Conv3DGeometry Geometry(Padding padding, Window planes, Window rows, Window columns, Index in, Index out,
                        Index groups = 1) {
  Conv3DGeometry g;
  g.batch = 2;
  g.planes = Placed(padding, planes);
  g.rows = Placed(padding, rows);
  g.columns = Placed(padding, columns);
  g.in_depth = in;
  g.out_depth = out;
  g.groups = groups;
  return g;
}
const std::vector<Conv3DGeometry> kCases = {
    Geometry(Padding::kSame, {.input = 1}, {.input = 7, .size = 3, .stride = 2}, {.input = 6, .size = 3}, 3, 5),
    Geometry(Padding::kValid, {.input = 1}, {.input = 8, .size = 2, .stride = 3}, {.input = 5, .size = 4}, 2, 4),
    Geometry(Padding::kSame, {.input = 3, .size = 2}, {.input = 4, .size = 3}, {.input = 5, .size = 1, .stride = 2}, 2,
             3),
    Geometry(Padding::kExplicit, {.input = 1}, {.input = 2, .size = 3, .pad_before = 4, .pad_after = 3},
             {.input = 3, .size = 2, .pad_before = 0, .pad_after = 2}, 1, 2),
    Geometry(Padding::kSame, {.input = 2, .size = 2}, {.input = 4, .size = 3}, {.input = 4, .size = 2}, 6, 4, 2),
    // The gradient of the input is a convolution of that of the output.
    Geometry(Padding::kSame, {.input = 1}, {.input = 9, .size = 3}, {.input = 8, .size = 3}, 19, 21),
    Geometry(Padding::kValid, {.input = 1}, {.input = 6, .size = 4}, {.input = 7, .size = 2}, 3, 17),
    Geometry(Padding::kExplicit, {.input = 1}, {.input = 7, .size = 3, .pad_before = 2, .pad_after = 0},
             {.input = 6, .size = 2, .pad_before = 0, .pad_after = 3}, 5, 4),
    // Planes become channels; the gradient of the filter is taken without columns.
    Geometry(Padding::kSame, {.input = 5, .size = 3}, {.input = 9, .size = 3}, {.input = 11, .size = 3}, 5, 8),
    Geometry(Padding::kSame, {.input = 6, .size = 3, .stride = 2}, {.input = 17, .size = 2, .stride = 2},
             {.input = 18, .size = 4, .stride = 2}, 18, 12),
    Geometry(Padding::kExplicit, {.input = 3, .size = 2, .pad_before = 1, .pad_after = 0},
             {.input = 9, .size = 3, .pad_before = 2, .pad_after = 1},
             {.input = 8, .size = 3, .pad_before = 0, .pad_after = 2}, 3, 20),
    Geometry(Padding::kSame, {.input = 4, .size = 1, .stride = 2}, {.input = 9, .size = 1}, {.input = 9, .size = 1}, 4,
             6),
};

// Calls body(input element, filter element, output element) for every product of the convolution.
template <class Body>
void ForEachProduct(const Conv3DGeometry& g, const Body& body) {
  const Index depth = g.group_depth(), out_depth = g.out_depth / g.groups;
  ForEachTap(g.planes, [&](Index op, Index fp, Index z) {
    ForEachTap(g.rows, [&](Index oy, Index fy, Index y) {
      ForEachTap(g.columns, [&](Index ox, Index fx, Index x) {
        for (Index n = 0; n < g.batch; ++n)
          for (Index c = 0; c < g.in_depth; ++c)
            for (Index k = 0; k < out_depth; ++k) {
              const Index out = c / depth * out_depth + k;
              body(static_cast<std::size_t>(n * g.image_elements() +
                                            ((z * g.rows.input + y) * g.columns.input + x) * g.in_depth + c),
                   static_cast<std::size_t>(
                       (((fp * g.rows.size + fy) * g.columns.size + fx) * depth + c % depth) * g.out_depth + out),
                   static_cast<std::size_t>(
                       (n * g.places() + (op * g.rows.output + oy) * g.columns.output + ox) * g.out_depth + out));
            }
      });
    });
  });
}

constexpr double kUnits = 8;

// A sum of products, and that of their sizes, in float64.
struct Sums {
  explicit Sums(std::size_t n) : value(n), size(n) {}
  void Add(std::size_t i, double product) {
    value[i] += product;
    size[i] += std::abs(product);
  }
  std::vector<double> value, size;
};
// The largest difference in rounding units of the sum of the sizes; infinite where no product counts and the result is
// not 0.
template <class T>
double Units(const std::vector<T>& got, const Sums& want) {
  double most = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double difference = std::abs(ToDouble(got[i]) - want.value[i]);
    if (difference != 0) most = std::max(most, difference / (want.size[i] * RoundingUnit<T>()));
  }
  return most;
}

// Of the convolution and its two gradients; of integers only of that of the input.
template <class T>
double Error(Cpu device, const Conv3DGeometry& g) {
  const Index in = g.batch * g.image_elements(), filters = g.taps() * g.group_depth() * g.out_depth,
              out = g.batch * g.places() * g.out_depth;
  const std::vector<T> x = RandomVector<T>(in, 1), f = RandomVector<T>(filters, 2), dy = RandomVector<T>(out, 3);
  Sums y_want(dy.size()), dx_want(x.size()), df_want(f.size());
  ForEachProduct(g, [&](std::size_t i, std::size_t j, std::size_t k) {
    y_want.Add(k, ToDouble(x[i]) * ToDouble(f[j]));
    dx_want.Add(i, ToDouble(dy[k]) * ToDouble(f[j]));
    df_want.Add(j, ToDouble(x[i]) * ToDouble(dy[k]));
  });
  std::vector<T> y(dy.size(), T(9)), dx(x.size(), T(9)), df(f.size(), T(9));
  double most = 0;
  if constexpr (!std::is_integral_v<T>) {
    if (!Conv3D(device, g, x.data(), f.data(), y.data()).ok()) return 1e300;
    most = Units(y, y_want);
    if (g.groups > 1) return most;
    if (!ConvBackpropFilter(device, g, x.data(), dy.data(), df.data()).ok()) return 1e300;
    most = std::max(most, Units(df, df_want));
  }
  if (!ConvBackpropInput(device, g, f.data(), dy.data(), dx.data()).ok()) return 1e300;
  return std::max(most, Units(dx, dx_want));
}

}  // namespace

TEST_SUITE("convolutions by products of matrices") {
  TEST_CASE_TEMPLATE("agree with float64 sums, gradients too", T, float, double) {
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
    CHECK(Error<T>({}, g) <= kUnits);  // sums of 115,200 products
    CHECK(Error<T>({.pool = &pool}, g) <= kUnits);
  }
  TEST_CASE("the gradient of the input also of int32") {
    for (std::size_t i = 0; i < 4; ++i) CHECK(Error<std::int32_t>({}, kCases[i]) == 0);
  }
  TEST_CASE("empty ones") {
    Cpu device;
    Conv3DGeometry g = kCases[0];
    g.batch = 0;
    float df[3 * 3 * 3 * 5] = {7};
    CHECK(Conv3D<float>(device, g, nullptr, nullptr, nullptr).ok());
    CHECK(ConvBackpropInput<float>(device, g, nullptr, nullptr, nullptr).ok());
    CHECK(ConvBackpropFilter<float>(device, g, nullptr, nullptr, df).ok());
    CHECK(df[0] == 0);
  }
}
}  // namespace conv_gradient_test
