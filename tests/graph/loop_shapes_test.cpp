// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/loop_shapes.hpp>

#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>

#include <tenon/graph/import.hpp>
#include <tenon/ops/array/concat.hpp>
#include <tenon/ops/array/identity.hpp>
#include <tenon/ops/flow/loop.hpp>
#include <tenon/ops/flow/merge.hpp>
#include <tenon/ops/flow/switch.hpp>
#include <tenon/ops/io/constant.hpp>
#include <tenon/ops/io/placeholder.hpp>
#include <tenon/ops/math/arithmetic.hpp>

#include "function_graphs.hpp"

namespace loop_shapes_test {
using namespace tenon;
using function_test::MakeNode;

namespace {

template <class... OpStruct>
const OpRegistry& RegistryOf() {
  static const OpRegistry* registry = [] {
    auto* made = new OpRegistry();
    static constexpr OpView views[] = {OpStruct::signature.view()...};
    for (const OpView& view : views) CHECK(made->Register(view).ok());
    return made;
  }();
  return *registry;
}
const OpRegistry& LoopOps() {
  return RegistryOf<ops::Placeholder, ops::Const, ops::Identity, ops::AddV2, ops::ConcatV2, ops::Enter, ops::Exit,
                    ops::NextIteration, ops::LoopCond, ops::Switch, ops::Merge>();
}

// while (p) x = body(x), where `body` is "next", made from "body_in".
Result<Graph> Loop(std::initializer_list<NodeDef> body, const PartialTensorShape& shape) {
  const AttrValue kFloat(DataType::kFloat), kBool(DataType::kBool);
  const AttrValue frame(std::string("loop"));
  GraphDef def;
  def.versions.producer = 1500;
  def.node.push_back(MakeNode("x", "Placeholder", {}, {{"dtype", kFloat}, {"shape", AttrValue(shape)}}));
  def.node.push_back(MakeNode("p", "Placeholder", {}, {{"dtype", kBool}}));
  def.node.push_back(
      MakeNode("enter_p", "Enter", {"p"}, {{"T", kBool}, {"frame_name", frame}, {"is_constant", AttrValue(true)}}));
  def.node.push_back(MakeNode("cond", "LoopCond", {"enter_p"}));
  def.node.push_back(MakeNode("enter", "Enter", {"x"}, {{"T", kFloat}, {"frame_name", frame}}));
  def.node.push_back(MakeNode("merge", "Merge", {"enter", "back"}, {{"T", kFloat}, {"N", AttrValue(std::int64_t{2})}}));
  def.node.push_back(MakeNode("switch", "Switch", {"merge", "cond"}, {{"T", kFloat}}));
  def.node.push_back(MakeNode("exit", "Exit", {"switch"}, {{"T", kFloat}}));
  def.node.push_back(MakeNode("body_in", "Identity", {"switch:1"}, {{"T", kFloat}}));
  for (const NodeDef& node : body) def.node.push_back(node);
  def.node.push_back(MakeNode("back", "NextIteration", {"next"}, {{"T", kFloat}}));
  return ImportGraphDef(std::move(def), LoopOps());
}
std::string ShapeIn(const Graph& graph, const std::string& node) {
  return graph.Find(node)->output_shape(0).DebugString();
}
NodeDef Add() { return MakeNode("next", "AddV2", {"body_in", "body_in"}, {{"T", AttrValue(DataType::kFloat)}}); }
NodeDef Axis() {
  return MakeNode("axis", "Const", {},
                  {{"dtype", AttrValue(DataType::kInt32)}, {"value", AttrValue(Tensor::Scalar(std::int32_t{0}))}});
}
NodeDef Grow() {
  return MakeNode(
      "next", "ConcatV2", {"body_in", "body_in", "axis"},
      {{"N", AttrValue(std::int64_t{2})}, {"T", AttrValue(DataType::kFloat)}, {"Tidx", AttrValue(DataType::kInt32)}});
}

}  // namespace

TEST_SUITE("RefineLoopShapes") {
  TEST_CASE("a shape that the loop keeps is known inside and behind it") {
    Result<Graph> graph = Loop({Add()}, PartialTensorShape({2, 3}));
    REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
    CHECK(ShapeIn(*graph, "exit") == "<unknown>");
    REQUIRE(RefineLoopShapes(&*graph).ok());
    CHECK(ShapeIn(*graph, "next") == "[2,3]");
    CHECK(ShapeIn(*graph, "exit") == "[2,3]");
  }
  TEST_CASE("a size that grows is given up, the others stay") {
    Result<Graph> graph = Loop({Axis(), Grow()}, PartialTensorShape({2, 3}));
    REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
    REQUIRE(RefineLoopShapes(&*graph).ok());
    CHECK(ShapeIn(*graph, "merge") == "[?,3]");
    CHECK(ShapeIn(*graph, "exit") == "[?,3]");
  }
  TEST_CASE("nothing is made up where nothing is known") {
    Result<Graph> graph = Loop({Add()}, PartialTensorShape());
    REQUIRE(graph.ok());
    REQUIRE(RefineLoopShapes(&*graph).ok());
    CHECK(ShapeIn(*graph, "exit") == "<unknown>");
  }
  TEST_CASE("a node without one of its inputs keeps its shapes") {
    Result<Graph> graph = Loop({Add()}, PartialTensorShape({2, 3}));
    REQUIRE(graph.ok());
    Node& body = graph->mutable_node(graph->Find("body_in")->id);
    body.inputs[0] = {-1, 0};
    body.output_shapes[0] = PartialTensorShape({5});
    REQUIRE(RefineLoopShapes(&*graph).ok());
    CHECK(ShapeIn(*graph, "body_in") == "[5]");
    CHECK(ShapeIn(*graph, "merge") == "<unknown>");
  }
}
}  // namespace loop_shapes_test
