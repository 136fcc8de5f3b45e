// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/elementwise/widest_type.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <type_traits>

#include <doctest/doctest.h>

namespace wide_test {
using namespace tenon;
using tenon::detail::CastKind;

namespace {
// Every number given comes back the same, and is the same number while it is wide.
template <class T, class W>
void CheckExact(DataType type, CastKind kind, std::initializer_list<T> numbers) {
  const WideType wide = WideTypeOf(type);
  CHECK(wide.kind == kind);
  CHECK(wide.bytes == static_cast<Index>(sizeof(T)));
  W widened[4];
  T narrow[32], back[32];  // more than are used: gcc warns of the copy that only wide types get
  std::copy(numbers.begin(), numbers.end(), narrow);
  const auto n = static_cast<Index>(numbers.size());
  wide.Widen(narrow, widened, n);
  wide.Narrow(widened, back, n);
  for (Index i = 0; i < n; ++i) {
    CHECK(widened[i] == static_cast<W>(narrow[i]));
    CHECK(back[i] == narrow[i]);
  }
}
template <class T>
void CheckInteger(DataType type) {
  constexpr bool kLargest = std::is_same_v<T, std::uint64_t>;
  using W = std::conditional_t<kLargest, std::uint64_t, std::int64_t>;
  CheckExact<T, W>(type, kLargest ? CastKind::kUnsigned : CastKind::kSigned,
                   {std::numeric_limits<T>::min(), T(0), T(1), std::numeric_limits<T>::max()});
}
}  // namespace

TEST_SUITE("wide numbers") {
  TEST_CASE("integers") {
    CheckInteger<bool>(DataType::kBool);
    CheckInteger<std::int8_t>(DataType::kInt8);
    CheckInteger<std::uint8_t>(DataType::kUint8);
    CheckInteger<std::int16_t>(DataType::kInt16);
    CheckInteger<std::uint16_t>(DataType::kUint16);
    CheckInteger<std::int32_t>(DataType::kInt32);
    CheckInteger<std::uint32_t>(DataType::kUint32);
    CheckInteger<std::int64_t>(DataType::kInt64);
    CheckInteger<std::uint64_t>(DataType::kUint64);
  }
  TEST_CASE("floats, with infinities and NaN") {
    CheckExact<half, double>(DataType::kHalf, CastKind::kFloat, {half(-65504.f), half(0x1p-24f), half(-0.f)});
    CheckExact<bfloat16, double>(DataType::kBfloat16, CastKind::kFloat, {bfloat16(0x1.fep127f), bfloat16(1.5f)});
    constexpr float kInf = std::numeric_limits<float>::infinity();
    CheckExact<float, double>(DataType::kFloat, CastKind::kFloat, {0x1p-149f, -kInf, kInf, 0.1f});
    CheckExact<double, double>(DataType::kDouble, CastKind::kFloat, {0.1, 0x1p-1074, -1e308});
    const float nan[2] = {std::numeric_limits<float>::quiet_NaN(), 0};
    double widened[2];
    WideTypeOf(DataType::kFloat).Widen(nan, widened, 1);
    CHECK(std::isnan(widened[0]));
  }
  TEST_CASE("not of other types, and nothing of nothing") {
    for (const DataType type : {DataType::kString, DataType::kComplex64, DataType::kResource, DataType::kInvalid})
      CHECK(WideTypeOf(type).kind == CastKind::kNone);
    WideTypeOf(DataType::kInt64).Widen(nullptr, nullptr, 0);
    WideTypeOf(DataType::kInt8).Narrow(nullptr, nullptr, 0);
  }
  TEST_CASE("a visitor is called for the kind's number") {
    const auto size = []<class W>() { return std::is_same_v<W, double> ? 0 : std::is_signed_v<W> ? 1 : 2; };
    CHECK(VisitWide(CastKind::kFloat, size) == 0);
    CHECK(VisitWide(CastKind::kSigned, size) == 1);
    CHECK(VisitWide(CastKind::kUnsigned, size) == 2);
  }
}
}  // namespace wide_test
