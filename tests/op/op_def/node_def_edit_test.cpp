// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_def/node_def_edit.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/op/op_def/op_registry.hpp>
#include <tenon/op/signature/signature.hpp>

namespace node_def_edit_test {
using namespace tenon;

namespace {

struct Old {
  static constexpr auto signature = Op("X").Attr("a: int = 1").Attr("b: list(int) = [1, 2]").Attr("c: float");
};
struct New {
  static constexpr auto signature =
      Op("X").Attr("a: int = 1").Attr("b: list(int) = [1, 2]").Attr("c: float").Attr("d: string = 'x'").Attr("e: int");
};
constexpr OpView kOld = Old::signature.view(), kNew = New::signature.view();

OpRegistry With(const OpView& op) {
  OpRegistry registry;
  REQUIRE(registry.Register(op).ok());
  return registry;
}
NodeDef Node(AttrMap attrs, std::string op = "X") {
  NodeDef node;
  node.name = "x";
  node.op = std::move(op);
  node.attr = std::move(attrs);
  return node;
}

}  // namespace

TEST_SUITE("StripDefaultAttributes") {
  TEST_CASE("removes attrs that have their default") {
    const AttrMap attrs{{"a", 1}, {"b", std::vector<std::int64_t>{1, 2}}, {"c", 0.0f}, {"_own", 1}};
    NodeDef node = Node(attrs);
    StripDefaultAttributes(With(kOld), &node);
    CHECK(node.attr == AttrMap{{"c", 0.0f}, {"_own", 1}});
    node = Node({{"a", 2}, {"b", std::vector<std::int64_t>{2, 1}}});
    StripDefaultAttributes(With(kOld), &node);
    CHECK(node.attr.size() == 2);
    node = Node(attrs, "Unknown");
    StripDefaultAttributes(With(kOld), &node);
    CHECK(node.attr.size() == 4);
  }
  TEST_CASE("goes over a graph and its functions") {
    GraphDef graph;
    graph.node = {Node({{"a", 1}})};
    graph.library.function.emplace_back().node_def = {Node({{"a", 1}}), Node({{"a", 2}})};
    StripDefaultAttributes(With(kOld), &graph);
    CHECK(graph.node[0].attr.empty());
    CHECK(graph.library.function[0].node_def[0].attr.empty());
    CHECK(graph.library.function[0].node_def[1].attr.size() == 1);
  }
}

TEST_SUITE("RemoveNewDefaultAttrs") {
  TEST_CASE("removes what the reader does not know where it is the writer's default") {
    const OpRegistry consumer = With(kOld), producer = With(kNew);
    NodeDef node = Node({{"a", 1}, {"d", "x"}, {"_own", 1}});
    SlimVector<RemovedAttr> removed;
    REQUIRE(RemoveNewDefaultAttrs(consumer, producer, &node, &removed).ok());
    CHECK(node.attr == AttrMap{{"a", 1}, {"_own", 1}});
    CHECK(removed == std::vector<RemovedAttr>{{"X", "d"}});
    node = Node({{"d", "other"}, {"e", 0}});
    REQUIRE(RemoveNewDefaultAttrs(consumer, producer, &node, &removed).ok());
    CHECK(node.attr.size() == 2);  // another value; no default at all
    GraphDef graph;
    graph.node = {Node({{"d", "x"}}), Node({{"d", "x"}}), Node({{"d", "x"}}, "Unknown")};
    REQUIRE(RemoveNewDefaultAttrs(consumer, producer, &graph, &removed).ok());
    CHECK(graph.node[1].attr.empty());
    CHECK(graph.node[2].attr.size() == 1);
    CHECK(removed.size() == 1);
  }
  TEST_CASE("an attr that the writer does not know either is refused") {
    NodeDef node = Node({{"f", 1}});
    const Status status = RemoveNewDefaultAttrs(With(kOld), With(kNew), &node);
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message() == "Attr 'f' missing in producer's OpDef: X but found in node: {{node x}}");
    CHECK(RemoveNewDefaultAttrs(With(kOld), OpRegistry(), &node).code() == Code::kNotFound);
  }
}

TEST_SUITE("Names of copied nodes") {
  TEST_CASE("get a prefix and a suffix, frames too when asked") {
    NodeDef node = Node({{"frame_name", "loop"}}, "Enter");
    REQUIRE(AddPrefixAndSuffixToNode("f/", "_1", &node, false).ok());
    CHECK(node.name == "f/x_1");
    CHECK(node.attr.Find("frame_name")->s() == "loop");
    REQUIRE(AddPrefixAndSuffixToNode("g/", "", &node).ok());
    CHECK(node.name == "g/f/x_1");
    CHECK(node.attr.Find("frame_name")->s() == "g/loop");
    NodeDef broken = Node({}, "RefEnter");
    CHECK(AddPrefixAndSuffixToNode("g/", "", &broken).code() == Code::kNotFound);
  }
  TEST_CASE("colocation follows the nodes that are renamed") {
    NodeDef node = Node({{"_class", std::vector<std::string>{"loc:@a", "loc:@b", "other"}}});
    AddPrefixToColocation("f/", [](std::string_view name) { return name == "a"; }, &node);
    CHECK(node.attr.Find("_class")->list().s == std::vector<std::string>{"loc:@f/a", "loc:@b", "other"});
    NodeDef none = Node({});
    AddPrefixToColocation("f/", [](std::string_view) { return true; }, &none);
    CHECK(none.attr.empty());
  }
}
}  // namespace node_def_edit_test
