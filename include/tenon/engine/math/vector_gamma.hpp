// SPDX-License-Identifier: Apache-2.0
#pragma once
// log gamma, its derivatives, incomplete gamma and Hurwitz's zeta functions for simd::Lanes of floats, as doubles: a
// result is within 0.6 ulp where it is not far below 1. Lanes with unusual arguments get their results from the scalar
// functions (scalar_bessel_zeta.hpp), which also have all edges.

#include <tenon/base/config.hpp>
#include <tenon/engine/math/scalar_bessel_zeta.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/math/vector_inverse_trig.hpp>
#include <tenon/engine/math/vector_float_via_double.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace simd {

#if TENON_DETAIL_LANES

namespace detail {

// Function::Of(a, x) of floats, computed as doubles: one vector after the other. Where Function::Usual(a, x) is not
// above 0, or NaN, the scalar function instead.
template <class Function, class L>
TENON_HD L Evaluate(const L& a, const L& x) {
  using D = typename DoublesOf<L>::type;
  float as[L::size], xs[L::size], usual[L::size], ys[L::size];
  a.Store(as);
  x.Store(xs);
  Function::Usual(a, x).Store(usual);
  for (int i = 0; i < L::size; i += D::size) {
    D wide_a, wide_x;
    LoadWide(as + i, &wide_a);
    LoadWide(xs + i, &wide_x);
    StoreNarrow(Function::Of(wide_a, wide_x), ys + i);
  }
  for (int i = 0; i < L::size; ++i)
    if (!(usual[i] > 0)) [[unlikely]]
      ys[i] = Function::Scalar(as[i], xs[i]);
  return L::Load(ys);
}

// Function::Of(x) of floats, computed as doubles. Where x is not in (0, Function::most), the scalar function instead.
template <class Function, class L>
TENON_HD L EvaluateUsual(const L& x) {
  using D = typename DoublesOf<L>::type;
  float xs[L::size], ys[L::size];
  x.Store(xs);
  for (int i = 0; i < L::size; i += D::size) {
    D wide;
    LoadWide(xs + i, &wide);
    StoreNarrow(Function::Of(wide), ys + i);
  }
  for (int i = 0; i < L::size; ++i)
    if (!(xs[i] > 0 && xs[i] < Function::most)) [[unlikely]]
      ys[i] = Function::Scalar(xs[i]);
  return L::Load(ys);
}

inline constexpr double kGammaError = 1e-10;  // relative error of the fraction

// x^a exp(-x) / gamma(a), by Stirling's series for gamma(a + 8). Abramowitz and Stegun, "Handbook of Mathematical
// Functions", 6.1.41.
template <class D>
TENON_HD D GammaFront(const D& a, const D& x) {
  constexpr double kRootOfTwoPi = 2.50662827463100050242;
  constexpr double kStirling[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360};
  const D shifted = a + D(8), inverse = D(1) / shifted;
  D product = a;
  for (int i = 1; i < 8; ++i) product = product * (a + D(i));
  const D rest = Polynomial(inverse * inverse, kStirling) * inverse;
  const D power = a * LogOfNormal(x) - x - (shifted - D(0.5)) * LogOfNormal(shifted) + shifted - rest;
  return product * Exp(power) * D(1 / kRootOfTwoPi);
}

// The regularised lower function over its front, by its series, for x < a + 1. Abramowitz and Stegun, 6.5.29.
template <class D>
TENON_HD D GammaSeries(const D& a, const D& x) {
  // Over a common denominator, so that nothing is divided: the sum of x^k / ((a + 1) ... (a + k)).
  D n = a, power(1), above(1), below(1);
  for (int i = 0; i < 112; i += 4) {
    for (int k = 0; k < 4; ++k) {
      n = n + D(1);
      power = power * x;
      above = Fma(above, n, power);
      below = below * n;
    }
    if (!AnyOf(power > above * D(1e-15))) break;  // 1 - P may be small
  }
  return above / (below * a);
}
// The regularised upper function over its front, by its continued fraction, for x >= a + 1. Abramowitz and Stegun,
// 6.5.31.
template <class D>
TENON_HD D GammaFraction(const D& a, const D& x) {
  D b = x + D(1) - a, i(0), above_before(0), above(1), below_before(1), below = b;
  for (int step = 0; step < 100; step += 4) {
    for (int k = 0; k < 4; ++k) {
      i = i + D(1);
      b = b + D(2);
      const D factor = i * (a - i);
      const D next_above = Fma(b, above, factor * above_before), next_below = Fma(b, below, factor * below_before);
      above_before = above;
      below_before = below;
      above = next_above;
      below = next_below;
    }
    const D cross = above * below_before;
    if (!AnyOf(Abs(cross - above_before * below) > Abs(cross) * D(kGammaError))) break;
  }
  return above / below;
}

// P(a, x), or Q(a, x) = 1 - P(a, x).
template <bool is_upper>
struct IncompleteGamma {
  static constexpr float most = 50;

  template <class L>
  TENON_HD static L Usual(const L& a, const L& x) {
    return Select(a > L(0.f), Select(a < L(most), Select(x < L(most), x, L(-1.f)), L(-1.f)), L(-1.f));
  }
  TENON_HD static float Scalar(float a, float x) { return is_upper ? tenon::Igammac(a, x) : tenon::Igamma(a, x); }

  template <class D>
  TENON_HD static D Of(const D& any_a, const D& any_x) {
    const D a = Greater(D(1e-40), Lesser(any_a, D(most))), x = Greater(D(1e-50), Lesser(any_x, D(most)));
    const typename D::Ints is_series = x < a + D(1);
    const D front = GammaFront(a, x);
    // Lanes of the other kind get arguments for which little is to be done.
    D series(0), fraction(0);
    if (AnyOf(is_series)) series = front * GammaSeries(a, Select(is_series, x, D(0)));
    if (AnyOf(~is_series)) fraction = front * GammaFraction(Select(is_series, D(1), a), Select(is_series, D(9), x));
    if constexpr (is_upper)
      return Select(is_series, Greater(D(0), D(1) - series), fraction);
    else
      return Select(is_series, series, D(1) - fraction);
  }
};

// Hurwitz's zeta function, by Euler and Maclaurin's formula from the fifth term on.
template <class D>
TENON_HD D HurwitzZeta(const D& x, const D& q) {
  constexpr double kTerms[] = {1.0 / 12,       -1.0 / 720,     1.0 / 30240,
                               -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000};
  D sum(0), power;
  for (int i = 0; i < 5; ++i) {
    power = Exp(-x * LogOfNormal(q + D(i)));
    sum = sum + power;
  }
  const D w = q + D(4), inverse = D(1) / w;
  sum = sum + power * w / (x - D(1)) - D(0.5) * power;
  D factor = x * inverse, k = x, rest(0);
  for (const double term : kTerms) {
    rest = Fma(factor, D(term), rest);
    factor = factor * ((k + D(1)) * inverse) * ((k + D(2)) * inverse);
    k = k + D(2);
  }
  return Fma(power, rest, sum);
}

struct Zeta {
  template <class L>
  TENON_HD static L Usual(const L& x, const L& q) {
    return Select(x > L(1.f), Select(x < L(100.f), Select(q < L(1e10f), q, L(-1.f)), L(-1.f)), L(-1.f));
  }
  TENON_HD static float Scalar(float x, float q) { return tenon::Zeta(x, q); }

  template <class D>
  TENON_HD static D Of(const D& x, const D& q) {
    return HurwitzZeta(Greater(D(1), Lesser(x, D(100))), Greater(D(1e-50), Lesser(q, D(1e10))));
  }
};

// (-1)^(n + 1) n! zeta(n + 1, x).
struct Polygamma {
  static constexpr int most = 33;  // the factorial of more is not a float

  template <class L>
  TENON_HD static L Usual(const L& n, const L& x) {
    const L is_whole = Select(n == RoundToEven(n), x, L(-1.f));
    return Select(n > L(0.5f), Select(n < L(most + 0.5f), Select(x < L(1e10f), is_whole, L(-1.f)), L(-1.f)), L(-1.f));
  }
  TENON_HD static float Scalar(float n, float x) { return tenon::Polygamma(n, x); }

  template <class D>
  TENON_HD static D Of(const D& any_n, const D& x) {
    const D n = Greater(D(1), Lesser(any_n, D(most)));
    D factorial(1);
    for (int i = 2; i <= most && AnyOf(n > D(i - 0.5)); ++i) factorial = factorial * Select(n > D(i - 0.5), D(i), D(1));
    const D half = n * D(0.5);
    const D sign = Select(half == RoundToEven(half), D(-1), D(1));
    return sign * factorial * HurwitzZeta(n + D(1), Greater(D(1e-50), Lesser(x, D(1e10))));
  }
};

struct Lgamma {
  static constexpr float most = 1e10f;
  // log(gamma(x)) / ((x - 1) (x - 2)) in x - 1.5 from 0.6 to 2.9, error 2e-11
  static constexpr double above[] = {0.48312895052953599,  0.75038700796407238,   0.40210287064446414,
                                     0.085501116653731999, 0.0058934932758997582, 3.4295578983010535e-05};
  static constexpr double below[] = {
      1, 1.8552953675594382, 1.2625825612026606, 0.38163060192354733, 0.04854773337871951, 0.0018690574215463556};

  TENON_HD static float Scalar(float x) { return tenon::Lgamma(x); }

  template <class D>
  TENON_HD static D Of(const D& any_x) {
    constexpr double kHalfLogOfTwoPi = 0.91893853320467274178;
    constexpr double kStirling[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188};
    const D x = Greater(D(1e-50), Lesser(any_x, D(most))), from_middle = x - D(1.5);
    const D quotient = Polynomial(from_middle, above) / Polynomial(from_middle, below);
    const D middle = (x - D(1)) * (x - D(2)) * quotient + D(0);  // no zero with a sign
    const D shifted = x + D(8), inverse = D(1) / shifted;
    D product = x;
    for (int i = 1; i < 8; ++i) product = product * (x + D(i));
    const D rest = Fma(Polynomial(inverse * inverse, kStirling), inverse, D(kHalfLogOfTwoPi));
    const D large = (shifted - D(0.5)) * LogOfNormal(shifted) - shifted + rest - LogOfNormal(product);
    return Select(Abs(x - D(1.75)) < D(1.15), middle, large);
  }
};

// Up the recurrence psi(x) = psi(x + 1) - 1 / x eight times, over a common denominator, to the asymptotic series.
// Abramowitz and Stegun, 6.3.5 and 6.3.18.
struct Digamma {
  static constexpr float most = 1e10f;

  TENON_HD static float Scalar(float x) { return tenon::Digamma(x); }

  template <class D>
  TENON_HD static D Of(const D& any_x) {
    constexpr double kSeries[] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12};
    const D x = Greater(D(1e-50), Lesser(any_x, D(most)));
    D above(1), below = x, shifted = x + D(1);
    for (int i = 1; i < 8; ++i) {
      above = Fma(above, shifted, below);
      below = below * shifted;
      shifted = shifted + D(1);
    }
    const D inverse = D(1) / shifted, square = inverse * inverse;
    const D series = Fma(Polynomial(square, kSeries), square, D(0.5) * inverse);
    return LogOfNormal(shifted) - series - above / below;
  }
};

}  // namespace detail

// log|gamma(x)|, and its derivative.
template <LaneValue L>
TENON_HD L Lgamma(const L& x) {
  return detail::EvaluateUsual<detail::Lgamma>(x);
}
template <LaneValue L>
TENON_HD L Digamma(const L& x) {
  return detail::EvaluateUsual<detail::Digamma>(x);
}
// The regularised incomplete gamma functions P(a, x) and Q(a, x).
template <LaneValue L>
TENON_HD L Igamma(const L& a, const L& x) {
  return detail::Evaluate<detail::IncompleteGamma<false>>(a, x);
}
template <LaneValue L>
TENON_HD L Igammac(const L& a, const L& x) {
  return detail::Evaluate<detail::IncompleteGamma<true>>(a, x);
}
// Hurwitz's zeta function, the sum of (k + q)^-x.
template <LaneValue L>
TENON_HD L Zeta(const L& x, const L& q) {
  return detail::Evaluate<detail::Zeta>(x, q);
}
// The n-th derivative of Digamma.
template <LaneValue L>
TENON_HD L Polygamma(const L& n, const L& x) {
  return detail::Evaluate<detail::Polygamma>(n, x);
}

#else

// Never called: without lanes, maps use the functions of the scalar library.
template <class L>
L Lgamma(const L&);
template <class L>
L Digamma(const L&);
template <class L>
L Igamma(const L&, const L&);
template <class L>
L Igammac(const L&, const L&);
template <class L>
L Zeta(const L&, const L&);
template <class L>
L Polygamma(const L&, const L&);

#endif  // TENON_DETAIL_LANES

}  // namespace simd

TENON_DETAIL_NAMESPACE_END
