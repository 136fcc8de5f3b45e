// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/attr_slice.hpp>

#include <doctest/doctest.h>

#include <string>

namespace attr_slice_test {
using namespace tenon;

namespace {
NodeDef Node() {
  NodeDef node;
  node.name = "y";
  node.op = "MatMul";
  node.input = {"a", "b"};
  node.attr = {{"T", DataType::kFloat}, {"N", 2}};
  return node;
}
}  // namespace

TEST_SUITE("AttrSlice") {
  TEST_CASE("reads a node's attrs") {
    const NodeDef node = Node();
    const AttrSlice attrs = node;
    CHECK(attrs.size() == 2);
    CHECK(attrs.Find("T") == node.attr.Find("T"));
    CHECK(attrs.Find("U") == nullptr);
    DataType type = DataType::kInvalid;
    CHECK(attrs.Get("T", &type).ok());
    CHECK(type == DataType::kFloat);
    CHECK(attrs.TryGet("T", &type));
    CHECK_FALSE(attrs.TryGet("N", &type));
    CHECK_FALSE(attrs.TryGet("U", &type));
    CHECK(attrs.SummarizeNode() == "{{node y}} = MatMul[N=2, T=DT_FLOAT](a, b)");
    CHECK(attrs.DebugString() == "{{node y}}: [N=2, T=DT_FLOAT]");
  }
  TEST_CASE("says what is missing, with the node where there is one") {
    const NodeDef node = Node();
    int number = 0;
    Status status = AttrSlice(node).Get("U", &number);
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.message() == "No attr named 'U' in NodeDef: {{node y}} = MatMul[N=2, T=DT_FLOAT](a, b)");
    status = AttrSlice(&node.attr).Get("U", &number);
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.message() == "No attr named 'U' in NodeDef:");
    const AttrValue* value = nullptr;
    CHECK(AttrSlice(&node.attr).Find("N", &value).ok());
    CHECK(value->i() == 2);
    CHECK_FALSE(AttrSlice(node).Find("U", &value).ok());
    CHECK(AttrSlice(node).Get("T", &number).message().find("[[{{node y}}]]") != std::string_view::npos);
    CHECK(AttrSlice(&node.attr).Get("T", &number).code() == Code::kInvalidArgument);
  }
  TEST_CASE("compares attrs, whoever has them") {
    const NodeDef node = Node();
    const AttrMap same{{"N", 2}, {"T", DataType::kFloat}}, other{{"N", 3}, {"T", DataType::kFloat}};
    CHECK(AttrSlice(node).EqualAttrs(AttrSlice(&same)));
    CHECK_FALSE(AttrSlice(node).EqualAttrs(AttrSlice(&other)));
    CHECK(AttrSlice().EqualAttrs(AttrSlice()));
    CHECK(AttrSlice().size() == 0);
    CHECK(AttrSlice().DebugString() == "[]");
    CHECK(AttrSlice().SummarizeNode().empty());
  }
}
}  // namespace attr_slice_test
