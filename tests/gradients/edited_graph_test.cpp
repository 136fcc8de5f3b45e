// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/edited_graph.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/graph/builder.hpp>

namespace edited_graph_test {
using namespace tenon;

TEST_SUITE("EditedGraph") {
  TEST_CASE("stores new nodes that are used") {
    GraphBuilder b;
    b.Placeholder("x", DataType::kFloat, {2});
    GraphDef def = b.graph_def();
    EditedGraph edited(&def, b.registry());
    REQUIRE(edited.Open(false).ok());
    CHECK(edited.UseScope("new") == "new");
    const Symbol x = edited.editor().At(edited.graph().Find("x")->id);
    const Symbol y = edited.editor().Add("Exp", {x}), unused = edited.editor().Add("Neg", {x});
    REQUIRE(unused);
    CHECK(edited.Name(y.edge()) == "new/Exp");
    const int roots[] = {y.node};
    edited.Store(roots);
    REQUIRE(def.node.size() == 2);
    CHECK(def.node[1].name == "new/Exp");
    CHECK(def.node[1].input[0] == "x");
  }
  TEST_CASE("a scope that is taken gets a number") {
    GraphBuilder b;
    b.Placeholder("new/x", DataType::kFloat);
    GraphDef def = b.graph_def();
    EditedGraph edited(&def, b.registry());
    REQUIRE(edited.Open(false).ok());
    CHECK(edited.UseScope("new") == "new_1");
  }
  TEST_CASE("names that are not there") {
    GraphBuilder b;
    b.Placeholder("x", DataType::kFloat);
    GraphDef def = b.graph_def();
    EditedGraph edited(&def, b.registry());
    REQUIRE(edited.Open(false).ok());
    SlimVector<InEdge> edges;
    const std::string missing[] = {"y"}, output[] = {"x:1"};
    CHECK(edited.Find("Test", missing, &edges).code() == Code::kNotFound);
    CHECK(edited.Find("Test", output, &edges).code() == Code::kInvalidArgument);
  }
}

}  // namespace edited_graph_test
