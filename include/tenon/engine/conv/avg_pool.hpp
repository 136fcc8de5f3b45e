// SPDX-License-Identifier: Apache-2.0
#pragma once
// AvgPool and its gradient on the CPU: NHWC, over rows and columns. Only pixels of the image count.

#include <algorithm>
#include <cstring>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/conv/max_pool.hpp>
#include <tenon/engine/conv/pool_microkernel.hpp>
#include <tenon/engine/core/window_dim.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Where the window at `place` lies inside of the input: [*begin, *end), empty when nowhere.
inline void ClipWindow(const Window& w, Index place, Index* begin, Index* end) {
  const Index first = place * w.stride - w.pad_before;
  *begin = std::clamp<Index>(first, 0, w.input);
  *end = std::clamp<Index>(first + w.size, *begin, w.input);
}

TENON_DETAIL_LOOPS_BEGIN

template <class T>
TENON_DETAIL_LOOP void PoolAddRun(const T* x, T* sum, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) sum[i] += x[i];
}
template <class T>
TENON_DETAIL_LOOP void PoolDivideRun(T divisor, T* sum, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) sum[i] /= divisor;
}
template <class T>
TENON_DETAIL_LOOP void PoolAddScaledRun(const T* x, T factor, T* sum, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) sum[i] += x[i] * factor;
}

TENON_DETAIL_LOOPS_END

// `n` as TensorFlow counts it: one after the other in T, which ends where T has no next integer (256 for bfloat16).
template <class T>
TENON_HD T PoolCount(Index n) {
  if constexpr (std::is_same_v<T, bfloat16>)
    return T(static_cast<float>(n < 256 ? n : 256));
  else if constexpr (std::is_same_v<T, half>)
    return T(static_cast<float>(n < 2048 ? n : 2048));
  else
    return static_cast<T>(n);
}

#if TENON_DETAIL_LANES
template <class T>
struct MeanOfWindow {
  T count;

  static T Start() { return T(0); }
  template <class Value>
  TENON_HD static Value Combine(const Value& sum, const Value& x) {
    return sum + x;
  }
  template <class Value>
  TENON_HD Value Finish(const Value& sum) const {
    return sum / Value(count);
  }
};
#endif

template <class T>
void AvgPoolRow(const PoolGeometry& g, const T* input, Index row, T* out) {
  const Index depth = g.depth, row_elements = g.columns.input * depth;
  Index top, bottom, left, right;
  ClipWindow(g.rows, row, &top, &bottom);
  for (Index column = 0; column < g.columns.output; ++column, out += depth) {
    ClipWindow(g.columns, column, &left, &right);
    const T count = PoolCount<T>((bottom - top) * (right - left));
#if TENON_DETAIL_LANES
    if constexpr (kPoolsByVectors<T>) {
      RunPoolWindow(
          PoolWindow<T>{input + top * row_elements + left * depth, bottom - top, right - left, row_elements, depth},
          MeanOfWindow<T>{count}, out);
      continue;
    }
#endif
    for (Index i = 0; i < depth; ++i) out[i] = T(0);
    for (Index r = top; r < bottom; ++r)
      for (Index c = left; c < right; ++c) PoolAddRun(input + r * row_elements + c * depth, out, depth);
    PoolDivideRun(count, out, depth);
  }
}

}  // namespace detail

// Overwrites `output`, whose shape is geometry.output_shape() (the depth window is 1). Sums and quotients are rounded
// to T one by one, as in TensorFlow; NaN where a window meets nothing but padding.
template <class T>
Status AvgPool(Cpu& device, const PoolGeometry& g, const T* input, T* output) {
  if (g.output_shape().num_elements() == 0) return OkStatus();
  const double ns_per_element = std::is_arithmetic_v<T> ? 0.2 : 4.0;
  const double ns = ns_per_element * static_cast<double>(g.rows.size) * static_cast<double>(g.columns.size) *
                    static_cast<double>(g.depth * g.columns.output);
  ParallelFor(device, g.batch * g.rows.output, ns, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      detail::AvgPoolRow(g, input + i / g.rows.output * g.rows.input * g.columns.input * g.depth, i % g.rows.output,
                         output + i * g.columns.output * g.depth);
    }
  });
  return OkStatus();
}

// The gradient of AvgPool: `grad` [batch, out_rows, out_columns, depth] is shared out evenly to the pixels of each
// window. Overwrites `output` [batch, rows, columns, depth], and `without` more images with zeros.
template <class T>
Status AvgPoolGrad(Cpu& device, const PoolGeometry& g, const T* grad, T* output, Index without = 0) {
  const Index image = MultiplySizes(MultiplySizes(g.rows.input, g.columns.input), g.depth);
  std::fill_n(output + g.batch * image, without * image, T(0));
  if (g.batch == 0 || image == 0) return OkStatus();
  const Index out_row = g.columns.output * g.depth;
  const double ns_per_element = std::is_arithmetic_v<T> ? 0.3 : 6.0;
  const double ns = ns_per_element * static_cast<double>(g.rows.size) * static_cast<double>(g.columns.size) *
                    static_cast<double>(g.depth * g.columns.output * g.rows.output);
  ParallelFor(device, g.batch, ns, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      T* const out = output + n * image;
      for (Index i = 0; i < image; ++i) out[i] = T(0);
      for (Index row = 0; row < g.rows.output; ++row) {
        Index top, bottom, left, right;
        detail::ClipWindow(g.rows, row, &top, &bottom);
        const T* from = grad + (n * g.rows.output + row) * out_row;
        for (Index column = 0; column < g.columns.output; ++column, from += g.depth) {
          detail::ClipWindow(g.columns, column, &left, &right);
          using C = std::conditional_t<std::is_same_v<T, double>, double, float>;
          const T factor = static_cast<T>(static_cast<C>(1.0 / static_cast<double>((bottom - top) * (right - left))));
          for (Index r = top; r < bottom; ++r)
            for (Index c = left; c < right; ++c)
              detail::PoolAddScaledRun(from, factor, out + (r * g.columns.input + c) * g.depth, g.depth);
        }
      }
    }
  });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
