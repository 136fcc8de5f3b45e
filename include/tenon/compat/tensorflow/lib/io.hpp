// SPDX-License-Identifier: Apache-2.0
#pragma once
// Streams over files: inputs in pieces and in lines.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/io/compression/crc32.hpp>
#include <tenon/compat/tensorflow/env.hpp>

namespace tensorflow {
namespace io {

class InputStreamInterface {
 public:
  virtual ~InputStreamInterface() = default;
  // OutOfRange: fewer bytes are left; *result has them.
  virtual Status ReadNBytes(int64_t bytes, tstring* result) = 0;
  virtual Status SkipNBytes(int64_t bytes) {
    tstring unused;
    return ReadNBytes(bytes, &unused);
  }
  virtual int64_t Tell() const = 0;
  virtual Status Reset() = 0;
};

class RandomAccessInputStream : public InputStreamInterface {
 public:
  explicit RandomAccessInputStream(RandomAccessFile* file, bool owns_file = false) : file_(file), owns_(owns_file) {}
  ~RandomAccessInputStream() override {
    if (owns_) delete file_;
  }
  Status ReadNBytes(int64_t bytes, tstring* result) override {
    if (bytes < 0) return errors::InvalidArgument("Cannot read negative number of bytes");
    std::string room(static_cast<std::size_t>(bytes), '\0');
    StringPiece got;
    const Status status = file_->Read(static_cast<uint64_t>(at_), room.size(), &got, room.data());
    *result = tstring(got);
    if (status.ok() || errors::IsOutOfRange(status)) at_ += static_cast<int64_t>(got.size());
    return status;
  }
  int64_t Tell() const override { return at_; }
  Status Seek(int64_t position) {
    at_ = position;
    return Status();
  }
  Status Reset() override { return Seek(0); }

 private:
  RandomAccessFile* file_;
  bool owns_;
  int64_t at_ = 0;
};

// Reads ahead, and reads lines.
class BufferedInputStream : public InputStreamInterface {
 public:
  BufferedInputStream(InputStreamInterface* stream, std::size_t buffer_bytes, bool owns_stream = false)
      : stream_(stream), bytes_(buffer_bytes), owns_(owns_stream) {}
  BufferedInputStream(RandomAccessFile* file, std::size_t buffer_bytes)
      : BufferedInputStream(new RandomAccessInputStream(file), buffer_bytes, true) {}
  ~BufferedInputStream() override {
    if (owns_) delete stream_;
  }
  Status ReadNBytes(int64_t bytes, tstring* result) override {
    if (bytes < 0) return errors::InvalidArgument("Can't read a negative number of bytes: ", bytes);
    std::string out;
    Status status;
    while (static_cast<int64_t>(out.size()) < bytes && status.ok()) {
      if (at_ == buffer_.size()) status = Fill();
      const std::size_t n = std::min(buffer_.size() - at_, static_cast<std::size_t>(bytes) - out.size());
      out.append(buffer_, at_, n);
      at_ += n;
    }
    told_ += static_cast<int64_t>(out.size());
    *result = out;
    return static_cast<int64_t>(out.size()) == bytes ? Status() : status;
  }
  template <class Text>
  Status ReadLine(Text* result) {
    return ReadLineWith(false, result);
  }
  std::string ReadLineAsString() {
    std::string line;
    static_cast<void>(ReadLineWith(true, &line));
    return line;
  }
  Status SkipLine() {
    std::string unused;
    return ReadLineWith(true, &unused);
  }
  template <class Text>
  Status ReadAll(Text* result) {
    std::string out;
    for (Status status; status.ok();) {
      out.append(buffer_, at_);
      at_ = buffer_.size();
      status = Fill();
      if (!status.ok() && !errors::IsOutOfRange(status)) return status;
      if (!status.ok()) out.append(buffer_, at_), at_ = buffer_.size();
    }
    told_ += static_cast<int64_t>(out.size());
    *result = out;
    return Status();
  }
  int64_t Tell() const override { return told_; }
  Status Seek(int64_t position) {
    TF_RETURN_IF_ERROR(Reset());
    return position == 0 ? Status() : SkipNBytes(position);
  }
  Status Reset() override {
    buffer_.clear();
    at_ = 0;
    told_ = 0;
    return stream_->Reset();
  }

 private:
  // OutOfRange: no byte is left.
  Status Fill() {
    tstring more;
    const Status status = stream_->ReadNBytes(static_cast<int64_t>(bytes_), &more);
    buffer_ = std::string(StringPiece(more));
    at_ = 0;
    return !status.ok() && errors::IsOutOfRange(status) && !buffer_.empty() ? Status() : status;
  }
  template <class Text>
  Status ReadLineWith(bool with_end, Text* result) {
    std::string line;
    for (;;) {
      if (at_ == buffer_.size()) {
        const Status status = Fill();
        if (!status.ok()) {
          *result = line;
          return errors::IsOutOfRange(status) && !line.empty() ? Status() : status;
        }
      }
      const char c = buffer_[at_++];
      ++told_;
      if (c == '\n') {
        if (with_end) line += c;
        break;
      }
      if (c != '\r') line += c;
    }
    *result = line;
    return Status();
  }
  InputStreamInterface* stream_;
  std::size_t bytes_;
  bool owns_;
  std::string buffer_;
  std::size_t at_ = 0;
  int64_t told_ = 0;
};

// A file in lines and pieces; takes the file over.
class InputBuffer {
 public:
  InputBuffer(RandomAccessFile* file, std::size_t buffer_bytes) : file_(file), buffer_(file, buffer_bytes) {}
  template <class Text>
  Status ReadLine(Text* line) {
    return buffer_.ReadLine(line);
  }
  template <class Text>
  Status ReadNBytes(int64_t bytes, Text* result) {
    tstring out;
    const Status status = buffer_.ReadNBytes(bytes, &out);
    *result = Text(StringPiece(out));
    return status;
  }
  Status ReadNBytes(int64_t bytes, char* result, std::size_t* bytes_read) {
    tstring out;
    const Status status = buffer_.ReadNBytes(bytes, &out);
    std::copy(out.data(), out.data() + out.size(), result);
    *bytes_read = out.size();
    return status;
  }
  Status SkipNBytes(int64_t bytes) { return buffer_.SkipNBytes(bytes); }
  Status ReadVarint32(uint32* value) { return ReadVarint(value, 5); }
  Status ReadVarint64(uint64_t* value) { return ReadVarint(value, 10); }
  Status Hint(int64_t bytes) {
    return bytes < 0 ? errors::InvalidArgument("Can't read a negative number of bytes: ", bytes) : Status();
  }
  Status Seek(int64_t position) { return buffer_.Seek(position); }
  int64_t Tell() const { return buffer_.Tell(); }
  RandomAccessFile* file() const { return file_.get(); }

 private:
  template <class T>
  Status ReadVarint(T* value, int most) {
    *value = 0;
    for (int i = 0; i < most; ++i) {
      tstring byte;
      TF_RETURN_IF_ERROR(buffer_.ReadNBytes(1, &byte));
      const auto bits = static_cast<unsigned char>(byte.data()[0]);
      *value |= static_cast<T>(static_cast<T>(bits & 127) << 7 * i);
      if ((bits & 128) == 0) return Status();
    }
    return errors::DataLoss("Stored data is too large to be a varint.");
  }
  std::unique_ptr<RandomAccessFile> file_;
  BufferedInputStream buffer_;
};

namespace compression {
inline constexpr const char* kNone = "";
inline constexpr const char* kGzip = "GZIP";
inline constexpr const char* kZlib = "ZLIB";
inline constexpr const char* kSnappy = "SNAPPY";
}  // namespace compression

}  // namespace io

namespace crc32c {
inline uint32 Value(const char* data, std::size_t size) { return tenon::Crc32c({data, size}); }
inline uint32 Extend(uint32 before, const char* data, std::size_t size) { return tenon::Crc32c({data, size}, before); }
inline uint32 Mask(uint32 sum) { return tenon::MaskCrc(sum); }
inline uint32 Unmask(uint32 sum) {
  const uint32 rotated = sum - 0xa282ead8u;
  return rotated >> 17 | rotated << 15;
}
}  // namespace crc32c

}  // namespace tensorflow
