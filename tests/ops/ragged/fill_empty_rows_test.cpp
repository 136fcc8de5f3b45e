// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/ragged/fill_empty_rows.hpp>

#include "ops/outputs.hpp"

namespace ragged_fill_empty_rows_test {
using namespace tenon;
using namespace tenon::testing;
using ops::RaggedFillEmptyRows;
using ops::RaggedFillEmptyRowsGrad;

namespace {

Tensor Floats(std::initializer_list<double> numbers) {
  return Make<float>({static_cast<Index>(numbers.size())}, numbers);
}
Tensor Long(std::int64_t value) { return Tensor::Scalar<std::int64_t>(value); }

}  // namespace

TEST_SUITE("RaggedFillEmptyRows") {
  TEST_CASE("rows without values get the default") {
    const Tensor nine = Tensor::Scalar<float>(9);
    CHECK(OutputsOf<RaggedFillEmptyRows>({}, {Longs({2, 0, 2}), Floats({1, 2, 3}), Long(4), nine}) ==
          "0 1 2 2 3 | 2 9 1 3 9 | 0 1 0 1 | 2 0 3");
    CHECK(OutputsOf<RaggedFillEmptyRows>({}, {Longs({}), Tensor(DataType::kFloat, {0}), Long(2), nine}) ==
          "0 1 | 9 9 | 1 1 | ");
    const Result<std::vector<Tensor>> none =
        Call<RaggedFillEmptyRows>({}, {Longs({}), Tensor(DataType::kFloat, {0}), Long(0), nine});
    REQUIRE(none.ok());
    CHECK((*none)[0].shape() == TensorShape({0, 1}));  // as in TensorFlow
  }
  TEST_CASE("the gradient") {
    CHECK(OutputsOf<RaggedFillEmptyRowsGrad>({}, {Longs({2, 0}), Floats({1, 2, 3, 4})}) == "3 1 | 6");
    CHECK(ErrorOf<RaggedFillEmptyRowsGrad>({}, {Longs({4}), Floats({1, 2, 3, 4})}) ==
          "INVALID_ARGUMENT: RaggedFillEmptyRowsGrad: Elements in reverse index must be in [0, 4) but got 4");
  }
  TEST_CASE("refuses rows that are not there") {
    const Tensor nine = Tensor::Scalar<float>(9);
    const std::string where = "INVALID_ARGUMENT: RaggedFillEmptyRows: ";
    CHECK(ErrorOf<RaggedFillEmptyRows>({}, {Longs({2}), Floats({1}), Long(2), nine}) ==
          where + "value_rowids[0] is invalid: 2 is not in [0, 2)");
    CHECK(ErrorOf<RaggedFillEmptyRows>({}, {Longs({2}), Floats({1}), Long(-2), nine}) ==
          where + "Expected shape dimensions to be non-negative, got -2 rows");
  }
  TEST_CASE("shapes") {
    CHECK(ShapesOf<RaggedFillEmptyRows>({{3}, {3}, {}, {}}) == "[?] [?] [?] [3]");
    CHECK(ShapesOf<RaggedFillEmptyRowsGrad>({{3}, {5}}) == "[3] []");
  }
}
}  // namespace ragged_fill_empty_rows_test
