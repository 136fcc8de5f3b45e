// SPDX-License-Identifier: Apache-2.0
#pragma once
// DecodePng, DecodeJpeg, DecodeBmp, DecodeWebP: pictures in files as tensors [height, width, channels]. As in
// TensorFlow, DecodePng and DecodeJpeg read PNG, JPEG and GIF files, and every op reads WebP files: [frames, height,
// width, channels]. PNG and JPEG need the component tenon::image (engine/image/png.hpp), WebP needs tenon::webp
// (engine/image/webp.hpp). decode_image.hpp has the ops for files of any kind.

#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/image/gif.hpp>
#include <tenon/engine/image/jpeg.hpp>
#include <tenon/engine/image/png.hpp>
#include <tenon/engine/image/webp.hpp>
#include <tenon/kernel/adapter.hpp>
#include <tenon/kernel/context.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline Status DecodeImageShape(InferenceContext* c) {
  ShapeHandle unused;
  TENON_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &unused));
  std::int64_t channels = 0;
  TENON_RETURN_IF_ERROR(c->GetAttr("channels", &channels));
  if (channels < 0) return errors::InvalidArgument("channels must be non-negative, got ", channels);
  const DimensionHandle depth = channels == 0 ? c->UnknownDim() : c->MakeDim(channels);
  c->set_output(0, c->MakeShape({c->UnknownDim(), c->UnknownDim(), depth}));
  return OkStatus();
}

inline Status DecodeWebpShape(InferenceContext* c) {
  TENON_RETURN_IF_ERROR(DecodeImageShape(c));
  const ShapeHandle picture = c->output(0);
  c->set_output(0, c->MakeShape({c->UnknownDim(), c->UnknownDim(), c->UnknownDim(), c->Dim(picture, 2)}));
  return OkStatus();
}

inline Status CheckDecodeChannels(std::int64_t channels) {
  if (channels == 0 || channels == 1 || channels == 3 || channels == 4) return OkStatus();
  return errors::InvalidArgument("`channels` must be 0, 1, 3 or 4 but got ", channels);
}

// Checks the input of any decoder and sets *file to its bytes.
inline Status EncodedImage(const Tensor& contents, std::string_view* file) {
  if (contents.dims() != 0) return errors::InvalidArgument("`contents` must be scalar but got shape", contents.shape());
  *file = contents.data<tstring>()->view();
  if (file->empty()) return errors::InvalidArgument("Input is empty.");
  if (file->size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    return errors::InvalidArgument("Input contents are too large for int: ", file->size());
  return OkStatus();
}

// A header may promise any size: no more than TensorFlow takes.
inline Status CheckImageSize(std::string_view what, Index height, Index width) {
  constexpr Index kMostSide = Index{1} << 27, kMostArea = Index{1} << 29;
  if (height < kMostSide && width < kMostSide && height * width < kMostArea) return OkStatus();
  return errors::InvalidArgument(what, " size too large for int: ", width, " by ", height);
}

// The output that a decoder makes of a picture.
struct DecodedForm {
  DataType dtype = DataType::kUint8;  // or uint16, float
  bool has_frames = false;  // [1, height, width, channels] of a picture, [frames, ...] of a GIF file
  bool first_frame = false;  // takes one frame of a GIF file; a file with several needs this or has_frames
};

inline Status AllocateImage(OpKernelContext& context, const DecodedForm& form, Index frames, Index height, Index width,
                            Index channels, Tensor** image) {
  const Index sizes[] = {frames, height, width, channels};
  TensorShape shape;
  TENON_RETURN_IF_ERROR(TensorShape::Build(form.has_frames ? Span<const Index>(sizes, 4) : Span(sizes + 1, 3), &shape));
  return context.allocate_output(0, shape, image);
}

// The decoders write levels to the back of the output, so that wider elements can take their place from the front.
inline unsigned char* LevelsOf(Tensor* image, int bytes_per_level) {
  const auto levels = static_cast<std::size_t>(image->NumElements()) * static_cast<std::size_t>(bytes_per_level);
  return static_cast<unsigned char*>(image->raw_data()) + (image->TotalBytes() - levels);
}
// As in TensorFlow, a byte v becomes v * 256 of 16 bits; floats lie in [0, 1].
inline void WidenLevels(Tensor* image, int bytes_per_level) {
  const unsigned char* from = LevelsOf(image, bytes_per_level);
  auto* const to = static_cast<unsigned char*>(image->raw_data());
  const Index count = image->NumElements();
  if (from == to) return;
  for (Index i = 0; i < count; ++i) {
    std::uint16_t level = from[i * bytes_per_level];
    if (bytes_per_level == 2) std::memcpy(&level, from + 2 * i, 2);
    if (image->dtype() == DataType::kUint16) {
      level = static_cast<std::uint16_t>(level * 256);
      std::memcpy(to + 2 * i, &level, 2);
    } else {
      const float share = static_cast<float>(level) * (bytes_per_level == 2 ? 1 / 65535.0f : 1 / 255.0f);
      std::memcpy(to + 4 * i, &share, 4);
    }
  }
}

inline Status DecodeGifFile(OpKernelContext& context, std::string_view file, std::int64_t channels,
                            const DecodedForm& form) {
  if (channels != 0 && channels != 3) return errors::InvalidArgument("channels must be 0 or 3 for GIF, got ", channels);
  tenon::detail::GifReader reader;
  bool good = reader.Begin(file);
  if (good) {
    const Index frames = form.first_frame ? 1 : reader.frames();
    if (frames > 1 && !form.has_frames)
      return errors::InvalidArgument("Got ", frames,
                                     " frames, but animated gifs can only be decoded by tf.io.decode_gif or "
                                     "tf.io.decode_image");
    Tensor* image = nullptr;
    TENON_RETURN_IF_ERROR(AllocateImage(context, form, frames, reader.height(), reader.width(), 3, &image));
    good = reader.Paint(frames, LevelsOf(image, 1));
    if (good) WidenLevels(image, 1);
  }
  return good ? OkStatus()
              : errors::InvalidArgument("Invalid GIF data (size ", file.size(), "), ", reader.error(), reader.cause());
}

#ifdef TENON_WITH_IMAGE
using tenon::detail::JpegReader;
using tenon::detail::PngReader;

inline Status DecodePngFile(OpKernelContext& context, std::string_view file, std::int64_t channels,
                            const DecodedForm& form) {
  PngReader reader;
  if (!reader.Begin(file, static_cast<int>(channels), form.dtype != DataType::kUint8))
    return errors::InvalidArgument("Invalid PNG. Failed to initialize decoder.");
  TENON_RETURN_IF_ERROR(CheckImageSize("PNG", reader.height(), reader.width()));
  Tensor* image = nullptr;
  TENON_RETURN_IF_ERROR(AllocateImage(context, form, 1, reader.height(), reader.width(), reader.channels(), &image));
  const int bytes = form.dtype == DataType::kUint8 ? 1 : 2;
  if (!reader.Finish(LevelsOf(image, bytes))) return errors::InvalidArgument("Invalid PNG data, size ", file.size());
  WidenLevels(image, bytes);
  return OkStatus();
}

inline Status DecodeJpegFile(OpKernelContext& context, std::string_view file, const JpegReadOptions& options,
                             const DecodedForm& form) {
  if (options.channels == 4) return errors::InvalidArgument("JPEG does not support 4 channels");
  JpegReader reader;
  Tensor* image = nullptr;
  if (reader.Begin(file, options)) {
    TENON_RETURN_IF_ERROR(CheckImageSize("JPEG", reader.height(), reader.width()));
    TENON_RETURN_IF_ERROR(AllocateImage(context, form, 1, reader.height(), reader.width(), reader.channels(), &image));
    if (reader.Finish(LevelsOf(image, 1))) {
      WidenLevels(image, 1);
      return OkStatus();
    }
  }
  return errors::InvalidArgument("jpeg::Uncompress failed. Invalid JPEG data or crop window.");
}

// Sets sizes[3] to the height, the width and the channels of a JPEG file.
inline Status JpegFileShape(std::string_view file, Index* sizes) {
  JpegReader reader;
  if (!reader.ReadShape(file)) return errors::InvalidArgument("Invalid JPEG data, size ", file.size());
  sizes[0] = reader.height();
  sizes[1] = reader.width();
  sizes[2] = reader.channels();
  return OkStatus();
}

template <bool with_codecs>
struct ImageFile {
  static Status Png(OpKernelContext& context, std::string_view file, std::int64_t channels, const DecodedForm& form) {
    return DecodePngFile(context, file, channels, form);
  }
  static Status Jpeg(OpKernelContext& context, std::string_view file, const JpegReadOptions& options,
                     const DecodedForm& form) {
    return DecodeJpegFile(context, file, options, form);
  }
  static Status JpegShape(std::string_view file, Index* sizes) { return JpegFileShape(file, sizes); }
};
using ImageFiles = ImageFile<true>;
#else
template <bool with_codecs>
struct ImageFile {
  static Status Png(OpKernelContext&, std::string_view, std::int64_t, const DecodedForm&) {
    return tenon::detail::NoImageCodecs();
  }
  static Status Jpeg(OpKernelContext&, std::string_view, const JpegReadOptions&, const DecodedForm&) {
    return tenon::detail::NoImageCodecs();
  }
  static Status JpegShape(std::string_view, Index*) { return tenon::detail::NoImageCodecs(); }
};
using ImageFiles = ImageFile<false>;
#endif

#ifdef TENON_WITH_WEBP
// [frames, height, width, channels], or the first frame of these alone where the form says so.
inline Status ReadWebpFile(OpKernelContext& context, std::string_view file, std::int64_t channels,
                           const DecodedForm& form) {
  tenon::detail::WebpReader reader;
  if (!reader.Begin(file)) return errors::InvalidArgument("Failed to decode WebP header.");
  TENON_RETURN_IF_ERROR(CheckImageSize("WebP", reader.height(), reader.width()));
  if (channels != 0 && channels != reader.channels())
    return errors::InvalidArgument("Number of channels requested does not match input: asked for ", channels,
                                   ", the file has ", reader.channels());
  const Index frames = reader.animated() ? reader.CountFrames() : 1;
  if (frames == 0) return errors::InvalidArgument("Failed to decode WebP Animation: failed to decode WebP Animation");
  const DecodedForm made{.has_frames = !form.first_frame};
  const Index count = form.first_frame ? 1 : frames;
  Tensor* image = nullptr;
  TENON_RETURN_IF_ERROR(
      AllocateImage(context, made, count, reader.height(), reader.width(), reader.channels(), &image));
  auto* const levels = static_cast<unsigned char*>(image->raw_data());
  if (reader.animated() ? reader.PaintFrames(count, levels) : reader.Paint(levels)) return OkStatus();
  return errors::InvalidArgument("Failed to decode WebP image.");
}
template <bool with_codec>
struct WebpFile {
  static Status Read(OpKernelContext& context, std::string_view file, std::int64_t channels, const DecodedForm& form) {
    return ReadWebpFile(context, file, channels, form);
  }
};
using WebpFiles = WebpFile<true>;
#else
template <bool with_codec>
struct WebpFile {
  static Status Read(OpKernelContext&, std::string_view, std::int64_t, const DecodedForm&) {
    return tenon::detail::NoWebpCodec();
  }
};
using WebpFiles = WebpFile<false>;
#endif

inline Status DecodeWebpFile(OpKernelContext& context, std::string_view file, std::int64_t channels,
                             const DecodedForm& form) {
  if (form.dtype != DataType::kUint8) return errors::InvalidArgument("WebP only supports uint8 for dtype");
  if (channels == 1) return errors::InvalidArgument("WebP only supports 3 or 4 channels");
  return WebpFiles::Read(context, file, channels, form);
}

constexpr bool IsPng(std::string_view file) { return file.starts_with("\x89PNG\r\n\x1a\n"); }
constexpr bool IsJpeg(std::string_view file) { return file.starts_with("\xff\xd8\xff"); }
constexpr bool IsGif(std::string_view file) { return file.starts_with("GIF8"); }
constexpr bool IsBmp(std::string_view file) { return file.starts_with("BM"); }
constexpr bool IsWebp(std::string_view file) {
  return file.size() > 12 && file.starts_with("RIFF") && file.substr(8).starts_with("WEBP");
}

inline Status UnknownImageFormat() {
  return errors::InvalidArgument("Unknown image file format. One of JPEG, PNG, GIF, BMP, WebP required.");
}

// An op whose shape function does not hold for files of this format.
inline Status WrongImageOp(std::string_view format, std::string_view op) {
  return errors::InvalidArgument("Trying to decode ", format,
                                 " format using a wrong op. Use `decode_image` instead. Op used: ", op);
}

// Decodes a file of any kind but BMP.
inline Status DecodeAnyButBmp(OpKernelContext& context, std::string_view op, const Tensor& contents,
                              const JpegReadOptions& options, const DecodedForm& form) {
  std::string_view file;
  TENON_RETURN_IF_ERROR(EncodedImage(contents, &file));
  const bool png = IsPng(file), jpeg = IsJpeg(file), gif = IsGif(file);
  if (IsWebp(file)) {
    if (op == "DecodePng" || op == "DecodeJpeg") return WrongImageOp("WebP", op);
    return DecodeWebpFile(context, file, options.channels, form);
  }
  if (op == "DecodeWebP" && (png || jpeg || gif)) return WrongImageOp(png ? "PNG" : jpeg ? "JPEG" : "GIF", op);
  if (png) return ImageFiles::Png(context, file, options.channels, form);
  if (jpeg) return ImageFiles::Jpeg(context, file, options, form);
  if (gif) return DecodeGifFile(context, file, options.channels, form);
  if (IsBmp(file))
    return errors::InvalidArgument(
        "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead. Op used: ", op);
  return UnknownImageFormat();
}

struct JpegAttrs {
  std::int64_t channels;
  std::int64_t ratio;
  bool fancy_upscaling;
  bool try_recover_truncated;
  std::string_view dct_method;
};
inline Status CheckJpegAttrs(const JpegAttrs& attrs) {
  TENON_RETURN_IF_ERROR(CheckDecodeChannels(attrs.channels));
  if (attrs.ratio != 1 && attrs.ratio != 2 && attrs.ratio != 4 && attrs.ratio != 8)
    return errors::InvalidArgument("ratio must be 1, 2, 4, or 8, got ", attrs.ratio);
  if (!attrs.dct_method.empty() && attrs.dct_method != "INTEGER_FAST" && attrs.dct_method != "INTEGER_ACCURATE")
    return errors::InvalidArgument("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}, got '",
                                   attrs.dct_method, "'");
  return OkStatus();
}
inline JpegReadOptions JpegOptionsOf(const JpegAttrs& attrs) {
  return {.channels = static_cast<int>(attrs.channels),
          .ratio = static_cast<int>(attrs.ratio),
          .fancy_upscaling = attrs.fancy_upscaling,
          .try_recover_truncated = attrs.try_recover_truncated,
          .fast_dct = attrs.dct_method != "INTEGER_ACCURATE"};
}

// The header of a BMP file. As in TensorFlow, only these fields are read: not the compression, not the palette.
struct BmpLayout {
  Index first = 0;  // byte of the first pixel
  Index width = 0, height = 0;
  Index channels = 0;  // in the file: 1 grey, 3 BGR, 4 BGRA
  Index row_bytes = 0;  // a multiple of 4
  bool from_top = false;  // rows come from the bottom up otherwise
};
inline std::int32_t BmpInt32(std::string_view file, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(file[at + i]);
  return static_cast<std::int32_t>(value);
}
inline Status ReadBmpLayout(std::string_view file, BmpLayout* layout) {
  if (file.size() < 32)
    return errors::InvalidArgument(
        "Incomplete bmp content, requires at least 32 bytes to find the header size, width, height, and bpp, got ",
        file.size(), " bytes");
  layout->first = BmpInt32(file, 10);
  layout->width = BmpInt32(file, 18);
  const Index height = BmpInt32(file, 22);
  layout->channels = (static_cast<unsigned char>(file[28]) | static_cast<unsigned char>(file[29]) << 8) / 8;
  if (layout->channels != 1 && layout->channels != 3 && layout->channels != 4)
    return errors::InvalidArgument("Number of channels inherent in the image must be 1, 3 or 4, was ",
                                   layout->channels);
  if (layout->width <= 0) return errors::InvalidArgument("Width must be positive");
  if (height == 0) return errors::InvalidArgument("Height must be nonzero");
  if (layout->first < 0) return errors::InvalidArgument("header size must be nonnegative");
  layout->from_top = height < 0;
  layout->height = height < 0 ? -height : height;
  layout->row_bytes = (layout->channels * layout->width + 3) / 4 * 4;
  // Both factors are below 2^34: by division, for int64 does not hold every product.
  if (layout->height > ((Index{1} << 30) - 1) / layout->row_bytes)
    return errors::InvalidArgument("Total possible pixel bytes must be less than 2^30, got ", layout->height,
                                   " rows of ", layout->row_bytes);
  const Index rest = static_cast<Index>(file.size()) - layout->first - layout->height * layout->row_bytes;
  if (rest != 0)
    return errors::InvalidArgument("Input size should match (header_size + row_size * abs_height) but they differ by ",
                                   rest);
  return OkStatus();
}
// To `channels` (1 of grey files only, 3 or 4) samples a pixel: grey is repeated, pixels without alpha are opaque.
inline void ReadBmpRows(const char* file, const BmpLayout& layout, Index channels, unsigned char* to) {
  for (Index y = 0; y < layout.height; ++y) {
    const Index row = layout.from_top ? y : layout.height - 1 - y;
    const auto* from = reinterpret_cast<const unsigned char*>(file) + layout.first + row * layout.row_bytes;
    for (Index x = 0; x < layout.width; ++x, from += layout.channels, to += channels) {
      const bool grey = layout.channels == 1;
      to[0] = from[grey ? 0 : 2];
      if (channels == 1) continue;
      to[1] = from[grey ? 0 : 1];
      to[2] = from[0];
      if (channels == 4) to[3] = layout.channels == 4 ? from[3] : 255;
    }
  }
}

inline Status OneChannelOfBmp() { return errors::InvalidArgument("`channels` must be 0, 3 or 4 for BMP, but got 1"); }
inline Status NotBmp(std::string_view file) {
  const bool png = IsPng(file), jpeg = IsJpeg(file);
  if (!png && !jpeg && !IsGif(file)) return UnknownImageFormat();
  return errors::InvalidArgument("Trying to decode ",
                                 png    ? "PNG"
                                 : jpeg ? "JPEG"
                                        : "GIF",
                                 " format using DecodeBmp op. Use `decode_",
                                 png    ? "png"
                                 : jpeg ? "jpeg"
                                        : "gif",
                                 "` or `decode_image` instead.");
}
inline Status DecodeBmpFile(OpKernelContext& context, std::string_view file, Index channels, const DecodedForm& form) {
  BmpLayout layout;
  TENON_RETURN_IF_ERROR(ReadBmpLayout(file, &layout));
  const Index depth = channels == 0 ? layout.channels : channels;
  Tensor* image = nullptr;
  TENON_RETURN_IF_ERROR(AllocateImage(context, form, 1, layout.height, layout.width, depth, &image));
  ReadBmpRows(file.data(), layout, depth, LevelsOf(image, 1));
  WidenLevels(image, 1);
  return OkStatus();
}

}  // namespace detail

struct DecodePng {
  static constexpr auto signature = Op("DecodePng")
                                        .Input("contents: string")
                                        .Attr("channels: int = 0")
                                        .Attr("dtype: {uint8, uint16} = DT_UINT8")
                                        .Output("image: dtype")
                                        .SetShapeFn(detail::DecodeImageShape);

  struct Attrs {
    std::int64_t channels;
    DataType dtype;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const { return detail::CheckDecodeChannels(this->channels); }
    Status operator()(Context<Device>& context, const Tensor& contents, Tensor&) const {
      return detail::DecodeAnyButBmp(context.op(), "DecodePng", contents,
                                     {.channels = static_cast<int>(this->channels)}, {.dtype = this->dtype});
    }
  };
};

// `ratio` makes the picture 1, 2, 4 or 8 times smaller; acceptable_fraction has no effect: a file that ends early is
// refused, or read to its end and padded when try_recover_truncated is set.
struct DecodeJpeg {
  static constexpr auto signature = Op("DecodeJpeg")
                                        .Input("contents: string")
                                        .Attr("channels: int = 0")
                                        .Attr("ratio: int = 1")
                                        .Attr("fancy_upscaling: bool = true")
                                        .Attr("try_recover_truncated: bool = false")
                                        .Attr("acceptable_fraction: float = 1.0")
                                        .Attr("dct_method: string = ''")
                                        .Output("image: uint8")
                                        .SetShapeFn(detail::DecodeImageShape);

  static constexpr std::string_view unused[] = {"acceptable_fraction"};
  using Attrs = detail::JpegAttrs;

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const { return detail::CheckJpegAttrs(*this); }
    Status operator()(Context<Device>& context, const Tensor& contents, Tensor&) const {
      return detail::DecodeAnyButBmp(context.op(), "DecodeJpeg", contents, detail::JpegOptionsOf(*this), {});
    }
  };
};

struct DecodeBmp {
  static constexpr auto signature = Op("DecodeBmp")
                                        .Input("contents: string")
                                        .Output("image: uint8")
                                        .Attr("channels: int = 0")
                                        .SetShapeFn(detail::DecodeImageShape);

  struct Attrs {
    std::int64_t channels;
  };

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const { return detail::CheckDecodeChannels(this->channels); }
    Status operator()(Context<Device>& context, const Tensor& contents, Tensor&) const {
      std::string_view file;
      TENON_RETURN_IF_ERROR(detail::EncodedImage(contents, &file));
      if (detail::IsWebp(file)) return detail::WrongImageOp("WebP", "DecodeBmp");
      if (this->channels == 1) return detail::OneChannelOfBmp();
      if (!detail::IsBmp(file)) return detail::NotBmp(file);
      return detail::DecodeBmpFile(context.op(), file, this->channels, {});
    }
  };
};

// [frames, height, width, channels]; channels: 3 or 4, as the file has them.
struct DecodeWebP {
  static constexpr auto signature = Op("DecodeWebP")
                                        .Input("contents: string")
                                        .Attr("channels: int = 0")
                                        .Attr("dtype: {uint8} = DT_UINT8")
                                        .Output("image: dtype")
                                        .SetShapeFn(detail::DecodeWebpShape);

  struct Attrs {
    std::int64_t channels;
  };
  static constexpr auto kernel_types = TypeAttrs();

  template <class Device>
    requires(Device::type == "CPU")
  struct kernel : Attrs {
    Status Init(OpKernelConstruction&) const { return detail::CheckDecodeChannels(this->channels); }
    Status operator()(Context<Device>& context, const Tensor& contents, Tensor&) const {
      return detail::DecodeAnyButBmp(context.op(), "DecodeWebP", contents,
                                     {.channels = static_cast<int>(this->channels)}, {});
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
