// SPDX-License-Identifier: Apache-2.0
#pragma once
// WebP files, animated ones too, by libwebp and libwebpdemux. WebpReader needs the component tenon::webp, which defines
// TENON_WITH_WEBP (the same in all files of a program).

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#ifdef TENON_WITH_WEBP
#include <webp/decode.h>
#include <webp/demux.h>
#endif

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline Status NoWebpCodec() {
  return errors::Unimplemented(
      "WebP files need libwebp: link the CMake component tenon::webp, or define TENON_WITH_WEBP and link -lwebp "
      "-lwebpdemux");
}

#ifdef TENON_WITH_WEBP

// Reads one file. one thread.
class WebpReader {
 public:
  WebpReader() = default;
  WebpReader(const WebpReader&) = delete;
  WebpReader& operator=(const WebpReader&) = delete;
  ~WebpReader() { WebPAnimDecoderDelete(frames_); }

  // Reads what stands before the pixels of `file`, which must outlive the reader. False for what is no WebP file.
  bool Begin(std::string_view file) {
    file_ = {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()};
    return WebPGetFeatures(file_.bytes, file_.size, &features_) == VP8_STATUS_OK;
  }
  Index height() const { return features_.height; }
  Index width() const { return features_.width; }
  Index channels() const { return features_.has_alpha ? 4 : 3; }  // RGB, or RGBA
  bool animated() const { return features_.has_animation != 0; }

  // Counts the frames of an animated file. 0: it is damaged.
  Index CountFrames() {
    WebPAnimInfo info;
    frames_ = WebPAnimDecoderNew(&file_, nullptr);
    if (frames_ == nullptr || !WebPAnimDecoderGetInfo(frames_, &info)) return 0;
    const bool good = info.canvas_height == static_cast<std::uint32_t>(height()) &&
                      info.canvas_width == static_cast<std::uint32_t>(width());
    return good ? static_cast<Index>(info.frame_count) : 0;
  }
  // Writes the first `count` frames, each painted over the one before it: [count, height, width, channels]. CountFrames
  // comes first. False for a damaged file.
  bool PaintFrames(Index count, unsigned char* to) {
    const std::size_t pixels = static_cast<std::size_t>(height()) * static_cast<std::size_t>(width());
    for (Index frame = 0; frame < count; ++frame) {
      std::uint8_t* from = nullptr;
      int milliseconds = 0;
      if (!WebPAnimDecoderGetNext(frames_, &from, &milliseconds)) return false;
      for (std::size_t i = 0; i < pixels; ++i, from += 4, to += channels())
        std::memcpy(to, from, static_cast<std::size_t>(channels()));
    }
    return true;
  }
  // Writes the picture of a file that is not animated: [height, width, channels]. False for a damaged file.
  bool Paint(unsigned char* to) {
    const int row = static_cast<int>(width() * channels());
    const auto size = static_cast<std::size_t>(height()) * static_cast<std::size_t>(row);
    auto* const decode = features_.has_alpha ? &WebPDecodeRGBAInto : &WebPDecodeRGBInto;
    return decode(file_.bytes, file_.size, to, size, row) != nullptr;
  }

 private:
  WebPData file_{};
  WebPBitstreamFeatures features_{};
  WebPAnimDecoder* frames_ = nullptr;
};

#endif

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
