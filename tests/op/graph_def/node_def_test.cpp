// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/graph_def/node_def.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace node_def_test {
using namespace tenon;

namespace {
NodeDef MatMul() {
  NodeDef node;
  node.name = "dense/MatMul";
  node.op = "MatMul";
  node.input = {"x", "w:1", "^init"};
  node.device = "/device:GPU:0";
  node.attr = {{"transpose_b", true}, {"T", DataType::kFloat}, {"N", std::int64_t{1} << 33}};
  return node;
}
}  // namespace

TEST_SUITE("NodeDef") {
  TEST_CASE("is summarised as TensorFlow does") {
    NodeDef node = MatMul();
    CHECK(
        SummarizeNodeDef(node) ==
        "{{node dense/MatMul}} = MatMul[N=8589934592, T=DT_FLOAT, transpose_b=true, _device=\"/device:GPU:0\"](x, w:1, ^init)");
    CHECK(EndsWith(SummarizeNodeDef(node, 2), "](x, w:1, ...)"));
    node = NodeDef();
    node.name = "n";
    node.op = "NoOp";
    CHECK(SummarizeNodeDef(node) == "{{node n}} = NoOp[]()");
    node.device = "/cpu:0";
    CHECK(SummarizeNodeDef(node) == "{{node n}} = NoOp[_device=\"/cpu:0\"]()");
  }
  TEST_CASE("compares all fields") {
    CHECK(MatMul() == MatMul());
    NodeDef other = MatMul();
    other.attr.Set("T", DataType::kHalf);
    CHECK(!(MatMul() == other));
  }
}

TEST_SUITE("GetNodeAttr") {
  TEST_CASE("reads attrs by name") {
    const NodeDef node = MatMul();
    DataType type = DataType::kInvalid;
    bool transpose = false;
    CHECK(GetNodeAttr(node, "T", &type).ok());
    CHECK(GetNodeAttr(node, "transpose_b", &transpose).ok());
    CHECK(type == DataType::kFloat);
    CHECK(transpose);
    const AttrValue* value = nullptr;
    CHECK(GetNodeAttr(node, "T", &value).ok());
    CHECK(value == node.attr.Find("T"));
    CHECK(HasNodeAttr(node, "T"));
    CHECK(!HasNodeAttr(node, "U"));
    CHECK(TryGetNodeAttr(node, "T", &type));
    CHECK(!TryGetNodeAttr(node, "U", &type));
    CHECK(!TryGetNodeAttr(node, "transpose_b", &type));
  }
  TEST_CASE("says which attrs there are when there is none of that name") {
    bool transpose = false;
    const Status s = GetNodeAttr(MatMul(), "transpose_a", &transpose);
    CHECK(s.code() == Code::kNotFound);
    CHECK(s.message().find("No attr named 'transpose_a' in NodeDef: {{node dense/MatMul}} = MatMul[N=") == 0);
    CHECK(GetNodeAttr(MatMul(), "_hidden", &transpose).message() == "No attr named '_hidden' in NodeDef:");
  }
  TEST_CASE("names the node when the value is of another type or does not fit") {
    int number = 0;
    Status s = GetNodeAttr(MatMul(), "T", &number);
    CHECK(s.code() == Code::kInvalidArgument);
    CHECK(s.message() ==
          "AttrValue had value with type 'type' when 'int' expected for attr 'T'\n\t [[{{node dense/MatMul}}]]");
    s = GetNodeAttr(MatMul(), "N", &number);
    CHECK(s.message() == "Attr N has value 8589934592 out of range for an int32\n\t [[{{node dense/MatMul}}]]");
  }
  TEST_CASE("AddNodeAttr leaves an attr that is there") {
    NodeDef node = MatMul();
    AddNodeAttr("T", DataType::kHalf, &node);
    AddNodeAttr("U", DataType::kHalf, &node);
    CHECK(node.attr.Find("T")->type() == DataType::kFloat);
    CHECK(node.attr.Find("U")->type() == DataType::kHalf);
  }
}

TEST_SUITE("AttachNode") {
  TEST_CASE("says at which node, and only the name when a node is named already") {
    CHECK(AttachNode(OkStatus(), "x").ok());
    const Status once = AttachNode(errors::Internal("broken"), "x");
    CHECK(once.message() == "broken\n\t [[{{node x}}]]");
    CHECK(once.code() == Code::kInternal);
    CHECK(AttachNode(once, "y").message() == "broken\n\t [[{{node x}}]]\n\t [[y]]");
  }
}
}  // namespace node_def_test
