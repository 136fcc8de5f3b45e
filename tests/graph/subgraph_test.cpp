// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/subgraph.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include <tenon/graph/import.hpp>

#include "function_graphs.hpp"
#include "import_graph.hpp"
#include "test_ops.hpp"

namespace subgraph_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
using Strings = std::vector<std::string>;

Graph Small() {
  GraphDef def = MakeGraph(
      {MakeInput("x"), MakeFloat("a", "Neg", {"x"}), MakeFloat("b", "Neg", {"a"}),
       MakeNode("pair", "IdentityN", {"x", "a"}, {{"T", AttrValue(std::vector{DataType::kFloat, DataType::kFloat})}}),
       MakeFloat("left", "Neg", {"pair:0"}), MakeFloat("right", "Neg", {"pair:1"}), MakeFloat("far", "Neg", {"pair:1"}),
       MakeNode("c", "NoOp", {"^a", "^x"})});
  return Import(std::move(def));
}
SlimVector<int> Ids(const Graph& graph, std::initializer_list<std::string_view> names) {
  SlimVector<int> ids;
  for (const std::string_view name : names) ids.push_back(graph.Find(name)->id);
  return ids;
}
Strings NamesOf(const GraphDef& graph) {
  Strings names;
  for (const NodeDef& node : graph.node) names.push_back(node.name);
  return names;
}
const NodeDef& Named(const GraphDef& graph, std::string_view name) {
  for (const NodeDef& node : graph.node)
    if (node.name == name) return node;
  REQUIRE_MESSAGE(false, name);
  return graph.node[0];
}
}  // namespace

TEST_SUITE("subgraphs") {
  TEST_CASE("nodes that need nothing from outside") {
    const Graph graph = Small();
    const auto part = CopySubgraph(graph, Ids(graph, {"b", "x", "a", "c"}), {.cut_inputs = false});
    REQUIRE_MESSAGE(part.ok(), part.status().message());
    CHECK(NamesOf(part->graph) == Strings{"x", "a", "b", "c"});
    CHECK(part->inputs.empty());
    CHECK(part->graph.versions == graph.versions());
    const Graph again = Import(part->graph);
    CHECK(again.Find("c")->control_inputs.size() == 2);
  }
  TEST_CASE("tensors from outside become placeholders, one for each") {
    const Graph graph = Small();
    const auto part = CopySubgraph(graph, Ids(graph, {"left", "right", "far", "b", "c"}));
    REQUIRE_MESSAGE(part.ok(), part.status().message());
    CHECK(part->inputs == Strings{"a:0", "pair:0", "pair:1"});
    CHECK(part->placeholders == Strings{"a", "pair", "pair_1"});
    CHECK(Named(part->graph, "left").input[0] == "pair");
    CHECK(Named(part->graph, "right").input[0] == "pair_1");
    CHECK(Named(part->graph, "far").input[0] == "pair_1");
    CHECK(Named(part->graph, "c").input.empty());  // it waits for nothing outside
    const Graph again = Import(part->graph);
    CHECK(again.Find("pair_1")->output_type(0) == DataType::kFloat);
    CHECK(again.Find("pair_1")->output_shape(0) == graph.Find("pair")->output_shape(1));
  }
  TEST_CASE("a placeholder's name is one that no node has") {
    Graph graph = Import(MakeGraph(
        {MakeInput("x"), MakeInput("pair_1"),
         MakeNode("pair", "IdentityN", {"x", "x"}, {{"T", AttrValue(std::vector{DataType::kFloat, DataType::kFloat})}}),
         MakeFloat("y", "Neg", {"pair:1"})}));
    const auto part = CopySubgraph(graph, Ids(graph, {"y", "pair_1"}));
    REQUIRE(part.ok());
    CHECK(part->placeholders == Strings{"pair_1_"});
  }
  TEST_CASE("colocation with what is left out is forgotten") {
    GraphDef def = MakeGraph({MakeInput("x"), MakeFloat("a", "Neg", {"x"}), MakeFloat("b", "Neg", {"x"})});
    def.node[2].attr.Set("_class", AttrValue(std::vector<std::string>{"loc:@a", "loc:@x"}));
    const Graph graph = Import(std::move(def));
    const auto with_x = CopySubgraph(graph, Ids(graph, {"x", "b"}));
    REQUIRE(with_x.ok());
    CHECK(Named(with_x->graph, "b").attr.Find("_class")->list().s == Strings{"loc:@x"});
    const auto alone = CopySubgraph(graph, Ids(graph, {"b"}));
    REQUIRE(alone.ok());
    CHECK(!Named(alone->graph, "b").attr.contains("_class"));
  }
  TEST_CASE("only the functions that the part calls") {
    Graph graph = Small();
    graph.mutable_library().function = {function_test::Double(), function_test::Floats("unused", {"x"}, {}, "x")};
    graph.mutable_node(graph.Find("b")->id).def.attr.Set("f", function_test::Call("double"));
    const auto part = CopySubgraph(graph, Ids(graph, {"b"}));
    REQUIRE(part.ok());
    REQUIRE(part->graph.library.function.size() == 1);
    CHECK(part->graph.library.function[0].signature.name == "double");
    CHECK(CopySubgraph(graph, Ids(graph, {"left"}))->graph.library.function.empty());
  }
  TEST_CASE("what nodes need") {
    const Graph graph = Small();
    const std::string wanted[] = {"left"};
    const auto part = ExtractSubgraph(graph, wanted);
    REQUIRE_MESSAGE(part.ok(), part.status().message());
    CHECK(NamesOf(*part) == Strings{"x", "a", "pair", "left"});
    CHECK(ExtractSubgraph(graph, {})->node.empty());
  }
  TEST_CASE("what is refused") {
    const Graph graph = Small();
    const int none[] = {99}, below[] = {-1};
    CHECK(CopySubgraph(graph, none).status().code() == Code::kInvalidArgument);
    CHECK(CopySubgraph(graph, below).status().code() == Code::kInvalidArgument);
    const Status input = CopySubgraph(graph, Ids(graph, {"right"}), {.cut_inputs = false}).status();
    CHECK(input.message() == "Input 0 of node 'right' is pair:1, which is not in the part");
    const Status control = CopySubgraph(graph, Ids(graph, {"c", "a", "b"}), {.cut_inputs = false}).status();
    CHECK(control.code() == Code::kInvalidArgument);
    const std::string wanted[] = {"lefd"};
    const Status missing = ExtractSubgraph(graph, wanted).status();
    CHECK(missing.code() == Code::kNotFound);
    CHECK(missing.message().find("did you mean 'left'") != std::string_view::npos);
  }
}
}  // namespace subgraph_test
