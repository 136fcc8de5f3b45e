// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gradients of activations. Both inputs have one shape.

#include <cmath>
#include <string_view>
#include <type_traits>

#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/signatures.hpp>
#include <tenon/ops/nn/activation.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {
constexpr auto ActivationGradientOp(std::string_view name, std::string_view input, std::string_view types) {
  return Op(name)
      .Input("gradients: T")
      .Input(input)
      .Output("backprops: T")
      .Attr(types)
      .SetShapeFn(shape_inference::MergeBothInputsShapeFn);
}
}  // namespace detail

// The gradient where the feature is above 0, elsewhere 0 (NaN where the gradient is infinite or NaN).
struct ReluGrad {
  static constexpr auto signature = detail::ActivationGradientOp("ReluGrad", "features: T", detail::kOrderedTypes);

  template <class T>
  TENON_HD static T map(const T& gradient, const T& x) {
    if constexpr (std::is_integral_v<T>)
      return x > T(0) ? gradient : T(0);
    else
      return gradient * T(x > T(0));
  }

  template <class Device, class T>
  using kernel = MapPairs<ReluGrad, Device, T>;
};

// ReluGrad, and also 0 where the feature is 6 or more.
struct Relu6Grad {
  static constexpr auto signature = detail::ActivationGradientOp("Relu6Grad", "features: T", detail::kOrderedTypes);

  template <class T>
  TENON_HD static T map(const T& gradient, const T& x) {
    if constexpr (std::is_integral_v<T>)
      return x > T(0) && x < T(6) ? gradient : T(0);
    else
      return gradient * T(x > T(0) && x < T(6));
  }

  template <class Device, class T>
  using kernel = MapPairs<Relu6Grad, Device, T>;
};

// The gradient where the feature is above 0, elsewhere alpha times it.
struct LeakyReluGrad {
  static constexpr auto signature = Op("LeakyReluGrad")
                                        .Input("gradients: T")
                                        .Input("features: T")
                                        .Output("backprops: T")
                                        .Attr("alpha: float = 0.2")
                                        .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
                                        .SetShapeFn(shape_inference::MergeBothInputsShapeFn);
  struct Attrs {
    float alpha;
  };

  template <class T>
  TENON_HD static T map(const T& gradient, const T& x, const Attrs& attrs) {
    return x > T(0) ? gradient : gradient * static_cast<T>(attrs.alpha);
  }

  template <class Device, class T>
  using kernel = MapPairs<LeakyReluGrad, Device, T>;
};

// From the outputs of Elu.
struct EluGrad {
  static constexpr auto signature = detail::ActivationGradientOp("EluGrad", "outputs: T", detail::kActivationTypes);

  template <class T>
  TENON_HD static T map(const T& gradient, const T& x) {
    return x < T(0) ? gradient * (x + T(1)) : gradient;
  }

  template <class Device, class T>
  using kernel = MapPairs<EluGrad, Device, T>;
};

// From the outputs of Selu.
struct SeluGrad {
  static constexpr auto signature = detail::ActivationGradientOp("SeluGrad", "outputs: T", detail::kActivationTypes);

  template <class T>
  TENON_HD static T map(const T& gradient, const T& x) {
    return x < T(0) ? gradient * (x + T(detail::kSeluScaleAlpha)) : gradient * T(detail::kSeluScale);
  }

  template <class Device, class T>
  using kernel = MapPairs<SeluGrad, Device, T>;
};

struct SoftplusGrad {
  static constexpr auto signature =
      detail::ActivationGradientOp("SoftplusGrad", "features: T", detail::kActivationTypes);

  template <class T>
  TENON_HD static T map(const T& gradient, const T& x) {
    return gradient / (T(1) + std::exp(-x));
  }

  template <class Device, class T>
  using kernel = MapPairs<SoftplusGrad, Device, T>;
};

struct SoftsignGrad {
  static constexpr auto signature =
      detail::ActivationGradientOp("SoftsignGrad", "features: T", detail::kActivationTypes);

  template <class T>
  TENON_HD static T map(const T& gradient, const T& x) {
    const T size = T(1) + std::abs(x);
    return gradient / (size * size);
  }

  template <class Device, class T>
  using kernel = MapPairs<SoftsignGrad, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
