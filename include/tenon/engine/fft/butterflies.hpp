// SPDX-License-Identifier: Apache-2.0
#pragma once
// Fourier transforms of a few elements in registers, in the lanes of FftPair: the sums of which longer transforms are
// made. Radix 2, 4 and 8 by halves, odd ones by sums and differences of elements that lie as far from the first on
// either side, which halves the products.

#include <tenon/base/config.hpp>
#include <tenon/engine/fft/complex_vector.hpp>

TENON_DETAIL_NAMESPACE_BEGIN

namespace detail {

// Sums of `radix` elements: x[k] = sum of x[j] exp(-2 pi i j k / radix).
template <int radix>
struct FftSums;
template <>
struct FftSums<1> {
  template <class V>
  TENON_HD static void Run(FftPair<V> (&)[1]) {}
};
template <>
struct FftSums<2> {
  template <class V>
  TENON_HD static void Run(FftPair<V> (&x)[2]) {
    const FftPair<V> a = x[0];
    x[0] = a + x[1];
    x[1] = a - x[1];
  }
};
template <class V>
TENON_HD void FftSumsOfFour(FftPair<V>& a, FftPair<V>& b, FftPair<V>& c, FftPair<V>& d) {
  const FftPair<V> even = a + c, turned = a - c, odd = b + d, other = b - d;
  a = even + odd;
  b = MinusI(turned, other);
  c = even - odd;
  d = PlusI(turned, other);
}
template <>
struct FftSums<4> {
  template <class V>
  TENON_HD static void Run(FftPair<V> (&x)[4]) {
    FftSumsOfFour(x[0], x[1], x[2], x[3]);
  }
};
template <>
struct FftSums<8> {
  template <class V>
  TENON_HD static void Run(FftPair<V> (&x)[8]) {
    using T = typename V::value_type;
    const V half = V::Repeat(T(0.70710678118654752440L));  // the square root of it
    FftSumsOfFour(x[0], x[2], x[4], x[6]);
    FftSumsOfFour(x[1], x[3], x[5], x[7]);
    const FftPair<V> one = MinusI(x[3], x[3]), three = PlusI(x[7], x[7]);  // the latter with the other sign
    const FftPair<V> e0 = x[0], e1 = x[2], e2 = x[4], e3 = x[6], o0 = x[1], o2 = x[5];
    x[0] = e0 + o0;
    x[4] = e0 - o0;
    x[1] = AddTimes(e1, half, one);
    x[5] = SubtractTimes(e1, half, one);
    x[2] = MinusI(e2, o2);
    x[6] = PlusI(e2, o2);
    x[3] = SubtractTimes(e3, half, three);
    x[7] = AddTimes(e3, half, three);
  }
};

// cos and sin of 2 pi k / radix, k from 1 to radix / 2.
template <int radix>
struct FftAngles;
template <>
struct FftAngles<3> {
  static constexpr long double kCos[] = {-0.5L}, kSin[] = {0.86602540378443864676L};
};
template <>
struct FftAngles<5> {
  static constexpr long double kCos[] = {0.30901699437494742410L, -0.80901699437494742410L};
  static constexpr long double kSin[] = {0.95105651629515357212L, 0.58778525229247312917L};
};
template <>
struct FftAngles<7> {
  static constexpr long double kCos[] = {0.62348980185873353053L, -0.22252093395631440429L, -0.90096886790241912624L};
  static constexpr long double kSin[] = {0.78183148246802980871L, 0.97492791218182360702L, 0.43388373911755812048L};
};
// Odd radices: elements j and radix - j have the same cosines and opposite sines.
template <int radix>
struct FftSums {
  template <class V>
  TENON_HD static void Run(FftPair<V> (&x)[radix]) {
    using T = typename V::value_type;
    constexpr int kHalf = radix / 2;
    FftPair<V> sums[kHalf], differences[kHalf];
    const FftPair<V> first = x[0];
#pragma GCC unroll 8
    for (int j = 0; j < kHalf; ++j) {
      sums[j] = x[j + 1] + x[radix - 1 - j];
      differences[j] = x[j + 1] - x[radix - 1 - j];
      x[0] = x[0] + sums[j];
    }
#pragma GCC unroll 8
    for (int k = 1; k <= kHalf; ++k) {
      FftPair<V> even = first, odd;
#pragma GCC unroll 8
      for (int j = 1; j <= kHalf; ++j) {
        const int turn = j * k % radix, near = turn <= kHalf ? turn : radix - turn;
        const V cosine = V::Repeat(T(FftAngles<radix>::kCos[near - 1]));
        const V sine =
            V::Repeat(turn <= kHalf ? T(FftAngles<radix>::kSin[near - 1]) : -T(FftAngles<radix>::kSin[near - 1]));
        even = AddTimes(even, cosine, sums[j - 1]);
        if (j == 1)
          odd = {sine * differences[0].re, sine * differences[0].im};
        else
          odd = AddTimes(odd, sine, differences[j - 1]);
      }
      x[k] = MinusI(even, odd);
      x[radix - k] = PlusI(even, odd);
    }
  }
};

}  // namespace detail

TENON_DETAIL_NAMESPACE_END
