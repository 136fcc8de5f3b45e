// SPDX-License-Identifier: Apache-2.0
#pragma once
// The gradient of a convolution with respect to its filter, of float, without columns: for each tap a block of the
// filter stays in registers while the pixels of some rows pass. For few channels; a product is better for many.

#include <algorithm>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/core/window_dim.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// sums[i, o] += x[p, i] gradient[p, o], over all pixels p. Steps count elements.
struct FilterGradientRows {
  const float *x, *gradient;  // the first pixel
  Index x_step, gradient_step;  // from pixel to pixel
  Index x_row, gradient_row;  // from row to row
  Index rows, pixels;  // pixels of a row
  Index in, out;  // channels
  float* sums;
  Index sums_step;  // from one i to the next
};

struct FilterGradientBody {
#if TENON_DETAIL_LANES
  // `height` channels of x from i on, `width` vectors of channels of the gradient from o on.
  template <class L, int height, int width>
  TENON_HD static void Add(const FilterGradientRows& r, Index i, Index o) {
    L sums[height][width];
    float* const to = r.sums + i * r.sums_step + o;
#pragma GCC unroll 8
    for (int k = 0; k < height; ++k) {
#pragma GCC unroll 2
      for (int v = 0; v < width; ++v) sums[k][v] = L::Load(to + k * r.sums_step + v * L::size);
    }
    for (Index row = 0; row < r.rows; ++row) {
      const float *x = r.x + row * r.x_row + i, *gradient = r.gradient + row * r.gradient_row + o;
      for (Index p = 0; p < r.pixels; ++p, x += r.x_step, gradient += r.gradient_step) {
        L g[width];
#pragma GCC unroll 2
        for (int v = 0; v < width; ++v) g[v] = L::Load(gradient + v * L::size);
#pragma GCC unroll 8
        for (int k = 0; k < height; ++k) {
          const L each = L::Repeat(x[k]);
#pragma GCC unroll 2
          for (int v = 0; v < width; ++v) sums[k][v] = Fma(each, g[v], sums[k][v]);
        }
      }
    }
#pragma GCC unroll 8
    for (int k = 0; k < height; ++k) {
#pragma GCC unroll 2
      for (int v = 0; v < width; ++v) sums[k][v].Store(to + k * r.sums_step + v * L::size);
    }
  }
  template <class L, int height, int width>
  TENON_HD static void AddAll(const FilterGradientRows& r, Index o) {
    Index i = 0;
    for (; i + height <= r.in; i += height) Add<L, height, width>(r, i, o);
    for (; i < r.in; ++i) Add<L, 1, width>(r, i, o);
  }
  template <int bytes>
  TENON_HD static void Run(const FilterGradientRows* r) {
    using L = simd::Lanes<float, bytes>;
    using Short = simd::Lanes<float, 16>;
    Index o = 0;
    for (; o + 2 * L::size <= r->out; o += 2 * L::size) AddAll<L, 4, 2>(*r, o);
    for (; o + L::size <= r->out; o += L::size) AddAll<L, 8, 1>(*r, o);
    if constexpr (bytes > 16)
      for (; o + Short::size <= r->out; o += Short::size) AddAll<Short, 8, 1>(*r, o);
  }
#endif
};
// Vectors of this many channels of the gradient are the smallest.
inline constexpr Index kFilterGradientChannels = 4;

inline void AddFilterGradient([[maybe_unused]] const FilterGradientRows& rows) {
#if TENON_DETAIL_LANES
  simd::detail::ForLevels<FilterGradientBody, simd::Compiled, const FilterGradientRows*>::Best()(&rows);
#endif
}

// Output positions [first, last) of one dimension whose tap `tap` lies inside of the input.
inline void InsideOfTap(const Window& w, Index tap, Index* first, Index* last) {
  const Index shift = tap * w.dilation - w.pad_before;
  *first = shift >= 0 ? 0 : (w.stride - 1 - shift) / w.stride;
  *last = shift >= w.input ? 0 : std::min(w.output, (w.input - shift + w.stride - 1) / w.stride);
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
