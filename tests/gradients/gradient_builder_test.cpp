// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/gradient_builder.hpp>

#include <string_view>

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
  TEST_CASE("inputs that are broadcast together share the nodes that find the axes") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, PartialTensorShape({-1, 3})),
                 y = b.Placeholder("y", DataType::kFloat, PartialTensorShape({-1, 1})),
                 z = b.Placeholder("z", DataType::kFloat, PartialTensorShape({3}));
    b.Add("Mul", "xy", {x, y});
    b.Add("Mul", "xz", {x, z});
    GraphDef def = b.graph_def();
    EditedGraph edited(&def, b.registry());
    REQUIRE(edited.Open(false).ok());
    const GradientIndex functions;
    const auto count = [&edited](std::string_view op) {
      int nodes = 0;
      for (const Node& node : edited.graph().nodes()) nodes += node.op_name() == op ? 1 : 0;
      return nodes;
    };
    const TensorGradient none[1] = {};
    GradientBuilder both(&edited.editor(), &functions, edited.graph().Find("xy")->id, none);
    both.SetBroadcast(0, both.dy());
    both.SetBroadcast(1, both.dy());
    REQUIRE_MESSAGE(edited.editor().status().ok(), edited.editor().status().ToString());
    CHECK(count("Shape") == 2);
    CHECK(count("BroadcastGradientArgs") == 1);
    CHECK(count("Sum") == 2);
    // z has no axis that could stretch x.
    GradientBuilder one(&edited.editor(), &functions, edited.graph().Find("xz")->id, none);
    one.SetBroadcast(0, one.dy());
    CHECK(one.results()[0].dense == one.dy().edge());
    CHECK(count("Sum") == 2);
    one.SetBroadcast(1, one.dy());
    CHECK(edited.editor().At(one.results()[1].dense).shape().DebugString() == "[3]");
    CHECK(count("Sum") == 3);
  }
  TEST_CASE("shapes that broadcasting leaves as they are") {
    const auto whole = [](PartialTensorShape part, PartialTensorShape other) {
      return GradientBuilder::IsWhole(part, other);
    };
    CHECK(whole(PartialTensorShape(), PartialTensorShape(TensorShape())));
    CHECK(whole(PartialTensorShape({-1, 3}), PartialTensorShape({3})));
    CHECK(whole(PartialTensorShape({-1, 3}), PartialTensorShape({1, -1})));
    CHECK(whole(PartialTensorShape({0}), PartialTensorShape({1})));
    CHECK_FALSE(whole(PartialTensorShape({-1}), PartialTensorShape({-1})));
    CHECK_FALSE(whole(PartialTensorShape({-1}), PartialTensorShape({3})));
    CHECK_FALSE(whole(PartialTensorShape({1}), PartialTensorShape({3})));
    CHECK_FALSE(whole(PartialTensorShape({3}), PartialTensorShape({1, 1})));
    CHECK_FALSE(whole(PartialTensorShape(), PartialTensorShape({1})));
    CHECK_FALSE(whole(PartialTensorShape({3}), PartialTensorShape()));
  }
  TEST_CASE("types with gradients") {
    CHECK(IsTrainable(DataType::kBfloat16));
    CHECK(IsTrainable(DataType::kVariant));
    CHECK_FALSE(IsTrainable(DataType::kInt32));
    CHECK_FALSE(IsTrainable(DataType::kString));
  }
}

}  // namespace gradient_builder_test
