// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conv2D on the CPU: NHWC images, HWIO filters, any strides, dilations, paddings and number of groups. The filter is
// packed into panels of channels as wide as a few vectors; a tile of six output pixels by one panel stays in registers
// while the pixels' windows are read where they lie. Only padded images are copied, in bands of rows.

#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/conv/amx_conv.hpp>
#include <tenon/engine/conv/conv_geometry.hpp>
#include <tenon/engine/conv/im2col.hpp>
#include <tenon/engine/conv/microkernel.hpp>
#include <tenon/engine/conv/winograd.hpp>
#include <tenon/engine/conv/winograd_choice.hpp>
#include <tenon/engine/gemm/gemm.hpp>
#include <tenon/engine/gemm/blocking.hpp>
#include <tenon/engine/core/packed_weights.hpp>
#include <tenon/engine/core/result_epilogue.hpp>
#include <tenon/engine/core/scratch.hpp>
#include <tenon/engine/core/window_dim.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Overwrites `output`, whose shape is geometry.output_shape(). T is float, double, half, bfloat16 (these two are summed
// as float and rounded once) or an integer type (which wraps). Scratch memory comes from the device. `weights` are of
// the filter, where it may be the same in every run. Without them, and for other types than float, it is direct.
template <class T>
Status Conv2D(Cpu& device, const Conv2DGeometry& geometry, const T* input, const T* filter, T* output,
              PackedWeights* weights = nullptr, ConvAlgorithm algorithm = ConvAlgorithm::kDirect);

namespace detail {

// The type that a convolution of T computes in.
template <class T>
using ConvAccumulator =
    std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                       std::type_identity<std::conditional_t<std::is_same_v<T, double>, double, float>>>::type;

// Whether the pixels are the rows of a matrix and the filter is another. Their product has tiles with less around them,
// which counts where the images are shallow, and is also cut along its depth where they are deep.
inline bool IsMatrixProduct(const Conv2DGeometry& g) {
  const auto same = [](const Window& w) {
    return w.size == 1 && w.stride == 1 && w.output == w.input && w.pad_before == 0;
  };
  return same(g.rows) && same(g.columns) && g.groups == 1;
}
// Whether windows are copied to be the rows of a matrix: of many small images, each of which would read the whole
// filter.
inline bool IsProductOfPatches(const Conv2DGeometry& g, Index element_bytes) {
  constexpr Index kFewPlaces = 16, kMostBytes = Index{4} << 20;
  const Index places = g.rows.output * g.columns.output, window = g.rows.size * g.columns.size * g.in_depth;
  return g.groups == 1 && g.batch > 1 && places <= kFewPlaces && window > 0 &&
         g.batch <= kMostBytes / element_bytes / window / places;
}

}  // namespace detail

#if !defined(__NVCC__)

namespace detail {

// One convolution. Shared by the threads that work on it.
template <class T>
class ConvWork {
 public:
  using C = ConvAccumulator<T>;
  static constexpr Index kFewPixels = 252;  // with so few output pixels, threads share the channels, not the pixels
  using Pixels = const C* [kFewPixels];

  ConvWork(const Conv2DGeometry& g, const T* input, const T* filter, T* output)
      : kernels_(ConvKernelsOf<C>(g.out_depth / g.groups)),
        panel_(kernels_.width * kernels_.lanes),
        g_(g),
        input_(input),
        filter_(filter),
        output_(output) {
    taps_ = g.rows.size * g.columns.size * g.group_depth();
    channels_ = g.out_depth / g.groups;
    panels_ = (channels_ + panel_ - 1) / panel_;
    band_columns_ = (g.columns.output - 1) * g.columns.stride + g.columns.extent();
    const bool padded = g.rows.pad_before != 0 || g.columns.pad_before != 0 || band_columns_ > g.columns.input ||
                        (g.rows.output - 1) * g.rows.stride + g.rows.extent() > g.rows.input;
    copies_ = padded || sizeof(T) != sizeof(C);
    if (!copies_) band_columns_ = g.columns.input;
    band_rows_ = g.rows.output;
    while (band_rows_ * g.columns.output > 2 * kGroup && BandElements() * Index{sizeof(C)} > kBandBytes &&
           band_rows_ > 1) {
      band_rows_ = (band_rows_ + 1) / 2;
    }
    const bool joined = g.columns.dilation == 1 && g.groups == 1;  // a row of the window is one run
    window_ = {g.rows.size, g.rows.dilation * band_columns_ * g.in_depth, joined ? 1 : g.columns.size,
               g.columns.dilation * g.in_depth, joined ? g.columns.size * g.in_depth : g.group_depth()};
    // A panel that would fill much of the second cache goes through it row by row. Rounded types take one piece.
    const bool large = PanelElements() * Index{sizeof(C)} > Caches().second / 4;
    pieces_ = large && sizeof(T) == sizeof(C) ? g.rows.size : 1;
  }

  Index pixels() const { return g_.batch * g_.rows.output * g_.columns.output; }
  // A guess, on one thread.
  double ns() const {
    const double products =
        static_cast<double>(taps_) * static_cast<double>(g_.out_depth) * static_cast<double>(pixels());
    return products * (std::is_floating_point_v<C> ? 0.04 : 0.5);
  }

  // Panels of the filter: numbered through the groups, all but the last of a group with panel_ channels.
  Index panels() const { return g_.groups * panels_; }
  Index PanelElements() const { return taps_ * Widened(Least(panel_, channels_)); }  // at most
  Index PackedElements() const { return PackedOffset(panels()); }
  Index PackedOffset(Index panel) const {
    return taps_ *
           (panel / panels_ * (Widened(channels_ % panel_) + channels_ / panel_ * panel_) + panel % panels_ * panel_);
  }
  // A panel is packed and multiplied whole, or in as many pieces as the window has rows.
  Index pieces() const { return pieces_; }
  // [taps, channels], zeros behind the last channel.
  void Pack(Index panel, C* to) const { PackTaps(panel, 0, taps_, to); }
  void PackPiece(Index panel, Index piece, C* to) const {
    const Index taps = taps_ / pieces_;
    PackTaps(panel, piece * taps, taps, to);
  }

  // Bands of output rows, numbered through the images; each needs a buffer of BandElements() for its padded input.
  Index bands() const { return g_.batch * BandsOfImage(); }
  Index BandElements() const {
    return copies_ ? ((band_rows_ - 1) * g_.rows.stride + g_.rows.extent()) * band_columns_ * g_.in_depth : 0;
  }
  // Makes bands smaller, so that there are some for each of `parts`.
  void SplitBands(Index parts) {
    while (band_rows_ > 1 && bands() < 2 * parts) band_rows_ = (band_rows_ + 1) / 2;
  }
  // One that takes whole rows is for RunBand alone.
  void set_epilogue(const CpuEpilogue* epilogue) { epilogue_ = epilogue; }
  // `packed` holds all panels.
  void RunBand(Index number, const C* packed, C* band) const {
    const Index image = number / BandsOfImage(), row = number % BandsOfImage() * band_rows_;
    const Index rows = Least(band_rows_, g_.rows.output - row);
    const C* const first_window = Prepare(image, row, rows, band);
    T* const out = output_ + (image * g_.rows.output + row) * g_.columns.output * g_.out_depth;
    const Index pixels = rows * g_.columns.output, groups = (pixels + kGroup - 1) / kGroup;
    for (Index i = 0; i < groups; ++i) {
      const Index first = PartBegin(pixels, groups, kConvPixels, i),
                  count = PartBegin(pixels, groups, kConvPixels, i + 1) - first;
      Pixels group;
      FindPixels(first_window, first, count, group);
      for (Index p = 0; p < panels(); ++p)
        RunTiles(p, MakeTile(p, packed + PackedOffset(p)), group, count, out + first * g_.out_depth);
      if (epilogue_ != nullptr) {
        const Index before = (image * g_.rows.output + row) * g_.columns.output;
        epilogue_->run(*epilogue_, {output_, g_.out_depth, before + first, count, 0, g_.out_depth});
      }
    }
  }

  // For few pixels of one image: finds all of them once; RunPiece() then runs each panel by itself.
  void FindAllPixels(C* band, Pixels& pixels) const {
    FindPixels(Prepare(0, 0, g_.rows.output, band), 0, this->pixels(), pixels);
  }
  // Meanwhile prefetches the data of the next piece, from `packed` if it holds all panels, else from the filter.
  void RunPiece(Index panel, Index piece, const C* packed, bool all, const Pixels& pixels, Index count, T* out) const {
    const Index taps = taps_ / pieces_, width = Widened(ChannelsOf(panel));
    if (all) packed += PackedOffset(panel) + piece * taps * width;
    ConvTile<C> tile = MakeTile(panel, packed);
    tile.window.rows /= pieces_;
    tile.offset += piece * tile.window.row_step * tile.window.rows;
    tile.add = piece > 0;
    const bool last = piece + 1 == pieces_;
    if (all) {
      tile.ahead = reinterpret_cast<const char*>(packed + taps * width);
      tile.ahead_step = width * Index{sizeof(C)};
    } else if (!last || panel + 1 < panels()) {
      const Index tap = last ? 0 : (piece + 1) * taps;
      const T* const next = filter_ + tap * g_.out_depth + FirstChannel(last ? panel + 1 : panel);
      tile.ahead = reinterpret_cast<const char*>(next);
      tile.ahead_step = g_.out_depth * Index{sizeof(T)};
    }
    RunTiles(panel, tile, pixels, count, out);
    if (last && epilogue_ != nullptr)
      epilogue_->run(*epilogue_, {out, g_.out_depth, 0, count, FirstChannel(panel), ChannelsOf(panel)});
  }

 private:
  static constexpr Index kGroup = 12 * kConvPixels;  // pixels that a panel meets before the next panel comes
  static constexpr Index kAhead = 16;  // rows of the filter, when it is packed
  static constexpr Index kBandBytes = 256 * 1024;  // bytes of a padded band: a fraction of the second cache

  static Index Least(Index a, Index b) { return a < b ? a : b; }
  Index Widened(Index channels) const { return DivideUp(channels, kernels_.lanes) * kernels_.lanes; }
  Index ChannelsOf(Index panel) const { return Least(panel_, channels_ - panel % panels_ * panel_); }
  Index FirstChannel(Index panel) const { return panel / panels_ * channels_ + panel % panels_ * panel_; }
  Index BandsOfImage() const { return (g_.rows.output + band_rows_ - 1) / band_rows_; }

  void PackTaps(Index panel, Index tap, Index taps, C* to) const {
    const Index used = ChannelsOf(panel), width = Widened(used);
    const T* from = filter_ + tap * g_.out_depth + FirstChannel(panel);
    for (Index t = 0; t < taps; ++t, to += width, from += g_.out_depth) {
#if defined(__GNUC__)
      if (t + kAhead < taps)
        __builtin_prefetch(from + kAhead * g_.out_depth);  // rows are too far apart for the processor
#endif
      Index j = 0;
      if constexpr (sizeof(T) == sizeof(C)) {
        constexpr Index kLine = static_cast<Index>(64 / sizeof(C));
        for (; j + kLine <= used; j += kLine) std::memcpy(to + j, from + j, 64);
      }
      Convert(from + j, to + j, used - j);
      for (j = used; j < width; ++j) to[j] = C(0);
    }
  }

  // int32 is computed as uint32, half and bfloat16 as float.
  static const C* AsAccumulators(const T* data) { return reinterpret_cast<const C*>(data); }
  static void Convert(const T* from, C* to, Index n) {
    for (Index i = 0; i < n; ++i) {
      if constexpr (sizeof(T) == sizeof(C))
        to[i] = AsAccumulators(from)[i];
      else
        to[i] = static_cast<C>(from[i]);
    }
  }

  // The first window of output rows [row, row + rows) of an image: in `band`, which is filled, or in the input itself.
  const C* Prepare(Index image, Index row, Index rows, C* band) const {
    const Index top = row * g_.rows.stride - g_.rows.pad_before, row_elements = g_.columns.input * g_.in_depth;
    const T* const from = input_ + image * g_.rows.input * row_elements;
    if (!copies_) return AsAccumulators(from) + top * row_elements;
    const Index left = Least(g_.columns.pad_before, band_columns_);
    const Index inside = Least(g_.columns.input, band_columns_ - left);
    C* to = band;
    for (Index r = top; r < top + (rows - 1) * g_.rows.stride + g_.rows.extent(); ++r) {
      if (r < 0 || r >= g_.rows.input) {
        to = Zeros(to, band_columns_ * g_.in_depth);
        continue;
      }
      to = Zeros(to, left * g_.in_depth);
      if constexpr (sizeof(T) == sizeof(C)) {
        if (inside * g_.in_depth > 0)
          std::memcpy(to, from + r * row_elements, static_cast<std::size_t>(inside * g_.in_depth) * sizeof(C));
      } else {
        Convert(from + r * row_elements, to, inside * g_.in_depth);
      }
      to = Zeros(to + inside * g_.in_depth, (band_columns_ - left - inside) * g_.in_depth);
    }
    return band;
  }
  static C* Zeros(C* to, Index n) {
    if (n > 0) std::memset(static_cast<void*>(to), 0, static_cast<std::size_t>(n) * sizeof(C));
    return to + n;
  }

  // Where the windows of pixels [first, first + count) begin. The last tile is filled up with a pixel that is not
  // stored.
  void FindPixels(const C* first_window, Index first, Index count, Pixels& pixels) const {
    Index row = first / g_.columns.output, column = first % g_.columns.output;
    for (Index i = 0; i < count; ++i) {
      pixels[i] = first_window + (row * g_.rows.stride * band_columns_ + column * g_.columns.stride) * g_.in_depth;
      if (++column == g_.columns.output) {
        column = 0;
        ++row;
      }
    }
    for (Index i = count; i % kConvPixels != 0; ++i) pixels[i] = pixels[count - 1];
  }

  ConvTile<C> MakeTile(Index panel, const C* packed) const {
    return {window_, nullptr, panel / panels_ * g_.group_depth(),    packed, nullptr,
            0,       false,   reinterpret_cast<const char*>(packed), 0};
  }
  // All pixels by one panel, or a piece of it; `out` is that of the first pixel.
  void RunTiles(Index panel, ConvTile<C> tile, const Pixels& pixels, Index count, T* out) const {
    const Index channels = ChannelsOf(panel), width = Widened(channels);
    const auto multiply = kernels_.tile[width / kernels_.lanes - 1];
    // A tile prefetches one line of each row of the next panel, or its share of a panel whose rows lie together.
    const Index tiles = DivideUp(count, kConvPixels);
    Index lines = tile.ahead_step == 0 ? 0 : DivideUp(panel_ * Index{sizeof(T)}, 64), share = 64;
    if (tile.ahead_step == width * Index{sizeof(T)} && tiles > lines) {
      tile.ahead_step /= tiles;
      share = tile.ahead_step * (taps_ / pieces_);
      lines = tiles;
    }
    const char* const next = tile.ahead;
    const bool in_rows = channels == kernels_.lanes && kernels_.row != nullptr && tile.ahead_step == 0 && !tile.add;
    out += FirstChannel(panel);
    tile.pixel_step = g_.columns.stride * g_.in_depth;
    for (Index i = 0; i < count; i += kConvPixels, out += kConvPixels * g_.out_depth) {
      if constexpr (std::is_same_v<T, C>) {
        // A gap between rows makes the way longer or shorter, or is as long as the others.
        if (in_rows && i + kConvRowPixels <= count &&
            pixels[i + kConvRowPixels - 1] - pixels[i] == (kConvRowPixels - 1) * tile.pixel_step) {
          tile.pixels = pixels + i;
          tile.out = out;
          tile.out_step = g_.out_depth;
          kernels_.row(tile);
          i += kConvPixels;
          out += kConvPixels * g_.out_depth;
          continue;
        }
      }
      const Index line = i / kConvPixels;
      tile.pixels = pixels + i;
      tile.ahead = line < lines ? next + line * share : reinterpret_cast<const char*>(tile.panel);
      if (line == lines) tile.ahead_step = 0;
      RunTile(tile, multiply, Least(kConvPixels, count - i), channels, width, out);
    }
  }
  // `count` pixels and the first `channels` of a tile are stored.
  void RunTile(ConvTile<C> tile, void (*multiply)(const ConvTile<C>&), Index count, Index channels, Index width,
               T* out) const {
    if constexpr (sizeof(T) == sizeof(C)) {
      if (count == kConvPixels && channels == width) {
        tile.out = reinterpret_cast<C*>(out);
        tile.out_step = g_.out_depth;
        return multiply(tile);
      }
    }
    alignas(64) C sums[kConvPixels * 4 * 64 / sizeof(C)];
    const bool add = tile.add;
    tile.out = sums;
    tile.out_step = width;
    tile.add = false;
    multiply(tile);
    for (Index i = 0; i < count; ++i, out += g_.out_depth) {
      for (Index j = 0; j < channels; ++j) {
        const C sum = sums[i * width + j];
        out[j] = static_cast<T>(add ? static_cast<C>(static_cast<C>(out[j]) + sum) : sum);
      }
    }
  }

  const ConvKernels<C>& kernels_;
  Index panel_;  // channels
  const Conv2DGeometry& g_;
  const T* input_;
  const T* filter_;
  T* output_;
  const CpuEpilogue* epilogue_ = nullptr;
  Index taps_;  // elements of a window
  Index channels_;  // channels of a group
  Index panels_;  // panels of a group
  Index pieces_;  // pieces of a panel
  bool copies_;  // bands of the input
  Index band_rows_, band_columns_;  // output rows of a band; input columns of its rows
  ConvWindow window_;
};

template <class T>
Status RunConv2D(Cpu& device, const Conv2DGeometry& g, const T* input, const T* filter, T* output,
                 PackedWeights* weights) {
  using Work = ConvWork<T>;
  using C = typename Work::C;
  Work work(g, input, filter, output);
  const Index parts = WorthwhileParts(device, work.ns());
  const auto each = [&](Index total, Index part, const auto& body) {
    for (Index i = PartBegin(total, parts, 1, part); i < PartBegin(total, parts, 1, part + 1); ++i) body(i);
  };
  std::size_t packed_bytes = ScratchBytes<C>(work.PackedElements());
  const C* constant = nullptr;  // all panels
  if (weights != nullptr && work.pixels() <= PackedWeights::kMostRows) {
    constant = reinterpret_cast<const C*>(
        weights->Find(filter, PackedWeights::Layout::kConvolution, packed_bytes, [&](char* to) {
          for (Index p = 0; p < work.panels(); ++p) work.Pack(p, reinterpret_cast<C*>(to) + work.PackedOffset(p));
        }));
  }
  // Threads without a panel of their own would have nothing to do.
  if (g.batch == 1 && work.pixels() <= Work::kFewPixels && parts <= work.panels()) {
    const std::size_t band_bytes = ScratchBytes<C>(work.BandElements()),
                      panel_bytes = constant == nullptr ? ScratchBytes<C>(work.PanelElements()) : 0;
    Scratch scratch(device, band_bytes + static_cast<std::size_t>(parts) * panel_bytes);
    TENON_RETURN_IF_ERROR(scratch.status("Conv2D"));
    typename Work::Pixels pixels;
    work.FindAllPixels(scratch.As<C>(), pixels);
    if constexpr (std::is_same_v<T, C>) work.set_epilogue(TakeEpilogue(device, false));
    RunParts(device, parts, [&](Index part) {
      C* const packed = scratch.As<C>(band_bytes + static_cast<std::size_t>(part) * panel_bytes);
      each(work.panels(), part, [&](Index panel) {
        for (Index piece = 0; piece < work.pieces(); ++piece) {
          if (constant == nullptr) work.PackPiece(panel, piece, packed);
          work.RunPiece(panel, piece, constant == nullptr ? packed : constant, constant != nullptr, pixels,
                        work.pixels(), output);
        }
      });
    });
    return OkStatus();
  }
  if (parts > 1) work.SplitBands(parts);
  if constexpr (std::is_same_v<T, C>) work.set_epilogue(TakeEpilogue(device));
  if (constant != nullptr) packed_bytes = 0;
  const std::size_t band_bytes = ScratchBytes<C>(work.BandElements());
  Scratch scratch(device, packed_bytes + static_cast<std::size_t>(parts) * band_bytes);
  TENON_RETURN_IF_ERROR(scratch.status("Conv2D"));
  const C* const packed = constant == nullptr ? scratch.As<C>() : constant;
  if (constant == nullptr) {
    RunParts(device, parts, [&](Index part) {
      each(work.panels(), part, [&](Index panel) { work.Pack(panel, scratch.As<C>() + work.PackedOffset(panel)); });
    });
  }
  RunParts(device, parts, [&](Index part) {
    C* const band = scratch.As<C>(packed_bytes + static_cast<std::size_t>(part) * band_bytes);
    each(work.bands(), part, [&](Index i) { work.RunBand(i, packed, band); });
  });
  return OkStatus();
}

template <class T>
Status MultiplyPatches(Cpu& device, const Conv2DGeometry& g, const T* input, const T* filter, T* output,
                       PackedWeights* weights) {
  const PatchGeometry patches{.batch = g.batch, .rows = g.rows, .columns = g.columns, .depth = g.in_depth};
  const Index rows = g.batch * patches.places(), window = patches.taps() * g.in_depth;
  Scratch scratch(device, ScratchBytes<T>(rows * window));
  TENON_RETURN_IF_ERROR(scratch.status("Conv2D"));
  ExtractPatches(device, patches, sizeof(T), input, scratch.As<T>());
  return GemmArranged(
      device,
      GemmArgs<T>{rows, g.out_depth, window, scratch.As<T>(), window, 1, filter, g.out_depth, 1, output, g.out_depth},
      weights);
}

}  // namespace detail

template <class T>
Status Conv2D(Cpu& device, const Conv2DGeometry& geometry, const T* input, const T* filter, T* output,
              PackedWeights* weights, [[maybe_unused]] ConvAlgorithm algorithm) {
  if (geometry.batch == 0 || geometry.rows.output == 0 || geometry.columns.output == 0 || geometry.out_depth == 0)
    return OkStatus();
  if constexpr (std::is_floating_point_v<T>) {
    const Index k = geometry.in_depth, n = geometry.out_depth;
    if (k > 0 && detail::IsMatrixProduct(geometry))
      return detail::GemmArranged(device,
                                  detail::GemmArgs<T>{geometry.batch * geometry.rows.output * geometry.columns.output,
                                                      n, k, input, k, 1, filter, n, 1, output, n},
                                  weights);
  }
  if constexpr (std::is_same_v<T, float>) {
    if (detail::TakesWinograd(geometry, algorithm)) {
      const bool may_transform = detail::TakesWinograd(geometry, algorithm, detail::WinogradFilter::kChanging);
      bool done = false;
      TENON_RETURN_IF_ERROR(
          detail::RunWinograd(device, geometry, input, filter, output, weights, may_transform, &done));
      if (done) return OkStatus();
    }
    if (detail::IsProductOfPatches(geometry, sizeof(T)))
      return detail::MultiplyPatches(device, geometry, input, filter, output, weights);
  }
#if TENON_DETAIL_AMX
  if constexpr (std::is_same_v<T, bfloat16>) {
    const detail::AmxImages g{geometry.batch, geometry.rows, geometry.columns, geometry.in_depth, geometry.out_depth};
    if (geometry.groups == 1 && detail::FavoursAmx(g.pixels(), g.out_depth, g.taps(), 2)) {
      if (detail::IsMatrixProduct(geometry))
        return detail::RunAmxBfloat16(
            device, {g.pixels(), g.out_depth, g.depth, input, g.depth, 1, filter, g.out_depth, 1, output, g.out_depth},
            weights);
      return detail::RunAmxConv(device, g, input, filter, output, weights);
    }
  }
#endif
  return detail::RunConv2D(device, geometry, input, filter, output, weights);
}

#endif

TENON_DETAIL_NAMESPACE_END
