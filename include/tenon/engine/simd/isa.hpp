// SPDX-License-Identifier: Apache-2.0
#pragma once
// The instruction set a translation unit is compiled for, as a type: it stands in the name of every function that
// depends on it, so that files compiled with different flags may be linked together. The instruction sets above it that
// the hottest loops are compiled for as well, and which of them to use here. And the macros that make g++ vectorise a
// loop at -O2.

#include <cstdlib>
#include <string_view>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace simd {

namespace isa {
struct Scalar {};  // one lane: processors without vectors that we know, and nvcc
struct Sse2 {};
struct Sse41 {};
struct Avx {};
struct Avx2 {};  // with FMA
struct Avx512 {};  // F, BW, DQ, VL
struct Neon64 {};
}  // namespace isa

// The instruction set that the compiler may use in this unit.
#if defined(__NVCC__)
using Compiled = isa::Scalar;
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
using Compiled = isa::Avx512;
#elif defined(__AVX2__) && defined(__FMA__)
using Compiled = isa::Avx2;
#elif defined(__AVX__)
using Compiled = isa::Avx;
#elif defined(__SSE4_1__)
using Compiled = isa::Sse41;
#elif defined(__SSE2__) || defined(_M_X64)
using Compiled = isa::Sse2;
#elif defined(__aarch64__)
using Compiled = isa::Neon64;
#else
using Compiled = isa::Scalar;
#endif

// An instruction set that one function is compiled for by TENON_DETAIL_TARGET_..., whatever the unit's flags are.
template <class Isa>
struct Targeted {};

template <class Isa>
inline constexpr int kVectorBytes = 16;
template <> inline constexpr int kVectorBytes<isa::Avx> = 32;
template <> inline constexpr int kVectorBytes<isa::Avx2> = 32;
template <> inline constexpr int kVectorBytes<isa::Avx512> = 64;
template <class Isa>
inline constexpr int kVectorBytes<Targeted<Isa>> = kVectorBytes<Isa>;

template <class Isa>
inline constexpr int kVectorRegisters = 16;
template <> inline constexpr int kVectorRegisters<isa::Avx512> = 32;
template <> inline constexpr int kVectorRegisters<isa::Neon64> = 32;
template <class Isa>
inline constexpr int kVectorRegisters<Targeted<Isa>> = kVectorRegisters<Isa>;

// Levels of code to run: the unit's own code, or that of a function compiled for more. Ascending.
enum class Level { kUnit, kAvx2, kAvx512 };

// Not with g++ for Windows, which does not align vectors of 32 bytes on the stack: GCC bug 54412, still there in 12.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__NVCC__) && (defined(__clang__) || !defined(_WIN32))
#define TENON_DETAIL_TARGETS 1
#if defined(__AVX2__)
#define TENON_DETAIL_TARGET_UNIT
#else  // few processors need it
#define TENON_DETAIL_TARGET_UNIT TENON_DETAIL_RARE
#endif
#define TENON_DETAIL_TARGET_AVX2 __attribute__((target("avx2,fma")))
#define TENON_DETAIL_TARGET_AVX512 __attribute__((target("avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")))

namespace detail {
inline Level FindLevel() {
  const char* const text = std::getenv("TENON_ISA");
  const std::string_view wanted = text == nullptr ? "" : text;
  if (wanted == "unit") return Level::kUnit;
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Level::kUnit;
  if (wanted == "avx2" || !__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl")) {
    return Level::kAvx2;
  }
  return Level::kAvx512;
}
}  // namespace detail

// The highest that this processor has; the environment's TENON_ISA (unit, avx2, avx512; amx: all) may ask for less.
// Fixed by the first call. Code of the unit itself is never replaced by lower one. thread-safe.
inline Level BestLevel() {
  static const Level level = detail::FindLevel();
  return level;
}
#else
#define TENON_DETAIL_TARGETS 0
#define TENON_DETAIL_TARGET_UNIT
inline Level BestLevel() { return Level::kUnit; }
#endif

}  // namespace simd

TENON_DETAIL_NAMESPACE_END

// TENON_DETAIL_LOOP stands before a function whose loops are worth vectorising: g++ does not do it at -O2 by itself
// (clang does). By vectors of 256 bits where there are longer ones, as compilers do for most such processors: Zen 4
// stores 512 bits in two and a half cycles, 256 in one. TENON_DETAIL_INDEPENDENT stands before a loop whose iterations
// do not depend on each other; an output that is exactly one of the inputs is fine; TENON_DETAIL_UNROLLED behind it
// asks for four steps at a time, and TENON_DETAIL_UNROLLED_TWICE for two, which g++ does not do by itself (a loop of a
// few instructions otherwise waits for its own branch). Such functions stand between TENON_DETAIL_LOOPS_BEGIN and _END,
// which keep clang from warning about those that it cannot vectorise (and which must not be inlined elsewhere for
// that).
#if defined(__NVCC__) || !defined(__GNUC__)
#define TENON_DETAIL_LOOP
#elif defined(__clang__)
#define TENON_DETAIL_LOOP __attribute__((noinline))
#elif defined(__OPTIMIZE__) && defined(__AVX512VL__)
#define TENON_DETAIL_LOOP \
  __attribute__((optimize("O2", "tree-vectorize", "vect-cost-model=dynamic"), target("prefer-vector-width=256")))
#elif defined(__OPTIMIZE__)
#define TENON_DETAIL_LOOP __attribute__((optimize("O2", "tree-vectorize", "vect-cost-model=dynamic")))
#else
#define TENON_DETAIL_LOOP
#endif
// TENON_DETAIL_LOOP_AVX2 is the same for functions of AVX2, where there are targets: without fused multiplication, so
// that results have the bits of the unit's own code. TENON_DETAIL_CHOICES_AVX2 is for loops with several comparisons,
// written in the function itself: g++ vectorises them where no one reads the flags of floating-point exceptions.
#if TENON_DETAIL_TARGETS
#if defined(__clang__)
#define TENON_DETAIL_LOOP_AVX2 __attribute__((noinline, target("avx2")))
#define TENON_DETAIL_CHOICES_AVX2 TENON_DETAIL_LOOP_AVX2
#elif defined(__OPTIMIZE__)
#define TENON_DETAIL_LOOP_AVX2 \
  __attribute__((optimize("O2", "tree-vectorize", "vect-cost-model=dynamic"), target("avx2")))
#define TENON_DETAIL_CHOICES_AVX2 \
  __attribute__((optimize("O2", "tree-vectorize", "vect-cost-model=dynamic", "no-trapping-math"), target("avx2")))
#else
#define TENON_DETAIL_LOOP_AVX2 __attribute__((target("avx2")))
#define TENON_DETAIL_CHOICES_AVX2 TENON_DETAIL_LOOP_AVX2
#endif
#endif
#if defined(__NVCC__)
#define TENON_DETAIL_INDEPENDENT
#elif defined(__clang__)
#define TENON_DETAIL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TENON_DETAIL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TENON_DETAIL_INDEPENDENT
#endif
#if defined(__GNUC__) && !defined(__clang__) && !defined(__NVCC__)
#define TENON_DETAIL_UNROLLED _Pragma("GCC unroll 4")
#define TENON_DETAIL_UNROLLED_TWICE _Pragma("GCC unroll 2")
#else
#define TENON_DETAIL_UNROLLED
#define TENON_DETAIL_UNROLLED_TWICE
#endif
// Keeps a vector that was loaded in a register: g++ otherwise loads it anew for each use. (clang does not, and knows
// the constraint only within functions of the instruction set.)
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__NVCC__)
#define TENON_DETAIL_KEEP(vector) asm("" : "+v"(vector))
#else
#define TENON_DETAIL_KEEP(vector) static_cast<void>(vector)
#endif
#if defined(__clang__) && !defined(__NVCC__)
#define TENON_DETAIL_LOOPS_BEGIN _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wpass-failed\"")
#define TENON_DETAIL_LOOPS_END _Pragma("clang diagnostic pop")
#else
#define TENON_DETAIL_LOOPS_BEGIN
#define TENON_DETAIL_LOOPS_END
#endif
