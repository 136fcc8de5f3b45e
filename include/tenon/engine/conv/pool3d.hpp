// SPDX-License-Identifier: Apache-2.0
#pragma once
// MaxPool3D, AvgPool3D and their gradients on the CPU: NDHWC, of float. Only elements of the volume count.

#include <algorithm>
#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/avg_pool.hpp>
#include <tenon/engine/conv/max_pool.hpp>
#include <tenon/engine/core/window_dim.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct Pool3DGeometry {
  Index batch = 0;
  Window planes, rows, columns;
  Index depth = 0;

  Index volume() const {
    return MultiplySizes(MultiplySizes(planes.input, rows.input), MultiplySizes(columns.input, depth));
  }
  Index places() const { return MultiplySizes(MultiplySizes(planes.output, rows.output), columns.output); }
};

namespace detail {

// Calls body(first element of a pixel) for all pixels of the window at a place of one volume, by planes and rows; the
// number of pixels is returned.
template <class Body>
Index ForWindow3D(const Pool3DGeometry& g, Index place, const Body& body) {
  Index front, back, top, bottom, left, right;
  ClipWindow(g.planes, place / g.columns.output / g.rows.output, &front, &back);
  ClipWindow(g.rows, place / g.columns.output % g.rows.output, &top, &bottom);
  ClipWindow(g.columns, place % g.columns.output, &left, &right);
  for (Index z = front; z < back; ++z)
    for (Index y = top; y < bottom; ++y)
      for (Index x = left; x < right; ++x) body(((z * g.rows.input + y) * g.columns.input + x) * g.depth);
  return (back - front) * (bottom - top) * (right - left);
}

inline double Pool3DNs(const Pool3DGeometry& g) {
  return 0.3 * static_cast<double>(g.planes.size) * static_cast<double>(g.rows.size) *
         static_cast<double>(g.columns.size) * static_cast<double>(g.depth);
}

}  // namespace detail

// Of NaN and another number the later one counts as larger, as in TensorFlow.
// input [batch, planes, rows, columns, depth] -> output [batch, out_planes, out_rows, out_columns, depth].
inline void Pool3D(Cpu& device, const Pool3DGeometry& g, bool average, const float* input, float* output) {
  if (g.depth == 0) return;
  ParallelFor(device, g.batch * g.places(), detail::Pool3DNs(g), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const float* const volume = input + i / g.places() * g.volume();
      float* const out = output + i * g.depth;
      std::fill_n(out, g.depth, average ? 0.0f : -std::numeric_limits<float>::infinity());
      const Index n = detail::ForWindow3D(g, i % g.places(), [&](Index at) {
        if (average)
          detail::PoolAddRun(volume + at, out, g.depth);
        else
          for (Index d = 0; d < g.depth; ++d) out[d] = out[d] > volume[at + d] ? out[d] : volume[at + d];
      });
      if (average) detail::PoolDivideRun(static_cast<float>(n), out, g.depth);
    }
  });
}

// The gradient of the average: shared out evenly to the window. Overwrites `output`, which has the input's shape.
inline void AvgPool3DGrad(Cpu& device, const Pool3DGeometry& g, const float* gradient, float* output) {
  if (g.volume() == 0) return;
  const double ns = detail::Pool3DNs(g) * static_cast<double>(g.places());
  ParallelFor(device, g.batch, ns, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      float* const out = output + n * g.volume();
      std::fill_n(out, g.volume(), 0.0f);
      for (Index place = 0; place < g.places(); ++place) {
        const Index count = detail::ForWindow3D(g, place, [](Index) {});
        const float factor = 1.0f / static_cast<float>(count);
        detail::ForWindow3D(g, place, [&](Index at) {
          detail::PoolAddScaledRun(gradient + (n * g.places() + place) * g.depth, factor, out + at, g.depth);
        });
      }
    }
  });
}

// The gradient of the largest: every element of the window that is equal to the window's output gets all of it, as in
// TensorFlow. Overwrites `result`, which has the input's shape.
inline void MaxPool3DGrad(Cpu& device, const Pool3DGeometry& g, const float* input, const float* output,
                          const float* gradient, float* result) {
  if (g.volume() == 0) return;
  const double ns = 2 * detail::Pool3DNs(g) * static_cast<double>(g.places());
  ParallelFor(device, g.batch, ns, [&](Index begin, Index end) {
    for (Index n = begin; n < end; ++n) {
      const float* const volume = input + n * g.volume();
      float* const to = result + n * g.volume();
      std::fill_n(to, g.volume(), 0.0f);
      for (Index place = 0; place < g.places(); ++place) {
        const Index first = (n * g.places() + place) * g.depth;
        detail::ForWindow3D(g, place, [&](Index at) {
          for (Index d = 0; d < g.depth; ++d)
            if (volume[at + d] == output[first + d]) to[at + d] += gradient[first + d];
        });
      }
    }
  });
}

TENON_DETAIL_NAMESPACE_END
