// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/fill_empty_rows.hpp>

#include "ops/outputs.hpp"

namespace sparse_fill_empty_rows_test {
using namespace tenon;
using namespace tenon::testing;
using ops::SparseFillEmptyRows;
using ops::SparseFillEmptyRowsGrad;

namespace {

Tensor Places(std::initializer_list<std::int64_t> numbers) {
  return MakeTensor<std::int64_t>({static_cast<Index>(numbers.size()) / 2, 2}, numbers);
}

}  // namespace

TEST_SUITE("SparseFillEmptyRows") {
  const Tensor nine = Tensor::Scalar<float>(9);

  TEST_CASE("rows out of order are put in order, the elements of one keep theirs") {
    CHECK(OutputsOf<SparseFillEmptyRows>(
              {}, {Places({2, 5, 0, 1, 2, 3, 0, 0}), Make<float>({4}, {1, 2, 3, 4}), Longs({4, 6}), nine}) ==
          "[0 1][0 0][1 0][2 5][2 3][3 0] | 2 4 9 1 3 9 | 0 1 0 1 | 3 0 4 1");
  }
  TEST_CASE("nothing at all, and nothing but empty rows") {
    CHECK(OutputsOf<SparseFillEmptyRows>({}, {Places({}), Make<float>({0}, {0}), Longs({0, 6}), nine}) == " |  |  | ");
    CHECK(OutputsOf<SparseFillEmptyRows>({}, {Places({}), Make<float>({0}, {0}), Longs({2, 0}), nine}) ==
          "[0 0][1 0] | 9 9 | 1 1 | ");
    Tensor text(DataType::kString, {1}), none(DataType::kString, TensorShape());
    text.data<tstring>()[0].assign("a text that is too long to be stored inline");
    none.data<tstring>()[0].assign("-");
    const Result<std::vector<Tensor>> out = Call<SparseFillEmptyRows>({}, {Places({1, 0}), text, Longs({2, 1}), none});
    REQUIRE(out.ok());
    CHECK((*out)[1].data<tstring>()[0].view() == "-");
    CHECK((*out)[1].data<tstring>()[1].view() == text.data<tstring>()->view());
  }
  TEST_CASE("the gradient follows reverse_index_map; a place that comes twice counts in both, the rest adds up") {
    const Tensor grad = Make<float>({6}, {1, 2, 4, 8, 16, 32});
    CHECK(OutputsOf<SparseFillEmptyRowsGrad>({}, {Longs({3, 0, 4, 1}), grad}) == "8 1 16 2 | 36");
    CHECK(OutputsOf<SparseFillEmptyRowsGrad>({}, {Longs({5, 5}), grad}) == "32 32 | 31");
    CHECK(OutputsOf<SparseFillEmptyRowsGrad>({}, {Longs({}), grad}) == " | 63");
    CHECK(OutputsOf<SparseFillEmptyRowsGrad>({}, {Longs({}), Make<float>({0}, {0})}) == " | 0");
  }
  TEST_CASE("an element outside of the rows is named") {
    const auto refused = [&](const Tensor& places, const Tensor& shape) {
      return ErrorOf<SparseFillEmptyRows>({}, {places, Make<float>({2}, {1, 2}), shape, nine});
    };
    const std::string where = "INVALID_ARGUMENT: SparseFillEmptyRows: ";
    CHECK(refused(Places({0, 0, 4, 0}), Longs({4, 6})) == where + "indices(1, 0) is invalid: 4 >= 4");
    CHECK(refused(Places({-1, 0, 4, 0}), Longs({4, 6})) == where + "indices(0, 0) is invalid: -1 < 0, of 4 rows");
    CHECK(refused(Places({0, 0, 0, 0}), Longs({0, 6})) ==
          where + "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = 2");
    CHECK(refused(Places({0, 0, 0, 0}), Longs({-3, 6})) ==
          where + "Expected shape dimensions to be non-negative, got -3");
    CHECK(refused(Places({0, 0, 0, 0}), Longs({2})) ==
          where + "The length of `dense_shape` (1) must match the second dimension of `indices` (2).");
    CHECK(refused(Places({0, 0}), Longs({2, 2})) ==
          where + "The length of `values` (2) must match the first dimension of `indices` (1).");
    CHECK(ErrorOf<SparseFillEmptyRowsGrad>({}, {Longs({0, 6}), Make<float>({6}, {1})}) ==
          "INVALID_ARGUMENT: SparseFillEmptyRowsGrad: Elements in reverse index must be in [0, 6) but got 6");
  }
  TEST_CASE("the shape function reads the number of rows from dense_shape") {
    CHECK(ShapesOf<SparseFillEmptyRows>({{4, 2}, {4}, StaticInput::Vector({7, 3}), {}}) == "[?,2] [?] [7] [4]");
    CHECK(ShapesOf<SparseFillEmptyRows>({{4, 2}, {4}, {2}, {}}) == "[?,2] [?] [?] [4]");
    CHECK(ShapesOf<SparseFillEmptyRows>({{4, 0}, {4}, {0}, {}}) == "INVALID_ARGUMENT: dense_shape must not be empty");
    CHECK(ShapesOf<SparseFillEmptyRowsGrad>({{5}, {8}}) == "[5] []");
  }
}
}  // namespace sparse_fill_empty_rows_test
