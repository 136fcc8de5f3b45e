// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pictures and sound in summaries: as PNG files, which need the component tenon::image, and as WAV files.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include <tenon/base/errors.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/engine/image/png.hpp>
#include <tenon/ops/audio/wav.hpp>
#include <tenon/ops/summary/summary_proto.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops::detail {

#ifdef TENON_WITH_IMAGE
template <bool with_codecs>
struct PngMessage {
  static Status Write(const unsigned char* pixels, Index height, Index width, int channels, std::string* file) {
    return tenon::detail::WritePng(pixels, height, width, channels, false, -1, file)
               ? OkStatus()
               : errors::Internal("PNG encoding failed");
  }
};
using PngMessages = PngMessage<true>;
#else
template <bool with_codecs>
struct PngMessage {
  static Status Write(const unsigned char*, Index, Index, int, std::string*) { return tenon::detail::NoImageCodecs(); }
};
using PngMessages = PngMessage<false>;
#endif

// "tag/image" of the only picture, else "tag/image/0" and so on.
inline std::string MediaTag(std::string_view tag, std::string_view kind, std::int64_t most, Index i) {
  return most > 1 ? StrCat(tag, "/", kind, "/", i) : StrCat(tag, "/", kind);
}

// Writes the pixels as bytes: a picture without negative values has its greatest value at 255; others have 0 at 128,
// and the greatest magnitude 127 from there. Pixels that are not finite get the bad color. Computes in T, as TensorFlow
// does.
template <class T>
void PixelsOf(const T* values, Index pixels, int depth, const std::uint8_t* bad_color, unsigned char* to) {
  float least = std::numeric_limits<float>::infinity(), greatest = -least;
  const auto finite = [depth](const T* pixel) {
    for (int c = 0; c < depth; ++c)
      if (!std::isfinite(static_cast<double>(pixel[c]))) return false;
    return true;
  };
  for (Index i = 0; i < pixels; ++i) {
    if (!finite(values + i * depth)) continue;
    for (int c = 0; c < depth; ++c) {
      const auto value = static_cast<float>(values[i * depth + c]);
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
  }
  constexpr float kZero = 1e-6f;
  T scale, offset;
  if (least < 0) {
    const float most = std::max(std::fabs(least), std::fabs(greatest));
    scale = T(most < kZero ? 0.0f : 127.0f / most);
    offset = T(128.0f);
  } else {
    scale = T(greatest < kZero ? 0.0f : 255.0f / greatest);
    offset = T(0.0f);
  }
  for (Index i = 0; i < pixels; ++i, values += depth, to += depth) {
    const bool good = finite(values);
    for (int c = 0; c < depth; ++c) {
      const auto level = static_cast<double>(T(T(values[c] * scale) + offset));
      to[c] = !good ? bad_color[c] : level >= 0 && level < 256 ? static_cast<unsigned char>(level) : 0;
    }
  }
}

inline Status CheckPictures(const Tensor& tensor) {
  const Index depth = tensor.dims() == 4 ? tensor.dim_size(3) : 0;
  if (depth != 1 && depth != 3 && depth != 4)
    return errors::InvalidArgument("Tensor must be 4-D with last dim 1, 3, or 4, not ", tensor.shape());
  constexpr Index kMostSide = Index{1} << 31, kMostArea = Index{1} << 29;
  const Index height = tensor.dim_size(1), width = tensor.dim_size(2);
  if (tensor.dim_size(0) >= kMostSide || height >= kMostSide || width >= kMostSide || height * width >= kMostArea)
    return errors::InvalidArgument("Tensor too large for summary ", tensor.shape());
  return OkStatus();
}

// Appends up to `most` pictures of tensor [batch, height, width, 1, 3 or 4] as values of a summary.
inline Status AppendPictures(std::string_view tag, const Tensor& tensor, std::int64_t most, const Tensor& bad_color,
                             std::string* summary) {
  TENON_RETURN_IF_ERROR(CheckPictures(tensor));
  const Index height = tensor.dim_size(1), width = tensor.dim_size(2), pixels = height * width;
  const int depth = static_cast<int>(tensor.dim_size(3));
  if (pixels == 0) return errors::InvalidArgument("input tensor must have non-zero dims. Found: ", tensor.shape());
  const bool bytes = tensor.dtype() == DataType::kUint8;
  if (!bytes && bad_color.NumElements() < depth)
    return errors::InvalidArgument("expected depth <= bad_color.size, got depth = ", depth,
                                   ", bad_color.size = ", bad_color.NumElements());
  const Index count = std::min<Index>(most, tensor.dim_size(0)), size = pixels * depth;
  SlimVector<unsigned char> levels;
  if (!bytes && count > 0) levels.resize(static_cast<std::size_t>(size));
  for (Index i = 0; i < count; ++i) {
    const std::uint8_t* const bad = bad_color.data<std::uint8_t>();
    const unsigned char* from = levels.data();
    switch (tensor.dtype()) {
      case DataType::kUint8: from = tensor.data<std::uint8_t>() + i * size; break;
      case DataType::kHalf: PixelsOf(tensor.data<half>() + i * size, pixels, depth, bad, levels.data()); break;
      case DataType::kDouble: PixelsOf(tensor.data<double>() + i * size, pixels, depth, bad, levels.data()); break;
      default: PixelsOf(tensor.data<float>() + i * size, pixels, depth, bad, levels.data());
    }
    std::string value, image, file;
    TENON_RETURN_IF_ERROR(PngMessages::Write(from, height, width, depth, &file));
    PutInt(1, height, &image);
    PutInt(2, width, &image);
    PutInt(3, depth, &image);
    PutText(4, file, &image);
    PutText(kValueTag, MediaTag(tag, "image", most, i), &value);
    PutBytes(kValueImage, image, &value);
    PutBytes(kSummaryValue, value, summary);
  }
  return OkStatus();
}

// Appends up to `most` sounds of tensor [batch, frames] or [batch, frames, channels] as values of a summary.
inline Status AppendSounds(std::string_view tag, const Tensor& tensor, std::int64_t most, float sample_rate,
                           std::string* summary) {
  if (tensor.dims() != 2 && tensor.dims() != 3)
    return errors::InvalidArgument("Tensor must be 3-D or 2-D, got: ", tensor.shape());
  if (!(sample_rate > 0)) return errors::InvalidArgument("sample_rate must be > 0");
  const Index frames = tensor.dim_size(1), channels = tensor.dims() == 2 ? 1 : tensor.dim_size(2);
  const Index per_second = sample_rate < 4294967296.0f ? std::max<Index>(1, std::lrintf(sample_rate)) : Index{1} << 32;
  const Index count = std::min<Index>(most, tensor.dim_size(0));
  for (Index i = 0; i < count; ++i) {
    std::string value, audio, file;
    TENON_RETURN_IF_ERROR(WriteWav("AudioSummary", tensor.data<float>() + i * frames * channels, frames * channels,
                                   channels, per_second, &file));
    PutFloat(1, sample_rate, &audio);
    PutInt(2, channels, &audio);
    PutInt(3, frames, &audio);
    PutText(4, file, &audio);
    PutText(5, "audio/wav", &audio);
    PutText(kValueTag, MediaTag(tag, "audio", most, i), &value);
    PutBytes(kValueAudio, audio, &value);
    PutBytes(kSummaryValue, value, summary);
  }
  return OkStatus();
}

}  // namespace ops::detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
