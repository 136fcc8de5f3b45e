// SPDX-License-Identifier: Apache-2.0
#include <tenon/graph/left_out.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/base/str.hpp>
#include <tenon/graph/function_import.hpp>
#include <tenon/graph/import.hpp>

#include "flow_ops.hpp"
#include "function_graphs.hpp"
#include "test_ops.hpp"

namespace left_out_test {
using namespace tenon;
using namespace tenon::testing;
using function_test::MakeNode;

namespace {

std::string Names(const GraphDef& graph) {
  std::string names;
  for (const NodeDef& node : graph.node) StrAppend(&names, names.empty() ? "" : " ", node.name);
  return names;
}
FunctionDef FunctionOf(std::string name, SlimVector<NodeDef> body) {
  FunctionDef function;
  function.signature.name = std::move(name);
  function.node_def = std::move(body);
  return function;
}
Status Check(const LeftOutNodes& left_out, std::vector<std::string> fetches) {
  return CheckLeftOut(left_out, {}, fetches, {});
}

}  // namespace

TEST_SUITE("LeaveOutUnknown") {
  TEST_CASE("leaves a graph of known ops as it is") {
    GraphDef graph = MakeGraph({MakeInput("x"), MakeFloat("a", "MatMul", {"x", "x"})});
    CHECK(LeaveOutUnknown(TestOps(), &graph) == nullptr);
    CHECK(Names(graph) == "x a");
    GraphDef empty;
    CHECK(LeaveOutUnknown(TestOps(), &empty) == nullptr);
  }
  TEST_CASE("takes unknown ops, their readers, and what waits for them") {
    GraphDef graph =
        MakeGraph({MakeFloat("after", "MatMul", {"u:0", "x"}), MakeInput("x"), MakeFloat("u", "Unknown", {"x"}),
                   MakeFloat("kept", "MatMul", {"x", "x"}), MakeFloat("waits", "MatMul", {"x", "x", "^u"}),
                   MakeFloat("far", "MatMul", {"after", "x"})});
    graph.node[3].attr.Insert("_class", AttrValue(SlimVector<std::string>{"loc:@u", "loc:@x"}));
    const Owned<LeftOutNodes> left_out = LeaveOutUnknown(TestOps(), &graph);
    REQUIRE(left_out != nullptr);
    CHECK(Names(graph) == "x kept");
    CHECK(Names(left_out->graph) == "after u waits far");
    CHECK(graph.node[1].attr.Find("_class")->list().s.size() == 1);
    CHECK(Check(*left_out, {"kept", "x:0"}).ok());
    for (const char* const name : {"far", "after:0", "u", "waits"}) {
      const Status status = Check(*left_out, {"kept", name});
      CHECK(status.code() == Code::kNotFound);
      CHECK(status.message().find("'Unknown'") != std::string_view::npos);
      CHECK(status.message().find("used by node 'u'") != std::string_view::npos);
    }
  }
  TEST_CASE("takes callers of functions that need unknown ops, and names all of these") {
    GraphDef graph;
    graph.node.push_back(MakeNode("good", "PartitionedCall", {}, {{"f", function_test::Call("fine")}}));
    graph.node.push_back(MakeNode("bad", "PartitionedCall", {"^good"}, {{"f", function_test::Call("outer")}}));
    graph.node.push_back(MakeNode("direct", "outer", {}));
    graph.library.function.push_back(FunctionOf("outer", {MakeNode("call", "broken", {}), MakeNode("v", "Other", {})}));
    graph.library.function.push_back(FunctionOf("fine", {MakeNode("n", "NoOp", {})}));
    graph.library.function.push_back(FunctionOf("broken", {MakeNode("w", "NoSuchOp", {}), MakeNode("c", "fine", {})}));
    graph.library.function.push_back(FunctionOf("itself", {MakeNode("s", "itself", {})}));
    OpRegistry ops;
    REQUIRE(ops.Register(*TestOps().Find("NoOp")).ok());
    REQUIRE(ops.Register(flow_ops::kPartitionedCall).ok());
    const Owned<LeftOutNodes> left_out = LeaveOutUnknown(ops, &graph);
    REQUIRE(left_out != nullptr);
    CHECK(Names(graph) == "good");
    const Status status = Check(*left_out, {"bad"});
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.message().find("'NoSuchOp'") != std::string_view::npos);
    CHECK(status.message().find("'Other'") != std::string_view::npos);
    CHECK(Check(*left_out, {"direct"}).code() == Code::kNotFound);
  }
  TEST_CASE("a chain of 100,000 functions and nodes takes time that grows with their number only") {
    GraphDef graph;
    for (int i = 0; i < 100'000; ++i) {
      const std::string next = i == 99'999 ? "NoSuchOp" : StrCat("f", i + 1);
      graph.library.function.push_back(FunctionOf(StrCat("f", i), {MakeNode("n", next, {})}));
      graph.node.push_back(
          MakeNode(StrCat("n", i), "NoOp", {i == 99'999 ? std::string("^call") : StrCat("^n", i + 1)}));
    }
    graph.node.push_back(MakeNode("call", "f0", {}));
    const Owned<LeftOutNodes> left_out = LeaveOutUnknown(TestOps(), &graph);
    REQUIRE(left_out != nullptr);
    CHECK(graph.node.empty());
    CHECK(Check(*left_out, {"n0"}).code() == Code::kNotFound);
  }
  TEST_CASE("the import keeps what was left out") {
    GraphDef graph =
        MakeGraph({MakeInput("x"), MakeFloat("u", "Unknown", {"x"}), MakeFloat("a", "MatMul", {"x", "x"})});
    GraphDef copy = graph;
    CHECK(ImportGraphDef(std::move(copy), TestOps()).status().code() == Code::kNotFound);
    ImportOptions options;
    options.leave_out_unknown = true;
    const Result<Graph> imported = ImportGraphDef(std::move(graph), TestOps(), options);
    REQUIRE_MESSAGE(imported.ok(), imported.status().message());
    CHECK(imported->num_nodes() == 2);
    REQUIRE(imported->left_out() != nullptr);
    CHECK(Names(imported->left_out()->graph) == "u");
  }
}
}  // namespace left_out_test
