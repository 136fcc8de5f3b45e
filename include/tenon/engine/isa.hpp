// SPDX-License-Identifier: Apache-2.0
#pragma once
// The instruction set a translation unit is compiled for, as a type: it stands in the name of every function that
// depends on it, so that files compiled with different flags may be linked together. And what makes g++ vectorise a
// loop at -O2.

#include <tenon/base/config.hpp>

TENON_NAMESPACE_BEGIN

namespace simd {

namespace isa {
struct Scalar {};  // one lane: processors without vectors that we know, nvcc, and where xsimd is missing
struct Sse2 {};
struct Sse41 {};
struct Avx {};
struct Avx2 {};     // with FMA
struct Avx512 {};   // F, BW, DQ, VL
struct Neon64 {};
}  // namespace isa

#if defined(__CUDACC__) || !__has_include(<xsimd/xsimd.hpp>)
using Unit = isa::Scalar;
#elif defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
using Unit = isa::Avx512;
#elif defined(__AVX2__) && defined(__FMA__)
using Unit = isa::Avx2;
#elif defined(__AVX__)
using Unit = isa::Avx;
#elif defined(__SSE4_1__)
using Unit = isa::Sse41;
#elif defined(__SSE2__) || defined(_M_X64)
using Unit = isa::Sse2;
#elif defined(__aarch64__)
using Unit = isa::Neon64;
#else
using Unit = isa::Scalar;
#endif

// One with fewer lanes that the same processor has.
template <class Isa>
struct NarrowerOf {
  using type = isa::Scalar;
};
template <> struct NarrowerOf<isa::Avx512> {
  using type = isa::Avx2;
};
template <> struct NarrowerOf<isa::Avx2> {
  using type = isa::Sse2;
};
template <> struct NarrowerOf<isa::Avx> {
  using type = isa::Sse2;
};
template <class Isa>
using Narrower = typename NarrowerOf<Isa>::type;

// Lanes of T that one value holds. In engine/simd.hpp; works for T = float and double.
template <class T, class Isa = Unit>
struct Batch;

}  // namespace simd

TENON_NAMESPACE_END

// TENON_DETAIL_LOOP stands before a function whose loops are worth vectorising: g++ does not do it at -O2 by itself
// (clang does). TENON_DETAIL_INDEPENDENT stands before a loop whose iterations do not depend on each other; an output
// that is exactly one of the inputs is fine. Such functions stand between TENON_DETAIL_LOOPS_BEGIN and _END, which keep
// clang from warning about those that it cannot vectorise (and which must not be inlined elsewhere for that).
#if defined(__CUDACC__) || !defined(__GNUC__)
#define TENON_DETAIL_LOOP
#elif defined(__clang__)
#define TENON_DETAIL_LOOP __attribute__((noinline))
#elif defined(__OPTIMIZE__)
#define TENON_DETAIL_LOOP __attribute__((optimize("O2", "tree-vectorize", "vect-cost-model=dynamic")))
#else
#define TENON_DETAIL_LOOP
#endif
#if defined(__CUDACC__)
#define TENON_DETAIL_INDEPENDENT
#elif defined(__clang__)
#define TENON_DETAIL_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TENON_DETAIL_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TENON_DETAIL_INDEPENDENT
#endif
#if defined(__clang__) && !defined(__CUDACC__)
#define TENON_DETAIL_LOOPS_BEGIN _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wpass-failed\"")
#define TENON_DETAIL_LOOPS_END _Pragma("clang diagnostic pop")
#else
#define TENON_DETAIL_LOOPS_BEGIN
#define TENON_DETAIL_LOOPS_END
#endif
