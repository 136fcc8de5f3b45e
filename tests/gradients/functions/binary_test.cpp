// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/functions/binary.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "gradients/central_differences.hpp"

namespace binary_gradient_test {
using namespace tenon;
using namespace tenon::testing;

TEST_SUITE("gradients of binary ops") {
  TEST_CASE("are summed over broadcast axes") {
    const Tensor a = RandomTensor({2, 1, 3}, 0.5, 1.5), b = RandomTensor({4, 1}, 0.6, 1.4, 3);
    for (const char* op : {"Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "DivNoNan", "MulNoNan", "Pow",
                           "SquaredDifference", "Xlogy", "Xlog1py", "Xdivy", "Atan2"}) {
      CAPTURE(op);
      CHECK(OpGradientError(op, {a, b}) == "");
    }
    for (const char* op : {"Maximum", "Minimum"}) {
      CAPTURE(op);
      CHECK(OpGradientError(op, {RandomTensor({5}, 1, 2), RandomTensor({5}, 1, 2, 9)}) == "");
    }
  }
  TEST_CASE("of lists and of three inputs") {
    const Tensor a = RandomTensor({3}), b = RandomTensor({3}, -1, 1, 2), c = RandomTensor({3}, -1, 1, 3);
    CHECK(OpGradientError("AddN", {a, b, c}) == "");
    CHECK(OpGradientError("Cross", {a, b}) == "");
    CHECK(OpGradientError("ClipByValue", {a, Tensor::Scalar(-0.5f), Tensor::Scalar(0.4f)}) == "");
  }
  TEST_CASE("a tie of Maximum goes to the first input") {
    GraphBuilder b;
    b.Placeholder("x", DataType::kFloat, {1});
    b.Placeholder("z", DataType::kFloat, {1});
    b.Add("Maximum", "y", {Output{0, 0}, Output{1, 0}});
    REQUIRE(b.status().ok());
    GraphDef graph = b.graph_def();
    const std::vector<std::string> ys{"y"}, xs{"x", "z"};
    const auto names = AddGradients(&graph, ys, xs);
    REQUIRE_MESSAGE(names.ok(), names.status().ToString());
    const auto session = Session::FromGraphDef(graph);
    REQUIRE(session.ok());
    const Tensor one = Tensor::From<float>({1}, {1});
    const auto got = session->Run({{"x", one}, {"z", one}}, {(*names)[0].tensor, (*names)[1].tensor}, {});
    REQUIRE(got.ok());
    CHECK((*got)[0].data<float>()[0] == 1);
    CHECK((*got)[1].data<float>()[0] == 0);
  }
}

}  // namespace binary_gradient_test
