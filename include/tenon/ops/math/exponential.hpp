// SPDX-License-Identifier: Apache-2.0
#pragma once
// Roots, exponentials and logarithms.

#include <cmath>
#include <string_view>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/math/vector_inverse_trig.hpp>
#include <tenon/kernel/elementwise_op.hpp>
#include <tenon/ops/math/arithmetic.hpp>
#include <tenon/ops/math/signatures.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace ops {

namespace detail {
inline constexpr std::string_view kXTypes = "T: {half, bfloat16, float, double, complex64, complex128}";
}  // namespace detail

struct Sqrt {
  static constexpr auto signature = detail::UnaryOp("Sqrt", detail::kFloatingTypes);
  static constexpr float cost_ns = 1;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::sqrt(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Sqrt(x);
  }

  template <class Device, class T>
  using kernel = Map1<Sqrt, Device, T>;
};

// 1 / sqrt(x).
struct Rsqrt {
  static constexpr auto signature = detail::UnaryOp("Rsqrt", detail::kFloatingTypes);
  static constexpr float cost_ns = 1;

  template <class T>
  TENON_HD static T map(const T& x) {
    return T(1) / std::sqrt(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Rsqrt(x);
  }

  template <class Device, class T>
  using kernel = Map1<Rsqrt, Device, T>;
};

struct Exp {
  static constexpr auto signature = detail::UnaryOp("Exp", detail::kFloatingTypes);
  static constexpr float cost_ns = 4;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::exp(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Exp(x);
  }

  template <class Device, class T>
  using kernel = Map1<Exp, Device, T>;
};

// exp(x) - 1, also for small x.
struct Expm1 {
  static constexpr auto signature = detail::UnaryOp("Expm1", detail::kFloatingTypes);
  static constexpr float cost_ns = 6;

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (detail::kIsComplex<T>) {
      // exp(a + ib) - 1 = expm1(a) cos b + (cos b - 1) + i exp(a) sin b, with cos b - 1 = -2 sin^2(b / 2).
      const auto a = x.real(), b = x.imag(), half_sine = std::sin(b / 2);
      return T(std::expm1(a) * std::cos(b) - 2 * half_sine * half_sine, std::exp(a) * std::sin(b));
    } else {
      return std::expm1(x);
    }
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Expm1(x);
  }

  template <class Device, class T>
  using kernel = Map1<Expm1, Device, T>;
};

struct Log {
  static constexpr auto signature = detail::UnaryOp("Log", detail::kFloatingTypes);
  static constexpr float cost_ns = 5;

  template <class T>
  TENON_HD static T map(const T& x) {
    return std::log(x);
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Log(x);
  }

  template <class Device, class T>
  using kernel = Map1<Log, Device, T>;
};

// log(1 + x), also for small x.
struct Log1p {
  static constexpr auto signature = detail::UnaryOp("Log1p", detail::kFloatingTypes);
  static constexpr float cost_ns = 6;

  template <class T>
  TENON_HD static T map(const T& x) {
    if constexpr (detail::kIsComplex<T>) {
      // log|1 + x| = log1p(2 a + a^2 + b^2) / 2. The sum keeps the sign of a zero b.
      const auto a = x.real(), b = x.imag();
      const auto square = a * (2 + a) + b * b;
      return std::abs(a) < 1 && std::abs(b) < 1 ? T(std::log1p(square) / 2, std::atan2(b, 1 + a))
                                                : std::log(T(1 + a, b));
    } else {
      return std::log1p(x);
    }
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Log1p(x);
  }

  template <class Device, class T>
  using kernel = Map1<Log1p, Device, T>;
};

// 1 / (1 + exp(-x)).
struct Sigmoid {
  static constexpr auto signature = detail::UnaryOp("Sigmoid", detail::kFloatingTypes);
  static constexpr float cost_ns = 5;

  template <class T>
  TENON_HD static T map(const T& x) {
    return T(1) / (T(1) + std::exp(-x));
  }
  template <class L>
  TENON_HD static L lanes(const L& x) {
    return simd::Sigmoid(x);
  }

  template <class Device, class T>
  using kernel = Map1<Sigmoid, Device, T>;
};

// x / y, and 0 where x is 0, whatever y is.
struct Xdivy {
  static constexpr auto signature = detail::BinaryOp("Xdivy", detail::kXTypes);
  static constexpr float cost_ns = 2;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return x == T(0) ? x : detail::Ratio(x, y);
  }

  template <class Device, class T>
  using kernel = Map2<Xdivy, Device, T>;
};

// x log(y), and 0 where x is 0.
struct Xlogy {
  static constexpr auto signature = detail::BinaryOp("Xlogy", detail::kXTypes);
  static constexpr float cost_ns = 6;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return x == T(0) ? x : x * std::log(y);
  }
  template <class L>
  TENON_HD static L lanes(const L& x, const L& y) {
    return simd::Xlogy(x, y);
  }

  template <class Device, class T>
  using kernel = Map2<Xlogy, Device, T>;
};

// x log(1 + y), and 0 where x is 0.
struct Xlog1py {
  static constexpr auto signature = detail::BinaryOp("Xlog1py", detail::kXTypes);
  static constexpr float cost_ns = 7;

  template <class T>
  TENON_HD static T map(const T& x, const T& y) {
    return x == T(0) ? x : x * Log1p::map(y);
  }
  template <class L>
  TENON_HD static L lanes(const L& x, const L& y) {
    return simd::Xlog1py(x, y);
  }

  template <class Device, class T>
  using kernel = Map2<Xlog1py, Device, T>;
};

}  // namespace ops

TENON_DETAIL_NAMESPACE_END
