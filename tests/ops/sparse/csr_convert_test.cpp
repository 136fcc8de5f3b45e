// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/csr_convert.hpp>

#include "ops/outputs.hpp"

namespace sparse_csr_convert_test {
using namespace tenon;
using namespace tenon::testing;
using namespace tenon::ops;

namespace {

const AttrArgs kFloats{{"type", DataType::kFloat}};
Tensor MatrixOf(const Tensor& places, std::initializer_list<double> values, std::initializer_list<std::int64_t> shape) {
  const Result<std::vector<Tensor>> made = Call<SparseTensorToCSRSparseMatrix>(
      {}, {places, Make<float>({static_cast<Index>(values.size())}, values), Longs(shape)});
  REQUIRE_MESSAGE(made.ok(), made.status().message());
  return (*made)[0];
}
// Two matrices; the second one is [[0 0] [2 3]].
Tensor Batch() { return MatrixOf(MakeTensor<std::int64_t>({3, 3}, {0, 0, 1, 1, 1, 0, 1, 1, 1}), {1, 2, 3}, {2, 2, 2}); }

}  // namespace

TEST_SUITE("conversions of CSR matrices") {
  TEST_CASE("parts of each matrix") {
    CHECK(OutputsOf<CSRSparseMatrixComponents>(kFloats, {Batch(), Int(0)}) == "0 1 1 | 1 | 1");
    CHECK(OutputsOf<CSRSparseMatrixComponents>(kFloats, {Batch(), Int(1)}) == "0 0 2 | 0 1 | 2 3");
    CHECK(OutputsOf<SparseMatrixNNZ>({}, {Batch()}) == "1 2");
  }
  TEST_CASE("dense and sparse tensors") {
    CHECK(OutputsOf<CSRSparseMatrixToDense>(kFloats, {Batch()}) == "[[0 1][0 0]][[0 0][2 3]]");
    CHECK(OutputsOf<CSRSparseMatrixToSparseTensor>(kFloats, {Batch()}) == "[0 0 1][1 1 0][1 1 1] | 1 2 3 | 2 2 2");
    const Result<std::vector<Tensor>> made = Call<DenseToCSRSparseMatrix>(
        {}, {Make<float>({2, 2}, {1, 2, 3, 4}), MakeTensor<std::int64_t>({2, 2}, {0, 1, 1, 0})});
    REQUIRE(made.ok());
    CHECK(OutputsOf<CSRSparseMatrixToSparseTensor>(kFloats, {(*made)[0]}) == "[0 1][1 0] | 2 3 | 2 2");
  }
  TEST_CASE("refuses other values, indices outside and elements of batches in another order") {
    CHECK(ErrorOf<CSRSparseMatrixComponents>(kFloats, {Batch(), Int(2)}) ==
          "INVALID_ARGUMENT: CSRSparseMatrixComponents: index (2) not in [0, 2)");
    CHECK(ErrorOf<CSRSparseMatrixToDense>({{"type", DataType::kDouble}}, {Batch()}) ==
          "INVALID_ARGUMENT: CSRSparseMatrixToDense: dtype of input is not equal to 'type': float vs. double");
    Tensor other(DataType::kVariant, TensorShape());
    CHECK(ErrorOf<SparseMatrixNNZ>({}, {other}) ==
          "INVALID_ARGUMENT: SparseMatrixNNZ: Could not retrieve Variant input 0");
    CHECK(ErrorOf<SparseTensorToCSRSparseMatrix>(
              {}, {MakeTensor<std::int64_t>({1, 2}, {2, 0}), Make<float>({1}, {1}), Longs({2, 2})}) ==
          "INVALID_ARGUMENT: SparseTensorToCSRSparseMatrix: Sparse index tuple indices[0, :] = [2,0] is out of bounds "
          "of [2,2]");
    const Tensor mixed = MatrixOf(MakeTensor<std::int64_t>({2, 3}, {1, 0, 1, 0, 1, 0}), {1, 2}, {2, 2, 2});
    CHECK(ErrorOf<CSRSparseMatrixToDense>(kFloats, {mixed}) ==
          "INVALID_ARGUMENT: CSRSparseMatrixToDense: Variant input 0 is not valid: its elements are not in the order "
          "of their matrices, or outside of the shape");
  }
  TEST_CASE("shapes") {
    CHECK(ShapesOf<SparseTensorToCSRSparseMatrix>({{3, 2}, {3}, {2}}, {{"T", DataType::kFloat}}) == "[]");
    CHECK(ShapesOf<DenseToCSRSparseMatrix>({{3, 2}, {3, 2}}, {{"T", DataType::kFloat}}) == "[]");
    CHECK(ShapesOf<DenseToCSRSparseMatrix>({{3, 2}, {3, 3}}) == "INVALID_ARGUMENT: Dimension must be 2 but is 3");
    CHECK(ShapesOf<CSRSparseMatrixToSparseTensor>({{}}) == "[?,?] [?] [?]");
    CHECK(ShapesOf<SparseMatrixNNZ>({{}}) == "?");
    CHECK(ShapesOf<CSRSparseMatrixComponents>({{}, {}}) == "[?] [?] [?]");
  }
}
}  // namespace sparse_csr_convert_test
