// SPDX-License-Identifier: Apache-2.0
#pragma once
// Activations: the smooth ones, and the rectifiers of relu.hpp.

#include <cmath>
#include <string_view>

#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/signatures.hpp>
#include <tenon/ops/nn/relu.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {
constexpr auto ActivationOp(std::string_view name) {
  return Op(name)
      .Input("features: T")
      .Output("activations: T")
      .Attr(kActivationTypes)
      .SetShapeFn(shape_inference::UnchangedShape);
}
// The two numbers of Selu: G. Klambauer et al., "Self-Normalizing Neural Networks" (2017), equation 2.
inline constexpr double kSeluScale = 1.0507009873554804934193349852946;
inline constexpr double kSeluScaleAlpha = 1.7580993408473768599402175208123;
}  // namespace detail

// x where it is not below 0, elsewhere exp(x) - 1.
struct Elu {
  static constexpr auto signature = detail::ActivationOp("Elu");
  static constexpr float cost_ns = 5;

  template <class T>
  TENON_HD static T map(const T& x) {
    return x < T(0) ? std::expm1(x) : x;
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    using T = typename L::value_type;
    return simd::ScaledElu(x, T(1), T(1));
  }

  template <class Device, class T>
  using kernel = Map1<Elu, Device, T>;
};

struct Selu {
  static constexpr auto signature = detail::ActivationOp("Selu");
  static constexpr float cost_ns = 5;

  template <class T>
  TENON_HD static T map(const T& x) {
    return x < T(0) ? T(detail::kSeluScaleAlpha) * std::expm1(x) : T(detail::kSeluScale) * x;
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    using T = typename L::value_type;
    return simd::ScaledElu(x, static_cast<T>(detail::kSeluScale), static_cast<T>(detail::kSeluScaleAlpha));
  }

  template <class Device, class T>
  using kernel = Map1<Selu, Device, T>;
};

// log(1 + exp(x)), without overflow.
struct Softplus {
  static constexpr auto signature = detail::ActivationOp("Softplus");
  static constexpr float cost_ns = 10;

  template <class T>
  TENON_HD static T map(const T& x) {
    return x > T(0) ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Softplus(x);
  }

  template <class Device, class T>
  using kernel = Map1<Softplus, Device, T>;
};

// x / (1 + |x|); NaN for the infinities.
struct Softsign {
  static constexpr auto signature = detail::ActivationOp("Softsign");

  template <class T>
  TENON_HD static T map(const T& x) {
    return x / (T(1) + std::abs(x));
  }

  template <class Device, class T>
  using kernel = Map1<Softsign, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
