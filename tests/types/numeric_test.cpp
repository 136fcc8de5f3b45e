// SPDX-License-Identifier: Apache-2.0
// Every bit pattern of every small float, and every midpoint between two neighbours, against a reference in double.
#include <tenon/types/numeric.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <type_traits>

#include <tenon/base/str.hpp>

namespace numeric_test {
using namespace tenon;

namespace {

enum class Kind { kIeee, kOneNanPattern, kUnsignedZero, kFinite };

// The formats once more, written down independently of the header.
template <class T> struct Spec;
template <> struct Spec<half> {
  static constexpr int e = 5, m = 10, bias = 15;
  static constexpr Kind kind = Kind::kIeee;
};
template <> struct Spec<bfloat16> {
  static constexpr int e = 8, m = 7, bias = 127;
  static constexpr Kind kind = Kind::kIeee;
};
template <> struct Spec<float8_e5m2> {
  static constexpr int e = 5, m = 2, bias = 15;
  static constexpr Kind kind = Kind::kIeee;
};
template <> struct Spec<float8_e4m3fn> {
  static constexpr int e = 4, m = 3, bias = 7;
  static constexpr Kind kind = Kind::kOneNanPattern;
};
template <> struct Spec<float8_e4m3fnuz> {
  static constexpr int e = 4, m = 3, bias = 8;
  static constexpr Kind kind = Kind::kUnsignedZero;
};
template <> struct Spec<float8_e4m3b11fnuz> {
  static constexpr int e = 4, m = 3, bias = 11;
  static constexpr Kind kind = Kind::kUnsignedZero;
};
template <> struct Spec<float8_e5m2fnuz> {
  static constexpr int e = 5, m = 2, bias = 16;
  static constexpr Kind kind = Kind::kUnsignedZero;
};
template <> struct Spec<float4_e2m1fn> {
  static constexpr int e = 2, m = 1, bias = 1;
  static constexpr Kind kind = Kind::kFinite;
};

template <class T>
constexpr unsigned Magnitudes() {
  return 1u << (Spec<T>::e + Spec<T>::m);  // patterns without the sign
}
// The value of a pattern without sign if its exponent had no special meaning.
template <class T>
double PlainValue(unsigned magnitude) {
  const int exponent = static_cast<int>(magnitude >> Spec<T>::m);
  const double mantissa = static_cast<double>(magnitude & ((1u << Spec<T>::m) - 1)) / (1u << Spec<T>::m);
  return exponent == 0 ? std::ldexp(mantissa, 1 - Spec<T>::bias) : std::ldexp(1 + mantissa, exponent - Spec<T>::bias);
}
template <class T>
unsigned LargestFinite() {
  switch (Spec<T>::kind) {
    case Kind::kIeee: return (((1u << Spec<T>::e) - 1) << Spec<T>::m) - 1;
    case Kind::kOneNanPattern: return Magnitudes<T>() - 2;
    default: return Magnitudes<T>() - 1;
  }
}
template <class T>
double Value(unsigned pattern) {
  const unsigned magnitude = pattern % Magnitudes<T>();
  const double sign = pattern >= Magnitudes<T>() ? -1 : 1;
  if (Spec<T>::kind == Kind::kUnsignedZero && pattern == Magnitudes<T>()) return std::nan("");
  if (magnitude <= LargestFinite<T>()) return sign * PlainValue<T>(magnitude);
  const bool infinity = Spec<T>::kind == Kind::kIeee && magnitude == LargestFinite<T>() + 1;
  return infinity ? sign * HUGE_VAL : std::nan("");
}
// What a number too large for T becomes.
template <class T>
unsigned Overflow(bool negative) {
  const unsigned sign = negative ? Magnitudes<T>() : 0;
  switch (Spec<T>::kind) {
    case Kind::kIeee: return sign | (LargestFinite<T>() + 1);
    case Kind::kOneNanPattern: return sign | (Magnitudes<T>() - 1);
    case Kind::kUnsignedZero: return Magnitudes<T>();
    case Kind::kFinite: return sign | LargestFinite<T>();
  }
  return 0;
}
template <class T>
unsigned Encode(double value) {
  return T(static_cast<float>(value)).bits;
}
template <class T>
T Make(unsigned pattern) {
  return T::FromBits(static_cast<decltype(T::bits)>(pattern));
}

// The pattern expected for the magnitude p, where p may be one past the largest.
template <class T>
unsigned Expected(unsigned p, bool negative) {
  if (p > LargestFinite<T>()) return Overflow<T>(negative);
  if (p == 0 && Spec<T>::kind == Kind::kUnsignedZero) return 0;
  return p | (negative ? Magnitudes<T>() : 0);
}

}  // namespace

TEST_SUITE("small floats") {
  TEST_CASE_TEMPLATE("convert every pattern exactly to float, and back to itself", T, half, bfloat16, float8_e5m2,
                     float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz, float4_e2m1fn) {
    int wrong = 0;
    for (unsigned pattern = 0; pattern < 2 * Magnitudes<T>(); ++pattern) {
      const T x = Make<T>(pattern);
      const double expected = Value<T>(pattern);
      const double got = static_cast<double>(static_cast<float>(x));
      if (std::isnan(expected)) {
        wrong += !std::isnan(got) || !std::isnan(static_cast<float>(T(static_cast<float>(x))));
      } else {
        wrong += got != expected || std::signbit(got) != std::signbit(expected) || Encode<T>(got) != pattern;
      }
    }
    CHECK(wrong == 0);
  }
  TEST_CASE_TEMPLATE("round to nearest, ties to even, at every midpoint", T, half, bfloat16, float8_e5m2, float8_e4m3fn,
                     float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz, float4_e2m1fn) {
    int wrong = 0;
    for (unsigned p = 0; p <= LargestFinite<T>(); ++p) {
      const double low = PlainValue<T>(p);
      const unsigned next_pattern = p + 1;
      const double high = next_pattern == Magnitudes<T>() ? std::ldexp(1.0, (1 << Spec<T>::e) - Spec<T>::bias)
                                                          : PlainValue<T>(next_pattern);
      const float middle = static_cast<float>((low + high) / 2);  // exact: one more bit than T has
      const float below = std::nextafterf(middle, 0), above = std::nextafterf(middle, HUGE_VALF);
      for (const bool negative : {false, true}) {
        const float sign = negative ? -1.0f : 1.0f;
        wrong += T(sign * middle).bits != Expected<T>(p % 2 == 0 ? p : p + 1, negative);
        wrong += T(sign * below).bits != Expected<T>(p, negative);
        wrong += T(sign * above).bits != Expected<T>(p + 1, negative);
      }
    }
    CHECK(wrong == 0);
  }
  TEST_CASE_TEMPLATE("of one byte round once when they come from double", T, float8_e5m2, float8_e4m3fn,
                     float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz, float4_e2m1fn) {
    int wrong = 0;
    for (unsigned p = 0; p < LargestFinite<T>(); ++p) {
      const double middle = (PlainValue<T>(p) + PlainValue<T>(p + 1)) / 2;
      wrong += T(middle).bits != Expected<T>(p % 2 == 0 ? p : p + 1, false);
      wrong += T(std::nextafter(middle, 0)).bits != Expected<T>(p, false);  // a float could not tell these apart
      wrong += T(std::nextafter(middle, 1e9)).bits != Expected<T>(p + 1, false);
    }
    CHECK(wrong == 0);
  }
  TEST_CASE_TEMPLATE("turn infinities, huge numbers and NaN into what the format has", T, half, bfloat16, float8_e5m2,
                     float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz, float4_e2m1fn) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    CHECK(T(inf).bits == Overflow<T>(false));
    CHECK(T(-inf).bits == Overflow<T>(true));
    CHECK(T(3.4028235e38f).bits == Overflow<T>(false));
    CHECK(T(1e-45f).bits == 0);
    if (Spec<T>::kind == Kind::kFinite) {
      CHECK(T(nan).bits == Magnitudes<T>());
      CHECK(T(-nan).bits == 0);
    } else {
      CHECK(std::isnan(static_cast<float>(T(nan))));
      CHECK(std::isnan(static_cast<float>(T(-nan))));
    }
    CHECK(T(-0.0f).bits == (Spec<T>::kind == Kind::kUnsignedZero ? 0 : Magnitudes<T>()));
  }
  TEST_CASE_TEMPLATE("have the limits that their patterns show", T, half, bfloat16, float8_e5m2, float8_e4m3fn,
                     float8_e4m3fnuz, float8_e4m3b11fnuz, float8_e5m2fnuz, float4_e2m1fn) {
    using L = std::numeric_limits<T>;
    CHECK(static_cast<double>(L::max()) == PlainValue<T>(LargestFinite<T>()));
    CHECK(static_cast<double>(L::lowest()) == -PlainValue<T>(LargestFinite<T>()));
    CHECK(static_cast<double>(L::min()) == std::ldexp(1.0, 1 - Spec<T>::bias));
    CHECK(static_cast<double>(L::denorm_min()) == PlainValue<T>(1));
    CHECK(static_cast<double>(L::epsilon()) == std::ldexp(1.0, -Spec<T>::m));
    CHECK(static_cast<double>(L::min()) == std::ldexp(1.0, L::min_exponent - 1));
    CHECK(static_cast<double>(L::max()) < std::ldexp(1.0, L::max_exponent));
    CHECK(static_cast<double>(L::max()) >= std::ldexp(1.0, L::max_exponent - 1));
    CHECK(L::max_exponent10 == static_cast<int>(std::floor(std::log10(static_cast<double>(L::max())))));
    CHECK(L::min_exponent10 == static_cast<int>(std::ceil(std::log10(static_cast<double>(L::min())))));
    CHECK(L::digits == Spec<T>::m + 1);
    CHECK(L::has_infinity == (Spec<T>::kind == Kind::kIeee));
    CHECK(L::has_quiet_NaN == (Spec<T>::kind != Kind::kFinite));
    if (L::has_quiet_NaN) CHECK(std::isnan(static_cast<float>(L::quiet_NaN())));
    if (L::has_infinity) CHECK(std::isinf(static_cast<float>(L::infinity())));
  }
  TEST_CASE_TEMPLATE("compute through float and compare as numbers", T, half, bfloat16, float8_e4m3fn,
                     float8_e5m2fnuz) {
    const T one(1), two(2), three(3);
    CHECK(one + two == three);
    CHECK(three - one == two);
    CHECK(two * three == T(6));
    CHECK(three / two == T(1.5f));
    CHECK(-two == T(-2));
    CHECK((-T(0)).bits == T(-0.0f).bits);
    CHECK(one < two);
    CHECK(two >= two);
    CHECK(one != two);
    CHECK(one + 0.5f == 1.5f);  // with a float: a float
    T sum(0);
    for (const T x : {one, two, three}) sum += x;
    CHECK(sum == T(6));
    sum -= two;
    sum *= three;
    sum /= two;
    CHECK(sum == T(6));
    CHECK(+sum == sum);
    CHECK(one <= one);
    CHECK(three > two);
    CHECK_FALSE(two > two);
    const T nan = std::numeric_limits<T>::quiet_NaN();
    CHECK_FALSE(nan == nan);
    CHECK(nan != nan);
    CHECK_FALSE(nan < one);
  }
  TEST_CASE("convert from and to other numbers only when asked, but read as float") {
    CHECK(std::is_convertible_v<half, float>);
    CHECK_FALSE(std::is_convertible_v<float, half>);
    CHECK_FALSE(std::is_convertible_v<half, bfloat16>);
    CHECK(half(bfloat16(1.5f)) == half(1.5f));
    CHECK(half(true) == half(1));
    CHECK(half(std::int64_t{3}) == half(3.0));
    CHECK(static_cast<int>(half(7.9f)) == 7);
    CHECK(std::is_same_v<decltype(half(1) + half(1)), half>);
    CHECK(std::is_same_v<decltype(half(1) + 1.0), double>);
  }
}

TEST_SUITE("printing") {
  TEST_CASE("writes small floats as the floats that they are") {
    CHECK(StrCat(half(1.5f), " ", bfloat16(-2), " ", float8_e4m3fn(448), " ", float4_e2m1fn(0.5f)) == "1.5 -2 448 0.5");
    CHECK(StrCat(std::numeric_limits<half>::infinity()) == "inf");
    std::ostringstream out;
    out << half(0.25f) << ' ' << float8_e5m2(-3) << ' ' << qint8(-5) << ' ' << uint4(15);
    CHECK(out.str() == "0.25 -3 -5 15");
  }
}

TEST_SUITE("quantised and sub-byte integers") {
  TEST_CASE("read as their integer, and are made from it and from int32; from other numbers only when asked") {
    const qint8 a(-128), b(127);
    CHECK(a.value == -128);
    CHECK(a < b);
    CHECK(a == qint8(-128));
    CHECK(quint16(65535) == 65535);
    CHECK(std::is_convertible_v<std::int8_t, qint8>);
    CHECK(std::is_convertible_v<std::uint16_t, quint16>);
    CHECK_FALSE(std::is_convertible_v<std::int64_t, qint8>);
    CHECK_FALSE(std::is_convertible_v<float, qint32>);
    qint8 sum = static_cast<std::int8_t>(-3);
    sum = sum + sum;
    CHECK(sum == -6);
    CHECK(float(qint32(-5)) == -5.0f);
    CHECK(half(quint8(200)) == half(200));
    CHECK(std::numeric_limits<qint16>::lowest() == qint16(-32768));
    CHECK(std::numeric_limits<qint32>::max().value == 2147483647);
    CHECK(std::numeric_limits<quint8>::max().value == 255);
  }
  TEST_CASE("of few bits wrap around and keep their sign") {
    for (int n = -300; n <= 300; ++n) {
      const int low4 = ((n % 16) + 16) % 16, low2 = ((n % 4) + 4) % 4;
      CHECK(uint4(n).value == low4);
      CHECK(int4(n).value == (low4 < 8 ? low4 : low4 - 16));
      CHECK(uint2(n).value == low2);
      CHECK(int2(n).value == (low2 < 2 ? low2 : low2 - 4));
    }
    CHECK(int4(7) + int4(1) == int4(-8));
    CHECK(int4(-8) * int4(3) == int4(8));
    CHECK(uint4(3) - uint4(5) == uint4(14));
    CHECK(-int2(1) == int2(-1));
    CHECK(int4(7) / int4(2) == int4(3));
    CHECK(int4(7) % int4(4) == int4(3));
    CHECK(int4(3.7f) == int4(3));
    CHECK(std::numeric_limits<int4>::lowest() == -8);
    CHECK(std::numeric_limits<uint2>::max() == 3);
    uint4 x(15);
    x += uint4(1);
    CHECK(x == uint4(0));
  }
}

static_assert(half(65519.0f).bits == 0x7bff && half(65520.0f).bits == 0x7c00 && float(half(1.5f)) == 1.5f);
static_assert(int4(8) == int4(-8) && std::numeric_limits<bfloat16>::max() > bfloat16(3e38f));
static_assert(half(1) + half(2) == half(3) && -bfloat16(2) < bfloat16(1) &&
              float8_e4m3fn(3) * float8_e4m3fn(2) >= 6.0f);
static_assert([] {
  float8_e5m2 x(8);
  x /= float8_e5m2(2);
  x -= float8_e5m2(1);
  return x;
}() == float8_e5m2(3));
}  // namespace numeric_test
