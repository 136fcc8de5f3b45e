// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/array/matrix_diag_old.hpp>

#include <string>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace array_matrix_diag_old_test {
using namespace tenon;
using namespace tenon::testing;

// Recorded cases test the values; only graphs of version 13 and before have the Batch names.
TEST_SUITE("older names of ops on diagonals") {
  TEST_CASE("new graphs refuse the Batch names") {
    const Tensor x = Make<float>({1, 2}, {1, 2});
    CHECK(ErrorOf<ops::BatchMatrixDiag>({}, {x}).find("is not available in GraphDef version") != std::string::npos);
  }
  TEST_CASE("shape functions") {
    CHECK(InferredShape<ops::BatchMatrixSetDiag>({{2, 3, 3}, {2, 3}}) == "?");
    CHECK(InferredShape<ops::MatrixDiagPartV2>({{2, 3, 3}, {}, {}}) == "?");
  }
}
}  // namespace array_matrix_diag_old_test
