// SPDX-License-Identifier: Apache-2.0
#pragma once
// Special functions.

#include <cmath>
#include <type_traits>

#include <tenon/types/numeric.hpp>
#include <tenon/engine/math/scalar_erf_gamma.hpp>
#include <tenon/engine/math/vector_gamma.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/math/vector_erf.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/signatures.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

struct Erf {
  static constexpr auto signature = detail::UnaryOp("Erf", detail::kRealTypes);
  static constexpr float cost_ns = 8;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::erf(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Erf(x);
  }

  template <class Device, class T>
  using kernel = Map1<Erf, Device, T>;
};

// 1 - erf(x), also where that is tiny.
struct Erfc {
  static constexpr auto signature = detail::UnaryOp("Erfc", detail::kRealTypes);
  static constexpr float cost_ns = 12;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::erfc(x);
  }
  // Doubles have the standard library's erfc: that of vectors is up to 4 ulp from the true value.
  template <class L>
    requires std::is_same_v<typename L::value_type, float>
  TENON_HD static L lanes(const L& x) {
    return simd::Erfc(x);
  }

  template <class Device, class T>
  using kernel = Map1<Erfc, Device, T>;
};

// The inverse of Erf.
struct Erfinv {
  static constexpr auto signature = detail::UnaryOp("Erfinv", detail::kRealTypes);
  static constexpr float cost_ns = 12;

  template <class T>
  TENON_HD static T map(const T& x) {
    return tenon::Erfinv(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Erfinv(x);
  }

  template <class Device, class T>
    requires(std::is_same_v<T, float> || std::is_same_v<T, double>)
  using kernel = Map1<Erfinv, Device, T>;
};

// The standard normal distribution's quantile.
struct Ndtri {
  static constexpr auto signature = detail::UnaryOp("Ndtri", detail::kRealTypes);
  static constexpr float cost_ns = 12;

  template <class T>
  TENON_HD static T map(const T& x) {
    return tenon::Ndtri(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Ndtri(x);
  }

  template <class Device, class T>
    requires(std::is_same_v<T, float> || std::is_same_v<T, double>)
  using kernel = Map1<Ndtri, Device, T>;
};

// log|gamma(x)|.
struct Lgamma {
  static constexpr auto signature = detail::UnaryOp("Lgamma", detail::kRealTypes);
  static constexpr float cost_ns = 20;

  template <class T>
  TENON_HD static T map(const T& x) {
    return tenon::Lgamma(x);
  }
  template <class L>
    requires std::is_same_v<typename L::value_type, float>
  TENON_HD static L lanes(const L& x) {
    return simd::Lgamma(x);
  }

  template <class Device, class T>
    requires(!std::is_same_v<T, bfloat16>)
  using kernel = Map1<Lgamma, Device, T>;
};

// The derivative of Lgamma.
struct Digamma {
  static constexpr auto signature = detail::UnaryOp("Digamma", detail::kRealTypes);
  static constexpr float cost_ns = 25;

  template <class T>
  TENON_HD static T map(const T& x) {
    return tenon::Digamma(x);
  }
  template <class L>
    requires std::is_same_v<typename L::value_type, float>
  TENON_HD static L lanes(const L& x) {
    return simd::Digamma(x);
  }

  template <class Device, class T>
    requires(!std::is_same_v<T, bfloat16>)
  using kernel = Map1<Digamma, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
