// SPDX-License-Identifier: Apache-2.0
#pragma once
// Gelu, x times the normal distribution's integral up to x, in one pass: TensorFlow's graphs hold five to nine nodes
// for it, which read and write as many tensors. Hendrycks and Gimpel 2016, arXiv:1606.08415.

#include <cmath>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/base/status.hpp>
#include <tenon/tensor/shape.hpp>
#include <tenon/device/cpu.hpp>
#include <tenon/engine/elementwise/elementwise.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// x/2 (1 + erf(x / sqrt(2))).
struct ExactGelu {
  static constexpr float cost_ns = 8;
  static constexpr double kHalfRoot = 0.70710678118654752440;  // sqrt(1/2)

  template <class T>
  TENON_HD static T map(const T& x) {
    // erfc where 1 + erf would cancel.
    return T(0.5) * x * std::erfc(-x * T(kHalfRoot));
  }
  template <class L>
    requires std::is_same_v<typename L::value_type, float>
  TENON_HD static L lanes(const L& x) {
    return L(0.5f) * x * (L(1.f) + simd::Erf(x * L(static_cast<float>(kHalfRoot))));
  }
};

// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) = x sigmoid(2 sqrt(2/pi) (x + 0.044715 x^3)).
struct TanhGelu {
  static constexpr float cost_ns = 8;
  static constexpr double kLinear = 1.59576912160573071, kCubic = 0.044715 * kLinear;  // 2 sqrt(2/pi)

  template <class T>
  TENON_HD static T map(const T& x) {
    return x / (T(1) + std::exp(-x * (T(kLinear) + T(kCubic) * x * x)));
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    using T = typename L::value_type;
    return x * simd::Sigmoid(x * simd::Fma(L(T(kCubic)) * x, x, L(T(kLinear))));
  }
};

template <class Op, class T>
Status RunGelu(Cpu& device, const T* x, T* out, Index n) {
  if constexpr (kIsSmallFloat<T>)
    return UnaryInFloat<T, T>(device, kUnaryLoop<Op, float>, nullptr, x, out, n);
  else
    return Unary(device, kUnaryLoop<Op, T>, nullptr, x, out, n);
}

}  // namespace detail

// How Gelu is computed. kTanh is the paper's second formula, within 0.0005 of the first.
enum class GeluFormula : unsigned char { kErf, kTanh };

// out[i] = x[i] / 2 (1 + erf(x[i] / sqrt(2))), n elements; `out` may be `x`. T is float, double, half or bfloat16, the
// last two computed as float. Within 4 units in the last place of the largest of |x| and 1; -infinity gives NaN, as the
// formula does.
template <class T>
Status Gelu(Cpu& device, const T* x, T* out, Index n, GeluFormula formula = GeluFormula::kErf) {
  return formula == GeluFormula::kErf ? detail::RunGelu<detail::ExactGelu>(device, x, out, n)
                                      : detail::RunGelu<detail::TanhGelu>(device, x, out, n);
}

TENON_DETAIL_NAMESPACE_END
