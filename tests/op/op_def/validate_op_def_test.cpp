// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_def/validate_op_def.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <tenon/op/op_def/to_op_def.hpp>
#include "op/spec_ops.hpp"

namespace validate_op_def_test {
namespace {
using namespace tenon;
using namespace op_test;

// What ValidateOpDef says, without the OpDef; "" when it is content.
std::string Refusal(const OpDef& def) {
  const Status status = ValidateOpDef(def);
  if (!status.ok()) CHECK(status.code() == Code::kInvalidArgument);
  const std::string all(status.message());
  return all.substr(0, all.find("; in OpDef:"));
}
OpDef::AttrDef Attr(std::string name, std::string type) {
  OpDef::AttrDef attr;
  attr.name = std::move(name);
  attr.type = std::move(type);
  return attr;
}
OpDef::ArgDef Float(std::string name) {
  OpDef::ArgDef arg;
  arg.name = std::move(name);
  arg.type = DataType::kFloat;
  return arg;
}
OpDef Named(std::string name) {
  OpDef def;
  def.name = std::move(name);
  return def;
}
OpDef OpWith(SlimVector<OpDef::AttrDef> attrs) {
  OpDef def;
  def.name = "X";
  def.attr = std::move(attrs);
  return def;
}

TEST_SUITE("ValidateOpDef") {
  TEST_CASE("names are CamelCase, with namespaces; internal ones are free") {
    for (const char* name : {"A", "Ab1_c", "A>B>C", "_", "_anything at all", "__"}) CHECK(Refusal(Named(name)) == "");
    for (const char* name : {"", "a", "1A", "A>", ">A", "A>>B", "A>b", "A B", "A-B", "\xc3\x89"})
      CHECK(Refusal(Named(name)) == StrCat("Invalid name: ", name, " (Did you use CamelCase?)"));
    CHECK(ValidateOpDef(Named("a")).message().ends_with("; in OpDef: Op<name=a; signature= -> >"));
  }
  TEST_CASE("attrs, inputs and outputs have one namespace") {
    CHECK(Refusal(OpWith({Attr("a", "int"), Attr("a", "float")})) == "Duplicate name: a");
    OpDef def = OpWith({Attr("a", "int")});
    def.input_arg.push_back(Float("a"));
    CHECK(Refusal(def) == "Duplicate name: a");
    def.input_arg[0].name = "x";
    def.output_arg.push_back(Float("x"));
    CHECK(Refusal(def) == "Duplicate name: x");
    def.output_arg[0].name = "y";
    CHECK(Refusal(def) == "");
    for (const char* type : {"float", "int32", "float_ref", "resource", "bfloat16"})
      CHECK(Refusal(OpWith({Attr(type, "int")})) == StrCat("Attr can't have name ", type, " that matches a data type"));
  }
  TEST_CASE("attr types are the eight words and lists of them") {
    for (const char* type : {"string", "int", "float", "bool", "type", "shape", "tensor", "func"}) {
      CHECK(Refusal(OpWith({Attr("a", type)})) == "");
      CHECK(Refusal(OpWith({Attr("a", StrCat("list(", type, ")"))})) == "");
    }
    CHECK(Refusal(OpWith({Attr("a", "list(int")})) == "'list(' is missing ')' in attr a's type list(int");
    CHECK(Refusal(OpWith({Attr("a", "int!")})) == "Extra '!' at the end of attr a's type int!");
    CHECK(Refusal(OpWith({Attr("a", "list(int))")})) == "Extra ')' at the end of attr a's type list(int))");
    for (const char* type : {"thing", "any", "", "list()", "list(thing)", "numbertype"})
      CHECK(Refusal(OpWith({Attr("a", type)})).find("Unrecognized type '") == 0);
  }
  TEST_CASE("minimums are for ints and lists") {
    OpDef def = OpWith({Attr("a", "bool")});
    def.attr[0].has_minimum = true;
    CHECK(Refusal(def) == "Attr 'a' has minimum for unsupported type bool");
    def.attr[0].has_minimum = false;
    def.attr[0].minimum = 2;
    CHECK(Refusal(def) == "Attr 'a' with has_minimum = false but minimum 2 not equal to default of 0");
    def = OpWith({Attr("a", "list(shape)")});
    def.attr[0].has_minimum = true;
    CHECK(Refusal(def) == "");
    def.attr[0].minimum = -1;
    CHECK(Refusal(def) == "Attr 'a' with list type must have a non-negative minimum, not -1");
    def.attr[0].type = "int";
    CHECK(Refusal(def) == "");
  }
  TEST_CASE("allowed values are a list of the attr's type") {
    OpDef def = OpWith({Attr("a", "type")});
    def.attr[0].allowed_values = std::vector<std::string>{"x"};
    CHECK(Refusal(def) ==
          "AttrValue had value with type 'list(string)' when 'list(type)' expected\n\t for attr 'a' in Op 'X'");
    def.attr[0].allowed_values = DataType::kFloat;
    CHECK(Refusal(def) == "AttrValue had value with type 'type' when 'list(type)' expected\n\t for attr 'a' in Op 'X'");
    def.attr[0].allowed_values = std::vector<DataType>{DataType::kInvalid};
    CHECK(Refusal(def) == "AttrValue contains invalid DataType\n\t for attr 'a' in Op 'X'");
    def.attr[0].allowed_values = std::vector<DataType>{DataType::kFloat};
    CHECK(Refusal(def) == "");
    def.attr[0].type = "list(type)";
    CHECK(Refusal(def) == "");
  }
  TEST_CASE("a default keeps to its attr") {
    OpDef def = OpWith({Attr("a", "int")});
    def.attr[0].default_value = "x";
    CHECK(Refusal(def) == "AttrValue had value with type 'string' when 'int' expected\n\t for attr 'a'\n\t in Op 'X'");
    def.attr[0].default_value = AttrValue::Placeholder("b");
    CHECK(Refusal(def) == "AttrValue had value with unexpected type 'placeholder'\n\t for attr 'a'\n\t in Op 'X'");
    def.attr[0].default_value = AttrValue();
    CHECK(Refusal(def) == "AttrValue missing value with expected type 'int'\n\t for attr 'a'\n\t in Op 'X'");
    def.attr[0].default_value = 2;
    CHECK(Refusal(def) == "");
    def.attr[0].has_minimum = true;
    def.attr[0].minimum = 3;
    CHECK(Refusal(def) == "Value for attr 'a' of 2 must be at least minimum 3\n\t in Op 'X'");
    def = OpWith({Attr("a", "type")});
    def.attr[0].default_value = static_cast<DataType>(77);
    CHECK(Refusal(def) == "AttrValue has invalid DataType enum: 77\n\t for attr 'a'\n\t in Op 'X'");
    def.attr[0].default_value = MakeRefType(DataType::kFloat);
    CHECK(Refusal(def) == "AttrValue must not have reference type value of float_ref\n\t for attr 'a'\n\t in Op 'X'");
    def.attr[0].default_value = DataType::kHalf;
    def.attr[0].allowed_values = std::vector<DataType>{DataType::kFloat};
    CHECK(Refusal(def) == "Value for attr 'a' of half is not in the list of allowed values: float\n\t in Op 'X'");
  }
  TEST_CASE("allowed values are for types and strings only") {
    OpDef def = OpWith({Attr("a", "int")});
    def.attr[0].allowed_values = std::vector<std::int64_t>{1};
    def.attr[0].default_value = 1;
    const Status status = ValidateOpDef(def);
    CHECK(status.code() == Code::kUnimplemented);
    CHECK(status.message().starts_with("Support for allowed_values not implemented for type int"));
  }
  TEST_CASE("an argument has exactly one type") {
    OpDef def = OpWith({Attr("T", "type"), Attr("L", "list(type)"), Attr("s", "string")});
    OpDef::ArgDef& arg = def.input_arg.emplace_back();
    arg.name = "x";
    CHECK(Refusal(def) == "Missing type for input 'x'");
    arg.type = DataType::kFloat;
    arg.type_attr = "T";
    CHECK(Refusal(def) == "Exactly one of type, type_attr, type_list_attr must be set for input 'x'");
    arg.type = DataType::kInvalid;
    arg.type_list_attr = "L";
    CHECK(Refusal(def) == "Exactly one of type, type_attr, type_list_attr must be set for input 'x'");
    arg.type_list_attr.clear();
    CHECK(Refusal(def) == "");
    arg.type_attr = "U";
    CHECK(Refusal(def) == "No attr with name 'U' for input 'x'");
    arg.type_attr = "s";
    CHECK(Refusal(def) == "Attr 's' used as type_attr for input 'x' has type string != type");
    arg.type_attr.clear();
    arg.type_list_attr = "T";
    CHECK(Refusal(def) == "Attr 'T' used as type_list_attr for input 'x' has type type != list(type)");
    arg.type_list_attr.clear();
    arg.type = MakeRefType(DataType::kInt32);
    CHECK(Refusal(def) == "Illegal use of ref type 'int32_ref'. Use 'Ref(type)' instead for input 'x'");
    def.output_arg.swap(def.input_arg);
    CHECK(Refusal(def) == "Illegal use of ref type 'int32_ref'. Use 'Ref(type)' instead for output 'x'");
  }
  TEST_CASE("a number of tensors is an int with a minimum") {
    OpDef def = OpWith({Attr("N", "int"), Attr("T", "type"), Attr("L", "list(type)")});
    OpDef::ArgDef& arg = def.input_arg.emplace_back();
    arg.name = "x";
    arg.type_attr = "T";
    arg.number_attr = "M";
    CHECK(Refusal(def) == "No attr with name 'M' for input 'x'");
    arg.number_attr = "T";
    CHECK(Refusal(def) == "Attr 'T' used as length for input 'x' has type type != int");
    arg.number_attr = "N";
    CHECK(Refusal(def) == "Attr 'N' used as length for input 'x' must have minimum");
    def.attr[0].has_minimum = true;
    def.attr[0].minimum = -1;
    CHECK(Refusal(def) == "Attr 'N' used as length for input 'x' must have minimum >= 0");
    def.attr[0].minimum = 0;
    CHECK(Refusal(def) == "");
    arg.type = DataType::kFloat;
    CHECK(Refusal(def) == "Exactly one of type, type_attr must be set for input 'x'");
    arg.type = DataType::kInvalid;
    arg.type_attr.clear();
    arg.type_list_attr = "L";
    CHECK(Refusal(def) == "Can't have both number_attr and type_list_attr for input 'x'");
  }
}

}  // namespace
}  // namespace validate_op_def_test
