// SPDX-License-Identifier: Apache-2.0
#pragma once
// Boxes cut out of images and resized, and the gradients, on the CPU. NHWC; boxes are y1, x1, y2, x2 in parts of the
// image's size less one pixel.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>
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

// A pixel of a crop: its position in the image, or none.
struct CropPixel {
  bool inside;
  Index top, bottom, left, right;
  float y_lerp, x_lerp;
};
inline CropPixel CropPixelOf(const CropGeometry& g, const float* box, Index row, Index column) {
  const float y = CropPlace(box[0], box[2], g.rows, g.crop_rows, row),
              x = CropPlace(box[1], box[3], g.columns, g.crop_columns, column);
  if (!IsInside(y, g.rows) || !IsInside(x, g.columns)) return {};
  if (g.nearest) {
    const Index r = static_cast<Index>(std::round(y)), c = static_cast<Index>(std::round(x));
    return {true, r, r, c, c, 0, 0};
  }
  return {true,
          static_cast<Index>(std::floor(y)),
          static_cast<Index>(std::ceil(y)),
          static_cast<Index>(std::floor(x)),
          static_cast<Index>(std::ceil(x)),
          y - std::floor(y),
          x - std::floor(x)};
}

template <class T>
void CropBox(const CropGeometry& g, const T* image, const float* box, float outside, float* out) {
  for (Index row = 0; row < g.crop_rows; ++row) {
    for (Index column = 0; column < g.crop_columns; ++column, out += g.depth) {
      const CropPixel p = CropPixelOf(g, box, row, column);
      if (!p.inside) {
        std::fill_n(out, g.depth, outside);
        continue;
      }
      const T* const top = image + p.top * g.columns * g.depth;
      const T* const bottom = image + p.bottom * g.columns * g.depth;
      for (Index d = 0; d < g.depth; ++d) {
        const Index left = p.left * g.depth + d, right = p.right * g.depth + d;
        const float top_left = static_cast<float>(top[left]), bottom_left = static_cast<float>(bottom[left]);
        if (g.nearest) {
          out[d] = top_left;
          continue;
        }
        const float above = top_left + (static_cast<float>(top[right]) - top_left) * p.x_lerp;
        const float below = bottom_left + (static_cast<float>(bottom[right]) - bottom_left) * p.x_lerp;
        out[d] = above + (below - above) * p.y_lerp;
      }
    }
  }
}

// The derivatives of a crop by its box's four numbers, weighted by `grad`.
template <class T>
void CropBoxGradient(const CropGeometry& g, const T* image, const float* box, const float* grad, float* out) {
  std::fill_n(out, 4, 0.0f);
  const float last_row = static_cast<float>(g.rows - 1), last_column = static_cast<float>(g.columns - 1);
  const float y_ratio = g.crop_rows > 1 ? last_row / static_cast<float>(g.crop_rows - 1) : 0,
              x_ratio = g.crop_columns > 1 ? last_column / static_cast<float>(g.crop_columns - 1) : 0;
  for (Index row = 0; row < g.crop_rows; ++row) {
    for (Index column = 0; column < g.crop_columns; ++column, grad += g.depth) {
      const CropPixel p = CropPixelOf(g, box, row, column);
      if (!p.inside) continue;
      const T* const top = image + p.top * g.columns * g.depth;
      const T* const bottom = image + p.bottom * g.columns * g.depth;
      for (Index d = 0; d < g.depth; ++d) {
        const Index left = p.left * g.depth + d, right = p.right * g.depth + d;
        const float top_left = static_cast<float>(top[left]), top_right = static_cast<float>(top[right]),
                    bottom_left = static_cast<float>(bottom[left]), bottom_right = static_cast<float>(bottom[right]);
        const float by_y =
            ((1 - p.x_lerp) * (bottom_left - top_left) + p.x_lerp * (bottom_right - top_right)) * grad[d];
        const float by_x =
            ((1 - p.y_lerp) * (top_right - top_left) + p.y_lerp * (bottom_right - bottom_left)) * grad[d];
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
    for (Index i = begin; i < end; ++i)
      detail::CropBox(g, images + which[i] * g.rows * g.columns * g.depth, boxes + 4 * i, outside,
                      crops + i * g.crop_elements());
  });
}

// The gradient with respect to the boxes: out [boxes, 4].
template <class T>
void CropAndResizeGradBoxes(Cpu& device, const CropGeometry& g, const float* grads, const T* images, const float* boxes,
                            const std::int32_t* which, float* out) {
  ParallelFor(device, g.boxes, 12.0 * static_cast<double>(g.crop_elements()), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      detail::CropBoxGradient(g, images + which[i] * g.rows * g.columns * g.depth, boxes + 4 * i,
                              grads + i * g.crop_elements(), out + 4 * i);
  });
}

// The gradient with respect to the images, added up over all boxes on one thread: out has `elements` elements and is
// overwritten. Sums are rounded to T one by one.
template <class T>
void CropAndResizeGradImage(const CropGeometry& g, const float* grads, const float* boxes, const std::int32_t* which,
                            Index elements, T* out) {
  std::fill_n(out, elements, T(0));
  for (Index i = 0; i < g.boxes; ++i) {
    T* const image = out + which[i] * g.rows * g.columns * g.depth;
    for (Index row = 0; row < g.crop_rows; ++row) {
      for (Index column = 0; column < g.crop_columns; ++column, grads += g.depth) {
        const detail::CropPixel p = detail::CropPixelOf(g, boxes + 4 * i, row, column);
        if (!p.inside) continue;
        const auto add = [&](Index y, Index x, float y_weight, float x_weight) {
          T* const to = image + (y * g.columns + x) * g.depth;
          for (Index d = 0; d < g.depth; ++d)
            to[d] = static_cast<T>(to[d] + static_cast<T>(x_weight * (y_weight * grads[d])));
        };
        if (g.nearest) {
          add(p.top, p.left, 1, 1);
          continue;
        }
        add(p.top, p.left, 1 - p.y_lerp, 1 - p.x_lerp);
        add(p.top, p.right, 1 - p.y_lerp, p.x_lerp);
        add(p.bottom, p.left, p.y_lerp, 1 - p.x_lerp);
        add(p.bottom, p.right, p.y_lerp, p.x_lerp);
      }
    }
  }
}

TENON_DETAIL_NAMESPACE_END
