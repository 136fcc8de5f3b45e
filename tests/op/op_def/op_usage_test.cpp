// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_def/op_usage.hpp>

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include <tenon/base/str.hpp>

namespace op_usage_test {
using namespace tenon;

namespace {

constexpr auto kAddSignature = Op("Add").Input("x: T").Input("y: T").Output("z: T").Attr("T: {float, int32}");
constexpr auto kArgMaxSignature = Op("ArgMax")
                                      .Input("input: T")
                                      .Input("dimension: Tidx")
                                      .Output("output: output_type")
                                      .Attr("T: {float, half}")
                                      .Attr("Tidx: {int32, int64} = DT_INT32")
                                      .Attr("output_type: {int32, int64} = DT_INT64");
constexpr auto kIdentityNSignature = Op("IdentityN").Input("input: T").Output("output: T").Attr("T: list(type)");
constexpr auto kCallSignature = Op("PartitionedCall")
                                    .Input("args: Tin")
                                    .Output("output: Tout")
                                    .Attr("Tin: list(type) >= 0")
                                    .Attr("Tout: list(type) >= 0")
                                    .Attr("f: func");
constexpr OpView kAdd = kAddSignature.view(), kArgMax = kArgMaxSignature.view(),
                 kIdentityN = kIdentityNSignature.view(), kCall = kCallSignature.view();

NodeDef Node(std::string op, AttrMap attrs = {}) {
  NodeDef node;
  node.name = StrCat("a_", op);
  node.op = std::move(op);
  node.attr = std::move(attrs);
  return node;
}
FunctionDef MakeFunction(std::string name, SlimVector<NodeDef> nodes, bool has_attr) {
  FunctionDef function;
  function.signature.name = std::move(name);
  function.node_def = std::move(nodes);
  if (has_attr) function.signature.attr.emplace_back().name = "T";
  return function;
}

// "Add 2 T{float,int32}" in lines.
std::string Text(const GraphDef& graph) {
  OpRegistry registry;
  for (const OpView* op : {&kAdd, &kArgMax, &kIdentityN, &kCall}) REQUIRE(registry.Register(*op).ok());
  std::string text;
  for (const OpUsage& use : OpUsageOfGraph(graph, registry)) {
    StrAppend(&text, use.op, use.registered ? " " : "? ", use.nodes);
    for (const OpUsage::TypeAttr& attr : use.types) {
      StrAppend(&text, " ", attr.name, "{");
      if (attr.types == kAllTypes)
        text += "all";
      else
        for (const DataType type : attr.types) StrAppend(&text, text.back() == '{' ? "" : ",", type);
      text += "}";
    }
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_SUITE("OpUsageOfGraph") {
  TEST_CASE("counts nodes and collects their types, defaults included") {
    GraphDef graph;
    graph.node = {Node("Add", {{"T", DataType::kFloat}}), Node("Add", {{"T", DataType::kInt32}}),
                  Node("ArgMax", {{"T", DataType::kFloat}, {"output_type", DataType::kInt32}}),
                  Node("IdentityN", {{"T", SlimVector<DataType>{DataType::kBool, DataType::kString}}})};
    CHECK(Text(graph) ==
          "Add 2 T{float,int32}\n"
          "ArgMax 1 T{float} Tidx{int32} output_type{int32}\n"
          "IdentityN 1 T{string,bool}\n");
  }
  TEST_CASE("an op that is not registered has the types that its nodes show") {
    GraphDef graph;
    graph.node = {Node("Mine", {{"T", DataType::kHalf}, {"n", 3}, {"_hidden", DataType::kBool}}), Node("Mine")};
    CHECK(Text(graph) == "Mine? 2 T{half}\n");
  }
  TEST_CASE("follows functions with the attrs they are called with") {
    GraphDef graph;
    graph.library.function = {MakeFunction("f", {Node("Add", {{"T", AttrValue::Placeholder("T")}})}, true),
                              MakeFunction("unused", {Node("Add", {{"T", AttrValue::Placeholder("T")}})}, true)};
    graph.node = {Node("f", {{"T", DataType::kFloat}}), Node("f", {{"T", DataType::kFloat}}),
                  Node("While", {{"body", NameAttrList{"f", {{"T", DataType::kInt32}}}}})};
    CHECK(Text(graph) ==
          "Add 2 T{float,int32}\n"
          "PartitionedCall 2 Tin{} Tout{}\n"
          "While? 1\n");
  }
  TEST_CASE("attrs travel through functions that call functions, also in circles") {
    GraphDef graph;
    graph.library.function = {
        MakeFunction("f", {Node("g", {{"T", AttrValue::Placeholder("T")}})}, true),
        MakeFunction("g",
                     {Node("Add", {{"T", AttrValue::Placeholder("T")}}),
                      Node("PartitionedCall", {{"f", NameAttrList{"f", {{"T", AttrValue::Placeholder("T")}}}}})},
                     true)};
    graph.node = {Node("f", {{"T", DataType::kInt32}})};
    CHECK(Text(graph) ==
          "Add 1 T{int32}\n"
          "PartitionedCall 3 Tin{} Tout{}\n");
  }
  TEST_CASE("a type that nobody binds may be any") {
    GraphDef graph;
    graph.library.function = {MakeFunction("f", {Node("Add", {{"T", AttrValue::Placeholder("T")}})}, true)};
    graph.node = {Node("f")};
    CHECK(Text(graph) == "Add 1 T{all}\nPartitionedCall 1 Tin{} Tout{}\n");
  }
  TEST_CASE("functions without attrs count whether called or not: an import checks them") {
    GraphDef graph;
    graph.library.function = {MakeFunction("f", {Node("Add", {{"T", DataType::kFloat}})}, false)};
    CHECK(Text(graph) == "Add 1 T{float}\n");
  }
}
}  // namespace op_usage_test
