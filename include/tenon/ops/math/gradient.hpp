// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of element-wise ops of one operand, from their output y and the gradient dy behind them. For complex
// numbers the derivative is conjugated, except in the first two. y and dy have the same number of elements.

#include <complex>
#include <string_view>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/signatures.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {
constexpr auto GradientOp(std::string_view name) {
  return Op(name)
      .Input("y: T")
      .Input("dy: T")
      .Output("z: T")
      .Attr(kFloatingTypes)
      .SetShapeFn(shape_inference::UnchangedShape);
}
template <class T>
TENON_HD T Conjugate(const T& x) {
  if constexpr (kIsComplex<T>)
    return std::conj(x);
  else
    return x;
}
}  // namespace detail

// The gradient of Sigmoid, whose output is y.
struct SigmoidGrad {
  static constexpr auto signature = detail::GradientOp("SigmoidGrad");

  template <class T>
  TENON_HD static T map(const T& y, const T& dy) {
    return dy * y * (T(1) - y);
  }

  template <class Device, class T>
  using kernel = MapPairs<SigmoidGrad, Device, T>;
};

// The gradient of Tanh.
struct TanhGrad {
  static constexpr auto signature = detail::GradientOp("TanhGrad");

  template <class T>
  TENON_HD static T map(const T& y, const T& dy) {
    return dy * (T(1) - y * y);
  }

  template <class Device, class T>
  using kernel = MapPairs<TanhGrad, Device, T>;
};

// The gradient of Sqrt; 0 where dy is.
struct SqrtGrad {
  static constexpr auto signature = detail::GradientOp("SqrtGrad");

  template <class T>
  TENON_HD static T map(const T& y, const T& dy) {
    const T d = detail::Conjugate(y);
    return dy == T(0) ? T(0) : detail::Ratio(dy * T(0.5), d);
  }

  template <class Device, class T>
  using kernel = MapPairs<SqrtGrad, Device, T>;
};

// The gradient of Rsqrt; 0 where dy is.
struct RsqrtGrad {
  static constexpr auto signature = detail::GradientOp("RsqrtGrad");

  template <class T>
  TENON_HD static T map(const T& y, const T& dy) {
    const T d = detail::Conjugate(y);
    return dy == T(0) ? T(0) : dy * T(-0.5) * d * d * d;
  }

  template <class Device, class T>
  using kernel = MapPairs<RsqrtGrad, Device, T>;
};

// The gradient of Reciprocal; 0 where dy is.
struct ReciprocalGrad {
  static constexpr auto signature = detail::GradientOp("ReciprocalGrad");

  template <class T>
  TENON_HD static T map(const T& y, const T& dy) {
    const T d = detail::Conjugate(y);
    return dy == T(0) ? T(0) : -dy * d * d;
  }

  template <class Device, class T>
  using kernel = MapPairs<ReciprocalGrad, Device, T>;
};

// ReciprocalGrad under its older name.
struct InvGrad {
  static constexpr auto signature = detail::GradientOp("InvGrad");

  template <class Device, class T>
  using kernel = MapPairs<ReciprocalGrad, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
