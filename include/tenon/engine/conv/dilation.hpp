// SPDX-License-Identifier: Apache-2.0
#pragma once
// Grey-scale dilation on the CPU: the largest sum of a window's elements and a filter's, and its gradients. NHWC;
// filter [rows, columns, depth].

#include <algorithm>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/max_pool_argmax.hpp>
#include <tenon/engine/core/window_dim.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct DilationGeometry {
  Index batch = 0;
  Window rows, columns;
  Index depth = 0;

  Index image_elements() const { return MultiplySizes(MultiplySizes(rows.input, columns.input), depth); }
  Index output_elements() const {  // elements of one image's output
    return MultiplySizes(MultiplySizes(rows.output, columns.output), depth);
  }
  Index filter_elements() const { return rows.size * columns.size * depth; }
};

namespace detail {

// `n`, or the end of [0, last] that is nearest.
TENON_HD Index Clamped(Index n, Index last) { return n < 0 ? 0 : n < last ? n : last; }

// The largest sum for output element `at` of an image; where it was found, in the image and in the filter. Without any
// element of the image: the lowest number, and where the window begins.
template <class T>
TENON_HD T LargestSum(const DilationGeometry& g, T lowest, const T* image, const T* filter, Index at, Index* in_image,
                      Index* in_filter) {
  const Index d = at % g.depth, column = at / g.depth % g.columns.output, row = at / g.depth / g.columns.output;
  const Index top = row * g.rows.stride - g.rows.pad_before, left = column * g.columns.stride - g.columns.pad_before;
  T most = lowest;
  *in_image = (Clamped(top, g.rows.input - 1) * g.columns.input + Clamped(left, g.columns.input - 1)) * g.depth + d;
  *in_filter = d;
  for (Index r = 0; r < g.rows.size; ++r) {
    const Index y = top + r * g.rows.dilation;
    if (y < 0 || y >= g.rows.input) continue;
    for (Index c = 0; c < g.columns.size; ++c) {
      const Index x = left + c * g.columns.dilation;
      if (x < 0 || x >= g.columns.input) continue;
      const Index from = (y * g.columns.input + x) * g.depth + d, tap = (r * g.columns.size + c) * g.depth + d;
      const T sum = PoolSum(image[from], filter[tap]);
      if (sum > most) {
        most = sum;
        *in_image = from;
        *in_filter = tap;
      }
    }
  }
  return most;
}

// to[d] is at least image[d] + filter[d], for all channels. In pieces that a compiler makes vectors of at -O2, too.
template <class T>
void KeepLargest(const T* __restrict image, const T* __restrict filter, Index depth, T* __restrict to) {
  constexpr Index kPiece = 8;
  const auto keep = [&](Index d) {
    const T sum = PoolSum(image[d], filter[d]);
    to[d] = sum > to[d] ? sum : to[d];
  };
  Index d = 0;
  for (; d + kPiece <= depth; d += kPiece)
    for (Index k = 0; k < kPiece; ++k) keep(d + k);
  for (; d < depth; ++d) keep(d);
}
// All channels of one output pixel of an image, as LargestSum finds them.
template <class T>
void DilatePixel(const DilationGeometry& g, T lowest, const T* image, const T* filter, Index row, Index column, T* to) {
  const Index top = row * g.rows.stride - g.rows.pad_before, left = column * g.columns.stride - g.columns.pad_before;
  std::fill_n(to, g.depth, lowest);
  for (Index r = 0; r < g.rows.size; ++r) {
    const Index y = top + r * g.rows.dilation;
    if (y < 0 || y >= g.rows.input) continue;
    for (Index c = 0; c < g.columns.size; ++c) {
      const Index x = left + c * g.columns.dilation;
      if (x < 0 || x >= g.columns.input) continue;
      KeepLargest(image + (y * g.columns.input + x) * g.depth, filter + (r * g.columns.size + c) * g.depth, g.depth,
                  to);
    }
  }
}

template <class T>
double DilationNs(const DilationGeometry& g) {
  return (std::is_arithmetic_v<T> ? 1.5 : 6.0) * static_cast<double>(g.rows.size * g.columns.size);
}

}  // namespace detail

// Overwrites `output`, g.output_elements() for each image.
template <class T>
Status Dilate(Cpu& device, const DilationGeometry& g, const T* input, const T* filter, T* output) {
  const Index pixels = MultiplySizes(g.rows.output, g.columns.output);  // one image of the output
  const double pixel_ns = detail::DilationNs<T>(g) * static_cast<double>(g.depth);
  ParallelFor(device, g.batch * pixels, pixel_ns, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index at = i % pixels;
      detail::DilatePixel(g, std::numeric_limits<T>::lowest(), input + i / pixels * g.image_elements(), filter,
                          at / g.columns.output, at % g.columns.output, output + i * g.depth);
    }
  });
  return OkStatus();
}

// The gradients: each element of `gradient` goes to where its largest sum came from. Overwrites `output`, which has
// the input's shape or (to_filter) the filter's.
template <class T>
TENON_DETAIL_RARE Status DilateGrad(Cpu& device, const DilationGeometry& g, bool to_filter, const T* input,
                                    const T* filter, const T* gradient, T* output) {
  const Index per_image = g.output_elements();
  const auto add = [&](Index begin, Index end, T* to) {
    Index in_image = 0, in_filter = 0;
    for (Index i = begin; i < end; ++i) {
      const Index image = i / per_image * g.image_elements();
      detail::LargestSum(g, std::numeric_limits<T>::lowest(), input + image, filter, i % per_image, &in_image,
                         &in_filter);
      T& sum = to[to_filter ? in_filter : image + in_image];
      sum = detail::PoolSum(sum, gradient[i]);
    }
  };
  if (to_filter) {
    std::fill_n(output, g.filter_elements(), T(0));
    add(0, g.batch * per_image, output);
    return OkStatus();
  }
  std::fill_n(output, g.batch * g.image_elements(), T(0));
  ParallelFor(device, g.batch, detail::DilationNs<T>(g) * static_cast<double>(per_image),
              [&](Index begin, Index end) { add(begin * per_image, end * per_image, output); });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
