// SPDX-License-Identifier: Apache-2.0
#pragma once
// MaxPool with the places of the largest values, and gradients that go back to these places. NHWC, over rows and
// columns.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/avg_pool.hpp>
#include <tenon/engine/conv/max_pool.hpp>
#include <tenon/engine/simd/row_lanes.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

inline constexpr Index kNoPlace = -1;  // where a window meets nothing but padding

namespace detail {

template <class T>
void PoolFirstPlaces(const T* x, Index place, T* most, Index* at, Index n) {
  for (Index i = 0; i < n; ++i) {
    most[i] = x[i];
    at[i] = place + i;
  }
}
template <class T>
void PoolLargerPlaces(const T* x, Index place, T* most, Index* at, Index n) {
  for (Index i = 0; i < n; ++i) {
    if (most[i] < x[i]) {
      most[i] = x[i];
      at[i] = place + i;
    }
  }
}

// Integers wrap around.
template <class T>
TENON_HD T PoolSum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
  } else {
    return a + b;
  }
}

}  // namespace detail

// most [batch, out_rows, out_columns, depth], and for each of its elements where in its image (row, column, channel in
// one number) it was found: the first of equal ones, counted by rows; a NaN only where it comes first. The lowest
// number and kNoPlace where there is nothing but padding.
template <class T>
Status MaxPoolPlaces(Cpu& device, const PoolGeometry& g, const T* input, T* most, Index* places) {
  const double ns = (std::is_arithmetic_v<T> ? 1.0 : 4.0) * static_cast<double>(g.rows.size) *
                    static_cast<double>(g.columns.size) * static_cast<double>(g.depth * g.columns.output);
  ParallelFor(device, g.batch * g.rows.output, ns, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const T* const image = input + i / g.rows.output * g.rows.input * g.columns.input * g.depth;
      Index top, bottom, left, right;
      detail::ClipWindow(g.rows, i % g.rows.output, &top, &bottom);
      for (Index column = 0; column < g.columns.output; ++column) {
        detail::ClipWindow(g.columns, column, &left, &right);
        T* const out = most + (i * g.columns.output + column) * g.depth;
        Index* const at = places + (i * g.columns.output + column) * g.depth;
        if (top == bottom || left == right) {
          for (Index d = 0; d < g.depth; ++d) {
            out[d] = std::numeric_limits<T>::lowest();
            at[d] = kNoPlace;
          }
        }
        for (Index r = top; r < bottom; ++r) {
          for (Index c = left; c < right; ++c) {
            const Index place = (r * g.columns.input + c) * g.depth;
            if (r == top && c == left)
              detail::PoolFirstPlaces(image + place, place, out, at, g.depth);
            else
              detail::PoolLargerPlaces(image + place, place, out, at, g.depth);
          }
        }
      }
    }
  });
  return OkStatus();
}

// output[n][places[n][i]] += grad[n][i], from zeros: `image` elements of output and `count` of grad for each of
// `batch`. Places are in [0, image) or kNoPlace.
template <class T>
void AddAtPlaces(Cpu& device, Index batch, Index count, Index image, const T* grad, const Index* places, T* output) {
  ParallelFor(device, batch, 2.0 * static_cast<double>(count + image), [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      T* const out = output + n * image;
      for (Index i = 0; i < image; ++i) out[i] = T(0);
      for (Index i = n * count; i < (n + 1) * count; ++i)
        if (places[i] != kNoPlace) out[places[i]] = detail::PoolSum(out[places[i]], grad[i]);
    }
  });
}

#if TENON_DETAIL_LANES
namespace detail {

// `count` windows, `step` elements apart: `rows` by `columns` pixels of `depth` elements, where rows of the image have
// `row_step` elements. `alone`: no other window has these pixels, and `out` is overwritten.
struct PoolGradientWindows {
  const float *x, *grad;
  float* out;
  Index rows, columns, row_step, depth;
  Index count, step;
  bool alone;
};
// Adds `grad` where the first of the largest elements is. Taps are counted in floats, in which they are exact.
template <class L, class Access>
TENON_HD void AddAtLargest(const PoolGradientWindows& w, Index d, const Access& at) {
  L most = at.Load(w.x + d), tap = L::Zero(), number = L::Zero();
  for (Index r = 0; r < w.rows; ++r) {
    for (Index c = r == 0 ? 1 : 0; c < w.columns; ++c) {
      const L x = at.Load(w.x + r * w.row_step + c * w.depth + d);
      number = number + L(1.0f);
      const auto larger = most < x;
      most = Select(larger, x, most);
      tap = Select(larger, number, tap);
    }
  }
  const L grad = at.Load(w.grad + d);
  number = L::Zero();
  for (Index r = 0; r < w.rows; ++r) {
    for (Index c = 0; c < w.columns; ++c, number = number + L(1.0f)) {
      float* const out = w.out + r * w.row_step + c * w.depth + d;
      at.Store(out, at.Load(out) + Select(tap == number, grad, L::Zero()));
    }
  }
}
// Does so for two by two pixels that no other window has: all four at once.
template <class L, class Access>
TENON_HD void PutAtLargestOfFour(const PoolGradientWindows& w, Index d, const Access& at) {
  const Index places[] = {d, w.depth + d, w.row_step + d, w.row_step + w.depth + d};
  const L zero = L::Zero(), first = at.Load(w.x + places[0]), second = at.Load(w.x + places[1]),
          third = at.Load(w.x + places[2]), fourth = at.Load(w.x + places[3]);
  const auto second_larger = first < second;
  L most = Select(second_larger, second, first);
  const auto third_larger = most < third;
  most = Select(third_larger, third, most);
  const auto fourth_larger = most < fourth;
  L grad = zero + at.Load(w.grad + d);  // -0 becomes 0, as in a sum
  at.Store(w.out + places[3], Select(fourth_larger, grad, zero));
  grad = Select(fourth_larger, zero, grad);
  at.Store(w.out + places[2], Select(third_larger, grad, zero));
  grad = Select(third_larger, zero, grad);
  at.Store(w.out + places[1], Select(second_larger, grad, zero));
  at.Store(w.out + places[0], Select(second_larger, zero, grad));
}
struct PoolGradientBody {
  template <int bytes>
  TENON_HD static void Run(const PoolGradientWindows* all) {
    using L = simd::Lanes<float, bytes>;
    PoolGradientWindows w = *all;
    const bool four = w.alone && w.rows == 2 && w.columns == 2;
    for (Index i = 0; i < w.count; ++i, w.x += w.step, w.out += w.step, w.grad += w.depth) {
      Index d = 0;
      for (; d + L::size <= w.depth; d += L::size) RunAt<L>(four, w, d, simd::AllLanes<L>());
      if (d < w.depth) RunAt<L>(four, w, d, simd::FirstLanes<L>{static_cast<std::size_t>(w.depth - d)});
    }
  }
  template <class L, class Access>
  TENON_HD static void RunAt(bool four, const PoolGradientWindows& w, Index d, const Access& at) {
    if (four)
      PutAtLargestOfFour<L>(w, d, at);
    else
      AddAtLargest<L>(w, d, at);
  }
};

// MaxPoolGradient of float, without places.
inline void MaxPoolGradientByLanes(Cpu& device, const PoolGeometry& g, const float* input, const float* grad,
                                   float* output) {
  const Index image = g.rows.input * g.columns.input * g.depth, row_step = g.columns.input * g.depth;
  const auto run = simd::detail::ForLevels<PoolGradientBody, simd::Compiled, const PoolGradientWindows*>::Best();
  // Windows of two by two that do not overlap overwrite their pixels, and others need zeros to add to.
  const auto alone = [](const Window& w) { return w.stride >= w.size && w.size == 2 && w.dilation == 1; };
  const auto covers = [](const Window& w) {
    return w.stride == w.size && w.output * w.stride - w.pad_before >= w.input;
  };
  const bool four = alone(g.rows) && alone(g.columns) && g.rows.pad_before == 0 && g.columns.pad_before == 0,
             zeros =
                 !four || !covers(g.rows) || !covers(g.columns) || g.rows.input % 2 != 0 || g.columns.input % 2 != 0;
  ParallelFor(device, g.batch, 1.0 * static_cast<double>(image), [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      float* const out = output + n * image;
      if (zeros) std::fill_n(out, image, 0.0f);
      const float* gradient = grad + n * g.rows.output * g.columns.output * g.depth;
      for (Index row = 0; row < g.rows.output; ++row) {
        Index top, bottom, left, right;
        ClipWindow(g.rows, row, &top, &bottom);
        for (Index column = 0, count = 1; column < g.columns.output; column += count, gradient += count * g.depth) {
          ClipWindow(g.columns, column, &left, &right);
          count = 1;
          if (top >= bottom || left >= right) continue;
          // Windows of whole width run together.
          if (right - left == g.columns.size)
            count = std::min(g.columns.output - column, (g.columns.input - right) / g.columns.stride + 1);
          const Index corner = top * row_step + left * g.depth;
          const PoolGradientWindows windows{
              input + n * image + corner, gradient, out + corner, bottom - top, right - left, row_step, g.depth, count,
              g.columns.stride * g.depth, four};
          run(&windows);
        }
      }
    }
  });
}

}  // namespace detail
#endif

// Whether MaxPoolGradient on the CPU needs its scratch memory for this type.
constexpr bool MaxPoolGradientNeedsPlaces(DataType type) { return !TENON_DETAIL_LANES || type != DataType::kFloat; }

// The gradient of MaxPool: each element of `grad` where the largest of its window is. Overwrites `output`, which has
// the input's shape. `most` and `places` are scratch memory of the shape of grad, where it is needed.
template <class T>
Status MaxPoolGradient(Cpu& device, const PoolGeometry& g, const T* input, const T* grad, T* most, Index* places,
                       T* output) {
#if TENON_DETAIL_LANES
  if constexpr (std::is_same_v<T, float>) {
    detail::MaxPoolGradientByLanes(device, g, input, grad, output);
    return OkStatus();
  }
#endif
  TENON_RETURN_IF_ERROR(MaxPoolPlaces(device, g, input, most, places));
  AddAtPlaces(device, g.batch, g.rows.output * g.columns.output * g.depth, g.rows.input * g.columns.input * g.depth,
              grad, places, output);
  return OkStatus();
}

// Writes positions, `count` for each of `batch` images of `image` elements, as int32 or int64. With `in_batch` they
// count the whole batch.
inline Status WritePlaces(Cpu&, const Index* places, Index batch, Index count, Index image, bool in_batch,
                          DataType dtype, void* out) {
  for (Index i = 0; i < batch * count; ++i) {
    const Index place = places[i] == kNoPlace || !in_batch ? places[i] : places[i] + i / count * image;
    if (dtype == DataType::kInt32)
      static_cast<std::int32_t*>(out)[i] = static_cast<std::int32_t>(place);
    else
      static_cast<std::int64_t*>(out)[i] = place;
  }
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
