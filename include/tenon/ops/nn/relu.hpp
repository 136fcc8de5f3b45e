// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rectifiers: straight lines that bend at zero. A network of few ops needs no other activation.

#include <type_traits>

#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/common_shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/elementwise_op.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {
// x where it is above 0, elsewhere `other`. Not in ops, whose Select is an op.
template <class L>
TENON_HD L AboveZeroOr(const L& x, const L& other) {
  return Select(x > L(typename L::value_type(0)), x, other);
}
}  // namespace detail

namespace ops {

// max(x, 0); NaN stays NaN.
struct Relu {
  static constexpr auto signature =
      Op("Relu")
          .Input("features: T")
          .Output("activations: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8}")
          .SetShapeFn(shape_inference::UnchangedShape);

  template <class T>
  TENON_HD static T map(T x) {
    return x < T(0) ? T(0) : x;
  }

  template <class Device, class T>
    requires(!std::is_same_v<T, qint8>)
  using kernel = Map1<Relu, Device, T>;
};

// min(max(x, 0), 6); NaN stays NaN.
struct Relu6 {
  static constexpr auto signature =
      Op("Relu6")
          .Input("features: T")
          .Output("activations: T")
          .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
          .SetShapeFn(shape_inference::UnchangedShape);

  template <class T>
  TENON_HD static T map(T x) {
    return x < T(0) ? T(0) : x > T(6) ? T(6) : x;
  }

  template <class Device, class T>
  using kernel = Map1<Relu6, Device, T>;
};

// x where it is above 0, elsewhere alpha x.
struct LeakyRelu {
  static constexpr auto signature = Op("LeakyRelu")
                                        .Input("features: T")
                                        .Output("activations: T")
                                        .Attr("alpha: float = 0.2")
                                        .Attr("T: {half, bfloat16, float, double} = DT_FLOAT")
                                        .SetShapeFn(shape_inference::UnchangedShape);
  struct Attrs {
    float alpha;
  };

  template <class T>
  TENON_HD static T map(const T& x, const Attrs& attrs) {
    return x > T(0) ? x : x * static_cast<T>(attrs.alpha);
  }
  template <class L>
  TENON_HD static L lanes(const L& x, const Attrs& attrs) {
    using T = typename L::value_type;
    return tenon::detail::AboveZeroOr(x, x * L::Repeat(static_cast<T>(attrs.alpha)));
  }

  template <class Device, class T>
  using kernel = Map1<LeakyRelu, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
