// SPDX-License-Identifier: Apache-2.0
#include <tenon/gradients/function_writer.hpp>

#include <doctest/doctest.h>

#include <utility>

#include <tenon/graph/builder.hpp>
#include <tenon/graph/function.hpp>
#include <tenon/graph/import.hpp>

namespace function_writer_test {
using namespace tenon;

TEST_SUITE("FunctionWriter") {
  TEST_CASE("cuts a part out of a graph") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2});
    const Output e = b.Add("Exp", "e", {x});
    const Output two = b.Add("IdentityN", "two", {{e, x}});
    b.Add("Mul", "y", {two[1], e});
    const auto graph = ImportGraphDef(GraphDef(b.graph_def()), b.registry());
    REQUIRE(graph.ok());
    FunctionWriter writer(*graph, "f");
    writer.AddArg({graph->Find("e")->id, 0});
    writer.AddArg({graph->Find("two")->id, 1});
    writer.AddResult({graph->Find("y")->id, 0});
    writer.AddResult({graph->Find("e")->id, 0});
    const auto f = writer.Write();
    REQUIRE_MESSAGE(f.ok(), f.status().ToString());
    CHECK(f->node_def.size() == 1);
    CHECK(f->node_def[0].input[0] == "arg1");
    CHECK(f->ret[0].second == "y:z:0");
    CHECK(f->ret[1].second == "arg0");
    FunctionDefLibrary library;
    library.function.push_back(*f);
    CHECK(InstantiateFunction(*f, {}, library, b.registry()).ok());
  }
  TEST_CASE("a result may not need a node from before the first") {
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat, {2});
    b.Add("Exp", "y", {x});
    const auto graph = ImportGraphDef(GraphDef(b.graph_def()), b.registry());
    REQUIRE(graph.ok());
    FunctionWriter writer(*graph, "f", graph->Find("y")->id);
    writer.AddResult({graph->Find("y")->id, 0});
    CHECK(writer.Write().status().code() == Code::kInvalidArgument);
    FunctionWriter second(*graph, "f", graph->Find("y")->id);
    second.AddResult({graph->Find("y")->id, 0});
    second.Allow(graph->Find("x")->id);
    const auto f = second.Write();
    REQUIRE_MESSAGE(f.ok(), f.status().ToString());
    CHECK(f->node_def.size() == 2);
  }
}

}  // namespace function_writer_test
