// SPDX-License-Identifier: Apache-2.0
#pragma once
// Code that the allocators with free blocks share: size classes (four per power of two), the link inside a free block,
// and the marks by which AddressSanitizer still finds a use after free and a write past the end.

#include <bit>
#include <cstddef>
#include <cstdint>

#include <tenon/base/config.hpp>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENON_DETAIL_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TENON_DETAIL_ASAN 1
#endif
#if defined(TENON_DETAIL_ASAN)
#include <sanitizer/asan_interface.h>
#endif

TENON_DETAIL_NAMESPACE_BEGIN
namespace detail {

// Classes hold 64, 128, 192, 256, 320, 384, 448, 512, 640, 768, 896, 1024, 1280, ... bytes: all multiples of 64,
// and above 256 bytes at most a quarter more than what was asked for.
inline constexpr std::size_t kNumSizeClasses = 228;                  // every std::size_t has a class ...
inline constexpr std::size_t kMaxBlockBytes = std::size_t{1} << 47;  // ... but larger blocks are never given

constexpr std::size_t SizeClass(std::size_t bytes) {
  const std::size_t last = bytes - static_cast<std::size_t>(bytes != 0);
  const int width = static_cast<int>(std::bit_width(last | 0x1ff));
  const auto shift = static_cast<std::size_t>(width - 3);
  return (shift - 6) * 4 + (last >> shift);
}

constexpr std::size_t SizeClassBytes(std::size_t size_class) {
  return size_class < 4 ? (size_class + 1) << 6 : (size_class % 4 + 5) << (size_class / 4 + 5);
}

// The first word of a block on a free list.
struct FreeBlock {
  FreeBlock* next;
};

// The user of the block may touch its first `bytes` bytes, and none after them. `block_bytes`: its class's size.
inline void MarkInUse([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes,
                      [[maybe_unused]] std::size_t block_bytes) {
#if defined(TENON_DETAIL_ASAN)
  __asan_unpoison_memory_region(block, bytes);
  __asan_poison_memory_region(static_cast<char*>(block) + bytes, block_bytes - bytes);
#endif
}

// Nothing of the block may be touched but its link.
inline void MarkFree([[maybe_unused]] void* block, [[maybe_unused]] std::size_t block_bytes) {
#if defined(TENON_DETAIL_ASAN)
  __asan_unpoison_memory_region(block, sizeof(FreeBlock));
  __asan_poison_memory_region(static_cast<char*>(block) + sizeof(FreeBlock), block_bytes - sizeof(FreeBlock));
#endif
}

// The whole block goes back to where it came from.
inline void MarkReturned([[maybe_unused]] void* block, [[maybe_unused]] std::size_t block_bytes) {
#if defined(TENON_DETAIL_ASAN)
  __asan_unpoison_memory_region(block, block_bytes);
#endif
}

}  // namespace detail
TENON_DETAIL_NAMESPACE_END

#undef TENON_DETAIL_ASAN
