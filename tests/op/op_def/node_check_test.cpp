// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_def/node_check.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/op/op_def/op_def_builder.hpp>

#include "op/unknown_attr_lines.hpp"

namespace node_check_test {
using namespace tenon;

namespace {

OpDef Sample() {
  OpDef def;
  REQUIRE(OpDefBuilder("Sample")
              .Attr("N: int >= 0")
              .Attr("T: {float, int32} = DT_FLOAT")
              .Attr("L: list(type) >= 0 = []")
              .Attr("mode: {'a', 'b'} = 'a'")
              .Input("one: T")
              .Input("many: N * T")
              .Input("any: L")
              .Output("ref: Ref(T)")
              .Output("refs: Ref(N * int32)")
              .Finalize(&def)
              .ok());
  return def;
}
NodeDef Node() {
  NodeDef node;
  node.name = "x";
  node.op = "Sample";
  node.input = {"a", "b", "c:1", "^d"};
  node.attr = {{"N", 2}};
  AddDefaultsToNodeDef(Sample(), &node);
  return node;
}
// The message up to the summary of the op; "" when the node is right.
std::string Refusal(const NodeDef& node, const OpDef& def = Sample()) {
  const Status status = ValidateNodeDef(node, def);
  if (!status.ok()) CHECK(status.code() == Code::kInvalidArgument);
  const std::string text(status.message());
  return text.substr(0, text.find("Op<name="));
}

}  // namespace

TEST_SUITE("AddDefaultsToNodeDef") {
  TEST_CASE("adds what is absent and leaves the rest") {
    NodeDef node;
    node.attr = {{"T", DataType::kInt32}};
    AddDefaultsToNodeDef(Sample(), &node);
    CHECK(node.attr.Find("T")->type() == DataType::kInt32);
    CHECK(node.attr.Find("mode")->s() == "a");
    CHECK(node.attr.Find("L")->kind() == AttrValue::Kind::kList);
    CHECK_FALSE(node.attr.contains("N"));
  }
}

TEST_SUITE("InOutTypesForNode") {
  TEST_CASE("gives the dtypes of single arguments, N * T and lists, and references") {
    NodeDef node = Node();
    node.attr.Set("L", std::vector<DataType>{DataType::kBool, DataType::kHalf});
    SlimVector<DataType> inputs, outputs;
    REQUIRE(InOutTypesForNode(node, Sample(), &inputs, &outputs).ok());
    CHECK(inputs == std::vector<DataType>{DataType::kFloat, DataType::kFloat, DataType::kFloat, DataType::kBool,
                                          DataType::kHalf});
    CHECK(outputs == std::vector<DataType>{MakeRefType(DataType::kFloat), MakeRefType(DataType::kInt32),
                                           MakeRefType(DataType::kInt32)});
    int count = 0;
    CHECK(NumOutputsForNode(node, Sample(), &count).ok());
    CHECK(count == 3);
  }
  TEST_CASE("numbers that are none are refused") {
    SlimVector<DataType> types;
    NodeDef node = Node();
    node.attr.Set("N", -1);
    CHECK(InputTypesForNode(node, Sample(), &types).message() == "Value for number_attr() -1 < 0");
    for (const std::int64_t n : {std::int64_t{1} << 21, std::int64_t{1} << 31, std::int64_t{1} << 62}) {
      node.attr.Set("N", n);
      CHECK(OutputTypesForNode(node, Sample(), &types).message() == StrCat("Number of outputs is too big: ", n));
    }
    node.attr.erase("N");
    CHECK(InputTypesForNode(node, Sample(), &types).code() == Code::kNotFound);
  }
  TEST_CASE("an OpDef that says no type is refused") {
    OpDef def;
    def.name = "X";
    def.input_arg.emplace_back().name = "x";
    SlimVector<DataType> types;
    CHECK(InputTypesForNode(NodeDef(), def, &types).message().starts_with("No type fields for 'x' in Op<name=X;"));
    def.input_arg[0].number_attr = "N";
    NodeDef node;
    node.attr = {{"N", 1}};
    CHECK(InputTypesForNode(node, def, &types).message().starts_with("Missing type or type_attr field of 'x' in "));
    def.input_arg[0].number_attr.clear();
    def.input_arg[0].type = MakeRefType(DataType::kFloat);
    def.input_arg[0].is_ref = true;
    CHECK(InputTypesForNode(node, def, &types)
              .message()
              .starts_with("Requested reference to a reference type: float_ref in "));
  }
}

TEST_SUITE("NameRangesForNode") {
  TEST_CASE("says which tensors belong to an argument") {
    SlimVector<NameRange> inputs, outputs;
    REQUIRE(NameRangesForNode(Node(), Sample(), &inputs, &outputs).ok());
    CHECK(inputs == std::vector<NameRange>{{"one", 0, 1}, {"many", 1, 3}, {"any", 3, 3}});
    CHECK(outputs == std::vector<NameRange>{{"ref", 0, 1}, {"refs", 1, 3}});
    CHECK(NameRangesForNode(Node(), Sample(), nullptr, nullptr).ok());
    CHECK_FALSE(NameRangesForNode(NodeDef(), Sample(), nullptr, &outputs).ok());
  }
}

TEST_SUITE("ValidateNodeDef with an OpDef") {
  TEST_CASE("accepts a node that is right") {
    CHECK(Refusal(Node()) == "");
    NodeDef node = Node();
    node.attr.Set("_hidden", AttrValue());  // the runtime's own attrs are not looked at
    CHECK(Refusal(node) == "");
  }
  TEST_CASE("every mistake has TensorFlow's words") {
    NodeDef node = Node();
    node.op = "Other";
    CHECK(Refusal(node) == "NodeDef op 'Other' does not match ");
    node = Node();
    node.input.push_back("^d:1");
    CHECK(Refusal(node) == "Control input '^d:1' must not have ':' in NodeDef: {{node x}}");
    node = Node();
    node.input.push_back("e");
    CHECK(Refusal(node) == "Non-control input 'e' after control input in NodeDef: {{node x}}");
    node = Node();
    node.attr.Set("T", DataType::kHalf);
    CHECK(Refusal(node) ==
          "Value for attr 'T' of half is not in the list of allowed values: float, int32\n\t; "
          "NodeDef: {{node x}}; ");
    node.attr.Set("T", 3);
    CHECK(Refusal(node) ==
          "AttrValue had value with type 'int' when 'type' expected\n\t for attr 'T'\n\t; "
          "NodeDef: {{node x}}; ");
    node = Node();
    node.attr.erase("N");
    CHECK(Refusal(node) == "NodeDef missing attr 'N' from ");
    node.attr.erase("mode");
    CHECK(Refusal(node) == "NodeDef missing attrs 'N', 'mode' from ");
    node = Node();
    node.input = {"a"};
    CHECK(Refusal(node) == "NodeDef expected inputs 'float, float, float' do not match 1 inputs specified; ");
  }
  TEST_CASE("placeholders pass where no dtype follows from them") {
    NodeDef node = Node();
    node.attr.Set("mode", AttrValue::Placeholder("mode"));
    CHECK(Refusal(node) == "");
    node.attr.Set("T", AttrValue::Placeholder("T"));
    CHECK(Refusal(node).find("AttrValue had value with unexpected type 'placeholder'") == 0);
    node = Node();
    node.attr.Set("mode", AttrValue::Placeholder(""));
    CHECK(Refusal(node).find("AttrValue had value with unexpected type 'placeholder'") == 0);
  }
  TEST_CASE("attrs that the op does not have are logged, once in a while, and ignored") {
    UnknownAttrLines lines;
    NodeDef node = Node();
    node.attr.Set("newer", 1);
    CHECK(Refusal(node) == "");
    CHECK(lines.text.find("NodeDef mentions attribute newer which is not in the op definition: Op<name=Sample;") == 0);
    CHECK(lines.text.find("Unknown attributes will be ignored. NodeDef: {{node x}}") != std::string::npos);
    lines.text.clear();
    CHECK(Refusal(node) == "");
    CHECK(lines.text.empty());
  }
}
}  // namespace node_check_test
