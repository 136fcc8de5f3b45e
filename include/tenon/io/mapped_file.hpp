// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whole files: MappedFile shows one in memory, mapped where the system can or as a copy; WriteFile writes one at once.

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/base/errors.hpp>
#include <tenon/base/platform.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/memory/out_of_memory.hpp>
#include <tenon/tensor/buffer.hpp>
#include <tenon/io/file_system.hpp>

#if TENON_DETAIL_POSIX
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#endif

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

namespace detail {

// Returns the system's error for a file as a Status: "'path': No such file or directory".
TENON_DETAIL_COLD inline Status FileError(std::string_view what, const std::string& path, int error) {
  Code code = Code::kUnknown;
  switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG: code = Code::kNotFound; break;
    case EACCES:
    case EPERM:
    case EROFS: code = Code::kPermissionDenied; break;
    case EISDIR: code = Code::kFailedPrecondition; break;
    case ENOMEM:
    case ENOSPC:
    case EMFILE:
    case ENFILE: code = Code::kResourceExhausted; break;
    default: break;
  }
  return Status(code, StrCat(what, ": '", path, "': ", std::strerror(error)));
}

TENON_DETAIL_COLD inline Status NoMemoryForFile(const std::string& path, std::size_t bytes) {
  return errors::ResourceExhausted("MappedFile: no memory for the ", bytes, " bytes of '", path, "' from ",
                                   detail::NoMemoryFrom(*DefaultAllocator(), bytes));
}

// The bytes of a file whose size is not known (a pipe), in ordinary memory.
inline Result<Buffer*> ReadWhole(std::FILE* file, const std::string& path) {
  std::string bytes;
  char block[1 << 14];
  for (std::size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;) bytes.append(block, n);
  if (std::ferror(file) != 0) return FileError("MappedFile", path, errno);
  Buffer* buffer = Buffer::Allocate(DefaultAllocator(), bytes.size());
  if (buffer == nullptr) return NoMemoryForFile(path, bytes.size());
  if (!bytes.empty()) std::memcpy(buffer->data(), bytes.data(), bytes.size());
  return buffer;
}

#if TENON_DETAIL_POSIX
// Tells whether a file was written to, as far as its size and its time of change do.
struct FileStamp {
  explicit FileStamp(const struct stat& info = {})
      : device(static_cast<std::uint64_t>(info.st_dev)),
        number(static_cast<std::uint64_t>(info.st_ino)),
        size(info.st_size),
#if defined(__APPLE__)
        seconds(info.st_mtimespec.tv_sec),
        nanoseconds(info.st_mtimespec.tv_nsec)
#else
        seconds(info.st_mtim.tv_sec),
        nanoseconds(info.st_mtim.tv_nsec)
#endif
  {
  }
  bool IsOfSameFile(const FileStamp& other) const { return device == other.device && number == other.number; }
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
  std::uint64_t device, number;
  std::int64_t size, seconds, nanoseconds;
};

TENON_DETAIL_COLD inline Status FileChanged(const std::string& path, const FileStamp& before, const FileStamp& after) {
  return errors::FailedPrecondition("MappedFile: '", path, "' was written to while it was read: ", before.size,
                                    " bytes before, ", after.size,
                                    " after; write a new file beside it and rename that over the old one");
}

// The `size` bytes of a file, in ordinary memory; fewer where the file has become shorter.
inline Result<Buffer*> ReadBytes(int fd, std::size_t size, const std::string& path) {
  Buffer* buffer = Buffer::Allocate(DefaultAllocator(), size);
  if (buffer == nullptr) return NoMemoryForFile(path, size);
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = ::read(fd, static_cast<char*>(buffer->data()) + done, size - done);
    if (n == 0) break;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int error = errno;
      buffer->Unref();
      return FileError("MappedFile", path, error);
    }
    done += static_cast<std::size_t>(n);
  }
  return buffer;
}
#endif

}  // namespace detail

// How the bytes of a file come to memory.
enum class FileAccess : std::uint8_t {
  kMap,  // pages of the file itself, read when they are used, in memory once for all processes
  kRead,  // a copy, which later changes of the file do not change
};

// The bytes of a file. Immutable. Writing to the memory changes a private copy of the page, never the file.
//
// A mapped file must not be written to in place: changes may show in the bytes, and reading beyond the end of a file
// that was cut short ends the process (SIGBUS; Tenon installs no signal handlers). To replace the file, rename a
// new one over it, as WriteFile does: the mapping keeps the old bytes. Otherwise use FileAccess::kRead.
//
//   TENON_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open("graph.pb"));
//   Result<GraphDef> graph = ParseGraphDef(file.bytes(), file.buffer());   // constants keep the mapping alive
class MappedFile {
 public:
  // NotFound, PermissionDenied, FailedPrecondition (a folder, a file that is being written to)..., with the path and
  // the system's message. A file that cannot be mapped is read.
  static Result<MappedFile> Open(const std::string& path, FileAccess access = FileAccess::kMap) {
#if TENON_DETAIL_POSIX
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return detail::FileError("MappedFile", path, errno);
    struct stat info;
    if (::fstat(fd, &info) != 0) return CloseWith(fd, detail::FileError("MappedFile", path, errno));
    if (S_ISDIR(info.st_mode)) return CloseWith(fd, detail::FileError("MappedFile", path, EISDIR));
    if (S_ISREG(info.st_mode) && info.st_size > 0) {
      Result<MappedFile> file = OpenRegular(fd, info, path, access);
      ::close(fd);
      return file;
    }
    std::FILE* file = ::fdopen(fd, "rb");
    if (file == nullptr) return CloseWith(fd, detail::FileError("MappedFile", path, errno));
#else
    (void)access;
    if (detail::KindOf(path) == detail::PathKind::kFolder) return detail::FileError("MappedFile", path, EISDIR);
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) return detail::FileError("MappedFile", path, errno);
#endif
    Result<Buffer*> buffer = detail::ReadWhole(file, path);
    std::fclose(file);
    if (!buffer.ok()) return buffer.status();
    return MappedFile(*buffer);
  }

  // The bytes of a buffer; takes over the caller's reference.
  static MappedFile Adopt(Buffer* buffer) { return MappedFile(buffer); }

  MappedFile(MappedFile&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) { CopyStamp(other); }
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(buffer_, other.buffer_);
    CopyStamp(other);
    return *this;
  }
  ~MappedFile() {
    if (buffer_ != nullptr) buffer_->Unref();
  }

  Span<const std::byte> bytes() const { return {static_cast<const std::byte*>(buffer_->data()), buffer_->size()}; }
  // FailedPrecondition: the file at `path` is still the one that was opened, and was written to since. For a reader
  // that is done with a mapped file; no promise for later.
  Status CheckUnchanged(const std::string& path) const {
#if TENON_DETAIL_POSIX
    struct stat info;
    if (!has_stamp_ || ::stat(path.c_str(), &info) != 0) return OkStatus();
    const detail::FileStamp now(info);
    if (now.IsOfSameFile(stamp_) && now != stamp_) return detail::FileChanged(path, stamp_, now);
#else
    (void)path;
#endif
    return OkStatus();
  }
  // Owns the mapping: a reference to it keeps the bytes alive after this object is gone.
  Buffer* buffer() const { return buffer_; }

 private:
  explicit MappedFile(Buffer* buffer) : buffer_(buffer) {}
#if TENON_DETAIL_POSIX
  // A file with bytes, whose size and time of change must be those of `info` afterwards.
  static Result<MappedFile> OpenRegular(int fd, const struct stat& info, const std::string& path, FileAccess access) {
    const auto size = static_cast<std::size_t>(info.st_size);
    void* const data = access == FileAccess::kRead
                           ? MAP_FAILED
                           : ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
    Buffer* buffer = nullptr;
    if (data != MAP_FAILED) {
      buffer = Buffer::WrapFile(data, size, &Unmap, reinterpret_cast<void*>(size));
    } else {
      TENON_ASSIGN_OR_RETURN(buffer, detail::ReadBytes(fd, size, path));
    }
    MappedFile file(buffer);
    struct stat after;
    if (::fstat(fd, &after) != 0) return detail::FileError("MappedFile", path, errno);
    file.stamp_ = detail::FileStamp(info);
    file.has_stamp_ = true;
    if (detail::FileStamp(after) != file.stamp_)
      return detail::FileChanged(path, file.stamp_, detail::FileStamp(after));
    return file;
  }
  static void Unmap(void* data, void* size) { ::munmap(data, reinterpret_cast<std::size_t>(size)); }
  static Status CloseWith(int fd, Status status) {
    ::close(fd);
    return status;
  }
#endif

  void CopyStamp(const MappedFile& other) {
#if TENON_DETAIL_POSIX
    stamp_ = other.stamp_;
    has_stamp_ = other.has_stamp_;
#else
    (void)other;
#endif
  }

  Buffer* buffer_;
#if TENON_DETAIL_POSIX
  detail::FileStamp stamp_;  // stamp of a regular file when it was opened
  bool has_stamp_ = false;
#endif
};

namespace detail {
// A name beside the file, for its next content; another one at every call.
inline std::string TemporaryName(const std::string& path) {
  static std::atomic<std::int64_t> count{0};
  return StrCat(path, ".", ProcessId(), ".", ++count, ".tmp");
}

// Where the bytes for a path go: `in_place` where something other than a file is there, otherwise under another name
// beside `path`, which leads through no symbolic link.
struct WriteTarget {
  explicit WriteTarget(const std::string& wanted) : path(wanted) {
#if TENON_DETAIL_POSIX
    struct stat info = {};
    if (::stat(wanted.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return;
    in_place = !S_ISREG(info.st_mode);
    if (char* const real = in_place ? nullptr : ::realpath(wanted.c_str(), nullptr); real != nullptr) {
      path = real;
      std::free(real);
    }
#endif
  }
  std::string path;
  bool in_place = false;
};
}  // namespace detail

// Writes a file, or replaces it: first under another name beside it. So a process that has the old file open or
// mapped keeps it, and none sees half a file. The pieces come one after the other. A device or a pipe, such as
// /dev/stdout, gets the bytes; behind a symbolic link the file is replaced and the link stays.
inline Status WriteFile(const std::string& path, Span<const std::string_view> pieces) {
  const detail::WriteTarget target(path);
  const std::string temporary = target.in_place ? target.path : detail::TemporaryName(target.path);
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (file == nullptr) return detail::FileError("WriteFile", path, errno);
  int error = 0;
  for (const std::string_view bytes : pieces) {
    if (error == 0 && !bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) error = errno;
  }
  if (std::fclose(file) != 0 && error == 0) error = errno;
  if (error == 0 && !target.in_place) error = detail::RenameOver(temporary, target.path);
  if (error == 0) return OkStatus();
  if (!target.in_place) std::remove(temporary.c_str());
  return detail::FileError("WriteFile", path, error);
}
inline Status WriteFile(const std::string& path, std::string_view bytes) {
  return WriteFile(path, Span<const std::string_view>(&bytes, 1));
}

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
