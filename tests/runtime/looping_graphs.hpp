// SPDX-License-Identifier: Apache-2.0
#pragma once
// Graphs of functions whose nodes ask for one of four devices, for the tests of sessions over them.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/graph/builder.hpp>

#include "graph/function_graphs.hpp"

namespace runtime_test {

using namespace tenon;

inline std::string On(std::string_view local) { return StrCat("/device:", local); }

// A node of floats on a device; "": wherever.
inline NodeDef FloatNode(std::string name, std::string op, std::initializer_list<std::string> inputs,
                         std::string_view device) {
  NodeDef node = function_test::MakeNode(std::move(name), std::move(op), inputs, {{"T", DataType::kFloat}});
  if (!device.empty()) node.device = On(device);
  return node;
}
inline NodeDef FloatConst(std::string name, float value) {
  return function_test::MakeNode(std::move(name), "Const", {},
                                 {{"dtype", DataType::kFloat}, {"value", Tensor::Scalar(value)}});
}

// While x < limit: x + 1 on SIM:0, handed on by SIM:1; out = -x on CPU:1.
inline GraphDef CountingOnFour(float limit) {
  GraphBuilder b;
  b.Placeholder("x", DataType::kFloat);
  GraphDef def = b.graph_def();
  def.node.push_back(function_test::MakeNode("loop", "While", {"x"},
                                             {{"T", AttrValue(SlimVector<DataType>{DataType::kFloat})},
                                              {"cond", function_test::Call("less")},
                                              {"body", function_test::Call("step")},
                                              {"parallel_iterations", AttrValue(std::int64_t{4})},
                                              {"_lower_using_switch_merge", AttrValue(true)}}));
  def.node.push_back(FloatNode("out", "Neg", {"loop"}, "CPU:1"));
  def.library.function = {
      function_test::Floats("less", {"i"}, {FloatConst("c", limit), FloatNode("l", "Less", {"i", "c:output:0"}, "")},
                            "l:z:0", DataType::kBool),
      function_test::Floats("step", {"i"},
                            {FloatConst("one", 1), FloatNode("s", "AddV2", {"i", "one:output:0"}, "SIM:0"),
                             FloatNode("h", "Identity", {"s:z:0"}, "SIM:1")},
                            "h:output:0")};
  return def;
}

}  // namespace runtime_test
