// SPDX-License-Identifier: Apache-2.0
#pragma once
// Version, ABI tag, and the only header on floors 0-6 that tells compilers apart.
// Includes nothing, so that every header may start with it.

// major * 10000 + minor * 100 + patch; kVersionMajor and its neighbours are its parts. CMake and Conan read it, too.
#define TENON_VERSION 100

#if !defined(__cplusplus) || (__cplusplus < 202002L && !(defined(_MSVC_LANG) && _MSVC_LANG >= 202002L))
#error "Tenon needs C++20: compile with -std=c++20 (g++ >= 12, clang++ >= 16, nvcc >= 13)."
#endif

// Everything public lives in an inline namespace, so that two incompatible versions can be linked into one program.
// A macro that changes the layout of a type must append to this tag.
#if defined(TENON_FORCE_STD)  // base/platform.hpp
#define TENON_DETAIL_ABI_TAG v0_std
#else
#define TENON_DETAIL_ABI_TAG v0
#endif
#define TENON_DETAIL_NAMESPACE_BEGIN \
  namespace tenon {                  \
  inline namespace TENON_DETAIL_ABI_TAG {
#define TENON_DETAIL_NAMESPACE_END \
  }                                \
  }

TENON_DETAIL_NAMESPACE_BEGIN
inline constexpr int kVersionMajor = TENON_VERSION / 10000;
inline constexpr int kVersionMinor = TENON_VERSION / 100 % 100;
inline constexpr int kVersionPatch = TENON_VERSION % 100;
TENON_DETAIL_NAMESPACE_END

// nvcc 13 takes the move assignment of a [[nodiscard]] class (status = F();) for a value that is thrown away (2810). It
// warns where GPU code calls a function of the host (20011, 20013, 20014, 20015), and leaves the call out: an error
// here.
#if defined(__NVCC__)
#pragma nv_diag_suppress 2810
#pragma nv_diag_error 20011, 20013, 20014, 20015
#endif

// TENON_HD: host, device, and always inlined on the host (simd values may only travel through inlined functions).
#if defined(__CUDACC__)
#define TENON_HD __host__ __device__ __forceinline__
#elif defined(__GNUC__) || defined(__clang__)
#define TENON_HD inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define TENON_HD __forceinline
#else
#define TENON_HD inline
#endif

// TENON_DETAIL_COLD: error paths, kept out of line so that the common path stays small.
// TENON_DETAIL_RARE: loops that few programs need, for size where TENON_DETAIL_SMALL is defined, as by the command.
// TENON_DETAIL_ALWAYS_INLINE: accessors of a line; at -O0 a call costs the compiler more than the line does.
// TENON_DETAIL_NOINLINE: code of many callers that inlining would not make faster, only larger and slower to compile.
// TENON_DETAIL_SIGNATURE: the signature of the enclosing function as a string, template arguments included.
// TENON_DETAIL_EXPORT: a function that a shared library offers to its loader, also where symbols are hidden otherwise.
// TENON_DETAIL_PREFETCH: has the memory at an address brought near, wherever that is.
// TENON_DETAIL_FRAME_ADDRESS: the address of the calling function's frame. It is on the stack itself, where
// AddressSanitizer does not keep local variables.
// TENON_DETAIL_COMPILER_ABI: how functions are called and classes laid out, as a string.
#if defined(__GNUC__) || defined(__clang__)
#define TENON_DETAIL_COLD __attribute__((noinline, cold))
#define TENON_DETAIL_ALWAYS_INLINE inline __attribute__((always_inline))
#define TENON_DETAIL_NOINLINE __attribute__((noinline))
#define TENON_DETAIL_SIGNATURE __PRETTY_FUNCTION__
#if defined(_WIN32)
#define TENON_DETAIL_EXPORT __declspec(dllexport)
#else
#define TENON_DETAIL_EXPORT __attribute__((visibility("default")))
#endif
#define TENON_DETAIL_PREFETCH(address) __builtin_prefetch(address)
#define TENON_DETAIL_FRAME_ADDRESS() __builtin_frame_address(0)
#define TENON_DETAIL_COMPILER_ABI "itanium"
#elif defined(_MSC_VER)
#define TENON_DETAIL_COLD __declspec(noinline)
#define TENON_DETAIL_ALWAYS_INLINE __forceinline
#define TENON_DETAIL_NOINLINE __declspec(noinline)
#define TENON_DETAIL_SIGNATURE __FUNCSIG__
#define TENON_DETAIL_EXPORT __declspec(dllexport)
#define TENON_DETAIL_PREFETCH(address) static_cast<void>(address)
#define TENON_DETAIL_FRAME_ADDRESS() _AddressOfReturnAddress()
#define TENON_DETAIL_COMPILER_ABI "msvc"
#else
#define TENON_DETAIL_COLD
#define TENON_DETAIL_ALWAYS_INLINE inline
#define TENON_DETAIL_NOINLINE
#define TENON_DETAIL_SIGNATURE __func__
#define TENON_DETAIL_EXPORT
#define TENON_DETAIL_PREFETCH(address) static_cast<void>(address)
#define TENON_DETAIL_FRAME_ADDRESS() nullptr
#define TENON_DETAIL_COMPILER_ABI "unknown"
#endif
#if defined(TENON_DETAIL_SMALL) && (defined(__GNUC__) || defined(__clang__))
#define TENON_DETAIL_RARE __attribute__((cold))
#else
#define TENON_DETAIL_RARE
#endif

// TENON_DETAIL_SETUP_CODE_BEGIN/END: between them stand functions that run once for a graph, a file or an error, not
// once for a step. g++ spends more time on optimising them than on all else; here it makes them small. The macros
// change no layout and no meaning, and without optimisation they do nothing.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__NVCC__) && defined(__OPTIMIZE__)
// Without the passes that are named, code is as small and as fast, and takes three quarters of the compiler's time.
#define TENON_DETAIL_SETUP_PASSES                                                                              \
  _Pragma("GCC optimize(\"Os\", \"no-schedule-insns2\", \"no-tree-pta\", \"no-thread-jumps\")") _Pragma(       \
      "GCC optimize(\"no-tree-vrp\", \"no-tree-pre\", \"no-tree-fre\", \"no-tree-dse\", \"no-gcse\")")         \
      _Pragma("GCC optimize(\"no-tree-dominator-opts\", \"no-tree-loop-optimize\", \"no-ivopts\")")            \
          _Pragma("GCC optimize(\"no-tree-tail-merge\", \"no-rerun-cse-after-loop\", \"no-ipa-ra\")") _Pragma( \
              "GCC optimize(\"no-if-conversion2\", \"no-forward-propagate\", \"no-caller-saves\", \"no-shrink-wrap\")")
#if defined(TENON_MINIMAL_RUNTIME)
// Further ones, for which a program pays by 4 % of its size: it asked for a short compile time.
#define TENON_DETAIL_SETUP_CODE_BEGIN                                                                                \
  _Pragma("GCC push_options") TENON_DETAIL_SETUP_PASSES _Pragma(                                                     \
      "GCC optimize(\"no-dce\", \"no-dse\", \"no-tree-ccp\", \"no-tree-bit-ccp\", \"no-tree-sra\")")                 \
      _Pragma("GCC optimize(\"no-tree-sink\", \"no-tree-slsr\", \"no-code-hoisting\", \"no-optimize-strlen\")")      \
          _Pragma("GCC optimize(\"no-tree-phiprop\", \"no-ssa-phiopt\", \"no-store-merging\", \"no-lra-remat\")")    \
              _Pragma(                                                                                               \
                  "GCC optimize(\"no-ipa-sra\", \"no-ipa-cp\", \"no-ipa-icf\", \"no-ipa-modref\", \"no-ipa-vrp\")")  \
                  _Pragma("GCC optimize(\"no-ipa-pure-const\", \"no-ipa-reference\", \"no-ipa-profile\")")           \
                      _Pragma("GCC optimize(\"ira-algorithm=priority\", \"ira-region=one\", \"no-reorder-blocks\")") \
                          _Pragma("GCC optimize(\"no-peephole2\", \"no-ree\", \"no-compare-elim\")") _Pragma(        \
                              "GCC optimize(\"no-combine-stack-adjustments\", \"no-tree-ch\", \"no-tree-dce\")")     \
                              _Pragma("GCC optimize(\"no-tree-builtin-call-dce\", \"no-expensive-optimizations\")")  \
                                  _Pragma("GCC optimize(\"no-cse-follow-jumps\", \"no-guess-branch-probability\")")
// Functions of a step are compiled with fewer passes, too, at the program's level. Kernels are not.
#define TENON_DETAIL_STEP_NAMESPACE_BEGIN                                                                                   \
  _Pragma("GCC push_options") _Pragma("GCC optimize(\"no-tree-pta\", \"no-tree-dominator-opts\", \"no-tree-dse\")")         \
      _Pragma("GCC optimize(\"no-dse\", \"no-tree-pre\", \"no-tree-vrp\", \"no-gcse\", \"no-schedule-insns2\")") _Pragma(   \
          "GCC optimize(\"no-rerun-cse-after-loop\", \"no-thread-jumps\", \"no-tree-tail-merge\", \"no-code-hoisting\")")   \
          _Pragma(                                                                                                          \
              "GCC optimize(\"no-ipa-pure-const\", \"no-ipa-modref\", \"no-ipa-reference\", \"no-ipa-ra\", \"no-ipa-cp\")") \
              _Pragma("GCC optimize(\"no-ipa-icf\", \"no-ipa-vrp\")") TENON_DETAIL_NAMESPACE_BEGIN
#define TENON_DETAIL_STEP_NAMESPACE_END \
  TENON_DETAIL_NAMESPACE_END            \
  _Pragma("GCC pop_options")
#else
#define TENON_DETAIL_SETUP_CODE_BEGIN _Pragma("GCC push_options") TENON_DETAIL_SETUP_PASSES
#endif
#define TENON_DETAIL_SETUP_CODE_END _Pragma("GCC pop_options")
// Likewise for code that most programs never run.
#define TENON_DETAIL_COLD_CODE_BEGIN TENON_DETAIL_SETUP_CODE_BEGIN
#define TENON_DETAIL_COLD_CODE_END TENON_DETAIL_SETUP_CODE_END
#else
#define TENON_DETAIL_SETUP_CODE_BEGIN
#define TENON_DETAIL_SETUP_CODE_END
#define TENON_DETAIL_COLD_CODE_BEGIN
#define TENON_DETAIL_COLD_CODE_END
#endif

// TENON_DETAIL_STEP_NAMESPACE_BEGIN/END: the library's namespace around functions that each step runs.
#if !defined(TENON_DETAIL_STEP_NAMESPACE_BEGIN)
#define TENON_DETAIL_STEP_NAMESPACE_BEGIN TENON_DETAIL_NAMESPACE_BEGIN
#define TENON_DETAIL_STEP_NAMESPACE_END TENON_DETAIL_NAMESPACE_END
#endif

// TENON_DETAIL_CONSTEXPR_OBJECT: constexpr, of an object with mutable members. nvcc takes it for no literal type.
#if defined(__NVCC__)
#define TENON_DETAIL_CONSTEXPR_OBJECT constinit const
#else
#define TENON_DETAIL_CONSTEXPR_OBJECT constexpr
#endif

// std::is_constant_evaluated() as an expression: the function would be called, and its other branch compiled, at -O0.
#define TENON_DETAIL_IS_CONSTANT_EVALUATED() __builtin_is_constant_evaluated()

// Type traits from the compiler itself: std::is_trivially_... instantiates a dozen templates for each type.
#if defined(__clang__)
#define TENON_DETAIL_IS_TRIVIALLY_DESTRUCTIBLE(...) __is_trivially_destructible(__VA_ARGS__)
#define TENON_DETAIL_IS_TRIVIALLY_COPYABLE(...) __is_trivially_copyable(__VA_ARGS__)
#define TENON_DETAIL_IS_CONSTRUCTIBLE(...) __is_constructible(__VA_ARGS__)
#elif defined(__GNUC__)
#define TENON_DETAIL_IS_TRIVIALLY_DESTRUCTIBLE(...) __has_trivial_destructor(__VA_ARGS__)
#define TENON_DETAIL_IS_TRIVIALLY_COPYABLE(...) __is_trivially_copyable(__VA_ARGS__)
#define TENON_DETAIL_IS_CONSTRUCTIBLE(...) __is_constructible(__VA_ARGS__)
#else
#define TENON_DETAIL_IS_TRIVIALLY_DESTRUCTIBLE(...) std::is_trivially_destructible_v<__VA_ARGS__>
#define TENON_DETAIL_IS_TRIVIALLY_COPYABLE(...) std::is_trivially_copyable_v<__VA_ARGS__>
#define TENON_DETAIL_IS_CONSTRUCTIBLE(...) std::is_constructible_v<__VA_ARGS__>
#endif
