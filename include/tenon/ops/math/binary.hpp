// SPDX-License-Identifier: Apache-2.0
#pragma once
// Element-wise ops of two operands, which are broadcast against each other.

#include <string>
#include <type_traits>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/string_tensor.hpp>
#include <tenon/op/shape_fns.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/kernel/elementwise_op.hpp>

TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {
// Integers wrap: computed without sign, in a type that is not widened to int on the way.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) < sizeof(unsigned), unsigned,
                                    std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, int, T>>>;
}  // namespace detail

struct Add {
  static constexpr auto signature =
      Op("Add")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}")
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(static_cast<detail::Wrapping<T>>(x) + static_cast<detail::Wrapping<T>>(y));
    else if constexpr (std::is_same_v<T, tstring>)
      return Concatenated(x, y);
    else
      return x + y;
  }

  template <class Device, class T>
  using kernel = Map2<Add, Device, T>;

 private:
  static tstring Concatenated(const tstring& x, const tstring& y) {
    tstring out = x;
    out.append(y);
    return out;
  }
};

struct AddV2 {
  static constexpr auto signature =
      Op("AddV2")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr(
              "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64, complex128}")
          .SetIsCommutative()
          .SetIsAggregate()
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return Add::map(x, y);
  }

  template <class Device, class T>
  using kernel = Map2<AddV2, Device, T>;
};

struct Sub {
  static constexpr auto signature =
      Op("Sub")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr(
              "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128, uint32, uint64}")
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

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
  static constexpr auto signature =
      Op("Mul")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr(
              "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}")
          .SetIsCommutative()
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

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

// NaN when either operand is.
struct Maximum {
  static constexpr auto signature =
      Op("Maximum")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}")
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

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
  static constexpr auto signature =
      Op("Minimum")
          .Input("x: T")
          .Input("y: T")
          .Output("z: T")
          .Attr("T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}")
          .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

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

TENON_NAMESPACE_END
