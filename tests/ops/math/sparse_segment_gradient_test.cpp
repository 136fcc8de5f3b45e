// SPDX-License-Identifier: Apache-2.0
#include <tenon/ops/math/sparse_segment_gradient.hpp>

#include "ops/outputs.hpp"

namespace math_sparse_segment_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of sparse segments, version 2") {
  TEST_CASE("a row for each different index") {
    const Tensor grad = Make<float>({2, 2}, {2, 4, 8, 16});
    const std::vector<Tensor> inputs{grad, Ints({7, 1, 7}), Ints({0, 0, 1}), Int(9)};
    CHECK(OutputsOf<ops::SparseSegmentSumGradV2>({}, inputs) == "[2 4][10 20] | 1 7");
    CHECK(OutputsOf<ops::SparseSegmentMeanGradV2>({}, inputs) == "[1 2][9 18] | 1 7");
    const Tensor root = Make<double>({1, 1}, {8});
    CHECK(OutputsOf<ops::SparseSegmentSqrtNGradV2>({}, {root, Longs({5, 4, 3, 2}), Longs({0, 0, 0, 0}), Int(6)}) ==
          "[4][4][4][4] | 2 3 4 5");
  }
  TEST_CASE("refuses what lies outside; without rows looks at nothing") {
    const Tensor grad = Make<float>({2, 2}, {2, 4, 8, 16});
    const std::string where = "INVALID_ARGUMENT: SparseSegmentSumGradV2: ";
    CHECK(ErrorOf<ops::SparseSegmentSumGradV2>({}, {grad, Ints({7}), Ints({2}), Int(9)}) ==
          where + "Segment id 2 out of range [0, 2).");
    CHECK(ErrorOf<ops::SparseSegmentSumGradV2>({}, {grad, Ints({9}), Ints({1}), Int(9)}) ==
          where + "Index 9 out of range [0, 9).");
    CHECK(ErrorOf<ops::SparseSegmentSumGradV2>({}, {grad, Ints({9}), Ints({1}), Int(-1)}) ==
          where + "Expected a non-negative size, got -1");
    CHECK(OutputsOf<ops::SparseSegmentSumGradV2>({}, {grad, Ints({9}), Ints({7}), Int(0)}) == " | ");
  }
  TEST_CASE("shapes") { CHECK(ShapesOf<ops::SparseSegmentSumGradV2>({{5, 3}, {4}, {4}, {}}) == "[?,3] [?]"); }
}
}  // namespace math_sparse_segment_gradient_test
