// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/linalg/solve_shapes.hpp>

#include <string>

#include <tenon/ops/linalg/solve.hpp>

#include "ops/support.hpp"

namespace linalg_solve_shapes_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("shapes of linear systems") {
  TEST_CASE("a square system has as many unknowns as right-hand sides have rows") {
    using ops::MatrixSolve;
    CHECK(InferredShape<MatrixSolve>({{2, 3, 3}, {2, 3, 4}}) == "[2,3,4]");
    CHECK(InferredShape<MatrixSolve>({{2, -1, 3}, {-1, -1, 4}}) == "[2,3,4]");
    CHECK(InferredShape<MatrixSolve>({{-1, -1}, {3, 4}}) == "[3,4]");
    CHECK(InferredShape<MatrixSolve>({StaticShape(), {3, 4}}) == "[3,4]");
    CHECK(InferredShape<MatrixSolve>({{2, 3}, {3, 4}}) == "Dimensions must be equal, but are 2 and 3");
    CHECK(InferredShape<MatrixSolve>({{3, 3}, {2, 4}}) == "Dimensions must be equal, but are 3 and 2");
    CHECK(InferredShape<MatrixSolve>({{3, 3}, {3}}) == "Shape must be at least rank 2 but is rank 1");
    CHECK(InferredShape<MatrixSolve>({{5, 3, 3}, {6, 3, 4}}) ==
          "Dimension 0 in both shapes must be equal, but are 5 and 6. Shapes are [5] and [6].");
  }
  TEST_CASE("a least squares one as many as its matrix has columns") {
    using ops::MatrixSolveLs;
    CHECK(InferredShape<MatrixSolveLs>({{5, 3}, {5, 4}, {}}) == "[3,4]");
    CHECK(InferredShape<MatrixSolveLs>({{5, -1}, {5, 4}, {}}) == "[?,4]");
    CHECK(InferredShape<MatrixSolveLs>({{5, 3}, {3, 4}, {}}) == "Dimensions must be equal, but are 5 and 3");
    CHECK(InferredShape<MatrixSolveLs>({{5, 3}, {5, 4}, {1}}) == "Shape must be rank 0 but is rank 1");
  }
  TEST_CASE("triangular systems are broadcast against their right-hand sides") {
    using ops::MatrixTriangularSolve;
    CHECK(InferredShape<MatrixTriangularSolve>({{7, 1, 3, 3}, {5, 3, 4}}) == "[7,5,3,4]");
    CHECK(InferredShape<MatrixTriangularSolve>({{3, 3}, {5, -1, 4}}) == "[5,3,4]");
    CHECK(InferredShape<MatrixTriangularSolve>({StaticShape(), {3, 4}}) == "?");
    CHECK(InferredShape<MatrixTriangularSolve>({{3, 4}, {3, 4}}) == "Dimensions must be equal, but are 3 and 4");
    CHECK(InferredShape<MatrixTriangularSolve>({{2, 3, 3}, {5, 3, 4}}) == "Dimensions must be equal, but are 2 and 5");
  }
  TEST_CASE("there is a band at least, and no more than the matrix is large") {
    using ops::BandedTriangularSolve;
    CHECK(InferredShape<BandedTriangularSolve>({{2, 3}, {3, 4}}) == "[3,4]");
    CHECK(InferredShape<BandedTriangularSolve>({{-1, 3}, {6, 3, 4}}) == "[6,3,4]");
    CHECK(InferredShape<BandedTriangularSolve>({{0, 3}, {3, 4}}) == "Number of bands must be positive, but is 0");
    CHECK(InferredShape<BandedTriangularSolve>({{4, 3}, {3, 4}}) ==
          "Number of bands 4 cannot exceed the size of the matrix 3");
    CHECK(InferredShape<BandedTriangularSolve>({{4, -1}, {3, 4}}) == "[3,4]");
  }
  TEST_CASE("three diagonals, and a solution for each right-hand side") {
    using ops::TridiagonalSolve;
    CHECK(InferredShape<TridiagonalSolve>({{2, 3, 5}, {2, 5, 4}}) == "[2,5,4]");
    CHECK(InferredShape<TridiagonalSolve>({{2, 4, 5}, {2, 5, 4}}) == "Dimension must be 3 but is 4");
    CHECK(InferredShape<TridiagonalSolve>({{2, 3, 5}, {2, 6, 4}}) == "Dimensions must be equal, but are 5 and 6");
  }
}
}  // namespace linalg_solve_shapes_test
