// SPDX-License-Identifier: Apache-2.0
#pragma once
// MaxPool on the CPU: NHWC, over rows and columns or over the depth, for all real number types.

#include <limits>
#include <string_view>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/conv/pool_microkernel.hpp>
#include <tenon/engine/core/window_dim.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// input [batch, rows, columns, depth] -> output [batch, out_rows, out_columns, depth / depth_window].
struct PoolGeometry {
  Index batch = 0;
  Window rows, columns;
  Index depth = 0;
  Index depth_window = 1;  // above 1: neighbouring channels are pooled, and rows and columns are not
  bool channels_first = false;  // input and output are NCHW; only on a GPU

  TensorShape output_shape() const {
    return ImageShape(channels_first, batch, rows.output, columns.output, depth / depth_window);
  }
};

// The attrs alone: what TensorFlow checks when the kernel is made.
inline Status CheckPoolAttrs(Span<const Index> ksize, Span<const Index> strides, Padding padding,
                             Span<const Index> explicit_paddings) {
  if (ksize.size() != 4) return errors::InvalidArgument("Sliding window ksize field must specify 4 dimensions");
  if (strides.size() != 4) return errors::InvalidArgument("Sliding window stride field must specify 4 dimensions");
  for (const Index k : ksize) {
    if (k <= 0) {
      return errors::InvalidArgument("Sliding window ksize must be positive. The specified or inferred ksize is: ",
                                     ksize[0], ",", ksize[1], ",", ksize[2], ",", ksize[3]);
    }
  }
  if (padding == Padding::kExplicit)
    TENON_RETURN_IF_ERROR(CheckValidPadding(padding, explicit_paddings, 4, TensorFormat::kNHWC));
  if (ksize[0] != 1 || strides[0] != 1)
    return errors::Unimplemented("Pooling is not yet supported on the batch dimension.");
  return OkStatus();
}

namespace detail {
inline Status CheckPoolPadding(std::string_view side, Index padding, Index window) {
  if (padding < window) return OkStatus();
  return errors::InvalidArgument(side, " padding ", padding, " needs to be smaller than the window size ", window);
}
}  // namespace detail

TENON_DETAIL_COLD_CODE_BEGIN
// From the shape and attrs of a MaxPool, both ksize and strides with four values in the order of the images. The errors
// are TensorFlow's.
inline Status MakePoolGeometry(const TensorShape& images, Span<const Index> image_ksize,
                               Span<const Index> image_strides, Padding padding, Span<const Index> image_paddings,
                               PoolGeometry* geometry, bool channels_first = false) {
  const TensorShape input = ShapeInOrderOfNhwc(channels_first, images);
  const InOrderOfNhwc ordered_ksize(channels_first, image_ksize), ordered_strides(channels_first, image_strides),
      ordered_paddings(channels_first, image_paddings, 2);
  const Span<const Index> ksize = ordered_ksize, strides = ordered_strides, explicit_paddings = ordered_paddings;
  TENON_RETURN_IF_ERROR(CheckPoolAttrs(ksize, strides, padding, explicit_paddings));
  if (input.dims() != 4) {
    return errors::InvalidArgument("tensor_in_shape must have 2 spatial dimensions. ", input.dims(), " 0");
  }
  if (ksize[3] != 1 && (ksize[1] != 1 || ksize[2] != 1)) {
    return errors::Unimplemented(
        "MaxPooling supports exactly one of pooling across depth or pooling across width/height.");
  }
  PoolGeometry g;
  g.channels_first = channels_first;
  g.batch = input.dim_size(0);
  g.rows = {.input = input.dim_size(1), .size = ksize[1], .stride = strides[1]};
  g.columns = {.input = input.dim_size(2), .size = ksize[2], .stride = strides[2]};
  g.depth = input.dim_size(3);
  g.depth_window = ksize[3];
  if (padding == Padding::kExplicit) {
    g.rows.pad_before = explicit_paddings[2];
    g.rows.pad_after = explicit_paddings[3];
    g.columns.pad_before = explicit_paddings[4];
    g.columns.pad_after = explicit_paddings[5];
    TENON_RETURN_IF_ERROR(detail::CheckPoolPadding("Top", g.rows.pad_before, g.rows.size));
    TENON_RETURN_IF_ERROR(detail::CheckPoolPadding("Bottom", g.rows.pad_after, g.rows.size));
    TENON_RETURN_IF_ERROR(detail::CheckPoolPadding("Left", g.columns.pad_before, g.columns.size));
    TENON_RETURN_IF_ERROR(detail::CheckPoolPadding("Right", g.columns.pad_after, g.columns.size));
  }
  if (g.depth_window > 1) {
    if (g.depth % g.depth_window != 0) {
      return errors::Unimplemented("Depthwise max pooling requires the depth window to evenly divide the input depth");
    }
    if (strides[3] != g.depth_window) {
      return errors::Unimplemented("Depthwise max pooling requires the depth window to equal the depth stride");
    }
    g.rows = {.input = g.rows.input, .output = g.rows.input};  // TensorFlow looks at every pixel, whatever the strides
    g.columns = {.input = g.columns.input, .output = g.columns.input};
  } else {
    TENON_RETURN_IF_ERROR(PlaceWindow(padding, &g.rows));
    TENON_RETURN_IF_ERROR(PlaceWindow(padding, &g.columns));
  }
  *geometry = g;
  return TensorShape::Make({g.batch, g.rows.output, g.columns.output, g.depth}).status();
}
TENON_DETAIL_COLD_CODE_END

namespace detail {

// The larger one; `most` where x is NaN, as TensorFlow's pools have it.
template <class T>
TENON_HD T PoolLarger(T most, T x) {
  return most < x ? x : most;
}

#if TENON_DETAIL_LANES
template <class T>
struct MostOfWindow {
  static T Start() { return std::numeric_limits<T>::lowest(); }
  TENON_HD static T Combine(T most, T x) { return PoolLarger(most, x); }
  template <class L>
  TENON_HD static L Combine(const L& most, const L& x) {
    return simd::Greater(x, most);
  }
  template <class Value>
  TENON_HD static Value Finish(const Value& most) {
    return most;
  }
};
#endif

TENON_DETAIL_LOOPS_BEGIN

template <class T>
TENON_DETAIL_LOOP void PoolRun(const T* x, T* most, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) most[i] = PoolLarger(most[i], x[i]);
}
template <class T>
TENON_DETAIL_LOOP void PoolFirstRun(const T* x, T* most, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) most[i] = PoolLarger(std::numeric_limits<T>::lowest(), x[i]);
}
// Two by two without padding, the commonest of all: all four at once.
template <class T>
TENON_DETAIL_LOOP void PoolFourRuns(const T* a, const T* b, const T* c, const T* d, T* most, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) {
    most[i] = PoolLarger(PoolLarger(PoolLarger(PoolLarger(std::numeric_limits<T>::lowest(), a[i]), b[i]), c[i]), d[i]);
  }
}

TENON_DETAIL_LOOPS_END

// Output row `row` of the image at `input`.
template <class T>
void PoolRow(const PoolGeometry& g, const T* input, Index row, T* out) {
  const auto clip = [](const Window& w, Index place, Index* begin, Index* end) {
    const Index first = place * w.stride - w.pad_before, last = first + w.size;
    *begin = first > 0 ? first : 0;
    *end = last < w.input ? last : w.input;
  };
  const Index depth = g.depth, row_elements = g.columns.input * depth;
  Index top, bottom, left, right;
  clip(g.rows, row, &top, &bottom);
  for (Index column = 0; column < g.columns.output; ++column, out += depth) {
    clip(g.columns, column, &left, &right);
    const T* const corner = input + top * row_elements + left * depth;
    if (bottom - top == 2 && right - left == 2) {
      PoolFourRuns(corner, corner + depth, corner + row_elements, corner + row_elements + depth, out, depth);
      continue;
    }
#if TENON_DETAIL_LANES
    if constexpr (kPoolsByVectors<T>) {
      RunPoolWindow(PoolWindow<T>{corner, bottom - top, right - left, row_elements, depth}, MostOfWindow<T>{}, out);
      continue;
    }
#endif
    bool first = true;
    for (Index r = 0; r < bottom - top; ++r) {
      for (Index c = 0; c < right - left; ++c) {
        const T* const x = corner + r * row_elements + c * depth;
        if (first)
          PoolFirstRun(x, out, depth);
        else
          PoolRun(x, out, depth);
        first = false;
      }
    }
    if (first) {
      for (Index i = 0; i < depth; ++i) out[i] = std::numeric_limits<T>::lowest();  // nothing but padding
    }
  }
}

// Groups of neighbouring channels: `n` of them.
template <class T>
void PoolDepth(const T* x, Index window, T* out, Index n) {
  for (Index i = 0; i < n; ++i, x += window) {
    T most = x[0];
    for (Index j = 1; j < window; ++j) most = PoolLarger(most, x[j]);
    out[i] = most;
  }
}

}  // namespace detail

// Overwrites `output`, whose shape is geometry.output_shape(). NaNs are passed over (over the depth: unless they come
// first), and what is below the lowest finite number counts as that number (over rows and columns).
template <class T>
Status MaxPool(Cpu& device, const PoolGeometry& geometry, const T* input, T* output) {
  const PoolGeometry& g = geometry;
  const double ns_per_element = std::is_arithmetic_v<T> ? 0.2 : 3.0;
  const Index elements = g.output_shape().num_elements();
  if (elements == 0) return OkStatus();
  if (g.depth_window > 1) {
    ParallelFor(device, elements, ns_per_element * static_cast<double>(g.depth_window), [&](Index begin, Index end) {
      detail::PoolDepth(input + begin * g.depth_window, g.depth_window, output + begin, end - begin);
    });
    return OkStatus();
  }
  const double ns = ns_per_element * static_cast<double>(g.rows.size) * static_cast<double>(g.columns.size) *
                    static_cast<double>(g.depth * g.columns.output);
  ParallelFor(device, g.batch * g.rows.output, ns, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index image = i / g.rows.output;
      detail::PoolRow(g, input + image * g.rows.input * g.columns.input * g.depth, i % g.rows.output,
                      output + i * g.columns.output * g.depth);
    }
  });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
