// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/trace/trace_file.hpp>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/graphs.hpp"
#include "runtime/loops.hpp"
#include "runtime/trace_events.hpp"
#include "runtime/trace_files.hpp"

namespace trace_file_test {
using namespace tenon;
using namespace runtime_test;

namespace {

// Takes the log while it lives.
struct LogLines final : LogSink {
  LogLines() : before(SetLogSink(this)) {}
  ~LogLines() override { SetLogSink(before); }
  void Send(const LogEntry& entry) override { text += entry.text; }
  LogSink* const before;
  std::string text;
};

}  // namespace

TEST_SUITE("TraceFile") {
  TEST_CASE("is a whole Chrome trace before, between and after runs") {
    const TemporaryFile file("runs.json");
    TraceFile sink(file.path);
    std::vector<TraceEvent> events;
    REQUIRE(TraceReader::Read(file.Read(), &events));
    CHECK(events.empty());
    const auto session = Session::FromGraph(SmallGraph(), {.trace_sink = &sink});
    REQUIRE(RunSmall(*session).ok());
    REQUIRE(TraceReader::Read(file.Read(), &events));
    CHECK(EventsOf(file.Read(), "X").size() == 3);  // the run, y and z
    REQUIRE(RunSmall(*session).ok());
    const std::string json = file.Read();
    const auto spans = EventsOf(json, "X");
    REQUIRE(spans.size() == 6);
    CHECK(spans[0].at("name") == "run");
    CHECK(spans[1].at("args.node") == "y");
    CHECK(spans[1].at("args.bytes") == "8");
    CHECK(spans[2].at("name") == "Mul");
    CHECK(std::stod(spans[3].at("ts")) >= std::stod(spans[0].at("ts")) + std::stod(spans[0].at("dur")));
    CheckFlowsArePairs(json);
    CHECK(EventsOf(json, "s").size() == 2);
    CHECK(sink.status().ok());
  }
  TEST_CASE("names processes and threads once, counts after each run") {
    const TemporaryFile file("counts.json");
    TraceFile sink(file.path);
    const auto session = Session::FromGraph(SmallGraph(), {.plan_after_runs = 1, .trace_sink = &sink});
    for (int i = 0; i < 3; ++i) REQUIRE(RunSmall(*session).ok());
    const std::string json = file.Read();
    const auto names = EventsOf(json, "M");
    REQUIRE(names.size() == 2);
    CHECK(names[0].at("name") == "process_name");
    CHECK(Contains(names[0].at("args.name"), "session "));
    CHECK(names[1].at("name") == "thread_name");
    const auto counters = EventsOf(json, "C");
    CHECK(ValuesOf(counters, "name").count("runs") == 1);
    const TraceEvent* last = nullptr;
    for (const TraceEvent& event : counters)
      if (event.at("name") == "runs") last = &event;
    REQUIRE(last != nullptr);
    CHECK(last->at("args.planned") == "2");
    CHECK(last->at("args.unplanned") == "1");
  }
  TEST_CASE("sessions are processes, workers are rows") {
    const TemporaryFile file("sessions.json");
    TraceFile sink(file.path);
    const SessionOptions options{.inter_op_threads = 3, .executor = ExecutorKind::kDataflow, .trace_sink = &sink};
    const auto one = Session::FromGraph(WideGraph(6, 3), options), other = Session::FromGraph(SmallGraph(), options);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 20; ++i)
          (void)(t % 2 == 0 ? one->Run({{"x", Tensor::Zeros<float>({4})}}, {"out"}).status() : RunSmall(*other));
      });
    for (std::thread& thread : threads) thread.join();
    const std::string json = file.Read();
    const auto spans = EventsOf(json, "X");
    CHECK(spans.size() == 40 * (6 * 3 + 6 + 1 + 1) + 40 * 3);
    CHECK(ValuesOf(spans, "pid").size() == 2);
    std::set<std::pair<std::string, std::string>> rows, named;
    for (const TraceEvent& span : spans) rows.insert({span.at("pid"), span.at("tid")});
    for (const TraceEvent& name : EventsOf(json, "M"))
      if (name.at("name") == "thread_name") named.insert({name.at("pid"), name.at("tid")});
    CHECK(rows == named);
    CheckFlowsArePairs(json);
  }
  TEST_CASE("an allocation log is shown with the runs") {
    const TemporaryFile file("allocations.json");
    AllocationLog log(CpuAllocator());
    TraceFile sink(file.path, &log);
    {
      const auto session = Session::FromGraph(SmallGraph(), {.allocator = &log, .trace_sink = &sink});
      REQUIRE(session->Run({{"x", Tensor::Zeros<float>({1000})}}, {"z"}).ok());
    }
    const std::string json = file.Read();
    std::size_t allocations = 0;
    for (const TraceEvent& event : EventsOf(json, "i"))
      if (event.at("name") == "allocate" && std::stoll(event.at("args.bytes")) >= 4000) ++allocations;
    CHECK(allocations == 2);  // y and z
    CHECK(ValuesOf(EventsOf(json, "C"), "name").count("allocated bytes") == 1);
  }
  TEST_CASE("a page has the allocation log, too") {
    const TemporaryFile file("allocations.html");
    AllocationLog log(CpuAllocator());
    TraceFile sink(file.path, &log);
    {
      const auto session = Session::FromGraph(SmallGraph(), {.allocator = &log, .trace_sink = &sink});
      REQUIRE(session->Run({{"x", Tensor::Zeros<float>({1000})}}, {"z"}).ok());
    }
    CHECK(Contains(file.Read(), "\"allocations\":\""));
  }
  TEST_CASE("an endless loop leaves a small file, soon after its deadline") {
    for (const ExecutorKind executor : {ExecutorKind::kSequential, ExecutorKind::kDataflow}) {
      for (const char* const name : {"endless.json", "endless.html"}) {
        FlowGraph g(DataType::kInt32);
        g.Feed("n").Count("", "n", 4);
        const TemporaryFile file(name);
        TraceFile sink(file.path);
        const auto session = g.Load({.inter_op_threads = 2, .executor = executor, .trace_sink = &sink});
        REQUIRE(session.ok());
        const std::int64_t start_ns = SteadyNanoseconds();
        const auto out = session->Run({{"n", Tensor::Scalar(2'000'000'000)}}, {"exit"}, {}, {.timeout_in_ms = 200});
        CHECK(out.status().code() == Code::kDeadlineExceeded);
        CHECK(SteadyNanoseconds() - start_ns <
              1'000'000'000);  // 20 ms over at most, on a machine that does nothing else
        const std::string text = file.Read();
        CHECK(text.size() < 4'000'000);
        CHECK(!Contains(text, "\"folded\":[]"));
      }
    }
  }
  TEST_CASE("a full file counts the runs that it has no room for") {
    const TemporaryFile file("full.json"), page("full.html");
    TraceFile sink(file.path, nullptr, 3000), page_sink(page.path, nullptr, 60'000);
    const auto session = Session::FromGraph(SmallGraph(), {.trace_sink = &sink});
    const auto page_session = Session::FromGraph(SmallGraph(), {.trace_sink = &page_sink});
    std::size_t full = 0, full_page = 0;
    for (int i = 1; i <= 200; ++i) {
      REQUIRE(RunSmall(*session).ok());
      REQUIRE(RunSmall(*page_session).ok());
      const auto left = EventsOf(file.Read(), "i");
      CHECK(EventsOf(file.Read(), "X").size() > 0);  // the file is whole
      if (left.empty()) continue;
      REQUIRE(left.size() == 1);
      if (full == 0) full = static_cast<std::size_t>(i - 1);
      CHECK(left[0].at("args.runs") == StrCat(static_cast<std::size_t>(i) - full));
    }
    CHECK(full > 0);
    CHECK(EventsOf(file.Read(), "X").size() == 3 * full);
    const std::string html = page.Read();
    for (std::size_t at = 0; (at = html.find("\n{\"title\"", at)) != std::string::npos; ++at) ++full_page;
    CHECK(full_page > 0);
    CHECK(full_page < 200);
    CHECK(html.ends_with(StrCat("}\n{\"left\":", 200 - full_page, "}\n</script>\n")));
  }
  TEST_CASE("a failed run says how it failed") {
    const TemporaryFile file("failed.json");
    TraceFile sink(file.path);
    const auto session = Session::FromGraph(SmallGraph(), {.trace_sink = &sink});
    CHECK(!session->Run({{"x", Tensor::Zeros<double>({2})}}, {"z"}).ok());
    const auto spans = EventsOf(file.Read(), "X");
    REQUIRE(spans.size() == 1);
    CHECK(Contains(spans[0].at("args.error"), "INVALID_ARGUMENT"));
    CHECK(std::stod(spans[0].at("ts")) >= 0);
  }
  TEST_CASE("a page has every run") {
    const TemporaryFile file("runs.html");
    TraceFile sink(file.path);
    const auto session = Session::FromGraph(SmallGraph(), {.trace_sink = &sink});
    for (int i = 0; i < 2; ++i) REQUIRE(RunSmall(*session).ok());
    const std::string html = file.Read();
    CHECK(html.starts_with("<!doctype html>"));
    CHECK(html.ends_with("</script>\n"));
    std::size_t count = 0;
    for (std::size_t at = 0; (at = html.find("\n{\"title\"", at)) != std::string::npos; ++at) ++count;
    CHECK(count == 2);
    CHECK(Contains(html, "\"flows\":\"ABE\""));
    CHECK(Contains(html, "\"float[2]\",8,"));
    CHECK(!Contains(html, "http"));
  }
  TEST_CASE("a file that cannot be written is logged and fails no run") {
    const LogLines lines;
    TraceFile sink("no/such/folder/t.json");
    const auto session = Session::FromGraph(SmallGraph(), {.trace_sink = &sink});
    CHECK(RunSmall(*session).ok());
    CHECK(sink.status().code() == Code::kNotFound);
    CHECK(Contains(lines.text, "no/such/folder/t.json"));
  }
#if defined(__linux__)
  TEST_CASE("a full disk ends the writing") {
    const LogLines lines;
    TraceFile sink("/dev/full");
    CHECK(sink.status().code() == Code::kResourceExhausted);
    const auto session = Session::FromGraph(SmallGraph(), {.trace_sink = &sink});
    CHECK(RunSmall(*session).ok());
    CHECK(Contains(lines.text, "/dev/full"));
  }
#endif
  TEST_CASE("a child of fork writes nothing") {
    const TemporaryFile file("fork.json");
    TraceFile sink(file.path);
    const auto session = Session::FromGraph(SmallGraph(), {.intra_op_threads = 1, .trace_sink = &sink});
    REQUIRE(RunSmall(*session).ok());
    const std::string before = file.Read();
    const pid_t child = fork();
    if (child == 0) _exit(RunSmall(*session).ok() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK(file.Read() == before);
  }
}
}  // namespace trace_file_test
