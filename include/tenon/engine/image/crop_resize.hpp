// SPDX-License-Identifier: Apache-2.0
#pragma once
// Boxes cut out of images and resized, and the gradients, on the CPU. NHWC; boxes are y1, x1, y2, x2 in parts of the
// image's size less one pixel.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <tenon/base/config.hpp>
#include <tenon/base/inlined_vector.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/image/resize.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct CropGeometry {
  Index boxes = 0, rows = 0, columns = 0, depth = 0;  // rows, columns and depth are those of the images
  Index crop_rows = 0, crop_columns = 0;
  bool nearest = false;

  Index crop_elements() const { return crop_rows * crop_columns * depth; }
};

namespace detail {

// Where element i of a crop of `crop` elements lies between `from` and `to` of a dimension of `size` elements.
inline float CropPlace(float from, float to, Index size, Index crop, Index i) {
  const float last = static_cast<float>(size - 1);
  if (crop <= 1) return static_cast<float>(0.5 * static_cast<double>(from + to) * static_cast<double>(last));
  const float scale = (to - from) * last / static_cast<float>(crop - 1);
  return from * last + static_cast<float>(i) * scale;
}
inline bool IsInside(float place, Index size) { return place >= 0 && place <= static_cast<float>(size - 1); }

// Where a row or column of a crop lies between two of the image; outside: `inside` is false.
struct CropAxis {
  bool inside;
  Index low, high;
  float lerp;
};
inline CropAxis CropAxisOf(float from, float to, Index size, Index crop, bool nearest, Index i) {
  const float place = CropPlace(from, to, size, crop, i);
  if (!IsInside(place, size)) return {};
  if (nearest) {
    const Index at = static_cast<Index>(std::round(place));
    return {true, at, at, 0};
  }
  const float low = std::floor(place);
  return {true, static_cast<Index>(low), static_cast<Index>(std::ceil(place)), place - low};
}
inline CropAxis CropRow(const CropGeometry& g, const float* box, Index row) {
  return CropAxisOf(box[0], box[2], g.rows, g.crop_rows, g.nearest, row);
}
using CropColumns = InlinedVector<CropAxis, 32>;
// The columns of a crop, which all its rows share.
TENON_DETAIL_NOINLINE inline void FindCropColumns(const CropGeometry& g, const float* box, CropColumns* columns) {
  columns->resize(static_cast<std::size_t>(g.crop_columns));
  for (Index i = 0; i < g.crop_columns; ++i)
    (*columns)[static_cast<std::size_t>(i)] = CropAxisOf(box[1], box[3], g.columns, g.crop_columns, g.nearest, i);
}

// All channels of one pixel between four.
template <class T>
void MixPixels(const T* top_left, const T* top_right, const T* bottom_left, const T* bottom_right, float x_lerp,
               float y_lerp, Index depth, float* __restrict out) {
  for (Index d = 0; d < depth; ++d) {
    const float left = static_cast<float>(top_left[d]), low_left = static_cast<float>(bottom_left[d]);
    const float above = left + (static_cast<float>(top_right[d]) - left) * x_lerp;
    const float below = low_left + (static_cast<float>(bottom_right[d]) - low_left) * x_lerp;
    out[d] = above + (below - above) * y_lerp;
  }
}
template <class T>
void CropBox(const CropGeometry& g, const T* image, const float* box, float outside, CropColumns* columns, float* out) {
  FindCropColumns(g, box, columns);
  for (Index row = 0; row < g.crop_rows; ++row) {
    const CropAxis y = CropRow(g, box, row);
    if (!y.inside) {
      out = std::fill_n(out, g.crop_columns * g.depth, outside);
      continue;
    }
    const T* const top = image + y.low * g.columns * g.depth;
    const T* const bottom = image + y.high * g.columns * g.depth;
    for (const CropAxis& x : *columns) {
      const Index left = x.low * g.depth, right = x.high * g.depth;
      if (!x.inside)
        std::fill_n(out, g.depth, outside);
      else if (g.nearest)
        for (Index d = 0; d < g.depth; ++d) out[d] = static_cast<float>(top[left + d]);
      else
        MixPixels(top + left, top + right, bottom + left, bottom + right, x.lerp, y.lerp, g.depth, out);
      out += g.depth;
    }
  }
}

// The derivatives of a crop by its box's four numbers, weighted by `grad`.
template <class T>
TENON_DETAIL_RARE void CropBoxGradient(const CropGeometry& g, const T* image, const float* box, const float* grad,
                                       CropColumns* columns, float* out) {
  std::fill_n(out, 4, 0.0f);
  FindCropColumns(g, box, columns);
  const float last_row = static_cast<float>(g.rows - 1), last_column = static_cast<float>(g.columns - 1);
  const float y_ratio = g.crop_rows > 1 ? last_row / static_cast<float>(g.crop_rows - 1) : 0,
              x_ratio = g.crop_columns > 1 ? last_column / static_cast<float>(g.crop_columns - 1) : 0;
  for (Index row = 0; row < g.crop_rows; ++row) {
    const CropAxis y_axis = CropRow(g, box, row);
    for (Index column = 0; column < g.crop_columns; ++column, grad += g.depth) {
      const CropAxis& x_axis = (*columns)[static_cast<std::size_t>(column)];
      if (!y_axis.inside || !x_axis.inside) continue;
      const T* const top = image + y_axis.low * g.columns * g.depth;
      const T* const bottom = image + y_axis.high * g.columns * g.depth;
      for (Index d = 0; d < g.depth; ++d) {
        const Index left = x_axis.low * g.depth + d, right = x_axis.high * g.depth + d;
        const float top_left = static_cast<float>(top[left]), top_right = static_cast<float>(top[right]),
                    bottom_left = static_cast<float>(bottom[left]), bottom_right = static_cast<float>(bottom[right]);
        const float by_y =
            ((1 - x_axis.lerp) * (bottom_left - top_left) + x_axis.lerp * (bottom_right - top_right)) * grad[d];
        const float by_x =
            ((1 - y_axis.lerp) * (top_right - top_left) + y_axis.lerp * (bottom_right - bottom_left)) * grad[d];
        const float y = static_cast<float>(row) * y_ratio, x = static_cast<float>(column) * x_ratio;
        out[0] += by_y * (g.crop_rows > 1 ? last_row - y : 0.5f * last_row);
        out[2] += by_y * (g.crop_rows > 1 ? y : 0.5f * last_row);
        out[1] += by_x * (g.crop_columns > 1 ? last_column - x : 0.5f * last_column);
        out[3] += by_x * (g.crop_columns > 1 ? x : 0.5f * last_column);
      }
    }
  }
}

}  // namespace detail

// crops: [boxes, crop_rows, crop_columns, depth]; box i is cut out of image number which[i]; pixels outside of it are
// `outside`.
template <class T>
void CropAndResize(Cpu& device, const CropGeometry& g, const T* images, const float* boxes, const std::int32_t* which,
                   float outside, float* crops) {
  ParallelFor(device, g.boxes, 6.0 * static_cast<double>(g.crop_elements()), [&](Index begin, Index end) {
    detail::CropColumns columns;
    for (Index i = begin; i < end; ++i)
      detail::CropBox(g, images + which[i] * g.rows * g.columns * g.depth, boxes + 4 * i, outside, &columns,
                      crops + i * g.crop_elements());
  });
}

// The gradient with respect to the boxes: out [boxes, 4].
template <class T>
void CropAndResizeGradBoxes(Cpu& device, const CropGeometry& g, const float* grads, const T* images, const float* boxes,
                            const std::int32_t* which, float* out) {
  ParallelFor(device, g.boxes, 12.0 * static_cast<double>(g.crop_elements()), [&](Index begin, Index end) {
    detail::CropColumns columns;
    for (Index i = begin; i < end; ++i)
      detail::CropBoxGradient(g, images + which[i] * g.rows * g.columns * g.depth, boxes + 4 * i,
                              grads + i * g.crop_elements(), &columns, out + 4 * i);
  });
}

// The gradient with respect to the images, added up over all boxes on one thread: out has `elements` elements and is
// overwritten. Sums are rounded to T one by one.
template <class T>
TENON_DETAIL_RARE void CropAndResizeGradImage(const CropGeometry& g, const float* grads, const float* boxes,
                                              const std::int32_t* which, Index elements, T* out) {
  std::fill_n(out, elements, T(0));
  if (g.crop_elements() == 0) return;
  detail::CropColumns columns;
  for (Index i = 0; i < g.boxes; ++i) {
    T* const image = out + which[i] * g.rows * g.columns * g.depth;
    detail::FindCropColumns(g, boxes + 4 * i, &columns);
    for (Index row = 0; row < g.crop_rows; ++row) {
      const detail::CropAxis y = detail::CropRow(g, boxes + 4 * i, row);
      for (const detail::CropAxis& x : columns) {
        const float* const from = std::exchange(grads, grads + g.depth);
        if (!y.inside || !x.inside) continue;
        const auto add = [&](Index to_row, Index to_column, float y_weight, float x_weight) {
          T* const to = image + (to_row * g.columns + to_column) * g.depth;
          for (Index d = 0; d < g.depth; ++d)
            to[d] = static_cast<T>(to[d] + static_cast<T>(x_weight * (y_weight * from[d])));
        };
        if (g.nearest) {
          add(y.low, x.low, 1, 1);
          continue;
        }
        add(y.low, x.low, 1 - y.lerp, 1 - x.lerp);
        add(y.low, x.high, 1 - y.lerp, x.lerp);
        add(y.high, x.low, y.lerp, 1 - x.lerp);
        add(y.high, x.high, y.lerp, x.lerp);
      }
    }
  }
}

TENON_DETAIL_NAMESPACE_END
