// SPDX-License-Identifier: Apache-2.0
#pragma once
// Special functions that the standard library lacks, for float and double: calculated in double, so that a float is the
// nearest one or its neighbour. Thread-safe.

#include <cmath>
#include <concepts>
#include <limits>

#include <math.h>

#include <tenon/base/config.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// c[0] + c[1] x + c[2] x^2 + ...
template <int N>
TENON_HD double Polynomial(const double (&c)[N], double x) {
  double sum = c[N - 1];
  for (int i = N - 2; i >= 0; --i) sum = sum * x + c[i];
  return sum;
}

// Coefficients of the quantile of the normal distribution: quotients of polynomials in 0.180625 - q^2 up to |q| =
// 0.425, in r - 1.6 with r = sqrt(-log(tail)) up to r = 5, in r - 5 beyond. M. J. Wichura, "Algorithm AS 241: The
// percentage points of the normal distribution", Applied Statistics 37 (1988), routine PPND16; the third by Remez up to
// r = 28, error 1e-17.
struct NormalQuantileFit {
  double central[8] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                       1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                       3.3430575583588128105e+4, 2.5090809287301226727e+3};
  double central_below[8] = {1.0,
                             4.2313330701600911252e+1,
                             6.8718700749205790830e+2,
                             5.3941960214247511077e+3,
                             2.1213794301586595867e+4,
                             3.9307895800092710610e+4,
                             2.8729085735721942674e+4,
                             5.2264952788528545610e+3};
  double near[8] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                    3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                    2.27238449892691845833e-2, 7.74545014278341407640e-4};
  double near_below[8] = {1.0,
                          2.05319162663775882187e0,
                          1.67638483018380384940e0,
                          6.89767334985100004550e-1,
                          1.48103976427480074590e-1,
                          1.51986665636164571966e-2,
                          5.47593808499534494600e-4,
                          1.05075007164441684324e-9};
  double far[9] = {6.6579046435011033367,     5.5627706714279216982,     1.8637821799618994323,
                   0.32142640717966391994,    0.030469407982054011463,   0.0015724954164045795799,
                   4.1186020010216108176e-05, 4.6843148950596821706e-07, 1.6029639965782638411e-09};
  double far_below[8] = {1,
                         0.61469961087661761923,
                         0.1455058805356654883,
                         0.016735845192838397222,
                         0.00097541811647680338581,
                         2.7499509965769491665e-05,
                         3.2556475597823422342e-07,
                         1.1334661016400652829e-09};
};

// The standard normal quantile of 1/2 + q, where `tail` is 1/2 - |q|, given apart because it may be tiny. Relative
// error about 1e-15.
TENON_HD double NormalQuantile(double q, double tail) {
  static constexpr NormalQuantileFit kFit{};
  const double magnitude = q < 0 ? -q : q;
  double x;
  if (magnitude <= 0.425) {
    const double r = 0.180625 - q * q;
    x = magnitude * Polynomial(kFit.central, r) / Polynomial(kFit.central_below, r);
  } else if (tail == 0) {
    x = HUGE_VAL;
  } else if (!(tail > 0)) {
    return static_cast<double>(NAN);
  } else {
    const double r = std::sqrt(-std::log(tail));
    x = r <= 5 ? Polynomial(kFit.near, r - 1.6) / Polynomial(kFit.near_below, r - 1.6)
               : Polynomial(kFit.far, r - 5) / Polynomial(kFit.far_below, r - 5);
  }
  return q < 0 ? -x : x;
}

}  // namespace detail

// The x at which the standard normal distribution reaches p; -inf at 0, inf at 1, NaN outside of [0, 1].
template <std::floating_point T>
TENON_HD T Ndtri(T p) {
  const double wide = static_cast<double>(p);
  return static_cast<T>(detail::NormalQuantile(wide - 0.5, wide < 0.5 ? wide : 1 - wide));
}

// The y with erf(y) = x; infinite at -1 and 1, NaN outside. erfinv(x) = ndtri((x + 1) / 2) / sqrt(2), where neither
// the middle nor the tails lose digits.
template <std::floating_point T>
TENON_HD T Erfinv(T x) {
  constexpr double kRootOfHalf = 0.70710678118654752440;
  const double wide = static_cast<double>(x);
  return static_cast<T>(detail::NormalQuantile(wide / 2, (1 - (wide < 0 ? -wide : wide)) / 2) * kRootOfHalf);
}

// log|gamma(x)|; infinite at 0, at the negative integers and at both infinities.
template <std::floating_point T>
TENON_HD T Lgamma(T x) {
#if (defined(__GLIBC__) || defined(__APPLE__)) && !defined(__NVCC__)
  int sign = 0;  // std::lgamma would write it to a global variable
  return static_cast<T>(::lgamma_r(static_cast<double>(x), &sign));
#else
  return static_cast<T>(std::lgamma(static_cast<double>(x)));
#endif
}

// The derivative of log gamma(x); NaN at 0, at the negative integers and at -infinity. Up the recurrence
// psi(x) = psi(x + 1) - 1/x to 10, then the asymptotic series; below 0 by reflection. Abramowitz and Stegun,
// "Handbook of Mathematical Functions", 6.3.5, 6.3.7 and 6.3.18.
template <std::floating_point T>
TENON_HD T Digamma(T x) {
  constexpr double kPi = 3.14159265358979323846;
  constexpr double kSeries[] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12};
  double y = static_cast<double>(x), sum = 0;
  if (y <= 0) {
    if (std::floor(y) == y) return std::numeric_limits<T>::quiet_NaN();
    const double rest = y - std::round(y);  // tan has period pi; the rest is exact
    sum = -kPi / std::tan(kPi * rest);
    y = 1 - y;
  }
  for (; y < 10; y += 1) sum -= 1 / y;
  const double square = 1 / (y * y);
  return static_cast<T>(sum + std::log(y) - 0.5 / y - square * detail::Polynomial(kSeries, square));
}

TENON_DETAIL_NAMESPACE_END
