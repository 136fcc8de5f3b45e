// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whole numbers near a number, and what kind of float it is.

#include <cmath>
#include <cstdint>
#include <type_traits>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/engine/math/vector_inverse_trig.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/signatures.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct Ceil {
  static constexpr auto signature = detail::UnaryOp("Ceil", detail::kRealTypes);

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::ceil(x);
  }

  template <class Device, class T>
  using kernel = Map1<Ceil, Device, T>;
};

struct Floor {
  static constexpr auto signature = detail::UnaryOp("Floor", detail::kRealTypes);

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::floor(x);
  }

  template <class Device, class T>
  using kernel = Map1<Floor, Device, T>;
};

// To the nearest integer, ties to even.
struct Rint {
  static constexpr auto signature = detail::UnaryOp("Rint", detail::kRealTypes);

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::nearbyint(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::RoundToEven(x);
  }

  template <class Device, class T>
    requires(std::is_same_v<T, float> || std::is_same_v<T, double>)
  using kernel = Map1<Rint, Device, T>;
};

// To the nearest integer, ties to even.
struct Round {
  static constexpr auto signature = detail::UnaryOp("Round", detail::kSignedTypes);

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (std::is_integral_v<T>)
      return x;  // TensorFlow 2.21 gives 0 for all integers, which is wrong
    else
      return std::nearbyint(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::RoundToEven(x);
  }

  template <class Device, class T>
    requires(std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, half> ||
             std::is_same_v<T, bfloat16> || std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::int64_t>)
  using kernel = Map1<Round, Device, T>;
};

struct IsNan {
  static constexpr auto signature = detail::UnaryOp("IsNan", detail::kRealTypes, "y: bool");

  template <class T>
  TENON_HD static bool map(const T& x) {
    return x != x;
  }

  template <class Device, class T>
  using kernel = Map1<IsNan, Device, T>;
};

struct IsInf {
  static constexpr auto signature = detail::UnaryOp("IsInf", detail::kRealTypes, "y: bool");

  template <class T>
  TENON_HD static bool map(const T& x) {
    return std::isinf(x);
  }

  template <class Device, class T>
  using kernel = Map1<IsInf, Device, T>;
};

struct IsFinite {
  static constexpr auto signature = detail::UnaryOp("IsFinite", detail::kRealTypes, "y: bool");

  template <class T>
  TENON_HD static bool map(const T& x) {
    return std::isfinite(x);
  }

  template <class Device, class T>
  using kernel = Map1<IsFinite, Device, T>;
};

// The number next to x1 in the direction of x2.
struct NextAfter {
  static constexpr auto signature = Op("NextAfter")
                                        .Attr("T: {double, float} = DT_FLOAT")
                                        .Input("x1: T")
                                        .Input("x2: T")
                                        .Output("output: T")
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr float cost_ns = 3;

  template <class T>
  TENON_HD static T map(const T& x1, const T& x2) {
    return std::nextafter(x1, x2);
  }

  template <class Device, class T>
  using kernel = Map2<NextAfter, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
