// SPDX-License-Identifier: Apache-2.0
#pragma once
// Huge pages for large arrays: the first touch of a page costs a microsecond or more, and 2 MiB at once hardly more
// than 4 KiB.

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
namespace detail {

inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
inline constexpr std::size_t kHugePageThreshold = 2 * kHugePageBytes;  // from here on, they are asked for

// Asks for them where whole ones fit into the block. The system's answer does not matter.
TENON_DETAIL_COLD inline void AskForHugePages([[maybe_unused]] void* block, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t first = (start + kHugePageBytes - 1) & ~(kHugePageBytes - 1);
  const std::uintptr_t end = (start + bytes) & ~(kHugePageBytes - 1);
  if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

}  // namespace detail
TENON_DETAIL_NAMESPACE_END
