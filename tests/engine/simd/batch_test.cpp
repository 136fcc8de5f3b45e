// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/simd/batch.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <doctest/doctest.h>

namespace simd_test {
using namespace tenon;

namespace {

template <class T>
struct Lanes {
  T at[simd::Batch<T>::size];
  TENON_HD explicit Lanes(simd::Batch<T> b) { b.Store(at); }
};

// |got - want| in units of the last place of a float at `want`.
double FloatUlps(float got, double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
  const float rounded = static_cast<float>(want);
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : 1e9;
  int exponent;
  std::frexp(want, &exponent);
  return std::abs(static_cast<double>(got) - want) / std::ldexp(1.0, exponent - 24 > -149 ? exponent - 24 : -149);
}

template <class Isa>
constexpr bool NarrowsDown() {
  if constexpr (std::is_same_v<Isa, simd::isa::Scalar>)
    return true;
  else
    return simd::kVectorBytes<simd::Narrower<Isa>> <= simd::kVectorBytes<Isa> && NarrowsDown<simd::Narrower<Isa>>();
}

}  // namespace

TEST_SUITE("simd") {
  TEST_CASE("every instruction set narrows down to one lane in the end") {
    CHECK(NarrowsDown<simd::isa::Avx512>());
    CHECK(NarrowsDown<simd::isa::Avx2>());
    CHECK(NarrowsDown<simd::isa::Avx>());
    CHECK(NarrowsDown<simd::isa::Sse41>());
    CHECK(NarrowsDown<simd::isa::Neon64>());
  }

  TEST_CASE_TEMPLATE("every lane computes what a number would", T, float, double) {
    using B = simd::Batch<T>;
    T x[B::size], y[B::size];
    for (int i = 0; i < B::size; ++i) {
      x[i] = static_cast<T>(i) - T(1.5);
      y[i] = static_cast<T>(2 * i % 5) - T(1);
    }
    const B a = B::Load(x), b = B::Load(y);
    const Lanes<T> sum(a + b), difference(a - b), product(a * b), quotient(a / (b * b + B(T(1)))), negative(-a);
    const Lanes<T> larger(Max(a, b)), smaller(Min(a, b)), root(Sqrt(a * a)), fused(Fma(a, b, a)),
        chosen(Select(a < b, a, B(T(7))));
    for (int i = 0; i < B::size; ++i) {
      CHECK(sum.at[i] == x[i] + y[i]);
      CHECK(difference.at[i] == x[i] - y[i]);
      CHECK(product.at[i] == x[i] * y[i]);
      CHECK(quotient.at[i] == x[i] / (y[i] * y[i] + 1));
      CHECK(negative.at[i] == -x[i]);
      CHECK(larger.at[i] == (x[i] > y[i] ? x[i] : y[i]));
      CHECK(smaller.at[i] == (x[i] < y[i] ? x[i] : y[i]));
      CHECK(root.at[i] == std::abs(x[i]));
      CHECK(fused.at[i] == x[i] * y[i] + x[i]);
      CHECK(chosen.at[i] == (x[i] < y[i] ? x[i] : T(7)));
    }
    T total = 0;
    for (const T v : x) total += v;
    CHECK(a.Sum() == total);
    CHECK(a.Largest() == x[B::size - 1]);
  }

  TEST_CASE_TEMPLATE("parts of a batch leave the memory behind them alone", T, float, double) {
    using B = simd::Batch<T>;
    T x[B::size + 1], out[B::size + 1];
    for (int i = 0; i <= B::size; ++i) x[i] = static_cast<T>(i + 1);
    for (int n = 0; n <= B::size; ++n) {
      for (T& v : out) v = T(-1);
      (B::LoadPart(x, n, T(9)) * B(T(2))).StorePart(out, n);
      for (int i = 0; i <= B::size; ++i) CHECK(out[i] == (i < n ? 2 * x[i] : T(-1)));
    }
  }

  TEST_CASE_TEMPLATE("Max and Min give their second operand when one is NaN", T, float, double) {
    using B = simd::Batch<T>;
    const T nan = std::numeric_limits<T>::quiet_NaN();
    CHECK(std::isnan(Lanes<T>(Max(B(T(1)), B(nan))).at[0]));
    CHECK(Lanes<T>(Max(B(nan), B(T(1)))).at[0] == 1);
    CHECK(std::isnan(Lanes<T>(Min(B(T(1)), B(nan))).at[0]));
    CHECK(Lanes<T>(Min(B(nan), B(T(1)))).at[0] == 1);
    CHECK(std::isnan(simd::Max(T(1), nan)));
    CHECK(simd::Max(nan, T(1)) == 1);
  }

  TEST_CASE("exp of a float is within 2 ulp of the true value") {
    using B = simd::Batch<float>;
    double worst = 0;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 4099) {
      const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      const double error = FloatUlps(Lanes<float>(Exp(B(x))).at[0], std::exp(static_cast<double>(x)));
      worst = error > worst ? error : worst;
    }
    CHECK(worst <= 2.0);
  }

  TEST_CASE_TEMPLATE("exp at the ends of its range", T, float, double) {
    using B = simd::Batch<T>;
    const T infinity = std::numeric_limits<T>::infinity();
    const auto exp = [](T x) { return Lanes<T>(Exp(B(x))).at[B::size - 1]; };
    CHECK(exp(0) == 1);
    CHECK(exp(-infinity) == 0);
    CHECK(exp(infinity) == infinity);
    CHECK(exp(std::numeric_limits<T>::max()) == infinity);
    CHECK(exp(std::numeric_limits<T>::lowest()) == 0);
    CHECK(std::isnan(exp(std::numeric_limits<T>::quiet_NaN())));
    CHECK(exp(std::log(std::numeric_limits<T>::max()) * T(0.999)) < infinity);
  }
}
}  // namespace simd_test
