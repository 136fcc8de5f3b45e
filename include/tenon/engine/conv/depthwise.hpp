// SPDX-License-Identifier: Apache-2.0
#pragma once
// Depthwise convolutions on the CPU: every channel has filters of its own. NHWC, of float and
// double. The channels are the vectors: some output pixels by a vector of channels or two stay in registers while the
// window goes by, one such block after the other along the channels, as they lie. With more than one filter per channel
// the images are first repeated, channel by channel.

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/gemm/microkernel.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/core/result_epilogue.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/core/window_dim.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// input [batch, rows, columns, depth], filter [rows, columns, depth, multiplier], output [batch, out_rows, out_columns,
// depth * multiplier].
struct DepthwiseGeometry {
  Index batch = 0;
  Window rows, columns;
  Index depth = 0, multiplier = 1;
  bool channels_first = false;  // input and output are NCHW; only on a GPU

  Index out_depth() const { return MultiplySizes(depth, multiplier); }
  Index input_elements() const {
    return MultiplySizes(MultiplySizes(batch, rows.input), MultiplySizes(columns.input, depth));
  }
  Index output_elements() const {
    return MultiplySizes(MultiplySizes(batch, rows.output), MultiplySizes(columns.output, out_depth()));
  }
};

namespace detail {

// Pixels of one output row. Their windows see the same taps, or they are those of a whole row
// and miss columns at its ends. Distances are in elements.
struct DepthwiseStrip {
  const void* input;  // first tap of the first pixel; of a whole row: its first column
  Index pixel_step;  // from a pixel's window to the next one's
  Index row_step;  // from a row of the input to the next
  Index column_step;  // from a tap to the next of its row
  Index rows, columns;  // taps
  Index depth;  // channels
  const void* filter;  // first tap that is seen
  Index filter_row;  // from a row of taps to the next
  void* out;
  Index pixels;
  Index input_columns = 0, pad = 0;  // where the row is whole: its columns, and those that the first window misses
};

// Pixels of the larger blocks of a row, and of the smaller ones.
inline constexpr int kDepthwisePixels = 7, kDepthwiseFewPixels = 4;

#if defined(__GNUC__) && !defined(__NVCC__)

// Vectors [c, c + width) of `count` pixels.
template <class T, int bytes, int count, int width>
TENON_HD void DepthwiseBlock(const DepthwiseStrip& s, const T* x, const T* filter, T* out) {
  using V = typename GnuVector<T, bytes>::type;
  using InMemory = typename GnuVector<T, bytes>::in_memory;
  constexpr int kLanes = GnuVector<T, bytes>::lanes;
  V sums[count][width];
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) sums[i][v] = V{};
  }
  const Index pixel_step = s.pixel_step, column_step = s.column_step, columns = s.columns, depth = s.depth;
  for (Index r = 0; r < s.rows; ++r) {
    const T* from = x + r * s.row_step;
    const T* f = filter + r * s.filter_row;
    for (Index c = 0; c < columns; ++c, from += column_step, f += depth) {
      V y[width];
#pragma GCC unroll 4
      for (int v = 0; v < width; ++v) {
        y[v] = *reinterpret_cast<const InMemory*>(f + v * kLanes);
        TENON_DETAIL_KEEP(y[v]);
      }
#pragma GCC unroll 4
      for (int i = 0; i < count; ++i) {
#pragma GCC unroll 4
        for (int v = 0; v < width; ++v)
          sums[i][v] += *reinterpret_cast<const InMemory*>(from + i * pixel_step + v * kLanes) * y[v];
      }
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) *reinterpret_cast<InMemory*>(out + i * depth + v * kLanes) = sums[i][v];
  }
}

// A vector of `count` pixels whose windows have `taps` columns and lie `stride` apart: what neighbours share is loaded
// once. They see the columns [low, high) of theirs; `x` is the first of these.
template <class T, int bytes, int count, int stride, int taps, bool may_miss>
TENON_HD void DepthwiseVector(const DepthwiseStrip& s, Index low, Index high, const T* x, const T* filter, T* out) {
  using V = typename GnuVector<T, bytes>::type;
  using InMemory = typename GnuVector<T, bytes>::in_memory;
  constexpr int kColumns = (count - 1) * stride + taps;
  V sums[count];
#pragma GCC unroll 7
  for (int i = 0; i < count; ++i) sums[i] = V{};
  const Index column_step = s.column_step, depth = s.depth;
  for (Index r = 0; r < s.rows; ++r) {
    const T* from = x + r * s.row_step;
    const T* const f = filter + r * s.filter_row;
    V y[taps];
#pragma GCC unroll 5
    for (int tap = 0; tap < taps; ++tap) {
      y[tap] = *reinterpret_cast<const InMemory*>(f + tap * depth);
      TENON_DETAIL_KEEP(y[tap]);
    }
#pragma GCC unroll 17
    for (int column = 0; column < kColumns; ++column) {
      if constexpr (may_miss) {  // fewer columns than a window has, at each end
        if (column < taps - 1 && column < low) continue;
        if (column > kColumns - taps && column >= high) continue;
      }
      V shared = *reinterpret_cast<const InMemory*>(from);
      TENON_DETAIL_KEEP(shared);
#pragma GCC unroll 7
      for (int i = 0; i < count; ++i) {
        const int tap = column - i * stride;
        if (tap >= 0 && tap < taps) sums[i] += shared * y[tap];
      }
      from += column_step;
    }
  }
#pragma GCC unroll 7
  for (int i = 0; i < count; ++i, out += depth) *reinterpret_cast<InMemory*>(out) = sums[i];
}

// The place of the vector of channels at c: earlier where it would not be full.
TENON_HD Index VectorPlace(Index c, Index lanes, Index channels) {
  return c + lanes <= channels ? c : channels - lanes;
}

// `count` pixels of a whole row, by windows of so many columns.
template <class T, int bytes, int count, int stride, int taps>
TENON_HD void DepthwisePixels(const DepthwiseStrip& s, Index pixel) {
  constexpr Index kLanes = bytes / static_cast<Index>(sizeof(T)), kColumns = (count - 1) * stride + taps;
  const Index first = pixel * stride - s.pad, low = first < 0 ? -first : 0,
              high = s.input_columns - first < kColumns ? s.input_columns - first : kColumns;
  const T* const x = static_cast<const T*>(s.input) + (first + low) * s.column_step;
  const T* const filter = static_cast<const T*>(s.filter);
  T* const out = static_cast<T*>(s.out) + pixel * s.depth;
  if (count == kDepthwisePixels && low == 0 && high == kColumns) {
    for (Index i = 0; i < s.depth; i += kLanes) {
      const Index c = VectorPlace(i, kLanes, s.depth);
      DepthwiseVector<T, bytes, count, stride, taps, false>(s, 0, kColumns, x + c, filter + c, out + c);
    }
  } else {
    for (Index i = 0; i < s.depth; i += kLanes) {
      const Index c = VectorPlace(i, kLanes, s.depth);
      DepthwiseVector<T, bytes, count, stride, taps, true>(s, low, high, x + c, filter + c, out + c);
    }
  }
}
// A whole row of at least kDepthwiseFewPixels pixels. The last block begins earlier where it would have fewer.
template <class T, int bytes, int stride, int taps>
TENON_HD void DepthwiseWholeRow(const DepthwiseStrip& s) {
  for (Index p = 0; p < s.pixels;) {
    const Index left = s.pixels - p;
    const bool few = left <= kDepthwiseFewPixels || s.pixels < kDepthwisePixels;
    const Index count = few ? kDepthwiseFewPixels : kDepthwisePixels;
    p = left < count ? s.pixels - count : p;
    if (few)
      DepthwisePixels<T, bytes, kDepthwiseFewPixels, stride, taps>(s, p);
    else
      DepthwisePixels<T, bytes, kDepthwisePixels, stride, taps>(s, p);
    p += count;
  }
}
// Pixels whose windows have any taps.
template <class T, int bytes, int count>
TENON_HD void DepthwiseBlocks(const DepthwiseStrip& s, Index pixel) {
  constexpr Index kLanes = bytes / static_cast<Index>(sizeof(T));
  const T* const x = static_cast<const T*>(s.input) + pixel * s.pixel_step;
  const T* const filter = static_cast<const T*>(s.filter);
  T* const out = static_cast<T*>(s.out) + pixel * s.depth;
  Index i = 0;
  for (; i + 2 * kLanes <= s.depth; i += 2 * kLanes) DepthwiseBlock<T, bytes, count, 2>(s, x + i, filter + i, out + i);
  for (; i < s.depth; i += kLanes) {
    const Index c = VectorPlace(i, kLanes, s.depth);
    DepthwiseBlock<T, bytes, count, 1>(s, x + c, filter + c, out + c);
  }
}

#endif

// Whether rows of windows of three and five columns have code of their own: where models are run.
template <class T, int bytes>
inline constexpr bool kDepthwiseRows = std::is_same_v<T, float> && (bytes > 16 || !TENON_DETAIL_TARGETS);

template <class T, int bytes>
TENON_HD void DepthwiseChannels(const DepthwiseStrip& strip) {
  const DepthwiseStrip s = strip;  // no store into the output can change this one
#if defined(__GNUC__) && !defined(__NVCC__)
  constexpr Index kLanes = bytes / static_cast<Index>(sizeof(T));
  if constexpr (kDepthwiseRows<T, bytes>) {
    if (s.input_columns > 0) {
      const bool by_two = s.pixel_step != s.column_step;
      if (s.columns == 3)
        by_two ? DepthwiseWholeRow<T, bytes, 2, 3>(s) : DepthwiseWholeRow<T, bytes, 1, 3>(s);
      else
        by_two ? DepthwiseWholeRow<T, bytes, 2, 5>(s) : DepthwiseWholeRow<T, bytes, 1, 5>(s);
      return;
    }
  }
  if (s.depth >= kLanes) {
    Index p = 0;
    for (; p + 4 <= s.pixels; p += 4) DepthwiseBlocks<T, bytes, 4>(s, p);
    for (; p < s.pixels; ++p) DepthwiseBlocks<T, bytes, 1>(s, p);
    return;
  }
#endif
  for (Index pixel = 0; pixel < s.pixels; ++pixel) {
    const T* const x = static_cast<const T*>(s.input) + pixel * s.pixel_step;
    for (Index c = 0; c < s.depth; ++c) {
      T sum = T(0);
      for (Index i = 0; i < s.rows; ++i) {
        const T* const f = static_cast<const T*>(s.filter) + i * s.filter_row + c;
        for (Index j = 0; j < s.columns; ++j) sum += x[i * s.row_step + j * s.column_step + c] * f[j * s.depth];
      }
      static_cast<T*>(s.out)[pixel * s.depth + c] = sum;
    }
  }
}

struct DepthwiseKernel {
  void (*run)(const DepthwiseStrip&);
  bool takes_rows;  // whole ones, by windows of three or five columns
};
template <class T>
void DepthwiseUnit(const DepthwiseStrip& s) {
  DepthwiseChannels<T, 16>(s);
}
#if TENON_DETAIL_TARGETS
template <class T>
TENON_DETAIL_TARGET_AVX2 void DepthwiseAvx2(const DepthwiseStrip& s) {
  DepthwiseChannels<T, 32>(s);
}
template <class T>
TENON_DETAIL_TARGET_AVX512 void DepthwiseAvx512(const DepthwiseStrip& s) {
  DepthwiseChannels<T, 64>(s);
}
#endif
// The kernel of the longest vectors that so many channels fill.
template <class T>
DepthwiseKernel DepthwiseKernelOf([[maybe_unused]] Index channels) {
  constexpr Index kSize = sizeof(T);
#if TENON_DETAIL_TARGETS
  const simd::Level level = channels * kSize < 32 ? simd::Level::kUnit : simd::BestLevel();
  if (level == simd::Level::kAvx512 && channels * kSize >= 64) return {&DepthwiseAvx512<T>, kDepthwiseRows<T, 64>};
  if (level == simd::Level::kAvx2 || level == simd::Level::kAvx512) return {&DepthwiseAvx2<T>, kDepthwiseRows<T, 32>};
#endif
  return {&DepthwiseUnit<T>, kDepthwiseRows<T, 16> && channels * kSize >= 16};
}

// The taps [*begin, *end) that lie inside of the input at a place of the window.
inline void ClipTaps(const Window& w, Index place, Index* begin, Index* end) {
  const Index first = place * w.stride - w.pad_before;
  *begin = std::clamp<Index>(-first, 0, w.size);
  *end = std::clamp<Index>(w.input - first, *begin, w.size);
}

// Whether the kernel takes whole rows of such windows.
inline bool TakesRows(const DepthwiseKernel& kernel, const Window& w) {
  return kernel.takes_rows && (w.size == 3 || w.size == 5) && w.stride <= 2 && w.pad_before >= 0 &&
         w.pad_before < w.size && w.output >= kDepthwiseFewPixels && (w.output - 1) * w.stride - w.pad_before < w.input;
}

// Output row `row` of the image at `image`; multiplier 1.
template <class T>
void DepthwiseRow(const DepthwiseGeometry& g, const DepthwiseKernel& kernel, const T* image, const T* filter, Index row,
                  T* out) {
  const Index depth = g.depth;
  const Window& w = g.columns;
  Index top = 0, bottom = 0;
  ClipTaps(g.rows, row, &top, &bottom);
  const T* const first_row = image + (row * g.rows.stride - g.rows.pad_before + top) * w.input * depth;
  filter += top * w.size * depth;
  DepthwiseStrip strip{first_row, w.stride * depth, w.input * depth, depth, bottom - top, w.size,
                       depth,     filter,           w.size * depth,  out,   w.output};
  if (TakesRows(kernel, w)) {
    strip.input_columns = w.input;
    strip.pad = w.pad_before;
    return kernel.run(strip);
  }
  for (Index column = 0; column < w.output; column += strip.pixels) {
    Index left = 0, right = 0;
    ClipTaps(w, column, &left, &right);
    const Index first = column * w.stride - w.pad_before;
    strip.pixels = 1;
    if (left == 0 && right == w.size)  // and those to the right of it
      strip.pixels = std::min(w.output - column, (w.input - w.size - first) / w.stride + 1);
    strip.input = first_row + (first + left) * depth;
    strip.columns = right - left;
    strip.filter = filter + left * depth;
    strip.out = out + column * depth;
    kernel.run(strip);
  }
}

// to[i * times + k] = from[i]
template <class T>
void RepeatEach(Cpu& device, const T* from, Index n, Index times, T* to) {
  ParallelFor(device, n, 0.3 * static_cast<double>(times), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i)
      for (Index k = 0; k < times; ++k) to[i * times + k] = from[i];
  });
}

// The images as deep as the output: themselves, or copies in *scratch.
inline DepthwiseGeometry WithoutMultiplier(const DepthwiseGeometry& g) {
  DepthwiseGeometry flat = g;
  flat.depth = g.out_depth();
  flat.multiplier = 1;
  return flat;
}
template <class T>
double DepthwiseNs(const DepthwiseGeometry& g) {
  return 0.2 * static_cast<double>(g.rows.size * g.columns.size) *
         static_cast<double>(g.columns.output * g.out_depth());
}

}  // namespace detail

// Overwrites `output`. T is float or double.
template <class T>
Status DepthwiseConv2D(Cpu& device, const DepthwiseGeometry& geometry, const T* input, const T* filter, T* output) {
  if (geometry.output_elements() == 0) return OkStatus();
  if (geometry.rows.size * geometry.columns.size == 0) {
    std::fill_n(output, geometry.output_elements(), T(0));
    return OkStatus();
  }
  const bool repeat = geometry.multiplier > 1;
  const DepthwiseGeometry g = detail::WithoutMultiplier(geometry);
  Scratch scratch(device, repeat ? detail::ScratchBytes<T>(g.input_elements()) : 0);
  TENON_RETURN_IF_ERROR(scratch.status("DepthwiseConv2dNative"));
  if (repeat) {
    detail::RepeatEach(device, input, geometry.input_elements(), geometry.multiplier, scratch.As<T>());
    input = scratch.As<T>();
  }
  const detail::DepthwiseKernel kernel = detail::DepthwiseKernelOf<T>(g.depth);
  const CpuEpilogue* const epilogue = detail::TakeEpilogue(device);
  ParallelFor(device, g.batch * g.rows.output, detail::DepthwiseNs<T>(g), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      detail::DepthwiseRow(g, kernel, input + i / g.rows.output * g.rows.input * g.columns.input * g.depth, filter,
                           i % g.rows.output, output + i * g.columns.output * g.depth);
      if (epilogue != nullptr)
        epilogue->run(*epilogue, {output, g.depth, i * g.columns.output, g.columns.output, 0, g.depth});
    }
  });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
