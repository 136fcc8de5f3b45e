// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/index.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>
#include <cstdint>

#include "gradients/central_differences.hpp"

namespace index_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of indexed ops") {
  const Tensor kRows = Tensor::From<std::int32_t>({2, 0, 2}, {3});

  TEST_CASE("GatherV2 along each axis and with batch dimensions") {
    const Tensor x = RandomTensor({3, 3, 2});
    for (const int axis : {0, 1, -2}) CHECK(OpGradientError("GatherV2", {x}, {}, {kRows, Tensor::Scalar(axis)}) == "");
    const Tensor indices = Tensor::From<std::int32_t>({0, 2, 1, 1, 0, 2}, {3, 2});
    CHECK(OpGradientError("GatherV2", {x}, {{"batch_dims", 1}}, {indices, Tensor::Scalar(1)}) == "");
  }
  TEST_CASE("GatherV2 along axis 0 gives slices") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {3, 2});
    b.Add("GatherV2", "y", {x, b.Const("i", kRows), b.Const("axis", Tensor::Scalar(0))});
    GraphDef graph = b.graph_def();
    const std::vector<std::string> ys{"y"}, xs{"x"};
    const auto names = AddGradients(&graph, ys, xs);
    REQUIRE_MESSAGE(names.ok(), names.status().ToString());
    CHECK((*names)[0].is_slices());
  }
  TEST_CASE("reads and writes by index vectors") {
    const Tensor x = RandomTensor({3, 2}), places = Tensor::From<std::int32_t>({2, 0}, {2, 1});
    const Tensor pairs = Tensor::From<std::int32_t>({2, 1, 0, 0}, {2, 2});
    CHECK(OpGradientError("GatherNd", {x}, {}, {places}) == "");
    CHECK(OpGradientError("GatherNd", {x}, {}, {pairs}) == "");
    GraphBuilder b;
    const Output t = b.Placeholder("t", DataType::kFloat, {3, 2}), u = b.Placeholder("u", DataType::kFloat, {2, 2});
    const Output i = b.Const("i", places);
    const std::vector<NamedTensor> feeds{{"t", x}, {"u", RandomTensor({2, 2}, 2, 3)}};
    for (const char* op :
         {"TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMax", "TensorScatterMin"}) {
      CAPTURE(op);
      CHECK(GradientError(b, b.Add(op, op, {t, i, u}), feeds) == "");
    }
  }
  TEST_CASE("DynamicPartition and DynamicStitch") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {4});
    const Output p = b.Const("p", Tensor::From<std::int32_t>({1, 0, 1, 0}, {4}));
    const Output parts = b.Add("DynamicPartition", "parts", {x, p}, {{"num_partitions", 2}});
    CHECK(GradientError(b, parts[1], {{"x", RandomTensor({4})}}) == "");
    const Output a = b.Const("a", Tensor::From<std::int32_t>({3, 0, 1, 2}, {4}));
    CHECK(GradientError(b, b.Add("DynamicStitch", "s", {{a}, {x}}), {{"x", RandomTensor({4})}}) == "");
  }
}

}  // namespace index_gradient_test
