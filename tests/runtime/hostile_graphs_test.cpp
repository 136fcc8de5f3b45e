// SPDX-License-Identifier: Apache-2.0
// Graphs that ended the process once, in every executor and on a small stack.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <tenon/io/graph_file.hpp>
#include <tenon/graph/lower_functional.hpp>
#include <tenon/runtime/api/session.hpp>

#include "base/sized_thread.hpp"
#include "graph/function_graphs.hpp"

namespace hostile_graphs_test {
using namespace tenon;

namespace {

Result<GraphDef> Seed(const std::string& name) {
  return ReadGraphFile(std::string(TENON_TEST_DATA "/../fuzz/session_seeds/") + name);
}
std::vector<SessionOptions> Ways() {
  std::vector<SessionOptions> ways(4);
  ways[1].executor = ExecutorKind::kDataflow;
  ways[1].inter_op_threads = 2;
  ways[2].lower_control_flow = &LowerFunctionalOps;
  ways[3].devices = {"CPU:0", "CPU:1"};
  return ways;
}

}  // namespace

TEST_SUITE("Hostile graphs") {
  TEST_CASE("a function's node lacks an attr of type list(type)") {
    const Result<GraphDef> graph = Seed("call_without_types.pb");
    REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
    for (const SessionOptions& options : Ways()) {
      const Status status = Session::FromGraphDef(*graph, options).status();
      CHECK(status.ToString() == "NOT_FOUND: type list attr not found: Tout; NodeDef: {{node s}}");
    }
  }
  TEST_CASE("nodes of functions lack any of their attrs") {
    using function_test::MakeNode;
    const AttrValue one = function_test::FloatTypes(1), same = function_test::Call("same"), number(DataType::kFloat);
    const std::vector<NodeDef> whole{
        MakeNode("s", "PartitionedCall", {"x"}, {{"Tin", one}, {"Tout", one}, {"f", same}}),
        MakeNode("s", "If", {"x", "x"},
                 {{"Tcond", number}, {"Tin", one}, {"Tout", one}, {"then_branch", same}, {"else_branch", same}}),
        MakeNode("s", "While", {"x"}, {{"T", one}, {"cond", same}, {"body", same}}),
        MakeNode("s", "IdentityN", {"x"}, {{"T", one}})};
    for (const NodeDef& node : whole) {
      for (const auto& lacking : node.attr) {
        NodeDef broken = MakeNode(node.name, node.op, {});
        broken.input = node.input;
        for (const auto& [name, value] : node.attr)
          if (name != lacking.first) broken.attr.Insert(name, value);
        GraphDef graph;
        graph.node = {MakeNode("x", "Placeholder", {}, {{"dtype", number}}), MakeNode("y", "broken", {"x"})};
        graph.library.function = {function_test::Floats("same", {"x"}, {}, "x"),
                                  function_test::Floats("broken", {"x"}, {broken}, "s:output:0")};
        graph.versions.producer = 1000;
        for (const SessionOptions& options : Ways()) {
          const Result<Session> session = Session::FromGraphDef(graph, options);
          Status status = session.status();
          if (status.ok()) status = session->Run({{"x", Tensor::Scalar(1.0f)}}, {"y"}).status();
          CHECK_MESSAGE(!status.ok(), node.op, " without ", lacking.first);
        }
      }
    }
  }
  TEST_CASE("lists in lists, deeper than any stack") {
    const Result<GraphDef> graph = Seed("nested_lists.pb");
    REQUIRE_MESSAGE(graph.ok(), graph.status().ToString());
    for (const SessionOptions& options : Ways()) {
      sized_thread::OnStackOf(std::size_t{512} << 10, [&] {
        const Result<Session> session = Session::FromGraphDef(*graph, options);
        CHECK_MESSAGE(session.ok(), session.status().ToString());
        for (int i = 0; session.ok() && i < 2; ++i) {
          const Result<std::vector<Tensor>> outputs = session->Run({}, {"y:1"});
          CHECK_MESSAGE(outputs.ok(), outputs.status().ToString());
        }
      });
    }
  }
}
}  // namespace hostile_graphs_test
