// SPDX-License-Identifier: Apache-2.0
#pragma once
// Colours: RGB to hue, saturation, value and back, changed hue, saturation and contrast, on the CPU. Pixels of three
// numbers, hue in [0, 1). The formulas and their order are TensorFlow's.

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/reduce/columns.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

template <class C>
void PixelToHsv(const C* rgb, C* hsv) {
  const C r = rgb[0], g = rgb[1], b = rgb[2];
  // The second where one is NaN, as the processors' instructions have it.
  const auto most = [](C x, C y) { return x > y ? x : y; };
  const auto least = [](C x, C y) { return x < y ? x : y; };
  const C value = most(most(r, g), b), range = value - least(least(r, g), b);
  const C norm = C(1) / range * C(1.0 / 6.0);
  C hue = r == value ? norm * (g - b) : g == value ? norm * (b - r) + C(2.0 / 6.0) : norm * (r - g) + C(4.0 / 6.0);
  hue = range > C(0) ? hue : C(0);
  hsv[0] = hue < C(0) ? hue + C(1) : hue;
  hsv[1] = value > C(0) ? range / value : C(0);
  hsv[2] = value;
}

template <class C>
void PixelToRgb(const C* hsv, C* rgb) {
  const auto clip = [](C x) { return std::min(std::max(x, C(0)), C(1)); };
  const C hue = hsv[0] * C(6), saturation = hsv[1], value = hsv[2];
  const C red = clip(std::abs(hue - C(3)) - C(1)), green = clip(C(2) - std::abs(hue - C(2))),
          blue = clip(C(2) - std::abs(hue - C(4))), rest = C(1) - saturation;
  rgb[0] = (rest + saturation * red) * value;
  rgb[1] = (rest + saturation * green) * value;
  rgb[2] = (rest + saturation * blue) * value;
}

// std::fmod(x, period), without a division where x lies within two periods.
inline float Modulo(float x, float period) {
  if (std::abs(x) < 2 * period) return x >= period ? x - period : x <= -period ? x + period : x;
  return std::fmod(x, period);
}

// hue: [0, 6); the others as they are. Choices, not branches: pixels follow no order.
inline void PixelToHueRange(const float* rgb, float* hue, float* least, float* most) {
  constexpr unsigned char kSextants[] = {0, 4, 5, 1, 3, 2};
  const float r = rgb[0], g = rgb[1], b = rgb[2];
  const bool rising = r < g;
  const float low = rising ? r : g, high = rising ? g : r;
  const bool below = b < low, above = !below && b > high;
  *least = below ? b : low;
  *most = above ? b : high;
  const float middle = below ? low : above ? high : b;
  const int sextant = kSextants[(rising ? 3 : 0) + (below ? 0 : above ? 1 : 2)];
  const float range = *most - *least, ratio = (middle - *least) / range;
  *hue = *most == *least ? 0 : static_cast<float>(sextant) + (sextant % 2 == 0 ? ratio : 1 - ratio);
}
// Where the channels of greatest, middle and least value lie in each sextant of hues.
inline constexpr unsigned char kHueOrder[6][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};
inline void HueRangeToPixel(float hue, float least, float most, float* rgb) {
  const int sextant = hue >= 0 && hue < 6 ? static_cast<int>(hue) : 5;
  float ratio = hue - static_cast<float>(sextant);
  if (sextant % 2 != 0) ratio = 1 - ratio;
  const unsigned char* const order = kHueOrder[sextant];
  rgb[order[0]] = most;
  rgb[order[1]] = least + ratio * (most - least);
  rgb[order[2]] = least;
}

inline void ChangeHue(float delta, const float* in, float* out) {
  float hue, least, most;
  PixelToHueRange(in, &hue, &least, &most);
  hue = Modulo(hue + delta * 6, 6);
  if (hue < 0) hue += 6;
  if (hue >= 6) hue -= 6;
  HueRangeToPixel(hue, least, most, out);
}

inline void ChangeSaturation(float scale, const float* in, float* out) {
  const float r = in[0], g = in[1], b = in[2];
  const float value = std::max(r, std::max(g, b)), range = value - std::min(r, std::min(g, b));
  float saturation = value > 0 ? range / value : 0;
  const float norm = 1.0f / (6.0f * range);
  float hue = r == value ? norm * (g - b) : g == value ? norm * (b - r) + 2.0f / 6.0f : norm * (r - g) + 4.0f / 6.0f;
  if (range <= 0) hue = 0;
  if (hue < 0) hue += 1;
  saturation = std::min(1.0f, std::max(0.0f, saturation * scale));
  const float chroma = saturation * value, rest = value - chroma, sextants = hue * 6;
  // Hues are below 6 but for NaN and infinity.
  const bool inside = sextants >= 0 && sextants < 6;
  const int sextant = inside ? static_cast<int>(sextants) : 0;
  float cycle = inside ? sextants - static_cast<float>(sextant / 2 * 2) : std::fmod(sextants, 2.0f);
  if (cycle < 0) cycle += 2;
  const float second = chroma * (1 - std::abs(cycle - 1));
  const unsigned char* const order = kHueOrder[sextant];
  out[order[0]] = (inside ? chroma : 0) + rest;
  out[order[1]] = (inside ? second : 0) + rest;
  out[order[2]] = rest;
}

// AdjustContrast of one image of few channels: 16 pixels side by side are a row of columns, whole vectors.
inline constexpr Index kFewChannels = 4;
inline void ContrastOfFew(const float* in, Index pixels, Index channels, float factor, float* out) {
  constexpr Index kTogether = 16, kMost = kTogether * kFewChannels;
  const Index rows = pixels / kTogether, columns = kTogether * channels;
  double sums[kMost] = {};
  AddColumnSums<ColumnSum::kFirst>({in, nullptr, nullptr, rows, columns, sums, nullptr});
  for (Index i = rows * columns; i < pixels * channels; ++i) sums[i % columns] += static_cast<double>(in[i]);
  float means[kMost], factors[kMost];
  for (Index c = 0; c < channels; ++c) {
    double sum = 0;
    for (Index i = c; i < columns; i += channels) sum += sums[i];
    const float mean = static_cast<float>(sum / static_cast<double>(pixels));
    for (Index i = c; i < columns; i += channels) {
      means[i] = mean;
      factors[i] = factor;
    }
  }
  StepColumns<ColumnStep::kCentre>({in, nullptr, means, factors, means, nullptr, rows, columns, out});
  for (Index i = rows * columns; i < pixels * channels; ++i)
    out[i] = (in[i] - means[i % channels]) * factor + means[i % channels];
}

}  // namespace detail

// in, out: `pixels` of three numbers. C is float or double. `out` may be `in`.
template <class C>
void RgbToHsv(Cpu& device, const C* in, Index pixels, C* out) {
  ParallelFor(device, pixels, 8, [&](Index begin, Index end) {
    for (Index i = 3 * begin; i < 3 * end; i += 3) detail::PixelToHsv(in + i, out + i);
  });
}
template <class C>
void HsvToRgb(Cpu& device, const C* in, Index pixels, C* out) {
  ParallelFor(device, pixels, 8, [&](Index begin, Index end) {
    for (Index i = 3 * begin; i < 3 * end; i += 3) detail::PixelToRgb(in + i, out + i);
  });
}

// Adds `delta` (1: once around the circle) to the hue.
inline void AdjustHue(Cpu& device, const float* in, Index pixels, float delta, float* out) {
  ParallelFor(device, pixels, 15, [&](Index begin, Index end) {
    for (Index i = 3 * begin; i < 3 * end; i += 3) detail::ChangeHue(delta, in + i, out + i);
  });
}
// Multiplies the saturation by `scale`, within [0, 1].
inline void AdjustSaturation(Cpu& device, const float* in, Index pixels, float scale, float* out) {
  ParallelFor(device, pixels, 15, [&](Index begin, Index end) {
    for (Index i = 3 * begin; i < 3 * end; i += 3) detail::ChangeSaturation(scale, in + i, out + i);
  });
}
// Moves each of `images` images of [pixels, channels] away from its channels' means: (x - mean) * factor + mean.
inline void AdjustContrast(Cpu& device, const float* in, Index images, Index pixels, Index channels, float factor,
                           float* out) {
  if (channels <= detail::kFewChannels && images * channels * pixels > 0) {
    ParallelFor(device, images, 0.8 * static_cast<double>(pixels * channels), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        detail::ContrastOfFew(in + i * pixels * channels, pixels, channels, factor, out + i * pixels * channels);
    });
    return;
  }
  ParallelFor(device, images * channels, 4.0 * static_cast<double>(pixels), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index first = i / channels * pixels * channels + i % channels, last = first + pixels * channels;
      double sum = 0;
      for (Index k = first; k < last; k += channels) sum += static_cast<double>(in[k]);
      const float mean = static_cast<float>(sum / static_cast<double>(pixels));
      for (Index k = first; k < last; k += channels) out[k] = (in[k] - mean) * factor + mean;
    }
  });
}

TENON_DETAIL_NAMESPACE_END
