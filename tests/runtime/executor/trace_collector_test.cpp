// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/executor/trace_collector.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/self_process.hpp"
#include "graph/function_graphs.hpp"
#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"
#include "runtime/while_graphs.hpp"

namespace trace_collector_test {
using namespace tenon;
using namespace runtime_test;
using tenon::detail::TraceCollector;
using tenon::detail::TracedCall;

namespace {

// The trace of i += 1 until i is `iterations`. Its session is gone, and the names with it.
RunTrace TraceOfLoop(int iterations, const SessionOptions& options) {
  FlowGraph g(DataType::kInt32);
  g.Feed("n").Count("", "n", 1);
  const auto session = g.Load(options);
  REQUIRE_MESSAGE(session.ok(), session.status().message());
  const auto callable = session->MakeCallable({.feeds = {"n"}, .fetches = {"exit"}});
  RunTrace trace;
  std::vector<Tensor> out(1);
  const Tensor n = Tensor::Scalar(iterations);
  REQUIRE(callable->RunTraced({&n, 1}, out, &trace).ok());
  CHECK(out[0].scalar<std::int32_t>()() == iterations);
  return trace;
}
// `session`: lives, and its names with it.
std::int64_t CountKept(const RunTrace& trace, const Session& session, std::string_view name) {
  (void)session;
  std::int64_t count = 0;
  for (const NodeTiming& timing : trace.nodes) count += timing.name == name;
  return count;
}

}  // namespace

TEST_SUITE("TraceCollector") {
  TEST_CASE("a loop's later iterations are sums, what comes after the loop is in full") {
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      FlowGraph g(DataType::kInt32);
      g.Feed("n").Count("", "n", 1).Node("after", "Neg", {"exit"});
      const auto session = g.Load({.inter_op_threads = 2, .executor = executor, .max_trace_events = 640});
      REQUIRE_MESSAGE(session.ok(), session.status().message());
      const auto callable = session->MakeCallable({.feeds = {"n"}, .fetches = {"after"}});
      RunTrace trace;
      std::vector<Tensor> out(1);
      const Tensor n = Tensor::Scalar(1000);
      REQUIRE(callable->RunTraced({&n, 1}, out, &trace).ok());
      CHECK(CountKept(trace, *session, "add") == 10);
      CHECK(CountKept(trace, *session, "after") == 1);
      CHECK(trace.nodes.size() <= 640);
      CHECK(trace.num_dropped == 0);
      const NodeTotal* add = nullptr;
      for (const NodeTotal& total : trace.folded) {
        if (total.name == "add") add = &total;
        CHECK(total.count > 0);
        CHECK(total.min_ns <= total.max_ns);
        CHECK(total.min_ns * total.count <= total.total_ns);
        CHECK(total.total_ns <= total.max_ns * total.count);
        CHECK(total.start_ns <= total.end_ns);
        CHECK(total.end_ns <= trace.total_ns);
        CHECK(total.node != nullptr);
      }
      REQUIRE(add != nullptr);
      CHECK(add->op == "AddV2");
      CHECK(add->count == 990);
      CHECK(add->output_bytes == 4 * 990);
    }
  }
  TEST_CASE("the nodes of a While's functions are folded, too") {
    WhileGraph graph(1);
    graph.Add("sum", "AddV2", {"x0", "x0"}).Next(0, "sum:z:0");
    const auto session = Session::FromGraphDef(graph.Graph(), {.max_trace_events = 640});
    const auto callable = session->MakeCallable({.feeds = {"n", "x0"}, .fetches = {"loop:2"}});
    REQUIRE_MESSAGE(callable.ok(), callable.status().message());
    const std::vector<Tensor> feeds{Tensor::Scalar(std::int32_t{100}), Tensor::Scalar(0.0f)};
    RunTrace trace;
    std::vector<Tensor> out(1);
    REQUIRE(callable->RunTraced(feeds, out, &trace).ok());
    CHECK(CountKept(trace, *session, "sum") == 10);
    CHECK(CountKept(trace, *session, "loop") == 1);
    std::int64_t sums = 0;
    for (const NodeTotal& total : trace.folded) sums += total.name == "sum" ? total.count : 0;
    CHECK(sums == 90);
  }
  TEST_CASE("a run without loops is whole up to the limit, then only counted") {
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      const auto session =
          Session::FromGraph(WideGraph(10, 9), {.inter_op_threads = 2, .executor = executor, .max_trace_events = 30});
      const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"out"}});
      RunTrace trace;
      std::vector<Tensor> out(1);
      const Tensor x = Tensor::Zeros<float>({2});
      REQUIRE(callable->RunTraced({&x, 1}, out, &trace).ok());
      CHECK(trace.nodes.size() == 30);
      CHECK(trace.folded.empty());
      CHECK(trace.num_dropped == 10 * 9 + 10 + 1 - 30);
      CHECK(trace.dropped_ns >= 0);
      CHECK(trace.dropped_ns <= 2 * trace.total_ns);
    }
  }
  TEST_CASE("usually holds 8192 executions, 128 of one node") {
    const RunTrace trace = TraceOfLoop(300, {});
    std::int64_t most = 0, folded = 0;
    for (const NodeTotal& total : trace.folded) {
      most = std::max(most, total.count);
      folded += total.count;
    }
    CHECK(most == 301 - 128);  // of the Merge
    CHECK(trace.nodes.size() < 8192);
    CHECK(folded > 0);
    CHECK(TraceOfLoop(100, {}).folded.empty());
  }
  TEST_CASE("the time in which a kernel waits is apart from its work") {
    const SlimVector<DataType> floats{DataType::kFloat};
    GraphBuilder b;
    const Output q = b.Add("FIFOQueueV2", "q", {}, {{"component_types", floats}});
    b.Add("QueueDequeueV2", "get", {q}, {{"component_types", floats}});
    b.Add("QueueEnqueueV2", "put", {q, {b.Placeholder("x", DataType::kFloat)}});
    const auto session = Session::FromGraph(b, {.inter_op_threads = 2});
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto get = session->MakeCallable({.fetches = {"get"}});
    const auto put = session->MakeCallable({.feeds = {"x"}, .targets = {"put"}});
    REQUIRE_MESSAGE(get.ok(), get.status().message());
    const Tensor x = Tensor::Zeros<float>({2, 3});
    const auto find = [](const RunTrace& trace, std::string_view name) {
      const auto node =
          std::find_if(trace.nodes.begin(), trace.nodes.end(), [&](const NodeTiming& n) { return n.name == name; });
      REQUIRE(node != trace.nodes.end());
      return *node;
    };
    RunTrace trace, put_trace;
    std::vector<Tensor> out(1);
    Status got;
    std::thread waits([&] { got = get->RunTraced({}, out, &trace); });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    REQUIRE(put->RunTraced({&x, 1}, {}, &put_trace).ok());
    waits.join();
    REQUIRE_MESSAGE(got.ok(), got.message());
    const NodeTiming late = find(trace, "get");
    CHECK(late.wait_ns >= 5'000'000);
    CHECK(late.wait_ns <= late.end_ns - late.start_ns);
    CHECK(late.shape == TensorShape({2, 3}));
    CHECK(late.dtype == DataType::kFloat);
    CHECK(find(put_trace, "put").wait_ns == 0);
    CHECK(find(put_trace, "put").dtype == DataType::kInvalid);
    // A queue with an element serves at once.
    REQUIRE(put->RunTraced({&x, 1}, {}, &put_trace).ok());
    REQUIRE(get->RunTraced({}, out, &trace).ok());
    CHECK(find(trace, "get").wait_ns == 0);
    CHECK(find(trace, "q").wait_ns == 0);
  }
  TEST_CASE("a kernel that waits in a function says so") {
    using function_test::MakeNode;
    AttrValue floats, resource;
    floats.mutable_list()->type.push_back(DataType::kFloat);
    resource.mutable_list()->type.push_back(DataType::kResource);
    FunctionDef take = function_test::Floats(
        "take", {}, {MakeNode("out", "QueueDequeueV2", {"q"}, {{"component_types", floats}})}, "out:components:0");
    take.signature.input_arg.push_back(function_test::Arg("q", DataType::kResource));
    take.signature.is_stateful = true;
    GraphDef graph;
    graph.versions.producer = 1500;
    graph.library.function = {take};
    graph.node = {MakeNode("q", "FIFOQueueV2", {}, {{"component_types", floats}}),
                  MakeNode("x", "Placeholder", {}, {{"dtype", AttrValue(DataType::kFloat)}}),
                  MakeNode("put", "QueueEnqueueV2", {"q", "x"}, {{"Tcomponents", floats}}),
                  MakeNode("get", "StatefulPartitionedCall", {"q"},
                           {{"Tin", resource}, {"Tout", floats}, {"f", function_test::Call("take")}})};
    const auto session = Session::FromGraphDef(graph, {.inter_op_threads = 2});
    REQUIRE_MESSAGE(session.ok(), session.status().message());
    const auto get = session->MakeCallable({.fetches = {"get"}});
    REQUIRE_MESSAGE(get.ok(), get.status().message());
    RunTrace trace;
    std::vector<Tensor> out(1);
    Status got;
    std::thread waits([&] { got = get->RunTraced({}, out, &trace); });
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    REQUIRE(session->Run({{"x", Tensor::Scalar(1.0f)}}, {}, {"put"}).ok());
    waits.join();
    REQUIRE_MESSAGE(got.ok(), got.message());
    std::int64_t longest = 0;
    for (const NodeTiming& node : trace.nodes)
      if (node.name == "out") longest = std::max(longest, node.wait_ns);
    CHECK(longest >= 5'000'000);
  }
  TEST_CASE("a call of an asynchronous kernel knows its state, on its thread only") {
    const int one = 0, other = 0;
    const TraceCollector trace(nullptr, 1);
    {
      const TracedCall outer(&trace, &one);
      {
        const TracedCall inner(&trace, &other);
        CHECK(TracedCall::IsCalling(&other));
        CHECK(!TracedCall::IsCalling(&one));
      }
      CHECK(TracedCall::IsCalling(&one));
      std::thread([&] { CHECK(!TracedCall::IsCalling(&one)); }).join();
      const TracedCall without(nullptr, &other);
      CHECK(TracedCall::IsCalling(&one));
    }
    CHECK(!TracedCall::IsCalling(&one));
  }
  TEST_CASE("a negative limit is refused") {
    const Status status = Session::FromGraph(SmallGraph(), {.max_trace_events = -1}).status();
    CHECK(status.code() == Code::kInvalidArgument);
    CHECK(status.message() == "SessionOptions: max_trace_events must not be negative, got -1");
  }
  TEST_CASE("TracedNodes tells nodes apart by name, op and device, up to a limit") {
    const std::string names(1000, 'n');
    tenon::detail::TracedNodes nodes;
    NodeTiming timing;
    timing.op = "Add";
    for (int round = 0; round < 2; ++round) {
      for (std::size_t i = 0; i < 1000; ++i) {
        timing.name = std::string_view(names).substr(i, 1);
        tenon::detail::TracedNodes::Item* const item = nodes.Find(timing, 900);
        REQUIRE((item != nullptr) == (i < 900));
        if (item == nullptr) continue;
        CHECK(item->kept == round);
        ++item->kept;
      }
    }
    CHECK(nodes.items().size() == 900);
    timing.name = std::string_view(names).substr(0, 1);
    timing.op = "Fetch";
    CHECK(nodes.Find(timing, 901)->kept == 0);
  }
}

// In a process of its own, with TENON_TRACE_EVENTS.
TEST_CASE("TENON_TRACE_EVENTS: the child" * doctest::skip()) {
  CHECK(TraceOfLoop(100, {}).folded.empty() == (std::getenv("TENON_TEST_ALL_EVENTS") != nullptr));
  CHECK_FALSE(TraceOfLoop(100, {.max_trace_events = 64}).folded.empty());  // the option comes first
}

TEST_SUITE("TENON_TRACE_EVENTS") {
  TEST_CASE("limits the traces of sessions that say nothing") {
    const SelfResult few = RunSelf("TENON_TRACE_EVENTS: the child", {"TENON_TRACE_EVENTS=640"});
    CHECK_MESSAGE(few.exit_code == 0, few.output);
    const SelfResult many =
        RunSelf("TENON_TRACE_EVENTS: the child", {"TENON_TRACE_EVENTS=1000000", "TENON_TEST_ALL_EVENTS=1"});
    CHECK_MESSAGE(many.exit_code == 0, many.output);
    const SelfResult wrong =
        RunSelf("TENON_TRACE_EVENTS: the child", {"TENON_TRACE_EVENTS=many", "TENON_TEST_ALL_EVENTS=1"});
    CHECK_MESSAGE(wrong.exit_code == 0, wrong.output);
    CHECK(Contains(wrong.output, "TENON_TRACE_EVENTS"));
  }
}
}  // namespace trace_collector_test
