// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bessel functions of the first and second kind, Fresnel integrals and Spence's function.

#include <tenon/types/numeric.hpp>
#include <tenon/engine/math/scalar_bessel_second.hpp>
#include <tenon/engine/math/scalar_fresnel_spence.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/signatures.hpp>
#include <tenon/ops/math/special_higher.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

// The Bessel function of the first kind of order 0.
struct BesselJ0 {
  static constexpr auto signature = detail::UnaryOp("BesselJ0", detail::kRealTypes);
  static constexpr float cost_ns = 60;

  template <class T>
  static T map(const T& x) {
    return tenon::BesselJ0(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrHalf<Device, T>
  using kernel = Map1<BesselJ0, Device, T>;
};

// The Bessel function of the first kind of order 1.
struct BesselJ1 {
  static constexpr auto signature = detail::UnaryOp("BesselJ1", detail::kRealTypes);
  static constexpr float cost_ns = 60;

  template <class T>
  static T map(const T& x) {
    return tenon::BesselJ1(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrHalf<Device, T>
  using kernel = Map1<BesselJ1, Device, T>;
};

// The Bessel function of the second kind of order 0.
struct BesselY0 {
  static constexpr auto signature = detail::UnaryOp("BesselY0", detail::kRealTypes);
  static constexpr float cost_ns = 80;

  template <class T>
  static T map(const T& x) {
    return tenon::BesselY0(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrHalf<Device, T>
  using kernel = Map1<BesselY0, Device, T>;
};

// The Bessel function of the second kind of order 1.
struct BesselY1 {
  static constexpr auto signature = detail::UnaryOp("BesselY1", detail::kRealTypes);
  static constexpr float cost_ns = 80;

  template <class T>
  static T map(const T& x) {
    return tenon::BesselY1(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrHalf<Device, T>
  using kernel = Map1<BesselY1, Device, T>;
};

// The modified Bessel function of the second kind of order 0.
struct BesselK0 {
  static constexpr auto signature = detail::UnaryOp("BesselK0", detail::kRealTypes);
  static constexpr float cost_ns = 100;

  template <class T>
  static T map(const T& x) {
    return tenon::BesselK0(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrHalf<Device, T>
  using kernel = Map1<BesselK0, Device, T>;
};

// BesselK0, times exp(x).
struct BesselK0e {
  static constexpr auto signature = detail::UnaryOp("BesselK0e", detail::kRealTypes);
  static constexpr float cost_ns = 100;

  template <class T>
  static T map(const T& x) {
    return tenon::BesselK0e(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrHalf<Device, T>
  using kernel = Map1<BesselK0e, Device, T>;
};

// The modified Bessel function of the second kind of order 1.
struct BesselK1 {
  static constexpr auto signature = detail::UnaryOp("BesselK1", detail::kRealTypes);
  static constexpr float cost_ns = 100;

  template <class T>
  static T map(const T& x) {
    return tenon::BesselK1(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrHalf<Device, T>
  using kernel = Map1<BesselK1, Device, T>;
};

// BesselK1, times exp(x).
struct BesselK1e {
  static constexpr auto signature = detail::UnaryOp("BesselK1e", detail::kRealTypes);
  static constexpr float cost_ns = 100;

  template <class T>
  static T map(const T& x) {
    return tenon::BesselK1e(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrHalf<Device, T>
  using kernel = Map1<BesselK1e, Device, T>;
};

// The integral of cos(pi t^2 / 2) from 0 to x.
struct FresnelCos {
  static constexpr auto signature = detail::UnaryOp("FresnelCos", detail::kRealTypes);
  static constexpr float cost_ns = 150;

  template <class T>
  static T map(const T& x) {
    return tenon::FresnelCos(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrDouble<Device, T>
  using kernel = Map1<FresnelCos, Device, T>;
};

// The integral of sin(pi t^2 / 2) from 0 to x.
struct FresnelSin {
  static constexpr auto signature = detail::UnaryOp("FresnelSin", detail::kRealTypes);
  static constexpr float cost_ns = 150;

  template <class T>
  static T map(const T& x) {
    return tenon::FresnelSin(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrDouble<Device, T>
  using kernel = Map1<FresnelSin, Device, T>;
};

// The dilogarithm of 1 - x.
struct Spence {
  static constexpr auto signature = detail::UnaryOp("Spence", detail::kRealTypes);
  static constexpr float cost_ns = 60;

  template <class T>
  static T map(const T& x) {
    return tenon::Spence(x);
  }

  template <class Device, class T>
    requires detail::MapsFloatOrDouble<Device, T>
  using kernel = Map1<Spence, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
