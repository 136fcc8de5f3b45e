// SPDX-License-Identifier: Apache-2.0
#pragma once
// RecordReader: the records of a TFRecord file, one after the other or by their offsets.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/record_format.hpp>
#include <tenon/io/record_source.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// Options of RecordReader::Open.
struct RecordReaderOptions {
  std::string compression = {};  // "", "ZLIB", "GZIP", or "AUTO": found from the first bytes of the file
  std::size_t buffer_bytes = std::size_t{256} << 10;  // bytes that one call of the system asks for; at least 64
  std::uint64_t max_record_bytes = std::uint64_t{1} << 30;  // a longer record is ResourceExhausted
  // kMap: records are bytes of the mapped file, without a copy. They stay valid as long as the reader, or as mapping()
  // is referred to. The file must neither be cut short nor grow meanwhile: see MappedFile. Compressed files and pipes
  // are read.
  FileAccess access = FileAccess::kRead;
};

// one thread. Memory: the buffer or the mapping, one record that is longer than it, and the decompression's 400 KiB.
//
//   TENON_ASSIGN_OR_RETURN(RecordReader reader, RecordReader::Open("train.tfrecord"));
//   for (std::string_view record; reader.Next(&record);) Use(record);
//   TENON_RETURN_IF_ERROR(reader.status());
//
// Offsets are those of the decompressed records. A file that grows can be read on after its end, unless compressed.
class RecordReader {
 public:
  // NotFound, PermissionDenied, FailedPrecondition (a folder): from the system. InvalidArgument: the compression.
  static Result<RecordReader> Open(const std::string& path, const RecordReaderOptions& options = {}) {
    TENON_ASSIGN_OR_RETURN(const RecordCompression compression, ParseRecordCompression(options.compression));
    RecordReader reader;
    reader.source_.reset(new detail::RecordSource(path));
    reader.most_ = options.max_record_bytes;
    TENON_RETURN_IF_ERROR(reader.source_->Open(compression));
    if (options.access == FileAccess::kMap && reader.source_->can_seek() && !reader.source_->is_compressed())
      return Map(std::move(reader), path);
    reader.capacity_ = options.buffer_bytes < 64 ? 64 : options.buffer_bytes;
    reader.buffer_.reset(static_cast<char*>(std::malloc(reader.capacity_)));
    if (reader.buffer_ == nullptr) return reader.NoMemory(reader.capacity_);
    reader.bytes_ = reader.buffer_.get();
    return reader;
  }
  RecordReader(RecordReader&&) = default;
  RecordReader& operator=(RecordReader&&) = default;

  // Reads the next record; *record is valid until the next call. OutOfRange: the end of the file. DataLoss: the record
  // is truncated or its check sum is wrong. ResourceExhausted: it is too long. After an error
  // offset() is the record's.
  Status Read(std::string_view* record) {
    *record = {};
    std::uint64_t length;
    TENON_RETURN_IF_ERROR(ReadHeader(&length));
    if (length > most_)
      return errors::ResourceExhausted(Where(), "the record at ", offset_, " has ", length, " bytes, and the limit is ",
                                       most_, "; raise RecordReaderOptions::max_record_bytes");
    const char* data;
    TENON_RETURN_IF_ERROR(ReadBody(static_cast<std::size_t>(length), &data));
    std::uint32_t sum;
    std::memcpy(&sum, data + length, sizeof sum);
    if (sum != MaskCrc(sum_)) return Corrupted(offset_ + detail::kRecordHeader);
    *record = {data, static_cast<std::size_t>(length)};
    Advance(length);
    return OkStatus();
  }
  // Does so, and returns false at the end and at an error, which status() holds.
  bool Next(std::string_view* record) {
    status_ = Read(record);
    if (status_.ok()) return true;
    if (status_.code() == Code::kOutOfRange) status_ = OkStatus();
    return false;
  }
  // OK, or the error that ended the last call of Next.
  const Status& status() const { return status_; }

  // Reads the record at *offset and sets *offset to the next one, as TensorFlow's RecordReader.
  Status ReadRecord(std::uint64_t* offset, std::string_view* record) {
    TENON_RETURN_IF_ERROR(Seek(*offset));
    TENON_RETURN_IF_ERROR(Read(record));
    *offset = offset_;
    return OkStatus();
  }
  // Skips up to `count` records; their contents are not checked. Returns how many there were. DataLoss: as by Read.
  Result<std::uint64_t> Skip(std::uint64_t count) {
    for (std::uint64_t skipped = 0; skipped < count; ++skipped) {
      std::uint64_t length;
      const Status s = ReadHeader(&length);
      if (s.code() == Code::kOutOfRange) return skipped;
      TENON_RETURN_IF_ERROR(s);
      TENON_RETURN_IF_ERROR(SkipBody(length));
    }
    return count;
  }

  // The next record is that at `offset`, which must be the beginning of one. A compressed file is decompressed up to
  // there. OutOfRange: the compressed file ends before. FailedPrecondition: a pipe.
  Status Seek(std::uint64_t offset) {
    status_ = OkStatus();
    ends_early_ = false;
    if (!is_lost_ && offset >= offset_ && offset - offset_ <= Buffered()) {
      begin_ += static_cast<std::size_t>(offset - offset_);
      offset_ = offset;
      return OkStatus();
    }
    if (mapped_) {
      begin_ = offset < end_ ? static_cast<std::size_t>(offset) : end_;
      offset_ = offset;
      return OkStatus();
    }
    if (source_->can_seek() || is_lost_ || offset < offset_) {
      const std::uint64_t at = source_->can_seek() ? offset : 0;
      TENON_RETURN_IF_ERROR(source_->Restart(at));
      is_lost_ = false;
      begin_ = end_ = 0;
      offset_ = at;
    }
    while (offset_ < offset) {
      TENON_RETURN_IF_ERROR(Need(1));
      if (Buffered() == 0)
        return errors::OutOfRange(Where(), "cannot go to ", offset, ": the file ends at ", offset_, " (decompressed)");
      const std::uint64_t step = offset - offset_ < Buffered() ? offset - offset_ : Buffered();
      begin_ += static_cast<std::size_t>(step);
      offset_ += step;
    }
    return OkStatus();
  }
  // Goes back to the first record. FailedPrecondition: a pipe.
  Status Rewind() { return Seek(0); }

  // Returns the offset of the next record.
  std::uint64_t offset() const { return offset_; }
  // Returns the name of the file.
  const std::string& path() const { return source_->path(); }
  // Returns the memory of a mapped file's records, a reference to which keeps them valid; null where the file is read.
  Buffer* mapping() const { return mapped_ ? mapped_->buffer() : nullptr; }
  // Returns the compression of the file, found from its first bytes for "AUTO".
  RecordCompression compression() const { return source_->compression(); }
  // Whether the end was reached and bytes stand before it that are not a record, or a compressed file lacks its end.
  // TensorFlow takes such an end for the end of the file.
  bool ends_early() const { return ends_early_; }

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  using Bytes = Owned<char, Free>;

  RecordReader() = default;

  static Result<RecordReader> Map(RecordReader reader, const std::string& path) {
    TENON_ASSIGN_OR_RETURN(reader.mapped_, MappedFile::Open(path));
    const Span<const std::byte> bytes = reader.mapped_->bytes();
    reader.bytes_ = reinterpret_cast<const char*>(bytes.data());
    reader.end_ = bytes.size();
    return reader;
  }

  std::size_t Buffered() const { return end_ - begin_; }
  void Advance(std::uint64_t length) {
    const std::uint64_t size = length + detail::kRecordHeader + detail::kRecordFooter;
    is_lost_ = false;
    offset_ += size;
    begin_ += size < Buffered() ? static_cast<std::size_t>(size) : Buffered();
  }

  // Has at least `count` bytes, which the buffer has room for, at begin_ on, or all that are left. source_error_ says
  // why there are no more, where it is not the end of the file.
  Status Need(std::size_t count) {
    source_error_ = OkStatus();
    if (Buffered() >= count || mapped_) return OkStatus();
    if (capacity_ - begin_ < count || Buffered() == 0) {
      std::memmove(buffer_.get(), buffer_.get() + begin_, Buffered());
      end_ = Buffered();
      begin_ = 0;
    }
    while (Buffered() < count) {
      std::size_t got = 0;
      const Status s = source_->Read(buffer_.get() + end_, capacity_ - end_, &got);
      if (s.code() == Code::kOutOfRange) {
        source_error_ = s;
        return OkStatus();
      }
      if (!s.ok()) return InFile(s);
      if (got == 0) return OkStatus();
      end_ += got;
    }
    return OkStatus();
  }

  Status ReadHeader(std::uint64_t* length) {
    if (is_lost_) TENON_RETURN_IF_ERROR(Seek(offset_));
    ends_early_ = false;
    TENON_RETURN_IF_ERROR(Need(detail::kRecordHeader));
    if (Buffered() < detail::kRecordHeader) return End();
    if (!detail::ReadRecordHeader(bytes_ + begin_, length)) return Corrupted(offset_);
    if (*length > UINT64_MAX - offset_ - detail::kRecordHeader - detail::kRecordFooter)
      return errors::DataLoss(Where(), "record size too large: ", *length, " bytes at ", offset_);
    return OkStatus();
  }
  // Sets *data to `length` bytes and the footer, and sum_ to the sum of the bytes.
  Status ReadBody(std::size_t length, const char** data) {
    const std::size_t size = length + detail::kRecordFooter;
    if (!mapped_ && size > capacity_ - detail::kRecordHeader) return ReadLongBody(length, data);
    TENON_RETURN_IF_ERROR(Need(detail::kRecordHeader + size));
    if (Buffered() < detail::kRecordHeader + size) return Truncated();
    *data = bytes_ + begin_ + detail::kRecordHeader;
    sum_ = Crc32c({*data, length});
    return OkStatus();
  }
  // Reads a body that the buffer has no room for, in steps, so that its sum is made of bytes that are in the cache, and
  // memory is only allocated for bytes that can come.
  Status ReadLongBody(std::size_t length, const char** data) {
    const std::size_t size = length + detail::kRecordFooter, have = Buffered() - detail::kRecordHeader;
    if (have < size && source_->MostLeft() < size - have) return Truncated();
    TENON_RETURN_IF_ERROR(Reserve(source_->can_seek() ? size : 2 * capacity_, 0));
    std::memcpy(long_.get(), buffer_.get() + begin_ + detail::kRecordHeader, have);
    std::size_t done = have;
    begin_ = end_ = 0;
    is_lost_ = true;  // until all of it was right
    sum_ = Crc32c({long_.get(), done < length ? done : length});
    while (done < size) {
      if (done == long_bytes_) TENON_RETURN_IF_ERROR(Reserve(size / 2 < done ? size : 2 * done, done));
      std::size_t got = 0, room = long_bytes_ - done;
      if (room > capacity_) room = capacity_;
      if (room > size - done) room = size - done;
      const Status s = source_->Read(long_.get() + done, room, &got);
      source_error_ = s;
      if (s.code() == Code::kOutOfRange || (s.ok() && got == 0)) return Truncated();
      if (!s.ok()) return InFile(s);
      if (done < length) sum_ = Crc32c({long_.get() + done, got < length - done ? got : length - done}, sum_);
      done += got;
    }
    *data = long_.get();
    return OkStatus();
  }
  Status SkipBody(std::uint64_t length) {
    const std::uint64_t size = length + detail::kRecordHeader + detail::kRecordFooter;
    if (size <= Buffered()) {
      Advance(length);
      return OkStatus();
    }
    if (mapped_ || source_->MostLeft() < size - Buffered()) return Truncated();
    const std::uint64_t at = offset_;
    const Status s = Seek(offset_ + size);
    if (s.code() != Code::kOutOfRange) return s;
    offset_ = at;
    is_lost_ = true;
    return Truncated();
  }
  // Makes long_ longer and keeps its first bytes.
  Status Reserve(std::size_t bytes, std::size_t keep) {
    if (bytes <= long_bytes_) return OkStatus();
    char* const made = static_cast<char*>(std::malloc(bytes));
    if (made == nullptr) return NoMemory(bytes);
    if (keep != 0) std::memcpy(made, long_.get(), keep);
    long_.reset(made);
    long_bytes_ = bytes;
    return OkStatus();
  }

  std::string Where() const { return StrCat("RecordReader: '", path(), "': "); }
  Status InFile(const Status& s) const {
    if (s.code() != Code::kDataLoss) return s;
    return Status(s.code(), StrCat(Where(), s.message(), "; the record at ", offset_, " cannot be read"));
  }
  TENON_DETAIL_COLD Status NoMemory(std::size_t bytes) const {
    return errors::ResourceExhausted(Where(), "no memory for ", bytes, " bytes, at the record at ", offset_);
  }
  TENON_DETAIL_COLD Status End() {
    ends_early_ = Buffered() != 0 || !source_error_.ok();
    if (!ends_early_) return errors::OutOfRange(Where(), "eof: the records end at ", offset_);
    const std::string_view why = source_error_.ok() ? "Read less bytes than requested" : source_error_.message();
    return errors::OutOfRange(Where(), "eof: ", Buffered(), " bytes at ", offset_, " are not a record: ", why);
  }
  TENON_DETAIL_COLD Status Truncated() {
    ends_early_ = true;
    const std::string_view why = source_error_.ok() ? "Read less bytes than requested" : source_error_.message();
    return errors::DataLoss(Where(), "truncated record at ", offset_, "' failed with ", why);
  }
  TENON_DETAIL_COLD Status Corrupted(std::uint64_t at) const {
    const std::string_view hint = at != 0                    ? ""
                                  : source_->is_compressed() ? " (Is this even a TFRecord file?)"
                                                             : " (Is this even a TFRecord file?); if it is compressed, "
                                                               "set RecordReaderOptions::compression to 'AUTO'";
    return errors::DataLoss(Where(), "corrupted record at ", at, hint);
  }

  Owned<detail::RecordSource> source_;
  std::optional<MappedFile> mapped_;
  Bytes buffer_, long_;
  const char* bytes_ = nullptr;  // the bytes of buffer_ or mapped_
  std::size_t capacity_ = 0, begin_ = 0, end_ = 0, long_bytes_ = 0;
  std::uint64_t offset_ = 0, most_ = 0;  // offset_: of buffer_[begin_]
  std::uint32_t sum_ = 0;
  bool ends_early_ = false;
  bool is_lost_ = false;  // the source is behind the record at offset_, and the buffer is empty
  Status status_, source_error_;
};

TENON_DETAIL_NAMESPACE_END
