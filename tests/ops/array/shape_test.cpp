// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/shape.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_shape_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("Shape") {
  TEST_CASE_TEMPLATE("lists the sizes", T, std::int32_t, std::int64_t) {
    const auto sizes = [](const TensorShape& shape) {
      const Tensor y = Run<ops::Shape>({{"out_type", dtype_of_v<T>}}, {Tensor::Zeros<float>(shape)});
      CHECK(y.shape() == TensorShape{shape.dims()});
      return Numbered<T>(y);
    };
    CHECK(sizes({2, 3, 4}) == std::vector<double>{2, 3, 4});
    CHECK(sizes({7}) == std::vector<double>{7});
    CHECK(sizes({}) == std::vector<double>{});
    CHECK(sizes({3, 0, 1}) == std::vector<double>{3, 0, 1});
    CHECK(sizes({1, 2, 1, 2, 1, 2, 1, 2, 1}) == std::vector<double>{1, 2, 1, 2, 1, 2, 1, 2, 1});
  }
  TEST_CASE("lists them as int32 unless told otherwise") {
    CHECK(Run<ops::Shape>({}, {Tensor::Scalar(1.0f)}).dtype() == DataType::kInt32);
  }
  TEST_CASE_TEMPLATE("takes tensors of any type", T, bool, half, std::uint16_t, complex128, qint8, tstring) {
    CHECK(Numbered<std::int32_t>(Run<ops::Shape>({}, {Tensor(dtype_of_v<T>, {2, 3})})) == std::vector<double>{2, 3});
  }
  TEST_CASE("sizes that int32 cannot hold are refused, with the way out") {
    const Tensor wide(DataType::kFloat, {0, 3000000000});
    CHECK(ErrorOf<ops::Shape>({}, {wide}) ==
          "INVALID_ARGUMENT: Shape: output type is int32 but dim 1 is 3000000000; use out_type = int64");
    CHECK(Numbered<std::int64_t>(Run<ops::Shape>({{"out_type", DataType::kInt64}}, {wide})) ==
          std::vector<double>{0, 3000000000});
    CHECK(Numbered<std::int32_t>(Run<ops::Shape>({}, {Tensor(DataType::kFloat, {0, 2147483647})})) ==
          std::vector<double>{0, 2147483647});
  }
  TEST_CASE("lists them as int32 or int64, nothing else") {
    CHECK(ErrorOf<ops::Shape>({{"out_type", DataType::kInt16}}, {Tensor::Scalar(1.0f)}) ==
          "INVALID_ARGUMENT: Value for attr 'out_type' of int16 is not in the list of allowed values: int32, int64");
    CHECK(FailEveryAllocation<ops::Shape>({}, {Make<float>({2}, {1})}) == 1);
  }
}
}  // namespace array_shape_test
