// SPDX-License-Identifier: Apache-2.0
#pragma once
// Depthwise convolutions to test: their windows, and the products that they sum.

#include <cstddef>

#include <tenon/engine/conv/depthwise.hpp>

#include "engine/window_reference.hpp"

namespace tenon::testing {

inline DepthwiseGeometry DepthwiseCase(Padding padding, Index rows, Index columns, Index size, Index stride,
                                       Index depth, Index multiplier) {
  DepthwiseGeometry g;
  g.batch = 2;
  g.rows = Placed(padding, {.input = rows, .size = size, .stride = stride, .pad_before = 1, .pad_after = 2});
  g.columns = Placed(padding, {.input = columns, .size = size, .stride = stride, .pad_before = 2, .pad_after = 0});
  g.depth = depth;
  g.multiplier = multiplier;
  return g;
}

// Calls term(i, j, k) for each product of input element i and filter element j that output element k sums.
template <class Term>
void ForEachDepthwiseTerm(const DepthwiseGeometry& g, const Term& term) {
  ForEachTap(g.rows, [&](Index oy, Index fy, Index row) {
    ForEachTap(g.columns, [&](Index ox, Index fx, Index column) {
      for (Index n = 0; n < g.batch; ++n)
        for (Index o = 0; o < g.out_depth(); ++o)
          term(static_cast<std::size_t>(((n * g.rows.input + row) * g.columns.input + column) * g.depth +
                                        o / g.multiplier),
               static_cast<std::size_t>((fy * g.columns.size + fx) * g.out_depth() + o),
               static_cast<std::size_t>(((n * g.rows.output + oy) * g.columns.output + ox) * g.out_depth() + o));
    });
  });
}

}  // namespace tenon::testing
