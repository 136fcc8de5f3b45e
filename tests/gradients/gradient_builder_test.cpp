// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/gradient_builder.hpp>

#include <doctest/doctest.h>

#include <tenon/gradients/edited_graph.hpp>
#include <tenon/graph/builder.hpp>

namespace gradient_builder_test {
using namespace tenon;

TEST_SUITE("GradientBuilder") {
  TEST_CASE("shows the node and fills gradients with zeros") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2, 3}), y = b.Placeholder("y", DataType::kFloat, {3});
    b.Add("Mul", "m", {x, y});
    GraphDef def = b.graph_def();
    EditedGraph edited(&def, b.registry());
    REQUIRE(edited.Open(false).ok());
    const GradientIndex functions;
    const TensorGradient none[1] = {};
    GradientBuilder g(&edited.editor(), &functions, edited.graph().Find("m")->id, none);
    CHECK(g.num_inputs() == 2);
    CHECK(g.type_attr("T") == DataType::kFloat);
    CHECK_FALSE(g.has_grad(0));
    const Symbol dy = g.dy();
    REQUIRE(dy);
    CHECK(dy.shape().DebugString() == "[2,3]");
    // Summed over the axis along which y was broadcast.
    g.SetSummed(1, dy);
    REQUIRE_MESSAGE(edited.editor().status().ok(), edited.editor().status().ToString());
    CHECK(edited.editor().At(g.results()[1].dense).shape().DebugString() == "[3]");
    g.SetSummed(0, dy);
    CHECK(g.results()[0].dense == dy.edge());
    CHECK(g.Conj(dy) == dy);
  }
  TEST_CASE("types with gradients") {
    CHECK(IsTrainable(DataType::kBfloat16));
    CHECK(IsTrainable(DataType::kVariant));
    CHECK_FALSE(IsTrainable(DataType::kInt32));
    CHECK_FALSE(IsTrainable(DataType::kString));
  }
}

}  // namespace gradient_builder_test
