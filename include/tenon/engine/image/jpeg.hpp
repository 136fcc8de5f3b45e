// SPDX-License-Identifier: Apache-2.0
#pragma once
// JPEG files in and out, by libjpeg. Like engine/image/png.hpp, it needs the component tenon::image.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#ifdef TENON_WITH_IMAGE
#include <jpeglib.h>

#include <csetjmp>
#endif

#include <tenon/base/config.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

struct JpegReadOptions {
  int channels = 0;  // 1 grey, 3 RGB, 0 as the file has them
  int ratio = 1;     // 1, 2, 4 or 8: how much smaller
  bool fancy_upscaling = true;
  bool try_recover_truncated = false;
  bool fast_dct = true;  // TensorFlow's choice unless INTEGER_ACCURATE is asked for
  bool crop = false;     // read the window only
  std::int32_t top = 0, left = 0, height = 0, width = 0;  // the window, in pixels of the smaller picture
};

struct JpegWriteOptions {
  int quality = 95;  // 0 to 100
  bool progressive = false;
  bool optimize_size = false;
  bool chroma_downsampling = true;
  bool density_in_cm = false;  // else in inches
  int x_density = 300, y_density = 300;
  std::string_view xmp_metadata;
};

#ifdef TENON_WITH_IMAGE

namespace detail {

// libjpeg leaves its calls by longjmp: no function here that it may leave has anything to destroy.
struct JpegErrors {
  jpeg_error_mgr manager;
  std::jmp_buf jump;

  jpeg_error_mgr* Set() {
    jpeg_error_mgr* const made = jpeg_std_error(&manager);
    made->error_exit = [](j_common_ptr info) { std::longjmp(reinterpret_cast<JpegErrors*>(info->err)->jump, 1); };
    made->output_message = [](j_common_ptr) {};
    return made;
  }
};

// Reads one file. one thread.
class JpegReader {
 public:
  JpegReader() = default;
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() {
    if (made_) jpeg_destroy_decompress(&info_);
  }

  // Reads the header of `file`, which must outlive the reader. False if it is not a JPEG file, or if its colours cannot
  // become the wanted ones.
  bool Begin(std::string_view file, const JpegReadOptions& options) {
    info_.err = errors_.Set();
    recovers_ = options.try_recover_truncated;
    if (setjmp(errors_.jump)) return false;
    jpeg_create_decompress(&info_);
    made_ = true;
    info_.client_data = this;
    SetSource(file);
    jpeg_read_header(&info_, TRUE);
    channels_ = options.channels != 0 ? options.channels : info_.num_components < 3 ? info_.num_components : 3;
    if (channels_ != 1 && channels_ != 3) return false;
    is_cmyk_ = info_.jpeg_color_space == JCS_CMYK || info_.jpeg_color_space == JCS_YCCK;
    if (is_cmyk_ && channels_ == 1) return false;
    info_.out_color_space = channels_ == 1 ? JCS_GRAYSCALE : is_cmyk_ ? JCS_CMYK : JCS_RGB;
    info_.do_fancy_upsampling = options.fancy_upscaling ? TRUE : FALSE;
    info_.scale_num = 1;
    info_.scale_denom = static_cast<unsigned int>(options.ratio);
    info_.dct_method = options.fast_dct ? JDCT_IFAST : JDCT_ISLOW;
    jpeg_calc_output_dimensions(&info_);
    window_ = {options.crop, options.top, options.left, info_.output_height, info_.output_width};
    if (!options.crop) return true;
    window_.height = options.height;
    window_.width = options.width;
    return options.top >= 0 && options.left >= 0 && options.height > 0 && options.width > 0 &&
           Index{options.top} + options.height <= Index{info_.output_height} &&
           Index{options.left} + options.width <= Index{info_.output_width};
  }
  // Reads only how large the picture in `file` is, and its channels as they are written. False as above.
  bool ReadShape(std::string_view file) {
    info_.err = errors_.Set();
    if (setjmp(errors_.jump)) return false;
    jpeg_create_decompress(&info_);
    made_ = true;
    info_.client_data = this;
    SetSource(file);
    jpeg_read_header(&info_, TRUE);
    jpeg_calc_output_dimensions(&info_);
    window_ = {false, 0, 0, info_.output_height, info_.output_width};
    channels_ = info_.output_components;
    return true;
  }
  Index height() const { return window_.height; }
  Index width() const { return window_.width; }
  Index channels() const { return channels_; }

  // height * width * channels bytes. False when the file is damaged or ends early.
  bool Finish(unsigned char* pixels) {
    SlimVector<unsigned char> row;  // samples that are not wanted: the fourth of a pixel, pixels beside the window
    if (is_cmyk_ || window_.crops) row.resize(static_cast<std::size_t>(info_.output_width) * 4);
    return ReadRows(pixels, row.data());
  }

 private:
  struct Window {
    bool crops = false;
    Index top = 0, left = 0, height = 0, width = 0;
  };

  bool ReadRows(unsigned char* pixels, unsigned char* samples) {
    if (setjmp(errors_.jump)) return false;
    jpeg_start_decompress(&info_);
    const std::size_t row_bytes = static_cast<std::size_t>(width() * channels_);
    JDIMENSION left = 0;  // column of the first sample that is read
#ifdef LIBJPEG_TURBO_VERSION
    if (window_.crops) {
      JDIMENSION read_width = static_cast<JDIMENSION>(window_.width);
      left = static_cast<JDIMENSION>(window_.left);
      jpeg_crop_scanline(&info_, &left, &read_width);
      jpeg_skip_scanlines(&info_, static_cast<JDIMENSION>(window_.top));
    }
#endif
    const auto top = static_cast<JDIMENSION>(window_.crops ? window_.top : 0);
    const JDIMENSION end = top + static_cast<JDIMENSION>(window_.height);
    const auto skipped = static_cast<std::size_t>(window_.crops ? window_.left - Index{left} : 0);
    while (info_.output_scanline < end) {
      const JDIMENSION y = info_.output_scanline;
      unsigned char* const to = y < top ? samples : pixels + (y - top) * row_bytes;
      JSAMPROW row = samples != nullptr ? samples : to;
      if (jpeg_read_scanlines(&info_, &row, 1) == 0) return false;
      if (y < top || samples == nullptr) continue;
      if (is_cmyk_)
        RgbOfCmyk(samples + 4 * skipped, to);
      else
        std::memcpy(to, samples + skipped * static_cast<std::size_t>(channels_), row_bytes);
    }
    if (info_.output_scanline < info_.output_height)
      jpeg_abort_decompress(&info_);
    else
      jpeg_finish_decompress(&info_);
    return true;
  }
  // Adobe's files hold the colours inverted.
  void RgbOfCmyk(const unsigned char* from, unsigned char* to) const {
    for (Index x = 0; x < width(); ++x, from += 4, to += 3) {
      const int k = from[3];
      for (int c = 0; c < 3; ++c)
        to[c] =
            static_cast<unsigned char>(info_.saw_Adobe_marker ? k * from[c] / 255 : (255 - k) * (255 - from[c]) / 255);
    }
  }

  void SetSource(std::string_view file) {
    source_.next_input_byte = reinterpret_cast<const JOCTET*>(file.data());
    source_.bytes_in_buffer = file.size();
    source_.init_source = [](j_decompress_ptr) {};
    source_.term_source = [](j_decompress_ptr) {};
    source_.resync_to_restart = &jpeg_resync_to_restart;
    source_.fill_input_buffer = [](j_decompress_ptr info) -> boolean {
      static const JOCTET kEnd[2] = {0xff, JPEG_EOI};
      if (!static_cast<JpegReader*>(info->client_data)->recovers_) info->err->error_exit(AsCommon(info));
      info->src->next_input_byte = kEnd;
      info->src->bytes_in_buffer = 2;
      return TRUE;
    };
    source_.skip_input_data = [](j_decompress_ptr info, long count) {
      if (count <= 0) return;
      const auto skipped = static_cast<std::size_t>(count);
      if (skipped > info->src->bytes_in_buffer) {
        info->src->bytes_in_buffer = 0;
        (void)info->src->fill_input_buffer(info);
        return;
      }
      info->src->next_input_byte += skipped;
      info->src->bytes_in_buffer -= skipped;
    };
    info_.src = &source_;
  }
  static j_common_ptr AsCommon(j_decompress_ptr info) { return reinterpret_cast<j_common_ptr>(info); }

  JpegErrors errors_{};
  jpeg_decompress_struct info_{};
  jpeg_source_mgr source_{};
  int channels_ = 0;
  Window window_;
  bool made_ = false, is_cmyk_ = false, recovers_ = false;
};

// Writes one file. Frees the memory that libjpeg has allocated, whichever way a call ends.
class JpegWriter {
 public:
  JpegWriter() = default;
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;
  ~JpegWriter() {
    if (made_) jpeg_destroy_compress(&info_);
    std::free(bytes_);
  }

  // pixels: [height, width, channels] with 1 or 3 channels. False when libjpeg refuses.
  bool Write(const unsigned char* pixels, Index height, Index width, int channels, const JpegWriteOptions& options) {
    if (height > JPEG_MAX_DIMENSION || width > JPEG_MAX_DIMENSION) return false;
    info_.err = errors_.Set();
    if (setjmp(errors_.jump)) return false;
    jpeg_create_compress(&info_);
    made_ = true;
    jpeg_mem_dest(&info_, &bytes_, &size_);
    info_.image_width = static_cast<JDIMENSION>(width);
    info_.image_height = static_cast<JDIMENSION>(height);
    info_.input_components = channels;
    info_.in_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&info_);
    if (options.optimize_size) info_.optimize_coding = TRUE;
    info_.density_unit = options.density_in_cm ? 2 : 1;
    info_.X_density = static_cast<UINT16>(options.x_density);
    info_.Y_density = static_cast<UINT16>(options.y_density);
    jpeg_set_quality(&info_, options.quality, TRUE);
    if (options.progressive) jpeg_simple_progression(&info_);
    if (!options.chroma_downsampling)
      for (int c = 0; c < info_.num_components; ++c)
        info_.comp_info[c].h_samp_factor = info_.comp_info[c].v_samp_factor = 1;
    jpeg_start_compress(&info_, TRUE);
    WriteMetadata(options.xmp_metadata);
    const std::size_t row_bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
    while (info_.next_scanline < info_.image_height) {
      JSAMPROW row = const_cast<JSAMPROW>(pixels + info_.next_scanline * row_bytes);
      jpeg_write_scanlines(&info_, &row, 1);
    }
    jpeg_finish_compress(&info_);
    return true;
  }
  std::string_view file() const { return {reinterpret_cast<const char*>(bytes_), size_}; }

 private:
  // XMP: an APP1 segment with this name before the metadata.
  void WriteMetadata(std::string_view xmp) {
    if (xmp.empty()) return;
    constexpr std::string_view kName("http://ns.adobe.com/xap/1.0/\0", 29);
    jpeg_write_m_header(&info_, JPEG_APP0 + 1, static_cast<unsigned int>(kName.size() + xmp.size()));
    for (const char c : kName) jpeg_write_m_byte(&info_, static_cast<unsigned char>(c));
    for (const char c : xmp) jpeg_write_m_byte(&info_, static_cast<unsigned char>(c));
  }

  JpegErrors errors_{};
  jpeg_compress_struct info_{};
  unsigned char* bytes_ = nullptr;
  unsigned long size_ = 0;
  bool made_ = false;
};

}  // namespace detail

#endif

TENON_DETAIL_NAMESPACE_END
