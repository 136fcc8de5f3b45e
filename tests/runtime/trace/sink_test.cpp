// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/trace/sink.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <tenon/base/log.hpp>
#include <tenon/base/mutex.hpp>
#include <tenon/runtime/session/run_metadata.hpp>

#include "base/without_extension.hpp"
#include "runtime/graphs.hpp"

namespace trace_sink_test {
using namespace tenon;
using namespace runtime_test;

namespace {

// Keeps what it was told. thread-safe.
struct Listener final : TraceSink {
  struct Run {
    int session;
    RunTrace trace;
    Status status;
    SessionCounters counters;
  };
  void OnRun(const TracedRun& run) override {
    const MutexLock lock(mutex);
    runs.push_back({run.session, run.trace, run.status, run.counters});
  }
  Mutex mutex;
  std::vector<Run> runs;
};

}  // namespace

TEST_SUITE("TraceSink") {
  TEST_CASE("hears of every run, through a session and a callable") {
    Listener listener;
    const auto session = Session::FromGraph(SmallGraph(), {.trace_sink = &listener});
    REQUIRE(session.ok());
    REQUIRE(session->Run({{"x", Tensor::Zeros<float>({2})}}, {"z"}).ok());
    const auto callable = session->MakeCallable({.feeds = {"x"}, .fetches = {"y"}});
    REQUIRE((*callable)({Tensor::Zeros<float>({2})}).ok());
    RunTrace own;
    std::vector<Tensor> outputs(1);
    const Tensor x = Tensor::Zeros<float>({2});
    REQUIRE(callable->RunTraced({&x, 1}, outputs, &own).ok());
    RunMetadata metadata;
    REQUIRE(callable->Run({&x, 1}, outputs, {.trace_level = TraceLevel::kFull}, &metadata).ok());
    REQUIRE(callable->Run({&x, 1}, outputs, {.timeout_in_ms = 10'000}).ok());

    REQUIRE(listener.runs.size() == 5);
    CHECK(listener.runs[0].trace.nodes.size() == 2);
    for (std::size_t i = 1; i < 5; ++i) CHECK(listener.runs[i].trace.nodes.size() == 1);
    CHECK(own.nodes.size() == 1);
    CHECK(own.start_ns == listener.runs[2].trace.start_ns);
    CHECK(metadata.step_stats.dev_stats.size() == 1);
    for (std::size_t i = 0; i < 5; ++i) {
      const Listener::Run& run = listener.runs[i];
      CHECK(run.session == listener.runs[0].session);
      CHECK(run.status.ok());
      CHECK(run.counters.runs == static_cast<std::int64_t>(i) + 1);
      if (i > 0) CHECK(run.trace.start_ns >= listener.runs[i - 1].trace.start_ns + listener.runs[i - 1].trace.total_ns);
      for (const NodeTiming& node : run.trace.nodes) {
        REQUIRE(node.node != nullptr);
        CHECK(node.node->name() == node.name);
        CHECK(node.thread == run.trace.thread);
        CHECK(node.start_ns <= node.end_ns);
        CHECK(node.end_ns <= run.trace.total_ns);
      }
    }
  }
  TEST_CASE("a planned run is traced as it runs") {
    Listener listener;
    const auto session = Session::FromGraph(SmallGraph(), {.plan_after_runs = 1, .trace_sink = &listener});
    for (int i = 0; i < 3; ++i) {
      const auto out = session->Run({{"x", MakeTensor<float>({2}, {1, 2})}}, {"z"});
      REQUIRE(out.ok());
      CHECK((*out)[0].flat<float>()(1) == 9.0f);
    }
    REQUIRE(listener.runs.size() == 3);
    CHECK(listener.runs[2].counters.planned_runs == 2);
    for (const Listener::Run& run : listener.runs) {
      REQUIRE(run.trace.nodes.size() == 2);
      CHECK(run.trace.nodes[0].name == "y");
      CHECK(run.trace.nodes[1].name == "z");
      CHECK(run.trace.nodes[0].output_bytes == 8);
      CHECK(run.trace.nodes[0].end_ns <= run.trace.nodes[1].start_ns);
    }
  }
  TEST_CASE("hears of runs that fail, too") {
    Listener listener;
    GraphBuilder b;
    const Output x = b.Placeholder("x", DataType::kFloat), y = b.Placeholder("y", DataType::kFloat);
    b.Add("AddV2", "sum", {b.Add("Neg", "neg", {x}), y});
    const auto session = Session::FromGraph(b, {.trace_sink = &listener});
    CHECK(!session->Run({{"x", Tensor::Zeros<float>({2})}, {"y", Tensor::Zeros<float>({3})}}, {"sum"}).ok());
    CHECK(!session->Run({{"x", Tensor::Zeros<double>({2})}, {"y", Tensor::Zeros<float>({3})}}, {"sum"}).ok());
    REQUIRE(listener.runs.size() == 2);
    CHECK(Contains(listener.runs[0].status.message(), "sum"));
    CHECK(listener.runs[0].trace.nodes.size() == 1);  // what ended well
    CHECK(listener.runs[1].trace.nodes.empty());
    CHECK(listener.runs[1].trace.start_ns > 0);
    CHECK(listener.runs[1].counters.runs == 1);
  }
  TEST_CASE("four threads, two sessions") {
    Listener listener;
    const auto one = Session::FromGraph(
        WideGraph(4, 4), {.inter_op_threads = 2, .executor = ExecutorKind::kDataflow, .trace_sink = &listener});
    const auto other = Session::FromGraph(SmallGraph(), {.trace_sink = &listener});
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 50; ++i)
          (void)(t % 2 == 0 ? one->Run({{"x", Tensor::Zeros<float>({4})}}, {"out"})
                            : other->Run({{"x", Tensor::Zeros<float>({4})}}, {"z"}));
      });
    for (std::thread& thread : threads) thread.join();
    REQUIRE(listener.runs.size() == 200);
    std::set<int> sessions, callers;
    for (const Listener::Run& run : listener.runs) {
      sessions.insert(run.session);
      callers.insert(run.trace.thread);
      CHECK(run.status.ok());
      CHECK(run.trace.nodes.size() == (run.trace.nodes.back().name == "z" ? 2 : 4 * 4 + 4 + 1));
    }
    CHECK(sessions.size() == 2);
    CHECK(callers.size() == 4);
  }
  TEST_CASE("a run in parts is one run") {
    Listener listener;
    {
      const auto session = Session::FromGraph(SmallGraph(), {.trace_sink = &listener});
      const auto handle = session->PRunSetup({"x"}, {"y", "z"});
      REQUIRE(handle.ok());
      REQUIRE(session->PRun(*handle, {{"x", Tensor::Zeros<float>({2})}}, {"y"}).ok());
      REQUIRE(session->PRun(*handle, {}, {"z"}).ok());
    }
    REQUIRE(listener.runs.size() == 1);
    CHECK(listener.runs[0].status.ok());
  }
#if defined(__cpp_exceptions)
  TEST_CASE("what a sink throws is logged and fails nothing") {
    struct Thrower final : TraceSink {
      void OnRun(const TracedRun&) override { throw std::runtime_error("full"); }
    } thrower;
    struct Lines final : LogSink {
      void Send(const LogEntry& entry) override { text += entry.text; }
      std::string text;
    } lines;
    const auto session = Session::FromGraph(SmallGraph(), {.trace_sink = &thrower});
    LogSink* const before = SetLogSink(&lines);
    const auto out = session->Run({{"x", Tensor::Zeros<float>({2})}}, {"z"});
    SetLogSink(before);
    CHECK(out.ok());
    CHECK(Contains(lines.text, "full"));
  }
#endif
  TEST_CASE("a program without the part refuses the option") {
    Listener listener;
    const auto session = [&] {
      const WithoutExtension without(&detail::extensions.session_watch);
      return Session::FromGraph(SmallGraph(), {.trace_sink = &listener});
    }();
    CHECK(session.status().code() == Code::kFailedPrecondition);
    CHECK(Contains(session.status().message(), "tenon/runtime/trace/sink.hpp"));
  }
}
}  // namespace trace_sink_test
