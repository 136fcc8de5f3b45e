// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/prune.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "function_graphs.hpp"
#include "test_ops.hpp"

namespace prune_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
const NodeDef* Find(const GraphDef& graph, std::string_view name) {
  for (const NodeDef& node : graph.node)
    if (node.name == name) return &node;
  return nullptr;
}
AttrValue Neighbours(std::initializer_list<std::string> names) {
  SlimVector<std::string> groups;
  for (const std::string& name : names) groups.push_back("loc:@" + name);
  return AttrValue(std::move(groups));
}
}  // namespace

TEST_SUITE("Prune") {
  TEST_CASE("keeps what the roots need, in the graph's order, with its functions") {
    GraphDef graph = MakeGraph({MakeInput("x"), MakeInput("unused"), MakeFloat("y", "MatMul", {"x", "x"}),
                                MakeNode("after", "NoOp", {"^y"}), MakeNode("other", "NoOp", {"^unused"})});
    graph.versions.producer = 1000;
    graph.node.push_back(
        function_test::MakeNode("call", "PartitionedCall", {"y"}, {{"f", function_test::Call("double")}}));
    graph.library.function.push_back(function_test::Double());
    graph.library.function.push_back(function_test::Double());
    graph.library.function[1].signature.name = "unused_function";
    const Result<GraphDef> after = Prune(graph, {"after"});
    REQUIRE(after.ok());
    CHECK(after->node.size() == 3);
    CHECK(after->node[0].name == "x");
    CHECK(after->node[2].name == "after");
    CHECK(after->library.function.empty());
    CHECK(after->versions.producer == 1000);
    const Result<GraphDef> call = Prune(graph, {"call:0", "x"});
    REQUIRE(call.ok());
    CHECK(call->node.size() == 3);
    REQUIRE(call->library.function.size() == 1);
    CHECK(call->library.function[0].signature.name == "double");
  }
  TEST_CASE("forgets neighbours that go") {
    GraphDef graph = MakeGraph({MakeInput("x"), MakeInput("gone"), MakeFloat("y", "MatMul", {"x", "x"})});
    graph.node[0].attr.Set("_class", Neighbours({"gone"}));
    graph.node[2].attr.Set("_class", Neighbours({"gone", "x"}));
    const Result<GraphDef> part = Prune(graph, {"y"});
    REQUIRE(part.ok());
    CHECK(Find(*part, "x")->attr.Find("_class") == nullptr);
    CHECK(*Find(*part, "y")->attr.Find("_class") == Neighbours({"x"}));
  }
  TEST_CASE("a root that is not there") {
    const Status status = Prune(MakeGraph({MakeInput("pixels")}), {"pixel:0"}).status();
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.message().find("'pixel:0' is not in the graph") != std::string_view::npos);
    CHECK(status.message().find("pixels") != std::string_view::npos);
  }
}

TEST_SUITE("Strip") {
  TEST_CASE("removes devices, shapes and debug information") {
    GraphDef graph = MakeGraph({MakeInput("x"), MakeFloat("y", "MatMul", {"x", "x"})});
    graph.debug_info = "traces";
    graph.node[1].device = "/device:GPU:0";
    graph.node[1].debug_info = "names";
    graph.node[1].attr.Set("_class", Neighbours({"x"}));
    graph.node[1].attr.Set("_output_shapes", AttrValue(SlimVector<PartialTensorShape>{{}}));
    graph.node[1].attr.Set("transpose_a", AttrValue(false));
    GraphDef stripped = graph;
    Strip(&stripped, TestOps());
    CHECK(stripped.debug_info.empty());
    CHECK(stripped.node[1].device.empty());
    CHECK(stripped.node[1].debug_info.empty());
    CHECK(stripped.node[1].attr.Find("_class") == nullptr);
    CHECK(stripped.node[1].attr.Find("_output_shapes") == nullptr);
    CHECK(stripped.node[1].attr.Find("transpose_a") != nullptr);
    Strip(&stripped, TestOps(), {.default_attrs = true});
    CHECK(stripped.node[1].attr.Find("transpose_a") == nullptr);
    Strip(&graph, TestOps(), {.debug_info = false, .devices = false, .shapes = false});
    CHECK(graph.node[1].device == "/device:GPU:0");
    CHECK(graph.debug_info == "traces");
  }
  TEST_CASE("checks become nodes that do nothing, in functions too") {
    GraphDef graph = MakeGraph({MakeInput("x"), MakeFloat("ok", "CheckNumerics", {"x", "^a"}),
                                MakeNode("a", "Assert", {"x", "x", "^x"}), MakeNode("p", "PrintV2", {"x", "^a"}),
                                MakeFloat("q", "Print", {"x", "ok"})});
    graph.library.function.push_back(function_test::Double());
    graph.library.function[0].node_def.push_back(MakeNode("inner", "Assert", {"x"}));
    Strip(&graph, TestOps(), {.checks = true});
    CHECK(Find(graph, "ok")->op == "Identity");
    CHECK(Find(graph, "ok")->input == SlimVector<std::string>{"x", "^a"});
    CHECK(Find(graph, "a")->op == "NoOp");
    CHECK(Find(graph, "a")->input == SlimVector<std::string>{"^x"});
    CHECK(Find(graph, "p")->input == SlimVector<std::string>{"^a"});
    CHECK(Find(graph, "q")->input == SlimVector<std::string>{"x"});
    CHECK(graph.library.function[0].node_def.back().op == "NoOp");
  }
}
}  // namespace prune_test
