// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/sparse/dense_matmul.hpp>

#include "ops/outputs.hpp"

namespace sparse_dense_matmul_test {
using namespace tenon;
using namespace tenon::testing;
using ops::SparseMatMul;

TEST_SUITE("SparseMatMul") {
  TEST_CASE("products of both types, transposed or not") {
    const Tensor a = Make<float>({2, 3}, {1, 0, 2, 0, 3, 0}), b = Make<bfloat16>({3, 2}, {1, 2, 3, 4, 5, 6});
    CHECK(OutputsOf<SparseMatMul>({}, {a, b}) == "[11 14][9 12]");
    CHECK(OutputsOf<SparseMatMul>({{"transpose_a", true}, {"transpose_b", true}}, {a, b}) ==
          "[1 3 5][6 12 18][2 6 10]");
  }
  TEST_CASE("zeros of the sparse factor hide NaN") {
    const Tensor a = Make<float>({1, 2}, {0, 1}), b = Make<float>({2, 1}, {kNaN, 2});
    CHECK(OutputsOf<SparseMatMul>({{"a_is_sparse", true}}, {a, b}) == "[2]");
    CHECK(OutputsOf<SparseMatMul>({}, {a, b}) == "[nan]");
  }
  TEST_CASE("refuses shapes that do not fit") {
    const Tensor a = Make<float>({2, 3}, {1});
    CHECK(ErrorOf<SparseMatMul>({}, {a, a}) ==
          "INVALID_ARGUMENT: SparseMatMul: Matrix size incompatible: a: [2,3], b: [2,3]");
    CHECK(ErrorOf<SparseMatMul>({}, {Make<float>({3}, {1}), a}) ==
          "INVALID_ARGUMENT: SparseMatMul: a is not a matrix, got shape [3]");
  }
  TEST_CASE("shapes") {
    CHECK(ShapesOf<SparseMatMul>({{2, 3}, {3, 4}}, {{"transpose_a", false}, {"transpose_b", false}}) == "[2,4]");
  }
}
}  // namespace sparse_dense_matmul_test
