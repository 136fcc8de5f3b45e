// SPDX-License-Identifier: Apache-2.0
#pragma once
// Division with integers, in its variants, and powers. Dividing an integer by zero and raising it to a negative power
// are errors, found before anything is computed; the smallest integer divided by -1 wraps to itself.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/view.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/signatures.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

// Whether one of the n elements is 0.
template <class T>
bool SomeZero(const T* x, Index n) {
  for (Index i = 0; i < n; ++i)
    if (x[i] == 0) return true;
  return false;
}
template <class T>
bool SomeNegative(const T* x, Index n) {
  for (Index i = 0; i < n; ++i)
    if (x[i] < 0) return true;
  return false;
}
template <class T>
bool DividesByZero(In<T> divisor) {
  const auto* elements = reinterpret_cast<const std::make_unsigned_t<T>*>(divisor.data);  // one loop for both signs
  return SomeZero(elements, divisor.size());
}
TENON_DETAIL_COLD inline Status DivisionByZero() { return errors::InvalidArgument("Integer division by zero"); }

// Quotient and remainder of integers, toward zero. y is not 0.
template <class T>
TENON_HD T Quotient(T x, T y) {
  if constexpr (std::is_signed_v<T>)
    if (y == T(-1)) return Neg::map(x);
  return static_cast<T>(x / y);
}
template <class T>
TENON_HD T Remainder(T x, T y) {
  if constexpr (std::is_signed_v<T>)
    if (y == T(-1)) return T(0);
  return static_cast<T>(x % y);
}

// x / y, rounded to T before it is cut to an integer: half and bfloat16 are given as they are.
template <class T>
TENON_HD auto FloatQuotient(const T& x, const T& y) {
  if constexpr (tenon::detail::kIsSmallFloat<T>)
    return static_cast<float>(T(static_cast<float>(x) / static_cast<float>(y)));
  else
    return x / y;
}

template <class Device, class T>
concept DivisionKernel = !kIsComplex<T> && (!std::is_integral_v<T> || Device::type == "CPU");

}  // namespace detail

// Integers: toward zero.
struct Div {
  static constexpr auto signature = detail::BinaryOp("Div", detail::kDivisionTypes);
  static constexpr bool keeps_int32_on_host = true;

  template <class T>
    requires std::is_integral_v<T>
  static Status check(In<T>, In<T> y) {
    return detail::DividesByZero(y) ? detail::DivisionByZero() : OkStatus();
  }
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return detail::Quotient(x, y);
    else
      return detail::Ratio(x, y);
  }

  template <class Device, class T>
    requires(!std::is_integral_v<T> || Device::type == "CPU")
  using kernel = Map2<Div, Device, T>;
};

// Toward minus infinity.
struct FloorDiv {
  static constexpr auto signature = detail::BinaryOp("FloorDiv", detail::kDivisionTypes);
  static constexpr bool keeps_int32_on_host = true;
  static constexpr bool takes_small_floats = true;
  static constexpr float cost_ns = 2;

  template <class T>
    requires std::is_integral_v<T>
  static Status check(In<T> x, In<T> y) {
    return Div::check(x, y);
  }
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (!std::is_integral_v<T>) {
      return T(std::floor(detail::FloatQuotient(x, y)));
    } else {
      const T quotient = detail::Quotient(x, y);
      if constexpr (std::is_signed_v<T>)
        if ((x < 0) != (y < 0) && detail::Remainder(x, y) != 0) return static_cast<T>(quotient - 1);
      return quotient;
    }
  }

  template <class Device, class T>
    requires detail::DivisionKernel<Device, T>
  using kernel = Map2<FloorDiv, Device, T>;
};

// Toward zero. TensorFlow takes an integer zero as an Internal error here.
struct TruncateDiv {
  static constexpr auto signature = detail::BinaryOp("TruncateDiv", detail::kDivisionTypes);
  static constexpr bool keeps_int32_on_host = true;
  static constexpr bool takes_small_floats = true;

  template <class T>
    requires std::is_integral_v<T>
  static Status check(In<T>, In<T> y) {
    return detail::DividesByZero(y) ? errors::Internal("TruncateDiv: Integer division by zero") : OkStatus();
  }
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return detail::Quotient(x, y);
    else
      return T(std::trunc(detail::FloatQuotient(x, y)));
  }

  template <class Device, class T>
    requires detail::DivisionKernel<Device, T>
  using kernel = Map2<TruncateDiv, Device, T>;
};

// x - y floor(x / y): has the sign of y.
struct FloorMod {
  static constexpr auto signature = detail::BinaryOp(
      "FloorMod", "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double}");
  static constexpr bool keeps_int32_on_host = true;
  static constexpr float cost_ns = 6;

  template <class T>
    requires std::is_integral_v<T>
  static Status check(In<T> x, In<T> y) {
    return Div::check(x, y);
  }
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>) {
      const T rest = detail::Remainder(x, y);
      if constexpr (std::is_signed_v<T>)
        if (rest != 0 && (rest < 0) != (y < 0)) return static_cast<T>(rest + y);
      return rest;
    } else {
      const T rest = std::fmod(x, y);
      return rest != T(0) && (rest < T(0)) != (y < T(0)) ? rest + y : rest;
    }
  }

  template <class Device, class T>
    requires detail::DivisionKernel<Device, T>
  using kernel = Map2<FloorMod, Device, T>;
};

// Has the sign of x, as % in C.
struct TruncateMod {
  static constexpr auto signature = detail::BinaryOp("TruncateMod", "T: {int32, int64, bfloat16, half, float, double}");
  static constexpr bool keeps_int32_on_host = true;
  static constexpr float cost_ns = 5;

  template <class T>
    requires std::is_integral_v<T>
  static Status check(In<T>, In<T> y) {
    return detail::DividesByZero(y) ? errors::Internal("TruncateMod: Integer division by zero") : OkStatus();
  }
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return detail::Remainder(x, y);
    else
      return std::fmod(x, y);
  }

  template <class Device, class T>
    requires(detail::DivisionKernel<Device, T> && !tenon::detail::kIsSmallFloat<T>)
  using kernel = Map2<TruncateMod, Device, T>;
};

// TruncateMod under its older name.
struct Mod {
  static constexpr auto signature = detail::BinaryOp("Mod", "T: {int32, int64, half, half, bfloat16, float, double}");
  static constexpr bool keeps_int32_on_host = true;
  static constexpr float cost_ns = TruncateMod::cost_ns;

  template <class T>
    requires std::is_integral_v<T>
  static Status check(In<T> x, In<T> y) {
    return Div::check(x, y);
  }
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return TruncateMod::map(x, y);
  }

  template <class Device, class T>
    requires(detail::DivisionKernel<Device, T> && !tenon::detail::kIsSmallFloat<T>)
  using kernel = Map2<Mod, Device, T>;
};

// x^y. Integers wrap.
struct Pow {
  static constexpr auto signature =
      detail::BinaryOp("Pow", "T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}");
  static constexpr float cost_ns = 15;

  template <class T>
    requires std::is_integral_v<T>
  static Status check(In<T>, In<T> y) {
    return detail::SomeNegative(y.data, y.size()) ? NegativeExponent() : OkStatus();
  }
  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return IntegerPower(x, y);
    else
      return std::pow(x, y);
  }

  template <class Device, class T>
    requires(!std::is_integral_v<T> || Device::type == "CPU")
  using kernel = Map2<Pow, Device, T>;

 private:
  // By squaring.
  template <class T>
  TENON_HD static T IntegerPower(T x, T y) {
    using Bits = detail::Wrapping<T>;
    Bits power = 1, square = static_cast<Bits>(x);
    for (Bits rest = static_cast<Bits>(y); rest != 0; rest >>= 1) {
      if ((rest & 1) != 0) power *= square;
      square *= square;
    }
    return static_cast<T>(power);
  }
  TENON_DETAIL_COLD static Status NegativeExponent() {
    return errors::InvalidArgument("Pow: Integers to negative integer powers are not allowed");
  }
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
