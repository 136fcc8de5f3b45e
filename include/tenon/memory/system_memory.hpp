// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much memory the machine has.

#include <cstdint>

#if defined(__linux__)
#include <unistd.h>
#endif

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
namespace detail {

// Bytes of memory of the machine, and of memory that nobody uses now; 0 where it is not known.
#if defined(__linux__)
inline std::int64_t BytesOfPages(int counted) {  // that sysconf counts under that name
  const std::int64_t pages = ::sysconf(counted), page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? pages * page : 0;
}
inline std::int64_t SystemMemory() { return BytesOfPages(_SC_PHYS_PAGES); }
inline std::int64_t FreeSystemMemory() { return BytesOfPages(_SC_AVPHYS_PAGES); }
#else
inline std::int64_t SystemMemory() { return 0; }
inline std::int64_t FreeSystemMemory() { return 0; }
#endif

}  // namespace detail
TENON_DETAIL_NAMESPACE_END
