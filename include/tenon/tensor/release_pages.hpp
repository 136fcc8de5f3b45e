// SPDX-License-Identifier: Apache-2.0
#pragma once
// ReleasePages: gives back the memory of a part of a mapped file that is not needed for now.

#include <cstddef>
#include <cstdint>
#include <iterator>

#include <tenon/base/config.hpp>
#include <tenon/tensor/buffer.hpp>

#if defined(__linux__) && __has_include(<sys/mman.h>)
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

TENON_DETAIL_NAMESPACE_BEGIN
TENON_DETAIL_SETUP_CODE_BEGIN

#if defined(__linux__) && __has_include(<sys/mman.h>)
namespace detail {

// Whether the pages that are in memory belong to the file: a write to a page replaced it with a copy. Linux shows a
// word per page; bit 63: it is in memory, 62: it is swapped out, 61: it belongs to a file.
inline bool ArePagesOfFile(std::uintptr_t begin, std::uintptr_t end, std::uintptr_t page) {
  constexpr std::uint64_t kPresent = std::uint64_t{1} << 63, kSwapped = std::uint64_t{1} << 62,
                          kOfFile = std::uint64_t{1} << 61;
  const int map = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (map < 0) return false;
  bool clean = true;
  while (begin < end && clean) {
    std::uint64_t words[512];
    const std::size_t left = (end - begin) / page, count = left < std::size(words) ? left : std::size(words);
    const std::size_t bytes = count * sizeof(std::uint64_t);
    clean = ::pread(map, words, bytes, static_cast<off_t>(begin / page * sizeof(std::uint64_t))) ==
            static_cast<ssize_t>(bytes);
    for (std::size_t i = 0; i < count && clean; ++i)
      clean = (words[i] & kSwapped) == 0 && ((words[i] & kPresent) == 0 || (words[i] & kOfFile) != 0);
    begin += count * page;
  }
  ::close(map);
  return clean;
}

}  // namespace detail

// Releases `bytes` bytes at `data`, in a buffer or a slice of one. The contents stay: a later read gets them from the
// file. Does nothing where the buffer is not a mapped file, little would be gained, or the memory was written to.
inline void ReleasePages(const Buffer* buffer, const void* data, std::size_t bytes) {
  constexpr std::size_t kLeast = 64 * 1024;
  if (buffer == nullptr || bytes < kLeast || !buffer->root()->is_mapped_file()) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto at = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t begin = (at + page - 1) / page * page, end = (at + bytes) / page * page;
  if (begin < end && detail::ArePagesOfFile(begin, end, page))
    ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}
#else
inline void ReleasePages(const Buffer*, const void*, std::size_t) {}
#endif

TENON_DETAIL_SETUP_CODE_END
TENON_DETAIL_NAMESPACE_END
