// SPDX-License-Identifier: Apache-2.0
#pragma once
// Winograd's convolution of floats: windows of 3 x 3, strides and dilations of 1, one group. A tile of 4 x 4 pixels
// takes 36 products of each pair of channels instead of 144. The tiles of a block are rows of 36 matrix products with
// the transformed filter, which is packed once. Sums are in another order than Conv2D's, and the errors grow with the
// numbers of a whole tile.

#include <cstddef>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/conv_geometry.hpp>
#include <tenon/engine/conv/winograd_transform.hpp>
#include <tenon/engine/core/cache_sizes.hpp>
#include <tenon/engine/core/packed_weights.hpp>
#include <tenon/engine/core/result_epilogue.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/gemm/blocking.hpp>
#include <tenon/engine/gemm/microkernel.hpp>

#if !defined(__NVCC__)  // vectors are for the host's compiler

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline constexpr double kWinogradFilterNs = 10;  // for a pair of channels, a guess

// One convolution with four channels in and out at least. Shared by the threads that work on it.
class WinogradWork {
 public:
  static constexpr Index kFewTiles = 12;  // with fewer for each, threads share the transformed input

  WinogradWork(const Conv2DGeometry& g, const float* input, float* output)
      : kernels_(WinogradKernelsOf<>()), g_(g), input_(input), output_(output) {
    tile_rows_ = DivideUp(g.rows.output, m);
    tile_columns_ = DivideUp(g.columns.output, m);
    groups_ = (g.out_depth + kWinogradColumns / 2) / kWinogradColumns;
    if (groups_ == 0) groups_ = 1;
    in_row_ = DivideUp(g.in_depth, kLine) * kLine;
    if (in_row_ % 64 == 0) in_row_ += kLine;  // rows at multiples of a power of two share their places in a cache
    Index columns = 0;
    for (Index group = 0; group < groups_; ++group) columns = Columns(group) > columns ? Columns(group) : columns;
    out_row_ = kLine + DivideUp(columns, kLine) * kLine;
  }

  Index tiles() const { return g_.batch * tile_rows_ * tile_columns_; }
  // A guess, on one thread.
  double ns() const {
    return static_cast<double>(tiles()) * kPoints * static_cast<double>(g_.in_depth) *
           static_cast<double>(g_.out_depth) * 0.04;
  }
  // Tiles whose transformed input and products take most of the second cache.
  Index TilesOfBlock() const {
    const Index tile = kPoints * (in_row_ + out_row_) * Index{sizeof(float)};
    const Index most = Caches().second * 3 / 4 / tile;
    return most < kLeastTiles ? kLeastTiles : most;
  }

  // Element [point, tile, c] of so many transformed tiles lies at point * input_step + tile * input_row + c.
  Index input_row() const { return in_row_; }
  Index input_step(Index tiles) const { return Step(tiles, in_row_); }

  // Groups of output channels, which are multiplied one after the other.
  Index groups() const { return groups_; }

  // The transformed filter: for each group, the packed matrices of all points.
  std::size_t packed_bytes() const {
    std::size_t bytes = 0;
    for (Index group = 0; group < groups_; ++group) bytes += kPoints * MatrixBytes(group);
    return bytes;
  }
  // Writes the part of the input channels [begin, end).
  void Pack(const float* filter, Index begin, Index end, char* to) const {
    for (Index group = 0; group < groups_; ++group) {
      const GemmKernels& kernels = KernelsOf(group);
      const GemmBlocks blocks = BlocksOf(group, 4);
      const Index columns = Columns(group);
      for (Index j = 0, count = 0; j < columns; j += count) {
        count = kernels.ColumnsOfTile(columns - j);
        PackPanel(filter + Begin(group) + j, begin, end, blocks, j, count,
                  DivideUp(count, kernels.lanes) * kernels.lanes, MatrixBytes(group), to);
      }
      to += kPoints * MatrixBytes(group);
    }
  }

  // Scratch memory for the transformed input of so many tiles, and for their products with a group.
  std::size_t input_bytes(Index tiles) const { return ScratchBytes<float>(kPoints * Step(tiles, in_row_)); }
  std::size_t output_bytes(Index tiles) const { return ScratchBytes<float>(kPoints * Step(tiles, out_row_)); }
  // A pixel of zeros, and one for what is not stored.
  std::size_t pixel_bytes() const { return ScratchBytes<float>(g_.in_depth + g_.out_depth); }
  void ClearZeros(float* pixel) const { std::memset(pixel, 0, static_cast<std::size_t>(g_.in_depth) * sizeof(float)); }

  // Transforms the input of tiles [first + begin, first + end) into a block of `count` tiles that begins with tile
  // `first`.
  void TransformInput(Index first, Index begin, Index end, Index count, const float* zeros, float* to) const {
    const Index step = Step(count, in_row_);
    const float* from[kPoints];
    for (Index t = begin; t < end; ++t) {
      Index image = 0, row = 0, column = 0;
      Place(first + t, &image, &row, &column);
      const Index top = row * m - g_.rows.pad_before, left = column * m - g_.columns.pad_before;
      const float* const pixels = input_ + image * g_.rows.input * g_.columns.input * g_.in_depth;
      for (Index i = 0; i < kSide; ++i) {
        const bool row_inside = top + i >= 0 && top + i < g_.rows.input;
        for (Index j = 0; j < kSide; ++j) {
          const bool inside = row_inside && left + j >= 0 && left + j < g_.columns.input;
          from[i * kSide + j] = inside ? pixels + ((top + i) * g_.columns.input + left + j) * g_.in_depth : zeros;
        }
      }
      kernels_.input(from, g_.in_depth, to + t * in_row_, step);
    }
    // A product has four rows at least.
    for (Index t = end; end == count && t < 4; ++t)
      for (Index p = 0; p < kPoints; ++p)
        std::memset(to + p * step + t * in_row_, 0, static_cast<std::size_t>(g_.in_depth) * sizeof(float));
  }

  // The pixels of all tiles of the block in the channels of one group. `packed` holds all groups.
  void RunGroup(Index group, Index first, Index count, const char* packed, const float* input, float* products,
                float* unused, const CpuEpilogue* epilogue) const {
    for (Index i = 0; i < group; ++i) packed += kPoints * MatrixBytes(i);
    GemmBlocks blocks = BlocksOf(group, count < 4 ? 4 : count);
    const Index in_step = Step(count, in_row_), out_step = Step(count, out_row_);
    const std::size_t bytes = MatrixBytes(group);
    for (Index p = 0; p < kPoints; ++p) {
      blocks.Move(input + p * in_step, packed + static_cast<std::size_t>(p) * bytes, products + p * out_step);
      blocks.RunPart({}, 0, nullptr);
    }
    const Index channel = Begin(group), channels = Columns(group);
    float* to[m * m];
    for (Index t = 0; t < count;) {
      Index image = 0, row = 0, column = 0;
      Place(first + t, &image, &row, &column);
      const Index run = tile_columns_ - column < count - t ? tile_columns_ - column : count - t;
      const Index rows = g_.rows.output - row * m < m ? g_.rows.output - row * m : m;
      const Index pixel = (image * g_.rows.output + row * m) * g_.columns.output + column * m;
      const Index left = g_.columns.output - column * m, pixels = left < run * m ? left : run * m;
      for (Index r = 0; r < run; ++r) {
        for (Index i = 0; i < m; ++i)
          for (Index j = 0; j < m; ++j)
            to[i * m + j] = i < rows && r * m + j < left
                                ? output_ + (pixel + i * g_.columns.output + r * m + j) * g_.out_depth + channel
                                : unused;
        kernels_.output(products + (t + r) * out_row_, out_step, channels, to);
      }
      if (epilogue != nullptr)
        for (Index i = 0; i < rows; ++i)
          epilogue->run(*epilogue, {output_, g_.out_depth, pixel + i * g_.columns.output, pixels, channel, channels});
      t += run;
    }
  }
  // All channels of the block's pixels, once all groups are done.
  void RunEpilogue(Index first, Index count, const CpuEpilogue& epilogue) const {
    for (Index t = 0; t < count;) {
      Index image = 0, row = 0, column = 0;
      Place(first + t, &image, &row, &column);
      const Index run = tile_columns_ - column < count - t ? tile_columns_ - column : count - t;
      const Index left = g_.columns.output - column * m, pixels = left < run * m ? left : run * m;
      for (Index i = row * m; i < g_.rows.output && i < row * m + m; ++i)
        epilogue.run(epilogue, {output_, g_.out_depth, (image * g_.rows.output + i) * g_.columns.output + column * m,
                                pixels, 0, g_.out_depth});
      t += run;
    }
  }

  // Where a group's channels begin.
  Index Begin(Index group) const { return EvenBegin(g_.out_depth, groups_, kLine, group); }

  // Elements from point to point of so many tiles: an odd number of lines.
  static Index Step(Index tiles, Index row) {
    return (tiles < 4 ? 4 : tiles) * row / kLine % 2 == 0 ? (tiles < 4 ? 4 : tiles) * row + kLine
                                                          : (tiles < 4 ? 4 : tiles) * row;
  }
  // Where a tile is among the images.
  void Place(Index tile, Index* image, Index* row, Index* column) const {
    *column = tile % tile_columns_;
    *row = tile / tile_columns_ % tile_rows_;
    *image = tile / tile_columns_ / tile_rows_;
  }

 private:
  static constexpr Index m = kWinogradTile, kSide = kWinogradSide, kPoints = kWinogradPoints;
  static constexpr Index kLine = 16;  // floats of a line of a cache
  static constexpr Index kLeastTiles = 16;

  Index Columns(Index group) const { return Begin(group + 1) - Begin(group); }
  const GemmKernels& KernelsOf(Index group) const { return GemmKernelsOf<float>(Columns(group)); }
  GemmBlocks BlocksOf(Index group, Index rows) const {
    const Index n = Columns(group);
    return GemmBlocks(KernelsOf(group), {rows, n, g_.in_depth, nullptr, in_row_, 1, nullptr, n, 1, nullptr, out_row_});
  }
  std::size_t MatrixBytes(Index group) const { return BlocksOf(group, 4).packed_bytes(); }

  void PackPanel(const float* filter, Index begin, Index end, const GemmBlocks& blocks, Index j, Index count,
                 Index width, std::size_t bytes, char* to) const {
    float points[kPoints][kWinogradColumns] = {};
    for (Index c = begin; c < end; ++c) {
      TransformWinogradFilter(filter + c * g_.out_depth, g_.in_depth * g_.out_depth, count, points);
      char* row = to + blocks.PackedPlace(c, j);
      for (int p = 0; p < kPoints; ++p, row += bytes)
        std::memcpy(row, points[p], static_cast<std::size_t>(width) * sizeof(float));
    }
  }

  const WinogradKernels kernels_;
  const Conv2DGeometry& g_;
  const float* input_;
  float* output_;
  Index tile_rows_, tile_columns_;  // tiles of an image
  Index groups_;
  Index in_row_, out_row_;  // elements from tile to tile
};

// The convolution with the transformed filter.
inline Status RunWinograd(Cpu& device, const Conv2DGeometry& g, const WinogradWork& work, const char* packed) {
  using Work = WinogradWork;
  const Index tiles = work.tiles(), most = work.TilesOfBlock();
  Index parts = WorthwhileParts(device, work.ns());
  const std::size_t pixel_bytes = work.pixel_bytes();
  // Threads have tiles to themselves. Where there are few, they share the transformed input, and have groups of
  // channels.
  const Index by_tiles = tiles / 4 < 1 ? 1 : tiles / 4 < parts ? tiles / 4 : parts;
  if (parts == 1 ? tiles <= most + most / 2 : tiles < parts * Work::kFewTiles && work.groups() >= by_tiles) {
    const Index group_parts = parts < work.groups() ? parts : work.groups();
    const std::size_t input_bytes = work.input_bytes(tiles), output_bytes = work.output_bytes(tiles);
    const std::size_t bytes = output_bytes + pixel_bytes;
    Scratch scratch(device, input_bytes + static_cast<std::size_t>(group_parts) * bytes);
    TENON_RETURN_IF_ERROR(scratch.status("Conv2D"));
    float* const pixel = scratch.As<float>(input_bytes + output_bytes);
    const CpuEpilogue* const epilogue = TakeEpilogue(device);
    const bool whole = epilogue != nullptr && epilogue->whole_rows;
    work.ClearZeros(pixel);
    RunParts(device, parts, [&](Index part) {
      work.TransformInput(0, PartBegin(tiles, parts, 1, part), PartBegin(tiles, parts, 1, part + 1), tiles, pixel,
                          scratch.As<float>());
    });
    RunParts(device, group_parts, [&](Index part) {
      float* const products = scratch.As<float>(input_bytes + static_cast<std::size_t>(part) * bytes);
      float* const unused =
          scratch.As<float>(input_bytes + static_cast<std::size_t>(part) * bytes + output_bytes) + g.in_depth;
      for (Index group = PartBegin(work.groups(), group_parts, 1, part);
           group < PartBegin(work.groups(), group_parts, 1, part + 1); ++group)
        work.RunGroup(group, 0, tiles, packed, scratch.As<float>(), products, unused, whole ? nullptr : epilogue);
    });
    if (whole) work.RunEpilogue(0, tiles, *epilogue);
    return OkStatus();
  }
  parts = by_tiles;
  const Index blocks = DivideUp(DivideUp(tiles, most + most / 4), parts) * parts;
  const Index largest = DivideUp(tiles, blocks);
  const std::size_t input_bytes = work.input_bytes(largest), output_bytes = work.output_bytes(largest);
  const std::size_t bytes = input_bytes + output_bytes + pixel_bytes;
  Scratch scratch(device, static_cast<std::size_t>(parts) * bytes);
  TENON_RETURN_IF_ERROR(scratch.status("Conv2D"));
  const CpuEpilogue* const epilogue = TakeEpilogue(device);
  const bool whole = epilogue != nullptr && epilogue->whole_rows;
  RunParts(device, parts, [&](Index part) {
    const std::size_t at = static_cast<std::size_t>(part) * bytes;
    float* const pixel = scratch.As<float>(at + input_bytes + output_bytes);
    work.ClearZeros(pixel);
    for (Index block = PartBegin(blocks, parts, 1, part); block < PartBegin(blocks, parts, 1, part + 1); ++block) {
      const Index first = PartBegin(tiles, blocks, 1, block);
      const Index count = PartBegin(tiles, blocks, 1, block + 1) - first;
      work.TransformInput(first, 0, count, count, pixel, scratch.As<float>(at));
      for (Index group = 0; group < work.groups(); ++group)
        work.RunGroup(group, first, count, packed, scratch.As<float>(at), scratch.As<float>(at + input_bytes),
                      pixel + g.in_depth, whole ? nullptr : epilogue);
      if (whole) work.RunEpilogue(first, count, *epilogue);
    }
  });
  return OkStatus();
}

// Sets *done, unless the filter may not be transformed here and `weights`, which may be null, have no transformed one.
// The convolution FavoursWinograd, or is of that kind and has four channels in and out at least. Errors are Conv2D's.
inline Status RunWinograd(Cpu& device, const Conv2DGeometry& g, const float* input, const float* filter, float* output,
                          PackedWeights* weights, bool may_transform, bool* done) {
  const WinogradWork work(g, input, output);
  const std::size_t bytes = work.packed_bytes();
  const char* packed = weights == nullptr ? nullptr
                                          : weights->Find(filter, PackedWeights::Layout::kWinograd, bytes,
                                                          [&](char* to) { work.Pack(filter, 0, g.in_depth, to); });
  *done = packed != nullptr || may_transform;
  if (!*done) return OkStatus();
  Scratch scratch(device, packed == nullptr ? bytes : 0);
  TENON_RETURN_IF_ERROR(scratch.status("Conv2D"));
  if (packed == nullptr) {
    ParallelFor(device, g.in_depth, kWinogradFilterNs * static_cast<double>(g.out_depth),
                [&](Index begin, Index end) { work.Pack(filter, begin, end, scratch.As<char>()); });
    packed = scratch.As<char>();
  }
  return RunWinograd(device, g, work, packed);
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END

#endif  // !__NVCC__
