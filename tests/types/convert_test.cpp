// SPDX-License-Identifier: Apache-2.0
// Small floats and casts against the answers of TensorFlow, NumPy and ml_dtypes: tests/golden/types.
#include <tenon/types/convert.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <tenon/types/complex.hpp>
#include <tenon/types/dispatch.hpp>
#include <tenon/types/type_list.hpp>

#include "types/golden_bytes.hpp"

namespace convert_test {
using namespace tenon;

namespace {

using SmallFloats = TypeList<half, bfloat16, float8_e5m2, float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz,
                             float8_e5m2fnuz, float4_e2m1fn>;
using Numbers = concat<
    SmallFloats,
    TypeList<float, double, std::int32_t, std::uint8_t, std::int16_t, std::int8_t, std::int64_t, bool, qint8, quint8,
             qint32, qint16, quint16, std::uint16_t, std::uint32_t, std::uint64_t, int4, uint4, int2, uint2>,
    TypeList<complex64, complex128>>;

std::uint32_t BitsOf(float value) { return detail::BitCast<std::uint32_t>(value); }

// splitmix64 of i.
std::uint64_t Mixed(std::uint64_t i) {
  std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
// Input i of random.bin: any bits; where i is even, the exponent is one of 48 about 1.
template <class Float>
Float RandomInput(std::uint64_t i) {
  using Wide = detail::WideFloat<Float>;
  using Word = typename Wide::Word;
  const std::uint64_t x = Mixed(i);
  Word word = static_cast<Word>(x);
  if (i % 2 == 0) {
    constexpr Word kExponent = static_cast<Word>(Word{2} * Wide::bias + 1) << Wide::mantissa_bits;
    word = (word & ~kExponent) | static_cast<Word>(x % 48 + Wide::bias - 24) << Wide::mantissa_bits;
  }
  return detail::BitCast<Float>(word);
}
template <class T, class Float>
int WrongBlocks(const std::vector<std::uint64_t>& sums, std::uint64_t block) {
  int wrong = 0;
  for (std::uint64_t b = 0; b < sums.size(); ++b) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = b * block; i < (b + 1) * block; ++i) {
      sum += (std::uint64_t{ConvertScalar<T>(RandomInput<Float>(i)).bits} + 1) * Mixed(i);
    }
    wrong += sum != sums[b];
  }
  return wrong;
}

// Inputs of one wide type and the patterns of all small floats.
template <class Float>
void CheckFromWide(GoldenBytes& file) {
  REQUIRE(file.ReadType() == dtype_of_v<Float>);
  const auto n = file.Read<std::uint32_t>();
  const std::vector<Float> inputs = file.ReadArray<Float>(n);
  for (int left = file.Read<std::uint8_t>(); left > 0; --left) {
    const DataType type = file.ReadType();
    CAPTURE(type);
    const Status found = DispatchType<SmallFloats>(type, [&]<class T>() {
      const auto expected = file.ReadArray<decltype(T::bits)>(n);
      int wrong = 0;
      for (std::uint32_t i = 0; i < n; ++i) {
        wrong += T(inputs[i]).bits != expected[i];
        wrong += ConvertScalar<T>(inputs[i]).bits != expected[i];
      }
      CHECK(wrong == 0);
    });
    REQUIRE(found.ok());
  }
}

// The same bits; NaNs of float and double may differ in theirs.
bool SamePart(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}
template <class T>
bool Same(T a, T b) {
  if constexpr (IsComplex(dtype_of_v<T>)) {
    return SamePart(static_cast<double>(a.real()), static_cast<double>(b.real())) &&
           SamePart(static_cast<double>(a.imag()), static_cast<double>(b.imag()));
  } else if constexpr (std::is_floating_point_v<T>) {
    return SamePart(static_cast<double>(a), static_cast<double>(b));
  } else {
    return std::memcmp(&a, &b, sizeof a) == 0;
  }
}
template <class T>
T Element(const std::string& bytes, std::size_t i) {
  T value{};
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}
// The index of the first wrong result, or -1. ml_dtypes alone makes integers of NaN and infinity in its own way.
template <class To, class From>
int FirstWrong(const std::string& inputs, const std::string& results, bool by_tensorflow) {
  for (std::size_t i = 0; i < inputs.size() / sizeof(From); ++i) {
    const bool skip = !by_tensorflow && !IsFloating(dtype_of_v<To>) &&
                      !std::isfinite(ConvertScalar<double>(Element<From>(inputs, i)));
    if (!skip && !Same(ConvertScalar<To>(Element<From>(inputs, i)), Element<To>(results, i)))
      return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

TEST_SUITE("small floats as TensorFlow and ml_dtypes have them") {
  TEST_CASE("mean these floats, every pattern") {
    GoldenBytes file("to_float.bin");
    int types = 0;
    for (; !file.at_end(); ++types) {
      const DataType type = file.ReadType();
      CAPTURE(type);
      const auto runs = file.Read<std::uint32_t>();
      auto expected = file.Read<std::uint32_t>();
      const Status found = DispatchType<SmallFloats>(type, [&]<class T>() {
        std::uint32_t pattern = 0;
        int wrong = 0;
        const auto check = [&] {
          const T x = T::FromBits(static_cast<decltype(T::bits)>(pattern++));
          const bool nan = std::isnan(static_cast<float>(x));  // only its sign is agreed upon
          const std::uint32_t ignored = nan ? 0x7fffff : 0;
          wrong += (BitsOf(static_cast<float>(x)) | ignored) != (expected | ignored);
          wrong += BitsOf(ConvertScalar<float>(x)) != BitsOf(static_cast<float>(x));
        };
        check();
        for (std::uint32_t run = 0; run < runs; ++run) {
          const auto step = file.Read<std::uint32_t>();
          for (auto left = file.Read<std::uint32_t>(); left > 0; --left) {
            expected += step;
            check();
          }
        }
        CHECK(wrong == 0);
        CHECK(pattern == (type == DataType::kFloat4E2M1FN ? 16u : 1u << (8 * sizeof(T))));
      });
      REQUIRE(found.ok());
    }
    CHECK(types == 8);
  }
  TEST_CASE("are made from these floats and doubles: boundaries, ties, subnormals, overflow, NaNs") {
    GoldenBytes file("from_wide.bin");
    CheckFromWide<float>(file);
    CheckFromWide<double>(file);
    CHECK(file.at_end());
  }
  TEST_CASE("are made from random floats and doubles") {
    GoldenBytes file("random.bin");
    const auto block = file.Read<std::uint32_t>(), blocks = file.Read<std::uint32_t>();
    for (int left = file.Read<std::uint8_t>(); left > 0; --left) {
      const DataType type = file.ReadType();
      CAPTURE(type);
      const auto from_float = file.ReadArray<std::uint64_t>(blocks),
                 from_double = file.ReadArray<std::uint64_t>(blocks);
      const Status found = DispatchType<SmallFloats>(type, [&]<class T>() {
        CHECK(WrongBlocks<T, float>(from_float, block) == 0);
        CHECK(WrongBlocks<T, double>(from_double, block) == 0);
      });
      REQUIRE(found.ok());
    }
    CHECK(file.at_end());
  }
  TEST_CASE("are added, subtracted, multiplied and divided") {
    GoldenBytes file("arithmetic.bin");
    for (int left = file.Read<std::uint8_t>(); left > 0; --left) {
      const DataType type = file.ReadType();
      CAPTURE(type);
      const auto n = file.Read<std::uint32_t>();
      const Status found = DispatchType<SmallFloats>(type, [&]<class T>() {
        using Bits = decltype(T::bits);
        const auto a = file.ReadArray<Bits>(n), b = file.ReadArray<Bits>(n);
        int wrong = 0;
        const auto check = [&](auto apply) {
          const auto expected = file.ReadArray<Bits>(n);
          for (std::uint32_t i = 0; i < n; ++i) {
            const T result = apply(T::FromBits(a[i]), T::FromBits(b[i]));
            const bool nan = std::isnan(static_cast<float>(result));
            wrong += (nan ? std::numeric_limits<Bits>::max() : result.bits) != expected[i];
          }
        };
        check([](T x, T y) { return x + y; });
        check([](T x, T y) { return x -= y; });
        check([](T x, T y) { return x * y; });
        check([](T x, T y) { return x /= y; });
        CHECK(wrong == 0);
      });
      REQUIRE(found.ok());
    }
    CHECK(file.at_end());
  }
}

TEST_SUITE("ConvertScalar") {
  TEST_CASE("gives what TensorFlow's Cast gives, for all pairs") {
    GoldenBytes file("casts.bin");
    std::map<DataType, std::string> inputs;
    std::map<DataType, std::uint32_t> counts;
    for (int left = file.Read<std::uint8_t>(); left > 0; --left) {
      const DataType type = file.ReadType();
      counts[type] = file.Read<std::uint32_t>();
      inputs[type] = file.ReadBytes(counts[type] * static_cast<std::size_t>(SizeOf(type)));
    }
    CHECK(inputs.size() == Numbers::size);
    int tensorflow = 0, ml_dtypes = 0;
    while (!file.at_end()) {
      const DataType from = file.ReadType(), to = file.ReadType();
      const bool by_tensorflow = file.Read<std::uint8_t>() == 0;
      ++(by_tensorflow ? tensorflow : ml_dtypes);
      const std::string results = file.ReadBytes(counts[from] * static_cast<std::size_t>(SizeOf(to)));
      CAPTURE(Name(from));
      CAPTURE(Name(to));
      int first_wrong = -2;
      const Status found = DispatchType<Numbers>(from, [&]<class From>() {
        return DispatchType<Numbers>(
            to, [&]<class To>() { first_wrong = FirstWrong<To, From>(inputs[from], results, by_tensorflow); });
      });
      CHECK(found.ok());
      CHECK(first_wrong == -1);
    }
    CHECK(tensorflow > 300);
    CHECK(ml_dtypes > 100);
  }
  TEST_CASE("truncates what fits, and gives for the rest what x86 gives") {
    const double nan = std::nan(""), inf = HUGE_VAL;
    CHECK(ConvertScalar<std::int32_t>(-2147483648.9) == -2147483648);
    CHECK(ConvertScalar<std::int32_t>(2147483647.9) == 2147483647);
    CHECK(ConvertScalar<std::int32_t>(2147483648.0) == -2147483648);
    CHECK(ConvertScalar<std::int64_t>(nan) == std::numeric_limits<std::int64_t>::min());
    CHECK(ConvertScalar<std::uint8_t>(-1.9f) == 255);
    CHECK(ConvertScalar<std::int8_t>(128.0f) == -128);
    CHECK(ConvertScalar<std::int16_t>(inf) == 0);
    CHECK(ConvertScalar<std::uint32_t>(-1.0) == 0xffffffffu);
    CHECK(ConvertScalar<std::uint64_t>(-1.0) == 0xffffffffffffffffu);
    CHECK(ConvertScalar<std::uint64_t>(1.8446744073709550e19) == 18446744073709549568u);
    CHECK(ConvertScalar<std::uint64_t>(-inf) == 0x8000000000000000u);
    CHECK(ConvertScalar<int4>(-9.5) == int4(7));
    CHECK(ConvertScalar<qint8>(300.0f).value == 44);
  }
  TEST_CASE("takes everything but zero for true") {
    CHECK(ConvertScalar<bool>(std::nanf("")));
    CHECK(ConvertScalar<bool>(half::FromBits(1)));
    CHECK_FALSE(ConvertScalar<bool>(half::FromBits(0x8000)));
    CHECK_FALSE(ConvertScalar<bool>(complex64(0, 1)));
    CHECK(ConvertScalar<bool>(int2(-2)));
    CHECK(ConvertScalar<half>(true).bits == 0x3c00);
    CHECK(ConvertScalar<complex128>(true) == complex128(1, 0));
  }
  TEST_CASE("rounds to nearest, half and bfloat16 by way of float") {
    CHECK(ConvertScalar<float>(std::int32_t{16777217}) == 16777216.0f);
    CHECK(ConvertScalar<double>(std::numeric_limits<std::uint64_t>::max()) == 18446744073709551616.0);
    const double above_tie = 1 + 0x1p-11 + 0x1p-40;  // a float cannot tell it from the tie
    CHECK(ConvertScalar<half>(above_tie).bits == 0x3c00);
    CHECK(ConvertScalar<float8_e4m3fn>(1 + 0x1p-4 + 0x1p-40).bits == 0x39);
    CHECK(ConvertScalar<complex64>(complex128(1e300, -0.1)) == complex64(HUGE_VALF, -0.1f));
  }
}

static_assert(ConvertScalar<std::uint8_t>(-1.5f) == 255 && ConvertScalar<half>(std::int64_t{70000}).bits == 0x7c00);
static_assert(ConvertScalar<bool>(bfloat16(0.5f)) && ConvertScalar<qint16>(int4(-3)).value == -3);
static_assert(ConvertScalar<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()) == std::uint64_t{1} << 63);
static_assert(NumericElement<half> && NumericElement<bool> && !NumericElement<tstring> && !NumericElement<char*>);
}  // namespace convert_test
