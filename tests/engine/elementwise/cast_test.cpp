// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/elementwise/cast.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <tenon/device/thread_pool.hpp>

#include <doctest/doctest.h>

#include "engine/guarded.hpp"
#include "engine/support.hpp"

namespace cast_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

// How elements of one type are written and read as doubles.
struct Element {
  DataType type;
  Index bytes;
  void (*write)(void* to, Index i, double x);
  double (*read)(const void* from, Index i);
};
template <class T>
constexpr Element ElementOf() {
  return {dtype_of_v<T>, sizeof(T), [](void* to, Index i, double x) { static_cast<T*>(to)[i] = FromDouble<T>(x); },
          [](const void* from, Index i) { return ToDouble(static_cast<const T*>(from)[i]); }};
}
constexpr Element kElements[] = {ElementOf<std::int8_t>(),   ElementOf<std::uint8_t>(),  ElementOf<std::int16_t>(),
                                 ElementOf<std::uint16_t>(), ElementOf<std::int32_t>(),  ElementOf<std::uint32_t>(),
                                 ElementOf<std::int64_t>(),  ElementOf<std::uint64_t>(), ElementOf<half>(),
                                 ElementOf<bfloat16>(),      ElementOf<float>(),         ElementOf<double>(),
                                 ElementOf<complex64>(),     ElementOf<complex128>(),    ElementOf<bool>()};

// Numbers that every type has; of bool 0 and 1.
double Number(Index i, bool is_bool) {
  return is_bool ? static_cast<double>(i % 3 != 0) : static_cast<double>(i % 101);
}

bool CastIsRight(Cpu device, const Element& from, const Element& to, Index n, Index skip) {
  Guarded x(n, from.bytes, skip), y(n, to.bytes, 2 * skip + 1);
  for (Index i = 0; i < n; ++i) from.write(x.data(), i, Number(i, from.type == DataType::kBool));
  if (!Cast(device, from.type, x.data(), to.type, y.data(), n, false).ok()) return false;
  for (Index i = 0; i < n; ++i) {
    const double number = Number(i, from.type == DataType::kBool);
    if (to.read(y.data(), i) != (to.type == DataType::kBool ? static_cast<double>(number != 0) : number)) return false;
  }
  return x.IsIntact() && y.IsIntact();
}

template <class To, class From>
To CastOne(From x, bool truncate = false) {
  To y{};
  Cpu device;
  REQUIRE(Cast(device, dtype_of_v<From>, &x, dtype_of_v<To>, &y, 1, truncate).ok());
  return y;
}

}  // namespace

TEST_SUITE("Cast") {
  TEST_CASE("what both types have stays, between all types, at odd addresses, for any length") {
    for (const Element& from : kElements)
      for (const Element& to : kElements) {
        if (from.type == to.type) continue;
        CAPTURE(from.type);
        CAPTURE(to.type);
        for (Index n = 0; n <= 70; n += 1 + n / 20) CHECK_UNARY(CastIsRight({}, from, to, n, n % 5));
        for (const Index n : {511, 512, 513, 1030}) CHECK_UNARY(CastIsRight({}, from, to, n, 1));
      }
  }
  TEST_CASE("many threads give what one gives") {
    ThreadPool pool(4, "test");
    for (const Element& to : kElements)
      if (to.type != DataType::kUint8) CHECK_UNARY(CastIsRight({.pool = &pool}, kElements[1], to, 300001, 1));
  }
  TEST_CASE("what does not fit is as TensorFlow has it") {
    CHECK(CastOne<std::int32_t>(NAN) == std::numeric_limits<std::int32_t>::min());
    CHECK(CastOne<std::int32_t>(1e10f) == std::numeric_limits<std::int32_t>::min());
    CHECK(CastOne<std::int64_t>(-INFINITY) == std::numeric_limits<std::int64_t>::min());
    CHECK(CastOne<std::uint32_t>(3e9) == 3000000000u);
    CHECK(CastOne<std::uint8_t>(300) == 44);
    CHECK(CastOne<std::uint8_t>(-1) == 255);
    CHECK(CastOne<std::int8_t>(std::uint8_t{200}) == -56);
    CHECK(CastOne<std::uint64_t>(std::int32_t{-1}) == std::numeric_limits<std::uint64_t>::max());
    CHECK(CastOne<std::int32_t>(-1.9) == -1);
    CHECK(CastOne<bool>(NAN));
    CHECK_FALSE(CastOne<bool>(-0.0));
    CHECK(CastOne<float>(std::numeric_limits<std::int64_t>::min()) == -0x1p63f);
    CHECK(CastOne<double>(std::numeric_limits<std::uint64_t>::max()) == 0x1p64);
  }
  TEST_CASE("rounds to nearest, ties to even, or cuts off") {
    CHECK(ToDouble(CastOne<half>(2049.0f)) == 2048);
    CHECK(ToDouble(CastOne<half>(2051.0f)) == 2052);
    CHECK(ToDouble(CastOne<half>(65520.0f)) == INFINITY);
    CHECK(ToDouble(CastOne<half>(65520.0f, true)) == 65504);
    CHECK(ToDouble(CastOne<bfloat16>(1 + 0x1.8p-8f)) == 1 + 0x1p-7);
    CHECK(ToDouble(CastOne<bfloat16>(1 + 0x1.8p-8f, true)) == 1);
    CHECK(CastOne<float>(1 + 0x1.8p-24, true) == 1);
    CHECK(std::isnan(CastOne<float>(static_cast<double>(NAN), true)));
    CHECK(CastOne<complex64>(complex128(1 + 0x1.8p-24, -1 - 0x1.8p-24)) == complex64(1 + 0x1p-23f, -1 - 0x1p-23f));
    CHECK(CastOne<float>(complex128(3, 4)) == 3);
  }
  // In blocks, where the processor's instructions are used; NaNs keep what ConvertScalar keeps of them.
  TEST_CASE("every half becomes the float that it is, and every one comes back") {
    std::vector<half> halves(65536), back(65536);
    for (std::uint32_t i = 0; i < 65536; ++i) halves[i] = detail::BitCast<half>(static_cast<std::uint16_t>(i));
    std::vector<float> floats(65536);
    Cpu device;
    REQUIRE(Cast(device, DataType::kHalf, halves.data(), DataType::kFloat, floats.data(), 65536, false).ok());
    REQUIRE(Cast(device, DataType::kFloat, floats.data(), DataType::kHalf, back.data(), 65536, false).ok());
    int wrong = 0;
    for (std::uint32_t i = 0; i < 65536; ++i) {
      const std::uint32_t exponent = i >> 10 & 31, fraction = i & 1023;
      const double size =
          exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
      const double value = (i & 0x8000) != 0 ? -size : size;
      const std::uint32_t bits = detail::BitCast<std::uint16_t>(back[i]);
      if (exponent == 31 && fraction != 0)
        wrong += !std::isnan(floats[i]) || bits != ((i & 0x8000) | 0x7e00);
      else if (exponent == 31)
        wrong += !std::isinf(floats[i]) || std::signbit(floats[i]) != ((i & 0x8000) != 0) || bits != i;
      else
        wrong += static_cast<double>(floats[i]) != value || bits != i;
    }
    CHECK(wrong == 0);
  }
  TEST_CASE("in blocks, too, floats become the bfloat16 that each becomes alone") {
    std::vector<float> floats;
    for (std::uint32_t upper = 0; upper < 65536; ++upper)
      for (const std::uint32_t lower : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
        floats.push_back(detail::BitCast<float>(upper << 16 | lower));
    floats.resize(floats.size() - 3);  // so that some are left behind the last block
    std::vector<bfloat16> rounded(floats.size());
    Cpu device;
    REQUIRE(Cast(device, DataType::kFloat, floats.data(), DataType::kBfloat16, rounded.data(),
                 static_cast<Index>(floats.size()), false)
                .ok());
    int wrong = 0;
    for (std::size_t i = 0; i < floats.size(); ++i)
      wrong += detail::BitCast<std::uint16_t>(rounded[i]) != detail::BitCast<std::uint16_t>(bfloat16(floats[i]));
    CHECK(wrong == 0);
  }
  // Between two neighbouring halves: the nearer one, the even one half-way; at both ends of the range, too.
  TEST_CASE("floats between two halves are rounded to nearest, ties to even, in blocks") {
    std::vector<float> floats;
    std::vector<std::uint16_t> wanted;
    for (std::uint32_t i = 0; i < 0x7c00; ++i) {
      const double low = static_cast<double>(static_cast<float>(detail::BitCast<half>(static_cast<std::uint16_t>(i))));
      const double unit = std::ldexp(1.0, std::max(static_cast<int>(i >> 10), 1) - 25);
      for (const double part : {0.25, 0.5, 0.75}) {
        floats.push_back(static_cast<float>(low + part * unit));
        const std::uint32_t up = part > 0.5 || (part == 0.5 && i % 2 == 1) ? 1 : 0;
        wanted.push_back(static_cast<std::uint16_t>(i + up));
      }
    }
    std::vector<half> halves(floats.size());
    Cpu device;
    REQUIRE(Cast(device, DataType::kFloat, floats.data(), DataType::kHalf, halves.data(),
                 static_cast<Index>(floats.size()), false)
                .ok());
    int wrong = 0;
    for (std::size_t i = 0; i < floats.size(); ++i) wrong += detail::BitCast<std::uint16_t>(halves[i]) != wanted[i];
    CHECK(wrong == 0);
  }

  TEST_CASE("quantised integers are the integers that they are stored in") {
    CHECK(CastOne<std::int32_t>(qint8(-7)) == -7);
    CHECK(CastOne<quint8>(std::int32_t{300}).value == 44);
  }
  TEST_CASE("pairs that TensorFlow does not have write nothing") {
    Guarded out(1, 8, 0);
    const double x[2] = {1, 2};
    Cpu device;
    const auto error = [&](DataType from, DataType to) {
      return Cast(device, from, x, to, out.data(), 1, false).ToString();
    };
    CHECK(error(DataType::kInt4, DataType::kFloat) == "UNIMPLEMENTED: Cast int4 to float is not supported");
    CHECK(error(DataType::kString, DataType::kFloat) == "UNIMPLEMENTED: Cast string to float is not supported");
    CHECK(error(DataType::kInt32, DataType::kFloat8E4M3FN) ==
          "UNIMPLEMENTED: Cast int32 to float8_e4m3fn is not supported");
    CHECK(error(DataType::kFloat, DataType::kVariant) == "UNIMPLEMENTED: Cast float to variant is not supported");
    CHECK(out.IsUntouched());
  }
}
}  // namespace cast_test
