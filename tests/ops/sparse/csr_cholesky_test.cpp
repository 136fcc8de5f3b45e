// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/csr_cholesky.hpp>

#include <tenon/ops/sparse/csr_convert.hpp>

#include "ops/outputs.hpp"

namespace sparse_csr_cholesky_test {
using namespace tenon;
using namespace tenon::testing;
using namespace tenon::ops;

namespace {

const AttrArgs kFloats{{"type", DataType::kFloat}};
// [[4 2] [2 5]]
Tensor Small() {
  const Result<std::vector<Tensor>> made = Call<DenseToCSRSparseMatrix>(
      {}, {Make<float>({2, 2}, {4, 2, 2, 5}), MakeTensor<std::int64_t>({4, 2}, {0, 0, 0, 1, 1, 0, 1, 1})});
  REQUIRE_MESSAGE(made.ok(), made.status().message());
  return (*made)[0];
}

}  // namespace

TEST_SUITE("SparseMatrixSparseCholesky") {
  TEST_CASE("rows of the factor, which may have more elements than the matrix") {
    const Result<std::vector<Tensor>> made =
        Call<SparseMatrixSparseCholesky>(kFloats, {Small(), MakeTensor<std::int32_t>({2}, {0, 1})});
    REQUIRE_MESSAGE(made.ok(), made.status().message());
    CHECK(OutputsOf<CSRSparseMatrixComponents>(kFloats, {(*made)[0], Int(0)}) == "0 1 3 | 0 0 1 | 2 1 2");
  }
  TEST_CASE("refuses numbers that are not a permutation") {
    for (const std::int32_t second : {-1, 0, 2})
      CHECK(Call<SparseMatrixSparseCholesky>(kFloats, {Small(), MakeTensor<std::int32_t>({2}, {0, second})})
                .status()
                .code() == Code::kInvalidArgument);
    CHECK(Call<SparseMatrixSparseCholesky>(kFloats, {Small(), MakeTensor<std::int32_t>({1}, {0})}).status().code() ==
          Code::kInvalidArgument);
  }
}
}  // namespace sparse_csr_cholesky_test
