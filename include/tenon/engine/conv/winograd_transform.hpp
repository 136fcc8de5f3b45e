// SPDX-License-Identifier: Apache-2.0
#pragma once
// The transforms of Winograd's convolution with windows of 3 x 3: of a filter, of the input of a tile of 4 x 4 output
// pixels, and of the products back to pixels; and the reverse of the first and of the last for gradients. Vectors run
// along the channels. The points are 0, +-sqrt(1/2), +-sqrt(2) and infinity: with 0, +-1, +-2 and infinity the numbers
// would grow further, and so would their errors.

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/gemm/microkernel.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Output pixels along a side of a tile, input pixels along it, and products of a pair of channels in a tile.
inline constexpr int kWinogradTile = 4, kWinogradSide = kWinogradTile + 2,
                     kWinogradPoints = kWinogradSide * kWinogradSide;

// Their squares are 1/2 and 2.
inline constexpr double kWinogradA = 0.70710678118654752440, kWinogradB = 1.41421356237309504880;
// A row of a filter, three numbers, at each point: divided so that the other two transforms do not divide.
inline constexpr double kWinogradFilterRows[kWinogradSide][3] = {{1, 0, 0},
                                                                 {-2. / 3, -2. / 3 * kWinogradA, -1. / 3},
                                                                 {-2. / 3, 2. / 3 * kWinogradA, -1. / 3},
                                                                 {1. / 6, 1. / 6 * kWinogradB, 1. / 3},
                                                                 {1. / 6, -1. / 6 * kWinogradB, 1. / 3},
                                                                 {0, 0, 1}};

// The filter of one input channel: from[(3 i + j) * step + c] to to[point][c], c < channels <= kWinogradColumns.
inline constexpr int kWinogradColumns = 64;
TENON_DETAIL_LOOPS_BEGIN
TENON_DETAIL_LOOP inline void TransformWinogradFilter(const float* from, Index step, Index channels,
                                                      float (*to)[kWinogradColumns]) {
  constexpr int n = kWinogradSide;
  double part[3][kWinogradColumns];
  for (int i = 0; i < n; ++i) {
    const double* const g = kWinogradFilterRows[i];
    const double g0 = g[0], g1 = g[1], g2 = g[2];
    for (int j = 0; j < 3; ++j) {
      const float* const x = from + j * step;
      double* const y = part[j];
      TENON_DETAIL_INDEPENDENT
      for (Index c = 0; c < channels; ++c)
        y[c] = g0 * static_cast<double>(x[c]) + g1 * static_cast<double>(x[3 * step + c]) +
               g2 * static_cast<double>(x[6 * step + c]);
    }
    for (int j = 0; j < n; ++j) {
      const double* const h = kWinogradFilterRows[j];
      const double h0 = h[0], h1 = h[1], h2 = h[2];
      float* const y = to[i * n + j];
      TENON_DETAIL_INDEPENDENT
      for (Index c = 0; c < channels; ++c)
        y[c] = static_cast<float>(h0 * part[0][c] + h1 * part[1][c] + h2 * part[2][c]);
    }
  }
}

// The reverse for the gradients of the filter of one input channel: point p of channel c is from[p * step + c], tap
// 3 i + j of the filter begins at to + (3 i + j) * to_step.
TENON_DETAIL_LOOP inline void WinogradFilterGradient(const float* from, Index step, Index channels, float* to,
                                                     Index to_step) {
  constexpr int n = kWinogradSide;
  float part[3][n][kWinogradColumns];
  for (int i = 0; i < n; ++i) {
    const float* const x = from + i * n * step;
    for (int j = 0; j < 3; ++j) {
      float h[n];
      for (int q = 0; q < n; ++q) h[q] = static_cast<float>(kWinogradFilterRows[q][j]);
      float* const y = part[j][i];
      TENON_DETAIL_INDEPENDENT
      for (Index c = 0; c < channels; ++c)
        y[c] = (h[0] * x[c] + h[5] * x[5 * step + c]) + (h[1] * x[step + c] + h[2] * x[2 * step + c]) +
               (h[3] * x[3 * step + c] + h[4] * x[4 * step + c]);
    }
  }
  for (int i = 0; i < 3; ++i) {
    float g[n];
    for (int q = 0; q < n; ++q) g[q] = static_cast<float>(kWinogradFilterRows[q][i]);
    for (int j = 0; j < 3; ++j) {
      const auto& x = part[j];
      float* const y = to + (3 * i + j) * to_step;
      TENON_DETAIL_INDEPENDENT
      for (Index c = 0; c < channels; ++c)
        y[c] =
            (g[0] * x[0][c] + g[5] * x[5][c]) + (g[1] * x[1][c] + g[2] * x[2][c]) + (g[3] * x[3][c] + g[4] * x[4][c]);
    }
  }
}
TENON_DETAIL_LOOPS_END

#if !defined(__NVCC__) && defined(__GNUC__)  // vectors are for the host's compiler

// One row or column of a tile: y[0], y[step], ... are the input at the points.
struct WinogradInputLine {
  static constexpr int kSide = kWinogradSide;
  template <class V>
  TENON_HD static void Run(const V (&d)[kSide], V* y, int step) {
    constexpr auto a = static_cast<float>(kWinogradA), b = static_cast<float>(kWinogradB);
    const V even_a = d[4] - 2.f * d[2], odd_a = d[3] - 2.f * d[1];
    const V even_b = d[4] - 0.5f * d[2], odd_b = d[3] - 0.5f * d[1];
    y[0] = d[0] + (d[4] - 2.5f * d[2]);
    y[step] = even_a + a * odd_a;
    y[2 * step] = even_a - a * odd_a;
    y[3 * step] = even_b + b * odd_b;
    y[4 * step] = even_b - b * odd_b;
    y[5 * step] = d[1] + (d[5] - 2.5f * d[3]);
  }
};
// The reverse of WinogradOutputLine(): y[0], y[step], ... are the gradients of the products, from those of four pixels.
struct WinogradGradientLine {
  static constexpr int kSide = kWinogradTile;
  template <class V>
  TENON_HD static void Run(const V (&d)[kSide], V* y, int step) {
    constexpr auto a = static_cast<float>(kWinogradA), b = static_cast<float>(kWinogradB);
    const V even_a = d[0] + 0.5f * d[2], odd_a = a * (d[1] + 0.5f * d[3]);
    const V even_b = d[0] + 2.f * d[2], odd_b = b * (d[1] + 2.f * d[3]);
    y[0] = d[0];
    y[step] = even_a + odd_a;
    y[2 * step] = even_a - odd_a;
    y[3 * step] = even_b + odd_b;
    y[4 * step] = even_b - odd_b;
    y[5 * step] = d[3];
  }
};
// One row or column of products: y[0], y[step], ... are pixels.
template <class V>
TENON_HD void WinogradOutputLine(const V (&p)[kWinogradSide], V* y, int step) {
  constexpr auto a = static_cast<float>(kWinogradA), b = static_cast<float>(kWinogradB);
  const V even_a = p[1] + p[2], odd_a = p[1] - p[2], even_b = p[3] + p[4], odd_b = p[3] - p[4];
  y[0] = p[0] + (even_a + even_b);
  y[step] = a * odd_a + b * odd_b;
  y[2 * step] = 0.5f * even_a + 2.f * even_b;
  y[3 * step] = p[5] + ((0.5f * a) * odd_a + (2.f * b) * odd_b);
}

// to[point * step + c] for c < channels, four at least: from a tile's input, or from the gradients of its pixels, of
// Line::kSide rows and columns; pixel [i, j] begins at from[i * kSide + j].
template <class Line>
struct WinogradPointsBody {
  template <int bytes>
  TENON_HD static void At(const float* const* from, Index c, float* to, Index step) {
    using V = typename GnuVector<float, bytes>::type;
    using InMemory = typename GnuVector<float, bytes>::in_memory;
    constexpr int n = kWinogradSide, m = Line::kSide;
    V lines[n * m];
#pragma GCC unroll 6
    for (int j = 0; j < m; ++j) {
      V d[m];
#pragma GCC unroll 6
      for (int i = 0; i < m; ++i) d[i] = *reinterpret_cast<const InMemory*>(from[i * m + j] + c);
      Line::Run(d, lines + j, m);
    }
#pragma GCC unroll 6
    for (int i = 0; i < n; ++i) {
      V d[m], y[n];
#pragma GCC unroll 6
      for (int j = 0; j < m; ++j) d[j] = lines[i * m + j];
      Line::Run(d, y, 1);
#pragma GCC unroll 6
      for (int j = 0; j < n; ++j) *reinterpret_cast<InMemory*>(to + (i * n + j) * step + c) = y[j];
    }
  }
  template <int bytes>
  TENON_HD static void Run(const float* const* from, Index channels, float* to, Index step) {
    constexpr int kLanes = GnuVector<float, bytes>::lanes;
    if (channels < kLanes) {
      if constexpr (bytes > 16) Run<16>(from, channels, to, step);
      return;
    }
    for (Index c = 0; c < channels; c += kLanes)  // the last vector may do some channels once more
      At<bytes>(from, c + kLanes <= channels ? c : channels - kLanes, to, step);
  }
};
using WinogradInputBody = WinogradPointsBody<WinogradInputLine>;
using WinogradGradientBody = WinogradPointsBody<WinogradGradientLine>;

// A tile's pixels: pixel [i, j] begins at to[4 i + j], point p of channel c is from[p * step + c].
struct WinogradOutputBody {
  template <int bytes>
  TENON_HD static void At(const float* from, Index step, Index c, float* const* to) {
    using V = typename GnuVector<float, bytes>::type;
    using InMemory = typename GnuVector<float, bytes>::in_memory;
    constexpr int n = kWinogradSide, m = kWinogradTile;
    V lines[m * n];
#pragma GCC unroll 6
    for (int j = 0; j < n; ++j) {
      V p[n];
#pragma GCC unroll 6
      for (int i = 0; i < n; ++i) p[i] = *reinterpret_cast<const InMemory*>(from + (i * n + j) * step + c);
      WinogradOutputLine(p, lines + j, n);
    }
#pragma GCC unroll 6
    for (int i = 0; i < m; ++i) {
      V p[n], y[m];
#pragma GCC unroll 6
      for (int j = 0; j < n; ++j) p[j] = lines[i * n + j];
      WinogradOutputLine(p, y, 1);
#pragma GCC unroll 6
      for (int j = 0; j < m; ++j) *reinterpret_cast<InMemory*>(to[i * m + j] + c) = y[j];
    }
  }
  template <int bytes>
  TENON_HD static void Run(const float* from, Index step, Index channels, float* const* to) {
    constexpr int kLanes = GnuVector<float, bytes>::lanes;
    if (channels < kLanes) {
      if constexpr (bytes > 16) Run<16>(from, step, channels, to);
      return;
    }
    for (Index c = 0; c < channels; c += kLanes)
      At<bytes>(from, step, c + kLanes <= channels ? c : channels - kLanes, to);
  }
};

// Both transforms of one instruction set.
struct WinogradKernels {
  void (*input)(const float* const* from, Index channels, float* to, Index step);
  void (*output)(const float* from, Index step, Index channels, float* const* to);
};
// Returns the best that this processor can run.
template <class Isa = simd::Compiled>
WinogradKernels WinogradKernelsOf() {
#if TENON_DETAIL_LANES
  using Input = simd::detail::ForLevels<WinogradInputBody, Isa, const float* const*, Index, float*, Index>;
  using Output = simd::detail::ForLevels<WinogradOutputBody, Isa, const float*, Index, Index, float* const*>;
  return {Input::Best(), Output::Best()};
#else
  return {&WinogradInputBody::Run<16>, &WinogradOutputBody::Run<16>};
#endif
}

// Returns the transform of gradients by the unit's instruction set, or by AVX2 where the processor has it.
template <class Isa = simd::Compiled>
auto WinogradGradientKernelOf() -> void (*)(const float* const* from, Index channels, float* to, Index step) {
#if TENON_DETAIL_LANES
  using Levels = simd::detail::ForLevels<WinogradGradientBody, Isa, const float* const*, Index, float*, Index>;
#if TENON_DETAIL_TARGETS  // no function for AVX-512, which would be 3 KB in each program
  if constexpr (simd::kVectorBytes<Isa> < 32) {
    if (simd::BestLevel() >= simd::Level::kAvx2) return &Levels::Avx2;
  }
#endif
  return &Levels::Unit;
#else
  return &WinogradGradientBody::Run<16>;
#endif
}

#endif

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
