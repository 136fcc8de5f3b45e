// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions of volumes, their products one by one, and how far results are from float64.

#include <cmath>
#include <cstddef>
#include <vector>

#include <tenon/engine/conv/conv3d.hpp>

#include "engine/support.hpp"
#include "engine/window_reference.hpp"

namespace conv3d_cases {
using namespace tenon;
using namespace tenon::testing;

inline Conv3DGeometry Geometry(Padding padding, Window planes, Window rows, Window columns, Index in, Index out,
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
inline const std::vector<Conv3DGeometry> kCases = {
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

// What results may be away from float64, as Units gives it.
inline constexpr double kUnits = 8;

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

}  // namespace conv3d_cases
