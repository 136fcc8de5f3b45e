// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/matmul.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gradients/central_differences.hpp"

namespace matmul_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of matrix products") {
  TEST_CASE("transposed or not") {
    for (const bool a : {false, true})
      for (const bool b : {false, true}) {
        const Tensor x = RandomTensor(a ? TensorShape({3, 2}) : TensorShape({2, 3}));
        const Tensor y = RandomTensor(b ? TensorShape({4, 3}) : TensorShape({3, 4}), -1, 1, 2);
        CHECK(OpGradientError("MatMul", {x, y}, {{"transpose_a", a}, {"transpose_b", b}}) == "");
        CHECK(OpGradientError("BatchMatMulV2", {x, y}, {{"adj_x", a}, {"adj_y", b}}) == "");
        CHECK(OpGradientError("SparseMatMul", {x, y}, {{"transpose_a", a}, {"transpose_b", b}}) == "");
      }
    CHECK(OpGradientError("BatchMatMulV2", {RandomTensor({2, 1, 2, 3}), RandomTensor({3, 3, 2}, -1, 1, 4)}) == "");
  }
  TEST_CASE("Einsum: sums, repeated labels, ellipsis") {
    const Tensor a = RandomTensor({2, 3}), b = RandomTensor({3, 4}, -1, 1, 2), c = RandomTensor({3, 3}, -1, 1, 3);
    CHECK(OpGradientError("Einsum", {a, b}, {{"equation", "ij,jk->ik"}}) == "");
    CHECK(OpGradientError("Einsum", {a, b}, {{"equation", "ij,jk->i"}}) == "");
    CHECK(OpGradientError("Einsum", {a}, {{"equation", "ij->j"}}) == "");
    CHECK(OpGradientError("Einsum", {c}, {{"equation", "ii->i"}}) == "");
    CHECK(OpGradientError("Einsum", {RandomTensor({2, 1, 3}), b}, {{"equation", "...j,jk->...k"}}) == "");
  }
}

}  // namespace matmul_gradient_test
