// SPDX-License-Identifier: Apache-2.0
#pragma once
// RecordSource: the bytes of a record file from one place on, decompressed where it is compressed.

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/io/compression/inflate_stream.hpp>
#include <tenon/io/compression/snappy.hpp>
#include <tenon/io/mapped_file.hpp>
#include <tenon/io/record_format.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// one thread. It stays at its address: the decompression refers to it.
class RecordSource {
 public:
  static constexpr std::uint64_t kMostInflated = 1032;  // bytes that one byte of compressed data can make

  explicit RecordSource(const std::string& path) : path_(path) {}
  RecordSource(const RecordSource&) = delete;
  RecordSource& operator=(const RecordSource&) = delete;
  ~RecordSource() {
    if (fd_ >= 0) ::close(fd_);
  }

  // NotFound, PermissionDenied, FailedPrecondition (a folder), with the path and the system's message.
  Status Open(RecordCompression compression) {
    fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) return FileError("RecordReader", path_, errno);
    struct stat info;
    if (::fstat(fd_, &info) != 0) return FileError("RecordReader", path_, errno);
    if (S_ISDIR(info.st_mode)) return FileError("RecordReader", path_, EISDIR);
    is_regular_ = S_ISREG(info.st_mode);
    if (compression == RecordCompression::kAuto) {
      if (!is_regular_)
        return errors::InvalidArgument("RecordReader: '", path_,
                                       "': the compression of a pipe cannot be found; name it: '', 'ZLIB', 'GZIP'");
      char first[kRecordHeader];
      std::size_t count = 0;
      for (std::size_t n = 1; n != 0 && count < sizeof first; count += n)
        n = ReadFile(first + count, sizeof first - count);
      TENON_RETURN_IF_ERROR(status_);
      compression = FindRecordCompression({first, count});
    }
    compression_ = compression;
    return Restart(0);
  }

  const std::string& path() const { return path_; }
  RecordCompression compression() const { return compression_; }
  bool is_compressed() const { return compression_ != RecordCompression::kNone; }
  bool can_seek() const { return is_regular_ && !is_compressed(); }

  // Goes to byte `at` of the file; of a compressed one to its beginning only. FailedPrecondition: it is a pipe.
  Status Restart(std::uint64_t at) {
    if (!is_regular_ && at != place_)
      return errors::FailedPrecondition("RecordReader: '", path_, "' is a pipe, which is read once from its beginning");
    place_ = at;
    status_ = OkStatus();
    inflate_.reset();
    block_.clear();
    taken_ = 0;
    if (compression_ == RecordCompression::kZlib || compression_ == RecordCompression::kGzip)
      inflate_.emplace(compression_ == RecordCompression::kGzip ? InflateFormat::kGzip : InflateFormat::kZlib,
                       &ReadMore, this);
    return OkStatus();
  }

  // Reads at most `room` bytes; *got = 0 at the end. OutOfRange: a compressed file that ends too early. DataLoss: it is
  // damaged.
  Status Read(char* to, std::size_t room, std::size_t* got) {
    if (compression_ == RecordCompression::kSnappy) return ReadBlocks(to, room, got);
    if (!inflate_) {
      *got = ReadFile(to, room);
      return status_;
    }
    const Status s = inflate_->Read(to, room, got);
    return status_.ok() ? s : status_;
  }

  // The most bytes that can still come, as far as the size of the file tells.
  std::uint64_t MostLeft() const {
    struct stat info;
    if (!is_regular_ || ::fstat(fd_, &info) != 0) return UINT64_MAX;
    const auto size = static_cast<std::uint64_t>(info.st_size);
    if (is_compressed()) return size > UINT64_MAX / kMostInflated ? UINT64_MAX : size * kMostInflated;
    return size > place_ ? size - place_ : 0;
  }

 private:
  // Each block of Snappy stands behind its size of four bytes, the highest first.
  Status ReadBlocks(char* to, std::size_t room, std::size_t* got) {
    *got = 0;
    while (taken_ == block_.size()) {
      unsigned char head[4];
      const std::size_t have = ReadAll(reinterpret_cast<char*>(head), sizeof head);
      TENON_RETURN_IF_ERROR(status_);
      if (have == 0) return OkStatus();
      const std::size_t size =
          std::size_t{head[0]} << 24 | std::size_t{head[1]} << 16 | std::size_t{head[2]} << 8 | head[3];
      struct stat info;
      const bool fits = !is_regular_ || (::fstat(fd_, &info) == 0 && static_cast<std::uint64_t>(info.st_size) >= size);
      if (have < sizeof head) return errors::OutOfRange("the size of a block of Snappy ends too early");
      std::string packed(fits ? size : 0, '\0');
      if (!fits || ReadAll(packed.data(), size) < size)
        return status_.ok() ? errors::DataLoss("a block of Snappy ends too early") : status_;
      taken_ = 0;
      TENON_ASSIGN_OR_RETURN(block_, Unsnap(packed));
    }
    *got = block_.size() - taken_ < room ? block_.size() - taken_ : room;
    std::memcpy(to, block_.data() + taken_, *got);
    taken_ += *got;
    return OkStatus();
  }
  std::size_t ReadAll(char* to, std::size_t size) {
    std::size_t done = 0;
    for (std::size_t n = 1; n != 0 && done < size; done += n) n = ReadFile(to + done, size - done);
    return done;
  }
  // Sets status_ and returns 0 when the system fails.
  std::size_t ReadFile(char* to, std::size_t room) {
    for (;;) {
      const ssize_t n = is_regular_ ? ::pread(fd_, to, room, static_cast<off_t>(place_)) : ::read(fd_, to, room);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) status_ = FileError("RecordReader", path_, errno);
      if (n <= 0) return 0;
      place_ += static_cast<std::uint64_t>(n);
      return static_cast<std::size_t>(n);
    }
  }
  static std::size_t ReadMore(void* source, unsigned char* to, std::size_t room) {
    return static_cast<RecordSource*>(source)->ReadFile(reinterpret_cast<char*>(to), room);
  }

  std::string path_;
  int fd_ = -1;
  bool is_regular_ = false;
  RecordCompression compression_ = RecordCompression::kNone;
  std::uint64_t place_ = 0;  // next byte of the file
  std::string block_;  // of Snappy, decompressed
  std::size_t taken_ = 0;  // bytes of it
  Status status_;  // error of the file itself
  std::optional<InflateStream> inflate_;
};

}  // namespace detail

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
