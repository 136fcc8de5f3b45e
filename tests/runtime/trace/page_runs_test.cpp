// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/trace/page_runs.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "runtime/graphs.hpp"

namespace trace_page_runs_test {
using namespace tenon;
using namespace runtime_test;

namespace {

std::string Text(std::int64_t value) {
  detail::NumberText text;
  text.Add(value);
  return text.text();
}
std::string SignedText(std::int64_t value) {
  detail::NumberText text;
  text.AddSigned(value);
  return text.text();
}
NodeTiming Timing(std::string_view name, std::int64_t start_ns, std::int64_t end_ns, int thread) {
  NodeTiming timing{name, "Add", "CPU:0", start_ns, end_ns, 4};
  timing.thread = thread;
  timing.dtype = DataType::kFloat;
  timing.shape = TensorShape({2, 3});
  return timing;
}

}  // namespace

TEST_SUITE("PageRuns") {
  TEST_CASE("numbers are digits of five bits") {
    CHECK(Text(0) == "A");
    CHECK(Text(31) == "f");
    CHECK(Text(32) == "gB");
    CHECK(Text(1'000'000) == "gywe");
    CHECK(Text(-5) == "A");
    CHECK(Text(std::int64_t{1} << 60) == "ggggggggggggB");
    CHECK(SignedText(0) == "A");
    CHECK(SignedText(-1) == "B");
    CHECK(SignedText(1) == "C");
    CHECK(SignedText(-16) == "f");
  }
  TEST_CASE("a line has the executions of a run as columns") {
    RunTrace trace;
    trace.total_ns = 100;
    trace.thread = 1;
    trace.nodes.push_back(Timing("a", 10, 20, 1));
    trace.nodes.push_back(Timing("b", 20, 25, 2));
    trace.nodes.push_back(Timing("a", 22, 30, 1));
    trace.nodes[1].wait_ns = 5;
    trace.nodes[2].name = trace.nodes[0].name;
    trace.nodes[2].op = trace.nodes[0].op;
    detail::PageRuns runs;
    const std::string line = runs.Line(trace, "t", 1, 7, "");
    CHECK(Contains(line, "{\"title\":\"t\",\"session\":1,\"start\":7,\"total\":100,\"error\":\"\",\"thread\":1,"));
    CHECK(Contains(line, "\"count\":3,"));
    // Row, thread and wait, end after the end before, duration.
    CHECK(Contains(line,
                   "\"events\":\"ACoBK"
                   "BFFKF"
                   "ACKI\""));
    CHECK(line.ends_with("}\n"));
  }
  TEST_CASE("a row is written once in a session, and again for another shape") {
    RunTrace trace;
    trace.nodes.push_back(Timing("a", 0, 1, 1));
    detail::PageRuns runs;
    const std::string row = "[\"a\",\"Add\",\"CPU:0\",\"float[2,3]\",4,0,0]";
    CHECK(Contains(runs.Line(trace, "t", 1, 0, ""), "\"rows\":[" + row + "]"));
    CHECK(Contains(runs.Line(trace, "t", 1, 0, ""), "\"rows\":[]"));
    CHECK(Contains(runs.Line(trace, "t", 2, 0, ""), "\"rows\":[" + row + "]"));
    trace.nodes[0].shape = TensorShape({4});
    CHECK(Contains(runs.Line(trace, "t", 1, 0, ""), "\"float[4]\""));
    CHECK(Contains(runs.Line(trace, "t", 1, 0, ""), "\"events\":\"CC"));
  }
  TEST_CASE("thousands of rows keep their numbers") {
    const std::string names(3000, 'n');
    RunTrace trace;
    for (std::size_t i = 0; i < names.size(); ++i) trace.nodes.push_back(Timing({names.data() + i, 1}, 0, 0, 0));
    detail::PageRuns runs;
    (void)runs.Line(trace, "t", 1, 0, "");
    trace.nodes.erase(trace.nodes.begin(), trace.nodes.begin() + 2999);
    CHECK(Contains(runs.Line(trace, "t", 1, 0, ""), "\"events\":\"" + Text(2999)));
  }
  TEST_CASE("names, errors and allocations") {
    RunTrace trace;
    trace.start_ns = 1000;
    trace.nodes.push_back(Timing("a</script>", 0, 1, 1));
    std::vector<AllocationRecord> records(2);
    records[0].at_ns = 1003;
    records[0].bytes_in_use = 8;
    records[1].at_ns = 1004;
    const std::string line = detail::PageRuns().Line(trace, "t", 1, 0, "bad \"feed\"", records);
    CHECK(Contains(line, "a\\u003c/script>"));
    CHECK(Contains(line, "\"error\":\"bad \\\"feed\\\"\""));
    CHECK(Contains(line, "\"allocations\":\"GICA\""));
    CHECK(detail::PageRuns::LeftOut(12) == "{\"left\":12}\n");
  }
}
}  // namespace trace_page_runs_test
