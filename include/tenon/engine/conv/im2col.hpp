// SPDX-License-Identifier: Apache-2.0
#pragma once
// The elements under a window, for each of its places: copied as bytes. Channels last; images have one plane.

#include <cstddef>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/core/window_dim.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// input [batch, planes, rows, columns, depth] -> [batch, out_planes, out_rows, out_columns, window * depth].
struct PatchGeometry {
  Index batch = 0;
  Window planes{.input = 1, .output = 1}, rows, columns;
  Index depth = 0;

  Index places() const { return MultiplySizes(MultiplySizes(planes.output, rows.output), columns.output); }
  Index taps() const { return planes.size * rows.size * columns.size; }
};

// Elements of `bytes` bytes; zeros outside of the input.
inline void ExtractPatches(Cpu& device, const PatchGeometry& g, Index bytes, const void* input, void* output) {
  if (g.batch == 0 || g.depth == 0) return;
  const Index pixel = g.depth * bytes, volume = g.planes.input * g.rows.input * g.columns.input * pixel;
  const auto inside = [](const Window& w, Index place, Index tap, Index* position) {
    *position = place * w.stride - w.pad_before + tap * w.dilation;
    return *position >= 0 && *position < w.input;
  };
  const double ns = static_cast<double>(g.taps()) * (2 + 0.1 * static_cast<double>(pixel));
  ParallelFor(device, g.batch * g.places(), ns, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const Index place = i % g.places();
      const char* const from = static_cast<const char*>(input) + i / g.places() * volume;
      char* to = static_cast<char*>(output) + i * g.taps() * pixel;
      for (Index tap = 0; tap < g.taps(); ++tap, to += pixel) {
        Index z = 0, y = 0, x = 0;
        if (inside(g.planes, place / g.columns.output / g.rows.output, tap / g.columns.size / g.rows.size, &z) &&
            inside(g.rows, place / g.columns.output % g.rows.output, tap / g.columns.size % g.rows.size, &y) &&
            inside(g.columns, place % g.columns.output, tap % g.columns.size, &x))
          std::memcpy(to, from + ((z * g.rows.input + y) * g.columns.input + x) * pixel,
                      static_cast<std::size_t>(pixel));
        else
          std::memset(to, 0, static_cast<std::size_t>(pixel));
      }
    }
  });
}

TENON_DETAIL_NAMESPACE_END
