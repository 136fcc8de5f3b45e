// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/linalg/batch_v1.hpp>

#include <string>

#include <doctest/doctest.h>

#include "ops/support.hpp"

namespace linalg_batch_v1_test {
using namespace tenon;
using namespace tenon::testing;

// Only graphs of version 12 and before have these ops: recorded cases test their numbers.
TEST_SUITE("names of linear algebra before version 13") {
  TEST_CASE("new graphs refuse them") {
    const Tensor x = Make<float>({1, 1, 1}, {4});
    CHECK(ErrorOf<ops::BatchCholesky>({}, {x}).find("is not available in GraphDef version") != std::string::npos);
    CHECK(ErrorOf<ops::BatchMatrixInverse>({}, {x}).find("is not available in GraphDef version") != std::string::npos);
  }
  TEST_CASE("their shape functions say nothing") {
    CHECK(InferredShape<ops::BatchMatrixSolve>({{2, 3, 3}, {2, 3, 1}}) == "?");
    CHECK(InferredShape<ops::BatchSvd>({{2, 3, 3}}, {}, 2) == "?");
  }
}
}  // namespace linalg_batch_v1_test
