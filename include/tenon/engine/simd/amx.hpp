// SPDX-License-Identifier: Apache-2.0
#pragma once
// Intel's AMX: eight tiles of 16 rows of 64 bytes, and instructions that multiply two tiles and add to a third.
// HasAmx() says whether this process may use them; AmxTiles configures the tiles of a thread.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <tenon/base/config.hpp>
#include <tenon/engine/simd/isa.hpp>

// Assemblers that come with older compilers do not know the instructions. Linux gives tiles to processes that ask.
#if TENON_DETAIL_TARGETS && defined(__linux__) && defined(__LP64__) && \
    ((defined(__clang__) && __clang_major__ >= 12) || (!defined(__clang__) && __GNUC__ >= 11))
#define TENON_DETAIL_AMX 1
#include <cerrno>

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#define TENON_DETAIL_AMX 0
#endif

TENON_DETAIL_NAMESPACE_BEGIN

namespace simd {

#if TENON_DETAIL_AMX

namespace detail {

// Whether the processor multiplies tiles of bfloat16 and of bytes, and the operating system keeps them. Emulators that
// lack tiles say so in cpuid. xgetbv runs only where cpuid allows it.
inline bool ProcessorHasAmx() {
  constexpr unsigned kOsXsave = 1u << 27, kTileStates = 3u << 17;
  constexpr unsigned kBf16 = 1u << 22, kTile = 1u << 24, kInt8 = 1u << 25, kAll = kBf16 | kTile | kInt8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kOsXsave) == 0) return false;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kAll) != kAll) return false;
  // Palette 1: eight tiles or more, of 16 rows of 64 bytes.
  if (__get_cpuid_count(0x1D, 1, &a, &b, &c, &d) == 0) return false;
  if ((b & 0xFFFF) < 64 || b >> 16 < 8 || (c & 0xFFFF) < 16) return false;
  unsigned low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kTileStates) == kTileStates;
}

// Linux keeps tile data only for processes that asked for it: the pages for it are made at a thread's first use. False
// where the kernel is too old, or where a thread's stack for signals is too small.
inline bool RequestTileData() {
  constexpr long kRequest = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  const int before = errno;
  const bool given = syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
  errno = before;
  return given;
}

inline bool FindAmx() {
  const char* const text = std::getenv("TENON_ISA");
  if (text != nullptr && std::string_view(text) == "avx512") return false;
  return FindLevel() == Level::kAvx512 && __builtin_cpu_supports("avx512vnni") &&
         __builtin_cpu_supports("avx512bf16") && ProcessorHasAmx() && RequestTileData();
}

}  // namespace detail

// Whether this process may use AMX, with AVX-512, VNNI and BF16 beside it. TENON_ISA=avx512 and less turn it off. Asks
// the operating system at the first call. thread-safe.
inline bool HasAmx() {
  static const bool has = detail::FindAmx();
  return has;
}

// While it lives, all eight tiles of this thread have 16 rows of 64 bytes. Their content is nobody else's: it does not
// outlive a call. Needs HasAmx(). one thread.
class AmxTiles {
 public:
  AmxTiles() {
    struct alignas(64) Config {
      std::uint8_t palette, start_row, unused[14];
      std::uint16_t row_bytes[16];
      std::uint8_t rows[16];
    };
    static constexpr Config kConfig = {1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {16, 16, 16, 16, 16, 16, 16, 16}};
    asm volatile("ldtilecfg %0" ::"m"(kConfig));
  }
  AmxTiles(const AmxTiles&) = delete;
  AmxTiles& operator=(const AmxTiles&) = delete;
  ~AmxTiles() { asm volatile("tilerelease" ::: "memory"); }
};

// Instructions by their names: the compilers' functions for them need <immintrin.h>, which is as much to compile as all
// engines. Rows of a tile are `step` bytes apart in memory.
template <int tile>
TENON_HD void AmxZero() {
  asm volatile("tilezero %%tmm%c0" ::"i"(tile));
}
template <int tile>
TENON_HD void AmxLoad(const void* from, std::int64_t step) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(step), "i"(tile) : "memory");
}
template <int tile>
TENON_HD void AmxStore(void* to, std::int64_t step) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(step), "i"(tile) : "memory");
}

#else

inline bool HasAmx() { return false; }

#endif

}  // namespace simd

TENON_DETAIL_NAMESPACE_END
