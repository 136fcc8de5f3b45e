// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/sparse_matrix.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gradients/central_differences.hpp"

namespace sparse_matrix_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of sparse matrices") {
  const std::vector<GraphBuilder::Attr> kType{{"type", DataType::kFloat}};

  // The matrix [2, 3] with the elements `values` at three places.
  Output Matrix(GraphBuilder & b, Output values) {
    const std::string name = b.Name(values);
    const Output places = b.Const(name + "_places", Tensor::From<std::int64_t>({0, 1, 1, 0, 1, 2}, {3, 2}));
    const Output shape = b.Const(name + "_shape", Tensor::From<std::int64_t>({2, 3}, {2}));
    return b.Add("SparseTensorToCSRSparseMatrix", {places, values, shape});
  }
  Output Dense(GraphBuilder & b, Output matrix) { return b.Add("CSRSparseMatrixToDense", {matrix}, {kType[0]}); }

  TEST_CASE("forms of a matrix, and transposes") {
    GraphBuilder b;
    const Output v = b.Placeholder("v", DataType::kFloat, {3}), d = b.Placeholder("d", DataType::kFloat, {2, 3});
    const std::vector<NamedTensor> values{{"v", RandomTensor({3})}}, dense{{"d", RandomTensor({2, 3})}};
    const Output m = Matrix(b, v);
    CHECK(GradientError(b, Dense(b, m), values) == "");
    CHECK(GradientError(b, b.Add("CSRSparseMatrixToSparseTensor", {m}, {kType[0]})[1], values) == "");
    CHECK(GradientError(b, Dense(b, b.Add("SparseMatrixTranspose", {m}, {kType[0]})), values) == "");
    const Output places = b.Const("places", Tensor::From<std::int64_t>({0, 0, 1, 2}, {2, 2}));
    CHECK(GradientError(b, Dense(b, b.Add("DenseToCSRSparseMatrix", {d, places})), dense) == "");
  }
  TEST_CASE("products with dense matrices, turned or not") {
    for (const bool a : {false, true})
      for (const bool t : {false, true})
        for (const bool out : {false, true}) {
          GraphBuilder b;
          const Index inner = a ? 2 : 3;
          const TensorShape shape = t ? TensorShape({4, inner}) : TensorShape({inner, 4});
          const Output v = b.Placeholder("v", DataType::kFloat, {3});
          const Output d = b.Placeholder("d", DataType::kFloat, PartialTensorShape(shape));
          const Output y = b.Add("SparseMatrixMatMul", "y", {Matrix(b, v), d},
                                 {{"transpose_a", a}, {"adjoint_b", t}, {"transpose_output", out}});
          CHECK(GradientError(b, y, {{"v", RandomTensor({3})}, {"d", RandomTensor(shape, -1, 1, 2)}}) == "");
        }
  }
  TEST_CASE("products of sparse matrices") {
    for (const bool first : {false, true}) {  // the first or the second one is turned
      GraphBuilder b;
      const Output v = b.Placeholder("v", DataType::kFloat, {3}), w = b.Placeholder("w", DataType::kFloat, {3});
      const Output y = b.Add("SparseMatrixSparseMatMul", {Matrix(b, v), Matrix(b, w)},
                             {kType[0], {"adjoint_a", first}, {"transpose_b", !first}});
      CHECK(GradientError(b, Dense(b, y), {{"v", RandomTensor({3})}, {"w", RandomTensor({3}, -1, 1, 2)}}) == "");
    }
  }
}

}  // namespace sparse_matrix_gradient_test
