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

// One window: `rows` by `columns` pixels of `depth` elements, where rows of the image have `row_step` elements.
struct PoolGradientWindow {
  const float *x, *grad;
  float* out;
  Index rows, columns, row_step, depth;
};
// Adds `grad` where the first of the largest elements is. Taps are counted in floats, in which they are exact.
template <class L, class Access>
TENON_HD void AddAtLargest(const PoolGradientWindow& w, Index d, const Access& at) {
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
struct PoolGradientBody {
  template <int bytes>
  TENON_HD static void Run(const PoolGradientWindow* w) {
    using L = simd::Lanes<float, bytes>;
    Index d = 0;
    for (; d + L::size <= w->depth; d += L::size) AddAtLargest<L>(*w, d, simd::AllLanes<L>());
    if (d < w->depth) AddAtLargest<L>(*w, d, simd::FirstLanes<L>{static_cast<std::size_t>(w->depth - d)});
  }
};

// MaxPoolGradient of float, without places.
inline void MaxPoolGradientByLanes(Cpu& device, const PoolGeometry& g, const float* input, const float* grad,
                                   float* output) {
  const Index image = g.rows.input * g.columns.input * g.depth, row_step = g.columns.input * g.depth;
  const auto run = simd::detail::ForLevels<PoolGradientBody, simd::Compiled, const PoolGradientWindow*>::Best();
  ParallelFor(device, g.batch, 1.0 * static_cast<double>(image), [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      float* const out = output + n * image;
      std::fill_n(out, image, 0.0f);
      const float* gradient = grad + n * g.rows.output * g.columns.output * g.depth;
      for (Index row = 0; row < g.rows.output; ++row) {
        Index top, bottom, left, right;
        ClipWindow(g.rows, row, &top, &bottom);
        for (Index column = 0; column < g.columns.output; ++column, gradient += g.depth) {
          ClipWindow(g.columns, column, &left, &right);
          if (top >= bottom || left >= right) continue;
          const Index corner = top * row_step + left * g.depth;
          const PoolGradientWindow window{
              input + n * image + corner, gradient, out + corner, bottom - top, right - left, row_step, g.depth};
          run(&window);
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
