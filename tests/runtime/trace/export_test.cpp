// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/trace/export.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "runtime/graphs.hpp"
#include "runtime/trace_events.hpp"

namespace trace_test {
using namespace tenon;
using namespace runtime_test;

TEST_SUITE("Trace") {
  TEST_CASE("a traced run says when each node ran") {
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      const auto session = Session::FromGraph(SmallGraph(), {.inter_op_threads = 2, .executor = executor});
      const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}});
      std::vector<Tensor> out(1);
      const Tensor x = MakeTensor<float>({2}, {1, 2});
      RunTrace trace;
      REQUIRE(callable->RunTraced({&x, 1}, out, &trace).ok());
      REQUIRE(trace.nodes.size() == 2);
      CHECK(trace.nodes[0].name == "y");
      CHECK(trace.nodes[1].op == "Mul");
      CHECK(trace.nodes[1].output_bytes == 8);
      CHECK(trace.nodes[0].end_ns <= trace.nodes[1].end_ns);
      CHECK(trace.total_ns >= trace.nodes[1].end_ns);
    }
  }
  TEST_CASE("the page and the JSON hold every node, safely") {
    RunTrace trace;
    trace.total_ns = 1000;
    trace.nodes.push_back({"a</script>\"", "Add", "CPU:0", 10, 20, 4, 0});
    const std::string html = TimelineHtml(trace, "t");
    CHECK(Contains(html, "a\\u003c/script>\\\""));
    CHECK(!Contains(html, "a</script>"));
    CHECK(!Contains(html, "http"));
    const std::string json = ChromeTraceJson(trace);
    CHECK(Contains(json, "\"ph\":\"X\""));
    CHECK(Contains(json, "\"dur\":0.01"));
  }
  TEST_CASE("the edges of the graph are flows in both") {
    const auto session = Session::FromGraph(SmallGraph());
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"z"}});
    std::vector<Tensor> out(1);
    const Tensor x = MakeTensor<float>({2}, {1, 2});
    RunTrace trace;
    REQUIRE(callable->RunTraced({&x, 1}, out, &trace).ok());
    const std::string json = ChromeTraceJson(trace);
    const auto spans = EventsOf(json, "X"), starts = EventsOf(json, "s"), ends = EventsOf(json, "f");
    REQUIRE(spans.size() == 3);  // the run, y, z
    REQUIRE(starts.size() == 1);
    REQUIRE(ends.size() == 1);
    CHECK(starts[0].at("id") == ends[0].at("id"));
    CHECK(starts[0].at("cat") == "data");
    CHECK(ends[0].at("ts") == spans[2].at("ts"));
    // Within y's span.
    const double begin = std::stod(spans[1].at("ts")), at = std::stod(starts[0].at("ts"));
    CHECK(begin <= at);
    CHECK(at < begin + std::stod(spans[1].at("dur")) + 0.0005);
    CHECK(spans[0].at("tid") == std::to_string(trace.thread));
    CHECK(EventsOf(json, "M").size() == 1);
    CHECK(spans[2].at("args.shape") == "float[2]");
    CHECK(spans[2].count("args.wait_ns") == 0);
    // Of y no producer, of z the one before it.
    CHECK(Contains(TimelineHtml(trace, "t"), "\"flow_count\":1,\"flows\":\"ABE\""));
  }
  TEST_CASE("both say what they have only sums of") {
    RunTrace trace;
    trace.total_ns = 1000;
    trace.nodes.push_back({"a", "Add", "CPU:0", 10, 20, 4, 0});
    trace.folded.push_back({"a", "Add", "CPU:0", nullptr, 7, 70, 9, 12, 30, 900, 28});
    trace.num_dropped = 5;
    trace.dropped_ns = 50;
    const std::string html = TimelineHtml(trace, "t");
    CHECK(Contains(html, "\"folded\":[[\"a\",\"Add\",\"CPU:0\",7,70,9,12,28,0]],\"dropped\":5,\"dropped_time\":50}"));
    const std::string json = ChromeTraceJson(trace);
    const auto spans = EventsOf(json, "X"), instants = EventsOf(json, "i");
    REQUIRE(spans.size() == 2);
    CHECK(spans[0].at("args.folded") == "7");
    CHECK(spans[0].at("args.dropped") == "5");
    REQUIRE(instants.size() == 1);
    CHECK(instants[0].at("name") == "folded");
    CHECK(instants[0].at("ts") == "0.030");
    CHECK(instants[0].at("args.name") == "a");
    CHECK(instants[0].at("args.count") == "7");
    CHECK(instants[0].at("args.total") == "70");
    trace.folded.clear();
    CHECK(EventsOf(ChromeTraceJson(trace), "i").empty());
  }
  TEST_CASE("a wait is an argument of its event") {
    RunTrace trace;
    trace.total_ns = 1000;
    trace.nodes.push_back({"a", "_Recv", "CPU:0", 10, 900, 4});
    trace.nodes.back().wait_ns = 890;
    const auto spans = EventsOf(ChromeTraceJson(trace), "X");
    REQUIRE(spans.size() == 2);
    CHECK(spans[1].at("args.wait_ns") == "890");
    CHECK(spans[1].count("args.shape") == 0);  // no output is known
  }
  TEST_CASE("an empty trace is a whole file") {
    std::vector<TraceEvent> events;
    CHECK(TraceReader::Read(ChromeTraceJson(RunTrace()), &events));
    CHECK(events.size() == 2);  // the run, and its thread
  }
  TEST_CASE("a path that cannot be written is an error") {
    const Status status = WriteTimelineHtml({}, "t", "no/such/folder/t.html");
    CHECK(status.code() == Code::kNotFound);
    CHECK(status.message() == "cannot open 'no/such/folder/t.html' for writing: No such file or directory");
  }
}
}  // namespace trace_test
