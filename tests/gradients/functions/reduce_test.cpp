// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/reduce.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gradients/central_differences.hpp"

namespace reduce_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of reductions") {
  TEST_CASE("are those of central differences") {
    const Tensor x = RandomTensor({2, 3, 2}, 0.5, 1.5), axes = Tensor::From<std::int32_t>({0, -1}, {2});
    for (const char* op : {"Sum", "Mean", "Prod", "Max", "Min", "EuclideanNorm"})
      for (const bool keep : {false, true}) {
        CAPTURE(op);
        CHECK(OpGradientError(op, {x}, {{"keep_dims", keep}}, {axes}) == "");
      }
    const Tensor axis = Tensor::Scalar(1);
    for (const char* op : {"Cumsum", "Cumprod"})
      for (const bool flag : {false, true}) {
        CAPTURE(op);
        CHECK(OpGradientError(op, {x}, {{"exclusive", flag}, {"reverse", flag}}, {axis}) == "");
      }
    CHECK(OpGradientError("CumulativeLogsumexp", {x}, {}, {axis}) == "");
    CHECK(OpGradientError("Softmax", {x}) == "");
    CHECK(OpGradientError("LogSoftmax", {x}) == "");
    CHECK(OpGradientError("TopKV2", {RandomTensor({2, 5}, -9, 9)}, {}, {Tensor::Scalar(2)}) == "");
    CHECK(OpGradientError("ApproxTopK", {RandomTensor({2, 5}, -9, 9)}, {{"k", 2}}) == "");
    CHECK(OpGradientError("IsotonicRegression", {RandomTensor({2, 5}, -9, 9)}) == "");
    CHECK(OpGradientError("NthElement", {RandomTensor({2, 5}, -9, 9)}, {}, {Tensor::Scalar(1)}) == "");
  }
  TEST_CASE("one zero in a product") {
    Tensor x = RandomTensor({4}, 0.5, 1.5);
    x.data<float>()[2] = 0;
    CHECK(OpGradientError("Prod", {x}, {}, {Tensor::Scalar(0)}) == "");
  }
}

}  // namespace reduce_gradient_test
