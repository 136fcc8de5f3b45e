// SPDX-License-Identifier: Apache-2.0
#pragma once
// The element types that C++ does not have: half, bfloat16, the 8- and 4-bit floats, quantised and sub-byte integers.
// Trivially copyable, usable in constant expressions and on a GPU. They store values; arithmetic goes through float.

#include <cstdint>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/types/dtype_of.hpp>

TENON_DETAIL_NAMESPACE_BEGIN
namespace detail {

// std::bit_cast may not be called on a GPU; the builtin below it may, and g++, clang, nvcc and MSVC all have it.
template <class To, class From>
TENON_HD constexpr To BitCast(From from) {
  return __builtin_bit_cast(To, from);
}

// condition ? a : b without a jump: the conversions below stay loops that compilers turn into vector code.
template <class Word>
TENON_HD constexpr Word Select(bool condition, Word a, Word b) {
  const Word mask = Word{0} - static_cast<Word>(condition);
  return (a & mask) | (b & ~mask);
}

// The values of a small float format beside finite numbers.
enum class FloatSpecials {
  kInfAndNan,   // as IEEE 754: the largest exponent means infinity (mantissa 0) or NaN
  kNanOnly,     // "fn": no infinity; only all ones is NaN
  kOneNan,      // "fnuz": no infinity, no negative zero; its pattern is the only NaN
  kFiniteOnly,  // "fn" without room for NaN
};

// The layout of a wider float that values come from.
template <class Float>
struct WideFloat;
template <>
struct WideFloat<float> {
  using Word = std::uint32_t;
  static constexpr int mantissa_bits = 23;
  static constexpr int bias = 127;
};
template <>
struct WideFloat<double> {
  using Word = std::uint64_t;
  static constexpr int mantissa_bits = 52;
  static constexpr int bias = 1023;
};

// A binary format of 1 sign bit, E exponent bits and M mantissa bits; an exponent field e > 0 means 2^(e - bias).
template <int E, int M, int Bias, FloatSpecials kSpecials>
struct FloatFormat {
  static constexpr int exponent_bits = E;
  static constexpr int mantissa_bits = M;
  static constexpr int bias = Bias;
  static constexpr FloatSpecials specials = kSpecials;
  static constexpr std::uint32_t sign_bit = 1u << (E + M);
  static constexpr std::uint32_t inf_bits = ((1u << E) - 1) << M;  // kInfAndNan only
  static constexpr std::uint32_t nan_bits = kSpecials == FloatSpecials::kInfAndNan ? inf_bits | (1u << (M - 1))
                                            : kSpecials == FloatSpecials::kOneNan  ? sign_bit
                                                                                   : sign_bit - 1;
  static constexpr std::uint32_t max_bits = kSpecials == FloatSpecials::kInfAndNan ? inf_bits - 1
                                            : kSpecials == FloatSpecials::kNanOnly ? sign_bit - 2
                                                                                   : sign_bit - 1;

  // 2^n as a wide float; n must be in its normal range.
  template <class Float>
  TENON_HD static constexpr Float PowerOfTwo(int n) {
    using Wide = WideFloat<Float>;
    return BitCast<Float>(static_cast<typename Wide::Word>(n + Wide::bias) << Wide::mantissa_bits);
  }

  // Exact. NaNs keep their sign and payload where the format has such.
  TENON_HD static constexpr float ToFloat(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
    if constexpr (E == 5 && M == 10) {
      if (!TENON_DETAIL_IS_CONSTANT_EVALUATED()) {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(static_cast<unsigned short>(bits)));
        return value;
      }
    }
#endif
    const std::uint32_t magnitude = bits & (sign_bit - 1);
    const std::uint32_t sign = (bits & sign_bit) << (31 - E - M);
    if constexpr (E == 8) {
      return BitCast<float>(sign | (magnitude << (23 - M)));  // exponents are those of float
    } else {
      constexpr std::uint32_t kRebias = static_cast<std::uint32_t>(127 - Bias) << 23;
      constexpr float kSubnormalUnit = PowerOfTwo<float>(1 - Bias - M);
      const std::uint32_t normal = (magnitude << (23 - M)) + kRebias;
      const float subnormal_value = static_cast<float>(static_cast<std::int32_t>(magnitude)) * kSubnormalUnit;
      const std::uint32_t subnormal = BitCast<std::uint32_t>(subnormal_value);
      std::uint32_t result = Select(magnitude < (1u << M), subnormal, normal);
      if constexpr (kSpecials == FloatSpecials::kInfAndNan) {
        result |= Select(magnitude >= inf_bits, 0x7f800000u, 0u);
      } else if constexpr (kSpecials == FloatSpecials::kNanOnly) {
        result = Select(magnitude == nan_bits, 0x7fc00000u, result);
      } else if constexpr (kSpecials == FloatSpecials::kOneNan) {
        result |= Select(bits == nan_bits, 0x7fc00000u, 0u);
      }
      return BitCast<float>(sign | result);
    }
  }

  // Rounds to nearest, ties to even. Too large: infinity, else NaN, else the largest number. NaN becomes the quiet NaN
  // with its sign; in a format without NaN, a zero of the other sign (all as ml_dtypes, which TensorFlow uses, does
  // it). A GPU's NaN has no sign.
  template <class Float>
  TENON_HD static constexpr std::uint32_t FromFloat(Float value) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<Float, float> && (E + M == 15) && (E == 5 || E == 8)) {
      if (!TENON_DETAIL_IS_CONSTANT_EVALUATED()) {
        unsigned short pattern;
        if constexpr (E == 5)
          asm("cvt.rn.f16.f32 %0, %1;" : "=h"(pattern) : "f"(value));
        else
          asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(pattern) : "f"(value));
        return pattern;
      }
    }
#endif
    using Wide = WideFloat<Float>;
    using Word = typename Wide::Word;
    constexpr int kShift = Wide::mantissa_bits - M;
    constexpr Word kSignBit = Word{1} << (sizeof(Word) * 8 - 1);
    constexpr Word kInfinity = ((kSignBit >> Wide::mantissa_bits) - 1) << Wide::mantissa_bits;
    constexpr Word kSmallestNormal = static_cast<Word>(1 - Bias + Wide::bias) << Wide::mantissa_bits;
    constexpr Word kRebias = static_cast<Word>(Wide::bias - Bias) << M;
    const Word word = BitCast<Word>(value);
    const Word magnitude = word & (kSignBit - 1);
    const std::uint32_t sign = static_cast<std::uint32_t>((word & kSignBit) >> (sizeof(Word) * 8 - 1)) << (E + M);

    const Word rounded = (magnitude + ((Word{1} << (kShift - 1)) - 1) + ((magnitude >> kShift) & 1)) >> kShift;
    Word result = rounded - kRebias;
    if constexpr (Wide::bias != Bias) {
      // Adding a number whose unit is the smallest subnormal lets the hardware round.
      constexpr Float kUnits = PowerOfTwo<Float>(Wide::mantissa_bits + 1 - Bias - M);
      const Word subnormal = BitCast<Word>(BitCast<Float>(magnitude) + kUnits) - BitCast<Word>(kUnits);
      result = Select(magnitude < kSmallestNormal, subnormal, result);
    }
    const bool is_nan = magnitude > kInfinity;
    if constexpr (kSpecials == FloatSpecials::kInfAndNan) {
      result = Select<Word>(result > max_bits, inf_bits, result);
      result = Select<Word>(is_nan, nan_bits, result);
      return sign | static_cast<std::uint32_t>(result);
    } else if constexpr (kSpecials == FloatSpecials::kNanOnly) {
      result = Select<Word>((result > max_bits) | is_nan, nan_bits, result);
      return sign | static_cast<std::uint32_t>(result);
    } else if constexpr (kSpecials == FloatSpecials::kOneNan) {
      const std::uint32_t finite = Select<std::uint32_t>(result == 0, 0, sign | static_cast<std::uint32_t>(result));
      return Select<std::uint32_t>((result > max_bits) | is_nan, nan_bits, finite);
    } else {
      const Word finite = Select<Word>(result > max_bits, max_bits, result);
      // NaN becomes a negative zero, and a negative NaN a positive one.
      return Select<std::uint32_t>(is_nan, sign ^ sign_bit, sign | static_cast<std::uint32_t>(finite));
    }
  }
};

// A number stored as a pattern of Format in `bits`; Derived is the type that people name.
// Float8 and smaller round once from double; half and bfloat16 go through float, as TensorFlow's do.
template <class Derived, class Bits, class Format>
struct SmallFloat {
  using format = Format;
  Bits bits;

  SmallFloat() = default;
  template <class T>
    requires(std::is_arithmetic_v<T> || (std::is_convertible_v<T, float> && !std::is_base_of_v<SmallFloat, T>))
  TENON_HD explicit constexpr SmallFloat(T value) : bits(Encode(value)) {}
  TENON_HD static constexpr Derived FromBits(Bits pattern) {
    Derived made(0.0f);
    made.bits = pattern;
    return made;
  }
  TENON_HD constexpr operator float() const { return Format::ToFloat(bits); }

  TENON_HD friend constexpr Derived operator+(Derived a, Derived b) { return Derived(float(a) + float(b)); }
  TENON_HD friend constexpr Derived operator-(Derived a, Derived b) { return Derived(float(a) - float(b)); }
  TENON_HD friend constexpr Derived operator*(Derived a, Derived b) { return Derived(float(a) * float(b)); }
  TENON_HD friend constexpr Derived operator/(Derived a, Derived b) { return Derived(float(a) / float(b)); }
  TENON_HD friend constexpr Derived operator+(Derived a) { return a; }
  TENON_HD friend constexpr Derived operator-(Derived a) {
    if constexpr (Format::specials == FloatSpecials::kOneNan) {
      if ((a.bits & (Format::sign_bit - 1)) == 0) return a;  // zero and NaN have no sign
    }
    return FromBits(static_cast<Bits>(a.bits ^ Format::sign_bit));
  }
  TENON_HD friend constexpr Derived& operator+=(Derived& a, Derived b) { return a = a + b; }
  TENON_HD friend constexpr Derived& operator-=(Derived& a, Derived b) { return a = a - b; }
  TENON_HD friend constexpr Derived& operator*=(Derived& a, Derived b) { return a = a * b; }
  TENON_HD friend constexpr Derived& operator/=(Derived& a, Derived b) { return a = a / b; }

  TENON_HD friend constexpr bool operator==(Derived a, Derived b) { return float(a) == float(b); }
  TENON_HD friend constexpr bool operator!=(Derived a, Derived b) { return float(a) != float(b); }
  TENON_HD friend constexpr bool operator<(Derived a, Derived b) { return float(a) < float(b); }
  TENON_HD friend constexpr bool operator<=(Derived a, Derived b) { return float(a) <= float(b); }
  TENON_HD friend constexpr bool operator>(Derived a, Derived b) { return float(a) > float(b); }
  TENON_HD friend constexpr bool operator>=(Derived a, Derived b) { return float(a) >= float(b); }

 private:
  template <class T>
  TENON_HD static constexpr Bits Encode(T value) {
    if constexpr (std::is_same_v<T, double> && sizeof(Bits) == 1) {
      return static_cast<Bits>(Format::template FromFloat<double>(value));
    } else {
      return static_cast<Bits>(Format::template FromFloat<float>(static_cast<float>(value)));
    }
  }
};

}  // namespace detail

#define TENON_DETAIL_SMALL_FLOAT(name, Bits, E, M, bias, specials)                                                 \
  struct name : detail::SmallFloat<name, Bits, detail::FloatFormat<E, M, bias, detail::FloatSpecials::specials>> { \
    using SmallFloat::SmallFloat;                                                                                  \
    name() = default;                                                                                              \
  };                                                                                                               \
  static_assert(sizeof(name) == sizeof(Bits) && std::is_trivially_copyable_v<name> &&                              \
                std::is_trivially_default_constructible_v<name>)

TENON_DETAIL_SMALL_FLOAT(half, std::uint16_t, 5, 10, 15, kInfAndNan);
TENON_DETAIL_SMALL_FLOAT(bfloat16, std::uint16_t, 8, 7, 127, kInfAndNan);
TENON_DETAIL_SMALL_FLOAT(float8_e5m2, std::uint8_t, 5, 2, 15, kInfAndNan);
TENON_DETAIL_SMALL_FLOAT(float8_e4m3fn, std::uint8_t, 4, 3, 7, kNanOnly);
TENON_DETAIL_SMALL_FLOAT(float8_e4m3fnuz, std::uint8_t, 4, 3, 8, kOneNan);
TENON_DETAIL_SMALL_FLOAT(float8_e4m3b11fnuz, std::uint8_t, 4, 3, 11, kOneNan);
TENON_DETAIL_SMALL_FLOAT(float8_e5m2fnuz, std::uint8_t, 5, 2, 16, kOneNan);
TENON_DETAIL_SMALL_FLOAT(float4_e2m1fn, std::uint8_t, 2, 1, 1, kFiniteOnly);  // in the low 4 bits
#undef TENON_DETAIL_SMALL_FLOAT

namespace detail {

// A quantised integer: its own type, so that it is not taken for a number. Reads as its integer. Its integer and an
// int32, as sums and products are, become one modulo 2^bits. Another number becomes one only when asked to (a floating
// number must fit; ConvertScalar of convert.hpp takes any).
template <class Derived, class Int>
struct QuantizedInt {
  Int value;

  QuantizedInt() = default;
  template <class T>  // g++ 12 inherits no explicit(...)
    requires(std::is_same_v<T, Int> || std::is_same_v<T, std::int32_t>)
  TENON_HD constexpr QuantizedInt(T number) : value(static_cast<Int>(number)) {}
  template <class T>
    requires(!std::is_same_v<T, Int> && !std::is_same_v<T, std::int32_t> &&
             (std::is_arithmetic_v<T> ||
              (std::is_convertible_v<T, std::int32_t> && !std::is_base_of_v<QuantizedInt, T>)))
  TENON_HD explicit constexpr QuantizedInt(T number) : value(static_cast<Int>(number)) {}
  TENON_HD constexpr operator std::int32_t() const { return value; }
};

// An integer of `bits` (2 or 4) bits, one in a byte; sign-extended there. Arithmetic is modulo 2^bits (a floating
// number must fit an int32).
template <class Derived, class Int, int kBits>
struct SubByteInt {
  static constexpr int bits = kBits;
  Int value;

  SubByteInt() = default;
  template <class T>
    requires(std::is_arithmetic_v<T> || (std::is_convertible_v<T, std::int32_t> && !std::is_base_of_v<SubByteInt, T>))
  TENON_HD explicit constexpr SubByteInt(T number) : value(Wrap(number)) {}
  TENON_HD constexpr operator std::int32_t() const { return value; }

  TENON_HD friend constexpr Derived operator+(Derived a, Derived b) { return Derived(a.value + b.value); }
  TENON_HD friend constexpr Derived operator-(Derived a, Derived b) { return Derived(a.value - b.value); }
  TENON_HD friend constexpr Derived operator*(Derived a, Derived b) { return Derived(a.value * b.value); }
  TENON_HD friend constexpr Derived operator/(Derived a, Derived b) { return Derived(a.value / b.value); }
  TENON_HD friend constexpr Derived operator%(Derived a, Derived b) { return Derived(a.value % b.value); }
  TENON_HD friend constexpr Derived operator-(Derived a) { return Derived(-a.value); }
  TENON_HD friend constexpr Derived& operator+=(Derived& a, Derived b) { return a = a + b; }
  TENON_HD friend constexpr Derived& operator-=(Derived& a, Derived b) { return a = a - b; }
  TENON_HD friend constexpr Derived& operator*=(Derived& a, Derived b) { return a = a * b; }
  TENON_HD friend constexpr Derived& operator/=(Derived& a, Derived b) { return a = a / b; }

 private:
  template <class T>
  TENON_HD static constexpr Int Wrap(T number) {
    std::uint32_t low = 0;
    if constexpr (std::is_floating_point_v<T>) {
      low = static_cast<std::uint32_t>(static_cast<std::int32_t>(number));
    } else if constexpr (std::is_integral_v<T>) {
      low = static_cast<std::uint32_t>(number);
    } else {
      low = static_cast<std::uint32_t>(static_cast<std::int32_t>(number));
    }
    low &= (1u << kBits) - 1;
    if constexpr (std::is_signed_v<Int>) {
      constexpr std::uint32_t kSign = 1u << (kBits - 1);
      return static_cast<Int>(static_cast<std::int32_t>(low ^ kSign) - static_cast<std::int32_t>(kSign));
    } else {
      return static_cast<Int>(low);
    }
  }
};

}  // namespace detail

#define TENON_DETAIL_INTEGER(name, Int, ...)                                         \
  struct name : detail::__VA_ARGS__ {                                                \
    using Base = detail::__VA_ARGS__;                                                \
    using Base::Base;                                                                \
    name() = default;                                                                \
  };                                                                                 \
  static_assert(sizeof(name) == sizeof(Int) && std::is_trivially_copyable_v<name> && \
                std::is_trivially_default_constructible_v<name>)

TENON_DETAIL_INTEGER(qint8, std::int8_t, QuantizedInt<qint8, std::int8_t>);
TENON_DETAIL_INTEGER(quint8, std::uint8_t, QuantizedInt<quint8, std::uint8_t>);
TENON_DETAIL_INTEGER(qint16, std::int16_t, QuantizedInt<qint16, std::int16_t>);
TENON_DETAIL_INTEGER(quint16, std::uint16_t, QuantizedInt<quint16, std::uint16_t>);
TENON_DETAIL_INTEGER(qint32, std::int32_t, QuantizedInt<qint32, std::int32_t>);
TENON_DETAIL_INTEGER(int4, std::int8_t, SubByteInt<int4, std::int8_t, 4>);
TENON_DETAIL_INTEGER(uint4, std::uint8_t, SubByteInt<uint4, std::uint8_t, 4>);
TENON_DETAIL_INTEGER(int2, std::int8_t, SubByteInt<int2, std::int8_t, 2>);
TENON_DETAIL_INTEGER(uint2, std::uint8_t, SubByteInt<uint2, std::uint8_t, 2>);
#undef TENON_DETAIL_INTEGER

namespace detail {

template <class T>
struct SmallFloatLimits {
  using F = typename T::format;
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = true;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = F::specials == FloatSpecials::kInfAndNan;
  static constexpr bool has_quiet_NaN = F::specials != FloatSpecials::kFiniteOnly;
  static constexpr bool has_signaling_NaN = F::specials == FloatSpecials::kInfAndNan;
  static constexpr std::float_denorm_style has_denorm = std::denorm_present;
  static constexpr bool has_denorm_loss = false;
  static constexpr std::float_round_style round_style = std::round_to_nearest;
  static constexpr bool is_iec559 = false;
  static constexpr bool is_bounded = true;
  static constexpr bool is_modulo = false;
  static constexpr bool traps = false;
  static constexpr bool tinyness_before = false;
  static constexpr int radix = 2;
  static constexpr int digits = F::mantissa_bits + 1;
  static constexpr int digits10 = F::mantissa_bits * 30103 / 100000;
  static constexpr int max_digits10 = 2 + digits * 30103 / 100000;
  static constexpr int min_exponent = 2 - F::bias;
  static constexpr int max_exponent = (1 << F::exponent_bits) - F::bias - (has_infinity ? 1 : 0);
  static constexpr int min_exponent10 = (min_exponent - 1) * 30103 / 100000;
  static constexpr int max_exponent10 = max_exponent * 30103 / 100000;

  TENON_HD static constexpr T min() noexcept { return From(1u << F::mantissa_bits); }
  TENON_HD static constexpr T max() noexcept { return From(F::max_bits); }
  TENON_HD static constexpr T lowest() noexcept { return From(F::max_bits | F::sign_bit); }
  TENON_HD static constexpr T epsilon() noexcept { return T(1.0f / static_cast<float>(1 << F::mantissa_bits)); }
  TENON_HD static constexpr T round_error() noexcept { return T(0.5f); }
  TENON_HD static constexpr T infinity() noexcept { return has_infinity ? From(F::inf_bits) : max(); }
  TENON_HD static constexpr T quiet_NaN() noexcept { return has_quiet_NaN ? From(F::nan_bits) : T(0.0f); }
  TENON_HD static constexpr T signaling_NaN() noexcept {
    return has_signaling_NaN ? From(F::inf_bits | 1) : quiet_NaN();
  }
  TENON_HD static constexpr T denorm_min() noexcept { return From(1); }

 private:
  TENON_HD static constexpr T From(std::uint32_t pattern) {
    return T::FromBits(static_cast<decltype(T::bits)>(pattern));
  }
};

// Limits of T, whose values are those of Int between kMin and kMax.
template <class T, class Int, std::int64_t kMin, std::int64_t kMax, int kDigits>
struct SmallIntLimits : std::numeric_limits<Int> {
  static constexpr int digits = kDigits;
  static constexpr int digits10 = kDigits * 30103 / 100000;
  TENON_HD static constexpr T min() noexcept { return T(kMin); }
  TENON_HD static constexpr T max() noexcept { return T(kMax); }
  TENON_HD static constexpr T lowest() noexcept { return T(kMin); }
  TENON_HD static constexpr T epsilon() noexcept { return T(0); }
  TENON_HD static constexpr T round_error() noexcept { return T(0); }
  TENON_HD static constexpr T infinity() noexcept { return T(0); }
  TENON_HD static constexpr T quiet_NaN() noexcept { return T(0); }
  TENON_HD static constexpr T signaling_NaN() noexcept { return T(0); }
  TENON_HD static constexpr T denorm_min() noexcept { return T(0); }
};

}  // namespace detail
TENON_DETAIL_NAMESPACE_END

template <> struct std::numeric_limits<tenon::half> : tenon::detail::SmallFloatLimits<tenon::half> {
  static constexpr bool is_iec559 = true;
};
template <> struct std::numeric_limits<tenon::bfloat16> : tenon::detail::SmallFloatLimits<tenon::bfloat16> {};
template <> struct std::numeric_limits<tenon::float8_e5m2> : tenon::detail::SmallFloatLimits<tenon::float8_e5m2> {};
template <> struct std::numeric_limits<tenon::float8_e4m3fn> : tenon::detail::SmallFloatLimits<tenon::float8_e4m3fn> {};
template <> struct std::numeric_limits<tenon::float8_e4m3fnuz>
    : tenon::detail::SmallFloatLimits<tenon::float8_e4m3fnuz> {};
template <> struct std::numeric_limits<tenon::float8_e4m3b11fnuz>
    : tenon::detail::SmallFloatLimits<tenon::float8_e4m3b11fnuz> {};
template <> struct std::numeric_limits<tenon::float8_e5m2fnuz>
    : tenon::detail::SmallFloatLimits<tenon::float8_e5m2fnuz> {};
template <> struct std::numeric_limits<tenon::float4_e2m1fn> : tenon::detail::SmallFloatLimits<tenon::float4_e2m1fn> {};
template <> struct std::numeric_limits<tenon::qint8>
    : tenon::detail::SmallIntLimits<tenon::qint8, std::int8_t, -128, 127, 7> {};
template <> struct std::numeric_limits<tenon::quint8>
    : tenon::detail::SmallIntLimits<tenon::quint8, std::uint8_t, 0, 255, 8> {};
template <> struct std::numeric_limits<tenon::qint16>
    : tenon::detail::SmallIntLimits<tenon::qint16, std::int16_t, -32768, 32767, 15> {};
template <> struct std::numeric_limits<tenon::quint16>
    : tenon::detail::SmallIntLimits<tenon::quint16, std::uint16_t, 0, 65535, 16> {};
template <> struct std::numeric_limits<tenon::qint32>
    : tenon::detail::SmallIntLimits<tenon::qint32, std::int32_t, -2147483648, 2147483647, 31> {};
template <> struct std::numeric_limits<tenon::int4>
    : tenon::detail::SmallIntLimits<tenon::int4, std::int8_t, -8, 7, 3> {};
template <> struct std::numeric_limits<tenon::uint4>
    : tenon::detail::SmallIntLimits<tenon::uint4, std::uint8_t, 0, 15, 4> {};
template <> struct std::numeric_limits<tenon::int2>
    : tenon::detail::SmallIntLimits<tenon::int2, std::int8_t, -2, 1, 1> {};
template <> struct std::numeric_limits<tenon::uint2>
    : tenon::detail::SmallIntLimits<tenon::uint2, std::uint8_t, 0, 3, 2> {};
