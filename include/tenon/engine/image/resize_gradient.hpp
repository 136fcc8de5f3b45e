// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of resized images on the CPU: nearest neighbour, bilinear, bicubic. NHWC. Arithmetic and rounding are those
// of TensorFlow, step by step.

#include <algorithm>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/max_pool_argmax.hpp>
#include <tenon/engine/image/resize.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Where the gradient of one element of one dimension goes to: at most four positions.
struct GradientPlaces {
  int count;
  Index at[4];
  float weight[4];
};
enum class ResizeMethod { kNearest, kBilinear, kBicubic };
inline GradientPlaces GradientPlacesOf(ResizeMethod method, const ResizeGeometry& g, const ResizeAxis& axis, Index i) {
  if (method == ResizeMethod::kNearest)
    return {1, {NearestPlace(axis, g.align_corners, g.half_pixel_centers, i)}, {1.0f}};
  if (method == ResizeMethod::kBilinear) {
    const LinearPlace p = LinearPlaceOf(axis, g.half_pixel_centers, i);
    return {2, {p.lower, p.upper}, {1.0f - p.lerp, p.lerp}};
  }
  const CubicPlace p = CubicPlaceOf(axis, g.half_pixel_centers, i);
  GradientPlaces places{4, {}, {}};
  std::copy_n(p.at, 4, places.at);
  std::copy_n(p.weight, 4, places.weight);
  return places;
}

// Adds one row of a gradient to the rows of an image, each element to the places of its row and its column. Sums are
// rounded to T one by one.
template <class G, class T>
struct GradientColumns {
  const PlacesOfColumns<GradientPlaces>& places;
  Index columns, in_columns, any_depth;

  template <int channels>
  void Run(const G* from, const GradientPlaces* y, T* to) const {
    const Index depth = channels > 0 ? channels : any_depth;
    for (Index j = 0; j < columns; ++j, from += depth) {
      const GradientPlaces& x = places[j];
      for (int r = 0; r < y->count; ++r) {
        for (int c = 0; c < x.count; ++c) {
          T* const sum = to + (y->at[r] * in_columns + x.at[c]) * depth;
          for (Index d = 0; d < depth; ++d) {
            if constexpr (std::is_same_v<G, T> && !std::is_same_v<G, float>)
              sum[d] = PoolSum(sum[d], from[d]);
            else
              sum[d] = static_cast<T>(sum[d] + static_cast<T>(from[d] * y->weight[r] * x.weight[c]));
          }
        }
      }
    }
  }
};

}  // namespace detail

// The gradients with respect to the images: grad [batch, out_rows, out_columns, depth] -> out [batch, rows, columns,
// depth], which is overwritten. G is T for the nearest neighbour, else float; sums are rounded to T one by one.
template <class G, class T>
Status ResizeGradient(Cpu& device, const ResizeGeometry& g, detail::ResizeMethod method, const G* grad, T* out) {
  const Index image = g.rows.input * g.columns.input * g.depth, places = g.rows.output * g.columns.output;
  const detail::PlacesOfColumns<detail::GradientPlaces> columns(
      device, g.columns.output, [&](Index j) { return detail::GradientPlacesOf(method, g, g.columns, j); });
  TENON_RETURN_IF_ERROR(columns.status());
  const detail::GradientColumns<G, T> in_row{columns, g.columns.output, g.columns.input, g.depth};
  ParallelFor(device, g.batch, 8.0 * static_cast<double>(places * g.depth + image), [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      T* const to = out + n * image;
      for (Index i = 0; i < image; ++i) to[i] = T(0);
      for (Index i = 0; i < g.rows.output; ++i) {
        const detail::GradientPlaces y = detail::GradientPlacesOf(method, g, g.rows, i);
        const G* const from = grad + (n * places + i * g.columns.output) * g.depth;
        // Other types have one loop for all numbers of channels.
        if constexpr (std::is_same_v<T, float>)
          detail::ForChannels(g.depth, in_row, from, &y, to);
        else
          in_row.template Run<0>(from, &y, to);
      }
    }
  });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
