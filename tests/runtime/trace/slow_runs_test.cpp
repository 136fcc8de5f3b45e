// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/trace/slow_runs.hpp>

#include <doctest/doctest.h>

#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runtime/graphs.hpp"
#include "runtime/trace_events.hpp"

namespace slow_runs_test {
using namespace tenon;
using namespace runtime_test;

namespace {

// Keeps the last trace and its description. Runs of two threads may end at once.
struct Listener final : TraceSink {
  void OnRun(const TracedRun& run) override {
    const std::lock_guard<std::mutex> lock(mutex);
    trace = run.trace;
    path = CriticalPath(run.trace);
    text = DescribeSlowRun(run);
  }
  std::mutex mutex;
  RunTrace trace;
  std::vector<std::size_t> path;
  std::string text;
};

std::vector<std::string> NamesOf(const Listener& listener) {
  std::vector<std::string> names;
  for (const std::size_t i : listener.path) names.emplace_back(listener.trace.nodes[i].name);
  return names;
}

}  // namespace

TEST_SUITE("SlowRunLog") {
  TEST_CASE("the critical path is the chain to the last execution") {
    Listener listener;
    const auto session = Session::FromGraph(SmallGraph(), {.trace_sink = &listener});
    REQUIRE(session->Run({{"x", Tensor::Zeros<float>({2})}}, {"z"}).ok());
    CHECK(NamesOf(listener) == std::vector<std::string>{"y", "z"});
    CHECK(Contains(listener.text, "2 executions, OK; critical path: 2 executions"));
    CHECK_MESSAGE(Contains(listener.text, "AddV2 'y' on "), listener.text);
    CHECK(CriticalPath(RunTrace()).empty());
  }
  TEST_CASE("time that a kernel waits is told apart") {
    GraphBuilder b;
    const SlimVector<DataType> floats{DataType::kFloat};
    const Output q = b.Add("FIFOQueueV2", "q", {}, {{"component_types", floats}});
    const Output got = b.Add("QueueDequeueV2", "got", {q}, {{"component_types", floats}});
    b.Add("Neg", "negative", {got});
    b.Add("QueueEnqueueV2", "put", {q, {b.Placeholder("x", DataType::kFloat)}});
    Listener listener;
    const auto session = Session::FromGraph(b, {.trace_sink = &listener});
    std::thread late([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      CHECK(session->Run({{"x", Tensor::Scalar(1.0f)}}, {}, {"put"}).ok());
    });
    REQUIRE(session->Run({}, {"negative"}).ok());
    late.join();
    REQUIRE(session->Run({{"x", Tensor::Scalar(1.0f)}}, {}, {"put"}).ok());
    REQUIRE(session->Run({}, {"negative"}).ok());
    CHECK(NamesOf(listener).back() == "negative");
    CHECK(Contains(listener.text, " waiting; longest: "));
  }
  TEST_CASE("a failed run is described, too") {
    GraphBuilder b = SmallGraph();
    Listener listener;
    const auto session = Session::FromGraph(b, {.trace_sink = &listener});
    CHECK(!session->Run({{"x", Tensor::Zeros<double>({2})}}, {"z"}).ok());
    CHECK(Contains(listener.text, "0 executions, INVALID_ARGUMENT"));
  }
}
}  // namespace slow_runs_test
