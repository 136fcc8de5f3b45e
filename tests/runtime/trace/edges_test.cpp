// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/trace/edges.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "graph/function_graphs.hpp"
#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"

namespace trace_flows_test {
using namespace tenon;
using namespace runtime_test;

namespace {

RunTrace TraceOf(const Session& session, const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                 const std::vector<Tensor>& values) {
  RunTrace trace;
  const auto callable = session.MakeCallable({.feeds = feeds, .fetches = fetches});
  REQUIRE_MESSAGE(callable.ok(), callable.status().message());
  std::vector<Tensor> outputs(fetches.size());
  const Status status = callable->RunTraced(values, outputs, &trace);
  REQUIRE_MESSAGE(status.ok(), status.message());
  return trace;
}
// "y>z", "c~>z" for a control edge.
std::multiset<std::string> Names(const RunTrace& trace) {
  std::multiset<std::string> names;
  for (const TraceFlow& flow : FlowsOf(trace))
    names.insert(StrCat(trace.nodes[flow.from].name, flow.control ? "~>" : ">", trace.nodes[flow.to].name));
  return names;
}
bool EndsBeforeItStarts(const RunTrace& trace) {
  for (const TraceFlow& flow : FlowsOf(trace))
    if (trace.nodes[flow.from].end_ns > trace.nodes[flow.to].start_ns) return false;
  return true;
}

}  // namespace

TEST_SUITE("TraceFlow") {
  TEST_CASE("the edges between what ran, each pair of nodes once") {
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      const auto session = Session::FromGraph(SmallGraph(), {.inter_op_threads = 2, .executor = executor});
      const RunTrace trace = TraceOf(*session, {"x"}, {"z"}, {Tensor::Zeros<float>({2})});
      CHECK(Names(trace) == std::multiset<std::string>{"y>z"});
      CHECK(EndsBeforeItStarts(trace));
    }
  }
  TEST_CASE("every edge of a wide graph on several threads") {
    const int width = 8, depth = 5;
    const auto session =
        Session::FromGraph(WideGraph(width, depth), {.inter_op_threads = 4, .executor = ExecutorKind::kDataflow});
    const RunTrace trace = TraceOf(*session, {"x"}, {"out"}, {Tensor::Zeros<float>({2})});
    const auto names = Names(trace);
    CHECK(names.size() == width * depth + (width - 1) + 1);
    CHECK(names.count("c3_1>c3_2") == 1);
    CHECK(names.count("c7_4>sum7") == 1);
    CHECK(names.count("sum6>sum7") == 1);
    CHECK(names.count("sum7>out") == 1);
    CHECK(EndsBeforeItStarts(trace));
  }
  TEST_CASE("control edges are told apart") {
    FlowGraph g;
    g.Feed("x").Node("a", "Neg", {"x"}).Node("b", "Neg", {"x", "^a"}).Node("c", "AddV2", {"b", "a", "^a"});
    const auto session = g.Load();
    const RunTrace trace = TraceOf(*session, {"x"}, {"c"}, {Tensor::Scalar(1.0f)});
    CHECK(Names(trace) == std::multiset<std::string>{"a~>b", "b>c", "a>c"});
  }
  TEST_CASE("a loop's nodes are paired with the iteration that they follow") {
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      FlowGraph g(DataType::kInt32);
      g.Feed("n").Count("", "n", 1);  // one iteration at a time
      const auto session = g.Load({.inter_op_threads = 2, .executor = executor});
      REQUIRE(session.ok());
      const RunTrace trace = TraceOf(*session, {"n"}, {"exit"}, {Tensor::Scalar(3)});
      const auto names = Names(trace);
      CHECK(names.count("enter>merge") == 1);
      CHECK(names.count("next>merge") == 3);
      CHECK(names.count("merge>switch") == 4);
      CHECK(names.count("cond>switch") == 4);
      CHECK(names.count("lim>less") == 4);  // one Enter, read by each iteration
      CHECK(names.count("switch>add") == 3);
      CHECK(names.count("add>next") == 3);
      CHECK(names.count("switch>exit") == 1);
      CHECK(EndsBeforeItStarts(trace));
      for (const NodeTiming& node : trace.nodes)
        if (node.name == "add") CHECK(node.output_bytes == 4);
      // The k-th Merge comes from the k-th NextIteration before it.
      std::vector<std::size_t> nexts;
      for (const TraceFlow& flow : FlowsOf(trace))
        if (trace.nodes[flow.from].name == "next") nexts.push_back(flow.from);
      CHECK(std::is_sorted(nexts.begin(), nexts.end()));
      CHECK(std::adjacent_find(nexts.begin(), nexts.end()) == nexts.end());
    }
  }
  TEST_CASE("no flow comes from a node whose last execution may be one that is only in a sum") {
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      FlowGraph g(DataType::kInt32);
      g.Feed("n").Count("", "n", 1).Node("after", "Neg", {"exit"});
      const auto session = g.Load({.inter_op_threads = 2, .executor = executor, .max_trace_events = 64 * 5});
      REQUIRE(session.ok());
      const RunTrace trace = TraceOf(*session, {"n"}, {"after"}, {Tensor::Scalar(100)});
      const auto names = Names(trace);
      CHECK(names.count("add>next") == 5);
      CHECK(names.count("switch>add") == 5);
      CHECK(names.count("switch>exit") == 0);  // the Exit follows the last of 101
      CHECK(names.count("exit>after") == 1);
      CHECK(EndsBeforeItStarts(trace));
    }
  }
  TEST_CASE("the edges between nodes of a function, within each of its calls") {
    using function_test::MakeNode;
    const AttrValue floats(DataType::kFloat);
    const auto call = [](std::string name, std::string input) {
      return MakeNode(std::move(name), "StatefulPartitionedCall", {std::move(input)},
                      {{"Tin", function_test::FloatTypes(1)},
                       {"Tout", function_test::FloatTypes(1)},
                       {"f", function_test::Call("negate_twice")}});
    };
    GraphDef graph;
    graph.versions.producer = 1500;
    graph.library.function = {function_test::Floats(
        "negate_twice", {"x"},
        {MakeNode("a", "Neg", {"x"}, {{"T", floats}}), MakeNode("b", "Neg", {"a:y:0"}, {{"T", floats}})}, "b:y:0")};
    graph.library.function[0].signature.is_stateful = true;
    graph.node = {MakeNode("x", "Placeholder", {}, {{"dtype", floats}}), call("first", "x"), call("second", "first")};
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      const auto session = Session::FromGraphDef(graph, {.inter_op_threads = 2, .executor = executor});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const RunTrace trace = TraceOf(*session, {"x"}, {"second"}, {Tensor::Scalar(1.0f)});
      CHECK(Names(trace) == std::multiset<std::string>{"first>second", "a>b", "a>b"});
      CHECK(EndsBeforeItStarts(trace));
      for (const NodeTiming& node : trace.nodes) {
        const bool in_function = node.name == "a" || node.name == "b";
        CHECK((node.body_node != nullptr) == in_function);
        CHECK((node.node == nullptr) == in_function);
        if (in_function) CHECK(node.body_node->name() == node.name);
      }
    }
  }
  TEST_CASE("no node, no flow") {
    RunTrace trace;
    trace.nodes.push_back({"a", "Add", "CPU:0", 10, 20});
    trace.nodes.push_back({"a", "inner", "CPU:0", 12, 15});
    CHECK(FlowsOf(trace).empty());
    CHECK(FlowsOf(RunTrace()).empty());
  }
}
}  // namespace trace_flows_test
