// SPDX-License-Identifier: Apache-2.0
#pragma once
// Element-wise ops of one operand.

#include <cmath>
#include <type_traits>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape_fns.hpp>
#include <tenon/op/signature.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/binary.hpp>

TENON_NAMESPACE_BEGIN

namespace ops {

namespace detail {
// half, bfloat16: computed in float.
template <class T>
inline constexpr bool kIsSmallFloat = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;
}  // namespace detail

struct Neg {
  static constexpr auto signature =
      Op("Neg")
          .Input("x: T")
          .Output("y: T")
          .Attr("T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}")
          .SetShapeFn(shape_inference::UnchangedShape);

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

  template <class T>
  TENON_HD static T map(const T& x) {
    return Mul::map(x, x);
  }

  template <class Device, class T>
  using kernel = Map1<Square, Device, T>;
};

struct Sqrt {
  static constexpr auto signature = Op("Sqrt")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr float cost_ns = 1;

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (detail::kIsSmallFloat<T>)
      return T(std::sqrt(static_cast<float>(x)));
    else
      return std::sqrt(x);
  }

  template <class Device, class T>
  using kernel = Map1<Sqrt, Device, T>;
};

// 1 / sqrt(x).
struct Rsqrt {
  static constexpr auto signature = Op("Rsqrt")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr float cost_ns = 1;

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (detail::kIsSmallFloat<T>)
      return T(1.0f / std::sqrt(static_cast<float>(x)));
    else
      return T(1) / std::sqrt(x);
  }

  template <class Device, class T>
  using kernel = Map1<Rsqrt, Device, T>;
};

struct Exp {
  static constexpr auto signature = Op("Exp")
                                        .Input("x: T")
                                        .Output("y: T")
                                        .Attr("T: {bfloat16, half, float, double, complex64, complex128}")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  static constexpr float cost_ns = 4;

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (detail::kIsSmallFloat<T>)
      return T(std::exp(static_cast<float>(x)));
    else
      return std::exp(x);
  }

  template <class Device, class T>
  using kernel = Map1<Exp, Device, T>;
};

}  // namespace ops

TENON_NAMESPACE_END
