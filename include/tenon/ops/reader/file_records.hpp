// SPDX-License-Identifier: Apache-2.0
#pragma once
// FileRecords: how the readers of TensorFlow 1 take records out of one file after the other.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/str.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/record_reader.hpp>
#include <tenon/ops/data/files.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace ops::detail {

// The records of one file at a time. one thread.
class FileRecords {
 public:
  virtual ~FileRecords() = default;
  // Opens the file. After an error the reader goes on to another file.
  virtual Status Open(const std::string& path) = 0;
  // Reads a record and its key, "path:number". OutOfRange: the file has no more. After other errors the file stays.
  virtual Status Read(std::string* key, std::string* value) = 0;
  virtual void Close() {}
  // Whether the name of the file is all that a position needs, so that it can be saved.
  virtual bool can_be_saved() const { return false; }
  // Whether there is only one record in each file.
  virtual bool is_single() const { return false; }
  // Whether a file may have endlessly many records.
  virtual bool is_endless() const { return false; }
};

// The names themselves.
class NameRecords final : public FileRecords {
 public:
  Status Open(const std::string& path) override {
    path_ = path;
    return OkStatus();
  }
  Status Read(std::string* key, std::string* value) override {
    *key = *value = path_;
    return OkStatus();
  }
  bool can_be_saved() const override { return true; }
  bool is_single() const override { return true; }

 private:
  std::string path_;
};

// Whole files.
class WholeFiles final : public FileRecords {
 public:
  Status Open(const std::string& path) override {
    path_ = path;
    return OkStatus();
  }
  Status Read(std::string* key, std::string* value) override {
    TENON_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path_, FileAccess::kRead));
    *key = path_;
    value->assign(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
    return OkStatus();
  }
  bool can_be_saved() const override { return true; }
  bool is_single() const override { return true; }

 private:
  std::string path_;
};

// The bytes of a file, or the error that its first read gives: folders can be opened, as in TensorFlow.
class OpenedBytes {
 public:
  Status Open(const std::string& path, const std::string& compression) {
    bytes_ = MakeOwned<FileBytes>(path);
    broken_ = bytes_->Open(compression);
    return broken_.code() == Code::kFailedPrecondition ? OkStatus() : broken_;
  }
  bool Get(char* byte) { return broken_.ok() && bytes_->Get(byte); }
  // False: the file ends before.
  bool Skip(std::int64_t count) {
    const std::int64_t rest = std::numeric_limits<std::int64_t>::max() - bytes_->place();
    return broken_.ok() && bytes_->SkipTo(bytes_->place() + (count < rest ? count : rest));
  }
  // Why a call returned false; OutOfRange at the end.
  Status Why() const {
    if (!broken_.ok()) return broken_;
    return bytes_->status().ok() ? errors::OutOfRange("EOF reached") : bytes_->status();
  }
  void Close() { bytes_.reset(); }

 private:
  Owned<FileBytes> bytes_;
  Status broken_;
};

// Lines without their ends, and without a carriage return before it.
class LineRecords final : public FileRecords {
 public:
  explicit LineRecords(std::int64_t skipped) : skipped_(skipped) {}
  Status Open(const std::string& path) override {
    path_ = path;
    number_ = 0;
    TENON_RETURN_IF_ERROR(bytes_.Open(path, ""));
    std::string line;
    for (; number_ < skipped_; ++number_) {
      const Status status = ReadLine(&line);
      if (status.code() == Code::kOutOfRange) break;  // the file has no other lines
      TENON_RETURN_IF_ERROR(status);
    }
    return OkStatus();
  }
  Status Read(std::string* key, std::string* value) override {
    TENON_RETURN_IF_ERROR(ReadLine(value));
    *key = StrCat(path_, ":", ++number_);
    return OkStatus();
  }
  void Close() override { bytes_.Close(); }

 private:
  Status ReadLine(std::string* line) {
    line->clear();
    bool ended = false;
    for (char byte; !ended && bytes_.Get(&byte);) {
      ended = byte == '\n';
      if (!ended) line->push_back(byte);
    }
    if (!ended && bytes_.Why().code() != Code::kOutOfRange) return bytes_.Why();
    if (!line->empty() && line->back() == '\r') line->pop_back();
    return ended || !line->empty() ? OkStatus() : errors::OutOfRange("eof");
  }

  const std::int64_t skipped_;
  std::string path_;
  std::int64_t number_ = 0;
  OpenedBytes bytes_;
};

// Records of `record` bytes, each `hop` bytes behind the one before, between a header and a footer.
class FixedSizeRecords final : public FileRecords {
 public:
  FixedSizeRecords(std::int64_t header, std::int64_t record, std::int64_t footer, std::int64_t hop,
                   std::string_view encoding)
      : header_(header), record_(record), footer_(footer), hop_(hop == 0 ? record : hop) {
    if (encoding == "ZLIB" || encoding == "GZIP") encoding_ = encoding;
  }
  Status Open(const std::string& path) override {
    path_ = path;
    number_ = 0;
    ahead_.clear();
    TENON_RETURN_IF_ERROR(bytes_.Open(path, encoding_));
    return header_ == 0 || bytes_.Skip(header_) ? OkStatus() : bytes_.Why();
  }
  Status Read(std::string* key, std::string* value) override {
    if (number_ != 0) {
      const auto held = static_cast<std::int64_t>(ahead_.size());
      if (hop_ <= held) {
        ahead_.erase(0, static_cast<std::size_t>(hop_));
      } else {
        ahead_.clear();
        if (!bytes_.Skip(hop_ - held)) return bytes_.Why();
      }
    }
    const auto record = static_cast<std::uint64_t>(record_), footer = static_cast<std::uint64_t>(footer_);
    for (char byte; ahead_.size() < record + footer; ahead_.push_back(byte))
      if (!bytes_.Get(&byte)) return bytes_.Why();
    value->assign(ahead_, 0, static_cast<std::size_t>(record_));
    *key = StrCat(path_, ":", number_++);
    return OkStatus();
  }
  void Close() override { bytes_.Close(); }
  bool is_endless() const override { return hop_ == 0; }

 private:
  const std::int64_t header_, record_, footer_, hop_;
  std::string path_, encoding_, ahead_;
  std::int64_t number_ = 0;
  OpenedBytes bytes_;
};

// Records of TFRecord files.
class TfRecordRecords final : public FileRecords {
 public:
  // As in TensorFlow, other names than "ZLIB" and "GZIP" mean none.
  explicit TfRecordRecords(std::string_view compression) {
    if (compression == "ZLIB" || compression == "GZIP") compression_ = compression;
  }
  Status Open(const std::string& path) override {
    path_ = path;
    Result<RecordReader> opened = RecordReader::Open(path, {.compression = compression_});
    broken_ = opened.status();
    if (opened.ok()) reader_ = MakeOwned<RecordReader>(*std::move(opened));
    return broken_.code() == Code::kFailedPrecondition ? OkStatus() : broken_;
  }
  Status Read(std::string* key, std::string* value) override {
    TENON_RETURN_IF_ERROR(broken_);
    std::string_view record;
    *key = StrCat(path_, ":", reader_->offset());
    TENON_RETURN_IF_ERROR(reader_->Read(&record));
    value->assign(record);
    return OkStatus();
  }
  void Close() override { reader_.reset(); }

 private:
  std::string path_, compression_;
  Owned<RecordReader> reader_;
  Status broken_;
};

}  // namespace ops::detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
