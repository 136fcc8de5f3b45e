// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conv3D on the CPU: channels last, no dilation. Planes of the image become channels of a Conv2D
// (engine/conv/conv.hpp); groups multiply matrices that have a row of window elements for each output position
// ("columns", as TensorFlow calls them). T is float or double.

#include <algorithm>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/conv.hpp>
#include <tenon/engine/gemm/gemm.hpp>
#include <tenon/engine/core/element_copy.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/core/window_dim.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// input [batch, planes, rows, columns, in_depth], filter [planes, rows, columns, in_depth / groups, out_depth], output
// [batch, out_planes, out_rows, out_columns, out_depth].
struct Conv3DGeometry {
  Index batch = 0;
  Window planes{.input = 1, .output = 1}, rows, columns;
  Index in_depth = 0, out_depth = 0;
  Index groups = 1;
  bool channels_first = false;  // input and output are NCHW; only on a GPU, of one plane
  ConvAlgorithm algorithm = ConvAlgorithm::kDirect;  // for one plane, on the CPU

  Index group_depth() const { return in_depth / groups; }
  Index places() const {  // output positions of one image
    return MultiplySizes(MultiplySizes(planes.output, rows.output), columns.output);
  }
  Index taps() const { return planes.size * rows.size * columns.size; }
  Index image_elements() const {
    return MultiplySizes(MultiplySizes(planes.input, rows.input), MultiplySizes(columns.input, in_depth));
  }
};

namespace detail {

// Finds the element of the input under tap `tap` of output position `place`, along one dimension; false for padding.
inline bool TapPosition(const Window& w, Index place, Index tap, Index* position) {
  *position = place * w.stride - w.pad_before + tap * w.dilation;
  return *position >= 0 && *position < w.input;
}

// columns[i] = the window of output position first + i: channels [channel, channel + channels) of every tap, 0 outside.
// Positions are numbered through the images.
template <class T>
void ImageToColumns(const Conv3DGeometry& g, const T* images, Index channel, Index channels, Index first, Index count,
                    T* columns) {
  const Index places = g.places(), elements = g.image_elements(), run = g.columns.size * channels;
  const bool whole = channels == g.in_depth && g.columns.dilation == 1;
  for (Index i = first; i < first + count; ++i) {
    const T* const image = images + i / places * elements;
    const Index column = i % g.columns.output, row = i / g.columns.output % g.rows.output,
                plane = i % places / g.columns.output / g.rows.output;
    for (Index p = 0; p < g.planes.size; ++p) {
      for (Index r = 0; r < g.rows.size; ++r) {
        Index z = 0, y = 0;
        const bool inside = TapPosition(g.planes, plane, p, &z) && TapPosition(g.rows, row, r, &y);
        const Index start = (z * g.rows.input + y) * g.columns.input;
        const Index left = column * g.columns.stride - g.columns.pad_before;
        if (whole && inside && left >= 0 &&
            left + g.columns.size <= g.columns.input) {  // a row of the window is one run
          std::copy_n(image + (start + left) * g.in_depth, run, columns);
          columns += run;
          continue;
        }
        for (Index c = 0; c < g.columns.size; ++c, columns += channels) {
          Index x = 0;
          if (inside && TapPosition(g.columns, column, c, &x))
            std::copy_n(image + (start + x) * g.in_depth + channel, channels, columns);
          else
            std::fill_n(columns, channels, T(0));
        }
      }
    }
  }
}

template <class T>
Status Product(Cpu& device, const T* a, bool transpose_a, Index a_rows, Index a_columns, const T* b, bool transpose_b,
               Index b_rows, Index b_columns, T* c) {
  const Index a_dims[] = {a_rows, a_columns}, b_dims[] = {b_rows, b_columns};
  const Index c_dims[] = {transpose_a ? a_columns : a_rows, transpose_b ? b_rows : b_columns};
  return Gemm<T>(device, In<T, 2>(a, a_dims), transpose_a, In<T, 2>(b, b_dims), transpose_b, Out<T, 2>(c, c_dims));
}

// How many places to work on at once: columns of about 2 MB, or few images would not keep the threads busy.
inline Index PlacesAtOnce(Index places, Index window, std::size_t size) {
  const Index fit = (Index{2} << 20) / std::max<Index>(1, window * static_cast<Index>(size));
  return std::clamp<Index>(fit, 64, std::max<Index>(64, places));
}

// Planes of a Conv3D as channels of a Conv2D: a window of the second has all planes of a window of the first side by
// side, with its padding.
struct StackedPlanes {
  Conv3DGeometry g;
  Index rows, columns;  // size of a stacked image
  Index depth() const { return g.planes.size * g.in_depth; }
  Index elements() const { return rows * columns * depth(); }

  // Row `y` of the stacked image whose first output row is `top` of output plane `plane`.
  template <class T>
  void Fill(const T* image, Index plane, Index top, Index y, T* to) const {
    const Index left = std::clamp<Index>(g.columns.pad_before, 0, columns), step = depth(), in_depth = g.in_depth;
    const Index skipped = std::max<Index>(0, -g.columns.pad_before);  // columns left of the first window
    const Index inside = std::clamp<Index>(columns - left, 0, g.columns.input - skipped);
    const Index row = top * g.rows.stride - g.rows.pad_before + y;
    for (Index p = 0; p < g.planes.size; ++p, to += in_depth) {
      Index z = 0;
      const bool padding = !TapPosition(g.planes, plane, p, &z) || row < 0 || row >= g.rows.input;
      const Index before = padding ? columns : left, after = padding ? columns : left + inside;
      for (Index x = 0; x < before; ++x) std::fill_n(to + x * step, in_depth, T(0));
      if (after > before) {
        const T* const from = image + ((z * g.rows.input + row) * g.columns.input + skipped) * in_depth;
        CopyBytePieces(in_depth * Index{sizeof(T)}, reinterpret_cast<const char*>(from), in_depth * Index{sizeof(T)},
                       reinterpret_cast<char*>(to + before * step), step * Index{sizeof(T)}, after - before);
      }
      for (Index x = after; x < columns; ++x) std::fill_n(to + x * step, in_depth, T(0));
    }
  }
};
// Whether planes of the output read one plane each, so that they are images of a Conv2D.
inline bool AreApart(const Window& planes) {
  return planes.size == 1 && planes.stride == 1 && planes.pad_before == 0 && planes.input == planes.output;
}
// A Conv3D of one group by Conv2D, a few rows or a few planes at a time.
template <class T>
Status ConvolvePlanes(Cpu& device, const Conv3DGeometry& g, const T* input, const T* filter, T* output) {
  Conv2DGeometry flat{.batch = g.batch * g.planes.output,
                      .rows = g.rows,
                      .columns = g.columns,
                      .in_depth = g.in_depth,
                      .out_depth = g.out_depth};
  if (AreApart(g.planes) && g.rows.pad_before >= 0 && g.columns.pad_before >= 0)
    return Conv2D<T>(device, flat, input, filter, output, nullptr, g.algorithm);
  constexpr Index kBytes = Index{1} << 20;  // stacked rows
  StackedPlanes stacked{g, 0, (g.columns.output - 1) * g.columns.stride + g.columns.extent()};
  const Index row_bytes = std::max<Index>(1, stacked.columns * stacked.depth() * Index{sizeof(T)});
  const Index fit = std::max<Index>(g.rows.extent(), kBytes / row_bytes);  // rows
  const Index rows = std::clamp<Index>((fit - g.rows.extent()) / g.rows.stride + 1, 1, g.rows.output);
  stacked.rows = (rows - 1) * g.rows.stride + g.rows.extent();
  const Index planes = rows < g.rows.output ? 1 : std::clamp<Index>(fit / stacked.rows, 1, flat.batch);

  const Index block = g.in_depth * g.out_depth, taps = g.rows.size * g.columns.size;
  const std::size_t filter_bytes = ScratchBytes<T>(g.taps() * block);
  Scratch scratch(device, filter_bytes + ScratchBytes<T>(planes * stacked.elements()));
  TENON_RETURN_IF_ERROR(scratch.status("Conv3D"));
  T* const turned = scratch.As<T>();
  T* const images = scratch.As<T>(filter_bytes);
  for (Index p = 0; p < g.planes.size; ++p)
    for (Index tap = 0; tap < taps; ++tap)
      std::copy_n(filter + (p * taps + tap) * block, block, turned + (tap * g.planes.size + p) * block);
  flat.in_depth = stacked.depth();
  flat.columns.input = stacked.columns;
  flat.rows.pad_before = flat.rows.pad_after = flat.columns.pad_before = flat.columns.pad_after = 0;
  for (Index first = 0; first < g.batch * g.planes.output; first += planes) {
    flat.batch = std::min(planes, g.batch * g.planes.output - first);
    for (Index top = 0; top < g.rows.output; top += rows) {
      flat.rows.output = std::min(rows, g.rows.output - top);
      flat.rows.input = (flat.rows.output - 1) * g.rows.stride + g.rows.extent();
      ParallelFor(device, flat.batch * flat.rows.input, 0.1 * static_cast<double>(row_bytes),
                  [&](Index begin, Index end) {
                    for (Index i = begin; i < end; ++i) {
                      const Index plane = first + i / flat.rows.input;
                      stacked.Fill(input + plane / g.planes.output * g.image_elements(), plane % g.planes.output, top,
                                   i % flat.rows.input, images + i * stacked.columns * stacked.depth());
                    }
                  });
      TENON_RETURN_IF_ERROR(Conv2D<T>(device, flat, images, turned,
                                      output + (first * g.rows.output + top) * g.columns.output * g.out_depth));
    }
  }
  return OkStatus();
}

}  // namespace detail

// Overwrites `output`. Groups share out channels of input and output evenly.
template <class T>
Status Conv3D(Cpu& device, const Conv3DGeometry& g, const T* input, const T* filter, T* output) {
  const Index places = g.places(), depth = g.group_depth(), out_depth = g.out_depth / g.groups;
  const Index window = g.taps() * depth;
  if (g.batch == 0 || places == 0 || g.out_depth == 0) return OkStatus();
  if (window == 0) {
    std::fill_n(output, g.batch * places * g.out_depth, T(0));
    return OkStatus();
  }
  if (g.groups == 1) return detail::ConvolvePlanes(device, g, input, filter, output);
  const Index step = std::min(places, detail::PlacesAtOnce(places, window, sizeof(T)));
  const std::size_t columns_bytes = detail::ScratchBytes<T>(step * window),
                    filter_bytes = detail::ScratchBytes<T>(window * out_depth);
  Scratch scratch(device, columns_bytes + filter_bytes + detail::ScratchBytes<T>(step * out_depth));
  TENON_RETURN_IF_ERROR(scratch.status("Conv3D"));
  T* const columns = scratch.As<T>();
  T* const group_filter = scratch.As<T>(columns_bytes);
  T* const product = scratch.As<T>(columns_bytes + filter_bytes);
  for (Index group = 0; group < g.groups; ++group) {
    for (Index i = 0; i < window; ++i)
      std::copy_n(filter + i * g.out_depth + group * out_depth, out_depth, group_filter + i * out_depth);
    for (Index image = 0; image < g.batch; ++image) {
      for (Index first = 0; first < places; first += step) {
        const Index count = std::min(step, places - first);
        ParallelFor(device, count, 0.3 * static_cast<double>(window), [&](Index begin, Index end) {
          detail::ImageToColumns(g, input + image * g.image_elements(), group * depth, depth, first + begin,
                                 end - begin, columns + begin * window);
        });
        TENON_RETURN_IF_ERROR(
            detail::Product(device, columns, false, count, window, group_filter, false, window, out_depth, product));
        T* const out = output + (image * places + first) * g.out_depth + group * out_depth;
        for (Index i = 0; i < count; ++i) std::copy_n(product + i * out_depth, out_depth, out + i * g.out_depth);
      }
    }
  }
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
