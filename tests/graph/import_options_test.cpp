// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/import_options.hpp>

#include <doctest/doctest.h>

#include <utility>

#include <tenon/graph/function_import.hpp>
#include <tenon/graph/import.hpp>

#include "test_ops.hpp"

namespace import_options_test {
using namespace tenon;
using namespace tenon::testing;

namespace {
Result<Graph> Import(GraphDef def, const ImportOptions& options) {
  return ImportGraphDef(std::move(def), TestOps(), options);
}
GraphDef Contradiction() {
  return MakeGraph({MakeInput("a", {2, 3}), MakeInput("b", {2, 3}), MakeFloat("m", "MatMul", {"a", "b"})});
}
}  // namespace

TEST_SUITE("ImportOptions") {
  TEST_CASE("devices are taken as they come, with a default for nodes without one") {
    GraphDef def = MakeGraph({MakeInput("x"), MakeInput("y")});
    def.node[0].device = "/device:GPU:0";
    ImportOptions options;
    options.default_device = "/device:CPU:0";
    const Result<Graph> graph = Import(std::move(def), options);
    REQUIRE(graph.ok());
    CHECK(graph->Find("x")->def.device == "/device:GPU:0");
    CHECK(graph->Find("y")->def.device == "/device:CPU:0");
  }
  TEST_CASE("device names are checked where that is asked for") {
    GraphDef def = MakeGraph({MakeInput("x"), MakeInput("y")});
    def.node[1].device = "/job:foo/bar:::";
    ImportOptions options;
    CHECK(Import(def, options).ok());
    options.check_devices = true;
    const Status status = Import(def, options).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message().find("Malformed device specification '/job:foo/bar:::' in node: {{node y}}") !=
          std::string::npos);
    def.node[1].device = "/device:CPU:0";
    CHECK(Import(def, options).ok());
  }
  TEST_CASE("the runtime's own graphs have names that begin with '_'") {
    ImportOptions options;
    CHECK_FALSE(Import(MakeGraph({MakeInput("_a")}), options).ok());
    options.allow_internal_ops = true;
    CHECK(Import(MakeGraph({MakeInput("_a")}), options).ok());
  }
  TEST_CASE("functions with unknown ops, where they are allowed") {
    GraphDef def = MakeGraph({MakeInput("x")});
    FunctionDef& function = def.library.function.emplace_back();
    function.signature.name = "strange";
    function.node_def.push_back(MakeNode("n", "NoSuchOp"));
    ImportOptions options;
    CHECK(Import(def, options).status().code() == Code::kNotFound);
    options.check_functions = false;
    CHECK(Import(def, options).ok());
    function.node_def[0] = MakeNode("n", "NoOp", {"gone"});
    CHECK(Import(def, options).status().code() == Code::kInvalidArgument);
  }
  TEST_CASE("shapes that contradict are refused, forgotten, or not looked at") {
    ImportOptions options;
    CHECK(Import(Contradiction(), options).status().code() == Code::kInvalidArgument);
    options.ignore_shape_errors = true;
    const Result<Graph> ignored = Import(Contradiction(), options);
    REQUIRE(ignored.ok());
    CHECK(ignored->Find("m")->output_shapes.empty());
    CHECK_FALSE(ignored->Find("a")->output_shapes.empty());
    options = {};
    options.infer_shapes = false;
    const Result<Graph> unchecked = Import(Contradiction(), options);
    REQUIRE(unchecked.ok());
    CHECK(unchecked->Find("a")->output_shapes.empty());
  }
}
}  // namespace import_options_test
