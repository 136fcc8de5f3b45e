// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/linalg.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gradients/central_differences.hpp"

namespace linalg_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of linear algebra") {
  // A matrix that is easily inverted.
  Tensor Matrix() {
    Tensor a = RandomTensor({3, 3}, -0.3, 0.3);
    for (int i = 0; i < 3; ++i) a.data<float>()[4 * i] += 2;
    return a;
  }

  TEST_CASE("are those of central differences") {
    const Tensor a = Matrix(), b = RandomTensor({3, 2}, -1, 1, 4);
    CHECK(OpGradientError("MatrixInverse", {a}) == "");
    CHECK(OpGradientError("MatrixDeterminant", {a}) == "");
    CHECK(OpGradientError("LogMatrixDeterminant", {a}, {}, {}, 1) == "");
    for (const bool adjoint : {false, true})
      CHECK(OpGradientError("MatrixSolve", {a, b}, {{"adjoint", adjoint}}) == "");
    CHECK(OpGradientError("MatrixTriangularSolve", {a, b}, {{"lower", false}}) == "");
    CHECK(OpGradientError("MatrixTriangularSolve", {a, b}, {{"adjoint", true}}) == "");
    CHECK(OpGradientError("TridiagonalSolve", {a, b}, {{"partial_pivoting", true}}) == "");
    CHECK(OpGradientError("Svd", {a}, {{"compute_uv", false}}) == "");
    CHECK(OpGradientError("MatrixSquareRoot", {a}) == "");
    const Tensor row = RandomTensor({1, 3}, -1, 1, 5);
    CHECK(OpGradientError("TridiagonalMatMul", {row, row, row, b}) == "");
  }
  TEST_CASE("Cholesky and SelfAdjointEigV2 of a symmetric matrix") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {3, 3});
    const Output square = b.Add("MatMul", "square", {x, x}, {{"transpose_b", true}});
    CHECK(GradientError(b, b.Add("Cholesky", "l", {square}), {{"x", Matrix()}}) == "");
    CHECK(GradientError(b, b.Add("SelfAdjointEigV2", "e", {square}), {{"x", Matrix()}}) == "");
  }
  TEST_CASE("Eig, with and without vectors") {
    Tensor a = Matrix();
    for (int i = 0; i < 3; ++i) a.data<float>()[4 * i] += static_cast<float>(i);
    for (const bool vectors : {false, true}) {
      GraphBuilder b;
      const Output x = b.Placeholder("x", DataType::kFloat, {3, 3});
      const Output e = b.Add("Eig", "e", {x}, {{"compute_v", vectors}, {"Tout", DataType::kComplex64}});
      CHECK(GradientError(b, b.Add("Real", "real", {e[0]}, {{"Tout", DataType::kFloat}}), {{"x", a}}) == "");
      if (!vectors) continue;
      const Output size = b.Add("ComplexAbs", "size", {e[1]}, {{"Tout", DataType::kFloat}});
      CHECK(GradientError(b, b.Add("Square", "square", {size}), {{"x", a}}) == "");
    }
  }
  TEST_CASE("Qr of a tall matrix in full is refused") {
    GraphBuilder b;
    b.Add("Qr", "y", {b.Placeholder("x", DataType::kFloat, {3, 2})}, {{"full_matrices", true}});
    GraphDef graph = b.graph_def();
    const std::vector<std::string> ys{"y"}, xs{"x"};
    CHECK(AddGradients(&graph, ys, xs).status().code() == Code::kUnimplemented);
  }
}

}  // namespace linalg_gradient_test
