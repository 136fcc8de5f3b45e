// SPDX-License-Identifier: Apache-2.0
#pragma once
// The innermost part of a convolution: six output pixels by a few vectors of channels are summed up in registers while
// the pixels' windows, read where they lie, and a packed panel of the filter go by. It is the tile of a matrix product
// (engine/gemm/microkernel.hpp) whose rows are found through pointers. Floating-point numbers are multiplied by the
// unit's instruction set, and on x86-64 by those above it, picked while running; integers by plain loops.

#include <cstdint>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/gemm/microkernel.hpp>
#include <tenon/engine/simd/isa.hpp>

#if !defined(__NVCC__)  // vectors are for the host's compiler

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline constexpr int kConvPixels = 6;  // pixels of a tile
inline constexpr int kConvRowPixels = 2 * kConvPixels;  // pixels of a tile of a row

// Where the elements of a pixel's window lie, seen from its first: `rows` times `pieces` runs of `length`.
struct ConvWindow {
  Index rows, row_step;
  Index pieces, piece_step;
  Index length;
};

// out[i * out_step + j] = window of pixel i times channel j of a panel, or that added to it, for six pixels. The
// windows begin `offset` elements behind the pixels; the panel has a row for each of their elements.
template <class C>
struct ConvTile {
  ConvWindow window;
  const C* const* pixels;
  Index offset;
  const C* panel;
  C* out;
  Index out_step;
  bool add;
  const char* ahead;  // data to prefetch into the second cache: one line at each step
  Index ahead_step;  // in bytes
  Index pixel_step = 0;  // in a tile of a row, elements from pixel to pixel; in a tile of places, from place to place
  Index panel_step = 0;  // in a tile of places, elements from row to row of the panel
};

// Kernels of one instruction set for numbers of type C.
template <class C>
struct ConvKernels {
  Index lanes;  // elements of a vector
  Index width;  // vectors of the widest tile
  void (*tile[4])(const ConvTile<C>&);  // one vector wide, two, ... `width`
  // A tile of kConvRowPixels pixels that are equally far apart, one vector wide, with the bits of two others. It
  // overwrites `out` and prefetches nothing. Null for integers.
  void (*row)(const ConvTile<C>&) = nullptr;
  // Tiles of the filter's gradient, one vector wide, two, ...: the window's elements are places of the output, and
  // `pixels` points to elements of the filter's window at the first of them. They prefetch nothing. Null for integers.
  void (*places[4])(const ConvTile<C>&) = {};
};

#if defined(__GNUC__)

// Integers one by one.
template <class C, int bytes>
struct ConvVector : GnuVector<C, bytes> {};
template <class C, int bytes>
  requires(std::is_integral_v<C>)
struct ConvVector<C, bytes> {
  using type = C;
  using in_memory = C;
  static constexpr int lanes = 1;
};

// `places`: of a tile of places.
template <class C, int bytes, int width, bool places>
TENON_HD void MultiplyWindows(const ConvTile<C>& t) {
  using V = typename ConvVector<C, bytes>::type;
  using InMemory = typename ConvVector<C, bytes>::in_memory;
  constexpr int kLanes = ConvVector<C, bytes>::lanes;
  const C* panel = t.panel;
  const Index panel_step = places ? t.panel_step : Index{width * kLanes}, step = places ? t.pixel_step : 1;
  const char* ahead = t.ahead;
  const Index ahead_step = t.ahead_step, length = t.window.length;
  V sums[kConvPixels][width];
#pragma GCC unroll 6
  for (int i = 0; i < kConvPixels; ++i) {
    __builtin_prefetch(t.out + i * t.out_step);
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) sums[i][v] = V{};
  }
  for (Index row = 0; row < t.window.rows; ++row) {
    for (Index piece = 0; piece < t.window.pieces; ++piece) {
      const Index place = t.offset + row * t.window.row_step + piece * t.window.piece_step;
      const C* from[kConvPixels];
#pragma GCC unroll 6
      for (int i = 0; i < kConvPixels; ++i) from[i] = t.pixels[i] + place;
      Index at = 0;
      for (Index p = 0; p < length; ++p, panel += panel_step, at += step) {
        if constexpr (!places) {
          __builtin_prefetch(ahead, 0, 2);
          ahead += ahead_step;
        }
        V y[width];
#pragma GCC unroll 4
        for (int v = 0; v < width; ++v) y[v] = *reinterpret_cast<const InMemory*>(panel + v * kLanes);
#pragma GCC unroll 6
        for (int i = 0; i < kConvPixels; ++i) {
          const C x = from[i][at];
#pragma GCC unroll 4
          for (int v = 0; v < width; ++v) sums[i][v] = static_cast<V>(sums[i][v] + x * y[v]);
        }
      }
    }
  }
  C* out = t.out;
  const Index out_step = t.out_step;
  const bool add = t.add;
#pragma GCC unroll 6
  for (int i = 0; i < kConvPixels; ++i, out += out_step) {
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) {
      InMemory* const to = reinterpret_cast<InMemory*>(out + v * kLanes);
      *to = add ? static_cast<V>(sums[i][v] + *to) : sums[i][v];
    }
  }
}

// Six pixels by one vector leave registers empty, and their sums wait for each other. More pixels have no registers for
// their addresses, unless these are sums of few: of the first, and of products of the distance.
template <class C, int bytes>
TENON_HD void MultiplyRow(const ConvTile<C>& t) {
  using V = typename ConvVector<C, bytes>::type;
  using InMemory = typename ConvVector<C, bytes>::in_memory;
  constexpr Index kSize = sizeof(C);
  Index steps[6];  // 1, 3, 5, 7, 9 and 11 times the distance
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    steps[i] = (2 * i + 1) * t.pixel_step * kSize;
    asm("" : "+r"(steps[i]));  // or each pixel gets an address of its own
  }
  const C* panel = t.panel;
  V sums[kConvRowPixels];
#pragma GCC unroll 12
  for (int i = 0; i < kConvRowPixels; ++i) sums[i] = V{};
  for (Index row = 0; row < t.window.rows; ++row) {
    for (Index piece = 0; piece < t.window.pieces; ++piece) {
      const Index place = t.offset + row * t.window.row_step + piece * t.window.piece_step;
      const char* from = reinterpret_cast<const char*>(t.pixels[0] + place);
      const char* const end = from + t.window.length * kSize;
      for (; from != end; from += kSize, panel += ConvVector<C, bytes>::lanes) {
        asm("" : "+r"(from));
        const V y = *reinterpret_cast<const InMemory*>(panel);
#pragma GCC unroll 12
        for (int i = 0; i < kConvRowPixels; ++i) {
          const int shift = i == 0 ? 0 : i % 8 == 0 ? 3 : i % 4 == 0 ? 2 : i % 2 == 0 ? 1 : 0;
          const Index distance = i == 0 ? 0 : steps[(i >> shift) / 2] * (1 << shift);
          sums[i] = static_cast<V>(sums[i] + *reinterpret_cast<const C*>(from + distance) * y);
        }
      }
    }
  }
  C* out = t.out;
#pragma GCC unroll 12
  for (int i = 0; i < kConvRowPixels; ++i, out += t.out_step) *reinterpret_cast<InMemory*>(out) = sums[i];
}

// The bodies as functions of an instruction set.
template <class C, class Isa>
struct ConvTileOf {
  template <int width>
  static void Multiply(const ConvTile<C>& t) {
    MultiplyWindows<C, simd::kVectorBytes<Isa>, width, false>(t);
  }
  template <int width>
  static void Places(const ConvTile<C>& t) {
    MultiplyWindows<C, simd::kVectorBytes<Isa>, width, true>(t);
  }
  static void Row(const ConvTile<C>& t) { MultiplyRow<C, simd::kVectorBytes<Isa>>(t); }
};
#if TENON_DETAIL_TARGETS
template <class C>
struct ConvTileOf<C, simd::Targeted<simd::isa::Avx2>> {
  template <int width>
  TENON_DETAIL_TARGET_AVX2 static void Multiply(const ConvTile<C>& t) {
    MultiplyWindows<C, 32, width, false>(t);
  }
  template <int width>
  TENON_DETAIL_TARGET_AVX2 static void Places(const ConvTile<C>& t) {
    MultiplyWindows<C, 32, width, true>(t);
  }
  TENON_DETAIL_TARGET_AVX2 static void Row(const ConvTile<C>& t) { MultiplyRow<C, 32>(t); }
};
template <class C>
struct ConvTileOf<C, simd::Targeted<simd::isa::Avx512>> {
  template <int width>
  TENON_DETAIL_TARGET_AVX512 static void Multiply(const ConvTile<C>& t) {
    MultiplyWindows<C, 64, width, false>(t);
  }
  template <int width>
  TENON_DETAIL_TARGET_AVX512 static void Places(const ConvTile<C>& t) {
    MultiplyWindows<C, 64, width, true>(t);
  }
  TENON_DETAIL_TARGET_AVX512 static void Row(const ConvTile<C>& t) { MultiplyRow<C, 64>(t); }
};
#endif

template <class C, class Isa>
constexpr ConvKernels<C> MakeConvKernels() {
  using Of = ConvTileOf<C, Isa>;
  ConvKernels<C> kernels{ConvVector<C, simd::kVectorBytes<Isa>>::lanes,
                         kGemmWidth<Isa>,
                         {&Of::template Multiply<1>, &Of::template Multiply<2>}};
  if constexpr (kGemmWidth<Isa> == 4) {
    kernels.tile[2] = &Of::template Multiply<3>;
    kernels.tile[3] = &Of::template Multiply<4>;
  }
  if constexpr (std::is_floating_point_v<C>) {
    kernels.row = &Of::Row;
    kernels.places[0] = &Of::template Places<1>;
    kernels.places[1] = &Of::template Places<2>;
    if constexpr (kGemmWidth<Isa> == 4) {
      kernels.places[2] = &Of::template Places<3>;
      kernels.places[3] = &Of::template Places<4>;
    }
  }
  return kernels;
}
template <class C, class Isa>
inline constexpr ConvKernels<C> kConvKernels = MakeConvKernels<C, Isa>();

// Returns the best kernels that this processor can run.
template <class C, class Isa = simd::Compiled>
const ConvKernels<C>& ConvKernelsOf() {
#if TENON_DETAIL_TARGETS
  if constexpr (std::is_floating_point_v<C> && !std::is_same_v<Isa, simd::isa::Avx512>) {
    const simd::Level level = simd::BestLevel();
    if (level == simd::Level::kAvx512) return kConvKernels<C, simd::Targeted<simd::isa::Avx512>>;
    if constexpr (!std::is_same_v<Isa, simd::isa::Avx2>) {
      if (level == simd::Level::kAvx2) return kConvKernels<C, simd::Targeted<simd::isa::Avx2>>;
    }
  }
#endif
  return kConvKernels<C, Isa>;
}
// Returns those for so many output channels: where these fill at most half of a vector of AVX-512, vectors of AVX2.
template <class C, class Isa = simd::Compiled>
const ConvKernels<C>& ConvKernelsOf(Index channels) {
  if constexpr (std::is_floating_point_v<C>) {
    constexpr Index kHalf = 32 / Index{sizeof(C)};
#if TENON_DETAIL_TARGETS
    if constexpr (!std::is_same_v<Isa, simd::isa::Avx512>) {
      if (channels <= kHalf && ConvKernelsOf<C, Isa>().lanes > kHalf)
        return kConvKernels<C, simd::Targeted<simd::isa::Avx2>>;
    }
#endif
    if constexpr (std::is_same_v<Isa, simd::isa::Avx512>) {
      if (channels <= kHalf) return kConvKernels<C, simd::isa::Avx2>;
    }
  }
  return ConvKernelsOf<C, Isa>();
}

#endif

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

#endif  // !__NVCC__
