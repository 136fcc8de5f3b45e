// SPDX-License-Identifier: Apache-2.0
#include <tenon/runtime/trace/file_sink.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "base/self_process.hpp"
#include "base/without_extension.hpp"
#include "runtime/graphs.hpp"
#include "runtime/trace_events.hpp"
#include "runtime/trace_files.hpp"

namespace trace_file_sink_test {
using namespace tenon;
using namespace runtime_test;

// In a process of its own, with TENON_TRACE.
TEST_CASE("TENON_TRACE: the child" * doctest::skip()) {
  const auto one = Session::FromGraph(SmallGraph()), other = Session::FromGraph(SmallGraph());
  REQUIRE(one.ok());
  CHECK(RunSmall(*one).ok());
  CHECK(RunSmall(*other).ok());
  CHECK(RunSmall(*one).ok());
  if (std::getenv("TENON_TRACE_BYTES") != nullptr)
    for (int i = 0; i < 50; ++i) CHECK(RunSmall(*one).ok());
  if (std::getenv("TENON_TEST_ABRUPT_END") != nullptr) _exit(0);
}

TEST_CASE("TENON_TRACE: the child without the extension" * doctest::skip()) {
  const WithoutExtension without(&detail::extensions.environment_trace_sink);
  CHECK(RunSmall(Session::FromGraph(SmallGraph()).value()).ok());
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
  TEST_CASE("has no effect without the extension") {
    const TemporaryFile file("nothing.json");
    const SelfResult child =
        RunSelf("TENON_TRACE: the child without the extension", {StrCat("TENON_TRACE=", file.path)});
    CHECK_MESSAGE(child.exit_code == 0, child.output);
    CHECK(file.Read().empty());
  }
  TEST_CASE("TENON_TRACE_BYTES limits it") {
    const TemporaryFile file("limited.json");
    const SelfResult child =
        RunSelf("TENON_TRACE: the child", {StrCat("TENON_TRACE=", file.path), "TENON_TRACE_BYTES=1000"});
    CHECK_MESSAGE(child.exit_code == 0, child.output);
    CHECK(file.Read().size() < 5000);
    const auto left = EventsOf(file.Read(), "i");
    REQUIRE(left.size() == 1);
    CHECK(std::stoi(left[0].at("args.runs")) > 45);
  }
  TEST_CASE("a name that ends in .html gets a page") {
    const TemporaryFile file("environment.html");
    CHECK(RunSelf("TENON_TRACE: the child", {StrCat("TENON_TRACE=", file.path)}).exit_code == 0);
    CHECK(file.Read().starts_with("<!doctype html>"));
  }
  TEST_CASE("TENON_SLOW_RUN_MS logs slow runs, with and without a file") {
    const TemporaryFile file("slow.json");
    const SelfResult all = RunSelf("TENON_TRACE: the child", {"TENON_SLOW_RUN_MS=0"});
    CHECK(all.exit_code == 0);
    CHECK(Contains(all.output, "slow run of session 2: "));
    const SelfResult none =
        RunSelf("TENON_TRACE: the child", {"TENON_SLOW_RUN_MS=60000", StrCat("TENON_TRACE=", file.path)});
    CHECK(!Contains(none.output, "slow run"));
    CHECK(EventsOf(file.Read(), "X").size() == 9);
    CHECK(Contains(RunSelf("TENON_TRACE: the child", {"TENON_SLOW_RUN_MS=fast"}).output, "TENON_SLOW_RUN_MS"));
  }
  TEST_CASE("a file that cannot be written fails nothing") {
    const SelfResult child = RunSelf("TENON_TRACE: the child", {"TENON_TRACE=no/such/folder/t.json"});
    CHECK(child.exit_code == 0);
    CHECK(Contains(child.output, "cannot open 'no/such/folder/t.json'"));
  }
}
}  // namespace trace_file_sink_test
