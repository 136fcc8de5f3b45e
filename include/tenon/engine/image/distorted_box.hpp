// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random crops of an image that keep enough of some box, draw for draw as TensorFlow makes them.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include <tenon/base/config.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/engine/random/philox.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Pixels [left, right) of rows [top, bottom).
struct CropRectangle {
  std::int32_t left = 0, top = 0, right = 0, bottom = 0;

  float Area() const { return static_cast<float>((std::int64_t{right} - left) * (std::int64_t{bottom} - top)); }
  CropRectangle Common(const CropRectangle& other) const {
    const CropRectangle both{std::max(left, other.left), std::max(top, other.top), std::min(right, other.right),
                             std::min(bottom, other.bottom)};
    return both.left > both.right || both.top > both.bottom ? CropRectangle{} : both;
  }
};

struct CropLimits {
  float least_area, most_area;  // parts of the image
  float least_ratio, most_ratio;  // width over height
  float least_covered;  // part of a box
};

namespace detail {

// In [0, n). n = 0 gives any word.
inline std::uint32_t UniformBelow(std::uint32_t n, PhiloxWords* words) {
  if ((n & (n - 1)) == 0) return words->Next() & (n - 1);
  const std::uint32_t rejected = ~std::uint32_t{0} % n + 1;
  std::uint32_t word = words->Next();
  while (word < rejected) word = words->Next();
  return word % n;
}
inline float UniformPart(PhiloxWords* words) {
  return std::bit_cast<float>((words->Next() & 0x7fffffu) | (127u << 23)) - 1.0f;
}
inline std::int32_t RoundToInt(float x) {
  constexpr float kMost = 2147483520.0f;
  return static_cast<std::int32_t>(std::nearbyint(std::min(std::max(x, -kMost), kMost)));
}

// False where no crop fits.
inline bool DrawCrop(std::int32_t width, std::int32_t height, const CropLimits& limits, float ratio, PhiloxWords* words,
                     CropRectangle* crop) {
  if (!(limits.most_area > 0) || !(ratio > 0) || width <= 0 || height <= 0 || limits.least_area > limits.most_area)
    return false;
  const float least = limits.least_area * static_cast<float>(width) * static_cast<float>(height);
  const float most = limits.most_area * static_cast<float>(width) * static_cast<float>(height);
  std::int32_t rows = RoundToInt(std::sqrt(least / ratio)), most_rows = RoundToInt(std::sqrt(most / ratio));
  if (RoundToInt(static_cast<float>(most_rows) * ratio) > width) {
    constexpr float kSmall = 0.0000001f;
    most_rows = static_cast<std::int32_t>(
        std::min((width + 0.5 - static_cast<double>(kSmall)) / static_cast<double>(ratio), 2147483647.0));
    if (RoundToInt(static_cast<float>(most_rows) * ratio) > width) most_rows -= 1;
  }
  most_rows = std::min(most_rows, height);
  if (rows >= most_rows)
    rows = most_rows;
  else
    rows += static_cast<std::int32_t>(UniformBelow(static_cast<std::uint32_t>(most_rows - rows + 1), words));
  std::int32_t columns = RoundToInt(static_cast<float>(rows) * ratio);
  auto area = static_cast<float>(std::int64_t{columns} * rows);
  if (area < least) {  // rounding: one row more, or one less
    rows += 1;
    columns = RoundToInt(static_cast<float>(rows) * ratio);
    area = static_cast<float>(std::int64_t{columns} * rows);
  }
  if (area > most) {
    rows -= 1;
    columns = RoundToInt(static_cast<float>(rows) * ratio);
    area = static_cast<float>(std::int64_t{columns} * rows);
  }
  if (area < least || area > most || columns > width || rows > height || columns <= 0 || rows <= 0) return false;
  std::int32_t y = 0, x = 0;
  if (rows < height) y = static_cast<std::int32_t>(UniformBelow(static_cast<std::uint32_t>(height - rows), words));
  if (columns < width) x = static_cast<std::int32_t>(UniformBelow(static_cast<std::uint32_t>(width - columns), words));
  *crop = {x, y, x + columns, y + rows};
  return true;
}

}  // namespace detail

// A crop of the image that covers enough of one of the boxes; after so many attempts, the whole image.
inline CropRectangle DrawDistortedBox(std::int32_t width, std::int32_t height, const CropLimits& limits,
                                      std::int64_t attempts, const SlimVector<CropRectangle>& boxes,
                                      const Philox& from) {
  PhiloxWords words(from);
  CropRectangle crop;
  for (std::int64_t i = 0; i < attempts; ++i) {
    const float ratio = detail::UniformPart(&words) * (limits.most_ratio - limits.least_ratio) + limits.least_ratio;
    if (!detail::DrawCrop(width, height, limits, ratio, &words, &crop) || crop.Area() < 1) continue;
    for (const CropRectangle& box : boxes)
      if (box.Area() >= 1 && crop.Common(box).Area() / box.Area() >= limits.least_covered) return crop;
  }
  return {0, 0, width, height};
}

TENON_DETAIL_NAMESPACE_END
