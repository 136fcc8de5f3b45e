// SPDX-License-Identifier: Apache-2.0
#include <tenon/tensor/batch_rows.hpp>

#include <doctest/doctest.h>

#include <tenon/types/complex.hpp>
#include <tenon/tensor/variant.hpp>

#include "tensor/filled.hpp"

namespace batch_rows_test {
using namespace tenon;
using namespace filled_tensors;
using tensor::Equality;

TEST_SUITE("Rows of a batch") {
  TEST_CASE("are written and read for every dtype") {
    for (const DataType type : kAllTypes) {
      CAPTURE(Name(type));
      Tensor batch = Filled(type, {3, 2});
      const Tensor row = Filled(type, {2}, 1);
      CHECK(tensor::CopyElementToSlice(row, &batch, 1).ok());
      CHECK(tensor::Equal(batch.SubSlice(1), row, Equality::kBits));
      CHECK(tensor::Equal(batch.SubSlice(0), Filled(type, {2}), Equality::kBits));
      Tensor element = Filled(type, {2}, 9);
      CHECK(tensor::CopySliceToElement(batch, &element, 1).ok());
      CHECK(tensor::Equal(element, row, Equality::kBits));
    }
  }
  TEST_CASE("are moved inside one batch, up and down") {
    for (const DataType type : {DataType::kInt32, DataType::kString}) {
      Tensor down = Filled(type, {5, 2}), up = Filled(type, {5, 2});
      CHECK(tensor::CopyContiguousSlices(down, 0, 1, 4, &down).ok());
      CHECK(tensor::Equal(down.Slice(1, 5), Filled(type, {4, 2})));
      CHECK(tensor::CopyContiguousSlices(up, 1, 0, 4, &up).ok());
      CHECK(tensor::Equal(up.Slice(0, 4), Filled(type, {4, 2}, 2)));
      CHECK(tensor::CopyContiguousSlices(up, 5, 5, 0, &up).ok());
    }
  }
  TEST_CASE("that do not fit are refused") {
    Tensor batch(DataType::kFloat, {3, 2}), element(DataType::kFloat, {3});
    CHECK(tensor::CopyElementToSlice(element, &batch, 0).message() ==
          "CopyElementToSlice Cannot perform copy: number of elements does not match.  Shapes are: [element]: [3], "
          "[parent slice]: [2]");
    CHECK(errors::IsInternal(tensor::CopySliceToElement(batch, &element, 0)));
    Tensor two(DataType::kFloat, {2});
    CHECK(tensor::CopyElementToSlice(two, &batch, 3).message() ==
          "CopyElementToSlice: the row must be in [0,3), got 3");
    CHECK_FALSE(tensor::CopySliceToElement(batch, &two, -1).ok());
    CHECK_FALSE(tensor::CopyElementToSlice(Tensor(DataType::kInt32, {2}), &batch, 0).ok());
    CHECK_FALSE(tensor::CopyElementToSlice(two, &two, 0).ok());
    CHECK(tensor::CopyContiguousSlices(batch, 2, 0, 2, &batch).code() == Code::kFailedPrecondition);
    CHECK(tensor::CopyContiguousSlices(batch, 0, 2, 2, &batch).code() == Code::kFailedPrecondition);
    CHECK(tensor::CopyContiguousSlices(batch, 0, 0, 1, &element).code() == Code::kFailedPrecondition);
    CHECK(tensor::CopyContiguousSlices(Tensor(DataType::kInt8, {3, 2}), 0, 0, 1, &batch).code() ==
          Code::kFailedPrecondition);
  }
}
}  // namespace batch_rows_test
