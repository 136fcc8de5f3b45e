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
    CHECK(Contains(TimelineHtml(trace, "t"), "\"flows\":[[0,1]]"));
  }
  TEST_CASE("an empty trace is a whole file") {
    std::vector<TraceEvent> events;
    CHECK(TraceReader::Read(ChromeTraceJson(RunTrace()), &events));
    CHECK(events.size() == 2);  // the run, and its thread
  }
  TEST_CASE("a path that cannot be written is an error") {
    CHECK(WriteTimelineHtml({}, "t", "no/such/folder/t.html").code() == Code::kPermissionDenied);
  }
}
}  // namespace trace_test
