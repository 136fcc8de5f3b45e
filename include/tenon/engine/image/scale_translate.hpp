// SPDX-License-Identifier: Apache-2.0
#pragma once
// Images scaled and moved by a sampling kernel, on the CPU. NHWC.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// A function of the distance from a pixel's middle: the pixel's weight; 0 beyond the radius. kKeysCubic is
// the cubic kernel by Keys with a = -0.5, kMitchellCubic the one by Mitchell and Netravali with B = C = 1/3.
struct SamplingKernel {
  enum class Kind { kLanczos1, kLanczos3, kLanczos5, kGaussian, kBox, kTriangle, kKeysCubic, kMitchellCubic };
  Kind kind;
  float radius;

  float operator()(float x) const {
    switch (kind) {
      case Kind::kGaussian: return x >= radius ? 0 : std::exp(-x * x / (2 * (radius / 3) * (radius / 3)));
      case Kind::kBox: return x < 0.5f ? 1 : x == 0.5f ? 0.5f : 0;
      case Kind::kTriangle: return x < 1 ? 1 - x : 0;
      case Kind::kKeysCubic:
        if (x >= 2) return 0;
        return x >= 1 ? ((-0.5f * x + 2.5f) * x - 4) * x + 2 : ((1.5f * x - 2.5f) * x) * x + 1;
      case Kind::kMitchellCubic:
        if (x >= 2) return 0;
        return x >= 1 ? (((-7.0f / 18) * x + 2) * x - 10.0f / 3) * x + 16.0f / 9
                      : (((7.0f / 6) * x - 2) * x) * x + 8.0f / 9;
      default: {  // Lanczos
        constexpr float kPi = std::numbers::pi_v<float>;
        if (x > radius) return 0;
        if (x <= 1e-3f) return 1;
        return radius * std::sin(kPi * x) * std::sin(kPi * x / radius) / (kPi * kPi * x * x);
      }
    }
  }
};

// False: there is no kernel of that name.
inline bool FindSamplingKernel(std::string_view name, SamplingKernel* kernel) {
  using Kind = SamplingKernel::Kind;
  struct Named {
    std::string_view name;
    SamplingKernel kernel;
  };
  static constexpr Named kAll[] = {{"lanczos1", {Kind::kLanczos1, 1}},
                                   {"lanczos3", {Kind::kLanczos3, 3}},
                                   {"lanczos5", {Kind::kLanczos5, 5}},
                                   {"gaussian", {Kind::kGaussian, 1.5f}},
                                   {"box", {Kind::kBox, 1}},
                                   {"triangle", {Kind::kTriangle, 1}},
                                   {"keyscubic", {Kind::kKeysCubic, 2}},
                                   {"mitchellcubic", {Kind::kMitchellCubic, 2}}};
  for (const Named& named : kAll) {
    if (named.name != name) continue;
    *kernel = named.kernel;
    return true;
  }
  return false;
}

namespace detail {
constexpr std::size_t At(Index i) { return static_cast<std::size_t>(i); }
}  // namespace detail

// For each pixel of one dimension of the output the first pixel of the input that counts, and `width` weights.
struct SamplingSpans {
  Index width = 0;
  SlimVector<Index> first, count;  // weights that may differ from 0
  const float* weights = nullptr;  // [outputs, width]
};

// Output pixel x has its middle at (x + 0.5 - translation) / scale of the input. `antialias`: the kernel grows when the
// image shrinks. Pixels whose middle lies outside of the input have no weights.
class SamplingDimension {
 public:
  SamplingDimension(const SamplingKernel& kernel, Index outputs, Index inputs, float scale, float translation,
                    bool antialias)
      : kernel_(kernel),
        inverse_(1 / scale),
        offset_(-inverse_ * translation),
        kernel_scale_(antialias ? std::max(inverse_, 1.0f) : 1.0f),
        outputs_(outputs) {
    const float reach = kernel.radius * kernel_scale_;
    const auto pixel = [inputs](float place, Index last) {  // a cast of a float out of range is undefined
      return static_cast<Index>(std::max(0.0f, std::min(place, static_cast<float>(std::min(inputs, last)))));
    };
    spans_.first.assign(detail::At(outputs), 0);
    spans_.count.assign(detail::At(outputs), 0);
    for (Index x = 0; x < outputs; ++x) {
      const float middle = Middle(x);
      if (!(middle >= 0 && middle <= static_cast<float>(inputs))) continue;
      const Index begin = pixel(std::ceil(middle - reach - 0.5f), inputs - 1);
      spans_.first[detail::At(x)] = begin;
      spans_.count[detail::At(x)] = pixel(std::floor(middle + reach - 0.5f), inputs - 1) + 1 - begin;
      spans_.width = std::max(spans_.width, spans_.count[detail::At(x)]);
    }
  }

  Index outputs() const { return outputs_; }
  Index width() const { return spans_.width; }
  // Writes the weights, [outputs, width], to memory that outlives the spans.
  const SamplingSpans& Weigh(float* weights) {
    spans_.weights = weights;
    std::fill_n(weights, outputs_ * spans_.width, 0.0f);
    for (Index x = 0; x < outputs_; ++x, weights += spans_.width) {
      const float middle = Middle(x);
      const Index begin = spans_.first[detail::At(x)], count = spans_.count[detail::At(x)];
      float total = 0;
      for (Index i = 0; i < count; ++i) {
        const float distance = static_cast<float>(begin + i) + 0.5f - middle;
        weights[i] = kernel_(std::fabs(distance / kernel_scale_));
        total += weights[i];
      }
      const bool counts = std::fabs(total) >= 1000 * std::numeric_limits<float>::min();
      for (Index i = 0; i < count; ++i) weights[i] = counts ? weights[i] * (1 / total) : 0;
    }
    return spans_;
  }

 private:
  float Middle(Index x) const { return (static_cast<float>(x) + 0.5f) * inverse_ + offset_; }

  SamplingKernel kernel_;
  float inverse_, offset_, kernel_scale_;
  Index outputs_;
  SamplingSpans spans_;
};

// images: [batch, rows, columns, depth]  ->  out: [batch, outputs of `down`, outputs of `across`, depth]. Rows first.
template <class T>
void ScaleAndTranslateImages(Cpu& device, const T* images, Index batch, Index rows, Index columns, Index depth,
                             const SamplingSpans& down, const SamplingSpans& across, float* out) {
  const Index out_rows = static_cast<Index>(down.first.size()), out_columns = static_cast<Index>(across.first.size());
  const Index line = columns * depth;
  const double work = static_cast<double>(line * down.width + out_columns * depth * across.width);
  ParallelFor(device, batch * out_rows, 2 * work, [&](Index begin, Index end) {
    SlimVector<float> sums(detail::At(line));
    for (Index i = begin; i < end; ++i) {
      const T* const image = images + i / out_rows * rows * line;
      const Index row = i % out_rows, first = down.first[detail::At(row)];
      std::fill(sums.begin(), sums.end(), 0.0f);
      for (Index k = 0; k < down.width && first + k < rows; ++k) {
        const float weight = down.weights[row * down.width + k];
        const T* const from = image + (first + k) * line;
        for (Index c = 0; c < line; ++c) sums[detail::At(c)] += weight * static_cast<float>(from[c]);
      }
      for (Index column = 0; column < out_columns; ++column) {
        float* const to = out + (i * out_columns + column) * depth;
        std::fill_n(to, depth, 0.0f);
        const Index start = across.first[detail::At(column)];
        for (Index k = 0; k < across.width && start + k < columns; ++k) {
          const float weight = across.weights[column * across.width + k];
          const float* const from = sums.data() + (start + k) * depth;
          for (Index d = 0; d < depth; ++d) to[d] += weight * from[d];
        }
      }
    }
  });
}

// The gradient of ScaleAndTranslateImages. grads: [batch, outputs of `down`, outputs of `across`, depth]  ->  out:
// [batch, rows, columns, depth].
inline void ScaleAndTranslateGradient(Cpu& device, const float* grads, Index batch, Index rows, Index columns,
                                      Index depth, const SamplingSpans& down, const SamplingSpans& across, float* out) {
  const Index grad_rows = static_cast<Index>(down.first.size()), grad_columns = static_cast<Index>(across.first.size());
  const Index line = columns * depth;
  const double work = static_cast<double>(grad_rows * (grad_columns * depth * across.width + line * down.width));
  ParallelFor(device, batch, 2 * work, [&](Index begin, Index end) {
    SlimVector<float> sums(detail::At(line));
    for (Index n = begin; n < end; ++n) {
      float* const image = out + n * rows * line;
      std::fill_n(image, rows * line, 0.0f);
      for (Index row = 0; row < grad_rows; ++row) {
        const float* const from = grads + (n * grad_rows + row) * grad_columns * depth;
        std::fill(sums.begin(), sums.end(), 0.0f);
        for (Index column = 0; column < grad_columns; ++column) {
          const Index start = across.first[detail::At(column)];
          for (Index k = 0; k < across.width && start + k < columns; ++k) {
            const float weight = across.weights[column * across.width + k];
            float* const to = sums.data() + (start + k) * depth;
            for (Index d = 0; d < depth; ++d) to[d] += weight * from[column * depth + d];
          }
        }
        const Index first = down.first[detail::At(row)];
        for (Index k = 0; k < down.width && first + k < rows; ++k) {
          const float weight = down.weights[row * down.width + k];
          float* const to = image + (first + k) * line;
          for (Index c = 0; c < line; ++c) to[c] += weight * sums[detail::At(c)];
        }
      }
    }
  });
}

TENON_DETAIL_NAMESPACE_END
