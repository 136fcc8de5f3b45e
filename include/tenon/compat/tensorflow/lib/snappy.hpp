// SPDX-License-Identifier: Apache-2.0
#pragma once
// Streams of Snappy: blocks, each behind its size of four bytes, the highest first.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include <tenon/io/compression/snappy.hpp>
#include <tenon/compat/tensorflow/lib/io.hpp>

namespace tensorflow {
namespace port {

inline bool Snappy_Compress(const char* input, std::size_t length, std::string* output) {
  if (length > std::numeric_limits<std::uint32_t>::max()) return false;
  *output = tenon::Snap({input, length});
  return true;
}
inline bool Snappy_GetUncompressedLength(const char* input, std::size_t length, std::size_t* result) {
  *result = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(length, 5); ++i) {
    const auto bits = static_cast<unsigned char>(input[i]);
    *result |= static_cast<std::size_t>(bits & 127) << 7 * i;
    if ((bits & 128) == 0) return *result <= std::numeric_limits<std::uint32_t>::max();
  }
  return false;
}
// `output` has room for the length above.
inline bool Snappy_Uncompress(const char* input, std::size_t length, char* output) {
  const auto plain = tenon::Unsnap({input, length}, std::numeric_limits<std::uint32_t>::max());
  if (plain.ok()) std::copy(plain->begin(), plain->end(), output);
  return plain.ok();
}

}  // namespace port
namespace io {

// The sizes of buffers are accepted; they change nothing.
struct SnappyCompressionOptions {
  int64_t input_buffer_size = 256 << 10, output_buffer_size = 256 << 10;
};

// The bytes that a compressed stream stands for. one thread.
class SnappyInputStream : public InputStreamInterface {
 public:
  SnappyInputStream(InputStreamInterface* stream, std::size_t, bool owns_stream = false)
      : stream_(stream), owns_(owns_stream) {}
  SnappyInputStream(const SnappyInputStream&) = delete;
  SnappyInputStream& operator=(const SnappyInputStream&) = delete;
  ~SnappyInputStream() override {
    if (owns_) delete stream_;
  }
  // OutOfRange: the stream ends before; *result holds what there was. DataLoss: not a stream of Snappy.
  Status ReadNBytes(int64_t bytes, tstring* result) override {
    if (bytes < 0) return errors::InvalidArgument("Can't read a negative number of bytes: ", bytes);
    std::string out;
    Status status;
    while (static_cast<int64_t>(out.size()) < bytes && status.ok()) {
      if (at_ == block_.size()) status = ReadBlock();
      const std::size_t n = std::min(block_.size() - at_, static_cast<std::size_t>(bytes) - out.size());
      out.append(block_, at_, n);
      at_ += n;
    }
    told_ += static_cast<int64_t>(out.size());
    *result = tstring(out);
    return static_cast<int64_t>(out.size()) == bytes ? Status() : status;
  }
  int64_t Tell() const override { return told_; }
  Status Reset() override {
    block_.clear();
    at_ = 0;
    told_ = 0;
    return stream_->Reset();
  }

 private:
  Status ReadBlock() {
    block_.clear();
    at_ = 0;
    tstring head, packed;
    const Status status = stream_->ReadNBytes(4, &head);
    if (errors::IsOutOfRange(status) && head.size() > 0) return errors::DataLoss("a block of Snappy ends too early");
    TF_RETURN_IF_ERROR(status);
    std::size_t left = 0;
    for (int i = 0; i < 4; ++i) left = left << 8 | static_cast<unsigned char>(head.data()[i]);
    std::string all;
    for (constexpr std::size_t kPiece = 1 << 20; left > 0; left -= std::min(left, kPiece)) {  // wrong sizes end early
      const Status read = stream_->ReadNBytes(static_cast<int64_t>(std::min(left, kPiece)), &packed);
      if (errors::IsOutOfRange(read)) return errors::DataLoss("a block of Snappy ends too early");
      TF_RETURN_IF_ERROR(read);
      all.append(StringPiece(packed));
    }
    TF_ASSIGN_OR_RETURN(block_, tenon::Unsnap(all));
    return Status();
  }
  InputStreamInterface* stream_;
  const bool owns_;
  std::string block_;
  std::size_t at_ = 0;
  int64_t told_ = 0;
};
// A stream of a file, which outlives it.
class SnappyInputBuffer : public SnappyInputStream {
 public:
  SnappyInputBuffer(RandomAccessFile* file, std::size_t, std::size_t output_buffer_bytes)
      : SnappyInputStream(new RandomAccessInputStream(file), output_buffer_bytes, true) {}
};

// Writes compressed bytes to a file, which it does not own. one thread.
class SnappyOutputBuffer : public WritableFile {
 public:
  SnappyOutputBuffer(WritableFile* file, int32, int32) : file_(file) {}
  ~SnappyOutputBuffer() override { (void)Close(); }
  Status Append(StringPiece data) override { return Write(data); }
  Status Write(StringPiece data) {
    constexpr std::size_t kBlock = 256 << 10;
    held_.append(data);
    StringPiece rest = held_;
    for (; rest.size() >= kBlock; rest.remove_prefix(kBlock)) TF_RETURN_IF_ERROR(PutBlock(rest.substr(0, kBlock)));
    held_.erase(0, held_.size() - rest.size());
    return Status();
  }
  Status Flush() override {
    TF_RETURN_IF_ERROR(Drain());
    return file_->Flush();
  }
  Status Sync() override {
    TF_RETURN_IF_ERROR(Flush());
    return file_->Sync();
  }
  // The file stays open.
  Status Close() override { return Drain(); }
  Status Name(StringPiece* result) const override { return file_->Name(result); }
  Status Tell(int64_t* position) override { return file_->Tell(position); }

 private:
  Status Drain() {
    const std::string rest = std::exchange(held_, {});
    return rest.empty() ? Status() : PutBlock(rest);
  }
  Status PutBlock(StringPiece bytes) {
    const std::string packed = tenon::Snap(bytes);
    std::string block;
    for (int shift = 24; shift >= 0; shift -= 8) block.push_back(static_cast<char>(packed.size() >> shift));
    return file_->Append(block.append(packed));
  }
  WritableFile* file_;
  std::string held_;
};

}  // namespace io
}  // namespace tensorflow
