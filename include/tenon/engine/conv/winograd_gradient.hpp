// SPDX-License-Identifier: Apache-2.0
#pragma once
// The gradient of a convolution of floats with respect to its filter of 3 x 3, by the reverse of Winograd's algorithm:
// a tile of 4 x 4 output pixels takes 36 products of each pair of channels instead of 144. Sums are in another order
// than those of FilterGradient().

#include <cstddef>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/conv_geometry.hpp>
#include <tenon/engine/conv/microkernel.hpp>
#include <tenon/engine/conv/winograd.hpp>
#include <tenon/engine/conv/winograd_transform.hpp>
#include <tenon/engine/core/cache_sizes.hpp>
#include <tenon/engine/core/scratch.hpp>

#if !defined(__NVCC__)  // vectors are for the host's compiler

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// One gradient with four channels in and out at least. Shared by the threads that work on it. Tiles go by in chunks.
class WinogradGradientWork {
 public:
  WinogradGradientWork(const Conv2DGeometry& g, const float* images, const float* gradient)
      : g_(g),
        tiles_(g, images, nullptr),
        gradient_(gradient),
        transform_(WinogradGradientKernelOf<>()),
        kernels_(ConvKernelsOf<float>(g.out_depth)) {
    width_ = DivideUp(g.out_depth, kernels_.lanes) * kernels_.lanes;
    row_ = DivideUp(width_, kLine) * kLine;
    if (row_ % 64 == 0) row_ += kLine;  // rows at multiples of a power of two share their places in a cache
    const Index tile = kPoints * (tiles_.input_row() + row_) * Index{sizeof(float)}, fit = Caches().second / tile;
    chunk_ = fit < kLeastTiles ? kLeastTiles : fit;
    if (chunk_ > tiles_.tiles()) chunk_ = tiles_.tiles();
  }

  Index chunks() const { return DivideUp(tiles_.tiles(), chunk_); }
  Index CountOf(Index chunk) const {
    const Index left = tiles_.tiles() - chunk * chunk_;
    return left < chunk_ ? left : chunk_;
  }
  // Parts of the products of a chunk: of a point, a panel of channels out and six channels in.
  Index products() const { return kPoints * panels() * groups(); }
  // A guess, on one thread.
  double ns() const { return tiles_.ns(); }

  std::size_t input_bytes() const { return tiles_.input_bytes(chunk_); }
  std::size_t gradient_bytes() const { return ScratchBytes<float>(kPoints * WinogradWork::Step(chunk_, row_)); }
  std::size_t sum_bytes() const { return ScratchBytes<float>(kPoints * sum_step()); }
  std::size_t zero_bytes() const { return ScratchBytes<float>(g_.in_depth + g_.out_depth); }

  // Transforms the input and the gradient of tiles [begin, end) of a chunk. `zeros` has zero_bytes() of zeros.
  void Transform(Index chunk, Index begin, Index end, const float* zeros, float* input, float* gradient) const {
    const Index first = chunk * chunk_, count = CountOf(chunk), step = WinogradWork::Step(count, row_);
    tiles_.TransformInput(first, begin, end, count, zeros, input);
    const float* from[m * m];
    for (Index t = begin; t < end; ++t) {
      Index image = 0, row = 0, column = 0;
      tiles_.Place(first + t, &image, &row, &column);
      row *= m;
      column *= m;
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < m; ++j) {
          const Index place = (image * g_.rows.output + row + i) * g_.columns.output + column + j;
          const bool inside = row + i < g_.rows.output && column + j < g_.columns.output;
          from[i * m + j] = inside ? gradient_ + place * g_.out_depth : zeros;
        }
      transform_(from, g_.out_depth, gradient + t * row_, step);
      for (Index p = 0; width_ > g_.out_depth && p < kPoints; ++p)
        std::memset(gradient + p * step + t * row_ + g_.out_depth, 0,
                    static_cast<std::size_t>(width_ - g_.out_depth) * sizeof(float));
    }
  }
  // The products [begin, end) of a chunk, added to the sums of those before it.
  void Multiply(Index chunk, Index begin, Index end, const float* input, const float* gradient, float* sums) const {
    const Index count = CountOf(chunk), panel_width = kernels_.width * kernels_.lanes;
    const Index in_step = tiles_.input_step(count), step = WinogradWork::Step(count, row_);
    ConvTile<float> tile{};
    tile.window = {1, 0, 1, 0, count};
    tile.pixel_step = tiles_.input_row();
    tile.panel_step = row_;
    tile.out_step = width_;
    tile.add = chunk > 0;
    const float* pixels[kConvPixels];
    tile.pixels = pixels;
    for (Index i = begin; i < end; ++i) {
      const Index point = i / (panels() * groups()), panel = i / groups() % panels();
      const Index first = i % groups() * kConvPixels, channel = panel * panel_width;
      for (Index k = 0; k < kConvPixels; ++k)
        pixels[k] = input + point * in_step + (first + k < g_.in_depth ? first + k : g_.in_depth - 1);
      tile.panel = gradient + point * step + channel;
      tile.out = sums + point * sum_step() + first * width_ + channel;
      const Index width = width_ - channel < panel_width ? width_ - channel : panel_width;
      kernels_.places[width / kernels_.lanes - 1](tile);
    }
  }
  // The gradients of the filter of input channels [begin, end).
  void Finish(Index begin, Index end, const float* sums, float* output) const {
    for (Index c = begin; c < end; ++c)
      for (Index k = 0; k < g_.out_depth; k += kWinogradColumns)
        WinogradFilterGradient(sums + c * width_ + k, sum_step(),
                               g_.out_depth - k < kWinogradColumns ? g_.out_depth - k : Index{kWinogradColumns},
                               output + c * g_.out_depth + k, g_.in_depth * g_.out_depth);
  }

 private:
  static constexpr Index m = kWinogradTile, kPoints = kWinogradPoints;
  static constexpr Index kLine = 16;  // floats of a line of a cache
  static constexpr Index kLeastTiles = 64;  // the sums are read and written once for each chunk

  Index panels() const { return DivideUp(width_, kernels_.width * kernels_.lanes); }
  Index groups() const { return DivideUp(g_.in_depth, Index{kConvPixels}); }
  Index sum_step() const { return groups() * kConvPixels * width_ + kLine; }  // elements from point to point

  const Conv2DGeometry& g_;
  const WinogradWork tiles_;
  const float* gradient_;
  void (*const transform_)(const float* const* from, Index channels, float* to, Index step);
  const ConvKernels<float>& kernels_;
  Index width_, row_;  // channels out, to whole vectors; elements from tile to tile of the transformed gradient
  Index chunk_;  // tiles
};

// output [3, 3, in_depth, out_depth], as of FilterGradient(). The convolution FavoursWinograd, or is of that kind and
// has four channels in and out at least. Sums have the same order for any number of threads.
inline Status RunWinogradGradient(Cpu& device, const Conv2DGeometry& g, const float* images, const float* gradient,
                                  float* output) {
  const WinogradGradientWork work(g, images, gradient);
  const std::size_t input_bytes = work.input_bytes(), both = input_bytes + work.gradient_bytes(),
                    all = both + work.sum_bytes();
  Scratch scratch(device, all + work.zero_bytes());
  TENON_RETURN_IF_ERROR(scratch.status("ConvBackpropFilter"));
  float* const input = scratch.As<float>();
  float* const transformed = scratch.As<float>(input_bytes);
  float* const sums = scratch.As<float>(both);
  float* const zeros = scratch.As<float>(all);
  std::memset(zeros, 0, work.zero_bytes());
  const Index parts = WorthwhileParts(device, work.ns());
  for (Index chunk = 0; chunk < work.chunks(); ++chunk) {
    const Index count = work.CountOf(chunk), products = work.products();
    RunParts(device, parts, [&](Index part) {
      work.Transform(chunk, PartBegin(count, parts, 1, part), PartBegin(count, parts, 1, part + 1), zeros, input,
                     transformed);
    });
    RunParts(device, parts, [&](Index part) {
      work.Multiply(chunk, PartBegin(products, parts, 1, part), PartBegin(products, parts, 1, part + 1), input,
                    transformed, sums);
    });
  }
  RunParts(device, parts, [&](Index part) {
    work.Finish(PartBegin(g.in_depth, parts, 1, part), PartBegin(g.in_depth, parts, 1, part + 1), sums, output);
  });
  return OkStatus();
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

#endif  // !__NVCC__
