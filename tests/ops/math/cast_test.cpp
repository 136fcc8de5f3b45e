// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/cast.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tenon/types/convert.hpp>

#include "ops/support.hpp"

namespace math_cast_test {
using namespace tenon;
using namespace tenon::testing;

namespace {

AttrArgs To(DataType to, bool truncate = false) { return {{"DstT", AttrValue(to)}, {"Truncate", AttrValue(truncate)}}; }

template <class T>
Tensor SomeNumbers() {
  if constexpr (std::is_same_v<T, bool>)
    return Make<bool>({1031}, {0, 1, 1});
  else
    return Random<T>({1031}, 1, std::is_unsigned_v<T> ? 0 : -100, 100);
}

// Compares with ConvertScalar, element by element.
template <class From, class To_>
std::string Difference(const Tensor& x) {
  const Tensor y = Run<ops::Cast>(To(dtype_of_v<To_>), {x});
  if (y.dtype() != dtype_of_v<To_> || !(y.shape() == x.shape())) return StrCat(x.shape(), " gives ", y);
  for (Index i = 0; i < x.NumElements(); ++i) {
    const To_ want = ConvertScalar<To_>(x.data<From>()[i]), got = y.data<To_>()[i];
    if (std::memcmp(&want, &got, sizeof want) != 0 && !(want != want && got != got)) return StrCat("element ", i);
  }
  return "";
}
template <class From, class... To_>
std::string Differences(const Tensor& x) {
  std::string all;
  ((all += std::is_same_v<From, To_> ? "" : Difference<From, To_>(x)), ...);
  return all;
}

}  // namespace

#define TENON_TEST_TARGETS                                                                                           \
  float, double, half, bfloat16, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, \
      std::uint32_t, std::uint64_t, bool

TEST_SUITE("Cast") {
  TEST_CASE_TEMPLATE("is ConvertScalar, in one step or in two", T, TENON_TEST_TARGETS) {
    CHECK(Differences<T, TENON_TEST_TARGETS>(SomeNumbers<T>()) == "");
    CHECK(Differences<T, TENON_TEST_TARGETS>(Make<T>({}, {1})) == "");
    CHECK(Differences<T, TENON_TEST_TARGETS>(Make<T>({0, 3}, {1})) == "");
  }
  TEST_CASE("numbers that do not fit") {
    const Tensor x = Make<double>({6}, {kNaN, kInfinity, -kInfinity, 1e300, -1.5, 3e9});
    CHECK(Differences<double, TENON_TEST_TARGETS>(x) == "");
    const Tensor u = Make<std::uint64_t>({2}, {18446744073709549568.0, 9223372036854775808.0});
    CHECK(Differences<std::uint64_t, TENON_TEST_TARGETS>(u) == "");
  }
  TEST_CASE("to the same type shares the buffer") {
    const Tensor x = Make<float>({3}, {1});
    CHECK(Run<ops::Cast>(To(DataType::kFloat), {x}).raw_data() == x.raw_data());
  }
  TEST_CASE("Truncate cuts fractions off") {
    const Tensor x = Make<double>({3}, {1 + 0x1p-24 + 0x1p-52, -1 - 0x1p-24 - 0x1p-52, kNaN});
    const std::vector<double> y = Numbered<float>(Run<ops::Cast>(To(DataType::kFloat, true), {x}));
    CHECK(y[0] == 1);
    CHECK(y[1] == -1);
    CHECK(std::isnan(y[2]));
    CHECK(Numbered<float>(Run<ops::Cast>(To(DataType::kFloat), {x}))[0] == 1 + 0x1p-23);
  }
  TEST_CASE("complex numbers keep or lose their imaginary part") {
    Tensor x(DataType::kComplex64, {2});
    x.data<complex64>()[0] = {3, 4};
    x.data<complex64>()[1] = {0, 1};
    const Tensor wide = Run<ops::Cast>(To(DataType::kComplex128), {x});
    CHECK(wide.data<complex128>()[0] == complex128(3, 4));
    CHECK(wide.data<complex128>()[1] == complex128(0, 1));
    CHECK(Numbered<std::int16_t>(Run<ops::Cast>(To(DataType::kInt16), {x})) == std::vector<double>{3, 0});
    CHECK(!Run<ops::Cast>(To(DataType::kBool), {x}).data<bool>()[1]);
  }
  TEST_CASE("pairs without conversion are Unimplemented") {
    CHECK(ErrorOf<ops::Cast>(To(DataType::kString), {Make<float>({2}, {1})}) ==
          "UNIMPLEMENTED: Cast float to string is not supported");
    CHECK(ErrorOf<ops::Cast>(To(DataType::kFloat8E5M2), {Make<std::int32_t>({2}, {1})}) ==
          "UNIMPLEMENTED: Cast int32 to float8_e5m2 is not supported");
    CHECK(ErrorOf<ops::Cast>(To(DataType::kInt4), {Make<bool>({2}, {1})}) ==
          "UNIMPLEMENTED: Cast bool to int4 is not supported");
  }
}

TEST_SUITE("Bitcast") {
  TEST_CASE("changes the last dimension with the size of an element, and shares the buffer") {
    const AttrArgs to_int32{{"type", AttrValue(DataType::kInt32)}}, to_int8{{"type", AttrValue(DataType::kInt8)}};
    const Tensor x = Make<float>({2, 3}, {1, -2, 0});
    const Tensor same = Run<ops::Bitcast>(to_int32, {x}), bytes = Run<ops::Bitcast>(to_int8, {x});
    CHECK(same.shape() == TensorShape{2, 3});
    CHECK(same.data<std::int32_t>()[0] == 0x3f800000);
    CHECK(same.raw_data() == x.raw_data());
    CHECK(bytes.shape() == TensorShape{2, 3, 4});
    CHECK(SameTensor(Run<ops::Bitcast>({{"type", AttrValue(DataType::kFloat)}}, {bytes}), x));
  }
  TEST_CASE("refuses what does not make whole elements") {
    const AttrArgs to_float{{"type", AttrValue(DataType::kFloat)}};
    CHECK(ErrorOf<ops::Bitcast>(to_float, {Make<std::int8_t>({2, 3}, {1})}) ==
          "INVALID_ARGUMENT: Bitcast: Cannot bitcast from int8 to float due to shape: the last dimension must have 4 "
          "elements, got 3");
    CHECK(Call<ops::Bitcast>(to_float, {Make<std::int8_t>({}, {1})}).status().code() == Code::kInvalidArgument);
  }
}

#undef TENON_TEST_TARGETS

}  // namespace math_cast_test
