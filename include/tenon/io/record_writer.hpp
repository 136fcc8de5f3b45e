// SPDX-License-Identifier: Apache-2.0
#pragma once
// RecordWriter: writes TFRecord files, new ones or behind the records of an old one.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tenon/base/errors.hpp>
#include <tenon/base/owned.hpp>
#include <tenon/base/status.hpp>
#include <tenon/io/compression/deflate_stream.hpp>
#include <tenon/io/compression/snappy.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/record_format.hpp>
#include <tenon/io/record_reader.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

// Options of RecordWriter::Open.
struct RecordWriterOptions {
  std::string compression = {};  // "", "ZLIB", "GZIP"
  bool append = false;  // write behind the records that are there; not for "ZLIB"
  std::size_t buffer_bytes = std::size_t{256} << 10;  // bytes that are compressed or written at a time; at least 64
};

// one thread. Errors are final: later calls return the first one. An uncompressed file then ends with the last record
// that was written as a whole.
//
//   TENON_ASSIGN_OR_RETURN(RecordWriter writer, RecordWriter::Open("train.tfrecord"));
//   TENON_RETURN_IF_ERROR(writer.Write(SerializeExample(example)));
//   TENON_RETURN_IF_ERROR(writer.Close());
class RecordWriter {
 public:
  // NotFound, PermissionDenied, ...: from the system. InvalidArgument: the compression. DataLoss: a file to append to
  // has bytes that are not a record; readers would not find a record behind them.
  static Result<RecordWriter> Open(const std::string& path, const RecordWriterOptions& options = {}) {
    TENON_ASSIGN_OR_RETURN(const RecordCompression compression, ParseRecordCompression(options.compression));
    if (compression == RecordCompression::kAuto)
      return errors::InvalidArgument("RecordWriter: '", path,
                                     "': 'AUTO' is for readers; use '', 'ZLIB', 'GZIP', or 'SNAPPY'");
    if (options.append) TENON_RETURN_IF_ERROR(CheckWhole(path, compression, options.compression));
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (options.append ? 0 : O_TRUNC);
    const int fd = ::open(path.c_str(), flags, 0666);
    if (fd < 0) return detail::FileError("RecordWriter", path, errno);
    RecordWriter writer;
    writer.state_.reset(new State{.fd = fd, .path = path});
    const off_t end = options.append ? ::lseek(fd, 0, SEEK_END) : 0;
    if (end < 0) return detail::FileError("RecordWriter", path, errno);
    writer.state_->whole = static_cast<std::uint64_t>(end);
    writer.state_->capacity = options.buffer_bytes < 64 ? 64 : options.buffer_bytes;
    writer.state_->buffer.reserve(writer.state_->capacity);
    writer.state_->snappy = compression == RecordCompression::kSnappy;
    if (compression == RecordCompression::kZlib || compression == RecordCompression::kGzip)
      writer.state_->deflate.reset(
          new DeflateStream(compression == RecordCompression::kGzip ? InflateFormat::kGzip : InflateFormat::kZlib));
    return writer;
  }
  RecordWriter(RecordWriter&&) = default;
  RecordWriter& operator=(RecordWriter&&) = default;

  // Appends a record; the file may get it later. FailedPrecondition: after Close. Otherwise the system's error.
  Status Write(std::string_view record) {
    TENON_RETURN_IF_ERROR(CheckOpen());
    State& state = *state_;
    char header[detail::kRecordHeader], footer[detail::kRecordFooter];
    detail::WriteRecordHeader(record.size(), header);
    const std::uint64_t size = record.size() + sizeof header + sizeof footer;
    if (size > state.capacity - state.buffer.size()) TENON_RETURN_IF_ERROR(state.Empty());
    if (size <= state.capacity) {
      const std::uint32_t sum = detail::RecordSum(record);
      std::memcpy(footer, &sum, sizeof sum);
      state.buffer.append(header, sizeof header).append(record).append(footer, sizeof footer);
      return OkStatus();
    }
    // In steps, so that the sum is made of bytes that are then written from the cache.
    TENON_RETURN_IF_ERROR(state.Put({header, sizeof header}));
    std::uint32_t sum = 0;
    for (std::string_view rest = record; !rest.empty();) {
      const std::string_view piece = rest.substr(0, state.capacity);
      rest.remove_prefix(piece.size());
      sum = Crc32c(piece, sum);
      TENON_RETURN_IF_ERROR(state.Put(piece));
    }
    sum = MaskCrc(sum);
    std::memcpy(footer, &sum, sizeof sum);
    TENON_RETURN_IF_ERROR(state.Put({footer, sizeof footer}));
    state.whole = state.at;
    return OkStatus();
  }
  // Gives all records to the system: readers of the file can have them.
  Status Flush() {
    TENON_RETURN_IF_ERROR(CheckOpen());
    TENON_RETURN_IF_ERROR(state_->Empty());
    if (state_->deflate == nullptr) return OkStatus();
    state_->deflate->Sync();
    return state_->PutDeflated();
  }
  // Ends the file. Returns the first error of all calls. The destructor does so, too, and drops the error.
  Status Close() {
    TENON_RETURN_IF_ERROR(CheckOpen());
    return state_->Close();
  }

  // Returns the name of the file.
  const std::string& path() const { return state_->path; }

 private:
  struct State {
    int fd;
    std::string path;
    std::size_t capacity = 0;
    std::string buffer = {};  // whole records
    Owned<DeflateStream> deflate = {};
    bool snappy = false;
    std::uint64_t at = 0, whole = 0;  // bytes of the file, and those up to the end of the last whole record
    Status status = {};

    ~State() { static_cast<void>(Close()); }

    Status Empty() {
      if (buffer.empty()) return OkStatus();
      const Status s = Put(buffer);
      buffer.clear();
      if (s.ok()) whole = at;
      return s;
    }
    Status Put(std::string_view bytes) {
      if (snappy) return PutBlocks(bytes);
      if (deflate == nullptr) return PutFile(bytes);
      deflate->Add(bytes);
      return PutDeflated();
    }
    Status PutBlocks(std::string_view bytes) {
      constexpr std::size_t kMost = std::size_t{128} << 10;  // TensorFlow's readers have room for twice as much
      for (; !bytes.empty() && status.ok(); bytes.remove_prefix(bytes.size() < kMost ? bytes.size() : kMost)) {
        const std::string packed = Snap(bytes.substr(0, kMost));
        std::string block;
        for (int shift = 24; shift >= 0; shift -= 8) block.push_back(static_cast<char>(packed.size() >> shift));
        static_cast<void>(PutFile(block.append(packed)));
      }
      return status;
    }
    Status PutDeflated() {
      const Status s = PutFile(deflate->out());
      deflate->out().clear();
      return s;
    }
    Status PutFile(std::string_view bytes) {
      while (status.ok() && !bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
          status = detail::FileError("RecordWriter", path, errno);
          if (deflate == nullptr && !snappy && ::ftruncate(fd, static_cast<off_t>(whole)) != 0)
            return status;  // a pipe
        } else {
          at += static_cast<std::uint64_t>(n);
          bytes.remove_prefix(static_cast<std::size_t>(n));
        }
      }
      return status;
    }
    Status Close() {
      if (fd < 0) return OkStatus();
      if (status.ok()) static_cast<void>(Empty());
      if (status.ok() && deflate != nullptr) {
        deflate->Finish();
        static_cast<void>(PutDeflated());
      }
      if (::close(fd) != 0 && status.ok()) status = detail::FileError("RecordWriter", path, errno);
      fd = -1;
      return status;
    }
  };

  RecordWriter() = default;

  Status CheckOpen() const {
    if (state_->fd < 0) return errors::FailedPrecondition("RecordWriter: '", path(), "' is closed; open it again");
    return state_->status;
  }
  // Reads the lengths of all records of a file that is there.
  static Status CheckWhole(const std::string& path, RecordCompression compression, const std::string& text) {
    if (compression == RecordCompression::kZlib)
      return errors::InvalidArgument("RecordWriter: '", path,
                                     "': nothing can be appended to a 'ZLIB' file; use 'GZIP'");
    struct stat info;
    if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return OkStatus();
    TENON_ASSIGN_OR_RETURN(RecordReader reader, RecordReader::Open(path, {.compression = text}));
    TENON_RETURN_IF_ERROR(reader.Skip(UINT64_MAX).status());
    if (!reader.ends_early()) return OkStatus();
    return errors::DataLoss("RecordWriter: '", path, "': the last record ends at ", reader.offset(),
                            ", and bytes behind it are not a record; cut the file there before records are appended");
  }

  Owned<State> state_;
};

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
