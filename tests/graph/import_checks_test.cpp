// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/import_checks.hpp>

#include <doctest/doctest.h>

#include <string>

#include <tenon/graph/function_import.hpp>
#include <tenon/graph/import.hpp>

#include "function_graphs.hpp"
#include "test_ops.hpp"

namespace import_checks_test {
using namespace tenon;
using function_test::MakeNode;

namespace {

GraphDef TwoNodesAndAFunction() {
  GraphDef graph;
  graph.versions.producer = kGraphDefVersion;
  graph.node.push_back(MakeNode("a", "NoOp", {}));
  graph.node.push_back(MakeNode("b", "NoOp", {"^a"}));
  graph.library.function.push_back(function_test::Double());
  return graph;
}
Status ImportWithin(const ImportLimits& limits, GraphDef graph = TwoNodesAndAFunction()) {
  ImportOptions options;
  options.limits = limits;
  return ImportGraphDef(std::move(graph), tenon::testing::TestOps(), options).status();
}
bool Says(const Status& status, std::string_view text) {
  return status.code() == Code::kResourceExhausted && status.message().find(text) != std::string::npos;
}

}  // namespace

TEST_SUITE("ImportLimits") {
  TEST_CASE("of nodes count the bodies of functions") {
    const std::int64_t nodes = 2 + static_cast<std::int64_t>(function_test::Double().node_def.size());
    CHECK(ImportWithin({.max_nodes = nodes}).ok());
    CHECK(Says(ImportWithin({.max_nodes = nodes - 1}), StrCat("have ", nodes, " nodes; ", nodes - 1, " are allowed")));
  }
  TEST_CASE("of functions") {
    CHECK(ImportWithin({.max_functions = 1}).ok());
    CHECK(Says(ImportWithin({.max_functions = 0}), "has 1 functions; 0 are allowed"));
  }
  TEST_CASE("of functions in the attrs of functions") {
    GraphDef graph = TwoNodesAndAFunction();
    AttrValue call = function_test::Call("f");
    for (int i = 0; i < 3; ++i) call = function_test::Call("f", {{"g", call}});
    graph.node[0].attr.Insert("_calls", call);
    CHECK(ImportWithin({.max_nesting = 4}, graph).ok());
    CHECK(Says(ImportWithin({.max_nesting = 3}, graph), "node a}} have functions in functions more than 3 deep"));
    graph.node[0].attr.Set("_calls", AttrValue(SlimVector<NameAttrList>{call.func()}));
    CHECK(ImportWithin({.max_nesting = 4}, graph).ok());
    CHECK(Says(ImportWithin({.max_nesting = 3}, graph), "more than 3 deep"));
  }
}

TEST_SUITE("UnknownOps") {
  TEST_CASE("name every op once, with the first nodes that use it") {
    detail::UnknownOps unknown;
    CHECK(unknown.status(tenon::testing::TestOps()).ok());
    for (int i = 0; i < 10; ++i) unknown.Add("Strange", "s");
    unknown.Add("Stranger", "t");
    const Status status = unknown.status(tenon::testing::TestOps());
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.message().find("'Strange' in binary") != std::string::npos);
    CHECK(status.message().find(" and 2 more") != std::string::npos);
    CHECK(status.message().find("\nOp type not registered 'Stranger'; used by node 't'") != std::string::npos);
  }
}

}  // namespace import_checks_test
