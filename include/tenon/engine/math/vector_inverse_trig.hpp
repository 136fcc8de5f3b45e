// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inverse trigonometric and hyperbolic functions, and rounding, for simd::Lanes, float and double: at most 2 ulp from
// the true value with and without fused multiplication, for every argument: infinities, NaN, zeros with their sign.
// Results below the smallest normal number may be 0.
//
// Arguments are brought near 0 by identities, where a polynomial is fitted (Remez, of the relative error): angles are
// parts of pi / 4 and a rest whose tangent is at most 1/2; the hyperbolic ones are logarithms of sums, whose rounding
// error is computed (T. J. Dekker, "A floating-point technique for extending the available precision", 1971) and added
// again.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace simd {

#if TENON_DETAIL_LANES

namespace detail {

template <class T>
struct InverseConstants;

template <>
struct InverseConstants<float> {
  static constexpr float quarter_pi = 0.785398006439208984f, quarter_pi_rest = 1.56958239325e-7f;  // 22 bits, the rest
  static constexpr float half_pi = 1.57079625129699707f, half_pi_rest = 7.54978995489e-8f;
  static constexpr float whole = 8388608.f;  // 2^23: from here on, all numbers are whole
  static constexpr std::int32_t low_half = 0xfff;  // the lower bits of a fraction: without them, a square is exact
  static constexpr float large = 16384.f;  // acosh and asinh are log(2 x) from here on
  // (atan(t) / t - 1) / t^2 in t^2, t <= 1/2
  static constexpr float atan[] = {-0.333333269329f, 0.199994900409f,   -0.142720771774f,
                                   0.109409304854f,  -0.0798373360856f, 0.0387170064866f};
  // (f(t) / t - 1) / t^2 in t^2 for f = asin, asinh and atanh
  static constexpr float asin[] = {0.166667526073f, 0.0749529146698f, 0.0454713217074f, 0.0241740208752f,
                                   0.0421769290936f};
  static constexpr float asinh[] = {-0.166666435701f, 0.0749865122651f, -0.0443843439309f, 0.0281680205786f,
                                    -0.0132352870827f};
  static constexpr float atanh[] = {0.333333000301f, 0.200025213164f, 0.142226911708f,
                                    0.118244328213f, 0.051327544046f, 0.176739811158f};
};

template <>
struct InverseConstants<double> {
  static constexpr double quarter_pi = 0.7853981633974482789995, quarter_pi_rest = 3.0616169978683829431e-17;
  static constexpr double half_pi = 1.570796326794896557999, half_pi_rest = 6.1232339957367658861e-17;
  static constexpr double whole = 4503599627370496.0;
  static constexpr std::int64_t low_half = 0x7ffffff;
  static constexpr double large = 1 << 29;
  static constexpr double atan[] = {-0.33333333333332980395,  0.19999999999902767609,   -0.14285714276356002517,
                                    0.11111110658337452364,   -0.090908962120863883789, 0.076920733992523868471,
                                    -0.066638053570505240612, 0.058582632318933239851,  -0.051218468528343887663,
                                    0.041860575801909711788,  -0.027427765761347631865, 0.010111810994010496536};
  static constexpr double asin[] = {0.16666666666666760994,   0.074999999999706395447, 0.044642857174773688574,
                                    0.030381942699622072395,  0.022372215228139541687, 0.017351607514213587081,
                                    0.013980876539644708185,  0.011398437941617752998, 0.010782998662438853155,
                                    0.0036957159517363105963, 0.021734223607523685968, -0.021038004520920150369,
                                    0.032653618141242961752};
  static constexpr double asinh[] = {-0.16666666666666609973,  0.074999999999843527498,   -0.044642857127775482772,
                                     0.030381943713974274017,  -0.022372138298038554213,  0.01735238601882915123,
                                     -0.013960222762425776666, 0.011512920246009958851,   -0.0095338602028882643436,
                                     0.0074648102171007585044, -0.0047462473453325959281, 0.0017171993328567256291};
  static constexpr double atanh[] = {0.33333333333333282491,  0.20000000000018233445,    0.14285714283426180745,
                                     0.11111111256017559729,  0.09090903660921533694,    0.076924390313238198054,
                                     0.066645074882966066687, 0.059072200640609284025,   0.050595314519622078837,
                                     0.059487517536544598274, -0.0050635926534485863517, 0.17431899215978083805,
                                     -0.19528438347141144056, 0.24062895568336121548};
};

// The angle of (x, y) from that of the nearest axis: k pi / 4 and a rest. low / high is the tangent in [0, 1] of the
// angle, which counts from the y axis where `swapped`, and where `negative`, x is.
template <class L>
TENON_HD L Angle4(const L& low, const L& high, const typename L::Ints& swapped, const typename L::Ints& negative) {
  using T = typename L::value_type;
  using C = InverseConstants<T>;
  const typename L::Ints is_far = low > L(T(0.5)) * high;
  const L t = Select(is_far, low - high, low) / Select(is_far, low + high, high);
  const L z = t * t;
  L rest = Fma(Polynomial(z, C::atan) * z, t, t);
  rest = Select(swapped, -rest, rest);
  rest = Select(negative, -rest, rest);
  L k = Select(is_far, L(T(1)), L(T(0)));
  k = Select(swapped, L(T(2)) - k, k);
  k = Select(negative, L(T(4)) - k, k);
  return Fma(k, L(C::quarter_pi), Fma(k, L(C::quarter_pi_rest), rest));
}

// x without the lower bits of its fraction: a number whose square is exact.
template <class L>
TENON_HD L UpperHalf(const L& x) {
  return L::FromBits(x.Bits() & typename L::Ints(~InverseConstants<typename L::value_type>::low_half));
}

// asin(|x|) = root + rest with |x| <= 1/2, or where `is_large`, asin(sqrt((1 - |x|) / 2)), half the angle from there to
// pi / 2.
template <class L>
struct SmallAsin {
  L square, root, rest;

  TENON_HD SmallAsin(const L& magnitude, const typename L::Ints& is_large) {
    using T = typename L::value_type;
    square = Select(is_large, L(T(0.5)) * (L(T(1)) - magnitude), magnitude * magnitude);
    root = Select(is_large, Sqrt(square), magnitude);
    rest = Polynomial(square, InverseConstants<T>::asin) * square * root;
  }
};

// log(x + sqrt(square + rest)) for positive x, where square is 0 or much larger than rest; log(2 x) if x is large.
template <class L>
TENON_HD L LogOfRootSum(const L& x, const L& square, const L& rest) {
  using T = typename L::value_type;
  const typename L::Ints is_large = x > L(InverseConstants<T>::large);
  const L w = square + rest, w_rest = rest - (w - square);
  const L root = Sqrt(w), upper = UpperHalf(root);
  const L root_rest = ((w - upper * upper) - (upper + root) * (root - upper)) + w_rest;  // times 2 root
  const L sum = x + root, part = sum - x;
  const L sum_rest = (x - (sum - part)) + (root - part);
  const L twice = root + root;
  const L correction = Fma(twice, sum_rest, root_rest) / (twice * sum);
  return LogOfNormal(Select(is_large, x, sum)) + Select(is_large, L(T(0.69314718055994530942)), correction);
}

}  // namespace detail

template <LaneValue L>
TENON_HD L Atan(const L& x) {
  using T = typename L::value_type;
  const L magnitude = detail::Abs(x), one(T(1));
  const typename L::Ints is_large = magnitude > one;
  const L angle =
      detail::Angle4(Select(is_large, one, magnitude), Select(is_large, magnitude, one), is_large, typename L::Ints(0));
  return detail::WithSignOf(angle, x);
}

// The angle of the point (x, y), in [-pi, pi], as the standard library has it for zeros and infinities.
template <LaneValue L>
TENON_HD L Atan2(const L& y, const L& x) {
  using T = typename L::value_type;
  using Ints = typename L::Ints;
  const L a = detail::Abs(y), b = detail::Abs(x), one(T(1)), infinity(static_cast<T>(HUGE_VAL));
  const Ints swapped = a > b;
  L low = Select(swapped, b, a), high = Select(swapped, a, b);
  // Two infinities and two zeros have the angles of two ones, and of 0 and 1. (NaN stays.)
  high = Select(low == infinity, Lesser(one, high), high);
  high = Select(high == L(T(0)), one, high);
  low = Select(low == infinity, one, low);
  const L scale = Select(high > L(std::numeric_limits<T>::max() / 4), L(T(0.25)), one);  // their sum has room
  const Ints negative = detail::WithSignOf(one, x) < L(T(0));
  return detail::WithSignOf(detail::Angle4(low * scale, high * scale, swapped, negative), y);
}

template <LaneValue L>
TENON_HD L Asin(const L& x) {
  using T = typename L::value_type;
  using C = detail::InverseConstants<T>;
  const L magnitude = detail::Abs(x);
  const typename L::Ints is_large = magnitude > L(T(0.5));
  const detail::SmallAsin<L> part(magnitude, is_large);
  // The rounding error of the root is (square - root^2) / (2 root), which counts where the root is about 1/2.
  const L upper = detail::UpperHalf(part.root);
  const L lost = (part.square - upper * upper) - (upper + part.root) * (part.root - upper);
  const L large =
      (L(C::half_pi) - (part.root + part.root)) - (part.rest + part.rest + (lost + lost - L(C::half_pi_rest)));
  return detail::WithSignOf(Select(is_large, large, part.root + part.rest), x);
}

template <LaneValue L>
TENON_HD L Acos(const L& x) {
  using T = typename L::value_type;
  using C = detail::InverseConstants<T>;
  const L magnitude = detail::Abs(x);
  const typename L::Ints is_large = magnitude > L(T(0.5));
  const detail::SmallAsin<L> small(magnitude, is_large);
  const L part = detail::WithSignOf(small.root + small.rest, x);
  const L k = Select(is_large, Select(x > L(T(0)), L(T(0)), L(T(2))), L(T(1)));
  return Fma(k, L(C::half_pi), Fma(k, L(C::half_pi_rest), Select(is_large, part + part, -part)));
}

// log((1 + x) / (1 - x)) / 2.
template <LaneValue L>
TENON_HD L Atanh(const L& x) {
  using T = typename L::value_type;
  using C = detail::InverseConstants<T>;
  const L magnitude = detail::Abs(x), one(T(1)), z = magnitude * magnitude;
  const L small = Fma(Polynomial(z, C::atanh) * z, magnitude, magnitude);
  const L sum = one + magnitude;
  const L lost = (magnitude - (sum - one)) * Fma(magnitude, L(T(-1.0 / 3)), L(T(5.0 / 6)));  // over sum, roughly
  const L quotient = sum / (one - magnitude);
  L large = L(T(0.5)) * (detail::LogOfNormal(quotient) + lost);
  large = Select(magnitude == one, L(static_cast<T>(HUGE_VAL)), large);
  large = Select(magnitude > one, L(static_cast<T>(__builtin_nan(""))), large);
  return detail::WithSignOf(Select(magnitude > L(T(0.5)), large, small), x);
}

// log(x + sqrt(x^2 + 1)).
template <LaneValue L>
TENON_HD L Asinh(const L& x) {
  using T = typename L::value_type;
  using C = detail::InverseConstants<T>;
  const L magnitude = detail::Abs(x), one(T(1)), z = magnitude * magnitude;
  const L small = Fma(Polynomial(z, C::asinh) * z, magnitude, magnitude);
  const L upper = detail::UpperHalf(magnitude), square = upper * upper;
  const L sum = square + one, part = sum - square;
  const L rest = ((square - (sum - part)) + (one - part)) + (upper + magnitude) * (magnitude - upper);
  L large = detail::LogOfRootSum(magnitude, sum, rest);
  large = Select(magnitude < L(static_cast<T>(HUGE_VAL)), large, magnitude);  // infinity and NaN stay
  return detail::WithSignOf(Select(magnitude < L(T(0.5)), small, large), x);
}

// log(x + sqrt(x^2 - 1)).
template <LaneValue L>
TENON_HD L Acosh(const L& x) {
  using T = typename L::value_type;
  const L upper = detail::UpperHalf(x), square = upper * upper, one(T(1));
  const L difference = square - one;
  const L rest = ((square - difference) - one) + (upper + x) * (x - upper);
  L y = detail::LogOfRootSum(x, difference, rest);
  y = Select(x < L(static_cast<T>(HUGE_VAL)), y, x);
  y = Select(x == one, L(T(0)), y);
  return Select(x < one, L(static_cast<T>(__builtin_nan(""))), y);
}

// To the nearest whole number, of two the even one.
template <LaneValue L>
TENON_HD L RoundToEven(const L& x) {
  const L whole(detail::InverseConstants<typename L::value_type>::whole), magnitude = detail::Abs(x);
  return Select(magnitude < whole, detail::WithSignOf((magnitude + whole) - whole, x), x);
}

// x log(y) and x log(1 + y), at most 3 ulp; x where that is 0, whatever y is.
template <LaneValue L>
TENON_HD L Xlogy(const L& x, const L& y) {
  return Select(x == L(typename L::value_type(0)), x, x * Log(y));
}
template <LaneValue L>
TENON_HD L Xlog1py(const L& x, const L& y) {
  return Select(x == L(typename L::value_type(0)), x, x * Log1p(y));
}

#else

// Never called: without lanes, maps use the functions of the scalar library.
template <class L>
L Atan(const L&);
template <class L>
L Atan2(const L&, const L&);
template <class L>
L Asin(const L&);
template <class L>
L Acos(const L&);
template <class L>
L Atanh(const L&);
template <class L>
L Asinh(const L&);
template <class L>
L Acosh(const L&);
template <class L>
L RoundToEven(const L&);
template <class L>
L Xlogy(const L&, const L&);
template <class L>
L Xlog1py(const L&, const L&);

#endif  // TENON_DETAIL_LANES

}  // namespace simd

TENON_DETAIL_NAMESPACE_END
