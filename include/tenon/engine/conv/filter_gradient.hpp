// SPDX-License-Identifier: Apache-2.0
#pragma once
// The gradient of a convolution with respect to its filter, on the CPU, without columns: a tile of six elements of the
// filter's window by a few vectors of channels stays in registers while places of the output go by. The images are read
// where they lie. Only padded ones are copied, some at a time.

#include <cstddef>
#include <cstring>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/conv_geometry.hpp>
#include <tenon/engine/conv/microkernel.hpp>
#include <tenon/engine/gemm/blocking.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/core/window_dim.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

#if !defined(__NVCC__)  // vectors are for the host's compiler

namespace detail {

// One gradient. Shared by the threads that work on it. Its places go by in chunks, whose images may be copies, and each
// chunk in groups, whose rows of the gradient stay in the first cache.
template <class T>
class FilterGradientWork {
 public:
  FilterGradientWork(const Conv2DGeometry& g, const T* images, const T* gradient, T* output, bool add)
      : g_(g),
        kernels_(ConvKernelsOf<T>(g.out_depth)),
        images_(images),
        gradient_(gradient),
        output_(output),
        add_(add) {
    const auto extent = [](const Window& w, Index places) { return (places - 1) * w.stride + w.size; };
    columns_ = extent(g.columns, g.columns.output);
    copies_ = g.rows.pad_before != 0 || g.columns.pad_before != 0 || columns_ > g.columns.input ||
              extent(g.rows, g.rows.output) > g.rows.input;
    width_ = DivideUp(g.out_depth, kernels_.lanes) * kernels_.lanes;
    widens_ = width_ != g.out_depth;
    // A chunk is some whole images, or some rows of one.
    chunk_rows_ = g.rows.output;
    const auto bytes = [&] {
      const Index image = copies_ ? extent(g.rows, chunk_rows_) * columns_ * g.in_depth : 0;
      return (image + (widens_ ? chunk_rows_ * g.columns.output * width_ : 0)) * Index{sizeof(T)};
    };
    while (bytes() > kChunkBytes && chunk_rows_ > 1) chunk_rows_ = (chunk_rows_ + 1) / 2;
    if (chunk_rows_ == g.rows.output) chunk_images_ = Clamp(kChunkBytes / (bytes() + 1), 1, g.batch);
    copied_rows_ = extent(g.rows, chunk_rows_);
    if (!copies_) columns_ = g.columns.input;
    image_step_ = (copies_ ? copied_rows_ : g.rows.input) * columns_ * g.in_depth;
    const Index panel_bytes = Least(width_, kernels_.width * kernels_.lanes) * Index{sizeof(T)};
    const Index places = kGroupBytes / panel_bytes, row = g.columns.output, image = row * g.rows.output;
    group_rows_ = Clamp(places / row, 1, chunk_rows_);
    group_images_ = group_rows_ < g.rows.output ? 1 : Clamp(places / image, 1, chunk_images_);
  }

  // Tiles of the filter, numbered through the panels of channels.
  Index tiles() const { return panels() * WindowTiles(); }
  Index chunks() const { return DivideUp(g_.batch, chunk_images_) * ChunksOfImage(); }
  // A guess, on one thread.
  double ns() const {
    return 0.04 * static_cast<double>(Elements()) * static_cast<double>(width_) * static_cast<double>(g_.batch) *
           static_cast<double>(g_.rows.output * g_.columns.output);
  }
  std::size_t ImageBytes() const { return copies_ ? ScratchBytes<T>(chunk_images_ * image_step_) : 0; }
  std::size_t GradientBytes() const {
    return widens_ ? ScratchBytes<T>(chunk_images_ * chunk_rows_ * g_.columns.output * width_) : 0;
  }

  // Copies rows of a chunk into `images` and `gradient`, where it has copies: those of part `part` of `parts`.
  void Prepare(Index chunk, Index part, Index parts, T* images, T* gradient) const {
    const Range range = RangeOf(chunk);
    if (copies_) {
      const Index rows = range.images * copied_rows_;
      for (Index i = PartBegin(rows, parts, 1, part); i < PartBegin(rows, parts, 1, part + 1); ++i)
        CopyRow(range.image + i / copied_rows_, range.row * g_.rows.stride - g_.rows.pad_before + i % copied_rows_,
                images + i * columns_ * g_.in_depth);
    }
    if (!widens_) return;
    const Index places = range.images * range.rows * g_.columns.output;
    const T* const from = gradient_ + FirstPlace(range) * g_.out_depth;
    for (Index i = PartBegin(places, parts, 1, part); i < PartBegin(places, parts, 1, part + 1); ++i) {
      std::memcpy(gradient + i * width_, from + i * g_.out_depth, static_cast<std::size_t>(g_.out_depth) * sizeof(T));
      for (Index j = g_.out_depth; j < width_; ++j) gradient[i * width_ + j] = T(0);
    }
  }
  // Adds a chunk to tiles [begin, end).
  void Run(Index chunk, Index begin, Index end, const T* images, const T* gradient) const {
    const Range range = RangeOf(chunk);
    if (!copies_) images = images_ + range.image * image_step_ + range.row * g_.rows.stride * columns_ * g_.in_depth;
    if (!widens_) gradient = gradient_ + FirstPlace(range) * g_.out_depth;
    for (Index image = 0; image < range.images; image += group_images_)
      for (Index row = 0; row < range.rows; row += group_rows_) {
        ConvTile<T> tile{};
        tile.window = {Least(group_images_, range.images - image), image_step_, Least(group_rows_, range.rows - row),
                       g_.rows.stride * columns_ * g_.in_depth, g_.columns.output};
        tile.pixel_step = g_.columns.stride * g_.in_depth;
        tile.panel_step = width_;
        tile.add = add_ || chunk > 0 || image > 0 || row > 0;
        tile.offset = image * image_step_ + row * tile.window.piece_step;
        RunGroup(tile, begin, end, images, gradient + (image * range.rows + row) * g_.columns.output * width_);
      }
  }

 private:
  static constexpr Index kChunkBytes = Index{512} << 10;  // copies stay in the second cache
  static constexpr Index kGroupBytes = Index{24} << 10;

  struct Range {
    Index image, images, row, rows;
  };
  static Index Least(Index a, Index b) { return a < b ? a : b; }
  static Index Clamp(Index x, Index least, Index most) { return x < least ? least : Least(x, most); }
  Index ChunksOfImage() const { return DivideUp(g_.rows.output, chunk_rows_); }
  Index panels() const { return DivideUp(width_, kernels_.width * kernels_.lanes); }
  Index Elements() const { return g_.rows.size * g_.columns.size * g_.in_depth; }  // elements of a window
  Index WindowTiles() const { return DivideUp(Elements(), kConvPixels); }
  Range RangeOf(Index chunk) const {
    const Index image = chunk / ChunksOfImage() * chunk_images_, row = chunk % ChunksOfImage() * chunk_rows_;
    return {image, Least(chunk_images_, g_.batch - image), row, Least(chunk_rows_, g_.rows.output - row)};
  }
  Index FirstPlace(const Range& range) const { return (range.image * g_.rows.output + range.row) * g_.columns.output; }
  // Row `row` of an image with zeros around it.
  void CopyRow(Index image, Index row, T* to) const {
    const Index depth = g_.in_depth, left = Least(g_.columns.pad_before, columns_);
    const Index inside = row < 0 || row >= g_.rows.input ? 0 : Least(g_.columns.input, columns_ - left);
    to = Zeros(to, left * depth);
    if (inside > 0)
      std::memcpy(to, images_ + (image * g_.rows.input + row) * g_.columns.input * depth,
                  static_cast<std::size_t>(inside * depth) * sizeof(T));
    Zeros(to + inside * depth, (columns_ - left - inside) * depth);
  }
  static T* Zeros(T* to, Index n) {
    if (n > 0) std::memset(static_cast<void*>(to), 0, static_cast<std::size_t>(n) * sizeof(T));
    return to + n;
  }

  void RunGroup(ConvTile<T>& tile, Index begin, Index end, const T* images, const T* gradient) const {
    const Index run = g_.columns.size * g_.in_depth, elements = Elements(), per_panel = WindowTiles();
    const Index row_step = columns_ * g_.in_depth, panel_width = kernels_.width * kernels_.lanes;
    for (Index i = begin; i < end; ++i) {
      const Index channel = i / per_panel * panel_width, element = i % per_panel * kConvPixels;
      const Index width = Least(panel_width, width_ - channel), channels = Least(width, g_.out_depth - channel);
      const Index count = Least(kConvPixels, elements - element);
      const T* pixels[kConvPixels];
      for (Index k = 0; k < kConvPixels; ++k) {
        const Index at = element + Least(k, count - 1);
        pixels[k] = images + at / run * row_step + at % run;
      }
      tile.pixels = pixels;
      tile.panel = gradient + channel;
      T* const out = output_ + element * g_.out_depth + channel;
      const auto multiply = kernels_.places[width / kernels_.lanes - 1];
      if (count == kConvPixels && channels == width) {
        tile.out = out;
        tile.out_step = g_.out_depth;
        multiply(tile);
      } else {
        Finish(tile, multiply, count, channels, width, out);
      }
    }
  }
  // A tile whose first `count` rows and `channels` are stored.
  void Finish(ConvTile<T> tile, void (*multiply)(const ConvTile<T>&), Index count, Index channels, Index width,
              T* out) const {
    alignas(64) T sums[kConvPixels * 4 * 64 / sizeof(T)];
    const bool add = tile.add;
    tile.out = sums;
    tile.out_step = width;
    tile.add = false;
    multiply(tile);
    for (Index i = 0; i < count; ++i, out += g_.out_depth)
      for (Index j = 0; j < channels; ++j) out[j] = add ? sums[i * width + j] + out[j] : sums[i * width + j];
  }

  const Conv2DGeometry& g_;
  const ConvKernels<T>& kernels_;
  const T* images_;
  const T* gradient_;
  T* output_;
  bool add_;  // to what is in output
  bool copies_, widens_;  // the chunk's rows of images; rows of the gradient, to whole vectors
  Index columns_, width_;  // elements of a row of an image and of the gradient, as tiles read them
  Index chunk_rows_, copied_rows_;  // rows of the output in a chunk, and the rows of an image that they read
  Index chunk_images_ = 1;
  Index image_step_;  // elements from image to image
  Index group_rows_, group_images_;
};

// Whether FilterGradient() is faster than a product with columns: rows of the output are long enough for its loops, and
// the channels fill half of a vector.
template <class T>
bool FavoursFilterTiles(const Conv2DGeometry& g) {
  constexpr Index kFewestColumns = 4;
  const auto fits = [](const Window& w) {
    return w.dilation == 1 && w.pad_before < w.size && (w.output - 1) * w.stride <= w.input + w.size;
  };
  return g.groups == 1 && fits(g.rows) && fits(g.columns) && g.columns.output >= kFewestColumns &&
         2 * g.out_depth >= ConvKernelsOf<T>(g.out_depth).lanes;
}

// output [rows, columns, in_depth, out_depth] = the sum over all places of the output of their windows in `images`
// times `gradient`; `add`: added to what `output` has. No dilations, one group, nothing empty. Sums have the same order
// for any number of threads. T is float or double.
template <class T>
Status FilterGradient(Cpu& device, const Conv2DGeometry& g, const T* images, const T* gradient, T* output,
                      bool add = false) {
  const FilterGradientWork<T> work(g, images, gradient, output, add);
  const std::size_t image_bytes = work.ImageBytes();
  Scratch scratch(device, image_bytes + work.GradientBytes());
  TENON_RETURN_IF_ERROR(scratch.status("ConvBackpropFilter"));
  T* const copied = scratch.As<T>();
  T* const widened = scratch.As<T>(image_bytes);
  const Index parts = WorthwhileParts(device, work.ns()), tiles = work.tiles();
  for (Index chunk = 0; chunk < work.chunks(); ++chunk) {
    if (image_bytes + work.GradientBytes() > 0)
      RunParts(device, parts, [&](Index part) { work.Prepare(chunk, part, parts, copied, widened); });
    RunParts(device, parts, [&](Index part) {
      work.Run(chunk, PartBegin(tiles, parts, 1, part), PartBegin(tiles, parts, 1, part + 1), copied, widened);
    });
  }
  return OkStatus();
}

}  // namespace detail

#endif

TENON_DETAIL_NAMESPACE_END
