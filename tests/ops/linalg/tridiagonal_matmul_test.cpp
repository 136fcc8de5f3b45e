// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/linalg/tridiagonal_matmul.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace linalg_tridiagonal_matmul_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("TridiagonalMatMul") {
  const Tensor above = Make<float>({1, 3}, {1, 2, kNaN}), on = Make<float>({1, 3}, {3, 4, 5}),
               below = Make<float>({1, 3}, {kNaN, 6, 7}), rhs = Make<float>({3, 2}, {1, 10, 2, 20, 3, 30});

  TEST_CASE("elements outside of the matrix are not read") {
    CHECK(Numbered<float>(Run<ops::TridiagonalMatMul>({}, {above, on, below, rhs})) ==
          std::vector<double>{5, 50, 20, 200, 29, 290});
  }
  TEST_CASE("refuses diagonals of another length") {
    CHECK(ErrorOf<ops::TridiagonalMatMul>({}, {above, Make<float>({1, 2}, {1}), below, rhs})
              .find("Main diagonal has 2 elements, but rhs has 3 rows") != std::string::npos);
    CHECK(ErrorOf<ops::TridiagonalMatMul>({}, {above, on, Make<float>({3, 3}, {1}), rhs})
              .find("Subdiagonal must be a row-vector") != std::string::npos);
  }
}
}  // namespace linalg_tridiagonal_matmul_test
