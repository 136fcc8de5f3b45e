// SPDX-License-Identifier: Apache-2.0
#pragma once
// IgammaGradA and RandomGammaGrad: derivatives of the incomplete gamma function with respect to its parameter.

#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/math/scalar_gamma_derivative.hpp>
#include <tenon/kernel/elementwise_op.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

// The derivative of Igamma with respect to a.
struct IgammaGradA {
  static constexpr auto signature = Op("IgammaGradA")
                                        .Input("a: T")
                                        .Input("x: T")
                                        .Output("z: T")
                                        .Attr("T: {float, double}")
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr float cost_ns = 300;

  template <class T>
  static T map(const T& a, const T& x) {
    return tenon::IgammaGradA(a, x);
  }

  template <class Device, class T>
    requires(Device::type == "CPU")
  using kernel = Map2<IgammaGradA, Device, T>;
};

// The derivative of a sample of RandomGamma with respect to alpha.
struct RandomGammaGrad {
  static constexpr auto signature = Op("RandomGammaGrad")
                                        .Input("alpha: T")
                                        .Input("sample: T")
                                        .Output("output: T")
                                        .Attr("T: {float, double}")
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr float cost_ns = 300;

  template <class T>
  static T map(const T& alpha, const T& sample) {
    return tenon::RandomGammaGrad(alpha, sample);
  }

  template <class Device, class T>
    requires(Device::type == "CPU")
  using kernel = Map2<RandomGammaGrad, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
