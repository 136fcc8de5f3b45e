// SPDX-License-Identifier: Apache-2.0
#pragma once
// Trigonometric and hyperbolic functions and their inverses; angles in radians.

#include <cmath>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/math/vector_inverse_trig.hpp>
#include <tenon/engine/math/vector_sinh_cosh.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/signatures.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct Sin {
  static constexpr auto signature = detail::UnaryOp("Sin", detail::kFloatingTypes);
  static constexpr float cost_ns = 6;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::sin(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Sin(x);
  }

  template <class Device, class T>
  using kernel = Map1<Sin, Device, T>;
};

struct Cos {
  static constexpr auto signature = detail::UnaryOp("Cos", detail::kFloatingTypes);
  static constexpr float cost_ns = 6;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::cos(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Cos(x);
  }

  template <class Device, class T>
  using kernel = Map1<Cos, Device, T>;
};

struct Tan {
  static constexpr auto signature = detail::UnaryOp("Tan", detail::kFloatingTypes);
  static constexpr float cost_ns = 9;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::tan(x);
  }

  template <class Device, class T>
  using kernel = Map1<Tan, Device, T>;
};

struct Asin {
  static constexpr auto signature = detail::UnaryOp("Asin", detail::kFloatingTypes);
  static constexpr float cost_ns = 8;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::asin(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Asin(x);
  }

  template <class Device, class T>
  using kernel = Map1<Asin, Device, T>;
};

struct Acos {
  static constexpr auto signature = detail::UnaryOp("Acos", detail::kFloatingTypes);
  static constexpr float cost_ns = 8;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::acos(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Acos(x);
  }

  template <class Device, class T>
  using kernel = Map1<Acos, Device, T>;
};

struct Atan {
  static constexpr auto signature = detail::UnaryOp("Atan", detail::kFloatingTypes);
  static constexpr float cost_ns = 8;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::atan(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Atan(x);
  }

  template <class Device, class T>
  using kernel = Map1<Atan, Device, T>;
};

struct Sinh {
  static constexpr auto signature = detail::UnaryOp("Sinh", detail::kFloatingTypes);
  static constexpr float cost_ns = 8;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::sinh(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Sinh(x);
  }

  template <class Device, class T>
  using kernel = Map1<Sinh, Device, T>;
};

struct Cosh {
  static constexpr auto signature = detail::UnaryOp("Cosh", detail::kFloatingTypes);
  static constexpr float cost_ns = 8;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::cosh(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Cosh(x);
  }

  template <class Device, class T>
  using kernel = Map1<Cosh, Device, T>;
};

struct Tanh {
  static constexpr auto signature = detail::UnaryOp("Tanh", detail::kFloatingTypes);
  static constexpr float cost_ns = 8;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::tanh(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Tanh(x);
  }

  template <class Device, class T>
  using kernel = Map1<Tanh, Device, T>;
};

struct Asinh {
  static constexpr auto signature = detail::UnaryOp("Asinh", detail::kFloatingTypes);
  static constexpr float cost_ns = 12;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::asinh(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Asinh(x);
  }

  template <class Device, class T>
  using kernel = Map1<Asinh, Device, T>;
};

struct Acosh {
  static constexpr auto signature = detail::UnaryOp("Acosh", detail::kFloatingTypes);
  static constexpr float cost_ns = 12;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::acosh(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Acosh(x);
  }

  template <class Device, class T>
  using kernel = Map1<Acosh, Device, T>;
};

struct Atanh {
  static constexpr auto signature = detail::UnaryOp("Atanh", detail::kFloatingTypes);
  static constexpr float cost_ns = 12;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::atanh(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Atanh(x);
  }

  template <class Device, class T>
  using kernel = Map1<Atanh, Device, T>;
};

// The angle of the point (x, y), in (-pi, pi].
struct Atan2 {
  static constexpr auto signature = Op("Atan2")
                                        .Input("y: T")
                                        .Input("x: T")
                                        .Output("z: T")
                                        .Attr(detail::kRealTypes)
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr float cost_ns = 12;

  template <class T>
  TENON_HD static T map(const T& y, const T& x) {
    return std::atan2(y, x);
  }
  template <class L>
  TENON_HD static L lanes(const L& y, const L& x) {
    return simd::Atan2(y, x);
  }

  template <class Device, class T>
  using kernel = Map2<Atan2, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
