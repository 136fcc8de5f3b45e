// SPDX-License-Identifier: Apache-2.0
#pragma once
// Streams of zlib, gzip and raw deflated data: ZlibInputStream and ZlibOutputBuffer.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include <tenon/io/compression/deflate_stream.hpp>
#include <tenon/io/compression/inflate_stream.hpp>
#include <tenon/compat/tensorflow/lib/io.hpp>

namespace tensorflow {
namespace io {

// The sizes of buffers and the levels are accepted; they change nothing.
struct ZlibCompressionOptions {
  static ZlibCompressionOptions DEFAULT() { return {}; }
  static ZlibCompressionOptions RAW() { return WithBits(-15); }
  static ZlibCompressionOptions GZIP() { return WithBits(31); }
  bool is_gzip() const { return window_bits > 15; }
  tenon::InflateFormat format() const {
    return is_gzip()         ? tenon::InflateFormat::kGzip
           : window_bits < 0 ? tenon::InflateFormat::kRaw
                             : tenon::InflateFormat::kZlib;
  }

  int8 flush_mode = 0;
  int64_t input_buffer_size = 256 << 10, output_buffer_size = 256 << 10;
  int8 window_bits = 15;
  int8 compression_level = -1, compression_method = 8, mem_level = 9, compression_strategy = 0;
  bool soft_fail_on_error = false;

 private:
  static ZlibCompressionOptions WithBits(int8 bits) {
    ZlibCompressionOptions options;
    options.window_bits = bits;
    return options;
  }
};

// The bytes that a compressed stream stands for. one thread.
class ZlibInputStream : public InputStreamInterface {
 public:
  ZlibInputStream(InputStreamInterface* stream, std::size_t, std::size_t, const ZlibCompressionOptions& options,
                  bool owns_stream = false)
      : stream_(stream), options_(options), owns_(owns_stream) {
    Start();
  }
  ZlibInputStream(const ZlibInputStream&) = delete;
  ZlibInputStream& operator=(const ZlibInputStream&) = delete;
  ~ZlibInputStream() override {
    if (owns_) delete stream_;
  }
  Status ReadNBytes(int64_t bytes, tstring* result) override {
    if (bytes < 0) return errors::InvalidArgument("Cannot read negative number of bytes");
    constexpr std::size_t kPiece = 64 << 10;
    std::string out;
    Status status;
    while (out.size() < static_cast<std::size_t>(bytes)) {
      const std::size_t before = out.size(), room = std::min(kPiece, static_cast<std::size_t>(bytes) - before);
      std::size_t got = 0;
      out.resize(before + room);
      status = inflater_->Read(out.data() + before, room, &got);
      out.resize(before + got);
      if (got == 0) break;
    }
    told_ += static_cast<int64_t>(out.size());
    *result = tstring(out);
    if (out.size() == static_cast<std::size_t>(bytes)) return Status();
    if (!read_error_.ok()) return read_error_;
    return status.ok() ? errors::OutOfRange("EOF reached") : status;
  }
  int64_t Tell() const override { return told_; }
  Status Reset() override {
    TF_RETURN_IF_ERROR(stream_->Reset());
    Start();
    return Status();
  }

 private:
  void Start() {
    told_ = 0;
    read_error_ = Status();
    inflater_ = std::make_unique<tenon::InflateStream>(options_.format(), &ReadMore, this);
  }
  static std::size_t ReadMore(void* self, unsigned char* to, std::size_t room) {
    auto* const stream = static_cast<ZlibInputStream*>(self);
    tstring bytes;
    const Status status = stream->stream_->ReadNBytes(static_cast<int64_t>(room), &bytes);
    if (!status.ok() && !errors::IsOutOfRange(status)) {
      stream->read_error_ = status;
      return 0;
    }
    std::memcpy(to, bytes.data(), bytes.size());
    return bytes.size();
  }
  InputStreamInterface* stream_;
  const ZlibCompressionOptions options_;
  const bool owns_;
  std::unique_ptr<tenon::InflateStream> inflater_;
  Status read_error_;
  int64_t told_ = 0;
};

// Writes compressed bytes to a file, which it does not own. one thread.
class ZlibOutputBuffer : public WritableFile {
 public:
  ZlibOutputBuffer(WritableFile* file, int32, int32, const ZlibCompressionOptions& options)
      : file_(file), options_(options) {}
  ~ZlibOutputBuffer() override {
    if (deflater_ != nullptr) (void)Close();
  }
  Status Init() {
    deflater_ = std::make_unique<tenon::DeflateStream>(options_.format());
    return Status();
  }
  Status Append(StringPiece data) override {
    TF_RETURN_IF_ERROR(IsOpen());
    constexpr std::size_t kPiece = 256 << 10;
    held_.append(data);
    return held_.size() >= kPiece ? Compress() : Status();
  }
  Status Flush() override {
    TF_RETURN_IF_ERROR(IsOpen());
    deflater_->Add(std::exchange(held_, {}));
    deflater_->Sync();
    TF_RETURN_IF_ERROR(Write());
    return file_->Flush();
  }
  Status Sync() override {
    TF_RETURN_IF_ERROR(Flush());
    return file_->Sync();
  }
  // The file stays open.
  Status Close() override {
    if (deflater_ == nullptr) return Status();
    deflater_->Add(std::exchange(held_, {}));
    deflater_->Finish();
    const Status status = Write();
    deflater_.reset();
    return status;
  }
  Status Name(StringPiece* result) const override { return file_->Name(result); }
  Status Tell(int64_t* position) override { return file_->Tell(position); }

 private:
  Status IsOpen() const {
    return deflater_ == nullptr ? errors::FailedPrecondition("ZlibOutputBuffer is not open") : Status();
  }
  Status Compress() {
    deflater_->Add(std::exchange(held_, {}));
    return Write();
  }
  Status Write() { return file_->Append(std::exchange(deflater_->out(), {})); }
  WritableFile* file_;
  const ZlibCompressionOptions options_;
  std::unique_ptr<tenon::DeflateStream> deflater_;
  std::string held_;
};

}  // namespace io
}  // namespace tensorflow
