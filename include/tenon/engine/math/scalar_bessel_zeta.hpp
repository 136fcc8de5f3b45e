// SPDX-License-Identifier: Apache-2.0
#pragma once
// More special functions, for float and double, calculated in double: Bessel, Dawson, exponential integral, incomplete
// gamma and beta, zeta, polygamma. Outside of their domains they answer as Eigen's do. Thread-safe.

#include <cmath>
#include <concepts>
#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/engine/math/scalar_erf_gamma.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

inline constexpr double kSpecialNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kSpecialInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kSpecialEpsilon = std::numeric_limits<double>::epsilon();

// exp(-|x|) I_order(|x|), order 0 or 1: the power series (all terms are positive), and from 30 on Hankel's expansion.
// Abramowitz and Stegun, "Handbook of Mathematical Functions", 9.6.10 and 9.7.1.
inline double ScaledBesselI(double x, int order) {
  constexpr double kFar = 30, kTwoPi = 6.28318530717958647693;
  x = std::fabs(x);
  if (x == kSpecialInfinity) return 0;
  if (x <= kFar) {
    const double square = x * x / 4;
    double term = order == 0 ? 1 : x / 2, sum = term;
    for (int k = 1; k < 200 && term > sum * 1e-17; ++k) {
      term *= square / (static_cast<double>(k) * (k + order));
      sum += term;
    }
    return sum * std::exp(-x);
  }
  const double mu = 4.0 * order * order;
  double term = 1, sum = 1;
  for (int k = 1; k < 60; ++k) {
    const double odd = 2 * k - 1, next = -term * (mu - odd * odd) / (k * 8 * x);
    if (!(std::fabs(next) < std::fabs(term)) || std::fabs(next) < 1e-17) break;
    term = next;
    sum += term;
  }
  return sum / std::sqrt(kTwoPi * x);
}

// exp(-x^2) times the integral of exp(t^2) from 0 to x: by its series (positive terms), from 7 on by the asymptotic
// one. Abramowitz and Stegun, 7.1.5 with an imaginary argument, and 7.1.23.
inline double Dawson(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude == kSpecialInfinity) return x > 0 ? 0.0 : -0.0;
  const double square = x * x;
  if (magnitude < 7) {
    double power = magnitude, sum = magnitude;
    for (int k = 1; k < 400; ++k) {
      power *= square / k;
      const double term = power / (2 * k + 1);
      sum += term;
      if (!(term > sum * 1e-17)) break;
    }
    sum *= std::exp(-square);
    return x < 0 ? -sum : sum;
  }
  double term = 1, sum = 1;
  for (int k = 1; k < 60; ++k) {
    const double next = term * (2 * k - 1) / (2 * square);
    if (!(next < term) || next < 1e-17) break;
    term = next;
    sum += term;
  }
  return sum / (2 * x);
}

// The principal value of the integral of exp(t)/t from -infinity to x > 0. Abramowitz and Stegun, 5.1.10; from 40 on
// the asymptotic series. NaN at infinity, as Eigen has it.
inline double ExponentialIntegral(double x) {
  constexpr double kEuler = 0.57721566490153286061;
  if (!(x >= 0) || x == kSpecialInfinity) return kSpecialNaN;
  if (x == 0) return -kSpecialInfinity;
  if (x < 40) {
    double power = 1, sum = 0;
    for (int k = 1; k < 300; ++k) {
      power *= x / k;
      const double term = power / k;
      sum += term;
      if (term < sum * 1e-17) break;
    }
    return kEuler + std::log(x) + sum;
  }
  double term = 1, sum = 1;
  for (int k = 1; k < 100; ++k) {
    const double next = term * k / x;
    if (!(next < term) || next < 1e-17) break;
    term = next;
    sum += term;
  }
  return std::exp(x) / x * sum;
}

// x^a exp(-x) / gamma(a)
inline double GammaFront(double a, double x) { return std::exp(a * std::log(x) - x - Lgamma(a)); }

// The lower one by its series: good for x < a + 1. Abramowitz and Stegun, 6.5.29.
inline double IncompleteGammaSeries(double a, double x) {
  double term = 1, sum = 1, n = a;
  for (int k = 0; k < 20000; ++k) {
    n += 1;
    term *= x / n;
    sum += term;
    if (!(term > sum * kSpecialEpsilon)) break;
  }
  return sum * GammaFront(a, x) / a;
}
// Convergents of a continued fraction, above / below, by the recurrence of numerators and denominators: nothing is
// divided on the way.
struct Convergents {
  double above_before, below_before, above, below;

  // The next partial numerator a and denominator b.
  void Step(double a, double b) {
    const double next_above = b * above + a * above_before, next_below = b * below + a * below_before;
    above_before = above;
    below_before = below;
    above = next_above;
    below = next_below;
    const double size = std::fabs(below);
    if (size > 1e100 || size < 1e-100) [[unlikely]] {
      const double scale = size == 0 ? 1 : 1 / size;
      above_before *= scale;
      below_before *= scale;
      above *= scale;
      below *= scale;
    }
  }
  // Whether the last step changed the value by at most so much of it; NaN does not go on.
  bool IsWithin(double error) const {
    const double now = above * below_before;
    return !(std::fabs(now - above_before * below) > std::fabs(now) * error);
  }
  double Value() const { return above / below; }
};

// The upper one by its continued fraction: good for x >= a + 1. Abramowitz and Stegun, 6.5.31.
inline double IncompleteGammaFraction(double a, double x) {
  double b = x + 1 - a;
  Convergents f{0, 1, 1, b};
  for (int i = 1; i < 20000; ++i) {
    b += 2;
    f.Step(-i * (i - a), b);
    if (f.IsWithin(kSpecialEpsilon)) break;
  }
  return f.Value() * GammaFront(a, x);
}
inline double LowerGamma(double a, double x) {
  if (x == 0) return 0;
  if (!(x > 0) || !(a > 0)) return kSpecialNaN;
  if (a == kSpecialInfinity) return 0;
  if (x == kSpecialInfinity) return 1;
  return x < a + 1 ? IncompleteGammaSeries(a, x) : 1 - IncompleteGammaFraction(a, x);
}
inline double UpperGamma(double a, double x) {
  if (!(x >= 0) || !(a > 0)) return kSpecialNaN;
  if (x == 0) return 1;
  if (x == kSpecialInfinity) return 0;
  if (a == kSpecialInfinity) return 1;
  return x < a + 1 ? 1 - IncompleteGammaSeries(a, x) : IncompleteGammaFraction(a, x);
}

// Hurwitz's zeta function, the sum of (k + q)^-x, by Euler and Maclaurin's formula with the edges of Cephes' zeta.c.
inline double HurwitzZeta(double x, double q) {
  // (2k)! / B_2k
  constexpr double kTerms[] = {12.0,
                               -720.0,
                               30240.0,
                               -1209600.0,
                               47900160.0,
                               -1.8924375803183791606e9,
                               7.47242496e10,
                               -2.950130727918164224e12,
                               1.1646782814350067249e14,
                               -4.5979787224074726105e15,
                               1.8152105401943546773e17,
                               -7.1661652561756670113e18};
  if (x == 1) return kSpecialInfinity;
  if (!(x > 1)) return kSpecialNaN;
  if (q == kSpecialInfinity) return 0;
  if (q <= 0) {
    if (q == std::floor(q)) {
      const bool even = x == kSpecialInfinity || std::fmod(x, 2) == 0;
      return even ? kSpecialInfinity : kSpecialNaN;
    }
    if (x != std::floor(x)) return kSpecialNaN;
  }
  double sum = std::pow(q, -x), a = q, b = 0;
  for (int i = 0; i < 9 || a <= 9; ++i) {
    a += 1;
    b = std::pow(a, -x);
    sum += b;
    if (std::fabs(b) <= kSpecialEpsilon * std::fabs(sum)) return sum;  // also 0 <= 0
    if (i > 1000000) break;  // q is far below 0
  }
  const double w = a;
  sum += b * w / (x - 1) - 0.5 * b;
  double factor = 1, k = 0;
  for (const double divisor : kTerms) {
    factor *= x + k;
    b /= w;
    const double term = factor * b / divisor;
    sum += term;
    if (std::fabs(term / sum) < kSpecialEpsilon) break;
    k += 1;
    factor *= x + k;
    b /= w;
    k += 1;
  }
  return sum;
}

// The continued fraction of the incomplete beta function, for x < (a + 1) / (a + b + 2), to a relative error.
// Abramowitz and Stegun, 26.5.8.
inline double BetaFraction(double a, double b, double x, double error) {
  Convergents f{0, 1, 1, 1};
  f.Step(-(a + b) * x / (a + 1), 1);
  for (int m = 1; m < 20000; ++m) {
    const double n = a + 2 * m;
    f.Step(m * (b - m) * x / ((n - 1) * n), 1);
    f.Step(-(a + m) * (a + b + m) * x / (n * (n + 1)), 1);
    if (f.IsWithin(error)) break;
  }
  return f.Value();
}
inline double IncompleteBeta(double a, double b, double x, double error) {
  if (a <= 0 || b <= 0 || !(x >= 0) || !(x <= 1)) return kSpecialNaN;
  if (x == 0 || x == 1) return x;
  if (!std::isfinite(a) || !std::isfinite(b)) return kSpecialNaN;
  const double front = std::exp(Lgamma(a + b) - Lgamma(a) - Lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * BetaFraction(a, b, x, error) / a;
  return 1 - front * BetaFraction(b, a, 1 - x, error) / b;
}

}  // namespace detail

// exp(-|x|) I0(x), exp(-|x|) I1(x), and the modified Bessel functions themselves: infinite where exp(|x|) is, for T.
template <std::floating_point T>
T BesselI0e(T x) {
  return static_cast<T>(detail::ScaledBesselI(static_cast<double>(x), 0));
}
template <std::floating_point T>
T BesselI1e(T x) {
  const double y = detail::ScaledBesselI(static_cast<double>(x), 1);
  return static_cast<T>(x < 0 ? -y : y);
}
template <std::floating_point T>
T BesselI0(T x) {
  return BesselI0e(x) * std::exp(std::fabs(x));
}
template <std::floating_point T>
T BesselI1(T x) {
  return BesselI1e(x) * std::exp(std::fabs(x));
}
// Dawson's integral.
template <std::floating_point T>
T Dawsn(T x) {
  return static_cast<T>(detail::Dawson(static_cast<double>(x)));
}
// Ei(x); NaN below 0 and at infinity, infinite where exp(x) of a finite x is.
template <std::floating_point T>
T Expint(T x) {
  if (std::isfinite(x) && std::isinf(std::exp(x))) return std::numeric_limits<T>::infinity();
  return static_cast<T>(detail::ExponentialIntegral(static_cast<double>(x)));
}
// The regularised incomplete gamma functions: P(a, x) and Q(a, x).
template <std::floating_point T>
T Igamma(T a, T x) {
  return static_cast<T>(detail::LowerGamma(static_cast<double>(a), static_cast<double>(x)));
}
template <std::floating_point T>
T Igammac(T a, T x) {
  return static_cast<T>(detail::UpperGamma(static_cast<double>(a), static_cast<double>(x)));
}
template <std::floating_point T>
T Zeta(T x, T q) {
  return static_cast<T>(detail::HurwitzZeta(static_cast<double>(x), static_cast<double>(q)));
}
// The n-th derivative of Digamma; NaN where n is no whole number >= 0.
template <std::floating_point T>
T Polygamma(T n, T x) {
  if (!(n >= 0) || n != std::floor(n)) return std::numeric_limits<T>::quiet_NaN();
  if (n == 0) return Digamma(x);
  const T factorial = static_cast<T>(std::exp(Lgamma(static_cast<double>(n) + 1)));
  const T sign = std::isfinite(n) && std::fmod(n, T(2)) == 0 ? T(-1) : T(1);
  return sign * factorial * Zeta(n + 1, x);
}
// The regularised incomplete beta function I_x(a, b).
template <std::floating_point T>
T Betainc(T a, T b, T x) {
  constexpr double kError = sizeof(T) == 4 ? 1e-13 : detail::kSpecialEpsilon;  // 1 - it may be small
  return static_cast<T>(
      detail::IncompleteBeta(static_cast<double>(a), static_cast<double>(b), static_cast<double>(x), kError));
}

TENON_DETAIL_NAMESPACE_END
