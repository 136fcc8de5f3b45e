// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements of one numeric type as another. All but the most frequent pairs go through the widest type of their kind, a
// tile at a time: so there are loops per type, not per pair.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/base/status.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/convert.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/tensor.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/elementwise/cast_bytes.hpp>
#include <tenon/engine/simd/isa.hpp>
#include <tenon/engine/simd/vector.hpp>

#if TENON_DETAIL_TARGETS
#include <cpuid.h>
#include <immintrin.h>
#endif

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

using CastLoop = void (*)(const void* from, void* to, Index n);

TENON_DETAIL_LOOPS_BEGIN

template <class From, class To>
TENON_DETAIL_LOOP void RunCast(const void* pfrom, void* pto, Index n) {
  const From* from = static_cast<const From*>(pfrom);
  To* to = static_cast<To*>(pto);
  TENON_DETAIL_INDEPENDENT
  for (Index i = 0; i < n; ++i) to[i] = ConvertScalar<To>(from[i]);
}

TENON_DETAIL_LOOPS_END

// float to bfloat16, which the loop above cannot vectorise, by lanes: the upper half, rounded to nearest, ties to even;
// NaN is one for each sign.
#if TENON_DETAIL_LANES
struct FloatToBfloat16Body {
  // The bits whose upper half it is.
  template <class L>
  TENON_HD static typename L::Ints Rounded(const L& x) {
    using Ints = typename L::Ints;
    const Ints bits = x.Bits();
    const Ints rounded = bits + Ints(0x7fff) + (bits >> 16 & Ints(1));
    const Ints not_a_number = (bits & Ints(std::numeric_limits<std::int32_t>::min())) | Ints(0x7fc00000);
    return Select(x == x, L::FromBits(rounded), L::FromBits(not_a_number)).Bits();
  }
  template <int bytes>
  TENON_HD static void Run(const void* pfrom, void* pto, Index n) {
    using L = simd::Lanes<float, bytes>;
    typedef std::int16_t Narrow __attribute__((vector_size(bytes / 2)));
    const float* from = static_cast<const float*>(pfrom);
    bfloat16* to = static_cast<bfloat16*>(pto);
    Index i = 0;
    if constexpr (bytes == 64) {  // AVX-512 picks the upper halves of two vectors at once
      typedef std::int16_t Halves __attribute__((vector_size(64)));
      for (; i + 2 * L::size <= n; i += 2 * L::size) {
        const auto low = Rounded(L::Load(from + i)), high = Rounded(L::Load(from + i + L::size));
        Halves a, b;
        std::memcpy(&a, &low.v, bytes);
        std::memcpy(&b, &high.v, bytes);
        a = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 37, 39, 41,
                                    43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63);
        std::memcpy(static_cast<void*>(to + i), &a, bytes);
      }
    }
    for (; i + L::size <= n; i += L::size) {
      const Narrow narrow = __builtin_convertvector((Rounded(L::Load(from + i)) >> 16).v, Narrow);
      std::memcpy(static_cast<void*>(to + i), &narrow, sizeof narrow);
    }
    for (; i < n; ++i) to[i] = bfloat16(from[i]);
  }
};
inline CastLoop FloatToBfloat16() {
#if TENON_DETAIL_BYTE_CASTS
  if (simd::BestLevel() < simd::Level::kAvx512) return &RunByteCast<FloatToUpperHalf>;
#endif
  return simd::detail::ForLevels<FloatToBfloat16Body, simd::Compiled, const void*, void*, Index>::Best();
}
#else
inline CastLoop FloatToBfloat16() { return &RunCast<float, bfloat16>; }
#endif

// half from and to float by the processor's instructions, where there are such. They treat NaN in their own way:
// sixteen elements with a NaN among them are left to the loops above.
#if TENON_DETAIL_TARGETS
#define TENON_DETAIL_TARGET_F16C __attribute__((target("avx2,fma,f16c")))

TENON_DETAIL_TARGET_F16C inline void HalfToFloatF16c(const void* pfrom, void* pto, Index n) {
  const half* from = static_cast<const half*>(pfrom);
  float* to = static_cast<float*>(pto);
  Index i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m256 x = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
    const __m256 y = _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i + 8)));
    if (_mm256_movemask_ps(_mm256_cmp_ps(x, y, _CMP_UNORD_Q)) != 0) [[unlikely]] {
      RunCast<half, float>(from + i, to + i, 16);
      continue;
    }
    _mm256_storeu_ps(to + i, x);
    _mm256_storeu_ps(to + i + 8, y);
  }
  if (i < n) RunCast<half, float>(from + i, to + i, n - i);
}
TENON_DETAIL_TARGET_F16C inline void FloatToHalfF16c(const void* pfrom, void* pto, Index n) {
  const float* from = static_cast<const float*>(pfrom);
  half* to = static_cast<half*>(pto);
  Index i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m256 x = _mm256_loadu_ps(from + i), y = _mm256_loadu_ps(from + i + 8);
    if (_mm256_movemask_ps(_mm256_cmp_ps(x, y, _CMP_UNORD_Q)) != 0) [[unlikely]] {
      RunCast<float, half>(from + i, to + i, 16);
      continue;
    }
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i + 8), _mm256_cvtps_ph(y, _MM_FROUND_TO_NEAREST_INT));
  }
  if (i < n) RunCast<float, half>(from + i, to + i, n - i);
}
#undef TENON_DETAIL_TARGET_F16C

template <bool is_signed>
using ByteToFloatUnit = std::conditional_t<is_signed, ByteToFloat<std::int8_t, true>, ByteToFloat<std::uint8_t, false>>;
template <bool is_signed>
TENON_DETAIL_TARGET_AVX2 void ByteToFloatAvx2(const void* pfrom, void* pto, Index n) {
  const char* from = static_cast<const char*>(pfrom);
  float* to = static_cast<float*>(pto);
  Index i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m128i first = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + i));
    const __m128i second = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + i + 8));
    _mm256_storeu_ps(to + i, _mm256_cvtepi32_ps(is_signed ? _mm256_cvtepi8_epi32(first) : _mm256_cvtepu8_epi32(first)));
    _mm256_storeu_ps(to + i + 8,
                     _mm256_cvtepi32_ps(is_signed ? _mm256_cvtepi8_epi32(second) : _mm256_cvtepu8_epi32(second)));
  }
  if (i < n) RunByteCast<ByteToFloatUnit<is_signed>>(from + i, to + i, n - i);
}
template <bool is_signed>
CastLoop ByteToFloatLoop() {
  return simd::BestLevel() >= simd::Level::kAvx2 ? &ByteToFloatAvx2<is_signed>
                                                 : &RunByteCast<ByteToFloatUnit<is_signed>>;
}

inline bool FindF16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return simd::BestLevel() >= simd::Level::kAvx2 && __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
inline bool HasF16c() {
  static const bool has = FindF16c();
  return has;
}
inline CastLoop HalfToFloat() { return HasF16c() ? &HalfToFloatF16c : &RunCast<half, float>; }
inline CastLoop FloatToHalf() { return HasF16c() ? &FloatToHalfF16c : &RunCast<float, half>; }
#else
inline CastLoop HalfToFloat() { return &RunCast<half, float>; }
inline CastLoop FloatToHalf() { return &RunCast<float, half>; }
template <bool is_signed>
CastLoop ByteToFloatLoop() {
  return &RunCast<std::conditional_t<is_signed, std::int8_t, std::uint8_t>, float>;
}
#endif

// From float to bytes. Those that keep the low bits are the same for both signs.
#if TENON_DETAIL_BYTE_CASTS
inline constexpr CastLoop kFloatToByte = &RunByteCast<FloatToByte>, kFloatToBool = &RunByteCast<FloatToBool>;
#else
inline constexpr CastLoop kFloatToByte = &RunCast<float, std::uint8_t>, kFloatToBool = &RunCast<float, bool>;
#endif

// The widest types: every number that is cast is exactly one of their values.
enum class CastKind : std::uint8_t { kNone, kSigned, kUnsigned, kFloat };  // none, int64, uint64, double

// Quantised integers are cast as the integers that they are stored in.
constexpr DataType CastType(DataType dtype) {
  switch (dtype) {
    case DataType::kQint8: return DataType::kInt8;
    case DataType::kQuint8: return DataType::kUint8;
    case DataType::kQint16: return DataType::kInt16;
    case DataType::kQuint16: return DataType::kUint16;
    case DataType::kQint32: return DataType::kInt32;
    default: return dtype;
  }
}
constexpr bool IsCastFloat8(DataType dtype) {
  return dtype == DataType::kFloat8E5M2 || dtype == DataType::kFloat8E4M3FN;
}
constexpr bool IsInt4(DataType dtype) { return dtype == DataType::kInt4 || dtype == DataType::kUint4; }

// The first step: to the widest type. A null loop: the type is that already (or, for kNone, cannot be cast).
struct CastSource {
  CastKind kind = CastKind::kNone;
  CastLoop widen = nullptr;
};
inline CastSource CastSourceOf(DataType dtype) {
  switch (dtype) {
    case DataType::kBool: return {CastKind::kSigned, &RunCast<bool, std::int64_t>};
    case DataType::kInt8: return {CastKind::kSigned, &RunCast<std::int8_t, std::int64_t>};
    case DataType::kUint8: return {CastKind::kSigned, &RunCast<std::uint8_t, std::int64_t>};
    case DataType::kInt16: return {CastKind::kSigned, &RunCast<std::int16_t, std::int64_t>};
    case DataType::kUint16: return {CastKind::kSigned, &RunCast<std::uint16_t, std::int64_t>};
    case DataType::kInt32: return {CastKind::kSigned, &RunCast<std::int32_t, std::int64_t>};
    case DataType::kUint32: return {CastKind::kSigned, &RunCast<std::uint32_t, std::int64_t>};
    case DataType::kInt4: return {CastKind::kSigned, &RunCast<int4, std::int64_t>};
    case DataType::kUint4: return {CastKind::kSigned, &RunCast<uint4, std::int64_t>};
    case DataType::kInt64: return {CastKind::kSigned};
    case DataType::kUint64: return {CastKind::kUnsigned};
    case DataType::kHalf: return {CastKind::kFloat, &RunCast<half, double>};
    case DataType::kBfloat16: return {CastKind::kFloat, &RunCast<bfloat16, double>};
    case DataType::kFloat: return {CastKind::kFloat, &RunCast<float, double>};
    case DataType::kDouble: return {CastKind::kFloat};
    case DataType::kFloat8E5M2: return {CastKind::kFloat, &RunCast<float8_e5m2, double>};
    case DataType::kFloat8E4M3FN: return {CastKind::kFloat, &RunCast<float8_e4m3fn, double>};
    case DataType::kComplex64: return {CastKind::kFloat, &RunCast<complex64, double>};
    case DataType::kComplex128: return {CastKind::kFloat, &RunCast<complex128, double>};
    default: return {};
  }
}

// The second step. Integers that keep the low bits only need one loop for both signs.
inline CastLoop NarrowSigned(DataType to) {
  switch (to) {
    case DataType::kBool: return &RunCast<std::int64_t, bool>;
    case DataType::kInt8:
    case DataType::kUint8: return &RunCast<std::int64_t, std::uint8_t>;
    case DataType::kInt16:
    case DataType::kUint16: return &RunCast<std::int64_t, std::uint16_t>;
    case DataType::kInt32:
    case DataType::kUint32: return &RunCast<std::int64_t, std::uint32_t>;
    case DataType::kInt64:
    case DataType::kUint64: return &RunCast<std::int64_t, std::int64_t>;
    case DataType::kInt4: return &RunCast<std::int64_t, int4>;
    case DataType::kUint4: return &RunCast<std::int64_t, uint4>;
    case DataType::kHalf: return &RunCast<std::int64_t, half>;
    case DataType::kBfloat16: return &RunCast<std::int64_t, bfloat16>;
    case DataType::kFloat: return &RunCast<std::int64_t, float>;
    case DataType::kDouble: return &RunCast<std::int64_t, double>;
    case DataType::kComplex64: return &RunCast<std::int64_t, complex64>;
    case DataType::kComplex128: return &RunCast<std::int64_t, complex128>;
    default: return nullptr;
  }
}
inline CastLoop NarrowUnsigned(DataType to) {
  switch (to) {
    case DataType::kHalf: return &RunCast<std::uint64_t, half>;
    case DataType::kBfloat16: return &RunCast<std::uint64_t, bfloat16>;
    case DataType::kFloat: return &RunCast<std::uint64_t, float>;
    case DataType::kDouble: return &RunCast<std::uint64_t, double>;
    case DataType::kComplex64: return &RunCast<std::uint64_t, complex64>;
    case DataType::kComplex128: return &RunCast<std::uint64_t, complex128>;
    default: return NarrowSigned(to);  // integers and bool: the bits are those of a signed cast
  }
}
inline CastLoop NarrowFloat(DataType to) {
  switch (to) {
    case DataType::kBool: return &RunCast<double, bool>;
    case DataType::kInt8:
    case DataType::kUint8: return &RunCast<double, std::uint8_t>;
    case DataType::kInt16:
    case DataType::kUint16: return &RunCast<double, std::uint16_t>;
    case DataType::kInt32: return &RunCast<double, std::int32_t>;
    case DataType::kUint32: return &RunCast<double, std::uint32_t>;
    case DataType::kInt64: return &RunCast<double, std::int64_t>;
    case DataType::kUint64: return &RunCast<double, std::uint64_t>;
    case DataType::kHalf: return &RunCast<double, half>;
    case DataType::kBfloat16: return &RunCast<double, bfloat16>;
    case DataType::kFloat: return &RunCast<double, float>;
    case DataType::kDouble: return &RunCast<double, double>;
    case DataType::kFloat8E5M2: return &RunCast<double, float8_e5m2>;
    case DataType::kFloat8E4M3FN: return &RunCast<double, float8_e4m3fn>;
    case DataType::kComplex64: return &RunCast<double, complex64>;
    case DataType::kComplex128: return &RunCast<double, complex128>;
    default: return nullptr;
  }
}

// The frequent pairs, in one step; null for the others.
inline CastLoop DirectCast(DataType from, DataType to) {
  if (from == DataType::kFloat) {
    switch (to) {
      case DataType::kHalf: return FloatToHalf();
      case DataType::kBfloat16: return FloatToBfloat16();
      case DataType::kInt32: return &RunCast<float, std::int32_t>;
      case DataType::kInt64: return &RunCast<float, std::int64_t>;
      case DataType::kDouble: return &RunCast<float, double>;
      case DataType::kUint8:
      case DataType::kInt8: return kFloatToByte;
      case DataType::kBool: return kFloatToBool;
      case DataType::kComplex64: return &RunCast<float, complex64>;  // denormals pass, as in TensorFlow
      default: return nullptr;
    }
  }
  if (to == DataType::kFloat) {
    switch (from) {
      case DataType::kHalf: return HalfToFloat();
      case DataType::kBfloat16: return &RunCast<bfloat16, float>;
      case DataType::kInt32: return &RunCast<std::int32_t, float>;
      case DataType::kUint8:
      case DataType::kBool: return ByteToFloatLoop<false>();  // true is 1
      case DataType::kInt8: return ByteToFloatLoop<true>();
      case DataType::kDouble: return &RunCast<double, float>;
      case DataType::kComplex64: return &RunCast<complex64, float>;
      default: return nullptr;
    }
  }
  return from == DataType::kInt32 && to == DataType::kInt64 ? &RunCast<std::int32_t, std::int64_t> : nullptr;
}

// Bits of the fraction, for complex numbers those of their parts; 0: not a floating-point type that can be cast.
constexpr int FractionBits(DataType dtype) {
  switch (dtype) {
    case DataType::kDouble:
    case DataType::kComplex128: return 52;
    case DataType::kFloat:
    case DataType::kComplex64: return 23;
    case DataType::kHalf: return 10;
    case DataType::kBfloat16: return 7;
    case DataType::kFloat8E5M2: return 2;
    case DataType::kFloat8E4M3FN: return 3;
    default: return 0;
  }
}
// Whether the attr Truncate changes anything: as TensorFlow has it, to bfloat16 from float only.
constexpr bool Truncates(DataType from, DataType to) {
  if (FractionBits(to) == 0 || FractionBits(from) <= FractionBits(to) || IsCastFloat8(from)) return false;
  return to != DataType::kBfloat16 || from == DataType::kFloat;
}
// Clears all bits of the fractions but the first `kept`. NaN stays.
inline void TruncateFractions(double* x, Index n, int kept) {
  const std::uint64_t mask = ~((std::uint64_t{1} << (52 - kept)) - 1);
  for (Index i = 0; i < n; ++i)
    if (x[i] == x[i]) x[i] = BitCast<double>(BitCast<std::uint64_t>(x[i]) & mask);
}

// One cast, worked out.
struct CastPlan {
  CastLoop direct = nullptr;  // the whole cast; else:
  CastLoop widen = nullptr;  // null: the elements are wide already
  CastLoop narrow = nullptr;
  int kept_bits = 0;  // bits of the fractions; 0: all
  Index from_bytes = 0, to_bytes = 0;

  void Run(const char* from, char* to, Index n) const {
    if (direct != nullptr) return direct(from, to, n);
    constexpr Index kTile = 512;
    alignas(64) double tile[kTile];  // or 64-bit integers: only their bytes are moved through it
    for (Index i = 0; i < n; i += kTile) {
      const Index m = n - i < kTile ? n - i : kTile;
      const void* wide = from + i * from_bytes;
      if (widen != nullptr) {
        widen(wide, tile, m);
        wide = tile;
      }
      if (kept_bits != 0) {
        if (wide != tile) std::memcpy(tile, wide, static_cast<std::size_t>(m) * sizeof(double));
        TruncateFractions(tile, m, kept_bits);
        wide = tile;
      }
      narrow(wide, to + i * to_bytes, m);
    }
  }
};

// Whether TensorFlow has this conversion.
inline bool HasCast(DataType from, DataType to) {
  if (CastSourceOf(from).kind == CastKind::kNone || CastSourceOf(to).kind == CastKind::kNone) return false;
  const auto is_integer = [](DataType t) { return IsInteger(t); };
  if (IsInt4(from) || IsInt4(to)) return is_integer(from) && is_integer(to);
  if (IsCastFloat8(to)) return FractionBits(from) != 0 && !IsComplex(from);
  return true;
}

}  // namespace detail

// to[i] = from[i] as another type, n elements, as ConvertScalar converts (types/convert.hpp). `truncate`: a float that
// becomes a narrower one is cut off instead of rounded. Complex to real drops the imaginary part. Unimplemented for
// pairs that TensorFlow has no conversion for, "Cast int4 to float is not supported". Not for equal types.
inline Status Cast(Cpu& device, DataType from_type, const void* from, DataType to_type, void* to, Index n,
                   bool truncate) {
  DataType source = detail::CastType(from_type), target = detail::CastType(to_type);
  if (!detail::HasCast(source, target))
    return errors::Unimplemented("Cast ", from_type, " to ", to_type, " is not supported");
  if (IsComplex(source) && IsComplex(target)) {  // part by part
    n *= 2;
    source = source == DataType::kComplex64 ? DataType::kFloat : DataType::kDouble;
    target = target == DataType::kComplex64 ? DataType::kFloat : DataType::kDouble;
  }
  detail::CastPlan plan;
  const detail::CastSource first = detail::CastSourceOf(source);
  if (truncate && detail::Truncates(source, target)) plan.kept_bits = detail::FractionBits(target);
  if (plan.kept_bits == 0) plan.direct = detail::DirectCast(source, target);
  plan.widen = first.widen;
  plan.narrow = first.kind == detail::CastKind::kSigned     ? detail::NarrowSigned(target)
                : first.kind == detail::CastKind::kUnsigned ? detail::NarrowUnsigned(target)
                                                            : detail::NarrowFloat(target);
  plan.from_bytes = static_cast<Index>(detail::ElementBytes(source));
  plan.to_bytes = static_cast<Index>(detail::ElementBytes(target));
  ParallelFor(device, n, plan.direct != nullptr ? 0.3 : 1.5, [&](Index begin, Index end) {
    plan.Run(static_cast<const char*>(from) + begin * plan.from_bytes, static_cast<char*>(to) + begin * plan.to_bytes,
             end - begin);
  });
  return OkStatus();
}

TENON_DETAIL_NAMESPACE_END
