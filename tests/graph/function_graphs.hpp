// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions for the tests, as plain data.

#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>

#include <tenon/op/attr/attr_value.hpp>
#include <tenon/op/graph_def/function_def.hpp>
#include <tenon/op/graph_def/graph_def.hpp>
#include <tenon/op/graph_def/node_def.hpp>

namespace function_test {

using namespace tenon;
using Attrs = std::initializer_list<std::pair<std::string, AttrValue>>;

inline AttrValue Placeholder(const std::string& name) {
  AttrValue value;
  *value.mutable_placeholder() = name;
  return value;
}
inline AttrValue Call(std::string name, Attrs attrs = {}) {
  NameAttrList call;
  call.name = std::move(name);
  for (const auto& [key, value] : attrs) call.attr.Insert(key, value);
  return AttrValue(std::move(call));
}
inline NodeDef MakeNode(std::string name, std::string op, std::initializer_list<std::string> inputs, Attrs attrs = {}) {
  NodeDef node;
  node.name = std::move(name);
  node.op = std::move(op);
  node.input = inputs;
  for (const auto& [key, value] : attrs) node.attr.Insert(key, value);
  return node;
}
inline OpDef::ArgDef Arg(std::string name, DataType type) {
  OpDef::ArgDef arg;
  arg.name = std::move(name);
  arg.type = type;
  return arg;
}
inline OpDef::ArgDef TypedArg(std::string name, std::string type_attr) {
  OpDef::ArgDef arg;
  arg.name = std::move(name);
  arg.type_attr = std::move(type_attr);
  return arg;
}

// A list(type) of so many floats.
inline AttrValue FloatTypes(int count) {
  return AttrValue(SlimVector<DataType>(static_cast<std::size_t>(count), DataType::kFloat));
}

// double(x: T) = x + x, for any T.
inline FunctionDef Double() {
  FunctionDef f;
  f.signature.name = "double";
  f.signature.input_arg = {TypedArg("x", "T")};
  f.signature.output_arg = {TypedArg("y", "T")};
  OpDef::AttrDef t;
  t.name = "T";
  t.type = "type";
  f.signature.attr = {t};
  f.node_def = {MakeNode("sum", "AddV2", {"x", "x"}, {{"T", Placeholder("T")}})};
  f.ret = {{"y", "sum:z:0"}};
  return f;
}

// A function of float scalars with the given body; `ret` is where its one result comes from.
inline FunctionDef Floats(std::string name, std::initializer_list<std::string> args, SlimVector<NodeDef> body,
                          std::string ret, DataType type = DataType::kFloat) {
  FunctionDef f;
  f.signature.name = std::move(name);
  for (const std::string& arg : args) f.signature.input_arg.push_back(Arg(arg, DataType::kFloat));
  f.signature.output_arg = {Arg("out", type)};
  f.node_def = std::move(body);
  f.ret = {{"out", std::move(ret)}};
  return f;
}

}  // namespace function_test
