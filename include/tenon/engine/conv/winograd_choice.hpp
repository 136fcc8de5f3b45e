// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which convolutions Winograd's algorithm is faster for: a model of its time, whose numbers were measured.

#include <cstdint>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/engine/conv/conv_geometry.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// How a convolution computes: directly; by Winograd's algorithm where that is possible; or as the size of its images
// makes it faster.
enum class ConvAlgorithm : std::uint8_t { kDirect, kBySize, kWinograd };

namespace detail {

// The optimizer's mark of a convolution whose sums may be in any order: a bool.
inline constexpr std::string_view kMayReassociateAttr = "_may_reassociate";
// With that mark, "winograd": Winograd's algorithm for images of any size.
inline constexpr std::string_view kAlgorithmAttr = "_algorithm";

// A tile of 4 x 4 pixels takes 36 products of each pair of channels, and each channel in or out takes about the time of
// nine such sets of products. Blocks have four tiles at least. The direct convolution takes nine products for each
// pixel and pair. Measured with the filters in memory on a Zen 4 with AVX-512, one thread (2026-11-29): time / that of
// the direct convolution, where "no" stays direct.
//
//   image, channels        time    image, channels       time    image, channels        time
//   56 x 56, 64 -> 64      0.31    128 x 128, 16 -> 16   0.46    9 x 9, 32 -> 32        0.97
//   28 x 28, 128 -> 128    0.30    128 x 128, 8 -> 16    0.70    9 x 9, 16 -> 16        1.29 no
//   14 x 14, 256 -> 256    0.38    128 x 128, 8 -> 8     0.52 no 6 x 6, 64 -> 64        0.93
//   7 x 7, 512 -> 512      0.49 no 32 x 32, 4 -> 64      0.75 no 6 x 6, 16 -> 16        1.26 no
//   8 x 8, 256 -> 256      0.58    32 x 32, 64 -> 64     0.32    4 x 4, 256 -> 256      1.16 no
//
// A transformed filter is four times as large as the filter. A large one must save the time of many pixels: of 7 x 7
// pixels ResNet-50 takes 30 MB more for each millisecond that it saves, of 14 x 14 pixels 6 MB.
inline constexpr double kWinogradTransform = 9, kWinogradGain = 0.7;
inline constexpr Index kWinogradLeastTiles = 4, kWinogradPixels = 16;  // tiles of a block, pixels of a tile
inline constexpr double kWinogradSmallFilter = 16 << 20, kWinogradSaved = 64;  // bytes once transformed; pixels
// A filter that changes is transformed in each run, in the time of 100 to 250 pixels. It must be a small one.
inline constexpr double kWinogradSavedEachRun = 300;

constexpr bool WinogradGains(double tiles, double pixels, Index in_depth, Index out_depth) {
  const double c = static_cast<double>(in_depth), k = static_cast<double>(out_depth);
  return 4 * tiles * (c * k + kWinogradTransform * (c + k)) <= kWinogradGain * pixels * c * k;
}
// The time that it saves, in pixels of the direct convolution.
constexpr double WinogradSaves(double tiles, double pixels, Index in_depth, Index out_depth) {
  const double c = static_cast<double>(in_depth), k = static_cast<double>(out_depth);
  return pixels - 4 * tiles * (1 + kWinogradTransform * (c + k) / (c * k));
}
// Whether it gains where the images are large enough.
constexpr bool MayFavourWinograd(Index in_depth, Index out_depth) {
  return in_depth > 0 && WinogradGains(1, kWinogradPixels, in_depth, out_depth);
}
constexpr bool FitsWinograd(const Conv2DGeometry& g) {
  const auto fits = [](const Window& w) { return w.size == 3 && w.stride == 1 && w.dilation == 1; };
  return g.groups == 1 && fits(g.rows) && fits(g.columns) && g.in_depth > 0;
}
// How the filter comes: the transformed one is kept for all runs, or made in each.
enum class WinogradFilter : std::uint8_t { kConstant, kChanging };

constexpr bool FavoursWinograd(const Conv2DGeometry& g, WinogradFilter filter = WinogradFilter::kConstant) {
  if (!FitsWinograd(g)) return false;
  const double columns = static_cast<double>((g.columns.output + 3) / 4);
  double tiles = static_cast<double>(g.batch) * static_cast<double>((g.rows.output + 3) / 4) * columns;
  if (tiles < kWinogradLeastTiles) tiles = kWinogradLeastTiles;
  const double pixels =
      static_cast<double>(g.batch) * static_cast<double>(g.rows.output) * static_cast<double>(g.columns.output);
  const double saved = WinogradSaves(tiles, pixels, g.in_depth, g.out_depth),
               bytes = static_cast<double>(g.in_depth) * static_cast<double>(g.out_depth) * 36 * sizeof(float);
  const bool is_small = bytes <= kWinogradSmallFilter;
  const bool pays = filter == WinogradFilter::kChanging ? is_small && saved >= kWinogradSavedEachRun
                                                        : is_small || saved >= kWinogradSaved;
  return pays && WinogradGains(tiles, pixels, g.in_depth, g.out_depth);
}
constexpr bool TakesWinograd(const Conv2DGeometry& g, ConvAlgorithm algorithm,
                             WinogradFilter filter = WinogradFilter::kConstant) {
  return algorithm == ConvAlgorithm::kWinograd ? FitsWinograd(g)
                                               : algorithm == ConvAlgorithm::kBySize && FavoursWinograd(g, filter);
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
