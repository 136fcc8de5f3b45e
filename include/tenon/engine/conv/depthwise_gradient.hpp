// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of depthwise convolutions on the CPU, of float and double. The gradient of the input is a convolution by
// the turned filter where pixels lie side by side.

#include <algorithm>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/depthwise.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/core/window_dim.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

TENON_DETAIL_LOOPS_BEGIN

template <class T>
TENON_DETAIL_LOOP void AddProductsRun(const T* a, const T* b, T* sum, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) sum[i] += a[i] * b[i];
}

TENON_DETAIL_LOOPS_END

// sums[c] += x[i, c] gradient[i, c], over the pixels i of a row, for so many channels; pixels of x are `step` elements
// apart, those of gradient `depth`.
template <class T>
struct DepthwiseFilterRow {
  const T *x, *gradient;
  Index step, depth, pixels, channels;
  T* sums;
};
template <class T>
struct DepthwiseFilterBody {
#if TENON_DETAIL_LANES
  // `width` vectors of channels, from c on: sums of even pixels and of odd ones.
  template <class L, int width>
  TENON_HD static void Add(const DepthwiseFilterRow<T>& r, Index c) {
    L sums[2][width];
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) {
      sums[0][v] = L::Load(r.sums + c + v * L::size);
      sums[1][v] = L::Zero();
    }
    const T *x = r.x + c, *g = r.gradient + c;
    Index i = 0;
    for (; i + 2 <= r.pixels; i += 2, x += 2 * r.step, g += 2 * r.depth) {
#pragma GCC unroll 4
      for (int v = 0; v < width; ++v) {
        const Index at = v * L::size;
        sums[0][v] = sums[0][v] + L::Load(x + at) * L::Load(g + at);
        sums[1][v] = sums[1][v] + L::Load(x + r.step + at) * L::Load(g + r.depth + at);
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) {
      if (i < r.pixels) sums[0][v] = sums[0][v] + L::Load(x + v * L::size) * L::Load(g + v * L::size);
      (sums[0][v] + sums[1][v]).Store(r.sums + c + v * L::size);
    }
  }
#endif
  template <int bytes>
  TENON_HD static void Run(const DepthwiseFilterRow<T>* r) {
    Index c = 0;
#if TENON_DETAIL_LANES
    using L = simd::Lanes<T, bytes>;
    for (; c + 4 * L::size <= r->channels; c += 4 * L::size) Add<L, 4>(*r, c);
    for (; c + L::size <= r->channels; c += L::size) Add<L, 1>(*r, c);
#endif
    for (Index i = 0; i < r->pixels && c < r->channels; ++i)
      for (Index k = c; k < r->channels; ++k) r->sums[k] += r->x[i * r->step + k] * r->gradient[i * r->depth + k];
  }
};
// Three taps that lie side by side, of neighbouring pixels: r.x is the first tap's, and tap t has its sums t * r.depth
// behind. A pixel is loaded once for all of them.
template <class T>
struct DepthwiseFilterTapsBody {
  static constexpr int kTaps = 3;
#if TENON_DETAIL_LANES
  template <class L>
  TENON_HD static void Add(const DepthwiseFilterRow<T>& r, Index c) {
    L even[kTaps], odd[kTaps], x[kTaps + 1];  // sums of even pixels and of odd ones; the last pixels
#pragma GCC unroll 4
    for (int t = 0; t < kTaps; ++t) {
      even[t] = L::Load(r.sums + t * r.depth + c);
      odd[t] = L::Zero();
    }
    const T *from = r.x + c, *g = r.gradient + c;
    x[0] = L::Load(from);
    x[1] = L::Load(from + r.depth);
    from += 2 * r.depth;
    Index i = 0;
    for (; i + 2 <= r.pixels; i += 2, from += 2 * r.depth, g += 2 * r.depth) {
      x[2] = L::Load(from);
      x[3] = L::Load(from + r.depth);
      const L first = L::Load(g), second = L::Load(g + r.depth);
#pragma GCC unroll 4
      for (int t = 0; t < kTaps; ++t) {
        even[t] = even[t] + x[t] * first;
        odd[t] = odd[t] + x[t + 1] * second;
      }
      x[0] = x[2];
      x[1] = x[3];
    }
    if (i < r.pixels) {
      x[2] = L::Load(from);
      const L last = L::Load(g);
#pragma GCC unroll 4
      for (int t = 0; t < kTaps; ++t) even[t] = even[t] + x[t] * last;
    }
#pragma GCC unroll 4
    for (int t = 0; t < kTaps; ++t) (even[t] + odd[t]).Store(r.sums + t * r.depth + c);
  }
#endif
  template <int bytes>
  TENON_HD static void Run(const DepthwiseFilterRow<T>* r) {
    Index c = 0;
#if TENON_DETAIL_LANES
    using L = simd::Lanes<T, bytes>;
    for (; c + L::size <= r->channels; c += L::size) Add<L>(*r, c);
#endif
    for (Index i = 0; i < r->pixels && c < r->channels; ++i)
      for (int t = 0; t < kTaps; ++t)
        for (Index k = c; k < r->channels; ++k)
          r->sums[t * r->depth + k] += r->x[(i + t) * r->depth + k] * r->gradient[i * r->depth + k];
  }
};
template <class Body, class T>
void AddDepthwiseFilterRow(const DepthwiseFilterRow<T>& row) {
#if TENON_DETAIL_LANES
  simd::detail::ForLevels<Body, simd::Compiled, const DepthwiseFilterRow<T>*>::Best()(&row);
#else
  Body::template Run<16>(&row);
#endif
}

// Whether the gradient of the input is a convolution of `gradient`: pixels lie side by side.
inline bool IsDepthwiseOfGradient(const DepthwiseGeometry& g) {
  const auto fits = [](const Window& w) { return w.stride == 1 && w.pad_before >= 0 && w.pad_before < w.size; };
  return g.multiplier == 1 && g.output_elements() > 0 && fits(g.rows) && fits(g.columns);
}

}  // namespace detail

// The gradient with respect to the input. Overwrites `output`, which has the input's shape.
template <class T>
Status DepthwiseConv2DBackpropInput(Cpu& device, const DepthwiseGeometry& geometry, const T* filter, const T* gradient,
                                    T* output) {
  if (geometry.input_elements() == 0) return OkStatus();
  if (detail::IsDepthwiseOfGradient(geometry)) {
    const Index taps = geometry.rows.size * geometry.columns.size, depth = geometry.depth;
    Scratch turned(device, detail::ScratchBytes<T>(taps * depth));
    TENON_RETURN_IF_ERROR(turned.status("DepthwiseConv2dNativeBackpropInput"));
    for (Index tap = 0; tap < taps; ++tap)
      std::copy_n(filter + (taps - 1 - tap) * depth, depth, turned.As<T>() + tap * depth);
    const auto turn = [](const Window& w) {
      return Window{.input = w.output, .size = w.size, .pad_before = w.size - 1 - w.pad_before, .output = w.input};
    };
    return DepthwiseConv2D(device, {geometry.batch, turn(geometry.rows), turn(geometry.columns), depth}, gradient,
                           turned.As<T>(), output);
  }
  const DepthwiseGeometry g = detail::WithoutMultiplier(geometry);
  const Index row_elements = g.columns.input * g.depth, rows = g.batch * g.rows.input;
  const double ns = 0.4 * static_cast<double>(g.rows.size * g.columns.size) * static_cast<double>(row_elements);
  const Index parts = detail::WorthwhileParts(device, ns * static_cast<double>(rows));
  const std::size_t bytes = geometry.multiplier > 1 ? detail::ScratchBytes<T>(row_elements) : 0;
  Scratch scratch(device, static_cast<std::size_t>(parts) * bytes);
  TENON_RETURN_IF_ERROR(scratch.status("DepthwiseConv2dNativeBackpropInput"));
  detail::RunParts(device, parts, [&](Index part) {
    for (Index i = detail::PartBegin(rows, parts, 1, part); i < detail::PartBegin(rows, parts, 1, part + 1); ++i) {
      T* const to = output + i * g.columns.input * geometry.depth;
      T* const sums = geometry.multiplier > 1 ? scratch.As<T>(static_cast<std::size_t>(part) * bytes) : to;
      std::fill(sums, sums + row_elements, T(0));
      const Index image = i / g.rows.input, y = i % g.rows.input;
      for (Index fy = 0; fy < g.rows.size; ++fy) {
        const Index above = y + g.rows.pad_before - fy, row = above / g.rows.stride;
        if (above < 0 || above % g.rows.stride != 0 || row >= g.rows.output) continue;
        const T* from = gradient + (image * g.rows.output + row) * g.columns.output * g.depth;
        for (Index column = 0; column < g.columns.output; ++column, from += g.depth) {
          Index left = 0, right = 0;
          detail::ClipTaps(g.columns, column, &left, &right);
          const Index first = column * g.columns.stride - g.columns.pad_before;
          for (Index fx = left; fx < right; ++fx)
            detail::AddProductsRun(from, filter + (fy * g.columns.size + fx) * g.depth, sums + (first + fx) * g.depth,
                                   g.depth);
        }
      }
      if (geometry.multiplier == 1) continue;
      for (Index j = 0; j < g.columns.input * geometry.depth; ++j) {
        T sum = T(0);
        for (Index k = 0; k < geometry.multiplier; ++k) sum += sums[j * geometry.multiplier + k];
        to[j] = sum;
      }
    }
  });
  return OkStatus();
}

// The gradient with respect to the filter. Overwrites `output`, which has the filter's shape.
template <class T>
Status DepthwiseConv2DBackpropFilter(Cpu& device, const DepthwiseGeometry& geometry, const T* input, const T* gradient,
                                     T* output) {
  if (geometry.input_elements() == 0 || geometry.output_elements() == 0) {
    std::fill_n(output, MultiplySizes(geometry.rows.size * geometry.columns.size, geometry.out_depth()), T(0));
    return OkStatus();
  }
  const bool repeat = geometry.multiplier > 1;
  const DepthwiseGeometry g = detail::WithoutMultiplier(geometry);
  Scratch scratch(device, repeat ? detail::ScratchBytes<T>(g.input_elements()) : 0);
  TENON_RETURN_IF_ERROR(scratch.status("DepthwiseConv2dNativeBackpropFilter"));
  if (repeat) {
    detail::RepeatEach(device, input, geometry.input_elements(), geometry.multiplier, scratch.As<T>());
    input = scratch.As<T>();
  }
  // A row of taps, some channels: neighbouring taps find the pixels in a cache.
  constexpr Index kChannels = 64;
  const Index blocks = (g.depth + kChannels - 1) / kChannels;
  const double ns = 0.4 * static_cast<double>(g.output_elements() / blocks) * static_cast<double>(g.columns.size);
  ParallelFor(device, g.rows.size * blocks, ns, [&](Index begin, Index end) {
    for (Index task = begin; task < end; ++task) {
      const Index fy = task / blocks, channel = task % blocks * kChannels;
      const Index channels = std::min(kChannels, g.depth - channel), stride = g.columns.stride;
      T* const sums = output + fy * g.columns.size * g.depth + channel;
      for (Index fx = 0; fx < g.columns.size; ++fx) std::fill_n(sums + fx * g.depth, channels, T(0));
      for (Index i = 0; i < g.batch * g.rows.output; ++i) {
        const Index y = i % g.rows.output * g.rows.stride - g.rows.pad_before + fy;
        if (y < 0 || y >= g.rows.input) continue;
        const T* const from = input + (i / g.rows.output * g.rows.input + y) * g.columns.input * g.depth + channel;
        const T* const of_row = gradient + i * g.columns.output * g.depth + channel;
        // Columns of the output, from `begins` to `ends`, whose pixel lies inside for tap fx.
        const auto add = [&](Index fx, Index begins, Index ends) {
          const Index shift = fx - g.columns.pad_before;
          const Index first = std::max(begins, shift >= 0 ? 0 : (stride - 1 - shift) / stride);
          const Index last = std::min(ends, (g.columns.input - shift + stride - 1) / stride);
          if (first < last)
            detail::AddDepthwiseFilterRow<detail::DepthwiseFilterBody<T>, T>(
                {from + (first * stride + shift) * g.depth, of_row + first * g.depth, stride * g.depth, g.depth,
                 last - first, channels, sums + fx * g.depth});
        };
        // Columns for which all taps are inside.
        const Index first = std::max<Index>(0, g.columns.pad_before);
        const Index last = std::min(g.columns.output, g.columns.input - 2 + g.columns.pad_before);
        const bool together = stride == 1 && g.columns.size == 3 && g.columns.dilation == 1 && first < last;
        if (together)
          detail::AddDepthwiseFilterRow<detail::DepthwiseFilterTapsBody<T>, T>(
              {from + (first - g.columns.pad_before) * g.depth, of_row + first * g.depth, g.depth, g.depth,
               last - first, channels, sums});
        for (Index fx = 0; fx < g.columns.size; ++fx) {
          add(fx, 0, together ? first : g.columns.output);
          if (together) add(fx, last, g.columns.output);
        }
      }
    }
  });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
