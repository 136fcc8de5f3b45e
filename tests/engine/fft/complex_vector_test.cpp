// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/fft/complex_vector.hpp>

#include <doctest/doctest.h>

namespace fft_lanes_test {
using namespace tenon;
using namespace tenon::detail;

namespace {

// Every function, on vectors of the instruction set that it is compiled for: whether they do what they should.
template <class T>
struct AllRight {
  template <int bytes>
  TENON_HD static void Run(bool* right) {
    using V = FftVector<T, bytes>;
    constexpr int kWidth = V::size;
    T numbers[2 * kWidth], again[2 * kWidth], re[kWidth], im[kWidth], turned[kWidth];
    for (int i = 0; i < 2 * kWidth; ++i) numbers[i] = static_cast<T>(i + 1);
    const FftPair<V> x = LoadPair<V>(numbers);
    x.re.Store(re);
    x.im.Store(im);
    TurnedRound(x.re).Store(turned);
    StorePair(x, again);
    *right = true;
    for (int i = 0; i < kWidth; ++i) {
      const int number = FftNumberOfLane<T>(kWidth, i);
      if (number < 0 || number >= kWidth) *right = false;
      if (re[i] != numbers[2 * number] || im[i] != numbers[2 * number + 1]) *right = false;
      if (turned[i] != numbers[2 * (kWidth - 1 - number)]) *right = false;
    }
    for (int i = 0; i < 2 * kWidth; ++i)
      if (again[i] != numbers[i]) *right = false;

    T square[kWidth][kWidth];
    V rows[kWidth];
    for (int i = 0; i < kWidth; ++i) {
      for (int j = 0; j < kWidth; ++j) square[i][j] = static_cast<T>(100 * i + j);
      rows[i] = V::Load(square[i]);
    }
    TransposeSquare(rows);
    for (int i = 0; i < kWidth; ++i) {
      rows[i].Store(re);
      for (int j = 0; j < kWidth; ++j)
        if (re[j] != square[j][i]) *right = false;
    }

    const FftPair<V> a{V::Repeat(T(2)), V::Repeat(T(3))}, b{V::Repeat(T(5)), V::Repeat(T(7))};
    const auto is = [&](const FftPair<V>& got, T want_re, T want_im) __attribute__((always_inline)) {
      got.re.Store(re);
      got.im.Store(im);
      for (int i = 0; i < kWidth; ++i)
        if (re[i] != want_re || im[i] != want_im) *right = false;
    };
    is(a * b, T(-11), T(29));
    is(MinusI(a, b), T(9), T(-2));
    is(PlusI(a, b), T(-5), T(8));
    is(AddTimes(a, V::Repeat(T(10)), b), T(52), T(73));
    is(SubtractTimes(a, V::Repeat(T(10)), b), T(-48), T(-67));
  }
};

}  // namespace

TEST_SUITE("fft lanes") {
  TEST_CASE_TEMPLATE("reading, writing, turning and products", T, float, double) {
    bool right = false;
#if TENON_DETAIL_LANES
    simd::detail::ForLevels<AllRight<T>, simd::Compiled, bool*>::Best()(&right);
#else
    AllRight<T>::template Run<sizeof(T)>(&right);
#endif
    CHECK(right);
  }
}
}  // namespace fft_lanes_test
