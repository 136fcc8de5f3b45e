// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fresnel integrals and Spence's function, calculated in double. Thread-safe.

#include <cmath>
#include <concepts>

#include <tenon/base/config.hpp>
#include <tenon/engine/math/scalar_bessel_second.hpp>
#include <tenon/engine/math/scalar_bessel_zeta.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// The auxiliary functions pi x f(x) and pi^2 x^3 g(x) for x >= 1.6, in 2 (1.6 / x)^4 - 1.
inline constexpr double kFresnelF[] = {
    0.98189738802564196267,     -0.016815761738886543662,   0.0011111101131957285842,  -0.00014194845868748898225,
    0.000025733884626381268955, -5.8251821994682927769e-6,  1.5407603655682864937e-6,  -4.5787487963028289377e-7,
    1.4905494189550315933e-7,   -5.2236228548092798034e-8,  1.9461303300745012182e-8,  -7.6360655467876852688e-9,
    3.1327409020595133617e-9,   -1.3361594499933980372e-9,  5.8976093075782545639e-10, -2.6837616466606878288e-10,
    1.2551765589929496428e-10,  -6.0175081712629569648e-11, 2.9505853192869737076e-11, -1.4768791920816598091e-11,
    7.5336300881009235294e-12,  -3.9107058746131727823e-12, 2.0632074362783088095e-12, -1.1050371763181945048e-12,
    6.0023413677157506118e-13,  -3.3035739893956088191e-13, 1.840841124938313865e-13,  -1.0377700207550254443e-13,
    5.9149604426511085501e-14,  -3.4064956226093365155e-14, 1.9812134174651057374e-14, -1.1630661284318567613e-14,
    6.8885432068678968048e-15,  -4.1144913563298630161e-15, 2.4774267172153196586e-15, -1.5032255727841206559e-15,
    9.188409528428540792e-16,   -5.656057646918609673e-16,  3.5052447012769213526e-16, -2.1864323543165306001e-16,
    1.3723243090724834643e-16,  -8.6651736971731445114e-17, 5.5030159093502885761e-17, -3.5142791211890892781e-17};
inline constexpr double kFresnelG[] = {
    0.92214267160204938289,    -0.069062147630525528591,   0.0072388902715370896295,   -0.0011996677016620888238,
    0.00025965399187954891117, -0.0000671435849790350983,  0.000019747752801728460659, -6.4086345874610635521e-6,
    2.2490337230565424281e-6,  -8.4151136031181389841e-7,  3.3223826723856415368e-7,   -1.3732434958011087915e-7,
    5.9059777628537829847e-8,  -2.6300394622715024844e-8,  1.2079205035254670852e-8,   -5.7029743026433217403e-9,
    2.7603594203312909601e-9,  -1.3665577383767001489e-9,  6.9060732310098829193e-10,  -3.5566056591725695321e-10,
    1.8637963502564720748e-10, -9.9255814517633019067e-11, 5.3655137868272155782e-11,  -2.9411940915539439617e-11,
    1.6334273488750102671e-11, -9.1830552830722608515e-12, 5.2223784229535579992e-12,  -3.0023141668130110493e-12,
    1.7437729680647168826e-12, -1.0226623661177922393e-12, 6.0529354553484526785e-13,  -3.6140335160411820475e-13,
    2.1758432163296535907e-13, -1.3203938433257000219e-13, 8.0735359179484512191e-14,  -4.9723746386480350307e-14,
    3.0836803017019206226e-14, -1.9251087596080920208e-14, 1.2094976163842588333e-14,  -7.6455660146996582024e-15,
    4.8614650796581195225e-15, -3.1087226850074787322e-15, 1.9987766812620986535e-15,  -1.291901993536655837e-15,
    8.3926337618117876762e-16, -5.4789238771363921144e-16, 3.5937637269107850767e-16,  -2.3680653978796371261e-16,
    1.567341643355466633e-16,  -1.0418327160885486738e-16, 6.9540350533928749561e-17,  -4.6603722622041932454e-17,
    3.135352769119421919e-17};

// The integral of sin (or cos) of pi t^2 / 2 from 0 to x: its power series, and beyond 1.6 the auxiliary functions.
// Abramowitz and Stegun, "Handbook of Mathematical Functions", 7.3.
inline double Fresnel(double x, bool sine) {
  constexpr double kPi = 3.14159265358979323846, kFar = 1.6;
  const double magnitude = std::fabs(x);
  if (magnitude <= kFar) {
    const double square = kPi / 2 * x * x;  // the angle at the end
    double power = sine ? square : 1, sum = power / (sine ? 3 : 1);
    for (int k = 1; k < 40; ++k) {
      const int n = sine ? 2 * k + 1 : 2 * k;
      power *= -square * square / (n * (n - 1));
      const double term = power / (2 * n + 1);
      sum += term;
      if (!(std::fabs(term) > std::fabs(sum) * 1e-17)) break;
    }
    return sum * x;
  }
  constexpr double kConstant = 36974;  // from here on TensorFlow answers 1/2
  double value = 0.5;
  if (!(magnitude > kConstant)) {
    const double ratio = kFar / magnitude, t = 2 * (ratio * ratio) * (ratio * ratio) - 1;
    const double f = ChebyshevSum(kFresnelF, t) / (kPi * magnitude);
    const double g = ChebyshevSum(kFresnelG, t) / (kPi * kPi * magnitude * magnitude * magnitude);
    const double angle = kPi / 2 * magnitude * magnitude, s = std::sin(angle), c = std::cos(angle);
    value = sine ? 0.5 - f * c - g * s : 0.5 + f * s - g * c;
  }
  return x < 0 ? -value : value;
}

// The dilogarithm of 1 - x, for x in [1/2, 2]: by powers of log(x) with Bernoulli's numbers.
inline double NearSpence(double x) {
  constexpr double kTerms[] = {// B_2k / (2 k + 1)!
                               1.0 / 36,
                               -1.0 / 3600,
                               1.0 / 211680,
                               -1.0 / 10886400,
                               1.0 / 526901760,
                               -4.0647616451442255268e-11,
                               8.9216910204564525552e-13,
                               -1.9939295860721075687e-14,
                               4.5189800296199181917e-16,
                               -1.0356517612182471e-17};
  const double u = -std::log(x), square = u * u;
  double sum = 0;
  for (int k = 9; k >= 0; --k) sum = sum * square + kTerms[k];
  return u * (1 - u / 4 + square * sum);
}
// Minus the integral of log(t) / (t - 1) from 1 to x. NaN below 0 and at infinity.
inline double Dilogarithm(double x) {
  constexpr double kSixth = 1.64493406684822643647;  // pi^2 / 6
  if (!(x >= 0) || x == kSpecialInfinity) return kSpecialNaN;
  if (x == 0) return kSixth;
  if (x >= 0.5 && x <= 2) return NearSpence(x);
  const double log = std::log(x);
  if (x > 2) return -log * log / 2 - Dilogarithm(1 / x);
  return kSixth - log * std::log1p(-x) - NearSpence(1 - x);
}

}  // namespace detail

// The integral of sin(pi t^2 / 2) from 0 to x.
template <std::floating_point T>
T FresnelSin(T x) {
  return static_cast<T>(detail::Fresnel(static_cast<double>(x), true));
}
// The integral of cos(pi t^2 / 2) from 0 to x.
template <std::floating_point T>
T FresnelCos(T x) {
  return static_cast<T>(detail::Fresnel(static_cast<double>(x), false));
}
// The dilogarithm of 1 - x. NaN below 0.
template <std::floating_point T>
T Spence(T x) {
  return static_cast<T>(detail::Dilogarithm(static_cast<double>(x)));
}

TENON_DETAIL_NAMESPACE_END
