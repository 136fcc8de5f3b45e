// SPDX-License-Identifier: Apache-2.0
#pragma once
// Differences, products, quotients of floats, signs, the larger and the smaller of two numbers; sums are
// add.hpp's. Integers wrap.

#include <cmath>
#include <limits>
#include <type_traits>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/add.hpp>
#include <tenon/ops/math/signatures.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {
template <class T>
inline constexpr bool kIsComplex = IsComplex(dtype_of_v<T>);

// x / y, not for integers. A complex number divided by 0 is NaN in both parts, as in TensorFlow.
template <class T>
TENON_HD T Ratio(const T& x, const T& y) {
  if constexpr (kIsComplex<T>) {
    constexpr auto kNaN = std::numeric_limits<typename T::value_type>::quiet_NaN();
    if (y.real() == 0 && y.imag() == 0) return T(kNaN, kNaN);
  }
  return x / y;
}
}  // namespace detail

struct Sub {
  static constexpr auto signature =
      Op("Sub")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr(
              "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128, uint32, uint64}")
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr bool keeps_int32_on_host = true;
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<detail::Wrapping<T>>(x) - static_cast<detail::Wrapping<T>>(y));
    else
      return x - y;
  }

  template <class Device, class T>
  using kernel = Map2<Sub, Device, T>;
};

struct Mul {
  static constexpr auto signature = detail::BinaryOp("Mul", detail::kDivisionTypes).SetIsCommutative();
  static constexpr bool keeps_int32_on_host = true;
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<detail::Wrapping<T>>(x) * static_cast<detail::Wrapping<T>>(y));
    else
      return x * y;
  }

  template <class Device, class T>
  using kernel = Map2<Mul, Device, T>;
};

struct Neg {
  static constexpr auto signature = detail::UnaryOp("Neg", detail::kSignedTypes);
  static constexpr bool keeps_int32_on_host = true;
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(detail::Wrapping<T>(0) - static_cast<detail::Wrapping<T>>(x));
    else
      return -x;
  }

  template <class Device, class T>
  using kernel = Map1<Neg, Device, T>;
};

struct Square {
  static constexpr auto signature =
      Op("Square")
          .Input("x: T")
          .Output("y: T")
          .Attr(
              "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}")
          .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr bool keeps_int32_on_host = true;
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x) {
    return Mul::map(x, x);
  }

  template <class Device, class T>
  using kernel = Map1<Square, Device, T>;
};

struct Abs {
  static constexpr auto signature =
      detail::UnaryOp("Abs", "T: {bfloat16, half, float, double, int8, int16, int32, int64}");
  static constexpr bool keeps_int32_on_host = true;

  // The smallest integer stays what it is.
  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (std::is_integral_v<T>)
      return x < 0 ? Neg::map(x) : x;
    else
      return std::abs(x);
  }

  template <class Device, class T>
  using kernel = Map1<Abs, Device, T>;
};

// -1, 0 or 1; NaN stays NaN. Of a complex number: the number of length 1 (or 0) in the same direction.
struct Sign {
  static constexpr auto signature = detail::UnaryOp("Sign", detail::kSignedTypes);
  static constexpr bool keeps_int32_on_host = true;

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (detail::kIsComplex<T>) {
      const auto length = std::abs(x);
      return length == 0 ? T(0) : x / length;
    } else {
      return x > T(0) ? T(1) : x < T(0) ? T(-1) : x == T(0) ? T(0) : x;
    }
  }

  template <class Device, class T>
  using kernel = Map1<Sign, Device, T>;
};

// 1 / x.
struct Reciprocal {
  static constexpr auto signature = detail::UnaryOp("Reciprocal", detail::kSignedTypes);

  template <class T>
  TENON_HD static T map(const T& x) {
    return detail::Ratio(T(1), x);
  }

  template <class Device, class T>
    requires(!std::is_integral_v<T>)
  using kernel = Map1<Reciprocal, Device, T>;
};

// Reciprocal under its older name.
struct Inv {
  static constexpr auto signature = detail::UnaryOp("Inv", detail::kSignedTypes);

  template <class Device, class T>
    requires(!std::is_integral_v<T>)
  using kernel = Map1<Reciprocal, Device, T>;
};

// x * y, and 0 where y is 0, whatever x is.
struct MulNoNan {
  static constexpr auto signature = detail::BinaryOp("MulNoNan", detail::kFloatingTypes);

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return y == T(0) ? T(0) : x * y;
  }

  template <class Device, class T>
  using kernel = Map2<MulNoNan, Device, T>;
};

struct RealDiv {
  static constexpr auto signature = detail::BinaryOp("RealDiv", detail::kDivisionTypes);

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return detail::Ratio(x, y);
  }

  template <class Device, class T>
    requires(!std::is_integral_v<T>)
  using kernel = Map2<RealDiv, Device, T>;
};

// x / y, and 0 where y is 0.
struct DivNoNan {
  static constexpr auto signature =
      detail::BinaryOp("DivNoNan", "T: {half, float, bfloat16, double, complex64, complex128}");

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return y == T(0) ? T(0) : x / y;
  }

  template <class Device, class T>
  using kernel = Map2<DivNoNan, Device, T>;
};

// (x - y)^2; of complex numbers the square of the distance.
struct SquaredDifference {
  static constexpr auto signature =
      detail::BinaryOp("SquaredDifference", "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
          .SetIsCommutative();
  static constexpr bool keeps_int32_on_host = true;
  static constexpr bool ignores_sign = true;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    const T difference = Sub::map(x, y);
    if constexpr (detail::kIsComplex<T>)
      return difference * std::conj(difference);
    else
      return Mul::map(difference, difference);
  }

  template <class Device, class T>
  using kernel = Map2<SquaredDifference, Device, T>;
};

// NaN when either operand is.
struct Maximum {
  static constexpr auto signature = detail::BinaryOp(
      "Maximum", "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}");
  static constexpr bool keeps_int32_on_host = true;

  template <class T>
  TENON_HD static T map(T x, T y) {
    if constexpr (std::is_integral_v<T>)
      return x < y ? y : x;
    else
      return x > y || x != x ? x : y;
  }

  template <class Device, class T>
  using kernel = Map2<Maximum, Device, T>;
};

// NaN when either operand is.
struct Minimum {
  static constexpr auto signature = detail::BinaryOp(
      "Minimum", "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}");
  static constexpr bool keeps_int32_on_host = true;

  template <class T>
  TENON_HD static T map(T x, T y) {
    if constexpr (std::is_integral_v<T>)
      return y < x ? y : x;
    else
      return x < y || x != x ? x : y;
  }

  template <class Device, class T>
  using kernel = Map2<Minimum, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
