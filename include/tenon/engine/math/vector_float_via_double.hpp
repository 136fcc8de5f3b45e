// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of floats computed as doubles, for simd::Lanes. A vector of floats is two of doubles, so that fits which
// are exact to 2e-9 are enough for results within 0.6 ulp, and nothing cancels. The families of special functions
// (vector_bessel.hpp, vector_erf.hpp, vector_gamma.hpp) share this header.

#include <limits>

#include <tenon/base/config.hpp>
#include <tenon/engine/math/vector_exp_log.hpp>
#include <tenon/engine/simd/vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace simd {

#if TENON_DETAIL_LANES

namespace detail {

// The vector of doubles that is as long as L's.
template <class L>
struct DoublesOf;
template <class T, int bytes>
struct DoublesOf<Lanes<T, bytes>> {
  using type = Lanes<double, bytes>;
};
template <class L>
struct DoublesOf<Pair<L>> : DoublesOf<L> {};

template <int bytes>
TENON_HD void LoadWide(const double* p, Lanes<double, bytes>* x) {
  *x = Lanes<double, bytes>::Load(p);
}
template <int bytes>
TENON_HD void LoadWide(const float* p, Lanes<double, bytes>* x) {
  const auto narrow = Lanes<float, bytes / 2>::Load(p);
  x->v = __builtin_convertvector(narrow.v, typename Lanes<double, bytes>::Vector);
}
template <int bytes>
TENON_HD void StoreNarrow(const Lanes<double, bytes>& x, double* p) {
  x.Store(p);
}
template <int bytes>
TENON_HD void StoreNarrow(const Lanes<double, bytes>& x, float* p) {
  const Lanes<float, bytes / 2> narrow(__builtin_convertvector(x.v, typename Lanes<float, bytes / 2>::Vector));
  narrow.Store(p);
}

// Function::Of<T>(x), computed as doubles: one vector after the other, so that the function is there once.
template <class Function, class L>
TENON_HD L Evaluate(const L& x) {
  using T = typename L::value_type;
  using D = typename DoublesOf<L>::type;
  T values[L::size];
  x.Store(values);
  for (int i = 0; i < L::size; i += D::size) {
    D wide;
    LoadWide(values + i, &wide);
    StoreNarrow(Function::template Of<T>(wide), values + i);
  }
  return L::Load(values);
}

inline constexpr double kLaneInfinity = std::numeric_limits<double>::infinity();
template <class T>
inline constexpr double kLargestLog = 709.782712893383996;  // exp of more is infinite in T
template <>
inline constexpr double kLargestLog<float> = 88.7228393554687500;

// exp(x) for x <= 0: for floats with a relative error of 4e-11.
template <class T, class D>
TENON_HD D ExpBelow(const D& x) {
  if constexpr (sizeof(T) == 8) return Exp(x);
  using C = Constants<double>;
  constexpr double kExp[] = {0.99999999996163214,   1.0000000002431817,    0.50000001045886278,
                             0.16666665126195856,   0.041666225309047691,  0.0083335610336898267,
                             0.0013948190045369653, 0.00019775212660305715};
  const D clamped = Greater(D(C::least_normal_exp), x), round(C::round + C::bias);
  const D rounded = Fma(clamped, D(C::log2_e), round), whole = rounded - round;
  const D r = Fma(whole, D(-0.69314718055994530942), clamped);
  return Polynomial(r, kExp) * D::FromBits(rounded.Bits() << C::fraction_bits);
}

// x scale - shift: for polynomials in [-1, 1], which lose nothing to opposite signs.
template <class D>
TENON_HD D Shifted(const D& x, double scale, double shift) {
  return Fma(x, D(scale), D(-shift));
}

// f(x) of an odd function from f(|x|). At -0 it is +0, as Eigen's functions and so TensorFlow's have it.
template <class D>
TENON_HD D Odd(const D& y, const D& x) {
  return Select(x < D(0), -y, y);
}

}  // namespace detail

#endif  // TENON_DETAIL_LANES

}  // namespace simd

TENON_DETAIL_NAMESPACE_END
