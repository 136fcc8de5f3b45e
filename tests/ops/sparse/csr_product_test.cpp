// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/csr_product.hpp>

#include <tenon/ops/sparse/csr_convert.hpp>

#include "ops/outputs.hpp"

namespace sparse_csr_product_test {
using namespace tenon;
using namespace tenon::testing;
using namespace tenon::ops;

namespace {

const AttrArgs kFloats{{"type", DataType::kFloat}};
template <class Op>
Tensor First(const AttrArgs& attrs, const std::vector<Tensor>& inputs) {
  const Result<std::vector<Tensor>> made = Call<Op>(attrs, inputs);
  REQUIRE_MESSAGE(made.ok(), made.status().message());
  return (*made)[0];
}
// [[0 1 0] [2 0 3]]
Tensor Matrix() {
  return First<SparseTensorToCSRSparseMatrix>(
      {}, {MakeTensor<std::int64_t>({3, 2}, {0, 1, 1, 0, 1, 2}), Make<float>({3}, {1, 2, 3}), Longs({2, 3})});
}
std::string PartsOf(const Tensor& matrix) { return OutputsOf<CSRSparseMatrixComponents>(kFloats, {matrix, Int(0)}); }

}  // namespace

TEST_SUITE("products of CSR matrices") {
  TEST_CASE("transposed") {
    CHECK(PartsOf(First<SparseMatrixTranspose>(kFloats, {Matrix()})) == "0 1 2 3 | 1 0 1 | 2 1 3");
  }
  TEST_CASE("times a dense matrix") {
    const Tensor b = Make<float>({3, 2}, {1, 2, 3, 4, 5, 6});
    CHECK(OutputsOf<SparseMatrixMatMul>({}, {Matrix(), b}) == "[3 4][17 22]");
    CHECK(OutputsOf<SparseMatrixMatMul>({{"transpose_output", true}}, {Matrix(), b}) == "[3 17][4 22]");
    CHECK(OutputsOf<SparseMatrixMatMul>({{"transpose_a", true}, {"transpose_b", true}}, {Matrix(), b}) ==
          "[4 8 12][1 3 5][6 12 18]");
  }
  TEST_CASE("times a sparse matrix, of which zeros stay") {
    AttrArgs turned = kFloats;
    turned.push_back({"transpose_b", true});
    CHECK(PartsOf(First<SparseMatrixSparseMatMul>(turned, {Matrix(), Matrix()})) == "0 1 2 | 0 1 | 1 13");
  }
  TEST_CASE("refuses shapes that do not fit") {
    CHECK(ErrorOf<SparseMatrixMatMul>({}, {Matrix(), Make<float>({2, 2}, {1})}) ==
          "INVALID_ARGUMENT: SparseMatrixMatMul: Inner product dimensions of A and B do not agree. Shapes are: [2 3] "
          "vs. [2,2]");
    CHECK(ErrorOf<SparseMatrixMatMul>({}, {Matrix(), Make<float>({3}, {1})}) ==
          "INVALID_ARGUMENT: SparseMatrixMatMul: Ranks of a and b must match, saw: 2 vs. 1.");
    CHECK(ErrorOf<SparseMatrixSparseMatMul>(kFloats, {Matrix(), Matrix()}) ==
          "INVALID_ARGUMENT: SparseMatrixSparseMatMul: Inner product dimensions of A and B do not agree.  Shapes are: "
          "[2 3] vs. [2 3]");
    CHECK(
        ErrorOf<SparseMatrixMatMul>({{"transpose_a", true}, {"adjoint_a", true}}, {Matrix(), Make<float>({3, 2}, {1})})
            .substr(0, 16) == "INVALID_ARGUMENT");
  }
  TEST_CASE("shapes") {
    CHECK(ShapesOf<SparseMatrixTranspose>({{}}, {{"conjugate", false}, {"type", DataType::kFloat}}) == "[]");
  }
}
}  // namespace sparse_csr_product_test
