// SPDX-License-Identifier: Apache-2.0
#include <tenon/engine/layout/sparse_coo.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "engine/support.hpp"

namespace sparse_test {
using namespace tenon;

TEST_SUITE("sparse") {
  TEST_CASE("the order of rows, with equal ones as they came") {
    const std::int64_t data[] = {1, 5, 0, 7, 1, 5, 0, 2, 1, -1};
    const SparseRows rows{data, 5, 2};
    const auto order = RowOrder(rows, AllColumns(2));
    CHECK(std::vector<std::size_t>(order.begin(), order.end()) == std::vector<std::size_t>{3, 1, 4, 0, 2});
    const auto by_second = RowOrder(rows, {1});
    CHECK(std::vector<std::size_t>(by_second.begin(), by_second.end()) == std::vector<std::size_t>{4, 3, 0, 2, 1});
    CHECK(CompareRows(rows.Row(0), rows.Row(2), 2) == 0);
    CHECK(CompareRows(rows.Row(0), rows.Row(1), 2) > 0);
    CHECK(CompareRows(rows.Row(4), rows.Row(0), 2) < 0);
    CHECK(RowOrder(SparseRows{nullptr, 0, 2}, AllColumns(2)).empty());
    const std::int64_t none = 0;
    CHECK(RowOrder(SparseRows{&none, 3, 0}, AllColumns(0)).size() == 3);
  }
  TEST_CASE_TEMPLATE("arithmetic of all types", T, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                     std::uint32_t, std::int64_t, std::uint64_t, half, bfloat16, float, double) {
    const ElementMath& math = *ElementMathOf(dtype_of_v<T>);
    const T a[] = {T(7), T(6), T(0)}, b[] = {T(2), T(6), T(3)};
    const auto check = [&](ElementMath::Loop loop, double x, double y, double z) {
      T out[3];
      loop(a, b, out, 3);
      CHECK(testing::ToDouble(out[0]) == x);
      CHECK(testing::ToDouble(out[1]) == y);
      CHECK(testing::ToDouble(out[2]) == z);
    };
    check(math.add, 9, 12, 3);
    check(math.multiply, 14, 36, 0);
    check(math.divide, std::is_integral_v<T> ? 3 : 3.5, 1, 0);
    check(math.largest, 7, 6, 3);
    check(math.smallest, 2, 6, 0);
    CHECK(math.has_zero(a, 3));
    CHECK_FALSE(math.has_zero(b, 3));
    const std::size_t which[] = {2, 0, 1};
    T out;
    math.sum_of(a, which, 3, &out);
    CHECK(testing::ToDouble(out) == 13);
    math.largest_of(a, which, 3, &out);
    CHECK(testing::ToDouble(out) == 7);
  }
  TEST_CASE("integers wrap around, division by -1 too") {
    const std::int32_t least = std::numeric_limits<std::int32_t>::min(), minus = -1;
    std::int32_t out = 0;
    ElementMathOf(DataType::kInt32)->divide(&least, &minus, &out, 1);
    CHECK(out == least);
    ElementMathOf(DataType::kInt32)->add(&least, &minus, &out, 1);
    CHECK(out == std::numeric_limits<std::int32_t>::max());
    const std::int64_t wide = std::numeric_limits<std::int64_t>::max();
    std::int64_t product = 0;
    ElementMathOf(DataType::kInt64)->multiply(&wide, &wide, &product, 1);
    CHECK(product == 1);
  }
  TEST_CASE("complex numbers add and multiply; small floats are summed in float; the largest of many is never NaN") {
    const complex64 x(1, 2), y(3, -1);
    complex64 out;
    ElementMathOf(DataType::kComplex64)->multiply(&x, &y, &out, 1);
    CHECK_UNARY(out == complex64(5, 5));
    CHECK_UNARY(ElementMathOf(DataType::kComplex64)->divide == nullptr);
    std::vector<half> tenths(300, half(0.1f));
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < 300; ++i) all.push_back(i);
    half sum;
    ElementMathOf(DataType::kHalf)->sum_of(tenths.data(), all.data(), 300, &sum);
    CHECK(std::abs(static_cast<float>(sum) - 29.99f) < 0.02f);
    const float numbers[] = {std::nanf(""), 2}, reversed[] = {2, std::nanf("")};
    float larger[2], smaller[2];
    ElementMathOf(DataType::kFloat)->largest(numbers, reversed, larger, 2);
    ElementMathOf(DataType::kFloat)->smallest(numbers, reversed, smaller, 2);
    for (const int i : {0, 1}) CHECK((std::isnan(larger[i]) && std::isnan(smaller[i])));
    float most;
    ElementMathOf(DataType::kFloat)->largest_of(numbers, all.data(), 2, &most);
    CHECK(most == 2);
    CHECK_UNARY(ElementMathOf(DataType::kQint8) == nullptr);
    CHECK_UNARY(ElementMathOf(DataType::kString) == nullptr);
  }
}
}  // namespace sparse_test
