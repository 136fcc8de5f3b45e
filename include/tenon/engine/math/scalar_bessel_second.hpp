// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bessel functions of the first and second kind and modified ones of the second kind, orders 0 and 1, calculated in
// double: Chebyshev series on two intervals each (relative error 1e-16 of the function's size). Outside of their
// domains they answer as Eigen's do. Thread-safe.

#include <cmath>
#include <concepts>
#include <cstddef>

#include <tenon/base/config.hpp>
#include <tenon/engine/math/scalar_bessel_zeta.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// The sum of c[k] T_k(t), t in [-1, 1], by Clenshaw's recurrence.
template <std::size_t n>
constexpr double ChebyshevSum(const double (&c)[n], double t) {
  double b1 = 0, b2 = 0;
  for (std::size_t k = n; k-- > 1;) {
    const double next = 2 * t * b1 - b2 + c[k];
    b2 = b1;
    b1 = next;
  }
  return t * b1 - b2 + c[0];
}

// On [0, 8] in x^2 / 32 - 1: J_0, J_1 / x, Y_0 - 2/pi log(x) J_0, (Y_1 - 2/pi (log(x) J_1 - 1/x)) / x.
inline constexpr double kJ0Near[] = {0.15772797147489011956,     -0.0087234423528522212908,  0.26517861320333680987,
                                     -0.37009499387264977903,    0.15806710233209726128,     -0.034893769411408885163,
                                     0.0048191800694676044968,   -0.0004606261662062750475,  0.000032460328821005080806,
                                     -1.7619469077621507495e-6,  7.608163592418781867e-8,    -2.6792535305576728983e-9,
                                     7.8486963144794644165e-11,  -1.9438346867370165706e-12, 4.1253205956343739326e-14,
                                     -7.5885081254475463376e-16, 1.2218515873961411034e-17};
inline constexpr double kJ1Near[] = {
    0.081044846325658115105,   -0.14897514506765210906,    0.16099926235720970255,    -0.082680491766817906597,
    0.02221363965496603541,    -0.0036469406007692759578,  0.00040503377283548218331, -0.000032555548668572585168,
    1.9858774049915167414e-6,  -9.5219847567504361821e-8,  3.6871337590971482385e-9,  -1.1780266226958848398e-10,
    3.1601545803480033215e-12, -7.2217552396517734285e-14, 1.4232144003513942316e-15, -2.4441972916190463893e-17};
inline constexpr double kY0Near[] = {-0.033146113203284941656,   -0.27447430552974526529,   0.17903431407718266299,
                                     0.2615673462550466368,      -0.17730201278114358212,   0.047196689595763386875,
                                     -0.0072879624795520791794,  0.00075311359325777422807, -0.000056320791410569869751,
                                     3.2065325376548009793e-6,   -1.4407233274018699479e-7, 5.2487947873305161232e-9,
                                     -1.5837552541812015122e-10, 4.0263308183061207531e-12, -8.7473412033107695544e-14,
                                     1.6434898714919469038e-15,  -2.6977881152566835632e-17};
inline constexpr double kY1Near[] = {
    0.0025380132357417817303,   -0.016087173047668750173,  -0.095912045360830742472,   0.084451972596523458368,
    -0.028328123944594365554,   0.0052898975441671130141,  -0.00064145514513263559874, 0.000055059828733387438376,
    -3.5380800186893499017e-6,  1.770780455615440341e-7,   -7.1105500498992797819e-9,  2.3443379059115163947e-10,
    -6.4651518414115942418e-12, 1.5142915120500199545e-13, -3.051185969447325274e-15,  5.3466803857286701231e-17};
// Beyond 8, in 128 / x^2 - 1: P and x Q of sqrt(pi x / 2) (J + i Y) = (P + i Q) exp(i (x - pi / 4 - order pi / 2)).
inline constexpr double kP0[] = {0.99946034934751866537,     -0.00053652204681321174247, 3.0751847875194746219e-6,
                                 -5.170594537606097701e-8,   1.6306464635151383095e-9,   -7.864091377237069999e-11,
                                 5.1682623873491924622e-12,  -4.3045788699253912224e-13, 4.3265957431549405642e-14,
                                 -5.0690340959352360775e-15, 6.7480722157338737041e-16,  -1.0011513723467785834e-16};
inline constexpr double kQ0[] = {-0.1244468368426960728,     0.00054708159540893196795,  -5.9315987288485178116e-6,
                                 1.4377965798375193428e-7,   -5.8175327494930559835e-9,  3.3760975237349907551e-10,
                                 -2.5653979367973077957e-11, 2.404916100281365049e-12,   -2.6690625482579415976e-13,
                                 3.4041800321963688986e-14,  -4.8799441053120400078e-15, 7.7297031762426053902e-16,
                                 -1.334885217150251704e-16,  2.486595238939051547e-17,   -4.952892629886515942e-18};
inline constexpr double kP1[] = {1.0009030408600136999,      0.00089898983308594085557,  -3.9872843004889085228e-6,
                                 6.1776339606442985349e-8,   -1.8718907491063066087e-9,  8.8168986595823388985e-11,
                                 -5.7048636403956447019e-12, 4.6991955152305423752e-13,  -4.6842237839904892216e-14,
                                 5.4526748960447171683e-15,  -7.2211808422740179189e-16, 1.0667689114335412457e-16};
inline constexpr double kQ1[] = {0.37422229655628260193,     -0.00077021788393256634594, 7.3108922063643632996e-6,
                                 -1.6767825107266737968e-7,  6.5833546621204433032e-9,   -3.7490909505415561844e-10,
                                 2.8121750359748864681e-11,  -2.6114525394623199408e-12, 2.8774212663332233544e-13,
                                 -3.6490019160618377554e-14, 5.2066263662267071631e-15,  -8.2153180254585942908e-16,
                                 1.4141084390211833283e-16,  -2.6267615898385291684e-17};
// On [0, 2] in x^2 / 2 - 1: K_0 + log(x / 2) I_0, x (K_1 - log(x / 2) I_1). Beyond, in 4 / x - 1: sqrt(x) exp(x) K.
inline constexpr double kK0Near[] = {-0.26766369661695138436,  0.34428989992462848689,     0.035979936515361501627,
                                     0.0012646154114469259234, 0.000022862121031194517861, 2.5347910790261494573e-7,
                                     1.904516377220208859e-9,  1.0349695257633624585e-11,  4.2598161427910825765e-14,
                                     1.3744654358807508969e-16};
inline constexpr double kK1Near[] = {0.76265011366947388527,    -0.35315596077654487567,    -0.12261118082265714823,
                                     -0.0069757238596398643502, -0.0001730288957513052063,  -2.433406141565968235e-6,
                                     -2.2133876307347258558e-8, -1.4114883926335277611e-10, -6.6669016941993290061e-13,
                                     -2.4274498505193659339e-15};
inline constexpr double kK0Far[] = {
    1.2201515410329777273,      -0.031448101311964500543,   0.0015698838857300533749,  -0.00012849549581627802638,
    0.000013949813718876499364, -1.8317555227191194848e-6,  2.7668136394450150761e-7,  -4.6604898976879476656e-8,
    8.5740340174142260858e-9,   -1.6975345093890615156e-9,  3.5773972814003284472e-10, -7.9574892444773970377e-11,
    1.855949114954926555e-11,   -4.5145978833745191751e-12, 1.1403405882073442347e-12, -2.9800969231481783548e-13,
    8.0328907750683743694e-14,  -2.2275133267462963604e-14, 6.3400764762766459661e-15, -1.8485933779209071694e-15,
    5.5120559994043333649e-16,  -1.6782311257549006383e-16, 5.2103917776435541125e-17};
inline constexpr double kK1Far[] = {
    1.3603130952422213347,      0.10392373657681723844,    -0.0028578168596227793868,  0.00019521551847135163111,
    -0.0000193619797416608296,  2.4064849478372171171e-6,  -3.5019606030878125421e-7,  5.7410841254500492923e-8,
    -1.0345762465678097027e-8,  2.0150497551970346161e-9,  -4.1903547593419255842e-10, 9.2183151876053141258e-11,
    -2.1299678384277910216e-11, 5.1396396734823435404e-12, -1.2891739609498229352e-12, 3.3484196660522431201e-13,
    -8.9767051820101460692e-14, 2.4771544242195986813e-14, -7.0198370892147688513e-15, 2.0387031662398608799e-15,
    -6.0570472706430178228e-16, 1.8380935752430454256e-16, -5.6894628491936483743e-17};

// J (first) or Y of order 0 or 1 for x > 8: of the angle's sine and cosine none loses the digits that x - pi / 4 would.
inline double FarBessel(double x, int order, bool first) {
  constexpr double kTwoOverPi = 0.63661977236758134308, kRootHalf = 0.70710678118654752440;
  const double t = 128 / (x * x) - 1;
  const double p = order == 0 ? ChebyshevSum(kP0, t) : ChebyshevSum(kP1, t);
  const double q = (order == 0 ? ChebyshevSum(kQ0, t) : ChebyshevSum(kQ1, t)) / x;
  const double s = std::sin(x), c = std::cos(x);
  // Angles x - pi / 4 and x - 3 pi / 4.
  const double cosine = (order == 0 ? c + s : s - c) * kRootHalf, sine = (order == 0 ? s - c : -s - c) * kRootHalf;
  return std::sqrt(kTwoOverPi / x) * (first ? p * cosine - q * sine : p * sine + q * cosine);
}
inline double FirstBessel(double x, int order) {
  const double magnitude = std::fabs(x);
  if (magnitude == kSpecialInfinity) return kSpecialNaN;
  if (magnitude > 8) {
    const double far = FarBessel(magnitude, order, true);
    return order == 1 && x < 0 ? -far : far;
  }
  const double t = x * x / 32 - 1;
  return order == 0 ? ChebyshevSum(kJ0Near, t) : x * ChebyshevSum(kJ1Near, t);
}
inline double SecondBessel(double x, int order) {
  constexpr double kTwoOverPi = 0.63661977236758134308;
  if (x <= 0) return -kSpecialInfinity;
  if (x == kSpecialInfinity) return kSpecialNaN;
  if (x > 8) return FarBessel(x, order, false);
  const double t = x * x / 32 - 1, log = kTwoOverPi * std::log(x);
  if (order == 0) return ChebyshevSum(kY0Near, t) + log * ChebyshevSum(kJ0Near, t);
  return x * (ChebyshevSum(kY1Near, t) + log * ChebyshevSum(kJ1Near, t)) - kTwoOverPi / x;
}
// exp(x) K_order(x) where scaled.
inline double ModifiedBessel(double x, int order, bool scaled) {
  if (x <= 0) return kSpecialInfinity;
  if (x == kSpecialInfinity) return 0;
  if (x > 2) {
    const double t = 4 / x - 1;
    const double far = (order == 0 ? ChebyshevSum(kK0Far, t) : ChebyshevSum(kK1Far, t)) / std::sqrt(x);
    return scaled ? far : far * std::exp(-x);
  }
  const double t = x * x / 2 - 1, log = std::log(x / 2), growth = std::exp(x);
  const double near = order == 0 ? ChebyshevSum(kK0Near, t) - log * ScaledBesselI(x, 0) * growth
                                 : ChebyshevSum(kK1Near, t) / x + log * ScaledBesselI(x, 1) * growth;
  return scaled ? near * growth : near;
}

}  // namespace detail

// Bessel functions of the first kind. NaN at infinity, as Eigen has it.
template <std::floating_point T>
T BesselJ0(T x) {
  return static_cast<T>(detail::FirstBessel(static_cast<double>(x), 0));
}
template <std::floating_point T>
T BesselJ1(T x) {
  return static_cast<T>(detail::FirstBessel(static_cast<double>(x), 1));
}
// Bessel functions of the second kind. Minus infinity for x <= 0, NaN at infinity.
template <std::floating_point T>
T BesselY0(T x) {
  return static_cast<T>(detail::SecondBessel(static_cast<double>(x), 0));
}
template <std::floating_point T>
T BesselY1(T x) {
  return static_cast<T>(detail::SecondBessel(static_cast<double>(x), 1));
}
// Modified ones of the second kind, and those times exp(x). Infinity for x <= 0.
template <std::floating_point T>
T BesselK0(T x) {
  return static_cast<T>(detail::ModifiedBessel(static_cast<double>(x), 0, false));
}
template <std::floating_point T>
T BesselK1(T x) {
  return static_cast<T>(detail::ModifiedBessel(static_cast<double>(x), 1, false));
}
template <std::floating_point T>
T BesselK0e(T x) {
  return static_cast<T>(detail::ModifiedBessel(static_cast<double>(x), 0, true));
}
template <std::floating_point T>
T BesselK1e(T x) {
  return static_cast<T>(detail::ModifiedBessel(static_cast<double>(x), 1, true));
}

TENON_DETAIL_NAMESPACE_END
