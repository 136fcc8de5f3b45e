// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/trace/file_sink.hpp>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/self_process.hpp"
#include "runtime/graphs.hpp"
#include "runtime/trace_events.hpp"

namespace trace_file_test {
using namespace tenon;
using namespace runtime_test;

namespace {

// A path in the system's folder for such files, which goes with it.
struct TemporaryFile {
  explicit TemporaryFile(const std::string& name)
      : path((std::filesystem::temp_directory_path() / StrCat("tenon_", getpid(), "_", name)).string()) {}
  ~TemporaryFile() { std::remove(path.c_str()); }
  std::string Read() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  const std::string path;
};

// Takes the log while it lives.
struct LogLines final : LogSink {
  LogLines() : before(SetLogSink(this)) {}
  ~LogLines() override { SetLogSink(before); }
  void Send(const LogEntry& entry) override { text += entry.text; }
  LogSink* const before;
  std::string text;
};

Status RunSmall(const Session& session) { return session.Run({{"x", Tensor::Zeros<float>({2})}}, {"z"}).status(); }

std::set<std::string> ValuesOf(const std::vector<TraceEvent>& events, const std::string& key) {
  std::set<std::string> values;
  for (const TraceEvent& event : events) values.insert(event.at(key));
  return values;
}

// Each "s" has one "f" with its id, in order of time.
void CheckFlowsArePairs(const std::string& json) {
  const auto starts = EventsOf(json, "s"), ends = EventsOf(json, "f");
  CHECK(!starts.empty());
  REQUIRE(starts.size() == ends.size());
  CHECK(ValuesOf(starts, "id").size() == starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    CHECK(starts[i].at("id") == ends[i].at("id"));
    CHECK(starts[i].at("pid") == ends[i].at("pid"));
    CHECK(ends[i].at("bp") == "e");
    CHECK(std::stod(starts[i].at("ts")) <= std::stod(ends[i].at("ts")));
  }
}

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
    for (std::size_t at = 0; (at = html.find("<script>add({", at)) != std::string::npos; ++at) ++count;
    CHECK(count == 2);
    CHECK(Contains(html, "\"flows\":[[0,1]]"));
    CHECK(!Contains(html, "http"));
  }
  TEST_CASE("a file that cannot be written is logged and fails no run") {
    const LogLines lines;
    TraceFile sink("no/such/folder/t.json");
    const auto session = Session::FromGraph(SmallGraph(), {.trace_sink = &sink});
    CHECK(RunSmall(*session).ok());
    CHECK(sink.status().code() == Code::kPermissionDenied);
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

// In a process of its own, with TENON_TRACE.
TEST_CASE("TENON_TRACE: the child" * doctest::skip()) {
  const auto one = Session::FromGraph(SmallGraph()), other = Session::FromGraph(SmallGraph());
  REQUIRE(one.ok());
  CHECK(RunSmall(*one).ok());
  CHECK(RunSmall(*other).ok());
  CHECK(RunSmall(*one).ok());
  if (std::getenv("TENON_TEST_ABRUPT_END") != nullptr) _exit(0);
}

TEST_SUITE("TENON_TRACE") {
  TEST_CASE("names a file for all sessions, whole however the process ends") {
    for (const bool abrupt : {false, true}) {
      const TemporaryFile file("environment.json");
      std::vector<std::string> environment = {StrCat("TENON_TRACE=", file.path)};
      if (abrupt) environment.push_back("TENON_TEST_ABRUPT_END=1");
      const SelfResult child = RunSelf("TENON_TRACE: the child", environment);
      CHECK_MESSAGE(child.exit_code == 0, child.output);
      const std::string json = file.Read();
      const auto spans = EventsOf(json, "X");
      CHECK(spans.size() == 9);
      CHECK(ValuesOf(spans, "pid") == std::set<std::string>{"1", "2"});
      CheckFlowsArePairs(json);
    }
  }
  TEST_CASE("a name that ends in .html gets a page") {
    const TemporaryFile file("environment.html");
    CHECK(RunSelf("TENON_TRACE: the child", {StrCat("TENON_TRACE=", file.path)}).exit_code == 0);
    CHECK(file.Read().starts_with("<!doctype html>"));
  }
  TEST_CASE("a file that cannot be written fails nothing") {
    const SelfResult child = RunSelf("TENON_TRACE: the child", {"TENON_TRACE=no/such/folder/t.json"});
    CHECK(child.exit_code == 0);
    CHECK(Contains(child.output, "cannot open 'no/such/folder/t.json'"));
  }
}
}  // namespace trace_file_test
