// SPDX-License-Identifier: Apache-2.0
#pragma once
// Exponentials, logarithms and their like for simd::Lanes, float and double, at most 2 ulp from the true value (Exp and
// Log: 1; Softplus: 3) with and without fused multiplication, for every argument: infinities, NaN, zeros with their
// sign. Results below the smallest normal number may be flushed to zero by the processor.
//
// exp and log go back to [-ln 2 / 2, ln 2 / 2] and [sqrt(1/2), sqrt(2)] by a power of two whose subtraction is exact
// (ln 2 in two parts); there a polynomial is fitted (Remez, of the relative error).

#include <cmath>
#include <cstdint>
#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/engine/lanes.hpp>

TENON_NAMESPACE_BEGIN

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
  static constexpr float least_expm1 = -18;  // expm1 is -1 below
  static constexpr float one_tanh = 9.1f;  // tanh is 1 above
  static constexpr float sqrt_half = 0.707106781f;
  // (exp(r) - 1 - r) / r^2
  static constexpr float expm1[] = {0.500000004429f,   0.166666663684f,   0.0416663601638f,
                                    0.00833338929693f, 0.00139406953308f, 0.000198461346237f};
  static constexpr float largest_angle = 1 << 20;  // sin and cos: beyond, the scalar library
  // (sin(r) - r) / r^3 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2, |r| <= pi / 4
  static constexpr float sin[] = {-0.166666666415f, 0.00833332937576f, -0.000198393314895f, 2.7182791124e-6f};
  static constexpr float cos[] = {0.0416666468364f, -0.00138873655732f, 2.44381956013e-5f};
  // (tanh(x) / x - 1) / x^2 in x^2, for |x| up to 0.55
  static constexpr float tanh[] = {-0.333333180462f, 0.133326019883f, -0.0538539076061f, 0.0210780113376f,
                                   -0.00628287855042f};
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
  static constexpr double least_expm1 = -40;
  static constexpr double one_tanh = 19.1;
  static constexpr double sqrt_half = 0.70710678118654752440;
  static constexpr double expm1[] = {0.50000000000000000086,     0.16666666666666676573,  0.041666666666666507767,
                                     0.0083333333333216254444,   0.001388888888896264231, 0.00019841269886165115963,
                                     0.000024801587172272626276, 2.755724414470809194e-6, 2.755740266686895239e-7,
                                     2.5109067951605728416e-8,   2.0875387463075252142e-9};
  static constexpr double largest_angle = 1 << 20;
  static constexpr double sin[] = {-0.1666666666666663182,   0.0083333333333223588662,  -0.00019841269829763263234,
                                   2.7557313676264001829e-6, -2.5050755629944034199e-8, 1.5896649486403738411e-10};
  static constexpr double cos[] = {0.04166666666666659919,    -0.0013888888888874067158, 0.00002480158728944386059,
                                   -2.7557314340646511841e-7, 2.0875721617080431867e-9,  -1.1359559064712544972e-11};
  static constexpr double tanh[] = {-0.33333333333332351356,   0.1333333333317376011,     -0.053968253878386424464,
                                    0.02186948602645421254,    -0.0088631951581534864994, 0.003591724698933737054,
                                    -0.0014532403133888012099, 0.00057920385834653915224, -0.00021040718799720339391,
                                    0.000051091193036146945899};
  static constexpr double log[] = {0.66666666666667346814, 0.3999999999941266935,  0.285714287428934143,
                                   0.22222198514879677882, 0.18183567693304573872, 0.15313955837412769095,
                                   0.14796981750324862411};
};

// 2^n for integers in the range of normal numbers.
template <class L>
TENON_HD L PowerOfTwo(const typename L::Ints& n) {
  using C = Constants<typename L::value_type>;
  return L::FromBits((n + C::bias) << C::fraction_bits);
}

// x = n ln 2 + r, |r| <= ln 2 / 2. For |x| below a few thousand.
template <class L>
struct Reduced {
  typename L::Ints n;
  L r;

  TENON_HD explicit Reduced(const L& x) {
    using C = Constants<typename L::value_type>;
    const L rounded = Fma(x, L(C::log2_e), L(C::round));
    n = rounded.Bits() - L(C::round).Bits();
    const L whole = rounded - L(C::round);
    r = (x - whole * L(C::ln2_high)) - whole * L(C::ln2_low);
  }
};

// exp(r) - 1 for |r| <= ln 2 / 2.
template <class L>
TENON_HD L SmallExpm1(const L& r) {
  return Fma(Polynomial(r, Constants<typename L::value_type>::expm1), r * r, r);
}

// NaN stays.
template <class L>
TENON_HD L Clamp(const L& x, typename L::value_type least, typename L::value_type most) {
  return Select(x > L(most), L(most), Select(x < L(least), L(least), x));
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

namespace detail {
// What the sum 1 + r + ... is rounded by comes back where the result is to be better than 1 ulp.
template <bool is_precise, class L>
TENON_HD L ExpOf(const L& x) {
  using T = typename L::value_type;
  using C = Constants<T>;
  const Reduced<L> p(Clamp(x, C::least_exp, C::most_exp));
  L y = SmallExpm1(p.r) + L(T(1));
  if constexpr (is_precise) {
    const L sum = L(T(1)) + p.r;
    y = sum + Fma(Polynomial(p.r, C::expm1), p.r * p.r, p.r - (sum - L(T(1))));
  }
  // In two steps: n reaches beyond what one factor can hold.
  const typename L::Ints half_n = p.n >> 1;
  return y * PowerOfTwo<L>(half_n) * PowerOfTwo<L>(p.n - half_n);
}
}  // namespace detail

template <class T, int bytes>
TENON_HD Lanes<T, bytes> Exp(const Lanes<T, bytes>& x) {
  return detail::ExpOf<false>(x);
}

// exp(x) - 1, also for small x: 2^n (expm1(r) + (1 - 2^-n)).
template <class T, int bytes>
TENON_HD Lanes<T, bytes> Expm1(const Lanes<T, bytes>& x) {
  using L = Lanes<T, bytes>;
  using C = detail::Constants<T>;
  const detail::Reduced<L> p(detail::Clamp(x, C::least_expm1, C::most_exp));
  const typename L::Ints half_n = p.n >> 1;
  const L power = detail::PowerOfTwo<L>(half_n), rest = detail::PowerOfTwo<L>(p.n - half_n);
  // 2^-n as a product of two, since n may be one more than the largest exponent.
  const L inverse = detail::PowerOfTwo<L>(-half_n) * detail::PowerOfTwo<L>(half_n - p.n);
  const L y = (detail::SmallExpm1(p.r) + (L(T(1)) - inverse)) * power * rest;
  return Select(x == L(T(0)), x, y);  // with its sign
}

template <class T, int bytes>
TENON_HD Lanes<T, bytes> Log(const Lanes<T, bytes>& x) {
  using L = Lanes<T, bytes>;
  using Ints = typename L::Ints;
  using C = detail::Constants<T>;
  // x = m 2^e with sqrt(1/2) <= m < sqrt(2). Subnormal numbers are made normal first.
  const Ints is_small = x < L(C::smallest_normal);
  const L scaled = Select(is_small, x * L(static_cast<T>(std::int64_t{1} << C::fraction_bits)), x);
  const Ints over = scaled.Bits() - L(C::sqrt_half).Bits();
  const Ints e = over >> C::fraction_bits;
  const L m = L::FromBits(scaled.Bits() - (e << C::fraction_bits));
  // The exponent as a number: the bits of 1.5 * 2^k + e.
  const L exponent = L::FromBits(L(C::round).Bits() + (e - (is_small & C::fraction_bits))) - L(C::round);
  const L f = m - L(T(1));
  const L s = f / (L(T(2)) + f);
  const L z = s * s;
  const L half_square = L(T(0.5)) * f * f;
  // log(m) = f - (f^2 / 2 - s (f^2 / 2 + z R(z))).
  const L tail = s * Fma(z, Polynomial(z, C::log), half_square) + exponent * L(C::ln2_low);
  L y = exponent * L(C::ln2_high) - ((half_square - tail) - f);
  const L infinity(static_cast<T>(HUGE_VAL));
  y = Select(x == infinity, x, y);
  y = Select(x == L(T(0)), -infinity, y);
  const L not_a_number(static_cast<T>(__builtin_nan("")));
  return Select(~(x > L(T(-0.0))) & ~(x == L(T(0))), not_a_number, y);
}

// log(1 + x), also for small x: what is lost in 1 + x is added again.
template <class T, int bytes>
TENON_HD Lanes<T, bytes> Log1p(const Lanes<T, bytes>& x) {
  using L = Lanes<T, bytes>;
  const L u = L(T(1)) + x;
  const L lost = x - (u - L(T(1)));
  const L y = Log(u);
  const L infinity(static_cast<T>(HUGE_VAL));
  const typename L::Ints keeps_y = (u == infinity) | (u == L(T(0))) | ~(u > L(T(0)));
  return Select(u == L(T(1)), x, Select(keeps_y, y, y + lost / u));
}

// em1 / (em1 + 2) with em1 = exp(2 |x|) - 1; a polynomial where |x| is small.
template <class T, int bytes>
TENON_HD Lanes<T, bytes> Tanh(const Lanes<T, bytes>& x) {
  using L = Lanes<T, bytes>;
  using C = detail::Constants<T>;
  const L magnitude = detail::Abs(x);
  const detail::Reduced<L> p(detail::Clamp(magnitude + magnitude, T(0), 2 * C::one_tanh));
  const L power = detail::PowerOfTwo<L>(p.n);
  const L em1 = Fma(detail::SmallExpm1(p.r), power, power - L(T(1)));
  const L large = em1 / (em1 + L(T(2)));
  const L square = magnitude * magnitude;
  const L small = Fma(Polynomial(square, C::tanh) * square, magnitude, magnitude);
  return detail::WithSignOf(Select(magnitude < L(T(0.55)), small, large), x);
}

// 1 / (1 + exp(-x)): z = exp(-|x|) overflows nowhere.
template <class T, int bytes>
TENON_HD Lanes<T, bytes> Sigmoid(const Lanes<T, bytes>& x) {
  using L = Lanes<T, bytes>;
  const L z = detail::ExpOf<true>(-detail::Abs(x));
  return Select(x < L(T(0)), z, L(T(1))) / (L(T(1)) + z);
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

}  // namespace detail

template <class T, int bytes>
TENON_HD Lanes<T, bytes> Sin(const Lanes<T, bytes>& x) {
  return Select(x == Lanes<T, bytes>(T(0)), x, detail::Sine(x, 0));  // with its sign
}
template <class T, int bytes>
TENON_HD Lanes<T, bytes> Cos(const Lanes<T, bytes>& x) {
  return detail::Sine(x, 1);
}

// `above` x where x is not below 0, elsewhere `below` (exp(x) - 1).
template <class T, int bytes>
TENON_HD Lanes<T, bytes> ScaledElu(const Lanes<T, bytes>& x, T above, T below) {
  using L = Lanes<T, bytes>;
  return Select(x < L(T(0)), L(below) * Expm1(x), L(above) * x);
}

// log(1 + exp(x)), without overflow: max(x, 0) + log1p(exp(-|x|)).
template <class T, int bytes>
TENON_HD Lanes<T, bytes> Softplus(const Lanes<T, bytes>& x) {
  using L = Lanes<T, bytes>;
  return Select(x > L(T(0)), x, L(T(0))) + Log1p(Exp(-detail::Abs(x)));
}

// The integral of the normal distribution, 2 / sqrt(pi) times that of exp(-t^2) from 0 to x. Float only: x + x P(x^2)
// up to 1, above 1 - exp(Q(x)).
template <int bytes>
TENON_HD Lanes<float, bytes> Erf(const Lanes<float, bytes>& x) {
  using L = Lanes<float, bytes>;
  constexpr float kSmall[] = {0.12837916572f,    -0.376126258168f,    0.112835851179f, -0.026853811501f,
                              0.00518832755095f, -0.000801019553531f, 7.8538751194e-5f};
  constexpr float kLarge[] = {0.000188442223775f, -1.12958018075f,    -0.633216676836f,   -0.108421773999f,
                              0.0252101180662f,   -0.00420519648731f, 0.000441453647286f, -2.16959087436e-5f};
  const L magnitude = detail::Clamp(detail::Abs(x), 0.f, 3.95f);
  const L small = Fma(x, Polynomial(magnitude * magnitude, kSmall), x);
  const detail::Reduced<L> p(Polynomial(magnitude, kLarge));
  const L power = detail::PowerOfTwo<L>(p.n);
  const L large = L(1.f) - Fma(detail::SmallExpm1(p.r), power, power);
  return Select(magnitude < L(1.f), small, detail::WithSignOf(large, x));
}

#else

// Never called: without lanes, maps use the functions of the scalar library.
template <class L>
L Exp(const L&);
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

#endif  // TENON_DETAIL_LANES

}  // namespace simd

TENON_NAMESPACE_END
