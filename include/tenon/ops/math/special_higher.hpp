// SPDX-License-Identifier: Apache-2.0
#pragma once
// Higher special functions: Bessel, Dawson, exponential integral, incomplete gamma and beta, zeta, polygamma.

#include <string_view>
#include <type_traits>

#include <tenon/base/errors.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/op/shape/inference_context.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/engine/math/scalar_bessel_zeta.hpp>
#include <tenon/engine/math/vector_gamma.hpp>
#include <tenon/engine/math/vector_bessel.hpp>
#include <tenon/kernel/context.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/signatures.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {

inline constexpr std::string_view kFloatAndDouble = "T: {float, double}";

template <class Device, class T>
concept MapsFloatOrDouble = Device::type == "CPU" && (std::is_same_v<T, float> || std::is_same_v<T, double>);
template <class Device, class T>
concept MapsFloatOrHalf = MapsFloatOrDouble<Device, T> || (Device::type == "CPU" && std::is_same_v<T, half>);

// Inputs have one shape, or are scalars.
inline Status BetaincShape(InferenceContext* c) {
  ShapeHandle out = c->UnknownShape(), some = out;
  int scalars = 0;
  for (int i = 0; i < 3; ++i) {
    const ShapeHandle in = c->input(i);
    if (!c->RankKnown(in)) {
      some = in;
    } else if (c->Rank(in) == 0) {
      ++scalars;
    } else {
      TENON_RETURN_IF_ERROR(c->Merge(out, in, &out));
      some = out;
    }
  }
  c->set_output(0, scalars == 3 ? c->Scalar() : scalars == 2 ? some : out);
  return OkStatus();
}

}  // namespace detail

// The modified Bessel function of order 0.
struct BesselI0 {
  static constexpr auto signature = detail::UnaryOp("BesselI0", detail::kRealTypes);
  static constexpr float cost_ns = 30;

  template <class T>
  static T map(const T& x) {
    return tenon::BesselI0(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::BesselI0(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrHalf<Device, T>
  using kernel = Map1<BesselI0, Device, T>;
};

// The modified Bessel function of order 1.
struct BesselI1 {
  static constexpr auto signature = detail::UnaryOp("BesselI1", detail::kRealTypes);
  static constexpr float cost_ns = 30;

  template <class T>
  static T map(const T& x) {
    return tenon::BesselI1(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::BesselI1(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrHalf<Device, T>
  using kernel = Map1<BesselI1, Device, T>;
};

// BesselI0, times exp(-|x|).
struct BesselI0e {
  static constexpr auto signature = detail::UnaryOp("BesselI0e", detail::kRealTypes);
  static constexpr float cost_ns = 30;

  template <class T>
  static T map(const T& x) {
    return tenon::BesselI0e(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::BesselI0e(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrHalf<Device, T>
  using kernel = Map1<BesselI0e, Device, T>;
};

// BesselI1, times exp(-|x|).
struct BesselI1e {
  static constexpr auto signature = detail::UnaryOp("BesselI1e", detail::kRealTypes);
  static constexpr float cost_ns = 30;

  template <class T>
  static T map(const T& x) {
    return tenon::BesselI1e(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::BesselI1e(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrHalf<Device, T>
  using kernel = Map1<BesselI1e, Device, T>;
};

// Dawson's integral.
struct Dawsn {
  static constexpr auto signature = detail::UnaryOp("Dawsn", detail::kRealTypes);
  static constexpr float cost_ns = 60;

  template <class T>
  static T map(const T& x) {
    return tenon::Dawsn(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Dawsn(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrDouble<Device, T>
  using kernel = Map1<Dawsn, Device, T>;
};

// The exponential integral Ei.
struct Expint {
  static constexpr auto signature = detail::UnaryOp("Expint", detail::kRealTypes);
  static constexpr float cost_ns = 60;

  template <class T>
  static T map(const T& x) {
    return tenon::Expint(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Expint(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrDouble<Device, T>
  using kernel = Map1<Expint, Device, T>;
};

// The regularised lower incomplete gamma function P(a, x).
struct Igamma {
  static constexpr auto signature = Op("Igamma")
                                        .Input("a: T")
                                        .Input("x: T")
                                        .Output("z: T")
                                        .Attr(detail::kRealTypes)
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr float cost_ns = 100;

  template <class T>
  static T map(const T& a, const T& x) {
    return tenon::Igamma(a, x);
  }
  template <class L>
    requires std::is_same_v<typename L::value_type, float>
  TENON_HD static L lanes(const L& a, const L& x) {
    return simd::Igamma(a, x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrDouble<Device, T>
  using kernel = Map2<Igamma, Device, T>;
};

// The regularised upper incomplete gamma function, 1 - P(a, x).
struct Igammac {
  static constexpr auto signature = Op("Igammac")
                                        .Input("a: T")
                                        .Input("x: T")
                                        .Output("z: T")
                                        .Attr(detail::kRealTypes)
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr float cost_ns = 100;

  template <class T>
  static T map(const T& a, const T& x) {
    return tenon::Igammac(a, x);
  }
  template <class L>
    requires std::is_same_v<typename L::value_type, float>
  TENON_HD static L lanes(const L& a, const L& x) {
    return simd::Igammac(a, x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrDouble<Device, T>
  using kernel = Map2<Igammac, Device, T>;
};

// Hurwitz's zeta function.
struct Zeta {
  static constexpr auto signature = Op("Zeta")
                                        .Input("x: T")
                                        .Input("q: T")
                                        .Output("z: T")
                                        .Attr(detail::kFloatAndDouble)
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr float cost_ns = 100;

  template <class T>
  static T map(const T& x, const T& q) {
    return tenon::Zeta(x, q);
  }
  template <class L>
    requires std::is_same_v<typename L::value_type, float>
  TENON_HD static L lanes(const L& x, const L& q) {
    return simd::Zeta(x, q);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrDouble<Device, T>
  using kernel = Map2<Zeta, Device, T>;
};

// The a-th derivative of Digamma.
struct Polygamma {
  static constexpr auto signature = Op("Polygamma")
                                        .Input("a: T")
                                        .Input("x: T")
                                        .Output("z: T")
                                        .Attr(detail::kFloatAndDouble)
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);
  static constexpr float cost_ns = 100;

  template <class T>
  static T map(const T& a, const T& x) {
    return tenon::Polygamma(a, x);
  }
  template <class L>
    requires std::is_same_v<typename L::value_type, float>
  TENON_HD static L lanes(const L& a, const L& x) {
    return simd::Polygamma(a, x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrDouble<Device, T>
  using kernel = Map2<Polygamma, Device, T>;
};

// The regularised incomplete beta function I_x(a, b). Inputs have one shape, or are scalars.
struct Betainc {
  static constexpr auto signature = Op("Betainc")
                                        .Input("a: T")
                                        .Input("b: T")
                                        .Input("x: T")
                                        .Output("z: T")
                                        .Attr(detail::kFloatAndDouble)
                                        .SetShapeFn(detail::BetaincShape);

  template <class Device, class T>
    requires detail::MapsFloatOrDouble<Device, T>
  struct kernel {
    Status operator()(Context<Device>& context, In<T> a, In<T> b, In<T> x, Tensor& z) const {
      const In<T>* const inputs[3] = {&a, &b, &x};
      const In<T>* shaped = &a;  // the first that is no scalar
      for (const In<T>* input : inputs) {
        if (input->shape().dims() == 0) continue;
        if (shaped->shape().dims() == 0) shaped = input;
        if (!(shaped->shape() == input->shape()))
          return errors::InvalidArgument("Betainc: Shapes of a, b and x are inconsistent: ", a.shape(), ", ", b.shape(),
                                         " and ", x.shape(), "; they must be the same, or scalars");
      }
      Tensor* out = &z;
      TENON_RETURN_IF_ERROR(context.op().allocate_output(0, shaped->shape(), &out));
      T* const to = out->data<T>();
      const Index step_a = a.shape().dims() == 0 ? 0 : 1, step_b = b.shape().dims() == 0 ? 0 : 1;
      const Index step_x = x.shape().dims() == 0 ? 0 : 1;
      ParallelFor(context.device(), shaped->size(), 200, [&](Index begin, Index end) {
        for (Index i = begin; i < end; ++i) to[i] = tenon::Betainc(a[i * step_a], b[i * step_b], x[i * step_x]);
      });
      return OkStatus();
    }
  };
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
