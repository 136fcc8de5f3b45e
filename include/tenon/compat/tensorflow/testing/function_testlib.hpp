// SPDX-License-Identifier: Apache-2.0
#pragma once
// test::function: functions that tests call, and graphs from lists of nodes and functions.

#include <cstdint>
#include <string>
#include <utility>

#include <tenon/compat/tensorflow/graph/functions.hpp>

namespace tensorflow {
namespace test {
namespace function {

inline GraphDef GDef(gtl::ArraySlice<NodeDef> nodes, gtl::ArraySlice<FunctionDef> functions = {}) {
  GraphDef graph;
  graph.mutable_versions()->set_producer(TF_GRAPH_DEF_VERSION);
  graph.mutable_versions()->set_min_consumer(TF_GRAPH_DEF_VERSION_MIN_CONSUMER);
  for (const NodeDef& node : nodes) *graph.add_node() = node;
  for (const FunctionDef& function : functions) *graph.mutable_library()->add_function() = function;
  return graph;
}
inline GraphDef GDef(std::initializer_list<NodeDef> nodes, std::initializer_list<FunctionDef> functions = {}) {
  return GDef(gtl::ArraySlice<NodeDef>(nodes), gtl::ArraySlice<FunctionDef>(functions));
}
inline NodeDef NDef(StringPiece name, StringPiece op, gtl::ArraySlice<std::string> inputs,
                    gtl::ArraySlice<std::pair<std::string, FDH::AttrValueWrapper>> attrs = {},
                    const std::string& device = "") {
  NodeDef node;
  node.set_name(name);
  node.set_op(op);
  node.set_device(device);
  for (const std::string& input : inputs) node.add_input(input);
  for (const auto& [attr, value] : attrs) (*node.mutable_attr())[attr] = value.proto;
  return node;
}
inline NodeDef NDef(StringPiece name, StringPiece op, std::initializer_list<std::string> inputs,
                    std::initializer_list<std::pair<std::string, FDH::AttrValueWrapper>> attrs = {},
                    const std::string& device = "") {
  return NDef(name, op, gtl::ArraySlice<std::string>(inputs),
              gtl::ArraySlice<std::pair<std::string, FDH::AttrValueWrapper>>(attrs), device);
}

namespace internal {
inline constexpr const char* kNumbers = "T: {float, double, int32, int64}";
inline FDH::Node Cast(const std::string& name, const std::string& from, const FDH::AttrValueWrapper& to) {
  return {{name}, "Cast", {from}, {{"SrcT", DT_INT64}, {"DstT", to}}};
}
inline FDH::Node Op(const std::string& name, const std::string& op, const std::vector<std::string>& inputs) {
  return {{name}, op, inputs, {{"T", "$T"}}};
}
inline FDH::Node Number(const std::string& name, int64_t value) { return FDH::Const<int64_t>(name, value); }
// y = callee(callee(x))
inline FunctionDef Twice(const std::string& name, const std::string& callee, const std::string& between) {
  return FDH::Create(name, {"x: T"}, {"y: T"}, {kNumbers},
                     {Op(between, callee, {"x"}), Op("y", callee, {between + ":y:0"})}, {{"y", "y:y:0"}});
}
}  // namespace internal

inline FunctionDef NonZero() {
  return FDH::Define("NonZero", {"x:T"}, {"y:T"}, {"T:{float, double, int32, int64, string}"},
                     {internal::Op("y", "Identity", {"x"})});
}
inline FunctionDef IsZero() {
  return FDH::Define("IsZero", {"x: T"}, {"equal: bool"}, {"T:{float, double, int32, int64, string}"},
                     {internal::Number("zero", 0), internal::Cast("cast", "zero", "$T"),
                      internal::Op("equal", "Equal", {"x", "cast"})});
}
inline FunctionDef XTimesTwo() {
  return FDH::Define(
      "XTimesTwo", {"x: T"}, {"y: T"}, {internal::kNumbers},
      {internal::Number("two", 2), internal::Cast("scale", "two", "$T"), internal::Op("y", "Mul", {"x", "scale"})});
}
inline FunctionDef XTimesTwoInt32() {
  return FDH::Define("XTimesTwoInt32", {"x: int32"}, {"y: int32"}, {},
                     {internal::Number("two", 2),
                      internal::Cast("scale", "two", DT_INT32),
                      {{"y"}, "Mul", {"x", "scale"}, {{"T", DT_INT32}}}});
}
inline FunctionDef XTimesFour() { return internal::Twice("XTimesFour", "XTimesTwo", "x2"); }
inline FunctionDef XTimes16() { return internal::Twice("XTimes16", "XTimesFour", "x4"); }
inline FunctionDef XAddX() {
  return FDH::Define("XAddX", {"x: T"}, {"y: T"}, {internal::kNumbers}, {internal::Op("y", "Add", {"x", "x"})});
}
inline FunctionDef XAddY() {
  return FDH::Define("XAddY", {"x: T", "y: T"}, {"z: T"}, {internal::kNumbers}, {internal::Op("z", "Add", {"x", "y"})});
}
inline FunctionDef WXPlusB() {
  return FDH::Define("WXPlusB", {"w: T", "x: T", "b: T"}, {"y: T"}, {"T: {float, double}"},
                     {{{"mm"}, "MatMul", {"w", "x"}, {{"T", "$T"}, {"transpose_a", false}, {"transpose_b", false}}},
                      internal::Op("y", "Add", {"mm", "b"})});
}
inline FunctionDef Swap() {
  return FDH::Define("Swap", {"i0: T", "i1: T"}, {"o0: T", "o1: T"}, {"T: {float, double, resource}"},
                     {internal::Op("o0", "Identity", {"i1"}), internal::Op("o1", "Identity", {"i0"})});
}
inline FunctionDef EmptyBodySwap() {
  return FDH::Create("EmptyBodySwap", {"i0: T", "i1: T"}, {"o0: T", "o1: T"}, {"T: {float, double, resource}"}, {},
                     {{"o0", "i1"}, {"o1", "i0"}});
}
inline FunctionDef ResourceIdentity() {
  return FDH::Create("ResourceIdentity", {"x: resource"}, {"y: resource"}, {}, {}, {{"y", "x"}});
}
inline FunctionDef ReadResourceVariable() {
  return FDH::Create("ReadResourceVariable", {"x: resource"}, {"y: float"}, {},
                     {{{"read"}, "ReadVariableOp", {"x"}, {{"dtype", DT_FLOAT}}}}, {{"y", "read:value:0"}});
}
inline FunctionDef LessThanOrEqualToN(int64_t n) {
  return FDH::Define(
      "LessThanOrEqualToN", {"x: T"}, {"z: bool"}, {internal::kNumbers},
      {internal::Number("N", n), internal::Cast("y", "N", "$T"), internal::Op("z", "LessEqual", {"x", "y"})});
}
inline FunctionDef XPlusOneXTimesY() {
  return FDH::Define("XPlusOneXTimesY", {"x: T", "y: T"}, {"s: T", "t: T"}, {internal::kNumbers},
                     {internal::Number("one", 1), internal::Cast("increment", "one", "$T"),
                      internal::Op("s", "Add", {"x", "increment"}), internal::Op("t", "Mul", {"x", "y"})});
}

}  // namespace function
}  // namespace test
}  // namespace tensorflow
