// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/trace.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "graphs.hpp"

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
  TEST_CASE("a path that cannot be written is an error") {
    CHECK(WriteTimelineHtml({}, "t", "no/such/folder/t.html").code() == Code::kPermissionDenied);
  }
}
}  // namespace trace_test
