// SPDX-License-Identifier: Apache-2.0
#pragma once
// Derivatives of the incomplete gamma function with respect to its parameter, calculated in double. Series and
// continued fraction as in Cephes, differentiated term by term: M. Figurnov, S. Mohamed, A. Mnih, "Implicit
// Reparameterization Gradients" (2018).

#include <cmath>
#include <concepts>
#include <initializer_list>
#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/engine/math/scalar_erf_gamma.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// A number and its derivative with respect to a.
struct WithDerivative {
  double value = 0, slope = 0;

  WithDerivative operator*(const WithDerivative& y) const {
    return {value * y.value, slope * y.value + value * y.slope};
  }
  WithDerivative operator*(double y) const { return {value * y, slope * y}; }
  WithDerivative operator/(const WithDerivative& y) const {
    const double quotient = value / y.value;
    return {quotient, (slope - quotient * y.slope) / y.value};
  }
  WithDerivative operator-(const WithDerivative& y) const { return {value - y.value, slope - y.slope}; }
};

inline constexpr int kGammaTerms = 10000;

// P(a, x) = factor * sum, factor = x^a exp(-x) / gamma(a + 1). For 0 < a, 0 < x, and x <= 1 or x <= a.
inline WithDerivative LowerGammaSeries(double a, double x) {
  WithDerivative term{1, 0}, sum{1, 0};
  for (int i = 1; i <= kGammaTerms; ++i) {
    const double n = a + i;
    term = term * WithDerivative{x / n, -x / (n * n)};
    sum.value += term.value;
    sum.slope += term.slope;
    if (std::fabs(term.slope) <= std::numeric_limits<double>::epsilon() / 2 * std::fabs(sum.slope)) break;
  }
  return sum;
}

// 1 - P(a, x) = factor * fraction, factor = x^a exp(-x) / gamma(a). For 0 < a, 1 < x and a < x.
inline WithDerivative UpperGammaFraction(double a, double x) {
  constexpr double kLarge = 1 / std::numeric_limits<double>::epsilon();
  WithDerivative p_before{1, 0}, q_before{x, 0}, p{x + 1, 0}, q{(x + 2 - a) * x, -x}, fraction = p / q;
  for (int i = 1; i <= kGammaTerms; ++i) {
    const WithDerivative grows{x + 2 - a + 2 * i, -1}, shrinks{(1 - a + i) * i, -1.0 * i};
    const WithDerivative p_next = p * grows - p_before * shrinks, q_next = q * grows - q_before * shrinks;
    p_before = p;
    q_before = q;
    p = p_next;
    q = q_next;
    if (q.value != 0) {
      const double before = fraction.slope;
      fraction = p / q;
      if (std::fabs(fraction.slope - before) <= std::numeric_limits<double>::epsilon() / 2) break;
    }
    if (std::fabs(p.value) > kLarge)
      for (WithDerivative* each : {&p_before, &q_before, &p, &q}) *each = *each * (1 / kLarge);
  }
  return fraction;
}

// The derivative of P(a, x) with respect to a. `of_sample`: the derivative of x where P(a, x) is constant. Both are 0
// where x^a exp(-x) / gamma(a) is less than exp(-limit).
inline double LowerGammaDerivative(double a, double x, bool of_sample, double limit) {
  if (x == 0) return 0;
  if (x < 0 || a <= 0 || std::isnan(a) || std::isnan(x)) return std::numeric_limits<double>::quiet_NaN();
  const bool upper = x > 1 && x > a;
  if (upper && std::isinf(x)) return 0;
  const double log_x = std::log(x), log_factor = a * log_x - x - Lgamma(a);
  if (log_factor < -limit || std::isnan(log_factor)) return 0;
  const WithDerivative sum = upper ? UpperGammaFraction(a, x) : LowerGammaSeries(a, x);
  const double log_slope = log_x - Digamma(upper ? a : a + 1);
  const double slope = sum.value * log_slope + sum.slope;
  if (of_sample) return upper ? slope * x : -slope * x / a;
  const double factor = std::exp(log_factor);
  return upper ? -slope * factor : slope * factor / a;
}

template <std::floating_point T>
T LowerGammaDerivativeOf(T a, T x, bool of_sample) {
  const double limit = std::log(static_cast<double>(std::numeric_limits<T>::max()));
  return static_cast<T>(LowerGammaDerivative(static_cast<double>(a), static_cast<double>(x), of_sample, limit));
}

}  // namespace detail

// d Igamma(a, x) / d a.
template <std::floating_point T>
T IgammaGradA(T a, T x) {
  return detail::LowerGammaDerivativeOf(a, x, false);
}
// d sample / d alpha of a sample from the gamma distribution of this alpha.
template <std::floating_point T>
T RandomGammaGrad(T alpha, T sample) {
  return detail::LowerGammaDerivativeOf(alpha, sample, true);
}

TENON_DETAIL_NAMESPACE_END
