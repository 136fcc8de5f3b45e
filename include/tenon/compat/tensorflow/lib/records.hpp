// SPDX-License-Identifier: Apache-2.0
#pragma once
// Files of records, compressed or not, one record after the other.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include <tenon/io/record_format.hpp>
#include <tenon/compat/tensorflow/lib/io.hpp>
#include <tenon/compat/tensorflow/lib/snappy.hpp>
#include <tenon/compat/tensorflow/lib/zlib.hpp>

namespace tensorflow {
namespace io {

struct RecordReaderOptions {
  enum CompressionType { NONE = 0, ZLIB_COMPRESSION = 1, SNAPPY_COMPRESSION = 2 };
  // "", "ZLIB", "GZIP", "SNAPPY"; other types are logged and taken for "".
  static RecordReaderOptions CreateRecordReaderOptions(const std::string& type) {
    RecordReaderOptions options;
    if (type == compression::kZlib || type == compression::kGzip) {
      options.compression_type = ZLIB_COMPRESSION;
      if (type == compression::kGzip) options.zlib_options = ZlibCompressionOptions::GZIP();
    } else if (type == compression::kSnappy) {
      options.compression_type = SNAPPY_COMPRESSION;
    } else if (type != compression::kNone) {
      LOG(ERROR) << "Unsupported compression_type:" << type << ". No compression will be used.";
    }
    return options;
  }
  CompressionType compression_type = NONE;
  int64_t buffer_size = 0;
  ZlibCompressionOptions zlib_options;
  SnappyCompressionOptions snappy_options;
};

// The file outlives the reader. one thread.
class RecordReader {
 public:
  static constexpr std::size_t kHeaderSize = 12, kFooterSize = 4;
  explicit RecordReader(RandomAccessFile* file, const RecordReaderOptions& options = {})
      : plain_(std::make_unique<RandomAccessInputStream>(file)) {
    if (options.compression_type == RecordReaderOptions::ZLIB_COMPRESSION)
      inflated_ = std::make_unique<ZlibInputStream>(plain_.get(), 0, 0, options.zlib_options);
    if (options.compression_type == RecordReaderOptions::SNAPPY_COMPRESSION)
      inflated_ = std::make_unique<SnappyInputStream>(plain_.get(), 0);
  }
  // `offset` counts bytes of the records, not of the compressed file. OutOfRange: the end. DataLoss: the record is
  // cut, or a check sum is wrong.
  template <class Text>
  Status ReadRecord(uint64_t* offset, Text* record) {
    tstring header, body;
    uint64_t length = 0;
    TF_RETURN_IF_ERROR(ReadHeader(*offset, &header, &length));
    const Status status = Bytes(length + kFooterSize, &body);
    if (errors::IsOutOfRange(status)) return errors::DataLoss("truncated record at ", *offset);
    TF_RETURN_IF_ERROR(status);
    const StringPiece data(body);
    uint32 sum = 0;
    std::memcpy(&sum, data.data() + length, sizeof sum);
    if (sum != tenon::detail::RecordSum(data.substr(0, length)))
      return errors::DataLoss("corrupted record at ", *offset);
    *record = Text(data.substr(0, length));
    *offset += kHeaderSize + length + kFooterSize;
    return Status();
  }
  // *skipped records are behind; OutOfRange: the file has no more.
  Status SkipRecords(uint64_t* offset, int count, int* skipped) {
    tstring unused;
    for (*skipped = 0; *skipped < count; ++*skipped) TF_RETURN_IF_ERROR(ReadRecord(offset, &unused));
    return Status();
  }

 private:
  InputStreamInterface* stream() const {
    if (inflated_ != nullptr) return inflated_.get();
    return plain_.get();
  }
  Status ReadHeader(uint64_t offset, tstring* header, uint64_t* length) {
    if (static_cast<uint64_t>(stream()->Tell()) > offset) TF_RETURN_IF_ERROR(stream()->Reset());
    if (const uint64_t at = static_cast<uint64_t>(stream()->Tell()); at < offset) {
      if (inflated_ == nullptr) {
        TF_RETURN_IF_ERROR(plain_->Seek(static_cast<int64_t>(offset)));
      } else {
        TF_RETURN_IF_ERROR(inflated_->SkipNBytes(static_cast<int64_t>(offset - at)));
      }
    }
    const Status status = Bytes(kHeaderSize, header);
    if (header->size() == 0 && errors::IsOutOfRange(status)) return errors::OutOfRange("eof");
    if (errors::IsOutOfRange(status)) return errors::DataLoss("truncated record at ", offset);
    TF_RETURN_IF_ERROR(status);
    if (!tenon::detail::ReadRecordHeader(header->data(), length) || *length > (uint64_t{1} << 40))
      return errors::DataLoss("corrupted record at ", offset);
    return Status();
  }
  // In pieces: a wrong length asks for no more memory than the file has bytes.
  Status Bytes(uint64_t count, tstring* out) {
    constexpr uint64_t kPiece = 16 << 20;
    std::string all;
    tstring piece;
    Status status;
    for (uint64_t left = count; left > 0 && status.ok(); left -= std::min(left, kPiece)) {
      status = stream()->ReadNBytes(static_cast<int64_t>(std::min(left, kPiece)), &piece);
      all.append(StringPiece(piece));
    }
    *out = tstring(all);
    return status;
  }
  std::unique_ptr<RandomAccessInputStream> plain_;
  std::unique_ptr<InputStreamInterface> inflated_;
};
class SequentialRecordReader {
 public:
  explicit SequentialRecordReader(RandomAccessFile* file, const RecordReaderOptions& options = {})
      : reader_(file, options) {}
  template <class Text>
  Status ReadRecord(Text* record) {
    return reader_.ReadRecord(&offset_, record);
  }
  Status SkipRecords(int count, int* skipped) { return reader_.SkipRecords(&offset_, count, skipped); }
  uint64_t TellOffset() const { return offset_; }
  // InvalidArgument: the offset is in front of the reader's.
  Status SeekOffset(uint64_t offset) {
    if (offset < offset_)
      return errors::InvalidArgument("Trying to seek offset: ", offset,
                                     " which is less than the current offset: ", offset_);
    offset_ = offset;
    return Status();
  }

 private:
  RecordReader reader_;
  uint64_t offset_ = 0;
};

struct RecordWriterOptions {
  enum CompressionType { NONE = 0, ZLIB_COMPRESSION = 1, SNAPPY_COMPRESSION = 2 };
  static RecordWriterOptions CreateRecordWriterOptions(const std::string& type) {
    const RecordReaderOptions read = RecordReaderOptions::CreateRecordReaderOptions(type);
    RecordWriterOptions options;
    options.compression_type = static_cast<CompressionType>(read.compression_type);
    options.zlib_options = read.zlib_options;
    return options;
  }
  CompressionType compression_type = NONE;
  ZlibCompressionOptions zlib_options;
  SnappyCompressionOptions snappy_options;
};
// The file outlives the writer, which does not close it. one thread.
class RecordWriter {
 public:
  static constexpr std::size_t kHeaderSize = 12, kFooterSize = 4;
  explicit RecordWriter(WritableFile* file, const RecordWriterOptions& options = {}) : file_(file) {
    if (options.compression_type == RecordWriterOptions::NONE) return;
    if (options.compression_type == RecordWriterOptions::SNAPPY_COMPRESSION) {
      deflated_ = std::make_unique<SnappyOutputBuffer>(file, 0, 0);
    } else {
      auto deflated = std::make_unique<ZlibOutputBuffer>(file, 0, 0, options.zlib_options);
      state_ = deflated->Init();
      deflated_ = std::move(deflated);
    }
    file_ = deflated_.get();
  }
  static void PopulateHeader(char* header, const char* data, std::size_t size) {
    (void)data;
    const uint64_t length = size;
    std::memcpy(header, &length, sizeof length);
    const uint32 sum = tenon::detail::RecordSum(StringPiece(header, sizeof length));
    std::memcpy(header + sizeof length, &sum, sizeof sum);
  }
  static void PopulateFooter(char* footer, const char* data, std::size_t size) {
    const uint32 sum = tenon::detail::RecordSum(StringPiece(data, size));
    std::memcpy(footer, &sum, sizeof sum);
  }
  Status WriteRecord(StringPiece record) {
    TF_RETURN_IF_ERROR(state_);
    std::string out(kHeaderSize, '\0');
    PopulateHeader(out.data(), record.data(), record.size());
    out.append(record);
    char footer[kFooterSize];
    PopulateFooter(footer, record.data(), record.size());
    out.append(footer, sizeof footer);
    return file_->Append(out);
  }
  Status Flush() {
    TF_RETURN_IF_ERROR(state_);
    return file_->Flush();
  }
  Status Close() {
    if (deflated_ == nullptr) return Status();
    TF_RETURN_IF_ERROR(state_);
    state_ = errors::FailedPrecondition("Writer not initialized or previously closed");
    return deflated_->Close();
  }

 private:
  WritableFile* file_;
  std::unique_ptr<WritableFile> deflated_;
  Status state_;
};

}  // namespace io
}  // namespace tensorflow
