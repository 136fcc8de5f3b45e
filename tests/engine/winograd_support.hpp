// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of Winograd's convolution share: cases, and the result in double.

#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/tensor/tensor.hpp>
#include <tenon/engine/conv/conv_geometry.hpp>

#include "engine/support.hpp"

namespace tenon::testing {

struct WinogradCase {
  Index batch, rows, columns, in_depth, out_depth;
  Padding padding = Padding::kSame;
  std::vector<Index> paddings = {};
};

inline Conv2DGeometry WinogradGeometry(const WinogradCase& c) {
  const Index ones[] = {1, 1, 1, 1};
  Conv2DGeometry g;
  REQUIRE(MakeConv2DGeometry({c.batch, c.rows, c.columns, c.in_depth}, {3, 3, c.in_depth, c.out_depth}, ones, ones,
                             c.padding, Span<const Index>(c.paddings.data(), c.paddings.size()), &g)
              .ok());
  return g;
}

// The largest error of a result, over 2^-24 max|x| sum|w|, where the sum is over the channel's filter.
inline double WinogradError(const Conv2DGeometry& g, const float* x, const float* w, const float* y) {
  const Index channels = g.out_depth;
  double largest = 0, worst = 0;
  for (Index i = 0; i < g.batch * g.rows.input * g.columns.input * g.in_depth; ++i)
    largest = std::fmax(largest, std::fabs(static_cast<double>(x[i])));
  std::vector<double> sums(static_cast<std::size_t>(channels));
  for (Index i = 0; i < 9 * g.in_depth * channels; ++i)
    sums[static_cast<std::size_t>(i % channels)] += std::fabs(static_cast<double>(w[i]));
  std::vector<double> want(static_cast<std::size_t>(channels));
  for (Index at = 0; at < g.batch * g.rows.output * g.columns.output; ++at, y += channels) {
    const Index column = at % g.columns.output, row = at / g.columns.output % g.rows.output;
    want.assign(want.size(), 0);
    for (Index tap = 0; tap < 9; ++tap) {
      const Index r = row - g.rows.pad_before + tap / 3, c = column - g.columns.pad_before + tap % 3;
      if (r < 0 || r >= g.rows.input || c < 0 || c >= g.columns.input) continue;
      const Index image = at / g.columns.output / g.rows.output;
      const float* const pixel = x + ((image * g.rows.input + r) * g.columns.input + c) * g.in_depth;
      for (Index d = 0; d < g.in_depth; ++d)
        for (Index o = 0; o < channels; ++o)
          want[static_cast<std::size_t>(o)] +=
              static_cast<double>(pixel[d]) * static_cast<double>(w[(tap * g.in_depth + d) * channels + o]);
    }
    for (Index o = 0; o < channels; ++o) {
      const double error = std::fabs(static_cast<double>(y[o]) - want[static_cast<std::size_t>(o)]);
      const double size = largest * sums[static_cast<std::size_t>(o)] * 0x1p-24;
      if (!(error <= worst * size)) worst = error / size;  // NaN stays
    }
  }
  return worst;
}
// Random numbers have smaller errors: up to 25 with one channel, up to 1.4 with the channels of a layer.
inline constexpr double kMostWinogradError = 16;

}  // namespace tenon::testing
