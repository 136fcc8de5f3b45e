// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conv2D on the CPU: NHWC images, HWIO filters, any strides, dilations, paddings and number of groups. The filter is
// packed into panels of channels as wide as a few vectors; a tile of six output pixels by one panel stays in registers
// while the pixels' windows are read where they lie. Only padded images are copied, in bands of rows.

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/isa.hpp>
#include <tenon/engine/scratch.hpp>
#include <tenon/engine/window.hpp>
#if !defined(__CUDACC__)
#include <tenon/engine/simd.hpp>
#endif

TENON_NAMESPACE_BEGIN

// Everything about a convolution but its data. input [batch, rows, columns, depth], filter [rows, columns, depth /
// groups, out_depth], output [batch, out_rows, out_columns, out_depth].
struct Conv2DGeometry {
  Index batch = 0;
  Window rows, columns;
  Index in_depth = 0, out_depth = 0;
  Index groups = 1;

  Index group_depth() const { return in_depth / groups; }
  TensorShape output_shape() const { return TensorShape({batch, rows.output, columns.output, out_depth}); }
};

// From the shapes and attrs of a Conv2D in NHWC; `strides` and `dilations` have four values. The errors are
// TensorFlow's.
inline Status MakeConv2DGeometry(const TensorShape& input, const TensorShape& filter, std::span<const Index> strides,
                                 std::span<const Index> dilations, Padding padding,
                                 std::span<const Index> explicit_paddings, Conv2DGeometry* geometry) {
  if (dilations.size() != 4) return errors::InvalidArgument("Sliding window dilations field must specify 4 dimensions");
  if (strides.size() != 4) return errors::InvalidArgument("Sliding window strides field must specify 4 dimensions");
  if (strides[0] != 1 || strides[3] != 1) {
    return errors::Unimplemented(
        "Current implementation does not yet support strides in the batch and depth dimensions.");
  }
  if (strides[1] <= 0 || strides[2] <= 0)
    return errors::InvalidArgument("Row and column strides should be larger than 0.");
  if (dilations[0] != 1 || dilations[3] != 1) {
    return errors::Unimplemented(
        "Current implementation does not yet support dilations in the batch and depth dimensions.");
  }
  if (dilations[1] <= 0 || dilations[2] <= 0) return errors::InvalidArgument("Dilated rates should be larger than 0.");
  TENON_RETURN_IF_ERROR(CheckValidPadding(padding, explicit_paddings, 4, TensorFormat::kNHWC));
  if (input.dims() != 4)
    return errors::InvalidArgument("convolution input must be 4-dimensional: ", input.DebugString());
  if (filter.dims() != 4)
    return errors::InvalidArgument("convolution filter must be 4-dimensional: ", filter.DebugString());

  Conv2DGeometry g;
  g.batch = input.dim_size(0);
  g.in_depth = input.dim_size(3);
  g.out_depth = filter.dim_size(3);
  const Index filter_depth = filter.dim_size(2);
  if (filter_depth <= 0) return errors::InvalidArgument("filter depth must be strictly positive, got ", filter_depth);
  if (filter.dim_size(0) <= 0 || filter.dim_size(1) <= 0) {
    return errors::InvalidArgument("filter must not have zero elements (i.e. all dimensions must be non-zero)");
  }
  if (g.in_depth % filter_depth != 0) {
    return errors::InvalidArgument("input depth must be evenly divisible by filter depth: ", g.in_depth, " vs ",
                                   filter_depth);
  }
  g.groups = g.in_depth == 0 ? 1 : g.in_depth / filter_depth;
  if (g.out_depth % g.groups != 0) {
    return errors::InvalidArgument("output depth must be evenly divisible by number of groups: ", g.out_depth, " vs ",
                                   g.groups);
  }
  g.rows.input = input.dim_size(1);
  g.rows.size = filter.dim_size(0);
  g.rows.stride = strides[1];
  g.rows.dilation = dilations[1];
  g.columns.input = input.dim_size(2);
  g.columns.size = filter.dim_size(1);
  g.columns.stride = strides[2];
  g.columns.dilation = dilations[2];
  if (padding == Padding::kExplicit) {
    g.rows.pad_before = explicit_paddings[2];
    g.rows.pad_after = explicit_paddings[3];
    g.columns.pad_before = explicit_paddings[4];
    g.columns.pad_after = explicit_paddings[5];
  }
  TENON_RETURN_IF_ERROR(PlaceWindow(padding, &g.rows));
  TENON_RETURN_IF_ERROR(PlaceWindow(padding, &g.columns));
  if (g.rows.size == 1) g.rows.dilation = 1;  // there is nothing between its elements
  if (g.columns.size == 1) g.columns.dilation = 1;
  // What the windows cover, paddings included, is copied when there are paddings: its bytes must be a number.
  constexpr Index kMostBytes = 16;  // of one element
  const auto covered = [](const Window& w) { return w.output > 0 ? (w.output - 1) * w.stride + w.extent() : 0; };
  const Index image = MultiplyWithoutOverflow(covered(g.rows), covered(g.columns));
  if (image < 0 || MultiplyWithoutOverflow(MultiplyWithoutOverflow(image, kMostBytes), g.in_depth) < 0)
    return errors::InvalidArgument("the convolution's windows cover ", covered(g.rows), " x ", covered(g.columns),
                                   " x ", g.in_depth, " elements with their paddings, more than int64 has bytes for");
  *geometry = g;
  return OkStatus();
}

// Overwrites `output`, whose shape is geometry.output_shape(). T is float, double, half, bfloat16 (these two are summed
// as float and rounded once) or an integer type (which wraps). Scratch memory comes from the device.
template <class T>
Status Conv2D(Cpu& device, const Conv2DGeometry& geometry, const T* input, const T* filter, T* output);

#if !defined(__CUDACC__)

namespace detail {

// The type that a convolution of T computes in, and a vector of it.
template <class T>
using ConvAccumulator =
    std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                       std::type_identity<std::conditional_t<std::is_same_v<T, double>, double, float>>>::type;
template <class C, class Isa>
using ConvVector = simd::Batch<C, std::conditional_t<std::is_floating_point_v<C>, Isa, simd::isa::Scalar>>;

inline constexpr int kConvPixels = 6;  // of a tile
// Vectors of a tile's row: 6 x 2 fill 16 registers, 6 x 4 fill 32.
template <class Isa>
inline constexpr int kConvVectors =
    std::is_same_v<Isa, simd::isa::Avx512> || std::is_same_v<Isa, simd::isa::Neon64> ? 4 : 2;

// Where the elements of a pixel's window lie, seen from its first: `rows` times `pieces` runs of `length`.
struct ConvWindow {
  Index rows, row_step;
  Index pieces, piece_step;
  Index length;
};

// out[i * out_step + j] = window of pixel i times channel j of a panel of `width` vectors, for six pixels. The windows
// begin `offset` elements behind the pixels; the panel has a row for each of their elements.
template <class V, int width>
void ConvTile(const ConvWindow& w, const typename V::value_type* const* pixels, Index offset,
              const typename V::value_type* panel, typename V::value_type* out, Index out_step) {
  using C = typename V::value_type;
  V sums[kConvPixels][width];
#pragma GCC unroll 6
  for (int i = 0; i < kConvPixels; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) sums[i][v] = V(C(0));
  }
  for (Index row = 0; row < w.rows; ++row) {
    for (Index piece = 0; piece < w.pieces; ++piece) {
      const C* from[kConvPixels];
#pragma GCC unroll 6
      for (int i = 0; i < kConvPixels; ++i) from[i] = pixels[i] + (offset + row * w.row_step + piece * w.piece_step);
      for (Index t = 0; t < w.length; ++t, panel += width * V::size) {
        V y[width];
#pragma GCC unroll 4
        for (int v = 0; v < width; ++v) y[v] = V::Load(panel + v * V::size);
#pragma GCC unroll 6
        for (int i = 0; i < kConvPixels; ++i) {
          const V x(from[i][t]);
#pragma GCC unroll 4
          for (int v = 0; v < width; ++v) sums[i][v] = V::Fma(x, y[v], sums[i][v]);
        }
      }
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < kConvPixels; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) sums[i][v].Store(out + i * out_step + v * V::size);
  }
}

// One convolution. Shared by the threads that work on it.
template <class T, class Isa>
class ConvWork {
 public:
  using C = ConvAccumulator<T>;
  using V = ConvVector<C, Isa>;
  static constexpr Index kFewPixels = 126;  // of the whole output: then threads share the channels, not the pixels
  using Pixels = const C* [kFewPixels];

  ConvWork(const Conv2DGeometry& g, const T* input, const T* filter, T* output)
      : g_(g), input_(input), filter_(filter), output_(output) {
    taps_ = g.rows.size * g.columns.size * g.group_depth();
    channels_ = g.out_depth / g.groups;
    panels_ = (channels_ + kPanel - 1) / kPanel;
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
  }

  Index pixels() const { return g_.batch * g_.rows.output * g_.columns.output; }
  // A guess, on one thread.
  double ns() const {
    const double products =
        static_cast<double>(taps_) * static_cast<double>(g_.out_depth) * static_cast<double>(pixels());
    return products * (std::is_floating_point_v<C> ? 0.04 : 0.5);
  }

  // Panels of the filter: numbered through the groups, all but the last of a group with kPanel channels.
  Index panels() const { return g_.groups * panels_; }
  Index PanelElements() const { return taps_ * Widened(Least(kPanel, channels_)); }  // at most
  Index PackedElements() const { return PackedOffset(panels()); }
  Index PackedOffset(Index panel) const {
    return taps_ *
           (panel / panels_ * (Widened(channels_ % kPanel) + channels_ / kPanel * kPanel) + panel % panels_ * kPanel);
  }
  // [taps, channels], zeros behind the last channel.
  void Pack(Index panel, C* to) const {
    const Index used = ChannelsOf(panel), width = Widened(used);
    const T* from = filter_ + FirstChannel(panel);
    for (Index t = 0; t < taps_; ++t, to += width, from += g_.out_depth) {
#if defined(__GNUC__)
      if (t + kAhead < taps_)
        __builtin_prefetch(from + kAhead * g_.out_depth);  // rows are too far apart for the processor
#endif
      if constexpr (sizeof(T) == sizeof(C)) {
        if (used == kPanel) {
          for (int v = 0; v < kWidth; ++v) V::Load(AsAccumulators(from) + v * V::size).Store(to + v * V::size);
          continue;
        }
      }
      Convert(from, to, used);
      for (Index j = used; j < width; ++j) to[j] = C(0);
    }
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
        RunPanel(p, packed + PackedOffset(p), group, count, out + first * g_.out_depth);
    }
  }

  // Few pixels, of one image: found once, then every panel by itself.
  void FindAllPixels(C* band, Pixels& pixels) const {
    FindPixels(Prepare(0, 0, g_.rows.output, band), 0, this->pixels(), pixels);
  }
  void RunPanel(Index panel, const C* packed, const Pixels& pixels, Index count, T* out) const {
    const Index used = ChannelsOf(panel), offset = panel / panels_ * g_.group_depth();
    const int width = static_cast<int>(Widened(used) / V::size);
    out += FirstChannel(panel);
    for (Index i = 0; i < count; i += kConvPixels, out += kConvPixels * g_.out_depth) {
      const Tile tile{pixels + i, offset, packed, out, Least(kConvPixels, count - i), used};
      if constexpr (kWidth == 4) {
        if (width == 4) RunTile<4>(tile);
        if (width == 3) RunTile<3>(tile);
      }
      if (width == 2) RunTile<2>(tile);
      if (width == 1) RunTile<1>(tile);
    }
  }

 private:
  static constexpr int kWidth = kConvVectors<Isa>;
  static constexpr Index kPanel = kWidth * V::size;  // channels
  static constexpr Index kGroup = 12 * kConvPixels;  // pixels that a panel meets before the next panel comes
  static constexpr Index kAhead = 16;  // rows of the filter, when it is packed
  static constexpr Index kBandBytes = 256 * 1024;  // of a padded band: a part of the second cache

  struct Tile {
    const C* const* pixels;
    Index offset;
    const C* packed;
    T* out;
    Index count, channels;  // that are stored
  };

  static Index Least(Index a, Index b) { return a < b ? a : b; }
  static Index Widened(Index channels) { return (channels + V::size - 1) / V::size * V::size; }
  Index ChannelsOf(Index panel) const { return Least(kPanel, channels_ - panel % panels_ * kPanel); }
  Index FirstChannel(Index panel) const { return panel / panels_ * channels_ + panel % panels_ * kPanel; }
  Index BandsOfImage() const { return (g_.rows.output + band_rows_ - 1) / band_rows_; }

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
        std::memcpy(to, from + r * row_elements, static_cast<std::size_t>(inside * g_.in_depth) * sizeof(C));
      } else {
        Convert(from + r * row_elements, to, inside * g_.in_depth);
      }
      to = Zeros(to + inside * g_.in_depth, (band_columns_ - left - inside) * g_.in_depth);
    }
    return band;
  }
  static C* Zeros(C* to, Index n) {
    std::memset(static_cast<void*>(to), 0, static_cast<std::size_t>(n) * sizeof(C));
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

  template <int width>
  void RunTile(const Tile& t) const {
    if constexpr (sizeof(T) == sizeof(C)) {
      if (t.count == kConvPixels && t.channels == width * V::size) {
        return ConvTile<V, width>(window_, t.pixels, t.offset, t.packed, reinterpret_cast<C*>(t.out), g_.out_depth);
      }
    }
    alignas(64) C sums[kConvPixels * width * V::size];
    ConvTile<V, width>(window_, t.pixels, t.offset, t.packed, sums, width * V::size);
    for (Index i = 0; i < t.count; ++i) {
      for (Index j = 0; j < t.channels; ++j)
        t.out[i * g_.out_depth + j] = static_cast<T>(sums[i * width * V::size + j]);
    }
  }

  const Conv2DGeometry& g_;
  const T* input_;
  const T* filter_;
  T* output_;
  Index taps_;  // elements of a window
  Index channels_;  // of a group
  Index panels_;  // of a group
  bool copies_;  // bands of the input
  Index band_rows_, band_columns_;  // output rows of a band; input columns of its rows
  ConvWindow window_;
};

template <class T, class Isa = simd::Unit>
Status RunConv2D(Cpu& device, const Conv2DGeometry& g, const T* input, const T* filter, T* output) {
  using Work = ConvWork<T, Isa>;
  using C = typename Work::C;
  Work work(g, input, filter, output);
  const Index parts = WorthwhileParts(device, work.ns());
  const auto each = [&](Index total, Index part, const auto& body) {
    for (Index i = PartBegin(total, parts, 1, part); i < PartBegin(total, parts, 1, part + 1); ++i) body(i);
  };
  if (g.batch == 1 && work.pixels() <= Work::kFewPixels) {
    const std::size_t band_bytes = ScratchBytes<C>(work.BandElements()),
                      panel_bytes = ScratchBytes<C>(work.PanelElements());
    Scratch scratch(device, band_bytes + static_cast<std::size_t>(parts) * panel_bytes);
    TENON_RETURN_IF_ERROR(scratch.status("Conv2D"));
    typename Work::Pixels pixels;
    work.FindAllPixels(scratch.As<C>(), pixels);
    RunParts(device, parts, [&](Index part) {
      C* const packed = scratch.As<C>(band_bytes + static_cast<std::size_t>(part) * panel_bytes);
      each(work.panels(), part, [&](Index panel) {
        work.Pack(panel, packed);
        work.RunPanel(panel, packed, pixels, work.pixels(), output);
      });
    });
    return OkStatus();
  }
  if (parts > 1) work.SplitBands(parts);
  const std::size_t packed_bytes = ScratchBytes<C>(work.PackedElements()),
                    band_bytes = ScratchBytes<C>(work.BandElements());
  Scratch scratch(device, packed_bytes + static_cast<std::size_t>(parts) * band_bytes);
  TENON_RETURN_IF_ERROR(scratch.status("Conv2D"));
  C* const packed = scratch.As<C>();
  RunParts(device, parts, [&](Index part) {
    each(work.panels(), part, [&](Index panel) { work.Pack(panel, packed + work.PackedOffset(panel)); });
  });
  RunParts(device, parts, [&](Index part) {
    C* const band = scratch.As<C>(packed_bytes + static_cast<std::size_t>(part) * band_bytes);
    each(work.bands(), part, [&](Index i) { work.RunBand(i, packed, band); });
  });
  return OkStatus();
}

}  // namespace detail

template <class T>
Status Conv2D(Cpu& device, const Conv2DGeometry& geometry, const T* input, const T* filter, T* output) {
  if (geometry.batch == 0 || geometry.rows.output == 0 || geometry.columns.output == 0 || geometry.out_depth == 0)
    return OkStatus();
  return detail::RunConv2D(device, geometry, input, filter, output);
}

#endif

TENON_NAMESPACE_END
