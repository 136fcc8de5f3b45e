// SPDX-License-Identifier: Apache-2.0
#include <tenon/types/dtype_of.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <type_traits>

#include <tenon/types/complex.hpp>
#include <tenon/types/numeric.hpp>
#include <tenon/tensor/resource_handle.hpp>
#include <tenon/tensor/string_tensor.hpp>

namespace dtype_of_test {
using namespace tenon;

namespace {
// True if the type and the number lead to each other and the size is the table's.
template <int number>
constexpr bool RoundTrips() {
  constexpr DataType type = static_cast<DataType>(number);
  using T = type_of_t<type>;
  if (dtype_of_v<T> != type || !ElementType<T> || Trivial<T> != IsPlain(type)) return false;
  if constexpr (IsPlain(type)) {
    return sizeof(T) == SizeOf(type) && alignof(T) == AlignmentOf(type) && std::is_trivially_copyable_v<T>;
  } else {
    return true;
  }
}
template <int... numbers>
constexpr bool AllRoundTrip(std::integer_sequence<int, numbers...>) {
  return (RoundTrips<numbers + 1>() && ...);
}
struct NotAnElement {};
}  // namespace

TEST_SUITE("dtype_of") {
  TEST_CASE("maps every dtype to a C++ type and back") {
    CHECK(AllRoundTrip(std::make_integer_sequence<int, kDataTypeCount - 1>{}));
  }
  TEST_CASE("maps every built-in integer type by its size") {
    CHECK(dtype_of_v<long> == (sizeof(long) == 8 ? DataType::kInt64 : DataType::kInt32));
    CHECK(dtype_of_v<long long> == DataType::kInt64);
    CHECK(dtype_of_v<unsigned long long> == DataType::kUint64);
    CHECK(dtype_of_v<std::int8_t> == DataType::kInt8);
    CHECK(std::is_same_v<type_of_t<DataType::kInt64>, std::int64_t>);
  }
  TEST_CASE("refuses what a tensor cannot hold") {
    CHECK_FALSE(ElementType<NotAnElement>);
    CHECK_FALSE(ElementType<std::string>);
    CHECK_FALSE(ElementType<const char*>);
    CHECK_FALSE(Trivial<tstring>);
    CHECK(ElementType<tstring>);
  }
}
}  // namespace dtype_of_test
