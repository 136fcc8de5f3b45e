// SPDX-License-Identifier: Apache-2.0
#pragma once
// Convolutions of images of bytes by 8-bit weights, for 8-bit networks: as a product whose rows are windows, or channel
// by channel over padded rows of the image.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/conv_geometry.hpp>
#include <tenon/engine/conv/depthwise.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/gemm/int8_layer.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// The windows of a convolution; bytes outside of the image are `zero`.
struct Int8Windows {
  const Conv2DGeometry* geometry;
  const unsigned char* images;
  const unsigned char* end;
  std::int32_t zero;

  static void Read(const void* what, Index pixel, unsigned char* to) {
    const auto& w = *static_cast<const Int8Windows*>(what);
    const Conv2DGeometry& g = *w.geometry;
    const Index line = pixel / g.columns.output, row = line % g.rows.output, column = pixel % g.columns.output;
    const Index input_row = g.columns.input * g.in_depth;
    const unsigned char* const image = w.images + line / g.rows.output * g.rows.input * input_row;
    const Index first = column * g.columns.stride - g.columns.pad_before;
    const bool inside = g.columns.dilation == 1 && first >= 0 && first + g.columns.size <= g.columns.input;
    const auto bytes = static_cast<std::size_t>(g.in_depth), all = bytes * static_cast<std::size_t>(g.columns.size);
    for (Index i = 0; i < g.rows.size; ++i) {
      const Index y = row * g.rows.stride - g.rows.pad_before + i * g.rows.dilation;
      if (y < 0 || y >= g.rows.input) {
        std::memset(to, w.zero, all);
        to += all;
      } else if (inside) {
        const unsigned char* const from = image + y * input_row + first * g.in_depth;
        if (all <= kInt8Slack && w.end - from >= kInt8Slack)
          std::memcpy(to, from, kInt8Slack);  // a known size takes no call
        else
          std::memcpy(to, from, all);
        to += all;
      } else {
        for (Index j = 0; j < g.columns.size; ++j, to += bytes) {
          const Index x = first + j * g.columns.dilation;
          if (x >= 0 && x < g.columns.input)
            std::memcpy(to, image + y * input_row + x * g.in_depth, bytes);
          else
            std::memset(to, w.zero, bytes);
        }
      }
    }
  }
};

// Pixels of one output row. Distances are in elements.
struct Int8DepthwiseRow {
  const unsigned char* input;  // first tap of the first pixel
  Index pixel_step, row_step, depth;
  Index rows, columns;  // taps
  const std::int32_t* filter;  // [rows, columns, depth]
  std::int32_t* sums;  // [pixels, depth]
  Index pixels;
};

struct Int8DepthwiseSums {
#if TENON_DETAIL_LANES
  // `width` vectors of `count` pixels.
  template <int bytes, int count, int width>
  TENON_HD static void Block(const Int8DepthwiseRow& r, const unsigned char* x, const std::int32_t* filter,
                             std::int32_t* to) {
    using Ints = typename GnuVector<std::int32_t, bytes>::type;
    using Sums = typename GnuVector<std::uint32_t, bytes>::type;  // wrap around
    using InMemory = typename GnuVector<std::int32_t, bytes>::in_memory;
    constexpr int kLanes = bytes / 4;
    Sums sums[count][width];
#pragma GCC unroll 4
    for (int i = 0; i < count; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < width; ++v) sums[i][v] = Sums{};
    }
    for (Index row = 0; row < r.rows; ++row) {
      const unsigned char* from = x + row * r.row_step;
      for (Index column = 0; column < r.columns; ++column, from += r.depth, filter += r.depth) {
#pragma GCC unroll 4
        for (int v = 0; v < width; ++v) {
          const Ints y = *reinterpret_cast<const InMemory*>(filter + v * kLanes);
#pragma GCC unroll 4
          for (int i = 0; i < count; ++i) {
            Ints read;
            WideBytes<bytes>::Load(from + i * r.pixel_step + v * kLanes, &read);
            sums[i][v] += reinterpret_cast<Sums>(read) * reinterpret_cast<Sums>(y);
          }
        }
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < count; ++i) {
#pragma GCC unroll 4
      for (int v = 0; v < width; ++v)
        *reinterpret_cast<InMemory*>(to + i * r.depth + v * kLanes) = reinterpret_cast<Ints>(sums[i][v]);
    }
  }
  template <int bytes, int count>
  TENON_HD static Index Vectors(const Int8DepthwiseRow& r, Index pixel) {
    constexpr Index kLanes = bytes / 4;
    const unsigned char* const x = r.input + pixel * r.pixel_step;
    std::int32_t* const to = r.sums + pixel * r.depth;
    Index c = 0;
    for (; c + 2 * kLanes <= r.depth; c += 2 * kLanes) Block<bytes, count, 2>(r, x + c, r.filter + c, to + c);
    for (; c + kLanes <= r.depth; c += kLanes) Block<bytes, count, 1>(r, x + c, r.filter + c, to + c);
    return c;
  }
#endif
  template <int bytes>
  TENON_HD static void Run(const Int8DepthwiseRow& r) {
    Index done = 0;  // channels
#if TENON_DETAIL_LANES
    Index pixel = 0;
    for (; pixel + 4 <= r.pixels; pixel += 4) done = Vectors<bytes, 4>(r, pixel);
    for (; pixel < r.pixels; ++pixel) done = Vectors<bytes, 1>(r, pixel);
#endif
    for (Index i = 0; i < r.pixels && done < r.depth; ++i) {
      for (Index c = done; c < r.depth; ++c) {
        std::uint32_t sum = 0;
        for (Index row = 0; row < r.rows; ++row) {
          for (Index column = 0; column < r.columns; ++column)
            sum += static_cast<std::uint32_t>(r.input[i * r.pixel_step + row * r.row_step + column * r.depth + c] *
                                              r.filter[(row * r.columns + column) * r.depth + c]);
        }
        r.sums[i * r.depth + c] = static_cast<std::int32_t>(sum);
      }
    }
  }
};
inline void SumInt8Depthwise(const Int8DepthwiseRow& row) {
#if TENON_DETAIL_LANES
  simd::detail::ForLevels<Int8DepthwiseSums, simd::Compiled, const Int8DepthwiseRow&>::Best()(row);
#else
  Int8DepthwiseSums::Run<16>(row);
#endif
}

}  // namespace detail

// Images of bytes, which stand for the numbers less `zero`, by filter [rows, columns, depth, out_depth]. steps and
// errors are as of MultiplyInt8Layer. out [batch, out_rows, out_columns, out_depth].
inline Status Int8Conv2D(Cpu& device, const Conv2DGeometry& g, const unsigned char* images, std::int32_t zero,
                         const std::int8_t* filter, const Int8Steps& steps, void* out, PackedWeights* weights) {
  const Index pixels = MultiplySizes(MultiplySizes(g.batch, g.rows.output), g.columns.output);
  const Index window = MultiplySizes(MultiplySizes(g.rows.size, g.columns.size), g.in_depth);
  const auto is_whole = [](const Window& w) { return w.output == w.input && w.size == 1 && w.pad_before == 0; };
  const unsigned char* const end = images + g.batch * g.rows.input * g.columns.input * g.in_depth;
  const detail::Int8Windows windows{&g, images, end, zero};
  Int8Rows rows{nullptr, zero, &detail::Int8Windows::Read, &windows};
  if (is_whole(g.rows) && is_whole(g.columns)) rows = {images, zero};
  return MultiplyInt8Layer(device, pixels, g.out_depth, window, rows, filter, steps, out, weights);
}

// Images by a filter [rows, columns, depth], channel by channel; the multiplier is 1. All else is as in Int8Conv2D.
inline Status Int8DepthwiseConv2D(Cpu& device, const DepthwiseGeometry& g, const unsigned char* images,
                                  std::int32_t zero, const std::int8_t* filter, const Int8Steps& steps, void* out) {
  if (g.output_elements() == 0) return OkStatus();
  const Index taps = g.rows.size * g.columns.size, depth = g.depth;
  Scratch wide(device, detail::ScratchBytes<std::int32_t>((taps + 1) * depth));  // weights, then what sums are moved by
  TENON_RETURN_IF_ERROR(wide.status("Int8DepthwiseConv2D"));
  auto* const weights = wide.As<std::int32_t>();
  std::int32_t* const moved = weights + taps * depth;
  std::fill_n(moved, depth, 0);
  for (Index i = 0; i < taps * depth; ++i) {
    weights[i] = filter[i];
    std::int32_t& of_channel = moved[i % depth];
    of_channel = static_cast<std::int32_t>(static_cast<std::uint32_t>(of_channel) +
                                           static_cast<std::uint32_t>(zero * filter[i]));
  }
  // A task: some rows of the output, from a padded copy of the rows that they read.
  const Index padded_columns = (g.columns.output - 1) * g.columns.stride + g.columns.size,
              row_bytes = padded_columns * depth;
  constexpr Index kCopyBytes = 128 << 10;
  const Index wanted = (kCopyBytes / std::max<Index>(row_bytes, 1) - g.rows.size) / g.rows.stride + 1;
  const Index rows = std::clamp<Index>(wanted, 1, g.rows.output), tasks = (g.rows.output + rows - 1) / rows;
  const Index copied_rows = (rows - 1) * g.rows.stride + g.rows.size;
  const std::size_t copy_bytes = detail::ScratchBytes<char>(copied_rows * row_bytes);
  const double ns = 0.03 * static_cast<double>(rows * g.columns.output * depth) * static_cast<double>(taps + 4);
  return detail::RunWithScratch(
      device, g.batch * tasks, ns, copy_bytes + detail::ScratchBytes<std::int32_t>(g.columns.output * depth),
      "Int8DepthwiseConv2D", [&](Cpu&, Index task, char* memory) {
        const Index image = task / tasks, first = task % tasks * rows, end = std::min(first + rows, g.rows.output);
        auto* const copy = reinterpret_cast<unsigned char*>(memory);
        auto* const sums = reinterpret_cast<std::int32_t*>(memory + copy_bytes);
        const Index begin_x = std::min(g.columns.pad_before, padded_columns) * depth;
        const Index inside = std::min(g.columns.input * depth, row_bytes - begin_x);
        const Index first_input = first * g.rows.stride - g.rows.pad_before;
        for (Index i = 0; i < (end - first - 1) * g.rows.stride + g.rows.size; ++i) {
          unsigned char* const to = copy + i * row_bytes;
          const Index y = first_input + i;
          std::memset(to, zero, static_cast<std::size_t>(row_bytes));
          if (y >= 0 && y < g.rows.input)
            std::memcpy(to + begin_x, images + (image * g.rows.input + y) * g.columns.input * depth,
                        static_cast<std::size_t>(inside));
        }
        for (Index row = first; row < end; ++row) {
          detail::SumInt8Depthwise({copy + (row - first) * g.rows.stride * row_bytes, g.columns.stride * depth,
                                    row_bytes, depth, g.rows.size, g.columns.size, weights, sums, g.columns.output});
          const Index at = (image * g.rows.output + row) * g.columns.output * depth;
          detail::FinishInt8({sums, depth, g.columns.output, depth, 0, moved, &steps,
                              static_cast<char*>(out) + at * (steps.to_bytes ? 1 : 4), depth});
        }
        return OkStatus();
      });
}

TENON_DETAIL_NAMESPACE_END
