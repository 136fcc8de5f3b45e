// SPDX-License-Identifier: Apache-2.0
#pragma once
// MaxPool with the places of the largest values, and gradients that go back to these places. NHWC, over rows and
// columns.

#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/avg_pool.hpp>
#include <tenon/engine/conv/max_pool.hpp>

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
T PoolSum(T a, T b) {
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
void MaxPoolPlaces(Cpu& device, const PoolGeometry& g, const T* input, T* most, Index* places) {
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

TENON_DETAIL_NAMESPACE_END
