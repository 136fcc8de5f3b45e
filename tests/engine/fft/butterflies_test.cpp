// SPDX-License-Identifier: Apache-2.0
// Against the sums themselves, in long double.
#include <tenon/engine/fft/butterflies.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

#include "engine/fft_support.hpp"

namespace fft_sums_test {
using namespace tenon;
using namespace tenon::detail;
using namespace tenon::testing;

namespace {

// The largest error of any element in any lane, in units of half the last place of 1.
template <int radix, class T>
double Error() {
  using V = FftVector<T, 16>;
  constexpr std::size_t size = V::size;
  const std::vector<T> re = FftNumbers<T>(static_cast<Index>(radix * size)),
                       im = FftNumbers<T>(static_cast<Index>(radix * size), 2);
  FftPair<V> x[radix];
  for (std::size_t i = 0; i < radix; ++i) x[i] = {V::Load(re.data() + i * size), V::Load(im.data() + i * size)};
  FftSums<radix>::Run(x);
  const Dft wanted(radix, false);
  long double error = 0;
  for (std::size_t lane = 0; lane < size; ++lane) {
    std::vector<LongComplex> in;
    for (std::size_t j = 0; j < radix; ++j) in.emplace_back(re[j * size + lane], im[j * size + lane]);
    for (std::size_t k = 0; k < radix; ++k) {
      T got_re[size], got_im[size];
      x[k].re.Store(got_re);
      x[k].im.Store(got_im);
      const LongComplex got(got_re[lane], got_im[lane]);
      error = std::max(error, std::abs(got - wanted(in, static_cast<Index>(k))));
    }
  }
  return static_cast<double>(error / (sizeof(T) == 4 ? 0x1p-24L : 0x1p-53L));
}

TEST_SUITE("fft_sums") {
  TEST_CASE_TEMPLATE("every radix that has code of its own", T, float, double) {
    CHECK(Error<1, T>() == 0);
    CHECK(Error<2, T>() <= 3);
    CHECK(Error<3, T>() <= 6);
    CHECK(Error<4, T>() <= 6);
    CHECK(Error<5, T>() <= 10);
    CHECK(Error<7, T>() <= 14);
    CHECK(Error<8, T>() <= 12);
  }
  TEST_CASE_TEMPLATE("a constant is all in the first", T, float, double) {
    using V = FftVector<T, 16>;
    FftPair<V> x[8];
    for (FftPair<V>& element : x) element = {V::Repeat(T(3)), V::Repeat(T(-1))};
    FftSums<8>::Run(x);
    for (int k = 0; k < 8; ++k) {
      T re[V::size], im[V::size];
      x[k].re.Store(re);
      x[k].im.Store(im);
      CHECK(re[0] == (k == 0 ? T(24) : T(0)));
      CHECK(im[0] == (k == 0 ? T(-8) : T(0)));
    }
  }
}

}  // namespace
}  // namespace fft_sums_test
