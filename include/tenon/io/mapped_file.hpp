// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whole files: MappedFile shows one in memory without reading it (where the system can), WriteFile writes one at once.

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#if __has_include(<sys/mman.h>)
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#define TENON_DETAIL_HAS_MMAP 1
#endif

#include <tenon/base/errors.hpp>
#include <tenon/base/span.hpp>
#include <tenon/base/status.hpp>
#include <tenon/memory/default_allocator.hpp>
#include <tenon/memory/out_of_memory.hpp>
#include <tenon/tensor/buffer.hpp>

TENON_NAMESPACE_BEGIN
TENON_SETUP_CODE_BEGIN

namespace detail {

// Returns the system's error for a file as a Status: "'path': No such file or directory".
TENON_COLD inline Status FileError(std::string_view what, const std::string& path, int error) {
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

// The bytes of a file that cannot be mapped (a pipe), in ordinary memory.
inline Result<Buffer*> ReadWhole(std::FILE* file, const std::string& path) {
  std::string bytes;
  char block[1 << 14];
  for (std::size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;) bytes.append(block, n);
  if (std::ferror(file) != 0) return FileError("MappedFile", path, errno);
  Buffer* buffer = Buffer::Allocate(DefaultAllocator(), bytes.size());
  if (buffer == nullptr)
    return errors::ResourceExhausted("MappedFile: no memory for the ", bytes.size(), " bytes of '", path, "' from ",
                                     detail::NoMemoryFrom(*DefaultAllocator(), bytes.size()));
  if (!bytes.empty()) std::memcpy(buffer->data(), bytes.data(), bytes.size());
  return buffer;
}

}  // namespace detail

// The bytes of a file. Immutable; the file must not be cut short while it is mapped, or reading beyond its end ends the
// program. Who writes to the memory changes a private copy of the page, never the file.
//
//   TENON_ASSIGN_OR_RETURN(MappedFile file, MappedFile::Open("graph.pb"));
//   Result<GraphDef> graph = ParseGraphDef(file.bytes(), file.buffer());   // constants keep the mapping alive
class MappedFile {
 public:
  // NotFound, PermissionDenied, FailedPrecondition (a folder)..., with the path and what the system says.
  static Result<MappedFile> Open(const std::string& path) {
#if defined(TENON_DETAIL_HAS_MMAP)
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return detail::FileError("MappedFile", path, errno);
    struct stat info;
    if (::fstat(fd, &info) != 0) return CloseWith(fd, detail::FileError("MappedFile", path, errno));
    if (S_ISDIR(info.st_mode)) return CloseWith(fd, detail::FileError("MappedFile", path, EISDIR));
    const auto size = static_cast<std::size_t>(info.st_size);
    if (S_ISREG(info.st_mode) && size > 0) {
      void* data = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE, fd, 0);
      if (data != MAP_FAILED) {
        ::close(fd);
        return MappedFile(Buffer::WrapFile(data, size, &Unmap, reinterpret_cast<void*>(size)));
      }
    }
    std::FILE* file = ::fdopen(fd, "rb");
    if (file == nullptr) return CloseWith(fd, detail::FileError("MappedFile", path, errno));
#else
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

  MappedFile(MappedFile&& other) noexcept : buffer_(std::exchange(other.buffer_, nullptr)) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~MappedFile() {
    if (buffer_ != nullptr) buffer_->Unref();
  }

  Span<const std::byte> bytes() const { return {static_cast<const std::byte*>(buffer_->data()), buffer_->size()}; }
  // Owns the mapping: who refers to it keeps the bytes alive after this object is gone.
  Buffer* buffer() const { return buffer_; }

 private:
  explicit MappedFile(Buffer* buffer) : buffer_(buffer) {}
#if defined(TENON_DETAIL_HAS_MMAP)
  static void Unmap(void* data, void* size) { ::munmap(data, reinterpret_cast<std::size_t>(size)); }
  static Status CloseWith(int fd, Status status) {
    ::close(fd);
    return status;
  }
#endif

  Buffer* buffer_;
};

namespace detail {
// Beside the file, for what is to become it; another name at every call.
inline std::string TemporaryName(const std::string& path) {
  static std::atomic<std::int64_t> count{0};
#if defined(TENON_DETAIL_HAS_MMAP)
  const std::int64_t process = ::getpid();
#else
  const std::int64_t process = 0;
#endif
  return StrCat(path, ".", process, ".", ++count, ".tmp");
}
}  // namespace detail

// Writes a file, or replaces it: first under another name beside it, so that who has the old one open or mapped keeps
// it, and nobody sees half a file. The pieces come one after the other.
inline Status WriteFile(const std::string& path, Span<const std::string_view> pieces) {
  const std::string temporary = detail::TemporaryName(path);
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (file == nullptr) return detail::FileError("WriteFile", path, errno);
  int error = 0;
  for (const std::string_view bytes : pieces) {
    if (error == 0 && !bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size()) error = errno;
  }
  if (std::fclose(file) != 0 && error == 0) error = errno;
#if !defined(TENON_DETAIL_HAS_MMAP)
  if (error == 0) std::remove(path.c_str());
#endif
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return OkStatus();
  std::remove(temporary.c_str());
  return detail::FileError("WriteFile", path, error);
}
inline Status WriteFile(const std::string& path, std::string_view bytes) {
  return WriteFile(path, Span<const std::string_view>(&bytes, 1));
}

TENON_SETUP_CODE_END
TENON_NAMESPACE_END
