// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/segment.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gradients/central_differences.hpp"

namespace segment_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of segments") {
  TEST_CASE("are those of central differences") {
    const Tensor x = RandomTensor({5, 2}, 0.5, 1.5), ids = Tensor::From<std::int32_t>({0, 0, 1, 2, 2}, {5});
    for (const char* op : {"SegmentSum", "SegmentMean", "SegmentProd", "SegmentMax", "SegmentMin"}) {
      CAPTURE(op);
      CHECK(OpGradientError(op, {x}, {}, {ids}) == "");
    }
    const Tensor any = Tensor::From<std::int32_t>({2, 0, -1, 2, 1}, {5});
    for (const char* op : {"UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin"}) {
      CAPTURE(op);
      CHECK(OpGradientError(op, {x}, {}, {any, Tensor::Scalar(3)}) == "");
    }
    const Tensor rows = Tensor::From<std::int32_t>({4, 1, 1, 0, 3}, {5});
    for (const char* op : {"SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"})
      for (const bool slices : {false, true}) {
        CAPTURE(op);
        CHECK(OpGradientError(op, {x}, {{"sparse_gradient", slices}}, {rows, ids}) == "");
      }
  }
}

}  // namespace segment_gradient_test
