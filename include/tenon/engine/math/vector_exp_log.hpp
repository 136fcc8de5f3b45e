// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exponentials, logarithms and their like for simd::Lanes, float and double, at most 2 ulp from the true value (Exp and
// Log: 1) with and without fused multiplication, for every argument: infinities, NaN, zeros with their
// sign. Results below the smallest normal number may be 0.
//
// exp and log go back to [-ln 2 / 2, ln 2 / 2] and [sqrt(1/2), sqrt(2)] by a power of two whose subtraction is exact
// (ln 2 in two parts); there a polynomial is fitted (Remez, of the relative error).

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tenon/base/config.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace simd {

#if TENON_DETAIL_LANES

namespace detail {

template <class T>
struct Constants;

template <>
struct Constants<float> {
  static constexpr float log2_e = 1.44269504f;
  static constexpr float ln2_high = 0.693359375f, ln2_low = -2.12194440e-4f;
  static constexpr float round = 12582912.f;  // 1.5 * 2^23: what is added to it is rounded to an integer
  static constexpr int bias = 127, fraction_bits = 23;
  static constexpr float smallest_normal = 1.17549435e-38f;
  static constexpr float least_exp = -104, most_exp = 89;  // exp is 0 below, infinity above
  static constexpr float least_sigmoid = -88;  // sigmoid is 0 below, 1 above the opposite
  static constexpr float least_expm1 = -18;  // expm1 is -1 below
  static constexpr float one_tanh = 9.1f;  // tanh is 1 above
  static constexpr float sqrt_half = 0.707106781f;
  // (exp(r) - 1 - r) / r^2
  static constexpr float expm1[] = {0.500000004429f,   0.166666663684f,   0.0416663601638f,
                                    0.00833338929693f, 0.00139406953308f, 0.000198461346237f};
  // exp(r), a degree less
  static constexpr float exp[] = {
      1, 1, 0.499999934321f, 0.16666520399f, 0.0416683907835f, 0.00836874510894f, 0.00138145401768f};
  static constexpr float least_normal_exp = -88;  // exp is no normal number below
  static constexpr float largest_angle = 1 << 20;  // sin and cos: beyond, the scalar library
  // (sin(r) - r) / r^3 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2, |r| <= pi / 4
  static constexpr float sin[] = {-0.166666666415f, 0.00833332937576f, -0.000198393314895f, 2.7182791124e-6f};
  static constexpr float cos[] = {0.0416666468364f, -0.00138873655732f, 2.44381956013e-5f};
  static constexpr float half_ln2 = 0.34657359f, half_ln2_rest = 0;  // (it would be 2^-30)
  // (tanh(r) / r - 1) / r^2 in r^2, |r| <= 3/8 ln 2
  static constexpr float tanh[] = {-0.333332134392f, 0.133220490177f, -0.0511224552489f};
  // (log((1 + s) / (1 - s)) - 2 s) / s^3 in s^2
  static constexpr float log[] = {0.666666656419f, 0.400003361224f, 0.28537244567f, 0.235834377486f};
};

template <>
struct Constants<double> {
  static constexpr double log2_e = 1.4426950408889634074;
  static constexpr double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  static constexpr double round = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr int bias = 1023, fraction_bits = 52;
  static constexpr double smallest_normal = 2.2250738585072014e-308;
  static constexpr double least_exp = -746, most_exp = 710;
  static constexpr double least_sigmoid = -709.2;
  static constexpr double least_expm1 = -40;
  static constexpr double one_tanh = 19.1;
  static constexpr double sqrt_half = 0.70710678118654752440;
  static constexpr double expm1[] = {0.50000000000000000086,     0.16666666666666676573,  0.041666666666666507767,
                                     0.0083333333333216254444,   0.001388888888896264231, 0.00019841269886165115963,
                                     0.000024801587172272626276, 2.755724414470809194e-6, 2.755740266686895239e-7,
                                     2.5109067951605728416e-8,   2.0875387463075252142e-9};
  static constexpr double exp[] = {1,
                                   1,
                                   0.50000000000000000086,
                                   0.16666666666666676573,
                                   0.041666666666666507767,
                                   0.0083333333333216254444,
                                   0.001388888888896264231,
                                   0.00019841269886165115963,
                                   0.000024801587172272626276,
                                   2.755724414470809194e-6,
                                   2.755740266686895239e-7,
                                   2.5109067951605728416e-8,
                                   2.0875387463075252142e-9};
  static constexpr double least_normal_exp = -709;
  static constexpr double largest_angle = 1 << 20;
  static constexpr double sin[] = {-0.1666666666666663182,   0.0083333333333223588662,  -0.00019841269829763263234,
                                   2.7557313676264001829e-6, -2.5050755629944034199e-8, 1.5896649486403738411e-10};
  static constexpr double cos[] = {0.04166666666666659919,    -0.0013888888888874067158, 0.00002480158728944386059,
                                   -2.7557314340646511841e-7, 2.0875721617080431867e-9,  -1.1359559064712544972e-11};
  static constexpr double half_ln2 = 0.34657359027997264, half_ln2_rest = 1.1595234069231498e-17;
  static constexpr double tanh[] = {-0.33333333333333328836,   0.13333333333330469913,    -0.053968253962865816215,
                                    0.021869488075867464665,   -0.0088632144731048013365, 0.0035915763965232495544,
                                    -0.0014475141066073444303, 0.00052228187982501804518};
  static constexpr double log[] = {0.66666666666667346814, 0.3999999999941266935,  0.285714287428934143,
                                   0.22222198514879677882, 0.18183567693304573872, 0.15313955837412769095,
                                   0.14796981750324862411};
};

// x = n ln 2 + r, |r| <= ln 2 / 2. For |x| below a few thousand.
template <class L>
struct Reduced {
  using C = Constants<typename L::value_type>;
  using Ints = typename L::Ints;

  Ints sum;  // its low bits: n + 2 bias
  L whole;  // n
  L r;

  TENON_HD explicit Reduced(const L& x) {
    const L round(C::round + 2 * C::bias);
    const L rounded = Fma(x, L(C::log2_e), round);
    sum = rounded.Bits();
    whole = rounded - round;
    r = Fma(whole, L(-C::ln2_low), Fma(whole, L(-C::ln2_high), x));
  }
  // 2^n, for n in the range of normal numbers. (The shift drops what else is in the sum.)
  TENON_HD L Power() const { return L::FromBits((sum - C::bias) << C::fraction_bits); }
  // y 2^n in two steps: n may reach beyond what one factor can hold.
  TENON_HD L Scale(const L& y) const {
    if constexpr (kScales<L>) {
      return ScaleByPower(y, whole);
    } else {
      const Ints half = sum.Half();
      return y * L::FromBits(half << C::fraction_bits) * L::FromBits((sum - half) << C::fraction_bits);
    }
  }
};

// exp(r) - 1 for |r| <= ln 2 / 2.
template <class L>
TENON_HD L SmallExpm1(const L& r) {
  return Fma(Polynomial(r, Constants<typename L::value_type>::expm1), r * r, r);
}

// NaN stays.
template <class L>
TENON_HD L AtMost(const L& x, typename L::value_type most) {
  return Lesser(L(most), x);
}
template <class L>
TENON_HD L Clamp(const L& x, typename L::value_type least, typename L::value_type most) {
  return AtMost(Greater(L(least), x), most);
}

template <class L>
TENON_HD L Abs(const L& x) {
  using Int = typename L::Int;
  return L::FromBits(x.Bits() & typename L::Ints(std::numeric_limits<Int>::max()));
}
// `magnitude` is not negative.
template <class L>
TENON_HD L WithSignOf(const L& magnitude, const L& sign) {
  return L::FromBits(magnitude.Bits() | (sign.Bits() ^ Abs(sign).Bits()));
}

}  // namespace detail

template <LaneValue L>
TENON_HD L Exp(const L& x) {
  using T = typename L::value_type;
  using C = detail::Constants<T>;
  const detail::Reduced<L> p(detail::Clamp(x, C::least_exp, C::most_exp));
  return p.Scale(detail::SmallExpm1(p.r) + L(T(1)));
}

// exp(x) for x <= 0 in fewer steps: at most 1.5 ulp from the true value, and 0 where that is no normal number.
template <LaneValue L>
TENON_HD L ExpOfNegative(const L& x) {
  using C = detail::Constants<typename L::value_type>;
  const L clamped = Greater(L(C::least_normal_exp), x);
  const L round(C::round + C::bias);
  const L rounded = Fma(clamped, L(C::log2_e), round);
  const L whole = rounded - round;
  const L r = Fma(whole, L(-C::ln2_low), Fma(whole, L(-C::ln2_high), clamped));
  return Polynomial(r, C::exp) * L::FromBits(rounded.Bits() << C::fraction_bits);
}

// exp(x) - 1, also for small x: 2^n (expm1(r) + (1 - 2^-n)).
template <LaneValue L>
TENON_HD L Expm1(const L& x) {
  using T = typename L::value_type;
  using C = detail::Constants<T>;
  const detail::Reduced<L> p(detail::Clamp(x, C::least_expm1, C::most_exp));
  // 2^-n as half of 2^(1 - n): n may be one more than the largest exponent.
  const L inverse = L(T(0.5)) * L::FromBits((typename L::Ints(3 * C::bias + 1) - p.sum) << C::fraction_bits);
  const L y = p.Scale(detail::SmallExpm1(p.r) + (L(T(1)) - inverse));
  return Select(x == L(T(0)), x, y);  // with its sign
}

namespace detail {

// log(x 2^-shift) for positive normal x and whole `shift`.
template <class L>
TENON_HD L LogOfNormal(const L& x, const L& shift = L::Zero()) {
  using T = typename L::value_type;
  using Ints = typename L::Ints;
  using C = Constants<T>;
  // x = m 2^e with sqrt(1/2) <= m < sqrt(2).
  const Ints over = x.Bits() - L(C::sqrt_half).Bits();
  const Ints e = over >> C::fraction_bits;
  const L m = L::FromBits(x.Bits() - (e << C::fraction_bits));
  // The exponent as a number: the bits of 1.5 * 2^k + e.
  const L exponent = L::FromBits(L(C::round).Bits() + e) - L(C::round) - shift;
  const L f = m - L(T(1));
  const L s = f / (L(T(2)) + f);
  const L z = s * s;
  const L half_square = L(T(0.5)) * f * f;
  // log(m) = f - (f^2 / 2 - s (f^2 / 2 + z R(z))).
  const L tail = s * Fma(z, Polynomial(z, C::log), half_square) + exponent * L(C::ln2_low);
  return exponent * L(C::ln2_high) - ((half_square - tail) - f);
}

}  // namespace detail

template <LaneValue L>
TENON_HD L Log(const L& x) {
  using T = typename L::value_type;
  using Ints = typename L::Ints;
  using C = detail::Constants<T>;
  // Subnormal numbers are made normal first.
  const Ints is_small = x < L(C::smallest_normal);
  const L scaled = Select(is_small, x * L(static_cast<T>(std::int64_t{1} << C::fraction_bits)), x);
  L y = detail::LogOfNormal(scaled, Select(is_small, L(T(C::fraction_bits)), L::Zero()));
  const L infinity(static_cast<T>(HUGE_VAL)), zero(T(0));
  const L not_a_number(static_cast<T>(__builtin_nan("")));
  y = Select(x > zero, y, Select(x == zero, -infinity, not_a_number));
  return Select(x == infinity, x, y);
}

// log(1 + x), also for small x: what is lost in 1 + x is added again.
template <LaneValue L>
TENON_HD L Log1p(const L& x) {
  using T = typename L::value_type;
  const L u = L(T(1)) + x;
  const L lost = x - (u - L(T(1)));
  const L y = Log(u);
  const L infinity(static_cast<T>(HUGE_VAL));
  const L corrected = Select(u > L(T(0)), Select(u == infinity, y, y + lost / u), y);
  return Select(u == L(T(1)), x, corrected);
}

// |x| = n ln 2 / 2 + r, and with t = tanh(r) the theorem of addition: ((2^n - 1) + (2^n + 1) t) / ((2^n + 1) + (2^n -
// 1) t), both halved. The denominator is computed as the numerator + 1 - t: the numerator's error is its own, too, and
// counts less the nearer tanh is to 1. r is from -ln 2 / 8 to 3/8 ln 2: a small numerator would have a large error.
template <LaneValue L>
TENON_HD L Tanh(const L& x) {
  using T = typename L::value_type;
  using C = detail::Constants<T>;
  const L magnitude = detail::AtMost(detail::Abs(x), C::one_tanh);
  const L round(C::round / 2 + (C::bias - 1));  // rounds to halves; those left are cut off
  const L rounded = Fma(magnitude, L(2 * C::log2_e), round);
  const typename L::Ints sum = rounded.Bits() & typename L::Ints(-2);
  const L whole = L::FromBits(sum) - round;
  L r = Fma(whole, L(-C::half_ln2), magnitude);
  if constexpr (C::half_ln2_rest != 0) r = Fma(whole, L(-C::half_ln2_rest), r);
  const L square = r * r;
  const L t = Fma(Polynomial(square, C::tanh), square * r, r);
  const L power = L::FromBits(sum << (C::fraction_bits - 1));  // 2^n / 2
  const L numerator = Fma(power + L(T(0.5)), t, power - L(T(0.5)));
  return detail::WithSignOf(numerator / (numerator + (L(T(1)) - t)), x);
}

// 1 / (1 + exp(-x)) with x = n ln 2 - r: 2^n / (2^n + expm1(r) + 1). In this order, one of the sums is nearly exact.
template <LaneValue L>
TENON_HD L Sigmoid(const L& x) {
  using T = typename L::value_type;
  using C = detail::Constants<T>;
  const L clamped = detail::Clamp(x, C::least_sigmoid, -C::least_sigmoid);
  const L round(C::round + C::bias);
  const L rounded = Fma(clamped, L(C::log2_e), round);
  const L whole = rounded - round;
  const L r = Fma(whole, L(C::ln2_low), Fma(whole, L(C::ln2_high), -clamped));
  const L power = L::FromBits(rounded.Bits() << C::fraction_bits);
  return power / ((power + detail::SmallExpm1(r)) + L(T(1)));
}

namespace detail {

// x = q pi / 2 + r, |r| <= pi / 4. For |x| <= largest_angle. pi / 2 is three numbers of 33 bits, so that their products
// with q are exact; floats are reduced as doubles.
template <class L>
struct Angle {
  typename L::Ints q;
  L r;

  TENON_HD explicit Angle(const L& x) {
    using Double = Lanes<double, sizeof(x.v) * 8 / sizeof(typename L::value_type)>;
    const Double wide(__builtin_convertvector(x.v, typename Double::Vector));
    const Double round(Constants<double>::round);
    const Double rounded = Fma(wide, Double(0.63661977236758134308), round);
    const Double whole = rounded - round;
    Double rest = wide - whole * Double(1.57079632673412561417e+00);
    if constexpr (sizeof(typename L::value_type) == 4) {
      rest = rest - whole * Double(6.07710050650619224932e-11);
    } else {
      rest = rest - whole * Double(6.07710050630396597660e-11);
      rest = rest - whole * Double(2.02226624879595063154e-21);
    }
    q = typename L::Ints(__builtin_convertvector((rounded.Bits() - round.Bits()).v, typename L::Ints::Vector));
    r = L(__builtin_convertvector(rest.v, typename L::Vector));
  }
};

// sin(x + quarter * pi / 2).
template <class T, int bytes>
TENON_HD Lanes<T, bytes> Sine(const Lanes<T, bytes>& x, int quarter) {
  using L = Lanes<T, bytes>;
  using C = Constants<T>;
  const Angle<L> angle(x);
  const typename L::Ints q = angle.q + quarter;
  const L z = angle.r * angle.r;
  const L sine = Fma(Polynomial(z, C::sin) * z, angle.r, angle.r);
  const L cosine = Fma(Polynomial(z, C::cos) * z, z, L(T(1)) - L(T(0.5)) * z);
  L y = Select(-(q & 1), cosine, sine);
  y = L::FromBits(y.Bits() ^ ((q >> 1) << (8 * sizeof(T) - 1)));
  const typename L::Ints is_far = ~(Abs(x) < L(C::largest_angle));
  if (AnyOf(is_far)) [[unlikely]] {
    T angles[L::size], values[L::size];
    x.Store(angles);
    y.Store(values);
    for (int i = 0; i < L::size; ++i) {
      if (!(std::abs(angles[i]) < C::largest_angle))
        values[i] = quarter == 0 ? std::sin(angles[i]) : std::cos(angles[i]);
    }
    y = L::Load(values);
  }
  return y;
}
template <class L>
TENON_HD Pair<L> Sine(const Pair<L>& x, int quarter) {
  return {Sine(x.a, quarter), Sine(x.b, quarter)};
}

}  // namespace detail

template <LaneValue L>
TENON_HD L Sin(const L& x) {
  return Select(x == L(typename L::value_type(0)), x, detail::Sine(x, 0));  // with its sign
}
template <LaneValue L>
TENON_HD L Cos(const L& x) {
  return detail::Sine(x, 1);
}

// `above` x where x is not below 0, elsewhere `below` (exp(x) - 1).
template <LaneValue L>
TENON_HD L ScaledElu(const L& x, typename L::value_type above, typename L::value_type below) {
  using T = typename L::value_type;
  return Select(x < L(T(0)), L(below) * Expm1(x), L(above) * x);
}

// log(1 + exp(x)), without overflow: max(x, 0) + log1p(exp(-|x|)).
template <LaneValue L>
TENON_HD L Softplus(const L& x) {
  using T = typename L::value_type;
  return Select(x > L(T(0)), x, L(T(0))) + Log1p(Exp(-detail::Abs(x)));
}

// 1 / sqrt(x).
template <LaneValue L>
TENON_HD L Rsqrt(const L& x) {
  return L(typename L::value_type(1)) / Sqrt(x);
}
#if TENON_DETAIL_ESTIMATES
// An estimate and a step from there: 1 - x y^2 = r is small, and y (1 + r / 2 + 3 r^2 / 8) the next y. What the
// estimate is for 0 and infinity stays.
template <int bytes>
TENON_HD Lanes<float, bytes> Rsqrt(const Lanes<float, bytes>& x) {
  using L = Lanes<float, bytes>;
  if constexpr (bytes == 16) {  // four at a time are as fast divided
    return L(1.f) / Sqrt(x);
  } else if constexpr (bytes == 64) {
    const L y = EstimateRsqrt(x), product = x * y;
    const L refined = Fma(y * L(0.5f), Fma(-product, y, L(1.f)), y);
    return Select(product == product, refined, y);
  } else {
    const typename L::Ints is_tiny = detail::Abs(x) < L(detail::Constants<float>::smallest_normal);
    const L scaled = x * Select(is_tiny, L(16777216.f), L(1.f));
    const L y = EstimateRsqrt(scaled), product = scaled * y, r = Fma(-product, y, L(1.f));
    const L refined = Select(product == product, Fma(y * r, Fma(r, L(0.375f), L(0.5f)), y), y);
    return refined * Select(is_tiny, L(4096.f), L(1.f));
  }
}
#endif
template <class L>
TENON_HD Pair<L> Rsqrt(const Pair<L>& x) {
  return {Rsqrt(x.a), Rsqrt(x.b)};
}

// The integral of the normal distribution, 2 / sqrt(pi) times that of exp(-t^2) from 0 to x. Float only: x + x P(x^2)
// up to 7/8, above 1 - 2^(Q(x - 1) - 2), where Q is small for those x whose 2^Q is not.
template <LaneValue L>
  requires std::is_same_v<typename L::value_type, float>
TENON_HD L Erf(const L& x) {
  using C = detail::Constants<float>;
  constexpr float kSmall[] = {0.128379157494f,   -0.37612550471f,   0.112824553779f,
                              -0.0267914644444f, 0.00503218313083f, -0.000620326361332f};
  constexpr float kLarge[] = {-0.66841670295f,  -3.80722567703f,    -1.2163455868f,    -0.0599411130518f,
                              0.0143830500527f, -0.00271599984496f, 0.000288396693506f};
  constexpr float kPower[] = {
      0.25f, 0.1732867444f, 0.0600556052124f, 0.0138768343604f, 0.0024178781647f, 0.000331618173107f};
  const L magnitude = detail::AtMost(detail::Abs(x), 3.95f);
  const L small = Fma(x, Polynomial(magnitude * magnitude, kSmall), x);
  const L q = Polynomial(magnitude - L(1.f), kLarge);
  const L sum = q + L(C::round), whole = sum - L(C::round);
  const L rest = Polynomial(q - whole, kPower);  // 2^(q - whole - 2), which gets `whole` as its exponent
  const L large = L(1.f) - L::FromBits(rest.Bits() + (sum.Bits() << C::fraction_bits));
  return Select(magnitude > L(0.875f), detail::WithSignOf(large, x), small);  // NaN is small
}

#else

// Never called: without lanes, maps use the functions of the scalar library.
template <class L>
L Exp(const L&);
template <class L>
L ExpOfNegative(const L&);
template <class L>
L Expm1(const L&);
template <class L>
L Log(const L&);
template <class L>
L Log1p(const L&);
template <class L>
L Tanh(const L&);
template <class L>
L Sigmoid(const L&);
template <class L>
L Erf(const L&);
template <class L>
L Sin(const L&);
template <class L>
L Cos(const L&);
template <class L>
L Softplus(const L&);
template <class L, class T>
L ScaledElu(const L&, T, T);
template <class L>
L Sqrt(const L&);
template <class L>
L Rsqrt(const L&);
template <class L>
L Fma(const L&, const L&, const L&);

#endif  // TENON_DETAIL_LANES

}  // namespace simd

TENON_DETAIL_NAMESPACE_END
