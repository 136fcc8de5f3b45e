// SPDX-License-Identifier: Apache-2.0
#pragma once
// GIF files: their frames as RGB pictures, each painted over the frame before it. For untrusted data: memory depends on
// the number of frames alone, and a file that ends early gives the frames before its end.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/base/slim_vector.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// The bytes of a file, in order. Each function returns false at the end of the file.
class GifBytes {
 public:
  GifBytes(std::string_view file, std::size_t at) : file_(file), at_(at) {}
  std::size_t at() const { return at_; }

  bool Skip(std::size_t count) {
    if (count > file_.size() - at_) return false;
    at_ += count;
    return true;
  }
  bool Byte(int* value) {
    if (!Skip(1)) return false;
    *value = static_cast<unsigned char>(file_[at_ - 1]);
    return true;
  }
  bool Word(int* value) {
    int low = 0, high = 0;
    if (!Byte(&low) || !Byte(&high)) return false;
    *value = high << 8 | low;
    return true;
  }
  // A block: a byte with its size, and as many bytes, from *first on.
  bool Block(std::size_t* first, int* size) {
    if (!Byte(size)) return false;
    *first = at_;
    return Skip(static_cast<std::size_t>(*size));
  }

 private:
  std::string_view file_;
  std::size_t at_;
};

// The levels of one frame, decompressed one by one: codes of up to 12 bits stand for runs of levels that came before.
class GifLevels {
 public:
  // `at`: of the byte that gives the bits of a level.
  GifLevels(std::string_view file, std::size_t at) : file_(file), bytes_(file, at) {}

  bool Begin() {
    int bits = 0;
    if (!bytes_.Byte(&bits) || bits > 8) return false;
    clear_ = 1 << bits;
    Clear();
    return true;
  }
  // False where the data are damaged or end; error() says which.
  bool Next(unsigned char* level) {
    while (depth_ == 0)
      if (!Expand()) return false;
    *level = stack_[--depth_];
    return true;
  }
  // Skips the blocks that are left, to the empty one that ends them.
  bool Finish(std::size_t* end) {
    std::size_t first = 0;
    for (int size = 1; size != 0;)
      if (!bytes_.Block(&first, &size)) return Fail(kCut);
    *end = bytes_.at();
    return true;
  }
  const char* error() const { return error_; }

  static constexpr const char* kCut = "Failed to read from given file";

 private:
  static constexpr int kCodes = 4096, kMostBits = 12, kNone = 0xffff;

  bool Fail(const char* error) {
    error_ = error;
    return false;
  }
  void Clear() {
    for (std::uint16_t& p : prefix_) p = kNone;
    made_ = clear_;
    width_ = clear_width();
    last_ = kNone;
  }
  int clear_width() const {
    int bits = 1;
    while (1 << (bits - 1) < clear_) ++bits;
    return bits;
  }
  bool Code(int* code) {
    while (count_ < width_) {
      if (left_ == 0) {
        int size = 0;
        if (!bytes_.Block(&next_, &size)) return Fail(kCut);
        if (size == 0) return Fail("Image is defective, decoding aborted");
        left_ = size;
      }
      bits_ |= static_cast<std::uint32_t>(static_cast<unsigned char>(file_[next_++])) << count_;
      --left_;
      count_ += 8;
    }
    *code = static_cast<int>(bits_ & ((1u << width_) - 1));
    bits_ >>= width_;
    count_ -= width_;
    // Codes stay as long as they are when the table is full.
    if (made_ < kCodes - 1 && ++made_ + 2 > 1 << width_ && width_ < kMostBits) ++width_;
    return true;
  }
  // The first level of the run. A code that no run has gives 2, as in TensorFlow.
  unsigned char FirstLevel(int code) const {
    for (int i = 0; code > clear_ && i <= kCodes; ++i) code = code < kCodes ? prefix_[code] : kNone;
    return static_cast<unsigned char>(code == kNone ? 2 : code);
  }
  // Puts the levels of the next code on the stack.
  bool Expand() {
    int code = 0;
    if (!Code(&code)) return false;
    if (code == clear_ + 1) return Fail("Image EOF detected before image complete");
    if (code == clear_) {
      Clear();
      return true;
    }
    int run = code;
    // The run that this code completes is the run before it, and one level more.
    const bool is_new = code > clear_ && prefix_[code] == kNone;
    if (is_new) {
      run = last_;
      stack_[depth_++] = suffix_[made_] = FirstLevel(code == made_ ? last_ : code);
    }
    while (depth_ < kCodes - 1 && run > clear_ && run < kCodes) {
      stack_[depth_++] = suffix_[run];
      run = prefix_[run];
    }
    if (depth_ >= kCodes - 1 || run >= kCodes) return Fail("Image is defective, decoding aborted");
    stack_[depth_++] = static_cast<unsigned char>(run);
    if (last_ != kNone && prefix_[made_] == kNone) {
      prefix_[made_] = static_cast<std::uint16_t>(last_);
      suffix_[made_] = FirstLevel(code == made_ ? last_ : code);
    }
    last_ = code;
    return true;
  }

  std::string_view file_;
  GifBytes bytes_;
  const char* error_ = kCut;
  int clear_ = 0;  // the code that empties the table; the next one ends the data
  int made_ = 0, width_ = 0, last_ = kNone;  // the run that the next code completes, bits of a code, the code before
  int left_ = 0, count_ = 0, depth_ = 0;
  std::size_t next_ = 0;
  std::uint32_t bits_ = 0;
  std::uint16_t prefix_[kCodes];
  unsigned char suffix_[kCodes], stack_[kCodes];
};

// Reads one file, which must outlive the reader. one thread.
class GifReader {
 public:
  // False if the file has no whole frame; error() says why.
  bool Begin(std::string_view file) {
    file_ = file;
    GifBytes bytes(file, 0);
    if (!bytes.Skip(6)) return Fail("failed to open gif file: ", GifLevels::kCut);
    if (!file.starts_with("GIF")) return Fail("failed to open gif file: ", "Data is not in GIF format");
    int ignored = 0, flags = 0;
    if (!bytes.Word(&ignored) || !bytes.Word(&ignored) || !bytes.Byte(&flags) || !bytes.Skip(2) ||
        !ReadColors(&bytes, flags, &colors_))
      return Fail("failed to open gif file: ", "No screen descriptor detected");
    std::size_t at = bytes.at();
    while (ReadFrame(&at)) {
    }
    if (!frames_.empty()) return true;
    return Fail("failed to slurp gif file: ", failed_);
  }
  Index frames() const { return static_cast<Index>(frames_.size()); }
  Index height() const { return height_; }
  Index width() const { return width_; }

  // pixels: [count, height(), width(), 3] for the first `count` frames. False if a color is missing; error() says so.
  bool Paint(Index count, unsigned char* pixels) {
    const std::size_t picture = static_cast<std::size_t>(height_ * width_) * 3;
    for (Index k = 0; k < count; ++k, pixels += picture) {
      if (k == 0)
        std::memset(pixels, 0, picture);
      else
        std::memcpy(pixels, pixels - picture, picture);
      if (!PaintFrame(frames_[static_cast<std::size_t>(k)], pixels)) return false;
    }
    return true;
  }
  std::string_view error() const { return error_; }
  std::string_view cause() const { return cause_; }  // behind error()

 private:
  struct Colors {
    std::size_t first = 0;  // byte of the first one
    int count = 0;
  };
  struct Frame {
    int left = 0, top = 0, width = 0, height = 0;
    int transparent = -1;  // the level that shows the frame before
    bool interlaced = false;
    Colors colors;
    std::size_t data = 0;
  };

  bool Fail(std::string_view error, std::string_view cause = {}) {
    error_ = error;
    cause_ = cause;
    return false;
  }
  static bool ReadColors(GifBytes* bytes, int flags, Colors* colors) {
    if ((flags & 0x80) == 0) return true;
    colors->first = bytes->at();
    colors->count = 2 << (flags & 7);
    return bytes->Skip(static_cast<std::size_t>(colors->count) * 3);
  }

  // Reads what comes before a frame, and the frame. False at the end and where the data are damaged.
  bool ReadFrame(std::size_t* at) {
    GifBytes bytes(file_, *at);
    Frame frame;
    bool has_control = false;
    failed_ = GifLevels::kCut;
    int kind = 0;
    while (bytes.Byte(&kind) && kind == '!')
      if (!ReadExtension(&bytes, &has_control, &frame.transparent)) return false;
    if (kind != ',') {
      if (kind == ';') failed_ = "No Image Descriptor detected";
      return false;
    }
    int flags = 0;
    if (!bytes.Word(&frame.left) || !bytes.Word(&frame.top) || !bytes.Word(&frame.width) ||
        !bytes.Word(&frame.height) || !bytes.Byte(&flags))
      return false;
    frame.colors = colors_;
    if (!ReadColors(&bytes, flags, &frame.colors)) return false;
    frame.interlaced = (flags & 0x40) != 0;
    frame.data = bytes.at();
    GifLevels levels(file_, frame.data);
    if (!levels.Begin()) return false;
    const std::int64_t area = std::int64_t{frame.width} * frame.height;
    if (area == 0 || area > 0x7fffffff) {
      failed_ = "a frame without pixels, or with more than 2^31";
      return false;
    }
    unsigned char level = 0;
    for (std::int64_t i = 0; i < area; ++i)
      if (!levels.Next(&level)) {
        failed_ = levels.error();
        return false;
      }
    if (!levels.Finish(at)) return false;
    height_ = std::max<Index>(height_, frame.height);
    width_ = std::max<Index>(width_, frame.width);
    frames_.push_back(frame);
    return true;
  }
  // An extension has at least one block, even an empty one. The first control block of a frame counts.
  bool ReadExtension(GifBytes* bytes, bool* has_control, int* transparent) {
    int label = 0, size = 0;
    std::size_t first = 0;
    if (!bytes->Byte(&label) || !bytes->Block(&first, &size)) return false;
    if (label == 0xf9 && size > 0 && !*has_control) {
      *has_control = true;
      if (size == 4 && (file_[first] & 1) != 0) *transparent = static_cast<unsigned char>(file_[first + 3]);
    }
    do {
      if (!bytes->Block(&first, &size)) return false;
    } while (size != 0);
    return true;
  }

  bool PaintFrame(const Frame& frame, unsigned char* picture) {
    if (frame.colors.count == 0) return Fail("missing color map for a frame");
    GifLevels levels(file_, frame.data);
    if (!levels.Begin()) return Fail(levels.error());
    if (!frame.interlaced) {
      for (int y = 0; y < frame.height; ++y)
        if (!PaintRow(frame, y, &levels, picture)) return false;
      return true;
    }
    constexpr int kFirst[] = {0, 4, 2, 1}, kStep[] = {8, 8, 4, 2};
    for (int pass = 0; pass < 4; ++pass)
      for (int y = kFirst[pass]; y < frame.height; y += kStep[pass])
        if (!PaintRow(frame, y, &levels, picture)) return false;
    return true;
  }
  bool PaintRow(const Frame& frame, int y, GifLevels* levels, unsigned char* picture) {
    const Index row = Index{frame.top} + y;
    for (int i = 0; i < frame.width; ++i) {
      unsigned char level = 0;
      if (!levels->Next(&level)) return Fail(levels->error());
      const Index column = Index{frame.left} + i;
      if (level == frame.transparent || row >= height_ || column >= width_) continue;
      if (level >= frame.colors.count) return Fail("found color index outside of color map range");
      std::memcpy(picture + (row * width_ + column) * 3, file_.data() + frame.colors.first + std::size_t{level} * 3, 3);
    }
    return true;
  }

  std::string_view file_, error_, cause_;
  std::string_view failed_ = {};  // why there is no further frame
  Colors colors_;
  Index height_ = 0, width_ = 0;
  SlimVector<Frame> frames_;
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
