// SPDX-License-Identifier: Apache-2.0
#include <tenon/op/op_def/function_equality.hpp>

#include <doctest/doctest.h>

#include <cstdint>

namespace function_equality_test {
namespace {
using namespace tenon;

NodeDef Node() {
  NodeDef node;
  node.name = "n";
  node.op = "Add";
  node.input = {"x", "y", "^a", "^b"};
  node.attr.Insert("T", AttrValue(DataType::kFloat));
  return node;
}
FunctionDef Function() {
  FunctionDef f;
  f.signature.name = "f";
  f.signature.control_output = {"c", "d"};
  f.node_def = {Node(), Node()};
  f.node_def[1].name = "m";
  f.ret = {{"out", "n:z:0"}};
  f.control_ret = {{"c", "n"}};
  return f;
}
template <class Change>
bool IsOtherNode(Change&& change) {
  NodeDef node = Node();
  change(&node);
  return !EqualNodeDef(Node(), node) && !EqualNodeDef(node, Node());
}
template <class Change>
bool IsOtherFunction(Change&& change) {
  FunctionDef f = Function();
  change(&f);
  return !FunctionDefsEqual(Function(), f) && !FunctionDefsEqual(f, Function());
}

TEST_CASE("EqualNodeDef: control inputs in any order, attrs that begin with '_' aside") {
  CHECK_FALSE(IsOtherNode([](NodeDef*) {}));
  CHECK_FALSE(IsOtherNode([](NodeDef* n) { n->input = {"x", "y", "^b", "^a"}; }));
  CHECK_FALSE(IsOtherNode([](NodeDef* n) { n->attr.Insert("_class", AttrValue("loc:@a")); }));
  CHECK(IsOtherNode([](NodeDef* n) { n->name = "m"; }));
  CHECK(IsOtherNode([](NodeDef* n) { n->op = "Sub"; }));
  CHECK(IsOtherNode([](NodeDef* n) { n->device = "/cpu:0"; }));
  CHECK(IsOtherNode([](NodeDef* n) { n->input = {"y", "x", "^a", "^b"}; }));
  CHECK(IsOtherNode([](NodeDef* n) { n->input = {"x", "y", "^a", "^c"}; }));
  CHECK(IsOtherNode([](NodeDef* n) { n->input.push_back("^c"); }));
  CHECK(IsOtherNode([](NodeDef* n) { n->attr.Set("T", AttrValue(DataType::kHalf)); }));
  CHECK(IsOtherNode([](NodeDef* n) { n->attr.Insert("U", AttrValue(DataType::kHalf)); }));
}

TEST_CASE("FunctionDefsEqual: nodes in any order; unset attrs and what is said of the arguments do not count") {
  CHECK_FALSE(IsOtherFunction([](FunctionDef*) {}));
  CHECK_FALSE(IsOtherFunction([](FunctionDef* f) { f->node_def = {f->node_def[1], f->node_def[0]}; }));
  CHECK_FALSE(IsOtherFunction([](FunctionDef* f) { f->attr.Insert("unset", AttrValue()); }));
  CHECK_FALSE(IsOtherFunction([](FunctionDef* f) { f->arg_attr = {{0, AttrMap()}}; }));
  CHECK_FALSE(IsOtherFunction([](FunctionDef* f) { f->resource_arg_unique_id = {{0, 1}}; }));
  CHECK_FALSE(IsOtherFunction([](FunctionDef* f) { f->signature.control_output = {"d", "c"}; }));
  CHECK(IsOtherFunction([](FunctionDef* f) { f->signature.is_stateful = true; }));
  CHECK(IsOtherFunction([](FunctionDef* f) { f->attr.Insert("set", AttrValue(std::int64_t{1})); }));
  CHECK(IsOtherFunction([](FunctionDef* f) { f->node_def[1].op = "Sub"; }));
  CHECK(IsOtherFunction([](FunctionDef* f) { f->node_def.pop_back(); }));
  CHECK(IsOtherFunction([](FunctionDef* f) { f->ret[0].second = "m:z:0"; }));
  CHECK(IsOtherFunction([](FunctionDef* f) { f->control_ret[0].second = "m"; }));
}
}  // namespace
}  // namespace function_equality_test
