// SPDX-License-Identifier: Apache-2.0
#pragma once
// Complex numbers: their parts, and how they are made from parts. A Tout of the other width has no kernel.

#include <cmath>
#include <complex>
#include <string_view>
#include <type_traits>

#include <tenon/types/complex.hpp>
#include <tenon/op/shape/shape_fns.hpp>
#include <tenon/op/signature/signature.hpp>
#include <tenon/kernel/elementwise_op.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {
constexpr auto PartOp(std::string_view name, std::string_view input, std::string_view output) {
  return Op(name)
      .Input(input)
      .Output(output)
      .Attr("T: {complex64, complex128} = DT_COMPLEX64")
      .Attr("Tout: {float, double} = DT_FLOAT")
      .SetShapeFn(shape_inference::UnchangedShape);
}
}  // namespace detail

struct Real {
  static constexpr auto signature = detail::PartOp("Real", "input: T", "output: Tout");

  template <class T>
  TENON_HD static auto map(const T& x) {
    return x.real();
  }

  template <class Device, class T, class Tout>
    requires std::is_same_v<Tout, typename T::value_type>
  using kernel = Map1<Real, Device, T>;
};

struct Imag {
  static constexpr auto signature = detail::PartOp("Imag", "input: T", "output: Tout");

  template <class T>
  TENON_HD static auto map(const T& x) {
    return x.imag();
  }

  template <class Device, class T, class Tout>
    requires std::is_same_v<Tout, typename T::value_type>
  using kernel = Map1<Imag, Device, T>;
};

// In (-pi, pi].
struct Angle {
  static constexpr auto signature = detail::PartOp("Angle", "input: T", "output: Tout");

  template <class T>
  TENON_HD static auto map(const T& x) {
    return std::arg(x);
  }

  template <class Device, class T, class Tout>
    requires std::is_same_v<Tout, typename T::value_type>
  using kernel = Map1<Angle, Device, T>;
};

struct ComplexAbs {
  static constexpr auto signature = detail::PartOp("ComplexAbs", "x: T", "y: Tout");

  template <class T>
  TENON_HD static auto map(const T& x) {
    return std::abs(x);
  }

  template <class Device, class T, class Tout>
    requires std::is_same_v<Tout, typename T::value_type>
  using kernel = Map1<ComplexAbs, Device, T>;
};

struct Conj {
  static constexpr auto signature = Op("Conj")
                                        .Input("input: T")
                                        .Output("output: T")
                                        .Attr("T: {complex64, complex128, variant} = DT_COMPLEX64")
                                        .SetShapeFn(shape_inference::UnchangedShape);

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::conj(x);
  }

  template <class Device, class T>
    requires(!std::is_same_v<T, Variant>)
  using kernel = Map1<Conj, Device, T>;
};

// The numbers real + i imag.
struct Complex {
  static constexpr auto signature = Op("Complex")
                                        .Input("real: T")
                                        .Input("imag: T")
                                        .Output("out: Tout")
                                        .Attr("T: {float, double} = DT_FLOAT")
                                        .Attr("Tout: {complex64, complex128} = DT_COMPLEX64")
                                        .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn);

  template <class T>
  TENON_HD static std::complex<T> map(const T& real, const T& imag) {
    return {real, imag};
  }

  template <class Device, class T, class Tout>
    requires std::is_same_v<Tout, std::complex<T>>
  using kernel = Map2<Complex, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
