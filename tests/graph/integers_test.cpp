// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/integers.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

namespace integers_test {
using namespace tenon;
using detail::Integers;

TEST_CASE("small integer tensors are read as numbers") {
  Integers read;
  REQUIRE(detail::ReadIntegers(MakeTensor<std::int32_t>({2, 2}, {1, -2, 3, std::numeric_limits<std::int32_t>::min()}),
                               &read));
  CHECK(read.rank() == 2);
  CHECK(read.size() == 4);
  CHECK(read.at(3) == std::numeric_limits<std::int32_t>::min());
  REQUIRE(detail::ReadIntegers(Tensor::Scalar(true), &read));
  CHECK(read.rank() == 0);
  CHECK(read.at(0) == 1);
  CHECK_FALSE(detail::ReadIntegers(Tensor::Scalar(1.0f), &read));
  CHECK(detail::ReadIntegers(Tensor::Zeros<std::int64_t>({kMaxFoldedElements}), &read));
  CHECK_FALSE(detail::ReadIntegers(Tensor::Zeros<std::int64_t>({kMaxFoldedElements + 1}), &read));
}

TEST_CASE("numbers are written as tensors of a type, int32 wraps around") {
  Tensor out;
  REQUIRE(detail::WriteIntegers(Integers::Vector({1, std::int64_t{1} << 32}), DataType::kInt32, &out));
  CHECK(out.DebugString() == "Tensor<type: int32 shape: [2] values: 1 0>");
  REQUIRE(detail::WriteIntegers(Integers::Scalar(7), DataType::kBool, &out));
  CHECK(out.scalar<bool>()() == true);
  CHECK_FALSE(detail::WriteIntegers(Integers::Scalar(7), DataType::kFloat, &out));
  Integers wrong = Integers::Vector({1, 2});
  wrong.values.push_back(3);
  CHECK_FALSE(detail::WriteIntegers(wrong, DataType::kInt64, &out));
}

}  // namespace integers_test
