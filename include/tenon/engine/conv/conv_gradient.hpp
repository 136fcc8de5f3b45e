// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conv3D, and the gradients of Conv2D (one plane) and Conv3D, on the CPU: channels last, no dilation. All are matrix
// products (engine/gemm/gemm.hpp) in which one matrix has a row of window elements for each output position ("columns",
// as TensorFlow calls them). T is float or double, for the gradient of the input also int32.

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/conv.hpp>
#include <tenon/engine/conv/filter_gradient.hpp>
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

TENON_DETAIL_LOOPS_BEGIN

template <class T>
TENON_DETAIL_LOOP void AddWrappingRun(const T* x, T* sum, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) sum[i] = MultiplyAdd(x[i], T(1), sum[i]);
}

TENON_DETAIL_LOOPS_END

// The reverse for one row of an image: row (plane z, row y) = for each element, the sum of its copies in `columns` (of
// the whole image).
template <class T>
void ColumnsToRow(const Conv3DGeometry& g, const T* columns, Index z, Index y, T* row) {
  const Index depth = g.in_depth, window = g.taps() * depth;
  std::fill_n(row, g.columns.input * depth, T(0));
  for (Index p = 0; p < g.planes.size; ++p) {
    const Index above_plane = z + g.planes.pad_before - p, plane = above_plane / g.planes.stride;
    if (above_plane < 0 || above_plane % g.planes.stride != 0 || plane >= g.planes.output) continue;
    for (Index r = 0; r < g.rows.size; ++r) {
      const Index above = y + g.rows.pad_before - r, out_row = above / g.rows.stride;
      if (above < 0 || above % g.rows.stride != 0 || out_row >= g.rows.output) continue;
      const T* from = columns + (plane * g.rows.output + out_row) * g.columns.output * window +
                      (p * g.rows.size + r) * g.columns.size * depth;
      for (Index column = 0; column < g.columns.output; ++column, from += window) {
        for (Index c = 0; c < g.columns.size; ++c) {
          Index x = 0;
          if (TapPosition(g.columns, column, c, &x)) AddWrappingRun(from + c * depth, row + x * depth, depth);
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

inline Status ColumnsTooLarge(const char* who, Index places, Index window) {
  return errors::ResourceExhausted(who, ": OOM when allocating ", places, " windows of ", window, " elements");
}

// Whether the gradient of the input is a convolution of `gradient`: each step goes one on, and images are not so small
// that a product which reads the filter once for many of them is faster.
inline bool IsConvolutionOfGradient(const Conv3DGeometry& g) {
  constexpr Index kFewPixels = 32;
  const auto fits = [](const Window& w) { return w.stride == 1 && w.dilation == 1 && w.pad_before < w.size; };
  return g.taps() > 1 && fits(g.planes) && fits(g.rows) && fits(g.columns) &&
         g.planes.input * g.rows.input * g.columns.input >= kFewPixels;
}
// filter [rows, columns, in_depth, out_depth] with both ends exchanged and in the order [rows, columns, out_depth,
// in_depth].
template <class T>
void TurnFilter(Cpu& device, const Conv3DGeometry& g, const T* filter, T* turned) {
  constexpr Index kSide = 16;
  const Index taps = g.taps(), in = g.in_depth, out = g.out_depth;
  ParallelFor(device, taps, static_cast<double>(in * out), [&](Index begin, Index end) {
    for (Index tap = begin; tap < end; ++tap) {
      const T* const from = filter + (taps - 1 - tap) * in * out;
      T* const to = turned + tap * in * out;
      for (Index i = 0; i < in; i += kSide)
        for (Index o = 0; o < out; o += kSide)
          for (Index y = o; y < std::min(o + kSide, out); ++y)
            for (Index x = i; x < std::min(i + kSide, in); ++x) to[y * in + x] = from[x * out + y];
    }
  });
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
    const Index left = std::min(g.columns.pad_before, columns), step = depth(), in_depth = g.in_depth;
    const Index inside = std::clamp<Index>(columns - left, 0, g.columns.input);
    const Index row = top * g.rows.stride - g.rows.pad_before + y;
    for (Index p = 0; p < g.planes.size; ++p, to += in_depth) {
      Index z = 0;
      const bool padding = !TapPosition(g.planes, plane, p, &z) || row < 0 || row >= g.rows.input;
      const Index before = padding ? columns : left, after = padding ? columns : left + inside;
      for (Index x = 0; x < before; ++x) std::fill_n(to + x * step, in_depth, T(0));
      if (after > before) {
        const T* const from = image + (z * g.rows.input + row) * g.columns.input * in_depth;
        CopyBytePieces(in_depth * Index{sizeof(T)}, reinterpret_cast<const char*>(from), in_depth * Index{sizeof(T)},
                       reinterpret_cast<char*>(to + before * step), step * Index{sizeof(T)}, after - before);
      }
      for (Index x = after; x < columns; ++x) std::fill_n(to + x * step, in_depth, T(0));
    }
  }
};
// A Conv3D of one group by Conv2D, a few rows or a few planes at a time.
template <class T>
Status ConvolvePlanes(Cpu& device, const Conv3DGeometry& g, const T* input, const T* filter, T* output) {
  Conv2DGeometry flat{.batch = g.batch * g.planes.output,
                      .rows = g.rows,
                      .columns = g.columns,
                      .in_depth = g.in_depth,
                      .out_depth = g.out_depth};
  if (g.planes.size == 1 && g.planes.stride == 1 && g.planes.pad_before == 0 && g.planes.input == g.planes.output)
    return Conv2D<T>(device, flat, input, filter, output);
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

template <class T>
Status ConvolveGradient(Cpu& device, const Conv3DGeometry& g, const T* filter, const T* gradient, T* output) {
  const auto turned_window = [](const Window& w) {
    return Window{.input = w.output, .size = w.size, .pad_before = w.size - 1 - w.pad_before, .output = w.input};
  };
  Scratch scratch(device, ScratchBytes<T>(g.taps() * g.in_depth * g.out_depth));
  TENON_RETURN_IF_ERROR(scratch.status("ConvBackpropInput"));
  TurnFilter(device, g, filter, scratch.As<T>());
  Conv3DGeometry turned;
  turned.batch = g.batch;
  turned.planes = turned_window(g.planes);
  turned.rows = turned_window(g.rows);
  turned.columns = turned_window(g.columns);
  turned.in_depth = g.out_depth;
  turned.out_depth = g.in_depth;
  return ConvolvePlanes(device, turned, gradient, scratch.As<T>(), output);
}

#if !defined(__NVCC__)
// The gradient of the filter, a plane of the window after the other: images are the planes that it meets.
template <class T>
Status FilterGradientByPlanes(Cpu& device, const Conv3DGeometry& g, Conv2DGeometry flat, const T* input,
                              const T* gradient, T* output) {
  const Window& planes = g.planes;
  const Index in_plane = g.rows.input * g.columns.input * g.in_depth,
              out_plane = g.rows.output * g.columns.output * g.out_depth,
              block = g.rows.size * g.columns.size * g.in_depth * g.out_depth;
  if (planes.size == 1 && planes.stride == 1 && planes.pad_before == 0 && planes.input == planes.output) {
    flat.batch = g.batch * planes.output;
    return FilterGradient(device, flat, input, gradient, output);
  }
  for (Index tap = 0; tap < planes.size; ++tap, output += block) {
    const Index shift = tap * planes.dilation - planes.pad_before;  // the tap's plane in the first window
    const Index first = shift >= 0 ? 0 : (planes.stride - 1 - shift) / planes.stride;
    const Index last =
        shift >= planes.input ? 0 : std::min(planes.output, (planes.input - 1 - shift) / planes.stride + 1);
    flat.batch = planes.stride == 1 ? std::max<Index>(last - first, 1) : 1;
    bool add = false;
    for (Index n = 0; n < g.batch; ++n)
      for (Index plane = first; plane < last; plane += flat.batch, add = true)
        TENON_RETURN_IF_ERROR(FilterGradient(device, flat,
                                             input + (n * planes.input + plane * planes.stride + shift) * in_plane,
                                             gradient + (n * planes.output + plane) * out_plane, output, add));
    if (!add) std::fill_n(output, block, T(0));
  }
  return OkStatus();
}
#endif

}  // namespace detail

// Overwrites `output`. Groups share out channels of input and output evenly.
template <class T>
Status Conv3D(Cpu& device, const Conv3DGeometry& g, const T* input, const T* filter, T* output) {
  const Index places = g.places(), depth = g.group_depth(), out_depth = g.out_depth / g.groups;
  const Index window = g.taps() * depth;
  if (g.batch == 0 || places == 0 || g.out_depth == 0) return OkStatus();
  if (g.groups == 1 && window > 0) return detail::ConvolvePlanes(device, g, input, filter, output);
  const Index step = detail::PlacesAtOnce(places, window, sizeof(T));
  const bool grouped = g.groups > 1;
  const std::size_t columns_bytes = detail::ScratchBytes<T>(std::min(step, places) * window),
                    filter_bytes = grouped ? detail::ScratchBytes<T>(window * out_depth) : 0,
                    product_bytes = grouped ? detail::ScratchBytes<T>(std::min(step, places) * out_depth) : 0;
  Scratch scratch(device, columns_bytes + filter_bytes + product_bytes);
  TENON_RETURN_IF_ERROR(scratch.status("Conv3D"));
  T* const columns = scratch.As<T>();
  T* const group_filter = scratch.As<T>(columns_bytes);
  T* const product = scratch.As<T>(columns_bytes + filter_bytes);
  for (Index group = 0; group < g.groups; ++group) {
    if (grouped)
      for (Index i = 0; i < window; ++i)
        std::copy_n(filter + i * g.out_depth + group * out_depth, out_depth, group_filter + i * out_depth);
    for (Index image = 0; image < g.batch; ++image) {
      for (Index first = 0; first < places; first += step) {
        const Index count = std::min(step, places - first);
        ParallelFor(device, count, 0.3 * static_cast<double>(window), [&](Index begin, Index end) {
          detail::ImageToColumns(g, input + image * g.image_elements(), group * depth, depth, first + begin,
                                 end - begin, columns + begin * window);
        });
        T* const out = output + (image * places + first) * g.out_depth;
        TENON_RETURN_IF_ERROR(detail::Product(device, columns, false, count, window, grouped ? group_filter : filter,
                                              false, window, out_depth, grouped ? product : out));
        if (!grouped) continue;
        for (Index i = 0; i < count; ++i)
          std::copy_n(product + i * out_depth, out_depth, out + i * g.out_depth + group * out_depth);
      }
    }
  }
  return OkStatus();
}

// The gradient with respect to the input, of one group. `gradient` has the output's shape; overwrites `output`, which
// has the input's.
template <class T>
Status ConvBackpropInput(Cpu& device, const Conv3DGeometry& g, const T* filter, const T* gradient, T* output) {
  if (g.batch == 0 || g.image_elements() == 0) return OkStatus();
  if constexpr (std::is_same_v<T, float>) {
    if (g.out_depth > 0 && g.places() > 0 && detail::IsConvolutionOfGradient(g))
      return detail::ConvolveGradient(device, g, filter, gradient, output);
  }
  const Index places = g.places(), window = g.taps() * g.in_depth, rows = g.planes.input * g.rows.input;
  const Index elements = MultiplyWithoutOverflow(places, window);
  if (elements < 0 || elements > (Index{1} << 58)) return detail::ColumnsTooLarge("ConvBackpropInput", places, window);
  // Images that are small share a product, which then reads the filter once for all of them.
  const Index fit =
      detail::PlacesAtOnce(MultiplySizes(g.batch, places), window, sizeof(T)) / std::max<Index>(places, 1);
  const Index at_once = std::clamp<Index>(fit, 1, g.batch);
  Scratch scratch(device, detail::ScratchBytes<T>(at_once * elements));
  TENON_RETURN_IF_ERROR(scratch.status("ConvBackpropInput"));
  T* const columns = scratch.As<T>();
  for (Index image = 0; image < g.batch; image += at_once) {
    const Index images = std::min(at_once, g.batch - image);
    TENON_RETURN_IF_ERROR(detail::Product(device, gradient + image * places * g.out_depth, false, images * places,
                                          g.out_depth, filter, true, window, g.out_depth, columns));
    T* const out = output + image * g.image_elements();
    const double ns = 0.5 * static_cast<double>(elements) / static_cast<double>(rows) + 50;
    ParallelFor(device, images * rows, ns, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        detail::ColumnsToRow(g, columns + i / rows * elements, i % rows / g.rows.input, i % g.rows.input,
                             out + i * g.columns.input * g.in_depth);
    });
  }
  return OkStatus();
}

// The gradient with respect to the filter, of one group. Overwrites `output`, which has the filter's shape.
template <class T>
Status ConvBackpropFilter(Cpu& device, const Conv3DGeometry& g, const T* input, const T* gradient, T* output) {
  const Index places = g.places(), window = g.taps() * g.in_depth, elements = window * g.out_depth;
  if (g.batch == 0 || places == 0 || elements == 0) {
    std::fill_n(output, elements, T(0));
    return OkStatus();
  }
#if !defined(__NVCC__)
  const Conv2DGeometry flat{.batch = g.batch,
                            .rows = g.rows,
                            .columns = g.columns,
                            .in_depth = g.in_depth,
                            .out_depth = g.out_depth,
                            .groups = g.groups};
  if (detail::FavoursFilterTiles<T>(flat))
    return detail::FilterGradientByPlanes(device, g, flat, input, gradient, output);
#endif
  const Index all = MultiplySizes(g.batch, places);
  const Index step = std::min(all, detail::PlacesAtOnce(all, window, sizeof(T)));
  const std::size_t columns_bytes = detail::ScratchBytes<T>(step * window);
  Scratch scratch(device, columns_bytes + (step < all ? detail::ScratchBytes<T>(elements) : 0));
  TENON_RETURN_IF_ERROR(scratch.status("ConvBackpropFilter"));
  T* const columns = scratch.As<T>();
  T* const product = scratch.As<T>(columns_bytes);
  for (Index first = 0; first < all; first += step) {
    const Index count = std::min(step, all - first);
    ParallelFor(device, count, 0.3 * static_cast<double>(window), [&](Index begin, Index end) {
      detail::ImageToColumns(g, input, Index{0}, g.in_depth, first + begin, end - begin, columns + begin * window);
    });
    TENON_RETURN_IF_ERROR(detail::Product(device, columns, true, count, window, gradient + first * g.out_depth, false,
                                          count, g.out_depth, first == 0 ? output : product));
    if (first == 0) continue;
    ParallelFor(device, elements, 0.3,
                [&](Index begin, Index end) { detail::AddWrappingRun(product + begin, output + begin, end - begin); });
  }
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
