// SPDX-License-Identifier: Apache-2.0
#pragma once
// half and bfloat16 tensors as float and back: engines that are compiled only for float and double work on copies.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tenon/base/config.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/simd/isa.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

constexpr bool IsSmallFloat(DataType dtype) { return dtype == DataType::kHalf || dtype == DataType::kBfloat16; }

namespace detail {

TENON_DETAIL_LOOPS_BEGIN

template <class T>
TENON_DETAIL_LOOP void WidenRun(const T* x, float* out, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) out[i] = static_cast<float>(x[i]);
}
template <class T>
TENON_DETAIL_LOOP void NarrowRun(const float* x, T* out, Index n) {
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) out[i] = static_cast<T>(x[i]);
}

TENON_DETAIL_LOOPS_END

#if TENON_DETAIL_TARGETS
// half by the processor's own conversions (F16C), eight at a time.
struct HalfVectors {
  typedef float Floats __attribute__((vector_size(32)));
  typedef std::int32_t Words __attribute__((vector_size(32)));
  typedef std::int32_t Halves __attribute__((vector_size(16)));

  static bool Available() {
    static const bool available = simd::BestLevel() != simd::Level::kUnit && __builtin_cpu_supports("f16c");
    return available;
  }
  // The instructions by their names: the compilers' functions for them need <immintrin.h>. (They make a signalling NaN
  // quiet, which the loops do not.)
  TENON_DETAIL_TARGET_AVX2 static void Widen(const half* x, float* out, Index n) {
    for (; n > 0; x += 8, out += 8, n -= 8) {
      Halves narrow = {};
      Floats wide;
      if (n >= 8)
        __builtin_memcpy(&narrow, x, 16);
      else
        std::memcpy(&narrow, x, static_cast<std::size_t>(n) * 2);
      asm("vcvtph2ps %1, %0" : "=x"(wide) : "x"(narrow));
      if (n >= 8)
        __builtin_memcpy(out, &wide, 32);
      else
        std::memcpy(out, &wide, static_cast<std::size_t>(n) * 4);
    }
  }
  TENON_DETAIL_TARGET_AVX2 static void Narrow(const float* x, half* out, Index n) {
    for (; n > 0; x += 8, out += 8, n -= 8) {
      Words bits = {};
      Halves narrow;
      if (n >= 8)
        __builtin_memcpy(&bits, x, 32);
      else
        std::memcpy(&bits, x, static_cast<std::size_t>(n) * 4);
      const Words magnitude = bits & 0x7FFFFFFF, quiet = (bits ^ magnitude) | 0x7FC00000;
      bits = magnitude > 0x7F800000 ? quiet : bits;  // NaN has one pattern
      asm("vcvtps2ph $0, %1, %0" : "=x"(narrow) : "x"(bits));
      if (n >= 8)
        __builtin_memcpy(static_cast<void*>(out), &narrow, 16);
      else
        std::memcpy(static_cast<void*>(out), &narrow, static_cast<std::size_t>(n) * 2);
    }
  }
};
#endif
inline void WidenHalves(const half* x, float* out, Index n) {
#if TENON_DETAIL_TARGETS
  if (HalfVectors::Available()) return HalfVectors::Widen(x, out, n);
#endif
  WidenRun(x, out, n);
}
inline void NarrowHalves(const float* x, half* out, Index n) {
#if TENON_DETAIL_TARGETS
  if (HalfVectors::Available()) return HalfVectors::Narrow(x, out, n);
#endif
  NarrowRun(x, out, n);
}

inline constexpr double kSmallFloatNs = 1.0;  // time for one element

}  // namespace detail

// out[i] = x[i], exactly; x has n elements of half or bfloat16.
inline void WidenFloats(Cpu& device, DataType dtype, const void* x, float* out, Index n) {
  ParallelFor(device, n, detail::kSmallFloatNs, [&](Index begin, Index end) {
    if (dtype == DataType::kHalf)
      detail::WidenHalves(static_cast<const half*>(x) + begin, out + begin, end - begin);
    else
      detail::WidenRun(static_cast<const bfloat16*>(x) + begin, out + begin, end - begin);
  });
}

// out[i] = x[i], rounded to the nearest; out has n elements of half or bfloat16.
inline void NarrowFloats(Cpu& device, const float* x, DataType dtype, void* out, Index n) {
  ParallelFor(device, n, detail::kSmallFloatNs, [&](Index begin, Index end) {
    if (dtype == DataType::kHalf)
      detail::NarrowHalves(x + begin, static_cast<half*>(out) + begin, end - begin);
    else
      detail::NarrowRun(x + begin, static_cast<bfloat16*>(out) + begin, end - begin);
  });
}

TENON_DETAIL_NAMESPACE_END
