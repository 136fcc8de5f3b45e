// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/canonical.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <tenon/graph/function_import.hpp>
#include <tenon/graph/import.hpp>

#include "function_graphs.hpp"
#include "import_graph.hpp"
#include "test_ops.hpp"

namespace canonical_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
GraphDef Plain() {
  GraphDef def = MakeGraph({MakeInput("x"), MakeFloat("a", "Neg", {"x"}), MakeFloat("b", "Neg", {"a"}),
                            MakeNode("c", "NoOp", {"^a", "^x"})});
  FunctionDef two = function_test::Floats(
      "two", {"x"},
      {function_test::MakeNode("n", "Neg", {"x"}, {{"T", AttrValue(DataType::kFloat)}}),
       function_test::MakeNode("m", "Neg", {"n:y:0", "^n"}, {{"T", AttrValue(DataType::kFloat)}})},
      "m:y:0");
  def.library.function = {two, function_test::Floats("same", {"x"}, {}, "x")};
  return def;
}
}  // namespace

TEST_SUITE("canonical form") {
  TEST_CASE("order, ways to write inputs, defaults and debug information do not count") {
    GraphDef other = Plain();
    std::reverse(other.node.begin(), other.node.end());
    for (NodeDef& node : other.node) {
      if (node.name == "a") node.input = {"x:0"};
      if (node.name == "c") node.input = {"^x", "^a", "^x"};
      if (node.name == "x") node.attr.Insert("shape", AttrValue(PartialTensorShape()));  // its default
    }
    std::reverse(other.library.function.begin(), other.library.function.end());
    std::reverse(other.library.function[1].node_def.begin(), other.library.function[1].node_def.end());
    other.library.function[1].node_def[0].input.push_back("^n");
    other.debug_info = "somewhere";
    const Graph a = Import(Plain()), b = Import(std::move(other));
    CHECK(CanonicalGraphDef(a) == CanonicalGraphDef(b));
    CHECK(GraphHash(a) == GraphHash(b));
    CHECK(CanonicalGraphDef(Import(CanonicalGraphDef(a))) == CanonicalGraphDef(a));
  }
  TEST_CASE("all else counts") {
    const std::uint64_t hash = GraphHash(Import(Plain()));
    GraphDef renamed = Plain();
    renamed.node[2].name = "d";
    GraphDef rewired = Plain();
    rewired.node[2].input = {"x"};
    GraphDef waiting = Plain();
    waiting.node[3].input = {"^x"};
    GraphDef placed = Plain();
    placed.node[1].device = "/device:CPU:0";
    GraphDef function = Plain();
    function.library.function[1].signature.name = "other";
    GraphDef versions = Plain();
    --versions.versions.producer;
    CHECK(GraphHash(Import(std::move(renamed))) != hash);
    CHECK(GraphHash(Import(std::move(rewired))) != hash);
    CHECK(GraphHash(Import(std::move(waiting))) != hash);
    CHECK(GraphHash(Import(std::move(placed))) != hash);
    CHECK(GraphHash(Import(std::move(function))) != hash);
    CHECK(GraphHash(Import(std::move(versions))) != hash);
  }
}
}  // namespace canonical_test
