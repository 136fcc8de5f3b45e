// SPDX-License-Identifier: Apache-2.0
#pragma once
// Conv2D on the CPU: NHWC images, HWIO filters, any strides, dilations, paddings and number of groups. The filter is cut
// into panels of channels as wide as a few vectors (packed, unless there are few pixels); a tile of six output pixels by one
// panel stays in registers while the pixels' windows are read in place. Only padded images are copied, in bands of rows.

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

// Everything about a convolution but its data. input [batch, rows, columns, depth], filter [rows, columns, depth / groups,
// out_depth], output [batch, out_rows, out_columns, out_depth].
struct Conv2DGeometry {
  Index batch = 0;
  Window rows, columns;
  Index in_depth = 0, out_depth = 0;
  Index groups = 1;

  Index group_depth() const { return in_depth / groups; }
  TensorShape output_shape() const { return TensorShape({batch, rows.output, columns.output, out_depth}); }
};

// From the shapes and attrs of a Conv2D in NHWC; `strides` and `dilations` have four values. The errors are TensorFlow's.
inline Status MakeConv2DGeometry(const TensorShape& input, const TensorShape& filter, std::span<const Index> strides,
                                 std::span<const Index> dilations, Padding padding, std::span<const Index> explicit_paddings,
                                 Conv2DGeometry* geometry) {
  if (dilations.size() != 4) return errors::InvalidArgument("Sliding window dilations field must specify 4 dimensions");
  if (strides.size() != 4) return errors::InvalidArgument("Sliding window strides field must specify 4 dimensions");
  if (strides[0] != 1 || strides[3] != 1) {
    return errors::Unimplemented("Current implementation does not yet support strides in the batch and depth dimensions.");
  }
  if (strides[1] <= 0 || strides[2] <= 0) return errors::InvalidArgument("Sliding window strides should be larger than 0.");
  if (dilations[0] != 1 || dilations[3] != 1) {
    return errors::Unimplemented("Current implementation does not yet support dilations in the batch and depth dimensions.");
  }
  if (dilations[1] <= 0 || dilations[2] <= 0) return errors::InvalidArgument("Dilated rates should be larger than 0.");
  TENON_RETURN_IF_ERROR(CheckExplicitPaddings(padding, explicit_paddings));
  if (input.dims() != 4) return errors::InvalidArgument("input must be 4-dimensional", input.DebugString());
  if (filter.dims() != 4) return errors::InvalidArgument("filter must be 4-dimensional: ", filter.DebugString());

  Conv2DGeometry g;
  g.batch = input.dim_size(0);
  g.in_depth = input.dim_size(3);
  g.out_depth = filter.dim_size(3);
  const Index filter_depth = filter.dim_size(2);
  if (filter_depth <= 0 || filter.dim_size(0) <= 0 || filter.dim_size(1) <= 0) {
    return errors::InvalidArgument("filter must not have zero elements (i.e. all dimensions must be non-zero)");
  }
  if (g.in_depth % filter_depth != 0) {
    return errors::InvalidArgument("input depth must be evenly divisible by filter depth: ", g.in_depth, " vs ", filter_depth);
  }
  g.groups = g.in_depth / filter_depth;
  if (g.groups <= 0) return errors::InvalidArgument("number of groups must be greater than zero: ", g.groups);
  if (g.out_depth % g.groups != 0) {
    return errors::InvalidArgument("output depth must be evenly divisible by number of groups: ", g.out_depth, " vs ", g.groups);
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
  *geometry = g;
  return OkStatus();
}

// Overwrites `output`, whose shape is geometry.output_shape(). T is float, double, half, bfloat16 (these two are summed as
// float and rounded once) or an integer type (which wraps). Scratch memory comes from the device.
template <class T>
Status Conv2D(Cpu& device, const Conv2DGeometry& geometry, const T* input, const T* filter, T* output);

#if !defined(__CUDACC__)

namespace detail {

// The type that a convolution of T computes in, and a vector of it.
template <class T>
using ConvAccumulator = std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>,
                                           std::type_identity<std::conditional_t<std::is_same_v<T, double>, double, float>>>::type;
template <class C, class Isa>
using ConvVector = simd::Batch<C, std::conditional_t<std::is_floating_point_v<C>, Isa, simd::isa::Scalar>>;

inline constexpr int kConvPixels = 6;  // of a tile
// Vectors of a tile's row: 6 x 2 fill 16 registers, 6 x 4 fill 32.
template <class Isa>
inline constexpr int kConvVectors = std::is_same_v<Isa, simd::isa::Avx512> || std::is_same_v<Isa, simd::isa::Neon64> ? 4 : 2;

// Where the elements of a pixel's window lie, seen from its first: `rows` times `pieces` runs of `length`.
struct ConvWindow {
  Index rows, row_step;
  Index pieces, piece_step;
  Index length;
};

// out[i * out_step + j] = window of pixel i times channel j of a panel of `width` vectors, for six pixels. The panel's rows,
// one for each element of the window, are `panel_step` elements apart.
template <class V, int width>
void ConvTile(const ConvWindow& w, const typename V::value_type* const* pixels, const typename V::value_type* panel,
              Index panel_step, typename V::value_type* out, Index out_step) {
  using C = typename V::value_type;
  V sums[kConvPixels][width];
#pragma GCC unroll 6
  for (int i = 0; i < kConvPixels; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < width; ++v) sums[i][v] = V(C(0));
  }
  for (Index row = 0; row < w.rows; ++row) {
    for (Index piece = 0; piece < w.pieces; ++piece) {
      const Index offset = row * w.row_step + piece * w.piece_step;
      const C* from[kConvPixels];
#pragma GCC unroll 6
      for (int i = 0; i < kConvPixels; ++i) from[i] = pixels[i] + offset;
      for (Index t = 0; t < w.length; ++t, panel += panel_step) {
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

// One convolution: geometry, data, packed filter. Shared by the threads that work on it.
template <class T, class Isa>
class ConvWork {
 public:
  using C = ConvAccumulator<T>;
  using V = ConvVector<C, Isa>;
  static constexpr int kWidth = kConvVectors<Isa>;
  static constexpr Index kPanel = kWidth * V::size;  // output channels

  ConvWork(const Conv2DGeometry& g, const T* input, T* output) : g_(g), input_(input), output_(output) {
    band_columns_ = (g.columns.output - 1) * g.columns.stride + g.columns.extent();
    const bool padded = g.rows.pad_before != 0 || g.columns.pad_before != 0 ||
                        (g.rows.output - 1) * g.rows.stride + g.rows.extent() > g.rows.input || band_columns_ > g.columns.input;
    copies_ = padded || sizeof(T) != sizeof(C);
    packs_ = sizeof(T) != sizeof(C) || g.batch * g.rows.output * g.columns.output > kFewPixels;
    if (!copies_) band_columns_ = g.columns.input;
    band_rows_ = g.rows.output;
    while (band_rows_ > 1 && band_rows_ * g.columns.output > 2 * kGroup && BandElements() * Index{sizeof(C)} > kBandBytes) {
      band_rows_ = (band_rows_ + 1) / 2;
    }
    const Index window = g.group_depth();
    const bool joined = g.columns.dilation == 1 && g.groups == 1;  // a row of the window is one run
    window_ = {g.rows.size, g.rows.dilation * band_columns_ * g.in_depth, joined ? 1 : g.columns.size,
               g.columns.dilation * g.in_depth, joined ? g.columns.size * window : window};
  }

  Index taps() const { return g_.rows.size * g_.columns.size * g_.group_depth(); }
  Index group_channels() const { return g_.out_depth / g_.groups; }
  // Elements of the packed filter, and of what each thread needs.
  Index PackedElements() const { return g_.groups * taps() * PackedChannels(); }
  Index BandElements() const {
    return copies_ ? ((band_rows_ - 1) * g_.rows.stride + g_.rows.extent()) * band_columns_ * g_.in_depth : 0;
  }
  Index bands_per_image() const { return (g_.rows.output + band_rows_ - 1) / band_rows_; }
  double ns() const {
    const double products = static_cast<double>(taps()) * static_cast<double>(g_.out_depth);
    const double pixels = static_cast<double>(g_.batch * g_.rows.output) * static_cast<double>(g_.columns.output);
    return products * pixels * (std::is_floating_point_v<C> ? 0.04 : 0.5);
  }
  // More bands, so that every thread gets some.
  void SplitBands(Index parts) {
    while (band_rows_ > 1 && g_.batch * bands_per_image() < 2 * parts) band_rows_ = (band_rows_ + 1) / 2;
  }

  // filter [taps, out_depth] -> for each group and each panel of its channels [taps, channels of the panel], zeros behind
  // the last channel. Without packing, only the panels that are no whole vectors.
  void Pack(const T* filter, C* packed) {
    filter_ = filter;
    packed_ = packed;
    for (Index group = 0; group < g_.groups; ++group) {
      for (Index first = 0, used; first < group_channels(); first += used) {
        used = PanelChannels(first);
        if (!Packed(used)) continue;
        const Index width = Widened(used);
        const T* from = filter + group * group_channels() + first;
        for (Index t = 0; t < taps(); ++t, packed += width, from += g_.out_depth) {
          Convert(from, packed, used);
          for (Index j = used; j < width; ++j) packed[j] = C(0);
        }
      }
    }
  }

  // Bands are numbered through all images. `band` is this thread's buffer.
  void RunBand(Index number, C* band) const {
    const Index image = number / bands_per_image(), row = number % bands_per_image() * band_rows_;
    const Index rows = Least(band_rows_, g_.rows.output - row);
    const Index top = row * g_.rows.stride - g_.rows.pad_before;
    const T* const from = input_ + image * g_.rows.input * g_.columns.input * g_.in_depth;
    const C* const window = copies_ ? band : AsAccumulators(from) + top * g_.columns.input * g_.in_depth;
    if (copies_) FillBand(from, top, (rows - 1) * g_.rows.stride + g_.rows.extent(), band);
    T* const to = output_ + (image * g_.rows.output + row) * g_.columns.output * g_.out_depth;
    const Index pixels = rows * g_.columns.output, groups = (pixels + kGroup - 1) / kGroup;
    for (Index i = 0; i < groups; ++i) {
      const Index first = PartBegin(pixels, groups, kConvPixels, i);
      RunPixels(window, first, PartBegin(pixels, groups, kConvPixels, i + 1) - first, to);
    }
  }

 private:
  static constexpr Index kGroup = 12 * kConvPixels;  // pixels that a panel meets before the next panel comes
  static constexpr Index kBandBytes = 256 * 1024;    // of a padded band: a part of the second cache
  static constexpr Index kFewPixels = 128;           // for which it does not pay to pack the filter

  static Index Least(Index a, Index b) { return a < b ? a : b; }
  static Index Widened(Index channels) { return (channels + V::size - 1) / V::size * V::size; }
  // How many channels from number `first` of a group on make a panel; and whether it is packed.
  Index PanelChannels(Index first) const {
    const Index used = Least(kPanel, group_channels() - first);
    return packs_ || used < V::size ? used : used / V::size * V::size;
  }
  bool Packed(Index used) const { return packs_ || used % V::size != 0; }
  Index PackedChannels() const {
    Index channels = 0;
    for (Index first = 0, used; first < group_channels(); first += used) {
      used = PanelChannels(first);
      if (Packed(used)) channels += Widened(used);
    }
    return channels;
  }

  // Data that need no conversion (int32 is computed as uint32).
  static const C* AsAccumulators(const T* data) { return reinterpret_cast<const C*>(data); }
  static void Convert(const T* from, C* to, Index n) {
    if constexpr (sizeof(T) == sizeof(C)) {
      for (Index i = 0; i < n; ++i) to[i] = AsAccumulators(from)[i];
    } else {
      for (Index i = 0; i < n; ++i) to[i] = static_cast<C>(from[i]);
    }
  }

  // Rows [top, top + rows) of an image, with what lies outside of it as zeros.
  void FillBand(const T* image, Index top, Index rows, C* band) const {
    const Index depth = g_.in_depth;
    const Index left = Least(g_.columns.pad_before, band_columns_);
    const Index inside = Least(g_.columns.input, band_columns_ - left), right = band_columns_ - left - inside;
    for (Index r = top; r < top + rows; ++r) {
      if (r < 0 || r >= g_.rows.input) {
        band = Zeros(band, band_columns_ * depth);
        continue;
      }
      band = Zeros(band, left * depth);
      const T* from = image + r * g_.columns.input * depth;
      if constexpr (sizeof(T) == sizeof(C)) {
        std::memcpy(band, from, static_cast<std::size_t>(inside * depth) * sizeof(C));
      } else {
        Convert(from, band, inside * depth);
      }
      band = Zeros(band + inside * depth, right * depth);
    }
  }
  static C* Zeros(C* to, Index n) {
    std::memset(static_cast<void*>(to), 0, static_cast<std::size_t>(n) * sizeof(C));
    return to + n;
  }

  // Pixels [first, first + count) of a band whose first window begins at `window` and first output at `to`.
  void RunPixels(const C* window, Index first, Index count, T* to) const {
    const C* pixels[kGroup];
    Index row = first / g_.columns.output, column = first % g_.columns.output;
    for (Index i = 0; i < kGroup; ++i) {
      if (i >= count) {  // tiles are always whole: what is too much repeats a pixel and is not stored
        pixels[i] = pixels[i - 1];
        continue;
      }
      pixels[i] = window + (row * g_.rows.stride * band_columns_ + column * g_.columns.stride) * g_.in_depth;
      if (++column == g_.columns.output) {
        column = 0;
        ++row;
      }
    }
    to += first * g_.out_depth;
    const C* packed = packed_;
    for (Index group = 0; group < g_.groups; ++group) {
      for (Index channel = 0, used; channel < group_channels(); channel += used) {
        used = PanelChannels(channel);
        Panel panel{AsAccumulators(filter_) + group * group_channels() + channel, g_.out_depth, used};
        if (Packed(used)) {
          panel.data = packed;
          panel.step = Widened(used);
          packed += taps() * panel.step;
        }
        T* const out = to + group * group_channels() + channel;
        for (Index i = 0; i < count; i += kConvPixels) {
          RunTile(static_cast<int>(Widened(used) / V::size), pixels + i, panel, out + i * g_.out_depth, Least(kConvPixels, count - i));
        }
      }
      for (const C*& pixel : pixels) pixel += g_.group_depth();
    }
  }

  struct Panel {
    const C* data;
    Index step;
    Index channels;
  };
  template <int width>
  void RunTileOf(const C* const* pixels, const Panel& panel, T* out, Index count) const {
    if constexpr (sizeof(T) == sizeof(C)) {
      if (count == kConvPixels && panel.channels == width * V::size) {
        return ConvTile<V, width>(window_, pixels, panel.data, panel.step, reinterpret_cast<C*>(out), g_.out_depth);
      }
    }
    alignas(64) C tile[kConvPixels * width * V::size];
    ConvTile<V, width>(window_, pixels, panel.data, panel.step, tile, width * V::size);
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < panel.channels; ++j) out[i * g_.out_depth + j] = static_cast<T>(tile[i * width * V::size + j]);
    }
  }
  void RunTile(int width, const C* const* pixels, const Panel& panel, T* out, Index count) const {
    if constexpr (kWidth == 4) {
      if (width == 4) return RunTileOf<4>(pixels, panel, out, count);
      if (width == 3) return RunTileOf<3>(pixels, panel, out, count);
    }
    if (width == 2) return RunTileOf<2>(pixels, panel, out, count);
    RunTileOf<1>(pixels, panel, out, count);
  }

  const Conv2DGeometry& g_;
  const T* input_;
  T* output_;
  const T* filter_ = nullptr;
  const C* packed_ = nullptr;
  bool copies_;  // of the input, with its padding
  bool packs_;   // the whole filter
  Index band_rows_, band_columns_;  // output rows of a band; input columns of its rows
  ConvWindow window_;
};

template <class T, class Isa = simd::Unit>
Status RunConv2D(Cpu& device, const Conv2DGeometry& g, const T* input, const T* filter, T* output) {
  using Work = ConvWork<T, Isa>;
  using C = typename Work::C;
  Work work(g, input, output);
  const Index parts = WorthwhileParts(device, work.ns());
  if (parts > 1) work.SplitBands(parts);
  const std::size_t packed_bytes = ScratchBytes<C>(work.PackedElements()), band_bytes = ScratchBytes<C>(work.BandElements());
  Scratch scratch(device, packed_bytes + static_cast<std::size_t>(parts) * band_bytes);
  TENON_RETURN_IF_ERROR(scratch.status("Conv2D"));
  work.Pack(filter, scratch.As<C>());
  const Index bands = g.batch * work.bands_per_image();
  RunParts(device, parts, [&](Index part) {
    C* const band = scratch.As<C>(packed_bytes + static_cast<std::size_t>(part) * band_bytes);
    for (Index i = PartBegin(bands, parts, 1, part); i < PartBegin(bands, parts, 1, part + 1); ++i) work.RunBand(i, band);
  });
  return OkStatus();
}

}  // namespace detail

template <class T>
Status Conv2D(Cpu& device, const Conv2DGeometry& geometry, const T* input, const T* filter, T* output) {
  if (geometry.batch == 0 || geometry.rows.output == 0 || geometry.columns.output == 0 || geometry.out_depth == 0) return OkStatus();
  return detail::RunConv2D(device, geometry, input, filter, output);
}

#endif

TENON_NAMESPACE_END
