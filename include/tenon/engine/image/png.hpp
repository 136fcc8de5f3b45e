// SPDX-License-Identifier: Apache-2.0
#pragma once
// PNG files in and out, by libpng. It needs the component tenon::image, which defines TENON_WITH_IMAGE (the same in all
// files of a program); without it PngReader and WritePng say that they are missing.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#ifdef TENON_WITH_IMAGE
#include <png.h>

#include <csetjmp>
#endif

#include <tenon/base/config.hpp>
#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline Status NoImageCodecs() {
  return errors::Unimplemented(
      "PNG and JPEG files need libpng and libjpeg: link the CMake component tenon::image, or define TENON_WITH_IMAGE "
      "and link -lpng -ljpeg");
}

#ifdef TENON_WITH_IMAGE

// libpng leaves its calls by longjmp: no function here that it may leave has anything to destroy.
[[noreturn]] inline void PngFails(png_structp png, png_const_charp) { png_longjmp(png, 1); }
inline void PngWarns(png_structp, png_const_charp) {}

// Reads one file. one thread.
class PngReader {
 public:
  PngReader() = default;
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() {
    if (png_ != nullptr) png_destroy_read_struct(&png_, &info_, nullptr);
  }

  // Reads what stands before the pixels of `file`, which must outlive the reader. `channels`: 1 grey, 2 with alpha,
  // 3 RGB, 4 with alpha, 0 as the file has them. `sixteen`: two bytes a sample, in the machine's order. False for what
  // is no PNG file.
  bool Begin(std::string_view file, int channels, bool sixteen) {
    left_ = file;
    channels_ = channels;
    sixteen_ = sixteen;
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, &PngFails, &PngWarns);
    if (png_ == nullptr) return false;
    info_ = png_create_info_struct(png_);
    return info_ != nullptr && ReadHeader();
  }
  Index height() const { return png_get_image_height(png_, info_); }
  Index width() const { return png_get_image_width(png_, info_); }
  Index channels() const { return channels_; }

  // height * width * channels samples. False when the file is damaged.
  bool Finish(void* pixels) {
    const std::size_t row_bytes = static_cast<std::size_t>(width() * channels_) * (sixteen_ ? 2 : 1);
    if (!ReadRows(static_cast<png_bytep>(pixels), row_bytes)) return false;
    if (widen_) {
      // The samples of a row came into its front half: v becomes v * 257, from the back.
      for (Index r = 0; r < height(); ++r) {
        unsigned char* const row = static_cast<unsigned char*>(pixels) + static_cast<std::size_t>(r) * row_bytes;
        for (std::size_t i = row_bytes / 2; i-- > 0;) {
          const std::uint16_t wide = static_cast<std::uint16_t>(row[i] * 257);
          std::memcpy(row + 2 * i, &wide, 2);
        }
      }
    }
    return true;
  }

 private:
  static void Supply(png_structp png, png_bytep to, png_size_t count) {
    auto* self = static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > self->left_.size()) png_error(png, "the file ends early");
    std::memcpy(to, self->left_.data(), count);
    self->left_.remove_prefix(count);
  }

  bool ReadHeader() {
    if (setjmp(png_jmpbuf(png_))) return false;
    png_set_read_fn(png_, this, &Supply);
    png_read_info(png_, info_);
    const int color = png_get_color_type(png_, info_), depth = png_get_bit_depth(png_, info_);
    const bool transparent = png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
    const bool has_alpha = (color & PNG_COLOR_MASK_ALPHA) != 0, is_gray = (color & PNG_COLOR_MASK_COLOR) == 0;
    if (channels_ == 0)
      channels_ = color == PNG_COLOR_TYPE_PALETTE ? (transparent ? 4 : 3) : png_get_channels(png_, info_);
    if (channels_ % 2 == 0) {
      if (!has_alpha && transparent)
        png_set_tRNS_to_alpha(png_);
      else if (!has_alpha)
        png_set_add_alpha(png_, (1u << depth) - 1, PNG_FILLER_AFTER);
    } else if (has_alpha || transparent) {
      png_set_strip_alpha(png_);
    }
    if (depth > 8 && !sixteen_) png_set_strip_16(png_);
    widen_ = depth <= 8 && sixteen_;
    png_set_packing(png_);
    passes_ = png_set_interlace_handling(png_);
    const std::uint16_t one = 1;
    unsigned char first = 0;
    std::memcpy(&first, &one, 1);
    if (sixteen_ && first == 1) png_set_swap(png_);
    if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    if (is_gray && depth < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if (channels_ < 3 && !is_gray) png_set_rgb_to_gray(png_, 1, 0.299, 0.587);
    if (channels_ >= 3 && is_gray) png_set_gray_to_rgb(png_);
    png_read_update_info(png_, info_);
    return true;
  }

  bool ReadRows(png_bytep pixels, std::size_t row_bytes) {
    if (setjmp(png_jmpbuf(png_))) return false;
    if (png_get_rowbytes(png_, info_) > row_bytes) return false;
    const png_uint_32 rows = png_get_image_height(png_, info_);
    for (int pass = 0; pass < passes_; ++pass)
      for (png_uint_32 r = 0; r < rows; ++r) png_read_row(png_, pixels + r * row_bytes, nullptr);
    png_read_end(png_, info_);
    return true;
  }

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::string_view left_;
  int channels_ = 0, passes_ = 1;
  bool sixteen_ = false, widen_ = false;
};

inline void PngAppends(png_structp png, png_bytep bytes, png_size_t count) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(bytes), count);
}
inline void PngFlushes(png_structp) {}

inline bool WritePngRows(png_structp png, png_infop info, const unsigned char* pixels, png_uint_32 height,
                         png_uint_32 width, int channels, bool sixteen, int compression, std::string* file) {
  constexpr int kColors[4] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                              PNG_COLOR_TYPE_RGB_ALPHA};
  if (setjmp(png_jmpbuf(png))) return false;
  png_set_write_fn(png, file, &PngAppends, &PngFlushes);
  if (compression >= 0) png_set_compression_level(png, compression);
  png_set_IHDR(png, info, width, height, sixteen ? 16 : 8, kColors[channels - 1], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const std::uint16_t one = 1;
  unsigned char first = 0;
  std::memcpy(&first, &one, 1);
  if (sixteen && first == 1) png_set_swap(png);
  const std::size_t row_bytes = std::size_t{width} * static_cast<std::size_t>(channels) * (sixteen ? 2 : 1);
  for (png_uint_32 r = 0; r < height; ++r) png_write_row(png, pixels + r * row_bytes);
  png_write_end(png, nullptr);
  return true;
}

// Appends the file to *file. `compression`: 0 to 9, -1 zlib's default; `channels`: 1 to 4. False when libpng refuses,
// or would: a batch may have any number of images without pixels, and each refusal costs a writer.
inline bool WritePng(const void* pixels, Index height, Index width, int channels, bool sixteen, int compression,
                     std::string* file) {
  constexpr Index kMost = 0x7fffffff;
  if (height < 1 || width < 1 || height > kMost || width > kMost) return false;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, &PngFails, &PngWarns);
  if (png == nullptr) return false;
  png_infop info = png_create_info_struct(png);
  const bool written =
      info != nullptr &&
      WritePngRows(png, info, static_cast<const unsigned char*>(pixels), static_cast<png_uint_32>(height),
                   static_cast<png_uint_32>(width), channels, sixteen, compression, file);
  png_destroy_write_struct(&png, &info);
  return written;
}

#endif

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
