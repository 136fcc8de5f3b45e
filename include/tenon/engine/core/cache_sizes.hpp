// SPDX-License-Identifier: Apache-2.0
#pragma once
// How large this processor's caches are.

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif
#if __has_include(<unistd.h>)
#include <unistd.h>
#endif

#include <tenon/base/config.hpp>
#include <tenon/tensor/shape.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// In bytes, the first two of one core; guesses where the system does not tell.
struct CacheSizes {
  Index first = 32 * 1024, second = 512 * 1024, last = 32 * 1024 * 1024;
};
inline CacheSizes FindCacheSizes() {
  CacheSizes sizes;
#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE) && defined(_SC_LEVEL3_CACHE_SIZE)
  if (const long bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE); bytes > 0) sizes.first = bytes;
  if (const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE); bytes > sizes.first) sizes.second = bytes;
  if (const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE); bytes > sizes.second) sizes.last = bytes;
#endif
#if defined(__x86_64__) && defined(__GNUC__)
  // AMD's third caches each serve a few cores; the C library may count all that a package has. (Others lack the leaf.)
  unsigned kind = 0, ways = 0, sets = 0, unused = 0;
  if (__get_cpuid_count(0x8000001D, 3, &kind, &ways, &sets, &unused) != 0 && (kind >> 5 & 7) == 3) {
    const Index lines = (Index{ways >> 22} + 1) * (Index{ways >> 12 & 0x3FF} + 1) * (Index{sets} + 1);
    sizes.last = lines * ((ways & 0xFFF) + 1);
  }
#endif
  return sizes;
}
// Found out once. thread-safe.
inline const CacheSizes& Caches() {
  static const CacheSizes sizes = FindCacheSizes();
  return sizes;
}

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
