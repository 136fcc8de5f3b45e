// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/equality.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

#include <tenon/types/complex.hpp>
#include <tenon/tensor/variant.hpp>

#include "tensor/filled.hpp"

namespace equality_test {
using namespace tenon;
using namespace filled_tensors;
using tensor::Equality;

TEST_SUITE("Equality of tensors") {
  TEST_CASE("compares dtype, shape and every element of every dtype") {
    for (const DataType type : kAllTypes) {
      CAPTURE(Name(type));
      const Tensor a = Filled(type, {2, 3}), b = Filled(type, {2, 3}, 1);
      CHECK(tensor::Equal(a, Misaligned(a)));
      CHECK_FALSE(tensor::Equal(a, b));
      CHECK_FALSE(tensor::Equal(a, b, Equality::kBits));
      Tensor c;
      REQUIRE(c.CopyFrom(a, {3, 2}));
      CHECK_FALSE(tensor::Equal(a, c));
      CHECK(tensor::Equal(Tensor(type, {0}, nullptr), Tensor(type, {0}, nullptr)));
    }
    CHECK_FALSE(tensor::Equal(Tensor(DataType::kFloat, {0}), Tensor(DataType::kInt32, {0})));
    CHECK_FALSE(tensor::Equal(Tensor(DataType::kFloat, {1}, nullptr), Tensor(DataType::kFloat, {1}, nullptr)));
  }
  TEST_CASE("knows what zeros with a sign and NaN are") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Tensor zeros = MakeTensor<float>({2}, {0.0f, -0.0f}), others = MakeTensor<float>({2}, {-0.0f, 0.0f});
    CHECK(tensor::Equal(zeros, others));
    CHECK_FALSE(tensor::Equal(zeros, others, Equality::kBits));
    const Tensor nans = MakeTensor<float>({1}, {nan});
    CHECK_FALSE(tensor::Equal(nans, nans));
    CHECK(tensor::Equal(nans, nans, Equality::kValuesOrNans));
    CHECK(tensor::Equal(nans, nans, Equality::kBits));
    const Tensor halves = MakeTensor<half>({2}, {half(nan), half(-0.0f)});
    CHECK(tensor::Equal(halves, MakeTensor<half>({2}, {half(nan), half(0.0f)}), Equality::kValuesOrNans));
    CHECK_FALSE(tensor::Equal(halves, halves));
    const Tensor complex = MakeTensor<complex64>({1}, {{1.0f, -0.0f}});
    CHECK(tensor::Equal(complex, MakeTensor<complex64>({1}, {{1.0f, 0.0f}})));
    CHECK_FALSE(tensor::Equal(complex, MakeTensor<complex64>({1}, {{1.0f, 2.0f}})));
    CHECK_FALSE(tensor::Equal(MakeTensor<complex128>({1}, {{1, 2}}), MakeTensor<complex128>({1}, {{1, 3}})));
  }
  TEST_CASE("says where the first difference is") {
    CHECK(tensor::CheckEqual(MakeTensor<std::int32_t>({2, 3}, {0, 1, 2, 3, 4, 5}),
                             MakeTensor<std::int32_t>({2, 3}, {0, 1, 2, 3, 4, 6}))
              .message() == "CheckEqual: the int32 elements at [1,2] differ, 5 and 6");
    CHECK(tensor::CheckEqual(Tensor::Scalar("a"), Tensor::Scalar("b")).message() ==
          "CheckEqual: the string elements at [] differ, \"a\" and \"b\"");
    CHECK(tensor::CheckEqual(Tensor(DataType::kFloat), Tensor(DataType::kHalf)).message() ==
          "CheckEqual: the types differ, float and half");
    CHECK(tensor::CheckEqual(Tensor(DataType::kFloat), Tensor(DataType::kFloat, {0, 1})).message() ==
          "CheckEqual: the shapes differ, [0] and [0,1]");
  }
}
}  // namespace equality_test
