// SPDX-License-Identifier: Apache-2.0
#pragma once
// Projective transforms of images on the CPU. NHWC.

#include <algorithm>
#include <cmath>

#include <tenon/base/config.hpp>
#include <tenon/types/convert.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Where pixels outside of an image come from: a constant, or the image, mirrored (dcba|abcd|dcba), repeated
// (abcd|abcd|abcd), or with its edges drawn out (aaaa|abcd|dddd).
enum class FillMode { kConstant, kReflect, kWrap, kNearest };

struct TransformGeometry {
  Index batch = 0, rows = 0, columns = 0, depth = 0;  // sizes of the images
  Index out_rows = 0, out_columns = 0;
  bool nearest = false;  // or bilinear
  FillMode mode = FillMode::kConstant;
  float fill = 0;
};

namespace detail {

// The place in [0, size) that a place outside stands for; the place itself with kConstant.
inline float FilledPlace(FillMode mode, float place, Index size) {
  const float last = static_cast<float>(size - 1), length = static_cast<float>(size);
  if (mode == FillMode::kConstant) return place;
  if (mode == FillMode::kReflect) {
    const float period = 2 * length;
    if (place < 0) {
      if (size <= 1) return 0;
      if (place < period) place = period * std::trunc(-place / period) + place;
      place = place < -length ? place + period : -place - 1;
    } else if (place > last) {
      if (size <= 1) return 0;
      place -= period * std::trunc(place / period);
      if (place >= length) place = period - place - 1;
    }
  } else if (mode == FillMode::kWrap) {
    if (place < 0)
      place = size <= 1 ? 0 : place + length * (std::trunc(-place / last) + 1);
    else if (place > last)
      place = size <= 1 ? 0 : place - length * std::trunc(place / last);
  }
  return std::max(0.0f, std::min(place, last));
}

// Reads pixels of one image; outside of it the fill value.
template <class T>
struct ImageReader {
  const T* image;
  const TransformGeometry& g;

  float At(float row, float column, Index channel) const {
    const bool inside = row >= 0 && row < static_cast<float>(g.rows) && column >= 0 &&
                        column < static_cast<float>(g.columns);  // false for NaN
    if (!inside) return g.fill;
    return static_cast<float>(
        image[(static_cast<Index>(row) * g.columns + static_cast<Index>(column)) * g.depth + channel]);
  }
};

template <class T>
void TransformPixel(const ImageReader<T>& reader, float y, float x, T* out) {
  const TransformGeometry& g = reader.g;
  if (g.nearest) {
    const float row = std::round(y), column = std::round(x);
    const bool inside =
        row >= 0 && row < static_cast<float>(g.rows) && column >= 0 && column < static_cast<float>(g.columns);
    if (!inside) return void(std::fill_n(out, g.depth, ConvertScalar<T>(g.fill)));
    const T* const from = reader.image + (static_cast<Index>(row) * g.columns + static_cast<Index>(column)) * g.depth;
    return void(std::copy_n(from, g.depth, out));
  }
  const float top = std::floor(y), left = std::floor(x), bottom = top + 1, right = left + 1;
  for (Index c = 0; c < g.depth; ++c) {
    const float above = (right - x) * reader.At(top, left, c) + (x - left) * reader.At(top, right, c);
    const float below = (right - x) * reader.At(bottom, left, c) + (x - left) * reader.At(bottom, right, c);
    out[c] = ConvertScalar<T>((bottom - y) * above + (y - top) * below);
  }
}

}  // namespace detail

// out: [batch, out_rows, out_columns, depth]. `transforms` are eight numbers for each image, or for all when `shared`:
// pixel (x, y) of the output is the image's at ((a0 x + a1 y + a2) / k, (a3 x + a4 y + a5) / k), k = a6 x + a7 y + 1.
template <class T>
void ProjectiveTransform(Cpu& device, const TransformGeometry& g, const T* images, const float* transforms, bool shared,
                         T* out) {
  const Index row_size = g.out_columns * g.depth;
  ParallelFor(device, g.batch * g.out_rows, 20.0 * static_cast<double>(row_size), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index number = i / g.out_rows;
      const float* const a = transforms + (shared ? 0 : 8 * number);
      const float y = static_cast<float>(i % g.out_rows);
      const detail::ImageReader<T> reader{images + number * g.rows * g.columns * g.depth, g};
      for (Index column = 0; column < g.out_columns; ++column) {
        T* const to = out + i * row_size + column * g.depth;
        const float x = static_cast<float>(column), k = a[6] * x + a[7] * y + 1;
        if (k == 0) {
          std::fill_n(to, g.depth, ConvertScalar<T>(g.fill));
          continue;
        }
        detail::TransformPixel(reader, detail::FilledPlace(g.mode, (a[3] * x + a[4] * y + a[5]) / k, g.rows),
                               detail::FilledPlace(g.mode, (a[0] * x + a[1] * y + a[2]) / k, g.columns), to);
      }
    }
  });
}

TENON_DETAIL_NAMESPACE_END
