// SPDX-License-Identifier: Apache-2.0
#pragma once
// Depthwise convolutions on the CPU: every channel has filters of its own. NHWC, of float and
// double. The channels are the vectors: four output pixels by two vectors of channels stay in registers while the
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

// Neighbouring pixels of one output row whose windows see the same taps; of windows with three columns, 1 or 2 apart,
// the first may miss its first column and the last one its last column. Distances are in elements.
struct DepthwiseStrip {
  const void* input;  // first tap of the first pixel that is seen
  Index pixel_step;  // from a pixel's window to the next one's
  Index row_step;  // from a row of the input to the next
  Index column_step;  // from a tap to the next of its row
  Index rows, columns;  // taps
  Index depth;
  const void* filter;  // first tap that is seen
  Index filter_row;  // from a row of taps to the next
  void* out;  // depth elements a pixel, one behind the other
  Index pixels;
  bool cut_left = false, cut_right = false;  // what the first pixel and the last one miss
};

// The first column that a pixel of the strip sees.
template <class T>
TENON_HD const T* FirstSeen(const DepthwiseStrip& s, Index pixel) {
  return static_cast<const T*>(s.input) + pixel * s.pixel_step - (s.cut_left && pixel > 0 ? s.column_step : 0);
}

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

// `width` vectors of `count` pixels whose windows have three columns and lie `stride` apart: what neighbours share is
// loaded once. `x` is the first column that is seen. Where none is missed, nothing is asked in the loop.
template <class T, int bytes, int count, int stride, int width, bool may_cut>
TENON_HD void DepthwiseThree(const DepthwiseStrip& s, bool cut_left, bool cut_right, const T* x, const T* filter,
                             T* out) {
  using V = typename GnuVector<T, bytes>::type;
  using InMemory = typename GnuVector<T, bytes>::in_memory;
  constexpr int kLanes = GnuVector<T, bytes>::lanes, kColumns = (count - 1) * stride + 3;
  V sums[width][count];
#pragma GCC unroll 2
  for (int v = 0; v < width; ++v) {
#pragma GCC unroll 4
    for (int i = 0; i < count; ++i) sums[v][i] = V{};
  }
  const Index column_step = s.column_step, depth = s.depth;
  for (Index r = 0; r < s.rows; ++r) {
    const T* from = x + r * s.row_step;
    const T* const f = filter + r * s.filter_row;
    V y[width][3];
#pragma GCC unroll 3
    for (int tap = 0; tap < 3; ++tap) {
#pragma GCC unroll 2
      for (int v = 0; v < width; ++v) {
        y[v][tap] = *reinterpret_cast<const InMemory*>(f + tap * depth + v * kLanes);
        TENON_DETAIL_KEEP(y[v][tap]);
      }
    }
#pragma GCC unroll 9
    for (int column = 0; column < kColumns; ++column) {
      if constexpr (may_cut) {
        if ((column == 0 && cut_left) || (column == kColumns - 1 && cut_right)) continue;
      }
#pragma GCC unroll 2
      for (int v = 0; v < width; ++v) {
        V shared = *reinterpret_cast<const InMemory*>(from + v * kLanes);
        TENON_DETAIL_KEEP(shared);
#pragma GCC unroll 4
        for (int i = 0; i < count; ++i) {
          const int tap = column - i * stride;
          if (tap >= 0 && tap < 3) sums[v][i] += shared * y[v][tap];
        }
      }
      from += column_step;
    }
  }
#pragma GCC unroll 4
  for (int i = 0; i < count; ++i, out += depth) {
#pragma GCC unroll 2
    for (int v = 0; v < width; ++v) *reinterpret_cast<InMemory*>(out + v * kLanes) = sums[v][i];
  }
}

// `count` pixels; windows of three columns that are 1 or 2 apart (`stride`), or any (0).
template <class T, int bytes, int count, int stride>
TENON_HD void DepthwisePixels(const DepthwiseStrip& s, Index pixel) {
  constexpr Index kLanes = bytes / static_cast<Index>(sizeof(T));
  const T* const x = FirstSeen<T>(s, pixel);
  const T* const filter = static_cast<const T*>(s.filter);
  T* const out = static_cast<T*>(s.out) + pixel * s.depth;
  Index c = 0;
  if constexpr (stride > 0) {
    const bool left = s.cut_left && pixel == 0, right = s.cut_right && pixel + count == s.pixels;
    if (count == 4 && !left && !right) {
      for (; c + 2 * kLanes <= s.depth; c += 2 * kLanes)
        DepthwiseThree<T, bytes, count, stride, 2, false>(s, false, false, x + c, filter + c, out + c);
    }
    for (; c + 2 * kLanes <= s.depth; c += 2 * kLanes)
      DepthwiseThree<T, bytes, count, stride, 2, true>(s, left, right, x + c, filter + c, out + c);
    if (c + kLanes <= s.depth)
      DepthwiseThree<T, bytes, count, stride, 1, true>(s, left, right, x + c, filter + c, out + c);
  } else {
    for (; c + 2 * kLanes <= s.depth; c += 2 * kLanes)
      DepthwiseBlock<T, bytes, count, 2>(s, x + c, filter + c, out + c);
    if (c + kLanes <= s.depth) DepthwiseBlock<T, bytes, count, 1>(s, x + c, filter + c, out + c);
  }
}
// All pixels, four at a time; where there is code for it, the last five as three and two, since the sums of a lone one
// wait for each other.
template <class T, int bytes, int stride>
TENON_HD void DepthwiseRun(const DepthwiseStrip& s) {
  constexpr bool kThrees = stride > 0;
  Index p = 0;
  for (; p + 4 <= s.pixels && (!kThrees || p + 5 != s.pixels); p += 4) DepthwisePixels<T, bytes, 4, stride>(s, p);
  if constexpr (kThrees) {
    if (p + 3 == s.pixels || p + 5 == s.pixels) {
      DepthwisePixels<T, bytes, 3, stride>(s, p);
      p += 3;
    }
  }
  if (p + 2 <= s.pixels) {
    DepthwisePixels<T, bytes, 2, stride>(s, p);
    p += 2;
  }
  if (p < s.pixels) DepthwisePixels<T, bytes, 1, stride>(s, p);
}

#endif

// Whether windows of three columns have code of their own: where models are run.
template <class T, int bytes>
inline constexpr bool kDepthwiseThree = std::is_same_v<T, float> && (bytes > 16 || !TENON_DETAIL_TARGETS);

template <class T, int bytes>
TENON_HD void DepthwiseChannels(const DepthwiseStrip& strip) {
  const DepthwiseStrip s = strip;  // no store into the output can change this one
  Index c = 0;
#if defined(__GNUC__) && !defined(__NVCC__)
  constexpr Index kLanes = bytes / static_cast<Index>(sizeof(T));
  c = s.depth / kLanes * kLanes;
  if constexpr (kDepthwiseThree<T, bytes>) {
    if (s.columns == 3 && s.pixel_step == s.column_step)
      DepthwiseRun<T, bytes, 1>(s);
    else if (s.columns == 3 && s.pixel_step == 2 * s.column_step)
      DepthwiseRun<T, bytes, 2>(s);
    else
      DepthwiseRun<T, bytes, 0>(s);
  } else {
    DepthwiseRun<T, bytes, 0>(s);
  }
#endif
  for (; c < s.depth; ++c) {
    for (Index pixel = 0; pixel < s.pixels; ++pixel) {
      const Index left = s.cut_left && pixel == 0 ? 1 : 0,
                  right = s.cut_right && pixel + 1 == s.pixels ? s.columns - 1 : s.columns;
      T sum = T(0);
      for (Index i = 0; i < s.rows; ++i) {
        const T* const from = FirstSeen<T>(s, pixel) + i * s.row_step + c;
        const T* const f = static_cast<const T*>(s.filter) + i * s.filter_row + c;
        for (Index j = left; j < right; ++j) sum += from[(j - left) * s.column_step] * f[j * s.depth];
      }
      static_cast<T*>(s.out)[pixel * s.depth + c] = sum;
    }
  }
}

struct DepthwiseKernel {
  void (*run)(const DepthwiseStrip&);
  bool cuts;  // knows strips that are cut
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
template <class T>
DepthwiseKernel DepthwiseKernelOf() {
#if TENON_DETAIL_TARGETS
  if (simd::BestLevel() == simd::Level::kAvx512) return {&DepthwiseAvx512<T>, kDepthwiseThree<T, 64>};
  if (simd::BestLevel() == simd::Level::kAvx2) return {&DepthwiseAvx2<T>, kDepthwiseThree<T, 32>};
#endif
  return {&DepthwiseUnit<T>, kDepthwiseThree<T, 16>};
}

// The taps [*begin, *end) that lie inside of the input at a place of the window.
inline void ClipTaps(const Window& w, Index place, Index* begin, Index* end) {
  const Index first = place * w.stride - w.pad_before;
  *begin = std::clamp<Index>(-first, 0, w.size);
  *end = std::clamp<Index>(w.input - first, *begin, w.size);
}

// Whether no window misses more than one column, as DepthwiseStrip wants it.
inline bool MissesOneAtMost(const Window& w) {
  return w.size == 3 && w.stride <= 2 && w.pad_before >= 0 && w.pad_before <= 1 && w.input >= 2 &&
         (w.output - 1) * w.stride - w.pad_before + w.size <= w.input + 1;
}

// Output row `row` of the image at `image`; multiplier 1.
template <class T>
void DepthwiseRow(const DepthwiseGeometry& g, const DepthwiseKernel& kernel, const T* image, const T* filter, Index row,
                  T* out) {
  const Index depth = g.depth;
  Index top = 0, bottom = 0;
  ClipTaps(g.rows, row, &top, &bottom);
  const T* const first_row = image + (row * g.rows.stride - g.rows.pad_before + top) * g.columns.input * depth;
  if (kernel.cuts && MissesOneAtMost(g.columns)) {
    const Window& w = g.columns;
    kernel.run({first_row, w.stride * depth, w.input * depth, depth, bottom - top, w.size, depth,
                filter + top * w.size * depth, w.size * depth, out, w.output, w.pad_before == 1,
                (w.output - 1) * w.stride - w.pad_before + w.size > w.input});
    return;
  }
  for (Index column = 0; column < g.columns.output;) {
    Index left = 0, right = 0, pixels = 1;
    ClipTaps(g.columns, column, &left, &right);
    const Index first = column * g.columns.stride - g.columns.pad_before;
    if (left == 0 && right == g.columns.size) {  // and those to the right of it
      const Index room = g.columns.input - g.columns.size - first;
      pixels = std::min(g.columns.output - column, room / g.columns.stride + 1);
    }
    kernel.run({first_row + (first + left) * depth, g.columns.stride * depth, g.columns.input * depth, depth,
                bottom - top, right - left, depth, filter + (top * g.columns.size + left) * depth,
                g.columns.size * depth, out + column * depth, pixels});
    column += pixels;
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
  const detail::DepthwiseKernel kernel = detail::DepthwiseKernelOf<T>();
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
