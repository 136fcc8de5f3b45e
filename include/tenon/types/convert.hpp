// SPDX-License-Identifier: Apache-2.0
#pragma once
// ConvertScalar<To>(from): one number as another numeric type, with the results of TensorFlow's Cast on the CPU.
// For all dtypes but string, resource and variant; complex.hpp is needed by whoever converts complex numbers.

#include <cstdint>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/types/dtype.hpp>
#include <tenon/types/dtype_of.hpp>
#include <tenon/types/numeric.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

// An element that is a number or a truth value.
template <class T>
concept NumericElement = Trivial<T>;

namespace detail {

template <class T>
concept ComplexElement = IsComplex(dtype_of<T>::value);
template <class T>
concept SmallFloatElement = IsFloating(dtype_of<T>::value) && !std::is_floating_point_v<T>;
template <class T>
concept WrappedIntegerElement = std::is_class_v<T> && !SmallFloatElement<T> && !ComplexElement<T>;

// std::complex without its members, which may not be called on a GPU.
template <class Real>
struct ComplexParts {
  Real real;
  Real imaginary;
};

// Toward zero. The smallest Int for NaN and for what does not fit, as the processor's instructions give it.
template <class Int, class Float>
TENON_HD constexpr Int TruncateSigned(Float value) {
  constexpr Float kLimit = static_cast<Float>(std::uint64_t{1} << (sizeof(Int) * 8 - 1));
  constexpr Int kLowest = static_cast<Int>(std::uint64_t{1} << (sizeof(Int) * 8 - 1));
  return value >= -kLimit && value < kLimit ? static_cast<Int>(value) : kLowest;
}

// Integers of fewer than 32 bits, and uint32, are the low bits of the next larger signed conversion. For uint64 a
// negative number is taken modulo 2^64; 2^64 and more, less than -2^63, and NaN become 2^63.
template <class Int, class Float>
TENON_HD constexpr Int TruncateTo(Float value) {
  if constexpr (std::is_unsigned_v<Int> && sizeof(Int) == 8) {
    constexpr Float kHalf = static_cast<Float>(std::uint64_t{1} << 63);
    if (!(value >= kHalf)) return static_cast<Int>(TruncateSigned<std::int64_t>(value));
    return static_cast<Int>(TruncateSigned<std::int64_t>(value - kHalf)) | Int{1} << 63;
  } else if constexpr (sizeof(Int) == 8 || (std::is_unsigned_v<Int> && sizeof(Int) == 4)) {
    return static_cast<Int>(TruncateSigned<std::int64_t>(value));
  } else {
    return static_cast<Int>(TruncateSigned<std::int32_t>(value));
  }
}

// A number as what C++ itself calculates with: the value of a small float, a quantised or a sub-byte integer.
template <class T>
TENON_HD constexpr auto ToArithmetic(T value) {
  if constexpr (SmallFloatElement<T>) {
    return static_cast<float>(value);
  } else if constexpr (WrappedIntegerElement<T>) {
    return value.value;
  } else {
    return value;
  }
}

template <class To, class From>
TENON_HD constexpr To FromArithmetic(From value) {
  if constexpr (SmallFloatElement<To>) {
    return To(value);
  } else if constexpr (WrappedIntegerElement<To>) {
    return To(FromArithmetic<decltype(To::value)>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From(0);
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    return TruncateTo<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace detail

// Number -> number, by the first line that fits:
//   complex -> complex   part by part
//   complex -> other     the real part's conversion; the imaginary part is dropped
//   other -> complex     imaginary part 0
//   bool -> other        0 or 1
//   other -> bool        whether it is not zero; NaN is not
//   integer -> integer   modulo 2^bits; quantised integers as the integers that they are stored in
//   float -> integer     toward zero; what does not fit, and NaN: detail::TruncateTo, i.e. what x86 gives. (Where
//                        TensorFlow runs vector code, it gives other numbers for these, depending on the position.)
//   other -> float       to nearest, ties to even. half and bfloat16 are rounded from float, and so are 8 and 4 bits
//                        but from double.
// No undefined behaviour for any value. Constant expressions too (with clang not from or to complex).
template <NumericElement To, NumericElement From>
TENON_HD constexpr To ConvertScalar(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (detail::ComplexElement<From>) {
    using Real = typename From::value_type;
    const auto from = detail::BitCast<detail::ComplexParts<Real>>(value);
    if constexpr (detail::ComplexElement<To>) {
      using ToReal = typename To::value_type;
      return detail::BitCast<To>(
          detail::ComplexParts<ToReal>{static_cast<ToReal>(from.real), static_cast<ToReal>(from.imaginary)});
    } else {
      return detail::FromArithmetic<To>(from.real);
    }
  } else if constexpr (detail::ComplexElement<To>) {
    using ToReal = typename To::value_type;
    return detail::BitCast<To>(
        detail::ComplexParts<ToReal>{static_cast<ToReal>(detail::ToArithmetic(value)), ToReal(0)});
  } else {
    return detail::FromArithmetic<To>(detail::ToArithmetic(value));
  }
}

TENON_DETAIL_NAMESPACE_END
